// One step of n bodies that attract each other, by tiles of the bodies in shared memory. A body is
// three coordinates and its mass.
#define TILE 64

KERNEL nbody(const float *body, const float *vel, float *newBody, float *newVel, uint n, float soft, float time) {
    __shared__ float tile[4 * TILE];
    uint t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float x = body[4 * i], y = body[4 * i + 1], z = body[4 * i + 2];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (uint first = 0; first < n; first += TILE) {
        for (uint k = t; k < 4 * TILE; k += TILE) {
            tile[k] = body[4 * first + k];
        }
        __syncthreads();
        for (uint j = 0; j < TILE; j++) {
            float dx = tile[4 * j] - x, dy = tile[4 * j + 1] - y, dz = tile[4 * j + 2] - z;
            float far = dx * dx + dy * dy + dz * dz + soft;
            float pull = tile[4 * j + 3] / (far * squareRoot(far));
            ax = ax + dx * pull;
            ay = ay + dy * pull;
            az = az + dz * pull;
        }
        __syncthreads();
    }
    float u = vel[3 * i] + ax * time, v = vel[3 * i + 1] + ay * time, w = vel[3 * i + 2] + az * time;
    newVel[3 * i] = u;
    newVel[3 * i + 1] = v;
    newVel[3 * i + 2] = w;
    newBody[4 * i] = x + u * time;
    newBody[4 * i + 1] = y + v * time;
    newBody[4 * i + 2] = z + w * time;
    newBody[4 * i + 3] = body[4 * i + 3];
}
