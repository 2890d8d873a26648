// How far records are from a place, a thread a record: latitude and longitude stand in the text of a record as
// numbers with one decimal, behind blanks.
#define RECORD 24
#define LATITUDE 10
#define LONGITUDE 16
#define WIDTH 6

// The number in a field, in tenths. Blanks and points are below the digits.
static inline __device__ __attribute__((always_inline)) int field(const uint8 *text) {
    int tenths = 0;
    int sign = 1;
    for (uint i = 0; i < WIDTH; i++) {
        uint c = text[i];
        if (c == '-') {
            sign = -1;
        } else {
            if (c >= '0') {
                tenths = tenths * 10 + (int)(c - '0');
            }
        }
    }
    return sign * tenths;
}

KERNEL nearest(const uint8 *records, float *far, uint count, float latitude, float longitude) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const uint8 *text = records + i * RECORD;
        float dx = field(text + LATITUDE) / 10.0f - latitude, dy = field(text + LONGITUDE) / 10.0f - longitude;
        far[i] = squareRoot(dx * dx + dy * dy);
    }
}
