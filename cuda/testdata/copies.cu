// Copies of all lengths, to and from odd addresses, back as they went; those that do not fit change nothing.
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void add(unsigned char *p, size_t n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += 1;
}

int main() {
    const size_t half = 1 << 20, room = 3 * half + 64, lengths[] = {1, 4095, 65536, 65537, half - 1, half, half + 1, 2 * half, 2 * half + 1, 3 * half + 7};
    unsigned char *device;
    if (cudaMalloc(&device, room) != cudaSuccess) return 1;
    unsigned seed = 1;
    for (size_t n : lengths)
        for (size_t offset : {0, 13}) {
            std::vector<unsigned char> from(n), to(n + 2, 0xaa);
            for (auto &b : from) b = (seed = seed * 1664525 + 1013904223) >> 24;
            cudaMemset(device, 0x55, room);
            if (cudaMemcpy(device + offset, from.data(), n, cudaMemcpyHostToDevice) != cudaSuccess) return 2;
            if (cudaMemcpy(to.data() + 1, device + offset, n, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
            if (memcmp(to.data() + 1, from.data(), n) != 0 || to[0] != 0xaa || to[n + 1] != 0xaa) return printf("%zu bytes at %zu are not what they were\n", n, offset), 4;
            unsigned char around[2] = {0x55};
            if (offset > 0) cudaMemcpy(around, device + offset - 1, 1, cudaMemcpyDeviceToHost);
            cudaMemcpy(around + 1, device + offset + n, 1, cudaMemcpyDeviceToHost);
            if (around[0] != 0x55 || around[1] != 0x55) return printf("%zu bytes at %zu went too far\n", n, offset), 5;
        }
    std::vector<unsigned char> host(room + 1, 7);
    if (cudaMemcpy(device, host.data(), room + 1, cudaMemcpyHostToDevice) != cudaErrorInvalidValue) return 6;
    if (cudaMemcpy(host.data(), device, room + 1, cudaMemcpyDeviceToHost) != cudaErrorInvalidValue) return 7;
    cudaMemcpy(host.data(), device, room, cudaMemcpyDeviceToHost);
    if (host[0] != 0x55 || host[room - 1] != 0x55) return 8;
    unsigned char *shared;
    if (cudaMallocManaged(&shared, room) != cudaSuccess) return 11;
    for (size_t i = 0; i < room; i++) shared[i] = i % 251;
    add<<<4, 256>>>(shared, 1000);
    if (cudaDeviceSynchronize() != cudaSuccess) return 9;
    for (size_t i = 0; i < room; i++)
        if (shared[i] != (unsigned char)(i % 251 + (i < 1000))) return printf("byte %zu\n", i), 10;
    printf("all the same\n");
}
