// The CUDA runtime of a program: each call is a request to the simulator, over a socket. What a request and its answer
// hold is in cuda/protocol.go.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_runtime_api.h"

enum op { HELLO, MODULE, FUNCTION, VARIABLE, ALLOC, FREE, WRITE, READ, COPY, SET, LAUNCH, TIME, LEFT, OCCUPANCY };

struct request {
    uint32_t op, module; // module: where addresses of variables are meant, counted from 1
    uint64_t a, b, c;
    uint64_t bytes; // that follow
};

struct answer {
    uint32_t error, sticky;
    uint64_t a, b;
    uint64_t bytes; // that follow
};

// What hello answers: name is the machine's.
struct machine {
    uint64_t sms, warp, threads, shared, registers, core_khz, memory, l2, dram_khz, bus_bits, resident, blocks, major, minor;
    char name[64];
};

// What function answers, before the offset and the size of each parameter.
struct layout {
    uint64_t handle, bank, shared, local, registers, threads, params;
    uint32_t at[][2];
};

struct module { const char *text; int sent; };

struct symbol { // a kernel or a variable
    const void *host;
    const char *name;
    uint32_t module;
    struct layout *layout; // of a kernel that was used
    uint64_t addr, size;   // of a variable that was used
    struct symbol *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int server = -1;
static pid_t server_pid;
static struct module *modules;
static uint32_t module_count;
static struct symbol *symbols[1024];
static cudaError_t sticky;
static __thread cudaError_t last;

// Device memory lies below, and a program that is linked to run anywhere above.
static int on_device(const void *p) { return (uintptr_t)p < 1ull << 32; }

static cudaError_t fail(cudaError_t error) {
    if (error != cudaSuccess) last = error;
    return error;
}

static cudaError_t gone(void) {
    if (sticky == cudaSuccess) fprintf(stderr, "cuda: divergo does not answer\n");
    return sticky = cudaErrorUnknown;
}

static int send_all(const void *data, size_t bytes) {
    for (const char *p = data; bytes > 0;) {
        ssize_t n = send(server, p, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        p += n, bytes -= (size_t)n;
    }
    return 1;
}

static int receive_all(void *data, size_t bytes) {
    for (char *p = data; bytes > 0;) {
        ssize_t n = recv(server, p, bytes, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        p += n, bytes -= (size_t)n;
    }
    return 1;
}

// exchange sends a request and waits for the answer. The bytes of the answer go to *out if there is room for them,
// or into new memory where *out is NULL.
static cudaError_t exchange(struct request *r, const void *data, struct answer *a, void **out, size_t room) {
    if (!send_all(r, sizeof *r) || !send_all(data, r->bytes) || !receive_all(a, sizeof *a)) return gone();
    if (a->bytes > 0) {
        if (*out == NULL) *out = malloc(room = a->bytes);
        if (*out == NULL || a->bytes > room || !receive_all(*out, a->bytes)) return gone();
    }
    if (a->sticky) sticky = a->error;
    return a->error;
}

static void start(void) {
    const char *given = getenv("DIVERGO_FD");
    if (given != NULL) {
        server = atoi(given);
        fcntl(server, F_SETFD, FD_CLOEXEC);
        unsetenv("DIVERGO_FD");
        return;
    }
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
    fflush(NULL);
    server_pid = fork();
    if (server_pid == 0) {
        const char *own = getenv("DIVERGO");
        char fd[16];
        fcntl(pair[1], F_SETFD, 0);
        snprintf(fd, sizeof fd, "%d", pair[1]);
        if (own != NULL) {
            execlp(own, own, "cuda", "serve", fd, (char *)NULL);
        } else {
            execlp("divergo", "divergo", "cuda", "serve", fd, (char *)NULL);
            execl(DIVERGO_PATH, "divergo", "cuda", "serve", fd, (char *)NULL);
        }
        fprintf(stderr, "cuda: %s: %s: DIVERGO names the simulator, if it is not in PATH\n", own != NULL ? own : "divergo", strerror(errno));
        _exit(127);
    }
    close(pair[1]);
    server = pair[0];
}

// The simulator prints its statistics when the program is through.
__attribute__((destructor)) static void finish(void) {
    if (server < 0) return;
    shutdown(server, SHUT_RDWR);
    if (server_pid > 0) waitpid(server_pid, NULL, 0);
}

// ask is exchange for a program that may not have begun yet. All modules have been sent before.
static cudaError_t ask(struct request r, const void *data, struct answer *a, void **out, size_t room) {
    struct answer ignored;
    if (a == NULL) a = &ignored;
    *a = (struct answer){0};
    pthread_mutex_lock(&lock);
    if (server < 0) start();
    for (uint32_t i = 0; i < module_count && sticky == cudaSuccess; i++) {
        if (modules[i].sent) continue;
        modules[i].sent = 1;
        struct request m = {.op = MODULE, .module = i + 1, .bytes = strlen(modules[i].text)};
        struct answer none;
        exchange(&m, modules[i].text, &none, NULL, 0);
    }
    cudaError_t error = sticky;
    if (error == cudaSuccess) error = exchange(&r, data, a, out, room);
    pthread_mutex_unlock(&lock);
    return error;
}

static struct machine *machine(void) {
    static struct machine m;
    if (m.sms == 0) {
        struct answer a;
        void *out = &m;
        ask((struct request){.op = HELLO}, NULL, &a, &out, sizeof m);
    }
    return &m;
}

// What clang's code registers before main.

static struct symbol **chain(const void *host) { return &symbols[((uintptr_t)host >> 3) % 1024]; }

static struct symbol *find(const void *host) {
    for (struct symbol *s = *chain(host); s != NULL; s = s->next)
        if (s->host == host) return s;
    return NULL;
}

static void add(void **handle, const void *host, const char *name) {
    struct symbol *s = calloc(1, sizeof *s);
    if (s == NULL) abort();
    *s = (struct symbol){.host = host, .name = name, .module = (uint32_t)(uintptr_t)handle, .next = *chain(host)};
    *chain(host) = s;
}

void **__cudaRegisterFatBinary(void *wrapper) {
    struct { int magic, version; const char *text; void *unused; } *w = wrapper;
    modules = realloc(modules, (module_count + 1) * sizeof *modules);
    if (modules == NULL) abort();
    modules[module_count++] = (struct module){.text = w->text};
    return (void **)(uintptr_t)module_count;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

void __cudaRegisterFunction(void **handle, const char *host, char *stub, const char *name, int limit, void *tid, void *bid, void *block, void *grid, int *size) {
    (void)stub, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
    add(handle, host, name);
}

void __cudaRegisterVar(void **handle, char *host, char *alias, const char *name, int external, size_t bytes, int constant, int global) {
    (void)alias, (void)external, (void)bytes, (void)constant, (void)global;
    add(handle, host, name);
}

static __thread struct { dim3 grid, block; size_t shared; void *stream; } pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
    pushed.grid = grid, pushed.block = block, pushed.shared = shared, pushed.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void **stream) {
    *grid = pushed.grid, *block = pushed.block, *shared = pushed.shared, *stream = pushed.stream;
    return cudaSuccess;
}

// Kernels.

static cudaError_t kernel(const void *function, struct layout **l) {
    struct symbol *s = find(function);
    if (s == NULL) return cudaErrorInvalidDeviceFunction;
    if (s->layout == NULL) {
        void *out = NULL;
        struct answer a;
        cudaError_t error = ask((struct request){.op = FUNCTION, .module = s->module, .bytes = strlen(s->name)}, s->name, &a, &out, 0);
        if (error != cudaSuccess) return error;
        s->layout = out;
    }
    *l = s->layout;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
    (void)stream;
    struct layout *l;
    cudaError_t error = kernel(function, &l);
    if (error != cudaSuccess) return fail(error);
    struct { uint32_t grid[3], block[3]; uint64_t shared; } head = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared};
    char *data = calloc(1, sizeof head + l->bank);
    if (data == NULL) return fail(cudaErrorLaunchOutOfResources);
    memcpy(data, &head, sizeof head);
    for (uint64_t i = 0; i < l->params; i++) memcpy(data + sizeof head + l->at[i][0], args[i], l->at[i][1]);
    void *printed = NULL;
    struct answer a;
    error = ask((struct request){.op = LAUNCH, .a = l->handle, .bytes = sizeof head + l->bank}, data, &a, &printed, 0);
    free(data);
    if (printed != NULL) fwrite(printed, 1, a.bytes, stdout);
    free(printed);
    return fail(error);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    struct layout *l;
    cudaError_t error = kernel(function, &l);
    if (error != cudaSuccess) return fail(error);
    int target = (int)(machine()->major * 10 + machine()->minor);
    *attributes = (struct cudaFuncAttributes){.sharedSizeBytes = l->shared, .localSizeBytes = l->local, .maxThreadsPerBlock = (int)l->threads, .numRegs = (int)l->registers, .ptxVersion = target, .binaryVersion = target};
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared) {
    struct layout *l;
    struct answer a;
    cudaError_t error = kernel(function, &l);
    if (error == cudaSuccess) error = ask((struct request){.op = OCCUPANCY, .a = l->handle, .b = (uint64_t)threads, .c = shared}, NULL, &a, NULL, 0);
    if (error == cudaSuccess) *blocks = (int)a.a;
    return fail(error);
}

// Memory.

cudaError_t cudaMalloc(void **address, size_t bytes) {
    struct answer a;
    if (address == NULL) return fail(cudaErrorInvalidValue);
    cudaError_t error = ask((struct request){.op = ALLOC, .a = bytes}, NULL, &a, NULL, 0);
    if (error == cudaSuccess) *address = (void *)a.a;
    return fail(error);
}

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(address, *pitch * height);
}

cudaError_t cudaFree(void *address) {
    if (address == NULL) return fail(ask((struct request){.op = TIME}, NULL, NULL, NULL, 0)); // many programs begin with it
    return fail(ask((struct request){.op = FREE, .a = (uint64_t)address}, NULL, NULL, NULL, 0));
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned int flags) {
    (void)flags;
    return fail(posix_memalign(address, 4096, bytes > 0 ? bytes : 1) == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocHost(void **address, size_t bytes) { return cudaHostAlloc(address, bytes, 0); }

cudaError_t cudaFreeHost(void *address) {
    if (address != NULL && on_device(address)) return fail(cudaErrorInvalidValue);
    free(address);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total) {
    struct answer a;
    cudaError_t error = ask((struct request){.op = LEFT}, NULL, &a, NULL, 0);
    *left = a.a, *total = a.b;
    return fail(error);
}

static cudaError_t copy(uint32_t module, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    if (bytes == 0) return sticky;
    if (kind == cudaMemcpyDefault) kind = (on_device(from) ? 2 : 0) + (on_device(to) ? 1 : 0);
    int from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    int to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    if ((unsigned)kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (from_device != on_device(from) || to_device != on_device(to)) {
        const char *const place[] = {"the host's", "the device's"};
        fprintf(stderr, "cuda: copy of %zu bytes from %p to %p: want an address in %s memory and one in %s\n", bytes, from, to, place[from_device], place[to_device]);
        return cudaErrorInvalidValue;
    }
    void *out = to;
    struct answer a;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return ask((struct request){.op = WRITE, .module = module, .a = (uint64_t)to, .bytes = bytes}, from, NULL, NULL, 0);
    case cudaMemcpyDeviceToHost:
        return ask((struct request){.op = READ, .module = module, .a = (uint64_t)from, .b = bytes}, NULL, &a, &out, bytes);
    case cudaMemcpyDeviceToDevice:
        return ask((struct request){.op = COPY, .module = module, .a = (uint64_t)to, .b = (uint64_t)from, .c = bytes}, NULL, NULL, NULL, 0);
    default:
        memmove(to, from, bytes);
        return sticky;
    }
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) { return fail(copy(0, to, from, bytes, kind)); }

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return fail(cudaErrorInvalidPitchValue);
    for (size_t y = 0; y < height; y++) {
        cudaError_t error = copy(0, (char *)to + y * to_pitch, (const char *)from + y * from_pitch, width, kind);
        if (error != cudaSuccess) return fail(error);
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)stream;
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemset(void *at, int value, size_t bytes) {
    if (bytes == 0) return fail(sticky);
    return fail(ask((struct request){.op = SET, .a = (uint64_t)at, .b = (unsigned char)value, .c = bytes}, NULL, NULL, NULL, 0));
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream) {
    (void)stream;
    return cudaMemset(at, value, bytes);
}

cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch) return fail(cudaErrorInvalidPitchValue);
    for (size_t y = 0; y < height; y++) {
        cudaError_t error = cudaMemset((char *)at + y * pitch, value, width);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

static cudaError_t variable(const void *host, struct symbol **s) {
    if ((*s = find(host)) == NULL) return cudaErrorInvalidSymbol;
    if ((*s)->addr != 0) return sticky;
    struct answer a;
    cudaError_t error = ask((struct request){.op = VARIABLE, .module = (*s)->module, .bytes = strlen((*s)->name)}, (*s)->name, &a, NULL, 0);
    if (error == cudaSuccess) (*s)->addr = a.a, (*s)->size = a.b;
    return error;
}

static cudaError_t within(const struct symbol *s, size_t bytes, size_t offset) {
    if (offset <= s->size && bytes <= s->size - offset) return cudaSuccess;
    fprintf(stderr, "cuda: copy of %zu bytes at offset %zu: %s has %zu bytes\n", bytes, offset, s->name, (size_t)s->size);
    return cudaErrorInvalidValue;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    struct symbol *s;
    cudaError_t error = variable(symbol, &s);
    if (error == cudaSuccess) error = within(s, bytes, offset);
    return fail(error == cudaSuccess ? copy(s->module, (void *)(s->addr + offset), from, bytes, kind) : error);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    struct symbol *s;
    cudaError_t error = variable(symbol, &s);
    if (error == cudaSuccess) error = within(s, bytes, offset);
    return fail(error == cudaSuccess ? copy(s->module, to, (const void *)(s->addr + offset), bytes, kind) : error);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)stream;
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)stream;
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
    struct symbol *s;
    cudaError_t error = variable(symbol, &s);
    if (error != cudaSuccess) return fail(error);
    if (module_count > 1) {
        fprintf(stderr, "cuda: cudaGetSymbolAddress(%s): variables of different files have the same addresses, and the program has %u files with kernels or variables\n", s->name, module_count);
        return fail(cudaErrorNotSupported);
    }
    *address = (void *)s->addr;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    struct symbol *s;
    cudaError_t error = variable(symbol, &s);
    if (error == cudaSuccess) *bytes = s->size;
    return fail(error);
}

// Errors.

cudaError_t cudaPeekAtLastError(void) { return sticky != cudaSuccess ? sticky : last; }

cudaError_t cudaGetLastError(void) {
    cudaError_t error = cudaPeekAtLastError();
    last = cudaSuccess;
    return error;
}

static const struct { cudaError_t error; const char *name, *text; } errors[] = {
#define ROW(name, code, text) {name, #name, text},
    DIVERGO_ERRORS(ROW)
};

const char *cudaGetErrorName(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error) return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error) return errors[i].text;
    return "unrecognized error code";
}

