package isa

// Taints, in the order of the lattice: the taint of a result is the largest of
// its sources'.
type taint uint8

const (
	clean        taint = iota // constants
	programmatic              // thread indices, launch shape, parameters
	data                      // memory
)

// setClasses divides the conditional branches into programmatic and data
// branches, by where their guard comes from (Rhu & Erez, ISCA 2013, section
// 3.2 and figure 10): a forward data-flow analysis over explicit flow only.
func setClasses(p *Program) {
	n := len(p.Regs) + len(p.Preds)
	in := make([][]taint, len(p.Blocks)) // at the entry of each block
	for i := range in {
		in[i] = make([]taint, n)
	}
	state := make([]taint, n)
	for work := p.order(); len(work) > 0; {
		b := work[0]
		work = work[1:]
		copy(state, in[b])
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			p.taint(&p.Insts[pc], state)
		}
		for _, s := range p.Blocks[b].Succs {
			changed := false
			for v, t := range state {
				if t > in[s][v] {
					in[s][v], changed = t, true
				}
			}
			if changed {
				work = append(work, s)
			}
		}
		last := &p.Insts[p.Blocks[b].End-1]
		if last.Class = ClassNone; last.Conditional() {
			last.Class = ClassProgrammatic
			if state[p.value(last.Guard)] == data {
				last.Class = ClassData
			}
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
	order, _ := postorder(0, succs)
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order
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

// taint carries state over one instruction.
func (p *Program) taint(in *Inst, state []taint) {
	t := clean
	switch {
	case in.Op == OpLd && in.Space == SpaceParam:
		t = programmatic
	case in.Op == OpLd || in.Op == OpAtom:
		t = data
	default:
		for _, s := range in.Src[:in.NSrc] {
			if v := p.value(s); v >= 0 {
				t = max(t, state[v])
			} else if s.Kind == OperandSpecial {
				t = max(t, Special(s.Index).taint())
			}
		}
	}
	for _, d := range in.Dst[:in.NDst] {
		if v := p.value(d); v >= 0 {
			if in.Guard.Kind == OperandPred {
				state[v] = max(state[v], t) // the old value may stay
			} else {
				state[v] = t
			}
		}
	}
}

// taint of a special register: those that depend on where and when a thread
// runs count as data.
func (s Special) taint() taint {
	switch s {
	case SMID, Clock, ClockHi, Clock64, GlobalTimer:
		return data
	}
	return programmatic
}
