// Functions that call themselves, one another and through pointers.
#define FUNCTION __device__ __attribute__((noinline))

FUNCTION int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

// Both sides of a branch recurse, to a depth of the thread's own.
FUNCTION int ack(int m, int n) {
  if (m == 0) return n + 1;
  int k = 1;
  if (n > 0) k = ack(m, n - 1) & 3;
  return ack(m - 1, k);
}

KERNEL numbers(int *out) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  int sum = 0;
  for (int i = 0; i < (t & 3); i++)
    if (t & 4) sum += fib(t % 7 + i); else sum -= ack(i, t % 4);
  out[t] = sum;
}

struct Box { int key; double weight; char name[5]; };

FUNCTION Box grow(Box b, int by) {
  b.key += by;
  b.weight *= 2;
  b.name[by & 3] = (char)by;
  return b;
}

// A local array whose address is taken, and an early return from a loop.
FUNCTION int search(const int *list, int n, int key) {
  int seen[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; i++) {
    seen[list[i] & 3] += i;
    if (list[i] == key) return seen[key & 3] * 100 + i;
  }
  return -seen[n & 3];
}

KERNEL structs(int *out, const int *list) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  Box b = {t, 0.5 * t, {1, 2, 3, 4, 5}};
  if (t & 1) b = grow(b, t);
  b = grow(b, 7);
  out[t] = b.key + (int)(b.weight * 4) + b.name[t % 5] + search(list, 16, t % 24);
}

typedef int (*Function)(int, int);
FUNCTION int even(int n, int sum);
FUNCTION int odd(int n, int sum);
__constant__ Function parity[2] = {even, odd};
FUNCTION int even(int n, int sum) { return n == 0 ? sum : parity[n - 1 & 1](n - 1, sum + n); }
FUNCTION int odd(int n, int sum) { return n == 0 ? -sum : parity[n - 1 & 1](n - 1, sum * 3); }

KERNEL pointers(int *out) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  Function f = t % 3 ? even : odd;
  out[t] = f(t % 9, 1) + parity[t & 1](2, t);
}
