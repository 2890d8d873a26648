// Arrays, textures and surfaces of the CUDA runtime. An array is pitched memory of the device. What a texture is bound to is
// written to the device as a struct divergo_texture, from which the device's code fetches (include/divergo/texture_fetch.h).
#include <stdio.h>
#include <stdlib.h>

#include "divergo/texture.h"
#include "runtime.h"

struct cudaArray {
    struct cudaPitchedPtr at; // xsize: bytes of a row, ysize: rows
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; // as it was asked for: 0 where there is no such dimension
    unsigned int flags;
};

static cudaError_t unsupported(const char *what) {
    fprintf(stderr, "cuda: %s are not supported\n", what);
    return divergo_fail(cudaErrorNotSupported);
}

static unsigned int channels(const struct cudaChannelFormatDesc *d) { return (d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0); }

// texel is the bytes of a texel, or 0 if there is no such format.
static size_t texel(const struct cudaChannelFormatDesc *d) {
    const unsigned int n = channels(d), bits = (unsigned)d->x;
    if ((n != 1 && n != 2 && n != 4) || (bits != 8 && bits != 16 && bits != 32) || (unsigned)d->f >= cudaChannelFormatKindNone) return 0;
    if ((n > 1 && d->y != d->x) || (n > 2 && (d->z != d->x || d->w != d->x)) || (d->f == cudaChannelFormatKindFloat && bits == 8)) return 0;
    return n * bits / 8;
}

static size_t at_least_1(size_t n) { return n > 0 ? n : 1; }

// A cubemap is square, and has six layers, or a multiple of six.
static int no_cube(struct cudaExtent extent, unsigned int flags) {
    return flags & cudaArrayCubemap && (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0 || (extent.depth != 6 && !(flags & cudaArrayLayered)));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags) {
    if (flags & cudaArraySparse) return unsupported("sparse arrays");
    if (no_cube(extent, flags)) return divergo_fail(cudaErrorInvalidValue);
    if (array == NULL || desc == NULL || texel(desc) == 0 || extent.width == 0) return divergo_fail(cudaErrorInvalidValue);
    struct cudaArray *a = malloc(sizeof *a);
    if (a == NULL) return divergo_fail(cudaErrorMemoryAllocation);
    *a = (struct cudaArray){.desc = *desc, .extent = extent, .flags = flags};
    const struct cudaExtent bytes = {extent.width * texel(desc), at_least_1(extent.height), at_least_1(extent.depth)};
    cudaError_t error = cudaMalloc3D(&a->at, bytes);
    if (error != cudaSuccess) return free(a), error;
    *array = a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned int flags) {
    return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    if (array == NULL) return divergo_fail(cudaSuccess);
    cudaError_t error = cudaFree(array->at.ptr);
    free(array);
    return error;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array) {
    if (array == NULL) return divergo_fail(cudaErrorInvalidValue);
    if (desc != NULL) *desc = array->desc;
    if (extent != NULL) *extent = array->extent;
    if (flags != NULL) *flags = array->flags;
    return divergo_fail(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) { return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)array); }

// Mipmaps: an array for each level, each half as wide, high and, unless it has layers, deep as the one before it.
struct cudaMipmappedArray {
    unsigned int levels;
    cudaArray_t level[];
};

static size_t half(size_t n, unsigned int times) { return n == 0 ? 0 : n >> times > 0 ? n >> times : 1; }

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int levels, unsigned int flags) {
    size_t longest = extent.width > extent.height ? extent.width : extent.height;
    unsigned int most = 1;
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && extent.depth > longest) longest = extent.depth;
    while (longest >> most > 0) most++;
    if (mipmap == NULL || levels == 0) return divergo_fail(cudaErrorInvalidValue);
    if (levels > most) levels = most; // as CUDA does it
    struct cudaMipmappedArray *m = calloc(1, sizeof *m + levels * sizeof *m->level);
    if (m == NULL) return divergo_fail(cudaErrorMemoryAllocation);
    for (; m->levels < levels; m->levels++) {
        struct cudaExtent e = {half(extent.width, m->levels), half(extent.height, m->levels), flags & (cudaArrayLayered | cudaArrayCubemap) ? extent.depth : half(extent.depth, m->levels)};
        cudaError_t error = cudaMalloc3DArray(&m->level[m->levels], desc, e, flags);
        if (error != cudaSuccess) return cudaFreeMipmappedArray(m), divergo_fail(error);
    }
    *mipmap = m;
    return divergo_fail(cudaSuccess);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap) {
    cudaError_t error = cudaSuccess;
    for (unsigned int i = 0; mipmap != NULL && i < mipmap->levels && error == cudaSuccess; i++) error = cudaFreeArray(mipmap->level[i]);
    free(mipmap);
    return divergo_fail(error);
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t mipmap, unsigned int n) {
    if (level == NULL || mipmap == NULL || n >= mipmap->levels) return divergo_fail(cudaErrorInvalidValue);
    *level = mipmap->level[n];
    return divergo_fail(cudaSuccess);
}

