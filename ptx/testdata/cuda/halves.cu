// Half precision, asynchronous copies and matrices.
#include "cuda.h"
typedef _Float16 half;
typedef half half2 __attribute__((ext_vector_type(2)));
typedef __bf16 bf16;

KERNEL halves(const half *a, const half *b, half *c, float *f, int *n) {
    int i = threadIdx.x;
    half x = a[i], y = b[i];
    half r = x * y + c[i];
    r = __builtin_fmaf16(r, x, y);
    r += x - y;
    r = -r;
    if (x < y || x != x)
        r += (half)f[i];
    r = x > r ? x : r;
    f[i] = (float)r + (float)(double)y;
    n[i] = (int)x + (unsigned short)y;
    c[i] = r + (half)n[i] + (half)i;
}

KERNEL pairs(const half2 *a, const half2 *b, half2 *c) {
    int i = threadIdx.x;
    half2 x = a[i], y = b[i];
    c[i] = __nvvm_fma_rn_f16x2(x, y, c[i]) + x * y - half2{x.y, y.x};
    c[i] += __nvvm_fmax_f16x2(x, y) - __nvvm_fmin_nan_xorsign_abs_f16x2(x, y);
    c[i] += __nvvm_fma_rn_relu_f16x2(x, y, y) + __nvvm_ex2_approx_f16x2(x);
}

KERNEL brains(const bf16 *a, const bf16 *b, bf16 *c, float *f) {
    int i = threadIdx.x;
    bf16 x = a[i], y = b[i];
    c[i] = x * y + c[i];
    f[i] = (float)x - (float)y;
    c[i] += (bf16)f[i];
    if (x > y)
        c[i] = -x;
}

KERNEL rounding(const float *f, unsigned *u, unsigned short *s) {
    int i = threadIdx.x;
    u[4 * i] = __nvvm_f2tf32_rna(f[i]);
    s[4 * i] = __builtin_bit_cast(unsigned short, (half)f[i]);
    typedef bf16 pair __attribute__((ext_vector_type(2)));
    u[4 * i + 1] = __builtin_bit_cast(unsigned, __nvvm_ff2bf16x2_rn(f[i], f[i + 1]));
    u[4 * i + 2] = __builtin_bit_cast(unsigned, __nvvm_ff2f16x2_rz_relu(f[i], f[i + 1]));
    s[4 * i + 1] = __builtin_bit_cast(unsigned short, __nvvm_f2bf16_rz(f[i]));
}

KERNEL tiles(const unsigned *a, float *d, unsigned n) {
    __shared__ unsigned tile[512] __attribute__((aligned(16)));
    int i = threadIdx.x;
    __nvvm_cp_async_cg_shared_global_16((__attribute__((address_space(3))) void *)&tile[4 * i],
                                        (const __attribute__((address_space(1))) void *)&a[4 * i]);
    __nvvm_cp_async_commit_group();
    __nvvm_cp_async_ca_shared_global_4((__attribute__((address_space(3))) void *)&tile[256 + i],
                                       (const __attribute__((address_space(1))) void *)&a[256 + i], n);
    __nvvm_cp_async_commit_group();
    __nvvm_cp_async_wait_group(1);
    __nvvm_cp_async_wait_all();
    __syncthreads();
    unsigned at = (unsigned)(unsigned long long)(__attribute__((address_space(3))) void *)&tile[4 * i];
    unsigned a0, a1, a2, a3, b0, b1;
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(b0), "=r"(b1) : "r"(at));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    d[4 * i] = c0, d[4 * i + 1] = c1, d[4 * i + 2] = c2, d[4 * i + 3] = c3;
}
