// Graphs of the runtime (CUDA Runtime API, graph management): nodes that do what calls do, in an order that keeps their
// dependencies. A graph is made node by node, or of what is done on a stream while it is captured.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    struct work work;
    struct CUgraphNode_st **dependencies;
    size_t count;
    int done;                      // while it is put in order
    int off;                       // of an executable graph: it does nothing
    struct CUgraphNode_st *origin; // that it was cloned from
    struct CUgraphNode_st *next;
};
struct CUgraph_st {
    struct CUgraphNode_st *first, **end;
    size_t count;
};
struct CUgraphExec_st { struct CUgraph_st *graph; };

#define FAIL(error) return divergo_fail(error)
#define NEED(condition) do { if (!(condition)) FAIL(cudaErrorInvalidValue); } while (0)

// Work. What it points to is the node's own.

static cudaError_t own(struct work *w) {
    if (w->type == cudaGraphNodeTypeGraph) return cudaGraphClone(&w->child, w->child);
    if (w->type != cudaGraphNodeTypeKernel) return cudaSuccess;
    struct layout *l;
    cudaError_t error = divergo_kernel(w->kernel.func, &l);
    if (error != cudaSuccess) return error;
    if (w->kernel.kernelParams == NULL && l->params > 0) {
        fprintf(stderr, "cuda: a kernel node without kernelParams is not supported\n");
        return cudaErrorNotSupported;
    }
    void **args = calloc(l->params + 1, sizeof *args);
    char *bank = calloc(1, l->bank + 1);
    if (args == NULL || bank == NULL) return free(args), free(bank), cudaErrorMemoryAllocation;
    for (uint64_t i = 0; i < l->params; i++) args[i] = memcpy(bank + l->at[i][0], w->kernel.kernelParams[i], l->at[i][1]);
    w->kernel.kernelParams = args, w->bank = bank;
    return cudaSuccess;
}

static void disown(struct work *w) {
    if (w->type == cudaGraphNodeTypeGraph) cudaGraphDestroy(w->child);
    if (w->type == cudaGraphNodeTypeKernel) free(w->kernel.kernelParams), free(w->bank);
}

struct work divergo_copy_work(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
    return (struct work){.type = cudaGraphNodeTypeMemcpy, .copy = {.srcPtr = {(void *)from, from_pitch, width, height}, .dstPtr = {to, to_pitch, width, height}, .extent = {width, height, 1}, .kind = kind}};
}

// fill writes rows of elements of 1, 2 or 4 bytes.
static cudaError_t fill(const struct cudaMemsetParams *p) {
    if (p->elementSize == 1) return cudaMemset2D(p->dst, p->height > 1 ? p->pitch : p->width, (int)p->value, p->width, p->height);
    char *row = malloc(p->width * p->elementSize + 1);
    if (row == NULL) FAIL(cudaErrorMemoryAllocation);
    for (size_t i = 0; i < p->width; i++) memcpy(row + i * p->elementSize, &p->value, p->elementSize); // its low bytes come first
    cudaError_t error = cudaSuccess;
    for (size_t y = 0; y < p->height && error == cudaSuccess; y++) error = cudaMemcpy((char *)p->dst + y * p->pitch, row, p->width * p->elementSize, cudaMemcpyDefault);
    return free(row), error;
}

static cudaError_t run(struct CUgraph_st *g);

static cudaError_t perform(struct work *w) {
    struct cudaKernelNodeParams *k = &w->kernel;
    switch (w->type) {
    case cudaGraphNodeTypeKernel:
        if (w->cooperative) return cudaLaunchCooperativeKernel(k->func, k->gridDim, k->blockDim, k->kernelParams, k->sharedMemBytes, 0);
        return cudaLaunchKernel(k->func, k->gridDim, k->blockDim, k->kernelParams, k->sharedMemBytes, 0);
    case cudaGraphNodeTypeMemcpy: return cudaMemcpy3D(&w->copy);
    case cudaGraphNodeTypeMemset: return fill(&w->set);
    case cudaGraphNodeTypeHost: return w->host.fn(w->host.userData), cudaSuccess;
    case cudaGraphNodeTypeGraph: return run(w->child);
    case cudaGraphNodeTypeEventRecord: return cudaEventRecord(w->event, 0);
    default: return cudaSuccess; // nothing is left to wait for, and memory is there as long as the graph may be
    }
}

