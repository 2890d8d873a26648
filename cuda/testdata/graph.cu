// Graphs: captured from streams and made node by node, launched again with other parameters. Each result is compared with what
// the same steps give on the host.
#include <cstdio>
#include <cstring>
#include <vector>
#include "api.h"

int wrong;

__global__ void scale(int *p, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= by;
}
__global__ void add(int *to, const int *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] += from[i];
}
__constant__ int offset;
__global__ void shift(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += offset;
}

static void note(void *data) { ++*(int *)data; }

static const int n = 100;

static std::vector<int> back(const int *from) {
    std::vector<int> v(n);
    WANT(cudaMemcpy(v.data(), from, n * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    return v;
}

// Two streams: a is copied and scaled, b is set and shifted meanwhile, then both are added and copied back.
static void captured() {
    int *a, *b, host[n], result[n] = {}, notes = 0, three = 3;
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMalloc(&a, sizeof host), cudaMalloc(&b, sizeof host);
    cudaMemset(a, 0, sizeof host);
    cudaStream_t first, second;
    cudaEvent_t fork, join;
    cudaStreamCreate(&first), cudaStreamCreate(&second);
    cudaEventCreate(&fork), cudaEventCreate(&join);

    cudaStreamCaptureStatus status;
    WANT(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal), cudaSuccess);
    WANT(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    WANT(cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, first), cudaSuccess);
    WANT(cudaEventRecord(fork, first), cudaSuccess);
    WANT(cudaStreamWaitEvent(second, fork, 0), cudaSuccess);
    WANT(cudaStreamIsCapturing(second, &status), cudaSuccess);
    WANT(status, cudaStreamCaptureStatusActive);
    unsigned long long capture = 0, other = 0;
    const cudaGraphNode_t *after = NULL;
    cudaGraph_t captured_to = NULL;
    size_t afters = 0;
    WANT(cudaStreamGetCaptureInfo(first, &status, &capture), cudaSuccess);
    WANT(cudaStreamGetCaptureInfo(second, &status, &other, &captured_to, &after, &afters), cudaSuccess);
    WANT(status == cudaStreamCaptureStatusActive && capture == other, true);
    WANT(cudaGraphGetNodes(captured_to, NULL, &afters), cudaSuccess);
    WANT(afters, 1u);
    cudaGraphNodeType copies = cudaGraphNodeTypeEmpty;
    WANT(cudaGraphNodeGetType(after[0], &copies), cudaSuccess);
    WANT(copies, cudaGraphNodeTypeMemcpy);
    scale<<<2, 64, 0, first>>>(a, n, 5);
    WANT(cudaMemsetAsync(b, 1, sizeof host, second), cudaSuccess);
    WANT(cudaMemcpyToSymbolAsync(offset, &three, sizeof three, 0, cudaMemcpyHostToDevice, second), cudaSuccess);
    shift<<<2, 64, 0, second>>>(b, n);
    WANT(cudaEventRecord(join, second), cudaSuccess);
    WANT(cudaStreamSynchronize(second), cudaErrorStreamCaptureUnsupported);
    WANT(cudaEventQuery(join), cudaErrorCapturedEvent);
    WANT(cudaStreamWaitEvent(first, join, 0), cudaSuccess);
    add<<<2, 64, 0, first>>>(a, b, n);
    WANT(cudaMemcpyAsync(result, a, sizeof result, cudaMemcpyDeviceToHost, first), cudaSuccess);
    WANT(cudaLaunchHostFunc(first, note, &notes), cudaSuccess);
    cudaGraph_t graph;
    WANT(cudaStreamEndCapture(second, &graph), cudaErrorStreamCaptureUnmatched);
    WANT(cudaStreamEndCapture(first, &graph), cudaSuccess);
    WANT(cudaStreamWaitEvent(second, join, 0), cudaErrorCapturedEvent); // the capture is over
    WANT(cudaStreamGetCaptureInfo(first, &status), cudaSuccess);
    WANT(status, cudaStreamCaptureStatusNone);
    WANT(notes, 0);
    WANT(back(a)[7], 0); // nothing has been done yet

    size_t count = 0;
    WANT(cudaGraphGetNodes(graph, NULL, &count), cudaSuccess);
    WANT(count, 9u); // with the one that waits for both
    WANT(cudaGraphGetRootNodes(graph, NULL, &count), cudaSuccess);
    WANT(count, 1u);
    WANT(cudaGraphGetEdges(graph, NULL, NULL, &count), cudaSuccess);
    WANT(count, 9u);
    cudaGraphExec_t exec;
    WANT(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0), cudaSuccess);
    WANT(cudaGraphDestroy(graph), cudaSuccess);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++) host[i] = i + round;
        WANT(cudaGraphLaunch(exec, first), cudaSuccess);
        WANT(cudaStreamSynchronize(first), cudaSuccess);
        for (int i = 0; i < n; i++) WANT(result[i], (i + round) * 5 + 0x01010101 + 3);
    }
    WANT(notes, 3);
    WANT(cudaGraphExecDestroy(exec), cudaSuccess);

    // A launch that is captured is a child.
    WANT(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed), cudaSuccess);
    scale<<<2, 64, 0, first>>>(a, n, 2);
    WANT(cudaEventRecord(fork, first), cudaSuccess);
    WANT(cudaStreamWaitEvent(second, fork, 0), cudaSuccess);
    scale<<<2, 64, 0, second>>>(b, n, 2);
    WANT(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureUnjoined);
    WANT(graph == NULL, true);
    cudaGetLastError();
}

