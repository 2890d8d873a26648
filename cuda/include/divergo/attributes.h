// What the runtime's types and the driver's have in common: a name of a device, and its attributes: number, name in the runtime and in the driver, and where its properties (p) say it
// (CUDA Runtime API 12.1, cudaDeviceAttr; CUDA Driver API, CUdevice_attribute).
#ifndef DIVERGO_ATTRIBUTES_H
#define DIVERGO_ATTRIBUTES_H

struct CUuuid_st { char bytes[16]; };
typedef struct CUuuid_st CUuuid;

#define DIVERGO_ATTRIBUTES(A) \
    A(1, MaxThreadsPerBlock, MAX_THREADS_PER_BLOCK, p.maxThreadsPerBlock) \
    A(2, MaxBlockDimX, MAX_BLOCK_DIM_X, p.maxThreadsDim[0]) \
    A(3, MaxBlockDimY, MAX_BLOCK_DIM_Y, p.maxThreadsDim[1]) \
    A(4, MaxBlockDimZ, MAX_BLOCK_DIM_Z, p.maxThreadsDim[2]) \
    A(5, MaxGridDimX, MAX_GRID_DIM_X, p.maxGridSize[0]) \
    A(6, MaxGridDimY, MAX_GRID_DIM_Y, p.maxGridSize[1]) \
    A(7, MaxGridDimZ, MAX_GRID_DIM_Z, p.maxGridSize[2]) \
    A(8, MaxSharedMemoryPerBlock, MAX_SHARED_MEMORY_PER_BLOCK, p.sharedMemPerBlock) \
    A(9, TotalConstantMemory, TOTAL_CONSTANT_MEMORY, p.totalConstMem) \
    A(10, WarpSize, WARP_SIZE, p.warpSize) \
    A(11, MaxPitch, MAX_PITCH, p.memPitch) \
    A(12, MaxRegistersPerBlock, MAX_REGISTERS_PER_BLOCK, p.regsPerBlock) \
    A(13, ClockRate, CLOCK_RATE, p.clockRate) \
    A(14, TextureAlignment, TEXTURE_ALIGNMENT, p.textureAlignment) \
    A(15, GpuOverlap, GPU_OVERLAP, p.deviceOverlap) \
    A(16, MultiProcessorCount, MULTIPROCESSOR_COUNT, p.multiProcessorCount) \
    A(17, KernelExecTimeout, KERNEL_EXEC_TIMEOUT, p.kernelExecTimeoutEnabled) \
    A(18, Integrated, INTEGRATED, p.integrated) \
    A(19, CanMapHostMemory, CAN_MAP_HOST_MEMORY, p.canMapHostMemory) \
    A(20, ComputeMode, COMPUTE_MODE, p.computeMode) \
    A(21, MaxTexture1DWidth, MAXIMUM_TEXTURE1D_WIDTH, p.maxTexture1D) \
    A(22, MaxTexture2DWidth, MAXIMUM_TEXTURE2D_WIDTH, p.maxTexture2D[0]) \
    A(23, MaxTexture2DHeight, MAXIMUM_TEXTURE2D_HEIGHT, p.maxTexture2D[1]) \
    A(24, MaxTexture3DWidth, MAXIMUM_TEXTURE3D_WIDTH, p.maxTexture3D[0]) \
    A(25, MaxTexture3DHeight, MAXIMUM_TEXTURE3D_HEIGHT, p.maxTexture3D[1]) \
    A(26, MaxTexture3DDepth, MAXIMUM_TEXTURE3D_DEPTH, p.maxTexture3D[2]) \
    A(27, MaxTexture2DLayeredWidth, MAXIMUM_TEXTURE2D_LAYERED_WIDTH, p.maxTexture2DLayered[0]) \
    A(28, MaxTexture2DLayeredHeight, MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, p.maxTexture2DLayered[1]) \
    A(29, MaxTexture2DLayeredLayers, MAXIMUM_TEXTURE2D_LAYERED_LAYERS, p.maxTexture2DLayered[2]) \
    A(30, SurfaceAlignment, SURFACE_ALIGNMENT, p.surfaceAlignment) \
    A(31, ConcurrentKernels, CONCURRENT_KERNELS, p.concurrentKernels) \
    A(32, EccEnabled, ECC_ENABLED, p.ECCEnabled) \
    A(33, PciBusId, PCI_BUS_ID, p.pciBusID) \
    A(34, PciDeviceId, PCI_DEVICE_ID, p.pciDeviceID) \
    A(35, TccDriver, TCC_DRIVER, p.tccDriver) \
    A(36, MemoryClockRate, MEMORY_CLOCK_RATE, p.memoryClockRate) \
    A(37, GlobalMemoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH, p.memoryBusWidth) \
    A(38, L2CacheSize, L2_CACHE_SIZE, p.l2CacheSize) \
    A(39, MaxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR, p.maxThreadsPerMultiProcessor) \
    A(40, AsyncEngineCount, ASYNC_ENGINE_COUNT, p.asyncEngineCount) \
    A(41, UnifiedAddressing, UNIFIED_ADDRESSING, p.unifiedAddressing) \
    A(42, MaxTexture1DLayeredWidth, MAXIMUM_TEXTURE1D_LAYERED_WIDTH, p.maxTexture1DLayered[0]) \
    A(43, MaxTexture1DLayeredLayers, MAXIMUM_TEXTURE1D_LAYERED_LAYERS, p.maxTexture1DLayered[1]) \
    A(45, MaxTexture2DGatherWidth, MAXIMUM_TEXTURE2D_GATHER_WIDTH, p.maxTexture2DGather[0]) \
    A(46, MaxTexture2DGatherHeight, MAXIMUM_TEXTURE2D_GATHER_HEIGHT, p.maxTexture2DGather[1]) \
    A(47, MaxTexture3DWidthAlt, MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, p.maxTexture3DAlt[0]) \
    A(48, MaxTexture3DHeightAlt, MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE, p.maxTexture3DAlt[1]) \
    A(49, MaxTexture3DDepthAlt, MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, p.maxTexture3DAlt[2]) \
    A(50, PciDomainId, PCI_DOMAIN_ID, p.pciDomainID) \
    A(51, TexturePitchAlignment, TEXTURE_PITCH_ALIGNMENT, p.texturePitchAlignment) \
    A(52, MaxTextureCubemapWidth, MAXIMUM_TEXTURECUBEMAP_WIDTH, p.maxTextureCubemap) \
    A(53, MaxTextureCubemapLayeredWidth, MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, p.maxTextureCubemapLayered[0]) \
    A(54, MaxTextureCubemapLayeredLayers, MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, p.maxTextureCubemapLayered[1]) \
    A(55, MaxSurface1DWidth, MAXIMUM_SURFACE1D_WIDTH, p.maxSurface1D) \
    A(56, MaxSurface2DWidth, MAXIMUM_SURFACE2D_WIDTH, p.maxSurface2D[0]) \
    A(57, MaxSurface2DHeight, MAXIMUM_SURFACE2D_HEIGHT, p.maxSurface2D[1]) \
    A(58, MaxSurface3DWidth, MAXIMUM_SURFACE3D_WIDTH, p.maxSurface3D[0]) \
    A(59, MaxSurface3DHeight, MAXIMUM_SURFACE3D_HEIGHT, p.maxSurface3D[1]) \
    A(60, MaxSurface3DDepth, MAXIMUM_SURFACE3D_DEPTH, p.maxSurface3D[2]) \
    A(61, MaxSurface1DLayeredWidth, MAXIMUM_SURFACE1D_LAYERED_WIDTH, p.maxSurface1DLayered[0]) \
    A(62, MaxSurface1DLayeredLayers, MAXIMUM_SURFACE1D_LAYERED_LAYERS, p.maxSurface1DLayered[1]) \
    A(63, MaxSurface2DLayeredWidth, MAXIMUM_SURFACE2D_LAYERED_WIDTH, p.maxSurface2DLayered[0]) \
    A(64, MaxSurface2DLayeredHeight, MAXIMUM_SURFACE2D_LAYERED_HEIGHT, p.maxSurface2DLayered[1]) \
    A(65, MaxSurface2DLayeredLayers, MAXIMUM_SURFACE2D_LAYERED_LAYERS, p.maxSurface2DLayered[2]) \
    A(66, MaxSurfaceCubemapWidth, MAXIMUM_SURFACECUBEMAP_WIDTH, p.maxSurfaceCubemap) \
    A(67, MaxSurfaceCubemapLayeredWidth, MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, p.maxSurfaceCubemapLayered[0]) \
    A(68, MaxSurfaceCubemapLayeredLayers, MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, p.maxSurfaceCubemapLayered[1]) \
    A(69, MaxTexture1DLinearWidth, MAXIMUM_TEXTURE1D_LINEAR_WIDTH, p.maxTexture1DLinear) \
    A(70, MaxTexture2DLinearWidth, MAXIMUM_TEXTURE2D_LINEAR_WIDTH, p.maxTexture2DLinear[0]) \
    A(71, MaxTexture2DLinearHeight, MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, p.maxTexture2DLinear[1]) \
    A(72, MaxTexture2DLinearPitch, MAXIMUM_TEXTURE2D_LINEAR_PITCH, p.maxTexture2DLinear[2]) \
    A(73, MaxTexture2DMipmappedWidth, MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, p.maxTexture2DMipmap[0]) \
    A(74, MaxTexture2DMipmappedHeight, MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, p.maxTexture2DMipmap[1]) \
    A(75, ComputeCapabilityMajor, COMPUTE_CAPABILITY_MAJOR, p.major) \
    A(76, ComputeCapabilityMinor, COMPUTE_CAPABILITY_MINOR, p.minor) \
    A(77, MaxTexture1DMipmappedWidth, MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, p.maxTexture1DMipmap) \
    A(78, StreamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED, p.streamPrioritiesSupported) \
    A(79, GlobalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED, p.globalL1CacheSupported) \
    A(80, LocalL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED, p.localL1CacheSupported) \
    A(81, MaxSharedMemoryPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, p.sharedMemPerMultiprocessor) \
    A(82, MaxRegistersPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR, p.regsPerMultiprocessor) \
    A(83, ManagedMemory, MANAGED_MEMORY, p.managedMemory) \
    A(84, IsMultiGpuBoard, MULTI_GPU_BOARD, p.isMultiGpuBoard) \
    A(85, MultiGpuBoardGroupID, MULTI_GPU_BOARD_GROUP_ID, p.multiGpuBoardGroupID) \
    A(86, HostNativeAtomicSupported, HOST_NATIVE_ATOMIC_SUPPORTED, p.hostNativeAtomicSupported) \
    A(87, SingleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, p.singleToDoublePrecisionPerfRatio) \
    A(88, PageableMemoryAccess, PAGEABLE_MEMORY_ACCESS, p.pageableMemoryAccess) \
    A(89, ConcurrentManagedAccess, CONCURRENT_MANAGED_ACCESS, p.concurrentManagedAccess) \
    A(90, ComputePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED, p.computePreemptionSupported) \
    A(91, CanUseHostPointerForRegisteredMem, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, p.canUseHostPointerForRegisteredMem) \
    A(92, Reserved92, CAN_USE_STREAM_MEM_OPS_V1, 0) \
    A(93, Reserved93, CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 0) \
    A(94, Reserved94, CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 0) \
    A(95, CooperativeLaunch, COOPERATIVE_LAUNCH, p.cooperativeLaunch) \
    A(96, CooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH, p.cooperativeMultiDeviceLaunch) \
    A(97, MaxSharedMemoryPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, p.sharedMemPerBlockOptin) \
    A(98, CanFlushRemoteWrites, CAN_FLUSH_REMOTE_WRITES, 0) \
    A(99, HostRegisterSupported, HOST_REGISTER_SUPPORTED, p.hostRegisterSupported) \
    A(100, PageableMemoryAccessUsesHostPageTables, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, p.pageableMemoryAccessUsesHostPageTables) \
    A(101, DirectManagedMemAccessFromHost, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, p.directManagedMemAccessFromHost) \
    A(106, MaxBlocksPerMultiprocessor, MAX_BLOCKS_PER_MULTIPROCESSOR, p.maxBlocksPerMultiProcessor) \
    A(108, MaxPersistingL2CacheSize, MAX_PERSISTING_L2_CACHE_SIZE, p.persistingL2CacheMaxSize) \
    A(109, MaxAccessPolicyWindowSize, MAX_ACCESS_POLICY_WINDOW_SIZE, p.accessPolicyMaxWindowSize) \
    A(111, ReservedSharedMemoryPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK, p.reservedSharedMemPerBlock) \
    A(112, SparseCudaArraySupported, SPARSE_CUDA_ARRAY_SUPPORTED, p.sparseCudaArraySupported) \
    A(113, HostRegisterReadOnlySupported, READ_ONLY_HOST_REGISTER_SUPPORTED, p.hostRegisterReadOnlySupported) \
    A(114, TimelineSemaphoreInteropSupported, TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, p.timelineSemaphoreInteropSupported) \
    A(115, MemoryPoolsSupported, MEMORY_POOLS_SUPPORTED, p.memoryPoolsSupported) \
    A(116, GPUDirectRDMASupported, GPU_DIRECT_RDMA_SUPPORTED, p.gpuDirectRDMASupported) \
    A(117, GPUDirectRDMAFlushWritesOptions, GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, p.gpuDirectRDMAFlushWritesOptions) \
    A(118, GPUDirectRDMAWritesOrdering, GPU_DIRECT_RDMA_WRITES_ORDERING, p.gpuDirectRDMAWritesOrdering) \
    A(119, MemoryPoolSupportedHandleTypes, MEMPOOL_SUPPORTED_HANDLE_TYPES, p.memoryPoolSupportedHandleTypes) \
    A(120, ClusterLaunch, CLUSTER_LAUNCH, p.clusterLaunch) \
    A(121, DeferredMappingCudaArraySupported, DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, p.deferredMappingCudaArraySupported) \
    A(125, IpcEventSupport, IPC_EVENT_SUPPORTED, p.ipcEventSupported) \
    A(126, MemSyncDomainCount, MEM_SYNC_DOMAIN_COUNT, 1) \
    A(129, UnifiedFunctionPointers, UNIFIED_FUNCTION_POINTERS, p.unifiedFunctionPointers)

#endif
