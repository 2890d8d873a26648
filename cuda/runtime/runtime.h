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

// Streams are worked off in the order of the calls. While one is captured its work becomes nodes of a graph, each of which
// follows the last of the stream.
struct CUstream_st {
    unsigned flags;
    int priority;
    struct CUgraph_st *graph; // that it is captured to
    struct CUgraphNode_st *last;
    int origin; // the capture began with this stream
    unsigned long long id;
    cudaLaunchAttributeValue attributes[cudaLaunchAttributeEnd];
};

// An event is a point in simulated time, or of a capture.
struct CUevent_st {
    uint64_t picoseconds;
    int recorded;
    struct CUgraph_st *graph;
    struct CUgraphNode_st *after;
};

static inline int made(cudaStream_t stream) { return stream != NULL && stream != cudaStreamLegacy && stream != cudaStreamPerThread; }
static inline int capturing(cudaStream_t stream) { return made(stream) && stream->graph != NULL; }

// What a node does (runtime/graph.c). Work on a stream that is captured is added to its graph.
struct work {
    enum cudaGraphNodeType type;
    struct cudaKernelNodeParams kernel; // kernelParams point into bank, if the node has them
    int cooperative;
    char *bank;
    struct cudaMemcpy3DParms copy;
    struct cudaMemsetParams set;
    struct cudaHostNodeParams host;
    struct CUgraph_st *child;
    cudaEvent_t event;
    void *address; // that is allocated or freed
};
cudaError_t divergo_capture(cudaStream_t stream, const struct work *work);
cudaError_t divergo_join(cudaStream_t stream, cudaEvent_t event); // with what was captured before the event
struct work divergo_copy_work(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t divergo_kernel(const void *function, struct layout **layout);

// Modules are numbered from 1. A module's text stays where it is until it is unloaded.
cudaError_t divergo_module(const char *text, uint64_t *number);
cudaError_t divergo_unload(uint64_t module);
cudaError_t divergo_function(uint64_t module, const char *name, struct layout **layout); // the caller frees it
cudaError_t divergo_variable(uint64_t module, const char *name, uint64_t *address, size_t *bytes);
cudaError_t divergo_occupancy(int *blocks, const struct layout *layout, int threads, size_t shared);

// A launch with a pointer to each parameter, or with all of them in a bank of so many bytes.
cudaError_t divergo_launch(const struct layout *layout, dim3 grid, dim3 block, size_t shared, void **args, const void *bank, size_t bytes);

// Whether the program has used the runtime, and whether this thread does so for the driver API.
extern int divergo_used;
extern __thread int divergo_driver;

// Makes an error the last one.
cudaError_t divergo_fail(cudaError_t error);

// The memory of an array, whose elements have so many bytes (runtime/texture.c).
struct cudaPitchedPtr divergo_array(const struct cudaArray *array, size_t *element);

// Binds a texture reference, which is at an address of the device, to a resource (runtime/texture.c).
cudaError_t divergo_bind(void *at, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *how);

// Addresses and memory that are apart (cuMemMap and its like): requests with what they ask, whose answer goes to *answer if it is not NULL.
enum divergo_virtual { DIVERGO_RESERVE, DIVERGO_UNRESERVE, DIVERGO_CREATE, DIVERGO_RELEASE, DIVERGO_HOLDS, DIVERGO_RETAIN, DIVERGO_MAP, DIVERGO_UNMAP, DIVERGO_SET_ACCESS, DIVERGO_ACCESS };
cudaError_t divergo_virtual(enum divergo_virtual what, uint64_t a, uint64_t b, uint64_t c, uint64_t *answer);

// The allocation, managed or not, that has an address.
cudaError_t divergo_range(const void *address, void **start, size_t *bytes);

#endif
