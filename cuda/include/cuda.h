// The driver API, for programs that load PTX themselves. What is not supported is a call that fails with a message which
// names it.
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#include <stddef.h>
#include <stdint.h>
#include "divergo/attributes.h"

#define CUDA_VERSION 12010
#define CUDA_API_VERSION CUDA_VERSION
#define __CUDA_API_VERSION CUDA_VERSION

// Each error with its code, which is the runtime's, and so is what cuGetErrorString says of it.
#define DIVERGO_RESULTS(E) \
    E(CUDA_SUCCESS, 0) \
    E(CUDA_ERROR_INVALID_VALUE, 1) \
    E(CUDA_ERROR_OUT_OF_MEMORY, 2) \
    E(CUDA_ERROR_NOT_INITIALIZED, 3) \
    E(CUDA_ERROR_DEINITIALIZED, 4) \
    E(CUDA_ERROR_PROFILER_DISABLED, 5) \
    E(CUDA_ERROR_PROFILER_NOT_INITIALIZED, 6) \
    E(CUDA_ERROR_PROFILER_ALREADY_STARTED, 7) \
    E(CUDA_ERROR_PROFILER_ALREADY_STOPPED, 8) \
    E(CUDA_ERROR_STUB_LIBRARY, 34) \
    E(CUDA_ERROR_DEVICE_UNAVAILABLE, 46) \
    E(CUDA_ERROR_NO_DEVICE, 100) \
    E(CUDA_ERROR_INVALID_DEVICE, 101) \
    E(CUDA_ERROR_DEVICE_NOT_LICENSED, 102) \
    E(CUDA_ERROR_INVALID_IMAGE, 200) \
    E(CUDA_ERROR_INVALID_CONTEXT, 201) \
    E(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202) \
    E(CUDA_ERROR_MAP_FAILED, 205) \
    E(CUDA_ERROR_UNMAP_FAILED, 206) \
    E(CUDA_ERROR_ARRAY_IS_MAPPED, 207) \
    E(CUDA_ERROR_ALREADY_MAPPED, 208) \
    E(CUDA_ERROR_NO_BINARY_FOR_GPU, 209) \
    E(CUDA_ERROR_ALREADY_ACQUIRED, 210) \
    E(CUDA_ERROR_NOT_MAPPED, 211) \
    E(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212) \
    E(CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213) \
    E(CUDA_ERROR_ECC_UNCORRECTABLE, 214) \
    E(CUDA_ERROR_UNSUPPORTED_LIMIT, 215) \
    E(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216) \
    E(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217) \
    E(CUDA_ERROR_INVALID_PTX, 218) \
    E(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219) \
    E(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220) \
    E(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221) \
    E(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222) \
    E(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223) \
    E(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224) \
    E(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225) \
    E(CUDA_ERROR_INVALID_SOURCE, 300) \
    E(CUDA_ERROR_FILE_NOT_FOUND, 301) \
    E(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302) \
    E(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303) \
    E(CUDA_ERROR_OPERATING_SYSTEM, 304) \
    E(CUDA_ERROR_INVALID_HANDLE, 400) \
    E(CUDA_ERROR_ILLEGAL_STATE, 401) \
    E(CUDA_ERROR_NOT_FOUND, 500) \
    E(CUDA_ERROR_NOT_READY, 600) \
    E(CUDA_ERROR_ILLEGAL_ADDRESS, 700) \
    E(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) \
    E(CUDA_ERROR_LAUNCH_TIMEOUT, 702) \
    E(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703) \
    E(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704) \
    E(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705) \
    E(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708) \
    E(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709) \
    E(CUDA_ERROR_ASSERT, 710) \
    E(CUDA_ERROR_TOO_MANY_PEERS, 711) \
    E(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712) \
    E(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713) \
    E(CUDA_ERROR_HARDWARE_STACK_ERROR, 714) \
    E(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715) \
    E(CUDA_ERROR_MISALIGNED_ADDRESS, 716) \
    E(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717) \
    E(CUDA_ERROR_INVALID_PC, 718) \
    E(CUDA_ERROR_LAUNCH_FAILED, 719) \
    E(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720) \
    E(CUDA_ERROR_NOT_PERMITTED, 800) \
    E(CUDA_ERROR_NOT_SUPPORTED, 801) \
    E(CUDA_ERROR_SYSTEM_NOT_READY, 802) \
    E(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803) \
    E(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804) \
    E(CUDA_ERROR_MPS_CONNECTION_FAILED, 805) \
    E(CUDA_ERROR_MPS_RPC_FAILURE, 806) \
    E(CUDA_ERROR_MPS_SERVER_NOT_READY, 807) \
    E(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808) \
    E(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809) \
    E(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810) \
    E(CUDA_ERROR_CDP_NOT_SUPPORTED, 811) \
    E(CUDA_ERROR_CDP_VERSION_MISMATCH, 812) \
    E(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900) \
    E(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901) \
    E(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902) \
    E(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903) \
    E(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904) \
    E(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905) \
    E(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906) \
    E(CUDA_ERROR_CAPTURED_EVENT, 907) \
    E(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908) \
    E(CUDA_ERROR_TIMEOUT, 909) \
    E(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910) \
    E(CUDA_ERROR_EXTERNAL_DEVICE, 911) \
    E(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912) \
    E(CUDA_ERROR_UNKNOWN, 999)

