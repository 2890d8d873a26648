// One loop whose bound differs among the threads of the warp.
KERNEL loop1(const int *bound, uint *sum) {
    uint tid = blockIdx.x * blockDim.x + threadIdx.x;
    int n = bound[tid];

    uint s = 0;
    for (int i = 0; i < n; i++) {
        s += 3;
        opaque(s);
    }
    sum[tid] = s;
}
