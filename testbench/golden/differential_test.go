package golden

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/isa"
)

// forms lists one instruction for each meaning that the machine's datapath has:
// all combinations of fields that Bind accepts.
var forms = sync.OnceValue(func() []isa.Inst {
	var all []isa.Inst
	for op := isa.OpAdd; op <= isa.OpNop; op++ {
		for t := isa.NoType; t <= isa.Pred; t++ {
			for _, in := range variants(op, t) {
				p := isa.Program{Insts: []isa.Inst{in}}
				if !in.Memory() && !in.Control() && !in.CrossLane() && isa.Bind(&p) == nil {
					all = append(all, p.Insts[0])
				}
			}
		}
	}
	return all
})

// types is the number of types.
const types = int(isa.Pred - isa.U8 + 1)

// variants are the instructions of op and t, sensible or not.
func variants(op isa.Op, t isa.Type) []isa.Inst {
	in := isa.Inst{Op: op, Type: t, NSrc: arity(op), NDst: 1, Dst: [4]isa.Operand{{Kind: isa.OperandReg}}}
	list := []isa.Inst{in}
	expand := func(n int, set func(in *isa.Inst, i int)) {
		var longer []isa.Inst
		for _, in := range list {
			for i := range n {
				set(&in, i)
				longer = append(longer, in)
			}
		}
		list = longer
	}
	switch op {
	case isa.OpMul, isa.OpMad, isa.OpMul24, isa.OpMad24:
		expand(4, func(in *isa.Inst, i int) { in.Mode = isa.ModeNone + isa.Mode(i) })
	case isa.OpShf:
		expand(2, func(in *isa.Inst, i int) { in.Mode = isa.ModeLeft + isa.Mode(i) })
		expand(2, func(in *isa.Inst, i int) { in.Flags = isa.FlagWrap * isa.Flags(i) })
	case isa.OpBfind:
		expand(2, func(in *isa.Inst, i int) { in.Flags = isa.FlagShiftAmt * isa.Flags(i) })
	case isa.OpPrmt:
		expand(7, func(in *isa.Inst, i int) {
			if in.Mode = isa.ModeNone; i > 0 {
				in.Mode = isa.ModeF4E + isa.Mode(i-1)
			}
		})
	case isa.OpMovVec:
		expand(2, func(in *isa.Inst, i int) { in.NSrc, in.NDst = 2<<i, 2<<i })
	case isa.OpLop3:
		expand(3, func(in *isa.Inst, i int) {
			if in.Bool = isa.BoolNone + isa.BoolOp(i); i > 0 {
				in.NSrc, in.NDst = 5, 2
			}
		})
	case isa.OpBmsk, isa.OpSzext:
		expand(2, func(in *isa.Inst, i int) { in.Flags = isa.FlagWrap * isa.Flags(i) })
	case isa.OpDp4a, isa.OpDp2a:
		expand(2, func(in *isa.Inst, i int) { in.SrcType = [...]isa.Type{isa.U32, isa.S32}[i] })
		expand(3, func(in *isa.Inst, i int) { in.Mode = isa.ModeNone + isa.Mode(i) })
	case isa.OpCvtPack:
		expand(2, func(in *isa.Inst, i int) { in.SrcType, in.Flags, in.NSrc = isa.S32, isa.FlagSat, uint8(2+i) })
	case isa.OpMin, isa.OpMax:
		expand(4, func(in *isa.Inst, i int) { in.Flags = isa.FlagNaN*isa.Flags(i&1) | isa.FlagXorSign*isa.Flags(i>>1) })
	case isa.OpVadd, isa.OpVsub, isa.OpVabsdiff, isa.OpVmin, isa.OpVmax, isa.OpVavrg, isa.OpVshl, isa.OpVshr,
		isa.OpVmad, isa.OpVset:
		list = videos(in)
	case isa.OpCvta, isa.OpIsspacep:
		expand(5, func(in *isa.Inst, i int) { in.Space = isa.SpaceGlobal + isa.Space(i) })
		expand(2, func(in *isa.Inst, i int) { in.Mode = [...]isa.Mode{isa.ModeNone, isa.ModeTo}[i] })
		if op == isa.OpIsspacep {
			expand(2, func(in *isa.Inst, i int) { in.NSrc = uint8(1 + 2*i) })
		}
	case isa.OpTestp:
		expand(6, func(in *isa.Inst, i int) { in.Cmp = isa.TestFinite + isa.Cmp(i) })
	case isa.OpSetp, isa.OpSet:
		expand(18, func(in *isa.Inst, i int) { in.Cmp = isa.CmpEq + isa.Cmp(i) })
		expand(4, func(in *isa.Inst, i int) { in.Bool = isa.BoolNone + isa.BoolOp(i) })
		if op == isa.OpSetp {
			expand(1, func(in *isa.Inst, _ int) { in.SrcType, in.NDst = t, 2 })
		} else {
			expand(types, func(in *isa.Inst, i int) { in.SrcType = isa.U8 + isa.Type(i) })
		}
	case isa.OpSlct:
		expand(2, func(in *isa.Inst, i int) { in.SrcType = [...]isa.Type{isa.S32, isa.F32}[i] })
	case isa.OpCvt:
		switch t {
		case isa.F16x2, isa.BF16x2, isa.E4M3x2, isa.E5M2x2:
			expand(1, func(in *isa.Inst, _ int) { in.NSrc = 2 })
		}
	}
	switch op {
	case isa.OpPack:
		expand(2, func(in *isa.Inst, i int) { in.NSrc = 2 << i })
	case isa.OpUnpack:
		expand(2, func(in *isa.Inst, i int) { in.NDst = 2 << i })
	case isa.OpCvt:
		expand(types, func(in *isa.Inst, i int) { in.SrcType = isa.U8 + isa.Type(i) })
		expand(4, func(in *isa.Inst, i int) { in.DstBits = [...]uint8{0, 16, 32, 64}[i] })
	}
	switch op {
	case isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpMad, isa.OpFma, isa.OpDiv, isa.OpRcp, isa.OpSqrt, isa.OpCvt:
		expand(int(isa.RoundUpInt)+1, func(in *isa.Inst, i int) { in.Round = isa.Round(i) })
	}
	if t.Float() || op == isa.OpCvt || op == isa.OpSet || op == isa.OpSlct {
		expand(2, func(in *isa.Inst, i int) { in.Flags |= isa.FlagFtz * isa.Flags(i) })
		expand(3, func(in *isa.Inst, i int) { in.Flags |= [...]isa.Flags{0, isa.FlagApprox, isa.FlagFull}[i] })
	}
	switch op {
	case isa.OpMin, isa.OpMax:
		expand(4, func(in *isa.Inst, i int) {
			in.Flags |= [...]isa.Flags{0, isa.FlagNaN, isa.FlagXorSign, isa.FlagNaN | isa.FlagXorSign}[i]
		})
	case isa.OpFma, isa.OpCvt:
		expand(4, func(in *isa.Inst, i int) {
			in.Flags |= [...]isa.Flags{0, isa.FlagRelu, isa.FlagSatFinite, isa.FlagRelu | isa.FlagSatFinite}[i]
		})
	}
	switch op {
	case isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpMad, isa.OpMad24, isa.OpFma, isa.OpCvt:
		expand(2, func(in *isa.Inst, i int) { in.Flags |= isa.FlagSat * isa.Flags(i) })
	}
	return list
}

