// Forces between atoms that are closer than a cut-off. Atoms lie in patches, whose sides are no shorter than that, so
// that those of a patch need no others than those of its neighbours; a CTA of 64 threads does a patch, of
// which each thread has an atom, and brings the others to shared memory in pieces of 64. An atom is
// three coordinates and its charge. Atoms that are bound, 2i and 2i+1, do not count.
#define PIECE 64

KERNEL namd(const float *atoms, const uint *partners, const uint *first, const uint *neighbours, float *force, float cut, float charge) {
    __shared__ float piece[4 * PIECE];
    __shared__ uint bound[PIECE];
    uint t = threadIdx.x, patch = blockIdx.x;
    for (uint mine = first[patch]; mine < first[patch + 1]; mine += PIECE) {
        uint i = mine + t;
        uint active = 0;
        float x = 0.0f, y = 0.0f, z = 0.0f, q = 0.0f;
        if (i < first[patch + 1]) {
            active = 1;
            opaque(active);
            x = atoms[4 * i];
            y = atoms[4 * i + 1];
            z = atoms[4 * i + 2];
            q = atoms[4 * i + 3] * charge;
        }
        float fx = 0.0f, fy = 0.0f, fz = 0.0f;
        for (uint k = 27 * patch; k < 27 * patch + 27; k++) {
            uint other = neighbours[k];
            for (uint theirs = first[other]; theirs < first[other + 1]; theirs += PIECE) {
                if (theirs + t < first[other + 1]) {
                    for (uint c = 0; c < 4; c++) {
                        piece[4 * t + c] = atoms[4 * (theirs + t) + c];
                    }
                    bound[t] = partners[theirs + t];
                }
                __syncthreads();
                if (active) {
                    for (uint j = 0; j < PIECE && theirs + j < first[other + 1]; j++) {
                        float dx = x - piece[4 * j], dy = y - piece[4 * j + 1], dz = z - piece[4 * j + 2];
                        float far = dx * dx + dy * dy + dz * dz;
                        if (far < cut) {
                            if (theirs + j != i && bound[j] != i) {
                                float near = 1.0f / far;
                                float third = near * near * near;
                                float push = (2.0f * third - 1.0f) * third * near + q * piece[4 * j + 3] * near * squareRoot(near);
                                fx = fx + dx * push;
                                fy = fy + dy * push;
                                fz = fz + dz * push;
                            }
                        }
                    }
                }
                __syncthreads();
            }
        }
        if (active) {
            force[3 * i] = fx;
            force[3 * i + 1] = fy;
            force[3 * i + 2] = fz;
        }
    }
}
