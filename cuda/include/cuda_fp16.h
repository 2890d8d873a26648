// Floating-point numbers of 16 bits, and pairs of them (CUDA Math API, half precision). Arithmetic is _Float16's: rounded to
// nearest, in instructions for f16 on the device.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)

#define DIVERGO_BOTH static __host__ __device__ __forceinline__
#define DIVERGO_DEVICE static __device__ __forceinline__

typedef struct __align__(2) { unsigned short x; } __half_raw;
typedef struct __align__(4) { unsigned short x, y; } __half2_raw;

struct __align__(2) __half {
    _Float16 value;

    __half() = default;
    __host__ __device__ __half(_Float16 x) : value(x) {}
    __host__ __device__ __half(float x) : value((_Float16)x) {}
    __host__ __device__ __half(double x) : value((_Float16)x) {}
    __host__ __device__ __half(int x) : value((_Float16)x) {}
    __host__ __device__ __half(unsigned int x) : value((_Float16)x) {}
    __host__ __device__ __half(long x) : value((_Float16)x) {}
    __host__ __device__ __half(unsigned long x) : value((_Float16)x) {}
    __host__ __device__ __half(long long x) : value((_Float16)x) {}
    __host__ __device__ __half(unsigned long long x) : value((_Float16)x) {}
    __host__ __device__ __half(short x) : value((_Float16)x) {}
    __host__ __device__ __half(unsigned short x) : value((_Float16)x) {}
    __host__ __device__ __half(__half_raw x) { __builtin_memcpy(this, &x, 2); }
    __host__ __device__ operator float() const { return (float)value; }
    __host__ __device__ operator __half_raw() const {
        __half_raw x;
        __builtin_memcpy(&x, this, 2);
        return x;
    }
    __host__ __device__ explicit operator bool() const { return value != (_Float16)0; }
};

struct __align__(4) __half2 {
    __half x, y;

    __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
    __host__ __device__ __half2(__half2_raw a) { __builtin_memcpy(this, &a, 4); }
};

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

// Operators.
#define DIVERGO_HALF(OP)                                                                                              \
    DIVERGO_BOTH __half operator OP(__half a, __half b) { return __half((_Float16)(a.value OP b.value)); }            \
    DIVERGO_BOTH __half2 operator OP(__half2 a, __half2 b) { return __half2(a.x OP b.x, a.y OP b.y); }                \
    DIVERGO_BOTH __half &operator OP##=(__half &a, __half b) { return a = a OP b; }                                   \
    DIVERGO_BOTH __half2 &operator OP##=(__half2 &a, __half2 b) { return a = a OP b; }
DIVERGO_HALF(+)
DIVERGO_HALF(-)
DIVERGO_HALF(*)
DIVERGO_HALF(/)
#undef DIVERGO_HALF
DIVERGO_BOTH __half operator-(__half a) { return __half((_Float16)-a.value); }
DIVERGO_BOTH __half2 operator-(__half2 a) { return __half2(-a.x, -a.y); }
DIVERGO_BOTH __half &operator++(__half &a) { return a += __half(1); }
DIVERGO_BOTH __half &operator--(__half &a) { return a -= __half(1); }
#define DIVERGO_HALF(OP)                                                                          \
    DIVERGO_BOTH bool operator OP(__half a, __half b) { return a.value OP b.value; }              \
    DIVERGO_BOTH bool operator OP(__half2 a, __half2 b) { return a.x OP b.x && a.y OP b.y; }
DIVERGO_HALF(==)
DIVERGO_HALF(!=)
DIVERGO_HALF(<)
DIVERGO_HALF(<=)
DIVERGO_HALF(>)
DIVERGO_HALF(>=)
#undef DIVERGO_HALF

