// A picture blurred along its columns by a recursive filter of second order, a thread a
// column: down, then up, and the sum of both, clamped to a byte.
KERNEL gaussian(const uint8 *in, float *half, uint8 *out, uint width, uint height, float a0, float a1, float a2, float a3, float b1, float b2) {
    uint x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) {
        float before = in[x], last = before, older = before;
        last = before * 0.5f;
        older = last;
        for (uint y = 0; y < height; y++) {
            float now = in[y * width + x];
            float value = a0 * now + a1 * before - b1 * last - b2 * older;
            half[y * width + x] = value;
            older = last;
            last = value;
            before = now;
        }
        float next = in[(height - 1) * width + x], farther = next;
        last = next * 0.5f;
        older = last;
        for (uint y = height; y > 0; y--) {
            uint at = (y - 1) * width + x;
            float value = a2 * next + a3 * farther - b1 * last - b2 * older;
            farther = next;
            next = in[at];
            older = last;
            last = value;
            float sum = half[at] + value;
            if (sum < 0.0f) {
                sum = 0.0f;
                opaque(sum);
            }
            if (sum > 255.0f) {
                sum = 255.0f;
                opaque(sum);
            }
            out[at] = (uint8)(uint)sum;
        }
    }
}
