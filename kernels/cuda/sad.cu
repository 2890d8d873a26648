// How well each block of 8x8 pixels of a frame fits another frame, moved by -8 to 7
// pixels in both directions: the sum of absolute differences, of which those above 64 count 64. A
// CTA is a block, and a thread a shift. Pixels beyond the other frame are those of its rim.
KERNEL sad(const uint8 *frame, const uint8 *other, uint *sums, uint width, uint height) {
    int dx = (int)threadIdx.x - 8, dy = (int)threadIdx.y - 8;
    uint sum = 0;
    for (uint k = 0; k < 64; k++) {
        uint x = blockIdx.x * 8 + k % 8, y = blockIdx.y * 8 + k / 8;
        uint toX = x + dx, toY = y + dy;
        if ((int)toX < 0) {
            toX = 0;
            opaque(toX);
        }
        if ((int)toX >= (int)width) {
            toX = width - 1;
            opaque(toX);
        }
        if ((int)toY < 0) {
            toY = 0;
            opaque(toY);
        }
        if ((int)toY >= (int)height) {
            toY = height - 1;
            opaque(toY);
        }
        uint difference = (uint)__builtin_abs(frame[y * width + x] - other[toY * width + toX]);
        if (difference > 64) {
            difference = 64;
            opaque(difference);
        }
        sum += difference;
    }
    sums[((blockIdx.y * gridDim.x + blockIdx.x) * 16 + threadIdx.y) * 16 + threadIdx.x] = sum;
}