// Conversions.
DIVERGO_BOTH __half __float2half(float x) { return __half(x); }
DIVERGO_BOTH __half __float2half_rn(float x) { return __half(x); }
DIVERGO_BOTH __half __double2half(double x) { return __half(x); }
DIVERGO_BOTH float __half2float(__half x) { return (float)x; }
DIVERGO_BOTH __half __short_as_half(short x) {
    __half h;
    __builtin_memcpy(&h, &x, 2);
    return h;
}
DIVERGO_BOTH __half __ushort_as_half(unsigned short x) { return __short_as_half((short)x); }
DIVERGO_BOTH short __half_as_short(__half x) {
    short s;
    __builtin_memcpy(&s, &x, 2);
    return s;
}
DIVERGO_BOTH unsigned short __half_as_ushort(__half x) { return (unsigned short)__half_as_short(x); }
DIVERGO_BOTH __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
DIVERGO_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }
DIVERGO_BOTH __half2 __half2half2(__half a) { return __half2(a, a); }
DIVERGO_BOTH __half2 __float2half2_rn(float a) { return __half2(a, a); }
DIVERGO_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2(a, b); }
DIVERGO_BOTH __half2 __float22half2_rn(float2 a) { return __half2(a.x, a.y); }
DIVERGO_BOTH float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
DIVERGO_BOTH float __low2float(__half2 a) { return a.x; }
DIVERGO_BOTH float __high2float(__half2 a) { return a.y; }
DIVERGO_BOTH __half __low2half(__half2 a) { return a.x; }
DIVERGO_BOTH __half __high2half(__half2 a) { return a.y; }
DIVERGO_BOTH __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
DIVERGO_BOTH __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
DIVERGO_BOTH __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
DIVERGO_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
DIVERGO_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
DIVERGO_DEVICE __half __float2half_rz(float x) {
    unsigned short h;
    asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return __ushort_as_half(h);
}
#define DIVERGO_HALF_ROUND(NAME, T, ROUND) \
    DIVERGO_DEVICE T __half2##NAME##_##ROUND(__half x) { return (T)__float2##NAME##_##ROUND(x); }
#define DIVERGO_HALF(NAME, T)                                                       \
    DIVERGO_BOTH __half __##NAME##2half_rn(T x) { return __half(x); }               \
    DIVERGO_HALF_ROUND(NAME, T, rn)                                                 \
    DIVERGO_HALF_ROUND(NAME, T, rz)                                                 \
    DIVERGO_HALF_ROUND(NAME, T, rd)                                                 \
    DIVERGO_HALF_ROUND(NAME, T, ru)
DIVERGO_HALF(int, int)
DIVERGO_HALF(uint, unsigned int)
DIVERGO_HALF(ll, long long)
DIVERGO_HALF(ull, unsigned long long)
#undef DIVERGO_HALF
#undef DIVERGO_HALF_ROUND

// Arithmetic under the names of functions; _sat is within 0 and 1, and 0 for NaN.
DIVERGO_BOTH __half divergo_saturate(__half x) { return x.value > (_Float16)0 ? x.value < (_Float16)1 ? x : __half(1) : __half(0); }
DIVERGO_BOTH __half2 divergo_saturate(__half2 a) { return __half2(divergo_saturate(a.x), divergo_saturate(a.y)); }
#define DIVERGO_HALF(NAME, OP)                                                                                  \
    DIVERGO_BOTH __half __h##NAME(__half a, __half b) { return a OP b; }                                        \
    DIVERGO_BOTH __half2 __h##NAME##2(__half2 a, __half2 b) { return a OP b; }                                  \
    DIVERGO_BOTH __half __h##NAME##_rn(__half a, __half b) { return a OP b; }                                   \
    DIVERGO_BOTH __half __h##NAME##_sat(__half a, __half b) { return divergo_saturate(a OP b); }                \
    DIVERGO_BOTH __half2 __h##NAME##2_sat(__half2 a, __half2 b) { return divergo_saturate(a OP b); }
DIVERGO_HALF(add, +)
DIVERGO_HALF(sub, -)
DIVERGO_HALF(mul, *)
#undef DIVERGO_HALF
DIVERGO_BOTH __half __hdiv(__half a, __half b) { return a / b; }
DIVERGO_BOTH __half2 __h2div(__half2 a, __half2 b) { return a / b; }
DIVERGO_BOTH __half __hfma(__half a, __half b, __half c) {
#ifdef __CUDA_ARCH__
    return __half((_Float16)__builtin_fmaf16(a.value, b.value, c.value));
#else
    return __half((double)a.value * (double)b.value + (double)c.value);
#endif
}
DIVERGO_BOTH __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
DIVERGO_BOTH __half __hfma_sat(__half a, __half b, __half c) { return divergo_saturate(__hfma(a, b, c)); }
DIVERGO_BOTH __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return divergo_saturate(__hfma2(a, b, c)); }
DIVERGO_BOTH __half __hneg(__half a) { return -a; }
DIVERGO_BOTH __half2 __hneg2(__half2 a) { return -a; }
DIVERGO_BOTH __half __habs(__half a) { return __ushort_as_half(__half_as_ushort(a) & 0x7fff); }
DIVERGO_BOTH __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
DIVERGO_BOTH bool __hisnan(__half a) { return (__half_as_ushort(a) & 0x7fff) > 0x7c00; }
DIVERGO_BOTH int __hisinf(__half a) { return (__half_as_ushort(a) & 0x7fff) == 0x7c00 ? (__half_as_short(a) < 0 ? -1 : 1) : 0; }
DIVERGO_BOTH __half __hmax(__half a, __half b) { return __hisnan(a) ? b : __hisnan(b) || a > b ? a : b; }
DIVERGO_BOTH __half __hmin(__half a, __half b) { return __hisnan(a) ? b : __hisnan(b) || a < b ? a : b; }
DIVERGO_BOTH __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
DIVERGO_BOTH __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
DIVERGO_BOTH __half2 __hisnan2(__half2 a) { return __half2(__hisnan(a.x) ? 1 : 0, __hisnan(a.y) ? 1 : 0); }

