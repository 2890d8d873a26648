// How long a part of each query, from each of its letters on, occurs in a reference: a binary search in the suffix
// array of the reference, a thread a query. The letter behind the end of the reference is greater than all others.
// Suffix array, reference and queries are textures.
KERNEL mummerpp(const uint *suffixes, const uint8 *reference, const uint8 *queries, uint *matched, uint letters, uint length, uint count) {
    uint q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q < count) {
        const uint8 *query = queries + q * length;
        for (uint start = 0; start < length; start++) {
            uint low = 0, high = letters, best = 0;
            while (low < high) {
                uint middle = (low + high) / 2;
                uint suffix = fetch(suffixes + middle), k = 0;
                while (start + k < length && fetch(reference + suffix + k) == fetch(query + start + k)) {
                    k++;
                }
                if (k > best) {
                    best = k;
                    opaque(best);
                }
                if (start + k == length) {
                    break;
                }
                if (fetch(reference + suffix + k) < fetch(query + start + k)) {
                    low = middle + 1;
                    opaque(low);
                } else {
                    high = middle;
                    opaque(high);
                }
            }
            matched[q * length + start] = best;
        }
    }
}
