// In how many ways n queens stand on a board of n by n without attacking one
// another. Each thread puts the queens of the first two rows at columns of its own
// and counts the rest by recursion, a row a call. Threads whose two queens attack
// each other have nothing to do; the trees of the others differ in size.

// The queens above attack these columns of the row: straight down, and on the
// diagonals to the left and the right.
__device__ __attribute__((noinline)) uint place(uint board, uint down, uint left, uint right) {
    if (down == board) {
        return 1;
    }
    uint ways = 0;
    uint open = board & ~(down | left | right);
    while (open != 0) {
        uint queen = open & (0 - open);
        open = open ^ queen;
        ways = ways + place(board, down | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return ways;
}

KERNEL queens(uint n, uint *ways) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * n) {
        uint first = 1 << i / n;
        uint second = 1 << i % n;
        uint left = first << 1;
        uint right = first >> 1;
        uint count = 0;
        if ((second & (first | left | right)) == 0) {
            count = place((1 << n) - 1, first | second, (left | second) << 1, (right | second) >> 1);
        }
        ways[i] = count;
    }
}
