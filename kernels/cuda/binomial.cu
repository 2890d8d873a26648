// The price of an American call with a dividend by a binomial tree, an option a CTA: its values at the
// last step, then back from step to step, where it may be better to exercise it.
#define NODES 256

KERNEL binomial(const float *spot, const float *strike, const float *ratio, float *price, uint steps, float up, float down) {
    __shared__ float value[NODES];
    uint t = threadIdx.x;
    float s = spot[blockIdx.x], x = strike[blockIdx.x];
    float last = s * ratio[2 * t] - x;
    if (last < 0.0f) {
        last = 0.0f;
        opaque(last);
    }
    value[t] = last;
    for (uint step = steps; step > 0; step--) {
        __syncthreads();
        float next = 0.0f;
        if (t < step) {
            next = up * value[t + 1] + down * value[t];
        }
        uint at = 2 * t + steps - step + 1;
        float now = s * ratio[at] - x;
        if (now > next) {
            next = now;
            opaque(next);
        }
        __syncthreads();
        if (t < step) {
            value[t] = next;
        }
    }
    __syncthreads();
    if (t == 0) {
        price[blockIdx.x] = value[0];
    }
}