struct cudaPitchedPtr divergo_array(const struct cudaArray *array, size_t *element) {
    *element = texel(&array->desc);
    return array->at;
}

// Copies. A copy of bytes goes on with the next row where one ends.

static int outside(const struct cudaArray *a, size_t x, size_t y, size_t width, size_t height) {
    return a == NULL || x > a->at.xsize || width > a->at.xsize - x || y > a->at.ysize || height > a->at.ysize - y;
}

static char *place(const struct cudaArray *a, size_t x, size_t y) { return (char *)a->at.ptr + y * a->at.pitch + x; }

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
    if (outside(to, x, y, width, height)) return divergo_fail(cudaErrorInvalidValue);
    return cudaMemcpy2D(place(to, x, y), to->at.pitch, from, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
    if (outside(from, x, y, width, height)) return divergo_fail(cudaErrorInvalidValue);
    return cudaMemcpy2D(to, pitch, place(from, x, y), from->at.pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind) {
    if (outside(from, from_x, from_y, width, height)) return divergo_fail(cudaErrorInvalidValue);
    return cudaMemcpy2DToArray(to, to_x, to_y, place(from, from_x, from_y), from->at.pitch, width, height, kind);
}

// piece is how many bytes are left in a row from x on, where the next begins.
static size_t piece(const struct cudaArray *a, size_t *x, size_t *y, size_t bytes) {
    if (*x >= a->at.xsize) *y += *x / a->at.xsize, *x %= a->at.xsize;
    return bytes < a->at.xsize - *x ? bytes : a->at.xsize - *x;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    if (to == NULL) return divergo_fail(cudaErrorInvalidValue);
    for (size_t n; bytes > 0; x += n, bytes -= n, from = (const char *)from + n) {
        n = piece(to, &x, &y, bytes);
        cudaError_t error = cudaMemcpy2DToArray(to, x, y, from, n, n, 1, kind);
        if (error != cudaSuccess) return error;
    }
    return divergo_fail(cudaSuccess);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind) {
    if (from == NULL) return divergo_fail(cudaErrorInvalidValue);
    for (size_t n; bytes > 0; x += n, bytes -= n, to = (char *)to + n) {
        n = piece(from, &x, &y, bytes);
        cudaError_t error = cudaMemcpy2DFromArray(to, n, from, x, y, n, 1, kind);
        if (error != cudaSuccess) return error;
    }
    return divergo_fail(cudaSuccess);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t bytes, enum cudaMemcpyKind kind) {
    if (from == NULL) return divergo_fail(cudaErrorInvalidValue);
    for (size_t n; bytes > 0; from_x += n, to_x += n, bytes -= n) {
        n = piece(from, &from_x, &from_y, bytes);
        if (outside(from, from_x, from_y, n, 1)) return divergo_fail(cudaErrorInvalidValue);
        cudaError_t error = cudaMemcpyToArray(to, to_x, to_y, place(from, from_x, from_y), n, kind);
        if (error != cudaSuccess) return error;
    }
    return divergo_fail(cudaSuccess);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) { return (void)stream, cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind); }
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) { return (void)stream, cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind); }
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) { return (void)stream, cudaMemcpyToArray(to, x, y, from, bytes, kind); }
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) { return (void)stream, cudaMemcpyFromArray(to, from, x, y, bytes, kind); }

