package isa

import (
	"fmt"
	"math"
	"testing"
)

// BenchmarkExecute measures one warp instruction for full, half, quarter and
// single-lane masks.
func BenchmarkExecute(b *testing.B) {
	for _, in := range []Inst{
		{Text: "add.u32", Op: OpAdd, Type: U32},
		{Text: "add.s64", Op: OpAdd, Type: S64},
		{Text: "mul.lo.s32", Op: OpMul, Type: S32, Mode: ModeLo},
		{Text: "mad.lo.s32", Op: OpMad, Type: S32, Mode: ModeLo},
		{Text: "mad.wide.s32", Op: OpMad, Type: S32, Mode: ModeWide},
		{Text: "and.b32", Op: OpAnd, Type: B32},
		{Text: "shl.b32", Op: OpShl, Type: B32},
		{Text: "shr.s32", Op: OpShr, Type: S32},
		{Text: "mov.u32", Op: OpMov, Type: U32},
		{Text: "mov.b64", Op: OpMov, Type: B64},
		{Text: "setp.lt.s32", Op: OpSetp, Type: S32, Cmp: CmpLt},
		{Text: "setp.gtu.f32", Op: OpSetp, Type: F32, Cmp: CmpGtu},
		{Text: "selp.b32", Op: OpSelp, Type: B32},
		{Text: "max.s32", Op: OpMax, Type: S32},
		{Text: "add.f32", Op: OpAdd, Type: F32},
		{Text: "mul.f32", Op: OpMul, Type: F32},
		{Text: "fma.rn.f32", Op: OpFma, Type: F32, Round: RoundNearest},
		{Text: "add.f64", Op: OpAdd, Type: F64},
		{Text: "fma.rn.f64", Op: OpFma, Type: F64, Round: RoundNearest},
		{Text: "cvt.rn.f32.s32", Op: OpCvt, Type: F32, SrcType: S32, Round: RoundNearest},
		{Text: "cvt.s64.s32", Op: OpCvt, Type: S64, SrcType: S32},
		{Text: "cvt.rzi.s32.f32", Op: OpCvt, Type: S32, SrcType: F32, Round: RoundZeroInt},
		{Text: "div.u32", Op: OpDiv, Type: U32},
		{Text: "div.rn.f32", Op: OpDiv, Type: F32, Round: RoundNearest},
		{Text: "fma.rn.ftz.f32", Op: OpFma, Type: F32, Round: RoundNearest, Flags: FlagFtz},
		{Text: "add.rz.f32", Op: OpAdd, Type: F32, Round: RoundZero},
	} {
		resolved := bound(b, in)
		var rows [4]Row
		for i := range RowLanes {
			rows[0][i] = uint64(math.Float32bits(float32(i) + 0.3))
			rows[1][i] = uint64(math.Float32bits(float32(i^5)*0.7 + 1))
			rows[2][i] = uint64(math.Float32bits(float32(i%3) + 2))
			if in.Type == F64 {
				for j := range 3 {
					rows[j][i] = math.Float64bits(float64(float(rows[j][i])))
				}
			}
		}
		for _, mask := range []uint32{allLanes, 0x5555_5555, 0x0101_0101, 1 << 9} {
			b.Run(fmt.Sprintf("%s/%08x", in.Text, mask), func(b *testing.B) {
				x := &Lanes{Mask: mask, Src: [MaxSrcs]*Row{&rows[0], &rows[1], &rows[2]}, Dst: [MaxDsts]*Row{&rows[3]}}
				if in.Op == OpSelp {
					x.Src[2], x.PSrc[2] = nil, 0x1234_5678
				}
				b.ReportAllocs()
				for b.Loop() {
					Execute(resolved, x)
				}
			})
		}
	}
}

// BenchmarkApproximations measures the special functions.
func BenchmarkApproximations(b *testing.B) {
	for _, in := range []Inst{
		{Text: "sin.approx.f32", Op: OpSin, Type: F32},
		{Text: "lg2.approx.f32", Op: OpLg2, Type: F32},
		{Text: "ex2.approx.f32", Op: OpEx2, Type: F32},
		{Text: "rsqrt.approx.f32", Op: OpRsqrt, Type: F32},
	} {
		resolved := bound(b, in)
		var src, dst Row
		for i := range src {
			src[i] = uint64(math.Float32bits(float32(i)*0.7 + 0.1))
		}
		b.Run(in.Text, func(b *testing.B) {
			x := &Lanes{Mask: allLanes, Src: [MaxSrcs]*Row{&src}, Dst: [MaxDsts]*Row{&dst}}
			b.ReportAllocs()
			for b.Loop() {
				Execute(resolved, x)
			}
		})
	}
}
