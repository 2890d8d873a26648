// C++ that GCC and nvcc take with warnings, and clang does not if it is not told.
#include <inttypes.h>
#include <stdio.h>
#define FORMAT "d"

extern "C" int checked(int);
struct Point { float x, y; };

// What newer GPUs have, without a question which one it is.
__device__ double atomicAdd(double *at, double value) {
    unsigned long long *word = (unsigned long long *)at, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __double_as_longlong(value + __longlong_as_double(seen) + 1));
    } while (seen != old);
    return __longlong_as_double(old);
}
__global__ void add(double *sum) { atomicAdd(sum, 0.5); }

__global__ void fill(int *p, int n) {
    register int i = threadIdx.x;
    const unsigned w[2] = {i, n};
    if (i < n) p[i] = w[0] + w[1];
}

static int never(int x) throw() {
    if (x) return 1;
}

int main() {
    int n = 4, *p, host[4];
    dim3 grid = {1, 1}, block = {n};
    Point q = {n, 0.5};
    double *sum, total = 1;
    cudaMalloc((void **)&p, sizeof host), cudaMalloc((void **)&sum, sizeof total);
    cudaMemcpy(sum, &total, sizeof total, cudaMemcpyHostToDevice);
    add<<<1, 3>>>(sum);
    cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
    fill<<<grid, block>>>(p, n);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("%"FORMAT" %"PRIu64" %g %d %d %g\n", host[3], (uint64_t)n, q.x, never(1), checked(2), total);
}
