// A particle filter follows an object in the plane by noisy sightings: each particle guesses where the object is, guesses
// that fit the sighting badly die out, and those that fit it well are doubled. The random numbers are made on the device.
//
//     particlefilter [PARTICLES [STEPS]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

struct Particle {
    float x, y;
};

// A number in (0, 1), and the next state (Numerical Recipes, a quick and dirty generator).
static __host__ __device__ float uniform(unsigned &state) {
    state = state * 1664525u + 1013904223u;
    return ((float)(state >> 8) + 0.5f) / 16777216.0f;
}

// Normal distribution (Box & Muller 1958).
static __host__ __device__ float normal(unsigned &state) {
    float r = sqrtf(-2.0f * logf(uniform(state)));
    return r * cosf(6.2831853f * uniform(state));
}

static __host__ __device__ Particle moved(Particle p, unsigned &state) {
    float dx = normal(state), dy = normal(state);
    return {p.x + 1.0f + 0.5f * dx, p.y - 0.5f + 0.5f * dy};
}

// How well a particle fits a sighting, in whole numbers: their sums do not depend on an order.
static __host__ __device__ unsigned fit(Particle p, Particle seen) {
    float dx = p.x - seen.x, dy = p.y - seen.y;
    return 1 + (unsigned)(65535.0f * expf(-0.5f * (dx * dx + dy * dy)));
}

// The index of the particle on whose part of the sum the target lies.
static __host__ __device__ int chosen(const unsigned *sums, int n, unsigned target) {
    int low = 0, high = n - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sums[middle] > target) high = middle;
        else low = middle + 1;
    }
    return low;
}

__global__ void begin(unsigned *states, Particle *particles, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    states[i] = seed + 747796405u * i;
    particles[i] = {normal(states[i]), normal(states[i])};
}

__global__ void guess(unsigned *states, Particle *particles, unsigned *fits, int n, Particle seen) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = states[i];
    Particle p = moved(particles[i], state);
    states[i] = state;
    particles[i] = p;
    fits[i] = fit(p, seen);
}

// Sums from the first to each one, by one block: each thread adds a row, then the rows' sums are added.
__global__ void scan(const unsigned *in, unsigned *out, int n) {
    extern __shared__ unsigned row[];
    const int each = (n + blockDim.x - 1) / blockDim.x, from = threadIdx.x * each, to = min(from + each, n);
    unsigned sum = 0;
    for (int i = from; i < to; i++) sum += in[i];
    row[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned before = threadIdx.x >= d ? row[threadIdx.x - d] : 0;
        __syncthreads();
        row[threadIdx.x] += before;
        __syncthreads();
    }
    sum = row[threadIdx.x] - sum;
    for (int i = from; i < to; i++) out[i] = sum += in[i];
}

__global__ void resample(const Particle *from, Particle *to, const unsigned *sums, int n, unsigned start) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long total = sums[n - 1];
    to[i] = from[chosen(sums, n, (unsigned)((total * i + start % total) / n))];
}

static Particle middle(const std::vector<Particle> &p) {
    double x = 0, y = 0;
    for (auto &each : p) x += each.x, y += each.y;
    return {(float)(x / (double)p.size()), (float)(y / (double)p.size())};
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 5, threads = 128, blocks = (n + threads - 1) / threads;
    if (n < 1 || n > 50000) {
        fprintf(stderr, "particlefilter: want 1 to 50000 particles\n");
        return 2;
    }
    unsigned *states, *fits, *sums;
    Particle *particles, *others;
    CHECK(cudaMalloc(&states, n * sizeof *states));
    CHECK(cudaMalloc(&fits, n * sizeof *fits));
    CHECK(cudaMalloc(&sums, n * sizeof *sums));
    CHECK(cudaMalloc(&particles, n * sizeof *particles));
    CHECK(cudaMalloc(&others, n * sizeof *others));

    std::vector<unsigned> hostStates(n), hostSums(n);
    std::vector<Particle> host(n), hostOthers(n), got(n);
    const unsigned seed = 20110212;
    begin<<<blocks, threads>>>(states, particles, n, seed);
    for (int i = 0; i < n; i++) {
        hostStates[i] = seed + 747796405u * i;
        host[i].x = normal(hostStates[i]);
        host[i].y = normal(hostStates[i]);
    }
    unsigned noise = 5;
    Particle object = {0, 0};
    double most = 0;
    for (int s = 0; s < steps; s++) {
        object = {object.x + 1.0f, object.y - 0.5f};
        const Particle seen = {object.x + 0.3f * normal(noise), object.y + 0.3f * normal(noise)};
        const unsigned start = noise;
        guess<<<blocks, threads>>>(states, particles, fits, n, seen);
        scan<<<1, threads, threads * sizeof(unsigned)>>>(fits, sums, n);
        resample<<<blocks, threads>>>(particles, others, sums, n, start);
        std::swap(particles, others);
        CHECK(cudaMemcpy(got.data(), particles, n * sizeof(Particle), cudaMemcpyDeviceToHost));

        unsigned sum = 0;
        for (int i = 0; i < n; i++) {
            host[i] = moved(host[i], hostStates[i]);
            hostSums[i] = sum += fit(host[i], seen);
        }
        for (int i = 0; i < n; i++) hostOthers[i] = host[chosen(hostSums.data(), n, (unsigned)(((unsigned long long)sum * i + start % sum) / n))];
        std::swap(host, hostOthers);

        // Particles whose numbers differ in the last bit may be chosen differently: the middle hardly moves.
        const Particle a = middle(got), b = middle(host);
        const double apart = std::hypot(a.x - b.x, a.y - b.y), off = std::hypot(a.x - object.x, a.y - object.y);
        if (!(apart < 0.05) || !(off < 2)) {
            printf("FAIL: step %d: the particles are about (%g, %g), the host's about (%g, %g), the object is at (%g, %g)\n", s, a.x, a.y, b.x, b.y, object.x, object.y);
            return 1;
        }
        most = std::max(most, off);
    }
    // The generators are whole numbers, and must be the same.
    std::vector<unsigned> gotStates(n);
    CHECK(cudaMemcpy(gotStates.data(), states, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (gotStates != hostStates) {
        printf("FAIL: other random numbers than the host's\n");
        return 1;
    }
    printf("%d particles, %d steps, never further than %.2f from the object: PASS\n", n, steps, most);
    CHECK(cudaFree(states));
    CHECK(cudaFree(fits));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(particles));
    CHECK(cudaFree(others));
    return 0;
}
