// MD5 sums of pieces of a file, a thread a piece: a CTA of 128 threads keeps a block of 64 bytes of each piece in shared
// memory, word by word, so that the lanes of a warp have banks of their own.
#define THREADS 128

static inline __device__ __attribute__((always_inline)) uint left(uint x, uint n) { return (x << n) | (x >> (32 - n)); }

KERNEL store(const uint *file, const uint *sines, const uint *shifts, uint *sums, uint blocks, uint pieces) {
    __shared__ uint words[16 * THREADS];
    uint t = threadIdx.x, piece = blockIdx.x * THREADS + t;
    if (piece < pieces) {
        uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
        for (uint block = 0; block < blocks; block++) {
            for (uint i = 0; i < 16; i++) {
                words[i * THREADS + t] = file[(piece * blocks + block) * 16 + i];
            }
            uint p = a, q = b, r = c, s = d;
            for (uint i = 0; i < 64; i++) {
                uint f, g;
                if (i < 16) {
                    f = (q & r) | (~q & s);
                    g = i;
                } else {
                    if (i < 32) {
                        f = (s & q) | (~s & r);
                        g = (5 * i + 1) & 15;
                    } else {
                        if (i < 48) {
                            f = q ^ r ^ s;
                            g = (3 * i + 5) & 15;
                        } else {
                            f = r ^ (q | ~s);
                            g = (7 * i) & 15;
                        }
                    }
                }
                f = f + p + sines[i] + words[g * THREADS + t];
                p = s;
                s = r;
                r = q;
                q = q + left(f, shifts[i]);
            }
            a = a + p;
            b = b + q;
            c = c + r;
            d = d + s;
        }
        sums[4 * piece] = a;
        sums[4 * piece + 1] = b;
        sums[4 * piece + 2] = c;
        sums[4 * piece + 3] = d;
    }
}
