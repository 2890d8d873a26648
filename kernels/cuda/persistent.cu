// How far each ray flies before it meets a triangle. Threads are persistent: there are as many CTAs of 32x6 as fit, and
// each warp goes through batches of 32 rays. A ray goes down a tree of boxes, the nearer one first, with a stack
// for the others: inner nodes as long as it can, then leaves as long as it can. A node has two children,
// a leaf the first of its triangles and how many; the word of a leaf has its top bit set.
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
                    const float *corner = triangles + 9 * t;
                    float ex = corner[3], ey = corner[4], ez = corner[5];
                    float fx = corner[6], fy = corner[7], fz = corner[8];
                    float px = dy * fz - dz * fy, py = dz * fx - dx * fz, pz = dx * fy - dy * fx;
                    float det = ex * px + ey * py + ez * pz;
                    float inv = 1.0f / det;
                    float sx = ox - corner[0], sy = oy - corner[1], sz = oz - corner[2];
                    float u = (sx * px + sy * py + sz * pz) * inv;
                    if (u >= 0.0f && u <= 1.0f) {
                        float qx = sy * ez - sz * ey, qy = sz * ex - sx * ez, qz = sx * ey - sy * ex;
                        float v = (dx * qx + dy * qy + dz * qz) * inv;
                        if (v >= 0.0f && u + v <= 1.0f) {
                            float far = (fx * qx + fy * qy + fz * qz) * inv;
                            if (far > 0.0f && far < nearest) {
                                nearest = far;
                                opaque(nearest);
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
