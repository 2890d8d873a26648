// One step of finite differences in three dimensions, of radius 4: a CTA goes with its tile through the planes, with the points
// before and behind in registers, and those of the plane and its rim of 4 in shared memory. The field has a rim
// of 4 points at all sides, which keeps its values.
#define RADIUS 4
#define WIDTH 32
#define HEIGHT 16

BUILTIN uint lesser(uint a, uint b) { return a < b ? a : b; }

KERNEL fdtd3d(const float *in, float *out, const float *weights, uint width, uint height, uint depth) {
    __shared__ float tile[HEIGHT + 2 * RADIUS][WIDTH + 2 * RADIUS];
    uint tx = threadIdx.x, ty = threadIdx.y;
    uint x = blockIdx.x * blockDim.x + tx, y = blockIdx.y * blockDim.y + ty;
    uint pitch = width + 2 * RADIUS, plane = pitch * (height + 2 * RADIUS);
    uint at = (y + RADIUS) * pitch + x + RADIUS;
    float column[2 * RADIUS + 1];
    uint inside = 0;
    if (x < width && y < height) {
        inside = 1;
        opaque(inside);
    }
    if (inside) {
        for (uint k = 0; k < 2 * RADIUS; k++) {
            column[k + 1] = in[at + k * plane];
        }
    }
    at = at + RADIUS * plane;
    for (uint z = 0; z < depth; z++) {
        if (inside) {
            for (uint k = 0; k < 2 * RADIUS; k++) {
                column[k] = column[k + 1];
            }
            column[2 * RADIUS] = in[at + RADIUS * plane];
        }
        __syncthreads();
        if (inside) {
            if (ty < RADIUS) {
                tile[ty][tx + RADIUS] = in[at - RADIUS * pitch];
                uint below = lesser(blockDim.y, height - blockIdx.y * blockDim.y);
                tile[ty + below + RADIUS][tx + RADIUS] = in[at + below * pitch];
            }
            if (tx < RADIUS) {
                tile[ty + RADIUS][tx] = in[at - RADIUS];
                uint right = lesser(blockDim.x, width - blockIdx.x * blockDim.x);
                tile[ty + RADIUS][tx + right + RADIUS] = in[at + right];
            }
            tile[ty + RADIUS][tx + RADIUS] = column[RADIUS];
        }
        __syncthreads();
        if (inside) {
            float sum = weights[0] * column[RADIUS];
            for (uint k = 1; k <= RADIUS; k++) {
                float along = tile[ty + RADIUS][tx + RADIUS - k] + tile[ty + RADIUS][tx + RADIUS + k];
                float across = tile[ty + RADIUS - k][tx + RADIUS] + tile[ty + RADIUS + k][tx + RADIUS];
                sum = sum + weights[k] * (along + across + (column[RADIUS - k] + column[RADIUS + k]));
            }
            out[at] = sum;
        }
        at = at + plane;
    }
}
