// What textures and surfaces are described with. Fetches are in divergo/texture_fetch.h.
#ifndef __TEXTURE_TYPES_H__
#define __TEXTURE_TYPES_H__
#include "driver_types.h"
#include "vector_types.h"

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
    int disableTrilinearOptimization, seamlessCubemap;
};
typedef struct cudaResourceDesc cudaResourceDesc;
typedef struct cudaTextureDesc cudaTextureDesc;

#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureTypeCubemapLayered 0xFC
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceTypeCubemapLayered 0xFC
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
#define cudaArrayColorAttachment 0x20
#define cudaArraySparse 0x40
#define cudaArrayDeferredMapping 0x80
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
// A view reads a resource in another format. There is none (cudaCreateTextureObject), but for the one that changes nothing.
enum cudaResourceViewFormat { cudaResViewFormatNone };
struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
typedef struct cudaResourceViewDesc cudaResourceViewDesc;

// A texture reference as the host sees it. It is read when it is bound.
struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int readAsFloat; // cudaReadModeNormalizedFloat
};
struct surfaceReference { struct cudaChannelFormatDesc channelDesc; };

static inline struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    struct cudaChannelFormatDesc d = {x, y, z, w, f};
    return d;
}

#ifdef __cplusplus
template <class T> static inline struct cudaChannelFormatDesc cudaCreateChannelDesc() { return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone); }
#define DIVERGO_CHANNEL(T, N, BITS, KIND)                                                                                      \
    template <> inline struct cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                                               \
        return cudaCreateChannelDesc(BITS, N > 1 ? BITS : 0, N > 2 ? BITS : 0, N > 3 ? BITS : 0, cudaChannelFormatKind##KIND); \
    }
#define DIVERGO_CHANNELS(T, V, BITS, KIND) \
    DIVERGO_CHANNEL(T, 1, BITS, KIND)      \
    DIVERGO_CHANNEL(V##1, 1, BITS, KIND)   \
    DIVERGO_CHANNEL(V##2, 2, BITS, KIND)   \
    DIVERGO_CHANNEL(V##4, 4, BITS, KIND)
DIVERGO_CHANNEL(char, 1, 8, Signed)
DIVERGO_CHANNELS(signed char, char, 8, Signed)
DIVERGO_CHANNELS(unsigned char, uchar, 8, Unsigned)
DIVERGO_CHANNELS(short, short, 16, Signed)
DIVERGO_CHANNELS(unsigned short, ushort, 16, Unsigned)
DIVERGO_CHANNELS(int, int, 32, Signed)
DIVERGO_CHANNELS(unsigned int, uint, 32, Unsigned)
DIVERGO_CHANNELS(float, float, 32, Float)
#undef DIVERGO_CHANNELS
#undef DIVERGO_CHANNEL
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf() { return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat); }
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat); }
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat); }
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat); }
#endif

#if defined(__CUDA__) && defined(__cplusplus)
template <class T, int dimensions = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    __host__ texture(int coordinates = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint, enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(coordinates, filter, address, cudaCreateChannelDesc<T>()) {}
    __host__ texture(int coordinates, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address, struct cudaChannelFormatDesc desc) : textureReference() {
        normalized = coordinates;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = desc;
        readAsFloat = mode == cudaReadModeNormalizedFloat;
    }
};
template <class T, int dimensions = cudaTextureType1D> struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {};
template <int dimensions> struct __attribute__((device_builtin_surface_type)) surface<void, dimensions> : public surfaceReference {
    __host__ surface() : surfaceReference() {}
};
#endif
#endif
