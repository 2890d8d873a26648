// The runtime API. What is not supported is a call that fails with a message which names it.
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__
#include "driver_types.h"
#include "texture_types.h"

#ifdef __cplusplus
extern "C" {
#define DIVERGO_DEFAULT(x) = x
#else
#define DIVERGO_DEFAULT(x)
#endif

cudaError_t cudaMalloc(void **address, size_t bytes);
cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *address, struct cudaExtent extent);
cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned int flags);
cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *address, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
cudaError_t cudaMallocFromPoolAsync(void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, int device, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemAdvise(const void *address, size_t bytes, enum cudaMemoryAdvise advice, int device);
cudaError_t cudaMemPrefetchAsync_v2(const void *address, size_t bytes, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemAdvise_v2(const void *address, size_t bytes, enum cudaMemoryAdvise advice, struct cudaMemLocation location);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *host);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *address);
cudaError_t cudaMallocHost(void **address, size_t bytes);
cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned int flags);
cudaError_t cudaFree(void *address);
cudaError_t cudaFreeHost(void *address);
cudaError_t cudaMemGetInfo(size_t *left, size_t *total);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemset(void *at, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr address, int value, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr address, int value, struct cudaExtent extent, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset DIVERGO_DEFAULT(0), enum cudaMemcpyKind kind DIVERGO_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset DIVERGO_DEFAULT(0), enum cudaMemcpyKind kind DIVERGO_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol);
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status DIVERGO_DEFAULT(0));
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared DIVERGO_DEFAULT(0), cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *how, const void *function, void **args);
// Launches piece by piece, and variables by their names, as programs from before CUDA 5 have them.
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared DIVERGO_DEFAULT(0), cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaSetupArgument(const void *argument, size_t bytes, size_t offset);
cudaError_t cudaLaunch(const void *function);
const void *divergo_named(const char *symbol); // the variable of that name, or what is given

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads, size_t shared, unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetPCIBusId(char *name, int length, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *name);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t bytes DIVERGO_DEFAULT(0), unsigned int flags DIVERGO_DEFAULT(cudaMemAttachSingle));
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags DIVERGO_DEFAULT(0));
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream DIVERGO_DEFAULT(0), unsigned int flags DIVERGO_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

// Arrays, textures and surfaces. Widths and x offsets of copies are in bytes.
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height DIVERGO_DEFAULT(0), unsigned int flags DIVERGO_DEFAULT(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags DIVERGO_DEFAULT(0));
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int levels, unsigned int flags DIVERGO_DEFAULT(0));
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t mipmap, unsigned int n);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t bytes, enum cudaMemcpyKind kind DIVERGO_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind DIVERGO_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *how, const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *how, cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t surface);
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *address, const struct cudaChannelFormatDesc *desc, size_t bytes DIVERGO_DEFAULT(4294967295u));
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *address, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc);
cudaError_t cudaUnbindTexture(const struct textureReference *texture);
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture);
cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol);
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc);
cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const struct cudaChannelFormatDesc *desc, int device);

// Graphs.
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, const struct cudaKernelNodeParams *parameters);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, const struct cudaMemcpy3DParms *parameters);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, const struct cudaMemsetParams *parameters);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, const struct cudaHostNodeParams *parameters);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, cudaGraph_t child);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, cudaEvent_t event);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, struct cudaMemAllocNodeParams *parameters);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, void *address);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled);
cudaError_t cudaDeviceGraphMemTrim(int device);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies, size_t *count);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *parameters);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *parameters);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *parameters);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *parameters);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *parameters);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags DIVERGO_DEFAULT(0));
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags DIVERGO_DEFAULT(0));
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *parameters);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *parameters);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id DIVERGO_DEFAULT(0), cudaGraph_t *graph DIVERGO_DEFAULT(0), const cudaGraphNode_t **dependencies DIVERGO_DEFAULT(0), size_t *count DIVERGO_DEFAULT(0));
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

