// One use of many things that CUDA programs use, each compared with what it should be.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include "math_constants.h"
#include "part.h"

static int wrong;
#define WANT(got, want) do { if (!((got) == (want))) printf("%s:%d: %s is not %s\n", "features.cu", __LINE__, #got, #want), wrong++; } while (0)

__device__ unsigned total;
__device__ float table[4] = {1, 2, 3, 4};
__constant__ int2 pair;
struct Pixel { float4 colour; short2 at; };

__global__ void atomics(int *i, unsigned long long *l, float *f, double *d) {
    atomicAdd(&i[0], 2), atomicSub(&i[1], 3), atomicMin(&i[2], -(int)threadIdx.x), atomicMax(&i[3], (int)threadIdx.x);
    atomicOr(&i[4], 1 << (threadIdx.x % 32)), atomicXor(&i[5], 1), atomicInc((unsigned *)&i[6], 9u);
    atomicAdd(l, 1ull << 33), atomicAdd(f, 0.5f), atomicAdd(d, 0.25), atomicAdd(&total, 1u);
    if (blockIdx.x == 0 && threadIdx.x == 0) i[7] = atomicExch(&i[8], 5), atomicCAS(&i[8], 5, 6);
}

__global__ void warps(int *out) {
    int x = threadIdx.x, sum = x;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    int other = __shfl_xor(x, 1);
    unsigned odd = __ballot_sync(0xffffffffu, x & 1);
    int all = __all(x < 32), any = __any_sync(0xffffffffu, x == 99);
    int all32 = __syncthreads_count(x >= 0);
    if (x == 0) out[0] = sum, out[1] = other, out[2] = (int)odd, out[3] = all, out[4] = any, out[5] = warpSize, out[6] = all32;
}

__global__ void bits(unsigned *u, float *f, double *d) {
    u[0] = __popc(0xf0f0u), u[1] = __clz(1), u[2] = __brev(1), u[3] = __ffs(8), u[4] = __umulhi(1u << 31, 6), u[5] = __byte_perm(0x03020100, 0x07060504, 0x7531);
    u[6] = (unsigned)__float2int_rn(2.5f), u[7] = (unsigned)__float2int_ru(2.1f), u[8] = min(3u, 7u), u[9] = (unsigned)max(-3, 7), u[10] = __float_as_uint(1.0f), u[11] = __umul24(3, 5), u[12] = (unsigned)abs(-4);
    f[0] = fmaf(2, 3, 4), f[1] = __fdividef(1, 4), f[2] = max(1.5f, 2.0f), f[3] = __saturatef(3), f[4] = rsqrtf(4.0f), f[5] = roundf(-2.5f), f[6] = __ldg(&f[7]), f[8] = fabsf(-1.0f), f[9] = __fmul_rz(3, 4);
    d[0] = __dadd_rn(1, 2), d[1] = std::abs(-2.5), d[2] = std::max(d[0], 9.0), d[3] = floor(-0.5), d[4] = sqrt(16.0);
}

__global__ void quotients(const double *x, double *r, int *q) {
    int i = threadIdx.x;
    r[i] = remquo(x[2 * i], x[2 * i + 1], &q[i]);
}

// Functions of CUDA's and C++'s <cmath> that take floats under the names of double's, with and without std::.
#define OVERLOADS(X)                                                                                                                                      \
    X(acos(x)) X(acosh(y)) X(asin(x)) X(asinh(y)) X(atan(y)) X(atan2(x, y)) X(atanh(x)) X(cbrt(y)) X(ceil(y)) X(copysign(x, y)) X(cos(y)) X(cosh(y))      \
    X(erf(x)) X(erfc(x)) X(exp(y)) X(exp2(y)) X(expm1(x)) X(fabs(x)) X(fdim(y, x)) X(floor(y)) X(fma(x, y, x)) X(fmax(x, y)) X(fmin(x, y)) X(fmod(y, x))  \
    X(frexp(y, &n)) X(hypot(x, y)) X(ilogb(y)) X(ldexp(x, 3)) X(lgamma(y)) X(llrint(y)) X(llround(y)) X(log(y)) X(log10(y)) X(log1p(x)) X(log2(y)) X(logb(y)) \
    X(lrint(y)) X(lround(y)) X(modf(y, &f)) X(nearbyint(y)) X(nextafter(x, y)) X(pow(y, x)) X(remainder(y, x)) X(remquo(y, x, &n)) X(rint(y)) X(round(y))    \
    X(scalbn(x, 4)) X(scalbln(x, 2L)) X(sin(y)) X(sinh(y)) X(sqrt(y)) X(tan(x)) X(tanh(x)) X(tgamma(y)) X(trunc(y)) X(std::round(y)) X(std::fmax(x, y))    \
    X(std::log2(y)) X(std::hypot(x, y)) X(isnan(nan(""))) X(isnan(nanf(""))) X(std::isnan(std::nanf("")))

