// The functions that clang's CUDA headers are written with, under the names of NVIDIA's device library. What needs more
// than an instruction or two comes from libclc, whose functions have the plain names of C++. A function that is missing
// here is one that programs cannot use.

#define ROUNDINGS(X) X(rn, rn) X(rz, rz) X(rd, rm) X(ru, rp)

// libclc.
#define CLC1(X)                                                                                                 \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cos) X(cosh) X(cospi) X(erf) X(exp)    \
    X(exp10) X(exp2) X(expm1) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(sin) X(sinh) X(sinpi) X(tan) \
    X(tanh)
#define CLC2(X) X(atan2) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)

#define DECLARE(name) float name(float); double name(double);
CLC1(DECLARE)
#undef DECLARE
#define DECLARE(name) float name(float, float); double name(double, double);
CLC2(DECLARE)
#undef DECLARE
float ldexp(float, int);
double ldexp(double, int);
double erfc(double);
int ilogb(float);
int ilogb(double);
float pown(float, int);
double pown(double, int);

// Instructions that flush denormals, with -ftz=true.
#ifdef DIVERGO_FTZ
#define APPROX(op) __nvvm_##op##_approx_ftz_f
#else
#define APPROX(op) __nvvm_##op##_approx_f
#endif

extern "C" {

#define DEFINE(name)                                       \
    float __nv_##name##f(float x) { return name(x); }      \
    double __nv_##name(double x) { return name(x); }
CLC1(DEFINE)
#undef DEFINE
#define DEFINE(name)                                                   \
    float __nv_##name##f(float x, float y) { return name(x, y); }      \
    double __nv_##name(double x, double y) { return name(x, y); }
CLC2(DEFINE)
#undef DEFINE
float __nv_ldexpf(float x, int n) { return ldexp(x, n); }
double __nv_ldexp(double x, int n) { return ldexp(x, n); }
float __nv_scalbnf(float x, int n) { return ldexp(x, n); }
double __nv_scalbn(double x, int n) { return ldexp(x, n); }
int __nv_ilogbf(float x) { return ilogb(x); }
int __nv_ilogb(double x) { return ilogb(x); }
float __nv_powif(float x, int n) { return pown(x, n); }
double __nv_powi(double x, int n) { return pown(x, n); }

// Made of those. Where float has a function of its own it is rounded from that of double.
double __nv_erfc(double x) { return erfc(x); }
float __nv_erfcf(float x) { return (float)erfc((double)x); }

// The gamma function: near 1 by its logarithm, which is small there; above by the recurrence and by Stirling's series
// (Abramowitz & Stegun 6.1.37), below by reflection.
static double gamma_positive(double x) {
    if (x < 12) {
        double product = 1;
        for (; x >= 2; product *= x) x -= 1;
        for (; x < 1; x += 1) product /= x;
        return product * exp(lgamma(x));
    }
    if (x > 171.7) return __builtin_inf();
    const double y = 1 / x, y2 = y * y;
    double s = -1.0 / 156;
    s = __nvvm_fma_rn_d(s, -y2, -691.0 / 360360);
    s = __nvvm_fma_rn_d(s, y2, 1.0 / 1188);
    s = __nvvm_fma_rn_d(s, y2, -1.0 / 1680);
    s = __nvvm_fma_rn_d(s, y2, 1.0 / 1260);
    s = __nvvm_fma_rn_d(s, y2, -1.0 / 360);
    s = __nvvm_fma_rn_d(s, y2, 1.0 / 12);
    const double root = pow(x, 0.5 * x - 0.25); // squared below: the power itself overflows first
    return 2.5066282746310005 * root * exp(-x) * root * exp(s * y);
}

double __nv_tgamma(double x) {
    if (x != x || x == __builtin_inf()) return x;
    if (x > 0) return gamma_positive(x);
    if (x == 0) return __builtin_copysign(__builtin_inf(), x);
    if (x == __builtin_trunc(x)) return __builtin_nan("");
    if (x < -184) return __builtin_copysign(0.0, sinpi(0.5 * x) * cospi(0.5 * x));
    if (x > -1e-300) return 1 / x;
    if (x > -170) return -3.141592653589793 / (x * sinpi(x) * gamma_positive(-x));
    double product = 1, y = x; // gamma(-x) overflows
    for (int i = 0; i < 16; i++, y += 1) product *= y;
    return -3.141592653589793 / (y * sinpi(y) * gamma_positive(-y)) / product;
}
float __nv_tgammaf(float x) { return (float)__nv_tgamma(x); }

// Inverses of the error functions, by Halley's method. Where the slope of the one is flat, the other is used.
static double erf_inverse(double x) { // |x| at most 1/2
    double y = x * (0.88622692545275801 + 0.23201366653465449 * x * x);
    for (int i = 0; i < 3; i++) {
        const double d = (erf(y) - x) / (1.1283791670955126 * exp(-y * y));
        y -= d / (1 + y * d);
    }
    return y;
}

static double erfc_inverse(double q) { // q at most 1/2; the first guess is Abramowitz & Stegun 26.2.23
    const double t = __nvvm_sqrt_rn_d(-2 * log(0.5 * q));
    double y = 0.70710678118654752 * (t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int i = 0; i < 3; i++) {
        const double d = (q - erfc(y)) / (1.1283791670955126 * exp(-y * y));
        y -= d / (1 + y * d);
    }
    return y;
}

double __nv_erfinv(double x) {
    const double a = __builtin_fabs(x);
    if (!(a < 1)) return a == 1 ? __builtin_copysign(__builtin_inf(), x) : __builtin_nan("");
    if (a < 1e-9) return x * 0.88622692545275801;
    return a <= 0.5 ? erf_inverse(x) : __builtin_copysign(erfc_inverse(1 - a), x);
}
double __nv_erfcinv(double q) {
    if (!(q > 0 && q < 2)) return q == 0 ? __builtin_inf() : q == 2 ? -__builtin_inf() : __builtin_nan("");
    if (q < 0.5) return erfc_inverse(q);
    return q > 1.5 ? -erfc_inverse(2 - q) : __nv_erfinv(1 - q);
}
double __nv_normcdfinv(double p) { return -1.4142135623730951 * __nv_erfcinv(2 * p); }
float __nv_erfinvf(float x) { return (float)__nv_erfinv(x); }
float __nv_erfcinvf(float q) { return (float)__nv_erfcinv(q); }
float __nv_normcdfinvf(float p) { return (float)__nv_normcdfinv(p); }

// exp(x * x) erfc(x), with the square in two parts; far out by the asymptotic series (Abramowitz & Stegun 7.1.23).
double __nv_erfcx(double x) {
    if (x < -26.7) return __builtin_inf();
    if (x < 10) {
        const double square = x * x, rest = __nvvm_fma_rn_d(x, x, -square), e = exp(square) * erfc(x);
        return __nvvm_fma_rn_d(e, rest, e);
    }
    if (x != x) return x;
    const double y = 0.5 / (x * x);
    double term = 1, sum = 0;
    for (int n = 1; n < 20; n++) {
        term *= -(2 * n - 1) * y;
        sum += term;
    }
    const double first = 0.56418958354775629 / x;
    return __nvvm_fma_rn_d(first, sum, first);
}
float __nv_erfcxf(float x) { return (float)__nv_erfcx(x); }

// Modified Bessel functions: the series, and far out the asymptotic one (Abramowitz & Stegun 9.6.10, 9.7.1).
static double bessel_i(double x, int order) {
    const double a = __builtin_fabs(x);
    double sum = 1, term = 1;
    if (a < 20) {
        const double square = 0.25 * a * a;
        for (int k = 1; term > sum * 1e-18; k++) {
            term *= square / (k * (double)(k + order));
            sum += term;
        }
        if (order == 1) sum *= 0.5 * a;
    } else if (a < 800) {
        sum = 0;
        for (int k = 1; k < 30; k++) {
            term *= ((2 * k - 1) * (2 * k - 1) - 4.0 * order * order) / (8 * k * a);
            sum += term;
        }
        const double root = exp(0.5 * a);
        sum = (1 + sum) * root / __nvvm_sqrt_rn_d(6.2831853071795862 * a) * root;
    } else {
        sum = a * __builtin_inf();
    }
    return order == 1 ? __builtin_copysign(sum, x) : sum;
}
double __nv_cyl_bessel_i0(double x) { return bessel_i(x, 0); }
double __nv_cyl_bessel_i1(double x) { return bessel_i(x, 1); }
float __nv_cyl_bessel_i0f(float x) { return (float)bessel_i(x, 0); }
float __nv_cyl_bessel_i1f(float x) { return (float)bessel_i(x, 1); }

float __nv_norm4df(float x, float y, float z, float t) { return hypot(hypot(x, y), hypot(z, t)); }
double __nv_norm4d(double x, double y, double z, double t) { return hypot(hypot(x, y), hypot(z, t)); }
float __nv_rnorm4df(float x, float y, float z, float t) { return __nvvm_rcp_rn_f(__nv_norm4df(x, y, z, t)); }
double __nv_rnorm4d(double x, double y, double z, double t) { return __nvvm_rcp_rn_d(__nv_norm4d(x, y, z, t)); }
float __nv_normf(int n, const float *x) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum = hypot(sum, x[i]);
    return sum;
}
double __nv_norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum = hypot(sum, x[i]);
    return sum;
}
float __nv_rnormf(int n, const float *x) { return __nvvm_rcp_rn_f(__nv_normf(n, x)); }
double __nv_rnorm(int n, const double *x) { return __nvvm_rcp_rn_d(__nv_norm(n, x)); }

