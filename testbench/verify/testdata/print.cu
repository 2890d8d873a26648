// Threads that print, on both sides of a branch, in a loop and in a recursion.
#define FUNCTION __device__ __attribute__((noinline))

FUNCTION int down(int t, int n) {
  if (n == 0) return printf("%d is down, %%\n", t);
  printf("%*d: %6.2f\n", n, t, 0.25 * n * t);
  return 1 + down(t, n - 1);
}

__constant__ const char *const names[2] = {"even", "odd"};

KERNEL speak(int *out) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  int r;
  if (t % 3 == 0)
    r = down(t, t % 5);
  else
    r = printf("%c %s %llx %u\n", 'a' + t % 26, names[t & 1], (long long)t << 40, t);
  for (int i = 0; i < (t & 3); i++) r += printf("again\n");
  out[t] = r;
}
