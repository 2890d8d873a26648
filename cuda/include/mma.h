// Matrices that a warp multiplies together (CUDA C++ Programming Guide, warp matrix functions). There is no matrix unit: a
// warp exchanges its parts of A and B by shuffles, and each thread computes its own elements of D.
//
// Which thread holds what is left open by CUDA. Here the 32 lanes are a grid of 8 rows and 4 columns, or of 4 rows and 8
// columns where N is larger than M. A lane in row p and column q of the grid has the elements of C and D in rows p, p + 8
// and so on and in columns q, q + 4 and so on. It needs these rows of A and these columns of B, of which the lanes of its row
// and of its column hold equal parts.
//
// Nor does CUDA say in which order and precision the products are added. It is that of mma here (isa/exec_mma.go): an element
// begins with that of C, to which the products are added in the order of k. Those of __half, __nv_bfloat16 and tf32 are exact,
// and each sum is rounded to float, whatever C and D are; double is a chain of fma; integers are exact, and wrap in the end.
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace nvcuda {
namespace wmma {

#define DIVERGO_WMMA static __device__ __forceinline__

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

namespace divergo {

// How elements are added up: sums begin with C, and are converted to D in the end.
template <class Sum> struct floats {
    DIVERGO_WMMA Sum begin(Sum c) { return c; }
    DIVERGO_WMMA float add(float a, float b, float sum) { return __builtin_fmaf(a, b, sum); }
    DIVERGO_WMMA double add(double a, double b, double sum) { return __builtin_fma(a, b, sum); }
    DIVERGO_WMMA Sum largest(__half) { return 65504; }
    DIVERGO_WMMA Sum largest(float) { return __FLT_MAX__; }
    DIVERGO_WMMA Sum largest(double) { return __DBL_MAX__; }
    // satf: infinities become the largest numbers, and NaN 0.
    template <class D> DIVERGO_WMMA D end(Sum, Sum sum, bool satf) {
        const D d = (D)sum;
        if (!satf) return d;
        const Sum x = d, most = largest(d);
        return (D)(x != x ? 0 : x > most ? most : x < -most ? -most : x);
    }
};

// Of tf32 the low 13 bits of a float do not count.
struct tf32s : floats<float> {
    DIVERGO_WMMA float cut(float x) { return __uint_as_float(__float_as_uint(x) & ~0x1fffu); }
    DIVERGO_WMMA float add(float a, float b, float sum) { return __builtin_fmaf(cut(a), cut(b), sum); }
};

// Products of 16 or 32 integers are added up without C, which may be anything.
struct integers {
    DIVERGO_WMMA int begin(int) { return 0; }
    DIVERGO_WMMA int add(int a, int b, int sum) { return a * b + sum; }
    template <class D> DIVERGO_WMMA D end(int c, int sum, bool satf) {
        const long long exact = (long long)c + sum;
        return (int)(!satf ? exact : exact > __INT_MAX__ ? __INT_MAX__ : exact < -__INT_MAX__ - 1 ? -__INT_MAX__ - 1 : exact);
    }
};
struct unsigned_fours : integers { // words of eight numbers
    DIVERGO_WMMA int add(unsigned int a, unsigned int b, int sum) {
#pragma unroll
        for (int i = 0; i < 32; i += 4) sum += (int)((a >> i & 15) * (b >> i & 15));
        return sum;
    }
};
struct signed_fours : integers {
    DIVERGO_WMMA int add(int a, int b, int sum) {
#pragma unroll
        for (int i = 0; i < 32; i += 4) sum += ((int)((unsigned int)a << i) >> 28) * ((int)((unsigned int)b << i) >> 28);
        return sum;
    }
};
struct different : integers { // words of 32 bits
    DIVERGO_WMMA int add(unsigned int a, unsigned int b, int sum) { return __popc(a ^ b) + sum; }
};
struct both : integers {
    DIVERGO_WMMA int add(unsigned int a, unsigned int b, int sum) { return __popc(a & b) + sum; }
};

// type says of elements of A and B what they are stored in, how many in one, how they are added up, and what shapes there are.
template <class T> struct type {
    static_assert(sizeof(T *) == 0, "wmma: want A and B of __half, __nv_bfloat16, precision::tf32, double, signed char, unsigned char, or experimental::precision::u4, s4 or b1");
};
template <class T, int Packed, class Arithmetic, int M, int N, int K> struct stored {
    typedef T storage;
    typedef Arithmetic arithmetic;
    static constexpr int packed = Packed;
    static constexpr bool shape(int m, int n, int k) { return m == M && n == N && k == K; }
};
template <class T, class Arithmetic> struct wide : stored<T, 1, Arithmetic, 16, 16, 16> {
    static constexpr bool shape(int m, int n, int k) { return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)); }
};
template <> struct type<__half> : wide<__half, floats<float>> {};
template <> struct type<__nv_bfloat16> : wide<__nv_bfloat16, floats<float>> {};
template <> struct type<signed char> : wide<signed char, integers> {};
template <> struct type<char> : wide<char, integers> {};
template <> struct type<unsigned char> : wide<unsigned char, integers> {};
template <> struct type<precision::tf32> : stored<float, 1, tf32s, 16, 16, 8> {};
template <> struct type<double> : stored<double, 1, floats<double>, 8, 8, 4> {};
template <> struct type<experimental::precision::u4> : stored<unsigned int, 8, unsigned_fours, 8, 8, 32> {};
template <> struct type<experimental::precision::s4> : stored<int, 8, signed_fours, 8, 8, 32> {};
template <> struct type<experimental::precision::b1> : stored<unsigned int, 32, different, 8, 8, 128> {};

// Whether products of T can be added to a C.
template <class T, class C> struct adds { static constexpr bool allowed = false; };
#define DIVERGO_ADDS(T, C) template <> struct adds<T, C> { static constexpr bool allowed = true; };
DIVERGO_ADDS(__half, float)
DIVERGO_ADDS(__half, __half)
DIVERGO_ADDS(__nv_bfloat16, float)
DIVERGO_ADDS(precision::tf32, float)
DIVERGO_ADDS(double, double)
DIVERGO_ADDS(signed char, int)
DIVERGO_ADDS(char, int)
DIVERGO_ADDS(unsigned char, int)
DIVERGO_ADDS(experimental::precision::u4, int)
DIVERGO_ADDS(experimental::precision::s4, int)
#undef DIVERGO_ADDS

template <int M, int N> struct grid {
    static constexpr int rows = N > M ? 4 : 8, columns = 32 / rows;
    DIVERGO_WMMA int row() { return (int)__nvvm_read_ptx_sreg_laneid() / columns; }
    DIVERGO_WMMA int column() { return (int)__nvvm_read_ptx_sreg_laneid() % columns; }
};

// A and B are lines of k, rows of the one and columns of the other. A row, or a column, of the grid has every step-th line; the
// lanes in it have parts of all those lines put together.
template <class Use, int M, int N> struct lines;
template <int M, int N> struct lines<matrix_a, M, N> {
    typedef grid<M, N> lanes;
    static constexpr int step = lanes::rows, count = M / step, parts = lanes::columns, next = 1; // next: from a part's lane to that of the next one
    DIVERGO_WMMA int first() { return lanes::row(); }
    DIVERGO_WMMA int part() { return lanes::column(); }
    DIVERGO_WMMA int holder() { return lanes::row() * parts; } // of the first part
};
template <int M, int N> struct lines<matrix_b, M, N> {
    typedef grid<M, N> lanes;
    static constexpr int step = lanes::columns, count = N / step, parts = lanes::rows, next = lanes::columns;
    DIVERGO_WMMA int first() { return lanes::column(); }
    DIVERGO_WMMA int part() { return lanes::row(); }
    DIVERGO_WMMA int holder() { return lanes::column(); }
};

// Whether elements with consecutive k are consecutive in memory.
template <class Use, class Layout> struct along { static constexpr bool k = false; };
template <class Use> struct along<Use, void> : along<Use, int> {
    static_assert(sizeof(Use *) == 0, "wmma: want row_major or col_major of A and B");
};
template <> struct along<matrix_a, row_major> { static constexpr bool k = true; };
template <> struct along<matrix_b, col_major> { static constexpr bool k = true; };

// fetch gets elements of a line from k on, as many as a word has and one at least, from the lane that holds them.
template <class Lines, int Depth, int Some, class T, int Size> DIVERGO_WMMA void fetch(T (&to)[Some], const T (&x)[Size], int line, int k) {
    const int at = line * Depth + k, from = Lines::holder() + at / Size * Lines::next;
    constexpr int count = (int)sizeof to / 4;
    int words[count];
    __builtin_memcpy(words, &x[at % Size], sizeof to);
#pragma unroll
    for (int i = 0; i < count; i++) words[i] = __shfl_sync(~0u, words[i], from);
    __builtin_memcpy(to, words, sizeof to);
}

// All sums go on at a time, so that no element is fetched long before it is used, or twice.
template <class Arithmetic, class D, class A, class B, class C> DIVERGO_WMMA void multiply(D &d, const A &a, const B &b, const C &c, bool satf) {
    int threads; // warpSize is always 32
    asm("mov.u32 %0, WARP_SZ;" : "=r"(threads));
    if (threads != 32) __assert_fail("warps have 32 threads", "mma.h", __LINE__, "wmma::mma_sync");
    typedef typename A::storage_element_type T;
    constexpr int rows = A::lines::count, columns = B::lines::count, some = sizeof(T) < sizeof(int) ? sizeof(int) / sizeof(T) : 1;
    decltype(Arithmetic::begin(c.x[0])) sums[rows * columns];
#pragma unroll
    for (int i = 0; i < rows * columns; i++) sums[i] = Arithmetic::begin(c.x[i]);
#pragma unroll
    for (int k = 0; k < A::depth; k += some) {
        T of_a[rows][some], of_b[columns][some];
#pragma unroll
        for (int i = 0; i < rows; i++) fetch<typename A::lines, A::depth>(of_a[i], a.x, i, k);
#pragma unroll
        for (int i = 0; i < columns; i++) fetch<typename B::lines, A::depth>(of_b[i], b.x, i, k);
#pragma unroll
        for (int j = 0; j < some; j++)
#pragma unroll
            for (int i = 0; i < rows * columns; i++) sums[i] = Arithmetic::add(of_a[i / columns][j], of_b[i % columns][j], sums[i]);
    }
#pragma unroll
    for (int i = 0; i < rows * columns; i++) d.x[i] = Arithmetic::template end<typename D::element_type>(c.x[i], sums[i], satf);
}
}

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
    typedef divergo::type<T> type;
    static_assert(type::shape(M, N, K), "wmma: there is no such shape of this type; 16x16x16, 32x8x16 and 8x32x16 are of 8 and 16 bits, 16x16x8 of tf32, 8x8x4 of double, 8x8x32 of 4 bits, 8x8x128 of 1 bit");

  public:
    typedef T element_type;
    typedef typename type::storage storage_element_type;
    typedef divergo::lines<Use, M, N> lines;
    static constexpr bool along_k = divergo::along<Use, Layout>::k;
    static_assert(along_k || type::packed == 1, "wmma: A of less than 8 bits is row_major, and B col_major");
    enum { packed = type::packed, depth = K / packed, num_storage_elements = lines::count * depth / lines::parts, num_elements = num_storage_elements * packed };
    storage_element_type x[num_storage_elements];
};

