// Breadth-first search of a random graph, level by level, until nothing changes: a thread of a warp looks at its
// vertex's neighbours if the vertex was reached in the level before.
//
//     bfs [VERTICES [DEGREE]]
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

struct Graph {
    std::vector<int> first; // of each vertex in edges, and the end
    std::vector<int> edges;
    int vertices() const { return (int)first.size() - 1; }
};

// A vertex has from none to twice the degree, and one in eight has none at all.
static Graph randomGraph(int vertices, int degree) {
    unsigned state = 12345;
    auto next = [&state](unsigned below) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        return state % below;
    };
    Graph g;
    g.first.push_back(0);
    for (int v = 0; v < vertices; v++) {
        unsigned n = next(8) == 0 ? 0 : next((unsigned)(2 * degree + 1));
        for (unsigned i = 0; i < n; i++) g.edges.push_back((int)next((unsigned)vertices));
        g.first.push_back((int)g.edges.size());
    }
    return g;
}

static std::vector<int> reference(const Graph &g) {
    std::vector<int> level(g.vertices(), -1);
    std::queue<int> reached;
    level[0] = 0;
    for (reached.push(0); !reached.empty(); reached.pop()) {
        int v = reached.front();
        for (int e = g.first[v]; e < g.first[v + 1]; e++)
            if (int to = g.edges[e]; level[to] < 0) {
                level[to] = level[v] + 1;
                reached.push(to);
            }
    }
    return level;
}

__device__ int changed;

__global__ void begin(int *level, int vertices) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) level[v] = v == 0 ? 0 : -1;
}

__global__ void visit(const int *first, const int *edges, int *level, int vertices, int now) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || level[v] != now) return;
    for (int e = first[v]; e < first[v + 1]; e++)
        if (atomicCAS(&level[edges[e]], -1, now + 1) == -1) changed = 1;
}

template <class T> static T *onDevice(const std::vector<T> &data) {
    T *copy;
    CHECK(cudaMalloc(&copy, data.size() * sizeof(T)));
    CHECK(cudaMemcpy(copy, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice));
    return copy;
}

int main(int argc, char **argv) {
    const int vertices = argc > 1 ? atoi(argv[1]) : 1500, degree = argc > 2 ? atoi(argv[2]) : 3, threads = 128;
    const Graph g = randomGraph(vertices, degree);
    int *first = onDevice(g.first), *edges = onDevice(g.edges), *level;
    CHECK(cudaMalloc(&level, vertices * sizeof *level));
    const int blocks = (vertices + threads - 1) / threads;
    begin<<<blocks, threads>>>(level, vertices);
    int now = 0, more = 1;
    for (; more; now++) {
        const int none = 0;
        CHECK(cudaMemcpyToSymbol(changed, &none, sizeof none));
        visit<<<blocks, threads>>>(first, edges, level, vertices, now);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyFromSymbol(&more, changed, sizeof more));
    }
    std::vector<int> got(vertices), want = reference(g);
    CHECK(cudaMemcpy(got.data(), level, vertices * sizeof *level, cudaMemcpyDeviceToHost));
    int reached = 0;
    for (int v = 0; v < vertices; v++) {
        if (got[v] != want[v]) {
            printf("FAIL: vertex %d has level %d, want %d\n", v, got[v], want[v]);
            return 1;
        }
        reached += got[v] >= 0;
    }
    printf("%d of %d vertices reached, %d levels: PASS\n", reached, vertices, now);
    CHECK(cudaFree(first));
    CHECK(cudaFree(edges));
    CHECK(cudaFree(level));
    return 0;
}
