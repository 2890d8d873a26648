// AES with a key of 128 bits: a CTA of 256 threads encrypts 64 blocks of 16 bytes, a thread a column of four bytes. The
// columns of a state and a table are in shared memory; what the other three tables would hold are rotations of it.
#define ROUNDS 10

static inline __device__ __attribute__((always_inline)) uint left(uint x, uint n) { return (x << n) | (x >> (32 - n)); }

KERNEL aes(const uint *table, const uint *keys, const uint *plain, uint *cipher, uint columns) {
    __shared__ uint mix[256];
    __shared__ uint state[2][256];
    uint t = threadIdx.x, i = blockIdx.x * 256 + t;
    uint column = t & 3, block = t & ~3;
    mix[t] = table[t];
    uint word = 0;
    if (i < columns) {
        word = plain[i] ^ keys[column];
    }
    state[0][t] = word;
    __syncthreads();
    for (uint round = 1; round < ROUNDS; round++) {
        const uint *from = state[(round - 1) & 1];
        uint a = mix[from[block + column] & 255];
        uint b = mix[(from[block + ((column + 1) & 3)] >> 8) & 255];
        uint c = mix[(from[block + ((column + 2) & 3)] >> 16) & 255];
        uint d = mix[from[block + ((column + 3) & 3)] >> 24];
        state[round & 1][t] = a ^ left(b, 8) ^ left(c, 16) ^ left(d, 24) ^ keys[4 * round + column];
        __syncthreads();
    }
    const uint *from = state[(ROUNDS - 1) & 1];
    uint a = mix[from[block + column] & 255] >> 8 & 255;
    uint b = mix[(from[block + ((column + 1) & 3)] >> 8) & 255] >> 8 & 255;
    uint c = mix[(from[block + ((column + 2) & 3)] >> 16) & 255] >> 8 & 255;
    uint d = mix[from[block + ((column + 3) & 3)] >> 24] >> 8 & 255;
    if (i < columns) {
        cipher[i] = (a | b << 8 | c << 16 | d << 24) ^ keys[4 * ROUNDS + column];
    }
}