template <int M, int N, int K, class T> class fragment<accumulator, M, N, K, T> {
    typedef divergo::grid<M, N> lanes;
    enum { across = N / lanes::columns };

  public:
    typedef T element_type;
    typedef T storage_element_type;
    enum { num_elements = M * N / 32, num_storage_elements = num_elements };
    T x[num_elements];

    // Where an element of this lane is.
    DIVERGO_WMMA size_t place(int i, unsigned int ldm, layout_t layout) {
        const size_t row = lanes::row() + i / across * lanes::rows, column = lanes::column() + i % across * lanes::columns;
        return layout == mem_row_major ? row * ldm + column : column * ldm + row;
    }
};

// The stride ldm is in elements, and so are addresses but those of elements of less than 8 bits.
template <class Use, int M, int N, int K, class T, class Layout>
DIVERGO_WMMA void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &a, const typename divergo::type<T>::storage *from, unsigned int ldm) {
    typedef fragment<Use, M, N, K, T, Layout> F;
    typedef typename F::lines lines;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < F::num_storage_elements; i++) {
        const int at = lines::part() * F::num_storage_elements + i;
        const size_t line = lines::first() + at / F::depth * lines::step, k = at % F::depth, stride = ldm / F::packed;
        a.x[i] = from[F::along_k ? line * stride + k : k * stride + line];
    }
}
#define DIVERGO_PACKED(T)                                                                                                                           \
    template <class Use, int M, int N, int K, class Layout>                                                                                         \
    DIVERGO_WMMA void load_matrix_sync(fragment<Use, M, N, K, experimental::precision::T, Layout> &a, const void *from, unsigned int ldm) {        \
        load_matrix_sync<Use, M, N, K, experimental::precision::T, Layout>(a, (const typename divergo::type<experimental::precision::T>::storage *)from, ldm); \
    }
