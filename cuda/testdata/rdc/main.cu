// Device functions, variables and constants of another file, and names that each file has for itself.
#include <cstdio>
#include "shared.h"

extern __device__ int table[4];
extern __constant__ int offset;
__device__ static int own = 3;

__global__ void fill(int *p) { p[threadIdx.x] = twice(table[threadIdx.x]) + own; }
__global__ void indirect(int *p, int which) {
    Function f = functions[which];
    p[threadIdx.x] = f(threadIdx.x);
}

static void print(int *p) {
    int h[4];
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
}

int main() {
    int *p, hundred = 100, v;
    cudaMalloc(&p, 16);
    cudaMemcpyToSymbol(offset, &hundred, sizeof hundred);
    fill<<<1, 4>>>(p), print(p);
    indirect<<<1, 4>>>(p, 1), print(p);
    same<int><<<1, 4>>>(p), print(p);
    cudaMemcpyFromSymbol(&v, own, sizeof v);
    printf("%d %d\n", v, other());
    return cudaGetLastError() != cudaSuccess;
}
