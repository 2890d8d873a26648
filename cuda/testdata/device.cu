// The heap of the device, groups of a grid and of parts of warps, and numbers of 16 bits, each against the host.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include "api.h"

namespace cg = cooperative_groups;
int wrong;

// Each thread fills a block of memory of its own in one launch, and looks at it and frees some in the next.

__device__ int *held[256];

__device__ int words(int thread, int round) { return 1 + (thread * 7 + round) % 50; }

__global__ void take(int round) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = words(i, round);
    held[i] = (int *)malloc(n * sizeof(int));
    for (int j = 0; held[i] && j < n; j++) held[i][j] = i * 1000 + j;
}

__global__ void look(int round, int *bad) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = words(i, round);
    for (int j = 0; j < n; j++)
        if (!held[i] || held[i][j] != i * 1000 + j) atomicAdd(bad, 1);
    if ((i + round) % 3) free(held[i]);
}

__global__ void tooMuch(void **p) { *p = malloc(1 << 20); }

struct Shape {
    int side;
    __device__ explicit Shape(int side) : side(side) {}
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const { return side * side; }
};

struct Box : Shape {
    int *sides = new int[2];
    __device__ explicit Box(int side) : Shape(side) { sides[0] = side, sides[1] = 3; }
    __device__ ~Box() override { delete[] sides; }
    __device__ int area() const override { return sides[0] * sides[1]; }
};

__global__ void shapes(int *out) {
    Shape *s = threadIdx.x % 2 ? new Box(threadIdx.x) : new Shape(threadIdx.x);
    out[threadIdx.x] = s->area();
    delete s;
}

static void heap() {
    size_t limit;
    int *bad, *out;
    void **p;
    WANT(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize), cudaSuccess);
    WANT(limit, 8u << 20);
    WANT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20), cudaSuccess);
    cudaMallocManaged(&bad, sizeof(int)), cudaMallocManaged(&out, 64 * sizeof(int)), cudaMallocManaged(&p, sizeof *p);
    for (int round = 0; round < 6; round++) {
        take<<<4, 64>>>(round);
        look<<<4, 64>>>(round, bad);
    }
    *p = p;
    tooMuch<<<1, 1>>>(p);
    shapes<<<1, 64>>>(out);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    WANT(*bad, 0);
    WANT(*p, nullptr);
    WANT(out[8], 64);
    WANT(out[9], 27);
    WANT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20), cudaErrorInvalidValue);
    cudaGetLastError();
}

// A chain of sums: in each round every thread adds what the thread beside it had, across blocks.
__global__ void chain(int *a, int *b, int rounds) {
    cg::grid_group grid = cg::this_grid();
    unsigned long long i = grid.thread_rank(), n = grid.size();
    for (int r = 0; r < rounds; r++) {
        b[i] = a[i] + a[(i + 1) % n];
        grid.sync();
        int *t = a;
        a = b, b = t;
    }
}

__device__ int sum(cg::thread_group g, int *room, int x) {
    for (unsigned by = g.size() / 2; by > 0; by /= 2) {
        room[g.thread_rank()] = x;
        g.sync();
        x += room[g.thread_rank() ^ by]; // all of them, so that they stay together
        g.sync();
    }
    return x;
}

__global__ void parts(int *out) {
    __shared__ int room[64];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    cg::thread_group four = cg::tiled_partition(block, 4);
    int i = (int)block.thread_rank(), all = sum(block, room, i), some = sum(tile, room + i / 16 * 16, i), few = sum(four, room + i / 4 * 4, i);
    out[i] = i % 32 == 0 ? all : i % 16 == 0 ? some : few;
    out[64 + i] = cg::inclusive_scan(tile, i) * 1000 + cg::exclusive_scan(tile, 1);
    cg::coalesced_group threes = cg::binary_partition(tile, i % 3 == 0);
    out[128 + i] = (int)(threes.size() * 100 + threes.thread_rank());
}