// Nodes.

static cudaError_t depend(struct CUgraphNode_st *n, struct CUgraphNode_st *on) {
    for (size_t i = 0; i < n->count; i++)
        if (n->dependencies[i] == on) return cudaSuccess;
    struct CUgraphNode_st **more = realloc(n->dependencies, (n->count + 1) * sizeof *more);
    if (more == NULL) return cudaErrorMemoryAllocation;
    n->dependencies = more;
    more[n->count++] = on;
    return cudaSuccess;
}

static void drop(struct CUgraphNode_st *n) {
    disown(&n->work);
    free(n->dependencies);
    free(n);
}

static cudaError_t add(struct CUgraphNode_st **node, struct CUgraph_st *g, const cudaGraphNode_t *dependencies, size_t count, const struct work *w) {
    if (g == NULL || (count > 0 && dependencies == NULL)) return cudaErrorInvalidValue;
    struct CUgraphNode_st *n = calloc(1, sizeof *n);
    if (n == NULL) return cudaErrorMemoryAllocation;
    *n = (struct CUgraphNode_st){.graph = g, .work = *w};
    cudaError_t error = own(&n->work);
    if (error != cudaSuccess) return free(n), error;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) error = dependencies[i] != NULL && dependencies[i]->graph == g ? depend(n, dependencies[i]) : cudaErrorInvalidValue;
    if (error != cudaSuccess) return drop(n), error;
    *g->end = n;
    g->end = &n->next;
    g->count++;
    if (node != NULL) *node = n;
    return cudaSuccess;
}

// replace gives a node other work of its kind.
static cudaError_t replace(struct CUgraphNode_st *n, struct work w) {
    if (n == NULL || n->work.type != w.type) return cudaErrorInvalidValue;
    w.cooperative = n->work.cooperative;
    cudaError_t error = own(&w);
    if (error != cudaSuccess) return error;
    disown(&n->work);
    n->work = w;
    return cudaSuccess;
}

#define ADD(...)                                                         \
    struct work w = __VA_ARGS__;                                         \
    return divergo_fail(add(node, graph, dependencies, count, &w))
#define NODE cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count

static struct work kernel_work(const struct cudaKernelNodeParams *p) { return (struct work){.type = cudaGraphNodeTypeKernel, .kernel = *p}; }
static struct work copy_work(const struct cudaMemcpy3DParms *p) { return (struct work){.type = cudaGraphNodeTypeMemcpy, .copy = *p}; }
static struct work line_work(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) { return divergo_copy_work(to, bytes, from, bytes, bytes, 1, kind); }
static struct work set_work(const struct cudaMemsetParams *p) { return (struct work){.type = cudaGraphNodeTypeMemset, .set = *p}; }
static struct work host_work(const struct cudaHostNodeParams *p) { return (struct work){.type = cudaGraphNodeTypeHost, .host = *p}; }

cudaError_t cudaGraphAddKernelNode(NODE, const struct cudaKernelNodeParams *p) { NEED(p != NULL); ADD(kernel_work(p)); }
cudaError_t cudaGraphAddMemcpyNode(NODE, const struct cudaMemcpy3DParms *p) { NEED(p != NULL); ADD(copy_work(p)); }
cudaError_t cudaGraphAddMemcpyNode1D(NODE, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) { ADD(line_work(to, from, bytes, kind)); }
cudaError_t cudaGraphAddMemsetNode(NODE, const struct cudaMemsetParams *p) { NEED(p != NULL && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4)); ADD(set_work(p)); }
cudaError_t cudaGraphAddHostNode(NODE, const struct cudaHostNodeParams *p) { NEED(p != NULL && p->fn != NULL); ADD(host_work(p)); }
cudaError_t cudaGraphAddChildGraphNode(NODE, cudaGraph_t child) { NEED(child != NULL); ADD({.type = cudaGraphNodeTypeGraph, .child = child}); }
cudaError_t cudaGraphAddEmptyNode(NODE) { ADD({.type = cudaGraphNodeTypeEmpty}); }
cudaError_t cudaGraphAddEventRecordNode(NODE, cudaEvent_t event) { NEED(event != NULL); ADD({.type = cudaGraphNodeTypeEventRecord, .event = event}); }
cudaError_t cudaGraphAddEventWaitNode(NODE, cudaEvent_t event) { NEED(event != NULL); ADD({.type = cudaGraphNodeTypeWaitEvent, .event = event}); }
cudaError_t cudaGraphAddMemFreeNode(NODE, void *address) { NEED(address != NULL); ADD({.type = cudaGraphNodeTypeMemFree, .address = address}); }

