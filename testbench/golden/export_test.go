package golden

import "divergo/isa"

// Eval computes one instruction that is neither a memory nor a control
// instruction, as eval does in place.
func Eval(in *isa.Inst, src []uint64) (dst [isa.MaxDsts]uint64, ok bool) {
	var v values
	copy(v.src[:], src)
	ok = v.eval(in)
	return v.dst, ok
}
