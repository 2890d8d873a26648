package ptx

import (
	"fmt"
	"slices"
	"strings"

	"divergo/isa"
)

// wmma (PTX ISA 8.5, section 9.7.14.4). The implementation chooses the layout of its matrices among
// the threads; here it is that of mma. Each wmma becomes what NVIDIA's compiler emits from Turing
// on: loads and stores of the threads, and one mma for each half of the sum. The first instruction
// counts, the others are inserted.
//
// A matrix has M rows and N columns, of K products each. One of mma has 16 rows and 8 columns.
// Shape .m16n16 is two of them beside each other, shape .m32n8 two below each other. Shape .m8n32
// is computed as its transpose, 32 rows of 8. Of f64 there is one, of 8 by 8.
//
// A fragment of f16 has eight registers for A and B in all shapes. If it has fewer elements, the
// other registers are copies.

var (
	wmmaShapes = group{what: "shape", words: []modifier{
		{"m16n16k16", shape(16, 16)},
		{"m8n32k16", shape(8, 16)},
		{"m32n8k16", shape(32, 16)},
		{"m16n16k8", shape(16, 8)},
		{"m8n8k4", shape(8, 4)},
	}}
	oneLayout     = group{what: "layout", words: []modifier{{"row", layout(0, 0)}, {"col", layout(1, 0)}}}
	multiplicands = group{what: "matrix", words: []modifier{{"a", vector(1)}, {"b", vector(2)}}}
	wmmaSpace     = only("global shared shared::cta", stateSpace)
)

// wmmaRow makes a row of wmma.
func wmmaRow(kind, operands string, types []typeSet, shapes string, more ...group) *family {
	groups := append([]group{
		required(one(kind, ignore)), required(synced), required(aligned),
		required(only(shapes, wmmaShapes)),
	}, more...)
	return row("wmma", "9.7.14.4 of 8.5", isa.OpMma, operands, types, groups...)
}

const (
	shapes16 = "m16n16k16 m8n32k16 m32n8k16"
	shapesC  = "m16n16k16 m8n32k16 m32n8k16 m16n16k8"
)

var wmmas = slices.Concat(
	wmmaMemory("load", "d [a] stride:u32?", types(typesOf(isa.F16, isa.BF16, isa.S8, isa.U8)), shapes16, multiplicands),
	wmmaMemory("load", "d [a] stride:u32?", types(tf32), "m16n16k8", multiplicands),
	wmmaMemory("load", "d [a] stride:u32?", types(f64), "m8n8k4", multiplicands),
	wmmaMemory("load", "d [a] stride:u32?", types(f16|s32), shapes16, one("c", ignore)),
	wmmaMemory("load", "d [a] stride:u32?", types(f32), shapesC, one("c", ignore)),
	wmmaMemory("load", "d [a] stride:u32?", types(f64), "m8n8k4", one("c", ignore)),
	wmmaMemory("store", "[a] d stride:u32?", types(f16|s32), shapes16, one("d", ignore)),
	wmmaMemory("store", "[a] d stride:u32?", types(f32), shapesC, one("d", ignore)),
	wmmaMemory("store", "[a] d stride:u32?", types(f64), "m8n8k4", one("d", ignore)),
	[]*family{
		wmmaRow("mma", "d a b c", types(f16f32, f16f32), shapes16, required(layouts)).where(func(m *match) string {
			m.SrcType, m.TypeB = isa.F16, isa.F16
			m.Select.BType = m.types[1]
			return ""
		}),
		wmmaRow("mma", "d a b c", types(f32, bf16, bf16, f32), shapes16, required(layouts)).where(checkWmma),
		wmmaRow("mma", "d a b c", types(f32, tf32, tf32, f32), "m16n16k8", required(layouts)).where(checkWmma),
		wmmaRow("mma", "d a b c", types(s32, s8u8, s8u8, s32), shapes16, required(layouts), satFinite).where(checkWmma),
		wmmaRow("mma", "d a b c", types(f64, f64, f64, f64), "m8n8k4", required(layouts),
			only("rn", rounding)).where(checkWmma),
	},
)

func wmmaMemory(kind, operands string, of []typeSet, shapes string, matrix group) []*family {
	return []*family{wmmaRow(kind, operands, of, shapes, required(matrix), required(oneLayout), wmmaSpace)}
}

