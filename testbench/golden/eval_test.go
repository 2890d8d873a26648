package golden

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

func f32(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
func f64(x float64) uint64 { return math.Float64bits(x) }

// TestEval checks results worked out by hand from the PTX ISA manual.
func TestEval(t *testing.T) {
	const (
		rz, rm, rp = isa.RoundZero, isa.RoundDown, isa.RoundUp
		ftz, sat   = isa.FlagFtz, isa.FlagSat
		inf, ninf  = 0x7F80_0000, 0xFF80_0000
	)
	for _, c := range []struct {
		name string
		in   isa.Inst
		src  []uint64
		want uint64
	}{
		// integer arithmetic
		{"add.u32 wraps", isa.Inst{Op: isa.OpAdd, Type: isa.U32}, []uint64{0xFFFF_FFFF, 2}, 1},
		{"add.u16 wraps", isa.Inst{Op: isa.OpAdd, Type: isa.U16}, []uint64{0xFFFF, 2}, 1},
		{"add.sat.s32", isa.Inst{Op: isa.OpAdd, Type: isa.S32, Flags: sat}, []uint64{0x7FFF_FFFF, 1}, 0x7FFF_FFFF},
		{"sub.sat.s32", isa.Inst{Op: isa.OpSub, Type: isa.S32, Flags: sat}, []uint64{0x8000_0000, 1}, 0x8000_0000},
		{"sub.s64", isa.Inst{Op: isa.OpSub, Type: isa.S64}, []uint64{1, 2}, math.MaxUint64},
		{"mul.lo.s32", isa.Inst{Op: isa.OpMul, Type: isa.S32, Mode: isa.ModeLo}, []uint64{0xFFFF_FFFF, 3}, 0xFFFF_FFFD},
		{"mul.hi.s32", isa.Inst{Op: isa.OpMul, Type: isa.S32, Mode: isa.ModeHi}, []uint64{0xFFFF_FFFF, 3}, 0xFFFF_FFFF},
		{"mul.hi.u32", isa.Inst{Op: isa.OpMul, Type: isa.U32, Mode: isa.ModeHi}, []uint64{0xFFFF_FFFF, 3}, 2},
		{
			"mul.hi.u64",
			isa.Inst{Op: isa.OpMul, Type: isa.U64, Mode: isa.ModeHi},
			[]uint64{math.MaxUint64, math.MaxUint64},
			math.MaxUint64 - 1,
		},
		{
			"mul.hi.s64",
			isa.Inst{Op: isa.OpMul, Type: isa.S64, Mode: isa.ModeHi},
			[]uint64{math.MaxUint64, 5},
			math.MaxUint64,
		},
		{"mul.wide.s16", isa.Inst{Op: isa.OpMul, Type: isa.S16, Mode: isa.ModeWide}, []uint64{0xFFFF, 2}, 0xFFFF_FFFE},
		{
			"mul.wide.u32",
			isa.Inst{Op: isa.OpMul, Type: isa.U32, Mode: isa.ModeWide},
			[]uint64{0xFFFF_FFFF, 2},
			0x1_FFFF_FFFE,
		},
		{
			"mad.wide.s32",
			isa.Inst{Op: isa.OpMad, Type: isa.S32, Mode: isa.ModeWide},
			[]uint64{0xFFFF_FFFF, 4, 1 << 32},
			0xFFFF_FFFC,
		},
		{
			"mad.hi.sat.s32",
			isa.Inst{Op: isa.OpMad, Type: isa.S32, Mode: isa.ModeHi, Flags: sat},
			[]uint64{0x4000_0000, 4, 0x7FFF_FFFF},
			0x7FFF_FFFF,
		},
		{"mul24.lo.u32", isa.Inst{Op: isa.OpMul24, Type: isa.U32, Mode: isa.ModeLo}, []uint64{0xFF00_0003, 2}, 6},
		{
			"mul24.hi.s32",
			isa.Inst{Op: isa.OpMul24, Type: isa.S32, Mode: isa.ModeHi},
			[]uint64{0x00FF_FFFF, 0x10000},
			0xFFFF_FFFF,
		},
		{
			"mad24.lo.s32",
			isa.Inst{Op: isa.OpMad24, Type: isa.S32, Mode: isa.ModeLo},
			[]uint64{0x00FF_FFFF, 3, 1},
			0xFFFF_FFFE,
		},
		{"sad.u32", isa.Inst{Op: isa.OpSad, Type: isa.U32}, []uint64{2, 0xFFFF_FFFF, 1}, 0xFFFF_FFFE},
		{"sad.s32", isa.Inst{Op: isa.OpSad, Type: isa.S32}, []uint64{2, 0xFFFF_FFFF, 1}, 4},
		{"div.s32 truncates", isa.Inst{Op: isa.OpDiv, Type: isa.S32}, []uint64{0xFFFF_FFF9, 2}, 0xFFFF_FFFD},
		{
			"div.s32 least by -1",
			isa.Inst{Op: isa.OpDiv, Type: isa.S32},
			[]uint64{0x8000_0000, 0xFFFF_FFFF},
			0x8000_0000,
		},
		{"div.u32 by 0", isa.Inst{Op: isa.OpDiv, Type: isa.U32}, []uint64{5, 0}, 0xFFFF_FFFF},
		{"div.s64 by 0", isa.Inst{Op: isa.OpDiv, Type: isa.S64}, []uint64{5, 0}, math.MaxUint64},
		{"rem.s32 sign of dividend", isa.Inst{Op: isa.OpRem, Type: isa.S32}, []uint64{0xFFFF_FFF9, 2}, 0xFFFF_FFFF},
		{"rem.s32 least by -1", isa.Inst{Op: isa.OpRem, Type: isa.S32}, []uint64{0x8000_0000, 0xFFFF_FFFF}, 0},
		{"rem.u64 by 0", isa.Inst{Op: isa.OpRem, Type: isa.U64}, []uint64{5, 0}, ^uint64(0)},
		{"min.s32", isa.Inst{Op: isa.OpMin, Type: isa.S32}, []uint64{1, 0xFFFF_FFFF}, 0xFFFF_FFFF},
		{"max.u32", isa.Inst{Op: isa.OpMax, Type: isa.U32}, []uint64{1, 0xFFFF_FFFF}, 0xFFFF_FFFF},
		{"abs.s32 of the least", isa.Inst{Op: isa.OpAbs, Type: isa.S32}, []uint64{0x8000_0000}, 0x8000_0000},
		{"neg.s16", isa.Inst{Op: isa.OpNeg, Type: isa.S16}, []uint64{1}, 0xFFFF},

		// bits
		{"popc.b64", isa.Inst{Op: isa.OpPopc, Type: isa.B64}, []uint64{0xF000_0000_0000_000F}, 8},
		{"clz.b32 of 0", isa.Inst{Op: isa.OpClz, Type: isa.B32}, []uint64{0}, 32},
		{"clz.b32", isa.Inst{Op: isa.OpClz, Type: isa.B32}, []uint64{1 << 20}, 11},
		{"bfind.u32", isa.Inst{Op: isa.OpBfind, Type: isa.U32}, []uint64{0x0001_0000}, 16},
		{"bfind.s32 of -1", isa.Inst{Op: isa.OpBfind, Type: isa.S32}, []uint64{0xFFFF_FFFF}, 0xFFFF_FFFF},
		{"bfind.s32 of -5", isa.Inst{Op: isa.OpBfind, Type: isa.S32}, []uint64{0xFFFF_FFFB}, 2},
		{
			"bfind.shiftamt",
			isa.Inst{Op: isa.OpBfind, Type: isa.U32, Flags: isa.FlagShiftAmt},
			[]uint64{0x0001_0000},
			15,
		},
		{"brev.b32", isa.Inst{Op: isa.OpBrev, Type: isa.B32}, []uint64{0x8000_0002}, 0x4000_0001},
		{"bfe.u32", isa.Inst{Op: isa.OpBfe, Type: isa.U32}, []uint64{0xABCD_1234, 8, 8}, 0x12},
		{"bfe.s32 sign", isa.Inst{Op: isa.OpBfe, Type: isa.S32}, []uint64{0x0000_8000, 12, 4}, 0xFFFF_FFF8},
		{"bfe.s32 beyond", isa.Inst{Op: isa.OpBfe, Type: isa.S32}, []uint64{0x8000_0000, 40, 4}, 0xFFFF_FFFF},
		{"bfi.b32", isa.Inst{Op: isa.OpBfi, Type: isa.B32}, []uint64{0xF, 0, 30, 8}, 0xC000_0000},
		{"shl.b32 by 32", isa.Inst{Op: isa.OpShl, Type: isa.B32}, []uint64{1, 32}, 0},
		{"shr.s32 by 40", isa.Inst{Op: isa.OpShr, Type: isa.S32}, []uint64{0x8000_0000, 40}, 0xFFFF_FFFF},
		{"shr.u16", isa.Inst{Op: isa.OpShr, Type: isa.U16}, []uint64{0x8000, 15}, 1},
		{
			"shf.l.wrap",
			isa.Inst{Op: isa.OpShf, Type: isa.B32, Mode: isa.ModeLeft, Flags: isa.FlagWrap},
			[]uint64{0x8000_0000, 1, 33},
			3,
		},
		{"shf.l.clamp", isa.Inst{Op: isa.OpShf, Type: isa.B32, Mode: isa.ModeLeft}, []uint64{0x1234, 1, 33}, 0x1234},
		{"shf.r.clamp", isa.Inst{Op: isa.OpShf, Type: isa.B32, Mode: isa.ModeRight}, []uint64{0x10, 1, 4}, 0x1000_0001},
		{"prmt", isa.Inst{Op: isa.OpPrmt, Type: isa.B32}, []uint64{0x3322_1180, 0x7766_5544, 0x8107}, 0xFF11_8077},
		{
			"prmt.f4e",
			isa.Inst{Op: isa.OpPrmt, Type: isa.B32, Mode: isa.ModeF4E},
			[]uint64{0x3322_1100, 0x7766_5544, 2},
			0x5544_3322,
		},
		{
			"prmt.b4e",
			isa.Inst{Op: isa.OpPrmt, Type: isa.B32, Mode: isa.ModeB4E},
			[]uint64{0x3322_1100, 0x7766_5544, 1},
			0x6677_0011,
		},
		{
			"prmt.ecl",
			isa.Inst{Op: isa.OpPrmt, Type: isa.B32, Mode: isa.ModeEcl},
			[]uint64{0x3322_1100, 0, 1},
			0x3322_1111,
		},
		{
			"prmt.ecr",
			isa.Inst{Op: isa.OpPrmt, Type: isa.B32, Mode: isa.ModeEcr},
			[]uint64{0x3322_1100, 0, 2},
			0x2222_1100,
		},
		{
			"prmt.rc16",
			isa.Inst{Op: isa.OpPrmt, Type: isa.B32, Mode: isa.ModeRc16},
			[]uint64{0x3322_1100, 0, 3},
			0x3322_3322,
		},
		{"cnot", isa.Inst{Op: isa.OpCnot, Type: isa.B32}, []uint64{0}, 1},

		// floating point
		{
			"add.f32 to nearest even",
			isa.Inst{Op: isa.OpAdd, Type: isa.F32},
			[]uint64{f32(1 << 24), f32(1)},
			f32(1 << 24),
		},
		{
			"add.rp.f32",
			isa.Inst{Op: isa.OpAdd, Type: isa.F32, Round: rp},
			[]uint64{f32(1 << 24), f32(1)},
			f32(1<<24 + 2),
		},
		{
			"add.rz.f32 overflows to the greatest",
			isa.Inst{Op: isa.OpAdd, Type: isa.F32, Round: rz},
			[]uint64{0x7F7F_FFFF, 0x7F7F_FFFF},
			0x7F7F_FFFF,
		},
		{
			"add.rp.f32 overflows",
			isa.Inst{Op: isa.OpAdd, Type: isa.F32, Round: rp},
			[]uint64{0x7F7F_FFFF, 0x7F7F_FFFF},
			inf,
		},
		{
			"add.rm.f32 of opposites",
			isa.Inst{Op: isa.OpAdd, Type: isa.F32, Round: rm},
			[]uint64{f32(3), f32(-3)},
			0x8000_0000,
		},
		{"add.f32 of infinities", isa.Inst{Op: isa.OpAdd, Type: isa.F32}, []uint64{inf, ninf}, nan32},
		{
			"add.ftz.f32",
			isa.Inst{Op: isa.OpAdd, Type: isa.F32, Flags: ftz},
			[]uint64{0x8000_0001, 0x8000_0000},
			0x8000_0000,
		},
		{"add.sat.f32", isa.Inst{Op: isa.OpAdd, Type: isa.F32, Flags: sat}, []uint64{f32(0.75), f32(0.5)}, f32(1)},
		{"add.sat.f32 of NaN", isa.Inst{Op: isa.OpAdd, Type: isa.F32, Flags: sat}, []uint64{nan32, f32(0.5)}, 0},
		{"mul.f32 subnormal", isa.Inst{Op: isa.OpMul, Type: isa.F32}, []uint64{0x0080_0000, f32(0.5)}, 0x0040_0000},
		{
			"mul.ftz.f32 subnormal",
			isa.Inst{Op: isa.OpMul, Type: isa.F32, Flags: ftz},
			[]uint64{0x8080_0000, f32(0.5)},
			0x8000_0000,
		},
		{"mul.rp.f32 tiny", isa.Inst{Op: isa.OpMul, Type: isa.F32, Round: rp}, []uint64{1, f32(0.25)}, 1},
		{
			"mul.rp.f32 tiny negative",
			isa.Inst{Op: isa.OpMul, Type: isa.F32, Round: rp},
			[]uint64{0x8000_0001, f32(0.25)},
			0x8000_0000,
		},
		// (1+2^-12)^2 - (1+2^-11) is 2^-24; a product rounded first gives 0.
		{
			"fma.f32 rounds once",
			isa.Inst{Op: isa.OpFma, Type: isa.F32, Round: isa.RoundNearest},
			[]uint64{f32(1 + 0x1p-12), f32(1 + 0x1p-12), f32(-1 - 0x1p-11)},
			f32(0x1p-24),
		},
		// (1+2^-12)^2 lies in the middle between two f32; float64 cannot hold the 2^-80 above it.
		{
			"fma.f32 above the middle",
			isa.Inst{Op: isa.OpFma, Type: isa.F32},
			[]uint64{f32(1 + 0x1p-12), f32(1 + 0x1p-12), f32(0x1p-80)},
			f32(1 + 0x1p-11 + 0x1p-23),
		},
		{
			"mad.f64 is fused",
			isa.Inst{Op: isa.OpMad, Type: isa.F64},
			[]uint64{f64(1 + 0x1p-30), f64(1 + 0x1p-30), f64(-1 - 0x1p-29)},
			f64(0x1p-60),
		},
		{
			"div.rn.f32",
			isa.Inst{Op: isa.OpDiv, Type: isa.F32, Round: isa.RoundNearest},
			[]uint64{f32(1), f32(3)},
			0x3EAA_AAAB,
		},
		{"div.rz.f32", isa.Inst{Op: isa.OpDiv, Type: isa.F32, Round: rz}, []uint64{f32(1), f32(3)}, 0x3EAA_AAAA},
		{
			"div.rm.f64 by 0",
			isa.Inst{Op: isa.OpDiv, Type: isa.F64, Round: rm},
			[]uint64{f64(1), f64(0)},
			f64(math.Inf(1)),
		},
		{"rcp.rp.f64", isa.Inst{Op: isa.OpRcp, Type: isa.F64, Round: rp}, []uint64{f64(3)}, 0x3FD5_5555_5555_5556},
		{
			"sqrt.rn.f32",
			isa.Inst{Op: isa.OpSqrt, Type: isa.F32, Round: isa.RoundNearest},
			[]uint64{f32(2)},
			0x3FB5_04F3,
		},
		{"sqrt.rp.f32", isa.Inst{Op: isa.OpSqrt, Type: isa.F32, Round: rp}, []uint64{f32(2)}, 0x3FB5_04F4},
		{"sqrt.rm.f32 exact", isa.Inst{Op: isa.OpSqrt, Type: isa.F32, Round: rm}, []uint64{f32(9)}, f32(3)},
		{
			"sqrt.rn.f32 of -0",
			isa.Inst{Op: isa.OpSqrt, Type: isa.F32, Round: isa.RoundNearest},
			[]uint64{0x8000_0000},
			0x8000_0000,
		},
		{
			"sqrt.rn.f64 of -1",
			isa.Inst{Op: isa.OpSqrt, Type: isa.F64, Round: isa.RoundNearest},
			[]uint64{f64(-1)},
			nan64,
		},
		{"min.f32 drops NaN", isa.Inst{Op: isa.OpMin, Type: isa.F32}, []uint64{0x7FC0_0000, f32(2)}, f32(2)},
		{"max.f32 of two NaN", isa.Inst{Op: isa.OpMax, Type: isa.F32}, []uint64{0x7FC0_0000, 0xFFC0_0000}, nan32},
		{"min.f32 of zeros", isa.Inst{Op: isa.OpMin, Type: isa.F32}, []uint64{0, 0x8000_0000}, 0x8000_0000},
		{"max.f64 of zeros", isa.Inst{Op: isa.OpMax, Type: isa.F64}, []uint64{1 << 63, 0}, 0},
		{"abs.f32", isa.Inst{Op: isa.OpAbs, Type: isa.F32}, []uint64{f32(-2)}, f32(2)},
		{
			"neg.f64 keeps NaN",
			isa.Inst{Op: isa.OpNeg, Type: isa.F64},
			[]uint64{0x7FF8_0000_0000_0001},
			0x7FF8_0000_0000_0001,
		},
		{
			"copysign.f32 puts the sign of a on b",
			isa.Inst{Op: isa.OpCopysign, Type: isa.F32},
			[]uint64{f32(-1), f32(5)},
			f32(-5),
		},
		{"ex2.approx", isa.Inst{Op: isa.OpEx2, Type: isa.F32, Flags: isa.FlagApprox}, []uint64{f32(3)}, f32(8)},
		{
			"rcp.approx.ftz of a subnormal",
			isa.Inst{Op: isa.OpRcp, Type: isa.F32, Flags: isa.FlagApprox | ftz},
			[]uint64{0x8000_0001},
			ninf,
		},

		// comparison and selection
		{
			"set.lt.u32.s32",
			isa.Inst{Op: isa.OpSet, Type: isa.U32, SrcType: isa.S32, Cmp: isa.CmpLt},
			[]uint64{0xFFFF_FFFF, 0},
			0xFFFF_FFFF,
		},
		{
			"set.geu.f32.f32 of NaN",
			isa.Inst{Op: isa.OpSet, Type: isa.F32, SrcType: isa.F32, Cmp: isa.CmpGeu},
			[]uint64{nan32, 0},
			f32(1),
		},
		{
			"set.ne.and",
			isa.Inst{Op: isa.OpSet, Type: isa.U32, SrcType: isa.B32, Cmp: isa.CmpNe, Bool: isa.BoolAnd},
			[]uint64{1, 2, 0},
			0,
		},
		{
			"setp.hs.u32",
			isa.Inst{Op: isa.OpSetp, Type: isa.U32, SrcType: isa.U32, Cmp: isa.CmpHs},
			[]uint64{0xFFFF_FFFF, 0},
			1,
		},
		{
			"setp.ne.f32 of NaN",
			isa.Inst{Op: isa.OpSetp, Type: isa.F32, SrcType: isa.F32, Cmp: isa.CmpNe},
			[]uint64{nan32, 0},
			0,
		},
		{
			"setp.eq.ftz.f32",
			isa.Inst{Op: isa.OpSetp, Type: isa.F32, SrcType: isa.F32, Cmp: isa.CmpEq, Flags: ftz},
			[]uint64{1, 0x8000_0000},
			1,
		},
		{"testp.normal of 0", isa.Inst{Op: isa.OpTestp, Type: isa.F32, Cmp: isa.TestNormal}, []uint64{0}, 1},
		{"testp.subnormal.f64", isa.Inst{Op: isa.OpTestp, Type: isa.F64, Cmp: isa.TestSubnormal}, []uint64{1}, 1},
		{"selp", isa.Inst{Op: isa.OpSelp, Type: isa.B32}, []uint64{1, 2, 0}, 2},
		{"slct.s32", isa.Inst{Op: isa.OpSlct, Type: isa.B32, SrcType: isa.S32}, []uint64{1, 2, 0xFFFF_FFFF}, 2},
		{"slct.f32 of -0", isa.Inst{Op: isa.OpSlct, Type: isa.B32, SrcType: isa.F32}, []uint64{1, 2, 0x8000_0000}, 1},
		{"slct.f32 of NaN", isa.Inst{Op: isa.OpSlct, Type: isa.B32, SrcType: isa.F32}, []uint64{1, 2, nan32}, 2},

		// conversion
		{"cvt.u32.s16", isa.Inst{Op: isa.OpCvt, Type: isa.U32, SrcType: isa.S16}, []uint64{0x8000}, 0xFFFF_8000},
		{
			"cvt.s8.u32 in a 32-bit register",
			isa.Inst{Op: isa.OpCvt, Type: isa.S8, SrcType: isa.U32, DstBits: 32},
			[]uint64{0x1FF},
			0xFFFF_FFFF,
		},
		{
			"cvt.u8.u32 in a 32-bit register",
			isa.Inst{Op: isa.OpCvt, Type: isa.U8, SrcType: isa.U32, DstBits: 32},
			[]uint64{0x1FF},
			0xFF,
		},
		{
			"cvt.sat.u8.s32",
			isa.Inst{Op: isa.OpCvt, Type: isa.U8, SrcType: isa.S32, Flags: sat},
			[]uint64{0xFFFF_FFFF},
			0,
		},
		{"cvt.sat.s8.u64", isa.Inst{Op: isa.OpCvt, Type: isa.S8, SrcType: isa.U64, Flags: sat}, []uint64{200}, 127},
		{
			"cvt.rni.s32.f32",
			isa.Inst{Op: isa.OpCvt, Type: isa.S32, SrcType: isa.F32, Round: isa.RoundNearestInt},
			[]uint64{f32(-2.5)},
			0xFFFF_FFFE,
		},
		{
			"cvt.rmi.s32.f32 in a 64-bit register",
			isa.Inst{
				Op: isa.OpCvt, Type: isa.S32, SrcType: isa.F32, Round: isa.RoundDownInt,
				DstBits: 64,
			},
			[]uint64{f32(-2.5)},
			0xFFFF_FFFF_FFFF_FFFD,
		},
		{
			"cvt.rzi.u32.f32 of -1",
			isa.Inst{Op: isa.OpCvt, Type: isa.U32, SrcType: isa.F32, Round: isa.RoundZeroInt},
			[]uint64{f32(-1)},
			0,
		},
		{
			"cvt.rzi.s64.f64 too large",
			isa.Inst{Op: isa.OpCvt, Type: isa.S64, SrcType: isa.F64, Round: isa.RoundZeroInt},
			[]uint64{f64(1e30)},
			math.MaxInt64,
		},
		{
			"cvt.rzi.u64.f64",
			isa.Inst{Op: isa.OpCvt, Type: isa.U64, SrcType: isa.F64, Round: isa.RoundZeroInt},
			[]uint64{f64(1 << 63)},
			1 << 63,
		},
		{
			"cvt.rzi.s32.f32 of NaN",
			isa.Inst{Op: isa.OpCvt, Type: isa.S32, SrcType: isa.F32, Round: isa.RoundZeroInt},
			[]uint64{nan32},
			0,
		},
		{
			"cvt.rni.u64.f32 of NaN",
			isa.Inst{Op: isa.OpCvt, Type: isa.U64, SrcType: isa.F32, Round: isa.RoundNearestInt},
			[]uint64{nan32},
			1 << 63,
		},
		{
			"cvt.rzi.s64.f64 of NaN",
			isa.Inst{Op: isa.OpCvt, Type: isa.S64, SrcType: isa.F64, Round: isa.RoundZeroInt},
			[]uint64{nan64},
			1 << 63,
		},
		{
			"cvt.rmi.s32.f64 of NaN",
			isa.Inst{Op: isa.OpCvt, Type: isa.S32, SrcType: isa.F64, Round: isa.RoundDownInt},
			[]uint64{nan64},
			1 << 31,
		},
		{
			"cvt.rpi.u8.f64 of NaN",
			isa.Inst{Op: isa.OpCvt, Type: isa.U8, SrcType: isa.F64, Round: isa.RoundUpInt},
			[]uint64{nan64},
			1 << 7,
		},
		{
			"cvt.rzi.s8.f64 of NaN into 32 bits",
			isa.Inst{
				Op: isa.OpCvt, Type: isa.S8, SrcType: isa.F64, Round: isa.RoundZeroInt,
				DstBits: 32,
			},
			[]uint64{nan64},
			0xFFFF_FF80,
		},
		{"cvt.rzi.sat.u16.f32 of NaN", isa.Inst{
			Op: isa.OpCvt, Type: isa.U16, SrcType: isa.F32, Round: isa.RoundZeroInt,
			Flags: sat,
		}, []uint64{nan32}, 0},
		{
			"cvt.rn.f32.u32",
			isa.Inst{Op: isa.OpCvt, Type: isa.F32, SrcType: isa.U32, Round: isa.RoundNearest},
			[]uint64{0xFFFF_FFFF},
			f32(1 << 32),
		},
		{
			"cvt.rz.f32.s32",
			isa.Inst{Op: isa.OpCvt, Type: isa.F32, SrcType: isa.S32, Round: rz},
			[]uint64{0x8000_0001},
			f32(-0x7FFFFF80),
		},
		{
			"cvt.rp.f32.f64",
			isa.Inst{Op: isa.OpCvt, Type: isa.F32, SrcType: isa.F64, Round: rp},
			[]uint64{f64(1 + 0x1p-40)},
			0x3F80_0001,
		},
		{
			"cvt.rm.f32.f64 too large",
			isa.Inst{Op: isa.OpCvt, Type: isa.F32, SrcType: isa.F64, Round: rm},
			[]uint64{f64(1e300)},
			0x7F7F_FFFF,
		},
		{
			"cvt.f64.f32",
			isa.Inst{Op: isa.OpCvt, Type: isa.F64, SrcType: isa.F32},
			[]uint64{f32(0.1)},
			f64(float64(float32(0.1))),
		},
		{
			"cvt.rpi.f32.f32",
			isa.Inst{Op: isa.OpCvt, Type: isa.F32, SrcType: isa.F32, Round: isa.RoundUpInt},
			[]uint64{f32(-0.5)},
			0x8000_0000,
		},

		// moves
		{
			"cvta.shared",
			isa.Inst{Op: isa.OpCvta, Type: isa.U64, Space: isa.SpaceShared},
			[]uint64{16},
			isa.SharedWindow + 16,
		},
		{
			"cvta.to.local",
			isa.Inst{Op: isa.OpCvta, Type: isa.U64, Space: isa.SpaceLocal, Mode: isa.ModeTo},
			[]uint64{isa.LocalWindow + 8},
			8,
		},
		{"isspacep.global", isa.Inst{Op: isa.OpIsspacep, Space: isa.SpaceGlobal}, []uint64{isa.GlobalBase}, 1},
		{"isspacep.shared", isa.Inst{Op: isa.OpIsspacep, Space: isa.SpaceShared}, []uint64{isa.LocalWindow}, 0},
		{"mov.b64 {a, b}", isa.Inst{Op: isa.OpPack, Type: isa.B64, NSrc: 2}, []uint64{1, 2}, 0x2_0000_0001},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ok := Eval(&c.in, c.src)
			require.True(t, ok)
			assert.Equal(t, c.want, d[0], "%#x, want %#x", d[0], c.want)
		})
	}
}