// videos returns forms of a video instruction. They cover all ways of reading operands and of
// combining the result, with some of the selections.
func videos(in isa.Inst) (list []isa.Inst) {
	types := []isa.Type{isa.U32, isa.S32}
	r := rand.New(rand.NewPCG(uint64(in.Op), uint64(in.Type)))
	for _, vec := range []uint8{1, 2, 4} {
		for i := range 96 {
			in.Vec, in.NSrc = vec, 3
			in.SrcType, in.Select.BType = types[i&1], types[i>>1&1]
			in.Flags = isa.FlagSat*isa.Flags(i>>2&1) | isa.FlagWrap*isa.Flags(r.IntN(2))
			in.Cmp = isa.CmpEq + isa.Cmp(r.IntN(6))
			if in.Op == isa.OpVmad {
				in.Mode = [...]isa.Mode{isa.ModeNone, isa.ModePlusOne, isa.ModeNegProduct, isa.ModeNegAddend}[r.IntN(4)]
				in.Select.Shift = [...]uint8{0, 7, 15}[r.IntN(3)]
			}
			part := func() uint16 {
				n := [...]int{8, 16, 32}[r.IntN(3)]
				return uint16(n<<8 | n*r.IntN(32/n))
			}
			in.Atom = isa.AtomNone
			if in.Select.A, in.Select.B, in.Select.D = part(), part(), 32<<8; vec > 1 {
				ofBytes := uint16(0x7777)
				if vec == 2 {
					ofBytes = 0x33
				}
				in.Select.A, in.Select.B, in.Select.D = uint16(r.Uint32())&ofBytes, uint16(r.Uint32())&ofBytes,
					uint16(r.Uint32())&(1<<vec-1)
				in.Atom = isa.AtomAdd * isa.AtomOp(r.IntN(2))
			} else if i%3 == 0 && in.Op != isa.OpVmad {
				in.Select.D = part()
			} else if in.Op != isa.OpVmad {
				in.Atom = [...]isa.AtomOp{isa.AtomNone, isa.AtomAdd, isa.AtomMin, isa.AtomMax}[r.IntN(4)]
			}
			list = append(list, in)
		}
	}
	return list
}

