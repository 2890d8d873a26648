// The value of a portfolio of swaptions by paths of forward rates (LIBOR market model): a thread a path, whose rates it has
// in local memory. The exponential is the first four terms of its series.
#define RATES 24
#define STEPS 12

KERNEL libor(const float *shocks, const float *volatility, float *value, uint paths, float delta) {
    uint path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path < paths) {
        float rate[RATES];
        for (uint i = 0; i < RATES; i++) {
            rate[i] = 0.05f;
        }
        for (uint n = 0; n < STEPS; n++) {
            float shock = shocks[n * paths + path], drift = 0.0f;
            for (uint i = n + 1; i < RATES; i++) {
                float sigma = volatility[i - n - 1], c = delta * sigma;
                drift = drift + c * rate[i] / (1.0f + delta * rate[i]);
                float x = c * drift + sigma * (shock - 0.5f * c);
                rate[i] = rate[i] * (1.0f + x * (1.0f + x * (0.5f + x * 0.16666667f)));
            }
        }
        float bond = 1.0f, swap = 0.0f, sum = 0.0f;
        for (uint i = STEPS; i < RATES; i++) {
            bond = bond / (1.0f + delta * rate[i]);
            swap = swap + delta * bond;
            if (bond + 0.045f * swap < 1.0f) {
                sum = sum + (1.0f - bond - 0.045f * swap);
                opaque(sum);
            }
        }
        value[path] = sum;
    }
}