func TestEvalSecondResult(t *testing.T) {
	// The second destination has the inverted comparison, combined as well.
	in := isa.Inst{Op: isa.OpSetp, Type: isa.S32, SrcType: isa.S32, Cmp: isa.CmpLt, Bool: isa.BoolOr}
	d, _ := Eval(&in, []uint64{1, 2, 1})
	assert.Equal(t, []uint64{1, 1}, d[:2])
	in.Bool = isa.BoolNone
	d, _ = Eval(&in, []uint64{1, 2})
	assert.Equal(t, []uint64{1, 0}, d[:2])

	d, _ = Eval(&isa.Inst{Op: isa.OpUnpack, Type: isa.B32, NDst: 4}, []uint64{0x0403_0201})
	assert.Equal(t, [4]uint64{1, 2, 3, 4}, d)
}

func TestEvalRefuses(t *testing.T) {
	for _, in := range []isa.Inst{
		{Op: isa.OpNone, Type: isa.U32},
		{Op: isa.OpSetp, Type: isa.U32, SrcType: isa.U32, Cmp: isa.CmpNan},
		{Op: isa.OpSetp, Type: isa.F32, SrcType: isa.F32, Cmp: isa.CmpHi},
		{Op: isa.OpShl, Type: isa.F32},
		{Op: isa.OpAdd, Type: isa.Pred},
	} {
		_, ok := Eval(&in, []uint64{1, 1})
		assert.False(t, ok, "op %d type %d", in.Op, in.Type)
	}
}

