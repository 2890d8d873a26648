// What the numbers of 16 bits have in common: included once for each kind, with its names (cuda_fp16.h, cuda_bf16.h).
//
//     divergo_number, divergo_pair   the types
//     divergo_word                   how names of functions call it: half
//     divergo_raw, divergo_pair_raw  their bits
//     divergo_value                  what it is computed in
//     divergo_infinity               the bits of infinity
//     divergo_fma                    a product and a sum of such values
#define DIVERGO_INLINE __host__ __device__ __forceinline__
#define DIVERGO_BOTH static DIVERGO_INLINE
#define DIVERGO_DEVICE static __device__ __forceinline__
#define DIVERGO_JOIN(before, word, after) before##word##after
#define DIVERGO_JOINED(before, word, after) DIVERGO_JOIN(before, word, after)
#define DIVERGO_F(before, after) DIVERGO_JOINED(before, divergo_word, after)

// The operators of numbers and of pairs.
#define DIVERGO_OPERATORS(ARITHMETIC, COMPARE) \
    ARITHMETIC(+) ARITHMETIC(-) ARITHMETIC(*) ARITHMETIC(/) COMPARE(==) COMPARE(!=) COMPARE(<) COMPARE(<=) COMPARE(>) COMPARE(>=)

struct __align__(2) divergo_number {
    divergo_value value;

    divergo_number() = default;
    __host__ __device__ divergo_number(divergo_value x) : value(x) {}
#define DIVERGO_HALF(T) \
    __host__ __device__ divergo_number(T x) : value((divergo_value)x) {}
    DIVERGO_HALF(float)
    DIVERGO_HALF(double)
    DIVERGO_HALF(short)
    DIVERGO_HALF(unsigned short)
    DIVERGO_HALF(int)
    DIVERGO_HALF(unsigned int)
    DIVERGO_HALF(long)
    DIVERGO_HALF(unsigned long)
    DIVERGO_HALF(long long)
    DIVERGO_HALF(unsigned long long)
#undef DIVERGO_HALF
    __host__ __device__ divergo_number(divergo_raw x) { __builtin_memcpy(this, &x, 2); }
    __host__ __device__ operator float() const { return (float)value; }
    __host__ __device__ operator divergo_raw() const {
        divergo_raw x;
        __builtin_memcpy(&x, this, 2);
        return x;
    }
    __host__ __device__ explicit operator bool() const { return (float)value != 0; }

    // Friends, so that types which convert to this one do not find its operators.
#define DIVERGO_HALF(OP)                                                                                                                                 \
    friend DIVERGO_INLINE divergo_number operator OP(divergo_number a, divergo_number b) { return divergo_number((divergo_value)(a.value OP b.value)); } \
    friend DIVERGO_INLINE divergo_number &operator OP##=(divergo_number &a, divergo_number b) { return a = a OP b; }
#define DIVERGO_COMPARE(OP) \
    friend DIVERGO_INLINE bool operator OP(divergo_number a, divergo_number b) { return a.value OP b.value; }
    DIVERGO_OPERATORS(DIVERGO_HALF, DIVERGO_COMPARE)
#undef DIVERGO_HALF
#undef DIVERGO_COMPARE
    friend DIVERGO_INLINE divergo_number operator+(divergo_number a) { return a; }
    friend DIVERGO_INLINE divergo_number operator-(divergo_number a) { return divergo_number((divergo_value)-a.value); }
    friend DIVERGO_INLINE divergo_number &operator++(divergo_number &a) { return a += divergo_number(1); }
    friend DIVERGO_INLINE divergo_number &operator--(divergo_number &a) { return a -= divergo_number(1); }
    friend DIVERGO_INLINE divergo_number operator++(divergo_number &a, int) {
        divergo_number before = a;
        return ++a, before;
    }
    friend DIVERGO_INLINE divergo_number operator--(divergo_number &a, int) {
        divergo_number before = a;
        return --a, before;
    }
};

struct __align__(4) divergo_pair {
    divergo_number x, y;

