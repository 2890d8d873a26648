// The runtime API. A function of CUDA's that is not here is a compile error.
#ifndef DIVERGO_CUDA_RUNTIME_API_H
#define DIVERGO_CUDA_RUNTIME_API_H
#include "driver_types.h"

#ifdef __cplusplus
extern "C" {
#define DIVERGO_DEFAULT(x) = x
#else
#define DIVERGO_DEFAULT(x)
#endif

cudaError_t cudaMalloc(void **address, size_t bytes);
cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
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
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset DIVERGO_DEFAULT(0), enum cudaMemcpyKind kind DIVERGO_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset DIVERGO_DEFAULT(0), enum cudaMemcpyKind kind DIVERGO_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared);

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
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags DIVERGO_DEFAULT(0));
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream DIVERGO_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

#ifdef __cplusplus
}
#endif

#ifdef __CUDA__
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
#endif

#ifdef __cplusplus
// The same for pointers to any type, and for variables in place of their address.
template <class T> static inline cudaError_t cudaMalloc(T **address, size_t bytes) { return ::cudaMalloc((void **)address, bytes); }
template <class T> static inline cudaError_t cudaMallocPitch(T **address, size_t *pitch, size_t width, size_t height) { return ::cudaMallocPitch((void **)address, pitch, width, height); }
template <class T> static inline cudaError_t cudaMallocHost(T **address, size_t bytes, unsigned int = 0) { return ::cudaMallocHost((void **)address, bytes); }
template <class T> static inline cudaError_t cudaHostAlloc(T **address, size_t bytes, unsigned int flags) { return ::cudaHostAlloc((void **)address, bytes, flags); }
template <class T> static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) { return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind); }
template <class T> static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) { return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind); }
template <class T> static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) { return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream); }
template <class T> static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) { return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream); }
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) { return ::cudaGetSymbolAddress(address, (const void *)&symbol); }
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) { return ::cudaGetSymbolSize(bytes, (const void *)&symbol); }
template <class T> static inline cudaError_t cudaLaunchKernel(const T *function, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0) { return ::cudaLaunchKernel((const void *)function, grid, block, args, shared, stream); }
template <class T> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function) { return ::cudaFuncGetAttributes(attributes, (const void *)function); }
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config) { return ::cudaFuncSetCacheConfig((const void *)function, config); }
template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *function, int threads, size_t shared) { return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, threads, shared); }
#endif
#undef DIVERGO_DEFAULT

#endif
