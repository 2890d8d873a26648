// Heat in a plate: a stencil of five points that goes from one buffer to the other and back, and a second kernel that
// says how far the plate is from rest.
//
//     stencil [SIDE [STEPS]]
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

struct Weights {
    float centre, side;
};
__constant__ Weights weights;

template <int TILE> __global__ void step(const float *from, float *to, int side) {
    __shared__ float tile[TILE + 2][TILE + 2];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    auto at = [&](int x, int y) { return x >= 0 && y >= 0 && x < side && y < side ? from[y * side + x] : 0.0f; };
    tile[threadIdx.y + 1][threadIdx.x + 1] = at(x, y);
    if (threadIdx.x == 0) tile[threadIdx.y + 1][0] = at(x - 1, y);
    if (threadIdx.x == TILE - 1) tile[threadIdx.y + 1][TILE + 1] = at(x + 1, y);
    if (threadIdx.y == 0) tile[0][threadIdx.x + 1] = at(x, y - 1);
    if (threadIdx.y == TILE - 1) tile[TILE + 1][threadIdx.x + 1] = at(x, y + 1);
    __syncthreads();
    if (x >= side || y >= side) return;
    const int i = threadIdx.x + 1, j = threadIdx.y + 1;
    to[y * side + x] = weights.centre * tile[j][i] + weights.side * (tile[j - 1][i] + tile[j + 1][i] + tile[j][i - 1] + tile[j][i + 1]);
}

// Non-negative floats are in the order of their bits.
__global__ void change(const float *a, const float *b, int n, int *most) {
    extern __shared__ float part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? fabsf(a[i] - b[i]) : 0.0f;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) atomicMax(most, __float_as_int(part[0]));
}

int main(int argc, char **argv) {
    const int side = argc > 1 ? atoi(argv[1]) : 50, steps = argc > 2 ? atoi(argv[2]) : 4, n = side * side;
    std::vector<float> plate(n, 0.0f);
    for (int i = 0; i < n; i++) plate[i] = (float)(i * 37 % 101);
    const Weights w = {0.5f, 0.125f};
    CHECK(cudaMemcpyToSymbol(weights, &w, sizeof w));
    float *from, *to;
    int *most;
    CHECK(cudaMalloc(&from, n * sizeof *from));
    CHECK(cudaMalloc(&to, n * sizeof *to));
    CHECK(cudaMalloc(&most, sizeof *most));
    CHECK(cudaMemset(most, 0, sizeof *most));
    CHECK(cudaMemcpy(from, plate.data(), n * sizeof *from, cudaMemcpyHostToDevice));

    const int tile = 16, blocks = (side + tile - 1) / tile;
    for (int s = 0; s < steps; s++) {
        step<tile><<<dim3(blocks, blocks), dim3(tile, tile)>>>(from, to, side);
        std::swap(from, to);
    }
    change<<<(n + 127) / 128, 128, 128 * sizeof(float)>>>(from, to, n, most);
    CHECK(cudaDeviceSynchronize());

    std::vector<float> got(n), before;
    float change;
    CHECK(cudaMemcpy(got.data(), from, n * sizeof *from, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&change, most, sizeof change, cudaMemcpyDeviceToHost));
    for (int s = 0; s < steps; s++) {
        before = plate;
        auto at = [&](int x, int y) { return x >= 0 && y >= 0 && x < side && y < side ? before[y * side + x] : 0.0f; };
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                plate[y * side + x] = w.centre * at(x, y) + w.side * (at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y));
    }
    float want = 0;
    for (int i = 0; i < n; i++) {
        if (std::abs(got[i] - plate[i]) > 1e-4f) {
            printf("FAIL: point %d has %g, want %g\n", i, got[i], plate[i]);
            return 1;
        }
        want = std::max(want, std::abs(plate[i] - before[i]));
    }
    if (std::abs(change - want) > 1e-4f) {
        printf("FAIL: the last step changed %g, want %g\n", change, want);
        return 1;
    }
    printf("%d steps of %dx%d points, the last one changed at most %.4f: PASS\n", steps, side, side, change);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(most));
    return 0;
}
