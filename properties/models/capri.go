package models

import (
	"math/bits"
	"slices"

	"divergo/isa"
)

// capri is thread block compaction that asks a table first whether compaction was adequate at a
// branch (Rhu & Erez, ISCA 2012). Where it was not, warps bypass the branch, each on a stack of its own.
// The model knows branches that join before the next one. How warps go on among branches inside a
// bypassed one is in no source.
type capri struct {
	tbc
	tops  map[*cta]*top
	table []line // the line used last at the end
}

// line is a branch in the table.
type line struct {
	pc       uint32
	adequate bool
}

// top is the top entry of a CTA, with the branch that some of its warps have executed.
type top struct {
	warps []*lone
	at    uint32 // PC of the branch, or isa.NoPC
	waits bool   // warps at the branch wait for the last one, to be compacted
	sides [2]int // warps with threads that take it, and with others
	held  []heldBranch
}

// heldBranch is a branch that a warp has executed before all others have executed the one before.
type heldBranch struct {
	warp  *lone
	group Group
	taken uint64
}

// lone is a warp of the top entry.
type lone struct {
	Group
	path *pdom  // inside a branch that it bypasses
	end  uint32 // of that branch
	went bool   // has executed the open branch
	held bool   // has executed the next one
}

func newCAPRI(c *Code) Model {
	return &capri{tbc: tbc{Code: c, ctas: map[int]*cta{}}, tops: map[*cta]*top{}}
}

// parts reports whether the threads of a CTA can diverge at an instruction.
func (t *capri) parts(pc uint32) bool { return t.Insts[pc].Conditional() && !t.Insts[pc].Uniform }

// find makes the line of a branch the one used last. It returns nil if there is none.
func (t *capri) find(pc uint32) *line {
	i := slices.IndexFunc(t.table, func(l line) bool { return l.pc == pc })
	if i < 0 {
		return nil
	}
	l := t.table[i]
	t.table = append(slices.Delete(t.table, i, i+1), l)
	return &t.table[len(t.table)-1]
}

// add allocates a line, which says at first that compaction is adequate if there is a compactor.
func (t *capri) add(pc uint32) {
	if len(t.table) == t.Entries {
		t.table = t.table[1:]
	}
	t.table = append(t.table, line{pc, !t.Static && !t.NoCompaction})
}

func (t *capri) Start(row, first, warps int, mask uint64) {
	t.tbc.Start(row, first, warps, mask)
	x := t.ctas[first]
	p := t.tops[x]
	if p == nil {
		p = &top{at: isa.NoPC}
		t.tops[x] = p
	}
	p.warps = append(p.warps, &lone{Group: group(row, 0, mask)})
}

func (t *capri) Ready() (list []Group) {
	for _, x := range t.ctas {
		p := t.tops[x]
		for _, w := range p.warps {
			switch {
			case w.held, w.went && p.waits:
			case w.path != nil:
				w.path.ready(func(pc uint32, mask uint64) { list = append(list, w.some(mask, pc)) })
			default:
				list = append(list, w.Group)
			}
		}
	}
	return list
}

func (t *capri) Step(g Group, taken uint64) {
	x := t.ctas[t.of[g.Row[bits.TrailingZeros64(g.Mask)]]]
	p := t.tops[x]
	w := p.warps[slices.IndexFunc(p.warps, func(w *lone) bool { return shares(&w.Group, &g) })]
	in, take, fall := t.successors(g.PC, g.Mask, taken)
	var gone block
	gone.add(&g, g.Mask&^(take|fall))
	for i := range x.stack {
		for lane := range gone {
			x.stack[i].mask[lane] &^= gone[lane]
		}
	}
	w.Group = w.some(w.Mask&^(g.Mask&^(take|fall)), w.PC)
	switch {
	case t.parts(g.PC):
		t.branch(x, w, g, taken)
	case w.path != nil:
		w.path.step(g.PC, g.Mask, taken)
	case take != 0:
		w.PC = in.Target
	default:
		w.PC = g.PC + 1
	}
	t.settle(x)
}

