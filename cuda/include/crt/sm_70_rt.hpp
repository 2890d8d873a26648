// __match_any_sync and __match_all_sync on clang's builtins.
#define DIVERGO_MATCH(T, BITS, N)                                                                                  \
    static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, T value) {                  \
        return __nvvm_match_any_sync_i##N(mask, __builtin_bit_cast(BITS, value));                                                      \
    }                                                                                                              \
    static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, T value, int *all) {        \
        return __nvvm_match_all_sync_i##N##p(mask, __builtin_bit_cast(BITS, value), all);                                              \
    }
DIVERGO_MATCH(int, unsigned int, 32)
DIVERGO_MATCH(unsigned int, unsigned int, 32)
DIVERGO_MATCH(long, unsigned long long, 64)
DIVERGO_MATCH(unsigned long, unsigned long long, 64)
DIVERGO_MATCH(long long, unsigned long long, 64)
DIVERGO_MATCH(unsigned long long, unsigned long long, 64)
DIVERGO_MATCH(float, unsigned int, 32)
DIVERGO_MATCH(double, unsigned long long, 64)
#undef DIVERGO_MATCH
