// The qualifiers of CUDA. Outside of CUDA they mean nothing.
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// A variable of both: the host's is copied to the device before each launch, and back (runtime/cudart.c).
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device)) __attribute__((section("divergo_managed")))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#endif

#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#define __grid_constant__ // that a kernel does not change a parameter, the compiler sees
#define __cdecl
#define CUDARTAPI
#define CUDART_CB

#endif
