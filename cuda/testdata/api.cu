// The runtime API, call by call, each with what CUDA's manual says of it.
#include <cstdio>
#include <cstring>
#include <vector>
#include "cuda_runtime.h"
#include <cuda.h>
#include "api.h"

int wrong;

__managed__ int both = 40;
__device__ __managed__ float pair[2] = {1.5f, 2.5f};
__device__ int alone = 7;
__constant__ int fixed = 9;

__global__ void touch(int *list, int n) {
    if (threadIdx.x < n) list[threadIdx.x] += both;
    __syncthreads();
    if (threadIdx.x == 0) both += 1, pair[1] += pair[0];
}
__global__ void shared(int *out) {
    extern __shared__ int room[];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x] + alone + fixed;
}
__global__ __launch_bounds__(64) void bounded(int *out) { out[0] = 1; }
__global__ void through(int *to) { *to += 1; }
__global__ void shape(int *to) {
    unsigned bytes;
    asm("mov.u32 %0, %dynamic_smem_size;" : "=r"(bytes));
    atomicAdd(to, threadIdx.x == 0 ? 10 + (int)bytes : 10);
}

static void count(void *data) { ++*(int *)data; }
static void counted(cudaStream_t, cudaError_t status, void *data) { *(int *)data += status == cudaSuccess; }

