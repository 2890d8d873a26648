package isa

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// mixedProgram has branches from anywhere to anywhere, and instructions that read and write a few
// registers and predicates, guarded or not.
func mixedProgram(r *rand.Rand) *Program {
	p := &Program{Preds: []string{"p", "q"}}
	for i := range 6 {
		p.Regs = append(p.Regs, Reg{Name: fmt.Sprint("r", i), Type: []Type{U32, U64}[i%2]})
	}
	n := 5 + r.IntN(40)
	reg := func() Operand { return Operand{Kind: OperandReg, Index: uint16(r.IntN(len(p.Regs)))} }
	pred := func() Operand { return Operand{Kind: OperandPred, Index: uint16(r.IntN(len(p.Preds)))} }
	for range n {
		in := Inst{Op: OpAdd, Target: NoPC, NSrc: 2, NDst: 1}
		in.Src[0], in.Src[1], in.Dst[0] = reg(), reg(), reg()
		switch r.IntN(8) {
		case 0, 1:
			in = Inst{Op: OpBra, Target: uint32(r.IntN(n))}
		case 2:
			in.Op, in.Dst[0] = OpSetp, pred()
		case 3:
			in.Op, in.Space, in.NSrc = OpLd, []Space{SpaceGlobal, SpaceParam}[r.IntN(2)], 1
		case 4:
			in.Src[1] = Operand{Kind: OperandSpecial, Index: uint16([]Special{TidX, Clock}[r.IntN(2)])}
		case 5:
			in.Src[1] = Operand{Kind: OperandImm}
		}
		if r.IntN(3) == 0 || in.Op == OpBra && r.IntN(4) > 0 {
			in.Guard = pred()
		}
		p.Insts = append(p.Insts, in)
	}
	p.Insts = append(p.Insts, Inst{Op: OpExit, Target: NoPC})
	return p
}

// TestLivenessAndClasses compares live values and data-dependent branches with the textbook
// equations. Those are solved for one value at each place by iteration until nothing changes.
func TestLivenessAndClasses(t *testing.T) {
	branches := map[Class]int{}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := mixedProgram(r)
		require.NoError(t, Analyze(p))
		n, values := len(p.Insts), len(p.Regs)+len(p.Preds)
		next := make([][]int, n)
		for pc := range p.Insts {
			in := &p.Insts[pc]
			if in.Op == OpBra {
				next[pc] = append(next[pc], int(in.Target))
			}
			if in.Op != OpExit && (in.Op != OpBra || in.Guard.Kind == OperandPred) {
				next[pc] = append(next[pc], pc+1)
			}
		}
		names := func(list []Operand, v int) bool {
			return slices.ContainsFunc(list, func(o Operand) bool { return p.value(o) == v })
		}
		live, data, reached := make([][]bool, n), make([][]bool, n), make([]bool, n)
		for pc := range n {
			live[pc], data[pc] = make([]bool, values), make([]bool, values)
		}
		reached[0] = true
		for changed := true; changed; {
			changed = false
			set := func(b *bool, to bool) {
				changed = changed || to && !*b
				*b = *b || to
			}
			for pc := range n {
				in := &p.Insts[pc]
				guarded := in.Guard.Kind == OperandPred
				made := in.Op == OpLd && in.Space == SpaceGlobal
				for _, s := range in.Src[:in.NSrc] {
					v := p.value(s)
					made = made || in.Op != OpLd &&
						(v >= 0 && data[pc][v] || s.Kind == OperandSpecial && Special(s.Index) == Clock)
				}
				for v := range values {
					written := names(in.Dst[:in.NDst], v)
					for _, s := range next[pc] {
						set(&live[pc][v], live[s][v] && (!written || guarded))
						set(&data[s][v], reached[pc] && (written && made || data[pc][v] && (!written || guarded)))
					}
					set(&live[pc][v], names(in.Src[:in.NSrc], v) || p.value(in.Guard) == v)
				}
				for _, s := range next[pc] {
					set(&reached[s], reached[pc])
				}
			}
		}

		sets, err := liveness(p, maxLive)
		require.NoError(t, err)
		most := 0
		for b := range p.Blocks {
			for v := range values {
				require.Equal(t, live[p.Blocks[b].Start][v], sets.has(b, v), "seed %d, block %d, value %d", seed, b, v)
			}
		}
		units := func(at []bool) (n int) {
			for v, l := range at[:len(p.Regs)] {
				if l {
					n += p.Regs[v].Type.Bits() / 32
				}
			}
			return n
		}
		for pc := range n {
			behind := make([]bool, values)
			for v := range values {
				behind[v] = names(p.Insts[pc].Dst[:p.Insts[pc].NDst], v)
				for _, s := range next[pc] {
					behind[v] = behind[v] || live[s][v]
				}
			}
			most = max(most, units(behind), units(live[pc]))
			in := &p.Insts[pc]
			if want := ClassNone; reached[pc] {
				if in.Conditional() {
					want = ClassProgrammatic
					if data[pc][p.value(in.Guard)] {
						want = ClassData
					}
				}
				require.Equal(t, want, in.Class, "seed %d, pc %d", seed, pc)
				branches[want]++
			}
		}
		require.LessOrEqual(t, most, p.LiveRegs)
	}
	require.Greater(t, branches[ClassData], 500)
	require.Greater(t, branches[ClassProgrammatic], 500)
}