// The remainder, and the last three bits of the quotient: |x| less 4, 2 and 1 times |y|.
double __nv_remquo(double x, double y, int *quotient) {
    const double r = remainder(x, y), b = __builtin_fabs(y);
    double a = __builtin_fabs(x);
    int q = 0;
    if (b < 2.2e307) a = fmod(a, 8 * b);
    if (b < 4.4e307 && a >= 4 * b) a -= 4 * b, q += 4;
    if (b < 8.8e307 && a >= 2 * b) a -= 2 * b, q += 2;
    if (a > b - a) { // more than half of y is left, twice if that much is left again
        a -= b, q++;
        if (a > b - a || (a == b - a && (q & 1))) q++;
    } else if (a == b - a && (q & 1)) {
        q++;
    }
    *quotient = (x < 0) != (y < 0) ? -(q & 7) : q & 7;
    return r;
}
float __nv_remquof(float x, float y, int *quotient) { return (float)__nv_remquo(x, y, quotient); }

void __nv_sincosf(float x, float *s, float *c) { *s = sin(x); *c = cos(x); }
void __nv_sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
void __nv_sincospif(float x, float *s, float *c) { *s = sinpi(x); *c = cospi(x); }
void __nv_sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }
// The argument of erfc in two parts: what is lost by rounding it is made up for by the slope.
double __nv_normcdf(double x) {
    const double c = -0.70710678118654757, h = x * c, rest = __nvvm_fma_rn_d(x, c, -h) + x * 4.8336466567264851e-17;
    const double slope = __builtin_fabs(h) < 27 ? 1.1283791670955126 * exp(-h * h) : 0;
    return 0.5 * __nvvm_fma_rn_d(-rest, slope, erfc(h));
}
float __nv_normcdff(float x) { return (float)__nv_normcdf(x); }
float __nv_rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
double __nv_rcbrt(double x) { return __nvvm_rcp_rn_d(cbrt(x)); }
float __nv_rhypotf(float x, float y) { return __nvvm_rcp_rn_f(hypot(x, y)); }
double __nv_rhypot(double x, double y) { return __nvvm_rcp_rn_d(hypot(x, y)); }
float __nv_norm3df(float x, float y, float z) { return hypot(hypot(x, y), z); }
double __nv_norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
float __nv_rnorm3df(float x, float y, float z) { return __nvvm_rcp_rn_f(hypot(hypot(x, y), z)); }
double __nv_rnorm3d(double x, double y, double z) { return __nvvm_rcp_rn_d(hypot(hypot(x, y), z)); }

