// Textures and surfaces against the host, which computes what the CUDA C++ Programming Guide says ("Texture Fetching") in
// double. Sizes and coordinates are such that products and fractions are exact.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>
#include "api.h"

int wrong;
#define CHECK(condition) \
    if (!(condition)) wrong++, printf("line %d: %s\n", __LINE__, #condition)

static unsigned state = 1;
static unsigned draw(unsigned n) { return (state = state * 1664525 + 1013904223) / 65536 % n; }

// A box of floats, as the guide reads it.
struct Box {
    int n[3];
    std::vector<float> texels;
    Box(int x, int y, int z) : n{x, y, z}, texels(x * y * z) {
        for (float &t : texels) t = draw(1000);
    }
    // One texel by the modes of its indices.
    double texel(const int *at, const cudaTextureAddressMode *modes, const double *border) const {
        int index[3];
        for (int d = 0; d < 3; d++) {
            int i = at[d], m = n[d], twice = ((i % (2 * m)) + 2 * m) % (2 * m);
            switch (modes[d]) {
            case cudaAddressModeWrap: i = ((i % m) + m) % m; break;
            case cudaAddressModeMirror: i = twice < m ? twice : 2 * m - 1 - twice; break;
            case cudaAddressModeBorder: if (i < 0 || i >= m) return *border; break;
            default: i = i < 0 ? 0 : i >= m ? m - 1 : i;
            }
            index[d] = i;
        }
        return texels[(index[2] * n[1] + index[1]) * n[0] + index[0]];
    }
    double read(int dims, const float *x, bool normalized, bool linear, const cudaTextureAddressMode *modes, double border) const {
        int first[3] = {};
        double share[3] = {};
        cudaTextureAddressMode used[3] = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp};
        for (int d = 0; d < dims; d++) {
            double u = (double)x[d] * (normalized ? n[d] : 1) - (linear ? 0.5 : 0);
            first[d] = (int)std::floor(u);
            share[d] = linear ? std::nearbyint((u - std::floor(u)) * 256) / 256 : 0;
            used[d] = !normalized && modes[d] != cudaAddressModeBorder ? cudaAddressModeClamp : modes[d];
        }
        double sum = 0;
        for (int corner = 0; corner < 8; corner++) {
            int at[3];
            double weight = 1;
            for (int d = 0; d < 3; d++) at[d] = first[d] + (corner >> d & 1), weight *= corner >> d & 1 ? share[d] : 1 - share[d];
            if (weight > 0) sum += weight * texel(at, used, &border);
        }
        return sum;
    }
};

__global__ void fetch(cudaTextureObject_t t, int dims, const float *x, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float *at = x + 3 * i;
    to[i] = dims == 1 ? tex1D<float>(t, at[0]) : dims == 2 ? tex2D<float>(t, at[0], at[1]) : tex3D<float>(t, at[0], at[1], at[2]);
}

static cudaArray_t boxed(const Box &b, int dims, cudaChannelFormatDesc desc, const void *from, size_t bytes) {
    cudaArray_t array = 0;
    cudaExtent extent = make_cudaExtent(b.n[0], dims > 1 ? b.n[1] : 0, dims > 2 ? b.n[2] : 0);
    CHECK(cudaMalloc3DArray(&array, &desc, extent) == cudaSuccess);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)from, b.n[0] * bytes, b.n[0], b.n[1]);
    p.dstArray = array;
    p.extent = make_cudaExtent(b.n[0], b.n[1], b.n[2]);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p) == cudaSuccess);
    return array;
}

static cudaTextureObject_t object(cudaArray_t array, const cudaTextureDesc &how) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureObject_t t = 0;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL) == cudaSuccess);
    return t;
}