// Textures.

// channel_type is OpenCL's number: from CL_SNORM_INT8 on in the order SNORM 8 and 16, UNORM 8 and 16, and from CL_SIGNED_INT8
// on signed, unsigned (8, 16, 32), HALF_FLOAT, FLOAT.
static unsigned int channel_type(const struct cudaChannelFormatDesc *d, enum cudaTextureReadMode mode) {
    const unsigned int width = d->x == 8 ? 0 : d->x == 16 ? 1 : 2;
    if (d->f == cudaChannelFormatKindFloat) return 0x10DC + width;
    if (mode == cudaReadModeNormalizedFloat) return (d->f == cudaChannelFormatKindSigned ? 0x10D0 : 0x10D2) + width;
    return (d->f == cudaChannelFormatKindSigned ? 0x10D7 : 0x10DA) + width;
}

// read_as says how the channels of a format become floats, if they do.
static cudaError_t read_as(struct divergo_texture *t, const struct cudaChannelFormatDesc *d, enum cudaTextureReadMode mode, int srgb) {
    t->bytes = (unsigned)texel(d), t->channels = channels(d), t->format = divergo_plain;
    if (t->bytes == 0) return cudaErrorInvalidChannelDescriptor;
    t->type = channel_type(d, mode);
    if (d->f == cudaChannelFormatKindFloat) t->format = d->x == 16 ? divergo_half : divergo_plain;
    else if (srgb && (mode != cudaReadModeNormalizedFloat || d->x != 8 || d->f != cudaChannelFormatKindUnsigned)) return cudaErrorInvalidValue;
    else if (srgb) t->format = divergo_srgb8;
    else if (mode == cudaReadModeNormalizedFloat && d->x == 32) return cudaErrorInvalidNormSetting;
    else if (mode == cudaReadModeNormalizedFloat) t->format = (d->x == 8 ? divergo_unorm8 : divergo_unorm16) + (d->f == cudaChannelFormatKindSigned);
    else if (t->linear) return cudaErrorInvalidFilterSetting;
    return cudaSuccess;
}

// bind describes what a resource and a way to read it come to.
static cudaError_t bind(struct divergo_texture *t, const struct cudaResourceDesc *r, const struct cudaTextureDesc *how) {
    *t = (struct divergo_texture){.normalized = how->normalizedCoords != 0, .linear = how->filterMode == cudaFilterModeLinear};
    if (how->seamlessCubemap) return unsupported("filters across the edges of a cubemap (seamlessCubemap)");
    for (int i = 0; i < 3; i++) t->mode[i] = how->addressMode[i];
    for (int i = 0; i < 4; i++) t->border[i] = how->borderColor[i];
    struct cudaChannelFormatDesc desc;
    struct cudaPitchedPtr at;
    struct cudaExtent size;
    switch (r->resType) {
    case cudaResourceTypeArray:
        if (r->res.array.array == NULL) return cudaErrorInvalidValue;
        desc = r->res.array.array->desc, at = r->res.array.array->at, size = r->res.array.array->extent;
        break;
    case cudaResourceTypeLinear:
        desc = r->res.linear.desc, size = (struct cudaExtent){r->res.linear.sizeInBytes / at_least_1(texel(&desc)), 1, 1};
        at = (struct cudaPitchedPtr){r->res.linear.devPtr, r->res.linear.sizeInBytes, 0, 1};
        t->linear = 0; // without a filter, as tex1Dfetch is
        break;
    case cudaResourceTypePitch2D:
        desc = r->res.pitch2D.desc, size = (struct cudaExtent){r->res.pitch2D.width, r->res.pitch2D.height, 1};
        at = (struct cudaPitchedPtr){r->res.pitch2D.devPtr, r->res.pitch2D.pitchInBytes, 0, size.height};
        break;
    default:
        return cudaErrorInvalidValue;
    }
    t->base = (unsigned long long)at.ptr, t->pitch = (unsigned)at.pitch, t->plane = at.pitch * at.ysize;
    t->size[0] = (unsigned)size.width, t->size[1] = (unsigned)at_least_1(size.height), t->size[2] = (unsigned)at_least_1(size.depth);
    return read_as(t, &desc, how->readMode, how->sRGB);
}

