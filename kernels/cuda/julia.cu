// Escape times of z = z*z + c from the points z = re[x] + i*im[y]: how many of the
// limit rounds are left when the orbit leaves the circle of radius 2, 0 if it stays.
// The loop is unrolled 20 times; each copy has both tests.
KERNEL julia(const float *re, const float *im, uint *left, uint width, uint height, uint limit, float cx, float cy) {
    uint ix = blockIdx.x * blockDim.x + threadIdx.x;
    uint iy = blockIdx.y * blockDim.y + threadIdx.y;

    if (ix < width && iy < height) {
        float x = re[ix], y = im[iy];
        float xx = x * x, yy = y * y;
        int i = limit;
#pragma unroll 20
        while (--i > 0 && xx + yy < 4.0f) {
            y = x * y * 2.0f + cy;
            x = xx - yy + cx;
            yy = y * y;
            xx = x * x;
        }
        left[iy * width + ix] = i;
    }
}
