// C = A B for row-major matrices: A is rows x inner, B inner x cols. A CTA of
// 16 x 16 threads makes one tile of C from tiles of A and B in shared memory.
#define TILE 16

KERNEL matmul(const float *a, const float *b, float *c, uint rows, uint inner, uint cols) {
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];
    uint tx = threadIdx.x, ty = threadIdx.y;
    uint col = blockIdx.x * TILE + tx;
    uint row = blockIdx.y * TILE + ty;

    float sum = 0.0f;
    for (uint base = 0; base < inner; base += TILE) {
        tileA[ty][tx] = 0.0f;
        if (row < rows && base + tx < inner) {
            tileA[ty][tx] = a[row * inner + base + tx];
        }
        tileB[ty][tx] = 0.0f;
        if (base + ty < inner && col < cols) {
            tileB[ty][tx] = b[(base + ty) * cols + col];
        }
        __syncthreads();
        for (uint k = 0; k < TILE; k++) {
            sum += tileA[ty][k] * tileB[k][tx];
        }
        __syncthreads();
    }

    if (row < rows && col < cols) {
        c[row * cols + col] = sum;
    }
}
