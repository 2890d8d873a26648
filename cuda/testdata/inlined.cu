// Faults in functions of headers, at lines that HERE marks: the number behind it is that of the kernel.
#include <cuda_fp16.h>
#include <mma.h>
#include "inlined.h"
using namespace nvcuda::wmma;

__device__ int fromDevice(int *p) {
    p += 1000000;
    return atomicAdd(p, 1); // HERE 0
}
__global__ void k0(int *p) {
    const int x = *p;
    *p = x + fromDevice(p);
}
__global__ void k1(int *p) {
    int *far = p + 1000000, i = threadIdx.x;
    p[i] = 3;
    p[i + 1] += __ldg(far + i); // HERE 1
    p[i + 2] = 5;
}
__global__ void k2(int *p) {
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    load_matrix_sync(a, (half *)p + 1000000, 16); // HERE 2
    __syncthreads();
    *p = (int)(float)a.x[0];
}
__global__ void k3(int *p) {
    if (*p == 0)
        __trap(); // HERE 3
    *p = 1;
}
__global__ void k4(int *p) {
    if (threadIdx.x > 3)
        __syncwarp(); // HERE 4
    *p = 1;
}
__global__ void k5(int *p) { *p = fromHeader(p); }

int main(int argc, char **argv) {
    void (*kernels[])(int *) = {k0, k1, k2, k3, k4, k5};
    int *p;
    cudaMalloc(&p, 256), cudaMemset(p, 0, 256);
    kernels[argv[1][0] - '0']<<<1, 32>>>(p);
    return cudaDeviceSynchronize() == cudaSuccess;
}
