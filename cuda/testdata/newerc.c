// What CUDA 13 has with other parameters, in C, beside the same functions with those of CUDA 12.
#include <stdio.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

static int wrong;
#define WANT(call, error) ((call) == (error) ? 0 : (wrong++, printf("line %d\n", __LINE__)))

int main(void) {
    CUresult (*create)(CUcontext *, unsigned int, CUdevice) = cuCtxCreate;
    CUctxCreateParams params = {0};
    CUexecAffinityParam few = {CU_EXEC_AFFINITY_TYPE_SM_COUNT, {{1}}};
    CUcontext contexts[4] = {NULL}, now = NULL;
    struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    void *p;
    WANT(cuInit(0), CUDA_SUCCESS);
    WANT(cuCtxCreate(&contexts[0], 0, 0), CUDA_SUCCESS);
    WANT(create(&contexts[1], 0, 0), CUDA_SUCCESS);
    WANT(cuCtxCreate(&contexts[2], NULL, 0, 0), CUDA_SUCCESS);
    WANT(cuCtxCreate(&contexts[3], &params, CU_CTX_SCHED_SPIN, 0), CUDA_SUCCESS);
    WANT(cuCtxGetCurrent(&now), CUDA_SUCCESS);
    WANT(now == contexts[3], 1);
    params.execAffinityParams = &few, params.numExecAffinityParams = 1;
    WANT(cuCtxCreate(&now, &params, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    WANT(cuCtxCreate(&now, 0, 1), CUDA_ERROR_INVALID_DEVICE);

    WANT(cudaMallocManaged(&p, 128, cudaMemAttachGlobal), cudaSuccess);
    WANT(cudaMemAdvise(p, 128, cudaMemAdviseSetPreferredLocation, device), cudaSuccess);
    WANT(cudaMemAdvise(p, 128, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
    WANT(cudaMemPrefetchAsync(p, 128, host, 0, 0), cudaSuccess);
    WANT(cudaMemPrefetchAsync(p, 128, 0, 0), cudaSuccess);
    WANT(cudaMemPrefetchAsync(p, 128, host, 1, 0), cudaErrorInvalidValue);
    printf("%d wrong\n", wrong);
    return 0;
}