func checkWmma(m *match) string {
	m.TypeB, m.Select.BType = m.types[2], m.types[0]
	if m.types[1] != m.types[2] {
		return "the types of the two matrices differ"
	}
	m.Round = isa.RoundNone
	return ""
}

// tiles describes how matrices of mma form those of a wmma.
type tiles struct {
	m, n, k     int
	transposed  bool // the second matrix is the left one of mma, and the sum its transpose
	left, right int  // number of mma matrices: of 16 rows, or of 8 columns
	rows        int  // of one matrix on the left
	a, b, c     int  // registers of a thread for one matrix
}

// tilesOf is the tiles of a shape, for multiplicands of type of and a sum of type sum.
func tilesOf(m, k uint8, of, sum isa.Type) tiles {
	t := tiles{m: int(m), n: 256 / int(m), k: int(k), left: 1, right: 1, rows: 16}
	switch {
	case of == isa.F64:
		t.n, t.rows = 8, 8
	case m == 8:
		t.transposed, t.left = true, 2
	case m == 16:
		t.right = 2
	default:
		t.left = 2
	}
	one := isa.Inst{Op: isa.OpMma, Type: sum, SrcType: of, M: uint8(t.rows), K: k}
	t.a, t.b, t.c = one.Fragments()
	return t
}

// cell is the place of a fragment's element in memory: a number of lines of the stride, and of
// elements in the line. Each is linear: a multiple of the thread's group of four, a multiple of its
// number in the group, and a constant.
type cell struct{ line, at linear }

type linear struct{ group, thread, constant int }

// multiplicand lists the elements of each register of a thread, of the left or the right matrix.
// With byLine, the rows of the left matrix or columns of the right one are a stride apart.
func (t *tiles) multiplicand(left, byLine bool, of isa.Type) (regs [][]cell) {
	elements := max(32/of.Bits(), 1)
	count, each, strips := t.right, t.b, 1
	if left {
		count, each, strips = t.left, t.a, t.rows/8
	}
	for tile := range count {
		for r := range each {
			var list []cell
			for h := range elements {
				c := cell{
					linear{group: 1, constant: 8*strips*tile + 8*(r%strips)},
					linear{thread: elements, constant: 4*elements*(r/strips) + h},
				}
				if !byLine {
					c.line, c.at = c.at, c.line
				}
				list = append(list, c)
			}
			regs = append(regs, list)
		}
	}
	return regs
}

// sum lists the elements of each register of the sum.
func (t *tiles) sum(byLine bool, of isa.Type) (regs [][]cell) {
	elements := max(32/of.Bits(), 1)
	for tile := range t.left * t.right {
		for r := range t.c {
			var list []cell
			for h := range elements {
				i := r*elements + h
				c := cell{linear{group: 1, constant: i / 2 * 8}, linear{thread: 2, constant: i % 2}}
				if t.left > 1 {
					c.line.constant += t.rows * tile
				} else {
					c.at.constant += 8 * tile
				}
				if byLine == t.transposed {
					c.line, c.at = c.at, c.line
				}
				list = append(list, c)
			}
			regs = append(regs, list)
		}
	}
	return regs
}

// wmma is the lowering of one wmma.load, wmma.store or wmma.mma.
type wmma struct {
	*operands
	emitted bool
}

func (o *operands) wmma() {
	w := &wmma{operands: o}
	switch o.in.words[0].text {
	case "load":
		w.memory(0, 1)
	case "store":
		w.memory(1, 0)
	default:
		w.multiply()
	}
}

// emit appends an instruction, named by its opcode.
func (w *wmma) emit(name string, in isa.Inst, guarded bool) {
	in.Pos, in.Loc, in.Inserted = w.out.Pos, w.out.Loc, w.emitted
	if guarded {
		in.Guard = w.out.Guard
	}
	var words []string
	for _, x := range slices.Concat(in.Dst[:in.NDst], in.Src[:in.NSrc]) {
		switch x.Kind {
		case isa.OperandReg:
			words = append(words, clip(w.prog.Regs[x.Index].Name))
		case isa.OperandSpecial:
			words = append(words, "%laneid")
		case isa.OperandImm:
			words = append(words, fmt.Sprint(x.Imm))
		}
	}
	if in.Text = name + " " + strings.Join(words, ", "); in.Memory() {
		at := fmt.Sprintf("[%s%+d]", words[in.NDst], in.Off)
		in.Text = strings.Replace(in.Text, words[in.NDst], at, 1)
	}
	if !w.emitted {
		in.Text = w.out.Text
	}
	if in.NDst > 0 && in.Dst[0].Kind == isa.OperandReg {
		in.DstBits = uint8(w.prog.Regs[in.Dst[0].Index].Type.Bits())
	}
	w.emitted = true
	w.lowering.emit(in)
}

