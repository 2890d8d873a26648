package verify

import "divergo/isa"

// registers is a set of general registers and predicates.
type registers struct {
	regs, preds []bool
}

// ordered returns the registers whose values depend on the order of threads, on time or on place,
// even without data races. These are the results of atomics, clocks and the like, and everything
// computed from them. Flow through memory is not followed.
func ordered(p *isa.Program) registers {
	set := registers{make([]bool, len(p.Regs)), make([]bool, len(p.Preds))}
	for grown := true; grown; {
		grown = false
		for i := range p.Insts {
			in := &p.Insts[i]
			if in.NDst == 0 || !set.tells(in) {
				continue
			}
			for _, o := range in.Dst[:in.NDst] {
				if v := set.entry(o); v != nil && !*v {
					*v, grown = true, true
				}
			}
		}
	}
	return set
}

// tells reports whether the result of in depends on the order.
func (s registers) tells(in *isa.Inst) bool {
	if in.Op == isa.OpAtom || s.has(in.Guard) {
		return true
	}
	for _, o := range in.Src[:in.NSrc] {
		if s.has(o) {
			return true
		}
	}
	return false
}

func (s registers) has(o isa.Operand) bool {
	if o.Kind == isa.OperandSpecial {
		switch isa.Special(o.Index) {
		case isa.SMID, isa.NSMID, isa.GridID, isa.Clock, isa.ClockHi, isa.Clock64, isa.GlobalTimer:
			return true
		}
		return false
	}
	v := s.entry(o)
	return v != nil && *v
}

// entry returns the place of a register in the set, nil for other operands.
func (s registers) entry(o isa.Operand) *bool {
	switch o.Kind {
	case isa.OperandReg:
		return &s.regs[o.Index]
	case isa.OperandPred:
		return &s.preds[o.Index]
	}
	return nil
}
