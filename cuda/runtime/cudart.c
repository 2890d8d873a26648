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
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime.h"

enum op { HELLO, MODULE, FUNCTION, VARIABLE, ALLOC, FREE, WRITE, READ, COPY, SET, LAUNCH, TIME, LEFT, OCCUPANCY, POINTER, RESET, UNLOAD, VIRTUAL };

enum { PROTOCOL = 1, MAGIC = 0x44764721 }; // what a program begins with, and each request and answer
enum { MAX_ANSWER = 1 << 30 };             // bytes that follow an answer

struct request {
    uint32_t magic, op, window, unused; // window: the bytes of a copy go through it
    uint64_t a, b, c;
    uint64_t bytes; // that follow
};

struct answer {
    uint32_t magic, error, sticky, unused;
    uint64_t a, b;
    uint64_t bytes; // that follow
};

// What hello answers: name is the machine's.
struct machine {
    uint64_t sms, warp, threads, shared, registers, core_khz, memory, l2, dram_khz, bus_bits, resident, blocks, major, minor;
    char name[64];
};

struct module {
    const char *text;
    int sent, heap; // sent: -1 if it is no more; heap: it has got its part of the device's heap, or needs none
};

struct symbol { // a kernel or a variable
    const void *host;
    const char *name;
    uint64_t module;
    struct layout *layout; // of a kernel that was used
    uint64_t addr;         // of a variable that was used
    size_t size;
    struct symbol *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int server = -1;
static pid_t owner;   // the process that has connected to the server
static int started;   // it has started the server, too
static int inherited; // this process was forked from one that has the device
static struct module *modules;
static uint32_t module_count;
static struct symbol *symbols[1024];
static cudaError_t sticky;
static __thread cudaError_t last;

// The heap of the device's malloc (include/divergo/heap.h), once a program uses it. Modules know it by a variable each.
static const char heap_name[] = "divergo_heap";
static uint64_t heap;
enum { heap_head = 512 }; // bytes for struct divergo_heap_head, and the first block behind them

// Memory that the host and the device both use: the host's copy goes to the device before each launch, and comes back
// behind it. Launches are over when the call returns.
struct managed {
    void *host;
    uint64_t device; // the same address, but for variables
    size_t bytes;
    struct managed *next;
};
static struct managed *managed;

static struct managed *find_managed(const void *p) {
    for (struct managed *m = managed; m != NULL; m = m->next)
        if (p >= m->host && (const char *)p < (char *)m->host + m->bytes) return m;
    return NULL;
}

// Device memory lies below, and a program that is linked to run anywhere above.
static int on_device(const void *p) { return (uintptr_t)p < 1ull << 32 && find_managed(p) == NULL; }

// in_place is whether the program lies where no device memory does.
static int in_place(void) {
    if ((uintptr_t)&server >= 1ull << 32) return 1;
    fprintf(stderr, "cuda: the program is linked to addresses that the device has: link it with -pie\n");
    sticky = cudaErrorInitializationError;
    return 0;
}

static cudaError_t fail(cudaError_t error) {
    if (error != cudaSuccess) last = error;
    return error;
}

cudaError_t divergo_fail(cudaError_t error) { return fail(error); }

static cudaError_t gone(void) {
    if (sticky == cudaSuccess) fprintf(stderr, "cuda: divergo does not answer\n");
    return sticky = cudaErrorUnknown;
}

// send_all sends two pieces as one, so that the simulator wakes up once.
static int send_all(const void *head, size_t head_bytes, const void *data, size_t bytes) {
    struct iovec parts[2] = {{(void *)head, head_bytes}, {(void *)data, bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        ssize_t n = sendmsg(server, &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        for (int i = 0; i < 2; i++) {
            size_t part = (size_t)n < parts[i].iov_len ? (size_t)n : parts[i].iov_len;
            parts[i].iov_base = (char *)parts[i].iov_base + part;
            parts[i].iov_len -= part;
            n -= (ssize_t)part;
        }
    }
    return 1;
}

// broken ends a connection on which something came that is no answer.
static cudaError_t broken(void) {
    if (sticky == cudaSuccess) fprintf(stderr, "cuda: found no answer of divergo on descriptor %d: something else has written to it\n", server);
    shutdown(server, SHUT_RDWR);
    return sticky = cudaErrorUnknown;
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

// The window is memory that the program and the simulator share. A long copy goes through it: one of the two fills a half
// while the other empties the other half, and a byte over the socket says that it is done.
enum { HALF = 1 << 20 };
static char *window;

static int say(void) { return send_all("", 1, NULL, 0); }

static int hear(void) {
    char done;
    return receive_all(&done, 1);
}

static int push(const char *from, size_t bytes) {
    int filled = 0;
    for (size_t at = 0; at < bytes; at += HALF, filled++) {
        if (filled >= 2 && !hear()) return 0;
        memcpy(window + filled % 2 * HALF, from + at, bytes - at < HALF ? bytes - at : HALF);
        if (!say()) return 0;
    }
    return hear() && (filled < 2 || hear());
}

static int pull(char *to, size_t bytes) {
    int emptied = 0;
    for (size_t at = 0; at < bytes; at += HALF, emptied++) {
        if (!hear()) return 0;
        memcpy(to + at, window + emptied % 2 * HALF, bytes - at < HALF ? bytes - at : HALF);
        if (!say()) return 0;
    }
    return 1;
}

// share gives the simulator the window.
static int share(void) {
    int file = memfd_create("divergo", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, 2 * HALF) != 0 || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return 0;
    window = mmap(NULL, 2 * HALF, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (window == MAP_FAILED) return 0;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof file)];
    } control = {0};
    struct iovec part = {&(char){PROTOCOL}, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room};
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(&control.head), &file, sizeof file);
    int sent = sendmsg(server, &message, MSG_NOSIGNAL) == 1;
    close(file);
    return sent;
}

// exchange sends a request and waits for the answer. The bytes of the answer go to *out if there is room for them,
// or into new memory where *out is NULL.
static cudaError_t exchange(struct request *r, const void *data, struct answer *a, void **out, size_t room) {
    r->magic = MAGIC;
    r->window = (r->op == WRITE || r->op == READ) && r->b > HALF / 16; // a shorter one would wait longer than it takes
    if (r->op == WRITE && !r->window) r->bytes = r->b;
    if (!send_all(r, sizeof *r, data, r->bytes) || !receive_all(a, sizeof *a)) return gone();
    if (a->magic != MAGIC || a->bytes > MAX_ANSWER || (a->bytes > 0 && out == NULL)) return broken();
    if (r->window) {
        if (a->error == cudaSuccess && !(r->op == WRITE ? push(data, r->b) : pull(*out, r->b))) return gone();
    } else if (a->bytes > 0) {
        if (*out == NULL) *out = malloc(room = a->bytes);
        if (*out == NULL || a->bytes > room) return broken();
        if (!receive_all(*out, a->bytes)) return gone();
    }
    if (a->sticky) sticky = a->error;
    return a->error;
}

// forked leaves the device to the process that has it: what this one did with it would be done to the other's. The lock
// may be held by a thread that is not in this process.
static void forked(void) {
    if (server < 0) return;
    close(server);
    server = -1, inherited = 1;
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    sticky = cudaErrorInitializationError;
}

// take gets the socket of "divergo cuda run", on which a byte waits for the first process that uses the device.
static void take(const char *given) {
    char first;
    server = atoi(given);
    unsetenv("DIVERGO_FD");
    if (recv(server, &first, 1, MSG_DONTWAIT) == 1) {
        fcntl(server, F_SETFD, FD_CLOEXEC);
        return;
    }
    fprintf(stderr, "cuda: another process of the program has the device, or descriptor %s was closed: without \"divergo cuda run\" each process has a device of its own\n", given);
    server = -1;
    sticky = cudaErrorDevicesUnavailable;
}

// execute becomes the simulator, with its end of the socket. DIVERGO_PROGRAM tells it the file of the
// program, which no output may replace.
static void execute(int socket) {
    const char *own = getenv("DIVERGO");
    char fd[16], program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1); // Linux
    if (length > 0) {
        program[length] = 0;
        setenv("DIVERGO_PROGRAM", program, 1);
    }
    fcntl(socket, F_SETFD, 0);
    snprintf(fd, sizeof fd, "%d", socket);
    if (own != NULL) {
        execlp(own, own, "cuda", "serve", fd, (char *)NULL);
    } else {
        execlp("divergo", "divergo", "cuda", "serve", fd, (char *)NULL);
        execl(DIVERGO_PATH, "divergo", "cuda", "serve", fd, (char *)NULL);
    }
    fprintf(stderr, "cuda: %s: %s: DIVERGO names the simulator, if it is not in PATH\n", own != NULL ? own : "divergo", strerror(errno));
    _exit(127);
}

