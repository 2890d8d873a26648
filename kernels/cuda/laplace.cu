// One Jacobi step for Laplace's equation on a grid of points; those on the rim keep
// their values. A CTA of 32x4 threads goes with its tile through the planes. In
// shared memory are the tile's points of a plane, and the rows and columns
// next to it, which the first 72 threads load.
KERNEL laplace(const float *in, float *out, uint width, uint height, uint depth) {
    __shared__ float tile[6][34];
    uint tx = threadIdx.x;
    uint ty = threadIdx.y;
    uint x = blockIdx.x * 32 + tx;
    uint y = blockIdx.y * 4 + ty;
    uint plane = width * height;
    uint at = y * width + x;

    uint thread = ty * 32 + tx;
    uint haloX = tx + 1;
    uint haloY = ty * 5;
    if (ty >= 2) {
        uint right = thread % 2;
        opaque(right);
        haloX = right * 33;
        haloY = (thread - 64) / 2 + 1;
        opaque(haloX);
        opaque(haloY);
    }
    uint besideX = blockIdx.x * 32 + haloX - 1;
    uint besideY = blockIdx.y * 4 + haloY - 1;
    uint beside = besideY * width + besideX;

    uint active = 0;
    if (x < width && y < height) {
        active = 1;
        opaque(active);
    }
    uint halo = 0;
    if (thread < 72 && besideX < width && besideY < height) {
        halo = 1;
        opaque(halo);
    }
    uint rim = 0;
    if (x == 0 || x == width - 1 || y == 0 || y == height - 1) {
        rim = 1;
        opaque(rim);
    }

    float below = 0;
    float centre = 0;
    float above = 0;
    if (active) {
        centre = in[at];
    }
    for (uint z = 0; z < depth; z++) {
        if (active) {
            tile[ty + 1][tx + 1] = centre;
            if (z + 1 < depth) {
                above = in[at + plane];
            }
        }
        if (halo) {
            tile[haloY][haloX] = in[beside];
        }
        __syncthreads();

        if (active) {
            if (rim || z == 0 || z == depth - 1) {
                out[at] = centre;
            } else {
                float sum = tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] + tile[ty + 2][tx + 1];
                out[at] = (sum + below + above) * (1.0f / 6.0f);
            }
        }
        __syncthreads();
        below = centre;
        centre = above;
        at += plane;
        beside += plane;
    }
}
