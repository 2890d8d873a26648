// Groups of threads, cache operators, dot products and complex numbers, each compared with what it should be.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuComplex.h>
#include <cuda/pipeline>
#include <texture_types.h>
#include "api.h"

namespace cg = cooperative_groups;
int wrong;

__global__ void groups(int *out, int *odd) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int x = (int)block.thread_rank(), sum = x;
    for (unsigned by = tile.size() / 2; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
    sum = tile.shfl(sum, 0);
    sum += 1000 * (int)cg::reduce(tile, x % 8, cg::greater<int>());
    sum += 10000 * (int)tile.ballot(tile.thread_rank() == 3);
    if (tile.any(x == 17)) sum += 1000000;
    if (tile.all(x < 8)) sum += 2000000;
    tile.sync();
    out[x] = sum + 10000000 * (int)tile.meta_group_rank();
    if (x % 2) {
        cg::coalesced_group together = cg::coalesced_threads();
        if (together.thread_rank() == 0) odd[x / 32] = atomicAdd(&odd[2], (int)together.size()) >= 0 ? (int)together.size() : -1;
        odd[3 + x / 2] = together.shfl(x, 1) * 100 + (int)together.ballot(x % 32 == 5);
    }
    block.sync();
    cg::sync(block);
}

__global__ void operators(const float4 *in, float4 *out, const short *s, unsigned char *c, double *d) {
    float4 v = __ldcg(&in[threadIdx.x]);
    v.x += (float)__ldcs(&s[threadIdx.x]) + (float)__ldca(&s[0]);
    __stcs(&out[threadIdx.x], v);
    __stwt(&c[threadIdx.x], (unsigned char)(200 + threadIdx.x));
    __stcg(&d[threadIdx.x], 0.5);
    __stwb(&d[threadIdx.x], __ldcv(&d[threadIdx.x]) + __ldlu(&d[threadIdx.x]));
}

__global__ void dots(int *out) {
    out[0] = __dp4a(0x01020304, 0x01010101, 5);
    out[1] = __dp4a((int)0xff020304, 0x01010101, 0);
    out[2] = (int)__dp4a(0xff000000u, 0x02000000u, 1u);
    out[3] = __dp2a_lo(0x00030002, 0x00000405, 1);
    out[4] = (int)__dp2a_hi(0x00030002u, 0x04050000u, 1u);
    __nanosleep(20);
    int own = 3;
    out[5] = __isLocal(&own) && __isGlobal(out);
    out[6] = *(int *)__cvta_global_to_generic(__cvta_generic_to_global(&out[0]));
    int block = 0;
    block += atomicSub_block(&out[7], -4), block += atomicCAS_system(&out[7], 4, 9);
    out[8] = block;
    unsigned short *half = (unsigned short *)&out[9]; // 0x00050003
    *half = 3, half[1] = 5;
    out[10] = atomicCAS(half + 1, (unsigned short)5, (unsigned short)7) * 100 + atomicCAS(half, (unsigned short)9, (unsigned short)8);
}

