// What programs for CUDA 12.2 to 13 call, headers of tools that programs include, and devices that copy while they compute.
#include <CL/cl.h>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>
#include "api.h"

int wrong;
#define CHECK(condition) WANT(condition, true)
struct Mine { static constexpr char const *name = "mine", *message = "there"; };

__global__ void add(int *p, int x) { p[threadIdx.x] += x; }
__global__ void condition(cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, 1); }

static void contexts() {
    CUcontext older, newer, now;
    CUctxCreateParams params = {};
    CUexecAffinityParam few = {CU_EXEC_AFFINITY_TYPE_SM_COUNT, {{2}}};
    CUctxCigParam graphics = {CIG_DATA_TYPE_NV_BLOB, nullptr};
    WANT(cuInit(0), CUDA_SUCCESS);
    WANT(cuCtxCreate(&older, 0, 0), CUDA_SUCCESS);
    WANT(cuCtxCreate(&newer, &params, CU_CTX_SCHED_SPIN, 0), CUDA_SUCCESS);
    CHECK(older != newer && cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == newer);
    WANT(cuCtxCreate(&now, nullptr, 0, 0), CUDA_SUCCESS);
    WANT(cuCtxDestroy(now), CUDA_SUCCESS);
    WANT(cuCtxCreate(&now, &params, 0, 1), CUDA_ERROR_INVALID_DEVICE);
    params.execAffinityParams = &few;
    WANT(cuCtxCreate(&now, &params, 0, 0), CUDA_ERROR_INVALID_VALUE);
    params.numExecAffinityParams = 1;
    WANT(cuCtxCreate(&now, &params, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    WANT(cuCtxCreate_v3(&now, &few, 1, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    params.cigParams = &graphics;
    WANT(cuCtxCreate(&now, &params, 0, 0), CUDA_ERROR_INVALID_VALUE);
    params.execAffinityParams = nullptr, params.numExecAffinityParams = 0;
    WANT(cuCtxCreate_v4(&now, &params, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
    void *second, *third, *fourth;
    WANT(cuGetProcAddress("cuCtxCreate", &second, 11000, 0, nullptr), CUDA_SUCCESS);
    WANT(cuGetProcAddress("cuCtxCreate", &third, 12000, 0, nullptr), CUDA_SUCCESS);
    WANT(cuGetProcAddress("cuCtxCreate", &fourth, 13000, 0, nullptr), CUDA_SUCCESS);
    CHECK(third == (void *)cuCtxCreate_v3 && fourth == (void *)cuCtxCreate_v4 && second != third);
    WANT(((CUresult(*)(CUcontext *, unsigned int, CUdevice))second)(&now, 0, 0), CUDA_SUCCESS);
    WANT(cuCtxDestroy(now), CUDA_SUCCESS);
    WANT(cuCtxDestroy(newer), CUDA_SUCCESS);
    WANT(cuCtxDestroy(older), CUDA_SUCCESS);
}

static void locations() {
    int *p;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0}, numa = {cudaMemLocationTypeHostNuma, 3}, other = {cudaMemLocationTypeDevice, 1}, none = {};
    WANT(cudaMallocManaged(&p, 32 * sizeof *p), cudaSuccess);
    for (int i = 0; i < 32; i++) p[i] = i;
    WANT(cudaMemAdvise(p, 128, cudaMemAdviseSetPreferredLocation, device), cudaSuccess);
    WANT(cudaMemAdvise(p, 128, cudaMemAdviseSetAccessedBy, host), cudaSuccess);
    WANT(cudaMemAdvise(p, 128, cudaMemAdviseSetReadMostly, none), cudaSuccess);
    WANT(cudaMemAdvise(p, 128, cudaMemAdviseSetAccessedBy, none), cudaErrorInvalidValue);
    WANT(cudaMemAdvise(p, 128, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId), cudaSuccess);
    WANT(cudaMemPrefetchAsync(p, 128, device, 0, 0), cudaSuccess);
    WANT(cudaMemPrefetchAsync(p, 128, 0, 0), cudaSuccess);
    add<<<1, 32>>>(p, 100);
    WANT(cudaMemPrefetchAsync(p, 128, host, 0), cudaSuccess);
    WANT(cudaMemPrefetchAsync_v2(p, 128, numa, 0, 0), cudaSuccess);
    WANT(cudaMemPrefetchAsync(p, 128, other, 0), cudaErrorInvalidDevice);
    WANT(cudaMemPrefetchAsync(p, 128, none, 0), cudaErrorInvalidValue);
    WANT(cudaMemPrefetchAsync(p, 128, host, 1), cudaErrorInvalidValue);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 32; i++) CHECK(p[i] == 100 + i);
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned, props.location = host;
    WANT(cudaMemPoolCreate(&pool, &props), cudaErrorNotSupported);
    cudaGetLastError();
}

static void conditional() {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle;
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.type = cudaGraphCondTypeWhile, params.conditional.size = 1;
    WANT(cudaGraphCreate(&graph, 0), cudaSuccess);
    WANT(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault), cudaErrorNotSupported);
    WANT(cudaGraphAddNode(&node, graph, nullptr, 0, &params), cudaErrorNotSupported);
    cudaGetLastError();
}

static void marks() {
    NVTX3_FUNC_RANGE();
    nvtx3::scoped_range range{"range", nvtx3::rgb{1, 2, 3}, nvtx3::payload{7}};
    nvtx3::scoped_range_in<Mine> other(nvtx3::registered_string_in<Mine>::get<Mine>());
    nvtx3::mark(nvtx3::event_attributes{"mark", nvtx3::category{3}});
    nvtx3::end_range(nvtx3::start_range("range"));
    nvtxEventAttributes_t a = {};
    a.version = NVTX_VERSION, a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE, a.messageType = NVTX_MESSAGE_TYPE_ASCII, a.message.ascii = "a";
    nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
    nvtxNameCudaStreamA(0, "stream"), nvtxNameOsThread(1, "thread"), nvtxMark("mark");
    CHECK(nvtxRangePush("range") < 0 && nvtxRangePushEx(&a) < 0 && nvtxRangePop() < 0 && nvtxDomainRangePop(domain) < 0);
    nvtxRangeEnd(nvtxRangeStart("range"));
}

// Copies of one half beside the kernel of the other, which a device with deviceOverlap may do at a time.
static void overlap() {
    const int n = 64;
    int count = 0, overlaps = 0, *host, *device;
    cudaDeviceProp p;
    WANT(cudaGetDeviceProperties(&p, 0), cudaSuccess);
    WANT(cudaDeviceGetAttribute(&count, cudaDevAttrAsyncEngineCount, 0), cudaSuccess);
    WANT(cudaDeviceGetAttribute(&overlaps, cudaDevAttrGpuOverlap, 0), cudaSuccess);
    CHECK(p.deviceOverlap == 1 && p.asyncEngineCount == 2 && count == 2 && overlaps == 1);
    cudaStream_t streams[2];
    WANT(cudaMallocHost(&host, 2 * n * sizeof *host), cudaSuccess);
    WANT(cudaMalloc(&device, 2 * n * sizeof *device), cudaSuccess);
    for (int i = 0; i < 2 * n; i++) host[i] = i;
    for (int i = 0; i < 2; i++) {
        WANT(cudaStreamCreate(&streams[i]), cudaSuccess);
        WANT(cudaMemcpyAsync(device + n * i, host + n * i, n * sizeof *host, cudaMemcpyHostToDevice, streams[i]), cudaSuccess);
        add<<<1, n, 0, streams[i]>>>(device + n * i, 1000 * (i + 1));
        WANT(cudaMemcpyAsync(host + n * i, device + n * i, n * sizeof *host, cudaMemcpyDeviceToHost, streams[i]), cudaSuccess);
    }
    for (int i = 0; i < 2; i++) WANT(cudaStreamSynchronize(streams[i]), cudaSuccess);
    for (int i = 0; i < 2 * n; i++) CHECK(host[i] == i + 1000 * (i / n + 1));
}

int main() {
    cl_int unused = CL_SUCCESS;
    contexts();
    locations();
    conditional();
    marks();
    overlap();
    printf("%d wrong\n", wrong + unused);
    condition<<<1, 1>>>(0);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
