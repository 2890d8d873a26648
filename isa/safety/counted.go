package safety

import (
	"slices"

	"divergo/isa"
)

// counter is an exit of a loop that threads come to in each round, and that they
// take after a number of rounds which follows from values from outside of the
// loop alone.
type counter struct {
	exit  int      // block
	start []uint32 // definitions outside of the loop
	webs  []int32  // of those
	bound int32    // web, or -1 if it is no register
	fixed bool     // the number of rounds is the same whatever the registers hold
}

// count finds such an exit. It must end the loop by itself: a step of 1 and a
// strict comparison, or, since no wrap around comes before, constants.
func (a *analysis) count(l *loop) *counter {
	if l.header < 0 {
		return nil
	}
	for _, e := range l.exits {
		if c := a.countAt(l, e); c != nil {
			return c
		}
	}
	return nil
}

// each reports whether each round of the loop executes block b once.
func (a *analysis) eachRound(l *loop, b int) bool {
	if a.innermost[b] != l {
		return false
	}
	return !slices.ContainsFunc(l.latches, func(u int) bool { return !a.dominates(b, u) })
}

// inside is the one definition of a web in the loop, which each round executes.
func (a *analysis) inside(l *loop, web int32) (pc uint32, defs int) {
	if len(a.webs.defs[web]) > deepest { // no counter
		return 0, 2
	}
	for _, d := range a.webs.defs[web] {
		if l.holds(a.innermost[a.Block(d)]) {
			pc = d
			defs++
		}
	}
	if defs == 1 && (!a.eachRound(l, a.Block(pc)) || a.Insts[pc].Guard.Kind == isa.OperandPred) {
		defs = 2
	}
	return pc, defs
}

func (a *analysis) countAt(l *loop, e int) *counter {
	branch := a.last(e)
	at := a.Blocks[e].End - 1
	guard := a.webs.guard(a.Program, at)
	if branch.Op != isa.OpBra || guard < 0 || a.webs.mixed[guard] || !a.eachRound(l, e) {
		return nil
	}
	test, n := a.inside(l, guard)
	set := &a.Insts[test]
	if n != 1 || len(a.webs.defs[guard]) != 1 || set.Op != isa.OpSetp || set.Bool != isa.BoolNone || set.NDst != 1 || set.SrcType.Float() || set.Type.Float() {
		return nil
	}
	taken := slices.IndexFunc(a.Blocks[e].Succs, func(s int) bool { return a.Blocks[s].Start == branch.Target })
	stays := l.holds(a.innermost[a.Blocks[e].Succs[taken]]) // where the guard holds
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

// counted tries source i of the comparison at test as the counter, the other one as
// the bound, going on while "counter cmp bound".
func (a *analysis) counted(l *loop, test uint32, i int, cmp isa.Cmp) *counter {
	set := &a.Insts[test]
	bits := set.SrcType
	if bits == isa.NoType {
		bits = set.Type
	}
	c := &counter{bound: -1}
	switch o := set.Src[1-i]; o.Kind {
	case isa.OperandReg:
		c.bound = a.webs.src(test, 1-i)
		if _, n := a.inside(l, c.bound); n > 0 || a.webs.mixed[c.bound] {
			return nil
		}
	case isa.OperandSpecial:
		if isa.Special(o.Index) >= isa.Clock && isa.Special(o.Index) <= isa.GlobalTimer {
			return nil
		}
	}
	if set.Src[i].Kind != isa.OperandReg {
		return nil
	}
	steps, ok := a.cycle(l, a.webs.src(test, i), bits, c)
	if !ok || steps == 0 {
		return nil
	}
	start, known := a.starts(c)
	if bound, fixed := a.constant(test, 1-i, bits); known && fixed {
		c.fixed = ends(start, steps, bound, cmp, bits)
	}
	strict := cmp == isa.CmpNe || steps > 0 && (cmp == isa.CmpLt || cmp == isa.CmpLo) || steps < 0 && (cmp == isa.CmpGt || cmp == isa.CmpHi)
	if !c.fixed && (!strict || steps != 1 && steps != -1) {
		return nil
	}
	return c
}

// cycle follows a web through copies and additions of constants to itself, one round before,
// and notes what comes into it from outside of the loop.
func (a *analysis) cycle(l *loop, web int32, t isa.Type, c *counter) (steps int64, ok bool) {
	var path []int32
	var sums []int64
	sum := int64(0)
	for {
		if at := slices.Index(path, web); at >= 0 {
			for _, w := range path[at:] {
				c.webs = append(c.webs, w)
				for _, d := range a.webs.defs[w] {
					if !l.holds(a.innermost[a.Block(d)]) {
						c.start = append(c.start, d)
					}
				}
			}
			return sum - sums[at], at == 0 || len(c.start) > 0
		}
		if a.webs.mixed[web] || len(path) > 8 {
			return 0, false
		}
		path, sums = append(path, web), append(sums, sum)
		pc, n := a.inside(l, web)
		if n != 1 {
			return 0, false
		}
		in := &a.Insts[pc]
		if in.NDst != 1 || in.Type.Bits() != t.Bits() || in.Type.Float() {
			return 0, false
		}
		next := a.webs.src(pc, 0)
		switch in.Op {
		case isa.OpMov:
		case isa.OpAdd, isa.OpSub:
			n, fixed := a.constant(pc, 1, in.Type)
			if !fixed {
				return 0, false
			}
			if t.Bits() == 32 {
				n = int64(int32(n))
			}
			if in.Op == isa.OpSub {
				n = -n
			}
			sum += n
		default:
			return 0, false
		}
		if next < 0 || max(sum, -sum) > 1<<20 {
			return 0, false
		}
		web = next
	}
}

// constant is a source that is always the same.
func (a *analysis) constant(pc uint32, i int, t isa.Type) (int64, bool) {
	s := a.operand(pc, i, t, 0)
	return s.lo, s.known() && s.lo == s.hi
}

// starts is the number that a counter starts with, if it is always the same.
func (a *analysis) starts(c *counter) (int64, bool) {
	s, first := anything, true
	for _, pc := range c.start {
		in := &a.Insts[pc]
		if in.Op != isa.OpMov || in.Guard.Kind == isa.OperandPred || in.Src[0].Kind != isa.OperandImm {
			return 0, false
		}
		n, _ := a.constant(pc, 0, in.Type)
		if first {
			s, first = exactly(n), false
		} else {
			s = s.join(exactly(n))
		}
	}
	return s.lo, !first && s.lo == s.hi && len(c.webs) == 1
}

// ends reports whether counting from start in steps ends while nothing wraps
// around. The comparison may see the counter before or after the first step.
func ends(start, step, bound int64, cmp isa.Cmp, t isa.Type) bool {
	if max(start, -start, bound, -bound) > 1<<30 || t.Bits() < 32 || !t.Signed() && (start < 0 || bound < 0) {
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
