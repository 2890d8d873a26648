// Follows points of a film from one picture to the next, a CTA a point: the pattern around it is laid over each place of a
// window, also where it hangs out of it, and the place where both are most alike is where the point has gone; the pattern becomes more
// like what is there. All threads do one step of it after the other. Windows are of 28x28 pixels, or in the second
// kernel of 16x16, patterns half as wide. The file includes itself, once for each.
#ifndef WINDOW
#define WINDOW 28
#define FOLLOW heartwall
#include "heartwall.cu"
#undef WINDOW
#undef FOLLOW
#define WINDOW 16
#define FOLLOW heartwall_small
#include "heartwall.cu"
#else
#define SIDE (WINDOW / 2)
#define PLACES (WINDOW + SIDE - 1)

KERNEL FOLLOW(const uint8 *picture, uint *points, uint *patterns, float *scores, uint width) {
    __shared__ uint window[WINDOW * WINDOW];
    __shared__ uint energy[WINDOW * WINDOW]; // sums of the squares above and to the left
    __shared__ uint pattern[SIDE * SIDE];
    __shared__ float score[PLACES * PLACES];
    __shared__ uint rows[PLACES]; // where the best place of each row is
    __shared__ uint best[1];
    uint t = threadIdx.x, point = blockIdx.x;
    uint left = points[2 * point], top = points[2 * point + 1];

    for (uint i = t; i < WINDOW * WINDOW; i += blockDim.x) {
        uint light = picture[(top + i / WINDOW) * width + left + i % WINDOW];
        window[i] = light;
        energy[i] = light * light;
    }
    for (uint i = t; i < SIDE * SIDE; i += blockDim.x) {
        pattern[i] = patterns[SIDE * SIDE * point + i];
    }
    __syncthreads();

    for (uint x = t; x < WINDOW; x += blockDim.x) {
        for (uint y = 1; y < WINDOW; y++) {
            energy[WINDOW * y + x] = energy[WINDOW * y + x] + energy[WINDOW * (y - 1) + x];
        }
    }
    __syncthreads();
    for (uint y = t; y < WINDOW; y += blockDim.x) {
        for (uint x = 1; x < WINDOW; x++) {
            energy[WINDOW * y + x] = energy[WINDOW * y + x] + energy[WINDOW * y + x - 1];
        }
    }
    __syncthreads();

    for (uint i = t; i < PLACES * PLACES; i += blockDim.x) {
        // The last row and column of the pattern are at y and x.
        uint y = i / PLACES, x = i % PLACES;
        uint y0 = 0, x0 = 0, y1 = WINDOW, x1 = WINDOW;
        if (y >= SIDE) {
            y0 = y - SIDE + 1;
            opaque(y0);
        }
        if (x >= SIDE) {
            x0 = x - SIDE + 1;
            opaque(x0);
        }
        if (y < WINDOW) {
            y1 = y + 1;
            opaque(y1);
        }
        if (x < WINDOW) {
            x1 = x + 1;
            opaque(x1);
        }
        uint alike = 0;
        for (uint wy = y0; wy < y1; wy++) {
            for (uint wx = x0; wx < x1; wx++) {
                alike += window[WINDOW * wy + wx] * pattern[SIDE * (wy + SIDE - 1 - y) + wx + SIDE - 1 - x];
            }
        }
        uint squares = energy[WINDOW * (y1 - 1) + x1 - 1];
        if (y0 > 0) {
            squares -= energy[WINDOW * (y0 - 1) + x1 - 1];
        }
        if (x0 > 0) {
            squares -= energy[WINDOW * (y1 - 1) + x0 - 1];
            if (y0 > 0) {
                squares += energy[WINDOW * (y0 - 1) + x0 - 1];
            }
        }
        float value = 0.0f;
        if (squares > 0) {
            value = (float)alike / squareRoot((float)squares);
        }
        score[i] = value;
    }
    __syncthreads();

    for (uint y = t; y < PLACES; y += blockDim.x) {
        uint at = PLACES * y;
        for (uint i = at + 1; i < PLACES * (y + 1); i++) {
            if (score[i] > score[at]) {
                at = i;
                opaque(at);
            }
        }
        rows[y] = at;
    }
    __syncthreads();
    if (t == 0) {
        uint at = rows[0];
        for (uint y = 1; y < PLACES; y++) {
            if (score[rows[y]] > score[at]) {
                at = rows[y];
                opaque(at);
            }
        }
        best[0] = at;
        scores[point] = score[at];
        points[2 * point] = left + at % PLACES;
        points[2 * point + 1] = top + at / PLACES;
    }
    __syncthreads();

    uint y = best[0] / PLACES, x = best[0] % PLACES;
    for (uint i = t; i < SIDE * SIDE; i += blockDim.x) {
        uint wy = y + i / SIDE, wx = x + i % SIDE; // SIDE - 1 more than the place in the window
        if (wy >= SIDE - 1 && wy < WINDOW + SIDE - 1 && wx >= SIDE - 1 && wx < WINDOW + SIDE - 1) {
            patterns[SIDE * SIDE * point + i] = (3 * pattern[i] + window[WINDOW * (wy - SIDE + 1) + wx - SIDE + 1]) / 4;
        }
    }
}

#endif