func TestAtomic(t *testing.T) {
	for _, c := range []struct {
		name         string
		op           isa.AtomOp
		t            isa.Type
		old, b, c, w uint64
	}{
		{"add wraps", isa.AtomAdd, isa.U32, 0xFFFF_FFFF, 2, 0, 1},
		{"add.f32", isa.AtomAdd, isa.F32, f32(1.5), f32(2), 0, f32(3.5)},
		{"add.f64", isa.AtomAdd, isa.F64, f64(1.5), f64(2), 0, f64(3.5)},
		{"inc", isa.AtomInc, isa.U32, 4, 5, 0, 5},
		{"inc wraps", isa.AtomInc, isa.U32, 5, 5, 0, 0},
		{"dec", isa.AtomDec, isa.U32, 5, 5, 0, 4},
		{"dec of 0", isa.AtomDec, isa.U32, 0, 5, 0, 5},
		{"dec from above", isa.AtomDec, isa.U32, 9, 5, 0, 5},
		{"min.s32", isa.AtomMin, isa.S32, 1, 0xFFFF_FFFF, 0, 0xFFFF_FFFF},
		{"min.u32", isa.AtomMin, isa.U32, 1, 0xFFFF_FFFF, 0, 1},
		{"max.s64", isa.AtomMax, isa.S64, 1, math.MaxUint64, 0, 1},
		{"cas equal", isa.AtomCas, isa.B32, 7, 7, 8, 8},
		{"cas different", isa.AtomCas, isa.B32, 6, 7, 8, 6},
		{"exch", isa.AtomExch, isa.B64, 6, 7, 0, 7},
		{"xor", isa.AtomXor, isa.B32, 6, 3, 0, 5},
		{"and", isa.AtomAnd, isa.B32, 6, 3, 0, 2},
		{"or", isa.AtomOr, isa.B32, 6, 3, 0, 7},
	} {
		assert.Equal(t, c.w, atomic(c.op, c.t, c.old, c.b, c.c), c.name)
	}
}