// connect_server starts the simulator, not as a child: the program may wait for all that it has.
static void connect_server(void) {
    const char *given = getenv("DIVERGO_FD");
    if (given != NULL) {
        take(given);
        return;
    }
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
    fflush(NULL);
    pid_t between = fork();
    if (between == 0) {
        if (fork() == 0) execute(pair[1]);
        _exit(0);
    }
    close(pair[1]);
    while (waitpid(between, NULL, 0) < 0 && errno == EINTR) {}
    server = pair[0], started = 1;
}

static void start(void) {
    if (!in_place()) return;
    connect_server();
    if (server < 0) return;
    owner = getpid();
    pthread_atfork(NULL, NULL, forked);
    if (share()) return;
    fprintf(stderr, "cuda: memory that the program shares with divergo: %s\n", strerror(errno));
    sticky = cudaErrorInitializationError;
}

// The simulator prints its statistics when the program is through, and closes its end of the socket behind them.
__attribute__((destructor)) static void finish(void) {
    if (server < 0 || owner != getpid()) return;
    shutdown(server, SHUT_WR);
    char rest[64];
    while (started) {
        ssize_t n = recv(server, rest, sizeof rest, 0);
        if (n == 0 || (n < 0 && errno != EINTR)) return;
    }
}

int divergo_used;
__thread int divergo_driver;

// ask is exchange for a program that may not have begun yet. All modules have been sent before.
static cudaError_t ask(struct request r, const void *data, struct answer *a, void **out, size_t room) {
    struct answer ignored;
    if (a == NULL) a = &ignored;
    *a = (struct answer){0};
    if (!divergo_driver) divergo_used = 1;
    if (inherited || (server >= 0 && owner != getpid())) { // the other without fork()
        static int told;
        if (!told) fprintf(stderr, "cuda: this process was forked from one that uses the device: use it first behind the fork, or in one of the two\n");
        told = 1;
        return cudaErrorInitializationError;
    }
    pthread_mutex_lock(&lock);
    if (server < 0 && sticky == cudaSuccess) start();
    for (uint32_t i = 0; i < module_count && sticky == cudaSuccess; i++) {
        if (modules[i].sent) continue;
        modules[i].sent = 1;
        modules[i].heap = strstr(modules[i].text, heap_name) == NULL;
        struct request m = {.op = MODULE, .a = i + 1, .bytes = strlen(modules[i].text)};
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

static struct symbol *add(void **handle, const void *host, const char *name) {
    struct symbol *s = calloc(1, sizeof *s);
    if (s == NULL) abort();
    *s = (struct symbol){.host = host, .name = name, .module = (uintptr_t)handle, .next = *chain(host)};
    *chain(host) = s;
    return s;
}

void **__cudaRegisterFatBinary(void *wrapper) {
    struct { int magic, version; const char *text; void *unused; } *w = wrapper;
    modules = realloc(modules, (module_count + 1) * sizeof *modules);
    if (modules == NULL) abort();
    modules[module_count++] = (struct module){.text = w->text};
    return (void **)(uintptr_t)module_count;
}

// Variables that are both the host's and the device's are in a section of their own (host_defines.h).
extern char __start_divergo_managed[] __attribute__((weak)), __stop_divergo_managed[] __attribute__((weak));
static struct symbol *shared_variables; // that have been registered

static cudaError_t variable(const void *host, struct symbol **s);
static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);

// Their initial values are those of the device's code.
void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
    for (struct symbol *s = shared_variables; s != NULL; s = s->next) {
        struct symbol *same;
        struct managed *m = calloc(1, sizeof *m);
        if (m == NULL) abort();
        if (variable(s->host, &same) != cudaSuccess) continue;
        copy((void *)s->host, (const void *)same->addr, same->size, cudaMemcpyDeviceToHost);
        *m = (struct managed){(void *)s->host, same->addr, same->size, managed};
        managed = m;
    }
    shared_variables = NULL;
}
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

void __cudaRegisterFunction(void **handle, const char *host, char *stub, const char *name, int limit, void *tid, void *bid, void *block, void *grid, int *size) {
    (void)stub, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
    add(handle, host, name);
}

void __cudaRegisterVar(void **handle, char *host, char *alias, const char *name, int external, size_t bytes, int constant, int global) {
    (void)alias, (void)external, (void)bytes, (void)constant, (void)global;
    struct symbol *s = add(handle, host, name);
    if (host < __start_divergo_managed || host >= __stop_divergo_managed) return;
    struct symbol *copied = malloc(sizeof *copied);
    if (copied == NULL) abort();
    *copied = *s;
    copied->next = shared_variables;
    shared_variables = copied;
}

static __thread struct { dim3 grid, block; size_t shared; void *stream; } pushed;

void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device, const char *name, int dimensions, int normalized, int external) {
    (void)device, (void)dimensions, (void)normalized, (void)external;
    add(handle, host, name);
}

void __cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **device, const char *name, int dimensions, int external) {
    (void)device, (void)dimensions, (void)external;
    add(handle, host, name);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
    pushed.grid = grid, pushed.block = block, pushed.shared = shared, pushed.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void **stream) {
    *grid = pushed.grid, *block = pushed.block, *shared = pushed.shared, *stream = pushed.stream;
    return cudaSuccess;
}

