package isa

import (
	"errors"
	"fmt"
	"slices"
)

// Check tests the invariants of an analysed program and returns every violation. Programs from
// package ptx keep them. Check is for tests, and for programs built without that package.
func (p *Program) Check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	n := uint32(len(p.Insts))
	if n == 0 {
		return errors.New("no instructions")
	}
	for pc := range p.Insts {
		in := &p.Insts[pc]
		operand := func(what string, o Operand) {
			switch {
			case o.Kind == OperandReg && int(o.Index) >= len(p.Regs),
				o.Kind == OperandPred && int(o.Index) >= len(p.Preds),
				o.Kind == OperandSpecial && Special(o.Index) >= NumSpecials:
				bad("pc %d: %s %d is not declared", pc, what, o.Index)
			}
		}
		operand("guard", in.Guard)
		if in.NSrc > MaxSrcs || in.NDst > MaxDsts {
			bad("pc %d: %d sources and %d destinations", pc, in.NSrc, in.NDst)
			continue
		}
		for _, o := range in.Src[:in.NSrc] {
			operand("source", o)
		}
		for _, o := range in.Dst[:in.NDst] {
			operand("destination", o)
		}
		if (in.Jumps() || in.Op == OpCall && !in.Indirect() || in.Op == OpSSY || in.Op == OpBSSY) && in.Target >= n {
			bad("pc %d: target %d of %d instructions", pc, in.Target, n)
		}
	}
	for i := range p.Funcs {
		f := &p.Funcs[i]
		if f.Entry == 0 || f.Entry >= n || !p.Insts[f.Entry-1].EndsPath() {
			bad("function %s: execution of what is before runs into its entry %d", f.Name, f.Entry)
		}
	}
	if last := &p.Insts[n-1]; !last.EndsPath() {
		bad("pc %d: execution runs off the end", n-1)
	}
	next := uint32(0)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if b.Start != next || b.End <= b.Start || b.End > n {
			bad("block %d is [%d, %d), want it to start at %d", i, b.Start, b.End, next)
			return errors.Join(errs...)
		}
		next = b.End
		p.checkBlock(i, bad)
	}
	if next != n {
		bad("blocks end at %d of %d instructions", next, n)
	}
	return errors.Join(errs...)
}

// checkBlock tests block i. Control leaves it only at its end, for the successors of its last
// instruction, and its post-dominator is on every path.
func (p *Program) checkBlock(i int, bad func(format string, args ...any)) {
	b := &p.Blocks[i]
	for pc := b.Start; pc < b.End; pc++ {
		in := &p.Insts[pc]
		if in.ends() && pc+1 != b.End {
			bad("pc %d: control leaves block %d before its end", pc, i)
		}
		if in.Jumps() && !slices.ContainsFunc(b.Succs, func(s int) bool { return p.Blocks[s].Start == in.Target }) {
			bad("pc %d: no edge from block %d to the target", pc, i)
		}
	}
	last := &p.Insts[b.End-1]
	for _, s := range b.Succs {
		if start := p.Blocks[s].Start; start != b.End && (!last.Jumps() || start != last.Target) {
			bad("block %d: an edge to block %d, which does not follow", i, s)
		}
		if !slices.Contains(p.Blocks[s].Preds, i) {
			bad("block %d is no predecessor of block %d, its successor", i, s)
		}
	}
	meet := NoPC
	if b.IPDom >= 0 {
		meet = p.Blocks[b.IPDom].Start
		if p.avoids(i, b.IPDom) {
			bad("block %d: a path to the exit avoids its post-dominator %d", i, b.IPDom)
		}
	}
	if last.Conditional() && last.Reconv != meet {
		bad("pc %d: reconvergence at %d, but the post-dominator is at %d", b.End-1, last.Reconv, meet)
	}
}

// avoids reports whether a path leads from block b to the exit without block d. This tests the
// definition of post-dominance by removing d.
func (p *Program) avoids(b, d int) bool {
	seen := make([]bool, len(p.Blocks))
	for work := []int{b}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == d || seen[v] {
			continue
		}
		seen[v] = true
		if leaves(p, &p.Blocks[v]) {
			return true
		}
		work = append(work, p.Blocks[v].Succs...)
	}
	return false
}