// inst makes an instruction with one destination.
func inst(op isa.Op, t isa.Type, dst isa.Operand, src ...isa.Operand) (in isa.Inst) {
	in = isa.Inst{Op: op, Type: t, NDst: 1}
	in.Dst[0] = dst
	in.NSrc = uint8(copy(in.Src[:], src))
	return in
}

func immediate(n int) isa.Operand { return isa.Operand{Kind: isa.OperandImm, Imm: uint64(n)} }

// registers lowers the fragment of operand i, of n registers.
func (w *wmma) registers(i, n int, t isa.Type, written bool) (list []isa.Operand) {
	for _, x := range w.fragment(&w.in.operands[i], n) {
		var r isa.Operand
		if written {
			r = w.destination(&x, t)
		} else {
			r = w.source(&x, t)
		}
		if r.Kind == isa.OperandSink {
			w.errorf(x.pos, CodeOperand, "a fragment of a matrix is in registers, found _")
		}
		if r.Kind != isa.OperandReg {
			return nil
		}
		list = append(list, r)
	}
	return list
}

// held is the type of the registers that hold elements of type of, and their number for a fragment
// of n.
func held(of isa.Type, n int, multiplicand bool) (isa.Type, int) {
	switch {
	case of == isa.F16 && multiplicand:
		return isa.B32, 8
	case of == isa.F32 || of == isa.S32 || of == isa.F64:
		return of, n
	}
	return isa.B32, n
}

// memory lowers wmma.load and wmma.store. fragment and address are the indices of these operands.
func (w *wmma) memory(fragment, address int) {
	in, ops := w.out, w.in.operands
	if len(ops) != 2 && len(ops) != 3 {
		w.errorf(w.in.name.pos, CodeOperand, "%s takes 2 or 3 operands, found %d", w.in.opcode(), len(ops))
		return
	}
	of := in.Type
	load, byColumns := fragment == 0, in.Select.A != 0
	var regs [][]cell
	width := 0 // of the matrix: the default of the stride
	multiplicand := load && in.Vec > 0
	switch {
	case multiplicand:
		sum := map[isa.Type]isa.Type{isa.S8: isa.S32, isa.U8: isa.S32, isa.F64: isa.F64}[of]
		if sum == isa.NoType {
			sum = isa.F32
		}
		t := tilesOf(in.M, in.K, of, sum)
		first := in.Vec == 1
		regs = t.multiplicand(first != t.transposed, first != byColumns, of)
		width = t.k
		if first && byColumns {
			width = t.m
		} else if !first && !byColumns {
			width = t.n
		}
	default:
		factor := map[isa.Type]isa.Type{isa.S32: isa.S8, isa.F64: isa.F64}[of]
		if factor == isa.NoType {
			factor = isa.F16
		}
		if in.K == 8 {
			factor = isa.TF32
		}
		t := tilesOf(in.M, in.K, factor, of)
		regs = t.sum(!byColumns, of)
		width = t.n
		if byColumns {
			width = t.m
		}
	}
	typ, n := held(of, len(regs), multiplicand)
	list := w.registers(fragment, n, typ, load)
	if len(list) < n {
		return
	}
	in.NDst, in.NSrc = 0, 0
	w.operands.memory(&ops[address])
	if in.NSrc == 0 {
		return
	}
	stride := immediate(width)
	if len(ops) == 3 {
		if sym := w.scope.lookup(ops[2].name); sym != nil && sym.variable != nil {
			w.errorf(ops[2].pos, CodeOperand, "the stride is a register or constant, found %s", kindName(&ops[2]))
			return
		}
		stride = w.source(&ops[2], isa.U32)
	}
	lines := w.addresses(regs[0][0], stride, of, regs)
	for i, cells := range regs {
		w.access(load, i, list[i], cells, lines, of)
	}
	for i := len(regs); i < n; i++ {
		w.emit("mov.b32", inst(isa.OpMov, isa.B32, list[i], list[i%len(regs)]), true)
	}
}

