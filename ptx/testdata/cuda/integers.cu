// Integer arithmetic of every width, division, bit tricks, 64-bit products.
#include "cuda.h"

KERNEL integers(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], y = b[i];
    int r = x / y + x % y - (x << (y & 31)) + (x >> (y & 31));
    r ^= __builtin_popcount(x) + __builtin_clz(y | 1) + __builtin_bitreverse32(x);
    r += x > y ? x : y;
    r -= x < 0 ? -x : x;
    c[i] = r;
}

KERNEL unsigned64(const u64 *a, const u64 *b, u64 *c) {
    int i = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
    u64 x = a[i], y = b[i];
    c[i] = x * y + x / y + x % y + (x >> 3 | x << 61) + __builtin_popcountll(x) + __builtin_clzll(y | 1) +
           (u64)((unsigned __int128)x * y >> 64) + __nvvm_bitcast_d2ll(1.5) + __builtin_bitreverse64(y);
}

KERNEL narrow(const u8 *a, const short *b, u16 *c, signed char *d) {
    int i = threadIdx.x;
    u8 x = a[i];
    short y = b[i];
    c[i] = (u16)(x * y + (y >> 2) - (x == 7 ? 1 : y));
    d[i] = (signed char)(y / (x | 1)) ;
}

KERNEL wide(const int *a, const u32 *b, s64 *c, u64 *d) {
    int i = threadIdx.x;
    c[i] = (s64)a[i] * a[i + 1] + c[i];
    d[i] = (u64)b[i] * b[i + 1] + d[i];
    c[i] += a[i] > 3 ? (s64)a[i] << 20 : -1;
}

KERNEL bits(const u32 *a, u32 *b) {
    int i = threadIdx.x;
    u32 x = a[i];
    u32 r;
    asm("bfe.u32 %0, %1, 4, 8;" : "=r"(r) : "r"(x));
    asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(r) : "r"(x), "r"(r));
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r) : "r"(x), "r"(r));
    asm("{ .reg .u32 t; bfind.u32 t, %1; add.u32 %0, t, 1; }" : "=r"(r) : "r"(r));
    asm("{ .reg .u32 t; { .reg .f32 t; cvt.rn.f32.u32 t, %1; cvt.rzi.u32.f32 %0, t; } }" : "=r"(r) : "r"(r));
    asm("sad.u32 %0, %1, %2, %0;" : "+r"(r) : "r"(x), "r"(r));
    asm("mad24.lo.u32 %0, %1, %2, %0;" : "+r"(r) : "r"(x), "r"(r));
    asm("shf.l.wrap.b32 %0, %1, %2, 7;" : "=r"(r) : "r"(x), "r"(r));
    b[i] = __nvvm_prmt(r, x, 0x3210);
}
