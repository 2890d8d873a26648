// How far each ray flies before it meets a triangle; of every second batch only whether it meets one. Threads are persistent: there are as many CTAs of 32x6 as fit, and
// each warp goes through batches of 32 rays. A ray goes down a tree of boxes, the nearer one first, with a stack
// for the others: inner nodes as long as it can, then leaves as long as it can. A node has two children,
// a leaf the first of its triangles and how many; the word of a leaf has its top bit set. The first hit of a ray
// that asks for any hit ends its way. A triangle is a transformation to where it has the corners 0, x and y: the height
// first, then x and y (Woop).
#define NODE 12
#define LEAF 0x80000000u
#define DONE 0xffffffffu
#define STACK 24

// Where a ray enters a box of a node, or a number larger than limit if it misses it.
static inline __device__ __attribute__((always_inline)) float enter(const float *box, float ox, float oy, float oz, float ix, float iy, float iz, float limit) {
    float ax = (box[0] - ox) * ix, bx = (box[3] - ox) * ix;
    float ay = (box[1] - oy) * iy, by = (box[4] - oy) * iy;
    float az = (box[2] - oz) * iz, bz = (box[5] - oz) * iz;
    float in = __nvvm_fmax_f(__nvvm_fmax_f(__nvvm_fmin_f(ax, bx), __nvvm_fmin_f(ay, by)), __nvvm_fmax_f(__nvvm_fmin_f(az, bz), 0.0f));
    float out = __nvvm_fmin_f(__nvvm_fmin_f(__nvvm_fmax_f(ax, bx), __nvvm_fmax_f(ay, by)), __nvvm_fmin_f(__nvvm_fmax_f(az, bz), limit));
    if (in > out) {
        in = 2.0e30f;
        opaque(in);
    }
    return in;
}

KERNEL persistent(const float *boxes, const uint *links, const float *triangles, const float *rays, float *distance, uint count) {
    uint stack[STACK];
    uint warps = gridDim.x * 6;
    for (uint batch = blockIdx.x * 6 + threadIdx.y; batch * 32 < count; batch += warps) {
        uint ray = batch * 32 + threadIdx.x;
        if (ray >= count) {
            break;
        }
        float ox = rays[6 * ray], oy = rays[6 * ray + 1], oz = rays[6 * ray + 2];
        float dx = rays[6 * ray + 3], dy = rays[6 * ray + 4], dz = rays[6 * ray + 5];
        float ix = 1.0f / dx, iy = 1.0f / dy, iz = 1.0f / dz;
        float nearest = 1.0e30f;
        uint node = 0, top = 1;
        stack[0] = DONE;
        while (node != DONE) {
            while (node < LEAF) {
                const float *children = boxes + NODE * node;
                float one = enter(children, ox, oy, oz, ix, iy, iz, nearest);
                float other = enter(children + 6, ox, oy, oz, ix, iy, iz, nearest);
                uint left = links[2 * node], right = links[2 * node + 1];
                if (one > other) {
                    uint swap = left;
                    left = right;
                    right = swap;
                    float far = one;
                    one = other;
                    other = far;
                    opaque(left);
                    opaque(one);
                    opaque(other);
                }
                if (one > 1.0e30f) {
                    top--;
                    node = stack[top];
                } else {
                    node = left;
                    if (other <= 1.0e30f) {
                        stack[top] = right;
                        top++;
                    }
                }
            }
            while (node >= LEAF && node != DONE) {
                uint first = (node >> 4) & 0x7ffffff, last = first + (node & 15);
                for (uint t = first; t < last; t++) {
                    const float *z = triangles + 12 * t;
                    float far = (z[3] - ox * z[0] - oy * z[1] - oz * z[2]) * (1.0f / (dx * z[0] + dy * z[1] + dz * z[2]));
                    if (far > 0.0f && far < nearest) {
                        const float *x = z + 4;
                        float u = x[3] + ox * x[0] + oy * x[1] + oz * x[2] + far * (dx * x[0] + dy * x[1] + dz * x[2]);
                        if (u >= 0.0f && u <= 1.0f) {
                            const float *y = z + 8;
                            float v = y[3] + ox * y[0] + oy * y[1] + oz * y[2] + far * (dx * y[0] + dy * y[1] + dz * y[2]);
                            if (v >= 0.0f && u + v <= 1.0f) {
                                nearest = far;
                                opaque(nearest);
                                opaque(batch);
                                if (batch % 2 == 1) {
                                    nearest = 0.0f;
                                    top = 1;
                                    break;
                                }
                            }
                        }
                    }
                }
                top--;
                node = stack[top];
            }
        }
        distance[ray] = nearest;
    }
}
