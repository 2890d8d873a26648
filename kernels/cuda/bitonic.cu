// Batcher's bitonic network: each CTA sorts its segment of blockDim.x keys, a
// power of two, in shared memory.
KERNEL bitonic(uint *keys, uint n) {
    __shared__ uint key[512];
    uint tid = threadIdx.x;
    uint i = blockIdx.x * blockDim.x + tid;

    key[tid] = 0xffffffff;
    if (i < n) {
        key[tid] = keys[i];
    }
    __syncthreads();

    for (uint k = 2; k <= blockDim.x; k *= 2) {
        for (uint j = k / 2; j > 0; j /= 2) {
            uint partner = tid ^ j;
            if (partner > tid) {
                uint mine = key[tid];
                uint other = key[partner];
                if ((tid & k) == 0) {
                    if (mine > other) {
                        key[tid] = other;
                        key[partner] = mine;
                    }
                } else {
                    if (mine < other) {
                        key[tid] = other;
                        key[partner] = mine;
                    }
                }
            }
            __syncthreads();
        }
    }

    if (i < n) {
        keys[i] = key[tid];
    }
}