func arity(op isa.Op) uint8 {
	switch op {
	case isa.OpMad, isa.OpMad24, isa.OpSad, isa.OpBfe, isa.OpFma, isa.OpSetp, isa.OpSet, isa.OpSelp, isa.OpSlct,
		isa.OpShf, isa.OpPrmt,
		isa.OpFns, isa.OpDp4a, isa.OpDp2a:
		return 3
	case isa.OpBfi, isa.OpLop3:
		return 4
	case isa.OpAbs, isa.OpNeg, isa.OpPopc, isa.OpClz, isa.OpBfind, isa.OpBrev, isa.OpRcp, isa.OpSqrt, isa.OpRsqrt,
		isa.OpSin, isa.OpCos, isa.OpLg2, isa.OpEx2, isa.OpTanh,
		isa.OpTestp, isa.OpNot, isa.OpCnot, isa.OpMov, isa.OpCvta, isa.OpIsspacep, isa.OpCvt, isa.OpUnpack:
		return 1
	case isa.OpNop:
		return 0
	}
	return 2
}

func describe(in *isa.Inst) string {
	return fmt.Sprintf("op %d type %d from %d mode %d round %d flags %#x cmp %d bool %d space %d dst %d bits",
		in.Op, in.Type, in.SrcType, in.Mode, in.Round, in.Flags, in.Cmp, in.Bool, in.Space, in.DstBits)
}

// sourceType returns the type as which in reads source i.
func sourceType(in *isa.Inst, i int) isa.Type {
	switch in.Op {
	case isa.OpCvt:
		if in.Type.Element() != in.Type {
			return in.SrcType
		}
		return isa.U64 // registers may be wider than the type
	case isa.OpSetp, isa.OpSet:
		if i == 2 {
			return isa.Pred
		}
		return in.SrcType
	case isa.OpSelp:
		if i == 2 {
			return isa.Pred
		}
	case isa.OpSlct:
		if i == 2 {
			return in.SrcType
		}
	case isa.OpShl, isa.OpShr:
		if i == 1 {
			return isa.U32
		}
	case isa.OpBfe:
		if i > 0 {
			return isa.U32
		}
	case isa.OpBfi:
		if i > 1 {
			return isa.U32
		}
	case isa.OpMad:
		if i == 2 && in.Mode == isa.ModeWide {
			return isa.U64
		}
	case isa.OpLop3:
		if i == 4 {
			return isa.Pred
		}
	case isa.OpCvtPack:
		return isa.U32
	case isa.OpPack:
		return [...]isa.Type{16: isa.B16, 32: isa.B32, 8: isa.B8, 4: isa.B8}[in.Type.Bits()/int(in.NSrc)]
	case isa.OpIsspacep:
		return isa.U64
	}
	return in.Type
}

