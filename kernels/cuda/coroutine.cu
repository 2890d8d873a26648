// A coroutine: a function that goes on where it stopped the last time. Each thread has its own state, by which
// a switch enters the code; from there it runs through to the next place where it yields.
static inline __device__ __attribute__((always_inline)) void work(uint &x) {
    for (uint r = 0; r < 4; r++) {
        x = (x ^ (x >> 7)) * 0x2c1b3c6d;
        opaque(x);
    }
}

KERNEL coroutine(const uint *words, uint *out, uint each, uint count, uint low, uint high) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint sum = i, state = 0;
        for (uint k = 0; k < each; k++) {
            uint word = words[k * count + i];
            uint letter = word & 255;
            switch (state) {
            case 0:
                sum = sum + word;
                work(sum);
                if (letter < low) {
                    state = 1;
                    opaque(state);
                    break;
                }
            case 1:
                sum = sum ^ (word >> 4);
                work(sum);
                if (letter < high) {
                    state = 2;
                    opaque(state);
                    break;
                }
            case 2:
                sum = sum + letter;
                work(sum);
                state = 0;
                opaque(state);
            }
        }
        out[i] = sum + state;
    }
}