// Arithmetic in each rounding.
#define DEFINE(r, nv)                                                                                \
    float __nv_fadd_##r(float a, float b) { return __nvvm_add_##nv##_f(a, b); }                      \
    float __nv_fsub_##r(float a, float b) { return __nvvm_add_##nv##_f(a, -b); }                     \
    float __nv_fmul_##r(float a, float b) { return __nvvm_mul_##nv##_f(a, b); }                      \
    float __nv_fdiv_##r(float a, float b) { return __nvvm_div_##nv##_f(a, b); }                      \
    float __nv_frcp_##r(float a) { return __nvvm_rcp_##nv##_f(a); }                                  \
    float __nv_fsqrt_##r(float a) { return __nvvm_sqrt_##nv##_f(a); }                                \
    float __nv_fmaf_##r(float a, float b, float c) { return __nvvm_fma_##nv##_f(a, b, c); }          \
    float __nv_fmaf_ieee_##r(float a, float b, float c) { return __nvvm_fma_##nv##_f(a, b, c); }     \
    double __nv_dadd_##r(double a, double b) { return __nvvm_add_##nv##_d(a, b); }                   \
    double __nv_dsub_##r(double a, double b) { return __nvvm_add_##nv##_d(a, -b); }                  \
    double __nv_dmul_##r(double a, double b) { return __nvvm_mul_##nv##_d(a, b); }                   \
    double __nv_ddiv_##r(double a, double b) { return __nvvm_div_##nv##_d(a, b); }                   \
    double __nv_drcp_##r(double a) { return __nvvm_rcp_##nv##_d(a); }                                \
    double __nv_dsqrt_##r(double a) { return __nvvm_sqrt_##nv##_d(a); }                              \
    double __nv_fma_##r(double a, double b, double c) { return __nvvm_fma_##nv##_d(a, b, c); }       \
    float __nv_double2float_##r(double a) { return __nvvm_d2f_##nv(a); }                             \
    int __nv_double2int_##r(double a) { return __nvvm_d2i_##nv(a); }                                 \
    unsigned __nv_double2uint_##r(double a) { return __nvvm_d2ui_##nv(a); }                          \
    long long __nv_double2ll_##r(double a) { return __nvvm_d2ll_##nv(a); }                           \
    unsigned long long __nv_double2ull_##r(double a) { return __nvvm_d2ull_##nv(a); }                \
    int __nv_float2int_##r(float a) { return __nvvm_f2i_##nv(a); }                                   \
    unsigned __nv_float2uint_##r(float a) { return __nvvm_f2ui_##nv(a); }                            \
    long long __nv_float2ll_##r(float a) { return __nvvm_f2ll_##nv(a); }                             \
    unsigned long long __nv_float2ull_##r(float a) { return __nvvm_f2ull_##nv(a); }                  \
    float __nv_int2float_##r(int a) { return __nvvm_i2f_##nv(a); }                                   \
    float __nv_uint2float_##r(unsigned a) { return __nvvm_ui2f_##nv(a); }                            \
    float __nv_ll2float_##r(long long a) { return __nvvm_ll2f_##nv(a); }                             \
    float __nv_ull2float_##r(unsigned long long a) { return __nvvm_ull2f_##nv(a); }                  \
    double __nv_ll2double_##r(long long a) { return __nvvm_ll2d_##nv(a); }                           \
    double __nv_ull2double_##r(unsigned long long a) { return __nvvm_ull2d_##nv(a); }
