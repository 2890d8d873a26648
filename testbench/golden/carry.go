package golden

import (
	"math/big"

	"divergo/isa"
)

// carry computes extended-precision arithmetic (PTX ISA, section 9.7.2). The carry out is the part
// that does not fit; for a difference it is a borrow.
func (v *values) carry(in *isa.Inst) bool {
	t := in.Type
	number := func(x uint64) *big.Int { return new(big.Int).SetUint64(cut(t, x)) }
	a := number(v.src[0])
	switch in.Op {
	case isa.OpAddC:
		a.Add(a, number(v.src[1])).Add(a, number(v.src[2]))
	case isa.OpSubC:
		a.Sub(a, number(v.src[1])).Sub(a, number(v.src[2]))
	case isa.OpMadC:
		a = number(product(in, v.src[0], v.src[1]))
		a.Add(a, number(v.src[2])).Add(a, number(v.src[3]))
	default:
		return false
	}
	size := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	v.dst[1] = truth(a.Sign() < 0 || a.Cmp(size) >= 0)
	v.dst[0] = a.Mod(a, size).Uint64()
	return true
}
