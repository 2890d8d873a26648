package verify

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/sm"
)

var spaceNames = map[isa.Space]string{
	isa.SpaceGeneric: "generic", isa.SpaceGlobal: "global", isa.SpaceShared: "shared",
	isa.SpaceLocal: "local", isa.SpaceConst: "const", isa.SpaceParam: "param",
}

// features returns the contributions of an instruction to the coverage.
func features(in *isa.Inst) []string {
	var list []string
	access := func(what string) {
		list = append(list, fmt.Sprintf("%s %s %d x %d", what, spaceNames[in.Space], max(in.Vec, 1), in.Type.Bits()))
		if in.Type.Signed() && int(in.DstBits) > in.Type.Bits() {
			list = append(list, fmt.Sprintf("%s sign extension %d to %d", what, in.Type.Bits(), in.DstBits))
		}
		list = append(list, fmt.Sprintf("%s cache %d", what, in.Cache))
	}
	switch in.Op {
	case isa.OpLd:
		access("ld")
		if in.Flags&isa.FlagLdu != 0 {
			list = append(list, "ldu")
		}
	case isa.OpSt:
		access("st")
	case isa.OpAtom:
		list = append(list, fmt.Sprintf("atom %s %d type %d", spaceNames[in.Space], in.Atom, in.Type))
	case isa.OpRed:
		list = append(list, fmt.Sprintf("red %s %d type %d", spaceNames[in.Space], in.Atom, in.Type))
	case isa.OpMembar:
		list = append(list, fmt.Sprintf("membar %d", in.Mode))
	case isa.OpBar:
		list = append(list, fmt.Sprintf("bar %d sources %d", in.Mode, in.NSrc))
	default:
		list = append(list, fmt.Sprintf("op %d", in.Op))
		if in.Type.Float() {
			list = append(list, fmt.Sprintf("op %d type %d", in.Op, in.Type))
		}
	}
	if in.Guard.Kind == isa.OperandPred {
		list = append(list, fmt.Sprintf("guarded op %d", in.Op))
	}
	return list
}

// wanted returns the features that the programs must execute together.
func wanted() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, space := range []string{"global", "shared", "local"} {
		for _, what := range []string{"ld", "st"} {
			for _, bits := range []int{8, 16, 32, 64} {
				for _, n := range []int{1, 2, 4} {
					if n*bits <= 128 {
						add("%s %s %d x %d", what, space, n, bits)
					}
				}
			}
		}
	}
	for _, bits := range []int{8, 16, 32, 64} {
		add("ld generic 1 x %d", bits)
		add("st generic 1 x %d", bits)
		add("ld param 1 x %d", bits)
	}
	for _, of := range []string{
		"ld param 2 x 32", "ld param 4 x 32", "ld const 1 x 32", "ld const 1 x 64",
		"ld const 2 x 32", "ldu",
	} {
		add("%s", of)
	}
	for _, from := range []int{8, 16, 32} {
		for _, to := range []int{32, 64} {
			if from < to {
				add("ld sign extension %d to %d", from, to)
			}
		}
	}
	for c := isa.CacheDefault; c <= isa.CacheStream; c++ {
		add("ld cache %d", c)
		add("st cache %d", c)
	}
	for _, a := range []struct {
		op    isa.AtomOp
		types []isa.Type
		red   bool
	}{
		{
			isa.AtomAdd,
			[]isa.Type{isa.U32, isa.S32, isa.U64, isa.F32, isa.F64, isa.F16, isa.F16x2, isa.BF16, isa.BF16x2},
			true,
		},
		{isa.AtomInc, []isa.Type{isa.U32}, true},
		{isa.AtomDec, []isa.Type{isa.U32}, true},
		{isa.AtomMin, []isa.Type{isa.U32, isa.S32, isa.U64, isa.S64}, true},
		{isa.AtomMax, []isa.Type{isa.U32, isa.S32, isa.U64, isa.S64}, true},
		{isa.AtomAnd, []isa.Type{isa.B32, isa.B64}, true},
		{isa.AtomOr, []isa.Type{isa.B32, isa.B64}, true},
		{isa.AtomXor, []isa.Type{isa.B32, isa.B64}, true},
		{isa.AtomExch, []isa.Type{isa.B32, isa.B64}, false},
		{isa.AtomCas, []isa.Type{isa.B16, isa.B32, isa.B64}, false},
	} {
		for _, t := range a.types {
			for _, space := range []string{"global", "shared"} {
				add("atom %s %d type %d", space, a.op, t)
				if a.red {
					add("red %s %d type %d", space, a.op, t)
				}
			}
		}
	}
	for _, m := range []isa.Mode{isa.ModeCTA, isa.ModeGPU, isa.ModeSys} {
		add("membar %d", m)
	}
	for _, m := range []isa.Mode{isa.ModeSync, isa.ModeArrive} {
		add("bar %d sources 2", m)
	}
	for op := isa.OpAdd; op <= isa.OpNop; op++ {
		in := isa.Inst{Op: op}
		// the kernel does not contain b2r; for matrices see TestMma
		if !in.Memory() && !in.Matrix() && op != isa.OpBar && op != isa.OpB2R && op != isa.OpTrap {
			add("op %d", op)
		}
	}
	for _, op := range []isa.Op{
		isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpFma, isa.OpDiv, isa.OpRcp, isa.OpSqrt,
		isa.OpRsqrt, isa.OpMin, isa.OpMax, isa.OpAbs, isa.OpNeg, isa.OpSetp,
	} {
		add("op %d type %d", op, isa.F32)
		add("op %d type %d", op, isa.F64)
	}
	for _, op := range []isa.Op{isa.OpExit, isa.OpRet, isa.OpLd, isa.OpSt, isa.OpAtom, isa.OpRed} {
		add("guarded op %d", op)
	}
	return list
}

// TestProgramsCover checks that the programs together execute every wanted feature.
func TestProgramsCover(t *testing.T) {
	seen := map[string]bool{}
	list := programs(t)
	modern, err := filepath.Glob("testdata/modern/*.ptx")
	require.NoError(t, err)
	for _, file := range modern {
		list = append(list, load(t, file))
	}
	for _, p := range list {
		c := small()
		c.GPU.SMs = 1
		s := session(t, c)
		for _, r := range p.runs {
			l := r.launch(t, s, p.module)
			leave := s.Machine.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
				for _, f := range features(&l.Prog.Insts[e.PC]) {
					seen[f] = true
				}
			})
			require.NoError(t, s.Launch(l))
			leave()
		}
	}
	for _, f := range wanted() {
		assert.True(t, seen[f], "no program executes %s", f)
	}
}