ROUNDINGS(DEFINE)
#undef DEFINE
double __nv_int2double_rn(int a) { return a; }
double __nv_uint2double_rn(unsigned a) { return a; }
float __nv_frsqrt_rn(float a) { return (float)(1.0 / __nvvm_sqrt_rn_d(a)); }
float __nv_fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
double __nv_fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
#ifdef DIVERGO_SQRT // -prec-sqrt=false
float __nv_sqrtf(float a) { return APPROX(sqrt)(a); }
#else
float __nv_sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
#endif
double __nv_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
float __nv_rsqrtf(float a) { return APPROX(rsqrt)(a); }
double __nv_rsqrt(double a) { return 1.0 / __nvvm_sqrt_rn_d(a); }
float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }

// Approximate instructions.
float __nv_fast_sinf(float a) { return APPROX(sin)(a); }
float __nv_fast_cosf(float a) { return APPROX(cos)(a); }
void __nv_fast_sincosf(float a, float *s, float *c) { *s = APPROX(sin)(a); *c = APPROX(cos)(a); }
float __nv_fast_tanf(float a) { return APPROX(div)(APPROX(sin)(a), APPROX(cos)(a)); }
float __nv_fast_expf(float a) { return APPROX(ex2)(a * 1.442695041f); }
float __nv_fast_exp10f(float a) { return APPROX(ex2)(a * 3.321928094f); }
float __nv_fast_logf(float a) { return APPROX(lg2)(a) * 0.693147181f; }
float __nv_fast_log2f(float a) { return APPROX(lg2)(a); }
float __nv_fast_log10f(float a) { return APPROX(lg2)(a) * 0.301029996f; }
float __nv_fast_powf(float a, float b) { return APPROX(ex2)(b * APPROX(lg2)(a)); }
float __nv_fast_fdividef(float a, float b) { return APPROX(div)(a, b); }

