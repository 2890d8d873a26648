// Edges of a grey image, a row a CTA: the sum of the magnitudes of both Sobel gradients,
// scaled, and clamped to a byte. The image is a texture, with a rim of one pixel on each side.
KERNEL sobelfilter(const uint8 *in, uint8 *out, uint width, float scale) {
    uint pitch = width + 2;
    const uint8 *row = in + blockIdx.x * pitch;
    for (uint x = threadIdx.x; x < width; x += blockDim.x) {
        const uint8 *above = row + x;
        const uint8 *middle = above + pitch;
        const uint8 *below = middle + pitch;
        int across = fetch(above + 2) + 2 * fetch(middle + 2) + fetch(below + 2) - fetch(above) - 2 * fetch(middle) - fetch(below);
        int down = fetch(below) + 2 * fetch(below + 1) + fetch(below + 2) - fetch(above) - 2 * fetch(above + 1) - fetch(above + 2);
        uint sum = (uint)(int)(scale * (float)(__builtin_abs(across) + __builtin_abs(down)));
        if ((int)sum < 0) {
            sum = 0;
            opaque(sum);
        } else if ((int)sum > 255) {
            sum = 255;
            opaque(sum);
        }
        out[blockIdx.x * width + x] = (uint8)sum;
    }
}
