package isa

// setUniform marks the branches that all threads of a CTA that get there take
// the same way, and the barriers that all threads of a CTA get to together.
//
// A register varies if a source of one of its definitions varies, if it is
// loaded from anything but parameters and constants at a uniform address, or
// if a definition of it depends on a branch that varies: then threads leave
// the branch's region with different definitions, or after different numbers
// of iterations. The region of a branch is all that its paths pass before the
// post-dominator. The analysis keeps one bit for each register and errs on
// the side of varying; what .uni promises is not used, because it is a promise
// about a warp (PTX ISA, bra).
func setUniform(p *Program) {
	varies := make([]bool, len(p.Regs)+len(p.Preds))
	depends := make([]bool, len(p.Blocks)) // on a branch that varies
	for changed := true; changed; {
		changed = false
		mark := func(flag *bool, v bool) {
			if v && !*flag {
				*flag, changed = true, true
			}
		}
		for b := range p.Blocks {
			blk := &p.Blocks[b]
			for pc := blk.Start; pc < blk.End; pc++ {
				in := &p.Insts[pc]
				v := depends[b] || p.varies(in, varies)
				for _, d := range in.Dst[:in.NDst] {
					if i := p.value(d); i >= 0 {
						mark(&varies[i], v)
					}
				}
				// A guarded exit lets some threads go on alone.
				if in.ends() && in.Guard.Kind == OperandPred && varies[p.value(in.Guard)] {
					for r, inside := range p.region(b) {
						mark(&depends[r], inside)
					}
				}
			}
		}
	}
	for b := range p.Blocks {
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			in := &p.Insts[pc]
			uniformGuard := in.Guard.Kind != OperandPred || !varies[p.value(in.Guard)]
			switch in.Op {
			case OpBra:
				in.Uniform = uniformGuard
			case OpBar:
				in.Uniform = uniformGuard && !depends[b]
			}
		}
	}
}

// varies reports whether threads can get different results from in.
func (p *Program) varies(in *Inst, varies []bool) bool {
	switch in.Op {
	case OpAtom:
		return true
	case OpLd:
		if in.Space != SpaceParam && in.Space != SpaceConst {
			return true
		}
	}
	if v := p.value(in.Guard); v >= 0 && varies[v] {
		return true
	}
	for _, s := range in.Src[:in.NSrc] {
		if v := p.value(s); v >= 0 && varies[v] {
			return true
		}
		if s.Kind == OperandSpecial {
			switch Special(s.Index) {
			case TidX, TidY, TidZ, LaneID, WarpID, Clock, ClockHi, Clock64, GlobalTimer,
				LanemaskEq, LanemaskLe, LanemaskLt, LanemaskGe, LanemaskGt:
				return true
			}
		}
	}
	return false
}

// region is, by block, what the paths of the branch at the end of block b pass
// before they are sure to meet.
func (p *Program) region(b int) []bool {
	in := make([]bool, len(p.Blocks))
	stop := p.Blocks[b].IPDom
	for work := append([]int(nil), p.Blocks[b].Succs...); len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v != stop && !in[v] {
			in[v] = true
			work = append(work, p.Blocks[v].Succs...)
		}
	}
	return in
}
