package isa

// setDominators computes immediate dominators, with a virtual entry that leads
// to the kernel and its functions, and immediate post-dominators with a virtual
// exit that every exit leads to.
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
	// A loop without way out has no post-dominator. Its last block in the
	// layout is taken to lead to the exit, so that every block has one.
	for {
		ipdom := dominators(n, preds, succs)
		stuck := -1
		for i := range n {
			if f := p.FuncAt(p.Blocks[i].Start); ipdom[i] < 0 && (f == nil || !f.returns) {
				stuck = i
			}
			if p.Blocks[i].IPDom = ipdom[i]; ipdom[i] >= n {
				p.Blocks[i].IPDom = -1
			}
		}
		if stuck < 0 {
			return
		}
		link(stuck, n)
	}
}

// dominators are the immediate dominators of the nodes of a graph, -1 for the
// root and for nodes that it does not reach (Cooper, Harvey & Kennedy, A
// Simple, Fast Dominance Algorithm, 2001).
func dominators(root int, succs, preds [][]int) []int {
	order, number := postorder(root, succs)
	idom := make([]int, len(succs))
	for i := range idom {
		idom[i] = -1
	}
	idom[root] = root
	for changed := true; changed; {
		changed = false
		for k := len(order) - 2; k >= 0; k-- { // reverse postorder without the root
			v, d := order[k], -1
			for _, u := range preds[v] {
				switch {
				case idom[u] < 0:
				case d < 0:
					d = u
				default:
					for a := u; a != d; {
						for number[a] < number[d] {
							a = idom[a]
						}
						for number[d] < number[a] {
							d = idom[d]
						}
					}
				}
			}
			if idom[v] != d {
				idom[v], changed = d, true
			}
		}
	}
	idom[root] = -1
	return idom
}

// postorder lists the nodes that root reaches, and numbers them; others have
// -1.
func postorder(root int, succs [][]int) (order, number []int) {
	number = make([]int, len(succs))
	for i := range number {
		number[i] = -1
	}
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
		number[v.node] = len(order)
		order = append(order, v.node)
		stack = stack[:len(stack)-1]
	}
	return order, number
}