// describe makes what the device reads of a resource: one description, or one of each level of a mipmap. The caller frees them.
static cudaError_t describe(struct divergo_texture **all, unsigned int *count, const struct cudaResourceDesc *r, const struct cudaTextureDesc *how) {
    const struct cudaMipmappedArray *m = r->resType == cudaResourceTypeMipmappedArray ? r->res.mipmap.mipmap : NULL;
    if (r->resType == cudaResourceTypeMipmappedArray && (m == NULL || !how->normalizedCoords)) return cudaErrorInvalidValue;
    *count = m != NULL ? m->levels : 1;
    if ((*all = calloc(*count, sizeof **all)) == NULL) return cudaErrorMemoryAllocation;
    cudaError_t error = cudaSuccess;
    for (unsigned int i = 0; i < *count && error == cudaSuccess; i++) {
        const struct cudaResourceDesc level = {.resType = cudaResourceTypeArray, .res.array.array = m != NULL ? m->level[i] : NULL};
        struct divergo_texture *t = *all + i;
        error = bind(t, m != NULL ? &level : r, how);
        t->levels = *count - i, t->between = how->mipmapFilterMode == cudaFilterModeLinear;
        t->bias = how->mipmapLevelBias, t->least = how->minMipmapLevelClamp, t->most = how->maxMipmapLevelClamp;
        if (m != NULL && t->between && t->format == divergo_plain && level.res.array.array->desc.f != cudaChannelFormatKindFloat) error = cudaErrorInvalidFilterSetting;
    }
    if (error != cudaSuccess) free(*all);
    return error;
}

// Objects: what they were made of, by their address on the device.
struct object {
    unsigned long long at;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc how;
    struct object *next;
};
static struct object *objects;

static struct object **find(unsigned long long at) {
    struct object **o = &objects;
    while (*o != NULL && (*o)->at != at) o = &(*o)->next;
    return o;
}

static cudaError_t make(unsigned long long *object, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *how) {
    struct divergo_texture *t;
    unsigned int count;
    if (object == NULL || resource == NULL || how == NULL) return divergo_fail(cudaErrorInvalidValue);
    cudaError_t error = describe(&t, &count, resource, how);
    if (error != cudaSuccess) return divergo_fail(error);
    struct object *o = malloc(sizeof *o);
    void *at;
    error = o == NULL ? divergo_fail(cudaErrorMemoryAllocation) : cudaMalloc(&at, count * sizeof *t);
    if (error == cudaSuccess) error = cudaMemcpy(at, t, count * sizeof *t, cudaMemcpyHostToDevice);
    free(t);
    if (error != cudaSuccess) return free(o), error;
    *o = (struct object){(unsigned long long)at, *resource, *how, objects};
    objects = o;
    *object = o->at;
    return cudaSuccess;
}

static cudaError_t destroy(unsigned long long object) {
    struct object **at = find(object), *o = *at;
    if (o == NULL) return divergo_fail(object == 0 ? cudaSuccess : cudaErrorInvalidValue);
    *at = o->next;
    free(o);
    return cudaFree((void *)object);
}

static cudaError_t resource_of(struct cudaResourceDesc *resource, unsigned long long object) {
    struct object *o = *find(object);
    if (o == NULL || resource == NULL) return divergo_fail(cudaErrorInvalidValue);
    *resource = o->resource;
    return divergo_fail(cudaSuccess);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *how, const struct cudaResourceViewDesc *view) {
    return view != NULL && view->format != cudaResViewFormatNone ? unsupported("views of resources") : make(texture, resource, how);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) { return destroy(texture); }
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t texture) { return resource_of(resource, texture); }
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *how, cudaTextureObject_t texture) {
    struct object *o = *find(texture);
    if (o == NULL || how == NULL) return divergo_fail(cudaErrorInvalidValue);
    *how = o->how;
    return divergo_fail(cudaSuccess);
}

// Surfaces are arrays that are read and written as they are.
static const struct cudaTextureDesc as_it_is;

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource) {
    if (resource == NULL || resource->resType != cudaResourceTypeArray) return divergo_fail(cudaErrorInvalidValue);
    return make(surface, resource, &as_it_is);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) { return destroy(surface); }
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t surface) { return resource_of(resource, surface); }