#define DIVERGO_RESULT(name, code) name = code,
typedef enum cudaError_enum { DIVERGO_RESULTS(DIVERGO_RESULT) } CUresult;
#undef DIVERGO_RESULT

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct CUlinkState_st *CUlinkState;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef CUdeviceptr CUdeviceptr_v2;
typedef CUdevice CUdevice_v1;
typedef void (*CUhostFn)(void *data);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *data);
typedef size_t (*CUoccupancyB2DSize)(int threads);
typedef struct CUdevprop_st {
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory, SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;

// What a context is made of (cuCtxCreate of CUDA 13): here of nothing in particular.
typedef enum CUexecAffinityType_enum { CU_EXEC_AFFINITY_TYPE_SM_COUNT, CU_EXEC_AFFINITY_TYPE_MAX } CUexecAffinityType;
typedef struct CUexecAffinitySmCount_st { unsigned int val; } CUexecAffinitySmCount;
typedef struct CUexecAffinityParam_st {
    CUexecAffinityType type;
    union { CUexecAffinitySmCount smCount; } param;
} CUexecAffinityParam;
typedef enum CUcigDataType_enum { CIG_DATA_TYPE_D3D12_COMMAND_QUEUE = 1, CIG_DATA_TYPE_NV_BLOB = 2 } CUcigDataType;
typedef struct CUctxCigParam_st {
    CUcigDataType sharedDataType;
    void *sharedData;
} CUctxCigParam;
typedef struct CUctxCreateParams_st {
    CUexecAffinityParam *execAffinityParams;
    int numExecAffinityParams;
    CUctxCigParam *cigParams;
} CUctxCreateParams;

#define DIVERGO_ATTRIBUTE(number, runtime, name, value) CU_DEVICE_ATTRIBUTE_##name = number,
typedef enum CUdevice_attribute_enum {
    DIVERGO_ATTRIBUTES(DIVERGO_ATTRIBUTE)
    CU_DEVICE_ATTRIBUTE_MAX,
    // As they were called before.
    CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH = 27,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT = 28,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES = 29,
    // Of memory that is mapped to addresses, which other processes cannot have.
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105,
    CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110
} CUdevice_attribute;
#undef DIVERGO_ATTRIBUTE
typedef enum CUcomputemode_enum { CU_COMPUTEMODE_DEFAULT, CU_COMPUTEMODE_EXCLUSIVE, CU_COMPUTEMODE_PROHIBITED, CU_COMPUTEMODE_EXCLUSIVE_PROCESS } CUcomputemode;

typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
    CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
} CUfunction_attribute;

