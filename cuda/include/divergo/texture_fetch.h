// Textures and surfaces on the device. There is no texture unit: a fetch is loads from global memory, of what is bound and of
// texels, and arithmetic (CUDA C++ Programming Guide, appendix "Texture Fetching").
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

// A value in a texture, through the texture cache where the GPU has ld.global.nc.
template <class T> DIVERGO_DEVICE T divergo_cached(unsigned long long at) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
    return __ldg((const T *)at);
#else
    return *DIVERGO_GLOBAL(const T, at);
#endif
}

// A whole texel. That of one channel may be a struct, which __ldg does not read.
template <class R, int n> struct divergo_whole {
    DIVERGO_DEVICE R read(unsigned long long at) { return divergo_cached<R>(at); }
};
template <class R> struct divergo_whole<R, 1> {
    DIVERGO_DEVICE R read(unsigned long long at) {
        const typename divergo_texel<R>::channel c = divergo_cached<typename divergo_texel<R>::channel>(at);
        R r;
        __builtin_memcpy(&r, &c, sizeof r);
        return r;
    }
};

// A channel of the texel at an address. Only floats can be kept in another form than they are read in.
template <class C> struct divergo_channel {
    DIVERGO_DEVICE C read(const divergo_texture *, unsigned long long at, unsigned c) { return divergo_cached<C>(at + c * sizeof(C)); }
};
template <> struct divergo_channel<float> {
    DIVERGO_DEVICE float read(const divergo_texture *t, unsigned long long at, unsigned c) {
        switch (t->format) {
        case divergo_srgb8: {
            const float x = divergo_cached<unsigned char>(at + c) / 255.0f;
            return c == 3 ? x : x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f); // IEC 61966-2-1
        }
        case divergo_unorm8: return divergo_cached<unsigned char>(at + c) / 255.0f;
        case divergo_snorm8: return fmaxf(divergo_cached<signed char>(at + c) / 127.0f, -1.0f);
        case divergo_unorm16: return divergo_cached<unsigned short>(at + 2 * c) / 65535.0f;
        case divergo_snorm16: return fmaxf(divergo_cached<short>(at + 2 * c) / 32767.0f, -1.0f);
        case divergo_half: {
            float f;
            asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(divergo_cached<unsigned short>(at + 2 * c)));
            return f;
        }
        default: return divergo_cached<float>(at + 4 * c);
        }
    }
};

// The texel at i, j, k, channels that it does not have as 0; where an index is negative, the border.
template <class R> DIVERGO_DEVICE R divergo_read(const divergo_texture *t, int i, int j, int k) {
    typedef typename divergo_texel<R>::channel C;
    enum { n = divergo_texel<R>::channels };
    R r;
    C v[n];
    if ((i | j | k) < 0) {
        for (unsigned c = 0; c < n; c++) v[c] = (C)t->border[c];
    } else {
        const unsigned long long at = t->base + k * t->plane + (unsigned long long)j * t->pitch + (unsigned long long)i * t->bytes;
        if (t->format == divergo_plain && t->bytes == sizeof(R)) return divergo_whole<R, n>::read(at);
        for (unsigned c = 0; c < n; c++) v[c] = c < t->channels ? divergo_channel<C>::read(t, at, c) : C(0);
    }
    __builtin_memcpy(&r, v, sizeof r);
    return r;
}

// The index of a texel in its row, column or pile of n, by the address mode; the border is negative.
DIVERGO_DEVICE int divergo_index(unsigned mode, int i, int n) {
    if (mode == cudaAddressModeBorder) return i < n ? i : -1;
    if (mode == cudaAddressModeWrap) return i < 0 ? i + n : i < n ? i : i - n;
    return i < 0 ? 0 : i < n ? i : n - 1;
}

// The one or two texels of a coordinate, and the share of the second, in 1/256.
struct divergo_axis {
    int first, second;
    float share;
};
DIVERGO_DEVICE divergo_axis divergo_place(const divergo_texture *t, int d, float x, bool linear) {
    const int n = (int)t->size[d];
    unsigned mode = t->mode[d];
    if (t->normalized) {
        if (mode == cudaAddressModeWrap) x -= floorf(x);
        if (mode == cudaAddressModeMirror) {
            const float whole = floorf(x);
            x -= whole;
            if ((int)(whole - 2.0f * floorf(whole * 0.5f)) != 0) x = 1.0f - x;
        }
        x *= (float)n;
    } else if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) {
        mode = cudaAddressModeClamp; // the others are for normalized coordinates
    }
    if (linear) x -= 0.5f;
    x = fminf(fmaxf(x, -2.0f), (float)n + 1.0f);
    const float whole = floorf(x);
    divergo_axis a;
    if (!linear && mode == cudaAddressModeWrap) mode = cudaAddressModeClamp; // rounded up to n
    a.first = divergo_index(mode, (int)whole, n);
    a.second = divergo_index(mode, (int)whole + 1, n);
    a.share = rintf((x - whole) * 256.0f) / 256.0f;
    return a;
}

