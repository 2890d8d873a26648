// Single and double precision, roundings, approximations, conversions.
#include "cuda.h"

KERNEL singles(const float *a, const float *b, float *c) {
    int i = threadIdx.x;
    float x = a[i], y = b[i];
    float r = x * y + c[i];
    r += x / y;
    r -= __builtin_sqrtf(x);
    r = __nvvm_fma_rz_f(r, x, y);
    r = __nvvm_add_rm_ftz_f(r, x);
    r = __nvvm_mul_rp_f(r, y);
    r += __nvvm_ex2_approx_f(x) + __nvvm_lg2_approx_ftz_f(y);
    r += __nvvm_sin_approx_f(x) * __nvvm_cos_approx_f(y);
    r += __nvvm_rsqrt_approx_f(x) + __nvvm_rcp_rn_f(y) + __nvvm_rcp_approx_ftz_f(x);
    r += __nvvm_sqrt_approx_f(x) + __nvvm_sqrt_rz_ftz_f(y);
    r += __nvvm_div_approx_f(x, y) + __nvvm_div_rn_f(y, x);
    r = __nvvm_fmax_f(r, __nvvm_fmin_ftz_f(x, y));
    r += __nvvm_saturate_f(x) + __builtin_fabsf(-y) + __builtin_copysignf(x, y);
    r += __builtin_floorf(x) + __builtin_ceilf(y) + __builtin_truncf(x) + __builtin_rintf(y);
    c[i] = r;
}

KERNEL doubles(const double *a, const double *b, double *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        double x = a[i], y = b[i];
        double r = x * y + x / y - __builtin_sqrt(x);
        r = __nvvm_fma_rn_d(r, 0.1, -1.0e-3);
        r += __nvvm_fmax_d(x, y) + __builtin_fabs(x) + __nvvm_rcp_rn_d(y);
        c[i] = r > 1.0 ? r : -r;
    }
}

KERNEL conversions(const float *f, const double *d, int *i, u64 *l, float *g) {
    int t = threadIdx.x;
    i[t] = (int)f[t] + (int)d[t] + (short)f[t];
    l[t] = (u64)f[t] + (u64)d[t];
    g[t] = (float)i[t] + (float)l[t] + (float)d[t] + (float)(u8)i[t];
    i[t + 1] = __nvvm_f2i_rn(f[t]) + __nvvm_d2i_rm(d[t]) + __nvvm_f2ui_rp(f[t]);
    l[t + 1] = __nvvm_d2ll_rz(d[t]);
    g[t + 1] = (float)(double)(s64)l[t];
}

KERNEL comparisons(const float *a, const float *b, int *c) {
    int i = threadIdx.x;
    float x = a[i], y = b[i];
    c[i] = (x < y) + (x <= y) * 2 + !(x < y) * 4 + (x != x) * 8 + (x != y) * 16 + !(x >= y && y == 2.0f) * 32;
}
