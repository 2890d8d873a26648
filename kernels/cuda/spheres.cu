// A picture of spheres that mirror each other, a thread a pixel: a ray from the eye meets the nearest sphere, which shows
// how much light falls on it if no other one is between, and sends the ray on, a few times. A sphere is its middle, the
// square of its radius, and how much it mirrors.
#define SPHERE 5
#define NEAR 0.01f

// How far along a ray the sphere is; 0: it is not met.
static inline __device__ __attribute__((always_inline)) float meet(const float *s, float x, float y, float z, float dx, float dy, float dz) {
    float lx = s[0] - x, ly = s[1] - y, lz = s[2] - z;
    float along = lx * dx + ly * dy + lz * dz;
    float aside = lx * lx + ly * ly + lz * lz - along * along;
    float t = 0.0f;
    if (aside < s[3]) {
        t = along - squareRoot(s[3] - aside);
    }
    return t;
}

KERNEL spheres(const float *scene, float *picture, uint count, uint width, uint height, uint bounces, float lightx, float lighty, float lightz) {
    uint px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px < width && py < height) {
        float dx = (px + 0.5f) / width - 0.5f, dy = (py + 0.5f) / height - 0.5f, dz = 1.0f;
        float size = squareRoot(dx * dx + dy * dy + dz * dz);
        dx = dx / size;
        dy = dy / size;
        dz = dz / size;
        float x = 0.0f, y = 0.0f, z = 0.0f;
        float sum = 0.0f, part = 1.0f;
        for (uint bounce = 0; bounce < bounces; bounce++) {
            float best = 1000.0f;
            const float *met = scene;
            for (uint k = 0; k < count; k++) {
                float t = meet(scene + SPHERE * k, x, y, z, dx, dy, dz);
                if (t > NEAR && t < best) {
                    best = t;
                    met = scene + SPHERE * k;
                }
            }
            if (best == 1000.0f) {
                sum = sum + part * (0.5f + 0.5f * dy);
                break;
            }
            x = x + best * dx;
            y = y + best * dy;
            z = z + best * dz;
            float radius = squareRoot(met[3]);
            float nx = (x - met[0]) / radius, ny = (y - met[1]) / radius, nz = (z - met[2]) / radius;
            float light = nx * lightx + ny * lighty + nz * lightz;
            if (light > 0.0f) {
                uint k = 0;
                while (k < count && meet(scene + SPHERE * k, x, y, z, lightx, lighty, lightz) <= NEAR) {
                    k++;
                }
                if (k == count) {
                    sum = sum + part * (1.0f - met[4]) * light;
                }
            }
            part = part * met[4];
            float turn = 2.0f * (nx * dx + ny * dy + nz * dz);
            dx = dx - turn * nx;
            dy = dy - turn * ny;
            dz = dz - turn * nz;
        }
        picture[py * width + px] = sum;
    }
}
