// Virtual functions of the device that a class declares and does not define: its table names the function that is called
// in their place while an object is being made.
#include <cstdio>
#include <cstdlib>

struct Shape;
__device__ __noinline__ void seen(Shape *s, int *calls, bool early);

struct Shape {
    int *calls;
    __device__ Shape(int *calls, bool early) : calls(calls) { seen(this, calls, early); }
    __device__ virtual ~Shape() { atomicAdd(calls, 100); }
    __device__ virtual int area() const = 0;
};
__device__ __noinline__ void seen(Shape *s, int *calls, bool early) {
    atomicAdd(calls, 1);
    if (early) atomicAdd(calls, s->area());
}

struct Square : Shape {
    int side;
    __device__ Square(int *calls, int side, bool early) : Shape(calls, early), side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Strip : Shape {
    int length;
    __device__ Strip(int *calls, int length, bool early) : Shape(calls, early), length(length) {}
    __device__ int area() const override { return 2 * length; }
};

__global__ void areas(int *calls, int *out, bool early) {
    const int x = threadIdx.x;
    Shape *s = x % 2 ? (Shape *)new Square(calls, x, early) : new Strip(calls, x, early);
    out[x] = s->area();
    delete s;
}

int main(int count, char **) {
    int *calls, *out, n, of[8];
    cudaMalloc(&calls, 4), cudaMemset(calls, 0, 4), cudaMalloc(&out, sizeof of);
    areas<<<1, 8>>>(calls, out, count > 1);
    cudaMemcpy(of, out, sizeof of, cudaMemcpyDeviceToHost), cudaMemcpy(&n, calls, 4, cudaMemcpyDeviceToHost);
    for (int x : of) printf("%d ", x);
    printf("%d %s\n", n, cudaGetErrorName(cudaGetLastError()));
}