// The memory is there from now on, until the program frees it or the device is reset: its address is that of all launches.
cudaError_t cudaGraphAddMemAllocNode(NODE, struct cudaMemAllocNodeParams *p) {
    NEED(p != NULL);
    cudaError_t error = cudaMalloc(&p->dptr, p->bytesize);
    if (error != cudaSuccess) return error;
    ADD({.type = cudaGraphNodeTypeMemAlloc, .address = p->dptr});
}

static cudaError_t at_symbol(char **at, const void *symbol, size_t bytes, size_t offset) {
    void *address;
    size_t size;
    cudaError_t error = cudaGetSymbolAddress(&address, symbol);
    if (error == cudaSuccess) error = cudaGetSymbolSize(&size, symbol);
    if (error != cudaSuccess) return error;
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    *at = (char *)address + offset;
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(NODE, const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    char *at;
    cudaError_t error = at_symbol(&at, symbol, bytes, offset);
    if (error != cudaSuccess) FAIL(error);
    ADD(line_work(at, from, bytes, kind));
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(NODE, void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    char *at;
    cudaError_t error = at_symbol(&at, symbol, bytes, offset);
    if (error != cudaSuccess) FAIL(error);
    ADD(line_work(to, at, bytes, kind));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
    for (size_t i = 0; i < count; i++) {
        NEED(from[i] != NULL && to[i] != NULL && from[i]->graph == graph && to[i]->graph == graph);
        cudaError_t error = depend(to[i], from[i]);
        if (error != cudaSuccess) FAIL(error);
    }
    FAIL(cudaSuccess);
}

// forget makes a node not wait for another one.
static int forget(struct CUgraphNode_st *n, struct CUgraphNode_st *on) {
    for (size_t i = 0; i < n->count; i++)
        if (n->dependencies[i] == on) return memmove(n->dependencies + i, n->dependencies + i + 1, (--n->count - i) * sizeof *n->dependencies), 1;
    return 0;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
    for (size_t i = 0; i < count; i++) NEED(from[i] != NULL && to[i] != NULL && to[i]->graph == graph && forget(to[i], from[i]));
    FAIL(cudaSuccess);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    NEED(node != NULL);
    struct CUgraph_st *g = node->graph;
    for (struct CUgraphNode_st **at = &g->first; *at != NULL;) {
        if (*at == node) *at = node->next;
        else forget(*at, node), at = &(*at)->next;
        if (*at == NULL) g->end = at;
    }
    g->count--;
    drop(node);
    FAIL(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
    NEED(node != NULL && p != NULL && node->work.type == cudaGraphNodeTypeKernel);
    *p = node->work.kernel;
    FAIL(cudaSuccess);
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p) { NEED(p != NULL); FAIL(replace(node, kernel_work(p))); }
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p) { NEED(p != NULL); FAIL(replace(node, copy_work(p))); }
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) { FAIL(replace(node, line_work(to, from, bytes, kind))); }
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p) { NEED(p != NULL); FAIL(replace(node, set_work(p))); }
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p) { NEED(p != NULL); FAIL(replace(node, host_work(p))); }

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    NEED(node != NULL && type != NULL);
    *type = node->work.type;
    FAIL(cudaSuccess);
}

// Lists: how long they are, and as much of them as there is room for.

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies, size_t *count) {
    NEED(node != NULL && count != NULL);
    for (size_t i = 0; dependencies != NULL && i < *count; i++) dependencies[i] = i < node->count ? node->dependencies[i] : NULL;
    if (dependencies == NULL || *count > node->count) *count = node->count;
    FAIL(cudaSuccess);
}

