package isa

import "slices"

// setDominators computes immediate dominators and immediate post-dominators. A virtual entry leads
// to the kernel and its functions; every exit leads to a virtual exit.
func setDominators(p *Program) {
	n := len(p.Blocks)
	entry := n + 1
	succs, preds := make([][]int, n+2), make([][]int, n+2)
	link := func(from, to int) {
		succs[from] = append(succs[from], to)
		preds[to] = append(preds[to], from)
	}
	for i := range p.Blocks {
		for _, s := range p.Blocks[i].Succs {
			link(i, s)
		}
		if leaves(p, &p.Blocks[i]) {
			link(i, n)
		}
	}
	for _, b := range p.entries() {
		link(entry, b)
	}
	for i, d := range dominators(entry, succs, preds)[:n] {
		if p.Blocks[i].IDom = d; d == entry {
			p.Blocks[i].IDom = -1
		}
	}
	// A loop without an exit has no post-dominator. An edge from its last block in the layout to
	// the virtual exit gives every block one.
	out := make([]bool, n+2)
	var work []int
	leads := func(i int) {
		for work = append(work, i); len(work) > 0; {
			v := work[len(work)-1]
			work = work[:len(work)-1]
			if !out[v] {
				out[v] = true
				work = append(work, preds[v]...)
			}
		}
	}
	leads(n)
	for i := n - 1; i >= 0; i-- {
		if f := p.FuncAt(p.Blocks[i].Start); !out[i] && (f == nil || !f.returns) {
			link(i, n)
			leads(i)
		}
	}
	for i, d := range dominators(n, preds, succs)[:n] {
		if p.Blocks[i].IPDom = d; d >= n {
			p.Blocks[i].IPDom = -1
		}
	}
}

// dominators are the immediate dominators of the nodes of a graph. They are -1 for the root and for
// unreachable nodes. The algorithm is that of Lengauer & Tarjan, with simple linking (A Fast
// Algorithm for Finding Dominators in a Flowgraph, 1979).
func dominators(root int, succs, preds [][]int) []int {
	order, parent := preorder(root, succs)
	none := make([]int, len(succs))
	for i := range none {
		none[i] = -1
	}
	idom, up := slices.Clone(none), slices.Clone(none) // up: ancestor in the forest of linked nodes
	semi, best := slices.Clone(none), make([]int, len(succs))
	for i, v := range order {
		semi[v], best[v] = i, v
	}
	bucket := make([][]int, len(succs))
	var path []int
	eval := func(v int) int {
		if up[v] < 0 {
			return v
		}
		for u := v; up[up[u]] >= 0; u = up[u] {
			path = append(path, u)
		}
		for ; len(path) > 0; path = path[:len(path)-1] {
			u := path[len(path)-1]
			if a := up[u]; semi[best[a]] < semi[best[u]] {
				best[u] = best[a]
			}
			up[u] = up[up[u]]
		}
		return best[v]
	}
	for i := len(order) - 1; i > 0; i-- {
		w := order[i]
		for _, v := range preds[w] {
			if semi[v] >= 0 {
				semi[w] = min(semi[w], semi[eval(v)])
			}
		}
		at := order[semi[w]]
		bucket[at] = append(bucket[at], w)
		up[w] = parent[w]
		for _, v := range bucket[parent[w]] {
			if u := eval(v); semi[u] < semi[v] {
				idom[v] = u
			} else {
				idom[v] = parent[w]
			}
		}
		bucket[parent[w]] = nil
	}
	for _, w := range order[1:] {
		if idom[w] != order[semi[w]] {
			idom[w] = idom[idom[w]]
		}
	}
	return idom
}

// preorder lists the nodes reachable from root in the order of a depth-first search, each with its
// parent in the search.
func preorder(root int, succs [][]int) (order, parent []int) {
	parent = make([]int, len(succs))
	for i := range parent {
		parent[i] = -1
	}
	type visit struct{ node, from int }
	seen := make([]bool, len(succs))
	for work := []visit{{root, -1}}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v.node] {
			continue
		}
		seen[v.node], parent[v.node] = true, v.from
		order = append(order, v.node)
		for _, s := range slices.Backward(succs[v.node]) {
			work = append(work, visit{s, v.node})
		}
	}
	return order, parent
}

// postorder lists the nodes reachable from root, each behind its successors except along back
// edges.
func postorder(root int, succs [][]int) (order []int) {
	type visit struct{ node, next int }
	stack := []visit{{root, 0}}
	seen := make([]bool, len(succs))
	seen[root] = true
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		if v.next < len(succs[v.node]) {
			s := succs[v.node][v.next]
			v.next++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, visit{s, 0})
			}
			continue
		}
		order = append(order, v.node)
		stack = stack[:len(stack)-1]
	}
	return order
}