// operand returns a random value of type t, likely to be a limit of it or close to other operands.
func operand(r *rand.Rand, in *isa.Inst, t isa.Type) uint64 {
	x := r.Uint64()
	switch r.IntN(6) {
	case 0:
		x = uint64(r.IntN(5)) - 2
	case 1:
		x = 1<<r.IntN(64) - uint64(r.IntN(3))
	case 2:
		x = uint64(r.IntN(80))
	}
	if in.Op == isa.OpCvt {
		t = in.SrcType
	}
	switch {
	case t.Half():
		return halfOperand(r)<<16*truth(t.Bits() == 32) | halfOperand(r)
	case t == isa.F32:
		return uint64(float32Operand(r)) | x<<32*uint64(truth(in.Op == isa.OpCvt))
	case t == isa.F64:
		return float64Operand(r)
	case in.Op == isa.OpIsspacep, in.Op == isa.OpCvta:
		return cut(in.Type, uint64(r.IntN(6))<<24+uint64(r.IntN(3))-1) |
			x&^0xFFFF_FFFF*uint64(r.IntN(2))*truth(in.Type != isa.U32)
	case t == isa.Pred:
		return uint64(r.IntN(2))
	case in.Op == isa.OpCvt:
		return x
	}
	return cut(t, x)
}

func float32Operand(r *rand.Rand) uint32 {
	special := [...]uint32{
		0, 1, 2, 0x7F_FFFF, 0x80_0000, 0x80_0001, 0x3F80_0000, 0x3F7F_FFFF, 0x3F00_0000, 0x4B00_0000, 0x4B00_0001,
		0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000, 0x7FFF_FFFF, 0x4F00_0000, 0x4EFF_FFFF, 0x4F80_0000,
		0x5F00_0000, 0x5F80_0000, 0x437F_0000, 0x4380_0000,
	}
	x := r.Uint32()
	switch r.IntN(4) {
	case 0:
		x = x&0x8000_0000 | special[r.IntN(len(special))]
	case 1: // near 1, few bits
		x = x&0x8000_0000 | uint32(120+r.IntN(32))<<23 | r.Uint32()&0x7F_FFFF&^(1<<r.IntN(24)-1)
	case 2: // tiny or huge
		x = x&0x80FF_FFFF | uint32(r.IntN(2)*0x7E00_0000)
	}
	return x
}

// halfOperand returns a random operand of 16 bits.
func halfOperand(r *rand.Rand) uint64 {
	special := [...]uint64{
		0, 1, 2, 0x3FF, 0x400, 0x401, 0x3C00, 0x3BFF, 0x3800, 0x6400, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x7FFF,
		0x7F, 0x80, 0x81, 0x3F80, 0x3F7F, 0x3F00, 0x7F7F, 0x7F80, 0x7F81, 0x7FC0,
	}
	x := r.Uint64N(1 << 16)
	switch r.IntN(3) {
	case 0:
		x = x&0x8000 | special[r.IntN(len(special))]
	case 1: // near 1
		x = x&0x83FF | uint64(12+r.IntN(6))<<10
	}
	return x
}

