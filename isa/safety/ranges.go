package safety

import (
	"math"
	"math/bits"
	"slices"

	"divergo/isa"
)

// span is the range of a value for any registers, memory and branches: the integers from lo to hi
// that are multiples of 1<<zeros.
type span struct {
	lo, hi int64
	zeros  int
}

// known reports whether the span carries information. All other spans have the bounds of a 64-bit
// register.
func (s span) known() bool { return s.lo > math.MinInt64 }

var anything = span{lo: math.MinInt64, hi: math.MaxInt64}

// most bounds the operands of span arithmetic, so that nothing overflows.
const most = 1 << 40

func exactly(n int64) span { return span{n, n, min(bits.TrailingZeros64(uint64(n)), 40)} }

// within is the span, or the full range of type t if the span exceeds it.
func (s span) within(t isa.Type) span {
	all := full(t)
	if s.known() && s.lo >= all.lo && s.hi <= all.hi {
		return s
	}
	return all
}

// full is the range of an integer type.
func full(t isa.Type) span {
	n := t.Bits()
	switch {
	case n >= 64 || n < 8:
		return anything
	case t.Signed():
		return span{lo: -1 << (n - 1), hi: 1<<(n-1) - 1}
	}
	return span{lo: 0, hi: 1<<n - 1}
}

func (s span) join(o span) span {
	if !s.known() || !o.known() {
		return anything
	}
	return span{min(s.lo, o.lo), max(s.hi, o.hi), min(s.zeros, o.zeros)}
}

func (s span) plus(o span) span {
	if !s.known() || !o.known() || max(-s.lo, s.hi, -o.lo, o.hi) > most {
		return anything
	}
	return span{s.lo + o.lo, s.hi + o.hi, min(s.zeros, o.zeros)}
}

func (s span) times(o span) span {
	if !s.known() || !o.known() || max(-s.lo, s.hi) > most>>20 || max(-o.lo, o.hi) > most>>20 {
		return anything
	}
	a, b, c, d := s.lo*o.lo, s.lo*o.hi, s.hi*o.lo, s.hi*o.hi
	return span{min(a, b, c, d), max(a, b, c, d), min(s.zeros+o.zeros, 40)}
}

// deepest bounds the length of a followed chain of definitions.
const deepest = 40

// span is the range of a value.
func (a *analysis) span(n int32, depth int) span {
	switch a.spanState[n] {
	case spanDone:
		return a.spans[n]
	case spanOpen: // it depends on itself
		return anything
	}
	meets := a.values.meets[n]
	if depth > deepest || len(meets) > deepest || a.values.def[n] < 0 && len(meets) == 0 {
		return anything
	}
	a.spanState[n] = spanOpen
	s := anything
	if pc := a.values.def[n]; pc >= 0 {
		s = a.result(uint32(pc), depth+1)
		if old := a.values.old[n]; old >= 0 {
			s = s.join(a.span(old, depth+1))
		}
	} else {
		for i, m := range a.arrive(n) {
			if o := a.span(m, depth+1); i == 0 {
				s = o
			} else {
				s = s.join(o)
			}
		}
	}
	a.spanState[n], a.spans[n] = spanDone, s
	return s
}

// arrive lists the values that meet at a φ, and at the φs among them.
func (a *analysis) arrive(phi int32) (list []int32) {
	seen := []int32{phi}
	for i := 0; i < len(seen); i++ {
		for _, m := range a.values.meets[seen[i]] {
			switch {
			case len(a.values.meets[m]) == 0:
				list = append(list, m)
			case !slices.Contains(seen, m) && len(seen) < deepest:
				seen = append(seen, m)
			case len(seen) == deepest:
				list = append(list, m)
			}
		}
	}
	return list
}

// operand is the range of a source of an instruction, read as type t.
func (a *analysis) operand(pc uint32, i int, t isa.Type, depth int) span {
	switch o := a.Insts[pc].Src[i]; o.Kind {
	case isa.OperandImm:
		n := int64(o.Imm)
		switch t.Bits() {
		case 16:
			n = int64(int16(o.Imm))
			if !t.Signed() {
				n = int64(uint16(o.Imm))
			}
		case 32:
			n = int64(int32(o.Imm))
			if !t.Signed() {
				n = int64(uint32(o.Imm))
			}
		}
		return exactly(n).within(t)
	case isa.OperandReg:
		return a.span(a.values.src(pc, i), depth).within(t)
	case isa.OperandSpecial:
		switch isa.Special(o.Index) {
		case isa.TidX, isa.TidY, isa.TidZ:
			return span{lo: 0, hi: 1023}
		case isa.NTidX, isa.NTidY, isa.NTidZ:
			return span{lo: 1, hi: 1024}
		case isa.LaneID:
			return span{lo: 0, hi: 31}
		}
	}
	return full(t)
}

