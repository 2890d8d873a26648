// A sum in the manner of NVIDIA's sample reduction: the first warp adds up what each warp has left in shared memory, by
// shuffles that only as many lanes execute as there are warps. They also read lanes that take no part, which PTX leaves
// open; the sum is right if those read as 0.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int warpSum(unsigned mask, int sum) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(mask, sum, offset);
    return sum;
}

__global__ void blockSum(const int *from, int *to, int n) {
    __shared__ int part[32];
    int tid = threadIdx.x, sum = 0;
    unsigned mask = blockDim.x < warpSize ? (1u << blockDim.x) - 1 : ~0u;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x) sum += from[i];
    sum = warpSum(mask, sum);
    if (tid % warpSize == 0) part[tid / warpSize] = sum;
    __syncthreads();
    int warps = blockDim.x < warpSize ? 1 : blockDim.x / warpSize;
    unsigned first = __ballot_sync(mask, tid < warps);
    if (tid < warps) sum = warpSum(first, part[tid]);
    if (tid == 0) to[blockIdx.x] = sum;
}

int main() {
    const int n = 1000, blocks = 2;
    int *from, *to;
    cudaMallocManaged(&from, n * sizeof(int));
    cudaMallocManaged(&to, blocks * sizeof(int));
    for (int i = 0; i < n; i++) from[i] = i + 1;
    for (int threads = 16; threads <= 512; threads *= 2) {
        blockSum<<<blocks, threads>>>(from, to, n);
        cudaDeviceSynchronize();
        printf("%d\n", to[0] + to[1]); // n * (n + 1) / 2 = 500500
    }
}
