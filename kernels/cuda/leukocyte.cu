// Cells in a picture, a thread a pixel, a CTA a column: for each of some circles around the pixel the mean of the
// gradient along their radii over its variance, of which the largest is kept. Then the largest of those in a disc around
// each pixel: as far as the picture goes, which has a rim so wide that no circle leaves it.
KERNEL leukocyte_score(const float *gradx, const float *grady, const float *cosine, const float *sine, const int *offsets, float *score,
                       uint circles, uint points, uint rim, uint pitch, uint height) {
    uint i = blockIdx.x + rim, j = threadIdx.x + rim;
    float most = 0.0f;
    for (uint k = 0; k < circles; k++) {
        float mean = 0.0f, variance = 0.0f;
        for (uint n = 0; n < points; n++) {
            uint at = (i + offsets[2 * (k * points + n)]) * pitch + j + offsets[2 * (k * points + n) + 1];
            float along = gradx[at] * cosine[n] + grady[at] * sine[n];
            float off = along - mean;
            mean = mean + off / (float)(n + 1);
            variance = variance + off * (along - mean);
        }
        variance = variance / (float)(points - 1);
        float square = mean * mean;
        if (square > most * variance) {
            most = square / variance;
            opaque(most); // keeps the branch
        }
    }
    score[blockIdx.x * height + threadIdx.x] = most;
}

KERNEL leukocyte_dilate(const float *score, const uint *disc, float *out, uint side, uint width, uint height) {
    uint thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread < width * height) {
        int i = thread / height, j = thread % height, half = side / 2;
        float most = 0.0f;
        for (int y = 0; y < (int)side; y++) {
            int row = i - half + y;
            if (row >= 0 && row < (int)width) {
                for (int x = 0; x < (int)side; x++) {
                    int column = j - half + x;
                    if (column >= 0 && column < (int)height && disc[y * side + x] != 0) {
                        float s = score[row * height + column];
                        if (s > most) {
                            most = s;
                        }
                    }
                }
            }
        }
        out[thread] = most;
    }
}