// What CUDA has in addition (CUDA Runtime API 12.1, and graphs of 12.4): each call prints its name and returns cudaErrorNotSupported.
#define DIVERGO_MISSING(F) \
    F(cudaArrayGetMemoryRequirements) F(cudaArrayGetPlane) F(cudaArrayGetSparseProperties) \
    F(cudaBindTextureToMipmappedArray) F(cudaGetTextureObjectResourceViewDesc) F(cudaMipmappedArrayGetMemoryRequirements) \
    F(cudaMipmappedArrayGetSparseProperties) F(cudaMemcpy3DPeer) F(cudaMemcpy3DPeerAsync) \
    F(cudaDeviceFlushGPUDirectRDMAWrites) F(cudaDeviceGetNvSciSyncAttributes) \
    F(cudaDeviceGetGraphMemAttribute) F(cudaDeviceSetGraphMemAttribute) \
    F(cudaGetExportTable) \
    F(cudaGetFuncBySymbol) F(cudaGetKernel) F(cudaProfilerInitialize) F(cudaMemPoolExportPointer) \
    F(cudaMemPoolExportToShareableHandle) F(cudaMemPoolImportFromShareableHandle) \
    F(cudaMemPoolImportPointer) F(cudaMemRangeGetAttribute) \
    F(cudaMemRangeGetAttributes) F(cudaDestroyExternalMemory) F(cudaDestroyExternalSemaphore) \
    F(cudaExternalMemoryGetMappedBuffer) F(cudaExternalMemoryGetMappedMipmappedArray) \
    F(cudaImportExternalMemory) F(cudaImportExternalSemaphore) F(cudaSignalExternalSemaphoresAsync) \
    F(cudaWaitExternalSemaphoresAsync) F(cudaIpcCloseMemHandle) F(cudaIpcGetEventHandle) \
    F(cudaIpcGetMemHandle) F(cudaIpcOpenEventHandle) F(cudaIpcOpenMemHandle) \
    F(cudaLaunchCooperativeKernelMultiDevice) F(cudaOccupancyMaxActiveClusters) \
    F(cudaOccupancyMaxPotentialClusterSize) \
    F(cudaStreamUpdateCaptureDependencies) \
    F(cudaUserObjectCreate) F(cudaUserObjectRelease) \
    F(cudaUserObjectRetain) \
    F(cudaGraphAddExternalSemaphoresSignalNode) F(cudaGraphAddExternalSemaphoresWaitNode) \
    F(cudaGraphConditionalHandleCreate) F(cudaGraphAddNode) F(cudaGraphNodeSetParams) F(cudaGraphExecNodeSetParams) F(cudaStreamBeginCaptureToGraph) \
    F(cudaGraphChildGraphNodeGetGraph) \
    F(cudaGraphDebugDotPrint) \
    F(cudaGraphEventRecordNodeGetEvent) F(cudaGraphEventRecordNodeSetEvent) \
    F(cudaGraphEventWaitNodeGetEvent) F(cudaGraphEventWaitNodeSetEvent) \
    F(cudaGraphExecChildGraphNodeSetParams) F(cudaGraphExecEventRecordNodeSetEvent) \
    F(cudaGraphExecEventWaitNodeSetEvent) F(cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
    F(cudaGraphExecExternalSemaphoresWaitNodeSetParams) F(cudaGraphExecGetFlags) \
    F(cudaGraphExecMemcpyNodeSetParamsFromSymbol) F(cudaGraphExecMemcpyNodeSetParamsToSymbol) \
    F(cudaGraphExternalSemaphoresSignalNodeGetParams) F(cudaGraphExternalSemaphoresSignalNodeSetParams) \
    F(cudaGraphExternalSemaphoresWaitNodeGetParams) F(cudaGraphExternalSemaphoresWaitNodeSetParams) \
    F(cudaGraphHostNodeGetParams) \
    F(cudaGraphInstantiateWithParams) F(cudaGraphKernelNodeCopyAttributes) \
    F(cudaGraphKernelNodeGetAttribute) F(cudaGraphKernelNodeSetAttribute) \
    F(cudaGraphMemAllocNodeGetParams) \
    F(cudaGraphMemFreeNodeGetParams) F(cudaGraphMemcpyNodeGetParams) \
    F(cudaGraphMemcpyNodeSetParamsFromSymbol) \
    F(cudaGraphMemcpyNodeSetParamsToSymbol) F(cudaGraphMemsetNodeGetParams) \
    F(cudaGraphNodeGetDependentNodes) \
    F(cudaGraphReleaseUserObject) F(cudaGraphRetainUserObject) \
    F(cudaGraphicsMapResources) F(cudaGraphicsResourceGetMappedMipmappedArray) \
    F(cudaGraphicsResourceGetMappedPointer) F(cudaGraphicsResourceSetMapFlags) \
    F(cudaGraphicsSubResourceGetMappedArray) F(cudaGraphicsUnmapResources) F(cudaGraphicsUnregisterResource) \
    F(cudaGLGetDevices) F(cudaGraphicsGLRegisterBuffer) F(cudaGraphicsGLRegisterImage) \
    F(cudaGLMapBufferObject) F(cudaGLMapBufferObjectAsync) F(cudaGLRegisterBufferObject) \
    F(cudaGLSetBufferObjectMapFlags) F(cudaGLSetGLDevice) F(cudaGLUnmapBufferObject) \
    F(cudaGLUnmapBufferObjectAsync) F(cudaGLUnregisterBufferObject)

#ifdef __cplusplus
#define DIVERGO_DECLARE(name) cudaError_t name(...);
#else
#define DIVERGO_DECLARE(name) cudaError_t name();
#endif
DIVERGO_MISSING(DIVERGO_DECLARE)
#undef DIVERGO_DECLARE

#ifdef __cplusplus
}
#endif

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *address, size_t pitch, size_t width, size_t height) {
    struct cudaPitchedPtr p = {address, pitch, width, height};
    return p;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos p = {x, y, z};
    return p;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    struct cudaExtent e = {width, height, depth};
    return e;
}

