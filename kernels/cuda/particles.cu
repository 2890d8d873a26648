// One step of equal spheres in the cube from -1 to 1: those that overlap push each
// other apart, and walls throw them back. Positions and velocities are three
// numbers each.
KERNEL particles(const float *pos, const float *vel, float *newPos, float *newVel, uint n, float radius, float time) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = pos[3 * i], y = pos[3 * i + 1], z = pos[3 * i + 2];
        float u = vel[3 * i], v = vel[3 * i + 1], w = vel[3 * i + 2];
        float fx = 0.0f, fy = 0.0f, fz = 0.0f;
        float reach = 2.0f * radius;
        for (uint j = 0; j < n; j++) {
            float dx = pos[3 * j] - x, dy = pos[3 * j + 1] - y, dz = pos[3 * j + 2] - z;
            float far = dx * dx + dy * dy + dz * dz;
            if (far < reach * reach && j != i) {
                float distance = squareRoot(far);
                float push = (distance - reach) * 8.0f / distance;
                fx = fx + push * dx;
                fy = fy + push * dy;
                fz = fz + push * dz;
            }
        }
        u = u + fx * time;
        v = v + fy * time;
        w = w + fz * time;
        x = x + u * time;
        y = y + v * time;
        z = z + w * time;
        float wall = 1.0f - radius;
        if (x > wall) {
            x = wall;
            opaque(x);
            u = u * -0.5f;
        }
        if (x < -wall) {
            x = -wall;
            opaque(x);
            u = u * -0.5f;
        }
        if (y > wall) {
            y = wall;
            opaque(y);
            v = v * -0.5f;
        }
        if (y < -wall) {
            y = -wall;
            opaque(y);
            v = v * -0.5f;
        }
        if (z > wall) {
            z = wall;
            opaque(z);
            w = w * -0.5f;
        }
        if (z < -wall) {
            z = -wall;
            opaque(z);
            w = w * -0.5f;
        }
        newPos[3 * i] = x;
        newPos[3 * i + 1] = y;
        newPos[3 * i + 2] = z;
        newVel[3 * i] = u;
        newVel[3 * i + 1] = v;
        newVel[3 * i + 2] = w;
    }
}
