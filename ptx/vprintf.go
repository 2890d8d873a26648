package ptx

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"

	"divergo/internal/printf"
	"divergo/isa"
)

// vprintf is the function of CUDA's run time that printf of CUDA C calls. Its arguments are the
// address of the format and the address of the arguments in the thread's local memory. It returns
// the number of arguments (CUDA C Programming Guide, formatted output).
const vprintf = "vprintf"

const unknownFormat = "the format of vprintf has to be known: the address of a string of the module, by mov and cvta"

// printAlign is the alignment of the print buffer. printSpace is the most space that it takes,
// including free space before it.
const (
	printAlign = 256
	printSpace = isa.PrintBytes + printAlign
)

// prints reports whether f is vprintf, with pointers of 64 bits.
func (f *function) prints() bool {
	bytes := func(x formal) uint64 { n, _ := x.layout(); return n }
	return f.body == nil && f.name.text == vprintf && len(f.rets) == 1 && bytes(f.rets[0]) == 4 &&
		len(f.params) == 2 && bytes(f.params[0]) == 8 && bytes(f.params[1]) == 8
}

// print turns the call into the atomic addition that reserves a record in the print buffer. The
// returned function emits the instructions behind it, which fill in the record and the result:
//
//	atom.global.add  %print.at, [buffer], bytes      (the call)
//	setp.gt          %print.full, %print.at, what the buffer holds - bytes
//	@%print.full     red.global.add  [buffer+4], 1
//	ld.local         %print.word, [format]
//	@!%print.full    st.global  [%print.at+buffer+8], %print.word
//	ld.local         %print.args, [arguments]
//	@!%print.full    ld         %print.word, [%print.args]           (each argument)
//	@!%print.full    st.global  [%print.at+buffer+16], %print.word
//	selp             %print.result, -2, number of arguments, %print.full
//	st.local         [result], %print.result
func (l *lowering) print(site *callSite, c *callee, out *isa.Inst) func() {
	format := l.format(site)
	if format == nil {
		return func() {}
	}
	record := alignUp(8+format.Bytes, 8)
	buffer := l.prog.Printer
	r := l.printRegisters()
	imm := func(v uint64) isa.Operand { return isa.Operand{Kind: isa.OperandImm, Imm: v} }
	call := *out
	*out = isa.Inst{
		Op: isa.OpAtom, Type: isa.U32, Atom: isa.AtomAdd, Space: isa.SpaceGlobal, DstBits: 32, NSrc: 2, NDst: 1,
		Pos: call.Pos, Loc: call.Loc, Text: call.Text,
		Target: isa.NoPC, Reconv: isa.NoPC, Likely: isa.NoPC,
	}
	out.Src[0], out.Src[1], out.Dst[0] = imm(buffer), imm(record), r.at

	return func() {
		room := r.full
		room.Not = true
		emit := func(in isa.Inst, format string, a ...any) {
			in.Inserted, in.Pos, in.Loc, in.Text = true, call.Pos, call.Loc, fmt.Sprintf(format, a...)
			l.emit(in)
		}
		store := func(t isa.Type, off uint64) {
			in := isa.Inst{
				Op: isa.OpSt, Type: t, Space: isa.SpaceGlobal, Vec: 1, NSrc: 2, Guard: room,
				Off: int64(buffer + isa.PrintHead + off),
			}
			in.Src[0], in.Src[1] = r.at, r.word
			emit(in, "st.global.%s [%%print.at+%#x], %%print.word", typeName(t), in.Off)
		}
		local := func(i int) *spot { offsets, _ := c.offsets(); return &spot{at: c.at + offsets[i]} }

		compare := isa.Inst{Op: isa.OpSetp, Type: isa.U32, SrcType: isa.U32, Cmp: isa.CmpGt, NSrc: 2, NDst: 1}
		compare.Src[0], compare.Src[1], compare.Dst[0] = r.at, imm(isa.PrintBytes-isa.PrintHead-record), r.full
		emit(compare, "setp.gt.u32 %%print.full, %%print.at, %d", compare.Src[1].Imm)
		dropped := isa.Inst{
			Op: isa.OpRed, Type: isa.U32, Atom: isa.AtomAdd, Space: isa.SpaceGlobal, NSrc: 2,
			Guard: r.full, Off: 4,
		}
		dropped.Src[0], dropped.Src[1] = imm(buffer), imm(1)
		emit(dropped, "red.global.add.u32 [%#x], 1", buffer+4)

		l.transfer(isa.OpLd, r.word, isa.B64, local(1), call.Pos, "ld.local.b64 %print.word, [format]")
		store(isa.B64, 0)
		if len(format.Args) > 0 {
			l.transfer(isa.OpLd, r.args, isa.U64, local(2), call.Pos, "ld.local.u64 %print.args, [arguments]")
		}
		for _, a := range format.Args {
			in := isa.Inst{
				Op: isa.OpLd, Type: map[uint64]isa.Type{4: isa.B32, 8: isa.B64}[a.Size],
				Space: isa.SpaceGeneric, DstBits: 64, Vec: 1, NSrc: 1, NDst: 1, Guard: room, Off: int64(a.Off),
			}
			in.Src[0], in.Dst[0] = r.args, r.word
			emit(in, "ld.%s %%print.word, [%%print.args+%d]", typeName(in.Type), a.Off)
			store(in.Type, 8+a.Off)
		}
		choose := isa.Inst{Op: isa.OpSelp, Type: isa.B32, DstBits: 32, NSrc: 3, NDst: 1}
		choose.Src[0], choose.Src[1], choose.Src[2], choose.Dst[0] = imm(1<<32-2), imm(uint64(len(format.Args))),
			r.full, r.result
		emit(choose, "selp.b32 %%print.result, -2, %d, %%print.full", len(format.Args))
		l.transfer(isa.OpSt, r.result, isa.B32, local(0), call.Pos, "st.local.b32 [result], %print.result")
	}
}