// The device.

static cudaError_t device(int d) { return fail(d == 0 ? sticky : cudaErrorInvalidDevice); }

cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, fail(sticky); }
cudaError_t cudaGetDevice(int *d) { return *d = 0, fail(sticky); }
cudaError_t cudaSetDevice(int d) { return device(d); }
cudaError_t cudaSetDeviceFlags(unsigned int flags) { return (void)flags, fail(sticky); }
cudaError_t cudaChooseDevice(int *d, const struct cudaDeviceProp *prop) { return (void)prop, *d = 0, fail(sticky); }
cudaError_t cudaDeviceSynchronize(void) { return fail(sticky); }
cudaError_t cudaThreadSynchronize(void) { return fail(sticky); }
cudaError_t cudaDeviceReset(void) { return fail(sticky); }
cudaError_t cudaThreadExit(void) { return fail(sticky); }
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) { return (void)config, fail(sticky); }
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) { return (void)config, fail(sticky); }
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) { return (void)config, fail(sticky); }
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) { return (void)config, fail(find(function) != NULL ? sticky : cudaErrorInvalidDeviceFunction); }
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) { return (void)config, fail(find(function) != NULL ? sticky : cudaErrorInvalidDeviceFunction); }
cudaError_t cudaDriverGetVersion(int *version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int d) {
    if (device(d) != cudaSuccess) return cudaPeekAtLastError();
    const struct machine *m = machine();
    *p = (struct cudaDeviceProp){
        .totalGlobalMem = m->memory, .sharedMemPerBlock = m->shared, .regsPerBlock = (int)m->registers, .warpSize = (int)m->warp,
        .memPitch = m->memory, .maxThreadsPerBlock = (int)m->threads, .maxThreadsDim = {(int)m->threads, (int)m->threads, 64},
        .maxGridSize = {2147483647, 65535, 65535}, .clockRate = (int)m->core_khz, .totalConstMem = 65536,
        .major = (int)m->major, .minor = (int)m->minor, .multiProcessorCount = (int)m->sms, .unifiedAddressing = 1,
        .memoryClockRate = (int)m->dram_khz, .memoryBusWidth = (int)m->bus_bits, .l2CacheSize = (int)m->l2,
        .maxThreadsPerMultiProcessor = (int)m->resident, .maxBlocksPerMultiProcessor = (int)m->blocks,
        .sharedMemPerMultiprocessor = m->shared, .regsPerMultiprocessor = (int)m->registers,
    };
    memcpy(p->name, m->name, sizeof m->name);
    return fail(sticky);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int d) {
    struct cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, d);
    if (error != cudaSuccess) return error;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p.sharedMemPerBlock; break;
    case cudaDevAttrTotalConstantMemory: *value = (int)p.totalConstMem; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrClockRate: *value = p.clockRate; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrMemoryClockRate: *value = p.memoryClockRate; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    default:
        fprintf(stderr, "cuda: cudaDeviceGetAttribute: attribute %d is not known\n", attribute);
        return fail(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

// Streams are worked off in the order of the calls. An event is a point in simulated time.

struct CUstream_st { int unused; };
struct CUevent_st { uint64_t picoseconds; int recorded; };

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    return fail(*stream != NULL ? sticky : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return free(stream), fail(sticky); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return (void)stream, fail(sticky); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return (void)stream, fail(sticky); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) { return (void)stream, (void)event, (void)flags, fail(sticky); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    (void)flags;
    *event = calloc(1, sizeof **event);
    return fail(*event != NULL ? sticky : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return free(event), fail(sticky); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return fail(event != NULL ? sticky : cudaErrorInvalidResourceHandle); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)stream;
    struct answer a;
    if (event == NULL) return fail(cudaErrorInvalidResourceHandle);
    cudaError_t error = ask((struct request){.op = TIME}, NULL, &a, NULL, 0);
    *event = (struct CUevent_st){a.a, 1};
    return fail(error);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (start == NULL || end == NULL || !start->recorded || !end->recorded) return fail(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)((double)(end->picoseconds - start->picoseconds) / 1e9);
    return fail(sticky);
}
