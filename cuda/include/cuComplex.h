// Complex numbers of two floats or doubles (cuComplex.h of CUDA).
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_
#include <math.h>
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define DIVERGO_CU static __host__ __device__ inline
#define DIVERGO_COMPLEX(C, T, NAME, S, HYPOT)                                                                    \
    DIVERGO_CU C make_##NAME(T x, T y) { C c = {x, y}; return c; }                                               \
    DIVERGO_CU T cuCreal##S(C a) { return a.x; }                                                                 \
    DIVERGO_CU T cuCimag##S(C a) { return a.y; }                                                                 \
    DIVERGO_CU C cuConj##S(C a) { return make_##NAME(a.x, -a.y); }                                               \
    DIVERGO_CU C cuCadd##S(C a, C b) { return make_##NAME(a.x + b.x, a.y + b.y); }                               \
    DIVERGO_CU C cuCsub##S(C a, C b) { return make_##NAME(a.x - b.x, a.y - b.y); }                               \
    DIVERGO_CU C cuCmul##S(C a, C b) { return make_##NAME(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }       \
    DIVERGO_CU C cuCfma##S(C a, C b, C c) { return cuCadd##S(cuCmul##S(a, b), c); }                              \
    DIVERGO_CU T cuCabs##S(C a) { return HYPOT(a.x, a.y); }                                                      \
    DIVERGO_CU C cuCdiv##S(C a, C b) {                                                                           \
        T scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                                         \
        T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale, by_one = 1 / (bx * bx + by * by); \
        return make_##NAME((ax * bx + ay * by) * by_one, (ay * bx - ax * by) * by_one);                          \
    }
DIVERGO_COMPLEX(cuFloatComplex, float, cuFloatComplex, f, hypotf)
DIVERGO_COMPLEX(cuDoubleComplex, double, cuDoubleComplex, , hypot)
#undef DIVERGO_COMPLEX
#define make_cuComplex make_cuFloatComplex
DIVERGO_CU cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
DIVERGO_CU cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return make_cuFloatComplex((float)c.x, (float)c.y); }
#undef DIVERGO_CU
#endif
