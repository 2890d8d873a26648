// The heap of the device, groups of a grid and of parts of warps, and numbers of 16 bits, each against the host.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
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

// One of the threads that are together takes places for all of them. What it got has no value in the others before they ask.
__global__ void places(int *next, int *who) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i % 3 == 1) return;
    cg::coalesced_group here = cg::coalesced_threads();
    int first;
    if (here.thread_rank() == 0) first = atomicAdd(next, (int)here.size());
    who[here.shfl(first, 0) + here.thread_rank()] = i;
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

    memset(out, 0, 65 * sizeof *out);
    places<<<3, 32>>>(out, out + 1);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    WANT(out[0], 64);
    std::sort(out + 1, out + 65);
    for (int i = 0; i < 64; i++) WANT(out[1 + i], i / 2 * 3 + i % 2 * 2);
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

// The same of numbers with 8 bits and the exponent of float.
static float bfloat(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static __host__ __device__ float pasted(uint16_t high, uint16_t low) { return __builtin_bit_cast(float, (uint32_t)high << 16 | low); }

static double rounded8(double x) {
    if (x == 0 || std::isnan(x) || std::isinf(x)) return x;
    int e;
    frexp(x, &e);
    double unit = ldexp(1, (e < -125 ? -125 : e) - 8), y = nearbyint(x / unit) * unit;
    return fabs(y) >= ldexp(1, 128) ? copysign(INFINITY, x) : y;
}

static const int bops = 11;

__global__ void bfloats(const uint16_t *in, uint16_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_bfloat16 a = __ushort_as_bfloat16(in[3 * i]), b = __ushort_as_bfloat16(in[3 * i + 1]), c = __ushort_as_bfloat16(in[3 * i + 2]);
    __nv_bfloat162 v = __hmul2(__halves2bfloat162(a, b), __bfloat162bfloat162(c));
    __nv_bfloat16 r[bops] = {a + b,          __hsub(a, b), __hmul(a, b), a / b, __hfma(a, b, c), __high2bfloat16(v), __hmin(a, b), hsqrt(a), hceil(b),
                             __float2bfloat16_rz(pasted(in[3 * i], in[3 * i + 1])), __float2bfloat16_ru(pasted(in[3 * i], in[3 * i + 1]))};
    for (int k = 0; k < bops; k++) out[bops * i + k] = __bfloat16_as_ushort(r[k]);
}

// Sums of pairs and of single numbers that many threads add to.
__global__ void add16(__half2 *pair, __half *one, __nv_bfloat16 *other) {
    atomicAdd(pair, __floats2half2_rn(1, 2));
    atomicAdd(one + 1, __half(1));
    atomicAdd(other, __ldg(other + 1));
}

static void bfloat16() {
    const int n = 4096;
    uint16_t *in, *out;
    uint32_t seed = 7;
    cudaMallocManaged(&in, 3 * n * sizeof *in), cudaMallocManaged(&out, bops * n * sizeof *out);
    for (int i = 0; i < 3 * n; i++) {
        in[i] = (uint16_t)((seed = seed * 1664525 + 1013904223) >> 16);
        if (i % 2 == 0) in[i] = (in[i] & 0x87ff) | 0x3c00; // near the others, or sums say little
    }
    bfloats<<<n / 64, 64>>>(in, out, n);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    int differ = 0;
    for (int i = 0; i < n; i++) {
        double a = bfloat(in[3 * i]), b = bfloat(in[3 * i + 1]), c = bfloat(in[3 * i + 2]), f = pasted(in[3 * i], in[3 * i + 1]);
        double near = rounded8(f), want[bops] = {a + b, a - b, a * b, a / b, (float)(a * b + c), b * c, fmin(a, b), sqrt(a), ceil(b), f, f};
        for (int k = 0; k < bops; k++) {
            double got = bfloat(out[bops * i + k]), should = rounded8(want[k]);
            if (k >= 9 && !std::isnan(f) && !std::isinf(f)) { // its neighbours: nothing lies between it and what is asked for
                bool side = k == 10 ? got >= f : fabs(got) <= fabs(f), close = std::isinf(got) || std::isinf(near) || fabs(got - f) < fabs(ldexp(f, -7)) || fabs(f) < 1e-37;
                if (!side || !close) differ++;
                continue;
            }
            if (std::isnan(should) ? !std::isnan(got) : got != should) differ++;
        }
        double s = (float)(__ushort_as_bfloat16(in[3 * i]) * __ushort_as_bfloat16(in[3 * i + 1]));
        if (std::isnan(rounded8(a * b)) ? !std::isnan(s) : s != rounded8(a * b)) differ++;
    }
    WANT(differ, 0);
    // Rounded once, from numbers with more bits than float has.
    const double tie = 1 + 1.0 / 256;
    WANT((float)__double2bfloat16(tie), 1.0f);
    WANT((float)__double2bfloat16(tie + 1e-12), 1.0f + 1.0f / 128);
    WANT((float)__double2bfloat16(-tie - 1e-12), -1.0f - 1.0f / 128);
    WANT((float)__ll2bfloat16_rn((257ll << 48) + 1), ldexpf(258, 48));
    WANT((float)__ll2bfloat16_rn(257ll << 48), ldexpf(256, 48));
    WANT((float)__ull2bfloat16_rn(5), 5.0f);

    uint16_t *sums;
    cudaMallocManaged(&sums, 8 * sizeof *sums);
    sums[2] = 0x1234, sums[5] = 0x3f80, sums[4] = 0x4000; // the other half of a word; 1 and 2
    add16<<<2, 32>>>((__half2 *)sums, (__half *)sums + 2, (__nv_bfloat16 *)sums + 4);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    WANT(value(sums[0]), 64.0);
    WANT(value(sums[1]), 128.0);
    WANT(sums[2], 0x1234);
    WANT(value(sums[3]), 64.0);
    WANT(bfloat(sums[4]), 66.0f);
}

int main() {
    heap();
    groups();
    half16();
    bfloat16();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
