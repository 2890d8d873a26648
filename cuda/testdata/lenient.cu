// C++ that GCC and nvcc take with warnings, and clang does not if it is not told.
#include <inttypes.h>
#include <stdio.h>
#define FORMAT "d"

extern "C" int checked(int);
struct Point { float x, y; };

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
    cudaMalloc((void **)&p, sizeof host);
    fill<<<grid, block>>>(p, n);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("%"FORMAT" %"PRIu64" %g %d %d\n", host[3], (uint64_t)n, q.x, never(1), checked(2));
}
