// Rays through a cube of 16x16x16 voxels, which a CTA keeps in shared memory. A ray ends
// where it is opaque, or leaves the cube. The cube repeats beyond its sides, as a texture does that wraps around.
#define SIDE 16

KERNEL volumerender(const uint8 *volume, uint8 *out, uint width, uint height, float scale, float slope, float step) {
    __shared__ uint8 voxels[SIDE * SIDE * SIDE];
    uint thread = threadIdx.y * blockDim.x + threadIdx.x;
    for (uint i = thread; i < SIDE * SIDE * SIDE; i += blockDim.x * blockDim.y) {
        voxels[i] = volume[i];
    }
    __syncthreads();

    uint px = blockIdx.x * blockDim.x + threadIdx.x;
    uint py = blockIdx.y * blockDim.y + threadIdx.y;
    float x = px * scale, y = py * scale, z = 0.0f;
    float light = 0.0f, clear = 1.0f;
    for (uint i = 0; i < 128; i++) {
        uint at = ((uint)z & 15) * (SIDE * SIDE) + ((uint)y & 15) * SIDE + ((uint)x & 15);
        float here = voxels[at] * clear * 0.00390625f;
        light = light + here;
        clear = clear - here * 0.5f;
        if (clear < 0.05f) {
            break;
        }
        x = x + slope;
        z = z + step;
        if (z >= 16.0f) {
            break;
        }
    }
    if (px < width && py < height) {
        out[py * width + px] = (uint8)(uint)(light * 100.0f);
    }
}
