// Vector types of CUDA, with their alignment (CUDA C++ Programming Guide, built-in vector types), and dim3.
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__
#include "host_defines.h"

#define DIVERGO_VECTORS(T, NAME, A2, A4)                           \
    struct NAME##1 { T x; };                                       \
    struct __align__(A2) NAME##2 { T x, y; };                      \
    struct NAME##3 { T x, y, z; };                                 \
    struct __align__(A4) NAME##4 { T x, y, z, w; };                \
    typedef struct NAME##1 NAME##1;                                \
    typedef struct NAME##2 NAME##2;                                \
    typedef struct NAME##3 NAME##3;                                \
    typedef struct NAME##4 NAME##4

DIVERGO_VECTORS(signed char, char, 2, 4);
DIVERGO_VECTORS(unsigned char, uchar, 2, 4);
DIVERGO_VECTORS(short, short, 4, 8);
DIVERGO_VECTORS(unsigned short, ushort, 4, 8);
DIVERGO_VECTORS(int, int, 8, 16);
DIVERGO_VECTORS(unsigned int, uint, 8, 16);
DIVERGO_VECTORS(long, long, 16, 16);
DIVERGO_VECTORS(unsigned long, ulong, 16, 16);
DIVERGO_VECTORS(long long, longlong, 16, 16);
DIVERGO_VECTORS(unsigned long long, ulonglong, 16, 16);
DIVERGO_VECTORS(float, float, 8, 16);
DIVERGO_VECTORS(double, double, 16, 16);
#undef DIVERGO_VECTORS

typedef struct dim3 {
    unsigned int x, y, z;
#if defined(__cplusplus) && __cplusplus >= 201103L
    __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#elif defined(__cplusplus)
    dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { uint3 v = {x, y, z}; return v; }
#endif
} dim3;

#endif
