// One step of a flow in two dimensions by the lattice Boltzmann method, with nine
// directions, as the sum over a place's neighbours. Obstacles throw back what comes. The field repeats, and its sides are powers
// of two. Directions: 0 none, 1 to 4 right, down, left, up, 5 to 8 right down, left down, left up, right up.
KERNEL lbm(const float *in, float *out, const uint8 *solid, uint width, uint height, float rate) {
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) {
        uint cells = width * height, at = y * width + x;
        uint l = (x - 1) & (width - 1), r = (x + 1) & (width - 1);
        uint u = ((y - 1) & (height - 1)) * width, d = ((y + 1) & (height - 1)) * width, m = y * width;
        float f0 = in[m + x];
        float f1 = in[cells + m + l], f2 = in[2 * cells + u + x], f3 = in[3 * cells + m + r], f4 = in[4 * cells + d + x];
        float f5 = in[5 * cells + u + l], f6 = in[6 * cells + u + r], f7 = in[7 * cells + d + r], f8 = in[8 * cells + d + l];
        if (solid[at]) {
            float t = f1;
            f1 = f3;
            f3 = t;
            t = f2;
            f2 = f4;
            f4 = t;
            t = f5;
            f5 = f7;
            f7 = t;
            t = f6;
            f6 = f8;
            f8 = t;
        } else {
            float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
            float vx = (f1 + f5 + f8 - f3 - f6 - f7) / rho;
            float vy = (f2 + f5 + f6 - f4 - f7 - f8) / rho;
            float square = 1.0f - 1.5f * (vx * vx + vy * vy);
            float side = rho * 0.11111111f, corner = rho * 0.027777778f;
            float p = vx + vy, q = vx - vy;
            f0 = f0 + rate * (rho * 0.44444445f * square - f0);
            f1 = f1 + rate * (side * (square + 3.0f * vx + 4.5f * vx * vx) - f1);
            f3 = f3 + rate * (side * (square - 3.0f * vx + 4.5f * vx * vx) - f3);
            f2 = f2 + rate * (side * (square + 3.0f * vy + 4.5f * vy * vy) - f2);
            f4 = f4 + rate * (side * (square - 3.0f * vy + 4.5f * vy * vy) - f4);
            f5 = f5 + rate * (corner * (square + 3.0f * p + 4.5f * p * p) - f5);
            f7 = f7 + rate * (corner * (square - 3.0f * p + 4.5f * p * p) - f7);
            f8 = f8 + rate * (corner * (square + 3.0f * q + 4.5f * q * q) - f8);
            f6 = f6 + rate * (corner * (square - 3.0f * q + 4.5f * q * q) - f6);
        }
        out[at] = f0;
        out[cells + at] = f1;
        out[2 * cells + at] = f2;
        out[3 * cells + at] = f3;
        out[4 * cells + at] = f4;
        out[5 * cells + at] = f5;
        out[6 * cells + at] = f6;
        out[7 * cells + at] = f7;
        out[8 * cells + at] = f8;
    }
}
