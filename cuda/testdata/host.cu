// Code of the host that counts on signed overflow and on memory read by another type, as old programs do.
#include <climits>
#include <cstdio>

extern "C" int plain_grows(int), plain_aliased(int *, float *), c_grows(int), c_aliased(int *, float *);

__attribute__((noinline)) static int grows(int x) { return x + 1 > x; }
__attribute__((noinline)) static int aliased(int *i, float *f) {
    *i = 1, *f = 2;
    return *i;
}

__global__ void squares(int *p) { p[threadIdx.x] *= p[threadIdx.x]; }

int main() {
    const int n = 64;
    int *p, host[n], word, wrong = 0;
    float *same = (float *)&word;
    printf("%d %#x\n", grows(INT_MAX), aliased(&word, same));
    printf("%d %#x\n", plain_grows(INT_MAX), plain_aliased(&word, same));
    printf("%d %#x\n", c_grows(INT_MAX), c_aliased(&word, same));
    for (int i = 0; i < n; i++) host[i] = 1000 * i + 7;
    cudaMalloc(&p, sizeof host), cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    squares<<<1, n>>>(p);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) wrong += host[i] != (1000 * i + 7) * (1000 * i + 7);
    printf("%d wrong\n", wrong);
}
