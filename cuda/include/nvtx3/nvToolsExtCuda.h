// Names of the driver's objects for a profiler: they do nothing (NVTX C API Reference).
#ifndef DIVERGO_NVTX_CUDA_H
#define DIVERGO_NVTX_CUDA_H
#include "../cuda.h"
#include "nvToolsExt.h"
DIVERGO_NVTX_TEXT(void, nvtxNameCuDevice, CUdevice x DIVERGO_COMMA, (void)x)
DIVERGO_NVTX_TEXT(void, nvtxNameCuContext, CUcontext x DIVERGO_COMMA, (void)x)
DIVERGO_NVTX_TEXT(void, nvtxNameCuStream, CUstream x DIVERGO_COMMA, (void)x)
DIVERGO_NVTX_TEXT(void, nvtxNameCuEvent, CUevent x DIVERGO_COMMA, (void)x)
#define nvtxNameCuDevice DIVERGO_NVTX_NAME(nvtxNameCuDevice)
#define nvtxNameCuContext DIVERGO_NVTX_NAME(nvtxNameCuContext)
#define nvtxNameCuStream DIVERGO_NVTX_NAME(nvtxNameCuStream)
#define nvtxNameCuEvent DIVERGO_NVTX_NAME(nvtxNameCuEvent)
#endif
