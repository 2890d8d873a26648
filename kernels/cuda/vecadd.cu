// c = a + b, one element a thread.
KERNEL vecadd(const uint *a, const uint *b, uint *c, uint n) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