// line is the place of a matrix line for a thread.
type line struct {
	at  isa.Operand
	off int64
}

// addresses emits the arithmetic for the lines of a thread's elements.
func (w *wmma) addresses(first cell, stride isa.Operand, of isa.Type, regs [][]cell) map[int]line {
	base, size := w.out.Src[0], of.Bytes()
	wide := base.Kind != isa.OperandReg || w.prog.Regs[base.Index].Type.Bits() == 64
	t, op, suffix, mode := isa.U64, isa.U32, "wide.u32", isa.ModeWide
	if !wide {
		t, suffix, mode = isa.U32, "lo.u32", isa.ModeLo
	}
	pointer := func(i int) isa.Operand { return w.temporary(fmt.Sprintf("%%wmma.at%d.%s", i, typeName(t)), t) }
	number := func(name string) isa.Operand { return w.temporary("%wmma."+name, isa.U32) }
	mad := func(d, a, b, c isa.Operand) {
		in := inst(isa.OpMad, op, d, a, b, c)
		in.Mode = mode
		w.emit("mad."+suffix, in, false)
	}
	at := pointer(0)
	w.emit("mov."+typeName(t), inst(isa.OpMov, t, at, base), false)
	lane, group, thread := number("lane"), number("group"), number("thread")
	w.emit("mov.u32", inst(isa.OpMov, isa.U32, lane, isa.Operand{Kind: isa.OperandSpecial, Index: uint16(isa.LaneID)}),
		false)
	w.emit("shr.u32", inst(isa.OpShr, isa.U32, group, lane, immediate(2)), false)
	w.emit("and.b32", inst(isa.OpAnd, isa.B32, thread, lane, immediate(3)), false)
	of1 := func(l linear) (isa.Operand, int) {
		if l.group > 0 {
			return group, l.group
		}
		return thread, l.thread
	}
	who, times := of1(first.at)
	mad(at, who, immediate(times*size), at)
	who, times = of1(first.line)
	product := inst(isa.OpMul, isa.U32, lane, who, immediate(times*size))
	product.Mode = isa.ModeLo
	w.emit("mul.lo.u32", product, false)
	mad(at, lane, stride, at)
	lines := map[int]line{0: {at, 0}}
	for _, cells := range regs {
		for _, c := range cells {
			n := c.line.constant
			if _, ok := lines[n]; ok {
				continue
			}
			if stride.Kind == isa.OperandImm {
				lines[n] = line{at, int64(n*size) * int64(stride.Imm)}
				continue
			}
			p := pointer(len(lines))
			mad(p, stride, immediate(n*size), at)
			lines[n] = line{p, 0}
		}
	}
	return lines
}

// access emits loads or stores of the elements of register r, number i of the fragment. Adjacent
// elements take one access.
func (w *wmma) access(load bool, i int, r isa.Operand, cells []cell, lines map[int]line, of isa.Type) {
	element := map[int]isa.Type{8: isa.B8, 16: isa.B16, 32: isa.B32, 64: isa.B64}[of.Bits()]
	one := func(c cell, t isa.Type, value isa.Operand) {
		l := lines[c.line.constant]
		in := isa.Inst{
			Op: isa.OpSt, Type: t, Space: w.out.Space, Vec: 1, NSrc: 2,
			Off: w.out.Off + l.off + int64(c.at.constant*of.Bytes()),
		}
		in.Src[0], in.Src[1] = l.at, value
		name := "st." + typeName(t)
		if load {
			in = isa.Inst{Op: isa.OpLd, Type: t, Space: w.out.Space, Vec: 1, NSrc: 1, NDst: 1, Off: in.Off}
			in.Src[0], in.Dst[0] = l.at, value
			name = "ld." + typeName(t)
		}
		w.emit(name, in, true)
	}
	together := len(cells) == 1 || cells[0].line == cells[1].line
	if together {
		one(cells[0], map[bool]isa.Type{true: isa.B64, false: isa.B32}[of.Bits() == 64], r)
		return
	}
	parts := make([]isa.Operand, len(cells))
	for h := range cells {
		parts[h] = w.temporary(fmt.Sprintf("%%wmma.part%d.%s", h, typeName(element)), element)
	}
	all := isa.Inst{Op: isa.OpPack, Type: isa.B32, NDst: 1}
	all.Dst[0], all.NSrc = r, uint8(copy(all.Src[:], parts))
	if !load {
		all = isa.Inst{Op: isa.OpUnpack, Type: isa.B32, NSrc: 1}
		all.Src[0], all.NDst = r, uint8(copy(all.Dst[:], parts))
		w.emit("mov.b32", all, false)
	}
	for h, c := range cells {
		one(c, element, parts[h])
	}
	if load {
		w.emit("mov.b32", all, true)
	}
}

