package ptx

import "divergo/isa"

// Instructions of a warp on matrices (section 9.7.13.4).

var (
	f16f32   = f16 | f32
	s8u8     = typesOf(isa.S8, isa.U8)
	rowMajor = required(one("row", ignore))
	colMajor = required(one("col", ignore))
	shapes   = group{what: "shape", words: []modifier{
		{"m8n8k4", shape(8, 4)},
		{"m8n8k16", shape(8, 16)},
		{"m16n8k4", shape(16, 4)},
		{"m16n8k8", shape(16, 8)},
		{"m16n8k16", shape(16, 16)},
		{"m16n8k32", shape(16, 32)},
	}}
	eight   = required(one("m8n8", ignore))
	several = group{what: "number of matrices", words: []modifier{{"x1", vector(1)}, {"x2", vector(2)}, {"x4", vector(4)}}}
	trans   = one("trans", mode(isa.ModeTrans))
	bits16  = typesOf(isa.B16)
)

func shape(m, k uint8) func(*match) { return func(found *match) { found.M, found.K = m, k } }

// multiply are the modifiers of mma with the given shapes.
func multiply(words string, more ...group) []group {
	return append([]group{required(synced), required(aligned), required(only(words, shapes)), rowMajor, colMajor}, more...)
}

// matrices are the rows; operands.matrix lowers their operands.
var matrices = []*family{
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(f16f32, f16, f16, f16f32), multiply("m16n8k8 m16n8k16")...).where(checkMma),
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(f32, bf16, bf16, f32), multiply("m16n8k8 m16n8k16")...).where(checkMma),
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(f32, tf32, tf32, f32), multiply("m16n8k4 m16n8k8")...).where(checkMma),
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(s32, s8u8, s8u8, s32), multiply("m8n8k16 m16n8k16 m16n8k32", satFinite)...).where(checkMma),
	row("mma", "9.7.13.4.14", isa.OpMma, "d a b c", types(f64, f64, f64, f64), multiply("m8n8k4")...).where(checkMma),
	row("ldmatrix", "9.7.13.4.15", isa.OpLdmatrix, "d [a]", types(bits16), required(synced), required(aligned), eight, required(several), trans,
		only("shared shared::cta", stateSpace)).where(checkLdmatrix),
	row("movmatrix", "9.7.13.4.17", isa.OpMovmatrix, "d a", types(bits16), required(synced), required(aligned), eight, required(trans)),
}

func checkMma(m *match) string {
	m.TypeB = m.types[2]
	if m.types[0] != m.types[3] {
		return "the type of the sum differs from that of the addend"
	}
	return ""
}

func checkLdmatrix(m *match) string {
	if m.Space != isa.SpaceGeneric && m.Space != isa.SpaceShared {
		return "the matrices are in .shared memory"
	}
	return ""
}

// matrix lowers the operands of mma, ldmatrix and movmatrix. Fragments are vectors
// of registers, as many as the shape has. The last source are the threads that
// take part: all of the warp.
func (o *operands) matrix() {
	ops := o.in.operands
	want := families[o.in.name.text][0].args
	if len(ops) != len(want) {
		o.errorf(o.in.name.pos, CodeOperand, "%s takes %s, found %d", o.in.opcode(), operandList(want), len(ops))
		return
	}
	switch o.out.Op {
	case isa.OpMma:
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
	case isa.OpMovmatrix:
		o.dst(o.destination(&ops[0], isa.B32))
		o.src(o.source(&ops[1], isa.B32))
	}
	o.src(isa.Operand{Kind: isa.OperandImm, Imm: 0xFFFF_FFFF})
}

// fragment is the n registers of an operand; one may stand without braces.
func (o *operands) fragment(x *operand, n int) []operand {
	list := x.elems
	if x.kind != vectorOperand && n == 1 {
		list = []operand{*x}
	} else if x.kind != vectorOperand || len(list) != n {
		o.errorf(x.pos, CodeOperand, "%s wants a vector {...} of %s, found %s", o.in.opcode(), counted(n, "register"), kindName(x))
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
