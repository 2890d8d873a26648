// libcu++: atomics, complex numbers, tuples and the like in kernels and on the host, beside barriers and pipelines.
#include <cstdio>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/barrier>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/ratio>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/version>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>

struct Shared {
    cuda::std::atomic<int> sum;
    cuda::atomic<unsigned int, cuda::thread_scope_device> most;
    cuda::std::atomic<long long> word;
    int plain;
};

template <class T> __host__ __device__ cuda::std::tuple<T, int> halves(T x) { return cuda::std::make_tuple(x / 2, (int)sizeof(T)); }

__global__ void counts(Shared *s, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> first;
    __shared__ cuda::std::barrier<> second;
    __shared__ int squares[64];
    const int x = threadIdx.x;
    if (x == 0) init(&first, blockDim.x), init(&second, blockDim.x);
    __syncthreads();
    s->sum.fetch_add(x, cuda::std::memory_order_relaxed);
    s->most.fetch_max(3u * x);
    s->word.fetch_add(1ll << 40);
    cuda::atomic_ref<int, cuda::thread_scope_device>(s->plain).fetch_sub(2);
    squares[x] = x * x;
    first.arrive_and_wait();
    const cuda::std::array<int, 3> around = {squares[(x + 63) % 64], squares[x], squares[(x + 1) % 64]};
    second.arrive_and_wait();
    int total = 0;
    for (int y : around) total += y;
    // (x + i)^2 = x^2 - 1 + 2xi
    const cuda::std::complex<double> square = cuda::std::complex<double>(x, 1) * cuda::std::complex<double>(x, 1);
    if (square.real() != x * x - 1 || square.imag() != 2 * x) total = -1;
    const cuda::std::tuple<double, int> half = halves(x + 0.0);
    if (cuda::std::get<0>(half) * 2 != x || cuda::std::get<1>(half) != 8) total = -2;
    if (!cuda::std::is_same<cuda::std::remove_reference<int &>::type, int>::value || cuda::std::numeric_limits<short>::max() != 32767) total = -3;
    if (cuda::std::plus<int>()(x, 2) != x + 2 || cuda::std::chrono::milliseconds(3) != cuda::std::chrono::microseconds(3000)) total = -4;
    cuda::std::pair<int, int> p(x, 5);
    cuda::std::swap(p.first, p.second);
    if (p.second != x || cuda::std::popcount(0xf0u) != 4) total = -5;
    out[x] = total;
}

int main() {
    Shared *s, host = {};
    int *out, of[64], wrong = 0;
    cudaMalloc(&s, sizeof host), cudaMalloc(&out, sizeof of), cudaMemset(s, 0, sizeof host);
    counts<<<1, 64>>>(s, out);
    cudaMemcpy((void *)&host, s, sizeof host, cudaMemcpyDeviceToHost), cudaMemcpy(of, out, sizeof of, cudaMemcpyDeviceToHost);
    for (int x = 0; x < 64; x++) wrong += of[x] != (x + 63) % 64 * ((x + 63) % 64) + x * x + (x + 1) % 64 * ((x + 1) % 64);
    host.sum += 4; // 0 + 1 + ... + 63 = 2016
    printf("%d %u %lld %d\n", host.sum.load(), host.most.load(), host.word.load() >> 40, host.plain);
    printf("%g %d wrong\n", cuda::std::get<0>(halves(5.0)), wrong);
}
