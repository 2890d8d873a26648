package isa

import (
	"math/bits"
	"slices"
)

// valueSet is a set of registers and predicates, numbered as by value: a bit
// each.
type valueSet []uint64

func newValueSet(p *Program) valueSet {
	return make(valueSet, (len(p.Regs)+len(p.Preds)+63)/64)
}

func (s valueSet) has(v int) bool { return s[v/64]>>(v%64)&1 != 0 }
func (s valueSet) add(v int)      { s[v/64] |= 1 << (v % 64) }
func (s valueSet) remove(v int)   { s[v/64] &^= 1 << (v % 64) }

// addAll adds the members of o and reports whether that changed s.
func (s valueSet) addAll(o valueSet) (changed bool) {
	for i, w := range o {
		changed = changed || w&^s[i] != 0
		s[i] |= w
	}
	return changed
}

// liveness lists, by block, the values that a thread at its start may still
// read.
func liveness(p *Program) []valueSet {
	live := make([]valueSet, len(p.Blocks))
	for i := range live {
		live[i] = newValueSet(p)
	}
	state := newValueSet(p)
	work, waits := make([]int, len(p.Blocks)), make([]bool, len(p.Blocks))
	for i := range work {
		work[i], waits[i] = len(p.Blocks)-1-i, true
	}
	for len(work) > 0 {
		b := work[0]
		work, waits[b] = work[1:], false
		p.liveOut(b, live, state)
		for pc := int(p.Blocks[b].End) - 1; pc >= int(p.Blocks[b].Start); pc-- {
			p.liveBefore(&p.Insts[pc], state)
		}
		if !live[b].addAll(state) {
			continue
		}
		for _, u := range p.Blocks[b].Preds {
			if !waits[u] {
				work, waits[u] = append(work, u), true
			}
		}
	}
	return live
}

// liveOut sets state to what is live at the end of block b.
func (p *Program) liveOut(b int, live []valueSet, state valueSet) {
	clear(state)
	for _, s := range p.Blocks[b].Succs {
		state.addAll(live[s])
	}
}

// liveBefore carries state backwards over in. A guarded instruction may leave
// the old value, so that it stays live. So does a call: in a recursive function
// the link register is its own, which the caller restores.
func (p *Program) liveBefore(in *Inst, state valueSet) {
	if in.Guard.Kind != OperandPred && in.Op != OpCall {
		for _, d := range in.Dst[:in.NDst] {
			if v := p.value(d); v >= 0 {
				state.remove(v)
			}
		}
	}
	for _, s := range in.Src[:in.NSrc] {
		if v := p.value(s); v >= 0 {
			state.add(v)
		}
	}
	if v := p.value(in.Guard); v >= 0 {
		state.add(v)
	}
}

// liveRegs is the largest number of 32-bit registers whose values a thread may
// still need at one PC: 64-bit registers count twice, predicates not at all. A
// result counts where it is written, even if nobody reads it. While a thread is
// in a function, what its callers will read counts too.
func liveRegs(p *Program, live []valueSet) int {
	single, double := newValueSet(p), newValueSet(p) // registers that count once at least, and twice
	for r := range p.Regs {
		single.add(r)
		if p.Regs[r].Type.Bits() > 32 {
			double.add(r)
		}
	}
	units := func(state valueSet) (n int) {
		for i, w := range state {
			n += bits.OnesCount64(w&single[i]) + bits.OnesCount64(w&double[i])
		}
		return n
	}
	across := map[uint32]int{}          // by PC of a call: what stays live
	most := make([]int, len(p.Funcs)+2) // by node of the call graph
	state := newValueSet(p)
	for b := range p.Blocks {
		f := p.funcAt(p.Blocks[b].Start)
		p.liveOut(b, live, state)
		for pc := int(p.Blocks[b].End) - 1; pc >= int(p.Blocks[b].Start); pc-- {
			in := &p.Insts[pc]
			if in.Op == OpCall && !p.again(uint32(pc)) { // else it is in the frame
				across[uint32(pc)] = units(state)
			}
			for _, d := range in.Dst[:in.NDst] {
				if v := p.value(d); v >= 0 {
					state.add(v)
				}
			}
			most[f] = max(most[f], units(state))
			p.liveBefore(in, state)
		}
		most[f] = max(most[f], units(state))
	}
	g := p.callGraph()
	part := make([]int, g.parts)
	for f, n := range most {
		part[g.part[f]] = max(part[g.part[f]], n)
	}
	for _, c := range slices.Backward(g.calls) {
		if from, to := g.part[c.from], g.part[c.to]; from != to {
			part[from] = max(part[from], across[c.pc]+part[to])
		}
	}
	return part[g.part[0]]
}