// References. How one is read is what its members say when it is bound. There is room for one level.
cudaError_t divergo_bind(void *at, const struct cudaResourceDesc *r, const struct cudaTextureDesc *how) {
    if (r->resType == cudaResourceTypeMipmappedArray) return unsupported("references to mipmaps");
    struct divergo_texture *t;
    unsigned int count;
    cudaError_t error = describe(&t, &count, r, how);
    if (error != cudaSuccess) return divergo_fail(error);
    error = cudaMemcpy(at, t, sizeof *t, cudaMemcpyHostToDevice);
    return free(t), error;
}

static cudaError_t bind_reference(const void *reference, const struct cudaResourceDesc *r, const struct cudaTextureDesc *how) {
    void *at;
    cudaError_t error = cudaGetSymbolAddress(&at, reference);
    if (error == cudaErrorInvalidSymbol) return divergo_fail(cudaErrorInvalidTexture);
    return error != cudaSuccess ? error : divergo_bind(at, r, how);
}

static cudaError_t bind_texture(const struct textureReference *t, const struct cudaResourceDesc *r) {
    if (t == NULL) return divergo_fail(cudaErrorInvalidTexture);
    struct cudaTextureDesc how = {.filterMode = t->filterMode, .sRGB = t->sRGB, .normalizedCoords = t->normalized};
    for (int i = 0; i < 3; i++) how.addressMode[i] = t->addressMode[i];
    how.readMode = t->readAsFloat ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    return bind_reference(t, r, &how);
}

// An offset is never needed: any texel can be the first.
static void no_offset(size_t *offset) {
    if (offset != NULL) *offset = 0;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *address, const struct cudaChannelFormatDesc *desc, size_t bytes) {
    void *start;
    size_t all;
    if (desc == NULL) return divergo_fail(cudaErrorInvalidChannelDescriptor);
    cudaError_t error = divergo_range(address, &start, &all);
    if (error != cudaSuccess) return divergo_fail(error);
    all -= (size_t)((const char *)address - (const char *)start);
    if (bytes > all) bytes = all; // where nothing is said, it is all that there is
    no_offset(offset);
    struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear, .res.linear = {(void *)address, *desc, bytes}};
    return bind_texture(texture, &r);
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *address, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch) {
    if (desc == NULL) return divergo_fail(cudaErrorInvalidChannelDescriptor);
    no_offset(offset);
    struct cudaResourceDesc r = {.resType = cudaResourceTypePitch2D, .res.pitch2D = {(void *)address, *desc, width, height, pitch}};
    return bind_texture(texture, &r);
}

static struct cudaResourceDesc of_array(cudaArray_const_t array) {
    return (struct cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array.array = (cudaArray_t)array};
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc) {
    struct cudaResourceDesc r = of_array(array);
    (void)desc; // it is the array's
    return bind_texture(texture, &r);
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc) {
    struct cudaResourceDesc r = of_array(array);
    (void)desc;
    return bind_reference(surface, &r, &as_it_is);
}

cudaError_t cudaUnbindTexture(const struct textureReference *texture) {
    static const struct divergo_texture none;
    void *at;
    cudaError_t error = cudaGetSymbolAddress(&at, texture);
    return error != cudaSuccess ? error : cudaMemcpy(at, &none, sizeof none, cudaMemcpyHostToDevice);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture) {
    (void)texture;
    no_offset(offset);
    return divergo_fail(offset != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol) {
    if (texture == NULL) return divergo_fail(cudaErrorInvalidValue);
    *texture = symbol;
    return divergo_fail(cudaSuccess);
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol) {
    if (surface == NULL) return divergo_fail(cudaErrorInvalidValue);
    *surface = symbol;
    return divergo_fail(cudaSuccess);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const struct cudaChannelFormatDesc *desc, int device) {
    if (device != 0) return divergo_fail(cudaErrorInvalidDevice);
    if (texels == NULL || desc == NULL || texel(desc) == 0) return divergo_fail(cudaErrorInvalidValue);
    *texels = (1ull << 32) / texel(desc);
    return divergo_fail(cudaSuccess);
}