static void groups() {
    const int rounds = 5, n = 4 * 96;
    int *a, *b, *out, *last, want[n], next[n], blocks;
    cudaMallocManaged(&a, sizeof want), cudaMallocManaged(&b, sizeof want), cudaMallocManaged(&out, 192 * sizeof(int));
    for (int i = 0; i < n; i++) a[i] = want[i] = i * i;
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < n; i++) next[i] = want[i] + want[(i + 1) % n];
        memcpy(want, next, sizeof want);
    }
    void *args[] = {&a, &b, (void *)&rounds};
    WANT(cudaLaunchCooperativeKernel(chain, dim3(4), dim3(96), args), cudaSuccess);
    last = rounds % 2 ? b : a;
    WANT(memcmp(last, want, sizeof want), 0);
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    WANT(prop.cooperativeLaunch, 1);
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, chain, 96, 0), cudaSuccess);
    WANT(cudaLaunchCooperativeKernel(chain, dim3(blocks * prop.multiProcessorCount + 1), dim3(96), args), cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();

    parts<<<1, 64>>>(out);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    WANT(out[32], 63 * 64 / 2);
    WANT(out[48], 16 * 48 + 120);
    WANT(out[36], 36 + 37 + 38 + 39);
    WANT(out[64 + 20], (16 + 17 + 18 + 19 + 20) * 1000 + 4);
    WANT(out[128 + 21], 500 + 1);  // of 16 to 31 those are 18, 21, 24, 27, 30
    WANT(out[128 + 22], 1100 + 4); // the others before are 16, 17, 19, 20
}

// Rounds to nearest, ties to even, to 11 bits and exponents from -14 to 15 (IEEE 754-2008, binary16).
static double rounded(double x) {
    if (x == 0 || std::isnan(x) || std::isinf(x)) return x;
    int e;
    frexp(x, &e);
    double unit = ldexp(1, (e < -13 ? -13 : e) - 11), y = nearbyint(x / unit) * unit;
    return fabs(y) >= 65520 ? copysign(INFINITY, x) : y;
}

// What the bits mean.
static double value(uint16_t bits) {
    int e = bits >> 10 & 31, f = bits & 1023;
    double x = e == 31 ? (f ? NAN : INFINITY) : e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
    return bits >> 15 ? -x : x;
}

static const int ops = 9;

__global__ void halves(const uint16_t *in, uint16_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half a = __ushort_as_half(in[3 * i]), b = __ushort_as_half(in[3 * i + 1]), c = __ushort_as_half(in[3 * i + 2]);
    __half2 v = __hadd2(__halves2half2(a, b), __halves2half2(c, c));
    __half r[ops] = {__hadd(a, b), a - b, __hmul(a, b), a / b, __hfma(a, b, c), __high2half(v), __hmax(a, b), hsqrt(a), hfloor(b)};
    for (int k = 0; k < ops; k++) out[ops * i + k] = __half_as_ushort(r[k]);
}

static void half16() {
    const int n = 4096;
    uint16_t *in, *out;
    uint32_t seed = 1;
    cudaMallocManaged(&in, 3 * n * sizeof *in), cudaMallocManaged(&out, ops * n * sizeof *out);
    for (int i = 0; i < 3 * n; i++) in[i] = (uint16_t)((seed = seed * 1664525 + 1013904223) >> 16);
    halves<<<n / 64, 64>>>(in, out, n);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    int differ = 0;
    for (int i = 0; i < n; i++) {
        double a = value(in[3 * i]), b = value(in[3 * i + 1]), c = value(in[3 * i + 2]);
        double want[ops] = {a + b, a - b, a * b, a / b, 0, b + c, fmax(a, b), sqrt(a), floor(b)};
        want[4] = rounded((double)((long double)(a * b) + c)); // 64 bits hold most sums exactly; the rest is compared below
        for (int k = 0; k < ops; k++) {
            double got = value(out[ops * i + k]), should = rounded(want[k]);
            if (k == 4 && std::isfinite(c) && std::isfinite(a * b) && fabs(ilogb(a * b) - ilogb(c)) > 40) continue;
            if (std::isnan(should) ? !std::isnan(got) : got != should) differ++;
        }
        // The host has the same functions.
        __half x = __ushort_as_half(in[3 * i]), y = __ushort_as_half(in[3 * i + 1]);
        double s = value(__half_as_ushort(x + y));
        if (std::isnan(rounded(a + b)) ? !std::isnan(s) : s != rounded(a + b)) differ++;
    }
    WANT(differ, 0);
    WANT(__half2float(__float2half(1.0f / 3)), 0.333251953125f);
    WANT(__heq(__half(2), __half(2.0)) && !__hlt(__half(2), __half(1)) && __hltu(__half(NAN), __half(1)) && !__hne(__half(NAN), __half(1)), true);
}

int main() {
    heap();
    groups();
    half16();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
