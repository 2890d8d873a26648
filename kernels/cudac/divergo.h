// The part of CUDA C that the kernels use, for clang without NVIDIA's toolkit.
// The compiler includes it ahead of each kernel.
#ifndef DIVERGO_H
#define DIVERGO_H

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

// A function that leaves no trace in the line table: its instructions belong
// to the line of the kernel that uses it.
#define BUILTIN static inline __device__ __attribute__((always_inline, nodebug))

// A kernel under its plain name.
#define KERNEL extern "C" __global__ void

typedef unsigned char uint8;
typedef unsigned int uint;

#define INDEX(variable, sreg)                            \
    struct variable##_type {                             \
        __declspec(property(get = getX)) uint x;         \
        __declspec(property(get = getY)) uint y;         \
        __declspec(property(get = getZ)) uint z;         \
        BUILTIN uint getX() { return sreg##_x(); }       \
        BUILTIN uint getY() { return sreg##_y(); }       \
        BUILTIN uint getZ() { return sreg##_z(); }       \
    };                                                   \
    extern const __device__ variable##_type variable

INDEX(threadIdx, __nvvm_read_ptx_sreg_tid);
INDEX(blockIdx, __nvvm_read_ptx_sreg_ctaid);
INDEX(blockDim, __nvvm_read_ptx_sreg_ntid);
INDEX(gridDim, __nvvm_read_ptx_sreg_nctaid);

BUILTIN uint atomicAdd(uint *address, uint value) {
    return __nvvm_atom_add_gen_i((int *)address, (int)value);
}

BUILTIN uint atomicOr(uint *address, uint value) {
    return __nvvm_atom_or_gen_i((int *)address, (int)value);
}

// A read through the texture path, as tex1Dfetch of linear memory. Nothing may write there in the same launch.
BUILTIN uint fetch(const uint *at) { return __nvvm_ldg_ui(at); }
BUILTIN uint8 fetch(const uint8 *at) { return __nvvm_ldg_uc(at); }
BUILTIN float fetch(const float *at) { return __nvvm_ldg_f(at); }

extern "C" __device__ int printf(const char *format, ...);

// The threads of a warp.
BUILTIN uint lane() { return __nvvm_read_ptx_sreg_laneid(); }
BUILTIN uint warp() { return __nvvm_read_ptx_sreg_warpid(); }
BUILTIN uint lanesBefore() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
BUILTIN uint popcount(uint x) { return (uint)__builtin_popcount(x); }

#if __CUDA_ARCH__ >= 700
// Votes and shuffles of all threads of the warp that have not exited.
BUILTIN uint ballot(bool p) { return __nvvm_vote_ballot_sync(~0u, p); }
BUILTIN uint shuffleUp(uint value, uint lanes) { return (uint)__nvvm_shfl_sync_up_i32(~0u, (int)value, (int)lanes, 0); }
#endif

// opaque keeps the optimiser from knowing what x holds, so that a loop whose
// result has a closed form stays a loop. It costs no instruction.
BUILTIN void opaque(uint &x) { asm volatile("" : "+r"(x)); }
BUILTIN void opaque(float &x) { asm volatile("" : "+f"(x)); }

BUILTIN float squareRoot(float x) { return __nvvm_sqrt_rn_f(x); }

#endif
