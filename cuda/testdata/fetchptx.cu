// The functions of CUDA C and the instructions of PTX for textures and surfaces against fetches in C, bit for bit.
#include <cstdio>
#include <cstring>
#include <vector>

#include "fetch_reference.h"

#define CHECK(call) do { cudaError_t e = call; if (e != cudaSuccess) { printf("%s: %s\n", #call, cudaGetErrorString(e)); return 1; } } while (0)

texture<float, cudaTextureType2D> bound;
surface<void, cudaSurfaceType2D> written;

__device__ unsigned int wrong;

__device__ void same(float4 a, float4 b) {
    const float *u = &a.x, *v = &b.x;
    for (int i = 0; i < 4; i++)
        if (__float_as_uint(u[i]) != __float_as_uint(v[i])) atomicAdd(&wrong, 1);
}
#define TEX(to, text, ...) asm volatile(text : "=f"(to.x), "=f"(to.y), "=f"(to.z), "=f"(to.w) : __VA_ARGS__)

__global__ void compare(cudaTextureObject_t line, cudaTextureObject_t plane, cudaTextureObject_t box, cudaTextureObject_t cube, cudaTextureObject_t levels, float scale, float shift) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = (i * 37 % 64) * scale + shift, y = (i * 11 % 64) * scale + shift, z = (i * 5 % 64) * scale + shift;
    const int l = i % 5;
    const float2 dx = {y * 3, x}, dy = {z, y * 2};
    const float4 ex = {y * 3, x, z, 0}, ey = {z, y * 2, x, 0};
    const divergo_texture *a = reference::described(line), *b = reference::described(plane), *c = reference::described(box), *d = reference::described(cube), *e = reference::described(levels);
    same(tex1D<float4>(line, x), reference::sample<float4>(a, 1, x, 0, 0, 0));
    same(tex1Dfetch<float4>(line, i - 8), reference::fetch<float4>(a, i - 8));
    same(tex2D<float4>(plane, x, y), reference::sample<float4>(b, 2, x, y, 0, 0));
    for (int channel = 0; channel < 4; channel++)
        same(tex2Dgather<float4>(plane, x, y, channel), reference::gather<float4>(b, x, y, channel));
    same(tex3D<float4>(box, x, y, z), reference::sample<float4>(c, 3, x, y, z, 0));
    same(tex1DLayered<float4>(box, x, l), reference::sample<float4>(c, 1, x, 0, 0, l));
    same(tex2DLayered<float4>(box, x, y, l), reference::sample<float4>(c, 2, x, y, 0, l));
    same(texCubemap<float4>(cube, x, y, z + 0.125f), reference::cube<float4>(d, x, y, z + 0.125f, 0, 0));
    same(texCubemapLayered<float4>(cube, x, y, z + 0.125f, 0), reference::cube<float4>(d, x, y, z + 0.125f, 0, 0));
    same(tex1DLod<float4>(levels, x, z), reference::sample<float4>(e, 1, x, 0, 0, 0, z));
    same(tex2DLod<float4>(levels, x, y, z), reference::sample<float4>(e, 2, x, y, 0, 0, z));
    same(tex3DLod<float4>(box, x, y, z, z), reference::sample<float4>(c, 3, x, y, z, 0, z));
    same(tex1DLayeredLod<float4>(levels, x, 0, z), reference::sample<float4>(e, 1, x, 0, 0, 0, z));
    same(tex2DLayeredLod<float4>(levels, x, y, 0, z), reference::sample<float4>(e, 2, x, y, 0, 0, z));
    same(texCubemapLod<float4>(cube, x, y, z + 0.125f, z), reference::cube<float4>(d, x, y, z + 0.125f, 0, z));
    same(texCubemapLayeredLod<float4>(cube, x, y, z + 0.125f, 0, z), reference::cube<float4>(d, x, y, z + 0.125f, 0, z));
    same(tex1DGrad<float4>(levels, x, y, z), reference::sample<float4>(e, 1, x, 0, 0, 0, reference::level(e, y, z)));
    same(tex2DGrad<float4>(levels, x, y, dx, dy), reference::sample<float4>(e, 2, x, y, 0, 0, reference::level(e, dx.x, dy.x, dx.y, dy.y)));
    same(tex3DGrad<float4>(box, x, y, z, ex, ey), reference::sample<float4>(c, 3, x, y, z, 0, reference::level(c, ex.x, ey.x, ex.y, ey.y, ex.z, ey.z)));
    same(tex1DLayeredGrad<float4>(levels, x, 0, y, z), reference::sample<float4>(e, 1, x, 0, 0, 0, reference::level(e, y, z)));
    same(tex2DLayeredGrad<float4>(levels, x, y, 0, dx, dy), reference::sample<float4>(e, 2, x, y, 0, 0, reference::level(e, dx.x, dy.x, dx.y, dy.y)));
}

