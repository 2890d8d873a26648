// Fetches in C, from the description of a texture: loads and arithmetic (CUDA C++ Programming Guide, appendix "Texture
// Fetching"). The instructions are compared with them, bit for bit.
#pragma once
#include "divergo/texture.h"

#define DIVERGO_DEVICE static __device__ __forceinline__

namespace reference {
// A value in a texture, through the texture cache where the GPU has ld.global.nc.
template <class T> DIVERGO_DEVICE T cached(unsigned long long at) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
    return __ldg((const T *)at);
#else
    return *(const T *)at;
#endif
}

// A whole texel. That of one channel may be a struct, which __ldg does not read.
template <class R, int n> struct whole {
    DIVERGO_DEVICE R read(unsigned long long at) { return cached<R>(at); }
};
template <class R> struct whole<R, 1> {
    DIVERGO_DEVICE R read(unsigned long long at) {
        const typename divergo_texel<R>::channel c = cached<typename divergo_texel<R>::channel>(at);
        R r;
        __builtin_memcpy(&r, &c, sizeof r);
        return r;
    }
};

// A channel of the texel at an address. Only floats can be kept in another form than they are read in.
template <class C> struct texel_channel {
    DIVERGO_DEVICE C read(const divergo_texture *, unsigned long long at, unsigned c) { return cached<C>(at + c * sizeof(C)); }
};
template <> struct texel_channel<float> {
    DIVERGO_DEVICE float read(const divergo_texture *t, unsigned long long at, unsigned c) {
        switch (t->format) {
        case divergo_srgb8: {
            const float x = cached<unsigned char>(at + c) / 255.0f;
            return c == 3 ? x : x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f); // IEC 61966-2-1
        }
        case divergo_unorm8: return cached<unsigned char>(at + c) / 255.0f;
        case divergo_snorm8: return fmaxf(cached<signed char>(at + c) / 127.0f, -1.0f);
        case divergo_unorm16: return cached<unsigned short>(at + 2 * c) / 65535.0f;
        case divergo_snorm16: return fmaxf(cached<short>(at + 2 * c) / 32767.0f, -1.0f);
        case divergo_half: {
            float f;
            asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(cached<unsigned short>(at + 2 * c)));
            return f;
        }
        default: return cached<float>(at + 4 * c);
        }
    }
};

// The texel at i, j, k, channels that it does not have as 0; where an index is negative, the border.
template <class R> DIVERGO_DEVICE R texel_read(const divergo_texture *t, int i, int j, int k) {
    typedef typename divergo_texel<R>::channel C;
    enum { n = divergo_texel<R>::channels };
    R r;
    C v[n];
    if ((i | j | k) < 0) {
        for (unsigned c = 0; c < n; c++) v[c] = (C)t->border[c];
    } else {
        const unsigned long long at = t->base + k * t->plane + (unsigned long long)j * t->pitch + (unsigned long long)i * t->bytes;
        if (t->format == divergo_plain && t->bytes == sizeof(R)) return whole<R, n>::read(at);
        for (unsigned c = 0; c < n; c++) v[c] = c < t->channels ? texel_channel<C>::read(t, at, c) : C(0);
    }
    __builtin_memcpy(&r, v, sizeof r);
    return r;
}

// The index of a texel in its row, column or pile of n, by the address mode; the border is negative.
DIVERGO_DEVICE int texel_index(unsigned mode, int i, int n) {
    if (mode == cudaAddressModeBorder) return i < n ? i : -1;
    if (mode == cudaAddressModeWrap) return i < 0 ? i + n : i < n ? i : i - n;
    return i < 0 ? 0 : i < n ? i : n - 1;
}

// The one or two texels of a coordinate, and the share of the second, in 1/256.
struct axis {
    int first, second;
    float share;
};
DIVERGO_DEVICE axis place(const divergo_texture *t, int d, float x, bool linear) {
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
    axis a;
    if (!linear && mode == cudaAddressModeWrap) mode = cudaAddressModeClamp; // rounded up to n
    a.first = texel_index(mode, (int)whole, n);
    a.second = texel_index(mode, (int)whole + 1, n);
    a.share = rintf((x - whole) * 256.0f) / 256.0f;
    return a;
}

