// Textures and surfaces on the device. A fetch is an instruction of PTX; access to a surface is loads and stores
// (CUDA C++ Programming Guide, appendices "Texture Fetching" and "Surface Functions").
#ifndef DIVERGO_TEXTURE_FETCH_H
#define DIVERGO_TEXTURE_FETCH_H
#include "texture.h"

#define DIVERGO_DEVICE static __device__ __forceinline__
#define DIVERGO_GLOBAL(T, address) ((T *)(__attribute__((address_space(1))) T *)(address))

// The channels of a type of texel, the type that it is read as if they are read as floats, and that of four channels.
template <class T> struct divergo_texel;
#define DIVERGO_TEXEL(T, C, N, F, Q)        \
    template <> struct divergo_texel<T> {   \
        typedef C channel;                  \
        typedef F floats;                   \
        typedef Q four;                     \
        enum { channels = N };              \
    };
#define DIVERGO_TEXELS(C, V)                \
    DIVERGO_TEXEL(C, C, 1, float, V##4)     \
    DIVERGO_TEXEL(V##1, C, 1, float1, V##4) \
    DIVERGO_TEXEL(V##2, C, 2, float2, V##4) \
    DIVERGO_TEXEL(V##4, C, 4, float4, V##4)
DIVERGO_TEXEL(char, char, 1, float, char4)
DIVERGO_TEXELS(signed char, char)
DIVERGO_TEXELS(unsigned char, uchar)
DIVERGO_TEXELS(short, short)
DIVERGO_TEXELS(unsigned short, ushort)
DIVERGO_TEXELS(int, int)
DIVERGO_TEXELS(unsigned int, uint)
DIVERGO_TEXELS(float, float)
#undef DIVERGO_TEXELS
#undef DIVERGO_TEXEL

// The instructions, for each type of results (PTX ISA, tex and tld4). The description of a texture is in memory at the address
// that an object or a reference is.
#define DIVERGO_INSTRUCTION(NAME, BEFORE, BEHIND, PARAMETERS, ...)                                                            \
    DIVERGO_DEVICE void NAME(float v[4], unsigned long long t DIVERGO_MORE PARAMETERS) {                                      \
        asm volatile(BEFORE ".v4.f32" BEHIND : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "l"(t), __VA_ARGS__);        \
    }                                                                                                                         \
    DIVERGO_DEVICE void NAME(int v[4], unsigned long long t DIVERGO_MORE PARAMETERS) {                                        \
        asm volatile(BEFORE ".v4.s32" BEHIND : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(t), __VA_ARGS__);        \
    }                                                                                                                         \
    DIVERGO_DEVICE void NAME(unsigned int v[4], unsigned long long t DIVERGO_MORE PARAMETERS) {                               \
        asm volatile(BEFORE ".v4.u32" BEHIND : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(t), __VA_ARGS__);        \
    }
#define DIVERGO_MORE(...) , __VA_ARGS__
// Of a geometry: its base level, a level, and by gradients.
DIVERGO_INSTRUCTION(divergo_1d, "tex.1d", ".f32 {%0, %1, %2, %3}, [%4, {%5}];", (float x), "f"(x))
DIVERGO_INSTRUCTION(divergo_1d, "tex.level.1d", ".f32 {%0, %1, %2, %3}, [%4, {%5}], %6;", (float x, float level), "f"(x), "f"(level))
DIVERGO_INSTRUCTION(divergo_1d, "tex.grad.1d", ".f32 {%0, %1, %2, %3}, [%4, {%5}], %6, %7;", (float x, float d, float e), "f"(x), "f"(d), "f"(e))
DIVERGO_INSTRUCTION(divergo_2d, "tex.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", (float x, float y), "f"(x), "f"(y))
DIVERGO_INSTRUCTION(divergo_2d, "tex.level.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;", (float x, float y, float level), "f"(x), "f"(y), "f"(level))
DIVERGO_INSTRUCTION(divergo_2d, "tex.grad.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8}, {%9, %10};", (float x, float y, float2 d, float2 e), "f"(x), "f"(y), "f"(d.x), "f"(d.y), "f"(e.x), "f"(e.y))
DIVERGO_INSTRUCTION(divergo_3d, "tex.3d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
DIVERGO_INSTRUCTION(divergo_3d, "tex.level.3d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;", (float x, float y, float z, float level), "f"(x), "f"(y), "f"(z), "f"(level))
DIVERGO_INSTRUCTION(divergo_3d, "tex.grad.3d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};", (float x, float y, float z, float4 d, float4 e), "f"(x), "f"(y), "f"(z), "f"(d.x), "f"(d.y), "f"(d.z), "f"(e.x), "f"(e.y), "f"(e.z))
DIVERGO_INSTRUCTION(divergo_a1d, "tex.a1d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", (float x, int layer), "r"(layer), "f"(x))
DIVERGO_INSTRUCTION(divergo_a1d, "tex.level.a1d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;", (float x, int layer, float level), "r"(layer), "f"(x), "f"(level))
DIVERGO_INSTRUCTION(divergo_a1d, "tex.grad.a1d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7, %8;", (float x, int layer, float d, float e), "r"(layer), "f"(x), "f"(d), "f"(e))
DIVERGO_INSTRUCTION(divergo_a2d, "tex.a2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", (float x, float y, int layer), "r"(layer), "f"(x), "f"(y))
DIVERGO_INSTRUCTION(divergo_a2d, "tex.level.a2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;", (float x, float y, int layer, float level), "r"(layer), "f"(x), "f"(y), "f"(level))
DIVERGO_INSTRUCTION(divergo_a2d, "tex.grad.a2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], {%8, %9}, {%10, %11};", (float x, float y, int layer, float2 d, float2 e), "r"(layer), "f"(x), "f"(y), "f"(d.x), "f"(d.y), "f"(e.x), "f"(e.y))
DIVERGO_INSTRUCTION(divergo_cube, "tex.cube", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
DIVERGO_INSTRUCTION(divergo_cube, "tex.level.cube", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;", (float x, float y, float z, float level), "f"(x), "f"(y), "f"(z), "f"(level))
DIVERGO_INSTRUCTION(divergo_acube, "tex.acube", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}];", (float x, float y, float z, int layer), "r"(layer), "f"(x), "f"(y), "f"(z))
DIVERGO_INSTRUCTION(divergo_acube, "tex.level.acube", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}], %9;", (float x, float y, float z, int layer, float level), "r"(layer), "f"(x), "f"(y), "f"(z), "f"(level))
DIVERGO_INSTRUCTION(divergo_whole, "tex.1d", ".s32 {%0, %1, %2, %3}, [%4, {%5}];", (int i), "r"(i))
DIVERGO_INSTRUCTION(divergo_gather_r, "tld4.r.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", (float x, float y), "f"(x), "f"(y))
DIVERGO_INSTRUCTION(divergo_gather_g, "tld4.g.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", (float x, float y), "f"(x), "f"(y))
DIVERGO_INSTRUCTION(divergo_gather_b, "tld4.b.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", (float x, float y), "f"(x), "f"(y))
DIVERGO_INSTRUCTION(divergo_gather_a, "tld4.a.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", (float x, float y), "f"(x), "f"(y))
#undef DIVERGO_INSTRUCTION
#undef DIVERGO_MORE

// The type of the results of the instruction, by the type of a channel.
template <class C> struct divergo_wide { typedef int type; };
template <> struct divergo_wide<unsigned char> { typedef unsigned int type; };
template <> struct divergo_wide<unsigned short> { typedef unsigned int type; };
template <> struct divergo_wide<unsigned int> { typedef unsigned int type; };
template <> struct divergo_wide<float> { typedef float type; };

// The results of an instruction as a texel.
template <class R> struct divergo_results {
    typedef typename divergo_texel<R>::channel channel;
    typename divergo_wide<channel>::type v[4];
    __device__ __forceinline__ R texel() const {
        channel c[divergo_texel<R>::channels];
        for (int i = 0; i < divergo_texel<R>::channels; i++) c[i] = (channel)v[i];
        R r;
        __builtin_memcpy(&r, c, sizeof r);
        return r;
    }
};
template <class R> DIVERGO_DEVICE R divergo_gather(unsigned long long t, float x, float y, int channel) {
    divergo_results<R> r;
    switch (channel & 3) {
    case 0: divergo_gather_r(r.v, t, x, y); break;
    case 1: divergo_gather_g(r.v, t, x, y); break;
    case 2: divergo_gather_b(r.v, t, x, y); break;
    default: divergo_gather_a(r.v, t, x, y); break;
    }
    return r.texel();
}

// The ways to say which texture or surface: an object, and a reference, which is its address (PTX ISA 5.3).
DIVERGO_DEVICE unsigned long long divergo_object(unsigned long long object) { return object; }
template <class T, int dims, enum cudaTextureReadMode mode> DIVERGO_DEVICE unsigned long long divergo_object(texture<T, dims, mode> t) {
    unsigned long long object;
    __builtin_memcpy(&object, &t, sizeof object);
    return object;
}
template <class T, int dims> DIVERGO_DEVICE unsigned long long divergo_object(surface<T, dims> s) {
    unsigned long long object;
    __builtin_memcpy(&object, &s, sizeof object);
    return object;
}
template <class T, enum cudaTextureReadMode mode> struct divergo_result { typedef T type; };
template <class T> struct divergo_result<T, cudaReadModeNormalizedFloat> { typedef typename divergo_texel<T>::floats type; };

// Each function by object, by object with a place for the result, and by reference.
#define DIVERGO_FETCH(NAME, TYPE, PARAMETERS, INSTRUCTION, ...)                                                        \
    template <class R> DIVERGO_DEVICE R NAME(cudaTextureObject_t t, DIVERGO_LIST PARAMETERS) {                         \
        divergo_results<R> r;                                                                                          \
        INSTRUCTION(r.v, t, __VA_ARGS__);                                                                              \
        return r.texel();                                                                                              \
    }                                                                                                                  \
    template <class R> DIVERGO_DEVICE void NAME(R *to, cudaTextureObject_t t, DIVERGO_LIST PARAMETERS) {               \
        *to = NAME<R>(t, __VA_ARGS__);                                                                                 \
    }                                                                                                                  \
    template <class T, enum cudaTextureReadMode mode>                                                                  \
    DIVERGO_DEVICE typename divergo_result<T, mode>::type NAME(texture<T, TYPE, mode> t, DIVERGO_LIST PARAMETERS) {    \
        return NAME<typename divergo_result<T, mode>::type>(divergo_object(t), __VA_ARGS__);                           \
    }
#define DIVERGO_LIST(...) __VA_ARGS__
DIVERGO_FETCH(tex1Dfetch, cudaTextureType1D, (int i), divergo_whole, i)
DIVERGO_FETCH(tex1D, cudaTextureType1D, (float x), divergo_1d, x)
DIVERGO_FETCH(tex2D, cudaTextureType2D, (float x, float y), divergo_2d, x, y)
DIVERGO_FETCH(tex3D, cudaTextureType3D, (float x, float y, float z), divergo_3d, x, y, z)
DIVERGO_FETCH(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), divergo_a1d, x, layer)
DIVERGO_FETCH(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), divergo_a2d, x, y, layer)
DIVERGO_FETCH(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), divergo_cube, x, y, z)
DIVERGO_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer), divergo_acube, x, y, z, layer)
// Of mipmaps.
DIVERGO_FETCH(tex1DLod, cudaTextureType1D, (float x, float level), divergo_1d, x, level)
DIVERGO_FETCH(tex2DLod, cudaTextureType2D, (float x, float y, float level), divergo_2d, x, y, level)
DIVERGO_FETCH(tex3DLod, cudaTextureType3D, (float x, float y, float z, float level), divergo_3d, x, y, z, level)
DIVERGO_FETCH(tex1DLayeredLod, cudaTextureType1DLayered, (float x, int layer, float level), divergo_a1d, x, layer, level)
DIVERGO_FETCH(tex2DLayeredLod, cudaTextureType2DLayered, (float x, float y, int layer, float level), divergo_a2d, x, y, layer, level)
DIVERGO_FETCH(texCubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level), divergo_cube, x, y, z, level)
DIVERGO_FETCH(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer, float level), divergo_acube, x, y, z, layer, level)
DIVERGO_FETCH(tex1DGrad, cudaTextureType1D, (float x, float d, float e), divergo_1d, x, d, e)
DIVERGO_FETCH(tex2DGrad, cudaTextureType2D, (float x, float y, float2 d, float2 e), divergo_2d, x, y, d, e)
DIVERGO_FETCH(tex3DGrad, cudaTextureType3D, (float x, float y, float z, float4 d, float4 e), divergo_3d, x, y, z, d, e)
DIVERGO_FETCH(tex1DLayeredGrad, cudaTextureType1DLayered, (float x, int layer, float d, float e), divergo_a1d, x, layer, d, e)
DIVERGO_FETCH(tex2DLayeredGrad, cudaTextureType2DLayered, (float x, float y, int layer, float2 d, float2 e), divergo_a2d, x, y, layer, d, e)
#undef DIVERGO_FETCH
template <class R> DIVERGO_DEVICE R tex2Dgather(cudaTextureObject_t t, float x, float y, int channel = 0) { return divergo_gather<R>(divergo_object(t), x, y, channel); }
template <class R> DIVERGO_DEVICE void tex2Dgather(R *to, cudaTextureObject_t t, float x, float y, int channel = 0) { *to = divergo_gather<R>(divergo_object(t), x, y, channel); }
template <class T, enum cudaTextureReadMode mode> DIVERGO_DEVICE typename divergo_texel<typename divergo_result<T, mode>::type>::four tex2Dgather(texture<T, cudaTextureType2D, mode> t, float x, float y, int channel = 0) {
    return divergo_gather<typename divergo_texel<typename divergo_result<T, mode>::type>::four>(divergo_object(t), x, y, channel);
}

