// Radix sort of keys with values, four bits at a time: each block counts its digits, the counts are summed, and each
// element is scattered to where the sums and its rank among the block's say.
//
//     sort [ELEMENTS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

const int threads = 128, digits = 16;

__global__ void count(const unsigned *keys, int n, int shift, unsigned *counts) {
    __shared__ unsigned of[digits];
    if (threadIdx.x < digits) of[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * threads + threadIdx.x;
    if (i < n) atomicAdd(&of[keys[i] >> shift & (digits - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < digits) counts[threadIdx.x * gridDim.x + blockIdx.x] = of[threadIdx.x];
}

// Sums of all before each one, in each block of elements, and the blocks' own sums (Blelloch 1990).
__global__ void scan(unsigned *data, int n, unsigned *blockSums) {
    __shared__ unsigned s[2 * threads];
    const int at = blockIdx.x * 2 * threads + threadIdx.x;
    s[threadIdx.x] = at < n ? data[at] : 0;
    s[threadIdx.x + threads] = at + threads < n ? data[at + threads] : 0;
    unsigned apart = 1;
    for (unsigned active = threads; active > 0; active /= 2, apart *= 2) {
        __syncthreads();
        if (threadIdx.x < active) s[apart * (2 * threadIdx.x + 2) - 1] += s[apart * (2 * threadIdx.x + 1) - 1];
    }
    if (threadIdx.x == 0) {
        blockSums[blockIdx.x] = s[2 * threads - 1];
        s[2 * threads - 1] = 0;
    }
    for (unsigned active = 1; active <= threads; active *= 2) {
        apart /= 2;
        __syncthreads();
        if (threadIdx.x < active) {
            const unsigned low = apart * (2 * threadIdx.x + 1) - 1, high = apart * (2 * threadIdx.x + 2) - 1, old = s[low];
            s[low] = s[high];
            s[high] += old;
        }
    }
    __syncthreads();
    if (at < n) data[at] = s[threadIdx.x];
    if (at + threads < n) data[at + threads] = s[threadIdx.x + threads];
}

__global__ void addSums(unsigned *data, int n, const unsigned *blockSums) {
    const int at = blockIdx.x * 2 * threads + threadIdx.x;
    if (at < n) data[at] += blockSums[blockIdx.x];
    if (at + threads < n) data[at + threads] += blockSums[blockIdx.x];
}

__global__ void scatter(const unsigned *keys, const unsigned *values, int n, int shift, const unsigned *starts, unsigned *toKeys, unsigned *toValues) {
    __shared__ unsigned char digit[threads];
    const int i = blockIdx.x * threads + threadIdx.x;
    const unsigned own = i < n ? keys[i] >> shift & (digits - 1) : digits;
    digit[threadIdx.x] = (unsigned char)own;
    __syncthreads();
    if (i >= n) return;
    unsigned rank = 0; // among the same digits of the block
    for (unsigned t = 0; t < threadIdx.x; t++) rank += digit[t] == own;
    const unsigned to = starts[own * gridDim.x + blockIdx.x] + rank;
    toKeys[to] = keys[i];
    toValues[to] = values[i];
}

// Sums of all before each one, of any number of elements.
static void scanAll(unsigned *data, int n) {
    const int blocks = (n + 2 * threads - 1) / (2 * threads);
    unsigned *sums;
    CHECK(cudaMalloc(&sums, blocks * sizeof *sums));
    scan<<<blocks, threads>>>(data, n, sums);
    if (blocks > 1) {
        scanAll(sums, blocks);
        addSums<<<blocks, threads>>>(data, n, sums);
    }
    CHECK(cudaFree(sums));
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 3000, blocks = (n + threads - 1) / threads;
    if (n < 1) {
        fprintf(stderr, "sort: want at least 1 element\n");
        return 2;
    }
    std::vector<unsigned> keys(n), values(n);
    unsigned state = 88172645;
    for (int i = 0; i < n; i++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        keys[i] = state % 5 == 0 ? state % 100 : state; // some are equal
        values[i] = (unsigned)i;
    }
    unsigned *k[2], *v[2], *counts;
    for (int b = 0; b < 2; b++) {
        CHECK(cudaMalloc(&k[b], n * sizeof(unsigned)));
        CHECK(cudaMalloc(&v[b], n * sizeof(unsigned)));
    }
    CHECK(cudaMalloc(&counts, digits * blocks * sizeof *counts));
    CHECK(cudaMemcpy(k[0], keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(v[0], values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int shift = 0; shift < 32; shift += 4) {
        count<<<blocks, threads>>>(k[0], n, shift, counts);
        scanAll(counts, digits * blocks);
        scatter<<<blocks, threads>>>(k[0], v[0], n, shift, counts, k[1], v[1]);
        std::swap(k[0], k[1]);
        std::swap(v[0], v[1]);
    }
    CHECK(cudaGetLastError());
    std::vector<unsigned> gotKeys(n), gotValues(n);
    CHECK(cudaMemcpy(gotKeys.data(), k[0], n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(gotValues.data(), v[0], n * sizeof(unsigned), cudaMemcpyDeviceToHost));

    // Equal keys stay in their order.
    std::stable_sort(values.begin(), values.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
    for (int i = 0; i < n; i++)
        if (gotValues[i] != values[i] || gotKeys[i] != keys[values[i]]) {
            printf("FAIL: place %d has key %u, value %u, want key %u, value %u\n", i, gotKeys[i], gotValues[i], keys[values[i]], values[i]);
            return 1;
        }
    printf("%d elements: PASS\n", n);
    for (int b = 0; b < 2; b++) {
        CHECK(cudaFree(k[b]));
        CHECK(cudaFree(v[b]));
    }
    CHECK(cudaFree(counts));
    return 0;
}
