package gpucheck

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"divergo/gpu"
	"divergo/internal/splitmix"
	"divergo/properties/draw"
	"divergo/ptx"
	"divergo/testbench"
)

// The threads of a form's kernel, in this order. All threads of a group have operands of one kind.
const (
	pairs    = draw.SpecialCount * draw.SpecialCount // every pair of special values in the first two operands
	mixed    = 512                                   // special values in all operands
	random   = 256
	smallest = 256 // floats whose product, quotient or conversion is next to the smallest normal number
	threads  = pairs + mixed + random + smallest

	block   = 256
	results = 2 // of 64 bits for each thread: the destination, and the second one or the carry
)

// Forms is the number of forms.
func Forms() int { return len(ptx.Forms()) }

// Form makes the case of a form of a computing instruction: each thread loads its operands, executes the
// form, and stores the result. The operands are such that PTX defines the result, but for a division by zero.
// A NaN of an f64 instruction or of a conversion is stored as one value: the manual leaves its bits open, and
// a GPU passes those of an operand.
func Form(n int) (*Case, error) {
	form := ptx.Forms()[n]
	opcode, regs := draw.Mnemonic(form), draw.FormRegisters(form)
	var w formWriter
	declared := map[string]bool{}
	for i, r := range regs {
		declared[fmt.Sprintf("\t.reg .%s %%%s<10>;\n", r.Declared, r.Name[1:len(r.Name)-1])] = true
		if r.Result || slices.ContainsFunc(regs[:i], func(o draw.FormRegister) bool { return o.Name == r.Name }) {
			continue
		}
		place := w.loaded
		w.load(func(t int) uint64 { return restrict(form, place, operand(&r, place, t)) })
		w.set(&r)
	}
	if opcode == "addc" || opcode == "subc" || opcode == "madc" {
		w.load(func(t int) uint64 { return mix(uint64(t)) & 1 })
		w.line("cvt.u32.u64 %%w, %%q;")
		if opcode == "subc" {
			w.line("sub.cc.u32 %%w, 0, %%w;")
		} else {
			w.line("add.cc.u32 %%w, %%w, -1;")
		}
	}
	w.line("%s", form)
	if words, _, _ := strings.Cut(form, " "); strings.Contains(words, ".cc") {
		if strings.HasPrefix(opcode, "sub") {
			w.line("subc.u32 %%w, 0, 0;")
		} else {
			w.line("addc.u32 %%w, 0, 0;")
		}
		w.line("cvt.u64.u32 %%q, %%w;")
		w.store()
	}
	for _, r := range regs {
		if !r.Result {
			continue
		}
		w.get(&r)
		if f, is := formats[r.Format()]; is && (r.Bits == 64 || opcode == "cvt") {
			w.line("and.b64 %%at, %%q, %d;", f.sign-1)
			w.line("setp.gt.u64 %%nan, %%at, %d;", f.infinity)
			w.line("@%%nan mov.b64 %%q, %d;", f.sign-1)
		}
		w.store()
	}
	c := &Case{
		Number: uint32(n), Text: w.text(slices.Sorted(maps.Keys(declared))),
		Grid: [3]uint32{threads / block, 1, 1}, Block: [3]uint32{block, 1, 1}, Launches: 1,
		Buffers: []Buffer{{Before: w.in}, {Before: make([]byte, 8*threads*results)}}, Machine: gpu.Default(),
	}
	m, err := ptx.Parse("form.ptx", []byte(c.Text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", form, err)
	}
	c.Prog, err = testbench.Program(m, "")
	return c, err
}

// formWriter writes the kernel of a form. Values go through register %q.
type formWriter struct {
	body   strings.Builder
	in     []byte // the operands of all threads
	loaded int    // of these, for each thread
	stored int    // results of a thread
}

func (w *formWriter) line(format string, args ...any) {
	fmt.Fprintf(&w.body, "\t"+format+"\n", args...)
}

// load loads an operand, whose value for each thread is given.
func (w *formWriter) load(value func(thread int) uint64) {
	w.line("ld.global.b64 %%q, [%%in+%d];", 8*threads*w.loaded)
	for t := range threads {
		w.in = binary.LittleEndian.AppendUint64(w.in, value(t))
	}
	w.loaded++
}

// store stores a result.
func (w *formWriter) store() {
	w.line("st.global.b64 [%%out+%d], %%q;", 8*threads*w.stored)
	w.stored++
}

// set writes %q to a register of the form.
func (w *formWriter) set(r *draw.FormRegister) {
	switch r.Bits {
	case 1:
		w.line("and.b64 %%q, %%q, 1;")
		w.line("setp.ne.u64 %s, %%q, 0;", r.Name)
	case 8:
		w.line("cvt.u32.u64 %%w, %%q;")
		w.line("cvt.u8.u32 %s, %%w;", r.Name)
	case 16:
		w.line("cvt.u16.u64 %%h, %%q;")
		w.line("mov.b16 %s, %%h;", r.Name)
	case 32:
		w.line("cvt.u32.u64 %%w, %%q;")
		w.line("mov.b32 %s, %%w;", r.Name)
	default:
		w.line("mov.b64 %s, %%q;", r.Name)
	}
}

// get reads a register of the form into %q.
func (w *formWriter) get(r *draw.FormRegister) {
	switch r.Bits {
	case 1:
		w.line("selp.b64 %%q, 1, 0, %s;", r.Name)
	case 8:
		w.line("cvt.u32.u8 %%w, %s;", r.Name)
		w.line("cvt.u64.u32 %%q, %%w;")
	case 16:
		w.line("mov.b16 %%h, %s;", r.Name)
		w.line("cvt.u64.u16 %%q, %%h;")
	case 32:
		w.line("mov.b32 %%w, %s;", r.Name)
		w.line("cvt.u64.u32 %%q, %%w;")
	default:
		w.line("mov.b64 %%q, %s;", r.Name)
	}
}

// text returns the kernel, with the declarations of the form's registers.
func (w *formWriter) text(declared []string) string {
	return header + `.visible .entry kernel(.param .u64 in, .param .u64 out)
{
	.reg .b64 %in, %out, %q, %at;
	.reg .b32 %w, %c;
	.reg .b16 %h;
	.reg .pred %nan;
` + strings.Join(declared, "") + fmt.Sprintf(`	mov.u32 %%w, %%tid.x;
	mov.u32 %%c, %%ctaid.x;
	mad.lo.u32 %%w, %%c, %d, %%w;
	mul.wide.u32 %%at, %%w, 8;
	ld.param.u64 %%in, [in];
	add.u64 %%in, %%in, %%at;
	ld.param.u64 %%out, [out];
	add.u64 %%out, %%out, %%at;
%s	ret;
}
`, block, w.body.String())
}

// operand is the value of operand number place of thread t.
func operand(r *draw.FormRegister, place, t int) uint64 {
	h := mix(uint64(t)<<8 | uint64(place))
	if t < pairs && place < 2 {
		if place == 1 {
			t /= draw.SpecialCount
		}
		return r.Specials[t%draw.SpecialCount]
	}
	if t < pairs+mixed {
		return r.Specials[h%draw.SpecialCount]
	}
	if t -= pairs + mixed; t >= random {
		return nearSmallest(r, place, t-random)
	}
	switch low := h & 63; t % 8 {
	case 0, 4: // small numbers, such as counts of shifts
		if place > 0 {
			return low
		}
	case 1, 5: // numbers of all sizes
		return uint64(int64(h) >> low)
	case 2: // floats next to special ones
		return r.Specials[h%draw.SpecialCount] + h>>8&0xFFF
	}
	return h
}

// mix returns the random number of a seed.
func mix(seed uint64) uint64 {
	s := splitmix.Source(seed)
	return s.Next()
}

// formats are 1, the smallest normal number, infinity and the sign of floating-point formats. The smallest number
// of f64 is that of f32, to which it may be converted.
var formats = map[string]struct{ one, smallest, infinity, sign uint64 }{
	"f16": {0x3C00, 0x0400, 0x7C00, 1 << 15}, "bf16": {0x3F80, 0x0080, 0x7F80, 1 << 15},
	"f32": {0x3F80_0000, 0x0080_0000, 0x7F80_0000, 1 << 31}, "tf32": {0x3F80_0000, 0x0080_0000, 0x7F80_0000, 1 << 31},
	"f64": {0x3FF0 << 48, 0x3810 << 48, 0x7FF0 << 48, 1 << 63},
}

// nearSmallest is the value of operand number place of thread i of that group. Its bits choose the operands: the
// smallest normal number or one of the next three, with a sign; a number next to 1; and zero or the smallest
// subnormal number. Which of the first two is the first is a choice too.
func nearSmallest(r *draw.FormRegister, place, i int) uint64 {
	single, packed := strings.CutSuffix(r.Format(), "x2")
	f, is := formats[single]
	if !is {
		return mix(uint64(i)<<8 | uint64(place))
	}
	var v uint64
	switch swap := i >> 5 & 1; {
	case single == "f64" && place == 0: // numbers just below, which single precision cannot hold
		v = f.smallest - 1<<(i&31) + uint64(i>>6)<<63
	case place > 1:
		v = []uint64{0, 1, f.sign, f.sign | 1}[i>>6&3]
	case place == swap:
		v = f.smallest + uint64(i&3) | f.sign*uint64(i>>2&1)
	case i>>4&1 != 0:
		v = f.one - uint64(i>>3&1) - 1
	default:
		v = f.one + uint64(i>>3&1) + 1
	}
	if packed { // with a zero of either sign in the upper half
		v |= v << (r.Bits - 1)
	}
	return v
}

// restrict maps a value to one for which PTX defines the result.
func restrict(form string, place int, v uint64) uint64 {
	switch opcode := draw.Mnemonic(form); {
	case opcode == "bfe" && place > 0, opcode == "bfi" && place > 1:
		return v & 0xFF
	case opcode == "fns" && place == 1:
		return v & 31
	case opcode == "fns" && place == 2 && uint32(v) == 1<<31: // its magnitude is not an s32
		return 1
	}
	return v
}
