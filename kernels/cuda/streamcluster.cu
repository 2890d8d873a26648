// What it would save to open a centre at a point: a thread for each other point, which moves there if that is cheaper for
// it, and otherwise tells what its centre would lose if it closed. Each thread adds to a table of its own.
KERNEL streamcluster(const float *points, const float *cost, const uint *centre, const uint *slot, float *lower, uint8 *moves, uint count, uint dimensions, uint centres, uint candidate) {
    __shared__ float place[64];
    uint t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < dimensions) {
        place[t] = points[t * count + candidate];
    }
    __syncthreads();
    if (i < count) {
        float far = 0.0f;
        for (uint d = 0; d < dimensions; d++) {
            float along = points[d * count + i] - place[d];
            far = far + along * along;
        }
        float now = cost[i];
        if (far < now) {
            moves[i] = 1;
            lower[i * (centres + 1) + centres] = far - now;
        } else {
            lower[i * (centres + 1) + slot[centre[i]]] = now - far;
        }
    }
}