// Kernels.

// forget leaves the number of a module without one: it is not sent again, and its text is the caller's.
static void forget(uint64_t module) {
    pthread_mutex_lock(&lock);
    modules[module - 1] = (struct module){.text = "", .sent = -1, .heap = 1};
    pthread_mutex_unlock(&lock);
}

cudaError_t divergo_module(const char *text, uint64_t *number) {
    if (sticky != cudaSuccess) return sticky;
    pthread_mutex_lock(&lock);
    modules = realloc(modules, (module_count + 1) * sizeof *modules);
    if (modules == NULL) abort();
    modules[module_count++] = (struct module){.text = text, .sent = 1, .heap = strstr(text, heap_name) == NULL};
    *number = module_count;
    pthread_mutex_unlock(&lock);
    cudaError_t error = ask((struct request){.op = MODULE, .a = *number, .b = 1, .bytes = strlen(text)}, text, NULL, NULL, 0);
    if (error != cudaSuccess) forget(*number);
    return error;
}

cudaError_t divergo_unload(uint64_t module) {
    forget(module);
    return ask((struct request){.op = UNLOAD, .a = module}, NULL, NULL, NULL, 0);
}

cudaError_t divergo_function(uint64_t module, const char *name, struct layout **l) {
    void *out = NULL;
    struct answer a;
    cudaError_t error = ask((struct request){.op = FUNCTION, .a = module, .bytes = strlen(name)}, name, &a, &out, 0);
    *l = out;
    return error;
}

static cudaError_t known(const void *function) {
    if (find(function) != NULL) return sticky;
    fprintf(stderr, "cuda: %p is no kernel of the program\n", function);
    return cudaErrorInvalidDeviceFunction;
}

cudaError_t divergo_kernel(const void *function, struct layout **l) {
    cudaError_t error = known(function);
    if (error != cudaSuccess) return error;
    struct symbol *s = find(function);
    if (s->layout == NULL) {
        error = divergo_function(s->module, s->name, &s->layout);
        if (error != cudaSuccess) return error;
    }
    *l = s->layout;
    return cudaSuccess;
}

// What a device may use of stacks and buffers. The stack is sm.stack of the configuration, and grows as far as it must.
static size_t limits[] = {[cudaLimitStackSize] = 1024, [cudaLimitPrintfFifoSize] = 1 << 20, [cudaLimitMallocHeapSize] = 8 << 20, [cudaLimitPersistingL2CacheSize] = 0};

// give_heap tells a module where the heap is: its declaration in PTX ends with the variable's name, which the compiler
// may have made longer, and a semicolon.
static cudaError_t give_heap(uint32_t i) {
    cudaError_t error = cudaSuccess;
    if (heap == 0) {
        struct answer a;
        const uint64_t head[2] = {limits[cudaLimitMallocHeapSize] + heap_head, heap_head};
        error = ask((struct request){.op = ALLOC, .a = head[0]}, NULL, &a, NULL, 0);
        if (error == cudaSuccess) error = ask((struct request){.op = SET, .a = a.a, .b = 0, .c = heap_head}, NULL, NULL, NULL, 0);
        if (error == cudaSuccess) error = ask((struct request){.op = WRITE, .a = a.a, .b = sizeof head}, head, NULL, NULL, 0);
        heap = a.a;
    }
    static const char in_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
    for (const char *at = modules[i].text; error == cudaSuccess && (at = strstr(at, heap_name)) != NULL;) {
        const char *from = at, *to = at + strspn(at, in_names);
        while (strchr(in_names, from[-1]) != NULL) from--;
        at = to;
        if (*to != ';' || from[-1] != ' ') continue;
        struct answer a;
        error = ask((struct request){.op = VARIABLE, .a = i + 1, .bytes = (uint64_t)(to - from)}, from, &a, NULL, 0);
        if (error == cudaSuccess) error = ask((struct request){.op = WRITE, .a = a.a, .b = sizeof heap}, &heap, NULL, NULL, 0);
    }
    modules[i].heap = 1;
    return error;
}

cudaError_t divergo_launch(const struct layout *l, dim3 grid, dim3 block, size_t shared, void **args, const void *bank, size_t bytes) {
    struct { uint32_t grid[3], block[3]; uint64_t shared; } head = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared};
    char *data = calloc(1, sizeof head + l->bank);
    if (data == NULL) return cudaErrorLaunchOutOfResources;
    memcpy(data, &head, sizeof head);
    if (bank != NULL) memcpy(data + sizeof head, bank, bytes < l->bank ? bytes : l->bank);
    else
        for (uint64_t i = 0; i < l->params; i++) memcpy(data + sizeof head + l->at[i][0], args[i], l->at[i][1]);
    cudaError_t error = cudaSuccess;
    for (uint32_t i = 0; i < module_count && error == cudaSuccess; i++)
        if (!modules[i].heap) error = give_heap(i);
    for (struct managed *m = managed; m != NULL && error == cudaSuccess; m = m->next)
        error = ask((struct request){.op = WRITE, .a = m->device, .b = m->bytes}, m->host, NULL, NULL, 0);
    void *printed = NULL;
    struct answer a = {0};
    if (error == cudaSuccess) error = ask((struct request){.op = LAUNCH, .a = l->handle, .bytes = sizeof head + l->bank}, data, &a, &printed, 0);
    free(data);
    if (printed != NULL) fwrite(printed, 1, a.bytes, stdout);
    free(printed);
    for (struct managed *m = managed; m != NULL && error == cudaSuccess; m = m->next) {
        void *out = m->host;
        error = ask((struct request){.op = READ, .a = m->device, .b = m->bytes}, NULL, &a, &out, m->bytes);
    }
    return error;
}

static struct work launch_work(const void *function, dim3 grid, dim3 block, void **args, size_t shared, int cooperative) {
    return (struct work){.type = cudaGraphNodeTypeKernel, .kernel = {(void *)function, grid, block, (unsigned int)shared, args, NULL}, .cooperative = cooperative};
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
    if (capturing(stream)) {
        struct work w = launch_work(function, grid, block, args, shared, 0);
        return divergo_capture(stream, &w);
    }
    struct layout *l;
    cudaError_t error = divergo_kernel(function, &l);
    return fail(error == cudaSuccess ? divergo_launch(l, grid, block, shared, args, NULL, 0) : error);
}

// All blocks of a grid whose threads may wait for each other run at a time, or none.
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
    if (capturing(stream)) {
        struct work w = launch_work(function, grid, block, args, shared, 1);
        return divergo_capture(stream, &w);
    }
    int blocks = 0;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, (int)(block.x * block.y * block.z), shared);
    if (error != cudaSuccess) return error;
    const uint64_t wanted = (uint64_t)grid.x * grid.y * grid.z, room = (uint64_t)blocks * machine()->sms;
    if (wanted > room) {
        fprintf(stderr, "cuda: cudaLaunchCooperativeKernel: %llu blocks, and %llu of them can run at a time\n", (unsigned long long)wanted, (unsigned long long)room);
        return fail(cudaErrorCooperativeLaunchTooLarge);
    }
    return cudaLaunchKernel(function, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *how, const void *function, void **args) {
    if (how == NULL) return fail(cudaErrorInvalidConfiguration);
    for (unsigned int i = 0; i < how->numAttrs; i++)
        if (how->attrs[i].id == cudaLaunchAttributeCooperative && how->attrs[i].val.cooperative)
            return cudaLaunchCooperativeKernel(function, how->gridDim, how->blockDim, args, how->dynamicSmemBytes, how->stream);
    return cudaLaunchKernel(function, how->gridDim, how->blockDim, args, how->dynamicSmemBytes, how->stream);
}

