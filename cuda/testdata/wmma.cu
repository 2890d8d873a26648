// Matrices that a warp multiplies, in each type, shape and layout, against sums on the host.
#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <mma.h>
#include "api.h"

using namespace nvcuda;
int wrong;

// How matrices lie in memory: with gaps behind their rows or columns.
constexpr int gap = 3;

template <class T> struct matrix {
    T *at;
    int rows, columns;
    bool row_major;
    matrix(int rows, int columns, bool row_major) : rows(rows), columns(columns), row_major(row_major) { cudaMallocManaged(&at, rows * columns * 2 * sizeof(T)); }
    ~matrix() { cudaFree(at); }
    int stride() const { return (row_major ? columns : rows) + gap; }
    T &operator()(int r, int c) { return at[row_major ? r * stride() + c : c * stride() + r]; }
};

template <class T> struct stored { typedef T type; };
template <> struct stored<wmma::precision::tf32> { typedef float type; };

// D = alpha * (A * B + C) + beta * C, of which alpha and beta are computed where the elements are.
template <int M, int N, int K, class T, class LA, class LB, class C, class D>
__global__ void multiply(const typename stored<T>::type *a, int lda, const typename stored<T>::type *b, int ldb, const C *c, int ldc, wmma::layout_t of_c, D *d, int ldd, wmma::layout_t of_d, int alpha, int beta, bool satf) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::fragment<wmma::accumulator, M, N, K, D> fd;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, ldc, of_c);
    wmma::mma_sync(fd, fa, fb, fc, satf);
    for (int i = 0; i < fd.num_elements; i++) fd.x[i] = (D)alpha * fd.x[i] + (D)beta * (D)fc.x[i];
    wmma::store_matrix_sync(d, fd, ldd, of_d);
}

// Small numbers that T has, positive and negative ones where there are such, of which sums are exact.
template <class T> T number(int i) { return (T)(float)(std::numeric_limits<T>::is_integer ? (i * 37 & 255) - (std::numeric_limits<T>::is_signed ? 128 : 0) : (i * 37 % 64 - 32) / 8.0); }

template <int M, int N, int K, class T, class C, class D, class LA, class LB> void layouts(const char *what) {
    typedef typename stored<T>::type S;
    for (int order = 0; order < 4; order++) {
        matrix<S> a(M, K, std::is_same<LA, wmma::row_major>::value), b(K, N, std::is_same<LB, wmma::row_major>::value);
        matrix<C> c(M, N, order & 1);
        matrix<D> d(M, N, order & 2);
        int i = 0;
        for (int m = 0; m < M; m++)
            for (int k = 0; k < K; k++) a(m, k) = number<S>(i++);
        for (int k = 0; k < K; k++)
            for (int n = 0; n < N; n++) b(k, n) = number<S>(7 * i++);
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++) c(m, n) = (C)(i++ % 100 - 50);
        auto layout = [](bool row_major) { return row_major ? wmma::mem_row_major : wmma::mem_col_major; };
        multiply<M, N, K, T, LA, LB><<<1, 32>>>(a.at, a.stride(), b.at, b.stride(), c.at, c.stride(), layout(c.row_major), d.at, d.stride(), layout(d.row_major), 2, -1, false);
        WANT(cudaDeviceSynchronize(), cudaSuccess);
        int differ = 0;
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++) {
                double sum = (double)(float)c(m, n);
                for (int k = 0; k < K; k++) sum += (double)(float)a(m, k) * (double)(float)b(k, n);
                differ += (double)(float)d(m, n) != (double)(float)(D)(2 * (double)(float)(D)sum - (double)(float)c(m, n));
            }
        if (differ > 0) printf("%s %dx%dx%d, order %d: %d elements differ\n", what, M, N, K, order, differ), wrong++;
    }
}

template <int M, int N, int K, class T, class C, class D> void shape(const char *what) {
    layouts<M, N, K, T, C, D, wmma::row_major, wmma::col_major>(what);
    layouts<M, N, K, T, C, D, wmma::col_major, wmma::row_major>(what);
}

template <class T, class C, class D> void shapes(const char *what) {
    shape<16, 16, 16, T, C, D>(what);
    shape<32, 8, 16, T, C, D>(what);
    shape<8, 32, 16, T, C, D>(what);
}

