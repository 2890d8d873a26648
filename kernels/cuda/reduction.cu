// Sums blockDim.x elements a CTA. The threads that add at stride s are the
// multiples of 2s, so the active threads of a warp lie ever farther apart.
KERNEL reduction(const uint *in, uint *out, uint n) {
    __shared__ uint sum[512];
    uint tid = threadIdx.x;
    uint i = blockIdx.x * blockDim.x + tid;

    sum[tid] = 0;
    if (i < n) {
        sum[tid] = in[i];
    }
    __syncthreads();

    for (uint s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) {
            sum[tid] += sum[tid + s];
        }
        __syncthreads();
    }

    if (tid == 0) {
        out[blockIdx.x] = sum[0];
    }
}