// The call that was configured last is pushed as that of a <<<>>> is.
static __thread struct { char *bank; size_t bytes; } arguments;

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    arguments.bytes = 0;
    __cudaPushCallConfiguration(grid, block, shared, stream);
    return fail(sticky);
}

cudaError_t cudaSetupArgument(const void *argument, size_t bytes, size_t offset) {
    if (offset + bytes > arguments.bytes) {
        char *more = realloc(arguments.bank, offset + bytes);
        if (more == NULL) return fail(cudaErrorMemoryAllocation);
        memset(more + arguments.bytes, 0, offset + bytes - arguments.bytes);
        arguments.bank = more, arguments.bytes = offset + bytes;
    }
    memcpy(arguments.bank + offset, argument, bytes);
    return fail(sticky);
}

cudaError_t cudaLaunch(const void *function) {
    struct layout *l;
    cudaError_t error = divergo_kernel(function, &l);
    if (error == cudaSuccess && capturing(pushed.stream)) error = cudaErrorStreamCaptureUnsupported;
    if (error != cudaSuccess) return fail(error);
    static char none;
    return fail(divergo_launch(l, pushed.grid, pushed.block, pushed.shared, NULL, arguments.bytes > 0 ? arguments.bank : &none, arguments.bytes));
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    struct layout *l;
    cudaError_t error = divergo_kernel(function, &l);
    if (error != cudaSuccess) return fail(error);
    int target = (int)(machine()->major * 10 + machine()->minor);
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = l->shared, .localSizeBytes = l->local, .maxThreadsPerBlock = (int)l->threads, .numRegs = (int)l->registers,
        .ptxVersion = target, .binaryVersion = target, .maxDynamicSharedSizeBytes = (int)(machine()->shared - l->shared),
    };
    return cudaSuccess;
}

// Shared memory is as large as the configuration says, and all of it can be had by any kernel.
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
    struct layout *l;
    cudaError_t error = divergo_kernel(function, &l);
    if (error != cudaSuccess) return fail(error);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (uint64_t)value + l->shared > machine()->shared) {
            fprintf(stderr, "cuda: cudaFuncSetAttribute: %d bytes of dynamic shared memory: the kernel has %llu bytes, and a block can have %llu\n", value, (unsigned long long)l->shared, (unsigned long long)machine()->shared);
            return fail(cudaErrorInvalidValue);
        }
        return fail(sticky);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        return fail(value >= -1 && value <= 100 ? sticky : cudaErrorInvalidValue);
    default:
        fprintf(stderr, "cuda: cudaFuncSetAttribute: attribute %d is not known\n", attribute);
        return fail(cudaErrorInvalidValue);
    }
}

cudaError_t divergo_occupancy(int *blocks, const struct layout *l, int threads, size_t shared) {
    struct answer a;
    cudaError_t error = ask((struct request){.op = OCCUPANCY, .a = l->handle, .b = (uint64_t)threads, .c = shared}, NULL, &a, NULL, 0);
    if (error == cudaSuccess) *blocks = (int)a.a;
    return error;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared) {
    struct layout *l;
    cudaError_t error = divergo_kernel(function, &l);
    return fail(error == cudaSuccess ? divergo_occupancy(blocks, l, threads, shared) : error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads, size_t shared, unsigned int flags) {
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads) {
    struct layout *l;
    cudaError_t error = divergo_kernel(function, &l);
    if (error != cudaSuccess || blocks <= 0) return fail(error != cudaSuccess ? error : cudaErrorInvalidValue);
    // The most with which so many blocks fit.
    size_t low = 0, high = machine()->shared;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        int fit = 0;
        error = divergo_occupancy(&fit, l, threads, middle);
        if (error != cudaSuccess) return fail(error);
        if (fit >= blocks) low = middle;
        else high = middle - 1;
    }
    *bytes = low;
    return cudaSuccess;
}

// Memory.

cudaError_t cudaMalloc(void **address, size_t bytes) {
    struct answer a;
    if (address == NULL) return fail(cudaErrorInvalidValue);
    cudaError_t error = ask((struct request){.op = ALLOC, .a = bytes}, NULL, &a, NULL, 0);
    if (error == cudaSuccess) *address = (void *)a.a;
    return fail(error);
}

cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream) {
    cudaError_t error = cudaMalloc(address, bytes);
    if (error != cudaSuccess || !capturing(stream)) return error;
    struct work w = {.type = cudaGraphNodeTypeMemAlloc, .address = *address};
    return divergo_capture(stream, &w);
}

// Pools keep nothing: what is freed is free.
struct CUmemPoolHandle_st { uint64_t release; int reuse[4]; };
static struct CUmemPoolHandle_st default_pool = {.reuse = {0, 1, 1, 1}};
static cudaMemPool_t pool = &default_pool;

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int d) { return *p = &default_pool, fail(d == 0 ? sticky : cudaErrorInvalidDevice); }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *p, int d) { return *p = pool, fail(d == 0 ? sticky : cudaErrorInvalidDevice); }
cudaError_t cudaDeviceSetMemPool(int d, cudaMemPool_t p) {
    if (d != 0 || p == NULL) return fail(d != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    return pool = p, fail(sticky);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *p, const struct cudaMemPoolProps *properties) {
    if (p == NULL || properties == NULL || properties->allocType != cudaMemAllocationTypePinned) return fail(cudaErrorInvalidValue);
    if (properties->location.type == cudaMemLocationTypeHost || properties->location.type == cudaMemLocationTypeHostNuma) {
        fprintf(stderr, "cuda: cudaMemPoolCreate: memory pools of the host are not supported\n");
        return fail(cudaErrorNotSupported);
    }
    if (properties->location.type != cudaMemLocationTypeDevice) return fail(cudaErrorInvalidValue);
    if (properties->location.id != 0) return fail(cudaErrorInvalidDevice);
    *p = malloc(sizeof **p);
    if (*p == NULL) return fail(cudaErrorMemoryAllocation);
    **p = (struct CUmemPoolHandle_st){.reuse = {0, 1, 1, 1}};
    return fail(sticky);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t p) {
    if (p == NULL || p == &default_pool) return fail(cudaErrorInvalidValue);
    if (pool == p) pool = &default_pool;
    free(p);
    return fail(sticky);
}

static cudaError_t pool_attribute(cudaMemPool_t p, enum cudaMemPoolAttr attribute, void *value, int set) {
    if (p == NULL || value == NULL) return fail(cudaErrorInvalidValue);
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        if (set) p->release = *(uint64_t *)value;
        else *(uint64_t *)value = p->release;
        return fail(sticky);
    }
    if (attribute < cudaMemPoolReuseFollowEventDependencies || attribute > cudaMemPoolReuseAllowInternalDependencies) {
        fprintf(stderr, "cuda: attribute %d of memory pools is not supported\n", attribute);
        return fail(cudaErrorNotSupported);
    }
    if (set) p->reuse[attribute] = *(int *)value;
    else *(int *)value = p->reuse[attribute];
    return fail(sticky);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr attribute, void *value) { return pool_attribute(p, attribute, value, 1); }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr attribute, void *value) { return pool_attribute(p, attribute, value, 0); }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t p, size_t bytes) { return (void)bytes, fail(p != NULL ? sticky : cudaErrorInvalidValue); }
