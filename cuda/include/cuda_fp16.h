// Floating-point numbers of 16 bits, and pairs of them (CUDA Math API, half precision). Arithmetic is _Float16's: rounded to
// nearest, in instructions for f16 on the device.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)

typedef struct __align__(2) { unsigned short x; } __half_raw;
typedef struct __align__(4) { unsigned short x, y; } __half2_raw;

static __host__ __device__ __forceinline__ _Float16 divergo_fma_half(_Float16 a, _Float16 b, _Float16 c) {
#ifdef __CUDA_ARCH__
    return (_Float16)__builtin_fmaf16(a, b, c);
#else
    return (_Float16)((double)a * (double)b + (double)c);
#endif
}

#define divergo_number __half
#define divergo_pair __half2
#define divergo_word half
#define divergo_raw __half_raw
#define divergo_pair_raw __half2_raw
#define divergo_value _Float16
#define divergo_infinity 0x7c00
#define divergo_fma divergo_fma_half
#include "divergo/half.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

#endif
#endif
