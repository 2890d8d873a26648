// What the host tells the device of a texture or a surface: a texture object is the address of one in device memory, and a
// texture reference is a variable of the device that holds one (.texref, 128 bytes in ptx/decl.go). A texture with mipmaps has
// one for each level, one behind the other.
#ifndef DIVERGO_TEXTURE_H
#define DIVERGO_TEXTURE_H

enum divergo_format { // of a channel that is read as a float
    divergo_plain,    // as it is
    divergo_unorm8,   // 0 to 1 (read mode cudaReadModeNormalizedFloat)
    divergo_snorm8,   // -1 to 1
    divergo_unorm16,
    divergo_snorm16,
    divergo_half,     // floats of 16 bits
    divergo_srgb8     // 0 to 1, but for the fourth channel by the curve of sRGB
};

struct divergo_texture {
    unsigned long long base, plane;      // address of the first texel; bytes from one plane or layer to the next
    unsigned int pitch;                  // bytes from one row to the next
    unsigned int size[3];                // texels in x, y and z
    unsigned int bytes, channels;        // of a texel
    unsigned int format;                 // enum divergo_format
    unsigned int normalized, linear;     // coordinates from 0 to 1; interpolated between texels
    unsigned int mode[3];                // enum cudaTextureAddressMode by coordinate
    float border[4];
    // Of mipmaps: how many levels follow, this one included; interpolated between them; which of them are used.
    unsigned int levels, between;
    float bias, least, most;
    unsigned int type; // of a channel, as txq and suq have it: OpenCL's cl_channel_type
};
#endif