// The one device can access what is in the pools of the one device.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t p, const struct cudaMemAccessDesc *access, size_t count) {
    if (p == NULL || (access == NULL && count > 0)) return fail(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        if (access[i].location.type != cudaMemLocationTypeDevice) return fail(cudaErrorInvalidValue);
        if (access[i].location.id != 0) return fail(cudaErrorInvalidDevice);
        if (access[i].flags != cudaMemAccessFlagsProtReadWrite) return fail(cudaErrorInvalidValue);
    }
    return fail(sticky);
}
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t p, struct cudaMemLocation *location) {
    if (p == NULL || location == NULL || location->type != cudaMemLocationTypeDevice) return fail(cudaErrorInvalidValue);
    return *flags = cudaMemAccessFlagsProtReadWrite, fail(location->id == 0 ? sticky : cudaErrorInvalidDevice);
}

cudaError_t cudaMallocFromPoolAsync(void **address, size_t bytes, cudaMemPool_t p, cudaStream_t stream) {
    return p != NULL ? cudaMallocAsync(address, bytes, stream) : fail(cudaErrorInvalidValue);
}

// Rows begin at multiples of 512 bytes, as the texture pitch of NVIDIA's devices wants it.
static size_t pitch_of(size_t width) { return (width + 511) / 512 * 512; }

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
    if (address == NULL || pitch == NULL) return fail(cudaErrorInvalidValue);
    *pitch = pitch_of(width);
    return cudaMalloc(address, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent) {
    if (p == NULL) return fail(cudaErrorInvalidValue);
    *p = (struct cudaPitchedPtr){.pitch = pitch_of(extent.width), .xsize = extent.width, .ysize = extent.height};
    return cudaMalloc(&p->ptr, p->pitch * extent.height * extent.depth);
}

// The host has the memory at the device's addresses, for which it keeps all of them free.
cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned int flags) {
    static const uintptr_t base = 0x10000000, end = 1ull << 32, page = 4096;
    static int reserved;
    (void)flags;
    if (address == NULL || bytes == 0) return fail(cudaErrorInvalidValue);
    if (!reserved && mmap((void *)base, end - base, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != (void *)base) {
        fprintf(stderr, "cuda: cudaMallocManaged: the host uses the addresses %#lx to %#lx itself\n", (unsigned long)base, (unsigned long)end);
        return fail(cudaErrorMemoryAllocation);
    }
    reserved = 1;
    struct managed *m = calloc(1, sizeof *m);
    cudaError_t error = m == NULL ? cudaErrorMemoryAllocation : cudaMalloc(address, bytes);
    if (error != cudaSuccess) return free(m), fail(error);
    const uintptr_t from = (uintptr_t)*address & ~(page - 1), to = ((uintptr_t)*address + bytes + page - 1) & ~(page - 1);
    if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) != 0) return free(m), cudaFree(*address), fail(cudaErrorMemoryAllocation);
    memset(*address, 0, bytes);
    *m = (struct managed){*address, (uint64_t)*address, bytes, managed};
    managed = m;
    return cudaSuccess;
}

cudaError_t cudaFree(void *address) {
    if (address == NULL) return fail(ask((struct request){.op = TIME}, NULL, NULL, NULL, 0)); // many programs begin with it
    for (struct managed **at = &managed; *at != NULL; at = &(*at)->next)
        if ((*at)->host == address) {
            struct managed *m = *at;
            *at = m->next;
            free(m);
            break;
        }
    return fail(ask((struct request){.op = FREE, .a = (uint64_t)address}, NULL, NULL, NULL, 0));
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t stream) {
    struct work w = {.type = cudaGraphNodeTypeMemFree, .address = address};
    return capturing(stream) ? divergo_capture(stream, &w) : cudaFree(address);
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned int flags) {
    if (address == NULL) return fail(cudaErrorInvalidValue);
    if (flags & cudaHostAllocMapped) return cudaMallocManaged(address, bytes, cudaMemAttachGlobal);
    return fail(posix_memalign(address, 4096, bytes > 0 ? bytes : 1) == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocHost(void **address, size_t bytes) { return cudaHostAlloc(address, bytes, 0); }

cudaError_t cudaFreeHost(void *address) {
    if (address != NULL && find_managed(address) != NULL) return cudaFree(address);
    if (address != NULL && on_device(address)) return fail(cudaErrorInvalidValue);
    free(address);
    return fail(sticky);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
    (void)flags;
    const struct managed *m = find_managed(host);
    if (m == NULL) {
        fprintf(stderr, "cuda: cudaHostGetDevicePointer: %p is not of cudaHostAlloc with cudaHostAllocMapped, nor of cudaHostRegister with cudaHostRegisterMapped\n", host);
        return fail(cudaErrorInvalidValue);
    }
    *device = (void *)(m->device + (uint64_t)((char *)host - (char *)m->host));
    return fail(sticky);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
    *flags = find_managed(host) != NULL ? cudaHostAllocMapped : cudaHostAllocDefault;
    return fail(sticky);
}

// The device has a copy of mapped memory, at an address of its own.
cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned int flags) {
    if (!(flags & cudaHostRegisterMapped)) return fail(sticky);
    if (find_managed(host) != NULL) return fail(cudaErrorHostMemoryAlreadyRegistered);
    void *device = NULL;
    struct managed *m = calloc(1, sizeof *m);
    cudaError_t error = m == NULL ? cudaErrorMemoryAllocation : host == NULL || bytes == 0 ? cudaErrorInvalidValue : cudaMalloc(&device, bytes);
    if (error != cudaSuccess) return free(m), fail(error);
    *m = (struct managed){host, (uint64_t)device, bytes, managed};
    managed = m;
    return fail(sticky);
}

cudaError_t cudaHostUnregister(void *host) {
    for (struct managed **at = &managed; *at != NULL; at = &(*at)->next)
        if ((*at)->host == host) {
            struct managed *m = *at;
            void *device = (void *)m->device;
            *at = m->next;
            free(m);
            return cudaFree(device);
        }
    return fail(sticky);
}
cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, int device, cudaStream_t stream) { return (void)at, (void)bytes, (void)device, (void)stream, fail(sticky); }
cudaError_t (cudaMemAdvise)(const void *at, size_t bytes, enum cudaMemoryAdvise advice, int device) { return (void)at, (void)bytes, (void)advice, (void)device, fail(sticky); }
static cudaError_t located(struct cudaMemLocation l) {
    if (l.type == cudaMemLocationTypeDevice) return l.id == 0 ? sticky : cudaErrorInvalidDevice;
    return l.type >= cudaMemLocationTypeHost && l.type <= cudaMemLocationTypeHostNumaCurrent ? sticky : cudaErrorInvalidValue;
}
cudaError_t cudaMemPrefetchAsync_v2(const void *at, size_t bytes, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream) {
    return (void)at, (void)bytes, (void)stream, fail(flags == 0 ? located(location) : cudaErrorInvalidValue);
}
cudaError_t cudaMemAdvise_v2(const void *at, size_t bytes, enum cudaMemoryAdvise advice, struct cudaMemLocation location) {
    int anywhere = advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly || advice == cudaMemAdviseUnsetPreferredLocation;
    return (void)at, (void)bytes, fail(anywhere ? sticky : located(location));
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *at, size_t bytes, unsigned int flags) { return (void)stream, (void)at, (void)bytes, (void)flags, fail(sticky); }