// multiply lowers wmma.mma.
func (w *wmma) multiply() {
	in, ops := w.out, w.in.operands
	if len(ops) != 4 {
		w.errorf(w.in.name.pos, CodeOperand, "%s takes 4 operands d, a, b, c, found %d", w.in.opcode(), len(ops))
		return
	}
	sum, addend, of := in.Type, in.Select.BType, in.SrcType
	inner := sum // of the mma
	if addend != sum {
		inner = isa.F32
	}
	t := tilesOf(in.M, in.K, of, inner)
	count := t.left * t.right
	perThread := func(of isa.Type) int {
		if of == isa.F16 || of == isa.F64 {
			return 2 * count
		}
		return 4 * count
	}
	left, right := t.left*t.a, t.right*t.b
	if t.transposed {
		left, right = right, left
	}
	typeD, nd := held(sum, perThread(sum), false)
	typeC, nc := held(addend, perThread(addend), false)
	typeA, na := held(of, left, true)
	_, nb := held(of, right, true)
	d, a, b, c := w.registers(0, nd, typeD, true), w.registers(1, na, typeA, false), w.registers(2, nb, typeA,
		false), w.registers(3, nc, typeC, false)
	if len(d) < nd || len(a) < na || len(b) < nb || len(c) < nc {
		return
	}
	if t.transposed {
		a, b = b, a
	}
	result := d
	if inner != addend {
		c = w.widen(c)
	}
	if inner != sum {
		result = nil
		for i := range 4 * count {
			result = append(result, w.temporary(fmt.Sprintf("%%wmma.sum%d", i), isa.F32))
		}
	}
	var parts []isa.Inst
	for tile := range count {
		m := isa.Inst{Op: isa.OpMma, Type: inner, SrcType: of, TypeB: of, Flags: in.Flags, M: uint8(t.rows), K: in.K}
		i, j := min(tile, t.left-1), min(tile, t.right-1)
		m.NSrc = uint8(copy(m.Src[:], slices.Concat(a[t.a*i:t.a*i+t.a], b[t.b*j:t.b*j+t.b], c[t.c*tile:t.c*tile+t.c],
			[]isa.Operand{immediate(0xFFFF_FFFF)})))
		m.NDst = uint8(copy(m.Dst[:], result[t.c*tile:t.c*tile+t.c]))
		parts = append(parts, m)
	}
	if count == 2 {
		w.apart(&parts[0], &parts[1])
	}
	for i := range parts {
		w.emit("mma.sync.aligned", parts[i], true)
	}
	if inner == sum {
		return
	}
	for i := range d {
		narrow := inst(isa.OpCvt, isa.F16x2, d[i], result[2*i+1], result[2*i])
		narrow.SrcType, narrow.Round = isa.F32, isa.RoundNearest
		w.emit("cvt.rn.f16x2.f32", narrow, true)
	}
}

// widen emits the conversion of registers of two f16 to registers of one f32.
func (w *wmma) widen(list []isa.Operand) (wide []isa.Operand) {
	low, high := w.temporary("%wmma.part0.b16", isa.B16), w.temporary("%wmma.part1.b16", isa.B16)
	for i, r := range list {
		both := inst(isa.OpUnpack, isa.B32, low, r)
		both.Dst[1], both.NDst = high, 2
		w.emit("mov.b32", both, false)
		for h, half := range []isa.Operand{low, high} {
			f := w.temporary(fmt.Sprintf("%%wmma.addend%d", 2*i+h), isa.F32)
			convert := inst(isa.OpCvt, isa.F32, f, half)
			convert.SrcType = isa.F16
			w.emit("cvt.f32.f16", convert, false)
			wide = append(wide, f)
		}
	}
	return wide
}
