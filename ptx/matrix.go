package ptx

import (
	"fmt"
	"slices"

	"divergo/isa"
)

// Instructions of a warp on matrices (section 9.7.13.4).

var (
	f16f32  = f16 | f32
	s8u8    = typesOf(isa.S8, isa.U8)
	layouts = group{what: "layouts of the matrices", words: []modifier{
		// The parser joins the two words.
		{"row.row", layout(0, 1)}, {"row.col", layout(0, 0)}, {"col.row", layout(1, 1)}, {"col.col", layout(1, 0)},
	}}
	shapes = group{what: "shape", words: []modifier{
		{"m8n8k4", shape(8, 4)},
		{"m8n8k16", shape(8, 16)},
		{"m16n8k4", shape(16, 4)},
		{"m16n8k8", shape(16, 8)},
		{"m16n8k16", shape(16, 16)},
		{"m16n8k32", shape(16, 32)},
	}}
	eight   = required(one("m8n8", ignore))
	several = group{
		what:  "number of matrices",
		words: []modifier{{"x1", vector(1)}, {"x2", vector(2)}, {"x4", vector(4)}},
	}
	trans  = one("trans", mode(isa.ModeTrans))
	bits16 = typesOf(isa.B16)
)

func shape(m, k uint8) func(*match) { return func(found *match) { found.M, found.K = m, k } }

// layout sets the layout of the two matrices. a is 1 if the first is by columns, b is 1 if the
// second is by rows.
func layout(a, b uint16) func(*match) {
	return func(found *match) { found.Select.A, found.Select.B = a, b }
}

// multiply are the modifiers of mma with the given shapes.
func multiply(words string, more ...group) []group {
	return append([]group{
		required(synced), required(aligned), required(only(words, shapes)),
		required(only("row.col", layouts)),
	}, more...)
}

// matrices are the rows; operands.matrix lowers their operands.
var matrices = []*family{
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(f16f32, f16, f16, f16f32),
		multiply("m16n8k8 m16n8k16")...).where(checkMma),
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(f32, bf16, bf16, f32),
		multiply("m16n8k8 m16n8k16")...).where(checkMma),
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(f32, tf32, tf32, f32),
		multiply("m16n8k4 m16n8k8")...).where(checkMma),
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(s32, s8u8, s8u8, s32),
		multiply("m8n8k16 m16n8k16 m16n8k32", satFinite)...).where(checkMma),
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(f64, f64, f64, f64), multiply("m8n8k4")...).where(checkMma),
	row("mma", "9.7.14.5.14 of 8.5", isa.OpMma, "d a b c", types(f16f32, f16, f16, f16f32), required(synced),
		required(aligned),
		required(only("m8n8k4", shapes)), required(layouts)).where(checkQuads),
	row("stmatrix", "9.7.14.5.16 of 8.5", isa.OpStmatrix, "[a] b", types(bits16), required(synced), required(aligned),
		eight, required(several), trans,
		only("shared shared::cta", stateSpace)).where(checkLdmatrix),
	row("ldmatrix", "9.7.13.4.15", isa.OpLdmatrix, "d [a]", types(bits16), required(synced), required(aligned), eight,
		required(several), trans,
		only("shared shared::cta", stateSpace)).where(checkLdmatrix),
	row("movmatrix", "9.7.13.4.17", isa.OpMovmatrix, "d a", types(bits16), required(synced), required(aligned), eight,
		required(trans)),
}

func checkMma(m *match) string {
	m.TypeB = m.types[2]
	if m.types[0] != m.types[3] {
		return "the type of the sum differs from that of the addend"
	}
	return ""
}

func checkQuads(m *match) string {
	m.TypeB = isa.F16
	switch {
	case m.types[0] == isa.F16 && m.types[3] == isa.F32:
		return "a sum of .f16 has an addend of .f16"
	case m.types[0] != m.types[3]:
		m.Select.BType = m.types[3]
	}
	return ""
}

func checkLdmatrix(m *match) string {
	if m.Space != isa.SpaceGeneric && m.Space != isa.SpaceShared {
		return "the matrices are in .shared memory"
	}
	return ""
}

