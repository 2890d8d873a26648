// Memory that is mapped to addresses. Arguments: calls, or what a kernel touches that it must not.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include "api.h"

int wrong;

static const char text[] = R"(
.version 6.4
.target sm_60
.address_size 64
.visible .entry increment(.param .u64 data) {
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r2, [%rd1];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd1], %r2;
    ret;
}
)";

static CUfunction increment;

// launch adds 1 to 32 numbers.
static CUresult launch(CUdeviceptr at) {
    void *parameters[] = {&at};
    return cuLaunchKernel(increment, 1, 1, 1, 32, 1, 1, 0, 0, parameters, 0);
}

static unsigned number(CUdeviceptr at) {
    unsigned n = ~0u;
    WANT(cuMemcpyDtoH(&n, at, 4), CUDA_SUCCESS);
    return n;
}

static size_t left() {
    size_t bytes, total;
    WANT(cuMemGetInfo(&bytes, &total), CUDA_SUCCESS);
    return bytes;
}

int main(int argc, char **argv) {
    const char *what = argv[1];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUmemAllocationProp on_device = {}, got = {};
    CUmemAccessDesc both = {}, none = {}, read = {};
    on_device.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    on_device.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    both.location = none.location = read.location = on_device.location;
    both.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE, read.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    WANT(cuInit(0), CUDA_SUCCESS);
    WANT(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    WANT(cuCtxCreate(&context, 0, device), CUDA_SUCCESS);
    WANT(cuModuleLoadData(&module, text), CUDA_SUCCESS);
    WANT(cuModuleGetFunction(&increment, module, "increment"), CUDA_SUCCESS);

    size_t piece = 0;
    CUdeviceptr at = 0;
    CUmemGenericAllocationHandle first = 0, second = 0, again = 0;
    WANT(cuMemGetAllocationGranularity(&piece, &on_device, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
    WANT(piece > 0 && piece % 4096 == 0, true);
    const size_t before = left();
    WANT(cuMemAddressReserve(&at, 4 * piece, 0, 0, 0), CUDA_SUCCESS);
    WANT(left(), before); // addresses are no memory
    WANT(cuMemCreate(&first, piece, &on_device, 0), CUDA_SUCCESS);
    WANT(cuMemCreate(&second, 2 * piece, &on_device, 0), CUDA_SUCCESS);
    WANT(left(), before - 3 * piece);
    if (strcmp(what, "reserved") == 0) {
        WANT(launch(at), CUDA_ERROR_ILLEGAL_ADDRESS);
        return wrong;
    }
    WANT(cuMemMap(at, piece, 0, first, 0), CUDA_SUCCESS);
    if (strcmp(what, "mapped") == 0) {
        WANT(launch(at), CUDA_ERROR_ILLEGAL_ADDRESS);
        return wrong;
    }
    WANT(cuMemMap(at + piece, 2 * piece, 0, second, 0), CUDA_SUCCESS);
    WANT(cuMemSetAccess(at, 3 * piece, &both, 1), CUDA_SUCCESS);
    if (strcmp(what, "unmapped") == 0) {
        WANT(cuMemUnmap(at, 3 * piece), CUDA_SUCCESS);
        WANT(launch(at), CUDA_ERROR_ILLEGAL_ADDRESS);
        return wrong;
    }
    if (strcmp(what, "denied") == 0) {
        WANT(cuMemSetAccess(at, piece, &none, 1), CUDA_SUCCESS);
        WANT(launch(at + piece), CUDA_SUCCESS);
        WANT(launch(at), CUDA_ERROR_ILLEGAL_ADDRESS);
        return wrong;
    }

    // Memory is zero first, and one piece goes on where the other ends, for kernels and for copies.
    WANT(launch(at + piece - 64), CUDA_SUCCESS);
    WANT(launch(at + piece), CUDA_SUCCESS);
    WANT(number(at + piece - 68), 0u);
    WANT(number(at + piece - 4), 1u);
    WANT(number(at + piece + 60), 2u);
    std::vector<char> pattern(3 * piece), back(3 * piece);
    for (size_t i = 0; i < pattern.size(); i++) pattern[i] = (char)(i * 31 + i / 4096);
    WANT(cuMemcpyHtoD(at, pattern.data(), pattern.size()), CUDA_SUCCESS);
    WANT(cuMemcpyDtoH(back.data(), at, back.size()), CUDA_SUCCESS);
    WANT(back == pattern, true);
    WANT(cuMemsetD8(at + piece - 2, 9, 4), CUDA_SUCCESS);
    pattern[piece - 2] = pattern[piece - 1] = pattern[piece] = pattern[piece + 1] = 9;
    WANT(cuMemcpyDtoH(back.data(), at, back.size() + 1), CUDA_ERROR_INVALID_VALUE); // into what is reserved
    WANT(cuMemcpyHtoD(at + 3 * piece, back.data(), 4), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemFree(at), CUDA_ERROR_INVALID_VALUE);

    // Access, and what is known of an address.
    unsigned long long flags = 7;
    WANT(cuMemGetAccess(&flags, &both.location, at + 5), CUDA_SUCCESS);
    WANT(flags, (unsigned long long)CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    WANT(cuMemGetAccess(&flags, &both.location, at + 3 * piece), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemSetAccess(at, piece, &none, 1), CUDA_SUCCESS);
    WANT(cuMemGetAccess(&flags, &both.location, at), CUDA_SUCCESS);
    WANT(flags, (unsigned long long)CU_MEM_ACCESS_FLAGS_PROT_NONE);
    WANT(cuMemcpyDtoH(back.data(), at, 4), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemcpyDtoH(back.data(), at + piece, 2 * piece), CUDA_SUCCESS);
    WANT(cuMemSetAccess(at, piece, &read, 1), CUDA_ERROR_NOT_SUPPORTED);
    WANT(cuMemSetAccess(at, 2 * piece, &both, 1), CUDA_ERROR_INVALID_VALUE); // a part of the second
    WANT(cuMemSetAccess(at, 4 * piece, &both, 1), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemSetAccess(at, piece, &both, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemSetAccess(at, piece, &both, 1), CUDA_SUCCESS);
    both.location.id = 1;
    WANT(cuMemSetAccess(at, piece, &both, 1), CUDA_ERROR_INVALID_DEVICE);
    both.location.id = 0;
    CUdeviceptr start = 0;
    size_t bytes = 0;
    WANT(cuMemGetAddressRange(&start, &bytes, at + piece + 10), CUDA_SUCCESS);
    WANT(start == at + piece && bytes == 2 * piece, true);
    WANT(cuMemRetainAllocationHandle(&again, (void *)(at + 2 * piece)), CUDA_SUCCESS);
    WANT(again, second);
    WANT(cuMemRetainAllocationHandle(&again, (void *)(at + 3 * piece)), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemGetAllocationPropertiesFromHandle(&got, second), CUDA_SUCCESS);
    WANT(got.type == on_device.type && got.location.type == on_device.location.type && got.location.id == 0, true);
    WANT(cuMemGetAllocationPropertiesFromHandle(&got, 12345), CUDA_ERROR_INVALID_VALUE);

    // What the driver refuses.
    WANT(cuMemMap(at + piece, piece, 0, first, 0), CUDA_ERROR_INVALID_VALUE);           // something is there
    WANT(cuMemMap(at + 3 * piece, piece, 0, first, 0), CUDA_ERROR_NOT_SUPPORTED);       // it is elsewhere
    CUmemGenericAllocationHandle third = 0, no = 0;
    WANT(cuMemCreate(&third, 2 * piece, &on_device, 0), CUDA_SUCCESS);
    WANT(cuMemMap(at + 3 * piece, 2 * piece, 0, third, 0), CUDA_ERROR_INVALID_VALUE);   // beyond what is reserved
    WANT(cuMemMap(at + 3 * piece, piece / 2, 0, third, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemMap(at + 3 * piece + 4096, piece, 0, third, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemMap(at + 3 * piece, piece, piece, third, 0), CUDA_ERROR_INVALID_VALUE);   // an offset
    WANT(cuMemMap(at + 3 * piece, piece, 0, 12345, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemMap(at - piece, piece, 0, third, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemUnmap(at + piece, piece), CUDA_ERROR_INVALID_VALUE);                      // a part
    WANT(cuMemUnmap(at + 2 * piece, piece), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemUnmap(at + 3 * piece, piece), CUDA_ERROR_INVALID_VALUE);                  // nothing is there
    WANT(cuMemAddressFree(at, 4 * piece), CUDA_ERROR_INVALID_VALUE);                    // something is there
    WANT(cuMemAddressReserve(&start, 100, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemAddressReserve(&start, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemAddressReserve(&start, piece, 3 * piece, 0, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemAddressReserve(&start, piece, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemAddressReserve(&start, 1ull << 40, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
    WANT(cuMemCreate(&no, piece + 4096, &on_device, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemCreate(&no, left() + piece, &on_device, 0), CUDA_ERROR_OUT_OF_MEMORY);
    WANT(cuMemCreate(&no, piece, &on_device, 1), CUDA_ERROR_INVALID_VALUE);
    CUmemAllocationProp other = on_device;
    other.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    WANT(cuMemCreate(&no, piece, &other, 0), CUDA_ERROR_NOT_SUPPORTED);
    other = on_device, other.location.id = 1;
    WANT(cuMemCreate(&no, piece, &other, 0), CUDA_ERROR_INVALID_DEVICE);
    other = on_device, other.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    WANT(cuMemGetAllocationGranularity(&bytes, &other, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED), CUDA_ERROR_INVALID_VALUE);
    int fd;
    WANT(cuMemExportToShareableHandle(&fd, first, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_ERROR_NOT_SUPPORTED);
    WANT(cuMemRelease(third), CUDA_SUCCESS);
    WANT(cuMemRelease(third), CUDA_ERROR_INVALID_VALUE);
    WANT(left(), before - 3 * piece);

    // A vector that grows: its memory, with what it holds, moves to more addresses. The second piece is held twice, the first by its mapping.
    CUdeviceptr more = 0;
    WANT(cuMemRelease(first), CUDA_SUCCESS);
    WANT(cuMemMap(at + 3 * piece, piece, 0, first, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemRetainAllocationHandle(&again, (void *)at), CUDA_SUCCESS);
    WANT(again, first);
    WANT(cuMemUnmap(at, 3 * piece), CUDA_SUCCESS);
    WANT(cuMemAddressFree(at, 3 * piece), CUDA_ERROR_INVALID_VALUE); // not as it was reserved
    WANT(cuMemAddressReserve(&more, 8 * piece, 4 * piece, 0, 0), CUDA_SUCCESS);
    WANT(more % (4 * piece) == 0 && (more + 8 * piece <= at || at + 4 * piece <= more), true);
    WANT(cuMemAddressFree(at, 4 * piece), CUDA_SUCCESS);
    WANT(cuMemMap(more + 2 * piece, piece, 0, first, 0), CUDA_SUCCESS);
    WANT(cuMemMap(more, 2 * piece, 0, second, 0), CUDA_SUCCESS);
    WANT(cuMemcpyDtoH(back.data(), more, 4), CUDA_ERROR_INVALID_VALUE); // access is lost
    WANT(cuMemSetAccess(more, 3 * piece, &both, 1), CUDA_SUCCESS);
    WANT(cuMemcpyDtoH(back.data(), more, back.size()), CUDA_SUCCESS);
    WANT(memcmp(&back[0], &pattern[piece], 2 * piece), 0);
    WANT(memcmp(&back[2 * piece], &pattern[0], piece), 0);
    WANT(launch(more + 3 * piece - 128), CUDA_SUCCESS);
    // Part of it, which keeps the rest.
    WANT(cuMemUnmap(more, 2 * piece), CUDA_SUCCESS);
    WANT(cuMemMap(more, piece, 0, second, 0), CUDA_SUCCESS);
    WANT(cuMemSetAccess(more, piece, &both, 1), CUDA_SUCCESS);
    WANT(cuMemsetD32(more, 77, 1), CUDA_SUCCESS);
    WANT(cuMemUnmap(more, piece), CUDA_SUCCESS);
    WANT(cuMemMap(more + 4 * piece, 2 * piece, 0, second, 0), CUDA_SUCCESS);
    WANT(cuMemSetAccess(more + 4 * piece, 2 * piece, &both, 1), CUDA_SUCCESS);
    WANT(cuMemcpyDtoH(back.data(), more + 4 * piece, 2 * piece), CUDA_SUCCESS);
    WANT(back[0] == 77 && memcmp(&back[4], &pattern[piece + 4], 2 * piece - 4) == 0, true);

    // An address that is wanted is given if it is free; what is allocated is elsewhere.
    CUdeviceptr next = 0, plain = 0;
    WANT(cuMemAddressReserve(&next, piece, 0, more + 8 * piece, 0), CUDA_SUCCESS);
    WANT(next, more + 8 * piece);
    WANT(cuMemAddressReserve(&start, piece, 0, more + 8 * piece, 0), CUDA_SUCCESS);
    WANT(start != next, true);
    WANT(cuMemAlloc(&plain, 100 * piece), CUDA_SUCCESS);
    WANT(plain + 100 * piece <= more || plain >= more + 9 * piece, true);

    // Fresh memory is zero where other memory was; what is no longer held or mapped is gone.
    WANT(cuMemUnmap(more + 2 * piece, piece), CUDA_SUCCESS);
    WANT(cuMemCreate(&third, piece, &on_device, 0), CUDA_SUCCESS);
    WANT(cuMemMap(more + 2 * piece, piece, 0, third, 0), CUDA_SUCCESS);
    WANT(cuMemSetAccess(more + 2 * piece, piece, &both, 1), CUDA_SUCCESS);
    WANT(cuMemcpyDtoH(back.data(), more + 2 * piece, piece), CUDA_SUCCESS);
    WANT(std::vector<char>(back.begin(), back.begin() + piece) == std::vector<char>(piece), true);
    WANT(cuMemFree(plain), CUDA_SUCCESS);
    WANT(left(), before - 4 * piece);
    WANT(cuMemRelease(first), CUDA_SUCCESS);
    WANT(cuMemRelease(second), CUDA_SUCCESS);
    WANT(cuMemRelease(second), CUDA_SUCCESS);
    WANT(left(), before - 3 * piece);
    WANT(cuMemUnmap(more + 4 * piece, 2 * piece), CUDA_SUCCESS);
    WANT(left(), before - piece);

    // The driver's functions by name.
    CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long) = 0;
    CUdriverProcAddressQueryResult status;
    void *missing = &missing;
    WANT(cuGetProcAddress("cuMemAddressReserve", (void **)&reserve, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
    WANT(status, CU_GET_PROC_ADDRESS_SUCCESS);
    WANT(reserve(&at, piece, 0, 0, 0), CUDA_SUCCESS);
    WANT(cuGetProcAddress("cuMemAddressResreve", &missing, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
    WANT(status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && missing == 0, true);
    WANT(cuGetProcAddress("cuMemAlloc", &missing, CUDA_VERSION, 0, 0), CUDA_SUCCESS);
    WANT(missing, (void *)cuMemAlloc);
    WANT(cuGetProcAddress(0, &missing, CUDA_VERSION, 0, 0), CUDA_ERROR_INVALID_VALUE);
    WANT(cudaGetDriverEntryPoint("cuMemMap", &missing, cudaEnableDefault), cudaSuccess);
    WANT(missing, (void *)cuMemMap);
    int value = 0;
    WANT(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device), CUDA_SUCCESS);
    WANT(value, 1);
    WANT(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, device), CUDA_SUCCESS);
    WANT(value, 0);

    // The device forgets all of it.
    WANT(cudaDeviceReset(), cudaSuccess);
    WANT(left(), before);
    WANT(cuMemRelease(third), CUDA_ERROR_INVALID_VALUE);
    WANT(cuMemAddressFree(more, 8 * piece), CUDA_ERROR_INVALID_VALUE);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
