// Haar wavelets of pieces of a signal, without their factors: a CTA splits a piece of twice as many numbers as it has threads
// into sums and differences of pairs, then the sums again, with half of the threads each time.
KERNEL haar(const uint *signal, uint *details, uint *rest) {
    __shared__ uint row[512];
    uint t = threadIdx.x, first = blockIdx.x * 2 * blockDim.x;
    row[t] = signal[first + t];
    row[t + blockDim.x] = signal[first + t + blockDim.x];
    __syncthreads();
    for (uint active = blockDim.x; active > 0; active >>= 1) {
        uint sum = 0;
        if (t < active) {
            uint one = row[2 * t], other = row[2 * t + 1];
            details[first + active + t] = one - other;
            sum = one + other;
            opaque(sum);
        }
        __syncthreads();
        if (t < active) {
            row[t] = sum;
        }
        __syncthreads();
    }
    if (t == 0) {
        rest[blockIdx.x] = row[0];
    }
}
