package experiments

import (
	"slices"

	"divergo/isa"
	"divergo/testbench/golden"
)

// replay executes the threads of a CTA once more, together on one stack of post-dominators. Each
// thread has already run by itself.
//
// branch receives each execution of a conditional branch: the threads that take it and those that
// do not, by their numbers in the CTA.
func replay(p *isa.Program, threads []golden.Thread, branch func(pc uint32, taken, not []int)) {
	all := make([]int, len(threads))
	for i := range all {
		all[i] = i
	}
	r := walk{p, threads, make([]int, len(threads)), []group{{point{}, point{pc: isa.NoPC}, all}}, branch}
	for len(r.stack) > 0 {
		r.step()
	}
}

// walk is the state of a replay.
type walk struct {
	prog    *isa.Program
	threads []golden.Thread
	at      []int // number of executed instructions, by thread
	stack   []group
	branch  func(pc uint32, taken, not []int)
}

// point is a PC and the call depth of a thread there. The same PC of a recursive function is
// another point at another depth.
type point struct {
	pc    uint32
	depth int
}

// group is the threads at one point, and the point where they wait for others.
type group struct {
	at, meet point
	threads  []int
}

// pc returns the PC of a thread; isa.NoPC if it has exited.
func (w *walk) pc(t int) uint32 {
	if pcs := w.threads[t].PCs; w.at[t] < len(pcs) {
		return pcs[w.at[t]]
	}
	return isa.NoPC
}

// step executes one instruction of the top group. It pops a group without threads, or one at its
// meeting point.
func (w *walk) step() {
	g := &w.stack[len(w.stack)-1]
	g.threads = slices.DeleteFunc(g.threads, func(t int) bool { return w.pc(t) == isa.NoPC })
	if len(g.threads) == 0 || g.at == g.meet {
		w.stack = w.stack[:len(w.stack)-1]
		return
	}
	from, in := g.at, &w.prog.Insts[g.at.pc]
	for _, t := range g.threads {
		w.at[t]++
	}
	if in.Conditional() {
		var sides [2][]int
		for _, t := range g.threads {
			if w.pc(t) == in.Target {
				sides[0] = append(sides[0], t)
			} else {
				sides[1] = append(sides[1], t)
			}
		}
		w.branch(from.pc, sides[0], sides[1])
	}
	to := point{w.pc(g.threads[0]), from.depth}
	switch {
	case in.Op == isa.OpCall:
		to.depth++
	case in.Returns():
		to.depth--
	}
	if slices.ContainsFunc(g.threads, func(t int) bool { return w.pc(t) != to.pc }) {
		w.part(g, in, to.depth)
	} else {
		g.at = to
	}
}

// part splits the top group, whose threads took different paths at instruction in. depth is the
// call depth of the new paths.
func (w *walk) part(g *group, in *isa.Inst, depth int) {
	meet := point{g.at.pc + 1, g.at.depth} // after an exit, the other threads continue there
	if in.Branches() {
		meet.pc = in.Reconv
	}
	var paths []group
	for _, t := range g.threads {
		pc := w.pc(t)
		i := slices.IndexFunc(paths, func(p group) bool { return p.at.pc == pc })
		if i < 0 {
			i = len(paths)
			paths = append(paths, group{at: point{pc, depth}, meet: meet})
		}
		paths[i].threads = append(paths[i].threads, t)
	}
	if meet == g.meet { // the entry below waits there
		w.stack = w.stack[:len(w.stack)-1]
	} else {
		g.at = meet
	}
	w.stack = append(w.stack, paths...)
}
