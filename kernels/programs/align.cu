// Global alignment of two sequences (Needleman & Wunsch 1970): the matrix of scores is filled tile by tile, along the
// diagonals of tiles, and in a tile along its own diagonals. The host goes the way back.
//
//     align [LENGTH]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

const int T = 16; // side of a tile
const int gap = -3;
__constant__ int similar[4][4]; // of two letters

// One block for each tile of a diagonal, from the tile first on upwards. The matrix has a row and a column of gaps more
// than there are letters.
__global__ void fill(int *score, int width, const unsigned char *a, const unsigned char *b, int diagonal, int first) {
    __shared__ int tile[T + 1][T + 1];
    __shared__ unsigned char down[T], right[T];
    const int ty = first + blockIdx.x, tx = diagonal - ty, t = threadIdx.x;
    int *corner = score + (size_t)ty * T * width + tx * T;
    down[t] = a[ty * T + t];
    right[t] = b[tx * T + t];
    tile[0][t + 1] = corner[t + 1];
    tile[t + 1][0] = corner[(t + 1) * width];
    if (t == 0) tile[0][0] = corner[0];
    __syncthreads();
    for (int d = 0; d < 2 * T - 1; d++) {
        const int x = d - t;
        if (x >= 0 && x < T) {
            int best = tile[t][x] + similar[down[t]][right[x]];
            best = max(best, tile[t][x + 1] + gap);
            best = max(best, tile[t + 1][x] + gap);
            tile[t + 1][x + 1] = best;
        }
        __syncthreads();
    }
    for (int y = 1; y <= T; y++) corner[y * width + t + 1] = tile[y][t + 1];
}

static const int similarity[4][4] = {{5, -4, -1, -4}, {-4, 5, -4, -1}, {-1, -4, 5, -4}, {-4, -1, -4, 5}};

int main(int argc, char **argv) {
    const int length = argc > 1 ? atoi(argv[1]) : 160, tiles = length / T, width = length + 1;
    if (length < T || length % T != 0 || length > 16384) {
        fprintf(stderr, "align: want a length that is a multiple of %d, up to 16384\n", T);
        return 2;
    }
    // The second sequence is the first with letters changed, left out and put in.
    unsigned state = 99;
    auto next = [&state](unsigned below) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        return state % below;
    };
    std::vector<unsigned char> a(length), b;
    for (auto &letter : a) letter = (unsigned char)next(4);
    for (int i = 0; i < length; i++) {
        unsigned what = next(12);
        if (what > 0) b.push_back(what == 1 ? (unsigned char)next(4) : a[i]);
        if (what == 2) b.push_back((unsigned char)next(4));
    }
    b.resize(length);

    std::vector<int> want((size_t)width * width), got;
    for (int i = 0; i < width; i++) want[i] = want[(size_t)i * width] = i * gap;
    got = want;

    int *score;
    unsigned char *da, *db;
    CHECK(cudaMalloc(&score, got.size() * sizeof(int)));
    CHECK(cudaMalloc(&da, length));
    CHECK(cudaMalloc(&db, length));
    CHECK(cudaMemcpyToSymbol(similar, similarity, sizeof similarity));
    CHECK(cudaMemcpy(score, got.data(), got.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(da, a.data(), length, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), length, cudaMemcpyHostToDevice));
    for (int d = 0; d < 2 * tiles - 1; d++) {
        const int first = std::max(0, d - tiles + 1), last = std::min(d, tiles - 1);
        fill<<<last - first + 1, T>>>(score, width, da, db, d, first);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), score, got.size() * sizeof(int), cudaMemcpyDeviceToHost));

    for (int y = 1; y < width; y++)
        for (int x = 1; x < width; x++) {
            const int *above = &want[(size_t)(y - 1) * width + x];
            want[(size_t)y * width + x] = std::max({above[-1] + similarity[a[y - 1]][b[x - 1]], above[0] + gap, want[(size_t)y * width + x - 1] + gap});
        }
    for (size_t i = 0; i < got.size(); i++)
        if (got[i] != want[i]) {
            printf("FAIL: row %d, column %d has score %d, want %d\n", (int)(i / width), (int)(i % width), got[i], want[i]);
            return 1;
        }
    // The way back through the device's matrix must have the score that it ends with.
    int same = 0, sum = 0;
    for (int y = length, x = length; y > 0 || x > 0;) {
        const int here = got[(size_t)y * width + x];
        if (y > 0 && x > 0 && here == got[(size_t)(y - 1) * width + x - 1] + similarity[a[y - 1]][b[x - 1]]) {
            y--, x--;
            same += a[y] == b[x];
            sum += similarity[a[y]][b[x]];
            continue;
        }
        sum += gap;
        if (y > 0 && here == got[(size_t)(y - 1) * width + x] + gap) y--;
        else x--;
    }
    if (sum != got.back()) {
        printf("FAIL: the way back has score %d, want %d\n", sum, got.back());
        return 1;
    }
    printf("2 x %d letters, score %d, %d the same: PASS\n", length, sum, same);
    CHECK(cudaFree(score));
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    return 0;
}