// Elements of which the type has several in a byte: A has rows of bytes one after the other, B columns. AND is what bmma_sync does with bits.
template <int K, class T, bool AND> __global__ void packed(const unsigned *a, const unsigned *b, int *d) {
    namespace experimental = wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> fd;
    static_assert(fa.num_elements == 8 * K / 32 && fa.num_storage_elements == 1, "as many as a word has");
    wmma::load_matrix_sync(fa, (const int *)a, 2 * K);
    wmma::load_matrix_sync(fb, b, 3 * K);
    wmma::fill_fragment(fd, 5);
    if constexpr (K == 32) wmma::mma_sync(fd, fa, fb, fd);
    else if constexpr (AND) experimental::bmma_sync(fd, fa, fb, fd, experimental::bmmaBitOpAND, experimental::bmmaAccumulateOpPOPC);
    else experimental::bmma_sync(fd, fa, fb, fd);
    wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}

template <int K, class T, bool AND, class F> void bits(F product) {
    const int width = 128 / K;
    unsigned *a, *b;
    int *d, differ = 0;
    cudaMallocManaged(&a, 8 * 2 * 16), cudaMallocManaged(&b, 8 * 3 * 16), cudaMallocManaged(&d, 64 * sizeof *d);
    for (unsigned i = 0; i < 8 * 2 * 4; i++) a[i] = i * 2654435761u;
    for (unsigned i = 0; i < 8 * 3 * 4; i++) b[i] = ~i * 2246822519u;
    packed<K, T, AND><<<1, 32>>>(a, b, d);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    auto element = [&](const unsigned *line, int k) { return (int)(line[k * width / 32] >> k * width % 32 & ((1u << width) - 1)); };
    for (int i = 0; i < 64; i++) {
        int sum = 5;
        for (int k = 0; k < K; k++) sum += product(element(a + i / 8 * 2 * 4, k), element(b + i % 8 * 3 * 4, k));
        differ += d[i] != sum;
    }
    WANT(differ, 0);
}

// Each element of a tile is 16*a*b + c.
template <class T, class C> __global__ void filled(T a, T b, C c, bool satf, C *d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, C> fc;
    wmma::fill_fragment(fa, a), wmma::fill_fragment(fb, b), wmma::fill_fragment(fc, c);
    wmma::mma_sync(fc, fa, fb, fc, satf);
    d[threadIdx.x] = fc.x[0];
}
template <class T, class C> C fill(T a, T b, C c, bool satf) {
    static void *d;
    if (d == 0) cudaMallocManaged(&d, 32 * 8);
    filled<<<1, 32>>>(a, b, c, satf, (C *)d);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    return ((C *)d)[31];
}

// The order of the sums, float by float, and what tf32 leaves out: converted or cut off.
template <bool CONVERT> __global__ void in_order(const float *a, const float *b, float *d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> fd;
    static_assert(std::is_same<decltype(fa)::element_type, wmma::precision::tf32>::value && std::is_same<decltype(fa)::storage_element_type, float>::value, "tf32 is in floats");
    wmma::load_matrix_sync(fa, a, 8);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::fill_fragment(fd, 0.1f);
    if (CONVERT) {
        for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
        for (int i = 0; i < fb.num_elements; i++) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
    }
    wmma::mma_sync(fd, fa, fb, fd);
    wmma::store_matrix_sync(d, fd, 16, wmma::mem_row_major);
}

// Eleven bits of a number; what is left is rounded, halves away from zero, or cut off.
static float eleven(float x, bool convert) {
    const int e = std::ilogb(x) - 10;
    return (float)std::ldexp(convert ? std::round(std::ldexp(x, -e)) : std::trunc(std::ldexp(x, -e)), e);
}

template <bool CONVERT> void order() {
    float *a, *b, *d;
    cudaMallocManaged(&a, 128 * sizeof *a), cudaMallocManaged(&b, 128 * sizeof *b), cudaMallocManaged(&d, 256 * sizeof *d);
    for (int i = 0; i < 128; i++) a[i] = std::ldexp(i % 2 ? 1.2345678f : -(1 + (2 * i + 1) / 2048.f), i % 9 - 4), b[i] = std::ldexp(1.8765432f - i / 128.f, i % 7 - 3);
    in_order<CONVERT><<<1, 32>>>(a, b, d);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    int differ = 0;
    for (int i = 0; i < 256; i++) {
        float sum = 0.1f;
        for (int k = 0; k < 8; k++) sum = std::fma(eleven(a[i / 16 * 8 + k], CONVERT), eleven(b[k * 16 + i % 16], CONVERT), sum);
        differ += d[i] != sum;
    }
    WANT(differ, 0);
}

