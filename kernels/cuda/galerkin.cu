// Waves by the discontinuous Galerkin method, a CTA an element, a thread a node: what a matrix makes of the nodes of the
// element; what comes in over its faces, whose nodes know the node on the other side; and a step of a Runge-Kutta scheme.
// Of an element's two fields each drives the other. What a launch does not write is a texture.
#define NODES 84
#define RIM 112

KERNEL galerkin_volume(const float *field, const float *matrix, const float *metric, float *change) {
    __shared__ float p[NODES];
    __shared__ float v[NODES];
    uint n = threadIdx.x;
    uint at = 2 * NODES * blockIdx.x + n;
    p[n] = fetch(field + at);
    v[n] = fetch(field + at + NODES);
    __syncthreads();
    float dp = 0.0f, dv = 0.0f;
    for (uint m = 0; m < NODES; m++) {
        float weight = fetch(matrix + m * NODES + n);
        dp = dp + weight * v[m];
        dv = dv + weight * p[m];
    }
    float scale = fetch(metric + blockIdx.x);
    change[at] = -scale * dp;
    change[at + NODES] = -scale * dv;
}

KERNEL galerkin_surface(const float *field, const uint *inner, const uint *outer, const float *lift, float *change, uint border) {
    __shared__ float jumpP[RIM];
    __shared__ float jumpV[RIM];
    uint n = threadIdx.x;
    for (uint m = n; m < RIM; m += blockDim.x) {
        uint mine = 2 * NODES * blockIdx.x + fetch(inner + m);
        uint theirs = fetch(outer + RIM * blockIdx.x + m);
        float p = fetch(field + mine), v = fetch(field + mine + NODES);
        if (theirs == border) {
            jumpP[m] = -2.0f * p;
            jumpV[m] = 0.0f;
        } else {
            jumpP[m] = fetch(field + theirs) - p;
            jumpV[m] = fetch(field + theirs + NODES) - v;
        }
    }
    __syncthreads();
    float dp = 0.0f, dv = 0.0f;
    for (uint m = 0; m < RIM; m++) {
        float weight = fetch(lift + m * NODES + n);
        dp = dp + weight * (jumpP[m] - jumpV[m]);
        dv = dv + weight * (jumpV[m] - jumpP[m]);
    }
    uint at = 2 * NODES * blockIdx.x + n;
    change[at] = change[at] + dp;
    change[at + NODES] = change[at + NODES] + dv;
}

KERNEL galerkin_step(float *field, float *rest, const float *change, uint count, float keep, float step, float part) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float r = keep * rest[i] + step * change[i];
        rest[i] = r;
        field[i] = field[i] + part * r;
    }
}
