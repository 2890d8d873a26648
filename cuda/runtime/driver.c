// The driver API, above the runtime: a context is a promise of the program to use the one device, a module is PTX that it
// brings.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"
#include "divergo/texture.h"
#include "runtime.h"

struct CUctx_st { struct CUctx_st *below; };
struct CUfunc_st {
    struct CUfunc_st *next;
    struct layout *layout;
    dim3 block; // and what else a launch without arguments uses (cuParamSet*)
    unsigned int shared;
    char *bank;
    char name[];
};
struct CUmod_st {
    uint64_t number;
    char *text;
    struct CUfunc_st *functions;
    struct CUtexref_st *textures;
};

static int ready;
static struct CUctx_st primary;
static __thread struct CUctx_st *current;

// result is the driver's code of the runtime's. Errors of the driver are none that cudaGetLastError returns.
#define result(call) (divergo_driver = 1, translated(call))
static CUresult translated(cudaError_t error) {
    divergo_driver = 0;
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

// A program that uses the runtime has its context, unless it makes some of its own.
static int made_context;
static int begun(void) {
    if (current == NULL && !made_context && divergo_used) current = &primary;
    return ready || divergo_used;
}

#define NEED_INIT() do { if (!begun()) return CUDA_ERROR_NOT_INITIALIZED; } while (0)
#define NEED_CONTEXT() do { NEED_INIT(); if (current == NULL) return CUDA_ERROR_INVALID_CONTEXT; } while (0)

CUresult cuInit(unsigned int flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    ready = 1;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) { return *version = CUDA_VERSION, CUDA_SUCCESS; }

static const struct { CUresult error; const char *name; } errors[] = {
#define ROW(name, code) {name, #name},
    DIVERGO_RESULTS(ROW)
};

CUresult cuGetErrorName(CUresult error, const char **name) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error) return *name = errors[i].name, CUDA_SUCCESS;
    return *name = NULL, CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
    if (cuGetErrorName(error, text) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
    *text = error == CUDA_ERROR_CONTEXT_ALREADY_CURRENT ? "context already current" : cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
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

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *name) {
    NEED_INIT();
    return result(cudaDeviceGetByPCIBusId(device, name));
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult error = properties(&p, device);
    if (error == CUDA_SUCCESS) *uuid = p.uuid;
    return error;
}

CUresult cuDeviceGetProperties(CUdevprop *of, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult error = properties(&p, device);
    if (error != CUDA_SUCCESS) return error;
    *of = (CUdevprop){
        p.maxThreadsPerBlock, {p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]}, {p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]},
        (int)p.sharedMemPerBlock, (int)p.totalConstMem, p.warpSize, (int)p.memPitch, p.regsPerBlock, p.clockRate, (int)p.textureAlignment,
    };
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active) {
    NEED_INIT();
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    return *flags = 0, *active = current == &primary, CUDA_SUCCESS;
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
    made_context = 1;
    return cuCtxPushCurrent(*context);
}

