// Copies from global to shared memory that a thread does not wait for (CUDA C++ Programming Guide, pipeline primitives): from
// sm_80 on instructions, of 4, 8 or 16 bytes; before, they are over when the call returns.
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)
#define DIVERGO_DEVICE static __device__ __forceinline__

// The last bytes of a piece can be zeros in place of what is copied.
DIVERGO_DEVICE void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes, size_t zeros = 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned int to = (unsigned int)__cvta_generic_to_shared(shared), take = (unsigned int)(bytes - zeros);
    const size_t from = __cvta_generic_to_global(global);
    if (bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(take) : "memory");
    else if (bytes == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(take) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(take) : "memory");
#else
    for (size_t i = 0; i < bytes; i++) ((char *)shared)[i] = i < bytes - zeros ? ((const char *)global)[i] : 0;
#endif
}
DIVERGO_DEVICE void __pipeline_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// All but the last so many groups that were committed are over.
DIVERGO_DEVICE void __pipeline_wait_prior(size_t groups) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    switch (groups) {
#define DIVERGO_GROUPS(N) case N: asm volatile("cp.async.wait_group " #N ";" ::: "memory"); break;
    DIVERGO_GROUPS(1) DIVERGO_GROUPS(2) DIVERGO_GROUPS(3) DIVERGO_GROUPS(4) DIVERGO_GROUPS(5) DIVERGO_GROUPS(6) DIVERGO_GROUPS(7)
#undef DIVERGO_GROUPS
    default: asm volatile("cp.async.wait_all;" ::: "memory");
    }
#endif
}
#undef DIVERGO_DEVICE
#endif
#endif