static void modes() {
    enum { n = 256 };
    float *x, *to;
    cudaMallocManaged(&x, 3 * n * sizeof *x), cudaMallocManaged(&to, n * sizeof *to);
    for (int dims = 1; dims <= 3; dims++) {
        Box b(7, dims > 1 ? 4 : 1, dims > 2 ? 3 : 1);
        cudaArray_t array = boxed(b, dims, cudaCreateChannelDesc<float>(), b.texels.data(), sizeof(float));
        for (int kind = 0; kind < 16; kind++) {
            cudaTextureDesc how = {};
            for (int d = 0; d < 3; d++) how.addressMode[d] = (cudaTextureAddressMode)((kind + d) % 4);
            how.filterMode = kind & 4 ? cudaFilterModeLinear : cudaFilterModePoint;
            how.normalizedCoords = kind >= 8;
            how.borderColor[0] = 5;
            // Up to two sizes outside on either side, in 1/512 of a texel or of the size.
            for (int i = 0; i < 3 * n; i++) {
                int size = how.normalizedCoords ? 1 : b.n[i % 3];
                x[i] = ((int)draw(5 * 512 * size) - 2 * 512 * size) / 512.0f;
            }
            cudaTextureObject_t t = object(array, how);
            fetch<<<2, 128>>>(t, dims, x, to, n);
            CHECK(cudaDeviceSynchronize() == cudaSuccess);
            for (int i = 0; i < n; i++) {
                double want = b.read(dims, x + 3 * i, how.normalizedCoords, how.filterMode == cudaFilterModeLinear, how.addressMode, 5);
                if (std::fabs(to[i] - want) > 1e-3 && wrong++ < 10)
                    printf("%d dimensions, modes from %d, linear %d, normalized %d, at %g %g %g: %g, want %g\n", dims, how.addressMode[0], how.filterMode, how.normalizedCoords, x[3 * i], x[3 * i + 1], x[3 * i + 2], to[i], want);
            }
            CHECK(cudaDestroyTextureObject(t) == cudaSuccess);
        }
        CHECK(cudaFreeArray(array) == cudaSuccess);
    }
    cudaFree(x), cudaFree(to);
}

// Formats, and references in place of objects.
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours;
texture<short, cudaTextureType1D, cudaReadModeNormalizedFloat> halves;
static texture<int2> pairs;
texture<unsigned short, 2> plain(0, cudaFilterModePoint, cudaAddressModeBorder);
surface<void, cudaSurfaceType2D> board;

__global__ void formats(float4 *colour, float *half, int2 *pair, unsigned short *raw, float *sixteen, cudaTextureObject_t t, cudaTextureObject_t layers, float2 *layer) {
    int i = threadIdx.x;
    colour[i] = tex2D(colours, i % 4, i / 4);
    half[i] = tex1Dfetch(halves, i);
    pair[i] = tex1Dfetch(pairs, i - 2);
    raw[i] = tex2D(plain, i - 1, 1);
    sixteen[i] = tex1D<float>(t, i + 0.5f);
    tex2DLayered(layer + i, layers, i % 2 + 0.5f, 0.5f, i / 2 - 1);
}

