// Windows of 16x16 pixels are tried for faces, a thread a window, by a cascade of stages, each of which has
// more features than the one before. A feature is two rectangles side by side, whose pixels are summed by
// an integral image: brighter by its limit than the second, the first one votes. A window leaves the cascade at
// the first stage that has too few votes.
#define SIDE 16
#define FEATURE 8

// The sum of the pixels of a rectangle.
BUILTIN int sum(const int *integral, uint pitch, uint x, uint y, uint width, uint height) {
    const int *corner = integral + y * pitch + x;
    return corner[0] - corner[width] - corner[height * pitch] + corner[height * pitch + width];
}

KERNEL facedetect(const int *integral, const int *features, const int *stages, uint *passed, uint width, uint height, uint count) {
    uint x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 6 + threadIdx.y;
    if (x + SIDE <= width && y + SIDE <= height) {
        uint stage = 0;
        while (stage < count) {
            int votes = 0;
            for (int f = stages[2 * stage]; f < stages[2 * stage + 2]; f++) {
                const int *feature = features + FEATURE * f;
                uint left = x + feature[0], top = y + feature[1];
                int one = sum(integral, width + 1, left, top, feature[2], feature[3]);
                int other = sum(integral, width + 1, left + feature[4], top + feature[5], feature[2], feature[3]);
                if (one - other > feature[6]) {
                    votes += feature[7];
                }
            }
            if (votes < stages[2 * stage + 1]) {
                break;
            }
            stage++;
        }
        passed[y * width + x] = stage;
    }
}
