// Spellings that nvcc takes: blanks between the brackets of a launch, and alignas behind __shared__. What only looks like
// one of them stays as it is.
#include <cstdint>
#include <cstdio>
#include <vector>
#include "spelling.h"

__global__ void add(int *p, int x) { p[threadIdx.x] += x; }
template <class T> __global__ void addAll(T *p, T x) { p[blockIdx.x * blockDim.x + threadIdx.x] += x; }

__global__ void aligned(uintptr_t *out, int *p) {
    __shared__ char odd[3];
    __shared__ alignas(16) char a[5];
    __shared__ alignas(double) char b[1];
    static __shared__ alignas(32) int c[4];
    extern __shared__ alignas(16) int d[];
    volatile __shared__
        alignas(2 * (4 + 4)) char e[1];
    odd[0] = 1, a[4] = 2, b[0] = 3, c[3] = 4, d[threadIdx.x] = 5, e[0] = 6;
    out[0] = (uintptr_t)__cvta_generic_to_shared(a) % 16 + (uintptr_t)__cvta_generic_to_shared(b) % alignof(double) + (uintptr_t)__cvta_generic_to_shared(c) % 32 +
             (uintptr_t)__cvta_generic_to_shared(d) % 16 + (uintptr_t)__cvta_generic_to_shared((char *)e) % 16;
    *p = odd[0] + a[4] + b[0] + c[3] + d[0] + e[0];
}

int main() {
    int *p, host[4];
    uintptr_t *at, off;
    cudaMalloc(&p, sizeof host), cudaMemset(p, 0, sizeof host), cudaMalloc(&at, sizeof off);
    add << <1, 4 >> >(p, 1);
    add <<<dim3(1), 4>> > (p, 10);
    add << <
        1,
        4
        >> >(p, 100); // not k << <1, 1 >> >(p)
    addAll<int> << <2, 2, sizeof(std::vector<std::vector<int>> ) >> >(p, 1000);
    LAUNCH(add, p, 10000);
    fromHeader(add, p, 100000);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
    aligned << <1, 1, 64 >> >(at, p);
    cudaMemcpy(&off, at, sizeof off, cudaMemcpyDeviceToHost), cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost);
    printf("%d %d\n", (int)off, host[0]);
    const int one = 1'000'000 << 1 >> 1; /* k << <1, 1 >> >(p) */
    std::vector<std::vector<int> > nested(3, std::vector<int>(one / 500'000, '<'));
    printf("%s|%s|%c%c %d %d %d\n", "k << <1, 1 >> >(p)", R"x(k << <1, 1 >> >("p)x", '<', '"', Twice<int>{3} << 1, operator<< <int>(Twice<int>{5}, 2), (int)nested[2].size());
#line 1000
    printf("%d\n", __LINE__);
}