template <class R, class C> struct filter { // integers are not interpolated
    DIVERGO_DEVICE R mix(R a, R, float) { return a; }
    DIVERGO_DEVICE R get(const divergo_texture *t, int dims, float x, float y, float z, int layer) {
        const int i = place(t, 0, x, false).first;
        const int j = dims > 1 ? place(t, 1, y, false).first : 0;
        return texel_read<R>(t, i, j, dims > 2 ? place(t, 2, z, false).first : layer);
    }
};
template <class R> struct filter<R, float> {
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
    DIVERGO_DEVICE R row(const divergo_texture *t, const axis &x, int j, int k) {
        return mix(texel_read<R>(t, x.first, j, k), texel_read<R>(t, x.second, j, k), x.share);
    }
    DIVERGO_DEVICE R plane(const divergo_texture *t, int dims, const axis &x, const axis &y, int k) {
        if (dims == 1) return row(t, x, 0, k);
        return mix(row(t, x, y.first, k), row(t, x, y.second, k), y.share);
    }
    DIVERGO_DEVICE R get(const divergo_texture *t, int dims, float x, float y, float z, int layer) {
        if (!t->linear) return filter<R, int>::get(t, dims, x, y, z, layer);
        const axis i = place(t, 0, x, true);
        const axis j = dims > 1 ? place(t, 1, y, true) : axis();
        if (dims < 3) return plane(t, dims, i, j, layer);
        const axis k = place(t, 2, z, true);
        return mix(plane(t, dims, i, j, k.first), plane(t, dims, i, j, k.second), k.share);
    }
};

template <class R> DIVERGO_DEVICE R sample(const divergo_texture *t, int dims, float x, float y, float z, int layer) {
    layer = layer < 0 ? 0 : layer < (int)t->size[2] ? layer : (int)t->size[2] - 1;
    return filter<R, typename divergo_texel<R>::channel>::get(t, dims, x, y, z, layer);
}
// The same of the level of a mipmap, or between the two that are nearest.
template <class R> DIVERGO_DEVICE R sample(const divergo_texture *t, int dims, float x, float y, float z, int layer, float level) {
    if (t->levels <= 1) return sample<R>(t, dims, x, y, z, layer);
    const int last = (int)t->levels - 1;
    level = fminf(fmaxf(level + t->bias, t->least), t->most);
    level = fminf(fmaxf(level, 0.0f), (float)last);
    if (!t->between) return sample<R>(t + (int)floorf(level + 0.5f), dims, x, y, z, layer);
    const int whole = (int)level;
    const float share = rintf((level - (float)whole) * 256.0f) / 256.0f;
    const R a = sample<R>(t + whole, dims, x, y, z, layer);
    return share == 0 ? a : filter<R, typename divergo_texel<R>::channel>::mix(a, sample<R>(t + whole + 1, dims, x, y, z, layer), share);
}

// The level by the gradients of the coordinates: the longer of both, in texels (OpenGL 4.6, 8.14.1; not anisotropic).
DIVERGO_DEVICE float level(const divergo_texture *t, float dx, float ex, float dy = 0, float ey = 0, float dz = 0, float ez = 0) {
    const float w = t->normalized ? (float)t->size[0] : 1, h = t->normalized ? (float)t->size[1] : 1, d = t->normalized ? (float)t->size[2] : 1;
    const float a = w * w * dx * dx + h * h * dy * dy + d * d * dz * dz, b = w * w * ex * ex + h * h * ey * ey + d * d * ez * ez;
    return 0.5f * log2f(fmaxf(a, b));
}

// A direction in a cube: the face is that of the longest coordinate (Programming Guide, table "Cubemap Fetch"). Layers of a
// cubemap are six faces each.
template <class R> DIVERGO_DEVICE R cube(const divergo_texture *t, float x, float y, float z, int layer, float level) {
    const float u = fabsf(x), v = fabsf(y), w = fabsf(z);
    int face;
    float m, a, b;
    if (u >= v && u >= w) face = x < 0, m = u, a = x < 0 ? z : -z, b = -y;
    else if (v >= w) face = 2 + (y < 0), m = v, a = x, b = y < 0 ? -z : z;
    else face = 4 + (z < 0), m = w, a = z < 0 ? -x : x, b = -y;
    return sample<R>(t, 2, (a / m + 1.0f) / 2.0f, (b / m + 1.0f) / 2.0f, 0, 6 * layer + face, level);
}

// One channel of the four texels that a filter would read, against the clock from the lower left (PTX ISA, tld4).
template <class R> DIVERGO_DEVICE R gather(const divergo_texture *t, float x, float y, int channel) {
    const axis i = place(t, 0, x, true), j = place(t, 1, y, true);
    const R texels[4] = {texel_read<R>(t, i.first, j.second, 0), texel_read<R>(t, i.second, j.second, 0), texel_read<R>(t, i.second, j.first, 0), texel_read<R>(t, i.first, j.first, 0)};
    typename divergo_texel<R>::channel v[4], r[4];
    R all;
    for (int n = 0; n < 4; n++) {
        __builtin_memcpy(v, &texels[n], sizeof v);
        r[n] = v[channel & 3];
    }
    __builtin_memcpy(&all, r, sizeof all);
    return all;
}

template <class R> DIVERGO_DEVICE R fetch(const divergo_texture *t, int i) {
    if ((unsigned)i < t->size[0]) return texel_read<R>(t, i, 0, 0);
    return R();
}


DIVERGO_DEVICE const divergo_texture *described(cudaTextureObject_t t) { return (const divergo_texture *)t; }
} // namespace reference
