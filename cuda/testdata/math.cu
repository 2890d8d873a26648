// Values of device functions: the arguments are read from standard input, the results go to standard output, both as
// doubles. Each of the program's arguments is a function; n pairs of arguments belong to it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define FUNCTIONS(F) \
    F(acos, (x)) F(acosh, (x)) F(asin, (x)) F(asinh, (x)) F(atan, (x)) F(atan2, (x, y)) F(atanh, (x)) F(cbrt, (x)) F(cos, (x)) F(cosh, (x)) F(cospi, (x)) \
    F(cyl_bessel_i0, (x)) F(cyl_bessel_i1, (x)) F(erf, (x)) F(erfc, (x)) F(erfcinv, (x)) F(erfcx, (x)) F(erfinv, (x)) F(exp, (x)) F(exp10, (x)) F(exp2, (x)) \
    F(expm1, (x)) F(fmod, (x, y)) F(hypot, (x, y)) F(lgamma, (x)) F(log, (x)) F(log10, (x)) F(log1p, (x)) F(log2, (x)) F(normcdf, (x)) F(normcdfinv, (x)) \
    F(pow, (x, y)) F(rcbrt, (x)) F(remainder, (x, y)) F(rhypot, (x, y)) F(rsqrt, (x)) F(sin, (x)) F(sinh, (x)) F(sinpi, (x)) F(sqrt, (x)) F(tan, (x)) \
    F(tanh, (x)) F(tgamma, (x))

#define KERNELS(name, arguments)                                                               \
    __global__ void name##_double(int n, const double *a, double *out) {                       \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                         \
        if (i >= n) return;                                                                    \
        double x = a[2 * i], y = a[2 * i + 1];                                                 \
        out[i] = name arguments;                                                               \
        (void)y;                                                                               \
    }                                                                                          \
    __global__ void name##f_float(int n, const double *a, double *out) {                       \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                         \
        if (i >= n) return;                                                                    \
        float x = (float)a[2 * i], y = (float)a[2 * i + 1];                                    \
        out[i] = name##f arguments;                                                            \
        (void)y;                                                                               \
    }
FUNCTIONS(KERNELS)

int main(int argc, char **argv) {
    const int n = atoi(argv[1]), threads = 64, blocks = (n + threads - 1) / threads;
    std::vector<double> in(2 * n), out(n);
    double *a, *b;
    cudaMalloc(&a, in.size() * sizeof(double)), cudaMalloc(&b, out.size() * sizeof(double));
    for (int f = 2; f < argc; f++) {
        if (fread(in.data(), sizeof(double), in.size(), stdin) != in.size()) return 2;
        cudaMemcpy(a, in.data(), in.size() * sizeof(double), cudaMemcpyHostToDevice);
        bool known = false;
#define RUN(name, arguments)                                                                                         \
        if (strcmp(argv[f], #name) == 0) name##_double<<<blocks, threads>>>(n, a, b), known = true;                  \
        if (strcmp(argv[f], #name "f") == 0) name##f_float<<<blocks, threads>>>(n, a, b), known = true;
        FUNCTIONS(RUN)
        if (!known || cudaMemcpy(out.data(), b, out.size() * sizeof(double), cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
        fwrite(out.data(), sizeof(double), out.size(), stdout);
    }
}
