// Copies by all threads of a group, which go on meanwhile (CUDA C++ Programming Guide, memcpy_async): from sm_80 on instructions
// that copy from global to shared memory, where place and size allow it; else each thread has copied when the call returns.
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {
#define DIVERGO_CG static __device__ __forceinline__

template <size_t N, class G> DIVERGO_CG void divergo_pieces(const G &g, char *to, const char *from, size_t bytes) {
    for (size_t at = g.thread_rank() * N; at + N <= bytes; at += g.size() * N) __pipeline_memcpy_async(to + at, from + at, N);
}

// Pieces of 16, 8 or 4 bytes, by the alignment of both; what is left, and anything else, byte by byte.
template <class G, class T, class U> DIVERGO_CG void memcpy_async(const G &g, T *to, const U *from, size_t bytes) {
    char *t = (char *)to;
    const char *f = (const char *)from;
    const size_t odd = ((size_t)t | (size_t)f) & 15, piece = odd == 0 ? 16 : odd % 8 == 0 ? 8 : odd % 4 == 0 ? 4 : 0;
    if (!__isShared(to) || !__isGlobal(from) || piece == 0) {
        for (size_t at = g.thread_rank(); at < bytes; at += g.size()) t[at] = f[at];
        return;
    }
    if (piece == 16) divergo_pieces<16>(g, t, f, bytes);
    else if (piece == 8) divergo_pieces<8>(g, t, f, bytes);
    else divergo_pieces<4>(g, t, f, bytes);
    for (size_t at = bytes / piece * piece + g.thread_rank(); at < bytes; at += g.size()) t[at] = f[at];
    __pipeline_commit();
}
// By elements: of two numbers the smaller.
template <class G, class T, class U, class N, class M> DIVERGO_CG void memcpy_async(const G &g, T *to, const N &room, const U *from, const M &there) {
    memcpy_async(g, to, from, (size_t)((size_t)room < (size_t)there ? (size_t)room : (size_t)there) * sizeof(U));
}

// All copies of the group but those of the last calls are over.
template <unsigned int N, class G> DIVERGO_CG void wait_prior(const G &g) {
    __pipeline_wait_prior(N);
    g.sync();
}
template <class G> DIVERGO_CG void wait(const G &g) { wait_prior<0>(g); }

#undef DIVERGO_CG
}
#endif
#endif
