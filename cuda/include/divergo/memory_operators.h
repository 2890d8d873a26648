// Loads and stores with a cache operator (CUDA C++ Programming Guide, load functions using cache hints), of each type that
// they take.
#define DIVERGO_LOAD(NAME, OP, T, PTX, C, V)                                                       \
    DIVERGO_DEVICE T NAME(const T *at) {                                                           \
        V x;                                                                                       \
        asm volatile("ld.global." OP "." PTX " %0, [%1];" : C(x) : "l"(at) : "memory");            \
        return (T)x;                                                                               \
    }
#define DIVERGO_LOAD2(NAME, OP, T, PTX, C, V)                                                      \
    DIVERGO_DEVICE T NAME(const T *at) {                                                           \
        V x, y;                                                                                    \
        asm volatile("ld.global." OP ".v2." PTX " {%0, %1}, [%2];" : C(x), C(y) : "l"(at) : "memory"); \
        T v;                                                                                       \
        v.x = x, v.y = y;                                                                          \
        return v;                                                                                  \
    }
#define DIVERGO_LOAD4(NAME, OP, T, PTX, C, V)                                                      \
    DIVERGO_DEVICE T NAME(const T *at) {                                                           \
        V x, y, z, w;                                                                              \
        asm volatile("ld.global." OP ".v4." PTX " {%0, %1, %2, %3}, [%4];" : C(x), C(y), C(z), C(w) : "l"(at) : "memory"); \
        T v;                                                                                       \
        v.x = x, v.y = y, v.z = z, v.w = w;                                                        \
        return v;                                                                                  \
    }
#define DIVERGO_STORE(NAME, OP, T, PTX, C, V)                                                      \
    DIVERGO_DEVICE void NAME(T *at, T v) { asm volatile("st.global." OP "." PTX " [%0], %1;" ::"l"(at), C((V)v) : "memory"); }
#define DIVERGO_STORE2(NAME, OP, T, PTX, C, V)                                                     \
    DIVERGO_DEVICE void NAME(T *at, T v) { asm volatile("st.global." OP ".v2." PTX " [%0], {%1, %2};" ::"l"(at), C((V)v.x), C((V)v.y) : "memory"); }
#define DIVERGO_STORE4(NAME, OP, T, PTX, C, V)                                                     \
    DIVERGO_DEVICE void NAME(T *at, T v) { asm volatile("st.global." OP ".v4." PTX " [%0], {%1, %2, %3, %4};" ::"l"(at), C((V)v.x), C((V)v.y), C((V)v.z), C((V)v.w) : "memory"); }

#define DIVERGO_OPERATOR(X, NAME, OP, O)                                            \
    X(NAME, OP, char, "s8", O "r", int)                                             \
    X(NAME, OP, signed char, "s8", O "r", int)                                      \
    X(NAME, OP, unsigned char, "u8", O "r", unsigned int)                           \
    X(NAME, OP, short, "s16", O "h", short)                                         \
    X(NAME, OP, unsigned short, "u16", O "h", unsigned short)                       \
    X(NAME, OP, int, "s32", O "r", int)                                             \
    X(NAME, OP, unsigned int, "u32", O "r", unsigned int)                           \
    X(NAME, OP, long, "s64", O "l", long)                                           \
    X(NAME, OP, unsigned long, "u64", O "l", unsigned long)                         \
    X(NAME, OP, long long, "s64", O "l", long long)                                 \
    X(NAME, OP, unsigned long long, "u64", O "l", unsigned long long)               \
    X(NAME, OP, float, "f32", O "f", float)                                         \
    X(NAME, OP, double, "f64", O "d", double)                                       \
    X##2(NAME, OP, int2, "s32", O "r", int)                                         \
    X##2(NAME, OP, uint2, "u32", O "r", unsigned int)                               \
    X##2(NAME, OP, longlong2, "s64", O "l", long long)                              \
    X##2(NAME, OP, ulonglong2, "u64", O "l", unsigned long long)                    \
    X##2(NAME, OP, float2, "f32", O "f", float)                                     \
    X##2(NAME, OP, double2, "f64", O "d", double)                                   \
    X##4(NAME, OP, int4, "s32", O "r", int)                                         \
    X##4(NAME, OP, uint4, "u32", O "r", unsigned int)                               \
    X##4(NAME, OP, float4, "f32", O "f", float)

DIVERGO_OPERATOR(DIVERGO_LOAD, __ldca, "ca", "=")
DIVERGO_OPERATOR(DIVERGO_LOAD, __ldcg, "cg", "=")
DIVERGO_OPERATOR(DIVERGO_LOAD, __ldcs, "cs", "=")
DIVERGO_OPERATOR(DIVERGO_LOAD, __ldlu, "lu", "=")
DIVERGO_OPERATOR(DIVERGO_LOAD, __ldcv, "cv", "=")
DIVERGO_OPERATOR(DIVERGO_STORE, __stwb, "wb", "")
DIVERGO_OPERATOR(DIVERGO_STORE, __stcg, "cg", "")
DIVERGO_OPERATOR(DIVERGO_STORE, __stcs, "cs", "")
DIVERGO_OPERATOR(DIVERGO_STORE, __stwt, "wt", "")
#undef DIVERGO_OPERATOR
#undef DIVERGO_LOAD
#undef DIVERGO_LOAD2
#undef DIVERGO_LOAD4
#undef DIVERGO_STORE
#undef DIVERGO_STORE2
#undef DIVERGO_STORE4