DIVERGO_PACKED(u4)
DIVERGO_PACKED(s4)
DIVERGO_PACKED(b1)
#undef DIVERGO_PACKED

template <int M, int N, int K, class T>
DIVERGO_WMMA void load_matrix_sync(fragment<accumulator, M, N, K, T> &c, const typename fragment<accumulator, M, N, K, T>::element_type *from, unsigned int ldm, layout_t layout) {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < c.num_elements; i++) c.x[i] = from[c.place(i, ldm, layout)];
}

template <int M, int N, int K, class T>
DIVERGO_WMMA void store_matrix_sync(typename fragment<accumulator, M, N, K, T>::element_type *to, const fragment<accumulator, M, N, K, T> &d, unsigned int ldm, layout_t layout) {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < d.num_elements; i++) to[d.place(i, ldm, layout)] = d.x[i];
}

template <class Use, int M, int N, int K, class T, class Layout>
DIVERGO_WMMA void fill_fragment(fragment<Use, M, N, K, T, Layout> &a, const typename fragment<Use, M, N, K, T, Layout>::storage_element_type &value) {
#pragma unroll
    for (int i = 0; i < a.num_storage_elements; i++) a.x[i] = value;
}

template <int M, int N, int K, class T, class A, class B, class C, class D>
DIVERGO_WMMA void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, A> &a, const fragment<matrix_b, M, N, K, T, B> &b, const fragment<accumulator, M, N, K, C> &c, bool satf = false) {
    static_assert(divergo::adds<T, C>::allowed && divergo::adds<T, D>::allowed, "wmma: products of this type are not added to accumulators of that one");
    divergo::multiply<typename divergo::type<T>::arithmetic>(d, a, b, c, satf);
}

DIVERGO_WMMA void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d, const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a, const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
                            const fragment<accumulator, 8, 8, 128, int> &c, experimental::bmmaBitOp op = experimental::bmmaBitOpXOR, experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    if (op == experimental::bmmaBitOpAND) divergo::multiply<divergo::both>(d, a, b, c, false);
    else divergo::multiply<divergo::different>(d, a, b, c, false);
}
namespace experimental {
using wmma::bmma_sync;
}

// The nearest number with 10 bits behind the point, away from zero where two are (PTX ISA, cvt.rna.tf32).
DIVERGO_WMMA float __float_to_tf32(float x) { return x != x ? x : __uint_as_float((__float_as_uint(x) + 0x1000) & ~0x1fffu); }

#undef DIVERGO_WMMA
}
}
#endif
#endif
