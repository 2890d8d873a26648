package safety

import (
	"slices"

	"divergo/isa"
)

// counter is a counting exit of a loop. Threads reach it in each round and take it after a number
// of rounds that depends only on values from outside the loop.
type counter struct {
	exit  int   // block
	phi   int32 // the counter at the header
	bound int32 // value, or -1 if it is not a register
	fixed bool  // the number of rounds is the same whatever the registers hold
	leaps bool  // it counts by more than one, from any start
}

// count finds a counting exit, or nil. It prefers one that counts by one, or between constants. The
// exit must end the loop by itself. This holds for a step of 1 with a strict comparison, for a
// constant bound that a step from any start cannot wrap around, or for constants that end the loop
// before a wraparound.
func (a *analysis) count(l *loop) *counter {
	if l.header < 0 {
		return nil
	}
	var any *counter
	for _, e := range l.exits {
		switch c := a.countAt(l, e); {
		case c == nil:
		case !c.leaps:
			return c
		case any == nil:
			any = c
		}
	}
	return any
}

// eachRound reports whether each round of the loop executes block b once.
func (a *analysis) eachRound(l *loop, b int) bool {
	if a.innermost[b] != l {
		return false
	}
	return !slices.ContainsFunc(l.latches, func(u int) bool { return !a.tree.Dominates(b, u) })
}

// step is the instruction that defines a value in each round, or nil.
func (a *analysis) step(l *loop, n int32) (pc uint32, in *isa.Inst) {
	if n < 0 || a.values.def[n] < 0 || a.values.old[n] >= 0 || !a.eachRound(l, int(a.values.block[n])) {
		return 0, nil
	}
	pc = uint32(a.values.def[n])
	return pc, &a.Insts[pc]
}

func (a *analysis) countAt(l *loop, e int) *counter {
	branch := a.last(e)
	if branch.Op != isa.OpBra || !branch.Conditional() || !a.eachRound(l, e) {
		return nil
	}
	test, set := a.step(l, a.values.guard(a.Program, a.Blocks[e].End-1))
	if set == nil || set.Op != isa.OpSetp || set.Bool != isa.BoolNone || set.NDst != 1 || set.SrcType.Float() ||
		set.Type.Float() {
		return nil
	}
	taken := slices.IndexFunc(a.Blocks[e].Succs, func(s int) bool { return a.Blocks[s].Start == branch.Target })
	stays := l.holds(a.innermost[a.Blocks[e].Succs[taken]]) // if the guard holds
	if branch.Guard.Not {
		stays = !stays
	}
	goOn := set.Cmp
	if !stays {
		goOn = negated(goOn)
	}
	for i := range 2 {
		if c := a.counted(l, test, i, goOn); c != nil {
			c.exit = e
			return c
		}
		goOn = swapped(goOn)
	}
	return nil
}

// counted tries source i of the comparison at test as the counter and the other one as the bound.
// The loop continues while "counter cmp bound".
func (a *analysis) counted(l *loop, test uint32, i int, cmp isa.Cmp) *counter {
	set := &a.Insts[test]
	t := set.SrcType
	if t == isa.NoType {
		t = set.Type
	}
	c := &counter{bound: -1}
	switch o := set.Src[1-i]; o.Kind {
	case isa.OperandReg:
		c.bound = a.values.src(test, 1-i)
		if at := a.values.block[c.bound]; len(a.values.all[c.bound]) > 0 || at >= 0 && l.holds(a.innermost[at]) {
			return nil
		}
	case isa.OperandSpecial:
		if isa.Special(o.Index) >= isa.Clock && isa.Special(o.Index) <= isa.GlobalTimer {
			return nil
		}
	}
	phi, _, ok := a.walk(l, a.values.src(test, i), t)
	if !ok {
		return nil
	}
	c.phi = phi
	next, start := int32(-1), anything
	for j, n := range a.values.meets[phi] {
		if preds := a.Blocks[l.header].Preds; j < len(preds) && l.holds(a.innermost[preds[j]]) {
			if next >= 0 && next != n {
				return nil
			}
			next = n
			continue
		}
		if s := a.span(n, 0); !start.known() {
			start = s
		} else {
			start = start.join(s)
		}
	}
	again, by, ok := a.walk(l, next, t)
	if !ok || again != phi || by == 0 {
		return nil
	}
	if bound := a.operand(test, 1-i, t, 0); bound.known() && bound.lo == bound.hi {
		c.fixed = start.known() && start.lo == start.hi && ends(start.lo, by, bound.lo, cmp, t)
		c.leaps = ahead(by, bound.lo, cmp, t)
	}
	strict := cmp == isa.CmpNe || by > 0 && (cmp == isa.CmpLt || cmp == isa.CmpLo) || by < 0 &&
		(cmp == isa.CmpGt || cmp == isa.CmpHi)
	if c.fixed || strict && (by == 1 || by == -1) {
		c.leaps = false
	} else if !c.leaps {
		return nil
	}
	return c
}

