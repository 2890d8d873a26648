// A picture of colours 0xRRGGBB in blocks of 4x4 pixels, a thread each: the darkest and the
// brightest colour, and for each pixel which quarter of the way between them is nearest.
KERNEL dxtc(const uint *in, uint *ends, uint *codes, uint width, uint blocks) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < blocks) {
        uint across = width / 4;
        const uint *corner = in + i / across * 4 * width + i % across * 4;
        uint low = 0xffffffff, high = 0, dark = 0, bright = 0;
        for (uint k = 0; k < 16; k++) {
            uint colour = corner[k / 4 * width + k % 4];
            uint light = 2 * (colour >> 16 & 255) + 5 * (colour >> 8 & 255) + (colour & 255);
            if (light < low) {
                low = light;
                dark = colour;
                opaque(dark);
            }
            if (light >= high) {
                high = light;
                bright = colour;
                opaque(bright);
            }
        }
        uint span = high - low, code = 0;
        for (uint k = 0; k < 16; k++) {
            uint colour = corner[k / 4 * width + k % 4];
            uint light = 2 * (colour >> 16 & 255) + 5 * (colour >> 8 & 255) + (colour & 255);
            uint way = 6 * (light - low), level = 0;
            if (way > span) {
                level = 1;
                opaque(level);
                if (way > 3 * span) {
                    level = 2;
                    opaque(level);
                    if (way > 5 * span) {
                        level = 3;
                        opaque(level);
                    }
                }
            }
            code = code << 2 | level;
        }
        ends[2 * i] = dark;
        ends[2 * i + 1] = bright;
        codes[i] = code;
    }
}