// Pieces of 16, 8 and 4 bytes and bytes, some of which are left; a group that waits for all but the last copy.
__global__ void copies(const char *in, char *out, int *early) {
    __shared__ __align__(16) char room[4][128];
    __shared__ __align__(16) int numbers[2][64];
    cg::thread_block block = cg::this_thread_block();
    const int at[4] = {0, 8, 4, 1};
    for (int i = 0; i < 4; i++) cg::memcpy_async(block, room[i] + at[i], in + 128 * i + at[i], 101 - at[i]);
    cg::wait(block);
    for (int i = block.thread_rank(); i < 512; i += block.size()) out[i] = i % 128 >= at[i / 128] && i % 128 < 101 ? room[i / 128][i % 128] : 0;
    cg::memcpy_async(block, numbers[0], 64, (const int *)in, 50);
    cg::memcpy_async(block, numbers[1], (const int *)in + 64, 256);
    cg::wait_prior<1>(block);
    if (block.thread_rank() == 0) early[0] = numbers[0][40];
    cg::wait(block);
    if (block.thread_rank() == 1) early[1] = numbers[1][63];
    cg::invoke_one(block, [&] { atomicAdd(&early[2], 1); });
    block.barrier_wait(block.barrier_arrive());
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    early[3 + block.thread_rank()] = cg::invoke_one_broadcast(tile, [&] { return atomicAdd(&early[2], 1) > 0 ? 10 + (int)tile.meta_group_rank() : 0; });
    __pipeline_memcpy_async(&numbers[0][4 * (threadIdx.x % 4)], in + 16, 16, threadIdx.x % 4 * 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (threadIdx.x < 16) early[40 + threadIdx.x] = numbers[0][threadIdx.x];
}

// Reductions of the warp in one instruction, by some of its threads; a parameter of more than 4 KiB.
struct Large { int at[2000]; };
__global__ void together(const __grid_constant__ Large large, int *out) {
    const int i = threadIdx.x, x = large.at[50 * i];
    if (i % 4 == 1) return;
    const unsigned m = 0xdddddddd;
    int *to = out + 9 * i;
    to[0] = __reduce_add_sync(m, x), to[1] = __reduce_min_sync(m, x), to[2] = __reduce_max_sync(m, x);
    to[3] = (int)__reduce_add_sync(m, 3u * i), to[4] = (int)__reduce_min_sync(m, (unsigned)x), to[5] = (int)__reduce_max_sync(m, (unsigned)x);
    to[6] = (int)__reduce_and_sync(m, x | 0x100u), to[7] = (int)__reduce_or_sync(m, (unsigned)i), to[8] = (int)__reduce_xor_sync(m, (unsigned)x);
}

// Registers of PTX with one percent sign and with two; values of each type that matches.
#define LANE(x) asm volatile("mov.u32 %0, %laneid;" : "=r"(x))
__global__ void named(int *out, double *d) {
    unsigned lane, sum;
    LANE(lane);
    asm("{\n\t.reg .u32 t;\n\t" // a string of several
        "mov.u32 t, %ntid.x;\n\t"
        "add.u32 %0, t, %1; }" : "=r"(sum) : "r"(lane));
    asm("add.u32 %0, %0, %%tid.x;" : "+r"(sum));
    out[threadIdx.x] = sum;
    out[32 + threadIdx.x] = (int)__match_any_sync(~0u, (long)d[threadIdx.x]) ^ (int)__match_any_sync(~0u, (float)d[threadIdx.x]);
    int all;
    __match_all_sync(~0u, d[0], &all);
    if (threadIdx.x == 0) out[63] = 100 * all;
}

// Tiles of several warps, tiles of tiles, parts by label and by rank.
__global__ void parts(int *out) {
    __shared__ cg::block_tile_memory<128> room;
    cg::thread_block block = cg::this_thread_block(room);
    auto large = cg::tiled_partition<64>(block);
    auto warp = cg::tiled_partition<32>(large);
    auto four = cg::tiled_partition<4>(warp);
    const int x = (int)block.thread_rank();
    int *to = out + 8 * x;
    to[0] = cg::reduce(large, x, cg::plus<int>());
    if (x < 64) to[1] = large.shfl(x * 10, 37) + large.any(x == 50) + 2 * large.all(x < 63); // the other tile does not come here
    to[2] = (int)(1000 * large.meta_group_rank() + 100 * large.meta_group_size() + 10 * warp.meta_group_rank() + warp.meta_group_size());
    to[3] = (int)(100 * four.meta_group_rank() + four.meta_group_size());
    auto labels = cg::labeled_partition(warp, x % 3 == 0 ? -1 : x % 5);
    to[4] = (int)(labels.size() * 10000 + labels.meta_group_rank() * 100 + labels.meta_group_size() * 10) + (labels.thread_rank() == 0);
    if (x % 2) {
        cg::coalesced_group odd = cg::coalesced_threads(), threes = cg::tiled_partition(odd, 3);
        to[5] = cg::reduce(threes, x, cg::plus<int>());
        to[6] = cg::exclusive_scan(threes, x) + 10000 * cg::inclusive_scan(odd, 1);
    }
    cg::experimental::sync(block);
}

__device__ void linger() {
    const long long start = clock64();
    while (clock64() - start < 2000) {}
}

// Two warps that wait for each other: each phase one adds what the other wrote.
__global__ void phases(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
    __shared__ int word[64];
    if (threadIdx.x == 0) init(&meeting, blockDim.x);
    __syncthreads();
    int x = threadIdx.x;
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x / 32 == i % 2) linger(); // one comes late
        word[threadIdx.x] = x;
        auto token = meeting.arrive();
        x += i; // meanwhile
        meeting.wait(std::move(token));
        x += word[threadIdx.x ^ 32];
        meeting.arrive_and_wait();
    }
    out[threadIdx.x] = x;
}

