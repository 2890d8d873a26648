// A variable of the same name as one of the other file.
__device__ int alone = 700;
__global__ void more(int *p) { *p += alone; }

int otherAlone() {
    int *p, value = 0;
    void *address;
    if (cudaGetSymbolAddress(&address, alone) != cudaSuccess) return -1;
    cudaMalloc(&p, sizeof value);
    cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice);
    more<<<1, 1>>>(p);
    cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
    cudaFree(p);
    return value;
}
