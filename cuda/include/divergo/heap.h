// The heap of the device: malloc, free, new and delete in kernels. The runtime gives it as many bytes as
// cudaLimitMallocHeapSize says before the first launch of a program that uses it (runtime/cudart.c). Blocks have sizes
// that are powers of two. Those that are freed lie in a list for each size, with a count of changes in the upper half
// of its head, so that a block which was taken and came back in the meantime is not taken for the same.
#ifndef DIVERGO_HEAP_H
#define DIVERGO_HEAP_H

struct divergo_heap_head {
    unsigned long long bytes, next; // of the heap, this head included; where the part begins that was never taken
    unsigned long long freed[32];   // by the logarithm of the size: changes, and the block's number of 16 bytes; 0: none
};

static __device__ struct divergo_heap_head *volatile divergo_heap; // volatile: no code writes it

extern "C" __device__ inline void *malloc(size_t bytes) {
    divergo_heap_head *heap = divergo_heap;
    if (heap == 0 || bytes == 0 || bytes > heap->bytes) return 0;
    unsigned int log = 64 - (unsigned int)__builtin_clzll(bytes + 15);
    if (log < 5) log = 5;
    unsigned long long *list = &heap->freed[log], head = atomicAdd(list, 0ull);
    char *block = 0;
    while ((unsigned int)head != 0) {
        block = (char *)heap + 16ull * (unsigned int)head;
        unsigned int next = *(volatile unsigned int *)(block + 4);
        unsigned long long was = atomicCAS(list, head, ((head >> 32) + 1) << 32 | next);
        if (was == head) break;
        head = was;
        block = 0;
    }
    if (block == 0) {
        unsigned long long at = atomicAdd(&heap->next, 1ull << log);
        if (at + (1ull << log) > heap->bytes) {
            atomicAdd(&heap->next, 0ull - (1ull << log));
            return 0;
        }
        block = (char *)heap + at;
    }
    *(volatile unsigned int *)block = log;
    return block + 16;
}

extern "C" __device__ inline void free(void *p) {
    if (p == 0) return;
    char *block = (char *)p - 16;
    unsigned long long *list = &divergo_heap->freed[*(volatile unsigned int *)block], head = atomicAdd(list, 0ull);
    for (;;) {
        *(volatile unsigned int *)(block + 4) = (unsigned int)head;
        __threadfence();
        unsigned long long was = atomicCAS(list, head, ((head >> 32) + 1) << 32 | (unsigned int)((block - (char *)divergo_heap) / 16));
        if (was == head) return;
        head = was;
    }
}

#include <new> // clang's, with new and delete of the device above malloc and free

#endif