cudaError_t divergo_range(const void *address, void **start, size_t *bytes) {
    struct answer a;
    struct managed *m = find_managed(address);
    cudaError_t error = ask((struct request){.op = POINTER, .a = m != NULL ? m->device : (uint64_t)address}, NULL, &a, NULL, 0);
    *start = (void *)a.a, *bytes = a.b;
    return error;
}

cudaError_t divergo_virtual(enum divergo_virtual what, uint64_t a, uint64_t b, uint64_t c, uint64_t *answer) {
    struct answer got;
    cudaError_t error = ask((struct request){.op = VIRTUAL + (uint32_t)what, .a = a, .b = b, .c = c}, NULL, &got, NULL, 0);
    if (error == cudaSuccess && answer != NULL) *answer = got.a;
    return error;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *address) {
    if (attributes == NULL) return fail(cudaErrorInvalidValue);
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -1, .hostPointer = (void *)address};
    if (find_managed(address) != NULL) {
        *attributes = (struct cudaPointerAttributes){cudaMemoryTypeManaged, 0, (void *)address, (void *)address};
    } else if (on_device(address)) {
        void *start;
        size_t bytes;
        cudaError_t error = divergo_range(address, &start, &bytes);
        if (error != cudaSuccess) return fail(error);
        *attributes = (struct cudaPointerAttributes){cudaMemoryTypeDevice, 0, (void *)address, NULL};
    }
    return fail(sticky);
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total) {
    struct answer a;
    cudaError_t error = ask((struct request){.op = LEFT}, NULL, &a, NULL, 0);
    *left = a.a, *total = a.b;
    return fail(error);
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    if (bytes == 0) return sticky;
    if ((unsigned)kind <= cudaMemcpyDefault && (kind == cudaMemcpyDefault || find_managed(from) != NULL || find_managed(to) != NULL)) kind = (on_device(from) ? 2 : 0) + (on_device(to) ? 1 : 0);
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
        return ask((struct request){.op = WRITE, .a = (uint64_t)to, .b = bytes}, from, NULL, NULL, 0);
    case cudaMemcpyDeviceToHost:
        return ask((struct request){.op = READ, .a = (uint64_t)from, .b = bytes}, NULL, &a, &out, bytes);
    case cudaMemcpyDeviceToDevice:
        return ask((struct request){.op = COPY, .a = (uint64_t)to, .b = (uint64_t)from, .c = bytes}, NULL, NULL, NULL, 0);
    default:
        memmove(to, from, bytes);
        return sticky;
    }
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) { return fail(copy(to, from, bytes, kind)); }