// Signs, whole numbers, least and greatest.
float __nv_fabsf(float a) { return __builtin_fabsf(a); }
double __nv_fabs(double a) { return __builtin_fabs(a); }
float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
float __nv_ceilf(float a) { return __builtin_ceilf(a); }
double __nv_ceil(double a) { return __builtin_ceil(a); }
float __nv_floorf(float a) { return __builtin_floorf(a); }
double __nv_floor(double a) { return __builtin_floor(a); }
float __nv_truncf(float a) { return __builtin_truncf(a); }
double __nv_trunc(double a) { return __builtin_trunc(a); }
float __nv_rintf(float a) { return __builtin_rintf(a); }
double __nv_rint(double a) { return __builtin_rint(a); }
float __nv_nearbyintf(float a) { return __builtin_rintf(a); }
double __nv_nearbyint(double a) { return __builtin_rint(a); }
float __nv_roundf(float a) {
    float t = __builtin_truncf(a);
    return __builtin_copysignf(__builtin_fabsf(a - t) >= 0.5f ? t + __builtin_copysignf(1.0f, a) : t, a);
}
double __nv_round(double a) {
    double t = __builtin_trunc(a);
    return __builtin_copysign(__builtin_fabs(a - t) >= 0.5 ? t + __builtin_copysign(1.0, a) : t, a);
}
long long __nv_llrintf(float a) { return __nvvm_f2ll_rn(a); }
long long __nv_llrint(double a) { return __nvvm_d2ll_rn(a); }
long long __nv_llroundf(float a) { return __nvvm_f2ll_rz(__nv_roundf(a)); }
long long __nv_llround(double a) { return __nvvm_d2ll_rz(__nv_round(a)); }
float __nv_fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
double __nv_fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
float __nv_fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
double __nv_fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
float __nv_fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
double __nv_fdim(double a, double b) { return a <= b ? 0.0 : a - b; }
float __nv_modff(float a, float *whole) {
    *whole = __builtin_truncf(a);
    return __builtin_copysignf(__builtin_isinf(a) ? 0.0f : a - *whole, a);
}
double __nv_modf(double a, double *whole) {
    *whole = __builtin_trunc(a);
    return __builtin_copysign(__builtin_isinf(a) ? 0.0 : a - *whole, a);
}
double __nv_frexp(double a, int *exponent) {
    *exponent = 0;
    if (a == 0 || !__builtin_isfinite(a)) return a;
    *exponent = ilogb(a) + 1;
    return ldexp(a, -*exponent);
}
float __nv_frexpf(float a, int *exponent) { return (float)__nv_frexp(a, exponent); }

