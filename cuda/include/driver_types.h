// Types of the runtime API, with CUDA's values. The guards of these headers are those of CUDA's, which programs ask for.
#ifndef __DRIVER_TYPES_H__
#define __DRIVER_TYPES_H__
#include <stddef.h>
#include "divergo/attributes.h"
#include "vector_types.h"

#ifndef CUDART_VERSION
#define CUDART_VERSION 12010
#define __CUDART_API_VERSION CUDART_VERSION
#define CUDA_VERSION 12010
#endif

// Each error with its code and what cudaGetErrorString says of it.
#define DIVERGO_ERRORS(E) \
    E(cudaSuccess, 0, "no error") \
    E(cudaErrorInvalidValue, 1, "invalid argument") \
    E(cudaErrorMemoryAllocation, 2, "out of memory") \
    E(cudaErrorInitializationError, 3, "initialization error") \
    E(cudaErrorCudartUnloading, 4, "driver shutting down") \
    E(cudaErrorProfilerDisabled, 5, "profiler disabled while using external profiling tool") \
    E(cudaErrorProfilerNotInitialized, 6, "profiler not initialized: call cudaProfilerInitialize()") \
    E(cudaErrorProfilerAlreadyStarted, 7, "profiler already started") \
    E(cudaErrorProfilerAlreadyStopped, 8, "profiler already stopped") \
    E(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
    E(cudaErrorInvalidPitchValue, 12, "invalid pitch argument") \
    E(cudaErrorInvalidSymbol, 13, "invalid device symbol") \
    E(cudaErrorInvalidHostPointer, 16, "invalid host pointer") \
    E(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
    E(cudaErrorInvalidTexture, 18, "invalid texture reference") \
    E(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer") \
    E(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor") \
    E(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
    E(cudaErrorAddressOfConstant, 22, "__constant__ memory pointer") \
    E(cudaErrorTextureFetchFailed, 23, "fetch from texture failed") \
    E(cudaErrorTextureNotBound, 24, "cannot fetch from a texture that is not bound") \
    E(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()") \
    E(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type") \
    E(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for 32-bit non float type") \
    E(cudaErrorMixedDeviceExecution, 28, "device emulation mode and device execution mode cannot be mixed") \
    E(cudaErrorNotYetImplemented, 31, "feature not yet implemented") \
    E(cudaErrorMemoryValueTooLarge, 32, "memory size or pointer value too large to fit in 32 bit") \
    E(cudaErrorStubLibrary, 34, "CUDA driver is a stub library") \
    E(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
    E(cudaErrorCallRequiresNewerDriver, 36, "API call is not supported in the installed CUDA driver") \
    E(cudaErrorInvalidSurface, 37, "invalid surface reference") \
    E(cudaErrorDuplicateVariableName, 43, "duplicate global variable looked up by string name") \
    E(cudaErrorDuplicateTextureName, 44, "duplicate texture looked up by string name") \
    E(cudaErrorDuplicateSurfaceName, 45, "duplicate surface looked up by string name") \
    E(cudaErrorDevicesUnavailable, 46, "all CUDA-capable devices are busy or unavailable") \
    E(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context") \
    E(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured") \
    E(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch") \
    E(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches") \
    E(cudaErrorLaunchFileScopedTex, 66, "launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)") \
    E(cudaErrorLaunchFileScopedSurf, 67, "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)") \
    E(cudaErrorSyncDepthExceeded, 68, "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth") \
    E(cudaErrorLaunchPendingCountExceeded, 69, "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount") \
    E(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
    E(cudaErrorNoDevice, 100, "no CUDA-capable device is detected") \
    E(cudaErrorInvalidDevice, 101, "invalid device ordinal") \
    E(cudaErrorDeviceNotLicensed, 102, "device doesn't have valid Grid license") \
    E(cudaErrorSoftwareValidityNotEstablished, 103, "integrity checks failed") \
    E(cudaErrorStartupFailure, 127, "startup failure in cuda runtime") \
    E(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid") \
    E(cudaErrorDeviceUninitialized, 201, "invalid device context") \
    E(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed") \
    E(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed") \
    E(cudaErrorArrayIsMapped, 207, "array is mapped") \
    E(cudaErrorAlreadyMapped, 208, "resource already mapped") \
    E(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
    E(cudaErrorAlreadyAcquired, 210, "resource already acquired") \
    E(cudaErrorNotMapped, 211, "resource not mapped") \
    E(cudaErrorNotMappedAsArray, 212, "resource not mapped as array") \
    E(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer") \
    E(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered") \
    E(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture") \
    E(cudaErrorDeviceAlreadyInUse, 216, "exclusive-thread device already in use by a different thread") \
    E(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
    E(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed") \
    E(cudaErrorInvalidGraphicsContext, 219, "invalid OpenGL or DirectX context") \
    E(cudaErrorNvlinkUncorrectable, 220, "uncorrectable NVLink error detected during the execution") \
    E(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found") \
    E(cudaErrorUnsupportedPtxVersion, 222, "the provided PTX was compiled with an unsupported toolchain.") \
    E(cudaErrorJitCompilationDisabled, 223, "PTX JIT compilation was disabled") \
    E(cudaErrorUnsupportedExecAffinity, 224, "the provided execution affinity is not supported") \
    E(cudaErrorUnsupportedDevSideSync, 225, "the provided PTX contains unsupported call to cudaDeviceSynchronize") \
    E(cudaErrorInvalidSource, 300, "device kernel image is invalid") \
    E(cudaErrorFileNotFound, 301, "file not found") \
    E(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found") \
    E(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed") \
    E(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS") \
    E(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") \
    E(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state") \
    E(cudaErrorSymbolNotFound, 500, "named symbol not found") \
    E(cudaErrorNotReady, 600, "device not ready") \
    E(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
    E(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    E(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
    E(cudaErrorLaunchIncompatibleTexturing, 703, "launch uses incompatible texturing mode") \
    E(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
    E(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled") \
    E(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process") \
    E(cudaErrorContextIsDestroyed, 709, "context is destroyed") \
    E(cudaErrorAssert, 710, "device-side assert triggered") \
    E(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted") \
    E(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
    E(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
    E(cudaErrorHardwareStackError, 714, "hardware stack error") \
    E(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered") \
    E(cudaErrorMisalignedAddress, 716, "misaligned address") \
    E(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space") \
    E(cudaErrorInvalidPc, 718, "invalid program counter") \
    E(cudaErrorLaunchFailure, 719, "unspecified launch failure") \
    E(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
    E(cudaErrorNotPermitted, 800, "operation not permitted") \
    E(cudaErrorNotSupported, 801, "operation not supported") \
    E(cudaErrorSystemNotReady, 802, "system not yet initialized") \
    E(cudaErrorSystemDriverMismatch, 803, "system has unsupported display driver / cuda driver combination") \
    E(cudaErrorCompatNotSupportedOnDevice, 804, "forward compatibility was attempted on non supported HW") \
    E(cudaErrorMpsConnectionFailed, 805, "MPS client failed to connect to the MPS control daemon or the MPS server") \
    E(cudaErrorMpsRpcFailure, 806, "the remote procedural call between the MPS server and the MPS client failed") \
    E(cudaErrorMpsServerNotReady, 807, "MPS server is not ready to accept new MPS client requests") \
    E(cudaErrorMpsMaxClientsReached, 808, "the hardware resources required to create MPS client have been exhausted") \
    E(cudaErrorMpsMaxConnectionsReached, 809, "the hardware resources required to support device connections have been exhausted") \
    E(cudaErrorMpsClientTerminated, 810, "the MPS client has been terminated by the server") \
    E(cudaErrorCdpNotSupported, 811, "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it") \
    E(cudaErrorCdpVersionMismatch, 812, "unsupported interaction between different versions of CUDA Dynamic Parallelism") \
    E(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
    E(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
    E(cudaErrorStreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences") \
    E(cudaErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began") \
    E(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work") \
    E(cudaErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream") \
    E(cudaErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
    E(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream") \
    E(cudaErrorStreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
    E(cudaErrorTimeout, 909, "wait operation timed out") \
    E(cudaErrorGraphExecUpdateFailure, 910, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
    E(cudaErrorExternalDevice, 911, "an async error has occured in external entity outside of CUDA") \
    E(cudaErrorInvalidClusterSize, 912, "a kernel launch error has occurred due to cluster misconfiguration") \
    E(cudaErrorUnknown, 999, "unknown error") \
    E(cudaErrorApiFailureBase, 10000, "api failure base")

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

typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;

// Types of what is not supported, so that programs compile that may not use it.
typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
#define CUDA_IPC_HANDLE_SIZE 64
typedef struct cudaIpcMemHandle_st { char reserved[CUDA_IPC_HANDLE_SIZE]; } cudaIpcMemHandle_t;
typedef struct cudaIpcEventHandle_st { char reserved[CUDA_IPC_HANDLE_SIZE]; } cudaIpcEventHandle_t;

enum cudaGraphicsRegisterFlags {
    cudaGraphicsRegisterFlagsNone = 0,
    cudaGraphicsRegisterFlagsReadOnly = 1,
    cudaGraphicsRegisterFlagsWriteDiscard = 2,
    cudaGraphicsRegisterFlagsSurfaceLoadStore = 4,
    cudaGraphicsRegisterFlagsTextureGather = 8
};
enum cudaGraphicsMapFlags { cudaGraphicsMapFlagsNone, cudaGraphicsMapFlagsReadOnly, cudaGraphicsMapFlagsWriteDiscard };
enum cudaGraphicsCubeFace {
    cudaGraphicsCubeFacePositiveX,
    cudaGraphicsCubeFaceNegativeX,
    cudaGraphicsCubeFacePositiveY,
    cudaGraphicsCubeFaceNegativeY,
    cudaGraphicsCubeFacePositiveZ,
    cudaGraphicsCubeFaceNegativeZ
};

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
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08
#define cudaPeerAccessDefault 0x00
#define cudaEventRecordDefault 0x00
#define cudaEventRecordExternal 0x01
#define cudaEventWaitDefault 0x00
#define cudaEventWaitExternal 0x01
#define cudaIpcMemLazyEnablePeerAccess 0x01
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
#define cudaDeviceLmemResizeToMax 0x10
#define cudaDeviceMask 0xff

enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9, cudaFuncAttributeMax };
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0, cudaSharedmemCarveoutMaxShared = 100 };
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly = 1,
    cudaMemRangeAttributePreferredLocation,
    cudaMemRangeAttributeAccessedBy,
    cudaMemRangeAttributeLastPrefetchLocation
};
enum cudaDeviceP2PAttr { cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported, cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };

#define DIVERGO_ATTRIBUTE(number, name, driver, value) cudaDevAttr##name = number,
enum cudaDeviceAttr { DIVERGO_ATTRIBUTES(DIVERGO_ATTRIBUTE) cudaDevAttrMax };
#undef DIVERGO_ATTRIBUTE

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
    int cooperativeMultiDeviceLaunch, pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, canUseHostPointerForRegisteredMem;
    int hostRegisterSupported, hostRegisterReadOnlySupported, memoryPoolsSupported, sparseCudaArraySupported, timelineSemaphoreInteropSupported, gpuDirectRDMASupported;
    int persistingL2CacheMaxSize, accessPolicyMaxWindowSize;
    int gpuDirectRDMAFlushWritesOptions, gpuDirectRDMAWritesOrdering, memoryPoolSupportedHandleTypes, clusterLaunch;
    int deferredMappingCudaArraySupported, ipcEventSupported, unifiedFunctionPointers;
    size_t reservedSharedMemPerBlock;
    struct CUuuid_st uuid;
    // Of textures and surfaces.
    size_t surfaceAlignment;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
};
typedef struct cudaDeviceProp cudaDeviceProp;
typedef struct CUuuid_st cudaUUID_t;

// Pools that memory is taken from in the order of a stream. What is freed is free at once, whatever the threshold.
// What the driver has of a function (cuGetProcAddress).
#define cudaEnableDefault 0x0
#define cudaEnableLegacyStream 0x1
#define cudaEnablePerThreadDefaultStream 0x2
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound, cudaDriverEntryPointVersionNotSufficent };

enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold,
    cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh,
    cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh
};
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid = 0, cudaMemAllocationTypePinned = 1 };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0, cudaMemHandleTypePosixFileDescriptor = 1 };
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeNone = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2,
    cudaMemLocationTypeHostNuma = 3,
    cudaMemLocationTypeHostNumaCurrent = 4
};
struct cudaMemLocation { enum cudaMemLocationType type; int id; };
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
    void *win32SecurityAttributes;
    unsigned char reserved[64];
};
typedef struct cudaMemPoolProps cudaMemPoolProps;
typedef struct cudaMemLocation cudaMemLocation;

// What a stream may say of the L2, which here has no part that lines persist in: accessPolicyMaxWindowSize is 0.
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
enum cudaSynchronizationPolicy { cudaSyncPolicyAuto = 1, cudaSyncPolicySpin, cudaSyncPolicyYield, cudaSyncPolicyBlockingSync };
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
typedef union cudaLaunchAttributeValue {
    char pad[64];
    struct cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative, priority;
    struct { unsigned int x, y, z; } clusterDim;
    enum cudaSynchronizationPolicy syncPolicy;
} cudaLaunchAttributeValue;
typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributeEnd // behind those that are known
} cudaLaunchAttributeID;
struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    char pad[8 - sizeof(cudaLaunchAttributeID)];
    cudaLaunchAttributeValue val;
};
typedef struct cudaLaunchAttribute_st cudaLaunchAttribute;
struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
};
typedef struct cudaLaunchConfig_st cudaLaunchConfig_t;
#define cudaKernelNodeAttrID cudaLaunchAttributeID
#define cudaKernelNodeAttrValue cudaLaunchAttributeValue
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority
#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority

// Graphs: what a node does, and how a stream's work becomes nodes.
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEventRecord,
    cudaGraphNodeTypeExtSemaphoreSignal,
    cudaGraphNodeTypeExtSemaphoreWait,
    cudaGraphNodeTypeMemAlloc,
    cudaGraphNodeTypeMemFree,
    cudaGraphNodeTypeConditional = 13,
    cudaGraphNodeTypeCount
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess,
    cudaGraphExecUpdateError,
    cudaGraphExecUpdateErrorTopologyChanged,
    cudaGraphExecUpdateErrorNodeTypeChanged,
    cudaGraphExecUpdateErrorFunctionChanged,
    cudaGraphExecUpdateErrorParametersChanged,
    cudaGraphExecUpdateErrorNotSupported
};
enum cudaGraphMemAttributeType { cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh, cudaGraphMemAttrReservedMemCurrent, cudaGraphMemAttrReservedMemHigh };
enum cudaGraphDebugDotFlags { cudaGraphDebugDotFlagsVerbose = 1 };
enum cudaGraphInstantiateFlags { cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload = 2, cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8 };
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead = 1, cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};
struct cudaMemAllocNodeParams {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
// Nodes of any kind, and those that run graphs on a condition: the functions that take them return cudaErrorNotSupported.
typedef unsigned long long cudaGraphConditionalHandle;
enum cudaGraphConditionalHandleFlags { cudaGraphCondAssignDefault = 1 };
enum cudaGraphConditionalNodeType { cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch };
enum cudaStreamUpdateCaptureDependenciesFlags { cudaStreamAddCaptureDependencies, cudaStreamSetCaptureDependencies };
struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned int size;
    cudaGraph_t *phGraph_out;
};
struct cudaKernelNodeParamsV2 {
    void *func;
    uint3 gridDim, blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParamsV2 kernel;
        struct cudaMemsetParams memset;
        struct cudaHostNodeParams host;
        struct cudaConditionalNodeParams conditional;
    };
    long long reserved2;
};
typedef struct cudaConditionalNodeParams cudaConditionalNodeParams;
typedef struct cudaKernelNodeParamsV2 cudaKernelNodeParamsV2;
typedef struct cudaGraphNodeParams cudaGraphNodeParams;
typedef struct cudaGraphExecUpdateResultInfo_st {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;
typedef struct cudaKernelNodeParams cudaKernelNodeParams;
typedef struct cudaMemsetParams cudaMemsetParams;
typedef struct cudaHostNodeParams cudaHostNodeParams;
typedef struct cudaMemAccessDesc cudaMemAccessDesc;
typedef struct cudaMemAllocNodeParams cudaMemAllocNodeParams;

struct cudaPointerAttributes { enum cudaMemoryType type; int device; void *devicePointer, *hostPointer; };
typedef struct cudaPointerAttributes cudaPointerAttributes;

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
typedef struct cudaFuncAttributes cudaFuncAttributes;

#endif
