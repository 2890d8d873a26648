// What programs do with processes and with the device's state, by the first argument.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__device__ int counter = 40;
__global__ void add(int *p, int n) { *p = atomicAdd(&counter, n) + n; }
__global__ void print() { printf("%d\n", counter); }

static const char *name(cudaError_t e) { return cudaGetErrorName(e); }

// use has the device add, and says what came of it.
static void use(const char *who) {
    int *p, result = -1;
    cudaError_t e = cudaMalloc(&p, sizeof *p);
    if (e == cudaSuccess) {
        add<<<1, 1>>>(p, 2);
        e = cudaMemcpy(&result, p, sizeof result, cudaMemcpyDeviceToHost);
    }
    printf("%s: %s, %d\n", who, name(e), result);
    fflush(stdout);
}

static void wait_all() { while (wait(NULL) > 0) {} }

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    auto is = [&](const char *name) { return strcmp(what, name) == 0; };
    if (is("exit")) { // a child that ends as a program does
        use("parent");
        if (fork() == 0) exit(0);
        wait_all();
        use("parent");
        return 0;
    }
    if (is("child")) { // a child that goes on with its parent's device
        use("parent");
        if (fork() == 0) {
            use("child");
            printf("child: %s, %s\n", name(cudaGetLastError()), name(cudaDeviceSynchronize()));
            exit(0);
        }
        wait_all();
        use("parent");
        return 0;
    }
    if (is("exec")) {
        use("parent");
        pid_t child = vfork();
        if (child == 0) execlp("true", "true", (char *)NULL), _exit(1);
        waitpid(child, NULL, 0);
        if (system("exit 0") != 0) return 1;
        use("parent");
        return 0;
    }
    if (is("daemon")) { // it leaves the process that has the device
        use("parent");
        if (daemon(1, 1) != 0) return 1;
        use("daemon");
        return 0;
    }
    if (is("early")) { // before the device is used
        if (daemon(1, 1) != 0) return 1;
        use("daemon");
        use("daemon");
        return 0;
    }
    if (is("both")) {
        if (fork() == 0) {
            use("child");
            exit(0);
        }
        wait_all();
        use("parent");
        return 0;
    }
    if (is("threads")) { // children of a process in which another thread is in a call
        std::atomic<bool> done{false};
        int *p;
        cudaMalloc(&p, sizeof *p);
        std::thread other([&] { while (!done) cudaMemset(p, 0, sizeof *p); });
        for (int i = 0; i < 50; i++)
            if (fork() == 0) _exit(cudaFree(p) == cudaErrorInitializationError ? 0 : 1);
        int status, wrong = 0;
        while (wait(&status) > 0) wrong += status != 0;
        done = true;
        other.join();
        printf("%d wrong\n", wrong);
        return 0;
    }
    if (is("resets")) {
        int wrong = 0;
        for (int i = 0; i < 1000; i++) {
            int *p, result = 0;
            cudaMalloc(&p, sizeof *p);
            add<<<1, 1>>>(p, 2);
            cudaMemcpy(&result, p, sizeof result, cudaMemcpyDeviceToHost);
            wrong += result != 42;
            wrong += cudaDeviceReset() != cudaSuccess;
        }
        print<<<1, 1>>>();
        wrong += cudaDeviceSynchronize() != cudaSuccess;
        printf("%d wrong\n", wrong);
        return 0;
    }
    if (is("modules")) {
        static const char text[] = ".version 6.0\n.target sm_60\n.address_size 64\n.global .align 4 .b8 large[1048576];\n.visible .entry k() { ret; }\n";
        int wrong = cudaFree(NULL) != cudaSuccess;
        CUdeviceptr first = 0;
        for (int i = 0; i < 1000; i++) {
            CUmodule module;
            CUfunction function;
            CUdeviceptr at;
            size_t bytes;
            wrong += cuModuleLoadData(&module, text) != CUDA_SUCCESS || cuModuleGetFunction(&function, module, "k") != CUDA_SUCCESS;
            wrong += cuModuleGetGlobal(&at, &bytes, module, "large") != CUDA_SUCCESS || bytes != 1048576;
            if (i == 0) first = at;
            wrong += at != first || cuModuleUnload(module) != CUDA_SUCCESS;
            wrong += cuModuleLoadData(&module, ".version 6.0\nnonsense") != CUDA_ERROR_INVALID_PTX;
        }
        wrong += cudaMemset((void *)first, 0, 4) != cudaErrorInvalidValue; // it is no more
        wrong += cudaDeviceReset() != cudaSuccess;
        use("parent");
        printf("%d wrong\n", wrong);
        return 0;
    }
    if (is("deaf")) { // it and its child ignore that they are to end
        signal(SIGTERM, SIG_IGN);
        fork();
        use("deaf");
        for (;;) pause();
    }
    if (is("garbage")) { // what a program writes to descriptors that are not its own
        use("parent");
        char text[4096];
        memset(text, argc > 3 ? 0xff : 'x', sizeof text);
        if (write(3, text, atoi(argv[2])) != atoi(argv[2])) return 1;
        use("parent");
        return 0;
    }
    if (is("taken")) { // descriptors that it closes and gives to others
        for (int i = 3; i < 20; i++) close(i);
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || pair[0] != 3) return 1;
        use("parent");
        return 0;
    }
    return 2;
}