template <class R, class C> struct divergo_filter { // integers are not interpolated
    DIVERGO_DEVICE R mix(R a, R, float) { return a; }
    DIVERGO_DEVICE R get(const divergo_texture *t, int dims, float x, float y, float z, int layer) {
        const int i = divergo_place(t, 0, x, false).first;
        const int j = dims > 1 ? divergo_place(t, 1, y, false).first : 0;
        return divergo_read<R>(t, i, j, dims > 2 ? divergo_place(t, 2, z, false).first : layer);
    }
};
template <class R> struct divergo_filter<R, float> {
    // mix is a + (b - a) * share of each channel, in the guide's order.
    DIVERGO_DEVICE R mix(R a, R b, float share) {
        enum { n = divergo_texel<R>::channels };
        float u[n], v[n];
        __builtin_memcpy(u, &a, sizeof a);
        __builtin_memcpy(v, &b, sizeof b);
        for (int c = 0; c < n; c++) u[c] = (1.0f - share) * u[c] + share * v[c];
        __builtin_memcpy(&a, u, sizeof a);
        return a;
    }
    DIVERGO_DEVICE R row(const divergo_texture *t, const divergo_axis &x, int j, int k) {
        return mix(divergo_read<R>(t, x.first, j, k), divergo_read<R>(t, x.second, j, k), x.share);
    }
    DIVERGO_DEVICE R plane(const divergo_texture *t, int dims, const divergo_axis &x, const divergo_axis &y, int k) {
        if (dims == 1) return row(t, x, 0, k);
        return mix(row(t, x, y.first, k), row(t, x, y.second, k), y.share);
    }
    DIVERGO_DEVICE R get(const divergo_texture *t, int dims, float x, float y, float z, int layer) {
        if (!t->linear) return divergo_filter<R, int>::get(t, dims, x, y, z, layer);
        const divergo_axis i = divergo_place(t, 0, x, true);
        const divergo_axis j = dims > 1 ? divergo_place(t, 1, y, true) : divergo_axis();
        if (dims < 3) return plane(t, dims, i, j, layer);
        const divergo_axis k = divergo_place(t, 2, z, true);
        return mix(plane(t, dims, i, j, k.first), plane(t, dims, i, j, k.second), k.share);
    }
};

// The ways to say which texture: an object, and a reference.
DIVERGO_DEVICE const divergo_texture *divergo_bound(unsigned long long object) { return DIVERGO_GLOBAL(const divergo_texture, object); }
template <class T, int dims, enum cudaTextureReadMode mode> DIVERGO_DEVICE const divergo_texture *divergo_bound(texture<T, dims, mode> t) {
    unsigned long long object;
    __builtin_memcpy(&object, &t, sizeof object); // a reference is its address (PTX ISA 5.3)
    return divergo_bound(object);
}
template <class T, int dims> DIVERGO_DEVICE const divergo_texture *divergo_bound(surface<T, dims> s) {
    unsigned long long object;
    __builtin_memcpy(&object, &s, sizeof object);
    return divergo_bound(object);
}
template <class T, enum cudaTextureReadMode mode> struct divergo_result { typedef T type; };
template <class T> struct divergo_result<T, cudaReadModeNormalizedFloat> { typedef typename divergo_texel<T>::floats type; };

template <class R> DIVERGO_DEVICE R divergo_sample(const divergo_texture *t, int dims, float x, float y, float z, int layer) {
    layer = layer < 0 ? 0 : layer < (int)t->size[2] ? layer : (int)t->size[2] - 1;
    return divergo_filter<R, typename divergo_texel<R>::channel>::get(t, dims, x, y, z, layer);
}
// The same of the level of a mipmap, or between the two that are nearest.
template <class R> DIVERGO_DEVICE R divergo_sample(const divergo_texture *t, int dims, float x, float y, float z, int layer, float level) {
    if (t->levels <= 1) return divergo_sample<R>(t, dims, x, y, z, layer);
    const int last = (int)t->levels - 1;
    level = fminf(fmaxf(level + t->bias, t->least), t->most);
    level = fminf(fmaxf(level, 0.0f), (float)last);
    if (!t->between) return divergo_sample<R>(t + (int)floorf(level + 0.5f), dims, x, y, z, layer);
    const int whole = (int)level;
    const float share = rintf((level - (float)whole) * 256.0f) / 256.0f;
    const R a = divergo_sample<R>(t + whole, dims, x, y, z, layer);
    return share == 0 ? a : divergo_filter<R, typename divergo_texel<R>::channel>::mix(a, divergo_sample<R>(t + whole + 1, dims, x, y, z, layer), share);
}

