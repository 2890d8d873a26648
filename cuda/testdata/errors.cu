// What goes wrong, by the first argument: each call with its error.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstring>

__global__ void store(int *p, int at) { p[at] = 7; }
__global__ void asserts(int x) { assert(x == 3); }
__global__ void spin(volatile int *p) { while (*p == 0) {} }
__global__ void large() {
    __shared__ int a[60000];
    a[threadIdx.x] = 1;
    __syncthreads();
    if (a[5] == 77) printf("never");
}
__global__ void hours(int *p) {
    unsigned x = 1;
    for (long i = 0; i < 1l << 40; i++) x = x * 1664525 + 1013904223;
    *p = (int)x;
}
__global__ void many(volatile float *p) { // 100 registers at once
    float x[100];
#pragma unroll
    for (int i = 0; i < 100; i++) x[i] = p[i];
#pragma unroll
    for (int i = 99; i >= 0; i--) p[i] = x[i];
}
__global__ void text() { printf("in the kernel\n"); }
__constant__ int three[3];

#define SHOW(call) do { cudaError_t e = (call); printf("%s: %s\n", #call, cudaGetErrorName(e)); } while (0)

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int *p, *q, host[16] = {};
    cudaMalloc(&p, 64);
    cudaMalloc(&q, 64);
    auto is = [&](const char *name) { return strcmp(what, name) == 0; };
    if (is("calls")) {
        SHOW(cudaMemcpy(p, host, 68, cudaMemcpyHostToDevice));
        SHOW(cudaMemcpy(host, p + 15, 8, cudaMemcpyDeviceToHost));
        SHOW(cudaMemcpy(host, host, 8, cudaMemcpyHostToDevice));
        SHOW(cudaMemcpy(p, q, 8, cudaMemcpyHostToDevice));
        SHOW(cudaMemcpy(p, q, 8, (cudaMemcpyKind)9));
        SHOW(cudaMemset(host, 0, 8));
        SHOW(cudaMemcpyToSymbol(three, host, 12));
        SHOW(cudaMemcpyToSymbol(three, host, 12, 4));
        SHOW(cudaMemcpyToSymbol(host, host, 12));
        SHOW(cudaFree(host));
        SHOW(cudaFree(p + 1));
        SHOW(cudaFree(q));
        SHOW(cudaFree(q));
        SHOW(cudaFree(NULL));
        SHOW(cudaMemcpy(q, host, 8, cudaMemcpyHostToDevice));
        SHOW(cudaSetDevice(1));
        SHOW(cudaMalloc(&q, 1ull << 40));
        SHOW(cudaPeekAtLastError());
        SHOW(cudaGetLastError());
        SHOW(cudaGetLastError());
        store<<<1, 2000>>>(p, 0);
        SHOW(cudaGetLastError());
        store<<<0, 1>>>(p, 0);
        SHOW(cudaGetLastError());
        large<<<1, 32>>>();
        SHOW(cudaGetLastError());
        many<<<1, 512>>>((float *)p);
        SHOW(cudaGetLastError());
        store<<<1, 1>>>(p, 0);
        SHOW(cudaDeviceSynchronize());
        SHOW(cudaGetLastError());
        return 0;
    }
    if (is("kernel")) {
        void *args[] = {&p};
        SHOW(cudaLaunchKernel((const void *)host, dim3(1), dim3(1), args, 0, 0));
        SHOW(cudaFuncSetCacheConfig((const void *)host, cudaFuncCachePreferL1));
        SHOW(cudaGetLastError());
        text<<<1, 1>>>();
        SHOW(cudaDeviceSynchronize());
        return 0;
    }
    if (is("memory")) {
        size_t left, all;
        cudaMemGetInfo(&left, &all);
        SHOW(cudaMalloc(&q, left + 1));
        SHOW(cudaMallocManaged(&q, left + 1));
        SHOW(cudaMalloc(&q, left / 2));
        SHOW(cudaMalloc(&p, left));
        SHOW(cudaFree(q));
        SHOW(cudaMalloc(&p, left));
        return 0;
    }
    if (is("killed")) raise(SIGKILL);
    if (is("hours")) hours<<<1, 32>>>(p);
    if (is("bounds")) store<<<1, 1>>>(p, 16);
    if (is("host")) store<<<1, 1>>>(host, 1);
    if (is("freed")) cudaFree(q), store<<<1, 1>>>(q, 1);
    if (is("misaligned")) store<<<1, 1>>>((int *)((char *)p + 1), 1);
    if (is("assert")) asserts<<<1, 1>>>(4);
    if (is("endless")) spin<<<1, 1>>>(p);
    SHOW(cudaGetLastError());
    SHOW(cudaGetLastError());
    SHOW(cudaMalloc(&p, 64));
    text<<<1, 1>>>();
    SHOW(cudaDeviceSynchronize());
    return is("noticed") ? 3 : 0;
}
