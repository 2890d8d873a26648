package isa

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bound is in after Bind.
func bound(t testing.TB, in Inst) *Inst {
	t.Helper()
	if in.Text == "" {
		in.Text = describe(&in)
	}
	p := &Program{File: "test.ptx", Insts: []Inst{in}}
	require.NoError(t, Bind(p))
	return &p.Insts[0]
}

// describe is a short name of in for tests.
func describe(in *Inst) string {
	return fmt.Sprintf("op%d-t%d-s%d-m%d-r%d-f%d-c%d", in.Op, in.Type, in.SrcType, in.Mode, in.Round, in.Flags, in.Cmp)
}

// evaluate runs in on vectors of operands, 32 at a time.
func evaluate(t testing.TB, in Inst, src ...[]uint64) []uint64 {
	t.Helper()
	b := bound(t, in)
	out := make([]uint64, len(src[0]))
	for at := 0; at < len(out); at += RowLanes {
		var rows [MaxSrcs]Row
		var d Row
		x := Lanes{Mask: allLanes, Dst: [MaxDsts]*Row{&d}}
		for i := range src {
			copy(rows[i][:], src[i][at:])
			x.Src[i] = &rows[i]
		}
		Execute(b, &x)
		copy(out[at:], d[:])
	}
	return out
}

// evaluatePred is evaluate for an instruction with a predicate result.
func evaluatePred(t testing.TB, in Inst, src ...[]uint64) []bool {
	t.Helper()
	b := bound(t, in)
	out := make([]bool, len(src[0]))
	for at := 0; at < len(out); at += RowLanes {
		var rows [MaxSrcs]Row
		x := Lanes{Mask: allLanes}
		for i := range src {
			copy(rows[i][:], src[i][at:])
			x.Src[i] = &rows[i]
		}
		Execute(b, &x)
		for i := range out[at:min(at+RowLanes, len(out))] {
			out[at+i] = x.PDst[0]>>i&1 != 0
		}
	}
	return out
}

// one runs in on a single lane.
func one(t testing.TB, in Inst, src ...uint64) uint64 {
	t.Helper()
	var v [][]uint64
	for _, s := range src {
		v = append(v, []uint64{s})
	}
	return evaluate(t, in, v...)[0]
}

// every lists an instruction for each form of the datapath, in a fixed order.
func every() []Inst {
	var all []Inst
	for f, code := range lanes.codes {
		in := Inst{Op: f.op, Type: f.typ, SrcType: f.src, Mode: f.mode, Round: f.round, Flags: f.flags, Exec: code}
		switch f.op {
		case OpMma:
			in.M, in.K, in.SrcType = 16, 8, cmp.Or(f.src, f.typ)
			if in.TypeB = in.SrcType; f.typ == F64 {
				in.M, in.K = 8, 4
			} else if f.typ == S32 {
				in.K = 16
			}
			a, b, c := in.Fragments()
			in.NSrc, in.NDst = uint8(a+b+c+1), uint8(c)
		case OpPack:
			in.NSrc = 2
		case OpUnpack:
			in.NDst = 2
		case OpMovVec:
			in.NSrc, in.NDst = 2, 2
		case OpLop3:
			in.Bool = BoolAnd
		case OpCvtPack:
			in.NSrc = 3
		case OpVadd, OpVsub, OpVabsdiff, OpVmin, OpVmax, OpVavrg, OpVshl, OpVshr, OpVmad, OpVset:
			in.Type, in.SrcType, in.Vec, in.NSrc, in.Cmp = S32, U32, 1, 3, CmpLt
			in.Select = Select{A: 8<<8 | 16, B: 32 << 8, D: 16<<8 | 16, BType: U32}
			if f.op == OpVavrg {
				in.Vec, in.Select = 2, Select{A: 0x10, B: 0x32, D: 3, BType: U32}
			}
		case OpSetp, OpSet:
			in.Cmp = CmpEq
		case OpTestp:
			in.Cmp = TestFinite
		case OpCvta, OpIsspacep:
			in.Space = SpaceShared
		}
		if f.op == OpSetp {
			in.Type, in.SrcType = f.src, NoType
		}
		all = append(all, in)
	}
	slices.SortFunc(all, func(a, b Inst) int { return cmp.Compare(a.Exec, b.Exec) })
	return all
}