#ifdef __CUDA__
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
#endif

#ifdef __cplusplus
// The same for pointers to any type, and for variables in place of their address.
template <class T> static inline cudaError_t cudaMalloc(T **address, size_t bytes) { return ::cudaMalloc((void **)address, bytes); }
template <class T> static inline cudaError_t cudaMallocPitch(T **address, size_t *pitch, size_t width, size_t height) { return ::cudaMallocPitch((void **)address, pitch, width, height); }
template <class T> static inline cudaError_t cudaMallocManaged(T **address, size_t bytes, unsigned int flags = cudaMemAttachGlobal) { return ::cudaMallocManaged((void **)address, bytes, flags); }
template <class T> static inline cudaError_t cudaMallocAsync(T **address, size_t bytes, cudaStream_t stream) { return ::cudaMallocAsync((void **)address, bytes, stream); }
static inline cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { return ::cudaMallocFromPoolAsync(address, bytes, pool, stream); }
template <class T> static inline cudaError_t cudaMallocAsync(T **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { return ::cudaMallocFromPoolAsync((void **)address, bytes, pool, stream); }
template <class T> static inline cudaError_t cudaMallocFromPoolAsync(T **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { return ::cudaMallocFromPoolAsync((void **)address, bytes, pool, stream); }
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) { return ::cudaHostGetDevicePointer((void **)device, host, flags); }
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attribute, int value) { return ::cudaFuncSetAttribute((const void *)function, attribute, value); }
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *function, enum cudaSharedMemConfig config) { return ::cudaFuncSetSharedMemConfig((const void *)function, config); }
template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T *function, int threads, size_t shared, unsigned int flags) { return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, threads, shared, flags); }
template <class T> static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *function, int blocks, int threads) { return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)function, blocks, threads); }
template <class T> static inline cudaError_t cudaMallocHost(T **address, size_t bytes, unsigned int = 0) { return ::cudaMallocHost((void **)address, bytes); }
template <class T> static inline cudaError_t cudaHostAlloc(T **address, size_t bytes, unsigned int flags) { return ::cudaHostAlloc((void **)address, bytes, flags); }
template <class T> static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) { return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind); }
template <class T> static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) { return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind); }
template <class T> static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) { return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream); }
template <class T> static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) { return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream); }
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) { return ::cudaGetSymbolAddress(address, (const void *)&symbol); }
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) { return ::cudaGetSymbolSize(bytes, (const void *)&symbol); }
template <size_t n> static inline cudaError_t cudaMemcpyToSymbol(const char (&symbol)[n], const void *from, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) { return ::cudaMemcpyToSymbol(divergo_named(symbol), from, bytes, offset, kind); }
template <size_t n> static inline cudaError_t cudaMemcpyFromSymbol(void *to, const char (&symbol)[n], size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) { return ::cudaMemcpyFromSymbol(to, divergo_named(symbol), bytes, offset, kind); }
template <size_t n> static inline cudaError_t cudaGetSymbolAddress(void **address, const char (&symbol)[n]) { return ::cudaGetSymbolAddress(address, divergo_named(symbol)); }
template <class T> static inline cudaError_t cudaSetupArgument(T argument, size_t offset) { return ::cudaSetupArgument(&argument, sizeof argument, offset); }
template <class T> static inline cudaError_t cudaLaunch(T *function) { return ::cudaLaunch((const void *)function); }
template <class T> static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0) { return ::cudaLaunchKernel((const void *)function, grid, block, args, shared, stream); }
template <class T> static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0) { return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, args, shared, stream); }
// As CUDA 13 has them.
static inline cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream = 0) { return ::cudaMemPrefetchAsync_v2(address, bytes, location, flags, stream); }
static inline cudaError_t cudaMemAdvise(const void *address, size_t bytes, enum cudaMemoryAdvise advice, struct cudaMemLocation location) { return ::cudaMemAdvise_v2(address, bytes, advice, location); }
// As CUDA 11 has them.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *log, size_t room) {
    if (node) *node = 0;
    if (log && room) *log = 0;
    return ::cudaGraphInstantiate(exec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, enum cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
    if (node) *node = info.errorNode;
    if (result) *result = info.result;
    return error;
}
#if __cplusplus >= 201103L
template <class... P, class... A> static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *how, void (*function)(P...), A &&...arguments) {
    return [&](P... parameters) { // converted as those of a call are
        void *args[] = {(void *)&parameters..., 0};
        return ::cudaLaunchKernelExC(how, (const void *)function, args);
    }(static_cast<A &&>(arguments)...);
}
#endif
template <class T> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function) { return ::cudaFuncGetAttributes(attributes, (const void *)function); }
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config) { return ::cudaFuncSetCacheConfig((const void *)function, config); }
template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *function, int threads, size_t shared) { return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, threads, shared); }

