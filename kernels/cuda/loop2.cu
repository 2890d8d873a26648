// Two nested loops whose bounds differ among the threads of the warp.
KERNEL loop2(const int *outer, const int *inner, uint *sum) {
    uint tid = blockIdx.x * blockDim.x + threadIdx.x;
    int n = outer[tid];
    int m = inner[tid];

    uint s = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            s += 3;
            opaque(s);
        }
    }
    sum[tid] = s;
}
