// One level of a breadth-first search in two kernels, so that no thread reads
// what another writes in the same launch. Node v has the edges
// target[first[v]] to target[first[v+1]-1].

// The frontier marks the nodes that it reaches for the first time.
KERNEL bfs_expand(const uint *first, const uint *target, uint8 *frontier, const uint8 *visited, uint *reached, uint nodes) {
    uint v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < nodes) {
        if (frontier[v]) {
            frontier[v] = 0;
            uint end = first[v + 1];
            for (uint e = first[v]; e < end; e++) {
                uint to = target[e];
                if (!visited[to]) {
                    atomicOr(&reached[to], 1);
                }
            }
        }
    }
}

// The marked nodes get their level and are the next frontier.
KERNEL bfs_advance(uint8 *frontier, uint8 *visited, uint *reached, uint *level, uint *grown, uint depth, uint nodes) {
    uint v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < nodes) {
        if (reached[v]) {
            reached[v] = 0;
            frontier[v] = 1;
            visited[v] = 1;
            level[v] = depth;
            atomicOr(grown, 1);
        }
    }
}
