// The instructions of PTX for textures and surfaces against the functions of CUDA C, bit for bit.
#include <cstdio>
#include <cstring>
#include <vector>

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
    float4 v;
    TEX(v, "tex.1d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5}];", "l"(line), "f"(x));
    same(v, tex1D<float4>(line, x));
    TEX(v, "tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", "l"(plane), "f"(x), "f"(y));
    same(v, tex2D<float4>(plane, x, y));
    TEX(v, "tld4.b.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", "l"(plane), "f"(x), "f"(y));
    same(v, tex2Dgather<float4>(plane, x, y, 2));
    TEX(v, "tex.3d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "l"(box), "f"(x), "f"(y), "f"(z));
    same(v, tex3D<float4>(box, x, y, z));
    TEX(v, "tex.a2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "l"(box), "r"(i % 5), "f"(x), "f"(y));
    same(v, tex2DLayered<float4>(box, x, y, i % 5));
    TEX(v, "tex.cube.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "l"(cube), "f"(x), "f"(y), "f"(z + 0.125f));
    same(v, texCubemap<float4>(cube, x, y, z + 0.125f));
    TEX(v, "tex.level.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;", "l"(levels), "f"(x), "f"(y), "f"(z));
    same(v, tex2DLod<float4>(levels, x, y, z));
    TEX(v, "tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];", "l"(line), "r"(i - 8));
    same(v, tex1Dfetch<float4>(line, i - 8));
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
                compare<<<2, 64>>>(objects[0], objects[1], objects[2], objects[3], objects[4], normalized ? 0.0471f : 0.317f, normalized ? -0.9f : -4.1f);
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
