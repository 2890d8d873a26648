package ptx

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

func reg(i uint16) isa.Operand { return isa.Operand{Kind: isa.OperandReg, Index: i} }

func pr(i uint16) isa.Operand { return isa.Operand{Kind: isa.OperandPred, Index: i} }

func notPr(i uint16) isa.Operand { return isa.Operand{Kind: isa.OperandPred, Index: i, Not: true} }

func imm(n uint64) isa.Operand { return isa.Operand{Kind: isa.OperandImm, Imm: n} }

func sreg(s isa.Special) isa.Operand {
	return isa.Operand{
		Kind:  isa.OperandSpecial,
		Index: uint16(s),
	}
}
func dsts(d ...isa.Operand) (o [4]isa.Operand)           { copy(o[:], d); return }
func srcs(s ...isa.Operand) (o [isa.MaxSrcs]isa.Operand) { copy(o[:], s); return }

var sink = isa.Operand{Kind: isa.OperandSink}

// Registers get their index at their first use, so that a leading destination %x_0 has index 0.
func TestInstructions(t *testing.T) {
	tests := []struct {
		text string
		want isa.Inst
	}{
		{
			"add.s32 %s32_0, %s32_1, -5;",
			isa.Inst{
				Op: isa.OpAdd, Type: isa.S32, Dst: dsts(reg(0)), Src: srcs(reg(1), imm(0xffff_fffb)),
				DstBits: 32,
			},
		},
		{
			"add.sat.s32 %s32_0, %s32_0, 1;",
			isa.Inst{
				Op: isa.OpAdd, Type: isa.S32, Flags: isa.FlagSat, Dst: dsts(reg(0)), Src: srcs(reg(0), imm(1)),
				DstBits: 32,
			},
		},
		{
			"add.f32 %f32_0, %f32_1, 0f3F800000;",
			isa.Inst{
				Op: isa.OpAdd, Type: isa.F32, Round: isa.RoundNearest, Dst: dsts(reg(0)),
				Src: srcs(reg(1), imm(0x3f80_0000)), DstBits: 32,
			},
		},
		{
			"add.rz.ftz.sat.f32 %f32_0, %f32_1, 1.5;",
			isa.Inst{
				Op: isa.OpAdd, Type: isa.F32, Round: isa.RoundZero, Flags: isa.FlagFtz | isa.FlagSat,
				Dst: dsts(reg(0)), Src: srcs(reg(1), imm(0x3fc0_0000)), DstBits: 32,
			},
		},
		{
			"add.f64 %f64_0, %f64_1, 0f3F800000;",
			isa.Inst{
				Op: isa.OpAdd, Type: isa.F64, Round: isa.RoundNearest, Dst: dsts(reg(0)),
				Src: srcs(reg(1), imm(0x3ff0_0000_0000_0000)), DstBits: 64,
			},
		},
		{
			"add.f32 %f32_0, %f32_1, 0d3FB999999999999A;",
			isa.Inst{
				Op: isa.OpAdd, Type: isa.F32, Round: isa.RoundNearest, Dst: dsts(reg(0)),
				Src: srcs(reg(1), imm(0x3dcc_cccd)), DstBits: 32,
			},
		},
		{
			"mul.wide.u16 %u32_0, %u16_1, 40000;",
			isa.Inst{
				Op: isa.OpMul, Type: isa.U16, Mode: isa.ModeWide, Dst: dsts(reg(0)), Src: srcs(reg(1), imm(40000)),
				DstBits: 32,
			},
		},
		{
			"mad.wide.s32 %b64_0, %b32_1, -1, -1;",
			isa.Inst{
				Op: isa.OpMad, Type: isa.S32, Mode: isa.ModeWide, Dst: dsts(reg(0)),
				Src: srcs(reg(1), imm(math.MaxUint32), imm(math.MaxUint64)), DstBits: 64,
			},
		},
		{
			"mad.hi.sat.s32 %b32_0, %b32_1, %b32_2, %b32_3;",
			isa.Inst{
				Op: isa.OpMad, Type: isa.S32, Mode: isa.ModeHi, Flags: isa.FlagSat, Dst: dsts(reg(0)),
				Src: srcs(reg(1), reg(2), reg(3)), DstBits: 32,
			},
		},
		{
			"mad.f32 %f32_0, %f32_1, %f32_2, %f32_3;",
			isa.Inst{
				Op: isa.OpMad, Type: isa.F32, Round: isa.RoundNearest, Dst: dsts(reg(0)),
				Src: srcs(reg(1), reg(2), reg(3)), DstBits: 32,
			},
		},
		{
			"fma.rp.ftz.f32 %f32_0, %f32_1, %f32_2, %f32_3;",
			isa.Inst{
				Op: isa.OpFma, Type: isa.F32, Round: isa.RoundUp, Flags: isa.FlagFtz, Dst: dsts(reg(0)),
				Src: srcs(reg(1), reg(2), reg(3)), DstBits: 32,
			},
		},
		{
			"div.full.ftz.f32 %f32_0, %f32_1, %f32_2;",
			isa.Inst{
				Op: isa.OpDiv, Type: isa.F32, Flags: isa.FlagFull | isa.FlagFtz, Dst: dsts(reg(0)),
				Src: srcs(reg(1), reg(2)), DstBits: 32,
			},
		},
		{
			"rem.u64 %u64_0, %u64_1, 0x8000000000000000;",
			isa.Inst{Op: isa.OpRem, Type: isa.U64, Dst: dsts(reg(0)), Src: srcs(reg(1), imm(1<<63)), DstBits: 64},
		},
		{"popc.b64 %u32_0, %u64_1;", isa.Inst{
			Op: isa.OpPopc, Type: isa.B64, Dst: dsts(reg(0)), Src: srcs(reg(1)),
			DstBits: 32,
		}},
		{
			"bfind.shiftamt.s64 %u32_0, %s64_1;",
			isa.Inst{
				Op: isa.OpBfind, Type: isa.S64, Flags: isa.FlagShiftAmt, Dst: dsts(reg(0)), Src: srcs(reg(1)),
				DstBits: 32,
			},
		},
		{
			"bfe.s64 %s64_0, %s64_1, 4, %u32_2;",
			isa.Inst{Op: isa.OpBfe, Type: isa.S64, Dst: dsts(reg(0)), Src: srcs(reg(1), imm(4), reg(2)), DstBits: 64},
		},
		{
			"bfi.b32 %b32_0, %b32_1, %b32_2, 8, 4;",
			isa.Inst{
				Op: isa.OpBfi, Type: isa.B32, Dst: dsts(reg(0)), Src: srcs(reg(1), reg(2), imm(8), imm(4)),
				DstBits: 32,
			},
		},
		{
			"testp.subnormal.f64 %p0, %f64_0;",
			isa.Inst{Op: isa.OpTestp, Type: isa.F64, Cmp: isa.TestSubnormal, Dst: dsts(pr(0)), Src: srcs(reg(0))},
		},
		{
			"set.ltu.ftz.u32.f32 %u32_0, %f32_0, 1.0;",
			isa.Inst{
				Op: isa.OpSet, Type: isa.U32, SrcType: isa.F32, Cmp: isa.CmpLtu, Flags: isa.FlagFtz,
				Dst: dsts(reg(0)), Src: srcs(reg(1), imm(0x3f80_0000)), DstBits: 32,
			},
		},
		{
			"set.hi.xor.f32.u16 %f32_0, %u16_0, 65535, !%p3;",
			isa.Inst{
				Op: isa.OpSet, Type: isa.F32, SrcType: isa.U16, Cmp: isa.CmpHi, Bool: isa.BoolXor,
				Dst: dsts(reg(0)), Src: srcs(reg(1), imm(65535), notPr(0)), DstBits: 32,
			},
		},
		{
			"setp.ne.s16 %p0, %b16_0, -1;",
			isa.Inst{
				Op: isa.OpSetp, Type: isa.S16, SrcType: isa.S16, Cmp: isa.CmpNe, Dst: dsts(pr(0)),
				Src: srcs(reg(0), imm(0xffff)),
			},
		},
		{
			"setp.eq.and.b16 %p0|%p1, %b16_0, %b16_1, %p2;",
			isa.Inst{
				Op: isa.OpSetp, Type: isa.B16, SrcType: isa.B16, Cmp: isa.CmpEq, Bool: isa.BoolAnd,
				Dst: dsts(pr(0), pr(1)), Src: srcs(reg(0), reg(1), pr(2)),
			},
		},
		{
			"setp.nan.f32 %p0|_, %f32_0, %f32_1;",
			isa.Inst{
				Op: isa.OpSetp, Type: isa.F32, SrcType: isa.F32, Cmp: isa.CmpNan, Dst: dsts(pr(0), sink),
				Src: srcs(reg(0), reg(1)),
			},
		},
		{
			"selp.f64 %f64_0, 1.0, 0d0000000000000000, %p0;",
			isa.Inst{
				Op: isa.OpSelp, Type: isa.F64, Dst: dsts(reg(0)),
				Src: srcs(imm(0x3ff0_0000_0000_0000), imm(0), pr(0)), DstBits: 64,
			},
		},
		{
			"slct.b64.s32 %b64_0, %b64_1, %b64_2, -1;",
			isa.Inst{
				Op: isa.OpSlct, Type: isa.B64, SrcType: isa.S32, Dst: dsts(reg(0)),
				Src: srcs(reg(1), reg(2), imm(math.MaxUint32)), DstBits: 64,
			},
		},
		{"and.pred %p0, %p1, !%p0;", isa.Inst{
			Op: isa.OpAnd, Type: isa.Pred, Dst: dsts(pr(0)),
			Src: srcs(pr(1), notPr(0)),
		}},
		{
			"xor.b64 %u64_0, %s64_1, -1;",
			isa.Inst{
				Op: isa.OpXor, Type: isa.B64, Dst: dsts(reg(0)), Src: srcs(reg(1), imm(math.MaxUint64)),
				DstBits: 64,
			},
		},
		{
			"shr.s64 %s64_0, %s64_1, 70;",
			isa.Inst{Op: isa.OpShr, Type: isa.S64, Dst: dsts(reg(0)), Src: srcs(reg(1), imm(70)), DstBits: 64},
		},
		{
			"shf.r.wrap.b32 %b32_0, %b32_1, %b32_2, 7;",
			isa.Inst{
				Op: isa.OpShf, Type: isa.B32, Mode: isa.ModeRight, Flags: isa.FlagWrap, Dst: dsts(reg(0)),
				Src: srcs(reg(1), reg(2), imm(7)), DstBits: 32,
			},
		},
		{
			"prmt.b32.rc8 %b32_0, %b32_1, %b32_2, 3;",
			isa.Inst{
				Op: isa.OpPrmt, Type: isa.B32, Mode: isa.ModeRc8, Dst: dsts(reg(0)),
				Src: srcs(reg(1), reg(2), imm(3)), DstBits: 32,
			},
		},

		{"mov.u16 %u16_0, %tid.x;", isa.Inst{
			Op: isa.OpMov, Type: isa.U16, Dst: dsts(reg(0)), Src: srcs(sreg(isa.TidX)),
			DstBits: 16,
		}},
		{"mov.b32 %f32_0, %s32_1;", isa.Inst{
			Op: isa.OpMov, Type: isa.B32, Dst: dsts(reg(0)), Src: srcs(reg(1)),
			DstBits: 32,
		}},
		{
			"mov.b32 %b32_0, 0fBF800000;",
			isa.Inst{Op: isa.OpMov, Type: isa.B32, Dst: dsts(reg(0)), Src: srcs(imm(0xbf80_0000)), DstBits: 32},
		},
		{"mov.pred %p0, 3;", isa.Inst{Op: isa.OpMov, Type: isa.Pred, Dst: dsts(pr(0)), Src: srcs(imm(1))}},
		{"mov.u64 %u64_0, g+8;", isa.Inst{
			Op: isa.OpMov, Type: isa.U64, Dst: dsts(reg(0)),
			Src: srcs(imm(isa.ModuleBase + 64 + 8)), DstBits: 64,
		}},
		{"mov.u32 %u32_0, sh;", isa.Inst{
			Op: isa.OpMov, Type: isa.U32, Dst: dsts(reg(0)), Src: srcs(imm(0)),
			DstBits: 32,
		}},
		{"mov.u32 %u32_0, dyn+4;", isa.Inst{
			Op: isa.OpMov, Type: isa.U32, Dst: dsts(reg(0)), Src: srcs(imm(64 + 4)),
			DstBits: 32,
		}},
		{"mov.b64 %b64_0, n;", isa.Inst{
			Op: isa.OpMov, Type: isa.B64, Dst: dsts(reg(0)), Src: srcs(imm(8)),
			DstBits: 64,
		}},
		{
			"mov.b64 %f64_0, {%b32_1, 7};",
			isa.Inst{Op: isa.OpPack, Type: isa.B64, Dst: dsts(reg(0)), Src: srcs(reg(1), imm(7)), DstBits: 64},
		},
		{
			"mov.b32 %b32_0, {%b8_1, %b8_2, %b8_3, -1};",
			isa.Inst{
				Op: isa.OpPack, Type: isa.B32, Dst: dsts(reg(0)), Src: srcs(reg(1), reg(2), reg(3), imm(255)),
				DstBits: 32,
			},
		},
		{
			"mov.b32 {_, %u16_1}, %f32_0;",
			isa.Inst{Op: isa.OpUnpack, Type: isa.B32, Dst: dsts(sink, reg(0)), Src: srcs(reg(1)), DstBits: 16},
		},

		{
			"ld.param.u64 %b64_0, [ptr];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.U64, Space: isa.SpaceParam, Vec: 1, Dst: dsts(reg(0)), Src: srcs(imm(0)),
				DstBits: 64,
			},
		},
		{
			"ld.param.u32 %b32_0, [n+0];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.U32, Space: isa.SpaceParam, Vec: 1, Dst: dsts(reg(0)), Src: srcs(imm(8)),
				DstBits: 32,
			},
		},
		{
			"ld.global.s8 %b32_0, [%b64_1+-4];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.S8, Space: isa.SpaceGlobal, Vec: 1, Off: -4, Dst: dsts(reg(0)),
				Src: srcs(reg(1)), DstBits: 32,
			},
		},
		{"ld.f32 %b64_0, [sh+4];", isa.Inst{
			Op: isa.OpLd, Type: isa.F32, Space: isa.SpaceGeneric, Vec: 1, Off: 4,
			Dst: dsts(reg(0)), Src: srcs(imm(isa.SharedWindow)), DstBits: 64,
		}},
		{
			"ld.local.v4.u16 {%u16_0, %u16_1, _, %u16_0}, [lo];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.U16, Space: isa.SpaceLocal, Vec: 4,
				Dst: dsts(reg(0), reg(1), sink, reg(0)), Src: srcs(imm(0)), DstBits: 16,
			},
		},
		{
			"ld.const.b8 %b16_0, [cc+63];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.B8, Space: isa.SpaceConst, Vec: 1, Off: 63, Dst: dsts(reg(0)),
				Src: srcs(imm(isa.ModuleBase)), DstBits: 16,
			},
		},
		{
			"ld.shared.u32 %b32_0, [dyn+4];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.U32, Space: isa.SpaceShared, Vec: 1, Off: 4, Dst: dsts(reg(0)),
				Src: srcs(imm(64)), DstBits: 32,
			},
		},
		{
			"ld.volatile.global.u32 %b32_0, [16];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.U32, Space: isa.SpaceGlobal, Cache: isa.CacheVolatile, Vec: 1,
				Dst: dsts(reg(0)), Src: srcs(imm(16)), DstBits: 32,
			},
		},
		{
			"ld.acquire.gpu.global.u32 %b32_0, [%b64_1];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.U32, Space: isa.SpaceGlobal, Cache: isa.CacheVolatile,
				Flags: isa.FlagAcquire, Vec: 1, Dst: dsts(reg(0)), Src: srcs(reg(1)), DstBits: 32,
			},
		},
		{
			"ld.global.nc.L1::no_allocate.L2::128B.v2.f64 {%f64_0, %f64_1}, [%u32_2];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.F64, Space: isa.SpaceGlobal, Flags: isa.FlagNC, Vec: 2,
				Dst: dsts(reg(0), reg(1)), Src: srcs(reg(2)), DstBits: 64,
			},
		},
		{
			"ldu.global.u32 %b32_0, [%b64_1];",
			isa.Inst{
				Op: isa.OpLd, Type: isa.U32, Space: isa.SpaceGlobal, Flags: isa.FlagLdu, Vec: 1, Dst: dsts(reg(0)),
				Src: srcs(reg(1)), DstBits: 32,
			},
		},
		{
			"st.global.cg.v2.b32 [%b64_0-8], {%f32_1, -1};",
			isa.Inst{
				Op: isa.OpSt, Type: isa.B32, Space: isa.SpaceGlobal, Cache: isa.CacheGlobal, Vec: 2, Off: -8,
				Src: srcs(reg(0), reg(1), imm(math.MaxUint32)),
			},
		},
		{
			"st.shared.u8 [sh], %b32_1;",
			isa.Inst{Op: isa.OpSt, Type: isa.U8, Space: isa.SpaceShared, Vec: 1, Src: srcs(imm(0), reg(0))},
		},
		{
			"st.release.sys.u32 [%b64_0], %b32_1;",
			isa.Inst{
				Op: isa.OpSt, Type: isa.U32, Space: isa.SpaceGeneric, Cache: isa.CacheVolatile,
				Flags: isa.FlagRelease, Vec: 1, Src: srcs(reg(0), reg(1)),
			},
		},
		{
			"cvta.to.shared.u64 %b64_0, %b64_1;",
			isa.Inst{
				Op: isa.OpCvta, Type: isa.U64, Space: isa.SpaceShared, Mode: isa.ModeTo, Dst: dsts(reg(0)),
				Src: srcs(reg(1)), DstBits: 64,
			},
		},
		{
			"cvta.local.u64 %b64_0, lo+8;",
			isa.Inst{
				Op: isa.OpCvta, Type: isa.U64, Space: isa.SpaceLocal, Dst: dsts(reg(0)), Src: srcs(imm(8)),
				DstBits: 64,
			},
		},
		{
			"isspacep.shared %p0, %b64_1;",
			isa.Inst{Op: isa.OpIsspacep, Space: isa.SpaceShared, Dst: dsts(pr(0)), Src: srcs(reg(0))},
		},
		{
			"cvt.u32.u16 %b32_0, %tid.y;",
			isa.Inst{
				Op: isa.OpCvt, Type: isa.U32, SrcType: isa.U16, Dst: dsts(reg(0)), Src: srcs(sreg(isa.TidY)),
				DstBits: 32,
			},
		},
		{
			"cvt.s8.s32 %b64_0, %b32_1;",
			isa.Inst{Op: isa.OpCvt, Type: isa.S8, SrcType: isa.S32, Dst: dsts(reg(0)), Src: srcs(reg(1)), DstBits: 64},
		},
		{
			"cvt.rzi.ftz.sat.u16.f32 %u16_0, %f32_1;",
			isa.Inst{
				Op: isa.OpCvt, Type: isa.U16, SrcType: isa.F32, Round: isa.RoundZeroInt,
				Flags: isa.FlagFtz | isa.FlagSat, Dst: dsts(reg(0)), Src: srcs(reg(1)), DstBits: 16,
			},
		},
		{
			"cvt.rn.f32.f64 %f32_0, %f64_1;",
			isa.Inst{
				Op: isa.OpCvt, Type: isa.F32, SrcType: isa.F64, Round: isa.RoundNearest, Dst: dsts(reg(0)),
				Src: srcs(reg(1)), DstBits: 32,
			},
		},

		{"bar.sync 0;", isa.Inst{Op: isa.OpBar, Mode: isa.ModeSync, Src: srcs(imm(0))}},
		{
			"barrier.cta.sync.aligned %u32_0, 64;",
			isa.Inst{Op: isa.OpBar, Mode: isa.ModeSync, Src: srcs(reg(0), imm(64))},
		},
		{"bar.arrive 3, 128;", isa.Inst{Op: isa.OpBar, Mode: isa.ModeArrive, Src: srcs(imm(3), imm(128))}},
		{"membar.gl;", isa.Inst{Op: isa.OpMembar, Mode: isa.ModeGPU}},
		{"fence.acq_rel.sys;", isa.Inst{Op: isa.OpMembar, Mode: isa.ModeSys}},
		{
			"atom.add.u32 %u32_0, [%b64_1], 1;",
			isa.Inst{
				Op: isa.OpAtom, Type: isa.U32, Atom: isa.AtomAdd, Space: isa.SpaceGeneric, Dst: dsts(reg(0)),
				Src: srcs(reg(1), imm(1)), DstBits: 32,
			},
		},
		{
			"atom.acq_rel.gpu.global.cas.b64 _, [%b64_1+8], 1, %b64_2;",
			isa.Inst{
				Op: isa.OpAtom, Type: isa.B64, Atom: isa.AtomCas, Space: isa.SpaceGlobal,
				Flags: isa.FlagAcquire | isa.FlagRelease, Off: 8, Dst: dsts(sink), Src: srcs(reg(0), imm(1), reg(1)),
			},
		},
		{
			"red.shared.max.s32 [sh+4], -5;",
			isa.Inst{
				Op: isa.OpRed, Type: isa.S32, Atom: isa.AtomMax, Space: isa.SpaceShared, Off: 4,
				Src: srcs(imm(0), imm(0xffff_fffb)),
			},
		},
		{"trap;", isa.Inst{Op: isa.OpTrap}},
		{"prefetch.global.L2 [%b64_0];", isa.Inst{Op: isa.OpNop}},
		{"@!%p4 exit;", isa.Inst{Op: isa.OpExit, Guard: notPr(0)}},
		{"@%p4 bra.uni k;\nk:", isa.Inst{Op: isa.OpBra, Guard: pr(0), Flags: isa.FlagUni, Target: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			p, err := lowerBody(t, tt.text)
			require.NoError(t, err)
			got := p.Insts[0]
			want := tt.want
			for _, d := range want.Dst {
				if d.Kind != isa.OperandNone {
					want.NDst++
				}
			}
			for _, s := range want.Src {
				if s.Kind != isa.OperandNone {
					want.NSrc++
				}
			}
			if want.Op != isa.OpBra {
				want.Target = isa.NoPC
			}
			assert.EqualValues(t, 17, got.Pos.Line)
			want.Pos, want.Text, want.Exec = got.Pos, got.Text, got.Exec
			want.Reconv, want.Likely, want.Class, want.Uniform = got.Reconv, got.Likely, got.Class, got.Uniform
			assert.Equal(t, want, got)
		})
	}
}
