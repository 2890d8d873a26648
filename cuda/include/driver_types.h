// Types of the runtime API, with CUDA's values.
#ifndef DIVERGO_DRIVER_TYPES_H
#define DIVERGO_DRIVER_TYPES_H
#include <stddef.h>
#include "vector_types.h"

#ifndef CUDART_VERSION
#define CUDART_VERSION 12010
#define CUDA_VERSION 12010
#endif

// Each error with its code and what cudaGetErrorString says of it.
#define DIVERGO_ERRORS(E)                                                    \
    E(cudaSuccess, 0, "no error")                                            \
    E(cudaErrorInvalidValue, 1, "invalid argument")                          \
    E(cudaErrorMemoryAllocation, 2, "out of memory")                         \
    E(cudaErrorInitializationError, 3, "initialization error")               \
    E(cudaErrorCudartUnloading, 4, "driver shutting down")                   \
    E(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")    \
    E(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")              \
    E(cudaErrorInvalidSymbol, 13, "invalid device symbol")                   \
    E(cudaErrorInvalidHostPointer, 16, "invalid host pointer")               \
    E(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")           \
    E(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
    E(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
    E(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured") \
    E(cudaErrorInvalidDeviceFunction, 98, "invalid device function")         \
    E(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")          \
    E(cudaErrorInvalidDevice, 101, "invalid device ordinal")                 \
    E(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")    \
    E(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
    E(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")              \
    E(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS") \
    E(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")        \
    E(cudaErrorNotReady, 600, "device not ready")                            \
    E(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
    E(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    E(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
    E(cudaErrorAssert, 710, "device-side assert triggered")                  \
    E(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered") \
    E(cudaErrorMisalignedAddress, 716, "misaligned address")                 \
    E(cudaErrorInvalidPc, 718, "invalid program counter")                    \
    E(cudaErrorLaunchFailure, 719, "unspecified launch failure")             \
    E(cudaErrorNotSupported, 801, "operation not supported")                 \
    E(cudaErrorUnknown, 999, "unknown error")

#define DIVERGO_ERROR(name, code, text) name = code,
typedef enum cudaError { DIVERGO_ERRORS(DIVERGO_ERROR) } cudaError_t;
#undef DIVERGO_ERROR

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08

enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76
};

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, asyncEngineCount, unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, cooperativeLaunch;
};
typedef struct cudaDeviceProp cudaDeviceProp;

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
};
typedef struct cudaFuncAttributes cudaFuncAttributes;

#endif