static void list(struct CUgraph_st *g, int roots, cudaGraphNode_t *nodes, size_t *count) {
    size_t found = 0;
    for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next) {
        if (roots && n->count > 0) continue;
        if (nodes != NULL && found < *count) nodes[found] = n;
        found++;
    }
    for (size_t i = found; nodes != NULL && i < *count; i++) nodes[i] = NULL;
    if (nodes == NULL || *count > found) *count = found;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    NEED(graph != NULL && count != NULL);
    list(graph, 0, nodes, count);
    FAIL(cudaSuccess);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    NEED(graph != NULL && count != NULL);
    list(graph, 1, nodes, count);
    FAIL(cudaSuccess);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
    NEED(graph != NULL && count != NULL);
    size_t found = 0;
    for (struct CUgraphNode_st *n = graph->first; n != NULL; n = n->next)
        for (size_t i = 0; i < n->count; i++, found++)
            if (from != NULL && to != NULL && found < *count) from[found] = n->dependencies[i], to[found] = n;
    if (from == NULL || *count > found) *count = found;
    FAIL(cudaSuccess);
}

// Graphs.

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
    NEED(graph != NULL && flags == 0);
    struct CUgraph_st *g = calloc(1, sizeof *g);
    if (g == NULL) FAIL(cudaErrorMemoryAllocation);
    g->end = &g->first;
    *graph = g;
    FAIL(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    NEED(graph != NULL);
    for (struct CUgraphNode_st *n = graph->first; n != NULL;) {
        struct CUgraphNode_st *next = n->next;
        drop(n);
        n = next;
    }
    free(graph);
    FAIL(cudaSuccess);
}

static struct CUgraphNode_st *cloned(struct CUgraph_st *clone, struct CUgraphNode_st *origin) {
    struct CUgraphNode_st *n = clone->first;
    while (n != NULL && n->origin != origin) n = n->next;
    return n;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
    NEED(clone != NULL && graph != NULL);
    struct CUgraph_st *c;
    cudaError_t error = cudaGraphCreate(&c, 0);
    for (struct CUgraphNode_st *n = graph->first, *made; n != NULL && error == cudaSuccess; n = n->next) {
        error = add(&made, c, NULL, 0, &n->work);
        if (error == cudaSuccess) made->origin = n;
    }
    for (struct CUgraphNode_st *n = graph->first; n != NULL && error == cudaSuccess; n = n->next)
        for (size_t i = 0; i < n->count && error == cudaSuccess; i++) error = depend(cloned(c, n), cloned(c, n->dependencies[i]));
    if (error != cudaSuccess) FAIL(error);
    *clone = c;
    FAIL(cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone) {
    NEED(node != NULL && clone != NULL && (*node = cloned(clone, original)) != NULL);
    FAIL(cudaSuccess);
}

// sort puts the nodes into an order that keeps their dependencies: as they were added, where it can be. It fails if they
// go in a circle.
static int sort(struct CUgraph_st *g) {
    struct CUgraphNode_st *rest = g->first;
    for (struct CUgraphNode_st *n = rest; n != NULL; n = n->next) n->done = 0;
    g->end = &g->first;
    while (rest != NULL) {
        struct CUgraphNode_st **at = &rest;
        for (; *at != NULL; at = &(*at)->next) {
            size_t i = 0;
            while (i < (*at)->count && (*at)->dependencies[i]->done) i++;
            if (i == (*at)->count) break;
        }
        struct CUgraphNode_st *n = *at;
        if (n == NULL) return *g->end = rest, 0;
        *at = n->next;
        n->done = 1, n->next = NULL;
        *g->end = n, g->end = &n->next;
    }
    return 1;
}

static cudaError_t run(struct CUgraph_st *g) {
    cudaError_t error = cudaSuccess;
    for (struct CUgraphNode_st *n = g->first; n != NULL && error == cudaSuccess; n = n->next)
        if (!n->off) error = perform(&n->work);
    return error;
}

// sort_all also sorts the children.
static int sort_all(struct CUgraph_st *g) {
    for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next)
        if (n->work.type == cudaGraphNodeTypeGraph && !sort_all(n->work.child)) return 0;
    return sort(g);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    (void)flags;
    NEED(exec != NULL && graph != NULL);
    struct CUgraphExec_st *e = calloc(1, sizeof *e);
    if (e == NULL) FAIL(cudaErrorMemoryAllocation);
    cudaError_t error = cudaGraphClone(&e->graph, graph);
    if (error == cudaSuccess && !sort_all(e->graph)) {
        fprintf(stderr, "cuda: cudaGraphInstantiate: nodes of the graph wait for each other in a circle\n");
        cudaGraphDestroy(e->graph);
        error = cudaErrorInvalidValue;
    }
    if (error != cudaSuccess) return free(e), divergo_fail(error);
    *exec = e;
    FAIL(cudaSuccess);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) { return cudaGraphInstantiate(exec, graph, flags); }

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    NEED(exec != NULL);
    cudaGraphDestroy(exec->graph);
    free(exec);
    FAIL(cudaSuccess);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    (void)stream;
    NEED(exec != NULL);
    FAIL(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    NEED(exec != NULL);
    if (!capturing(stream)) FAIL(run(exec->graph));
    struct work w = {.type = cudaGraphNodeTypeGraph, .child = exec->graph};
    return divergo_capture(stream, &w);
}