// Classes.
int __nv_finitef(float a) { return __builtin_isfinite(a); }
int __nv_isfinited(double a) { return __builtin_isfinite(a); }
int __nv_isinff(float a) { return __builtin_isinf(a) != 0; }
int __nv_isinfd(double a) { return __builtin_isinf(a) != 0; }
int __nv_isnanf(float a) { return a != a; }
int __nv_isnand(double a) { return a != a; }
int __nv_signbitf(float a) { return __builtin_bit_cast(unsigned, a) >> 31; }
int __nv_signbitd(double a) { return (int)(__builtin_bit_cast(unsigned long long, a) >> 63); }
float __nv_nanf(const char *) { return __builtin_nanf(""); }
double __nv_nan(const char *) { return __builtin_nan(""); }

// Bits.
float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
float __nv_uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
unsigned __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
long long __nv_double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
int __nv_double2hiint(double a) { return (int)(__builtin_bit_cast(unsigned long long, a) >> 32); }
int __nv_double2loint(double a) { return (int)__builtin_bit_cast(unsigned long long, a); }
double __nv_hiloint2double(int hi, int lo) { return __builtin_bit_cast(double, (unsigned long long)(unsigned)hi << 32 | (unsigned)lo); }
int __nv_brev(int a) { return (int)__builtin_bitreverse32((unsigned)a); }
long long __nv_brevll(long long a) { return (long long)__builtin_bitreverse64((unsigned long long)a); }
int __nv_byte_perm(int a, int b, int s) { return __nvvm_prmt(a, b, s & 0x7777); }
int __nv_clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned)a); }
int __nv_clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
int __nv_ffs(int a) { return a == 0 ? 0 : __builtin_ctz((unsigned)a) + 1; }
int __nv_ffsll(long long a) { return a == 0 ? 0 : __builtin_ctzll((unsigned long long)a) + 1; }
int __nv_popc(unsigned a) { return __builtin_popcount(a); }
int __nv_popcll(unsigned long long a) { return __builtin_popcountll(a); }

// Integers.
int __nv_abs(int a) { return a < 0 ? (int)(0u - (unsigned)a) : a; }
long long __nv_llabs(long long a) { return a < 0 ? (long long)(0ull - (unsigned long long)a) : a; }
int __nv_min(int a, int b) { return a < b ? a : b; }
int __nv_max(int a, int b) { return a > b ? a : b; }
unsigned __nv_umin(unsigned a, unsigned b) { return a < b ? a : b; }
unsigned __nv_umax(unsigned a, unsigned b) { return a > b ? a : b; }
long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
unsigned __nv_umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
int __nv_mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
unsigned __nv_umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
long long __nv_mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
int __nv_sad(int a, int b, int c) { return (int)((a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + (unsigned)c); }
unsigned __nv_usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
unsigned __nv_uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
unsigned __nv_urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }

// What stands in the tables of classes for functions that they do not define (Itanium C++ ABI, "Pure Virtual Function API").
void __assertfail(const char *condition, const char *file, unsigned line, const char *function, unsigned long size);
void __cxa_pure_virtual() { __assertfail("pure virtual function called", "", 0, "__cxa_pure_virtual", 1); }
void __cxa_deleted_virtual() { __assertfail("deleted virtual function called", "", 0, "__cxa_deleted_virtual", 1); }

}
