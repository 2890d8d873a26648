// How much memory the device has, by each function that says so, and how much of it can be allocated.
#include <cstdio>
#include <cuda.h>

__global__ void ends(char *p, size_t last) { p[0] = p[last] = 1; }

int main() {
    size_t left, total, driver;
    cudaDeviceProp p;
    cudaMemGetInfo(&left, &total), cudaGetDeviceProperties(&p, 0), cuDeviceTotalMem(&driver, 0);
    printf("%zu %zu %zu %zu\n", left, total, p.totalGlobalMem, driver);
    char *a, *b, host = 0;
    printf("%s", cudaGetErrorName(cudaMalloc(&a, total)));
    printf(" %s\n", cudaGetErrorName(cudaMalloc(&b, 1)));
    ends<<<1, 1>>>(a, total - 1);
    cudaMemcpy(&host, a + total - 1, 1, cudaMemcpyDeviceToHost);
    cudaMemGetInfo(&left, &total);
    printf("%d %zu %s\n", host, left, cudaGetErrorName(cudaFree(a)));
}
