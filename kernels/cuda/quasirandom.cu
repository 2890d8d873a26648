// Points of a quasirandom sequence of three dimensions, those of threadIdx.y.
// Each dimension has 31 direction numbers, one for each bit of a point's number,
// and behind them a shift for all points.
KERNEL quasirandom(const uint *directions, float *out, uint n) {
    const uint *mine = directions + 32 * threadIdx.y;
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        uint sum = mine[31];
        for (uint bit = 0; bit < 31; bit++) {
            uint set = i >> bit & 1;
            opaque(set);
            if (set) {
                sum ^= mine[bit];
            }
        }
        out[threadIdx.y * n + i] = (float)sum * (1.0f / 2147483648.0f);
    }
}
