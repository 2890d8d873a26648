// References of PTX that the driver API binds: to an array, to linear memory, to pitched memory; a surface.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include "api.h"

int wrong;

int main(int, char **argv) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction fetch;
    CUtexref image, line, plain;
    CUsurfref screen;
    WANT(cuInit(0), CUDA_SUCCESS);
    WANT(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    WANT(cuCtxCreate(&context, 0, device), CUDA_SUCCESS);
    WANT(cuModuleLoad(&module, argv[1]), CUDA_SUCCESS);
    WANT(cuModuleGetFunction(&fetch, module, "fetch"), CUDA_SUCCESS);
    WANT(cuModuleGetTexRef(&image, module, "image"), CUDA_SUCCESS);
    WANT(cuModuleGetTexRef(&line, module, "line"), CUDA_SUCCESS);
    WANT(cuModuleGetTexRef(&plain, module, "plain"), CUDA_SUCCESS);
    WANT(cuModuleGetSurfRef(&screen, module, "screen"), CUDA_SUCCESS);

    // Filter, modes and coordinates are what the PTX says: bytes from 0 to 1, between the texels of row 1 and those beside it.
    const unsigned char raw[2][4] = {{0, 51, 102, 153}, {204, 255, 0, 51}};
    CUDA_ARRAY_DESCRIPTOR d = {4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUarray array, pixels;
    WANT(cuArrayCreate(&array, &d), CUDA_SUCCESS);
    WANT(cuMemcpyHtoA(array, 0, raw, 8), CUDA_SUCCESS);
    WANT(cuTexRefSetArray(image, array, CU_TRSA_OVERRIDE_FORMAT), CUDA_SUCCESS);

    const unsigned short words[8] = {7, 65535, 9, 10, 11, 12, 13, 14};
    CUdeviceptr memory, out;
    size_t offset;
    WANT(cuMemAlloc(&memory, 256), CUDA_SUCCESS);
    WANT(cuMemcpyHtoD(memory, words, sizeof words), CUDA_SUCCESS);
    WANT(cuTexRefSetFormat(line, CU_AD_FORMAT_UNSIGNED_INT16, 1), CUDA_SUCCESS);
    WANT(cuTexRefSetFlags(line, CU_TRSF_READ_AS_INTEGER), CUDA_SUCCESS);
    WANT(cuTexRefSetAddress(&offset, line, memory, 12), CUDA_SUCCESS);

    const float floats[2][3] = {{1, 2, 3}, {4, 5, 6}};
    CUDA_ARRAY_DESCRIPTOR f = {3, 2, CU_AD_FORMAT_FLOAT, 1};
    WANT(cuMemcpyHtoD(memory + 64, floats[0], 12), CUDA_SUCCESS);
    WANT(cuMemcpyHtoD(memory + 96, floats[1], 12), CUDA_SUCCESS);
    WANT(cuTexRefSetAddress2D(plain, &f, memory + 64, 32), CUDA_SUCCESS);

    CUDA_ARRAY3D_DESCRIPTOR s = {};
    s.Width = 8, s.Height = 3, s.Format = CU_AD_FORMAT_UNSIGNED_INT32, s.NumChannels = 2, s.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    WANT(cuArray3DCreate(&pixels, &s), CUDA_SUCCESS);
    WANT(cuSurfRefSetArray(screen, pixels, 0), CUDA_SUCCESS);

    WANT(cuMemAlloc(&out, 8 * 16), CUDA_SUCCESS);
    void *args[] = {&out};
    WANT(cuLaunchKernel(fetch, 1, 1, 1, 8, 1, 1, 0, 0, args, 0), CUDA_SUCCESS);
    struct { float image; unsigned line; float plain; unsigned query; } seen[8];
    WANT(cuMemcpyDtoH(seen, out, sizeof seen), CUDA_SUCCESS);
    unsigned stored[8][2];
    WANT(cuMemcpyAtoH(stored, pixels, 8 * 8, sizeof stored), CUDA_SUCCESS);
    for (unsigned i = 0; i < 8; i++) {
        // x is 4 i / 8 - 1/2 and goes round, y is 2 * 3/8 - 1/2 = 1/4.
        const float x = i / 2.0f - 0.5f, share = x - floorf(x);
        const int a = ((int)floorf(x) + 4) % 4, b = (a + 1) % 4;
        float rows[2];
        for (int y = 0; y < 2; y++) rows[y] = ((1 - share) * raw[y][a] + share * raw[y][b]) / 255;
        WANT(fabsf(seen[i].image - (0.75f * rows[0] + 0.25f * rows[1])) < 1e-6f, true);
        WANT(seen[i].line, (i < 6 ? words[i] : 0));
        WANT(seen[i].plain, floats[i < 1 ? 0 : 1][i < 2 ? i : 2]);
        WANT(seen[i].query, 411); // 4 texels, linear, mirrored
        WANT(stored[i][0], 411);
        WANT(stored[i][1], i);
    }
    WANT(cuModuleUnload(module), CUDA_SUCCESS);
    printf("%d wrong\n", wrong);
}