    divergo_pair() = default;
    __host__ __device__ divergo_pair(divergo_number a, divergo_number b) : x(a), y(b) {}
    __host__ __device__ divergo_pair(divergo_pair_raw a) { __builtin_memcpy(this, &a, 4); }

#define DIVERGO_HALF(OP)                                                                                                            \
    friend DIVERGO_INLINE divergo_pair operator OP(divergo_pair a, divergo_pair b) { return divergo_pair(a.x OP b.x, a.y OP b.y); } \
    friend DIVERGO_INLINE divergo_pair &operator OP##=(divergo_pair &a, divergo_pair b) { return a = a OP b; }
#define DIVERGO_COMPARE(OP) \
    friend DIVERGO_INLINE bool operator OP(divergo_pair a, divergo_pair b) { return a.x OP b.x && a.y OP b.y; }
    DIVERGO_OPERATORS(DIVERGO_HALF, DIVERGO_COMPARE)
#undef DIVERGO_HALF
#undef DIVERGO_COMPARE
    friend DIVERGO_INLINE divergo_pair operator-(divergo_pair a) { return divergo_pair(-a.x, -a.y); }
};

#undef DIVERGO_OPERATORS

// Conversions.
DIVERGO_BOTH divergo_number DIVERGO_F(__float2, )(float x) { return divergo_number(x); }
DIVERGO_BOTH divergo_number DIVERGO_F(__float2, _rn)(float x) { return divergo_number(x); }
DIVERGO_BOTH divergo_number DIVERGO_F(__double2, )(double x) { return divergo_number(x); }
DIVERGO_BOTH float DIVERGO_F(__, 2float)(divergo_number x) { return (float)x; }
DIVERGO_BOTH divergo_number DIVERGO_F(__short_as_, )(short x) {
    divergo_number h;
    __builtin_memcpy(&h, &x, 2);
    return h;
}
DIVERGO_BOTH divergo_number DIVERGO_F(__ushort_as_, )(unsigned short x) { return DIVERGO_F(__short_as_, )((short)x); }
DIVERGO_BOTH short DIVERGO_F(__, _as_short)(divergo_number x) {
    short s;
    __builtin_memcpy(&s, &x, 2);
    return s;
}
DIVERGO_BOTH unsigned short DIVERGO_F(__, _as_ushort)(divergo_number x) { return (unsigned short)DIVERGO_F(__, _as_short)(x); }
DIVERGO_BOTH divergo_pair DIVERGO_F(__halves2, 2)(divergo_number a, divergo_number b) { return divergo_pair(a, b); }
DIVERGO_BOTH divergo_pair DIVERGO_F(make_, 2)(divergo_number a, divergo_number b) { return divergo_pair(a, b); }
DIVERGO_BOTH divergo_pair DIVERGO_F(DIVERGO_F(__, 2), 2)(divergo_number a) { return divergo_pair(a, a); }
DIVERGO_BOTH divergo_pair DIVERGO_F(__float2, 2_rn)(float a) { return divergo_pair(a, a); }
DIVERGO_BOTH divergo_pair DIVERGO_F(__floats2, 2_rn)(float a, float b) { return divergo_pair(a, b); }
DIVERGO_BOTH divergo_pair DIVERGO_F(__float22, 2_rn)(float2 a) { return divergo_pair(a.x, a.y); }
DIVERGO_BOTH float2 DIVERGO_F(__, 22float2)(divergo_pair a) { return make_float2(a.x, a.y); }
DIVERGO_BOTH float __low2float(divergo_pair a) { return a.x; }
DIVERGO_BOTH float __high2float(divergo_pair a) { return a.y; }
DIVERGO_BOTH divergo_number DIVERGO_F(__low2, )(divergo_pair a) { return a.x; }
DIVERGO_BOTH divergo_number DIVERGO_F(__high2, )(divergo_pair a) { return a.y; }
DIVERGO_BOTH divergo_pair DIVERGO_F(__low2, 2)(divergo_pair a) { return divergo_pair(a.x, a.x); }
DIVERGO_BOTH divergo_pair DIVERGO_F(__high2, 2)(divergo_pair a) { return divergo_pair(a.y, a.y); }
DIVERGO_BOTH divergo_pair __lowhigh2highlow(divergo_pair a) { return divergo_pair(a.y, a.x); }
DIVERGO_BOTH divergo_pair DIVERGO_F(__lows2, 2)(divergo_pair a, divergo_pair b) { return divergo_pair(a.x, b.x); }
DIVERGO_BOTH divergo_pair DIVERGO_F(__highs2, 2)(divergo_pair a, divergo_pair b) { return divergo_pair(a.y, b.y); }
// Where the nearest number is on the wrong side of x, its neighbour: away from zero the next code, towards it the one before.
#define DIVERGO_HALF(ROUND, WRONG)                                                                          \
    DIVERGO_BOTH divergo_number DIVERGO_F(__float2, ROUND)(float x) {                                       \
        divergo_number h = x;                                                                               \
        const float y = h;                                                                                  \
        if (!(WRONG)) return h;                                                                             \
        const bool away = x < 0 ? y > x : y < x;                                                            \
        return DIVERGO_F(__ushort_as_, )((unsigned short)(DIVERGO_F(__, _as_ushort)(h) + (away ? 1 : -1))); \
    }
