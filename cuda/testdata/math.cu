// The largest error of device functions, in units in the last place of the true result: that of the host's long double.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

#define FUNCTIONS(F) \
    F(sin, -100, 100) F(cos, -100, 100) F(tan, -1.5, 1.5) F(asin, -1, 1) F(acos, -1, 1) F(atan, -50, 50) \
    F(exp, -80, 80) F(exp2, -100, 100) F(expm1, -5, 5) F(log, 0.001, 1000) F(log2, 0.001, 1000) F(log10, 0.001, 1000) F(log1p, -0.9, 10) \
    F(sinh, -10, 10) F(cosh, -10, 10) F(tanh, -5, 5) F(asinh, -50, 50) F(acosh, 1, 50) F(atanh, -0.9, 0.9) \
    F(sqrt, 0, 1000) F(cbrt, -1000, 1000) F(erf, -3, 3) F(erfc, -3, 3) F(tgamma, 0.5, 10) F(lgamma, 3, 50) F(floor, -9, 9) F(round, -9, 9)

const int n = 2000;

#define KERNEL(name, lo, hi)                                                                      \
    __global__ void name##_float(const double *x, double *y) {                                    \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                         \
        if (i < n) y[i] = name##f((float)x[i]);                                                   \
    }                                                                                          \
    __global__ void name##_double(const double *x, double *y) {                                   \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                         \
        if (i < n) y[i] = name(x[i]);                                                             \
    }
FUNCTIONS(KERNEL)

static double ulp(double got, long double want, bool narrow) {
    int e;
    frexpl(want, &e);
    return (double)(fabsl(got - want) / ldexpl(1, e - (narrow ? FLT_MANT_DIG : DBL_MANT_DIG)));
}

int main() {
    double *x, *y;
    cudaMalloc(&x, n * sizeof *x), cudaMalloc(&y, n * sizeof *y);
    std::vector<double> in(n), out(n);
#define RUN(name, lo, hi)                                                                         \
    for (int narrow = 0; narrow < 2; narrow++) {                                               \
        for (int i = 0; i < n; i++) {                                                          \
            in[i] = lo + (hi - lo) * (i + 0.37) / n;                                           \
            if (narrow) in[i] = (float)in[i];                                                  \
        }                                                                                      \
        cudaMemcpy(x, in.data(), n * sizeof *x, cudaMemcpyHostToDevice);                       \
        if (narrow) name##_float<<<(n + 127) / 128, 128>>>(x, y);                                 \
        else name##_double<<<(n + 127) / 128, 128>>>(x, y);                                       \
        cudaMemcpy(out.data(), y, n * sizeof *y, cudaMemcpyDeviceToHost);                      \
        double most = 0;                                                                       \
        for (int i = 0; i < n; i++) {                                                          \
            long double want = name##l((long double)in[i]);                                       \
            double error = ulp(out[i], want, narrow);                                          \
            most = error > most || error != error ? error : most;                              \
        }                                                                                      \
        printf("%s%s %.2f\n", #name, narrow ? "f" : "", most);                                    \
    }
    FUNCTIONS(RUN)
}
