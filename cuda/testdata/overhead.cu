// What the runtime itself takes: launches of a kernel that does nothing, and copies. The numbers are microseconds of a
// launch, of time and of this process's work, and megabytes in a second to the device, back, and on the device.
#include <chrono>
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void nothing() {}

static double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int main(int argc, char **argv) {
    const int launches = atoi(argv[1]);
    const size_t bytes = (size_t)atoi(argv[2]) << 20;
    std::vector<char> host(bytes, 1);
    char *device, *other;
    cudaMalloc(&device, bytes), cudaMalloc(&other, bytes);
    nothing<<<1, 32>>>();
    double start = seconds();
    clock_t work = clock();
    for (int i = 0; i < launches; i++) nothing<<<1, 32>>>();
    cudaDeviceSynchronize();
    printf("%.2f %.2f", (seconds() - start) / launches * 1e6, (double)(clock() - work) / CLOCKS_PER_SEC / launches * 1e6);
    cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(other, device, bytes, cudaMemcpyDeviceToDevice);
    const struct { void *to; const void *from; cudaMemcpyKind kind; } copies[] = {
        {device, host.data(), cudaMemcpyHostToDevice}, {host.data(), device, cudaMemcpyDeviceToHost}, {other, device, cudaMemcpyDeviceToDevice}};
    for (auto &c : copies) {
        start = seconds();
        for (int i = 0; i < 5; i++) cudaMemcpy(c.to, c.from, bytes, c.kind);
        printf(" %.0f", 5 * (double)bytes / (seconds() - start) / 1e6);
    }
    printf("\n");
}
