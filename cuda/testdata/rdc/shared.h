typedef int (*Function)(int);
__device__ int twice(int x);
extern __device__ Function functions[2];
template <class T> __global__ void same(T *p) { p[threadIdx.x] = 7 * (T)threadIdx.x; }
int other();
