// Escape times of the points re[x] + i*im[y]: how many of the limit rounds are
// left when the orbit leaves the circle of radius 2, 0 if it stays inside. The
// loop is unrolled 20 times; each copy has both tests.
KERNEL mandelbrot20(const float *re, const float *im, uint *left, uint width, uint height, uint limit) {
    uint ix = blockIdx.x * blockDim.x + threadIdx.x;
    uint iy = blockIdx.y * blockDim.y + threadIdx.y;

    if (ix < width && iy < height) {
        float cx = re[ix];
        float cy = im[iy];
        float x = 0.0f, y = 0.0f;
        float xx = 0.0f, yy = 0.0f;
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
