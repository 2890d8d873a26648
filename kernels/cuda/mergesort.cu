// Sorts the keys of lists: each thread sorts four by a small network, then in each pass merges two runs into one.

KERNEL mergesort_first(uint *keys, const uint *first, uint lists, uint fours) {
    uint t = blockIdx.x * blockDim.x + threadIdx.x;
    uint list = t / fours;
    if (list < lists) {
        uint low = first[list] + 4 * (t % fours), end = first[list + 1];
        uint k[4];
        for (uint i = 0; i < 4; i++) {
            k[i] = 0xffffffff;
            if (low + i < end) {
                k[i] = keys[low + i];
            }
        }
        for (uint round = 0; round < 3; round++) {
            for (uint i = 0; i < 3 - round; i++) {
                uint a = k[i], b = k[i + 1];
                if (b < a) {
                    k[i] = b;
                    k[i + 1] = a;
                }
            }
        }
        for (uint i = 0; i < 4; i++) {
            if (low + i < end) {
                keys[low + i] = k[i];
            }
        }
    }
}

KERNEL mergesort_pass(const uint *from, uint *keys, const uint *first, uint lists, uint pairs, uint run) {
    uint t = blockIdx.x * blockDim.x + threadIdx.x;
    uint list = t / pairs;
    if (list < lists) {
        uint end = first[list + 1];
        uint a = first[list] + 2 * run * (t % pairs);
        if (a < end) {
            uint to = a;
            uint b = a + run, endB = b + run;
            if (end - a < run) {
                b = end;
                opaque(b);
            }
            if (end - a < 2 * run) {
                endB = end;
                opaque(endB);
            }
            uint endA = b;
            uint keyA = from[a], keyB = 0;
            if (b < endB) {
                keyB = from[b];
            }
            while (a < endA && b < endB) {
                if (keyB < keyA) {
                    keys[to++] = keyB;
                    b++;
                    if (b < endB) {
                        keyB = from[b];
                    }
                } else {
                    keys[to++] = keyA;
                    a++;
                    if (a < endA) {
                        keyA = from[a];
                    }
                }
            }
            while (a < endA) {
                keys[to++] = from[a++];
            }
            while (b < endB) {
                keys[to++] = from[b++];
            }
        }
    }
}