// Surfaces: x is in bytes. Outside, a read gives 0 and a write does nothing (cudaBoundaryModeZero), the nearest element
// is meant (cudaBoundaryModeClamp), or the launch fails (cudaBoundaryModeTrap).
template <class T> DIVERGO_DEVICE bool divergo_element(const divergo_texture *t, int x, int y, int z, enum cudaSurfaceBoundaryMode mode, unsigned long long *at) {
    const int at_most[3] = {(int)(t->size[0] * t->bytes) - (int)sizeof(T), (int)t->size[1] - 1, (int)t->size[2] - 1};
    if (x < 0 || x > at_most[0] || y < 0 || y > at_most[1] || z < 0 || z > at_most[2]) {
        if (mode == cudaBoundaryModeTrap) __builtin_trap();
        if (mode == cudaBoundaryModeZero) return false;
        x = x < 0 ? 0 : x < at_most[0] ? x : at_most[0];
        y = y < 0 ? 0 : y < at_most[1] ? y : at_most[1];
        z = z < 0 ? 0 : z < at_most[2] ? z : at_most[2];
    }
    *at = t->base + z * t->plane + (unsigned long long)y * t->pitch + (unsigned)x;
    return true;
}
template <class T> DIVERGO_DEVICE T divergo_load(const divergo_texture *t, int x, int y, int z, enum cudaSurfaceBoundaryMode mode) {
    unsigned long long at;
    return divergo_element<T>(t, x, y, z, mode, &at) ? *DIVERGO_GLOBAL(const T, at) : T();
}
template <class T> DIVERGO_DEVICE void divergo_store(const divergo_texture *t, T v, int x, int y, int z, enum cudaSurfaceBoundaryMode mode) {
    unsigned long long at;
    if (divergo_element<T>(t, x, y, z, mode, &at)) *DIVERGO_GLOBAL(T, at) = v;
}
#define DIVERGO_SURFACE(NAME, TYPE, PARAMETERS, X, Y, Z)                                                                                                    \
    template <class T> DIVERGO_DEVICE T NAME##read(cudaSurfaceObject_t s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { return divergo_load<T>(DIVERGO_GLOBAL(const divergo_texture, divergo_object(s)), X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE void NAME##read(T *to, cudaSurfaceObject_t s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *to = divergo_load<T>(DIVERGO_GLOBAL(const divergo_texture, divergo_object(s)), X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE void NAME##write(T v, cudaSurfaceObject_t s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { divergo_store<T>(DIVERGO_GLOBAL(const divergo_texture, divergo_object(s)), v, X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE T NAME##read(surface<void, TYPE> s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { return divergo_load<T>(DIVERGO_GLOBAL(const divergo_texture, divergo_object(s)), X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE void NAME##read(T *to, surface<void, TYPE> s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *to = divergo_load<T>(DIVERGO_GLOBAL(const divergo_texture, divergo_object(s)), X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE void NAME##write(T v, surface<void, TYPE> s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { divergo_store<T>(DIVERGO_GLOBAL(const divergo_texture, divergo_object(s)), v, X, Y, Z, mode); }
DIVERGO_SURFACE(surf1D, cudaSurfaceType1D, (int x), x, 0, 0)
DIVERGO_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), x, y, 0)
DIVERGO_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), x, y, z)
DIVERGO_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), x, 0, layer)
DIVERGO_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), x, y, layer)
DIVERGO_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), x, y, face)
DIVERGO_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int face), x, y, face)
#undef DIVERGO_SURFACE
#undef DIVERGO_LIST

#undef DIVERGO_GLOBAL
#undef DIVERGO_DEVICE
#endif
