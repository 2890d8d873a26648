// The electric potential of atoms at the points of a plane: a thread a point, all atoms for each. An atom is
// two coordinates, the square of its distance from the plane, and its charge.
KERNEL coulomb(const float *atoms, float *out, uint count, uint width, uint height, float spacing) {
    uint px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float x = px * spacing, y = py * spacing;
    float sum = 0.0f;
    for (uint i = 0; i < count; i++) {
        float dx = x - atoms[4 * i], dy = y - atoms[4 * i + 1];
        sum = sum + atoms[4 * i + 3] / squareRoot(dx * dx + dy * dy + atoms[4 * i + 2]);
    }
    if (px < width && py < height) {
        out[py * width + px] = sum;
    }
}