// A node of the graph that an executable one was made of is that of the executable one.
static cudaError_t replace_in(cudaGraphExec_t exec, cudaGraphNode_t node, struct work w) { return exec != NULL ? replace(cloned(exec->graph, node), w) : cudaErrorInvalidValue; }

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p) { NEED(p != NULL); FAIL(replace_in(exec, node, kernel_work(p))); }
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *p) { NEED(p != NULL); FAIL(replace_in(exec, node, copy_work(p))); }
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) { FAIL(replace_in(exec, node, line_work(to, from, bytes, kind))); }
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *p) { NEED(p != NULL); FAIL(replace_in(exec, node, set_work(p))); }
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *p) { NEED(p != NULL); FAIL(replace_in(exec, node, host_work(p))); }

static struct CUgraphNode_st *switched(cudaGraphExec_t exec, cudaGraphNode_t node) {
    struct CUgraphNode_st *n = exec != NULL && node != NULL ? cloned(exec->graph, node) : NULL;
    return n != NULL && n->work.type <= cudaGraphNodeTypeMemset ? n : NULL; // a kernel, a copy or a memset
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled) {
    struct CUgraphNode_st *n = switched(exec, node);
    NEED(n != NULL);
    n->off = !enabled;
    FAIL(cudaSuccess);
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled) {
    const struct CUgraphNode_st *n = switched(exec, node);
    NEED(n != NULL && enabled != NULL);
    *enabled = !n->off;
    FAIL(cudaSuccess);
}

