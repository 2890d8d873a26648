// For sm_70. Keeps the elements above a limit, in their order, with the sum of all
// elements up to them, for each blockDim.x elements. A thread finds its place in the
// warp by a vote and the sum by shuffles.
KERNEL compact(const uint *in, uint *kept, uint *sums, uint *count, uint n, uint limit) {
    __shared__ uint warpKept[64];
    __shared__ uint warpSum[64];
    uint i = blockIdx.x * blockDim.x + threadIdx.x;

    uint x = 0;
    if (i < n) {
        x = in[i];
    }
    bool keep = x > limit;
    uint votes = ballot(keep);
    uint sum = x;
    for (uint d = 1; d < 32; d *= 2) {
        uint other = shuffleUp(sum, d);
        if (lane() >= d) {
            sum += other;
            opaque(sum);
        }
    }
    uint here = ballot(true);
    if (here >> lane() == 1) {
        warpKept[warp()] = popcount(votes);
        warpSum[warp()] = sum;
    }
    __syncthreads();

    uint before = 0;
    for (uint w = 0; w < warp(); w++) {
        before += warpKept[w];
        sum += warpSum[w];
    }
    if (keep) {
        uint place = blockIdx.x * blockDim.x + before + popcount(votes & lanesBefore());
        kept[place] = x;
        sums[place] = sum;
    }
    if (threadIdx.x == blockDim.x - 1) {
        count[blockIdx.x] = before + popcount(votes);
    }
}
