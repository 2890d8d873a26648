// What CUDA programs have without including anything: qualifiers, built-in variables, vector types, device functions,
// and the runtime API. Most device functions are those of clang's own headers, above the __nv_ functions of
// runtime/device.cc.
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__
#include "host_defines.h"

#if !defined(__CUDA__) || !defined(__cplusplus)
#include "vector_functions.h"
#include "cuda_runtime_api.h"
#else

#include <__clang_cuda_math_forward_declares.h>
#undef __CUDACC__
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 1
#define __CUDACC_VER_BUILD__ 0
#include <cmath>
#include <cstdlib>
#include <utility> // as CUDA does
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <stdint.h>
#include <time.h>
#ifdef __CUDACC_RTC__
#include <assert.h> // NVRTC has it without a header
#endif
typedef uint32_t cuuint32_t;

#include "vector_functions.h"
#include "cuda_runtime_api.h"
#include "cuda_device_runtime_api.h"

// The functions of all GPUs are declared while the host's part is compiled.
#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

extern "C" {
__device__ int printf(const char *, ...);
__device__ int vprintf(const char *, const char *);
__device__ void __assertfail(const char *condition, const char *file, unsigned line, const char *function, size_t size);
__device__ static inline __attribute__((always_inline, nodebug)) void __assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    __assertfail(condition, file, line, function, sizeof(char));
}
}

__device__ static inline void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned int) {
    __assertfail("conditional nodes of graphs are not supported", __FILE__, __LINE__, __func__, sizeof(char));
}

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return {x, y, z}; }

#define DIVERGO_DEVICE static __device__ __forceinline__
DIVERGO_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
DIVERGO_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
DIVERGO_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
DIVERGO_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
DIVERGO_DEVICE size_t __cvta_generic_to_global(const void *p) { return (size_t)(const __attribute__((address_space(1))) void *)p; }
DIVERGO_DEVICE size_t __cvta_generic_to_shared(const void *p) { return (size_t)(const __attribute__((address_space(3))) void *)p; }
DIVERGO_DEVICE size_t __cvta_generic_to_constant(const void *p) { return (size_t)(const __attribute__((address_space(4))) void *)p; }
DIVERGO_DEVICE size_t __cvta_generic_to_local(const void *p) { return (size_t)(const __attribute__((address_space(5))) void *)p; }

#include <__clang_cuda_cmath.h>
// clang 19 hands value and mask of a reduction on in the wrong order.
#define __nvvm_redux_sync_add(mask, value) __nvvm_redux_sync_add(value, mask)
#define __nvvm_redux_sync_min(mask, value) __nvvm_redux_sync_min(value, mask)
#define __nvvm_redux_sync_max(mask, value) __nvvm_redux_sync_max(value, mask)
#define __nvvm_redux_sync_umin(mask, value) __nvvm_redux_sync_umin(value, mask)
#define __nvvm_redux_sync_umax(mask, value) __nvvm_redux_sync_umax(value, mask)
#define __nvvm_redux_sync_and(mask, value) __nvvm_redux_sync_and(value, mask)
#define __nvvm_redux_sync_or(mask, value) __nvvm_redux_sync_or(value, mask)
#define __nvvm_redux_sync_xor(mask, value) __nvvm_redux_sync_xor(value, mask)
#include <__clang_cuda_intrinsics.h>
#undef __nvvm_redux_sync_add
#undef __nvvm_redux_sync_min
#undef __nvvm_redux_sync_max
#undef __nvvm_redux_sync_umin
#undef __nvvm_redux_sync_umax
#undef __nvvm_redux_sync_and
#undef __nvvm_redux_sync_or
#undef __nvvm_redux_sync_xor
#include <__clang_cuda_complex_builtins.h>
#pragma pop_macro("__CUDA_ARCH__")

#define __noinline__ __attribute__((noinline))

// min and max of the device have int in clang's headers; the host has none.
static __host__ inline int min(int a, int b) { return b < a ? b : a; }
static __host__ inline int max(int a, int b) { return a < b ? b : a; }
#define DIVERGO_MINMAX(R, A, B)                                                                      \
    static __host__ __device__ __forceinline__ R min(A a, B b) { return (R)b < (R)a ? (R)b : (R)a; } \
    static __host__ __device__ __forceinline__ R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
