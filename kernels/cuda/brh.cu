// sm_70: branch herding in software, as Sartori and Kumar (Branch and Data Herding, 2012) have it in figure 9: the
// condition is put to the vote of the warp. BRH is the paper's form, whose threshold is half of a warp of 32; BRH_ACTIVE
// is relative to the threads that vote.
#define BRH(c) (popcount(ballot(c)) > 16)
#define BRH_ACTIVE(c) (2 * popcount(ballot(c)) > popcount(ballot(true)))

// Whether the vote of the first active threads of a warp about their conditions is won.
KERNEL brh_vote(const uint *condition, uint *won, uint *wonActive, uint active) {
    uint i = threadIdx.x;
    if (i < active) {
        bool mine = condition[i] != 0;
        uint members = 0xffffffff >> (32 - active);
        uint votes = popcount(__nvvm_vote_ballot_sync(members, mine));
        uint voters = popcount(__nvvm_vote_ballot_sync(members, true));
        won[i] = 0;
        wonActive[i] = 0;
        if (votes > 16) {
            won[i] = 1;
        }
        if (2 * votes > voters) {
            wonActive[i] = 1;
        }
    }
}

// The loop of Mandelbrot, whose escape test goes through stay. All threads of the grid draw a pixel.
template <typename Stay>
static inline __device__ __attribute__((always_inline)) void draw(const float *re, const float *im, uint *left, uint width, uint limit, Stay stay) {
    uint ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = re[ix], cy = im[iy], x = 0.0f, y = 0.0f, xx = 0.0f, yy = 0.0f;
    uint i = limit;
    while (--i && stay(xx + yy < 4.0f)) {
        y = x * y * 2.0f + cy;
        x = xx - yy + cx;
        yy = y * y;
        xx = x * x;
    }
    left[iy * width + ix] = i;
}

// Without herding, and with the test put to the vote in each way.
KERNEL brh_none(const float *re, const float *im, uint *left, uint width, uint limit) {
    draw(re, im, left, width, limit, [](bool c) __attribute__((always_inline)) { return c; });
}

KERNEL brh_half(const float *re, const float *im, uint *left, uint width, uint limit) {
    draw(re, im, left, width, limit, [](bool c) __attribute__((always_inline)) { return BRH(c); });
}

KERNEL brh_active(const float *re, const float *im, uint *left, uint width, uint limit) {
    draw(re, im, left, width, limit, [](bool c) __attribute__((always_inline)) { return BRH_ACTIVE(c); });
}
