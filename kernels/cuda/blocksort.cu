// Sorts the records of a CTA, pairs of a key and a value, by key. Runs of 32
// records are sorted by odd-even transposition; then pairs of runs are merged:
// each record counts those of the other run that belong before it.
KERNEL blocksort(uint *records, uint n) {
    __shared__ uint keys[512];
    __shared__ uint values[512];
    uint i = threadIdx.x;
    uint first = blockIdx.x * blockDim.x;
    uint length = n - first < blockDim.x ? n - first : blockDim.x;
    uint *mine = records + 2 * (first + i);

    if (i < length) {
        keys[i] = mine[0];
        values[i] = mine[1];
    }
    __syncthreads();

    uint runEnd = (i | 31) + 1 < length ? (i | 31) + 1 : length;
    for (uint round = 0; round < 16; round++) {
        for (uint odd = 0; odd < 2; odd++) {
            if (i % 2 == odd && i + 1 < runEnd) {
                uint key = keys[i];
                uint next = keys[i + 1];
                if (next < key) {
                    keys[i] = next;
                    keys[i + 1] = key;
                    uint value = values[i];
                    values[i] = values[i + 1];
                    values[i + 1] = value;
                }
            }
            __syncthreads();
        }
    }

    for (uint run = 32; run < blockDim.x; run *= 2) {
        uint low = i & ~(2 * run - 1);
        uint middle = low + run < length ? low + run : length;
        uint high = middle + run < length ? middle + run : length;
        uint key = 0;
        uint value = 0;
        uint place = 0;
        if (i < length) {
            key = keys[i];
            value = values[i];
            if (i < middle) {
                uint from = middle;
                uint to = high;
                while (from < to) {
                    uint half = (from + to) / 2;
                    if (keys[half] < key) {
                        from = half + 1;
                        opaque(from);
                    } else {
                        to = half;
                        opaque(to);
                    }
                }
                place = i + from - middle;
            } else {
                uint from = low;
                uint to = middle;
                while (from < to) {
                    uint half = (from + to) / 2;
                    if (keys[half] <= key) {
                        from = half + 1;
                        opaque(from);
                    } else {
                        to = half;
                        opaque(to);
                    }
                }
                place = i + from - middle;
            }
        }
        __syncthreads();
        if (i < length) {
            keys[place] = key;
            values[place] = value;
        }
        __syncthreads();
    }

    if (i < length) {
        mine[0] = keys[i];
        mine[1] = values[i];
    }
}
