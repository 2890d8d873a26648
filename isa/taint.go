package isa

import "slices"

// setClasses divides the conditional branches into programmatic and data
// branches, by where their guard comes from (Rhu & Erez, ISCA 2013, section
// 3.2 and figure 10). Data are values loaded from memory, and what depends on
// where and when a thread runs; results of data are data. All else is
// programmatic: constants, thread indices, the launch's shape, parameters. It
// is a forward data-flow analysis over explicit flow only: neither the branches
// that lead to an instruction nor its guard make its result data.
func setClasses(p *Program) {
	in := make([]valueSet, len(p.Blocks)) // data at the start of each block
	for i := range in {
		in[i] = newValueSet(p)
	}
	state := newValueSet(p)
	work := p.order()
	waits := make([]bool, len(p.Blocks))
	for _, b := range work {
		waits[b] = true
	}
	for len(work) > 0 {
		b := work[0]
		work, waits[b] = work[1:], false
		copy(state, in[b])
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			p.taint(&p.Insts[pc], state)
		}
		for _, s := range p.Blocks[b].Succs {
			if in[s].addAll(state) && !waits[s] {
				work, waits[s] = append(work, s), true
			}
		}
		last := &p.Insts[p.Blocks[b].End-1]
		last.Class = ClassNone
		switch {
		case !last.Conditional():
		case last.Indirect() && state.has(p.value(last.Src[1])), !last.Indirect() && state.has(p.value(last.Guard)):
			last.Class = ClassData
		default:
			last.Class = ClassProgrammatic
		}
	}
}

// order lists the blocks that the entry reaches, predecessors first as far as
// there is no loop.
func (p *Program) order() []int {
	succs := make([][]int, len(p.Blocks))
	for i := range p.Blocks {
		succs[i] = p.Blocks[i].Succs
	}
	order := postorder(len(succs), append(succs, p.entries()))
	slices.Reverse(order)
	return order[1:]
}

// value numbers what an operand names: the general registers, then the
// predicates; -1 for operands that name neither.
func (p *Program) value(o Operand) int {
	switch o.Kind {
	case OperandReg:
		return int(o.Index)
	case OperandPred:
		return len(p.Regs) + int(o.Index)
	}
	return -1
}

// taint carries state, the values that are data, over one instruction.
func (p *Program) taint(in *Inst, state valueSet) {
	data := false
	switch in.Op {
	case OpLd:
		data = in.Space != SpaceParam
	case OpAtom, OpLdmatrix:
		data = true
	default:
		for _, s := range in.Src[:in.NSrc] {
			if v := p.value(s); v >= 0 {
				data = data || state.has(v)
			} else if s.Kind == OperandSpecial {
				data = data || Special(s.Index).data()
			}
		}
	}
	for _, d := range in.Dst[:in.NDst] {
		switch v := p.value(d); {
		case v < 0:
		case data:
			state.add(v)
		case in.Guard.Kind != OperandPred: // else the old value may stay
			state.remove(v)
		}
	}
}

// data reports whether a special register tells where and when a thread runs.
func (s Special) data() bool {
	switch s {
	case SMID, Clock, ClockHi, Clock64, GlobalTimer:
		return true
	}
	return false
}
