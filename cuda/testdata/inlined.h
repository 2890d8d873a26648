// A header of the user's: its line is the one that is told.
static __device__ int fromHeader(int *p) {
    atomicMax(p + 1000000, 7); // HERE 5
    return 2;
}
