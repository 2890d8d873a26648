package isa

// liveness lists, by block, the values that a thread at its entry may still
// read: the registers and predicates, numbered as by value.
func liveness(p *Program) [][]bool {
	live := make([][]bool, len(p.Blocks))
	for i := range live {
		live[i] = make([]bool, len(p.Regs)+len(p.Preds))
	}
	state := make([]bool, len(p.Regs)+len(p.Preds))
	for changed := true; changed; {
		changed = false
		for b := len(p.Blocks) - 1; b >= 0; b-- {
			p.liveOut(b, live, state)
			for pc := int(p.Blocks[b].End) - 1; pc >= int(p.Blocks[b].Start); pc-- {
				p.liveBefore(&p.Insts[pc], state)
			}
			for v, is := range state {
				if is && !live[b][v] {
					live[b][v], changed = true, true
				}
			}
		}
	}
	return live
}

// liveOut sets state to what is live at the end of block b.
func (p *Program) liveOut(b int, live [][]bool, state []bool) {
	clear(state)
	for _, s := range p.Blocks[b].Succs {
		for v, is := range live[s] {
			state[v] = state[v] || is
		}
	}
}

// liveBefore carries state backwards over in. A guarded instruction may leave
// the old value, so that it stays live.
func (p *Program) liveBefore(in *Inst, state []bool) {
	if in.Guard.Kind != OperandPred {
		for _, d := range in.Dst[:in.NDst] {
			if v := p.value(d); v >= 0 {
				state[v] = false
			}
		}
	}
	for _, s := range in.Src[:in.NSrc] {
		if v := p.value(s); v >= 0 {
			state[v] = true
		}
	}
	if v := p.value(in.Guard); v >= 0 {
		state[v] = true
	}
}

// liveRegs is the largest number of 32-bit registers whose values a thread may
// still need at one PC: 64-bit registers count twice, predicates not at all. A
// result counts where it is written, even if nobody reads it.
func liveRegs(p *Program, live [][]bool) int {
	most := 0
	state := make([]bool, len(p.Regs)+len(p.Preds))
	for b := range p.Blocks {
		p.liveOut(b, live, state)
		for pc := int(p.Blocks[b].End) - 1; pc >= int(p.Blocks[b].Start); pc-- {
			in := &p.Insts[pc]
			for _, d := range in.Dst[:in.NDst] {
				if d.Kind == OperandReg {
					state[d.Index] = true
				}
			}
			most = max(most, p.units(state))
			p.liveBefore(in, state)
		}
		most = max(most, p.units(state))
	}
	return most
}

// units are the 32-bit registers that the values of state take.
func (p *Program) units(state []bool) (n int) {
	for r := range p.Regs {
		if state[r] {
			n += (max(p.Regs[r].Type.Bits(), 32) + 31) / 32
		}
	}
	return n
}