static void kinds() {
    float4 *colour;
    float *half, *sixteen;
    int2 *pair, *pairsAt, pairsHere[8];
    unsigned short *raw, *rawAt, rawHere[8];
    float2 *layer;
    cudaMallocManaged(&colour, 8 * sizeof *colour), cudaMallocManaged(&half, 8 * sizeof *half), cudaMallocManaged(&pair, 8 * sizeof *pair);
    cudaMallocManaged(&raw, 8 * sizeof *raw), cudaMallocManaged(&sixteen, 8 * sizeof *sixteen), cudaMallocManaged(&layer, 8 * sizeof *layer);

    uchar4 *bytes;
    size_t pitch;
    uchar4 bytesHere[8];
    for (int i = 0; i < 8; i++) bytesHere[i] = make_uchar4(i, 255 - i, 0, 255), pairsHere[i] = make_int2(i * 1000, -i), rawHere[i] = 60000 + i;
    cudaMallocPitch(&bytes, &pitch, 4 * sizeof *bytes, 2);
    cudaMemcpy2D(bytes, pitch, bytesHere, 4 * sizeof *bytes, 4 * sizeof *bytes, 2, cudaMemcpyHostToDevice);
    size_t offset = 1;
    CHECK(cudaBindTexture2D(&offset, colours, bytes, 4, 2, pitch) == cudaSuccess && offset == 0);

    short *shorts;
    short shortsHere[8] = {-32768, -32767, -1, 0, 1, 16384, 32766, 32767};
    cudaMalloc(&shorts, sizeof shortsHere);
    cudaMemcpy(shorts, shortsHere, sizeof shortsHere, cudaMemcpyHostToDevice);
    CHECK(cudaBindTexture(NULL, halves, shorts) == cudaSuccess);
    cudaMalloc(&pairsAt, sizeof pairsHere);
    cudaMemcpy(pairsAt, pairsHere, sizeof pairsHere, cudaMemcpyHostToDevice);
    CHECK(cudaBindTexture(NULL, pairs, pairsAt, 5 * sizeof *pairsAt) == cudaSuccess);
    cudaMalloc(&rawAt, sizeof rawHere);
    cudaMemcpy(rawAt, rawHere, sizeof rawHere, cudaMemcpyHostToDevice);
    CHECK(cudaBindTexture2D(NULL, &plain, rawAt, &plain.channelDesc, 4, 2, 4 * sizeof *rawAt) == cudaSuccess);

    unsigned short floats[8] = {0x0000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0x8000, 0x4248}; // 0 1 -2 65504 2^-24 0.33325 -0 3.140625
    Box line(8, 1, 1);
    cudaTextureDesc how = {};
    cudaArray_t sixteens = boxed(line, 1, cudaCreateChannelDescHalf(), floats, 2);
    float2 twos[2][3][2];
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 2; i++) twos[k][j][i] = make_float2(100 * k + 10 * j + i, k - j);
    Box two(2, 3, 2);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float2>();
    cudaArray_t layered;
    CHECK(cudaMalloc3DArray(&layered, &desc, make_cudaExtent(2, 3, 2), cudaArrayLayered) == cudaSuccess);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(twos, sizeof twos[0][0], 2, 3);
    p.dstArray = layered, p.extent = make_cudaExtent(2, 3, 2), p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p) == cudaSuccess);

    formats<<<1, 8>>>(colour, half, pair, raw, sixteen, object(sixteens, how), object(layered, how), layer);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    const float want[8] = {0, 1, -2, 65504, 5.9604644775390625e-8f, 0.333251953125f, 0, 3.140625f};
    for (int i = 0; i < 8; i++) {
        CHECK(colour[i].x == i / 255.0f && colour[i].y == (255 - i) / 255.0f && colour[i].z == 0 && colour[i].w == 1);
        CHECK(half[i] == std::fmax(shortsHere[i] / 32767.0f, -1.0f));
        int2 pairWant = i < 2 || i - 2 >= 5 ? make_int2(0, 0) : pairsHere[i - 2]; // 0 outside
        CHECK(pair[i].x == pairWant.x && pair[i].y == pairWant.y);
        CHECK(raw[i] == (i < 1 || i > 4 ? 0 : rawHere[4 + i - 1]));
        CHECK(sixteen[i] == want[i]);
        int l = i / 2 - 1 < 0 ? 0 : i / 2 - 1 > 1 ? 1 : i / 2 - 1; // the nearest
        CHECK(layer[i].x == twos[l][0][i % 2].x && layer[i].y == twos[l][0][i % 2].y);
    }
    CHECK(cudaUnbindTexture(pairs) == cudaSuccess);
    CHECK(cudaFreeArray(sixteens) == cudaSuccess && cudaFreeArray(layered) == cudaSuccess);
}

// Surfaces, and copies of parts of arrays.
__global__ void surfaces(cudaSurfaceObject_t line, int *seen) {
    int i = (int)threadIdx.x - 2;
    seen[threadIdx.x] = surf1Dread<int>(line, i * 4, cudaBoundaryModeZero);
    seen[threadIdx.x + 8] = surf1Dread<int>(line, i * 4, cudaBoundaryModeClamp);
    surf2Dwrite(i * 10, board, i * 4, 1, cudaBoundaryModeZero);
}
__global__ void trap(cudaSurfaceObject_t line) { surf1Dwrite(1, line, 16); }