DIVERGO_MINMAX(unsigned int, unsigned int, unsigned int)
DIVERGO_MINMAX(unsigned int, int, unsigned int)
DIVERGO_MINMAX(unsigned int, unsigned int, int)
DIVERGO_MINMAX(long, long, long)
DIVERGO_MINMAX(unsigned long, unsigned long, unsigned long)
DIVERGO_MINMAX(unsigned long, long, unsigned long)
DIVERGO_MINMAX(unsigned long, unsigned long, long)
DIVERGO_MINMAX(long long, long long, long long)
DIVERGO_MINMAX(unsigned long long, unsigned long long, unsigned long long)
DIVERGO_MINMAX(unsigned long long, long long, unsigned long long)
DIVERGO_MINMAX(unsigned long long, unsigned long long, long long)
#undef DIVERGO_MINMAX
// Of a number and NaN the number (CUDA Math API, fminf).
#define DIVERGO_MINMAX(R, A, B, F)                                                                         \
    static __host__ __device__ __forceinline__ R min(A a, B b) { return __builtin_fmin##F((R)a, (R)b); }   \
    static __host__ __device__ __forceinline__ R max(A a, B b) { return __builtin_fmax##F((R)a, (R)b); }
DIVERGO_MINMAX(float, float, float, f)
DIVERGO_MINMAX(double, double, double, )
DIVERGO_MINMAX(double, float, double, )
DIVERGO_MINMAX(double, double, float, )
#undef DIVERGO_MINMAX

// Functions of CUDA that the host's C library does not have.
static __host__ inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static __host__ inline double rsqrt(double x) { return 1.0 / sqrt(x); }

DIVERGO_DEVICE float rsqrt(float x) { return rsqrtf(x); }

// What clang's headers declare for float, under the names of double's functions, and CUDA's define.
#define DIVERGO_FLOAT(R, NAME, PARAMETERS, ...) \
    DIVERGO_DEVICE R NAME PARAMETERS { return NAME##f(__VA_ARGS__); }
#define DIVERGO_FLOAT1(NAME) DIVERGO_FLOAT(float, NAME, (float x), x)
#define DIVERGO_FLOAT2(NAME) DIVERGO_FLOAT(float, NAME, (float x, float y), x, y)
DIVERGO_FLOAT1(acosh) DIVERGO_FLOAT1(asinh) DIVERGO_FLOAT1(atanh) DIVERGO_FLOAT1(cbrt) DIVERGO_FLOAT1(erf) DIVERGO_FLOAT1(erfc) DIVERGO_FLOAT1(exp2)
DIVERGO_FLOAT1(expm1) DIVERGO_FLOAT1(lgamma) DIVERGO_FLOAT1(log1p) DIVERGO_FLOAT1(log2) DIVERGO_FLOAT1(logb) DIVERGO_FLOAT1(nearbyint) DIVERGO_FLOAT1(rint)
DIVERGO_FLOAT1(round) DIVERGO_FLOAT1(tgamma) DIVERGO_FLOAT1(trunc)
DIVERGO_FLOAT2(copysign) DIVERGO_FLOAT2(fdim) DIVERGO_FLOAT2(fmax) DIVERGO_FLOAT2(fmin) DIVERGO_FLOAT2(hypot) DIVERGO_FLOAT2(nextafter) DIVERGO_FLOAT2(remainder)
DIVERGO_FLOAT(float, fma, (float x, float y, float z), x, y, z)
DIVERGO_FLOAT(float, remquo, (float x, float y, int *quotient), x, y, quotient)
DIVERGO_FLOAT(float, scalbn, (float x, int n), x, n)
DIVERGO_FLOAT(float, scalbln, (float x, long n), x, n)
DIVERGO_FLOAT(int, ilogb, (float x), x)
DIVERGO_FLOAT(long, lrint, (float x), x)
DIVERGO_FLOAT(long, lround, (float x), x)
DIVERGO_FLOAT(long long, llrint, (float x), x)
DIVERGO_FLOAT(long long, llround, (float x), x)
DIVERGO_DEVICE double nan(const char *text) { return __nv_nan((const signed char *)text); }
DIVERGO_DEVICE float nanf(const char *text) { return __nv_nanf((const signed char *)text); }
#undef DIVERGO_FLOAT1
#undef DIVERGO_FLOAT2
#undef DIVERGO_FLOAT

// Atomics on the names that clang's headers give the builtins, at the scope of the device, the block and the system.
#define DIVERGO_ATOMIC(NAME, T, BUILTIN)                                                               \
    DIVERGO_DEVICE T NAME(T *at, T value) { return BUILTIN(at, value); }                               \
    DIVERGO_DEVICE T NAME##_block(T *at, T value) { return BUILTIN##_block(at, value); }               \
    DIVERGO_DEVICE T NAME##_system(T *at, T value) { return BUILTIN##_system(at, value); }
#define DIVERGO_ATOMICS(OP)                                       \
    DIVERGO_ATOMIC(atomic##OP, int, __iAtomic##OP)                \
    DIVERGO_ATOMIC(atomic##OP, unsigned int, __uAtomic##OP)       \
    DIVERGO_ATOMIC(atomic##OP, unsigned long long, __ullAtomic##OP)
DIVERGO_ATOMICS(Add)
DIVERGO_ATOMICS(Exch)
DIVERGO_ATOMICS(Min)
DIVERGO_ATOMICS(Max)
DIVERGO_ATOMICS(And)
DIVERGO_ATOMICS(Or)
DIVERGO_ATOMICS(Xor)
DIVERGO_ATOMIC(atomicAdd, float, __fAtomicAdd)
DIVERGO_ATOMIC(atomicExch, float, __fAtomicExch)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
// Programs that are older than it define it themselves: of two functions that fit the one that is no template is called.
template <int = 0> DIVERGO_DEVICE double atomicAdd(double *at, double value) { return __dAtomicAdd(at, value); }
DIVERGO_DEVICE double atomicAdd_block(double *at, double value) { return __dAtomicAdd_block(at, value); }
DIVERGO_DEVICE double atomicAdd_system(double *at, double value) { return __dAtomicAdd_system(at, value); }
#endif
DIVERGO_ATOMIC(atomicMin, long long, __illAtomicMin)
DIVERGO_ATOMIC(atomicMax, long long, __illAtomicMax)
DIVERGO_ATOMIC(atomicInc, unsigned int, __uAtomicInc)
DIVERGO_ATOMIC(atomicDec, unsigned int, __uAtomicDec)
#undef DIVERGO_ATOMICS
#undef DIVERGO_ATOMIC
DIVERGO_DEVICE int atomicSub(int *at, int value) { return __iAtomicAdd(at, (int)(0u - (unsigned)value)); }
DIVERGO_DEVICE unsigned int atomicSub(unsigned int *at, unsigned int value) { return __uAtomicAdd(at, 0u - value); }
DIVERGO_DEVICE int atomicCAS(int *at, int compare, int value) { return __iAtomicCAS(at, compare, value); }
DIVERGO_DEVICE unsigned int atomicCAS(unsigned int *at, unsigned int compare, unsigned int value) { return __uAtomicCAS(at, compare, value); }
DIVERGO_DEVICE unsigned long long atomicCAS(unsigned long long *at, unsigned long long compare, unsigned long long value) { return __ullAtomicCAS(at, compare, value); }
// A word whose other half stays as it is.
DIVERGO_DEVICE unsigned short atomicCAS(unsigned short *at, unsigned short compare, unsigned short value) {
    unsigned int *word = (unsigned int *)((size_t)at & ~(size_t)2), old = *(volatile unsigned int *)word;
    const int shift = (size_t)at & 2 ? 16 : 0;
    for (;;) {
        if ((unsigned short)(old >> shift) != compare) return (unsigned short)(old >> shift);
        const unsigned int seen = __uAtomicCAS(word, old, (old & ~(0xffffu << shift)) | (unsigned int)value << shift);
        if (seen == old) return compare;
        old = seen;
    }
}
#define DIVERGO_ATOMIC(T, CAS)                                                                          \
    DIVERGO_DEVICE T atomicCAS_block(T *at, T compare, T value) { return CAS##_block(at, compare, value); }   \
    DIVERGO_DEVICE T atomicCAS_system(T *at, T compare, T value) { return CAS##_system(at, compare, value); }
DIVERGO_ATOMIC(int, __iAtomicCAS)
DIVERGO_ATOMIC(unsigned int, __uAtomicCAS)
DIVERGO_ATOMIC(unsigned long long, __ullAtomicCAS)
#undef DIVERGO_ATOMIC
DIVERGO_DEVICE int atomicSub_block(int *at, int value) { return __iAtomicAdd_block(at, (int)(0u - (unsigned)value)); }
DIVERGO_DEVICE int atomicSub_system(int *at, int value) { return __iAtomicAdd_system(at, (int)(0u - (unsigned)value)); }
DIVERGO_DEVICE unsigned int atomicSub_block(unsigned int *at, unsigned int value) { return __uAtomicAdd_block(at, 0u - value); }
DIVERGO_DEVICE unsigned int atomicSub_system(unsigned int *at, unsigned int value) { return __uAtomicAdd_system(at, 0u - value); }

#include "divergo/memory_operators.h"
#include "divergo/heap.h"

DIVERGO_DEVICE void *__cvta_global_to_generic(size_t p) { return (void *)(__attribute__((address_space(1))) void *)p; }
DIVERGO_DEVICE void *__cvta_shared_to_generic(size_t p) { return (void *)(__attribute__((address_space(3))) void *)p; }
DIVERGO_DEVICE void *__cvta_constant_to_generic(size_t p) { return (void *)(__attribute__((address_space(4))) void *)p; }
DIVERGO_DEVICE void *__cvta_local_to_generic(size_t p) { return (void *)(__attribute__((address_space(5))) void *)p; }

// Sums of products of bytes and of halves of a word (PTX ISA, dp4a and dp2a).
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define DIVERGO_DOT(NAME, OP, R, A, B)                                                             \
    DIVERGO_DEVICE R NAME(A a, B b, R c) {                                                         \
        R d;                                                                                       \
        asm(OP " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                             \
        return d;                                                                                  \
    }
DIVERGO_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
DIVERGO_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
DIVERGO_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
DIVERGO_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
DIVERGO_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
DIVERGO_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
#undef DIVERGO_DOT
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
DIVERGO_DEVICE int __reduce_add_sync(unsigned int mask, int value) { return (int)__reduce_add_sync(mask, (unsigned int)value); }
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
DIVERGO_DEVICE void __nanosleep(unsigned int nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds)); }
#endif
#undef DIVERGO_DEVICE

#include "divergo/texture_fetch.h"

#endif
#endif
