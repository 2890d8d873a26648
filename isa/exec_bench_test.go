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
		{Op: OpAdd, Type: U32},
		{Op: OpAdd, Type: S64},
		{Op: OpMul, Type: S32, Mode: ModeLo},
		{Op: OpMad, Type: S32, Mode: ModeLo},
		{Op: OpMad, Type: S32, Mode: ModeWide},
		{Op: OpAnd, Type: B32},
		{Op: OpShl, Type: B32},
		{Op: OpShr, Type: S32},
		{Op: OpMov, Type: U32},
		{Op: OpMov, Type: B64},
		{Op: OpSetp, Type: S32, Cmp: CmpLt},
		{Op: OpSetp, Type: F32, Cmp: CmpGtu},
		{Op: OpSelp, Type: B32},
		{Op: OpMax, Type: S32},
		{Op: OpAdd, Type: F32},
		{Op: OpMul, Type: F32},
		{Op: OpFma, Type: F32, Round: RoundNearest},
		{Op: OpAdd, Type: F64},
		{Op: OpFma, Type: F64, Round: RoundNearest},
		{Op: OpCvt, Type: F32, SrcType: S32, Round: RoundNearest},
		{Op: OpCvt, Type: S64, SrcType: S32},
		{Op: OpCvt, Type: S32, SrcType: F32, Round: RoundZeroInt},
		{Op: OpDiv, Type: U32},
		{Op: OpDiv, Type: F32, Round: RoundNearest},
		{Op: OpFma, Type: F32, Round: RoundNearest, Flags: FlagFtz},
		{Op: OpAdd, Type: F32, Round: RoundZero},
	} {
		p := &Program{Insts: []Inst{in}}
		if err := Bind(p); err != nil {
			b.Fatal(err)
		}
		var rows [4]Row
		for i := range MaxLanes {
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
			b.Run(fmt.Sprintf("%s/%08x", describe(&in), mask), func(b *testing.B) {
				x := &Lanes{Mask: mask, Src: [MaxSrcs]*Row{&rows[0], &rows[1], &rows[2]}, Dst: [MaxDsts]*Row{&rows[3]}}
				if in.Op == OpSelp {
					x.Src[2], x.PSrc[2] = nil, 0x1234_5678
				}
				b.ReportAllocs()
				for b.Loop() {
					Execute(&p.Insts[0], x)
				}
			})
		}
	}
}
