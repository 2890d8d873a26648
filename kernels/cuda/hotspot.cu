// Heat on a chip: some steps in time on a tile of 16x16 places, which a CTA keeps in shared memory. With
// each step the places whose neighbours are known are fewer by a rim, so that a tile has fewer results than threads.
// Beyond the sides of the chip it is as hot as at the side.
#define SIDE 16

KERNEL hotspot(const float *heat, const float *power, float *out, int width, int height, int steps, float across, float down, float up, float gain) {
    __shared__ float tile[SIDE][SIDE];
    __shared__ float next[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = (int)blockIdx.x * (SIDE - 2 * steps) + tx - steps;
    int y = (int)blockIdx.y * (SIDE - 2 * steps) + ty - steps;
    int at = y * width + x;
    uint inside = 0;
    float watts = 0.0f;
    if (x >= 0 && x < width && y >= 0 && y < height) {
        inside = 1;
        opaque(inside);
        tile[ty][tx] = heat[at];
        watts = power[at];
    }
    uint west = tx - 1, east = tx + 1, north = ty - 1, south = ty + 1;
    if (x == 0) {
        west = tx;
        opaque(west);
    }
    if (x == width - 1) {
        east = tx;
        opaque(east);
    }
    if (y == 0) {
        north = ty;
        opaque(north);
    }
    if (y == height - 1) {
        south = ty;
        opaque(south);
    }
    __syncthreads();
    uint computed = 0;
    for (int i = 0; i < steps; i++) {
        computed = 0;
        opaque(inside);
        if (inside) {
            if (tx > i && tx < SIDE - 1 - i && ty > i && ty < SIDE - 1 - i) {
                float here = tile[ty][tx];
                float flow = watts + (tile[south][tx] + tile[north][tx] - 2.0f * here) * down;
                flow = flow + (tile[ty][east] + tile[ty][west] - 2.0f * here) * across;
                flow = flow + (80.0f - here) * up;
                next[ty][tx] = here + gain * flow;
                computed = 1;
                opaque(computed);
            }
        }
        __syncthreads();
        if (i == steps - 1) {
            break;
        }
        if (computed) {
            tile[ty][tx] = next[ty][tx];
        }
        __syncthreads();
    }
    if (computed) {
        out[at] = next[ty][tx];
    }
}