__global__ void overloads(float x, float y, double *out, int *sizes) {
    int n, i = 0;
    float f;
#define X(call) out[i] = (double)(call), sizes[i++] = (int)sizeof(call);
    OVERLOADS(X)
#undef X
}

static void overloaded(double *out, int *sizes, std::vector<double> &host, std::vector<const char *> &names) {
    volatile float vx = 0.3f, vy = 5.7f;
    const float x = vx, y = vy;
    int n;
    float f;
    overloads<<<1, 1>>>(x, y, out, sizes);
    using namespace std; // where the host has them
#define X(call) host.push_back((double)(call)), names.push_back(#call);
    OVERLOADS(X)
#undef X
}

__global__ void norms(double *d) {
    d[0] = norm4d(1, 2, 4, 10), d[1] = norm3d(2, 3, 6), d[2] = rnorm4d(1, 2, 4, 10), d[3] = norm(3, d + 4), d[7] = scalbn(3.0, 4), d[8] = normf(0, nullptr);
}

template <class T> __global__ void reverse(T *data) {
    extern __shared__ char raw[];
    T *buffer = reinterpret_cast<T *>(raw);
    buffer[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

__global__ void pixels(Pixel *p, Pixel by) {
    int i = blockIdx.y * gridDim.x + blockIdx.x;
    p[i].colour = make_float4(by.colour.x, by.colour.y, table[i % 4], (float)pair.x);
    p[i].at = make_short2((short)(by.at.x + i), (short)pair.y);
}

template <class T> std::vector<T> back(T *from, size_t n) {
    std::vector<T> v(n);
    WANT(cudaMemcpy(v.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return v;
}

template <class T> T *zeros(size_t n) {
    T *p = nullptr;
    WANT(cudaMalloc((void **)&p, n * sizeof(T)), cudaSuccess);
    WANT(cudaMemset(p, 0, n * sizeof(T)), cudaSuccess);
    return p;
}

int main() {
    auto i = zeros<int>(9);
    auto l = zeros<unsigned long long>(1);
    auto f = zeros<float>(10);
    auto d = zeros<double>(5);
    atomics<<<2, 64>>>(i, l, f, d);
    WANT(back(i, 9), (std::vector<int>{256, -384, -63, 63, -1, 0, 8, 0, 6}));
    WANT(back(l, 1)[0], 128ull << 33);
    WANT(back(f, 1)[0], 64.0f);
    WANT(back(d, 1)[0], 32.0);
    unsigned n = 0;
    cudaMemcpyFromSymbol(&n, total, sizeof n);
    WANT(n, 128u);

    warps<<<1, 32>>>(i);
    WANT(back(i, 7), (std::vector<int>{496, 1, (int)0xaaaaaaaa, 1, 0, 32, 32}));

    auto u = zeros<unsigned>(13);
    bits<<<1, 1>>>(u, f, d);
    WANT(back(u, 13), (std::vector<unsigned>{8, 31, 0x80000000, 4, 3, 0x07050301, 2, 3, 3, 7, 0x3f800000, 15, 4}));
    WANT(back(f, 10), (std::vector<float>{10, 0.25f, 2, 1, 0.5f, -3, 0, 0, 1, 12}));
    WANT(back(d, 5), (std::vector<double>{3, 2.5, 9, -1, 4}));

    std::vector<double> pairs = {10, 3, -7, 2, 7, -2, 5, 2, 1e300, 3.7, -0.1, 1e-9, 9, 6, -9, 6, 15, 6, 0, 4, 1e308, 1.1e307, 4.2, 1e10};
    auto dx = zeros<double>(pairs.size()), dr = zeros<double>(pairs.size() / 2);
    auto dq = zeros<int>(pairs.size() / 2);
    cudaMemcpy(dx, pairs.data(), pairs.size() * sizeof(double), cudaMemcpyHostToDevice);
    quotients<<<1, (unsigned)pairs.size() / 2>>>(dx, dr, dq);
    for (size_t k = 0; k < pairs.size() / 2; k++) {
        int q;
        WANT(back(dr, pairs.size() / 2)[k], remquo(pairs[2 * k], pairs[2 * k + 1], &q));
        WANT(back(dq, pairs.size() / 2)[k], q % 8);
    }
    auto values = zeros<double>(100);
    auto sizes = zeros<int>(100);
    std::vector<double> host;
    std::vector<const char *> names;
    overloaded(values, sizes, host, names);
    auto device = back(values, host.size());
    auto wide = back(sizes, host.size());
    for (size_t k = 0; k < host.size(); k++)
        if (!(fabs(device[k] - host[k]) <= 1e-5 * fabs(host[k])) || (wide[k] == 8 && names[k][0] != 'l')) printf("%s is %g, on the host %g\n", names[k], device[k], host[k]), wrong++;
    auto dn = zeros<double>(9);
    std::vector<double> sides = {0, 0, 0, 0, 2, 3, 6};
    cudaMemcpy(dn, sides.data(), 7 * sizeof(double), cudaMemcpyHostToDevice);
    norms<<<1, 1>>>(dn);
    WANT(back(dn, 9), (std::vector<double>{11, 7, 1.0 / 11, 7, 2, 3, 6, 48, 0}));

    std::vector<double> numbers(70);
    for (int k = 0; k < 70; k++) numbers[k] = k;
    auto r = zeros<double>(70);
    cudaMemcpy(r, numbers.data(), 70 * sizeof(double), cudaMemcpyHostToDevice);
    reverse<<<1, 70, 70 * sizeof(double)>>>(r);
    std::reverse(numbers.begin(), numbers.end());
    WANT(back(r, 70), numbers);

    int2 two = make_int2(8, 9);
    cudaMemcpyToSymbol(pair, &two, sizeof two);
    float nine = 9;
    cudaMemcpyToSymbol(table, &nine, sizeof nine, 2 * sizeof nine);
    auto p = zeros<Pixel>(6);
    pixels<<<dim3(3, 2), 1>>>(p, Pixel{make_float4(1, 2, 0, 0), make_short2(100, 0)});
    Pixel last = back(p, 6)[2];
    WANT(last.colour.z, 9.0f);
    WANT(last.colour.w, 8.0f);
    WANT(last.at.x, 102);
    WANT(last.at.y, 9);
    float first[4];
    cudaMemcpyFromSymbol(first, table, sizeof first);
    WANT(first[3], 4.0f);

    // A second file has variables and kernels of its own.
    WANT(part(5), 15);
    WANT(part(6), 33);
    cudaMemcpyFromSymbol(&n, total, sizeof n);
    WANT(n, 128u);

    // Rows of a matrix.
    char *m;
    size_t pitch;
    cudaMallocPitch(&m, &pitch, 5, 3);
    char rows[3][6] = {"abcd", "efgh", "ijkl"}, got[3][6] = {};
    WANT(cudaMemcpy2D(m, pitch, rows, 6, 5, 3, cudaMemcpyHostToDevice), cudaSuccess);
    WANT(cudaMemcpy2D(got, 6, m, pitch, 5, 3, cudaMemcpyDefault), cudaSuccess);
    WANT(got[2][3], 'l');

    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    WANT(prop.warpSize, 32);
    int sms;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    printf("%d SMs at %d kHz, compute capability %d.%d\n", sms, prop.clockRate, prop.major, prop.minor);

    cudaStream_t stream;
    cudaEvent_t start, end;
    cudaStreamCreate(&stream), cudaEventCreate(&start), cudaEventCreate(&end);
    cudaEventRecord(start, stream);
    warps<<<1, 32, 0, stream>>>(i);
    cudaEventRecord(end, stream);
    float ms = 0;
    WANT(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
    WANT(ms > 0 && ms < 1, true);
    size_t left, all;
    cudaMemGetInfo(&left, &all);
    WANT(left < all, true);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