func TestBindFindsEveryForm(t *testing.T) {
	all := every()
	p := &Program{Insts: slices.Clone(all)}
	for i := range p.Insts {
		p.Insts[i].Exec = 0
	}
	require.NoError(t, Bind(p))
	for i := range all {
		assert.Equal(t, all[i].Exec, p.Insts[i].Exec, describe(&all[i]))
	}
}

// TestSparseEqualsDense runs every form under the full mask, and under masks from one lane to all
// but one. Active lanes must agree; inactive ones must keep their old values.
func TestSparseEqualsDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	masks := []uint32{0, 1, 1 << 31, 0x0000_FFFF, 0x5555_5555, ^uint32(1), rng.Uint32(), rng.Uint32() & rng.Uint32()}
	const old = 0xDEAD_BEEF_0BAD_F00D
	for _, in := range every() {
		if in.CrossLane() {
			continue
		}
		var rows [MaxSrcs]Row
		for i := range rows {
			for j := range rows[i] {
				rows[i][j] = rng.Uint64() >> rng.IntN(64)
			}
		}
		run := func(mask uint32) (x Lanes, dst [MaxDsts]Row) {
			x = Lanes{Mask: mask, PSrc: [MaxSrcs]uint32{0x1234_5678, 0xF0F0_F0F0, 0x00FF_FF00}}
			for i := range rows {
				x.Src[i] = &rows[i]
			}
			if in.Type == Pred || in.Op == OpSelp {
				x.Src = [MaxSrcs]*Row{&rows[0], &rows[1]}
			}
			for i := range dst {
				for j := range dst[i] {
					dst[i][j] = old
				}
				x.Dst[i] = &dst[i]
			}
			Execute(&in, &x)
			return x, dst
		}
		full, want := run(allLanes)
		for _, mask := range masks {
			part, got := run(mask)
			for p := range full.PDst {
				require.Equal(t, full.PDst[p]&mask, part.PDst[p], "%s mask %08x", describe(&in), mask)
			}
			for i := range want {
				for lane := range want[i] {
					expected := want[i][lane]
					if mask>>lane&1 == 0 {
						expected = old
					}
					if got[i][lane] != expected {
						require.Failf(t, "wrong lane", "%s mask %08x lane %d: got %x, want %x", describe(&in), mask,
							lane, got[i][lane], expected)
					}
				}
			}
		}
	}
}

// TestDestinationInPlace uses the same row as source and destination.
func TestDestinationInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, in := range every() {
		if in.Type == Pred || in.Op == OpUnpack || in.Op == OpMovVec || in.Op == OpNop || in.Op == OpMma {
			continue
		}
		for _, mask := range []uint32{allLanes, 0x00FF_0F35} {
			var rows [MaxSrcs]Row
			for i := range rows {
				for j := range rows[i] {
					rows[i][j] = rng.Uint64() >> rng.IntN(64)
				}
			}
			want, shared := rows[0], rows[0]
			x := Lanes{
				Mask: mask, Src: [MaxSrcs]*Row{&rows[0], &rows[1], &rows[2], &rows[3]},
				Dst: [MaxDsts]*Row{&want},
			}
			if in.Op == OpSelp {
				x.Src[2] = nil
			}
			Execute(&in, &x)
			x.Src[0], x.Dst[0] = &shared, &shared
			Execute(&in, &x)
			require.Equal(t, want, shared, "%s mask %08x", describe(&in), mask)
		}
	}
}

