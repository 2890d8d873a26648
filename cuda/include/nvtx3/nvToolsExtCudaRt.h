// Names of the runtime's objects for a profiler: they do nothing (NVTX C API Reference).
#ifndef DIVERGO_NVTX_CUDART_H
#define DIVERGO_NVTX_CUDART_H
#include "../driver_types.h"
#include "nvToolsExt.h"
DIVERGO_NVTX_TEXT(void, nvtxNameCudaDevice, int x DIVERGO_COMMA, (void)x)
DIVERGO_NVTX_TEXT(void, nvtxNameCudaStream, cudaStream_t x DIVERGO_COMMA, (void)x)
DIVERGO_NVTX_TEXT(void, nvtxNameCudaEvent, cudaEvent_t x DIVERGO_COMMA, (void)x)
#define nvtxNameCudaDevice DIVERGO_NVTX_NAME(nvtxNameCudaDevice)
#define nvtxNameCudaStream DIVERGO_NVTX_NAME(nvtxNameCudaStream)
#define nvtxNameCudaEvent DIVERGO_NVTX_NAME(nvtxNameCudaEvent)
#endif
