package ptx

import (
	"strings"

	"divergo/isa"
)

// Video instructions (section 9.7.17). Their operands may have selectors: r1.b0, r2.h1, r3.h10,
// r4.b3210.

var (
	both32     = types(int32s, int32s)
	three32    = types(int32s, int32s, int32s)
	shifted    = types(int32s, int32s, u32)
	secondary  = only("add min max", atomics)
	accumulate = only("add", atomics)
	plusOne    = one("po", mode(isa.ModePlusOne))
	scale      = group{what: "scale", words: []modifier{{"shr7", scaled(7)}, {"shr15", scaled(15)}}}
	compareSix = required(only("eq ne lt le gt ge", comparison))
)

func scaled(n uint8) func(*match) { return func(m *match) { m.Select.Shift = n } }

var video = func() (rows []*family) {
	arithmetic := []struct {
		name   string
		op     isa.Op
		scalar bool
	}{
		{"vadd", isa.OpVadd, true},
		{"vsub", isa.OpVsub, true},
		{"vabsdiff", isa.OpVabsdiff, true},
		{"vmin", isa.OpVmin, true},
		{"vmax", isa.OpVmax, true},
		{"vavrg", isa.OpVavrg, false},
	}
	for _, v := range arithmetic {
		if v.scalar {
			rows = append(rows,
				row(v.name, "9.7.17.1.1", v.op, "d a b", three32, sat).where(scalarVideo),
				row(v.name, "9.7.17.1.1", v.op, "d a b c", three32, sat, required(secondary)).where(scalarVideo))
		}
		rows = append(rows,
			row(v.name+"2", "9.7.17.2.1", v.op, "d a b c", three32, sat).where(simdVideo(2)),
			row(v.name+"2", "9.7.17.2.1", v.op, "d a b c", three32, required(accumulate)).where(simdVideo(2)),
			row(v.name+"4", "9.7.17.2.3", v.op, "d a b c", three32, sat).where(simdVideo(4)),
			row(v.name+"4", "9.7.17.2.3", v.op, "d a b c", three32, required(accumulate)).where(simdVideo(4)))
	}
	return append(rows,
		row("vshl", "9.7.17.1.2", isa.OpVshl, "d a b", shifted, sat, required(overshift)).where(scalarVideo),
		row("vshl", "9.7.17.1.2", isa.OpVshl, "d a b c", shifted, sat, required(overshift),
			required(secondary)).where(scalarVideo),
		row("vshr", "9.7.17.1.2", isa.OpVshr, "d a b", shifted, sat, required(overshift)).where(scalarVideo),
		row("vshr", "9.7.17.1.2", isa.OpVshr, "d a b c", shifted, sat, required(overshift),
			required(secondary)).where(scalarVideo),
		row("vset2", "9.7.17.2.2", isa.OpVset, "d a b c", both32, compareSix).where(simdVideo(2)),
		row("vset2", "9.7.17.2.2", isa.OpVset, "d a b c", both32, compareSix, required(accumulate)).where(simdVideo(2)),
		row("vset4", "9.7.17.2.4", isa.OpVset, "d a b c", both32, compareSix).where(simdVideo(4)),
		row("vset4", "9.7.17.2.4", isa.OpVset, "d a b c", both32, compareSix, required(accumulate)).where(simdVideo(4)),
		row("vmad", "9.7.17.1.3", isa.OpVmad, "d a b c", three32, plusOne, sat, scale).where(scalarVideo),
		row("vset", "9.7.17.1.4", isa.OpVset, "d a b", both32, compareSix).where(scalarVideo),
		row("vset", "9.7.17.1.4", isa.OpVset, "d a b c", both32, compareSix, required(secondary)).where(scalarVideo))
}()

// isVideo reports whether the operands of op may have selectors.
func isVideo(op isa.Op) bool { return op >= isa.OpVadd && op <= isa.OpVset }

// scalarVideo and simdVideo complete a match. The result of vset is unsigned; its written types are
// those of the sources.

func scalarVideo(m *match) string {
	m.Vec = 1
	m.Type, m.SrcType, m.Select.BType = isa.U32, m.types[0], m.types[1]
	if len(m.types) > 2 {
		m.Type, m.SrcType, m.Select.BType = m.types[0], m.types[1], m.types[2]
	}
	return ""
}

func simdVideo(n uint8) func(m *match) string {
	return func(m *match) string {
		scalarVideo(m)
		m.Vec = n
		return ""
	}
}

