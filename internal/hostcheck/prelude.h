// What the random programs stand on, for the device and for the host. Where the
// device has an instruction, the host has the formula that the PTX ISA manual
// gives for it, so that neither is checked with itself.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef float f32;
typedef double f64;

#ifdef __CUDA__
#define HD inline __device__
#define FN static __device__
#define METHOD __device__
#define CONSTANT static __constant__ const
#define GLOBAL static __device__ const
__shared__ u64 rows[128][4];
#define ROW rows[threadIdx.x]
#define PTX(type, name, formals, text, actuals, ...) \
    HD type name formals {                               \
        type d;                                          \
        asm(text : OUT_##type(d) : actuals);             \
        return d;                                        \
    }
#define OUT_u32 "=r"
#define OUT_i32 "=r"
#define OUT_u64 "=l"
#define OUT_i64 "=l"
#define AND ,
#else
#include <stdio.h>
#include <string.h>
#define HD inline
#define FN static
#define METHOD
#define CONSTANT static const
#define GLOBAL static const
static u64 ROW[4];
#define PTX(type, name, formals, text, actuals, ...) \
    HD type name formals __VA_ARGS__
#endif
#define APART __attribute__((noinline))

// Integers.

template <class T> HD T quotient(T a, T b) {
    if (b == 0)
        return a;
    if (b == T(-1) && T(-1) < T(0))
        return T(0 - a);
    return T(a / b);
}
template <class T> HD T rest(T a, T b) {
    if (b == 0)
        return a;
    if (b == T(-1) && T(-1) < T(0))
        return 0;
    return T(a % b);
}
template <class T> HD T least(T a, T b) { return a < b ? a : b; }
template <class T> HD T most(T a, T b) { return a > b ? a : b; }
template <class T> HD T distance(T a, T b) { return T(a < b ? b - a : a - b); }

HD u32 zeros(u32 x) { return x ? __builtin_clz(x) : 32; }
HD u32 zeros(u64 x) { return x ? __builtin_clzll(x) : 64; }
HD u32 trailing(u32 x) { return x ? __builtin_ctz(x) : 32; }
HD u32 trailing(u64 x) { return x ? __builtin_ctzll(x) : 64; }
HD u32 high(u32 a, u32 b) { return u32(u64(a) * b >> 32); }
HD i32 high(i32 a, i32 b) { return i32(i64(a) * b >> 32); }
HD u64 high(u64 a, u64 b) { return u64(u128(a) * b >> 64); }
HD i64 high(i64 a, i64 b) { return i64(i128(a) * b >> 64); }
HD u128 wide(u64 high, u64 low) { return u128(high) << 64 | low; }
template <class T> HD T plus(T a, T b) {
    T sum;
    return __builtin_add_overflow(a, b, &sum) ? T(sum ^ T(5)) : sum;
}
template <class T> HD T minus(T a, T b) {
    T difference;
    return __builtin_sub_overflow(a, b, &difference) ? T(difference ^ T(9)) : difference;
}

// Instructions that the compiler makes of nothing.

PTX(u32, bfe_u32, (u32 a, u32 b, u32 c), "bfe.u32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), {
    u32 pos = b & 255, len = c & 255;
    u32 from = pos > 31 ? 0 : a >> pos;
    return len > 31 ? from : from & ((1u << len) - 1);
})
PTX(i32, bfe_s32, (i32 a, u32 b, u32 c), "bfe.s32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), {
    u32 pos = b & 255, len = c & 255;
    u32 d = 0, sign = len == 0 ? 0 : u32(a) >> least(31u, pos + len - 1) & 1;
    for (u32 i = 0; i < 32; i++)
        d |= (i < len && pos + i <= 31 ? u32(a) >> (pos + i) & 1 : sign) << i;
    return i32(d);
})
PTX(u64, bfe_u64, (u64 a, u32 b, u32 c), "bfe.u64 %0, %1, %2, %3;", "l"(a) AND "r"(b) AND "r"(c), {
    u32 pos = b & 255, len = c & 255;
    u64 from = pos > 63 ? 0 : a >> pos;
    return len > 63 ? from : from & ((1ull << len) - 1);
})
PTX(u32, bfi_b32, (u32 a, u32 b, u32 c, u32 d0), "bfi.b32 %0, %1, %2, %3, %4;", "r"(a) AND "r"(b) AND "r"(c) AND "r"(d0), {
    u32 pos = c & 255, len = d0 & 255, f = b;
    for (u32 i = 0; i < len && pos + i <= 31; i++)
        f = (f & ~(1u << (pos + i))) | (a >> i & 1) << (pos + i);
    return f;
})
PTX(u32, bfind_s32, (i32 a), "bfind.s32 %0, %1;", "r"(a), {
    for (u32 i = 31, x = a < 0 ? ~u32(a) : u32(a); i < 32; i--)
        if (x >> i & 1)
            return i;
    return ~0u;
})
PTX(u32, bfind_u64, (u64 a), "bfind.shiftamt.u64 %0, %1;", "l"(a), {
    for (u32 i = 0; i < 64; i++)
        if (a >> (63 - i) & 1)
            return i;
    return ~0u;
})
PTX(u32, prmt, (u32 a, u32 b, u32 c), "prmt.b32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), {
    u64 from = u64(b) << 32 | a;
    u32 d = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 select = c >> 4 * i & 15, byte = from >> 8 * (select & 7) & 255;
        d |= (select & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
    }
    return d;
})
PTX(u32, shf_l_clamp, (u32 a, u32 b, u32 c), "shf.l.clamp.b32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), {
    u32 n = least(c, 32u);
    return u32((u64(b) << 32 | a) << n >> 32);
})
PTX(u32, shf_r_clamp, (u32 a, u32 b, u32 c), "shf.r.clamp.b32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), {
    return u32((u64(b) << 32 | a) >> least(c, 32u));
})
PTX(u32, shf_l_wrap, (u32 a, u32 b, u32 c), "shf.l.wrap.b32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), {
    return u32((u64(b) << 32 | a) << (c & 31) >> 32);
})
PTX(u32, shf_r_wrap, (u32 a, u32 b, u32 c), "shf.r.wrap.b32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), {
    return u32((u64(b) << 32 | a) >> (c & 31));
})
PTX(u32, shl_far, (u32 a, u32 b), "shl.b32 %0, %1, %2;", "r"(a) AND "r"(b), { return b > 31 ? 0 : a << b; })
PTX(i32, shr_far, (i32 a, u32 b), "shr.s32 %0, %1, %2;", "r"(a) AND "r"(b), { return a >> least(b, 31u); })
PTX(u64, shr_far64, (u64 a, u32 b), "shr.u64 %0, %1, %2;", "l"(a) AND "r"(b), { return b > 63 ? 0 : a >> b; })
PTX(i32, mul24, (i32 a, i32 b), "mul24.lo.s32 %0, %1, %2;", "r"(a) AND "r"(b), {
    return i32(u64((i64(u32(a) << 8) >> 8 << 40 >> 40) * (i64(u32(b) << 8) >> 8 << 40 >> 40)));
})
PTX(u32, mad24_hi, (u32 a, u32 b, u32 c), "mad24.hi.u32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), {
    return u32(u64(a & 0xffffff) * (b & 0xffffff) >> 16) + c;
})
PTX(i32, mad_hi, (i32 a, i32 b, i32 c), "mad.hi.s32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), { return i32(u32(i64(a) * b >> 32) + u32(c)); })
PTX(i64, mad_wide, (i32 a, i32 b, i64 c), "mad.wide.s32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "l"(c), { return i64(u64(i64(a) * b) + u64(c)); })
PTX(u32, sad, (i32 a, i32 b, u32 c), "sad.s32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), {
    return c + (a < b ? u32(b) - u32(a) : u32(a) - u32(b));
})
PTX(u32, slct, (u32 a, u32 b, i32 c), "slct.u32.s32 %0, %1, %2, %3;", "r"(a) AND "r"(b) AND "r"(c), { return c >= 0 ? a : b; })
PTX(u32, cnot, (u32 a), "cnot.b32 %0, %1;", "r"(a), { return a == 0; })
PTX(u32, set_lt, (i32 a, i32 b), "set.lt.u32.s32 %0, %1, %2;", "r"(a) AND "r"(b), { return a < b ? ~0u : 0; })
PTX(u32, carry, (u32 a, u32 b, u32 c, u32 d0), "{.reg .u32 low; add.cc.u32 low, %1, %3; addc.u32 %0, %2, %4;}", "r"(a) AND "r"(b) AND "r"(c) AND "r"(d0), {
    return u32((u64(b) << 32 | a) + (u64(d0) << 32 | c) >> 32);
})
PTX(u32, borrow, (u32 a, u32 b, u32 c, u32 d0), "{.reg .u32 low; sub.cc.u32 low, %1, %3; subc.u32 %0, %2, %4;}", "r"(a) AND "r"(b) AND "r"(c) AND "r"(d0), {
    return u32((u64(b) << 32 | a) - (u64(d0) << 32 | c) >> 32);
})
PTX(u32, both, (u32 a, u32 b, u32 c), "{.reg .pred p, q; setp.lt.u32 p, %2, %3; setp.gt.and.u32 p|q, %1, %2, p; selp.u32 %0, %1, %3, p; @q xor.b32 %0, %0, 21;}", "r"(a) AND "r"(b) AND "r"(c), {
    u32 d = a > b && b < c ? a : c;
    return !(a > b) && b < c ? d ^ 21 : d;
})

// Floating point. What a NaN looks like is not part of a result.

HD u32 bits(f32 x) { return x != x ? 0x7fffffffu : __builtin_bit_cast(u32, x); }
HD u64 bits(f64 x) { return x != x ? 0x7fffffffffffffffull : __builtin_bit_cast(u64, x); }
constexpr HD f32 single(u32 x) { return __builtin_bit_cast(f32, x); }
constexpr HD f64 real(u64 x) { return __builtin_bit_cast(f64, x); }
HD f32 fused(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
HD f64 fused(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
HD f32 root(f32 x) { return __builtin_sqrtf(x); }
HD f64 root(f64 x) { return __builtin_sqrt(x); }
HD f32 magnitude(f32 x) { return __builtin_fabsf(x); }
HD f64 magnitude(f64 x) { return __builtin_fabs(x); }
HD f32 down(f32 x) { return __builtin_floorf(x); }
HD f64 down(f64 x) { return __builtin_floor(x); }
HD f32 up(f32 x) { return __builtin_ceilf(x); }
HD f64 up(f64 x) { return __builtin_ceil(x); }
HD f32 toward(f32 x) { return __builtin_truncf(x); }
HD f64 toward(f64 x) { return __builtin_trunc(x); }
HD f32 nearest(f32 x) { return __builtin_rintf(x); }
HD f64 nearest(f64 x) { return __builtin_rint(x); }
HD f32 signed_as(f32 x, f32 y) { return __builtin_copysignf(x, y != y ? 1 : y); }
HD f64 signed_as(f64 x, f64 y) { return __builtin_copysign(x, y != y ? 1 : y); }

// whole converts what fits into T; low and high are powers of two.
template <class T, class F> HD T whole(F x) {
    F high = F(u64(1) << (sizeof(T) * 8 - 1)), low = -high;
    if (T(-1) > T(0))
        high *= 2, low = 0;
    return x >= low && x < high ? T(x) : T(3);
}

// Inputs and outputs.

HD void begin() {
    for (u32 k = 0; k < 4; k++)
        ROW[k] = k;
}

HD u32 hash(u32 t, u32 k) {
    u32 x = (t * 0x9e3779b9 ^ k) * 0x85ebca6b;
    return x ^ x >> 15;
}
template <class T> HD T input(u32 t, u32 k) { return T(u64(hash(t, k)) * 0xc2b2ae3d27d4eb4f); }
template <> HD u32 input<u32>(u32 t, u32 k) { return hash(t, k); }
template <> HD f32 input<f32>(u32 t, u32 k) {
    u32 x = hash(t, k);
    return x & 8 ? f32(i32(x) >> 12) / f32(1 << (x & 7)) : single(x * 0x85ebca6b);
}
template <> HD f64 input<f64>(u32 t, u32 k) {
    u32 x = hash(t, k);
    return x & 8 ? f64(i32(x) >> 8) / f64(1 << (x & 7)) : real(x * 0xc2b2ae3d27d4eb4f);
}

template <class T> HD u64 word(T x) { return u64(x); }
HD u64 word(f32 x) { return bits(x); }
HD u64 word(f64 x) { return bits(x); }
template <class T> HD void note(u64 *out, u32 k, T x) { out[k & 7] = (out[k & 7] ^ word(x)) * 0x9e3779b97f4a7c15 + (k | 1); }
