// Atomics on every space, fences, barriers.
#include "cuda.h"

KERNEL atomics(int *i, u32 *u, u64 *l, float *f, double *d, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t & 31] = 0;
    __syncthreads();
    int r = __nvvm_atom_add_gen_i(i, t);
    r += __nvvm_atom_xchg_gen_i(i + 1, t) + __nvvm_atom_min_gen_i(i + 2, t) + __nvvm_atom_max_gen_i(i + 3, t);
    r += __nvvm_atom_and_gen_i(i + 4, t) + __nvvm_atom_or_gen_i(i + 5, t) + __nvvm_atom_xor_gen_i(i + 6, t);
    r += __nvvm_atom_cas_gen_i(i + 7, 1, t) + __nvvm_atom_inc_gen_ui(u, 17) + __nvvm_atom_dec_gen_ui(u + 1, 17);
    r += __nvvm_atom_max_gen_ui(u + 2, t) + __nvvm_atom_add_gen_ll((s64 *)l, 1) + __nvvm_atom_cas_gen_ll((s64 *)l + 1, 1, 2);
    r += __nvvm_atom_max_gen_ull(l + 2, t) + (int)__nvvm_atom_add_gen_f(f, 1.5f);
    __nvvm_atom_add_gen_i(&s[t & 31], 1);
    __nvvm_atom_max_gen_i(s, r);
    __atomic_fetch_add(i + 9, 1, __ATOMIC_RELAXED);
    __nvvm_membar_gl();
    __nvvm_membar_cta();
    __nvvm_membar_sys();
    __syncthreads();
    out[t] = r + s[t & 31];
}

KERNEL lock(int *m, int *counter) {
    bool done = false;
    while (!done) {
        if (__nvvm_atom_cas_gen_i(m, 0, 1) == 0) {
            *counter += 1;
            __nvvm_membar_gl();
            __nvvm_atom_xchg_gen_i(m, 0);
            done = true;
        }
    }
}

KERNEL pairs(int *a) {
    __nvvm_bar_sync(1);
    asm volatile("bar.sync 2, 64;");
    asm volatile("bar.arrive 3, 128;");
    asm volatile("red.global.add.u32 [%0], 5;" ::"l"(a));
    asm volatile("red.shared.max.s32 [%0+4], -5;" ::"r"(a[1]));
    asm volatile("{ .reg .pred p, q; setp.lt.s32 p|q, %1, 7; @!q red.global.add.u32 [%0], 1; @p bra L; st.global.u32 [%0+4], 9; L: }" ::"l"(a), "r"(a[0]));
}