DIVERGO_HALF(_rz, x < 0 ? y < x : y > x)
DIVERGO_HALF(_rd, y > x)
DIVERGO_HALF(_ru, y < x)
#undef DIVERGO_HALF
#define DIVERGO_HALF(NAME, T)                                                                            \
    DIVERGO_BOTH divergo_number DIVERGO_F(__##NAME##2, _rn)(T x) { return divergo_number(x); }           \
    DIVERGO_DEVICE T DIVERGO_F(__, 2##NAME##_rn)(divergo_number x) { return (T)__float2##NAME##_rn(x); } \
    DIVERGO_DEVICE T DIVERGO_F(__, 2##NAME##_rz)(divergo_number x) { return (T)__float2##NAME##_rz(x); } \
    DIVERGO_DEVICE T DIVERGO_F(__, 2##NAME##_rd)(divergo_number x) { return (T)__float2##NAME##_rd(x); } \
    DIVERGO_DEVICE T DIVERGO_F(__, 2##NAME##_ru)(divergo_number x) { return (T)__float2##NAME##_ru(x); }
DIVERGO_HALF(int, int)
DIVERGO_HALF(uint, unsigned int)
DIVERGO_HALF(ll, long long)
DIVERGO_HALF(ull, unsigned long long)
#undef DIVERGO_HALF
DIVERGO_BOTH divergo_number DIVERGO_F(__short2, _rn)(short x) { return divergo_number(x); }
DIVERGO_BOTH divergo_number DIVERGO_F(__ushort2, _rn)(unsigned short x) { return divergo_number(x); }

// Arithmetic under the names of functions; _sat is within 0 and 1, and 0 for NaN.
DIVERGO_BOTH divergo_number divergo_saturate(divergo_number x) { return x.value > (divergo_value)0 ? x.value < (divergo_value)1 ? x : divergo_number(1) : divergo_number(0); }
DIVERGO_BOTH divergo_pair divergo_saturate(divergo_pair a) { return divergo_pair(divergo_saturate(a.x), divergo_saturate(a.y)); }
#define DIVERGO_HALF(NAME, OP)                                                                                           \
    DIVERGO_BOTH divergo_number __h##NAME(divergo_number a, divergo_number b) { return a OP b; }                         \
    DIVERGO_BOTH divergo_pair __h##NAME##2(divergo_pair a, divergo_pair b) { return a OP b; }                            \
    DIVERGO_BOTH divergo_number __h##NAME##_rn(divergo_number a, divergo_number b) { return a OP b; }                    \
    DIVERGO_BOTH divergo_number __h##NAME##_sat(divergo_number a, divergo_number b) { return divergo_saturate(a OP b); } \
    DIVERGO_BOTH divergo_pair __h##NAME##2_sat(divergo_pair a, divergo_pair b) { return divergo_saturate(a OP b); }
DIVERGO_HALF(add, +)
DIVERGO_HALF(sub, -)
DIVERGO_HALF(mul, *)
#undef DIVERGO_HALF
DIVERGO_BOTH divergo_number __hdiv(divergo_number a, divergo_number b) { return a / b; }
DIVERGO_BOTH divergo_pair __h2div(divergo_pair a, divergo_pair b) { return a / b; }
DIVERGO_BOTH divergo_number __hfma(divergo_number a, divergo_number b, divergo_number c) { return divergo_number(divergo_fma(a.value, b.value, c.value)); }
DIVERGO_BOTH divergo_pair __hfma2(divergo_pair a, divergo_pair b, divergo_pair c) { return divergo_pair(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
DIVERGO_BOTH divergo_number __hfma_sat(divergo_number a, divergo_number b, divergo_number c) { return divergo_saturate(__hfma(a, b, c)); }
DIVERGO_BOTH divergo_pair __hfma2_sat(divergo_pair a, divergo_pair b, divergo_pair c) { return divergo_saturate(__hfma2(a, b, c)); }
DIVERGO_BOTH divergo_number __hneg(divergo_number a) { return -a; }
DIVERGO_BOTH divergo_pair __hneg2(divergo_pair a) { return -a; }
DIVERGO_BOTH divergo_number __hfma_relu(divergo_number a, divergo_number b, divergo_number c) {
    divergo_number x = __hfma(a, b, c);
    return x < divergo_number(0) ? divergo_number(0) : x;
}
DIVERGO_BOTH divergo_pair __hfma2_relu(divergo_pair a, divergo_pair b, divergo_pair c) { return divergo_pair(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
DIVERGO_BOTH divergo_number __habs(divergo_number a) { return DIVERGO_F(__ushort_as_, )(DIVERGO_F(__, _as_ushort)(a) & 0x7fff); }
DIVERGO_BOTH divergo_pair __habs2(divergo_pair a) { return divergo_pair(__habs(a.x), __habs(a.y)); }
DIVERGO_BOTH bool __hisnan(divergo_number a) { return (DIVERGO_F(__, _as_ushort)(a) & 0x7fff) > divergo_infinity; }
DIVERGO_BOTH int __hisinf(divergo_number a) { return (DIVERGO_F(__, _as_ushort)(a) & 0x7fff) == divergo_infinity ? (DIVERGO_F(__, _as_short)(a) < 0 ? -1 : 1) : 0; }
DIVERGO_BOTH divergo_number __hmax(divergo_number a, divergo_number b) { return __hisnan(a) ? b : __hisnan(b) || a > b ? a : b; }
DIVERGO_BOTH divergo_number __hmin(divergo_number a, divergo_number b) { return __hisnan(a) ? b : __hisnan(b) || a < b ? a : b; }
DIVERGO_BOTH divergo_pair __hmax2(divergo_pair a, divergo_pair b) { return divergo_pair(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
DIVERGO_BOTH divergo_pair __hmin2(divergo_pair a, divergo_pair b) { return divergo_pair(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
DIVERGO_BOTH divergo_pair __hisnan2(divergo_pair a) { return divergo_pair(__hisnan(a.x) ? 1 : 0, __hisnan(a.y) ? 1 : 0); }

// Comparisons: of two numbers, of each of a pair (1 or 0), and of both; those with u hold for NaN as well.
#define DIVERGO_HALF(NAME, OP)                                                                                                                                       \
    DIVERGO_BOTH bool __h##NAME(divergo_number a, divergo_number b) { return a OP b; }                                                                               \
    DIVERGO_BOTH bool __h##NAME##u(divergo_number a, divergo_number b) { return __hisnan(a) || __hisnan(b) || a OP b; }                                              \
    DIVERGO_BOTH divergo_pair __h##NAME##2(divergo_pair a, divergo_pair b) { return divergo_pair(__h##NAME(a.x, b.x) ? 1 : 0, __h##NAME(a.y, b.y) ? 1 : 0); }        \
    DIVERGO_BOTH divergo_pair __h##NAME##u2(divergo_pair a, divergo_pair b) { return divergo_pair(__h##NAME##u(a.x, b.x) ? 1 : 0, __h##NAME##u(a.y, b.y) ? 1 : 0); } \
    DIVERGO_BOTH bool __hb##NAME##2(divergo_pair a, divergo_pair b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }                                           \
    DIVERGO_BOTH bool __hb##NAME##u2(divergo_pair a, divergo_pair b) { return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y); }
DIVERGO_HALF(eq, ==)
DIVERGO_HALF(lt, <)
DIVERGO_HALF(le, <=)
DIVERGO_HALF(gt, >)
DIVERGO_HALF(ge, >=)
#undef DIVERGO_HALF
// Unequal is not true of NaN but with u.
DIVERGO_BOTH bool __hne(divergo_number a, divergo_number b) { return !__hisnan(a) && !__hisnan(b) && a != b; }
DIVERGO_BOTH bool __hneu(divergo_number a, divergo_number b) { return a != b; }
DIVERGO_BOTH divergo_pair __hne2(divergo_pair a, divergo_pair b) { return divergo_pair(__hne(a.x, b.x) ? 1 : 0, __hne(a.y, b.y) ? 1 : 0); }
DIVERGO_BOTH bool __hbne2(divergo_pair a, divergo_pair b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }

// Mathematics, by way of float, which is exact enough to be rounded.
#define DIVERGO_HALF(NAME, EXPRESSION)                        \
    DIVERGO_DEVICE divergo_number h##NAME(divergo_number a) { \
        float x = a;                                          \
        return divergo_number(EXPRESSION);                    \
    }                                                         \
    DIVERGO_DEVICE divergo_pair h2##NAME(divergo_pair a) { return divergo_pair(h##NAME(a.x), h##NAME(a.y)); }
DIVERGO_HALF(sqrt, sqrtf(x))
DIVERGO_HALF(rsqrt, rsqrtf(x))
DIVERGO_HALF(rcp, 1.0f / x)
DIVERGO_HALF(exp, expf(x))
DIVERGO_HALF(exp2, exp2f(x))
DIVERGO_HALF(exp10, exp10f(x))
DIVERGO_HALF(log, logf(x))
DIVERGO_HALF(log2, log2f(x))
DIVERGO_HALF(log10, log10f(x))
DIVERGO_HALF(sin, sinf(x))
DIVERGO_HALF(cos, cosf(x))
DIVERGO_HALF(floor, floorf(x))
DIVERGO_HALF(ceil, ceilf(x))
DIVERGO_HALF(trunc, truncf(x))
DIVERGO_HALF(rint, rintf(x))
#undef DIVERGO_HALF

// Exchange within a warp.
#define DIVERGO_HALF(NAME, T)                                                                                       \
    DIVERGO_DEVICE divergo_number NAME(unsigned int mask, divergo_number x, T by, int width = 32) {                 \
        return DIVERGO_F(__ushort_as_, )((unsigned short)NAME(mask, (int)DIVERGO_F(__, _as_ushort)(x), by, width)); \
    }                                                                                                               \
    DIVERGO_DEVICE divergo_pair NAME(unsigned int mask, divergo_pair x, T by, int width = 32) {                     \
        int bits;                                                                                                   \
        __builtin_memcpy(&bits, &x, 4);                                                                             \
        bits = NAME(mask, bits, by, width);                                                                         \
        __builtin_memcpy(&x, &bits, 4);                                                                             \
        return x;                                                                                                   \
    }
DIVERGO_HALF(__shfl_sync, int)
DIVERGO_HALF(__shfl_up_sync, unsigned int)
DIVERGO_HALF(__shfl_down_sync, unsigned int)
DIVERGO_HALF(__shfl_xor_sync, int)
#undef DIVERGO_HALF

DIVERGO_DEVICE divergo_number __ldg(const divergo_number *at) { return DIVERGO_F(__ushort_as_, )(__ldg((const unsigned short *)at)); }
DIVERGO_DEVICE divergo_pair __ldg(const divergo_pair *at) {
    const unsigned int bits = __ldg((const unsigned int *)at);
    divergo_pair x;
    __builtin_memcpy(&x, &bits, 4);
    return x;
}

// Added in memory, one number or a pair at a time: a word whose other half stays as it is.
DIVERGO_DEVICE divergo_pair atomicAdd(divergo_pair *at, divergo_pair x) {
    unsigned int *word = (unsigned int *)at, old = *word, seen;
    divergo_pair now;
    do {
        seen = old;
        __builtin_memcpy(&now, &seen, 4);
        const divergo_pair sum = now + x;
        unsigned int bits;
        __builtin_memcpy(&bits, &sum, 4);
        old = __uAtomicCAS(word, seen, bits);
    } while (old != seen);
    return now;
}
DIVERGO_DEVICE divergo_number atomicAdd(divergo_number *at, divergo_number x) {
    unsigned int *word = (unsigned int *)((size_t)at & ~(size_t)2), old = *word, seen;
    const int shift = (size_t)at & 2 ? 16 : 0;
    divergo_number now;
    do {
        seen = old;
        now = DIVERGO_F(__ushort_as_, )((unsigned short)(seen >> shift));
        const unsigned int bits = DIVERGO_F(__, _as_ushort)(now + x);
        old = __uAtomicCAS(word, seen, (seen & ~(0xffffu << shift)) | bits << shift);
    } while (old != seen);
    return now;
}

#undef DIVERGO_F
#undef DIVERGO_JOINED
#undef DIVERGO_JOIN
#undef DIVERGO_BOTH
#undef DIVERGO_INLINE
#undef DIVERGO_DEVICE
#undef divergo_number
#undef divergo_pair
#undef divergo_word
#undef divergo_raw
#undef divergo_pair_raw
#undef divergo_value
#undef divergo_infinity
#undef divergo_fma
