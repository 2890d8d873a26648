// What the programs of Csmith stand on, for the device and for the host. Csmith's
// own header writes and counts in global variables.
#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define words 8

#ifdef __CUDA__
#define RUN __device__
#else
#include <setjmp.h>
#include <stdio.h>
#define RUN
static jmp_buf over;
static unsigned ticks;
#endif

#pragma clang diagnostic ignored "-Wc++11-narrowing"
#pragma clang force_cuda_host_device begin

// tick counts, on the host, what can happen again and again. A program that takes too
// long is left out.
static inline bool tick() {
#ifndef __CUDA__
    if (++ticks > LIMIT)
        longjmp(over, 1);
#endif
    return true;
}

#undef NULL
#define NULL nullptr
#define memcpy __builtin_memcpy
#define fabs __builtin_fabs
#define fabsf __builtin_fabsf
#define STATIC static inline
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(x) (safe_##x)
#include <csmith/safe_math.h>
#undef FUNC_NAME
#undef INT_BIT
#define INT_BIT (sizeof(int) * CHAR_BIT)
#define _CSMITH_BITFIELD(x) (((x) > INT_BIT) ? ((x) % INT_BIT) : (x))

// Sum is what the values of all global variables come to at the end.
struct Sum {
    uint64_t sum[words] = {};
    unsigned n = 0;
    void transparent_crc(uint64_t value, const char *, int) {
        n++;
        sum[n % words] = (sum[n % words] ^ value) * 0x9e3779b97f4a7c15 + n;
    }
};
