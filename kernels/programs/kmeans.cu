// k-means: each point goes to its nearest centre, each centre to the middle of its points, until no point changes sides.
// Coordinates are added as whole numbers, so that the order in which the threads add them does not matter.
//
//     kmeans [POINTS [CLUSTERS]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

const int dims = 4, most = 16; // coordinates of a point, centres
typedef unsigned long long Sum; // of coordinates, in steps of 1/4096

__constant__ float centres[most * dims];

// fmaf rounds once on the host as on the device.
static __host__ __device__ int nearest(const float *point, const float *centre, int clusters) {
    int best = 0;
    float least = 0;
    for (int c = 0; c < clusters; c++) {
        float distance = 0;
        for (int d = 0; d < dims; d++) {
            float apart = point[d] - centre[c * dims + d];
            distance = fmaf(apart, apart, distance);
        }
        if (c == 0 || distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

static __host__ __device__ Sum whole(float x) { return (Sum)(x * 4096.0f); }

__global__ void assign(const float *points, int n, int clusters, int *cluster, int *changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = nearest(points + i * dims, centres, clusters);
    if (c != cluster[i]) {
        cluster[i] = c;
        atomicAdd(changed, 1);
    }
}

// Each block adds its points in shared memory first.
__global__ void add(const float *points, int n, int clusters, const int *cluster, Sum *sums, int *counts) {
    __shared__ Sum sum[most * dims];
    __shared__ int count[most];
    for (int k = threadIdx.x; k < clusters * dims; k += blockDim.x) sum[k] = 0;
    for (int k = threadIdx.x; k < clusters; k += blockDim.x) count[k] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int d = 0; d < dims; d++) atomicAdd(&sum[cluster[i] * dims + d], whole(points[i * dims + d]));
        atomicAdd(&count[cluster[i]], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < clusters * dims; k += blockDim.x)
        if (sum[k] != 0) atomicAdd(&sums[k], sum[k]);
    for (int k = threadIdx.x; k < clusters; k += blockDim.x)
        if (count[k] != 0) atomicAdd(&counts[k], count[k]);
}

// A centre without points stays where it is.
static void move(std::vector<float> &centre, const std::vector<Sum> &sums, const std::vector<int> &counts) {
    for (size_t k = 0; k < centre.size(); k++)
        if (int n = counts[k / dims]) centre[k] = (float)((double)sums[k] / 4096 / n);
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 2000, clusters = argc > 2 ? atoi(argv[2]) : 5, threads = 128, rounds = 50;
    if (n < clusters || clusters < 1 || clusters > most) {
        fprintf(stderr, "kmeans: want 1 to %d clusters, and as many points\n", most);
        return 2;
    }
    unsigned state = 2463534242;
    auto next = [&state] { return state ^= state << 13, state ^= state >> 17, state ^= state << 5; };
    std::vector<float> points(n * dims);
    for (int i = 0; i < n; i++) {
        int blob = (int)(next() % (unsigned)clusters);
        for (int d = 0; d < dims; d++) points[i * dims + d] = (float)(blob * (d + 3) * 7 % 50) + (float)(next() % 4096) / 256.0f;
    }
    std::vector<float> centre(points.begin(), points.begin() + clusters * dims), wantCentre = centre;

    float *onDevice;
    int *cluster, *changed, *counts;
    Sum *sums;
    CHECK(cudaMalloc(&onDevice, points.size() * sizeof(float)));
    CHECK(cudaMalloc(&cluster, n * sizeof *cluster));
    CHECK(cudaMalloc(&changed, sizeof *changed));
    CHECK(cudaMalloc(&counts, clusters * sizeof *counts));
    CHECK(cudaMalloc(&sums, clusters * dims * sizeof *sums));
    CHECK(cudaMemcpy(onDevice, points.data(), points.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(cluster, 0xff, n * sizeof *cluster)); // -1: none

    const int blocks = (n + threads - 1) / threads;
    std::vector<Sum> sum(clusters * dims);
    std::vector<int> count(clusters);
    int round = 0;
    for (int moved = 1; moved && round < rounds; round++) {
        CHECK(cudaMemset(changed, 0, sizeof *changed));
        CHECK(cudaMemset(counts, 0, clusters * sizeof *counts));
        CHECK(cudaMemset(sums, 0, clusters * dims * sizeof *sums));
        CHECK(cudaMemcpyToSymbol(centres, centre.data(), centre.size() * sizeof(float)));
        assign<<<blocks, threads>>>(onDevice, n, clusters, cluster, changed);
        add<<<blocks, threads>>>(onDevice, n, clusters, cluster, sums, counts);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&moved, changed, sizeof moved, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(sum.data(), sums, sum.size() * sizeof(Sum), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(count.data(), counts, count.size() * sizeof(int), cudaMemcpyDeviceToHost));
        move(centre, sum, count);
    }
    std::vector<int> got(n), want(n, -1);
    CHECK(cudaMemcpy(got.data(), cluster, n * sizeof(int), cudaMemcpyDeviceToHost));

    int wantRound = 0;
    for (bool moved = true; moved && wantRound < rounds; wantRound++) {
        moved = false;
        std::fill(sum.begin(), sum.end(), 0);
        std::fill(count.begin(), count.end(), 0);
        for (int i = 0; i < n; i++) {
            int c = nearest(&points[i * dims], wantCentre.data(), clusters);
            moved |= c != want[i];
            want[i] = c;
            count[c]++;
            for (int d = 0; d < dims; d++) sum[c * dims + d] += whole(points[i * dims + d]);
        }
        move(wantCentre, sum, count);
    }
    for (int i = 0; i < n; i++)
        if (got[i] != want[i]) {
            printf("FAIL: point %d is in cluster %d, want %d\n", i, got[i], want[i]);
            return 1;
        }
    if (centre != wantCentre || round != wantRound) {
        printf("FAIL: other centres after %d rounds, want %d\n", round, wantRound);
        return 1;
    }
    printf("%d points in %d clusters after %d rounds: PASS\n", n, clusters, round);
    CHECK(cudaFree(onDevice));
    CHECK(cudaFree(cluster));
    CHECK(cudaFree(changed));
    CHECK(cudaFree(counts));
    CHECK(cudaFree(sums));
    return 0;
}
