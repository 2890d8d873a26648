// Kernels whose control flow is not structured: each thread adds up words, by code of another form.
// work is what all of them do on their ways.
static inline __device__ __attribute__((always_inline)) void work(uint &x) {
    for (uint r = 0; r < 4; r++) {
        x = (x ^ (x >> 7)) * 0x2c1b3c6d;
        opaque(x);
    }
}

// Conditions with && and ||: each of their parts is a branch of its own, and several of them lead to the same code,
// which no part post-dominates. A thread reads words and adds up what it finds: of a word that is a
// letter between two limits or else has the mark, a hash; of others, little.
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

// Exceptions: code that several places leave for one handler behind it. A thread interprets words as
// operations on an accumulator; a division by zero, a root of a negative number and a number that is too
// large throw, wherever they come up.
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

// Jumps into the ways of other conditions: a path from the left goes on in the middle of the one on the right, and the other way
// round, so that both meet before the point that post-dominates the first branch.
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

// A coroutine: a function that goes on where it stopped the last time. Each thread has its own state, by which
// a switch enters the code; from there it runs through to the next place where it yields.
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
