package isa

// liveRegs is the largest number of 32-bit registers whose values a thread may
// still need at one PC: 64-bit registers count twice, predicates not at all.
func liveRegs(p *Program) int {
	units := func(r uint16) int { return (max(p.Regs[r].Type.Bits(), 32) + 31) / 32 }
	in := make([][]bool, len(p.Blocks)) // live at the entry of each block
	for i := range in {
		in[i] = make([]bool, len(p.Regs))
	}
	most := 0
	live := make([]bool, len(p.Regs))
	for changed := true; changed; {
		changed = false
		for b := len(p.Blocks) - 1; b >= 0; b-- {
			clear(live)
			n := 0
			set := func(o Operand, v bool) {
				if o.Kind == OperandReg && live[o.Index] != v {
					live[o.Index] = v
					if v {
						n += units(o.Index)
					} else {
						n -= units(o.Index)
					}
				}
			}
			for _, s := range p.Blocks[b].Succs {
				for r, v := range in[s] {
					if v {
						set(Operand{Kind: OperandReg, Index: uint16(r)}, true)
					}
				}
			}
			most = max(most, n)
			for pc := int(p.Blocks[b].End) - 1; pc >= int(p.Blocks[b].Start); pc-- {
				x := &p.Insts[pc]
				for _, d := range x.Dst[:x.NDst] {
					set(d, true) // written even if nobody reads it
				}
				most = max(most, n)
				if x.Guard.Kind != OperandPred {
					for _, d := range x.Dst[:x.NDst] {
						set(d, false)
					}
				}
				for _, s := range x.Src[:x.NSrc] {
					set(s, true)
				}
				most = max(most, n)
			}
			for r, v := range live {
				if v && !in[b][r] {
					in[b][r], changed = true, true
				}
			}
		}
	}
	return most
}