// branch executes a branch, or holds it until the open one has been executed by all warps.
func (t *capri) branch(x *cta, w *lone, g Group, taken uint64) {
	p := t.tops[x]
	if p.at != isa.NoPC && w.went {
		w.held = true
		p.held = append(p.held, heldBranch{w, g, taken})
		return
	}
	in := &t.Insts[g.PC]
	take, fall := g.Mask&taken, g.Mask&^taken
	if p.at == isa.NoPC {
		l := t.find(g.PC)
		p.at, p.sides, p.waits = g.PC, [2]int{}, l != nil && l.adequate
	}
	w.went = true
	for i, lanes := range [...]uint64{take, fall} {
		if lanes != 0 {
			p.sides[i]++
		}
	}
	x.take.add(&g, take)
	x.not.add(&g, fall)
	if take != 0 && fall != 0 && t.find(g.PC) == nil {
		t.add(g.PC)
	}
	if !p.waits {
		w.path, w.end = &pdom{t.Code, []entry{{g.PC, in.Reconv, g.Mask}}}, in.Reconv
		w.path.step(g.PC, g.Mask, taken)
	}
}

// settle goes on after a step: warps leave the top entry, the open branch closes, held branches follow.
func (t *capri) settle(x *cta) {
	for {
		t.leave(x)
		if x.missing > 0 {
			return
		}
		p := t.tops[x]
		if p.at != isa.NoPC && !slices.ContainsFunc(p.warps, func(w *lone) bool { return !w.went }) {
			t.close(x, p)
			continue
		}
		if len(p.warps) == 0 && len(x.stack) > 0 {
			t.activate(x)
			continue
		}
		held := p.held
		p.held = nil
		for i, h := range held {
			h.warp.held = false
			if t.branch(x, h.warp, h.group, h.taken); !h.warp.held {
				p.held = append(p.held, held[i+1:]...)
				break
			}
		}
		if len(p.held) == len(held) {
			return
		}
	}
}

// leave takes warps that have come to the end of the top entry, or have exited, out of it.
func (t *capri) leave(x *cta) {
	p := t.tops[x]
	if len(x.stack) == 0 {
		return
	}
	e := &x.stack[len(x.stack)-1]
	p.warps = slices.DeleteFunc(p.warps, func(w *lone) bool {
		if w.path != nil && len(w.path.stack) == 0 {
			w.path, w.PC = nil, w.end
		}
		switch {
		case w.Mask == 0:
			return true
		case w.path != nil || w.held || e.rpc == isa.NoPC || w.PC != e.rpc:
			return false
		}
		e.pc = e.rpc
		return true
	})
}

// close learns from a branch that all warps have executed.
func (t *capri) close(x *cta, p *top) {
	adequate := t.warps(&x.take) < p.sides[0] || t.warps(&x.not) < p.sides[1]
	if l := t.find(p.at); l != nil {
		l.adequate = adequate
	}
	if p.waits {
		x.branch = p.at
		t.split(x, t.takenFirst(&x.take, &x.not))
		t.activate(x)
		return
	}
	x.take, x.not = block{}, block{}
	if p.sides[0] == 0 || p.sides[1] == 0 { // the branch has not divided the CTA
		for _, w := range p.warps {
			if w.path != nil {
				w.path, w.PC = nil, w.path.stack[0].pc
			}
		}
	}
	p.at = isa.NoPC
	for _, w := range p.warps {
		w.went = false
	}
}

// activate starts the warps of the top entry.
func (t *capri) activate(x *cta) {
	x.running = nil
	t.next(x)
	p := &top{at: isa.NoPC}
	for _, g := range x.running {
		p.warps = append(p.warps, &lone{Group: g})
	}
	t.tops[x] = p
}

// warps returns the warps that the compactor makes of threads.
func (t *capri) warps(b *block) int { return len(t.compact(&blocks{mask: *b})) }