static void writes() {
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>(), got;
    cudaArray_t line, plane;
    CHECK(cudaMallocArray(&line, &desc, 4, 0, cudaArraySurfaceLoadStore) == cudaSuccess);
    CHECK(cudaMallocArray(&plane, &desc, 4, 3, cudaArraySurfaceLoadStore) == cudaSuccess);
    int here[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, back[12] = {}, *seen;
    CHECK(cudaMemcpyToArray(line, 0, 0, here, 16, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpyToArray(plane, 8, 0, here, 40, cudaMemcpyHostToDevice) == cudaSuccess); // over the ends of rows
    CHECK(cudaMemcpyFromArray(back, plane, 8, 0, 40, cudaMemcpyDeviceToHost) == cudaSuccess && !memcmp(back, here, 40));
    CHECK(cudaMemcpyFromArray(back, plane, 12, 2, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy2DToArray(plane, 0, 0, here, 16, 16, 3, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpy2DToArray(plane, 4, 0, here, 16, 16, 3, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = line;
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &r) == cudaSuccess);
    CHECK(cudaBindSurfaceToArray(board, plane) == cudaSuccess);
    cudaMallocManaged(&seen, 16 * sizeof *seen);
    surfaces<<<1, 8>>>(s, seen);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = -2; i < 6; i++) {
        CHECK(seen[i + 2] == (i < 0 || i > 3 ? 0 : here[i]));
        CHECK(seen[i + 10] == here[i < 0 ? 0 : i > 3 ? 3 : i]);
    }
    CHECK(cudaMemcpy2DFromArray(back, 16, plane, 0, 0, 16, 3, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < 12; i++) CHECK(back[i] == (i / 4 == 1 ? i % 4 * 10 : here[i]));
    CHECK(cudaMemcpyArrayToArray(line, 0, 0, plane, 4, 1, 12) == cudaSuccess);
    CHECK(cudaMemcpyFromArray(back, line, 0, 0, 16, cudaMemcpyDeviceToHost) == cudaSuccess && back[0] == 10 && back[2] == 30 && back[3] == 4);

    cudaExtent extent;
    unsigned int flags;
    CHECK(cudaArrayGetInfo(&got, &extent, &flags, plane) == cudaSuccess && got.x == 32 && got.y == 0 && got.f == cudaChannelFormatKindSigned);
    CHECK(extent.width == 4 && extent.height == 3 && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);
    CHECK(cudaGetSurfaceObjectResourceDesc(&r, s) == cudaSuccess && r.res.array.array == line);
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL) == cudaErrorInvalidFilterSetting); // integers
    how.filterMode = cudaFilterModePoint, how.readMode = cudaReadModeNormalizedFloat;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL) == cudaErrorInvalidNormSetting); // of 32 bits
    desc.y = 8;
    CHECK(cudaMallocArray(&line, &desc, 4) == cudaErrorInvalidValue);
    CHECK(cudaDestroySurfaceObject(s + 1) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    trap<<<1, 1>>>(s);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
}

// Cubemaps, gathers, mipmaps and the curve of sRGB.
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> gathered;
enum { edge = 4, cubes = 2, faces = 6 * cubes };

__global__ void directions(cudaTextureObject_t cube, cudaTextureObject_t layers, cudaSurfaceObject_t written, float *one, float *several, float *between) {
    const int i = threadIdx.x, j = threadIdx.y, face = blockIdx.x;
    const float u = 2 * (i + 0.5f) / edge - 1, v = 2 * (j + 0.5f) / edge - 1;
    // Where a texel of a face lies on the cube: the guide's table, the other way round.
    const float at[6][3] = {{1, -v, -u}, {-1, -v, u}, {u, 1, v}, {u, -1, -v}, {u, -v, 1}, {-u, -v, -1}};
    const float x = 3 * at[face % 6][0], y = 3 * at[face % 6][1], z = 3 * at[face % 6][2];
    const int to = (face * edge + j) * edge + i;
    several[to] = texCubemapLayered<float>(layers, x, y, z, face / 6);
    if (face < 6) {
        one[to] = texCubemap<float>(cube, x, y, z);
        between[to] = texCubemapLod<float>(cube, x, y, z, 2);
        surfCubemapwrite(100 + to, written, 4 * i, j, face);
    }
}

__global__ void rest(cudaTextureObject_t plane, cudaTextureObject_t mip, cudaTextureObject_t near, cudaTextureObject_t curve, const float2 *at, float4 *four, float4 *channel, float *level, float *nearest, float *steep, float4 *colour) {
    const int i = threadIdx.x;
    four[i] = tex2Dgather<float4>(plane, at[i].x, at[i].y);
    channel[i] = tex2Dgather(gathered, at[i].x, at[i].y, 1);
    level[i] = tex2DLod<float>(mip, 0.3f, 0.7f, i / 4.0f - 1);
    nearest[i] = tex2DLod<float>(near, 0.3f, 0.7f, i / 4.0f - 1);
    steep[i] = tex2DGrad<float>(mip, 0.3f, 0.7f, make_float2(0, (float)(1 << i % 4) / 8), make_float2(1.0f / 8, 0));
    colour[i] = tex1D<float4>(curve, i + 0.5f);
}

static cudaArray_t stack(int layers, unsigned flags, std::vector<float> *texels) {
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array = 0;
    for (int i = 0; i < edge * edge * layers; i++) texels->push_back(draw(1000));
    CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(edge, edge, layers), flags) == cudaSuccess);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(texels->data(), edge * sizeof(float), edge, edge);
    p.dstArray = array, p.extent = make_cudaExtent(edge, edge, layers), p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p) == cudaSuccess);
    return array;
}

