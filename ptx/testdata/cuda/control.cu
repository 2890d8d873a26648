// Control flow as it comes: goto, switch, several exits, shared tails.
#include "cuda.h"

KERNEL branches(const int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], sum = 0;
    for (int k = 0; k < x; k++) {
        if (a[k] == 3) continue;
        if (a[k] < 0) goto out;
        for (int j = k; j < n; j++) {
            if (a[j] == x) break;
            sum += a[j];
            if (sum > 1000) goto out;
        }
    }
    b[i] = sum;
    return;
out:
    b[i] = -sum;
}

KERNEL cases(const int *a, float *b) {
    int i = threadIdx.x;
    float f = b[i];
    switch (a[i]) {
    case 0: f = f * f; break;
    case 1: f = f + 1;
    case 2: f = f * 3; break;
    case 5: if (f > 2) { f = 0; break; } return;
    case 9: while (f < 100) f = f * 2; break;
    default: f = -f;
    }
    b[i] = f;
}

KERNEL shortcircuit(const int *a, const int *b, int *c, int n) {
    int i = threadIdx.x;
    if ((a[i] > 3 && b[i] < 7) || (a[i] == b[i + 1] && c[i] != n)) c[i] = 1;
    else if (a[i] && !b[i]) c[i] = 2;
    do {
        if (c[i] & 1) { c[i] /= 2; if (c[i] == 0) return; }
        else c[i] = c[i] * 3 + 1;
    } while (c[i] < n);
}