typedef enum CUfunc_cache_enum { CU_FUNC_CACHE_PREFER_NONE, CU_FUNC_CACHE_PREFER_SHARED, CU_FUNC_CACHE_PREFER_L1, CU_FUNC_CACHE_PREFER_EQUAL } CUfunc_cache;
typedef enum CUlimit_enum {
    CU_LIMIT_STACK_SIZE,
    CU_LIMIT_PRINTF_FIFO_SIZE,
    CU_LIMIT_MALLOC_HEAP_SIZE,
    CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH,
    CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
    CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
    CU_LIMIT_PERSISTING_L2_CACHE_SIZE
} CUlimit;
typedef enum CUsharedconfig_enum { CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE } CUsharedconfig;
typedef enum CUmemorytype_enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_UNIFIED } CUmemorytype;
typedef enum CUmem_advise_enum {
    CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
    CU_MEM_ADVISE_UNSET_READ_MOSTLY,
    CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
    CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
    CU_MEM_ADVISE_SET_ACCESSED_BY,
    CU_MEM_ADVISE_UNSET_ACCESSED_BY
} CUmem_advise;
typedef enum CUpointer_attribute_enum {
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
    CU_POINTER_ATTRIBUTE_HOST_POINTER,
    CU_POINTER_ATTRIBUTE_P2P_TOKENS,
    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
    CU_POINTER_ATTRIBUTE_BUFFER_ID,
    CU_POINTER_ATTRIBUTE_IS_MANAGED,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
} CUpointer_attribute;

