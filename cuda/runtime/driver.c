// The driver API, above the runtime: a context is a promise of the program to use the one device, a module is PTX that it
// brings.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"
#include "runtime.h"

struct CUctx_st { struct CUctx_st *below; };
struct CUfunc_st {
    struct CUfunc_st *next;
    struct layout *layout;
    char name[];
};
struct CUmod_st {
    uint64_t number;
    char *text;
    struct CUfunc_st *functions;
};

static int ready;
static struct CUctx_st primary;
static __thread struct CUctx_st *current;

// result is the driver's code of the runtime's. Errors of the driver are none that cudaGetLastError returns.
static CUresult result(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
    switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_NOT_FOUND;
    default: return (CUresult)error; // the same numbers
    }
}

#define NEED_INIT() do { if (!ready) return CUDA_ERROR_NOT_INITIALIZED; } while (0)
#define NEED_CONTEXT() do { NEED_INIT(); if (current == NULL) return CUDA_ERROR_INVALID_CONTEXT; } while (0)

CUresult cuInit(unsigned int flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    ready = 1;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) { return *version = CUDA_VERSION, CUDA_SUCCESS; }

static const struct { CUresult error; const char *name, *text; } errors[] = {
#define ROW(name, code, text) {name, #name, text},
    DIVERGO_RESULTS(ROW)
};

CUresult cuGetErrorName(CUresult error, const char **name) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error) return *name = errors[i].name, CUDA_SUCCESS;
    return *name = NULL, CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error) return *text = errors[i].text, CUDA_SUCCESS;
    return *text = NULL, CUDA_ERROR_INVALID_VALUE;
}

// The device.

