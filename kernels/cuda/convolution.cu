// A picture convolved with the same 17 taps in x, then in y. What lies outside of
// the picture is 0.

// A CTA of 16+128+8 threads does 128 columns of a row: each loads a column, from
// a multiple of 16 on, and the first 128 store one.
KERNEL convolution_rows(const float *in, float *out, const float *taps, int width) {
    __shared__ float data[144];
    int start = blockIdx.x * 128;
    int end = start + 128 < width ? start + 128 : width;
    int row = blockIdx.y * width;

    int load = start - 16 + (int)threadIdx.x;
    if (load >= start - 8) {
        if (load >= 0 && load < width) {
            data[load - start + 8] = in[row + load];
        } else {
            data[load - start + 8] = 0;
        }
    }
    __syncthreads();

    int store = start + threadIdx.x;
    if (store < end) {
        float sum = 0;
        for (uint tap = 0; tap < 17; tap++) {
            sum += taps[tap] * data[threadIdx.x + tap];
        }
        out[row + store] = sum;
    }
}

// A CTA of 16x8 threads does 16 columns of 48 rows.
KERNEL convolution_columns(const float *in, float *out, const float *taps, int width, int height) {
    __shared__ float data[64][16];
    int start = blockIdx.y * 48;
    int end = start + 48 < height ? start + 48 : height;
    int column = blockIdx.x * 16 + threadIdx.x;

    for (int load = start - 8 + (int)threadIdx.y; load < start + 56; load += 8) {
        if (load >= 0 && load < height) {
            data[load - start + 8][threadIdx.x] = in[load * width + column];
        } else {
            data[load - start + 8][threadIdx.x] = 0;
        }
    }
    __syncthreads();

    for (int store = start + (int)threadIdx.y; store < end; store += 8) {
        float sum = 0;
        for (uint tap = 0; tap < 17; tap++) {
            sum += taps[tap] * data[store - start + tap][threadIdx.x];
        }
        out[store * width + column] = sum;
    }
}
