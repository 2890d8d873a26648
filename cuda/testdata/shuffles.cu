// Shuffles of structures, pointers, enumerations and small types between the threads of a tile.
#include <cstdio>
#include <cstring>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

struct Best { // 16 bytes with padding
    double cost;
    short index;
    char tag;
};
struct Triple { // 3 bytes
    unsigned char r, g, b;
};
struct Wide { // 32 bytes, which is CUDA's limit
    long long at[4];
};
struct Counted { // converts to a number, and is more than it
    int value, weight;
    __device__ operator int() const { return value; }
};
enum class Colour : unsigned char { red, green, blue };

struct Less {
    __device__ Best operator()(const Best &a, const Best &b) const { return b.cost < a.cost ? b : a; }
};

__device__ Best best(int x) { return Best{(x * 37 % 64) - 0.5, (short)-x, (char)('a' + x % 26)}; }

template <int N> __global__ void shuffles(int *wrong, int *value) {
    auto tile = cg::tiled_partition<N>(cg::this_thread_block());
    const int x = threadIdx.x, first = x / N * N, rank = x % N;
    Best b = tile.shfl_down(best(x), 1), want = best(rank + 1 < N ? x + 1 : x);
    if (b.cost != want.cost || b.index != want.index || b.tag != want.tag) atomicAdd(wrong, 1);
    Triple t = tile.shfl(Triple{(unsigned char)x, (unsigned char)(x + 1), (unsigned char)(255 - x)}, N - 1);
    if (t.r != first + N - 1 || t.g != first + N || t.b != 255 - (first + N - 1)) atomicAdd(wrong, 1);
    Wide w = tile.shfl_xor(Wide{{x, -x, 1ll << x, ~(1ll << x)}}, 1);
    if (w.at[0] != (x ^ 1) || w.at[1] != -(x ^ 1) || w.at[2] != 1ll << (x ^ 1) || w.at[3] != ~(1ll << (x ^ 1))) atomicAdd(wrong, 1);
    Counted c = tile.shfl_up(Counted{x, 1000 + x}, 1);
    const int above = rank ? x - 1 : x;
    if (c.value != above || c.weight != 1000 + above) atomicAdd(wrong, 1);
    if (tile.shfl_xor(&value[x], 1) != &value[x ^ 1]) atomicAdd(wrong, 1);
    if (tile.shfl((Colour)(x % 3), 2) != (Colour)((first + 2) % 3)) atomicAdd(wrong, 1);
    if (tile.shfl_up(x % 2 == 0, 1) != (above % 2 == 0)) atomicAdd(wrong, 1);
    if (__half2float(tile.shfl(__float2half((float)x), 1)) != (float)(first + 1)) atomicAdd(wrong, 1);
    if (tile.shfl_xor(x + 0.25, 1) != (x ^ 1) + 0.25) atomicAdd(wrong, 1);
    float4 f = tile.shfl(make_float4((float)x, 1, 2, (float)-x), 0);
    if (f.x != (float)first || f.y != 1 || f.z != 2 || f.w != (float)-first) atomicAdd(wrong, 1);
    // The least of all in the tile, by a structure: cost and index of the thread that has it.
    Best least = cg::reduce(tile, best(x), Less());
    int at = first;
    for (int i = first; i < first + N; i++)
        if (best(i).cost < best(at).cost) at = i;
    if (least.index != -at || least.cost != best(at).cost) atomicAdd(wrong, 1);
    if (x % 3 == 1) {
        cg::coalesced_group group = cg::coalesced_threads();
        Best of = group.shfl_down(best(x), 1);
        const int next = x % 32 + 3 < 32 ? x + 3 : x; // every third thread of a warp
        if (of.cost != best(next).cost || of.index != -next) atomicAdd(wrong, 1);
    }
    value[x] = least.index;
}

int main() {
    int *wrong, *value, count, of[64];
    cudaMalloc(&wrong, 4), cudaMalloc(&value, sizeof of), cudaMemset(wrong, 0, 4);
    shuffles<32><<<1, 64>>>(wrong, value);
    cudaMemcpy(of, value, sizeof of, cudaMemcpyDeviceToHost);
    printf("%d %d\n", of[0], of[63]);
    shuffles<4><<<1, 64>>>(wrong, value);
    cudaMemcpy(&count, wrong, 4, cudaMemcpyDeviceToHost);
    printf("%d wrong\n", count);
}
