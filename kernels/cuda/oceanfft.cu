// The surface of a sea of side x side points: its spectrum at a time, the inverse Fourier
// transform of that by rows and by columns, and the slopes of the surface.
KERNEL ocean_spectrum(const float *re, const float *im, const float *cosine, const float *sine, float *outRe, float *outIm, uint side) {
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < side) {
        uint at = y * side + x;
        uint other = ((side - y) & (side - 1)) * side + ((side - x) & (side - 1));
        float c = cosine[at], s = sine[at];
        outRe[at] = re[at] * c - im[at] * s + (re[other] * c - im[other] * s);
        outIm[at] = re[at] * s + im[at] * c - (re[other] * s + im[other] * c);
    }
}

// A line of 2*blockDim.x elements, at most 256, whose elements are stride apart.
KERNEL ocean_fft(float *re, float *im, const float *rootRe, const float *rootIm, uint bits, uint stride, uint line) {
    __shared__ float a[256];
    __shared__ float b[256];
    uint t = threadIdx.x, side = 2 * blockDim.x;
    uint base = blockIdx.x * line;
    for (uint i = t; i < side; i += blockDim.x) {
        uint from = base + (__builtin_bitreverse32(i) >> (32 - bits)) * stride;
        a[i] = re[from];
        b[i] = im[from];
    }
    for (uint half = 1; half < side; half *= 2) {
        __syncthreads();
        uint k = t & (half - 1);
        uint low = 2 * (t - k) + k, high = low + half;
        uint turn = k * (blockDim.x / half);
        float x = a[high] * rootRe[turn] - b[high] * rootIm[turn];
        float y = a[high] * rootIm[turn] + b[high] * rootRe[turn];
        float u = a[low], v = b[low];
        a[low] = u + x;
        b[low] = v + y;
        a[high] = u - x;
        b[high] = v - y;
    }
    __syncthreads();
    for (uint i = t; i < side; i += blockDim.x) {
        re[base + i * stride] = a[i];
        im[base + i * stride] = b[i];
    }
}

KERNEL ocean_slope(const float *height, float *across, float *down, uint side) {
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < side) {
        uint left = (x - 1) & (side - 1), right = (x + 1) & (side - 1);
        uint above = (y - 1) & (side - 1), below = (y + 1) & (side - 1);
        float dx = height[y * side + right] - height[y * side + left];
        float dy = height[below * side + x] - height[above * side + x];
        opaque(dx); // the loads stay in front of the test
        opaque(dy);
        if (x == 0 || y == 0 || x == side - 1 || y == side - 1) {
            dx = 0.0f;
            dy = 0.0f;
            opaque(dx);
            opaque(dy);
        }
        across[y * side + x] = dx;
        down[y * side + x] = dy;
    }
}