// A context has all SMs, and shares nothing with graphics.
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *parameters, int count, unsigned int flags, CUdevice device) {
    if ((parameters == NULL) != (count == 0) || count < 0) return CUDA_ERROR_INVALID_VALUE;
    if (count > 0) {
        fprintf(stderr, "cuda: cuCtxCreate: contexts with some of the SMs (execAffinityParams) are not supported\n");
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    }
    return cuCtxCreate(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device) {
    if (parameters == NULL) return cuCtxCreate(context, flags, device);
    if (parameters->cigParams == NULL) return cuCtxCreate_v3(context, parameters->execAffinityParams, parameters->numExecAffinityParams, flags, device);
    if (parameters->execAffinityParams != NULL) return CUDA_ERROR_INVALID_VALUE;
    fprintf(stderr, "cuda: cuCtxCreate: contexts that share data with graphics (cigParams) are not supported\n");
    return CUDA_ERROR_NOT_SUPPORTED;
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

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
    NEED_CONTEXT();
    return *config = CU_FUNC_CACHE_PREFER_NONE, CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
    NEED_CONTEXT();
    return *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE, CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    (void)config;
    NEED_CONTEXT();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags) {
    NEED_CONTEXT();
    return *flags = CU_CTX_SCHED_AUTO, CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    NEED_CONTEXT();
    return result(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxAttach(CUcontext *context, unsigned int flags) {
    (void)flags;
    NEED_CONTEXT();
    return *context = current, CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context) { return cuCtxDestroy(context); }
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) { return (void)peer, (void)flags, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; }
CUresult cuCtxDisablePeerAccess(CUcontext peer) { return (void)peer, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; }

// Modules.

struct CUtexref_st {
    struct CUtexref_st *next;
    uint64_t at;
    struct cudaResourceDesc resource; // its format is the one that was set, or the array's
    struct cudaTextureDesc how;
    struct cudaChannelFormatDesc format;
    int bound, integers; // integers: they are read as they are
};

static CUresult load(CUmodule *module, char *text) {
    struct CUmod_st *m = calloc(1, sizeof *m);
    if (m == NULL) return free(text), CUDA_ERROR_OUT_OF_MEMORY;
    m->text = text; // for as long as it is loaded
    CUresult error = result(divergo_module(text, &m->number));
    if (error != CUDA_SUCCESS) return free(text), free(m), error;
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
        free(f->layout), free(f->bank), free(f);
        f = next;
    }
    for (struct CUtexref_st *t = module->textures; t != NULL;) {
        struct CUtexref_st *next = t->next;
        free(t);
        t = next;
    }
    CUresult error = result(divergo_unload(module->number));
    free(module->text), free(module);
    return error;
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

// Memory that is mapped to addresses.

static const CUmemAllocationProp created = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

static CUresult on_the_device(const CUmemLocation *l) {
    if (l != NULL && l->type > CU_MEM_LOCATION_TYPE_DEVICE && l->type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT) {
        fprintf(stderr, "cuda: memory of the host that is mapped to addresses (location type %d) is not supported\n", l->type);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (l == NULL || l->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    return l->id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult can_be_created(const char *call, const CUmemAllocationProp *p) {
    NEED_INIT();
    if (p == NULL || p->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (p->requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE) return on_the_device(&p->location);
    fprintf(stderr, "cuda: %s: memory for other processes (requestedHandleTypes %d) is not supported\n", call, p->requestedHandleTypes);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *p, CUmemAllocationGranularity_flags option) {
    if (granularity == NULL || (unsigned)option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) return CUDA_ERROR_INVALID_VALUE;
    *granularity = 2 << 20; // testbench.Granularity
    return can_be_created("cuMemGetAllocationGranularity", p);
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted, unsigned long long flags) {
    NEED_CONTEXT();
    uint64_t at = 0;
    if (address == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = result(divergo_virtual(DIVERGO_RESERVE, bytes, alignment, wanted, &at));
    return *address = at, error;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
    NEED_CONTEXT();
    return result(divergo_virtual(DIVERGO_UNRESERVE, address, bytes, 0, NULL));
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *memory, size_t bytes, const CUmemAllocationProp *p, unsigned long long flags) {
    NEED_CONTEXT();
    uint64_t name = 0;
    if (memory == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = can_be_created("cuMemCreate", p);
    if (error == CUDA_SUCCESS) error = result(divergo_virtual(DIVERGO_CREATE, bytes, 0, 0, &name));
    return *memory = name, error;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle memory) {
    NEED_CONTEXT();
    return result(divergo_virtual(DIVERGO_RELEASE, memory, 0, 0, NULL));
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *memory, void *address) {
    NEED_CONTEXT();
    uint64_t name = 0;
    if (memory == NULL) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = result(divergo_virtual(DIVERGO_RETAIN, (uintptr_t)address, 0, 0, &name));
    return *memory = name, error;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *p, CUmemGenericAllocationHandle memory) {
    NEED_CONTEXT();
    if (p == NULL) return CUDA_ERROR_INVALID_VALUE;
    return *p = created, result(divergo_virtual(DIVERGO_HOLDS, memory, 0, 0, NULL));
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle memory, unsigned long long flags) {
    NEED_CONTEXT();
    if (offset != 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE; // neither is anything else in CUDA
    return result(divergo_virtual(DIVERGO_MAP, address, bytes, memory, NULL));
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    NEED_CONTEXT();
    return result(divergo_virtual(DIVERGO_UNMAP, address, bytes, 0, NULL));
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count) {
    NEED_CONTEXT();
    CUresult error = access != NULL && count > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++) {
        error = on_the_device(&access[i].location);
        if (error != CUDA_SUCCESS) break;
        if (access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ) {
            fprintf(stderr, "cuda: cuMemSetAccess: memory that can only be read is not supported\n");
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        if (access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_VALUE;
        error = result(divergo_virtual(DIVERGO_SET_ACCESS, address, bytes, access[i].flags, NULL));
    }
    return error;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address) {
    NEED_CONTEXT();
    uint64_t access = 0;
    if (flags == NULL) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = on_the_device(location);
    if (error == CUDA_SUCCESS) error = result(divergo_virtual(DIVERGO_ACCESS, address, 0, 0, &access));
    return *flags = access ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE, error;
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

// side is where a side of a copy begins, and its pitch and rows of a plane.
struct side { char *at; size_t pitch, rows; };
static CUresult side(struct side *s, CUmemorytype type, const void *host, CUdeviceptr device, CUarray array, size_t pitch, size_t rows, size_t width) {
    *s = (struct side){.at = type == CU_MEMORYTYPE_HOST ? (char *)host : POINTER(device), .pitch = pitch > 0 ? pitch : width, .rows = rows};
    if (type == CU_MEMORYTYPE_ARRAY) {
        if (array == NULL) return CUDA_ERROR_INVALID_VALUE;
        size_t element;
        const struct cudaPitchedPtr a = divergo_array((struct cudaArray *)array, &element);
        *s = (struct side){a.ptr, a.pitch, a.ysize};
    }
    return type >= CU_MEMORYTYPE_HOST && type <= CU_MEMORYTYPE_UNIFIED && s->at != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c) {
    NEED_CONTEXT();
    struct side from, to;
    CUresult error = side(&from, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcPitch, c->srcHeight > 0 ? c->srcHeight : c->Height, c->WidthInBytes);
    if (error == CUDA_SUCCESS) error = side(&to, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstPitch, c->dstHeight > 0 ? c->dstHeight : c->Height, c->WidthInBytes);
    for (size_t z = 0; z < c->Depth && error == CUDA_SUCCESS; z++) {
        const char *in = from.at + ((c->srcZ + z) * from.rows + c->srcY) * from.pitch + c->srcXInBytes;
        char *out = to.at + ((c->dstZ + z) * to.rows + c->dstY) * to.pitch + c->dstXInBytes;
        error = result(cudaMemcpy2D(out, to.pitch, in, from.pitch, c->WidthInBytes, c->Height, cudaMemcpyDefault));
    }
    return error;
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) {
    const CUDA_MEMCPY3D flat = {
        .srcXInBytes = c->srcXInBytes, .srcY = c->srcY, .srcMemoryType = c->srcMemoryType, .srcHost = c->srcHost, .srcDevice = c->srcDevice, .srcArray = c->srcArray, .srcPitch = c->srcPitch,
        .dstXInBytes = c->dstXInBytes, .dstY = c->dstY, .dstMemoryType = c->dstMemoryType, .dstHost = c->dstHost, .dstDevice = c->dstDevice, .dstArray = c->dstArray, .dstPitch = c->dstPitch,
        .WidthInBytes = c->WidthInBytes, .Height = c->Height, .Depth = 1,
    };
    return cuMemcpy3D(&flat);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream) { return (void)stream, cuMemcpy3D(c); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream) { return (void)stream, cuMemcpy2D(c); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c) { return cuMemcpy2D(c); }

#define ARRAY(a) ((struct cudaArray *)(a))
CUresult cuMemcpyHtoA(CUarray to, size_t x, const void *from, size_t bytes) {
    NEED_CONTEXT();
    return result(cudaMemcpyToArray(ARRAY(to), x, 0, from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t x, size_t bytes) {
    NEED_CONTEXT();
    return result(cudaMemcpyFromArray(to, ARRAY(from), x, 0, bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoA(CUarray to, size_t x, CUdeviceptr from, size_t bytes) {
    NEED_CONTEXT();
    return result(cudaMemcpyToArray(ARRAY(to), x, 0, POINTER(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t x, size_t bytes) {
    NEED_CONTEXT();
    return result(cudaMemcpyFromArray(POINTER(to), ARRAY(from), x, 0, bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyAtoA(CUarray to, size_t to_x, CUarray from, size_t from_x, size_t bytes) {
    NEED_CONTEXT();
    return result(cudaMemcpyArrayToArray(ARRAY(to), to_x, 0, ARRAY(from), from_x, 0, bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoAAsync(CUarray to, size_t x, const void *from, size_t bytes, CUstream stream) { return (void)stream, cuMemcpyHtoA(to, x, from, bytes); }
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t x, size_t bytes, CUstream stream) { return (void)stream, cuMemcpyAtoH(to, from, x, bytes); }

CUresult cuMemHostRegister(void *host, size_t bytes, unsigned int flags) {
    NEED_CONTEXT();
    return result(cudaHostRegister(host, bytes, flags));
}
CUresult cuMemHostUnregister(void *host) {
    NEED_CONTEXT();
    return result(cudaHostUnregister(host));
}
CUresult cuMemHostGetFlags(unsigned int *flags, void *host) {
    NEED_CONTEXT();
    return result(cudaHostGetFlags(flags, host));
}
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
    NEED_CONTEXT();
    return result(cudaMemPrefetchAsync(POINTER(address), bytes, device, stream));
}
CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
    NEED_CONTEXT();
    return result(cudaMemAdvise(POINTER(address), bytes, (enum cudaMemoryAdvise)advice, device));
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
    NEED_CONTEXT();
    struct cudaPointerAttributes a;
    CUresult error = result(cudaPointerGetAttributes(&a, POINTER(address)));
    if (error != CUDA_SUCCESS) return error;
    if (a.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return *(CUcontext *)value = current, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return *(unsigned int *)value = CU_MEMORYTYPE_DEVICE, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return *(CUdeviceptr *)value = (uintptr_t)a.devicePointer, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: return *(void **)value = a.hostPointer, a.hostPointer != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return *(int *)value = a.type == cudaMemoryTypeManaged, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return *(int *)value = a.device, CUDA_SUCCESS;
    default: fprintf(stderr, "cuda: cuPointerGetAttribute: attribute %d is not supported\n", attribute);
    }
    return CUDA_ERROR_NOT_SUPPORTED;
}

// Arrays and textures are the runtime's.

static struct cudaChannelFormatDesc format_of(CUarray_format format, unsigned int channels) {
    int width;
    enum cudaChannelFormatKind kind;
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8: width = 8, kind = cudaChannelFormatKindUnsigned; break;
    case CU_AD_FORMAT_UNSIGNED_INT16: width = 16, kind = cudaChannelFormatKindUnsigned; break;
    case CU_AD_FORMAT_UNSIGNED_INT32: width = 32, kind = cudaChannelFormatKindUnsigned; break;
    case CU_AD_FORMAT_SIGNED_INT8: width = 8, kind = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_SIGNED_INT16: width = 16, kind = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_SIGNED_INT32: width = 32, kind = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_HALF: width = 16, kind = cudaChannelFormatKindFloat; break;
    case CU_AD_FORMAT_FLOAT: width = 32, kind = cudaChannelFormatKindFloat; break;
    default: width = 0, kind = cudaChannelFormatKindNone;
    }
    return (struct cudaChannelFormatDesc){width, channels > 1 ? width : 0, channels > 2 ? width : 0, channels > 3 ? width : 0, kind};
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    NEED_CONTEXT();
    const struct cudaChannelFormatDesc desc = format_of(d->Format, d->NumChannels);
    return result(cudaMalloc3DArray((cudaArray_t *)array, &desc, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags));
}
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d) {
    const CUDA_ARRAY3D_DESCRIPTOR all = {.Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return cuArray3DCreate(array, &all);
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array) {
    NEED_CONTEXT();
    struct cudaChannelFormatDesc f;
    struct cudaExtent e;
    unsigned int flags;
    CUresult error = result(cudaArrayGetInfo(&f, &e, &flags, ARRAY(array)));
    if (error != CUDA_SUCCESS) return error;
    *d = (CUDA_ARRAY3D_DESCRIPTOR){e.width, e.height, e.depth, CU_AD_FORMAT_FLOAT, (unsigned)((f.x > 0) + (f.y > 0) + (f.z > 0) + (f.w > 0)), flags};
    for (int i = CU_AD_FORMAT_UNSIGNED_INT8; i <= CU_AD_FORMAT_HALF; i++) {
        const struct cudaChannelFormatDesc one = format_of((CUarray_format)i, 1);
        if (one.x == f.x && one.f == f.f) d->Format = (CUarray_format)i;
    }
    return CUDA_SUCCESS;
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *d, CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR all;
    CUresult error = cuArray3DGetDescriptor(&all, array);
    if (error == CUDA_SUCCESS) *d = (CUDA_ARRAY_DESCRIPTOR){all.Width, all.Height, all.Format, all.NumChannels};
    return error;
}
CUresult cuArrayDestroy(CUarray array) {
    NEED_CONTEXT();
    return array != NULL ? result(cudaFreeArray(ARRAY(array))) : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned int levels) {
    NEED_CONTEXT();
    const struct cudaChannelFormatDesc desc = format_of(d->Format, d->NumChannels);
    return result(cudaMallocMipmappedArray((cudaMipmappedArray_t *)mipmap, &desc, (struct cudaExtent){d->Width, d->Height, d->Depth}, levels, d->Flags));
}
CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray mipmap, unsigned int n) {
    NEED_CONTEXT();
    return result(cudaGetMipmappedArrayLevel((cudaArray_t *)level, (cudaMipmappedArray_t)mipmap, n));
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap) {
    NEED_CONTEXT();
    return mipmap != NULL ? result(cudaFreeMipmappedArray((cudaMipmappedArray_t)mipmap)) : CUDA_ERROR_INVALID_HANDLE;
}

static struct cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC *r) {
    struct cudaResourceDesc to = {.resType = (enum cudaResourceType)r->resType};
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY: to.res.array.array = ARRAY(r->res.array.hArray); break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: to.res.mipmap.mipmap = (cudaMipmappedArray_t)r->res.mipmap.hMipmappedArray; break;
    case CU_RESOURCE_TYPE_LINEAR:
        to.res.linear.devPtr = POINTER(r->res.linear.devPtr), to.res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        to.res.linear.desc = format_of(r->res.linear.format, r->res.linear.numChannels);
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        to.res.pitch2D.devPtr = POINTER(r->res.pitch2D.devPtr), to.res.pitch2D.desc = format_of(r->res.pitch2D.format, r->res.pitch2D.numChannels);
        to.res.pitch2D.width = r->res.pitch2D.width, to.res.pitch2D.height = r->res.pitch2D.height, to.res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        break;
    }
    return to;
}

static struct cudaChannelFormatDesc format_in(const struct cudaResourceDesc *r) {
    struct cudaChannelFormatDesc f = {.f = cudaChannelFormatKindNone};
    cudaArray_t array = r->res.array.array;
    switch (r->resType) {
    case cudaResourceTypeLinear: return r->res.linear.desc;
    case cudaResourceTypePitch2D: return r->res.pitch2D.desc;
    case cudaResourceTypeMipmappedArray: cudaGetMipmappedArrayLevel(&array, r->res.mipmap.mipmap, 0); // and its format
    case cudaResourceTypeArray: cudaGetChannelDesc(&f, array);
    }
    return f;
}

// The driver reads integers of 8 and 16 bits as numbers from 0 or -1 to 1 unless it is told otherwise.
static enum cudaTextureReadMode read_mode(struct cudaChannelFormatDesc f, int integers) {
    return !integers && f.f != cudaChannelFormatKindFloat && f.x < 32 ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *view) {
    NEED_CONTEXT();
    if (resource == NULL || t == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct cudaResourceDesc r = resource_of(resource);
    const struct cudaResourceViewDesc seen = {.format = view != NULL ? (enum cudaResourceViewFormat)view->format : cudaResViewFormatNone};
    struct cudaTextureDesc how = {
        .filterMode = (enum cudaTextureFilterMode)t->filterMode, .readMode = read_mode(format_in(&r), t->flags & CU_TRSF_READ_AS_INTEGER),
        .sRGB = (t->flags & CU_TRSF_SRGB) != 0, .normalizedCoords = (t->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0, .maxAnisotropy = t->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)t->mipmapFilterMode, .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp, .maxMipmapLevelClamp = t->maxMipmapLevelClamp, .seamlessCubemap = (t->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
    };
    for (int i = 0; i < 3; i++) how.addressMode[i] = (enum cudaTextureAddressMode)t->addressMode[i];
    memcpy(how.borderColor, t->borderColor, sizeof how.borderColor);
    return result(cudaCreateTextureObject(object, &r, &how, view != NULL ? &seen : NULL));
}
CUresult cuTexObjectDestroy(CUtexObject object) { return result(cudaDestroyTextureObject(object)); }

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource) {
    NEED_CONTEXT();
    if (resource == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct cudaResourceDesc r = resource_of(resource);
    return result(cudaCreateSurfaceObject(object, &r));
}
CUresult cuSurfObjectDestroy(CUsurfObject object) { return result(cudaDestroySurfaceObject(object)); }

// A reference is written to the device as soon as there is something that it reads, and whenever that changes.
static CUresult bind(CUtexref t) {
    if (!t->bound) return CUDA_SUCCESS;
    if (t->resource.resType == cudaResourceTypeLinear) t->resource.res.linear.desc = t->format;
    struct cudaTextureDesc how = t->how;
    how.readMode = read_mode(format_in(&t->resource), t->integers);
    return result(divergo_bind(POINTER(t->at), &t->resource, &how));
}

CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name) {
    NEED_CONTEXT();
    if (module == NULL || name == NULL || reference == NULL) return CUDA_ERROR_INVALID_VALUE;
    uint64_t at = 0;
    size_t size = 0;
    CUresult error = result(divergo_variable(module->number, name, &at, &size));
    if (error != CUDA_SUCCESS) return error;
    for (struct CUtexref_st *t = module->textures; t != NULL; t = t->next)
        if (t->at == at) return *reference = t, CUDA_SUCCESS;
    struct CUtexref_st *t = calloc(1, sizeof *t);
    if (t == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    *t = (struct CUtexref_st){.next = module->textures, .at = at, .format = format_of(CU_AD_FORMAT_FLOAT, 1)};
    struct divergo_texture initial; // what its .texref says in the PTX
    if ((error = result(cudaMemcpy(&initial, POINTER(at), sizeof initial, cudaMemcpyDeviceToHost))) != CUDA_SUCCESS) return free(t), error;
    for (int i = 0; i < 3; i++) t->how.addressMode[i] = (enum cudaTextureAddressMode)initial.mode[i];
    t->how.filterMode = (enum cudaTextureFilterMode)initial.linear, t->how.normalizedCoords = (int)initial.normalized;
    return *reference = module->textures = t, CUDA_SUCCESS;
}

// change is what a call does to a reference.
#define CHANGE(t, ...)                                  \
    do {                                                \
        NEED_CONTEXT();                                 \
        if (t == NULL) return CUDA_ERROR_INVALID_VALUE; \
        __VA_ARGS__;                                    \
        return bind(t);                                 \
    } while (0)

CUresult cuTexRefSetArray(CUtexref t, CUarray array, unsigned int flags) {
    (void)flags; // the format is the array's
    CHANGE(t, t->resource = (struct cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array.array = ARRAY(array)}, t->bound = 1);
}
CUresult cuTexRefSetAddress(size_t *offset, CUtexref t, CUdeviceptr address, size_t bytes) {
    if (offset != NULL) *offset = 0; // any texel can be the first
    CHANGE(t, t->resource = (struct cudaResourceDesc){.resType = cudaResourceTypeLinear, .res.linear = {POINTER(address), t->format, bytes}}, t->bound = 1);
}
CUresult cuTexRefSetAddress2D(CUtexref t, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr address, size_t pitch) {
    const struct cudaChannelFormatDesc f = format_of(d->Format, d->NumChannels);
    CHANGE(t, t->resource = (struct cudaResourceDesc){.resType = cudaResourceTypePitch2D, .res.pitch2D = {POINTER(address), f, d->Width, d->Height, pitch}}, t->bound = 1);
}
CUresult cuTexRefSetFormat(CUtexref t, CUarray_format format, int channels) { CHANGE(t, t->format = format_of(format, (unsigned)channels)); }
CUresult cuTexRefSetAddressMode(CUtexref t, int dimension, CUaddress_mode mode) {
    if (dimension < 0 || dimension > 2) return CUDA_ERROR_INVALID_VALUE;
    CHANGE(t, t->how.addressMode[dimension] = (enum cudaTextureAddressMode)mode);
}
CUresult cuTexRefSetFilterMode(CUtexref t, CUfilter_mode mode) { CHANGE(t, t->how.filterMode = (enum cudaTextureFilterMode)mode); }
CUresult cuTexRefSetFlags(CUtexref t, unsigned int flags) {
    CHANGE(t, t->integers = flags & CU_TRSF_READ_AS_INTEGER, t->how.normalizedCoords = (flags & CU_TRSF_NORMALIZED_COORDINATES) != 0, t->how.sRGB = (flags & CU_TRSF_SRGB) != 0);
}
CUresult cuTexRefSetBorderColor(CUtexref t, float *color) { CHANGE(t, memcpy(t->how.borderColor, color, sizeof t->how.borderColor)); }
CUresult cuTexRefSetMaxAnisotropy(CUtexref t, unsigned int ratio) { CHANGE(t, t->how.maxAnisotropy = ratio); }

// A surface reference is read as it is.
CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name) { return cuModuleGetTexRef((CUtexref *)reference, module, name); }
CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags) {
    CUtexref t = (CUtexref)reference;
    if (t != NULL) t->integers = 1;
    return cuTexRefSetArray(t, array, flags);
}

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

static CUresult set_rows(CUdeviceptr at, size_t pitch, const void *value, size_t width, size_t count, size_t rows) {
    CUresult error = CUDA_SUCCESS;
    for (size_t y = 0; y < rows && error == CUDA_SUCCESS; y++) error = set(at + y * pitch, value, width, count);
    return error;
}
CUresult cuMemsetD2D8(CUdeviceptr at, size_t pitch, unsigned char value, size_t width, size_t height) { return set_rows(at, pitch, &value, 1, width, height); }
CUresult cuMemsetD2D16(CUdeviceptr at, size_t pitch, unsigned short value, size_t width, size_t height) { return set_rows(at, pitch, &value, 2, width, height); }
CUresult cuMemsetD2D32(CUdeviceptr at, size_t pitch, unsigned int value, size_t width, size_t height) { return set_rows(at, pitch, &value, 4, width, height); }

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

// Launches with what a function was told before.
CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
    if (f == NULL) return CUDA_ERROR_INVALID_HANDLE;
    return f->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z}, CUDA_SUCCESS;
}
CUresult cuFuncSetSharedSize(CUfunction f, unsigned int bytes) { return f != NULL ? (f->shared = bytes, CUDA_SUCCESS) : CUDA_ERROR_INVALID_HANDLE; }
CUresult cuParamSetSize(CUfunction f, unsigned int bytes) { return f == NULL ? CUDA_ERROR_INVALID_HANDLE : bytes <= f->layout->bank ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuParamSetv(CUfunction f, int offset, void *value, unsigned int bytes) {
    if (f == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (offset < 0 || (uint64_t)offset + bytes > f->layout->bank) return CUDA_ERROR_INVALID_VALUE;
    if (f->bank == NULL && (f->bank = calloc(1, f->layout->bank)) == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    return memcpy(f->bank + offset, value, bytes), CUDA_SUCCESS;
}
CUresult cuParamSeti(CUfunction f, int offset, unsigned int value) { return cuParamSetv(f, offset, &value, sizeof value); }
CUresult cuParamSetf(CUfunction f, int offset, float value) { return cuParamSetv(f, offset, &value, sizeof value); }
CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref t) { return unit == CU_PARAM_TR_DEFAULT && f != NULL && t != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuLaunchGrid(CUfunction f, int width, int height) {
    if (f == NULL) return CUDA_ERROR_INVALID_HANDLE;
    static char none;
    size_t bytes = f->layout->bank;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, f->bank != NULL ? f->bank : &none, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    if (f->bank == NULL && bytes > 0) return CUDA_ERROR_INVALID_VALUE;
    return cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, f->block.x, f->block.y, f->block.z, f->shared, NULL, NULL, extra);
}
CUresult cuLaunch(CUfunction f) { return cuLaunchGrid(f, 1, 1); }
CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream) { return (void)stream, cuLaunchGrid(f, width, height); }

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

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads, size_t shared, unsigned int flags) {
    return (void)flags, cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

// As cudaOccupancyMaxPotentialBlockSize.
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit) {
    NEED_CONTEXT();
    if (function == NULL) return CUDA_ERROR_INVALID_HANDLE;
    struct cudaDeviceProp p;
    CUresult error = properties(&p, 0);
    const int top = (int)function->layout->threads;
    int most = 0;
    for (int size = limit > 0 && limit < top ? limit : top; size > 0 && error == CUDA_SUCCESS; size = (size - 1) / p.warpSize * p.warpSize) {
        int blocks = 0;
        error = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, size, shared_of != NULL ? shared_of(size) : shared);
        if (blocks * size > most) most = blocks * size, *block = size, *grid = blocks * p.multiProcessorCount;
    }
    return error != CUDA_SUCCESS || most > 0 ? error : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) { return (void)config, function != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }

// Streams and events are the runtime's.

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) { return result(cudaLaunchHostFunc(stream, function, data)); }
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags) {
    NEED_CONTEXT();
    if (callback == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    callback(stream, result(cudaStreamQuery(stream)), data); // everything before is over
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) { return cuStreamCreateWithPriority(stream, flags, 0); }
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) {
    NEED_CONTEXT();
    return result(cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamGetPriority(CUstream stream, int *priority) { return result(cudaStreamGetPriority(stream, priority)); }
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags) { return result(cudaStreamGetFlags(stream, flags)); }
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) { return result(cudaStreamGetId(stream, id)); }
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) { return (void)stream, cuCtxGetCurrent(context); }
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

// What the driver has under the names of cuda.h, whatever version is asked for but of cuCtxCreate.
#define FUNCTIONS(F) \
    F(cuInit) F(cuDriverGetVersion) F(cuGetErrorName) F(cuGetErrorString) F(cuDeviceGetCount) F(cuDeviceGet) F(cuDeviceGetName) F(cuDeviceTotalMem) \
    F(cuDeviceGetAttribute) F(cuDeviceComputeCapability) F(cuDeviceGetPCIBusId) F(cuDeviceGetByPCIBusId) F(cuDeviceGetUuid) F(cuDeviceGetProperties) \
    F(cuDevicePrimaryCtxGetState) F(cuDeviceCanAccessPeer) F(cuDevicePrimaryCtxRetain) F(cuDevicePrimaryCtxRelease) F(cuDevicePrimaryCtxReset) \
    F(cuDevicePrimaryCtxSetFlags) F(cuCtxCreate) F(cuCtxCreate_v3) F(cuCtxCreate_v4) F(cuCtxDestroy) F(cuCtxGetCurrent) F(cuCtxSetCurrent) F(cuCtxPushCurrent) F(cuCtxPopCurrent) \
    F(cuCtxGetDevice) F(cuCtxSynchronize) F(cuCtxSetCacheConfig) F(cuCtxSetLimit) F(cuCtxGetApiVersion) F(cuCtxGetLimit) F(cuCtxGetCacheConfig) \
    F(cuCtxGetSharedMemConfig) F(cuCtxSetSharedMemConfig) F(cuCtxGetFlags) F(cuCtxGetStreamPriorityRange) F(cuCtxAttach) F(cuCtxDetach) \
    F(cuCtxEnablePeerAccess) F(cuCtxDisablePeerAccess) F(cuModuleLoad) F(cuModuleLoadData) F(cuModuleLoadDataEx) F(cuModuleLoadFatBinary) F(cuModuleUnload) \
    F(cuLinkCreate) F(cuLinkAddData) F(cuLinkAddFile) F(cuLinkComplete) F(cuLinkDestroy) F(cuModuleGetFunction) F(cuModuleGetGlobal) F(cuMemGetInfo) \
    F(cuMemAlloc) F(cuMemAllocPitch) F(cuMemAllocManaged) F(cuMemFree) F(cuMemAllocAsync) F(cuMemFreeAsync) F(cuMemGetAddressRange) F(cuMemAllocHost) \
    F(cuMemHostAlloc) F(cuMemHostGetDevicePointer) F(cuMemFreeHost) F(cuMemGetAllocationGranularity) F(cuMemAddressReserve) F(cuMemAddressFree) F(cuMemCreate) \
    F(cuMemRelease) F(cuMemRetainAllocationHandle) F(cuMemGetAllocationPropertiesFromHandle) F(cuMemMap) F(cuMemUnmap) F(cuMemSetAccess) F(cuMemGetAccess) \
    F(cuMemcpy) F(cuMemcpyAsync) F(cuMemcpyHtoD) F(cuMemcpyDtoH) F(cuMemcpyDtoD) F(cuMemcpyHtoDAsync) F(cuMemcpyDtoHAsync) F(cuMemcpyDtoDAsync) F(cuMemsetD8) \
    F(cuMemsetD16) F(cuMemsetD32) F(cuMemsetD8Async) F(cuMemsetD16Async) F(cuMemsetD32Async) F(cuMemcpy2D) F(cuMemcpy2DAsync) F(cuMemcpy2DUnaligned) \
    F(cuMemcpy3D) F(cuMemcpy3DAsync) F(cuMemcpyHtoA) F(cuMemcpyAtoH) F(cuMemcpyDtoA) F(cuMemcpyAtoD) F(cuMemcpyAtoA) F(cuMemcpyHtoAAsync) F(cuMemcpyAtoHAsync) \
    F(cuMemsetD2D8) F(cuMemsetD2D16) F(cuMemsetD2D32) F(cuMemHostRegister) F(cuMemHostUnregister) F(cuMemHostGetFlags) F(cuMemPrefetchAsync) F(cuMemAdvise) \
    F(cuPointerGetAttribute) F(cuArrayCreate) F(cuArrayGetDescriptor) F(cuArray3DCreate) F(cuArray3DGetDescriptor) F(cuArrayDestroy) F(cuMipmappedArrayCreate) \
    F(cuMipmappedArrayGetLevel) F(cuMipmappedArrayDestroy) F(cuTexObjectCreate) F(cuTexObjectDestroy) F(cuSurfObjectCreate) F(cuSurfObjectDestroy) \
    F(cuModuleGetTexRef) F(cuTexRefSetArray) F(cuTexRefSetAddress) F(cuTexRefSetAddress2D) F(cuTexRefSetFormat) F(cuTexRefSetAddressMode) \
    F(cuTexRefSetFilterMode) F(cuTexRefSetFlags) F(cuTexRefSetBorderColor) F(cuTexRefSetMaxAnisotropy) F(cuModuleGetSurfRef) F(cuSurfRefSetArray) \
    F(cuFuncSetBlockShape) F(cuFuncSetSharedSize) F(cuParamSetSize) F(cuParamSeti) F(cuParamSetf) F(cuParamSetv) F(cuParamSetTexRef) F(cuLaunch) \
    F(cuLaunchGrid) F(cuLaunchGridAsync) F(cuLaunchKernel) F(cuLaunchCooperativeKernel) F(cuFuncGetAttribute) F(cuFuncSetAttribute) F(cuFuncSetCacheConfig) \
    F(cuFuncSetSharedMemConfig) F(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) F(cuOccupancyMaxPotentialBlockSize) F(cuLaunchHostFunc) \
    F(cuStreamAddCallback) F(cuProfilerStart) F(cuProfilerStop) F(cuOccupancyMaxActiveBlocksPerMultiprocessor) F(cuStreamCreate) F(cuStreamCreateWithPriority) \
    F(cuStreamGetPriority) F(cuStreamGetFlags) F(cuStreamGetId) F(cuStreamGetCtx) F(cuStreamDestroy) F(cuStreamSynchronize) F(cuStreamQuery) F(cuStreamWaitEvent) F(cuEventCreate) F(cuEventDestroy) F(cuEventRecord) F(cuEventSynchronize) \
    F(cuEventQuery) F(cuEventElapsedTime) F(cuGetProcAddress)

static const struct { const char *name; void *function; } functions[] = {
#define FOUND(name) {#name, (void *)name},
    FUNCTIONS(FOUND) DIVERGO_MISSING_DRIVER(FOUND)
};

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *status) {
    if (name == NULL || function == NULL || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
    *function = NULL;
    // Its parameters are others from CUDA 11.4 on, and again from 12.5 on (cudaTypedefs.h).
    if (strcmp(name, "cuCtxCreate") == 0 && version >= 11040) name = version >= 12050 ? "cuCtxCreate_v4" : "cuCtxCreate_v3";
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) *function = functions[i].function;
    if (status != NULL) *status = *function != NULL ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status) {
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    CUresult error = cuGetProcAddress(name, function, CUDA_VERSION, flags, &found);
    if (status != NULL) *status = (enum cudaDriverEntryPointQueryResult)found;
    return divergo_fail((cudaError_t)error);
}
