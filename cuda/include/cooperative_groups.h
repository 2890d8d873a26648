// Groups of threads: a grid, a block, tiles of it, and the threads of a warp that are together (CUDA C++ Programming
// Guide, cooperative groups).
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {

#define DIVERGO_CG __device__ __forceinline__

class thread_block {
  public:
    struct arrival_token {};
    DIVERGO_CG static void sync() { __syncthreads(); }
    DIVERGO_CG static arrival_token barrier_arrive() { return arrival_token(); } // the wait is all of the barrier
    DIVERGO_CG static void barrier_wait(arrival_token && = arrival_token()) { __syncthreads(); }
    DIVERGO_CG static unsigned int thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
    DIVERGO_CG static unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    DIVERGO_CG static unsigned int size() { return num_threads(); }
    DIVERGO_CG static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    DIVERGO_CG static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    DIVERGO_CG static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    DIVERGO_CG static dim3 group_dim() { return dim_threads(); }
};

DIVERGO_CG thread_block this_thread_block() { return thread_block(); }

// Threads of a warp: lanes of the mask.
class lanes {
  protected:
    DIVERGO_CG explicit lanes(unsigned int mask) : mask(mask) {}

  public:
    unsigned int mask;
    DIVERGO_CG static unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
    DIVERGO_CG void sync() const { __syncwarp(mask); }
    DIVERGO_CG int any(int x) const { return (__ballot_sync(mask, x) & mask) != 0; }
    DIVERGO_CG int all(int x) const { return (__ballot_sync(mask, x) & mask) == mask; }
};

// Values that shuffles of a warp take go in one piece, others word by word.
template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };
template <class T> DIVERGO_CG auto shuffled(T x, int) -> decltype(__shfl_sync(0u, x, 0));
template <class T> DIVERGO_CG void shuffled(const T &x, long);
template <class T, bool whole = __is_arithmetic(T) || same<decltype(shuffled(*(T *)0, 0)), T>::value> struct pieces {
    typedef T piece;
    template <class F> DIVERGO_CG static T each(T x, F shuffle) { return shuffle(x); }
};
template <class T> struct pieces<T, false> {
    static_assert(__is_trivially_copyable(T), "a shuffle copies bytes: want a type that can be copied so");
    typedef unsigned int piece;
    template <class F> DIVERGO_CG static T each(T x, F shuffle) {
        unsigned int words[(sizeof(T) + 3) / 4] = {};
        __builtin_memcpy(words, &x, sizeof(T));
#pragma unroll
        for (unsigned int i = 0; i < sizeof words / sizeof *words; i++) words[i] = shuffle(words[i]);
        __builtin_memcpy(&x, words, sizeof(T));
        return x;
    }
};
#define DIVERGO_SHUFFLE(NAME, x, by, ...) \
    pieces<T>::each(x, [=](typename pieces<T>::piece x) { return (typename pieces<T>::piece)NAME(mask, x, by, ##__VA_ARGS__); })

// N consecutive threads of a group, N a power of two up to the size of a block.
template <unsigned int N, class Parent = thread_block, bool large = (N > 32)> class thread_block_tile : public lanes {
    static_assert(N > 0 && (N & (N - 1)) == 0, "a tile has a power of two of threads");

  public:
    DIVERGO_CG thread_block_tile() : lanes((N == 32 ? 0xffffffffu : (1u << (N % 32)) - 1) << (lane() & ~(N - 1))) {}
    DIVERGO_CG static constexpr unsigned int num_threads() { return N; }
    DIVERGO_CG static constexpr unsigned int size() { return N; }
    DIVERGO_CG static unsigned int thread_rank() { return lane() & (N - 1); }
    DIVERGO_CG static unsigned int meta_group_rank() { return Parent::thread_rank() / N; }
    DIVERGO_CG static unsigned int meta_group_size() { return (Parent::size() + N - 1) / N; }
    DIVERGO_CG unsigned int ballot(int x) const { return (__ballot_sync(mask, x) & mask) >> (lane() & ~(N - 1)); }
    template <class T> DIVERGO_CG T shfl(T x, int from) const { return DIVERGO_SHUFFLE(__shfl_sync, x, from, N); }
    template <class T> DIVERGO_CG T shfl_up(T x, unsigned int by) const { return DIVERGO_SHUFFLE(__shfl_up_sync, x, by, N); }
    template <class T> DIVERGO_CG T shfl_down(T x, unsigned int by) const { return DIVERGO_SHUFFLE(__shfl_down_sync, x, by, N); }
    template <class T> DIVERGO_CG T shfl_xor(T x, unsigned int by) const { return DIVERGO_SHUFFLE(__shfl_xor_sync, x, by, N); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    template <class T> DIVERGO_CG unsigned int match_any(T x) const { return __match_any_sync(mask, x) >> (lane() & ~(N - 1)); }
    template <class T> DIVERGO_CG unsigned int match_all(T x, int &all) const { return __match_all_sync(mask, x, &all) >> (lane() & ~(N - 1)); }
#endif
};

// Several warps meet at a barrier of their own, of which a block has 15 besides that of __syncthreads (PTX ISA, barrier), and
// hand each other values in shared memory.
template <unsigned int N, class Parent> class thread_block_tile<N, Parent, true> {
    static_assert((N & (N - 1)) == 0 && N <= 1024, "a tile has a power of two of threads, and not more than a block");

    DIVERGO_CG static unsigned int warp() { return thread_block::thread_rank() / 32; }
    template <class T> DIVERGO_CG static T *slots() {
        static_assert(sizeof(T) <= 16, "values of up to 16 bytes");
        static __shared__ ulonglong2 slots[32];
        return (T *)slots;
    }

  public:
    DIVERGO_CG static constexpr unsigned int num_threads() { return N; }
    DIVERGO_CG static constexpr unsigned int size() { return N; }
    DIVERGO_CG static unsigned int thread_rank() { return Parent::thread_rank() & (N - 1); }
    DIVERGO_CG static unsigned int meta_group_rank() { return Parent::thread_rank() / N; }
    DIVERGO_CG static unsigned int meta_group_size() { return (Parent::size() + N - 1) / N; }
    DIVERGO_CG static void sync() {
        const unsigned int barrier = 1 + thread_block::thread_rank() / N;
        if (barrier > 15) __builtin_trap();
        asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(N) : "memory");
    }
    template <class T> DIVERGO_CG T shfl(T x, unsigned int from) const {
        const unsigned int first = warp() & ~(N / 32 - 1);
        sync();
        if (thread_rank() == from % N) slots<T>()[first] = x;
        sync();
        return slots<T>()[first];
    }
    DIVERGO_CG int any(int x) const { return combine(__any_sync(0xffffffffu, x), [](int a, int b) { return a | b; }); }
    DIVERGO_CG int all(int x) const { return combine(__all_sync(0xffffffffu, x), [](int a, int b) { return a & b; }); }
    // combine gives every thread the values of all warps together, in their order.
    template <class T, class Op> DIVERGO_CG T combine(T x, Op op) const {
        const unsigned int first = warp() & ~(N / 32 - 1);
        sync(); // nobody reads what was there before
        if (lanes::lane() == 0) slots<T>()[warp()] = x;
        sync();
        x = slots<T>()[first];
        for (unsigned int i = 1; i < N / 32; i++) x = op(x, slots<T>()[first + i]);
        return x;
    }
};

template <unsigned int N, class Parent> DIVERGO_CG thread_block_tile<N, Parent> tiled_partition(const Parent &) { return thread_block_tile<N, Parent>(); }

// What tiles of several warps need, as CUDA has it: theirs is shared memory of their own.
template <unsigned int A = 1024, unsigned int B = 0> struct block_tile_memory {};
template <unsigned int A, unsigned int B> DIVERGO_CG thread_block this_thread_block(block_tile_memory<A, B> &) { return thread_block(); }

// The threads of a warp that came here together.
class coalesced_group : public lanes {
    DIVERGO_CG int nth(unsigned int n) const { // the lane of the n-th thread
        unsigned int rest = mask;
        for (; n > 0; n--) rest &= rest - 1;
        return __ffs((int)rest) - 1;
    }

    unsigned int part, parts; // of the group that was divided

  public:
    DIVERGO_CG explicit coalesced_group(unsigned int mask, unsigned int part = 0, unsigned int parts = 1) : lanes(mask), part(part), parts(parts) {}
    DIVERGO_CG unsigned int meta_group_rank() const { return part; }
    DIVERGO_CG unsigned int meta_group_size() const { return parts; }
    DIVERGO_CG unsigned int num_threads() const { return (unsigned int)__popc(mask); }
    DIVERGO_CG unsigned int size() const { return num_threads(); }
    DIVERGO_CG unsigned int thread_rank() const { return (unsigned int)__popc(mask & ((1u << lane()) - 1)); }
    DIVERGO_CG unsigned int ballot(int x) const {
        unsigned int all = __ballot_sync(mask, x) & mask, packed = 0;
        for (unsigned int i = 0, rest = mask; rest != 0; i++, rest &= rest - 1)
            if (all & rest & (0u - rest)) packed |= 1u << i;
        return packed;
    }
    template <class T> DIVERGO_CG T shfl(T x, unsigned int from) const {
        const int lane = nth(from % num_threads());
        return DIVERGO_SHUFFLE(__shfl_sync, x, lane);
    }
    template <class T> DIVERGO_CG T shfl_up(T x, unsigned int by) const {
        const unsigned int rank = thread_rank();
        const int lane = nth(rank >= by ? rank - by : rank);
        return DIVERGO_SHUFFLE(__shfl_sync, x, lane);
    }
    template <class T> DIVERGO_CG T shfl_down(T x, unsigned int by) const {
        const unsigned int rank = thread_rank();
        const int lane = nth(rank + by < num_threads() ? rank + by : rank);
        return DIVERGO_SHUFFLE(__shfl_sync, x, lane);
    }
};

// The n threads of a group that have a rank together with this one.
DIVERGO_CG coalesced_group tiled_partition(const coalesced_group &g, unsigned int n) {
    const unsigned int rank = g.thread_rank(), first = rank / n * n;
    unsigned int mask = 0, rest = g.mask;
    for (unsigned int i = 0; rest != 0; i++, rest &= rest - 1)
        if (i >= first && i < first + n) mask |= rest & (0u - rest);
    return coalesced_group(mask, rank / n, (g.size() + n - 1) / n);
}
template <unsigned int N> DIVERGO_CG coalesced_group tiled_partition(const coalesced_group &g) { return tiled_partition(g, N); }

DIVERGO_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// The same for any group.
template <class G> DIVERGO_CG void sync(const G &g) { g.sync(); }
template <class G> DIVERGO_CG unsigned int thread_rank(const G &g) { return g.thread_rank(); }
template <class G> DIVERGO_CG unsigned int group_size(const G &g) { return g.size(); }

// A function that one thread of a group calls; the others of a warp get what it returns.
template <class G, class F, class... A> DIVERGO_CG void invoke_one(const G &g, F &&f, A &&...arguments) {
    if (g.thread_rank() == 0) f((A &&)arguments...);
}
template <class G, class F, class... A> DIVERGO_CG auto invoke_one_broadcast(const G &g, F &&f, A &&...arguments) -> decltype(f((A &&)arguments...)) {
    decltype(f((A &&)arguments...)) r{};
    if (g.thread_rank() == 0) r = f((A &&)arguments...);
    return g.shfl(r, 0);
}

// All threads of a launch. Its barrier is in memory, as CUDA's is: the last block to come starts the next round, for
// which the first threads of the others wait. All blocks have to run at a time (cudaLaunchCooperativeKernel).
static __device__ unsigned int grid_arrived, grid_round;

class grid_group {
  public:
    DIVERGO_CG static void sync() {
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            unsigned int round = atomicAdd(&grid_round, 0u);
            __threadfence();
            if (atomicAdd(&grid_arrived, 1u) == num_blocks() - 1) {
                atomicExch(&grid_arrived, 0u);
                __threadfence();
                atomicAdd(&grid_round, 1u);
            } else {
                while (atomicAdd(&grid_round, 0u) == round) {}
            }
            __threadfence();
        }
        __syncthreads();
    }
    DIVERGO_CG static bool is_valid() { return true; }
    DIVERGO_CG static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    DIVERGO_CG static unsigned long long block_rank() { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    DIVERGO_CG static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
    DIVERGO_CG static unsigned long long size() { return num_threads(); }
    DIVERGO_CG static unsigned long long thread_rank() { return block_rank() * thread_block::num_threads() + thread_block::thread_rank(); }
    DIVERGO_CG static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    DIVERGO_CG static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    DIVERGO_CG static dim3 group_dim() { return dim_blocks(); }
};

DIVERGO_CG grid_group this_grid() { return grid_group(); }

// Any group of a block, or of threads of a warp.
class thread_group {
    unsigned int mask; // the lanes; 0: a block

  public:
    DIVERGO_CG thread_group(const thread_block &) : mask(0) {}
    DIVERGO_CG thread_group(const lanes &g) : mask(g.mask) {}
    DIVERGO_CG void sync() const {
        if (mask == 0) __syncthreads();
        else __syncwarp(mask);
    }
    DIVERGO_CG unsigned int num_threads() const { return mask == 0 ? thread_block::num_threads() : (unsigned int)__popc(mask); }
    DIVERGO_CG unsigned int size() const { return num_threads(); }
    DIVERGO_CG unsigned int thread_rank() const { return mask == 0 ? thread_block::thread_rank() : (unsigned int)__popc(mask & ((1u << lanes::lane()) - 1)); }
};

// The parts of a group of which a condition holds, and does not.
template <class G> DIVERGO_CG coalesced_group binary_partition(const G &g, bool x) {
    unsigned int where = __ballot_sync(g.mask, x) & g.mask;
    return coalesced_group(x ? where : g.mask & ~where, x ? 1 : 0, 2);
}

// The parts of a group that have the same label each.
template <class G, class T> DIVERGO_CG coalesced_group labeled_partition(const G &g, T label) {
    unsigned int mine = 0, rank = 0, parts = 0;
    for (unsigned int rest = g.mask, same; rest != 0; rest &= ~same, parts++) {
        const T first = __shfl_sync(g.mask, label, __ffs((int)rest) - 1);
        same = __ballot_sync(g.mask, label == first) & g.mask;
        if (label == first) mine = same, rank = parts;
    }
    return coalesced_group(mine, rank, parts);
}

// A tile whose size is known when the program runs.
DIVERGO_CG thread_group tiled_partition(const thread_group &, unsigned int n) {
    return coalesced_group((n >= 32 ? 0xffffffffu : (1u << n) - 1) << (lanes::lane() & ~(n - 1)));
}
class multi_grid_group;
__device__ multi_grid_group this_multi_grid() __attribute__((unavailable("groups of several devices are not supported")));

// What a reduction does with two values.
template <class T> struct plus { DIVERGO_CG T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { DIVERGO_CG T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { DIVERGO_CG T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { DIVERGO_CG T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { DIVERGO_CG T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { DIVERGO_CG T operator()(T a, T b) const { return a ^ b; } };

// Sums, or what else, of the threads of a tile up to each, and of those before it.
template <unsigned int N, class P, class T, class Op> DIVERGO_CG T inclusive_scan(const thread_block_tile<N, P> &tile, T x, Op op) {
    for (unsigned int by = 1; by < N; by *= 2) {
        T before = tile.shfl_up(x, by);
        if (tile.thread_rank() >= by) x = op(before, x);
    }
    return x;
}
template <unsigned int N, class P, class T> DIVERGO_CG T inclusive_scan(const thread_block_tile<N, P> &tile, T x) { return inclusive_scan(tile, x, plus<T>()); }
template <unsigned int N, class P, class T, class Op> DIVERGO_CG T exclusive_scan(const thread_block_tile<N, P> &tile, T x, Op op) {
    T before = tile.shfl_up(inclusive_scan(tile, x, op), 1);
    return tile.thread_rank() == 0 ? T() : before;
}
template <unsigned int N, class P, class T> DIVERGO_CG T exclusive_scan(const thread_block_tile<N, P> &tile, T x) { return exclusive_scan(tile, x, plus<T>()); }

// reduce gives every thread of a tile the value of all of them.
template <unsigned int N, class P, class T, class Op> DIVERGO_CG T reduce(const thread_block_tile<N, P, false> &tile, T x, Op op) {
    for (unsigned int by = N / 2; by > 0; by /= 2) x = op(x, tile.shfl_xor(x, by));
    return x;
}

template <unsigned int N, class P, class T, class Op> DIVERGO_CG T reduce(const thread_block_tile<N, P, true> &tile, T x, Op op) {
    return tile.combine(reduce(thread_block_tile<32>(), x, op), op);
}

template <class T, class Op> DIVERGO_CG T inclusive_scan(const coalesced_group &g, T x, Op op) {
    T sum = g.shfl(x, 0);
    for (unsigned int i = 1; i < g.num_threads(); i++) {
        const T next = g.shfl(x, i);
        if (i <= g.thread_rank()) sum = op(sum, next);
    }
    return sum;
}
template <class T> DIVERGO_CG T inclusive_scan(const coalesced_group &g, T x) { return inclusive_scan(g, x, plus<T>()); }
template <class T, class Op> DIVERGO_CG T exclusive_scan(const coalesced_group &g, T x, Op op) {
    const T before = g.shfl_up(inclusive_scan(g, x, op), 1);
    return g.thread_rank() == 0 ? T() : before;
}
template <class T> DIVERGO_CG T exclusive_scan(const coalesced_group &g, T x) { return exclusive_scan(g, x, plus<T>()); }

template <class T, class Op> DIVERGO_CG T reduce(const coalesced_group &g, T x, Op op) {
    T all = g.shfl(x, 0);
    for (unsigned int i = 1; i < g.num_threads(); i++) all = op(all, g.shfl(x, i));
    return all;
}

#undef DIVERGO_CG
#undef DIVERGO_SHUFFLE

// Where some of it was in CUDA 11.
namespace experimental {
using namespace cooperative_groups;
}
}
#endif
#endif