// printRegisters are the registers of the instructions that make records.
type printRegisters struct{ at, word, args, result, full isa.Operand }

// printRegisters returns those of the program, made for the first call.
func (l *lowering) printRegisters() *printRegisters {
	if l.printing == nil {
		reg := func(name string, t isa.Type) isa.Operand {
			return isa.Operand{Kind: isa.OperandReg, Index: l.hidden("%print."+name, t)}
		}
		l.printing = &printRegisters{
			reg("at", isa.U32), reg("word", isa.B64), reg("args", isa.U64),
			reg("result", isa.B32),
			isa.Operand{Kind: isa.OperandPred, Index: uint16(len(l.prog.Preds))},
		}
		l.prog.Preds = append(l.prog.Preds, "%print.full")
	}
	return l.printing
}

// format is the format of a call. It must be known: its address is that of a string of the module.
func (l *lowering) format(site *callSite) *printf.Format {
	pos := site.args[0].pos
	addr, ok := l.formatAddress(&site.args[0])
	if !ok {
		l.errorf(pos, CodeUnsupported, unknownFormat)
		return nil
	}
	text, ok := l.text(addr)
	if !ok {
		l.errorf(pos, CodeUnsupported, "the format of vprintf is no string: its address is %#x", addr)
		return nil
	}
	f, err := printf.Parse(text)
	switch {
	case err != nil:
		l.errorf(pos, CodeUnsupported, "the format of vprintf: %v", err)
		return nil
	case 8+f.Bytes > isa.PrintBytes-isa.PrintHead:
		l.errorf(pos, CodeLimit, "the arguments of vprintf take more than the %d bytes of the print buffer",
			isa.PrintBytes)
		return nil
	}
	if !l.formats[addr] {
		l.formats[addr] = true
		l.prog.Formats = append(l.prog.Formats, isa.Format{Addr: addr, Text: text})
	}
	return f
}

// maxCopies bounds the followed copies of the address of a format.
const maxCopies = 100

// formatAddress follows an argument of a call to its address. The path has one store to its .param
// variable, and one mov or cvta to each register.
func (l *lowering) formatAddress(x *operand) (addr uint64, ok bool) {
	value := isa.Operand{Kind: isa.OperandImm, Imm: x.value.bits}
	if sym := l.scope.lookup(x.name); sym != nil && sym.variable != nil {
		stores := 0
		for _, pc := range l.named[sym.variable] {
			if in := &l.prog.Insts[pc]; in.Op == isa.OpSt {
				value, ok = in.Src[1], in.Off == 0 && in.Vec == 1 && in.Type.Bits() == 64 &&
					in.Guard.Kind == isa.OperandNone
				stores++
			}
		}
		if stores != 1 || !ok {
			return 0, false
		}
	} else if sym != nil {
		value = sym.operand
	}
	for steps := 0; value.Kind == isa.OperandReg && steps < maxCopies; steps++ {
		l.traced = append(l.traced, traced{value.Index, x.pos})
		defs := l.definitions(value.Index)
		if len(defs) != 1 {
			return 0, false
		}
		in := &l.prog.Insts[defs[0]]
		global := in.Space == isa.SpaceGlobal || in.Space == isa.SpaceConst
		if in.Guard.Kind != isa.OperandNone || in.Op != isa.OpMov && !(in.Op == isa.OpCvta && global) {
			return 0, false
		}
		value = in.Src[0]
	}
	return value.Imm, value.Kind == isa.OperandImm
}

// traced is a register whose only definition before a call gives the format. There must be no
// definition behind the call either.
type traced struct {
	reg  uint16
	call isa.Pos
}

// checkTraced checks the traced registers when all instructions are there.
func (l *lowering) checkTraced() {
	for _, t := range l.traced {
		if len(l.definitions(t.reg)) > 1 {
			l.errorf(t.call, CodeUnsupported, unknownFormat)
		}
	}
}

// definitions are the PCs of the instructions so far that write a register.
func (l *lowering) definitions(reg uint16) []int {
	for ; l.scanned < len(l.prog.Insts); l.scanned++ {
		in := &l.prog.Insts[l.scanned]
		for _, d := range in.Dst[:in.NDst] {
			if d.Kind == isa.OperandReg {
				l.written[d.Index] = append(l.written[d.Index], l.scanned)
			}
		}
	}
	return l.written[reg]
}

// text is the string of the module at an address.
func (l *lowering) text(addr uint64) (string, bool) {
	if l.ascending == nil {
		l.ascending = slices.SortedFunc(slices.Values(l.prog.Globals),
			func(a, b isa.Global) int { return cmp.Compare(a.Addr, b.Addr) })
	}
	globals := l.ascending
	i := sort.Search(len(globals), func(i int) bool { return globals[i].Addr+globals[i].Size > addr })
	if i == len(globals) || addr < globals[i].Addr {
		return "", false
	}
	g := &globals[i]
	text, _, ended := bytes.Cut(g.Init[min(addr-g.Addr, uint64(len(g.Init))):], []byte{0})
	return string(text), ended || uint64(len(g.Init)) < g.Size
}