// matrix lowers the operands of mma, ldmatrix, stmatrix and movmatrix. Fragments are vectors of
// registers, as many as the shape has. The last source is the set of participating threads: all of
// the warp.
func (o *operands) matrix() {
	ops := o.in.operands
	want := families[o.in.name.text][0].args
	if len(ops) != len(want) {
		o.errorf(o.in.name.pos, CodeOperand, "%s takes %s, found %d", o.in.opcode(), operandList(want), len(ops))
		return
	}
	switch o.out.Op {
	case isa.OpMma:
		if o.out.M == 8 && o.out.SrcType == isa.F16 {
			o.quads()
			break
		}
		a, b, c := o.out.Fragments()
		part, sum := isa.B32, o.out.Type
		if sum == isa.F16 {
			sum = isa.B32
		} else if sum == isa.F64 {
			part = isa.F64
		}
		for _, x := range o.fragment(&ops[0], c) {
			o.dst(o.destination(&x, sum))
		}
		for i, n := range []int{a, b, c} {
			t := part
			if i == 2 {
				t = sum
			}
			for _, x := range o.fragment(&ops[i+1], n) {
				o.src(o.source(&x, t))
			}
		}
	case isa.OpLdmatrix:
		for _, x := range o.fragment(&ops[0], int(o.out.Vec)) {
			o.dst(o.destination(&x, isa.B32))
		}
		o.memory(&ops[1])
	case isa.OpStmatrix:
		o.memory(&ops[0])
		for _, x := range o.fragment(&ops[1], int(o.out.Vec)) {
			o.src(o.source(&x, isa.B32))
		}
	case isa.OpMovmatrix:
		o.dst(o.destination(&ops[0], isa.B32))
		o.src(o.source(&ops[1], isa.B32))
	}
	o.src(isa.Operand{Kind: isa.OperandImm, Imm: 0xFFFF_FFFF})
}

// quads lowers the operands of mma.m8n8k4 of f16. Two instructions compute an f32 sum of eight
// registers; the first one, emitted here, has the first four. An f16 addend of four registers is a
// source of both.
func (o *operands) quads() {
	ops := o.in.operands
	sum, addend := o.out.Type, o.out.Type
	if o.out.Select.BType != isa.NoType {
		addend = o.out.Select.BType
	}
	fragment := func(i int, t isa.Type) (list []isa.Operand) {
		n := 4
		if t == isa.F32 {
			n = 8
		} else {
			t = isa.B32
		}
		if i == 1 || i == 2 {
			n = 2
		}
		for _, x := range o.fragment(&ops[i], n) {
			if i == 0 {
				list = append(list, o.destination(&x, t))
			} else {
				list = append(list, o.source(&x, t))
			}
		}
		return list
	}
	d := fragment(0, sum)
	factors := slices.Concat(fragment(1, isa.F16), fragment(2, isa.F16))
	c := fragment(3, addend)
	if len(factors) < 4 || len(d) < 4 || len(c) < 4 {
		return // reported
	}
	whole := isa.Operand{Kind: isa.OperandImm, Imm: 0xFFFF_FFFF}
	half := func(h int) (in isa.Inst) {
		in = *o.out
		in.Select.D = uint16(h)
		from := c
		if len(c) == 8 {
			from = c[4*h:]
		}
		in.NSrc = uint8(copy(in.Src[:], slices.Concat(factors, from[:4], []isa.Operand{whole})))
		in.NDst = uint8(copy(in.Dst[:], d[4*h:4*h+4]))
		return in
	}
	if len(d) == 4 {
		*o.out = half(0)
		o.out.NSrc-- // matrix adds the threads
		return
	}
	first, second := half(0), half(1)
	second.Inserted = true
	o.apart(&first, &second)
	o.prog.Insts = append(o.prog.Insts, first)
	*o.out = second
	o.out.NSrc--
}

// apart gives second copies of the registers that first writes.
func (o *operands) apart(first, second *isa.Inst) {
	for i, s := range second.Src[:second.NSrc] {
		if s.Kind != isa.OperandReg || !slices.Contains(first.Dst[:first.NDst], s) {
			continue
		}
		name := fmt.Sprintf("%%copy%d", i)
		copied := o.temporary(name, isa.B32)
		mov := isa.Inst{
			Op: isa.OpMov, Type: isa.B32, NSrc: 1, NDst: 1, DstBits: 32, Inserted: true, Pos: o.out.Pos, Loc: o.out.Loc,
			Text: "mov.b32 " + name + ", " + clip(o.prog.Regs[s.Index].Name),
		}
		mov.Src[0], mov.Dst[0] = s, copied
		o.emit(mov)
		second.Src[i] = copied
	}
}

// fragment is the n registers of an operand. A single register may stand without braces.
func (o *operands) fragment(x *operand, n int) []operand {
	list := x.elems
	if x.kind != vectorOperand && n == 1 {
		list = []operand{*x}
	} else if x.kind != vectorOperand || len(list) != n {
		o.errorf(x.pos, CodeOperand, "%s wants a vector {...} of %s, found %s", o.in.opcode(), counted(n, "register"),
			kindName(x))
		return nil
	}
	for i := range list {
		if list[i].kind != nameOperand {
			o.errorf(list[i].pos, CodeOperand, "a fragment of a matrix is in registers, found %s", kindName(&list[i]))
			return nil
		}
	}
	return list
}