// Memory that is mapped to addresses.
typedef unsigned long long CUmemGenericAllocationHandle;
typedef enum CUmemAllocationHandleType_enum {
    CU_MEM_HANDLE_TYPE_NONE = 0,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    CU_MEM_HANDLE_TYPE_WIN32 = 2,
    CU_MEM_HANDLE_TYPE_WIN32_KMT = 4
} CUmemAllocationHandleType;
typedef enum CUmemAccess_flags_enum { CU_MEM_ACCESS_FLAGS_PROT_NONE = 0, CU_MEM_ACCESS_FLAGS_PROT_READ = 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 } CUmemAccess_flags;
typedef enum CUmemLocationType_enum { CU_MEM_LOCATION_TYPE_INVALID, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT } CUmemLocationType;
typedef enum CUmemAllocationType_enum { CU_MEM_ALLOCATION_TYPE_INVALID, CU_MEM_ALLOCATION_TYPE_PINNED } CUmemAllocationType;
typedef enum CUmemAllocationGranularity_flags_enum { CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED } CUmemAllocationGranularity_flags;
typedef enum CUmemAllocationCompType_enum { CU_MEM_ALLOCATION_COMP_NONE, CU_MEM_ALLOCATION_COMP_GENERIC } CUmemAllocationCompType;
typedef struct CUmemLocation_st {
    CUmemLocationType type;
    int id;
} CUmemLocation;
typedef struct CUmemAllocationProp_st {
    CUmemAllocationType type;
    CUmemAllocationHandleType requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;
typedef struct CUmemAccessDesc_st {
    CUmemLocation location;
    CUmemAccess_flags flags;
} CUmemAccessDesc;

// Arrays and textures: the names and layouts of the driver for what the runtime has (driver_types.h, texture_types.h).
typedef enum CUarray_format_enum {
    CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
    CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
    CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
    CU_AD_FORMAT_SIGNED_INT8 = 0x08,
    CU_AD_FORMAT_SIGNED_INT16 = 0x09,
    CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
    CU_AD_FORMAT_HALF = 0x10,
    CU_AD_FORMAT_FLOAT = 0x20
} CUarray_format;
typedef enum CUaddress_mode_enum { CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER } CUaddress_mode;
typedef enum CUfilter_mode_enum { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR } CUfilter_mode;
typedef enum CUresourcetype_enum { CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_PITCH2D } CUresourcetype;
typedef enum CUarray_cubemap_face_enum {
    CU_CUBEMAP_FACE_POSITIVE_X,
    CU_CUBEMAP_FACE_NEGATIVE_X,
    CU_CUBEMAP_FACE_POSITIVE_Y,
    CU_CUBEMAP_FACE_NEGATIVE_Y,
    CU_CUBEMAP_FACE_POSITIVE_Z,
    CU_CUBEMAP_FACE_NEGATIVE_Z
} CUarray_cubemap_face;
typedef enum CUresourceViewFormat_enum { CU_RES_VIEW_FORMAT_NONE } CUresourceViewFormat;
#define CU_TRSA_OVERRIDE_FORMAT 0x01
#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CU_TRSF_SEAMLESS_CUBEMAP 0x40
#define CU_PARAM_TR_DEFAULT (-1)
#define CUDA_ARRAY3D_2DARRAY 0x01
#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08

typedef struct CUDA_ARRAY_DESCRIPTOR_st {
    size_t Width, Height;
    CUarray_format Format;
    unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
    size_t Width, Height, Depth;
    CUarray_format Format;
    unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_MEMCPY2D_st {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_RESOURCE_DESC_st {
    CUresourcetype resType;
    union {
        struct { CUarray hArray; } array;
        struct { CUmipmappedArray hMipmappedArray; } mipmap;
        struct { CUdeviceptr devPtr; CUarray_format format; unsigned int numChannels; size_t sizeInBytes; } linear;
        struct { CUdeviceptr devPtr; CUarray_format format; unsigned int numChannels; size_t width, height, pitchInBytes; } pitch2D;
        struct { int reserved[32]; } reserved;
    } res;
    unsigned int flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st {
    CUaddress_mode addressMode[3];
    CUfilter_mode filterMode;
    unsigned int flags, maxAnisotropy;
    CUfilter_mode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st {
    CUresourceViewFormat format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

// Options of a compilation of PTX, of which there is none here.
typedef enum CUjit_option_enum {
    CU_JIT_MAX_REGISTERS,
    CU_JIT_THREADS_PER_BLOCK,
    CU_JIT_WALL_TIME,
    CU_JIT_INFO_LOG_BUFFER,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_ERROR_LOG_BUFFER,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_OPTIMIZATION_LEVEL,
    CU_JIT_TARGET_FROM_CUCONTEXT,
    CU_JIT_TARGET,
    CU_JIT_FALLBACK_STRATEGY,
    CU_JIT_GENERATE_DEBUG_INFO,
    CU_JIT_LOG_VERBOSE,
    CU_JIT_GENERATE_LINE_INFO,
    CU_JIT_CACHE_MODE,
    CU_JIT_NEW_SM3X_OPT,
    CU_JIT_FAST_COMPILE
} CUjit_option;
typedef enum CUjit_fallback_enum { CU_PREFER_PTX, CU_PREFER_BINARY } CUjit_fallback;
typedef enum CUjit_cacheMode_enum { CU_JIT_CACHE_OPTION_NONE, CU_JIT_CACHE_OPTION_CG, CU_JIT_CACHE_OPTION_CA } CUjit_cacheMode;

typedef enum CUdriverProcAddress_flags_enum { CU_GET_PROC_ADDRESS_DEFAULT, CU_GET_PROC_ADDRESS_LEGACY_STREAM, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM } CUdriverProcAddress_flags;
typedef enum CUdriverProcAddressQueryResult_enum { CU_GET_PROC_ADDRESS_SUCCESS, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT } CUdriverProcAddressQueryResult;

typedef enum CUjitInputType_enum { CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_PTX, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT, CU_JIT_INPUT_LIBRARY } CUjitInputType;

#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define CU_CTX_SCHED_AUTO 0x00
#define CU_CTX_SCHED_SPIN 0x01
#define CU_CTX_SCHED_YIELD 0x02
#define CU_CTX_SCHED_BLOCKING_SYNC 0x04
#define CU_CTX_MAP_HOST 0x08
#define CU_STREAM_DEFAULT 0x0
#define CU_STREAM_NON_BLOCKING 0x1
#define CU_EVENT_DEFAULT 0x0
#define CU_EVENT_BLOCKING_SYNC 0x1
#define CU_EVENT_DISABLE_TIMING 0x2
#define CU_EVENT_INTERPROCESS 0x4
#define CU_CTX_LMEM_RESIZE_TO_MAX 0x10
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_OCCUPANCY_DEFAULT 0x0
#define CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE 0x1
#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)
#define CU_IPC_HANDLE_SIZE 64
#define CU_MEM_ATTACH_HOST 0x2
#define CU_MEM_ATTACH_SINGLE 0x4
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEM_ATTACH_GLOBAL 0x1

// Programs that were compiled call the names of later versions.
#define cuCtxCreate cuCtxCreate_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuMemsetD16 cuMemsetD16_v2
#define cuMemsetD32 cuMemsetD32_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuMemcpy2D cuMemcpy2D_v2
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
#define cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2
#define cuMemcpy3D cuMemcpy3D_v2
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
#define cuMemcpyHtoA cuMemcpyHtoA_v2
#define cuMemcpyAtoH cuMemcpyAtoH_v2
#define cuMemcpyDtoA cuMemcpyDtoA_v2
#define cuMemcpyAtoD cuMemcpyAtoD_v2
#define cuMemcpyAtoA cuMemcpyAtoA_v2
#define cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2
#define cuMemsetD2D8 cuMemsetD2D8_v2
#define cuMemsetD2D16 cuMemsetD2D16_v2
#define cuMemsetD2D32 cuMemsetD2D32_v2
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3
#define cuEventDestroy cuEventDestroy_v2
#define cuGetProcAddress cuGetProcAddress_v2

#ifdef __cplusplus
extern "C" {
#endif

CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *status);
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetErrorString(CUresult error, const char **text);

CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *name, int length, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *name);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *parameters, int count, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetCacheConfig(CUfunc_cache config);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version);
CUresult cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult cuCtxGetCacheConfig(CUfunc_cache *config);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config);
CUresult cuCtxGetFlags(unsigned int *flags);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxAttach(CUcontext *context, unsigned int flags);
CUresult cuCtxDetach(CUcontext context);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);

CUresult cuModuleLoad(CUmodule *module, const char *file);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options, void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
// One piece of PTX is linked as it is; several are not supported.
CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *state);
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int count, CUjit_option *options, void **values);
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count, CUjit_option *options, void **values);
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size);
CUresult cuLinkDestroy(CUlinkState state);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name);

