package isa

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"

	"divergo/internal/forall"
)

// operands are the sources of a warp instruction. Lane i has value i of a source, counted round:
// sources of different lengths meet in all pairs.
type operands struct {
	Mask, P uint32
	A       [11]uint64
	B       [8]uint64
	C       [5]uint64
}

func (o operands) String() string {
	return fmt.Sprintf("lanes %s\np     %s\na %x\nb %x\nc %x", forall.Bits(uint64(o.Mask), 32),
		forall.Bits(uint64(o.P), 32), o.A, o.B, o.C)
}

const untouched = 0xDEAD_BEEF_0BAD_F00D

// lanes are the operands of in, with fresh destinations.
func (o operands) lanes(in *Inst) *Lanes {
	rows := new([3]Row)
	for i := range RowLanes {
		rows[0][i], rows[1][i], rows[2][i] = o.A[i%len(o.A)], o.B[i%len(o.B)], o.C[i%len(o.C)]
	}
	x := &Lanes{Mask: o.Mask, Src: [MaxSrcs]*Row{&rows[0], &rows[1], &rows[2]}, Dst: [MaxDsts]*Row{new(Row)}}
	for i := range x.Dst[0] {
		x.Dst[0][i] = untouched
	}
	if in.Op == OpSelp || in.Op == OpSetp {
		x.Src[2], x.PSrc[2] = nil, o.P
	}
	return x
}

// specials are numbers at which an operation changes its behaviour: the ends of ranges, shifts as
// wide as a register, and of f32 and f64 zeros, subnormals, the ends of normal numbers, infinities
// and NaN with a payload, quiet and signalling.
var specials = []uint64{
	0, 1, 2, 15, 31, 32, 33, 63, 64, 65, 255, 1<<24 + 1, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 31,
	1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<64 - 1, 1<<64 - 2,
	0x007F_FFFF, 0x0080_0000, 0x8000_0001, 0x7F7F_FFFF, 0x7F80_0000, 0xFF80_0000, 0x7F80_0001, 0x7FC0_1234, 0xFFFF_FFFF,
	0x3F80_0000, 0x3F80_0001, 0xBF80_0000, 0x3F00_0000, 0x3380_0000, 0x4B80_0001,
	0x000F_FFFF_FFFF_FFFF, 0x0010_0000_0000_0000, 0x8000_0000_0000_0001, 0x7FEF_FFFF_FFFF_FFFF, 0x7FF0_0000_0000_0000,
	0xFFF0_0000_0000_0000, 0x7FF0_0000_0000_0001, 0x7FF8_0000_0000_1234, 0x3FF0_0000_0000_0000, 0xBFF0_0000_0000_0001,
}

// TestVectors: whatever computes the lanes of this processor gives the bits of the loops over lanes.
func TestVectors(t *testing.T) {
	wide := runtime.GOARCH == "amd64" && cpu.X86.HasAVX2 && cpu.X86.HasFMA
	loops, plain, chosen := newDatapath(), newComparators(), comparators
	var forms []Inst
	vectors := 0
	for _, in := range every() {
		if in.CrossLane() || in.Op == OpMma || in.Op == OpMovVec || in.Op == OpUnpack || in.Op == OpPack {
			continue
		}
		if reflect.ValueOf(lanes.kernels[in.Exec]).Pointer() != reflect.ValueOf(loops.kernels[in.Exec]).Pointer() {
			vectors++
			forms = append(forms, in)
		}
		if in.Op != OpSetp || in.Flags != 0 || in.Type > F64 {
			continue
		}
		for relation := range CmpNan + 1 {
			if in.Cmp = relation; comparators[in.Type][relation].test != nil {
				in.Bool = []BoolOp{BoolNone, BoolAnd, BoolOr, BoolXor}[relation%4]
				forms = append(forms, in)
			}
		}
	}
	assert.Equal(t, wide, vectors > 0)
	t.Logf("AVX2 and FMA: %t; %d forms by vectors", wide, vectors)

	value := gen.Weighted([]gen.WeightedGen{
		{Weight: 3, Gen: forall.OneOf(specials...)}, {Weight: 1, Gen: gen.UInt64()},
	})
	cases := forall.Struct[operands](map[string]gopter.Gen{
		"Mask": forall.Mask[uint32](32), "P": forall.Mask[uint32](32),
		"A": gen.ArrayOfN(11, value), "B": gen.ArrayOfN(8, value), "C": gen.ArrayOfN(5, value),
	})
	forall.CheckMany(t, 1000, "vectors give the bits of the loops over lanes", cases, func(t *forall.T, o operands) {
		for i := range forms {
			in := &forms[i]
			got, want := o.lanes(in), o.lanes(in)
			lanes.kernels[in.Exec](in, got)
			if in.Op == OpSetp {
				comparators = plain
			}
			loops.kernels[in.Exec](in, want)
			if in.Op == OpSetp {
				comparators = chosen
			}
			require.Equal(t, want.PDst, got.PDst, describe(in))
			if *got.Dst[0] != *want.Dst[0] {
				require.Equal(t, want.Dst[0], got.Dst[0], describe(in))
			}
		}
	})
}
