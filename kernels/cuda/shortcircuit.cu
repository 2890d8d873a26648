// Conditions with && and ||: each of their parts is a branch of its own, and several of them lead to the same code,
// which no part post-dominates. A thread reads words and adds up what it finds: of a word that is a
// letter between two limits or else has the mark, a hash; of others, little.
static inline __device__ __attribute__((always_inline)) void work(uint &x) {
    for (uint r = 0; r < 4; r++) {
        x = (x ^ (x >> 7)) * 0x2c1b3c6d;
        opaque(x);
    }
}

KERNEL shortcircuit(const uint *words, uint *out, uint each, uint count, uint low, uint high) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint sum = i;
        for (uint k = 0; k < each; k++) {
            uint word = words[k * count + i];
            uint letter = word & 255;
            if ((letter >= low && letter < high) || (word & 0x100) || (sum & 1 && word & 0x200)) {
                uint x = word + sum;
                work(x);
                sum = sum + x;
            } else {
                sum = sum ^ word;
                opaque(sum);
            }
        }
        out[i] = sum;
    }
}
