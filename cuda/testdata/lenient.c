/* C as it was written before functions had to be declared. GCC 12 warns. */
typedef int (*function)(int);
static int half(float x) { return (int)(x / 2); }
static calls;
helper(a) { calls++; return a + 1; }
int checked(int n) {
    function f = half;
    char *address = n;
    if (n > 100) return;
    return helper(n) + later(n) + (f == 0) + (address == 0);
}
int later(int n) { return 10 * n; }