static void memory() {
    // Memory of both sides.
    int *list;
    WANT(cudaMallocManaged(&list, 8 * sizeof(int)), cudaSuccess);
    for (int i = 0; i < 8; i++) list[i] = i;
    WANT(both, 40);
    touch<<<1, 8>>>(list, 8);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    WANT(list[7], 47);
    WANT(both, 41);
    WANT(pair[1], 4.0f);
    both = 100;
    list[3] = -100;
    touch<<<1, 8>>>(list, 8);
    WANT(list[3], 0);
    WANT(both, 101);
    int sent = 5, got[8] = {};
    WANT(cudaMemcpyToSymbol(both, &sent, sizeof sent), cudaSuccess);
    WANT(both, 5);
    WANT(cudaMemset(list, 0, 8 * sizeof(int)), cudaSuccess);
    WANT(cudaMemcpy(list + 1, &sent, sizeof sent, cudaMemcpyHostToDevice), cudaSuccess);
    WANT(cudaMemcpy(got, list, sizeof got, cudaMemcpyDeviceToHost), cudaSuccess);
    WANT(got[1], 5);
    WANT(got[7], 0);
    WANT(cudaMemPrefetchAsync(list, 32, 0), cudaSuccess);
    WANT(cudaMemAdvise(list, 32, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
    cudaPointerAttributes a;
    WANT(cudaPointerGetAttributes(&a, list + 2), cudaSuccess);
    WANT(a.type, cudaMemoryTypeManaged);
    WANT(cudaFree(list), cudaSuccess);

    // The host's, reached by the device.
    int *host, *device, *pinned;
    WANT(cudaHostAlloc(&host, sizeof(int), cudaHostAllocMapped), cudaSuccess);
    WANT(cudaHostGetDevicePointer(&device, host, 0), cudaSuccess);
    *host = 10;
    through<<<1, 1>>>(device);
    WANT(*host, 11);
    unsigned flags;
    WANT(cudaHostGetFlags(&flags, host), cudaSuccess);
    WANT(flags, cudaHostAllocMapped);
    WANT(cudaFreeHost(host), cudaSuccess);
    WANT(cudaMallocHost(&pinned, 64), cudaSuccess);
    WANT(cudaHostGetDevicePointer(&device, pinned, 0), cudaErrorInvalidValue);
    WANT(cudaPointerGetAttributes(&a, pinned), cudaSuccess);
    WANT(a.type, cudaMemoryTypeUnregistered);
    WANT(cudaHostRegister(pinned, 64, cudaHostRegisterDefault), cudaSuccess);
    WANT(cudaHostUnregister(pinned), cudaSuccess);
    WANT(cudaHostRegister(pinned, 64, cudaHostRegisterMapped), cudaSuccess);
    WANT(cudaHostRegister(pinned, 64, cudaHostRegisterMapped), cudaErrorHostMemoryAlreadyRegistered);
    WANT(cudaHostGetDevicePointer(&device, pinned + 3, 0), cudaSuccess);
    pinned[3] = 20;
    cudaLaunchAttribute together = {};
    together.id = cudaLaunchAttributeCooperative, together.val.cooperative = 1;
    cudaLaunchConfig_t how = {};
    how.gridDim = 1, how.blockDim = 1, how.attrs = &together, how.numAttrs = 1;
    WANT(cudaLaunchKernelEx(&how, through, device), cudaSuccess);
    WANT(pinned[3], 21);
    size_t left = 0, total = 0;
    WANT(cuMemGetInfo(&left, &total), CUDA_SUCCESS); // in the runtime's context
    WANT(left > 0 && left < total, true);
    cudaStream_t told, copy;
    cudaStreamAttrValue window = {}, seen;
    unsigned long long id, other;
    WANT(cudaStreamCreate(&told), cudaSuccess);
    WANT(cudaStreamCreateWithPriority(&copy, 0, 0), cudaSuccess);
    window.accessPolicyWindow.num_bytes = 99;
    WANT(cudaStreamSetAttribute(told, cudaStreamAttributeAccessPolicyWindow, &window), cudaSuccess);
    WANT(cudaStreamCopyAttributes(copy, told), cudaSuccess);
    WANT(cudaStreamGetAttribute(copy, cudaStreamAttributeAccessPolicyWindow, &seen), cudaSuccess);
    WANT(seen.accessPolicyWindow.num_bytes, 99u);
    WANT(cudaStreamGetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &seen), cudaSuccess);
    WANT(seen.accessPolicyWindow.num_bytes, 0u);
    WANT(cudaStreamSetAttribute(told, (cudaStreamAttrID)77, &window), cudaErrorInvalidValue);
    WANT(cudaStreamGetId(told, &id), cudaSuccess);
    WANT(cudaStreamGetId(copy, &other), cudaSuccess);
    WANT(id == other, false);
    WANT(cudaCtxResetPersistingL2Cache(), cudaSuccess);
    WANT(cudaStreamDestroy(copy), cudaSuccess);
    cudaLaunchConfig_t plain = {};
    plain.gridDim = 2, plain.blockDim = 3, plain.dynamicSmemBytes = 8;
    WANT(cudaLaunchKernelEx(&plain, shape, device), cudaSuccess);
    WANT(pinned[3], 21 + 6 * 10 + 2 * 8); // six threads, the first of each block with what its block has of shared memory
    how.gridDim = 1 << 20;
    WANT(cudaLaunchKernelEx(&how, through, device), cudaErrorCooperativeLaunchTooLarge);
    WANT(cudaHostUnregister(pinned), cudaSuccess);
    WANT(cudaHostGetDevicePointer(&device, pinned, 0), cudaErrorInvalidValue);
    WANT(cudaFreeHost(pinned), cudaSuccess);

    // Rows and planes.
    cudaPitchedPtr box;
    const cudaExtent extent = make_cudaExtent(5, 4, 3);
    WANT(cudaMalloc3D(&box, extent), cudaSuccess);
    WANT(box.pitch >= 5, true);
    WANT(cudaPointerGetAttributes(&a, box.ptr), cudaSuccess);
    WANT(a.type, cudaMemoryTypeDevice);
    WANT(cudaMemset3D(box, 'x', extent), cudaSuccess);
    std::vector<char> in(60), out(60);
    for (int i = 0; i < 60; i++) in[i] = (char)i;
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(in.data(), 5, 5, 4), p.dstPtr = box, p.kind = cudaMemcpyHostToDevice;
    p.extent = make_cudaExtent(3, 2, 2), p.srcPos = make_cudaPos(1, 1, 1), p.dstPos = make_cudaPos(2, 2, 0);
    WANT(cudaMemcpy3D(&p), cudaSuccess);
    p = {};
    p.srcPtr = box, p.dstPtr = make_cudaPitchedPtr(out.data(), 5, 5, 4), p.kind = cudaMemcpyDeviceToHost, p.extent = extent;
    WANT(cudaMemcpy3D(&p), cudaSuccess);
    WANT(out[0], 'x');
    WANT((int)out[20 + 2 * 5 + 2], 40 + 5 + 1); // plane 1, row 2, byte 2 comes from plane 2, row 1, byte 1
    WANT(out[40 + 2 * 5 + 2], 'x');
    WANT(cudaMemcpyPeer(box.ptr, 0, (char *)box.ptr + box.pitch, 0, 5), cudaSuccess);
    WANT(cudaMemcpyPeer(box.ptr, 1, box.ptr, 0, 5), cudaErrorInvalidDevice);
    WANT(cudaMemcpy2D(out.data(), 4, box.ptr, box.pitch, 5, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
    WANT(cudaFree(box.ptr), cudaSuccess);
    WANT(cudaPointerGetAttributes(&a, box.ptr), cudaErrorInvalidDevicePointer);
    cudaGetLastError();

    // Pools.
    cudaMemPool_t pool, own;
    uint64_t threshold = 1 << 20, kept = 0;
    int reuse = 7;
    WANT(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    WANT(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), cudaSuccess);
    WANT(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), cudaSuccess);
    WANT(kept, threshold);
    WANT(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse), cudaSuccess);
    WANT(reuse, 1);
    cudaMemPoolProps wanted = {};
    WANT(cudaMemPoolCreate(&own, &wanted), cudaErrorInvalidValue);
    wanted.allocType = cudaMemAllocationTypePinned, wanted.location = {cudaMemLocationTypeDevice, 0};
    WANT(cudaMemPoolCreate(&own, &wanted), cudaSuccess);
    WANT(cudaDeviceSetMemPool(0, own), cudaSuccess);
    WANT(cudaMallocFromPoolAsync(&device, 64, own, 0), cudaSuccess);
    WANT(cudaMemsetAsync(device, 1, 64), cudaSuccess);
    WANT(cudaFreeAsync(device, 0), cudaSuccess);
    WANT(cudaMallocAsync(&device, 64, own, 0), cudaSuccess);
    WANT(cudaFreeAsync(device, 0), cudaSuccess);
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    cudaMemAccessFlags accessible = cudaMemAccessFlagsProtNone;
    WANT(cudaMemPoolSetAccess(own, &access, 1), cudaSuccess);
    WANT(cudaMemPoolGetAccess(&accessible, own, &access.location), cudaSuccess);
    WANT(accessible, cudaMemAccessFlagsProtReadWrite);
    access.flags = cudaMemAccessFlagsProtNone; // which the device of the pool always has
    WANT(cudaMemPoolSetAccess(own, &access, 1), cudaErrorInvalidValue);
    access.location.id = 1;
    WANT(cudaMemPoolSetAccess(own, &access, 1), cudaErrorInvalidDevice);
    WANT(cudaMemPoolTrimTo(own, 0), cudaSuccess);
    WANT(cudaDeviceGraphMemTrim(0), cudaSuccess);
    WANT(cudaDeviceGraphMemTrim(1), cudaErrorInvalidDevice);
    WANT(cudaMemPoolDestroy(own), cudaSuccess);
    WANT(cudaDeviceGetMemPool(&own, 0), cudaSuccess);
    WANT(own, pool);
    cudaGetLastError();

    void *address;
    size_t bytes;
    int value = 70;
    WANT(cudaGetSymbolAddress(&address, alone), cudaSuccess);
    WANT(cudaGetSymbolSize(&bytes, alone), cudaSuccess);
    WANT(bytes, sizeof(int));
    WANT(cudaMemcpy(address, &value, sizeof value, cudaMemcpyHostToDevice), cudaSuccess);
    WANT(otherAlone(), 700); // the variable of the other file
    value = 0;
    WANT(cudaMemcpyFromSymbol(&value, alone, sizeof value), cudaSuccess);
    WANT(value, 70);
}

static void kernels() {
    cudaFuncAttributes f;
    WANT(cudaFuncGetAttributes(&f, bounded), cudaSuccess);
    WANT(f.maxThreadsPerBlock, 64);
    WANT(f.numRegs > 0, true);
    cudaDeviceProp prop;
    WANT(cudaGetDeviceProperties(&prop, 0), cudaSuccess);
    WANT(cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)prop.sharedMemPerBlock), cudaSuccess);
    WANT(cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)prop.sharedMemPerBlock + 1), cudaErrorInvalidValue);
    WANT(cudaFuncSetCacheConfig(shared, cudaFuncCachePreferL1), cudaSuccess);
    int blocks, grid, block;
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared, 128, prop.sharedMemPerBlock / 2), cudaSuccess);
    WANT(blocks, 2);
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, shared, 128, prop.sharedMemPerBlock, cudaOccupancyDefault), cudaSuccess);
    WANT(blocks, 1);
    size_t bytes;
    WANT(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, shared, 2, 128), cudaSuccess);
    WANT(bytes, prop.sharedMemPerBlock / 2);
    WANT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded), cudaSuccess);
    WANT(block, 64);
    WANT(grid % prop.multiProcessorCount, 0);
    WANT(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, shared, [](int b) { return b * sizeof(int); }), cudaSuccess);
    int *out, first;
    cudaMalloc(&out, block * sizeof(int));
    void *args[] = {&out};
    WANT(cudaLaunchKernel(shared, dim3(1), dim3(block), args, block * sizeof(int), 0), cudaSuccess);
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    WANT(first, block - 1 + 70 + 9);
    WANT(cudaLaunchKernel((const void *)&first, dim3(1), dim3(1), args, 0, 0), cudaErrorInvalidDeviceFunction);
    WANT(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    WANT(cudaFree(out), cudaSuccess);
}

