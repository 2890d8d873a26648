// How often each of 64 grey levels occurs. A thread counts equal neighbours in a
// register and adds them to the counts of its CTA when the level changes.
#define BINS 64

KERNEL histogram64(const uint8 *data, uint *count, uint n, uint each) {
    __shared__ uint local[BINS];
    for (uint bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        local[bin] = 0;
    }
    __syncthreads();

    uint first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    uint last = 0, run = 0;
    for (uint i = first; i < first + each && i < n; i++) {
        uint bin = data[i] >> 2;
        if (bin != last) {
            atomicAdd(&local[last], run);
            last = bin;
            run = 0;
        }
        run++;
    }
    atomicAdd(&local[last], run);
    __syncthreads();

    for (uint bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&count[bin], local[bin]);
    }
}