// The level by the gradients of the coordinates: the longer of both, in texels (OpenGL 4.6, 8.14.1; not anisotropic).
DIVERGO_DEVICE float divergo_level(const divergo_texture *t, float dx, float ex, float dy = 0, float ey = 0, float dz = 0, float ez = 0) {
    const float w = t->normalized ? (float)t->size[0] : 1, h = t->normalized ? (float)t->size[1] : 1, d = t->normalized ? (float)t->size[2] : 1;
    const float a = w * w * dx * dx + h * h * dy * dy + d * d * dz * dz, b = w * w * ex * ex + h * h * ey * ey + d * d * ez * ez;
    return 0.5f * log2f(fmaxf(a, b));
}

// A direction in a cube: the face is that of the longest coordinate (Programming Guide, table "Cubemap Fetch"). Layers of a
// cubemap are six faces each.
template <class R> DIVERGO_DEVICE R divergo_cube(const divergo_texture *t, float x, float y, float z, int layer, float level) {
    const float u = fabsf(x), v = fabsf(y), w = fabsf(z);
    int face;
    float m, a, b;
    if (u >= v && u >= w) face = x < 0, m = u, a = x < 0 ? z : -z, b = -y;
    else if (v >= w) face = 2 + (y < 0), m = v, a = x, b = y < 0 ? -z : z;
    else face = 4 + (z < 0), m = w, a = z < 0 ? -x : x, b = -y;
    return divergo_sample<R>(t, 2, (a / m + 1.0f) / 2.0f, (b / m + 1.0f) / 2.0f, 0, 6 * layer + face, level);
}

// One channel of the four texels that a filter would read, against the clock from the lower left (PTX ISA, tld4).
template <class R> DIVERGO_DEVICE R divergo_gather(const divergo_texture *t, float x, float y, int channel) {
    const divergo_axis i = divergo_place(t, 0, x, true), j = divergo_place(t, 1, y, true);
    const R texels[4] = {divergo_read<R>(t, i.first, j.second, 0), divergo_read<R>(t, i.second, j.second, 0), divergo_read<R>(t, i.second, j.first, 0), divergo_read<R>(t, i.first, j.first, 0)};
    typename divergo_texel<R>::channel v[4], r[4];
    R all;
    for (int n = 0; n < 4; n++) {
        __builtin_memcpy(v, &texels[n], sizeof v);
        r[n] = v[channel & 3];
    }
    __builtin_memcpy(&all, r, sizeof all);
    return all;
}

template <class R> DIVERGO_DEVICE R divergo_fetch(const divergo_texture *t, int i) {
    if ((unsigned)i < t->size[0]) return divergo_read<R>(t, i, 0, 0);
    return R();
}

// Each function by object, by object with a place for the result, and by reference.
#define DIVERGO_FETCH(NAME, TYPE, PARAMETERS, CALL)                                                                                          \
    template <class R> DIVERGO_DEVICE R NAME(cudaTextureObject_t t, DIVERGO_LIST PARAMETERS) { return CALL; }                                \
    template <class R> DIVERGO_DEVICE void NAME(R *to, cudaTextureObject_t t, DIVERGO_LIST PARAMETERS) { *to = CALL; }                       \
    template <class T, enum cudaTextureReadMode mode> DIVERGO_DEVICE typename divergo_result<T, mode>::type NAME(texture<T, TYPE, mode> t, DIVERGO_LIST PARAMETERS) { \
        typedef typename divergo_result<T, mode>::type R;                                                                                    \
        return CALL;                                                                                                                         \
    }
