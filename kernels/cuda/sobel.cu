// Edges of a grey image: the sum of the magnitudes of the horizontal and the
// vertical Sobel gradient, clamped to a byte; 0 on the image's rim.
KERNEL sobel(const uint8 *in, uint8 *out, uint width, uint height) {
    uint x = blockIdx.x * blockDim.x + threadIdx.x;
    uint y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        uint at = y * width + x;
        if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
            out[at] = 0;
        } else {
            const uint8 *above = in + at - width;
            const uint8 *middle = in + at;
            const uint8 *below = in + at + width;
            int across = above[1] + 2 * middle[1] + below[1] - above[-1] - 2 * middle[-1] - below[-1];
            int down = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
            int sum = __builtin_abs(across) + __builtin_abs(down);
            if (sum > 255) {
                out[at] = 255;
            } else {
                out[at] = sum;
            }
        }
    }
}
