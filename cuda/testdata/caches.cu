// Three loads of a line each by a warp, of global and of generic memory, one of shared memory and a store of a line.
#include <cstdio>

__device__ int table[32];
__global__ void loads(const int *p, int *out, bool shared) {
    __shared__ int own[32];
    const int x = threadIdx.x;
    own[x] = 1;
    __syncthreads();
    const int *generic = shared ? own : p + 32;
    out[x] = p[x] + table[x] + generic[x] + own[31 - x];
}

int main() {
    int *p, *out, host[64], sum = 0;
    for (int i = 0; i < 64; i++) host[i] = i;
    cudaMalloc(&p, sizeof host), cudaMalloc(&out, 128), cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    loads<<<1, 32>>>(p, out, false);
    cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) sum += host[i];
    printf("%d\n", sum); // 0 + ... + 63, and 32
}
