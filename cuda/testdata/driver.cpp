// A program that loads PTX itself, from a file and from text.
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda.h>
#include "api.h"

int wrong;

static const char text[] = R"(
.version 6.4
.target sm_60
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 data, .param .u32 n) {
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @%p ret;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3];
    ld.global.u32 %r4, [factor];
    mul.lo.u32 %r5, %r3, %r4;
    st.global.u32 [%rd3], %r5;
    ret;
}
)";

int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context, popped;
    CUmodule module, second, none;
    CUfunction scale, again, missing;
    CUdeviceptr data, factor;
    CUevent start, end;
    size_t bytes, left, total;
    int count = 0, major, minor, value;
    char name[100];
    float ms = 0;

    WANT(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    WANT(cuInit(0), CUDA_SUCCESS);
    WANT(cuDeviceGetCount(&count), CUDA_SUCCESS);
    WANT(count, 1);
    WANT(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    WANT(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    WANT(cuDeviceGetName(name, sizeof name, device), CUDA_SUCCESS);
    WANT(strcmp(name, "test"), 0);
    WANT(cuDeviceTotalMem(&bytes, device), CUDA_SUCCESS);
    WANT(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device), CUDA_SUCCESS);
    WANT(value, 32);
    WANT(cuMemAlloc(&data, 64), CUDA_ERROR_INVALID_CONTEXT);
    WANT(cuCtxCreate(&context, 0, device), CUDA_SUCCESS);
    WANT(cuModuleLoadData(&module, text), CUDA_SUCCESS);
    WANT(cuModuleLoad(&second, argv[1]), CUDA_SUCCESS);
    WANT(cuModuleLoad(&none, "missing.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
    WANT(cuModuleLoadData(&none, "\177ELF"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    char log[100] = "log";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    WANT(cuModuleLoadDataEx(&none, ".version 6.4\n.target sm_60\nnonsense", 2, options, values), CUDA_ERROR_INVALID_PTX);
    WANT(log[0], 0);
    WANT(cuDeviceComputeCapability(&major, &minor, device), CUDA_SUCCESS);
    WANT(major * 10 + minor, 60);
    WANT(cuModuleGetFunction(&scale, module, "scale"), CUDA_SUCCESS);
    WANT(cuModuleGetFunction(&again, second, "scale"), CUDA_SUCCESS);
    WANT(cuModuleGetFunction(&missing, module, "sclae"), CUDA_ERROR_NOT_FOUND);
    WANT(cuModuleGetGlobal(&factor, &bytes, second, "factor"), CUDA_SUCCESS);
    WANT(bytes, sizeof(int));
    WANT(cuMemsetD32(factor, 10, 1), CUDA_SUCCESS);
    WANT(cuModuleGetGlobal(&factor, &bytes, module, "fcator"), CUDA_ERROR_NOT_FOUND);

    std::vector<unsigned> in = {1, 2, 3, 4, 5}, out(5);
    unsigned n = 4;
    WANT(cuMemAlloc(&data, 20), CUDA_SUCCESS);
    WANT(cuMemcpyHtoD(data, in.data(), 20), CUDA_SUCCESS);
    WANT(cuEventCreate(&start, 0), CUDA_SUCCESS);
    WANT(cuEventCreate(&end, 0), CUDA_SUCCESS);
    WANT(cuEventRecord(start, 0), CUDA_SUCCESS);
    void *parameters[] = {&data, &n};
    WANT(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, 0, parameters, 0), CUDA_SUCCESS);
    // The second module has a variable of its own. Its parameters are in a buffer here.
    struct { CUdeviceptr data; unsigned n; } buffer = {data, 5};
    size_t size = sizeof buffer, small = 8;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    WANT(cuLaunchKernel(again, 1, 1, 1, 32, 1, 1, 0, 0, 0, extra), CUDA_SUCCESS);
    WANT(cuEventRecord(end, 0), CUDA_SUCCESS);
    WANT(cuEventElapsedTime(&ms, start, end), CUDA_SUCCESS);
    WANT(ms > 0, true);
    WANT(cuCtxSynchronize(), CUDA_SUCCESS);
    WANT(cuMemcpyDtoH(out.data(), data, 20), CUDA_SUCCESS);
    WANT(out, (std::vector<unsigned>{30, 60, 90, 120, 50}));
    // A piece of PTX that is linked is the same again.
    CUlinkState link;
    CUmodule linked;
    void *image;
    WANT(cuLinkCreate(0, 0, 0, &link), CUDA_SUCCESS);
    WANT(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "missing.ptx", 0, 0, 0), CUDA_ERROR_FILE_NOT_FOUND);
    WANT(cuLinkAddFile(link, CU_JIT_INPUT_PTX, argv[1], 0, 0, 0), CUDA_SUCCESS);
    WANT(cuLinkAddFile(link, CU_JIT_INPUT_PTX, argv[1], 0, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
    WANT(cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
    WANT(cuModuleLoadFatBinary(&linked, image), CUDA_SUCCESS);
    WANT(cuLinkDestroy(link), CUDA_SUCCESS);
    WANT(cuModuleGetFunction(&again, linked, "scale"), CUDA_SUCCESS);
    WANT(cuLaunchCooperativeKernel(again, 1, 1, 1, 32, 1, 1, 0, 0, parameters), CUDA_SUCCESS);
    WANT(cuLaunchCooperativeKernel(again, 1 << 20, 1, 1, 32, 1, 1, 0, 0, parameters), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    WANT(cuMemcpyDtoH(out.data(), data, 20), CUDA_SUCCESS);
    WANT(out, (std::vector<unsigned>{90, 180, 270, 360, 50}));
    WANT(cuModuleGetFunction(&again, second, "scale"), CUDA_SUCCESS);
    WANT(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, device), CUDA_SUCCESS);
    WANT(value, 1);
    extra[3] = &small;
    WANT(cuLaunchKernel(again, 1, 1, 1, 32, 1, 1, 0, 0, 0, extra), CUDA_ERROR_INVALID_VALUE);
    WANT(cuLaunchKernel(scale, 1, 1, 1, 5000, 1, 1, 0, 0, parameters, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, scale), CUDA_SUCCESS);
    WANT(value > 0, true);
    WANT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, scale, 128, 0), CUDA_SUCCESS);
    WANT(value > 0, true);
    CUdeviceptr at;
    WANT(cuMemGetAddressRange(&at, &bytes, data + 8), CUDA_SUCCESS);
    WANT(at, data);
    WANT(bytes, 20u);
    WANT(cuMemsetD16(data, 0x0102, 2), CUDA_SUCCESS);
    WANT(cuMemsetD8(data + 4, 7, 4), CUDA_SUCCESS);
    WANT(cuMemcpyDtoH(out.data(), data, 8), CUDA_SUCCESS);
    WANT(out[0], 0x01020102u);
    WANT(out[1], 0x07070707u);
    WANT(cuMemGetInfo(&left, &total), CUDA_SUCCESS);
    WANT(cuMemFree(data), CUDA_SUCCESS);
    WANT(cuMemFree(data), CUDA_ERROR_INVALID_VALUE);
    const char *told;
    WANT(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &told), CUDA_SUCCESS);
    WANT(strcmp(told, "CUDA_ERROR_NOT_FOUND"), 0);
#define CALL(name) WANT(name(), CUDA_ERROR_NOT_SUPPORTED);
    DIVERGO_MISSING_DRIVER(CALL)
    WANT(cuModuleUnload(second), CUDA_SUCCESS);
    WANT(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    WANT(popped, context);
    WANT(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    WANT(cuCtxDestroy(context), CUDA_SUCCESS);
    // A fault stays.
    WANT(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    WANT(cuCtxSetCurrent(context), CUDA_SUCCESS);
    WANT(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, 0, parameters, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
    WANT(cuMemAlloc(&data, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
