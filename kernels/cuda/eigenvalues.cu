// Eigenvalues of symmetric tridiagonal matrices by bisection, a CTA a matrix, a thread an interval. In each round a thread
// halves its interval by counting the eigenvalues below the middle; if there are some in both halves it keeps the left
// one, and the right one goes behind the others, to a place that a prefix sum gives. When no interval is wider than asked
// for, each is an eigenvalue, or several. The diagonal is diag, and the squares of what is beside it are beside.
KERNEL eigenvalues(const float *diag, const float *beside, const float *bounds, float *found, uint n, float precision) {
    __shared__ float d[256];
    __shared__ float s[256];
    __shared__ float left[256];
    __shared__ float right[256];
    __shared__ uint below[256]; // eigenvalues below left
    __shared__ uint under[256]; // below right
    __shared__ uint sum[256];
    __shared__ uint wide[1];
    uint tid = threadIdx.x;
    const float *bound = bounds + 2 * blockIdx.x;

    if (tid < n) {
        d[tid] = diag[blockIdx.x * n + tid];
        s[tid] = beside[blockIdx.x * n + tid];
    }
    if (tid == 0) {
        left[0] = bound[0];
        right[0] = bound[1];
        below[0] = 0;
        under[0] = n;
    }
    uint active = 1;
    for (;;) {
        if (tid == 0) {
            wide[0] = 0;
        }
        __syncthreads();

        float l = 0.0f, r = 0.0f, middle = 0.0f;
        uint lower = 0, upper = 0, count = 0, splits = 0;
        if (tid < active) {
            l = left[tid];
            r = right[tid];
            lower = below[tid];
            upper = under[tid];
            middle = l + 0.5f * (r - l);
            if (r - l > precision) {
                atomicAdd(wide, 1);
                float delta = 1.0f;
                for (uint k = 0; k < n; k++) {
                    delta = d[k] - middle - s[k] / delta;
                    if (delta < 0.0f) {
                        count++;
                        opaque(count);
                    }
                }
                if (count < lower) {
                    count = lower;
                    opaque(count);
                }
                if (count > upper) {
                    count = upper;
                    opaque(count);
                }
                if (count == lower) {
                    left[tid] = middle;
                } else {
                    right[tid] = middle;
                    under[tid] = count;
                    if (count != upper) {
                        splits = 1;
                        opaque(splits);
                    }
                }
            }
        }
        sum[tid] = splits;
        __syncthreads();
        uint open = wide[0];

        uint offset = 1;
        for (uint half = blockDim.x / 2; half > 0; half /= 2) {
            if (tid < half) {
                uint to = offset * (2 * tid + 2) - 1;
                sum[to] = sum[to] + sum[to - offset];
            }
            offset *= 2;
            __syncthreads();
        }
        uint more = sum[blockDim.x - 1];
        __syncthreads();
        if (tid == 0) {
            sum[blockDim.x - 1] = 0;
        }
        for (uint half = 1; half < blockDim.x; half *= 2) {
            offset /= 2;
            __syncthreads();
            if (tid < half) {
                uint to = offset * (2 * tid + 2) - 1;
                uint part = sum[to - offset];
                sum[to - offset] = sum[to];
                sum[to] = sum[to] + part;
            }
        }
        __syncthreads();

        if (splits) {
            uint to = active + sum[tid];
            left[to] = middle;
            right[to] = r;
            below[to] = count;
            under[to] = upper;
        }
        active += more;
        if (open == 0) {
            break;
        }
    }

    if (tid < active) {
        for (uint k = below[tid]; k < under[tid]; k++) {
            found[blockIdx.x * n + k] = left[tid] + 0.5f * (right[tid] - left[tid]);
        }
    }
}