// later captures a copy of rows, if the stream is captured.
static int later(cudaStream_t stream, cudaError_t *error, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
    if (!capturing(stream)) return 0;
    struct work w = divergo_copy_work(to, to_pitch, from, from_pitch, width, height, kind);
    *error = divergo_capture(stream, &w);
    return 1;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t error;
    return later(stream, &error, to, bytes, from, bytes, bytes, 1, kind) ? error : cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return fail(cudaErrorInvalidPitchValue);
    for (size_t y = 0; y < height; y++) {
        cudaError_t error = copy((char *)to + y * to_pitch, (const char *)from + y * from_pitch, width, kind);
        if (error != cudaSuccess) return fail(error);
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t error;
    return later(stream, &error, to, to_pitch, from, from_pitch, width, height, kind) ? error : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

// Rows and planes. Positions and widths are in elements: those of the array where one takes part, bytes otherwise.
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    size_t from_element = 1, to_element = 1;
    const struct cudaPitchedPtr from = p->srcArray != NULL ? divergo_array(p->srcArray, &from_element) : p->srcPtr;
    const struct cudaPitchedPtr to = p->dstArray != NULL ? divergo_array(p->dstArray, &to_element) : p->dstPtr;
    if (p->srcArray != NULL && p->dstArray != NULL && from_element != to_element) return fail(cudaErrorInvalidValue);
    const size_t width = p->extent.width * (from_element > to_element ? from_element : to_element);
    if (width > from.pitch || width > to.pitch) return fail(cudaErrorInvalidPitchValue);
    for (size_t z = 0; z < p->extent.depth; z++) {
        const char *in = (const char *)from.ptr + (p->srcPos.z + z) * from.pitch * from.ysize + p->srcPos.y * from.pitch + p->srcPos.x * from_element;
        char *out = (char *)to.ptr + (p->dstPos.z + z) * to.pitch * to.ysize + p->dstPos.y * to.pitch + p->dstPos.x * to_element;
        cudaError_t error = cudaMemcpy2D(out, to.pitch, in, from.pitch, width, p->extent.height, p->kind);
        if (error != cudaSuccess) return error;
    }
    return fail(sticky);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    struct work w = {.type = cudaGraphNodeTypeMemcpy, .copy = *p};
    return capturing(stream) ? divergo_capture(stream, &w) : cudaMemcpy3D(p);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
    if (to_device != 0 || from_device != 0) return fail(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t stream) {
    (void)stream;
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemset(void *at, int value, size_t bytes) {
    if (bytes == 0) return fail(sticky);
    if (find_managed(at) != NULL) return memset(at, value, bytes), fail(sticky);
    return fail(ask((struct request){.op = SET, .a = (uint64_t)at, .b = (unsigned char)value, .c = bytes}, NULL, NULL, NULL, 0));
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream) {
    struct work w = {.type = cudaGraphNodeTypeMemset, .set = {at, bytes, (unsigned char)value, 1, bytes, 1}};
    return capturing(stream) ? divergo_capture(stream, &w) : cudaMemset(at, value, bytes);
}

cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch) return fail(cudaErrorInvalidPitchValue);
    for (size_t y = 0; y < height; y++) {
        cudaError_t error = cudaMemset((char *)at + y * pitch, value, width);
        if (error != cudaSuccess) return error;
    }
    return fail(sticky);
}

cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    struct work w = {.type = cudaGraphNodeTypeMemset, .set = {at, pitch, (unsigned char)value, 1, width, height}};
    return capturing(stream) ? divergo_capture(stream, &w) : cudaMemset2D(at, pitch, value, width, height);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
    for (size_t z = 0; z < extent.depth; z++) {
        cudaError_t error = cudaMemset2D((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value, extent.width, extent.height);
        if (error != cudaSuccess) return error;
    }
    return fail(sticky);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent, cudaStream_t stream) {
    (void)stream;
    return cudaMemset3D(p, value, extent);
}

cudaError_t divergo_variable(uint64_t module, const char *name, uint64_t *address, size_t *bytes) {
    struct answer a;
    cudaError_t error = ask((struct request){.op = VARIABLE, .a = module, .bytes = strlen(name)}, name, &a, NULL, 0);
    if (error == cudaSuccess) *address = a.a, *bytes = a.b;
    return error;
}

static cudaError_t variable(const void *host, struct symbol **s) {
    if ((*s = find(host)) == NULL) return cudaErrorInvalidSymbol;
    if ((*s)->addr != 0) return sticky;
    return divergo_variable((*s)->module, (*s)->name, &(*s)->addr, &(*s)->size);
}

const void *divergo_named(const char *name) {
    if (find(name) != NULL) return name; // a variable that holds characters
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        for (const struct symbol *s = symbols[i]; s != NULL; s = s->next)
            if (strcmp(s->name, name) == 0) return s->host;
    return name;
}

static cudaError_t within(const struct symbol *s, size_t bytes, size_t offset) {
    if (offset <= s->size && bytes <= s->size - offset) return cudaSuccess;
    fprintf(stderr, "cuda: copy of %zu bytes at offset %zu: %s has %zu bytes\n", bytes, offset, s->name, (size_t)s->size);
    return cudaErrorInvalidValue;
}

// place is where a variable is: on the host if the device has a copy of it.
static void *place(const struct symbol *s) { return find_managed(s->host) != NULL ? (void *)s->host : (void *)s->addr; }

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    struct symbol *s;
    cudaError_t error = variable(symbol, &s);
    if (error == cudaSuccess) error = within(s, bytes, offset);
    return fail(error == cudaSuccess ? copy((char *)place(s) + offset, from, bytes, kind) : error);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    struct symbol *s;
    cudaError_t error = variable(symbol, &s);
    if (error == cudaSuccess) error = within(s, bytes, offset);
    return fail(error == cudaSuccess ? copy(to, (char *)place(s) + offset, bytes, kind) : error);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    if (capturing(stream)) {
        struct symbol *s;
        cudaError_t error = variable(symbol, &s);
        if (error == cudaSuccess) error = within(s, bytes, offset);
        char *at = error == cudaSuccess ? (char *)place(s) + offset : NULL;
        return error == cudaSuccess ? cudaMemcpyAsync(at, from, bytes, kind, stream) : fail(error);
    }
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    if (capturing(stream)) {
        struct symbol *s;
        cudaError_t error = variable(symbol, &s);
        if (error == cudaSuccess) error = within(s, bytes, offset);
        char *at = error == cudaSuccess ? (char *)place(s) + offset : NULL;
        return error == cudaSuccess ? cudaMemcpyAsync(to, at, bytes, kind, stream) : fail(error);
    }
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
    struct symbol *s;
    cudaError_t error = variable(symbol, &s);
    if (error != cudaSuccess) return fail(error);
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
// The device forgets its memory and its modules. What a launch has left behind that did not finish, stays.
cudaError_t cudaDeviceReset(void) {
    cudaError_t error = sticky;
    if (error == cudaSuccess) error = ask((struct request){.op = RESET}, NULL, NULL, NULL, 0);
    if (error != cudaSuccess) return fail(error);
    for (uint32_t i = 0; i < module_count; i++)
        if (modules[i].sent > 0) modules[i].sent = 0;
    heap = 0;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        for (struct symbol *s = symbols[i]; s != NULL; s = s->next) {
            free(s->layout);
            s->layout = NULL, s->addr = 0;
        }
    for (struct managed **at = &managed; *at != NULL;) {
        struct managed *m = *at;
        struct symbol *s = find(m->host);
        if (s != NULL && variable(m->host, &s) == cudaSuccess) { // a variable: it has its initial value again
            m->device = s->addr;
            struct answer a;
            void *out = m->host;
            ask((struct request){.op = READ, .a = m->device, .b = m->bytes}, NULL, &a, &out, m->bytes);
            at = &m->next;
            continue;
        }
        *at = m->next;
        free(m);
    }
    last = cudaSuccess;
    return cudaSuccess;
}

cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) { return (void)config, fail(sticky); }
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) { return (void)config, fail(sticky); }
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) { return (void)config, fail(sticky); }
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) { return (void)config, fail(known(function)); }
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) { return (void)config, fail(known(function)); }
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) { return *config = cudaFuncCachePreferNone, fail(sticky); }
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) { return *config = cudaSharedMemBankSizeFourByte, fail(sticky); }
cudaError_t cudaGetDeviceFlags(unsigned int *flags) { return *flags = cudaDeviceScheduleAuto, fail(sticky); }
cudaError_t cudaSetValidDevices(int *devices, int count) { return count > 0 && devices[0] == 0 ? fail(sticky) : fail(cudaErrorInvalidDevice); }

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    if ((size_t)limit >= sizeof limits / sizeof *limits) return fail(cudaErrorUnsupportedLimit);
    if (limit == cudaLimitMallocHeapSize && heap != 0) return fail(cudaErrorInvalidValue); // it is in use
    limits[limit] = value;
    return fail(sticky);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    if ((size_t)limit >= sizeof limits / sizeof *limits) return fail(cudaErrorUnsupportedLimit);
    *value = limits[limit];
    return fail(sticky);
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }

// There is one device, and no peer.
cudaError_t cudaDeviceCanAccessPeer(int *can, int d, int peer) {
    *can = 0;
    return fail(d == 0 && peer == 0 ? sticky : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int d, int peer) {
    (void)attribute;
    if (d != 0 || peer != 0) return fail(cudaErrorInvalidDevice);
    return *value = 0, fail(sticky);
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) { return (void)flags, fail(peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int peer) { return fail(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice); }

cudaError_t cudaDeviceGetPCIBusId(char *name, int length, int d) {
    if (device(d) != cudaSuccess) return cudaPeekAtLastError();
    snprintf(name, (size_t)length, "0000:00:00.0");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *d, const char *name) { return strstr(name, "00:00.0") != NULL ? (*d = 0, fail(sticky)) : fail(cudaErrorInvalidDevice); }

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
        .sharedMemPerMultiprocessor = m->shared, .regsPerMultiprocessor = (int)m->registers, .sharedMemPerBlockOptin = m->shared,
        .textureAlignment = 512, .texturePitchAlignment = 32, .canMapHostMemory = 1, .managedMemory = 1,
        .cooperativeLaunch = 1, .hostRegisterSupported = 1, .memoryPoolsSupported = 1,
        // Two engines copy beside kernels, one for each direction, as on Tesla GPUs since Fermi. Here copies take no simulated time.
        .deviceOverlap = 1, .asyncEngineCount = 2,
        // As compute capability 6.x has them (Programming Guide, "Technical Specifications per Compute Capability"), where memory is not the limit before.
        .surfaceAlignment = 512, .maxTexture1D = 131072, .maxTexture1DMipmap = 16384, .maxTexture1DLinear = 1 << 27,
        .maxTexture2D = {131072, 65536}, .maxTexture2DMipmap = {32768, 32768}, .maxTexture2DLinear = {131072, 65000, 2097120}, .maxTexture2DGather = {32768, 32768},
        .maxTexture3D = {16384, 16384, 16384}, .maxTexture3DAlt = {8192, 8192, 32768}, .maxTextureCubemap = 32768,
        .maxTexture1DLayered = {32768, 2048}, .maxTexture2DLayered = {32768, 32768, 2048}, .maxTextureCubemapLayered = {32768, 2046},
        .maxSurface1D = 32768, .maxSurface2D = {131072, 65536}, .maxSurface3D = {16384, 16384, 16384}, .maxSurface1DLayered = {32768, 2048},
        .maxSurface2DLayered = {32768, 32768, 2048}, .maxSurfaceCubemap = 32768, .maxSurfaceCubemapLayered = {32768, 2046},
    };
    memcpy(p->name, m->name, sizeof m->name);
    return fail(sticky);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int d) {
    struct cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, d);
    if (error != cudaSuccess) return error;
    switch ((int)attribute) {
#define CASE(number, name, driver, of) case number: *value = (int)of; break;
        DIVERGO_ATTRIBUTES(CASE)
    case 102: *value = 1; break; // those that the driver alone has (cuda.h)
    case 103: case 104: case 105: case 107: case 110: *value = 0; break;
    default:
        fprintf(stderr, "cuda: cudaDeviceGetAttribute: attribute %d is not known\n", attribute);
        return fail(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

// Streams and events.

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
    if (stream == NULL || flags > cudaStreamNonBlocking) return fail(cudaErrorInvalidValue);
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL) return fail(cudaErrorMemoryAllocation);
    static unsigned long long made_before = 2; // behind the two that are always there
    **stream = (struct CUstream_st){.flags = flags, .priority = priority, .id = __atomic_add_fetch(&made_before, 1, __ATOMIC_RELAXED)};
    (*stream)->attributes[cudaLaunchAttributePriority].priority = priority;
    return fail(sticky);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) { return *flags = made(stream) ? stream->flags : 0, fail(sticky); }
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) { return *priority = made(stream) ? stream->priority : 0, fail(sticky); }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least != NULL) *least = 0;
    if (greatest != NULL) *greatest = 0;
    return fail(sticky);
}

// What a stream is told of its launches is kept, and changes nothing: the L2 has no lines that persist.
static cudaLaunchAttributeValue *attribute_of(cudaStream_t stream, cudaLaunchAttributeID attribute) {
    static struct CUstream_st null;
    if ((unsigned)attribute >= cudaLaunchAttributeEnd || attribute == cudaLaunchAttributeIgnore) return NULL;
    return &(made(stream) ? stream : &null)->attributes[attribute];
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value) {
    cudaLaunchAttributeValue *at = attribute_of(stream, attribute);
    return at == NULL || value == NULL ? fail(cudaErrorInvalidValue) : (*at = *value, fail(sticky));
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value) {
    const cudaLaunchAttributeValue *at = attribute_of(stream, attribute);
    return at == NULL || value == NULL ? fail(cudaErrorInvalidValue) : (*value = *at, fail(sticky));
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    for (int i = cudaLaunchAttributeIgnore + 1; i < cudaLaunchAttributeEnd; i++) *attribute_of(to, (cudaLaunchAttributeID)i) = *attribute_of(from, (cudaLaunchAttributeID)i);
    return fail(sticky);
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) { return *id = made(stream) ? stream->id : (unsigned long long)(uintptr_t)stream, fail(sticky); }
cudaError_t cudaCtxResetPersistingL2Cache(void) { return fail(sticky); }
cudaError_t cudaInitDevice(int d, unsigned int device_flags, unsigned int flags) { return (void)device_flags, (void)flags, device(d); }

// Everything before is over.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags) {
    if (callback == NULL || flags != 0) return fail(cudaErrorInvalidValue);
    if (capturing(stream)) return fail(cudaErrorStreamCaptureUnsupported);
    callback(stream, sticky, data);
    return fail(sticky);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    if (function == NULL) return fail(cudaErrorInvalidValue);
    struct work w = {.type = cudaGraphNodeTypeHost, .host = {function, data}};
    if (capturing(stream)) return divergo_capture(stream, &w);
    if (sticky == cudaSuccess) function(data);
    return fail(sticky);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!made(stream)) return fail(cudaErrorInvalidResourceHandle);
    if (capturing(stream)) return fail(cudaErrorStreamCaptureUnsupported);
    free(stream);
    return fail(sticky);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return fail(capturing(stream) ? cudaErrorStreamCaptureUnsupported : sticky); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

// A stream that waits for an event of a capture takes part in it from then on.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    (void)flags;
    if (event == NULL) return fail(cudaErrorInvalidResourceHandle);
    if (event->graph == NULL) return fail(capturing(stream) && event->recorded ? cudaErrorStreamCaptureIsolation : sticky);
    if (!made(stream)) return fail(cudaErrorStreamCaptureImplicit);
    return divergo_join(stream, event);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    (void)flags;
    *event = calloc(1, sizeof **event);
    return fail(*event != NULL ? sticky : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (event == NULL) return fail(cudaErrorInvalidResourceHandle);
    free(event);
    return fail(sticky);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return fail(event == NULL ? cudaErrorInvalidResourceHandle : event->graph != NULL ? cudaErrorCapturedEvent : sticky); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    struct answer a;
    if (event == NULL) return fail(cudaErrorInvalidResourceHandle);
    if (capturing(stream)) {
        *event = (struct CUevent_st){.graph = stream->graph, .after = stream->last};
        return fail(sticky);
    }
    cudaError_t error = ask((struct request){.op = TIME}, NULL, &a, NULL, 0);
    *event = (struct CUevent_st){.picoseconds = a.a, .recorded = 1};
    return fail(error);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    (void)flags;
    return cudaEventRecord(event, stream);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (start == NULL || end == NULL || !start->recorded || !end->recorded) return fail(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)((double)(end->picoseconds - start->picoseconds) / 1e9);
    return fail(sticky);
}

// The rest of CUDA's runtime.

#define MISSING(name)                                               \
    cudaError_t name() {                                            \
        fprintf(stderr, "cuda: " #name " is not supported\n");      \
        return fail(cudaErrorNotSupported);                         \
    }
DIVERGO_MISSING(MISSING)
