// How often each byte value occurs: a CTA counts in shared memory and adds its
// counts to those of the grid.
#define BINS 256

KERNEL histogram(const uint8 *data, uint *count, uint n) {
    __shared__ uint local[BINS];
    for (uint bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        local[bin] = 0;
    }
    __syncthreads();

    uint stride = gridDim.x * blockDim.x;
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&local[data[i]], 1);
    }
    __syncthreads();

    for (uint bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        if (local[bin] != 0) {
            atomicAdd(&count[bin], local[bin]);
        }
    }
}