// video lowers the operands of a video instruction. A scalar one with a selector at its destination
// has a third source, of which it replaces a part.
func (o *operands) video() {
	ops := o.in.operands
	names := []string{"d", "a", "b", "c"}
	for i := range ops {
		if ops[i].pair != nil {
			o.errorf(ops[i].pair.pos, CodeOperand, "%s has one destination, found a second one behind '|'",
				o.in.name.text)
			return
		}
	}
	merges := false
	if len(ops) > 0 && o.out.Vec == 1 {
		d, sel := selector(&ops[0])
		merges = sel != ""
		if merges && (o.out.Op == isa.OpVmad || o.out.Atom != isa.AtomNone) {
			o.errorf(d.pos, CodeOperand, "%s takes no selector .%s at its destination", o.in.opcode(), clip(sel))
			return
		}
	}
	n := 3
	if merges || o.out.Vec > 1 || o.out.Atom != isa.AtomNone || o.out.Op == isa.OpVmad {
		n = 4
	}
	if len(ops) != n {
		o.errorf(o.in.name.pos, CodeOperand, "%s takes %s, found %d", o.in.opcode(),
			counted(n, "operand")+" "+strings.Join(names[:n], ", "), len(ops))
		return
	}
	s := &o.out.Select
	for i, to := range []*uint16{&s.D, &s.A, &s.B, nil} {
		if i == n {
			break
		}
		x, sel := selector(&ops[i])
		switch {
		case to == nil:
			x = ops[i]
		case o.out.Vec == 1:
			*to = o.scalarPart(&ops[i], sel)
		case i == 0:
			*to = o.laneMask(&ops[i], sel)
		default:
			*to = o.laneElements(&ops[i], sel, uint16(i-1)*uint16(o.out.Vec))
		}
		if i == 0 {
			o.dst(o.destination(&x, isa.U32))
		} else {
			o.src(o.source(&x, isa.U32))
		}
	}
	if o.out.Op == isa.OpVmad {
		o.negations(ops)
	} else {
		for i := range ops {
			if ops[i].neg {
				o.errorf(ops[i].pos, CodeOperand, "only vmad can negate an operand")
			}
		}
	}
}

// negations reads the minus signs of vmad. Two before factors cancel; either the product or c can
// be negated, but not with .po.
func (o *operands) negations(ops []operand) {
	product := ops[1].neg != ops[2].neg
	switch {
	case o.out.Mode == isa.ModePlusOne && (ops[1].neg || ops[2].neg || ops[3].neg):
		o.errorf(o.in.name.pos, CodeOperand, "%s takes no negated operands", o.in.opcode())
	case product && ops[3].neg:
		o.errorf(ops[3].pos, CodeOperand, "vmad negates either the product or the third source")
	case product:
		o.out.Mode = isa.ModeNegProduct
	case ops[3].neg:
		o.out.Mode = isa.ModeNegAddend
	}
}

// selector splits an operand from its selector, which the parser read as a part of the name.
func selector(x *operand) (operand, string) {
	y := *x
	if x.kind != nameOperand || specials[x.name] != (specialRegister{}) {
		return y, ""
	}
	name, sel, _ := strings.Cut(x.name, ".")
	y.name = name
	return y, sel
}

// scalarPart is the part for a selector b0 to b3, h0, h1 or none.
func (o *operands) scalarPart(x *operand, sel string) uint16 {
	switch {
	case sel == "":
		return 32 << 8
	case len(sel) == 2 && sel[0] == 'b' && sel[1] >= '0' && sel[1] <= '3':
		return 8<<8 | uint16(sel[1]-'0')*8
	case len(sel) == 2 && sel[0] == 'h' && sel[1] >= '0' && sel[1] <= '1':
		return 16<<8 | uint16(sel[1]-'0')*16
	}
	o.errorf(x.pos, CodeOperand, "unknown selector .%s: expected .b0, .b1, .b2, .b3, .h0 or .h1", clip(sel))
	return 32 << 8
}

// unit is the letter of the selectors of a SIMD instruction.
func (o *operands) unit() byte {
	if o.out.Vec == 2 {
		return 'h'
	}
	return 'b'
}

// laneElements is the elements for a selector such as h32 or b7654, the highest lane first. Without
// one, each lane has its own element of the source.
func (o *operands) laneElements(x *operand, sel string, first uint16) (elements uint16) {
	n := int(o.out.Vec)
	if sel == "" {
		for i := range n {
			elements |= (first + uint16(i)) << (4 * i)
		}
		return elements
	}
	ok := len(sel) == n+1 && sel[0] == o.unit()
	for i := 0; ok && i < n; i++ {
		e := sel[n-i] - '0'
		ok = e < 2*o.out.Vec
		elements |= uint16(e) << (4 * i)
	}
	if !ok {
		o.errorf(x.pos, CodeOperand, "unknown selector .%s: expected .%c and %d digits from 0 to %d", clip(sel),
			o.unit(), n, 2*n-1)
	}
	return elements
}

// laneMask is the mask of computed lanes for a selector such as h10 or b320. Without one, all lanes
// are computed.
func (o *operands) laneMask(x *operand, sel string) (mask uint16) {
	all := uint16(1)<<o.out.Vec - 1
	if sel == "" {
		return all
	}
	ok := len(sel) > 1 && sel[0] == o.unit()
	for i := 1; ok && i < len(sel); i++ {
		bit := uint16(1) << (sel[i] - '0') & all
		ok = bit != 0 && (mask == 0 || bit < mask&-mask)
		mask |= bit
	}
	if !ok {
		o.errorf(x.pos, CodeOperand, "unknown selector .%s: expected .%c and the numbers of lanes, the highest first",
			clip(sel), o.unit())
	}
	return mask
}
