// State spaces, vectors, initialisers, structures by value, local arrays.
#include "cuda.h"

__constant__ float weights[3][4] = {{1, 2, 3, 4}, {0.5f, -0.25f}, {1e-10f, 1e30f, 0, 7}};
__constant__ double third = 1.0 / 3;
__device__ int counter = 42;
__device__ u8 text[] = "divergence";
__device__ int *where = &counter;
__device__ const void *places[3] = {text + 3, nullptr, &where};
__device__ short table[5] = {-1, 2, -3, 4, -32768};
struct Packed { char tag; void *p; } __attribute__((packed));
__device__ Packed packed = {1, &counter};
__device__ float scratch[1024];

struct Shape { int rows, cols; float scale[6]; u8 flags; double origin; };

KERNEL structure(Shape s, float *out, int k) {
    int i = threadIdx.x;
    out[i] = s.rows * s.cols + s.scale[2] + s.flags + (float)s.origin + s.scale[k % 6];
}

KERNEL constants(float *out, int k) {
    int i = threadIdx.x;
    out[i] = weights[i % 3][k & 3] + (float)third + table[i % 5] + text[i % 10] + *where + (float)(u64)places[i % 3] + packed.tag;
    counter = i;
}

KERNEL vectors(const float4 *a, const int2 *b, double2 *c) {
    int i = threadIdx.x;
    float4 v = a[i];
    int2 w = b[i];
    c[i] = double2{v.x + v.y + w.x, (double)(v.z * v.w - w.y)};
}

extern __shared__ float dynamic[];

KERNEL shared(const float *in, float *out, int n) {
    __shared__ float tile[32][33];
    __shared__ u8 mark[7];
    __shared__ double sum;
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * n + x];
    dynamic[y * 32 + x] = 1.0f;
    if (x < 7) mark[x] = x;
    if (x == 0 && y == 0) sum = 0;
    __syncthreads();
    out[x * n + y] = tile[x][y] + dynamic[x] + mark[x % 7] + (float)sum;
}

KERNEL local(const int *in, int *out, int n) {
    int stack[32];
    for (int i = 0; i < 32; i++) stack[i] = in[i * n];
    int at = n & 31, sum = 0;
    for (int i = 0; i < n; i++) {
        at = stack[at & 31] & 31;
        stack[at] += i;
        sum += stack[(at + 7) & 31];
    }
    out[threadIdx.x] = sum;
}

KERNEL pointers(int *p, int which, volatile int *q) {
    __shared__ int s[16];
    int mine[4] = {1, 2, 3, (int)threadIdx.x};
    int *any = which == 0 ? p : which == 1 ? s : mine;
    s[threadIdx.x & 15] = which;
    __syncthreads();
    *any += any[which & 3];
    *q = *q + *any;
    scratch[threadIdx.x] = *any;
}

KERNEL readonly(const int *__restrict__ a, const float4 *__restrict__ v, int *b) {
    int i = threadIdx.x;
    b[i] = __nvvm_ldg_i(a + i) + (int)v[i].w;
}
