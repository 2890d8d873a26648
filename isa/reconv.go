package isa

import "slices"

// WithReconv returns a copy of an analysed program with a reconvergence instruction at each place
// where the paths of a conditional branch always meet. This is the end-of-branch instruction of
// Huang et al., Dynamic SIMD Re-convergence with Paired-Path Comparison, sections II-C and III-C. A
// finalizer puts it at the immediate post-dominator, for hardware that looks for other paths only
// there. Each path executes it, and every jump to the place leads to it:
//
//	    @%p0 bra J            @%p0 bra S
//	    ...                   ...
//	                       S: reconv
//	J:  ...                J: ...
//
// A program with inserted instructions is returned itself.
func WithReconv(p *Program) *Program {
	if p.Origin != nil {
		return p
	}
	joins, length := make([]bool, len(p.Insts)), len(p.Insts)
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Conditional() && in.Reconv != NoPC && !p.together(in) && !joins[in.Reconv] {
			joins[in.Reconv] = true
			length++
		}
	}
	made := *p
	made.Insts, made.Origin, made.Labels = make([]Inst, 0, length), make([]uint32, 0, length), slices.Clone(p.Labels)
	place := make([]uint32, 0, len(p.Insts)) // new PC for jumps to each instruction
	for pc, in := range p.Insts {
		place = append(place, uint32(len(made.Insts)))
		if joins[pc] {
			made.Insts = append(made.Insts, Inst{
				Op: OpNop, Inserted: true, Text: "reconv", Exec: lanes.codes[form{op: OpNop}],
				Target: NoPC, Reconv: NoPC, Likely: NoPC, Pos: in.Pos, Loc: in.Loc,
			})
			made.Origin = append(made.Origin, uint32(pc))
		}
		made.Insts = append(made.Insts, in)
		made.Origin = append(made.Origin, uint32(pc))
	}
	for i := range made.Insts {
		if in := &made.Insts[i]; in.Op == OpBra {
			in.Target = place[in.Target]
		}
	}
	for i := range made.Labels {
		if l := &made.Labels[i]; int(l.PC) < len(place) {
			l.PC = place[l.PC]
		} else {
			l.PC = uint32(len(made.Insts))
		}
	}
	made.setLanding(place)
	made.flow() // class, uniformity and live registers are unchanged
	return &made
}
