// make_float4 and its like.
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__
#include "vector_types.h"

#define DIVERGO_MAKE(T, NAME)                                                                                              \
    static __host__ __device__ __forceinline__ NAME##1 make_##NAME##1(T x) { NAME##1 v = {x}; return v; }                  \
    static __host__ __device__ __forceinline__ NAME##2 make_##NAME##2(T x, T y) { NAME##2 v = {x, y}; return v; }          \
    static __host__ __device__ __forceinline__ NAME##3 make_##NAME##3(T x, T y, T z) { NAME##3 v = {x, y, z}; return v; }  \
    static __host__ __device__ __forceinline__ NAME##4 make_##NAME##4(T x, T y, T z, T w) { NAME##4 v = {x, y, z, w}; return v; }

DIVERGO_MAKE(signed char, char)
DIVERGO_MAKE(unsigned char, uchar)
DIVERGO_MAKE(short, short)
DIVERGO_MAKE(unsigned short, ushort)
DIVERGO_MAKE(int, int)
DIVERGO_MAKE(unsigned int, uint)
DIVERGO_MAKE(long, long)
DIVERGO_MAKE(unsigned long, ulong)
DIVERGO_MAKE(long long, longlong)
DIVERGO_MAKE(unsigned long long, ulonglong)
DIVERGO_MAKE(float, float)
DIVERGO_MAKE(double, double)
#undef DIVERGO_MAKE

#endif