CUresult cuMemGetInfo(size_t *left, size_t *total);
CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes);
CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element);
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags);
CUresult cuMemFree(CUdeviceptr address);
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
CUresult cuMemGetAddressRange(CUdeviceptr *start, size_t *bytes, CUdeviceptr address);
CUresult cuMemAllocHost(void **address, size_t bytes);
CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned int flags);
CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags);
CUresult cuMemFreeHost(void *address);

// Addresses that are reserved, and memory that is mapped to them. A piece of memory is at one address at a time.
CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties, CUmemAllocationGranularity_flags option);
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted, unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult cuMemCreate(CUmemGenericAllocationHandle *memory, size_t bytes, const CUmemAllocationProp *properties, unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle memory);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *memory, void *address);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle memory);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle memory, unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count);
CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address);

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemsetD8(CUdeviceptr at, unsigned char value, size_t count);
CUresult cuMemsetD16(CUdeviceptr at, unsigned short value, size_t count);
CUresult cuMemsetD32(CUdeviceptr at, unsigned int value, size_t count);
CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr at, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr at, unsigned int value, size_t count, CUstream stream);

// Where memory and arrays meet: x is in bytes.
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy);
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult cuMemcpyHtoA(CUarray to, size_t x, const void *from, size_t bytes);
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t x, size_t bytes);
CUresult cuMemcpyDtoA(CUarray to, size_t x, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t x, size_t bytes);
CUresult cuMemcpyAtoA(CUarray to, size_t to_x, CUarray from, size_t from_x, size_t bytes);
CUresult cuMemcpyHtoAAsync(CUarray to, size_t x, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t x, size_t bytes, CUstream stream);
CUresult cuMemsetD2D8(CUdeviceptr at, size_t pitch, unsigned char value, size_t width, size_t height);
CUresult cuMemsetD2D16(CUdeviceptr at, size_t pitch, unsigned short value, size_t width, size_t height);
CUresult cuMemsetD2D32(CUdeviceptr at, size_t pitch, unsigned int value, size_t width, size_t height);
CUresult cuMemHostRegister(void *host, size_t bytes, unsigned int flags);
CUresult cuMemHostUnregister(void *host);
CUresult cuMemHostGetFlags(unsigned int *flags, void *host);
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream);
CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device);
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address);

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc);
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array);
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc);
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned int levels);
CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray mipmap, unsigned int n);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap);
CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *how, const CUDA_RESOURCE_VIEW_DESC *view);
CUresult cuTexObjectDestroy(CUtexObject object);
CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource);
CUresult cuSurfObjectDestroy(CUsurfObject object);