// Comparisons: of two numbers, of each of a pair (1 or 0), and of both; those with u hold for NaN as well.
#define DIVERGO_HALF(NAME, OP)                                                                                                              \
    DIVERGO_BOTH bool __h##NAME(__half a, __half b) { return a OP b; }                                                                      \
    DIVERGO_BOTH bool __h##NAME##u(__half a, __half b) { return __hisnan(a) || __hisnan(b) || a OP b; }                                     \
    DIVERGO_BOTH __half2 __h##NAME##2(__half2 a, __half2 b) { return __half2(__h##NAME(a.x, b.x) ? 1 : 0, __h##NAME(a.y, b.y) ? 1 : 0); }     \
    DIVERGO_BOTH __half2 __h##NAME##u2(__half2 a, __half2 b) { return __half2(__h##NAME##u(a.x, b.x) ? 1 : 0, __h##NAME##u(a.y, b.y) ? 1 : 0); } \
    DIVERGO_BOTH bool __hb##NAME##2(__half2 a, __half2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }                            \
    DIVERGO_BOTH bool __hb##NAME##u2(__half2 a, __half2 b) { return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y); }
DIVERGO_HALF(eq, ==)
DIVERGO_HALF(lt, <)
DIVERGO_HALF(le, <=)
DIVERGO_HALF(gt, >)
DIVERGO_HALF(ge, >=)
#undef DIVERGO_HALF
// Unequal is not true of NaN but with u.
DIVERGO_BOTH bool __hne(__half a, __half b) { return !__hisnan(a) && !__hisnan(b) && a != b; }
DIVERGO_BOTH bool __hneu(__half a, __half b) { return a != b; }
DIVERGO_BOTH __half2 __hne2(__half2 a, __half2 b) { return __half2(__hne(a.x, b.x) ? 1 : 0, __hne(a.y, b.y) ? 1 : 0); }
DIVERGO_BOTH bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }

// Mathematics, by way of float, which is exact enough to be rounded.
#define DIVERGO_HALF(NAME, EXPRESSION)                                                        \
    DIVERGO_DEVICE __half h##NAME(__half a) {                                                 \
        float x = a;                                                                          \
        return __half(EXPRESSION);                                                            \
    }                                                                                         \
    DIVERGO_DEVICE __half2 h2##NAME(__half2 a) { return __half2(h##NAME(a.x), h##NAME(a.y)); }
DIVERGO_HALF(sqrt, sqrtf(x))
DIVERGO_HALF(rsqrt, rsqrtf(x))
DIVERGO_HALF(rcp, 1.0f / x)
DIVERGO_HALF(exp, expf(x))
DIVERGO_HALF(exp2, exp2f(x))
DIVERGO_HALF(exp10, exp10f(x))
DIVERGO_HALF(log, logf(x))
DIVERGO_HALF(log2, log2f(x))
DIVERGO_HALF(log10, log10f(x))
DIVERGO_HALF(sin, sinf(x))
DIVERGO_HALF(cos, cosf(x))
DIVERGO_HALF(floor, floorf(x))
DIVERGO_HALF(ceil, ceilf(x))
DIVERGO_HALF(trunc, truncf(x))
DIVERGO_HALF(rint, rintf(x))
#undef DIVERGO_HALF

// Exchange within a warp.
#define DIVERGO_HALF(NAME, T)                                                                                        \
    DIVERGO_DEVICE __half NAME(unsigned int mask, __half x, T by, int width = 32) {                                  \
        return __ushort_as_half((unsigned short)NAME(mask, (int)__half_as_ushort(x), by, width));                    \
    }                                                                                                                \
    DIVERGO_DEVICE __half2 NAME(unsigned int mask, __half2 x, T by, int width = 32) {                                \
        int bits;                                                                                                    \
        __builtin_memcpy(&bits, &x, 4);                                                                              \
        bits = NAME(mask, bits, by, width);                                                                          \
        __builtin_memcpy(&x, &bits, 4);                                                                              \
        return x;                                                                                                    \
    }
DIVERGO_HALF(__shfl_sync, int)
DIVERGO_HALF(__shfl_up_sync, unsigned int)
DIVERGO_HALF(__shfl_down_sync, unsigned int)
DIVERGO_HALF(__shfl_xor_sync, int)
#undef DIVERGO_HALF

#undef DIVERGO_BOTH
#undef DIVERGO_DEVICE
#endif
#endif