// result is the range of an instruction's result.
func (a *analysis) result(pc uint32, depth int) span {
	in := &a.Insts[pc]
	if in.NDst != 1 || in.Type.Float() && in.Op != isa.OpCvt {
		return anything
	}
	t := in.Type
	src := func(i int) span { return a.operand(pc, i, t, depth) }
	s := anything
	switch in.Op {
	case isa.OpMov:
		s = src(0)
	case isa.OpCvta:
		s = src(0).plus(exactly(int64(window(in.Space, in.Mode == isa.ModeTo))))
	case isa.OpLd:
		if t.Bits() < 32 {
			return full(t)
		}
	case isa.OpCvt:
		if in.SrcType.Float() {
			return full(t)
		}
		s = a.operand(pc, 0, in.SrcType, depth)
	case isa.OpAdd:
		s = src(0).plus(src(1))
	case isa.OpSub:
		if o := src(1); o.known() && o.hi < most {
			s = src(0).plus(span{-o.hi, -o.lo, o.zeros})
		}
	case isa.OpMul, isa.OpMad:
		if in.Mode != isa.ModeLo && in.Mode != isa.ModeWide {
			return anything
		}
		s = src(0).times(src(1))
		if in.Mode == isa.ModeWide {
			t = wider(t)
		}
		if in.Op == isa.OpMad {
			s = s.within(t).plus(a.operand(pc, 2, t, depth))
		}
	case isa.OpShl:
		if n := src(1); n.lo == n.hi && 0 <= n.lo && n.lo < 20 {
			s = src(0).times(exactly(1 << n.lo))
		}
		if !s.known() || s.within(t) != s { // bits are shifted out at the upper end
			if n := src(1); n.lo == n.hi && 0 <= n.lo && n.lo < 20 && t.Bits() == 32 {
				return span{lo: 0, hi: 1<<32 - 1<<n.lo, zeros: int(n.lo)}
			}
		}
	case isa.OpShr:
		if n, x := src(1), src(0); n.lo == n.hi && 0 <= n.lo && n.lo < int64(t.Bits()) && x.known() && x.lo >= 0 {
			s = span{lo: x.lo >> n.lo, hi: x.hi >> n.lo}
		}
	case isa.OpAnd:
		s = a.masked(pc, t, depth)
	case isa.OpOr, isa.OpXor:
		if x, y := src(0), src(1); x.known() && y.known() && x.lo >= 0 && y.lo >= 0 {
			s = span{0, 1<<bits.Len64(uint64(max(x.hi, y.hi))) - 1, min(x.zeros, y.zeros)}
		}
	case isa.OpRem:
		if n := src(1); n.known() && n.lo > 0 && !t.Signed() {
			s = span{lo: 0, hi: n.hi - 1}
		}
	case isa.OpBfe:
		if n := a.operand(pc, 2, isa.U32, depth); n.known() && n.hi < 31 && !t.Signed() {
			s = span{lo: 0, hi: 1<<n.hi - 1}
		}
	case isa.OpMin:
		if x, y := src(0), src(1); x.known() && y.known() {
			s = span{min(x.lo, y.lo), min(x.hi, y.hi), min(x.zeros, y.zeros)}
		}
	case isa.OpMax:
		if x, y := src(0), src(1); x.known() && y.known() {
			s = span{max(x.lo, y.lo), max(x.hi, y.hi), min(x.zeros, y.zeros)}
		}
	case isa.OpSelp:
		s = src(0).join(src(1))
	}
	return s.within(t)
}

// masked is the range of one operand masked by the other, which is known and not negative.
func (a *analysis) masked(pc uint32, t isa.Type, depth int) span {
	s := anything
	for i := range 2 {
		x := a.operand(pc, i, t, depth)
		if !x.known() || x.lo < 0 {
			continue
		}
		if !s.known() {
			s = span{0, x.hi, x.zeros}
		} else {
			s = span{0, min(s.hi, x.hi), max(s.zeros, x.zeros)}
		}
	}
	return s
}

// wider is the type of the full product of two values of type t.
func wider(t isa.Type) isa.Type {
	switch t {
	case isa.U16:
		return isa.U32
	case isa.S16:
		return isa.S32
	case isa.U32:
		return isa.U64
	case isa.S32:
		return isa.S64
	}
	return isa.NoType
}

// window is the offset that cvta adds to an address of a space.
func window(s isa.Space, back bool) int64 {
	n := int64(0)
	switch s {
	case isa.SpaceShared:
		n = isa.SharedWindow
	case isa.SpaceLocal:
		n = isa.LocalWindow
	case isa.SpaceParam:
		n = isa.ParamWindow
	}
	if back {
		return -n
	}
	return n
}

// bounded reports whether an access stays aligned and in memory of the kernel, whatever the
// registers hold.
func (a *analysis) bounded(pc uint32) bool {
	in := &a.Insts[pc]
	size := in.Type.Bytes() * max(int(in.Vec), 1)
	switch in.Op {
	case isa.OpLd, isa.OpSt, isa.OpAtom, isa.OpRed:
	default:
		return false
	}
	if size == 0 || a.OnStack(in) {
		return false
	}
	at := a.operand(pc, 0, isa.U64, 0)
	if in.Src[0].Kind == isa.OperandReg {
		at = a.span(a.values.src(pc, 0), 0)
	}
	at = at.plus(exactly(in.Off))
	if !at.known() || at.lo < 0 || 1<<at.zeros < size && at.lo != at.hi || at.lo == at.hi && at.lo%int64(size) != 0 {
		return false
	}
	inside := func(from, bytes uint64) bool {
		return at.lo >= int64(from) && at.hi+int64(size) <= int64(from+bytes)
	}
	switch in.Space {
	case isa.SpaceShared:
		return inside(0, uint64(a.SharedBytes))
	case isa.SpaceLocal:
		return inside(0, uint64(a.LocalBytes))
	case isa.SpaceParam:
		return inside(0, uint64(a.ParamBytes))
	case isa.SpaceGeneric, isa.SpaceGlobal, isa.SpaceConst:
		if in.Space == isa.SpaceGeneric &&
			(inside(isa.SharedWindow, uint64(a.SharedBytes)) || inside(isa.LocalWindow, uint64(a.LocalBytes))) {
			return true
		}
		for i := range a.Globals {
			g := &a.Globals[i]
			writes := in.Op != isa.OpLd
			if inside(g.Addr, g.Size) && !(writes && g.Space == isa.SpaceConst) {
				return true
			}
		}
	}
	return false
}

type spanState uint8

const (
	spanUnknown spanState = iota
	spanOpen
	spanDone
)