static void order() {
    cudaStream_t s;
    cudaEvent_t e, never;
    int calls = 0, priority = 9, least, greatest;
    unsigned flags;
    float ms;
    WANT(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -1), cudaSuccess);
    WANT(cudaStreamGetPriority(s, &priority), cudaSuccess);
    WANT(priority, -1);
    WANT(cudaStreamGetFlags(s, &flags), cudaSuccess);
    WANT(flags, cudaStreamNonBlocking);
    WANT(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
    WANT(cudaStreamAddCallback(s, counted, &calls, 0), cudaSuccess);
    WANT(cudaLaunchHostFunc(s, count, &calls), cudaSuccess);
    WANT(calls, 2);
    WANT(cudaStreamQuery(s), cudaSuccess);
    WANT(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), cudaSuccess);
    WANT(cudaEventCreate(&never), cudaSuccess);
    WANT(cudaEventQuery(never), cudaSuccess);
    WANT(cudaEventRecord(e, s), cudaSuccess);
    WANT(cudaEventQuery(e), cudaSuccess);
    WANT(cudaStreamWaitEvent(s, e), cudaSuccess);
    WANT(cudaEventElapsedTime(&ms, e, never), cudaErrorInvalidResourceHandle);
    WANT(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    WANT(cudaEventRecord(NULL), cudaErrorInvalidResourceHandle);
    WANT(cudaStreamSynchronize(s), cudaSuccess);
    WANT(cudaStreamDestroy(s), cudaSuccess);
    WANT(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
    WANT(cudaEventDestroy(e), cudaSuccess);
    cudaGetLastError();
}

static void device() {
    int can = 9, value, version;
    size_t limit;
    char name[20];
    WANT(cudaDeviceCanAccessPeer(&can, 0, 0), cudaSuccess);
    WANT(can, 0);
    WANT(cudaDeviceCanAccessPeer(&can, 0, 1), cudaErrorInvalidDevice);
    WANT(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1), cudaErrorInvalidDevice);
    WANT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
    WANT(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    WANT(cudaDeviceSetLimit(cudaLimitStackSize, 4096), cudaSuccess);
    WANT(cudaDeviceGetLimit(&limit, cudaLimitStackSize), cudaSuccess);
    WANT(limit, 4096u);
    WANT(cudaDeviceGetLimit(&limit, (cudaLimit)77), cudaErrorUnsupportedLimit);
    WANT(cudaDeviceGetAttribute(&value, cudaDevAttrManagedMemory, 0), cudaSuccess);
    WANT(value, 1);
    WANT(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)7777, 0), cudaErrorInvalidValue);
    WANT(cudaDeviceGetPCIBusId(name, sizeof name, 0), cudaSuccess);
    WANT(cudaDeviceGetByPCIBusId(&value, name), cudaSuccess);
    WANT(cudaRuntimeGetVersion(&version), cudaSuccess);
    WANT(version, CUDART_VERSION);
    WANT(strcmp(cudaGetErrorName(cudaErrorPeerAccessNotEnabled), "cudaErrorPeerAccessNotEnabled"), 0);

    // An error stays until it is asked for, and a call that succeeds does not hide it.
    cudaGetLastError();
    WANT(cudaSetDevice(3), cudaErrorInvalidDevice);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    WANT(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    WANT(cudaGetLastError(), cudaErrorInvalidDevice);
    WANT(cudaGetLastError(), cudaSuccess);

    // What is not supported.
#define CALL(name) WANT(name(), cudaErrorNotSupported);
    DIVERGO_MISSING(CALL)
    WANT(cudaGetLastError(), cudaErrorNotSupported);

    // The device forgets what it had.
    int *p;
    size_t before, left, all;
    cudaMemGetInfo(&before, &all);
    WANT(cudaMalloc(&p, 1 << 20), cudaSuccess);
    WANT(cudaDeviceReset(), cudaSuccess);
    cudaMemGetInfo(&left, &all);
    WANT(left, before);
    WANT(cudaMemset(p, 0, 4), cudaErrorInvalidValue);
    WANT(cudaMemcpyFromSymbol(&value, alone, sizeof value), cudaSuccess);
    WANT(value, 7);
    WANT(both, 40);
    cudaMalloc(&p, 64 * sizeof(int));
    shared<<<1, 64, 64 * sizeof(int)>>>(p);
    WANT(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    WANT(value, 63 + 7 + 9);
}

int main() {
    memory();
    kernels();
    order();
    device();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