// A diamond, whose nodes are added in another order than they run.
static void explicitly() {
    int *a, *b, host[n], notes = 0;
    cudaMalloc(&a, sizeof host), cudaMalloc(&b, sizeof host);
    cudaGraph_t graph, child, clone;
    cudaGraphNode_t sum, twice, set, copy, told, inner;
    WANT(cudaGraphCreate(&graph, 0), cudaSuccess);
    WANT(cudaGraphCreate(&child, 0), cudaSuccess);
    int count = n, by = 2, length = n;
    void *sum_args[] = {&a, &b, &length}, *twice_args[] = {&b, &count, &by};
    cudaKernelNodeParams k = {};
    k.func = (void *)add, k.gridDim = 2, k.blockDim = 64, k.kernelParams = sum_args;
    WANT(cudaGraphAddKernelNode(&sum, graph, NULL, 0, &k), cudaSuccess);
    k.func = (void *)scale, k.kernelParams = twice_args;
    WANT(cudaGraphAddKernelNode(&twice, child, NULL, 0, &k), cudaSuccess);
    count = 0, length = 0; // the nodes have the values
    cudaMemsetParams m = {};
    m.dst = a, m.value = 70000, m.elementSize = 4, m.width = n, m.height = 1;
    WANT(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &m), cudaSuccess);
    WANT(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, b, host, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
    WANT(cudaGraphAddChildGraphNode(&inner, graph, &copy, 1, child), cudaSuccess);
    cudaHostNodeParams h = {note, &notes};
    WANT(cudaGraphAddHostNode(&told, graph, &sum, 1, &h), cudaSuccess);
    cudaGraphNode_t from[] = {set, inner}, to[] = {sum, sum};
    WANT(cudaGraphAddDependencies(graph, from, to, 2), cudaSuccess);
    cudaGraphNodeType type;
    WANT(cudaGraphNodeGetType(inner, &type), cudaSuccess);
    WANT(type, cudaGraphNodeTypeGraph);
    cudaGraphNode_t roots[4];
    size_t found = 4;
    WANT(cudaGraphGetRootNodes(graph, roots, &found), cudaSuccess);
    WANT(found, 2u);
    WANT(roots[0] == set && roots[1] == copy, true);

    for (int i = 0; i < n; i++) host[i] = 3 * i;
    cudaGraphExec_t exec;
    WANT(cudaGraphInstantiate(&exec, graph), cudaSuccess);
    WANT(cudaGraphLaunch(exec, 0), cudaSuccess);
    for (int i = 0; i < n; i++) WANT(back(a)[i], 70000 + 6 * i);
    WANT(notes, 1);

    // Other parameters: in the executable graph, in the graph, and by an update of all of it.
    m.value = 5;
    WANT(cudaGraphExecMemsetNodeSetParams(exec, set, &m), cudaSuccess);
    WANT(cudaGraphLaunch(exec, 0), cudaSuccess);
    WANT(back(a)[9], 5 + 54);
    WANT(cudaGraphKernelNodeGetParams(sum, &k), cudaSuccess);
    WANT(*(int *)k.kernelParams[2], n);
    k.gridDim = 1;
    WANT(cudaGraphKernelNodeSetParams(sum, &k), cudaSuccess);
    WANT(cudaGraphExecMemcpyNodeSetParams1D(exec, set, b, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue); // of another kind
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t bad;
    WANT(cudaGraphClone(&clone, graph), cudaSuccess);
    WANT(cudaGraphExecUpdate(exec, clone, &bad, &result), cudaSuccess);
    WANT(result, cudaGraphExecUpdateSuccess);
    WANT(cudaGraphLaunch(exec, 0), cudaSuccess);
    WANT(back(a)[63], 70000 + 6 * 63); // the value of the graph again
    WANT(back(a)[64], 70000);          // one block
    m.value = 1;
    WANT(cudaGraphExecMemsetNodeSetParams(exec, set, &m), cudaSuccess); // the node is known as before
    WANT(cudaGraphLaunch(exec, 0), cudaSuccess);
    WANT(back(a)[64], 1);

    // A node that is off does nothing, so that the sum goes on.
    unsigned int on = 7;
    WANT(cudaGraphNodeSetEnabled(exec, set, 0), cudaSuccess);
    WANT(cudaGraphNodeGetEnabled(exec, set, &on), cudaSuccess);
    WANT(on, 0u);
    WANT(cudaGraphLaunch(exec, 0), cudaSuccess);
    WANT(back(a)[9], 1 + 2 * 54);
    WANT(cudaGraphNodeSetEnabled(exec, set, 1), cudaSuccess);
    WANT(cudaGraphNodeGetEnabled(exec, set, &on), cudaSuccess);
    WANT(on, 1u);
    WANT(cudaGraphLaunch(exec, 0), cudaSuccess);
    WANT(back(a)[9], 1 + 54);
    WANT(cudaGraphNodeSetEnabled(exec, told, 0), cudaErrorInvalidValue); // only kernels, copies and memsets can be
    WANT(cudaGraphNodeSetEnabled(exec, bad, 0), cudaErrorInvalidValue);  // of another graph

    // What waited for a node that is destroyed, or no longer depends on it, has one less to wait for.
    cudaGraphNode_t inside;
    cudaGraph_t copied;
    WANT(cudaGraphClone(&copied, graph), cudaSuccess);
    WANT(cudaGraphNodeFindInClone(&inside, sum, copied), cudaSuccess);
    WANT(cudaGraphNodeFindInClone(&bad, set, copied), cudaSuccess);
    WANT(cudaGraphRemoveDependencies(copied, &bad, &inside, 1), cudaSuccess);
    WANT(cudaGraphRemoveDependencies(copied, &bad, &inside, 1), cudaErrorInvalidValue);
    WANT(cudaGraphNodeGetDependencies(inside, NULL, &found), cudaSuccess);
    WANT(found, 1u);
    WANT(cudaGraphDestroyNode(inside), cudaSuccess);
    WANT(cudaGraphGetNodes(copied, NULL, &found), cudaSuccess);
    WANT(found, 4u);
    WANT(cudaGraphGetEdges(copied, NULL, NULL, &found), cudaSuccess);
    WANT(found, 1u); // that of the child
    WANT(cudaGraphAddEmptyNode(&inside, copied, NULL, 0), cudaSuccess);
    WANT(cudaGraphDestroyNode(inside), cudaSuccess); // the last one
    WANT(cudaGraphAddEmptyNode(&inside, copied, NULL, 0), cudaSuccess);
    WANT(cudaGraphGetRootNodes(copied, NULL, &found), cudaSuccess);
    WANT(found, 4u);
    WANT(cudaGraphDestroy(copied), cudaSuccess);
    WANT(cudaGraphAddEmptyNode(&inside, clone, NULL, 0), cudaSuccess);
    WANT(cudaGraphDestroyNode(inside), cudaSuccess);
    WANT(cudaGraphExecUpdate(exec, clone, &bad, &result), cudaSuccess);

    WANT(cudaGraphNodeFindInClone(&bad, sum, clone), cudaSuccess);
    WANT(cudaGraphNodeGetDependencies(bad, NULL, &found), cudaSuccess);
    WANT(found, 2u);
    WANT(cudaGraphAddEmptyNode(&bad, clone, NULL, 0), cudaSuccess);
    WANT(cudaGraphExecUpdate(exec, clone, &bad, &result), cudaErrorGraphExecUpdateFailure);
    WANT(result, cudaGraphExecUpdateErrorTopologyChanged);
    WANT(cudaGraphAddDependencies(graph, &told, &set, 1), cudaSuccess);
    cudaGraphExec_t never;
    WANT(cudaGraphInstantiate(&never, graph), cudaErrorInvalidValue);
    WANT(cudaGraphLaunch(exec, 0), cudaSuccess);
    WANT(notes, 7);
    WANT(cudaGraphExecDestroy(exec), cudaSuccess);
    WANT(cudaGraphDestroy(clone), cudaSuccess);
    WANT(cudaGraphDestroy(graph), cudaSuccess);
    WANT(cudaGraphDestroy(child), cudaSuccess);
    cudaGetLastError();
}

int main() {
    captured();
    explicitly();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
