// How long a part of each query, from each of its letters on, occurs in a reference: a walk down the suffix tree of the
// reference, a thread a query. A node has its children by the next letter, the place in the reference and
// the length of the label of the edge to it, the node that its suffix link goes to, and its depth in letters. Tree, reference and queries
// are textures.
#define NODE 8
#define LABEL 4
#define LENGTH 5
#define LINK 6
#define DEPTH 7

KERNEL mummer(const uint *tree, const uint8 *reference, const uint8 *queries, uint *matched, uint length, uint count) {
    uint q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q < count) {
        const uint8 *query = queries + q * length;
        uint node = 0;
        for (uint start = 0; start < length; start++) {
            uint end = start + fetch(tree + NODE * node + DEPTH);
            while (end < length) {
                uint child = fetch(tree + NODE * node + fetch(query + end));
                if (child == 0) {
                    break;
                }
                uint label = fetch(tree + NODE * child + LABEL), n = fetch(tree + NODE * child + LENGTH);
                uint k = 1;
                while (k < n && end + k < length && fetch(reference + label + k) == fetch(query + end + k)) {
                    k++;
                }
                end += k;
                if (k < n) {
                    break;
                }
                node = child;
            }
            matched[q * length + start] = end - start;
            node = fetch(tree + NODE * node + LINK);
        }
    }
}
