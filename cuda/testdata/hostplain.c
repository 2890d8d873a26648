// The same in C.
int c_grows(int x) { return x + 1 > x; }
int c_aliased(int *i, float *f) {
    *i = 1, *f = 2;
    return *i;
}
