#include "part.h"

__device__ int total = 10;

namespace {
__global__ void add(int x) { total += 3 * x - 10; }
}

int part(int x) {
    int t;
    add<<<1, 1>>>(x);
    cudaMemcpyFromSymbol(&t, total, sizeof t);
    return t + (x == 6 ? 10 : 0);
}