#ifdef __CUDA__
template <class T, int d, enum cudaTextureReadMode m> static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, d, m> &t, const void *address, const struct cudaChannelFormatDesc &desc, size_t bytes = 4294967295u) { return ::cudaBindTexture(offset, &t, address, &desc, bytes); }
template <class T, int d, enum cudaTextureReadMode m> static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, d, m> &t, const void *address, size_t bytes = 4294967295u) { return ::cudaBindTexture(offset, &t, address, &t.channelDesc, bytes); }
template <class T, int d, enum cudaTextureReadMode m> static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, d, m> &t, const void *address, const struct cudaChannelFormatDesc &desc, size_t width, size_t height, size_t pitch) { return ::cudaBindTexture2D(offset, &t, address, &desc, width, height, pitch); }
template <class T, int d, enum cudaTextureReadMode m> static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, d, m> &t, const void *address, size_t width, size_t height, size_t pitch) { return ::cudaBindTexture2D(offset, &t, address, &t.channelDesc, width, height, pitch); }
template <class T, int d, enum cudaTextureReadMode m> static inline cudaError_t cudaBindTextureToArray(const texture<T, d, m> &t, cudaArray_const_t array, const struct cudaChannelFormatDesc &desc) { return ::cudaBindTextureToArray(&t, array, &desc); }
template <class T, int d, enum cudaTextureReadMode m> static inline cudaError_t cudaBindTextureToArray(const texture<T, d, m> &t, cudaArray_const_t array) { return ::cudaBindTextureToArray(&t, array, 0); }
template <class T, int d, enum cudaTextureReadMode m> static inline cudaError_t cudaUnbindTexture(const texture<T, d, m> &t) { return ::cudaUnbindTexture(&t); }
template <class T, int d, enum cudaTextureReadMode m> static inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const texture<T, d, m> &t) { return ::cudaGetTextureAlignmentOffset(offset, &t); }
template <class T, int d> static inline cudaError_t cudaBindSurfaceToArray(const surface<T, d> &s, cudaArray_const_t array, const struct cudaChannelFormatDesc &desc) { return ::cudaBindSurfaceToArray(&s, array, &desc); }
template <class T, int d> static inline cudaError_t cudaBindSurfaceToArray(const surface<T, d> &s, cudaArray_const_t array) { return ::cudaBindSurfaceToArray(&s, array, 0); }
#endif

#if __cplusplus >= 201103L
// The block size with which most threads of an SM are busy, the largest of those that are equally good, and how many such
// blocks fill the device. shared says how much dynamic shared memory a block of a size needs.
template <class Shared, class T> static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T function, Shared shared, int limit = 0) {
    struct cudaFuncAttributes attributes;
    int sms = 0, warp = 0, most = 0;
    cudaError_t error = ::cudaFuncGetAttributes(&attributes, (const void *)function);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    if (error != cudaSuccess) return error;
    int threads = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < threads) threads = limit;
    for (threads = (threads + warp - 1) / warp * warp; threads > 0; threads -= warp) {
        int size = threads > attributes.maxThreadsPerBlock ? attributes.maxThreadsPerBlock : threads, blocks = 0;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, size, shared(size));
        if (error != cudaSuccess) return error;
        if (blocks * size > most) {
            most = blocks * size;
            *block = size;
            *grid = blocks * sms;
        }
    }
    return most > 0 ? cudaSuccess : cudaErrorInvalidConfiguration;
}
template <class T> static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function, size_t shared = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, function, [shared](int) { return shared; }, limit);
}
#endif
#endif
#undef DIVERGO_DEFAULT

#ifndef __cplusplus
// As CUDA 13 has them.
#define DIVERGO_PREFETCH(a, b, c, d, e, name, ...) name
#define cudaMemPrefetchAsync(...) DIVERGO_PREFETCH(__VA_ARGS__, cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync, , )(__VA_ARGS__)
#define cudaMemAdvise(address, bytes, advice, where) \
    _Generic((where), struct cudaMemLocation: cudaMemAdvise_v2, default: cudaMemAdvise)(address, bytes, advice, where)
#endif

#endif