CUresult cuDeviceGetCount(int *count) {
    NEED_INIT();
    return result(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    NEED_INIT();
    return ordinal == 0 ? (*device = 0, CUDA_SUCCESS) : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult properties(struct cudaDeviceProp *p, CUdevice device) {
    NEED_INIT();
    return result(cudaGetDeviceProperties(p, device));
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult error = properties(&p, device);
    if (error == CUDA_SUCCESS) snprintf(name, (size_t)length, "%s", p.name);
    return error;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult error = properties(&p, device);
    if (error == CUDA_SUCCESS) *bytes = p.totalGlobalMem;
    return error;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    NEED_INIT();
    return result(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult error = properties(&p, device);
    if (error == CUDA_SUCCESS) *major = p.major, *minor = p.minor;
    return error;
}

CUresult cuDeviceGetPCIBusId(char *name, int length, CUdevice device) {
    NEED_INIT();
    return result(cudaDeviceGetPCIBusId(name, length, device));
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    NEED_INIT();
    return result(cudaDeviceCanAccessPeer(can, device, peer));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    NEED_INIT();
    return device == 0 ? (*context = &primary, CUDA_SUCCESS) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return device == 0 ? result(cudaDeviceReset()) : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) { return (void)flags, device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

// Contexts.

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device) {
    (void)flags;
    NEED_INIT();
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    if ((*context = calloc(1, sizeof **context)) == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    return cuCtxPushCurrent(*context);
}

CUresult cuCtxDestroy(CUcontext context) {
    NEED_INIT();
    if (context == NULL) return CUDA_ERROR_INVALID_CONTEXT;
    if (current == context) current = context->below;
    if (context != &primary) free(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
    NEED_INIT();
    return *context = current, CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    NEED_INIT();
    if (context != NULL && context != current) context->below = current != NULL ? current->below : NULL;
    return current = context, CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
    NEED_INIT();
    if (context == NULL) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != current) context->below = current;
    return current = context, CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context) {
    NEED_CONTEXT();
    if (context != NULL) *context = current;
    current = current->below;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
    NEED_CONTEXT();
    return *device = 0, CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
    NEED_CONTEXT();
    return result(cudaDeviceSynchronize());
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    (void)config;
    NEED_CONTEXT();
    return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    NEED_CONTEXT();
    return result(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version) {
    (void)context;
    NEED_CONTEXT();
    return *version = 3020, CUDA_SUCCESS; // that of all functions with _v2
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
    NEED_CONTEXT();
    return result(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

// Modules.

static CUresult load(CUmodule *module, char *text) {
    struct CUmod_st *m = calloc(1, sizeof *m);
    if (m == NULL) return free(text), CUDA_ERROR_OUT_OF_MEMORY;
    m->text = text; // for as long as the program runs
    CUresult error = result(divergo_module(text, &m->number));
    if (error != CUDA_SUCCESS) return free(m), error;
    return *module = m, CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    NEED_CONTEXT();
    if (image == NULL) return CUDA_ERROR_INVALID_VALUE;
    const unsigned char *bytes = image;
    if (memcmp(bytes, "\177ELF", 4) == 0 || memcmp(bytes, "\x50\xed\x55\xba", 4) == 0) {
        fprintf(stderr, "cuda: cuModuleLoadData: found machine code (cubin or fatbin), want PTX\n");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    char *text = strdup(image);
    return text != NULL ? load(module, text) : CUDA_ERROR_OUT_OF_MEMORY;
}

// The messages of a compilation go to standard error: the buffers for them are empty.
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options, void **values) {
    void *sizes[2] = {NULL, NULL};
    for (unsigned int i = 0; i < count; i++) {
        if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) sizes[0] = values[i], values[i] = NULL;
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) sizes[1] = values[i], values[i] = NULL;
    }
    for (unsigned int i = 0; i < count; i++) {
        if (options[i] == CU_JIT_INFO_LOG_BUFFER && sizes[0] != NULL) *(char *)values[i] = 0;
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER && sizes[1] != NULL) *(char *)values[i] = 0;
    }
    return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) { return cuModuleLoadData(module, image); }

// read_all reads a file; the caller frees the text.
static CUresult read_all(const char *call, const char *file, char **all) {
    FILE *f = fopen(file, "rb");
    if (f == NULL) {
        fprintf(stderr, "cuda: %s: %s: %s\n", call, file, strerror(errno));
        return CUDA_ERROR_FILE_NOT_FOUND;
    }
    char *text = NULL;
    size_t size = 0, room = 0;
    do {
        if (room - size < 2) {
            char *more = realloc(text, room = 2 * room + 4096);
            if (more == NULL) return free(text), fclose(f), CUDA_ERROR_OUT_OF_MEMORY;
            text = more;
        }
        size += fread(text + size, 1, room - size - 1, f);
    } while (!feof(f) && !ferror(f));
    text[size] = 0;
    CUresult error = ferror(f) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
    *all = text;
    return fclose(f), error;
}

CUresult cuModuleLoad(CUmodule *module, const char *file) {
    NEED_CONTEXT();
    char *text = NULL;
    CUresult error = read_all("cuModuleLoad", file, &text);
    if (error == CUDA_SUCCESS) error = cuModuleLoadData(module, text);
    return free(text), error;
}

// Linking. What comes out is the text that went in.

struct CUlinkState_st { char *text; };

CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *state) {
    (void)count, (void)options, (void)values;
    NEED_CONTEXT();
    return (*state = calloc(1, sizeof **state)) != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int count, CUjit_option *options, void **values) {
    (void)name, (void)count, (void)options, (void)values;
    NEED_CONTEXT();
    if (state == NULL || data == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (type != CU_JIT_INPUT_PTX || state->text != NULL) {
        fprintf(stderr, "cuda: cuLinkAddData: %s is not supported, want one piece of PTX\n", type != CU_JIT_INPUT_PTX ? "machine code" : "a second piece");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if ((state->text = calloc(1, size + 1)) == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(state->text, data, size);
    return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count, CUjit_option *options, void **values) {
    NEED_CONTEXT();
    char *text = NULL;
    CUresult error = read_all("cuLinkAddFile", path, &text);
    if (error == CUDA_SUCCESS) error = cuLinkAddData(state, type, text, strlen(text), path, count, options, values);
    return free(text), error;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size) {
    NEED_CONTEXT();
    if (state == NULL || state->text == NULL) return CUDA_ERROR_INVALID_HANDLE;
    *image = state->text;
    if (size != NULL) *size = strlen(state->text) + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
    if (state == NULL) return CUDA_ERROR_INVALID_HANDLE;
    free(state->text), free(state);
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
    NEED_CONTEXT();
    if (module == NULL) return CUDA_ERROR_INVALID_HANDLE;
    for (struct CUfunc_st *f = module->functions; f != NULL;) {
        struct CUfunc_st *next = f->next;
        free(f->layout), free(f);
        f = next;
    }
    free(module);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    NEED_CONTEXT();
    if (module == NULL || name == NULL) return CUDA_ERROR_INVALID_HANDLE;
    for (struct CUfunc_st *f = module->functions; f != NULL; f = f->next)
        if (strcmp(f->name, name) == 0) return *function = f, CUDA_SUCCESS;
    struct CUfunc_st *f = calloc(1, sizeof *f + strlen(name) + 1);
    if (f == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult error = result(divergo_function(module->number, name, &f->layout));
    if (error != CUDA_SUCCESS) return free(f), error;
    strcpy(f->name, name);
    f->next = module->functions;
    return *function = module->functions = f, CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
    NEED_CONTEXT();
    if (module == NULL || name == NULL) return CUDA_ERROR_INVALID_HANDLE;
    uint64_t at = 0;
    size_t size = 0;
    CUresult error = result(divergo_variable(module->number, name, &at, &size));
    if (error == CUDA_SUCCESS && address != NULL) *address = at;
    if (error == CUDA_SUCCESS && bytes != NULL) *bytes = size;
    return error;
}

// Memory.

#define POINTER(p) ((void *)(uintptr_t)(p))

CUresult cuMemGetInfo(size_t *left, size_t *total) {
    NEED_CONTEXT();
    return result(cudaMemGetInfo(left, total));
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
    NEED_CONTEXT();
    void *p = NULL;
    if (address == NULL || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = result(cudaMalloc(&p, bytes));
    return *address = (uintptr_t)p, error;
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element) {
    NEED_CONTEXT();
    void *p = NULL;
    if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = result(cudaMallocPitch(&p, pitch, width, height));
    return *address = (uintptr_t)p, error;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags) {
    NEED_CONTEXT();
    void *p = NULL;
    CUresult error = result(cudaMallocManaged(&p, bytes, flags));
    return *address = (uintptr_t)p, error;
}

CUresult cuMemFree(CUdeviceptr address) {
    NEED_CONTEXT();
    return address != 0 ? result(cudaFree(POINTER(address))) : CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
    NEED_CONTEXT();
    void *p = NULL;
    CUresult error = result(cudaMallocAsync(&p, bytes, stream));
    return *address = (uintptr_t)p, error;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    NEED_CONTEXT();
    return result(cudaFreeAsync(POINTER(address), stream));
}

CUresult cuMemGetAddressRange(CUdeviceptr *start, size_t *bytes, CUdeviceptr address) {
    NEED_CONTEXT();
    void *p = NULL;
    size_t size = 0;
    CUresult error = result(divergo_range(POINTER(address), &p, &size));
    if (start != NULL) *start = (uintptr_t)p;
    if (bytes != NULL) *bytes = size;
    return error;
}

CUresult cuMemAllocHost(void **address, size_t bytes) { return cuMemHostAlloc(address, bytes, 0); }

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned int flags) {
    NEED_CONTEXT();
    return result(cudaHostAlloc(address, bytes, flags));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags) {
    NEED_CONTEXT();
    void *p = NULL;
    CUresult error = result(cudaHostGetDevicePointer(&p, host, flags));
    return *device = (uintptr_t)p, error;
}

CUresult cuMemFreeHost(void *address) {
    NEED_CONTEXT();
    return result(cudaFreeHost(address));
}

static CUresult copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    NEED_CONTEXT();
    return result(cudaMemcpy(to, from, bytes, kind));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return copy(POINTER(to), POINTER(from), bytes, cudaMemcpyDefault); }
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) { return (void)stream, cuMemcpy(to, from, bytes); }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) { return copy(POINTER(to), from, bytes, cudaMemcpyHostToDevice); }
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) { return copy(to, POINTER(from), bytes, cudaMemcpyDeviceToHost); }
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return copy(POINTER(to), POINTER(from), bytes, cudaMemcpyDeviceToDevice); }
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) { return (void)stream, cuMemcpyHtoD(to, from, bytes); }
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) { return (void)stream, cuMemcpyDtoH(to, from, bytes); }
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) { return (void)stream, cuMemcpyDtoD(to, from, bytes); }