__global__ void references(int width, int height) {
    const int x = threadIdx.x, y = threadIdx.y;
    float4 v;
    TEX(v, "tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [bound, {%4, %5}];", "f"(x + 0.25f), "f"(y + 0.75f));
    if (v.x != tex2D(bound, x + 0.25f, y + 0.75f)) atomicAdd(&wrong, 1);
    unsigned int w, h, type, order;
    asm volatile("txq.width.b32 %0, [bound]; txq.height.b32 %1, [bound]; txq.channel_data_type.b32 %2, [bound]; txq.channel_order.b32 %3, [bound];" : "=r"(w), "=r"(h), "=r"(type), "=r"(order));
    if (w != width || h != height || type != 0x10DE || order != 0x10B0) atomicAdd(&wrong, 1);
    asm volatile("sust.b.2d.b32.trap [written, {%0, %1}], %2;" ::"r"(4 * x), "r"(y), "r"(100 * y + x) : "memory");
    int back;
    asm volatile("suld.b.2d.b32.zero %0, [written, {%1, %2}];" : "=r"(back) : "r"(4 * x), "r"(y) : "memory");
    if (back != 100 * y + x || surf2Dread<int>(written, 4 * x, y) != back) atomicAdd(&wrong, 1);
}

int main() {
    const int w = 8, h = 8, d = 6;
    std::vector<float4> data(w * h * d);
    for (size_t i = 0; i < data.size(); i++) data[i] = make_float4(i % 97 * 0.375f, i % 31 - 11.0f, 1.0f / (i + 1), i * 0.01f);
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
    cudaArray_t box, cube, line, plane;
    cudaMipmappedArray_t levels;
    CHECK(cudaMalloc3DArray(&box, &desc, make_cudaExtent(w, h, d)));
    CHECK(cudaMalloc3DArray(&cube, &desc, make_cudaExtent(w, h, 6), cudaArrayCubemap));
    for (cudaArray_t a : {box, cube}) {
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr(data.data(), w * sizeof(float4), w, h);
        p.dstArray = a, p.extent = make_cudaExtent(w, h, d), p.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&p));
    }
    CHECK(cudaMallocArray(&line, &desc, 48));
    CHECK(cudaMemcpyToArray(line, 0, 0, data.data(), 48 * sizeof(float4), cudaMemcpyHostToDevice));
    CHECK(cudaMallocArray(&plane, &desc, w, h, cudaArrayTextureGather));
    CHECK(cudaMemcpyToArray(plane, 0, 0, data.data(), w * h * sizeof(float4), cudaMemcpyHostToDevice));
    CHECK(cudaMallocMipmappedArray(&levels, &desc, make_cudaExtent(w, h, 0), 3));
    for (int l = 0; l < 3; l++) {
        cudaArray_t a;
        CHECK(cudaGetMipmappedArrayLevel(&a, levels, l));
        CHECK(cudaMemcpyToArray(a, 0, 0, &data[l], (w >> l) * (h >> l) * sizeof(float4), cudaMemcpyHostToDevice));
    }
    for (int filter = 0; filter < 2; filter++)
        for (int mode = 0; mode < 4; mode++)
            for (int normalized = 0; normalized < 2; normalized++) {
                cudaTextureDesc how = {};
                how.filterMode = how.mipmapFilterMode = (cudaTextureFilterMode)filter;
                for (int i = 0; i < 3; i++) how.addressMode[i] = (cudaTextureAddressMode)mode;
                how.normalizedCoords = normalized, how.maxMipmapLevelClamp = 1.75f, how.mipmapLevelBias = 0.125f;
                for (int i = 0; i < 4; i++) how.borderColor[i] = i + 0.5f;
                cudaTextureObject_t objects[5] = {};
                const cudaArray_t arrays[4] = {line, plane, box, cube};
                for (int i = 0; i < 5; i++) {
                    cudaResourceDesc r = {};
                    r.resType = cudaResourceTypeArray, r.res.array.array = arrays[i % 4];
                    if (i == 4) r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = levels, how.normalizedCoords = 1;
                    CHECK(cudaCreateTextureObject(&objects[i], &r, &how, NULL));
                }
                compare<<<1, 64>>>(objects[0], objects[1], objects[2], objects[3], objects[4], normalized ? 0.0471f : 0.317f, normalized ? -0.9f : -4.1f);
                CHECK(cudaDeviceSynchronize());
                for (cudaTextureObject_t t : objects) CHECK(cudaDestroyTextureObject(t));
            }

    std::vector<float> floats(w * h);
    for (int i = 0; i < w * h; i++) floats[i] = i * 0.25f;
    cudaArray_t one, surface;
    const cudaChannelFormatDesc single = cudaCreateChannelDesc<float>(), word = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&one, &single, w, h));
    CHECK(cudaMemcpyToArray(one, 0, 0, floats.data(), w * h * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMallocArray(&surface, &word, w, h, cudaArraySurfaceLoadStore));
    bound.filterMode = cudaFilterModeLinear;
    CHECK(cudaBindTextureToArray(bound, one));
    CHECK(cudaBindSurfaceToArray(written, surface));
    references<<<1, dim3(w, h)>>>(w, h);
    CHECK(cudaDeviceSynchronize());
    unsigned int n;
    CHECK(cudaMemcpyFromSymbol(&n, wrong, sizeof n));
    printf("%u wrong\n", n);
}
