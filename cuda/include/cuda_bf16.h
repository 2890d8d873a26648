// Floating-point numbers of 16 bits that have the exponent of float, and pairs of them (CUDA Math API, bfloat16 precision).
// Arithmetic is that of float, rounded to nearest.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)

typedef struct __align__(2) { unsigned short x; } __nv_bfloat16_raw;
typedef struct __align__(4) { unsigned short x, y; } __nv_bfloat162_raw;

// Of a number between two of float the one whose last bit is 1: what is rounded once more is then as if it had been rounded once.
static __host__ __device__ __forceinline__ float divergo_odd(double x) {
    float f = (float)x;
    unsigned int bits = __builtin_bit_cast(unsigned int, f);
    if ((double)f == x || x != x || (bits & 1)) return f;
    bits += __builtin_fabs((double)f) < __builtin_fabs(x) ? 1 : -1;
    return __builtin_bit_cast(float, bits);
}

struct divergo_bfloat16 {
    unsigned short bits;

    divergo_bfloat16() = default;
    __host__ __device__ explicit divergo_bfloat16(float x) {
        const unsigned int f = __builtin_bit_cast(unsigned int, x);
        bits = x != x ? 0x7fff : (unsigned short)((f + 0x7fff + (f >> 16 & 1)) >> 16);
    }
    __host__ __device__ explicit divergo_bfloat16(double x) : divergo_bfloat16(divergo_odd(x)) {}
    __host__ __device__ explicit divergo_bfloat16(short x) : divergo_bfloat16((float)x) {}
    __host__ __device__ explicit divergo_bfloat16(unsigned short x) : divergo_bfloat16((float)x) {}
    __host__ __device__ explicit divergo_bfloat16(int x) : divergo_bfloat16((double)x) {}
    __host__ __device__ explicit divergo_bfloat16(unsigned int x) : divergo_bfloat16((double)x) {}
    // Of many bits the last twelve count only in so far as there are any: the rest is exact in double.
    __host__ __device__ explicit divergo_bfloat16(long long x) : divergo_bfloat16((double)(x >> 53 == 0 || x >> 53 == -1 ? x : (x & ~0xfffll) | ((x & 0xfff) != 0) << 11)) {}
    __host__ __device__ explicit divergo_bfloat16(unsigned long long x) : divergo_bfloat16((double)(x >> 53 == 0 ? x : (x & ~0xfffull) | ((x & 0xfff) != 0) << 11)) {}
    __host__ __device__ explicit divergo_bfloat16(long x) : divergo_bfloat16((long long)x) {}
    __host__ __device__ explicit divergo_bfloat16(unsigned long x) : divergo_bfloat16((unsigned long long)x) {}
    __host__ __device__ operator float() const { return __builtin_bit_cast(float, (unsigned int)bits << 16); }
};

static __host__ __device__ __forceinline__ divergo_bfloat16 divergo_fma_bfloat16(divergo_bfloat16 a, divergo_bfloat16 b, divergo_bfloat16 c) {
    return divergo_bfloat16(__builtin_fmaf(a, b, c));
}

#define divergo_number __nv_bfloat16
#define divergo_pair __nv_bfloat162
#define divergo_word bfloat16
#define divergo_raw __nv_bfloat16_raw
#define divergo_pair_raw __nv_bfloat162_raw
#define divergo_value divergo_bfloat16
#define divergo_infinity 0x7f80
#define divergo_fma divergo_fma_bfloat16
#include "divergo/half.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif
#endif
