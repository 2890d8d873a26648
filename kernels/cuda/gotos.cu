// Jumps into the ways of other conditions: a path from the left goes on in the middle of the one on the right, and the other way
// round, so that both meet before the point that post-dominates the first branch.
static inline __device__ __attribute__((always_inline)) void work(uint &x) {
    for (uint r = 0; r < 4; r++) {
        x = (x ^ (x >> 7)) * 0x2c1b3c6d;
        opaque(x);
    }
}

KERNEL gotos(const uint *words, uint *out, uint each, uint count, uint low, uint high) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint sum = i;
        for (uint k = 0; k < each; k++) {
            uint word = words[k * count + i];
            uint letter = word & 255;
            if (letter < low) {
                sum = sum + word;
                if (word & 0x100) {
                    goto shared;
                }
                sum = sum ^ (word >> 3);
                opaque(sum);
                goto last;
            }
            sum = sum - word;
            if (letter >= high) {
                goto last;
            }
            sum = sum ^ (word >> 5);
            opaque(sum);
        shared:
            work(sum);
            if (word & 0x200) {
                continue;
            }
        last:
            sum = sum + letter;
            work(sum);
        }
        out[i] = sum;
    }
}