// TestAtomicAgainstISA compares with the operation that the L2 performs.
func TestAtomicAgainstISA(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for op := isa.AtomAnd; op <= isa.AtomMax; op++ {
		for _, typ := range []isa.Type{
			isa.U32, isa.S32, isa.U64, isa.S64, isa.B16, isa.B32, isa.B64, isa.F32, isa.F64,
			isa.F16, isa.F16x2, isa.BF16, isa.BF16x2,
		} {
			if typ.Float() && op != isa.AtomAdd {
				continue
			}
			for range 300 {
				in := isa.Inst{Type: typ}
				old, a, b := operand(r, &in, typ), operand(r, &in, typ), operand(r, &in, typ)
				if r.IntN(3) == 0 {
					a = old
				}
				want, got := atomic(op, typ, old, a, b), isa.Atomic(op, typ, old, a, b)
				require.Equal(t, want, got, "operation %d type %d: old %#x, operands %#x %#x", op, typ, old, a, b)
			}
		}
	}
}

// TestFma32 compares with exact rational arithmetic.
func TestFma32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50_000 {
		a, b, c := float64(value32(uint64(float32Operand(r)))), float64(value32(uint64(float32Operand(r)))),
			float64(value32(uint64(float32Operand(r))))
		if !finite(a) || !finite(b) || !finite(c) {
			continue
		}
		if r.IntN(3) == 0 && a*b != 0 { // near cancellation and the middle between two f32
			c = float64(float32(-a * b))
		}
		if !finite(c) {
			continue
		}
		exact := new(big.Rat).SetFloat64(a)
		exact.Mul(exact, new(big.Rat).SetFloat64(b)).Add(exact, new(big.Rat).SetFloat64(c))
		want, _ := exact.Float32()
		got := fma32(a, b, c)
		require.True(t, got == want, "fma(%x, %x, %x) = %x, want %x", a, b, c, got, want)
	}
}
