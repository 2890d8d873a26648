// OpenCL C: address spaces, work-item functions, vectors.
int get_local_id_x(void) __asm("llvm.nvvm.read.ptx.sreg.tid.x");
int get_group_id_x(void) __asm("llvm.nvvm.read.ptx.sreg.ctaid.x");
int get_local_size_x(void) __asm("llvm.nvvm.read.ptx.sreg.ntid.x");

constant float filter[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

kernel void blur(global const float *in, global float *out, local float *tile, int n) {
    int l = get_local_id_x();
    int i = get_group_id_x() * get_local_size_x() + l;
    tile[l] = i < n ? in[i] : 0.0f;
    __nvvm_bar_sync(0);
    float sum = 0;
    for (int k = 0; k < 5; k++) {
        int at = l + k - 2;
        if (at >= 0 && at < get_local_size_x()) sum += filter[k] * tile[at];
    }
    if (i < n) out[i] = sum;
}

kernel void pack(global const float4 *a, global uchar4 *b, global ushort2 *c) {
    int i = get_local_id_x();
    float4 v = a[i];
    b[i] = (uchar4)(v.x, v.y, v.z, v.w);
    c[i] = (ushort2)(v.x, v.w);
}

__attribute__((reqd_work_group_size(16, 8, 2))) kernel void sized(global int *a) { a[get_local_id_x()] += 1; }