func float64Operand(r *rand.Rand) uint64 {
	special := [...]uint64{
		0, 1, 1<<52 - 1, 1 << 52, 0x3FF0_0000_0000_0000, 0x3FEF_FFFF_FFFF_FFFF, 0x7FEF_FFFF_FFFF_FFFF,
		0x7FF0_0000_0000_0000,
		0x7FF0_0000_0000_0001, 0x7FF8_0000_0000_0000, 0x41E0_0000_0000_0000, 0x41F0_0000_0000_0000,
		0x43E0_0000_0000_0000, 0x43F0_0000_0000_0000,
		0x47EF_FFFF_E000_0000, 0x47EF_FFFF_F000_0000, 0x3810_0000_0000_0000, 0x36A0_0000_0000_0000,
		0x3690_0000_0000_0000, 0x380F_FFFF_FFFF_FFFF,
	}
	x := r.Uint64()
	switch r.IntN(4) {
	case 0:
		x = x&(1<<63) | special[r.IntN(len(special))]
	case 1:
		x = x&(1<<63) | uint64(1010+r.IntN(80))<<52 | r.Uint64()&(1<<52-1)&^(1<<r.IntN(53)-1)
	case 2:
		x = x&0x801F_FFFF_FFFF_FFFF | uint64(r.IntN(2))*0x7FC0_0000_0000_0000
	}
	return x
}

// predicated reports whether destination i of in is a predicate.
func predicated(in *isa.Inst) bool {
	return in.Op == isa.OpSetp || in.Op == isa.OpTestp || in.Op == isa.OpIsspacep || in.Type == isa.Pred
}

// TestAgainstDatapath compares every instruction with the machine's lanes on random operands. The
// two share no arithmetic.
func TestAgainstDatapath(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	all := forms()
	require.Greater(t, len(all), 1000)
	for i := range all {
		in := &all[i]
		rounds := 12
		if in.Type.Half() || in.SrcType.Half() {
			rounds = 4 // see TestHalvesExhaustively
		}
		if testing.Short() {
			rounds = max(0, 1-i%4)
		}
		for range rounds {
			compareLanes(t, r, in)
		}
	}
}

func compareLanes(t *testing.T, r *rand.Rand, in *isa.Inst) {
	var rows [isa.MaxSrcs]isa.Row
	var out [isa.MaxDsts]isa.Row
	x := isa.Lanes{Mask: ^uint32(0)}
	if r.IntN(2) == 0 {
		x.Mask = r.Uint32()
	}
	for i := range int(in.NSrc) {
		st := sourceType(in, i)
		for lane := range rows[i] {
			rows[i][lane] = operand(r, in, st)
			if i > 0 && r.IntN(4) == 0 && st == sourceType(in, 0) {
				rows[i][lane] = rows[0][lane]
			}
			if in.Op == isa.OpIsspacep && i > 0 { // addresses near the constants
				rows[i][lane] = [...]uint64{0, isa.ModuleBase, uint64(r.IntN(3))}[i]
			}
			x.PSrc[i] |= uint32(rows[i][lane]&1) << lane
		}
		if st != isa.Pred {
			x.Src[i] = &rows[i]
		}
	}
	if !predicated(in) {
		for i := range int(in.NDst) {
			x.Dst[i] = &out[i]
		}
	}
	isa.Execute(in, &x)
	for lane := range isa.RowLanes {
		if x.Mask>>lane&1 == 0 {
			continue
		}
		var src [isa.MaxSrcs]uint64
		for i := range src {
			src[i] = rows[i][lane]
		}
		want, ok := Eval(in, src[:])
		if !ok {
			require.Failf(t, "no meaning", "for %s", describe(in))
		}
		for i := range int(in.NDst) {
			got := out[i][lane]
			if predicated(in) || in.Op == isa.OpLop3 && i == 1 {
				got = uint64(x.PDst[i] >> lane & 1)
			}
			if want[i] == got {
				continue
			}
			require.Failf(t, "different", "%s of %#x: golden %#x, datapath %#x", describe(in), src[:in.NSrc],
				want[i], got)
		}
	}
}
