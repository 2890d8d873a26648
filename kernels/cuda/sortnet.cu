// Batcher's bitonic network on keys with values: a CTA sorts an array of 2 * blockDim.x of them, a power of two, and each
// thread compares two places at a time.
KERNEL sortnet(uint *keys, uint *values, uint n) {
    __shared__ uint key[1024];
    __shared__ uint value[1024];
    uint tid = threadIdx.x;
    uint length = 2 * blockDim.x;
    uint first = blockIdx.x * length;

    for (uint i = tid; i < length; i += blockDim.x) {
        key[i] = 0xffffffff;
        value[i] = 0;
        if (first + i < n) {
            key[i] = keys[first + i];
            value[i] = values[first + i];
        }
    }

    for (uint size = 2; size <= length; size *= 2) {
        uint up = (tid & (size / 2)) == 0;
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            uint a = 2 * tid - (tid & (stride - 1));
            uint b = a + stride;
            uint keyA = key[a];
            uint keyB = key[b];
            if ((keyA > keyB) == up) {
                key[a] = keyB;
                key[b] = keyA;
                uint other = value[a];
                value[a] = value[b];
                value[b] = other;
            }
        }
    }
    __syncthreads();

    for (uint i = tid; i < length; i += blockDim.x) {
        if (first + i < n) {
            keys[first + i] = key[i];
            values[first + i] = value[i];
        }
    }
}