static void others() {
    enum { n = 20 };
    std::vector<float> one, several;
    cudaArray_t cube = stack(6, cudaArrayCubemap, &one), layered = stack(faces, cudaArrayCubemap | cudaArrayLayered, &several), written, none;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>(), ints = cudaCreateChannelDesc<int>(), bytes = cudaCreateChannelDesc<uchar4>();
    CHECK(cudaMalloc3DArray(&none, &desc, make_cudaExtent(edge, edge + 1, 6), cudaArrayCubemap) == cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&none, &desc, make_cudaExtent(edge, edge, 12), cudaArrayCubemap) == cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&written, &ints, make_cudaExtent(edge, edge, 6), cudaArrayCubemap | cudaArraySurfaceLoadStore) == cudaSuccess);
    cudaTextureDesc how = {};
    how.normalizedCoords = 1, how.filterMode = cudaFilterModeLinear;
    for (int d = 0; d < 3; d++) how.addressMode[d] = cudaAddressModeClamp;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = written;
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &r) == cudaSuccess);
    float *oneGot, *severalGot, *between;
    cudaMallocManaged(&oneGot, one.size() * sizeof(float)), cudaMallocManaged(&between, one.size() * sizeof(float)), cudaMallocManaged(&severalGot, several.size() * sizeof(float));
    directions<<<faces, dim3(edge, edge)>>>(object(cube, how), object(layered, how), s, oneGot, severalGot, between);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (size_t i = 0; i < one.size(); i++) CHECK(oneGot[i] == one[i] && between[i] == one[i]);
    for (size_t i = 0; i < several.size(); i++) CHECK(severalGot[i] == several[i]);
    int back[6 * edge * edge];
    cudaMemcpy3DParms p = {};
    p.srcArray = written, p.dstPtr = make_cudaPitchedPtr(back, edge * sizeof(int), edge, edge);
    p.extent = make_cudaExtent(edge, edge, 6), p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p) == cudaSuccess);
    for (int i = 0; i < 6 * edge * edge; i++) CHECK(back[i] == 100 + i);

    // A plane of 4 by 4, gathered at points in and outside, and each level of a mipmap with a value of its own.
    std::vector<float> texels;
    cudaArray_t plane = stack(1, 0, &texels), level, curve, colours;
    uchar4 raw[16];
    for (int i = 0; i < 16; i++) raw[i] = make_uchar4(i * 17, 255 - i, i, i * 17);
    CHECK(cudaMallocArray(&colours, &bytes, edge, edge) == cudaSuccess && cudaMallocArray(&curve, &bytes, 16) == cudaSuccess);
    CHECK(cudaMemcpyToArray(colours, 0, 0, raw, sizeof raw, cudaMemcpyHostToDevice) == cudaSuccess && cudaMemcpyToArray(curve, 0, 0, raw, sizeof raw, cudaMemcpyHostToDevice) == cudaSuccess);
    gathered.addressMode[0] = gathered.addressMode[1] = cudaAddressModeClamp;
    CHECK(cudaBindTextureToArray(gathered, colours) == cudaSuccess);
    cudaMipmappedArray_t m;
    CHECK(cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(8, 4, 0), 9) == cudaSuccess);
    const float value[4] = {10, 30, 70, 150}; // levels of 8 by 4, 4 by 2, 2 by 1 and 1 by 1
    for (int l = 0; l < 4; l++) {
        std::vector<float> all(32, value[l]);
        cudaExtent e;
        CHECK(cudaGetMipmappedArrayLevel(&level, m, l) == cudaSuccess);
        CHECK(cudaArrayGetInfo(&ints, &e, 0, level) == cudaSuccess && e.width == 8u >> l && e.height == (l < 2 ? 4u >> l : 1));
        CHECK(cudaMemcpyToArray(level, 0, 0, all.data(), e.width * e.height * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess);
    }
    CHECK(cudaGetMipmappedArrayLevel(&level, m, 4) == cudaErrorInvalidValue);
    cudaResourceDesc mips = {};
    mips.resType = cudaResourceTypeMipmappedArray, mips.res.mipmap.mipmap = m;
    how.mipmapFilterMode = cudaFilterModeLinear, how.mipmapLevelBias = 0.5f, how.minMipmapLevelClamp = 0.25f, how.maxMipmapLevelClamp = 2.5f;
    cudaTextureObject_t linear, near, flat;
    CHECK(cudaCreateTextureObject(&linear, &mips, &how, NULL) == cudaSuccess);
    how.mipmapFilterMode = cudaFilterModePoint, how.mipmapLevelBias = 0, how.minMipmapLevelClamp = 0, how.maxMipmapLevelClamp = 9;
    CHECK(cudaCreateTextureObject(&near, &mips, &how, NULL) == cudaSuccess);
    how.normalizedCoords = 0;
    CHECK(cudaCreateTextureObject(&flat, &mips, &how, NULL) == cudaErrorInvalidValue);
    flat = object(plane, how);
    how.filterMode = cudaFilterModePoint, how.sRGB = 1;
    r.res.array.array = curve;
    cudaTextureObject_t bent;
    CHECK(cudaCreateTextureObject(&bent, &r, &how, NULL) == cudaErrorInvalidValue); // not as bytes
    how.readMode = cudaReadModeNormalizedFloat;
    CHECK(cudaCreateTextureObject(&bent, &r, &how, NULL) == cudaSuccess);
    float2 *at;
    float4 *four, *channel, *colour;
    float *levels, *nearest, *steep;
    cudaMallocManaged(&at, n * sizeof *at), cudaMallocManaged(&four, n * sizeof *four), cudaMallocManaged(&channel, n * sizeof *channel), cudaMallocManaged(&colour, n * sizeof *colour);
    cudaMallocManaged(&levels, n * sizeof *levels), cudaMallocManaged(&nearest, n * sizeof *nearest), cudaMallocManaged(&steep, n * sizeof *steep);
    for (int i = 0; i < n; i++) at[i] = make_float2(draw(24) / 4.0f - 1, draw(24) / 4.0f - 1);
    rest<<<1, n>>>(flat, linear, near, bent, at, four, channel, levels, nearest, steep, colour);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < n; i++) {
        auto clamped = [](double x) { return (int)std::fmin(std::fmax(x, 0), edge - 1); };
        const double x = std::floor(at[i].x - 0.5), y = std::floor(at[i].y - 0.5);
        const int a = clamped(x), b = clamped(x + 1), c = clamped(y), d = clamped(y + 1), order[4] = {4 * d + a, 4 * d + b, 4 * c + b, 4 * c + a};
        CHECK(four[i].x == texels[order[0]] && four[i].y == texels[order[1]] && four[i].z == texels[order[2]] && four[i].w == texels[order[3]]);
        CHECK(channel[i].x == (255 - order[0]) / 255.0f && channel[i].y == (255 - order[1]) / 255.0f && channel[i].z == (255 - order[2]) / 255.0f && channel[i].w == (255 - order[3]) / 255.0f);
        const double asked = std::fmin(std::fmax(i / 4.0 - 1 + 0.5, 0.25), 2.5), whole = std::floor(asked);
        CHECK(levels[i] == value[(int)whole] + (asked - whole) * (value[(int)whole + 1] - value[(int)whole]));
        CHECK(nearest[i] == value[(int)std::fmin(std::fmax(std::floor(i / 4.0 - 1 + 0.5), 0), 3)]);
        // 1 texel in x against 2^k / 2 in y: level 0, 0, 1, 2, and the bias.
        const double steepest = std::fmin(std::fmax(i % 4 - 1.0, 0) + 0.5, 2.5), below = std::floor(steepest);
        CHECK(std::fabs(steep[i] - (value[(int)below] + (steepest - below) * (value[(int)below + 1] - value[(int)below]))) < 1e-3);
        if (i >= 16) continue;
        const double v = i * 17 / 255.0, bentTo = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
        CHECK(std::fabs(colour[i].x - bentTo) < 1e-6 && colour[i].w == (float)v);
    }
    CHECK(cudaFreeMipmappedArray(m) == cudaSuccess && cudaFreeArray(cube) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

int main() {
    modes();
    kinds();
    others();
    writes();
    printf("%d wrong\n", wrong);
}
