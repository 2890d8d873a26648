package ptx

import (
	"slices"

	"divergo/isa"
)

// assertFail is the function of CUDA's run time that the assert of C calls. Its arguments are the
// text of the condition, the file, line and function, and the size of a character. It does not
// return.
const assertFail = "__assertfail"

// asserts reports whether f is assertFail.
func (f *function) asserts() bool {
	return f.body == nil && f.name.text == assertFail && len(f.params) == 5
}

// assertion makes a trap of the call. Its sources are all arguments but the last.
func (l *lowering) assertion(c *callee, out *isa.Inst) {
	call := *out
	*out = isa.Inst{
		Op: isa.OpTrap, Target: isa.NoPC, Reconv: isa.NoPC, Likely: isa.NoPC, Pos: call.Pos, Loc: call.Loc,
		Text: call.Text,
	}
	offsets, _ := c.offsets()
	for i, x := range slices.All(c.params[:4]) {
		value := isa.Operand{Kind: isa.OperandReg, Index: l.hidden("%assert."+x.name().text, x.typ())}
		l.transfer(isa.OpLd, value, x.typ(), &spot{at: c.at + offsets[i]}, call.Pos, "ld.param "+x.name().text)
		out.Src[i] = value
		out.NSrc++
	}
}