// A product of larger matrices: four warps of a block have a tile each, of panels in shared memory.
constexpr int size = 32, skew = 8;
__global__ void gemm(const __half *a, const __half *b, float *c, float alpha, float beta) {
    __shared__ __half panels[2][size][16 + skew];
    const int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, before;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < size; k += 16) {
        for (int i = threadIdx.x; i < size * 16; i += blockDim.x) {
            panels[0][i / 16][i % 16] = a[i / 16 * size + k + i % 16];
            panels[1][i / 16][i % 16] = b[i / 16 * size + k + i % 16]; // its columns are one after the other
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, panels[0][row], 16 + skew);
        wmma::load_matrix_sync(fb, panels[1][column], 16 + skew);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    float *tile = c + row * size + column;
    wmma::load_matrix_sync(before, tile, size, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; i++) before.x[i] = alpha * sum.x[i] + beta * before.x[i];
    wmma::store_matrix_sync(tile, before, size, wmma::mem_row_major);
}

static void large() {
    __half *a, *b;
    float *c;
    cudaMallocManaged(&a, size * size * sizeof *a), cudaMallocManaged(&b, size * size * sizeof *b), cudaMallocManaged(&c, size * size * sizeof *c);
    for (int i = 0; i < size * size; i++) a[i] = number<__half>(i), b[i] = number<__half>(3 * i + i / size), c[i] = (float)(i % 11);
    gemm<<<1, 128>>>(a, b, c, 0.5f, 3);
    WANT(cudaGetLastError(), cudaSuccess);
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    int differ = 0;
    for (int i = 0; i < size * size; i++) {
        double sum = 0;
        for (int k = 0; k < size; k++) sum += (double)(float)a[i / size * size + k] * (double)(float)b[i % size * size + k];
        differ += c[i] != 0.5 * sum + 3 * (i % 11);
    }
    WANT(differ, 0);
    int blocks = 0; // of 16 warps, which programs have
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, gemm, 512, 0), cudaSuccess);
    WANT(blocks > 0, true);
}

int main() {
    shapes<__half, float, float>("half");
    layouts<16, 16, 16, __half, float, float, wmma::row_major, wmma::row_major>("half");
    layouts<16, 16, 16, __half, float, float, wmma::col_major, wmma::col_major>("half");
    shapes<__half, __half, __half>("half, sums too");
    layouts<16, 16, 16, __half, float, __half, wmma::row_major, wmma::col_major>("half, of float");
    shapes<__nv_bfloat16, float, float>("bfloat16");
    shapes<signed char, int, int>("signed char");
    shapes<unsigned char, int, int>("unsigned char");
    shape<16, 16, 8, wmma::precision::tf32, float, float>("tf32");
    shape<8, 8, 4, double, double, double>("double");

    namespace precision = wmma::experimental::precision;
    bits<32, precision::u4, false>([](int a, int b) { return a * b; });
    bits<32, precision::s4, false>([](int a, int b) { return (a - a / 8 * 16) * (b - b / 8 * 16); });
    bits<128, precision::b1, false>([](int a, int b) { return a != b; });
    bits<128, precision::b1, true>([](int a, int b) { return a && b; });

    const float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
    WANT(((float)fill<__half, __half>(300, 300, 0, false)), infinity);
    WANT(((float)fill<__half, __half>(300, 300, 0, true)), 65504);
    WANT(((float)fill<__half, __half>(300, -300, 0, true)), -65504);
    WANT(((float)fill<__half, __half>(infinity, 0, 0, true)), 0);
    WANT(((float)fill<__half, __half>(2, 3, 4, true)), 100);
    WANT((fill<__half, float>(infinity, 1, 0, true)), most);
    WANT((fill<__half, float>(1, -infinity, 0, true)), -most);
    WANT((fill<__half, float>(1, -infinity, 0, false)), -infinity);
    const int top = std::numeric_limits<int>::max(), bottom = std::numeric_limits<int>::min();
    WANT((fill<signed char, int>(-128, -128, top, true)), top);
    WANT((fill<signed char, int>(-128, -128, top, false)), bottom + 16 * 128 * 128 - 1);
    WANT((fill<signed char, int>(-128, 127, bottom, true)), bottom);
    WANT((fill<unsigned char, int>(255, 255, -7, true)), 16 * 255 * 255 - 7);
    order<true>();
    order<false>();
    large();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
