// A ray tracer of spheres that reflect each other: a ray that hits one calls the function that follows it again, for the
// reflected ray. Neighbouring threads go different ways and to different depths.
//
//     raytrace [SIDE [DEPTH]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

struct Sphere {
    float3 centre, colour;
    float radius, mirror; // mirror: the part of the light that comes from the reflected ray
};

const int count = 6;

// All products and sums are written as fmaf, which rounds once on the host as on the device: the pictures are the same.
static __host__ __device__ float dot(float3 a, float3 b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }
static __host__ __device__ float3 along(float3 from, float3 way, float t) { return make_float3(fmaf(way.x, t, from.x), fmaf(way.y, t, from.y), fmaf(way.z, t, from.z)); }
static __host__ __device__ float3 less(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
static __host__ __device__ float3 unit(float3 a) {
    float l = 1.0f / sqrtf(dot(a, a));
    return make_float3(a.x * l, a.y * l, a.z * l);
}

// The nearest sphere that a ray hits, -1 for none.
static __host__ __device__ int hit(const Sphere *spheres, float3 from, float3 way, float &t) {
    int which = -1;
    for (int s = 0; s < count; s++) {
        float3 to = less(spheres[s].centre, from);
        float middle = dot(to, way), square = fmaf(middle, middle, fmaf(spheres[s].radius, spheres[s].radius, -dot(to, to)));
        if (square < 0) continue;
        float at = middle - sqrtf(square);
        if (at > 0.001f && (which < 0 || at < t)) {
            t = at;
            which = s;
        }
    }
    return which;
}

// The light that comes from a direction.
static __host__ __device__ float3 trace(const Sphere *spheres, float3 from, float3 way, int depth) {
    float t = 0;
    const int s = hit(spheres, from, way, t);
    if (s < 0) return make_float3(0.25f, 0.25f, fmaf(0.25f, way.y, 0.5f)); // the sky
    const float3 at = along(from, way, t), normal = unit(less(at, spheres[s].centre)), lamp = unit(make_float3(1, 2, -1.5f));
    float light = 0.125f, ignored;
    if (dot(normal, lamp) > 0 && hit(spheres, at, lamp, ignored) < 0) light = fmaf(0.875f, dot(normal, lamp), light);
    float3 colour = make_float3(spheres[s].colour.x * light, spheres[s].colour.y * light, spheres[s].colour.z * light);
    if (depth > 0 && spheres[s].mirror > 0) {
        const float3 reflected = trace(spheres, at, along(way, normal, -2.0f * dot(way, normal)), depth - 1);
        colour = along(colour, less(reflected, colour), spheres[s].mirror);
    }
    return colour;
}

static __host__ __device__ unsigned char level(float x) { return (unsigned char)(fminf(fmaxf(x, 0.0f), 1.0f) * 255.0f); }

static __host__ __device__ uchar4 pixel(const Sphere *spheres, int x, int y, int side, int depth) {
    const float scale = 2.0f / (float)side;
    const float3 way = unit(make_float3(fmaf((float)x, scale, -1.0f), fmaf((float)y, -scale, 1.0f), 1.5f));
    const float3 colour = trace(spheres, make_float3(0, 0, -4), way, depth);
    return make_uchar4(level(colour.x), level(colour.y), level(colour.z), 255);
}

__constant__ Sphere scene[count];

__global__ void render(uchar4 *picture, int side, int depth) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < side && y < side) picture[y * side + x] = pixel(scene, x, y, side, depth);
}

int main(int argc, char **argv) {
    const int side = argc > 1 ? atoi(argv[1]) : 48, depth = argc > 2 ? atoi(argv[2]) : 4;
    if (side < 1 || side > 4096 || depth < 0 || depth > 32) {
        fprintf(stderr, "raytrace: want a side of 1 to 4096 points, and a depth of 0 to 32\n");
        return 2;
    }
    const Sphere spheres[count] = {
        {make_float3(0, -101, 0), make_float3(0.5f, 0.5f, 0.375f), 100, 0.125f},
        {make_float3(-0.75f, -0.25f, 0), make_float3(1, 0.25f, 0.25f), 0.75f, 0.5f},
        {make_float3(0.75f, -0.375f, -0.25f), make_float3(0.25f, 1, 0.25f), 0.625f, 0.75f},
        {make_float3(0, 0.5f, 1), make_float3(0.875f, 0.875f, 1), 0.875f, 0.875f},
        {make_float3(0.125f, -0.75f, -1.25f), make_float3(1, 1, 0.25f), 0.25f, 0},
        {make_float3(-0.375f, 0.75f, -0.75f), make_float3(0.25f, 0.5f, 1), 0.25f, 0.5f},
    };
    uchar4 *picture;
    CHECK(cudaMalloc(&picture, (size_t)side * side * sizeof *picture));
    CHECK(cudaMemcpyToSymbol(scene, spheres, sizeof spheres));
    const dim3 block(16, 8), grid((side + 15) / 16, (side + 7) / 8);
    render<<<grid, block>>>(picture, side, depth);
    CHECK(cudaGetLastError());
    std::vector<uchar4> got((size_t)side * side);
    CHECK(cudaMemcpy(got.data(), picture, got.size() * sizeof *picture, cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (int i = 0; i < side * side; i++) {
        const uchar4 want = pixel(spheres, i % side, i / side, side, depth);
        if (got[i].x != want.x || got[i].y != want.y || got[i].z != want.z) {
            printf("FAIL: point (%d, %d) is (%d, %d, %d), want (%d, %d, %d)\n", i % side, i / side, got[i].x, got[i].y, got[i].z, want.x, want.y, want.z);
            return 1;
        }
        sum += want.x + want.y + want.z;
    }
    printf("%dx%d points, %d reflections, mean level %.1f: PASS\n", side, side, depth, (double)sum / (3.0 * side * side));
    CHECK(cudaFree(picture));
    return 0;
}
