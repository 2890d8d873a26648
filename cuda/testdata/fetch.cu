// What testdata/driver.cpp binds its textures to.
texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> image;
texture<unsigned int> line;

extern "C" __global__ void fetch(cudaTextureObject_t raw, float *to) {
    const int i = threadIdx.x;
    to[i] = tex2D<unsigned char>(raw, i + 0.5f, 1.5f);
    to[4 + i] = tex2D(image, i / 4.0f, 0.75f);
    to[8 + i] = tex1Dfetch(line, i);
}
