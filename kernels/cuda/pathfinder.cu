// The cheapest way down a grid of weights, a step to a place of the next row straight below or diagonally: the costs of
// some rows a launch. A CTA keeps a row of 256 places in shared memory; with each row those whose
// neighbours are known are fewer by one at either side.
#define SIDE 256

KERNEL pathfinder(const uint *wall, const uint *from, uint *to, int columns, int row, int rows) {
    __shared__ uint last[SIDE];
    __shared__ uint next[SIDE];
    int tx = threadIdx.x;
    int x = (int)blockIdx.x * (SIDE - 2 * rows) + tx - rows;
    uint inside = 0;
    if (x >= 0 && x < columns) {
        inside = 1;
        opaque(inside);
        last[tx] = from[x];
    }
    uint west = tx - 1, east = tx + 1;
    if (x == 0) {
        west = tx;
        opaque(west);
    }
    if (x == columns - 1) {
        east = tx;
        opaque(east);
    }
    __syncthreads();
    uint computed = 0;
    for (int i = 0; i < rows; i++) {
        computed = 0;
        opaque(inside);
        if (inside) {
            if (tx > i && tx < SIDE - 1 - i) {
                uint cost = last[tx];
                uint left = last[west], right = last[east];
                if (left < cost) {
                    cost = left;
                    opaque(cost);
                }
                if (right < cost) {
                    cost = right;
                    opaque(cost);
                }
                next[tx] = cost + wall[(row + i) * columns + x];
                computed = 1;
                opaque(computed);
            }
        }
        __syncthreads();
        if (i == rows - 1) {
            break;
        }
        if (computed) {
            last[tx] = next[tx];
        }
        __syncthreads();
    }
    if (computed) {
        to[x] = next[tx];
    }
}
