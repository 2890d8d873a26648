// The two kernels of a layer's training step by back-propagation. The layer
// has a weight for each input (row) and hidden unit (column); row 0 belongs to
// the bias, whose value is 1. A CTA has blockDim.x hidden units, at most 16,
// and 16 inputs.
#define ROWS 16

// Weighted inputs of a CTA's rows, summed over the rows by a tree.
KERNEL backprop_forward(const float *input, const float *weight, float *partial, uint inputs) {
    __shared__ float node[ROWS];
    __shared__ float product[ROWS][16];
    uint tx = threadIdx.x, ty = threadIdx.y;
    uint hidden = blockDim.x;
    uint row = blockIdx.y * ROWS + ty + 1;

    if (tx == 0) {
        node[ty] = 0.0f;
        if (row <= inputs) {
            node[ty] = input[row];
        }
    }
    __syncthreads();

    product[ty][tx] = 0.0f;
    if (row <= inputs) {
        product[ty][tx] = weight[row * hidden + tx] * node[ty];
    }
    __syncthreads();

    for (uint power_two = 2; power_two <= ROWS; power_two *= 2) {
        if (ty % power_two == 0) {
            product[ty][tx] += product[ty + power_two / 2][tx];
        }
        __syncthreads();
    }

    if (tx == 0 && ty < hidden) {
        partial[blockIdx.y * hidden + ty] = product[0][ty];
    }
}

// Each weight moves along its gradient, with momentum.
KERNEL backprop_adjust(const float *delta, const float *input, float *weight, float *change, uint inputs) {
    uint tx = threadIdx.x, ty = threadIdx.y;
    uint hidden = blockDim.x;
    uint row = blockIdx.y * ROWS + ty + 1;

    if (row <= inputs) {
        uint at = row * hidden + tx;
        float step = 0.3f * delta[tx] * input[row] + 0.3f * change[at];
        weight[at] += step;
        change[at] = step;
    }
    if (ty == 0 && blockIdx.y == 0) {
        float step = 0.3f * delta[tx] + 0.3f * change[tx];
        weight[tx] += step;
        change[tx] = step;
    }
}
