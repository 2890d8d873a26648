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

// Variables by name, and launches piece by piece.
__constant__ float scale[2];
__constant__ char letters[8];
__global__ void scaled(double *sum, char at, float by) { *sum += scale[1] * by + letters[at]; }

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
    const float half[2] = {1, 0.25f};
    char word[8] = "divergo", gone[8];
    cudaMemcpyToSymbol("scale", half, sizeof half);
    cudaMemcpyToSymbol(letters, word, sizeof word);
    cudaMemcpyFromSymbol(gone, "letters", sizeof gone);
    if (cudaMemcpyToSymbol("scael", half, 4) != cudaErrorInvalidSymbol || gone[6] != 'o') printf("wrong\n");
    cudaConfigureCall(grid, dim3(1)), cudaSetupArgument(sum, 0), cudaSetupArgument((char)1, 8), cudaSetupArgument(2.0f, 12);
    if (cudaLaunch(scaled) != cudaSuccess) printf("not launched\n");
    cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
    fill<<<grid, block>>>(p, n);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("%"FORMAT" %"PRIu64" %g %d %d %g\n", host[3], (uint64_t)n, q.x, never(1), checked(2), total);
}