#define DIVERGO_LIST(...) __VA_ARGS__
DIVERGO_FETCH(tex1Dfetch, cudaTextureType1D, (int i), divergo_fetch<R>(divergo_bound(t), i))
DIVERGO_FETCH(tex1D, cudaTextureType1D, (float x), divergo_sample<R>(divergo_bound(t), 1, x, 0, 0, 0))
DIVERGO_FETCH(tex2D, cudaTextureType2D, (float x, float y), divergo_sample<R>(divergo_bound(t), 2, x, y, 0, 0))
DIVERGO_FETCH(tex3D, cudaTextureType3D, (float x, float y, float z), divergo_sample<R>(divergo_bound(t), 3, x, y, z, 0))
DIVERGO_FETCH(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), divergo_sample<R>(divergo_bound(t), 1, x, 0, 0, layer))
DIVERGO_FETCH(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), divergo_sample<R>(divergo_bound(t), 2, x, y, 0, layer))
DIVERGO_FETCH(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), divergo_cube<R>(divergo_bound(t), x, y, z, 0, 0))
DIVERGO_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer), divergo_cube<R>(divergo_bound(t), x, y, z, layer, 0))
// Of mipmaps.
DIVERGO_FETCH(tex1DLod, cudaTextureType1D, (float x, float level), divergo_sample<R>(divergo_bound(t), 1, x, 0, 0, 0, level))
DIVERGO_FETCH(tex2DLod, cudaTextureType2D, (float x, float y, float level), divergo_sample<R>(divergo_bound(t), 2, x, y, 0, 0, level))
DIVERGO_FETCH(tex3DLod, cudaTextureType3D, (float x, float y, float z, float level), divergo_sample<R>(divergo_bound(t), 3, x, y, z, 0, level))
DIVERGO_FETCH(tex1DLayeredLod, cudaTextureType1DLayered, (float x, int layer, float level), divergo_sample<R>(divergo_bound(t), 1, x, 0, 0, layer, level))
DIVERGO_FETCH(tex2DLayeredLod, cudaTextureType2DLayered, (float x, float y, int layer, float level), divergo_sample<R>(divergo_bound(t), 2, x, y, 0, layer, level))
DIVERGO_FETCH(texCubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level), divergo_cube<R>(divergo_bound(t), x, y, z, 0, level))
DIVERGO_FETCH(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer, float level), divergo_cube<R>(divergo_bound(t), x, y, z, layer, level))
DIVERGO_FETCH(tex1DGrad, cudaTextureType1D, (float x, float dx, float ex), divergo_sample<R>(divergo_bound(t), 1, x, 0, 0, 0, divergo_level(divergo_bound(t), dx, ex)))
DIVERGO_FETCH(tex2DGrad, cudaTextureType2D, (float x, float y, float2 d, float2 e), divergo_sample<R>(divergo_bound(t), 2, x, y, 0, 0, divergo_level(divergo_bound(t), d.x, e.x, d.y, e.y)))
DIVERGO_FETCH(tex3DGrad, cudaTextureType3D, (float x, float y, float z, float4 d, float4 e), divergo_sample<R>(divergo_bound(t), 3, x, y, z, 0, divergo_level(divergo_bound(t), d.x, e.x, d.y, e.y, d.z, e.z)))
DIVERGO_FETCH(tex1DLayeredGrad, cudaTextureType1DLayered, (float x, int layer, float dx, float ex), divergo_sample<R>(divergo_bound(t), 1, x, 0, 0, layer, divergo_level(divergo_bound(t), dx, ex)))
DIVERGO_FETCH(tex2DLayeredGrad, cudaTextureType2DLayered, (float x, float y, int layer, float2 d, float2 e), divergo_sample<R>(divergo_bound(t), 2, x, y, 0, layer, divergo_level(divergo_bound(t), d.x, e.x, d.y, e.y)))
#undef DIVERGO_FETCH
template <class R> DIVERGO_DEVICE R tex2Dgather(cudaTextureObject_t t, float x, float y, int channel = 0) { return divergo_gather<R>(divergo_bound(t), x, y, channel); }
template <class R> DIVERGO_DEVICE void tex2Dgather(R *to, cudaTextureObject_t t, float x, float y, int channel = 0) { *to = divergo_gather<R>(divergo_bound(t), x, y, channel); }
template <class T, enum cudaTextureReadMode mode> DIVERGO_DEVICE typename divergo_texel<typename divergo_result<T, mode>::type>::four tex2Dgather(texture<T, cudaTextureType2D, mode> t, float x, float y, int channel = 0) {
    return divergo_gather<typename divergo_texel<typename divergo_result<T, mode>::type>::four>(divergo_bound(t), x, y, channel);
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
    template <class T> DIVERGO_DEVICE T NAME##read(cudaSurfaceObject_t s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { return divergo_load<T>(divergo_bound(s), X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE void NAME##read(T *to, cudaSurfaceObject_t s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *to = divergo_load<T>(divergo_bound(s), X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE void NAME##write(T v, cudaSurfaceObject_t s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { divergo_store<T>(divergo_bound(s), v, X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE T NAME##read(surface<void, TYPE> s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { return divergo_load<T>(divergo_bound(s), X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE void NAME##read(T *to, surface<void, TYPE> s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *to = divergo_load<T>(divergo_bound(s), X, Y, Z, mode); } \
    template <class T> DIVERGO_DEVICE void NAME##write(T v, surface<void, TYPE> s, DIVERGO_LIST PARAMETERS, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { divergo_store<T>(divergo_bound(s), v, X, Y, Z, mode); }
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
