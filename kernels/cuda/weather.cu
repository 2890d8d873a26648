// A step of the clouds and the rain of a weather model, a thread a column of air: in each layer vapour condenses or clouds
// vanish until air holds what it can, drops grow, freeze or melt; then rain falls, in as many steps as the
// fastest of it takes. Temperatures are in degrees Celsius, water in kilograms for one of air.

// The vapour that air can hold.
static inline __device__ __attribute__((always_inline)) float held(float t) {
    return 0.0038f + t * (0.00026f + t * 0.000008f);
}

KERNEL weather(float *temperature, float *vapour, float *cloud, float *rain, float *ice, float *fallen, uint width, uint depth, uint layers) {
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < depth) {
        uint column = y * width + x, layer = width * depth;
        float fastest = 0.0f;
        for (uint i = column; i < layers * layer; i += layer) {
            float t = temperature[i], v = vapour[i], c = cloud[i], r = rain[i], s = ice[i];
            for (uint round = 0; round < 8; round++) {
                float room = held(t) - v;
                float change = 0.5f * room;
                if (room > 0.0f) {
                    if (change > c) {
                        change = c;
                        opaque(change);
                    }
                }
                v = v + change;
                c = c - change;
                t = t - 2500.0f * change;
                if (__builtin_fabsf(change) < 0.00001f) {
                    break;
                }
            }
            if (c > 0.0005f) {
                float drops = 0.25f * (c - 0.0005f);
                c = c - drops;
                r = r + drops;
            }
            if (r > 0.0f) {
                if (c > 0.0f) {
                    float caught = 40.0f * c * r;
                    if (caught > c) {
                        caught = c;
                        opaque(caught);
                    }
                    c = c - caught;
                    r = r + caught;
                }
                if (t < 0.0f) {
                    float frozen = 0.125f * r;
                    r = r - frozen;
                    s = s + frozen;
                    t = t + 334.0f * frozen;
                }
            }
            if (s > 0.0f) {
                if (t > 0.0f) {
                    float molten = 0.0005f * t;
                    if (molten > s) {
                        molten = s;
                        opaque(molten);
                    }
                    s = s - molten;
                    r = r + molten;
                    t = t - 334.0f * molten;
                }
            }
            temperature[i] = t;
            vapour[i] = v;
            cloud[i] = c;
            rain[i] = r;
            ice[i] = s;
            float speed = 2000.0f * r;
            if (speed > fastest) {
                fastest = speed;
                opaque(fastest);
            }
        }
        uint steps = 1 + (uint)fastest;
        float sum = 0.0f;
        for (uint step = 0; step < steps; step++) {
            float above = 0.0f;
            for (uint k = layers; k > 0; k--) {
                uint i = column + (k - 1) * layer;
                float r = rain[i];
                float falls = 0.5f * r;
                rain[i] = r - falls + above;
                above = falls;
            }
            sum = sum + above;
        }
        fallen[column] = sum;
    }
}
