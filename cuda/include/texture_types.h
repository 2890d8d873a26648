// Textures and surfaces are not supported: a program that has one does not compile, and is told so by name.
#ifndef __TEXTURE_TYPES_H__
#define __TEXTURE_TYPES_H__
#include "driver_types.h"

enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
struct cudaChannelFormatDesc { int x, y, z, w; enum cudaChannelFormatKind f; };
typedef struct cudaChannelFormatDesc cudaChannelFormatDesc;
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03

struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { cudaMipmappedArray_t mipmap; } mipmap;
        struct { void *devPtr; struct cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
        struct { void *devPtr; struct cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
    } res;
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
typedef struct cudaResourceDesc cudaResourceDesc;
typedef struct cudaTextureDesc cudaTextureDesc;

static inline struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    struct cudaChannelFormatDesc d = {x, y, z, w, f};
    return d;
}

#if defined(__CUDA__) && defined(__cplusplus)
template <class T, int dimensions = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType> struct texture {
    static_assert(sizeof(T) == 0, "textures are not supported");
};
template <class T, int dimensions = cudaTextureType1D> struct surface {
    static_assert(sizeof(T) == 0, "surfaces are not supported");
};
#define DIVERGO_NO_TEXTURE(name)                                                                                              \
    template <class T, class... A> __device__ T name(A...) __attribute__((unavailable("textures and surfaces are not supported"))); \
    template <class... A> __device__ void name(A...) __attribute__((unavailable("textures and surfaces are not supported")));
DIVERGO_NO_TEXTURE(tex1D)
DIVERGO_NO_TEXTURE(tex1Dfetch)
DIVERGO_NO_TEXTURE(tex1DLod)
DIVERGO_NO_TEXTURE(tex1DLayered)
DIVERGO_NO_TEXTURE(tex2D)
DIVERGO_NO_TEXTURE(tex2DLod)
DIVERGO_NO_TEXTURE(tex2DGrad)
DIVERGO_NO_TEXTURE(tex2DLayered)
DIVERGO_NO_TEXTURE(tex2Dgather)
DIVERGO_NO_TEXTURE(tex3D)
DIVERGO_NO_TEXTURE(tex3DLod)
DIVERGO_NO_TEXTURE(texCubemap)
DIVERGO_NO_TEXTURE(surf1Dread)
DIVERGO_NO_TEXTURE(surf1Dwrite)
DIVERGO_NO_TEXTURE(surf2Dread)
DIVERGO_NO_TEXTURE(surf2Dwrite)
DIVERGO_NO_TEXTURE(surf3Dread)
DIVERGO_NO_TEXTURE(surf3Dwrite)
#undef DIVERGO_NO_TEXTURE
#endif
#endif