// Texture references of a module. What is set takes effect at once.
CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name);
CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned int flags);
CUresult cuTexRefSetAddress(size_t *offset, CUtexref reference, CUdeviceptr address, size_t bytes);
CUresult cuTexRefSetAddress2D(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr address, size_t pitch);
CUresult cuTexRefSetFormat(CUtexref reference, CUarray_format format, int channels);
CUresult cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode);
CUresult cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode);
CUresult cuTexRefSetFlags(CUtexref reference, unsigned int flags);
CUresult cuTexRefSetBorderColor(CUtexref reference, float *color);
CUresult cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned int ratio);
CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name);
CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags);

// Launches as they were before CUDA 4: a function keeps shapes and parameters.
CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z);
CUresult cuFuncSetSharedSize(CUfunction function, unsigned int bytes);
CUresult cuParamSetSize(CUfunction function, unsigned int bytes);
CUresult cuParamSeti(CUfunction function, int offset, unsigned int value);
CUresult cuParamSetf(CUfunction function, int offset, float value);
CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned int bytes);
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref reference);
CUresult cuLaunch(CUfunction function);
CUresult cuLaunchGrid(CUfunction function, int width, int height);
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream);

// The parameters are pointers to each of them, or a buffer that extra names.
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared, CUstream stream, void **parameters, void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared, CUstream stream, void **parameters);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads, size_t shared, unsigned int flags);
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared);

CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUresult cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult cuEventCreate(CUevent *event, unsigned int flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventQuery(CUevent event);
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

// What CUDA has in addition and programs call most: each call prints its name and returns CUDA_ERROR_NOT_SUPPORTED.
#define DIVERGO_MISSING_DRIVER(F) \
    F(cuLibraryLoadData) F(cuLibraryLoadFromFile) F(cuLibraryUnload) F(cuLibraryGetKernel) F(cuLibraryGetModule) F(cuKernelGetFunction) F(cuKernelGetAttribute) \
    F(cuLaunchKernelEx) F(cuFuncGetModule) F(cuModuleGetLoadingMode) \
    F(cuPointerGetAttributes) F(cuPointerSetAttribute) F(cuMemRangeGetAttribute) F(cuMemRangeGetAttributes) F(cuMemcpyPeer) F(cuMemcpyPeerAsync) F(cuMemcpy3DPeer) \
    F(cuMemsetD2D8Async) F(cuMemsetD2D16Async) F(cuMemsetD2D32Async) \
    F(cuMemExportToShareableHandle) F(cuMemImportFromShareableHandle) \
    F(cuMemPoolCreate) F(cuMemPoolDestroy) F(cuMemPoolSetAttribute) F(cuMemPoolGetAttribute) F(cuMemPoolTrimTo) F(cuMemPoolSetAccess) F(cuMemAllocFromPoolAsync) \
    F(cuDeviceGetDefaultMemPool) F(cuDeviceGetMemPool) F(cuDeviceSetMemPool) \
    F(cuTexRefCreate) F(cuTexRefDestroy) F(cuTexRefSetMipmappedArray) F(cuTexRefSetMipmapFilterMode) F(cuTexRefSetMipmapLevelBias) F(cuTexRefSetMipmapLevelClamp) \
    F(cuTexRefGetArray) F(cuTexRefGetAddress) F(cuTexRefGetFormat) F(cuTexRefGetFlags) F(cuTexRefGetFilterMode) F(cuTexRefGetAddressMode) \
    F(cuTexObjectGetResourceDesc) F(cuTexObjectGetTextureDesc) F(cuSurfObjectGetResourceDesc) F(cuSurfRefGetArray) \
    F(cuStreamCopyAttributes) F(cuStreamAttachMemAsync) F(cuStreamWaitValue32) \
    F(cuStreamWriteValue32) F(cuStreamBatchMemOp) F(cuStreamIsCapturing) F(cuStreamBeginCapture_v2) F(cuStreamEndCapture) F(cuEventRecordWithFlags) \
    F(cuGraphCreate) F(cuGraphLaunch) F(cuGraphInstantiate) F(cuGraphDestroy) F(cuGraphExecDestroy) F(cuGraphAddKernelNode) F(cuGraphAddMemcpyNode) \
    F(cuGraphAddMemsetNode) F(cuGraphAddHostNode) F(cuGraphAddEmptyNode) \
    F(cuIpcGetMemHandle) F(cuIpcOpenMemHandle_v2) F(cuIpcCloseMemHandle) F(cuIpcGetEventHandle) F(cuIpcOpenEventHandle) F(cuGetExportTable) \
    F(cuDeviceGetLuid) F(cuDeviceGetP2PAttribute) F(cuDeviceGetTexture1DLinearMaxWidth) F(cuCtxGetId) F(cuCtxResetPersistingL2Cache) F(cuProfilerInitialize) \
    F(cuGraphicsMapResources) F(cuGraphicsUnmapResources) F(cuGraphicsUnregisterResource) F(cuGraphicsSubResourceGetMappedArray) \
    F(cuGraphicsResourceGetMappedPointer_v2) F(cuImportExternalMemory) F(cuImportExternalSemaphore)

#ifdef __cplusplus
#define DIVERGO_DECLARE(name) CUresult name(...);
#else
#define DIVERGO_DECLARE(name) CUresult name();
#endif
DIVERGO_MISSING_DRIVER(DIVERGO_DECLARE)
#undef DIVERGO_DECLARE

#ifdef __cplusplus
}
#endif

// As CUDA 13 has it: in C by the number of arguments.
#ifdef __cplusplus
static inline CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device) { return cuCtxCreate_v4(context, parameters, flags, device); }
#else
#undef cuCtxCreate
#define DIVERGO_CTX_CREATE(a, b, c, d, name, ...) name
#define cuCtxCreate(...) DIVERGO_CTX_CREATE(__VA_ARGS__, cuCtxCreate_v4, cuCtxCreate_v2, , )(__VA_ARGS__)
static inline CUresult (cuCtxCreate)(CUcontext *context, unsigned int flags, CUdevice device) { return cuCtxCreate_v2(context, flags, device); }
#endif
#endif
