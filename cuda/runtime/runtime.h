// What the parts of the runtime have in common.
#ifndef DIVERGO_RUNTIME_H
#define DIVERGO_RUNTIME_H
#include <stdint.h>

#include "cuda_runtime_api.h"

// What the simulator answers to a question for a kernel, before the offset and the size of each parameter.
struct layout {
    uint64_t handle, bank, shared, local, registers, threads, params;
    uint32_t at[][2];
};

// Modules are numbered from 1. A module's text stays where it is.
cudaError_t divergo_module(const char *text, uint64_t *number);
cudaError_t divergo_function(uint64_t module, const char *name, struct layout **layout); // the caller frees it
cudaError_t divergo_variable(uint64_t module, const char *name, uint64_t *address, size_t *bytes);
cudaError_t divergo_occupancy(int *blocks, const struct layout *layout, int threads, size_t shared);

// A launch with a pointer to each parameter, or with all of them in a bank of so many bytes.
cudaError_t divergo_launch(const struct layout *layout, dim3 grid, dim3 block, size_t shared, void **args, const void *bank, size_t bytes);

// Makes an error the last one.
cudaError_t divergo_fail(cudaError_t error);

// The memory of an array, whose elements have so many bytes (runtime/texture.c).
struct cudaPitchedPtr divergo_array(const struct cudaArray *array, size_t *element);

// The allocation, managed or not, that has an address.
cudaError_t divergo_range(const void *address, void **start, size_t *bytes);

#endif
