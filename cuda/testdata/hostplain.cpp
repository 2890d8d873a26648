// The same in C++ without kernels.
extern "C" int plain_grows(int x) { return x + 1 > x; }
extern "C" int plain_aliased(int *i, float *f) {
    *i = 1, *f = 2;
    return *i;
}