// TestWidth checks that no destination has bits above its type.
func TestWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, in := range every() {
		if in.Type == Pred || in.Op == OpSetp || in.Op == OpTestp || in.Op == OpNop {
			continue
		}
		bits := in.Type.Bits()
		switch {
		case in.Op == OpPopc || in.Op == OpClz || in.Op == OpBfind || in.Op == OpCvtPack:
			bits = 32
		case in.Mode == ModeWide, in.Op == OpMma && in.Type == F16, in.Op == OpMovmatrix: // two in a register
			bits *= 2
		}
		var rows [MaxSrcs]Row
		for i := range rows {
			for j := range rows[i] {
				rows[i][j] = extend(B64, rng.Uint64(), 64)
			}
		}
		var d [MaxDsts]Row
		x := Lanes{Mask: allLanes, Src: [MaxSrcs]*Row{&rows[0], &rows[1], &rows[2], &rows[3]}}
		if in.Op == OpMma {
			for i := range rows {
				x.Src[i] = &rows[i]
			}
			for i := range d {
				x.Dst[i] = &d[i]
			}
		}
		if in.Op == OpSelp {
			x.Src[2] = nil
		}
		for i := range d {
			x.Dst[i] = &d[i]
		}
		Execute(&in, &x)
		for lane, v := range d[0] {
			require.Zero(t, v>>(bits-1)>>1, "%s lane %d: %x", describe(&in), lane, v)
		}
	}
}

func TestExecuteDoesNotAllocate(t *testing.T) {
	var rows [MaxSrcs]Row
	var d [MaxDsts]Row
	for _, in := range every() {
		x := &Lanes{
			Mask: 0x7FFF_FFFF, Src: [MaxSrcs]*Row{&rows[0], &rows[1], &rows[2], &rows[3]},
			Dst: [MaxDsts]*Row{&d[0], &d[1]},
		}
		if in.Op == OpMma {
			for i := range rows {
				x.Src[i] = &rows[i]
			}
			for i := range d {
				x.Dst[i] = &d[i]
			}
		}
		if in.Type == Pred || in.Op == OpSelp {
			x.Src[2] = nil
		}
		assert.Zero(t, testing.AllocsPerRun(2, func() { Execute(&in, x) }), describe(&in))
	}
}

func TestBindNamesWhatItCannotExecute(t *testing.T) {
	p := &Program{File: "k.ptx", Insts: []Inst{
		{Op: OpAdd, Type: U32, Text: "add.u32 %r1, %r2, %r3"},
		{Op: OpAdd, Type: Pred, Text: "add.pred %p1, %p2, %p3", Pos: Pos{Line: 12, Col: 2}},
		{Op: OpSetp, Type: F32, Cmp: CmpLo, Text: "setp.lo.f32 %p1, %f1, %f2", Pos: Pos{Line: 13, Col: 5}},
		{Op: OpIsspacep, Space: SpaceGeneric, Text: "isspacep %p1, %rd1", Pos: Pos{Line: 14, Col: 1}},
		{Op: OpBra, Text: "bra L"},
		{Op: OpLd, Type: U32, Text: "ld.global.u32 %r1, [%rd1]"},
	}}
	err := Bind(p)
	require.Error(t, err)
	assert.Equal(t, `k.ptx:12:2: no datapath for "add.pred %p1, %p2, %p3"
k.ptx:13:5: no datapath for "setp.lo.f32 %p1, %f1, %f2"
k.ptx:14:1: no datapath for "isspacep %p1, %rd1"`, err.Error())
}

func TestExecuteOfUnboundInstructionPanics(t *testing.T) {
	assert.PanicsWithValue(t, `isa: Execute of "bra L", which Bind has not resolved`, func() {
		Execute(&Inst{Op: OpBra, Text: "bra L"}, &Lanes{})
	})
}

// Execute works on whole rows; inactive lanes keep their values.
func ExampleExecute() {
	p := &Program{Insts: []Inst{{Op: OpMad, Type: S32, Mode: ModeLo, Text: "mad.lo.s32 %r4, %r1, %r2, %r3"}}}
	if err := Bind(p); err != nil {
		fmt.Println(err)
		return
	}
	var r1, r2, r3, r4 Row
	for lane := range r1 {
		r1[lane], r2[lane], r3[lane] = uint64(lane), 10, 7
	}
	x := Lanes{Mask: 0b1011, Src: [MaxSrcs]*Row{&r1, &r2, &r3}, Dst: [MaxDsts]*Row{&r4}}
	Execute(&p.Insts[0], &x)
	fmt.Println(r4[:5])
	// Output: [7 17 0 37 0]
}