// What is freed is free.
cudaError_t cudaDeviceGraphMemTrim(int device) { FAIL(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

// The graph has to have as many nodes of the same kinds, in the order in which they come.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    NEED(exec != NULL && graph != NULL);
    cudaGraphExecUpdateResultInfo r = {.result = cudaGraphExecUpdateSuccess};
    struct CUgraph_st *c;
    cudaError_t error = cudaGraphClone(&c, graph);
    if (error != cudaSuccess) return error;
    if (!sort_all(c) || c->count != exec->graph->count) r.result = cudaGraphExecUpdateErrorTopologyChanged;
    for (struct CUgraphNode_st *a = exec->graph->first, *b = c->first; r.result == cudaGraphExecUpdateSuccess && a != NULL; a = a->next, b = b->next) {
        if (a->work.type != b->work.type) r.result = cudaGraphExecUpdateErrorNodeTypeChanged;
        else if (a->count != b->count) r.result = cudaGraphExecUpdateErrorTopologyChanged;
        if (r.result != cudaGraphExecUpdateSuccess) r.errorNode = b->origin;
        else b->origin = a->origin; // updates by node go on
    }
    if (info != NULL) *info = r;
    struct CUgraph_st *out = r.result == cudaGraphExecUpdateSuccess ? exec->graph : c;
    if (out != c) exec->graph = c;
    cudaGraphDestroy(out);
    FAIL(r.result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

// Capture. What streams have joined is in this list until the capture ends.

static struct { cudaStream_t *streams; size_t count; } joined;

static cudaError_t take(cudaStream_t stream, struct CUgraph_st *graph, struct CUgraphNode_st *last) {
    cudaStream_t *more = realloc(joined.streams, (joined.count + 1) * sizeof *more);
    if (more == NULL) return cudaErrorMemoryAllocation;
    joined.streams = more;
    more[joined.count++] = stream;
    stream->graph = graph, stream->last = last;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    (void)mode;
    if (!made(stream)) FAIL(cudaErrorStreamCaptureUnsupported);
    if (stream->graph != NULL) FAIL(cudaErrorIllegalState);
    struct CUgraph_st *g;
    cudaError_t error = cudaGraphCreate(&g, 0);
    if (error == cudaSuccess) error = take(stream, g, NULL);
    if (error == cudaSuccess) stream->origin = 1;
    FAIL(error);
}

cudaError_t divergo_capture(cudaStream_t stream, const struct work *work) {
    struct CUgraphNode_st *n;
    cudaError_t error = add(&n, stream->graph, &stream->last, stream->last != NULL, work);
    if (error == cudaSuccess) stream->last = n;
    FAIL(error);
}

cudaError_t divergo_join(cudaStream_t stream, cudaEvent_t event) {
    size_t i = 0;
    while (i < joined.count && joined.streams[i]->graph != event->graph) i++;
    if (i == joined.count) FAIL(cudaErrorCapturedEvent); // of a capture that is over
    if (stream->graph == NULL) FAIL(take(stream, event->graph, event->after));
    if (stream->graph != event->graph) FAIL(cudaErrorStreamCaptureMerge);
    if (event->after == NULL || event->after == stream->last) FAIL(cudaSuccess);
    if (stream->last == NULL) {
        stream->last = event->after;
        FAIL(cudaSuccess);
    }
    const cudaGraphNode_t both[2] = {stream->last, event->after};
    const struct work nothing = {.type = cudaGraphNodeTypeEmpty};
    FAIL(add(&stream->last, stream->graph, both, 2, &nothing));
}

// mark marks the nodes that a node comes after, and itself.
static void mark(struct CUgraph_st *g, struct CUgraphNode_st *from) {
    for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next) n->done = n == from;
    for (int more = 1; more;) {
        more = 0;
        for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next)
            for (size_t i = 0; n->done && i < n->count; i++)
                if (!n->dependencies[i]->done) more = n->dependencies[i]->done = 1;
    }
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    NEED(graph != NULL);
    if (!capturing(stream)) FAIL(cudaErrorIllegalState);
    if (!stream->origin) FAIL(cudaErrorStreamCaptureUnmatched);
    struct CUgraph_st *g = stream->graph;
    size_t kept = 0;
    int loose = 0; // work of another stream that this one has not waited for
    mark(g, stream->last);
    for (size_t i = 0; i < joined.count; i++) {
        cudaStream_t s = joined.streams[i];
        if (s->graph == g && s->last != NULL && !s->last->done) loose = 1;
        if (s->graph == g) s->graph = NULL, s->last = NULL, s->origin = 0;
        else joined.streams[kept++] = s;
    }
    joined.count = kept;
    *graph = loose ? NULL : g;
    if (!loose) FAIL(cudaSuccess);
    cudaGraphDestroy(g);
    FAIL(cudaErrorStreamCaptureUnjoined);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    NEED(status != NULL);
    *status = capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    FAIL(cudaSuccess);
}

// A capture is known by its graph.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **dependencies, size_t *count) {
    cudaError_t error = cudaStreamIsCapturing(stream, status);
    if (error != cudaSuccess || !capturing(stream)) return error;
    if (id != NULL) *id = (uintptr_t)stream->graph;
    if (graph != NULL) *graph = stream->graph;
    if (dependencies != NULL) *dependencies = &stream->last;
    if (count != NULL) *count = stream->last != NULL;
    FAIL(cudaSuccess);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    static __thread enum cudaStreamCaptureMode now;
    NEED(mode != NULL);
    const enum cudaStreamCaptureMode before = now;
    now = *mode, *mode = before;
    FAIL(cudaSuccess);
}
