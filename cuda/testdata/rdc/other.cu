#include "shared.h"

__device__ int table[4] = {1, 2, 3, 4};
__constant__ int offset = 0;
__device__ static int own = 5;

// A use by the device before one by the host.
__device__ int twice(int x) { return 2 * x + offset + own; }
__device__ int negative(int x) { return -x; }
__device__ Function functions[2] = {twice, negative};

int other() {
    int *p, v = 0;
    cudaMalloc(&p, 16);
    same<int><<<1, 4>>>(p);
    cudaMemcpyFromSymbol(&v, own, sizeof v);
    return v;
}
