package ptx

import (
	"slices"

	"divergo/isa"
)

// assertFail is the function of CUDA's run time that the assert of C calls with
// the text of the condition, the file, line and function, and the size of a
// character. It does not return.
const assertFail = "__assertfail"

// assertions is a callee that stands for that function: a place for its
// arguments.
func (l *lowering) assertions(f *function) *callee {
	if l.failed == nil {
		_, size := f.offsets()
		at := variable{name: f.name, space: isa.SpaceLocal, size: size, align: 8}
		l.allocate(&at)
		l.failed = &callee{function: f, at: l.offsets[&at]}
	}
	return l.failed
}

// assertion makes a trap of the call, whose sources are all arguments but the
// last.
func (l *lowering) assertion(c *callee, out *isa.Inst) {
	call := *out
	*out = isa.Inst{Op: isa.OpTrap, Target: isa.NoPC, Reconv: isa.NoPC, Likely: isa.NoPC, Pos: call.Pos, Loc: call.Loc, Text: call.Text}
	offsets, _ := c.offsets()
	for i, x := range slices.All(c.params[:4]) {
		value := isa.Operand{Kind: isa.OperandReg, Index: l.hidden("%assert."+x.name().text, x.typ())}
		l.transfer(isa.OpLd, value, x.typ(), &spot{at: c.at + offsets[i]}, call.Pos, "ld.param "+x.name().text)
		out.Src[i] = value
		out.NSrc++
	}
}