// set repeats a value of so many bytes.
static CUresult set(CUdeviceptr at, const void *value, size_t width, size_t count) {
    NEED_CONTEXT();
    if (at % width != 0) return CUDA_ERROR_INVALID_VALUE;
    if (width == 1) return result(cudaMemset(POINTER(at), *(const unsigned char *)value, count));
    char *all = malloc(width * count + 1);
    if (all == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) memcpy(all + i * width, value, width);
    CUresult error = cuMemcpyHtoD(at, all, width * count);
    return free(all), error;
}

CUresult cuMemsetD8(CUdeviceptr at, unsigned char value, size_t count) { return set(at, &value, 1, count); }
CUresult cuMemsetD16(CUdeviceptr at, unsigned short value, size_t count) { return set(at, &value, 2, count); }
CUresult cuMemsetD32(CUdeviceptr at, unsigned int value, size_t count) { return set(at, &value, 4, count); }
CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, size_t count, CUstream stream) { return (void)stream, cuMemsetD8(at, value, count); }
CUresult cuMemsetD16Async(CUdeviceptr at, unsigned short value, size_t count, CUstream stream) { return (void)stream, cuMemsetD16(at, value, count); }
CUresult cuMemsetD32Async(CUdeviceptr at, unsigned int value, size_t count, CUstream stream) { return (void)stream, cuMemsetD32(at, value, count); }

