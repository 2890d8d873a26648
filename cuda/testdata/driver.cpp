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
    // Streams.
    CUstream stream;
    CUcontext of_stream = 0;
    unsigned int stream_flags = 7;
    unsigned long long stream_id = 0, null_id = 0;
    value = 7;
    WANT(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0), CUDA_SUCCESS);
    WANT(cuStreamGetPriority(stream, &value), CUDA_SUCCESS);
    WANT(value, 0);
    WANT(cuStreamGetFlags(stream, &stream_flags), CUDA_SUCCESS);
    WANT(stream_flags, CU_STREAM_NON_BLOCKING);
    WANT(cuStreamGetCtx(stream, &of_stream), CUDA_SUCCESS);
    WANT(of_stream, context);
    WANT(cuStreamGetId(stream, &stream_id), CUDA_SUCCESS);
    WANT(cuStreamGetId(0, &null_id), CUDA_SUCCESS);
    WANT(stream_id != null_id, true);
    WANT(cuStreamDestroy(stream), CUDA_SUCCESS);
    // A launch as it was before CUDA 4.
    WANT(cuFuncSetBlockShape(scale, 32, 1, 1), CUDA_SUCCESS);
    WANT(cuFuncSetSharedSize(scale, 16), CUDA_SUCCESS);
    WANT(cuMemsetD32(data, 7, 5), CUDA_SUCCESS);
    WANT(cuLaunchGrid(scale, 1, 1), CUDA_ERROR_INVALID_VALUE); // no parameters
    WANT(cuParamSetv(scale, 0, &data, sizeof data), CUDA_SUCCESS);
    WANT(cuParamSeti(scale, 8, 3), CUDA_SUCCESS);
    WANT(cuParamSetf(scale, 12, 1), CUDA_ERROR_INVALID_VALUE);
    WANT(cuParamSetSize(scale, 12), CUDA_SUCCESS);
    WANT(cuParamSetSize(scale, 16), CUDA_ERROR_INVALID_VALUE);
    WANT(cuLaunchGrid(scale, 1, 1), CUDA_SUCCESS);
    WANT(cuMemcpyDtoH(out.data(), data, 20), CUDA_SUCCESS);
    WANT(out, (std::vector<unsigned>{21, 21, 21, 7, 7}));

    // Rows of pitched memory, of arrays, and planes.
    CUdeviceptr rows;
    size_t pitch;
    WANT(cuMemAllocPitch(&rows, &pitch, 12, 4, 4), CUDA_SUCCESS);
    WANT(cuMemsetD2D32(rows, pitch, 5, 3, 4), CUDA_SUCCESS);
    WANT(cuMemsetD2D16(rows + pitch + 4, pitch, 6, 4, 2), CUDA_SUCCESS); // the last two words of the rows between
    CUarray flat, deep;
    CUDA_ARRAY_DESCRIPTOR plane = {3, 4, CU_AD_FORMAT_SIGNED_INT32, 1}, got;
    CUDA_ARRAY3D_DESCRIPTOR box = {3, 2, 2, CU_AD_FORMAT_UNSIGNED_INT16, 2, 0}, gotBox;
    WANT(cuArrayCreate(&flat, &plane), CUDA_SUCCESS);
    WANT(cuArray3DCreate(&deep, &box), CUDA_SUCCESS);
    WANT(cuArrayGetDescriptor(&got, flat), CUDA_SUCCESS);
    WANT(got.Width == 3 && got.Height == 4 && got.Format == CU_AD_FORMAT_SIGNED_INT32 && got.NumChannels == 1, true);
    WANT(cuArray3DGetDescriptor(&gotBox, deep), CUDA_SUCCESS);
    WANT(gotBox.Depth == 2 && gotBox.Format == CU_AD_FORMAT_UNSIGNED_INT16 && gotBox.NumChannels == 2, true);
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = rows, copy.srcPitch = pitch, copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = flat;
    copy.WidthInBytes = 12, copy.Height = 4;
    WANT(cuMemcpy2D(&copy), CUDA_SUCCESS);
    std::vector<unsigned> back(12, 1), want = {5, 5, 5, 5, 0x60006, 0x60006, 5, 0x60006, 0x60006, 5, 5, 5};
    WANT(cuMemcpyAtoH(back.data(), flat, 0, 48), CUDA_SUCCESS);
    WANT(back, want);
    // Of the array, from the second word of its second row on, into two planes of the box, and back.
    CUDA_MEMCPY3D cube = {};
    cube.srcMemoryType = CU_MEMORYTYPE_HOST, cube.srcHost = want.data(), cube.srcPitch = 12, cube.srcHeight = 2;
    cube.dstMemoryType = CU_MEMORYTYPE_ARRAY, cube.dstArray = deep, cube.WidthInBytes = 12, cube.Height = 2, cube.Depth = 2;
    want = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22};
    WANT(cuMemcpy3D(&cube), CUDA_SUCCESS);
    CUDA_MEMCPY3D part = {};
    part.srcMemoryType = CU_MEMORYTYPE_ARRAY, part.srcArray = deep, part.srcXInBytes = 4, part.srcY = 1, part.srcZ = 1;
    part.dstMemoryType = CU_MEMORYTYPE_HOST, part.dstHost = back.data(), part.WidthInBytes = 8, part.Height = part.Depth = 1;
    WANT(cuMemcpy3D(&part), CUDA_SUCCESS);
    WANT(back[0] == 21 && back[1] == 22, true);
    copy.srcMemoryType = (CUmemorytype)9;
    WANT(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);

    // Textures: an object, a reference to an array, and one to linear memory. Bytes are read from 0 to 1 unless the flag says otherwise.
    CUmodule textures;
    CUfunction fetch;
    CUtexref reference, line, no;
    CUarray image8;
    CUDA_ARRAY_DESCRIPTOR bytes8 = {4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    const unsigned char raw[8] = {0, 51, 102, 153, 204, 255, 0, 51};
    WANT(cuModuleLoad(&textures, argv[2]), CUDA_SUCCESS);
    WANT(cuModuleGetFunction(&fetch, textures, "fetch"), CUDA_SUCCESS);
    WANT(cuModuleGetTexRef(&reference, textures, "image"), CUDA_SUCCESS);
    WANT(cuModuleGetTexRef(&line, textures, "line"), CUDA_SUCCESS);
    WANT(cuModuleGetTexRef(&no, textures, "iamge"), CUDA_ERROR_NOT_FOUND);
    WANT(cuArrayCreate(&image8, &bytes8), CUDA_SUCCESS);
    WANT(cuMemcpyHtoA(image8, 0, raw, 8), CUDA_SUCCESS);
    WANT(cuTexRefSetArray(reference, image8, CU_TRSA_OVERRIDE_FORMAT), CUDA_SUCCESS);
    WANT(cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_WRAP), CUDA_SUCCESS);
    WANT(cuTexRefSetAddressMode(reference, 1, CU_TR_ADDRESS_MODE_WRAP), CUDA_SUCCESS);
    WANT(cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_LINEAR), CUDA_SUCCESS);
    WANT(cuTexRefSetFlags(reference, CU_TRSF_NORMALIZED_COORDINATES), CUDA_SUCCESS);
    WANT(cuTexRefSetFormat(line, CU_AD_FORMAT_UNSIGNED_INT32, 1), CUDA_SUCCESS);
    WANT(cuTexRefSetFlags(line, CU_TRSF_READ_AS_INTEGER), CUDA_SUCCESS);
    WANT(cuTexRefSetAddress(&bytes, line, data, 20), CUDA_SUCCESS);
    CUtexObject object;
    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC how = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = image8;
    how.flags = CU_TRSF_READ_AS_INTEGER;
    WANT(cuTexObjectCreate(&object, &resource, &how, 0), CUDA_SUCCESS);
    WANT(cuMemAlloc(&rows, 48), CUDA_SUCCESS);
    void *fetched[] = {&object, &rows};
    WANT(cuLaunchKernel(fetch, 1, 1, 1, 4, 1, 1, 0, 0, fetched, 0), CUDA_SUCCESS);
    float seen[12];
    WANT(cuMemcpyDtoH(seen, rows, 48), CUDA_SUCCESS);
    for (int i = 0; i < 4; i++) {
        WANT(seen[i], (float)raw[4 + i]);
        // Between the texel and the one before it in its row, which goes round.
        WANT(seen[4 + i] - (raw[4 + i] + raw[4 + (i + 3) % 4]) / 510.0f < 1e-6f && (raw[4 + i] + raw[4 + (i + 3) % 4]) / 510.0f - seen[4 + i] < 1e-6f, true);
        WANT(seen[8 + i], (i < 3 ? 21 : 7));
    }
    WANT(cuTexObjectDestroy(object), CUDA_SUCCESS);
    WANT(cuArrayDestroy(image8), CUDA_SUCCESS);
    WANT(cuPointerGetAttribute(&at, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, data), CUDA_SUCCESS);
    WANT(at, data);
    int grid, block;
    WANT(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0, 256), CUDA_SUCCESS);
    WANT(grid > 0 && block == 256, true);
    WANT(cuMemGetInfo(&left, &total), CUDA_SUCCESS);
    WANT(cuMemFree(data), CUDA_SUCCESS);
    WANT(cuMemFree(data), CUDA_ERROR_INVALID_VALUE);
    const char *told;
    WANT(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &told), CUDA_SUCCESS);
    WANT(strcmp(told, "CUDA_ERROR_NOT_FOUND"), 0);
    WANT(cuGetErrorString(CUDA_ERROR_CONTEXT_IS_DESTROYED, &told), CUDA_SUCCESS);
    WANT(strcmp(told, "context is destroyed"), 0);
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