// A warp that copies pieces, one that adds them up, and all of a block that does both.
template <bool roles> __global__ void stages(const int *in, int *out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int room[2][32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const bool first = threadIdx.x < 32;
    auto pipe = roles ? cuda::make_pipeline(block, &state, first ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer) : cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        if (first || !roles) {
            pipe.producer_acquire();
            if (first) cuda::memcpy_async(warp, room[i % 2], in + 32 * i, sizeof room[0], pipe);
            pipe.producer_commit();
        }
        if (!first || !roles) {
            pipe.consumer_wait();
            if (roles) linger(); // what is copied meanwhile goes elsewhere
            sum = 3 * sum + room[i % 2][31 - threadIdx.x % 32];
            pipe.consumer_release();
        }
    }
    out[threadIdx.x] = sum;
}

template <class T> static std::vector<T> back(T *from, size_t n) {
    std::vector<T> v(n);
    WANT(cudaMemcpy(v.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return v;
}

int main() {
    int *out, *odd;
    cudaMalloc(&out, 64 * sizeof(int)), cudaMalloc(&odd, 40 * sizeof(int)), cudaMemset(odd, 0, 40 * sizeof(int));
    groups<<<1, 64>>>(out, odd);
    auto g = back(out, 64);
    WANT(g[0], 28 + 7000 + 80000 + 2000000);
    WANT(g[20], 16 * 8 + 28 + 7000 + 80000 + 1000000 + 20000000);
    WANT(g[63], 56 * 8 + 28 + 7000 + 80000 + 70000000);
    auto o = back(odd, 40);
    WANT(o[0], 16);
    WANT(o[2], 32);
    WANT(o[3], 300 + 4); // the second thread of the group is thread 3, the one with rank 2 is thread 5
    WANT(o[3 + 31], 3500 + 4);

    float4 *in, *to;
    short *s;
    unsigned char *c;
    double *d;
    cudaMallocManaged(&in, 4 * sizeof *in), cudaMalloc(&to, 4 * sizeof *to), cudaMallocManaged(&s, 8), cudaMalloc(&c, 4), cudaMalloc(&d, 32);
    for (int i = 0; i < 4; i++) in[i] = make_float4(1, 2, 3, (float)i), s[i] = (short)(-i - 1);
    operators<<<1, 4>>>(in, to, s, c, d);
    auto f = back(to, 4);
    WANT(f[2].x, 1 - 3 - 1.0f);
    WANT(f[2].w, 2.0f);
    WANT(back(c, 4)[3], 203);
    WANT(back(d, 4)[1], 1.0);

    cudaMemset(out, 0, 64 * sizeof(int));
    dots<<<1, 1>>>(out);
    WANT(back(out, 11), (std::vector<int>{15, 8, 511, 2 * 5 + 3 * 4 + 1, 2 * 5 + 3 * 4 + 1, 1, 15, 9, 4, 0x00070003, 503}));

    char *text, *copied;
    int *early;
    cudaMallocManaged(&text, 1024), cudaMallocManaged(&copied, 512), cudaMallocManaged(&early, 64 * sizeof *early);
    for (int i = 0; i < 1024; i++) text[i] = (char)(i * 7 + i / 128);
    copies<<<1, 32>>>(text, copied, early);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    int differ = 0;
    const int at[4] = {0, 8, 4, 1};
    for (int i = 0; i < 512; i++) differ += copied[i] != (i % 128 >= at[i / 128] && i % 128 < 101 ? text[i] : 0);
    WANT(differ, 0);
    WANT(early[0], ((int *)text)[40]);
    WANT(early[1], ((int *)text)[127]);
    WANT(early[2], 1 + 4);
    WANT(early[3 + 31], 13);
    for (int i = 0; i < 16; i++) WANT(early[40 + i], i % 4 < 4 - i / 4 ? ((int *)text)[4 + i % 4] : 0);

    double *numbers;
    cudaMallocManaged(&numbers, 32 * sizeof *numbers);
    for (int i = 0; i < 32; i++) numbers[i] = i % 3 + 0.25; // whose whole parts match where they match themselves
    named<<<1, 32>>>(out, numbers);
    auto n = back(out, 64);
    WANT(n[5], 32 + 5 + 5);
    WANT(n[32 + 5], 0);
    WANT(n[63], 100);

    Large large;
    for (int i = 0; i < 2000; i++) large.at[i] = (i - 800) * (i % 7 - 3);
    int *reduced;
    cudaMalloc(&reduced, 9 * 32 * sizeof(int));
    together<<<1, 32>>>(large, reduced);
    auto red = back(reduced, 9 * 32);
    int all[9] = {0, 1 << 30, -(1 << 30), 0, -1, 0, -1, 0, 0};
    for (int i = 0; i < 32; i++) {
        const int x = large.at[50 * i];
        if (i % 4 == 1) continue;
        all[0] += x, all[1] = std::min(all[1], x), all[2] = std::max(all[2], x), all[3] += 3 * i;
        all[4] = (int)std::min((unsigned)all[4], (unsigned)x), all[5] = (int)std::max((unsigned)all[5], (unsigned)x);
        all[6] &= x | 0x100, all[7] |= i, all[8] ^= x;
    }
    for (int k = 0; k < 9; k++) WANT(red[9 * 31 + k], all[k]);

    int *apart;
    cudaMalloc(&apart, 8 * 128 * sizeof(int));
    cudaMemset(apart, 0, 8 * 128 * sizeof(int));
    parts<<<1, 128>>>(apart);
    auto p = back(apart, 8 * 128);
    for (int x = 0; x < 128; x++) {
        const int *got = &p[8 * x], first = x / 32 * 32;
        WANT(got[0], x / 64 * 64 * 64 + 63 * 64 / 2);
        WANT(got[1], (x < 64 ? 371 : 0));
        WANT(got[2], x / 64 * 1000 + 200 + x / 32 % 2 * 10 + 2);
        WANT(got[3], x % 32 / 4 * 100 + 8);
        // The parts are numbered by their first threads.
        auto label = [](int i) { return i % 3 == 0 ? -1 : i % 5; };
        int size = 0, lowest = -1, rank = 0, parts = 0;
        for (int i = first; i < first + 32; i++) {
            bool begins = true;
            for (int j = first; j < i; j++) begins &= label(j) != label(i);
            parts += begins;
            if (label(i) == label(x)) {
                if (lowest < 0) lowest = i, rank = parts - 1;
                size++;
            }
        }
        WANT(got[4], size * 10000 + rank * 100 + parts * 10 + (x == lowest));
        const int odd = (x - first) / 2, three = odd / 3 * 3; // of 16 threads the last is alone
        int sum = 0, before = 0;
        for (int i = three; i < three + 3 && i < 16; i++) sum += first + 2 * i + 1, before += i < odd ? first + 2 * i + 1 : 0;
        WANT(got[5], (x % 2 ? sum : 0));
        WANT(got[6], (x % 2 ? before + 10000 * (odd + 1) : 0));
    }
    phases<<<1, 64>>>(apart);
    auto q = back(apart, 64);
    for (int x = 0; x < 64; x++) {
        int mine = x, other = x ^ 32;
        for (int i = 0; i < 3; i++) {
            const int sum = mine + other + i;
            mine = other = sum;
        }
        WANT(q[x], mine);
    }
    int *pieces;
    cudaMallocManaged(&pieces, 160 * sizeof *pieces);
    for (int i = 0; i < 160; i++) pieces[i] = i * i;
    stages<true><<<1, 64>>>(pieces, apart);
    stages<false><<<1, 64>>>(pieces, apart + 64);
    q = back(apart, 128);
    for (int x = 0; x < 128; x++) {
        int sum = 0;
        for (int i = 0; i < 5; i++) sum = 3 * sum + (32 * i + 31 - x % 32) * (32 * i + 31 - x % 32);
        WANT(q[x], (x < 32 ? 0 : sum));
    }

    cuFloatComplex z = cuCdivf(cuCmulf(make_cuFloatComplex(1, 2), make_cuFloatComplex(3, -1)), make_cuFloatComplex(3, -1));
    WANT(z.x > 0.999f && z.x < 1.001f && z.y > 1.999f && z.y < 2.001f, true);
    WANT(cuCabs(make_cuDoubleComplex(3, 4)), 5.0);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
