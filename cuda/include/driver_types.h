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
    E(cudaErrorDeviceUninitialized, 201, "invalid device context")           \
    E(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
    E(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture") \
    E(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
    E(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")              \
    E(cudaErrorFileNotFound, 301, "file not found")                          \
    E(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS") \
    E(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")        \
    E(cudaErrorSymbolNotFound, 500, "named symbol not found")                \
    E(cudaErrorNotReady, 600, "device not ready")                            \
    E(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
    E(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    E(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
    E(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
    E(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled") \
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
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
typedef void (*cudaHostFn_t)(void *data);

// Types of what is not supported, so that programs compile that may not use it.
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef struct cudaIpcMemHandle_st { char reserved[64]; } cudaIpcMemHandle_t;
typedef struct cudaIpcEventHandle_st { char reserved[64]; } cudaIpcEventHandle_t;

// Positions, sizes and rows of memory in three dimensions.
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};
typedef struct cudaPitchedPtr cudaPitchedPtr;
typedef struct cudaExtent cudaExtent;
typedef struct cudaPos cudaPos;
typedef struct cudaMemcpy3DParms cudaMemcpy3DParms;
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
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)
#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01
#define cudaEventInterprocess 0x04
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08

enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
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
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrTextureAlignment = 14,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrPciBusId = 33,
    cudaDevAttrPciDeviceId = 34,
    cudaDevAttrTccDriver = 35,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrPciDomainId = 50,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrIsMultiGpuBoard = 84,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106
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
    size_t sharedMemPerBlockOptin;
    int regsPerMultiprocessor, managedMemory, cooperativeLaunch, streamPrioritiesSupported, isMultiGpuBoard, multiGpuBoardGroupID, singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, hostNativeAtomicSupported, globalL1CacheSupported, localL1CacheSupported, tccDriver;
    int maxTexture1D, maxTexture1DLinear, maxTexture2D[2], maxTexture3D[3], maxTexture1DLayered[2], maxTexture2DLayered[3];
};
typedef struct cudaDeviceProp cudaDeviceProp;

struct cudaPointerAttributes { enum cudaMemoryType type; int device; void *devicePointer, *hostPointer; };
typedef struct cudaPointerAttributes cudaPointerAttributes;

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
typedef struct cudaFuncAttributes cudaFuncAttributes;

#endif
