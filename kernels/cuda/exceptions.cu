// Exceptions: code that several places leave for one handler behind it. A thread interprets words as
// operations on an accumulator; a division by zero, a root of a negative number and a number that is too
// large throw, wherever they come up.
static inline __device__ __attribute__((always_inline)) void work(uint &x) {
    for (uint r = 0; r < 4; r++) {
        x = (x ^ (x >> 7)) * 0x2c1b3c6d;
        opaque(x);
    }
}

KERNEL exceptions(const uint *words, uint *out, uint each, uint count, uint low, uint high) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint sum = i, thrown = 0;
        for (uint k = 0; k < each; k++) {
            uint word = words[k * count + i];
            uint divisor = word & 7;
            if (divisor == 0) {
                goto handler;
            }
            sum = sum + word;
            work(sum);
            if ((word & 255) < low) {
                goto handler;
            }
            sum = sum ^ (word >> 8);
            work(sum);
            if ((sum & 255) >= high) {
                goto handler;
            }
            sum = sum + divisor;
            continue;
        handler:
            thrown++;
            sum = sum ^ thrown;
            work(sum);
        }
        out[i] = sum + thrown;
    }
}