// Kernels.

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared, CUstream stream, void **parameters, void **extra) {
    (void)stream;
    NEED_CONTEXT();
    if (function == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (parameters != NULL && extra != NULL) return CUDA_ERROR_INVALID_VALUE;
    const void *bank = NULL;
    size_t bytes = 0;
    for (void **e = extra; e != NULL && *e != CU_LAUNCH_PARAM_END; e += 2) {
        if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER) bank = e[1];
        else if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *(size_t *)e[1];
        else return CUDA_ERROR_INVALID_VALUE;
    }
    const struct layout *l = function->layout;
    if (parameters == NULL && l->params > 0 && (bank == NULL || bytes < l->bank)) {
        fprintf(stderr, "cuda: cuLaunchKernel: %s takes %llu bytes of parameters, the launch gives %zu\n", function->name, (unsigned long long)l->bank, bytes);
        return CUDA_ERROR_INVALID_VALUE;
    }
    dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
    return result(divergo_launch(l, grid, block, shared, parameters, bank, bytes));
}

// All blocks run at a time, or none (cudaLaunchCooperativeKernel).
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared, CUstream stream, void **parameters) {
    int blocks = 0;
    struct cudaDeviceProp p;
    CUresult error = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, (int)(block_x * block_y * block_z), shared);
    if (error == CUDA_SUCCESS) error = properties(&p, 0);
    if (error != CUDA_SUCCESS) return error;
    if ((uint64_t)grid_x * grid_y * grid_z > (uint64_t)blocks * (uint64_t)p.multiProcessorCount) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, NULL);
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    NEED_INIT();
    if (function == NULL) return CUDA_ERROR_INVALID_HANDLE;
    const struct layout *l = function->layout;
    struct cudaDeviceProp p;
    CUresult error = properties(&p, 0);
    if (error != CUDA_SUCCESS) return error;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return *value = (int)l->threads, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return *value = (int)l->shared, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: return *value = 0, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return *value = (int)l->local, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: return *value = (int)l->registers, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: return *value = p.major * 10 + p.minor, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return *value = (int)(p.sharedMemPerBlock - l->shared), CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return *value = -1, CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    int most = 0;
    if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_SUCCESS;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = cuFuncGetAttribute(&most, attribute, function);
    return error != CUDA_SUCCESS ? error : value >= 0 && value <= most ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) { return (void)config, function != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared) {
    NEED_CONTEXT();
    return function != NULL ? result(divergo_occupancy(blocks, function->layout, threads, shared)) : CUDA_ERROR_INVALID_HANDLE;
}

// Streams and events are the runtime's.

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) { return cuStreamCreateWithPriority(stream, flags, 0); }
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) {
    NEED_CONTEXT();
    return result(cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamDestroy(CUstream stream) { return result(cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result(cudaStreamSynchronize(stream)); }
CUresult cuStreamQuery(CUstream stream) { return result(cudaStreamQuery(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) { return result(cudaStreamWaitEvent(stream, event, flags)); }
CUresult cuEventCreate(CUevent *event, unsigned int flags) {
    NEED_CONTEXT();
    return result(cudaEventCreateWithFlags(event, flags));
}
CUresult cuEventDestroy(CUevent event) { return result(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return result(cudaEventRecord(event, stream)); }
CUresult cuEventSynchronize(CUevent event) { return result(cudaEventSynchronize(event)); }
CUresult cuEventQuery(CUevent event) { return result(cudaEventQuery(event)); }
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) { return result(cudaEventElapsedTime(milliseconds, start, end)); }

#define MISSING(name)                                               \
    CUresult name() {                                               \
        fprintf(stderr, "cuda: " #name " is not supported\n");      \
        return CUDA_ERROR_NOT_SUPPORTED;                            \
    }
DIVERGO_MISSING_DRIVER(MISSING)