// walk follows a value through copies and additions of constants to the φ at the
// header of the loop.
func (a *analysis) walk(l *loop, n int32, t isa.Type) (phi int32, by int64, ok bool) {
	for range 8 {
		if n >= 0 && int(max(a.values.block[n], 0)) == l.header && len(a.values.meets[n]) > 0 {
			return n, by, true
		}
		pc, in := a.step(l, n)
		if in == nil || in.NDst != 1 || in.Type.Bits() != t.Bits() || in.Type.Float() {
			return 0, 0, false
		}
		switch in.Op {
		case isa.OpMov:
		case isa.OpAdd, isa.OpSub:
			s := a.operand(pc, 1, in.Type, 0)
			if !s.known() || s.lo != s.hi {
				return 0, 0, false
			}
			step := s.lo
			if t.Bits() == 32 {
				step = int64(int32(step))
			}
			if in.Op == isa.OpSub {
				step = -step
			}
			if by += step; max(by, -by) > 1<<20 {
				return 0, 0, false
			}
		default:
			return 0, 0, false
		}
		n = a.values.src(pc, 0)
	}
	return 0, 0, false
}

// ends reports whether counting from start in steps ends without a wraparound. The comparison may
// read the counter before or after the first step.
func ends(start, step, bound int64, cmp isa.Cmp, t isa.Type) bool {
	if max(start, -start, bound, -bound) > 1<<30 || t.Bits() < 32 || !t.Signed() && (start < 0 || bound < 0) &&
		cmp != isa.CmpNe {
		return false
	}
	switch cmp {
	case isa.CmpNe:
		return (bound-start)%step == 0 && (bound-start)/step > 0
	case isa.CmpLt, isa.CmpLo, isa.CmpLe, isa.CmpLs:
		return step > 0
	case isa.CmpGt, isa.CmpGe:
		return step < 0 && t.Signed()
	case isa.CmpHi:
		return step == -1
	}
	return false
}

// ahead reports whether a counter that passes the test is so far from the end of its type that a step
// does not wrap around. The next test then sees it nearer to the bound.
func ahead(step, bound int64, cmp isa.Cmp, t isa.Type) bool {
	if max(bound, -bound) > 1<<30 || t.Bits() < 32 || !t.Signed() && bound < 0 {
		return false
	}
	switch cmp {
	case isa.CmpLt, isa.CmpLo, isa.CmpLe, isa.CmpLs:
		return step > 0
	case isa.CmpGt, isa.CmpGe:
		return step < 0 && t.Signed()
	}
	return false
}

func negated(c isa.Cmp) isa.Cmp {
	switch c {
	case isa.CmpEq:
		return isa.CmpNe
	case isa.CmpNe:
		return isa.CmpEq
	case isa.CmpLt:
		return isa.CmpGe
	case isa.CmpLe:
		return isa.CmpGt
	case isa.CmpGt:
		return isa.CmpLe
	case isa.CmpGe:
		return isa.CmpLt
	case isa.CmpLo:
		return isa.CmpHs
	case isa.CmpLs:
		return isa.CmpHi
	case isa.CmpHi:
		return isa.CmpLs
	case isa.CmpHs:
		return isa.CmpLo
	}
	return isa.CmpNone
}

func swapped(c isa.Cmp) isa.Cmp {
	switch c {
	case isa.CmpLt:
		return isa.CmpGt
	case isa.CmpLe:
		return isa.CmpGe
	case isa.CmpGt:
		return isa.CmpLt
	case isa.CmpGe:
		return isa.CmpLe
	case isa.CmpLo:
		return isa.CmpHi
	case isa.CmpLs:
		return isa.CmpHs
	case isa.CmpHi:
		return isa.CmpLo
	case isa.CmpHs:
		return isa.CmpLs
	}
	return c
}
