// LU decomposition of a matrix without pivots, block by block: one kernel for the block on the diagonal, one for the
// blocks beside and below it, one for everything behind them.
//
//     lu [BLOCKS]
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

const int B = 16; // side of a block

// One column after the other, a thread for each row.
__global__ void diagonal(float *a, int n, int at) {
    __shared__ float block[B][B + 1];
    const int t = threadIdx.x;
    float *corner = a + (size_t)at * n + at;
    for (int y = 0; y < B; y++) block[y][t] = corner[y * n + t];
    __syncthreads();
    for (int k = 0; k < B - 1; k++) {
        if (t > k) {
            block[t][k] /= block[k][k];
            for (int x = k + 1; x < B; x++) block[t][x] -= block[t][k] * block[k][x];
        }
        __syncthreads();
    }
    for (int y = 0; y < B; y++) corner[y * n + t] = block[y][t];
}

// Half of the threads solve for the block on the right, half for the one below.
__global__ void perimeter(float *a, int n, int at) {
    __shared__ float corner[B][B + 1], right[B][B + 1], below[B][B + 1];
    const int away = at + (blockIdx.x + 1) * B, t = threadIdx.x % B;
    for (int y = threadIdx.x / B; y < B; y += 2) {
        corner[y][t] = a[(size_t)(at + y) * n + at + t];
        right[y][t] = a[(size_t)(at + y) * n + away + t];
        below[y][t] = a[(size_t)(away + y) * n + at + t];
    }
    __syncthreads();
    if (threadIdx.x < B) {
        for (int y = 1; y < B; y++)
            for (int k = 0; k < y; k++) right[y][t] -= corner[y][k] * right[k][t];
    } else {
        for (int x = 0; x < B; x++) {
            for (int k = 0; k < x; k++) below[t][x] -= below[t][k] * corner[k][x];
            below[t][x] /= corner[x][x];
        }
    }
    __syncthreads();
    for (int y = threadIdx.x / B; y < B; y += 2) {
        a[(size_t)(at + y) * n + away + t] = right[y][t];
        a[(size_t)(away + y) * n + at + t] = below[y][t];
    }
}

__global__ void interior(float *a, int n, int at) {
    __shared__ float left[B][B + 1], above[B][B + 1];
    const int x = at + (blockIdx.x + 1) * B + threadIdx.x, y = at + (blockIdx.y + 1) * B + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = a[(size_t)y * n + at + threadIdx.x];
    above[threadIdx.y][threadIdx.x] = a[(size_t)(at + threadIdx.y) * n + x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < B; k++) sum += left[threadIdx.y][k] * above[k][threadIdx.x];
    a[(size_t)y * n + x] -= sum;
}

int main(int argc, char **argv) {
    const int blocks = argc > 1 ? atoi(argv[1]) : 4, n = blocks * B;
    if (blocks < 1 || blocks > 64) {
        fprintf(stderr, "lu: want 1 to 64 blocks\n");
        return 2;
    }
    std::vector<float> a((size_t)n * n);
    std::vector<double> want((size_t)n * n);
    unsigned state = 7;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            state = state * 1664525 + 1013904223;
            // The diagonal dominates, so that no pivot is small.
            want[y * n + x] = a[y * n + x] = (float)(state >> 16) / 65536 + (x == y ? (float)n : 0);
        }
    float *device;
    CHECK(cudaMalloc(&device, a.size() * sizeof(float)));
    CHECK(cudaMemcpy(device, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    for (int at = 0; at < n; at += B) {
        const int rest = (n - at) / B - 1;
        diagonal<<<1, B>>>(device, n, at);
        if (rest > 0) {
            perimeter<<<rest, 2 * B>>>(device, n, at);
            interior<<<dim3(rest, rest), dim3(B, B)>>>(device, n, at);
        }
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(a.data(), device, a.size() * sizeof(float), cudaMemcpyDeviceToHost));

    for (int k = 0; k < n; k++)
        for (int y = k + 1; y < n; y++) {
            want[y * n + k] /= want[k * n + k];
            for (int x = k + 1; x < n; x++) want[y * n + x] -= want[y * n + k] * want[k * n + x];
        }
    double most = 0;
    for (int i = 0; i < n * n; i++) {
        double error = std::abs(a[i] - want[i]) / std::max(1.0, std::abs(want[i]));
        if (!(error < 1e-4)) {
            printf("FAIL: row %d, column %d is %g, want %g\n", i / n, i % n, a[i], want[i]);
            return 1;
        }
        most = std::max(most, error);
    }
    printf("%dx%d matrix, largest error %.1e: PASS\n", n, n, most);
    CHECK(cudaFree(device));
    return 0;
}
