package isa

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// graphOf is a program of one-instruction blocks. Block i ends with a branch to block to(i) that
// some threads take, or falls through if that is negative.
func graphOf(n int, to func(i int) int) *Program {
	p := &Program{Preds: []string{"p"}}
	for i := range n {
		in := Inst{Op: OpBra, Guard: Operand{Kind: OperandPred}, Target: uint32(to(i))}
		if to(i) < 0 {
			in = Inst{Op: OpNop}
		}
		p.Insts = append(p.Insts, in)
	}
	p.Insts = append(p.Insts, Inst{Op: OpExit})
	return p
}

// TestSizes checks the running time: code that is quadratic in the number of blocks or functions
// takes minutes here.
func TestSizes(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 4_000
	}
	for _, c := range []struct {
		name string
		to   func(i int) int
	}{
		{"branches, one behind the other", func(i int) int { return i + 1 - i%2*(i+2) }},
		{"nested", func(i int) int {
			if i < n/2 {
				return n - 1 - i
			}
			return -1
		}},
		{"nested loops", func(i int) int {
			if i < n/2 {
				return -1
			}
			return n - 1 - i
		}},
		{"to one join", func(int) int { return n }},
		{"out of one loop", func(i int) int {
			if i == n-1 {
				return 0
			}
			return n
		}},
		{"back to one head", func(int) int { return 0 }},
		{"loops of one block", func(i int) int { return i }},
		{"each to the one before", func(i int) int { return max(i-1, 0) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := graphOf(n, c.to)
			Analyze(p)
			for pc := range p.Insts {
				p.Insts[pc].Uniform = false
			}
			require.NotNil(t, WithTokens(p))
			require.NotNil(t, WithBarriers(p, true))
		})
	}
	t.Run("anywhere", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		p := graphOf(n, func(int) int { return r.IntN(n) })
		Analyze(p)
		require.NotNil(t, WithTokens(p))
	})
}

// TestSizesOfCalls uses a chain of functions, and one function that calls all of them.
func TestSizesOfCalls(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 4_000
	}
	for _, chain := range []bool{true, false} {
		p := &Program{Regs: []Reg{{Name: "link", Type: U32}}}
		call := func(f int) {
			p.Insts = append(p.Insts, Inst{
				Op: OpCall, Target: uint32(f), NSrc: 1,
				Src: [MaxSrcs]Operand{{Kind: OperandImm, Imm: uint64(len(p.Insts) + 1)}},
			})
		}
		called := n
		if chain {
			called = 1
		}
		for i := range called {
			call(i)
		}
		p.Insts = append(p.Insts, Inst{Op: OpExit})
		for i := range n {
			p.Funcs = append(p.Funcs, Func{Name: "f", Entry: uint32(len(p.Insts))})
			if chain && i+1 < n {
				call(i + 1)
			}
			p.Insts = append(p.Insts, Inst{Op: OpRet, NSrc: 1, Src: [MaxSrcs]Operand{{Kind: OperandReg}}})
		}
		for pc := range p.Insts {
			if in := &p.Insts[pc]; in.Op == OpCall {
				in.Target = p.Funcs[in.Target].Entry
			}
		}
		Analyze(p)
		require.Same(t, p, WithTokens(p))
	}
}
