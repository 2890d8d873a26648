package isa

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// flow builds a program with one block for each string. "" falls through, "x" exits, "?x" exits for
// some threads, "C" branches to block C, "?C" branches there for some threads. Blocks are A, B, C
// ... in layout order, each of one instruction and its branch.
func flow(t *testing.T, ends ...string) *Program {
	t.Helper()
	p := &Program{Preds: []string{"p"}}
	start := make([]uint32, len(ends))
	for i, end := range ends {
		start[i] = uint32(len(p.Insts))
		p.Insts = append(p.Insts, Inst{Op: OpNop})
		if end != "" {
			in := Inst{Op: OpBra}
			if strings.HasPrefix(end, "?") {
				in.Guard = Operand{Kind: OperandPred}
			}
			if end = strings.TrimPrefix(end, "?"); end == "x" {
				in.Op = OpExit
			} else {
				in.Target = uint32(end[0] - 'A') // block; replaced by its PC below
			}
			p.Insts = append(p.Insts, in)
		}
	}
	for i := range p.Insts {
		if p.Insts[i].Op == OpBra {
			p.Insts[i].Target = start[p.Insts[i].Target]
		}
	}
	Analyze(p)
	require.NoError(t, p.Check())
	return p
}

// names lists the destination of a PC of each block, "x" for the exit.
func names(p *Program, of func(b *Block, last *Inst) uint32) string {
	var s strings.Builder
	for i := range p.Blocks {
		last := &p.Insts[p.Blocks[i].End-1]
		if !last.Conditional() {
			s.WriteByte('.')
		} else if pc := of(&p.Blocks[i], last); pc == NoPC {
			s.WriteByte('x')
		} else {
			s.WriteByte('A' + byte(p.Block(pc)))
		}
	}
	return s.String()
}

func TestReconvergence(t *testing.T) {
	for _, c := range []struct {
		name           string
		blocks         []string
		reconv, likely string // by block: '.' for no conditional branch, 'x' for none
	}{
		{
			// A -> B, C -> D
			"if else", []string{"?C", "D", "", "x"}, "D...", "x...",
		},
		{
			// A -> B or C
			"if", []string{"?C", "", "x"}, "C..", "x..",
		},
		{
			//  +--+
			//  v  |
			//  A--+ -> B
			"loop", []string{"?A", "x"}, "B.", "x.",
		},
		{
			// while: A tests and leaves, C goes back
			"while", []string{"", "?D", "B", "x"}, ".D..", ".C..",
		},
		{
			// Fung & Aamodt, HPCA 2011, figure 10. The paper's blocks A C D B E F are A B C D E F
			// here, in layout order. A goes to D or B, B to E or C, the break in C to F, D to E,
			// and E back to A.
			"figure 10", []string{"?D", "?E", "F", "", "?A", "x"}, "FF..F.", "EE..x.",
		},
		{
			// +-------------+
			// v             |
			// A -> B, C -> D+ -> E: the arms meet before the loop closes
			"if else in a loop", []string{"?C", "D", "", "?A", "x"}, "D..E.", "x..x.",
		},
		{
			// +--------------+
			// v              |
			// A -> B -> C -> D -> E, and A, B and C break to E
			"several exits", []string{"?E", "?E", "?E", "?A", "x"}, "EEEE.", "DDDx.",
		},
		{
			// A and C break to E, B continues at A, D closes the loop. The closest branch back
			// behind A is that of B, behind B that of D.
			"break and continue", []string{"?E", "?A", "?E", "A", "x"}, "EEE..", "BDD..",
		},
		{
			// inner loop B, C within A to D: the branch of B belongs to the inner one
			"nested loops", []string{"", "?D", "?B", "?A", "x"}, ".DDE.", ".Cxx.",
		},
		{
			// A exits for some threads: the branch of B still meets at D
			"exit in an arm", []string{"?D", "", "x", "", "x"}, "x..", "x..",
		},
		{
			"guarded exit", []string{"?x", "?D", "", "x"}, ".D..", ".x..",
		},
		{
			// two entries of a loop of B and C: irreducible, no natural loop
			"irreducible", []string{"?C", "", "?B", "x"}, "C.D.", "x.x.",
		},
		{
			// B loops for ever
			"no way out", []string{"?C", "B", "x"}, "x..", "x..",
		},
		{
			// short circuit: A or B reach D, C does not
			"or", []string{"?D", "?D", "E", "", "x"}, "EE...", "xx...",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := flow(t, c.blocks...)
			assert.Equal(t, c.reconv, names(p, func(_ *Block, in *Inst) uint32 { return in.Reconv }),
				"reconvergence\n%s", p)
			assert.Equal(t, c.likely, names(p, func(_ *Block, in *Inst) uint32 { return in.Likely }),
				"likely convergence\n%s", p)
		})
	}
}

// TestDominatorsByPaths compares with the definitions. d post-dominates b if no path from b to the
// exit avoids d. It dominates b if no path from the entry to b does. The immediate one is dominated
// by all others.
func TestDominatorsByPaths(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for run := range 3000 {
		ends := randomEnds(r, 2+r.IntN(10))
		p := flow(t, ends...)
		for b := range p.Blocks {
			if reached(p, b, -1) {
				idom := -1
				for d := range p.Blocks {
					if d != b && !reached(p, b, d) && (idom < 0 || !reached(p, d, idom)) {
						idom = d
					}
				}
				require.Equal(t, idom, p.Blocks[b].IDom, "seed %d run %d block %d of %q\n%s", seed, run, b, ends, p)
			}
			if p.trapped(b) {
				continue // loops without an exit follow a convention
			}
			want := -1
			for d := range p.Blocks {
				if d == b || p.avoids(b, d) {
					continue
				}
				if want < 0 || !p.avoids(d, want) {
					want = d
				}
			}
			require.Equal(t, want, p.Blocks[b].IPDom, "seed %d run %d block %d of %q\n%s", seed, run, b, ends, p)
		}
	}
}

// randomEnds returns the ends of n blocks for flow. The last one exits.
func randomEnds(r *rand.Rand, n int) []string {
	ends := make([]string, n)
	for i := range ends {
		target := string(rune('A' + r.IntN(n)))
		ends[i] = []string{"", target, "?" + target, "?" + target, "?" + target, "x", "?x"}[r.IntN(7)]
	}
	ends[n-1] = "x"
	return ends
}

// TestLikelyPointsByPaths compares with the definitions. An edge to a block that dominates its start closes a
// loop, whose blocks reach that edge without the header. The likely-convergence point of a branch is the
// first closing block of the innermost loop behind it, or else the last one. It has none if all paths there pass
// the post-dominator first, or if it is that block.
func TestLikelyPointsByPaths(t *testing.T) {
	const seed = 2
	r := rand.New(rand.NewPCG(seed, 0))
	points := 0
	for run := range 3000 {
		ends := randomEnds(r, 3+r.IntN(8))
		p := flow(t, ends...)
		search := searcher{Program: p, seen: make([]int, len(p.Blocks)), left: searchSteps}
		for b := range p.Blocks {
			in := &p.Insts[p.Blocks[b].End-1]
			if !in.Conditional() || !reached(p, b, -1) {
				continue
			}
			var latches []int
			size := len(p.Blocks) + 1
			for h := range p.Blocks {
				var closes []int
				body := map[int]bool{h: true}
				for u := range p.Blocks {
					if !slices.Contains(p.Blocks[u].Succs, h) || !reached(p, u, -1) || u != h && reached(p, u, h) {
						continue
					}
					closes = append(closes, u)
					for x := range p.Blocks {
						if reached(p, x, -1) && (x == u || search.reaches(x, u, h)) && u != h {
							body[x] = true
						}
					}
				}
				if len(closes) > 0 && body[b] && len(body) < size {
					latches, size = closes, len(body)
				}
			}
			want := NoPC
			if len(latches) > 0 {
				latch := latches[len(latches)-1]
				for _, u := range slices.Backward(latches) {
					if u > b {
						latch = u
					}
				}
				if latch != b && search.reaches(b, latch, p.Blocks[b].IPDom) {
					want = p.Blocks[latch].Start
					points++
				}
			}
			require.Equal(t, int32(want), int32(in.Likely), "seed %d run %d block %d of %q\n%s", seed, run, b, ends, p)
		}
	}
	assert.Greater(t, points, 500)
}

// reached reports whether a path leads from the entry to block b without block
// d.
func reached(p *Program, b, d int) bool {
	search := searcher{Program: p, seen: make([]int, len(p.Blocks)), left: searchSteps}
	return d != 0 && (b == 0 || search.reaches(0, b, d))
}

// trapped reports whether block b leads to one from which no path goes to the
// exit.
func (p *Program) trapped(b int) bool {
	seen := make([]bool, len(p.Blocks))
	for work := []int{b}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		if !p.avoids(v, -1) {
			return true
		}
		work = append(work, p.Blocks[v].Succs...)
	}
	return false
}

func reg(i int) Operand          { return Operand{Kind: OperandReg, Index: uint16(i)} }
func special(s Special) Operand  { return Operand{Kind: OperandSpecial, Index: uint16(s)} }
func immediate(v uint64) Operand { return Operand{Kind: OperandImm, Imm: v} }
func predicate(i int) Operand    { return Operand{Kind: OperandPred, Index: uint16(i)} }
func op(o Op, d Operand, s ...Operand) Inst {
	in := Inst{Op: o, Type: U32, NDst: 1, NSrc: uint8(len(s))}
	in.Dst[0] = d
	copy(in.Src[:], s)
	return in
}

func branch(guard Operand, target uint32) Inst { return Inst{Op: OpBra, Guard: guard, Target: target} }

// TestClassesFigure10 follows the example of Rhu & Erez, ISCA 2013, figure 10.
func TestClassesFigure10(t *testing.T) {
	param := op(OpLd, reg(3), immediate(0))
	param.Space = SpaceParam
	load := op(OpLd, reg(5), reg(4))
	load.Space = SpaceGlobal
	p := &Program{Regs: make([]Reg, 6), Preds: make([]string, 3), Insts: []Inst{
		op(OpMov, reg(2), special(TidX)),               // 0: r2 is P
		op(OpSetp, predicate(1), reg(2), immediate(0)), // 1: p1 is P
		branch(predicate(1), 9),                        // 2: P-branch
		param,                                          // 3: r3 is P
		op(OpAdd, reg(4), reg(2), reg(3)),              // 4: r4 is P
		load,                                           // 5: r5 is D
		op(OpSetp, predicate(2), reg(5), immediate(0)), // 6: p2 is D
		branch(predicate(2), 9),                        // 7: D-branch
		op(OpMov, reg(5), immediate(100)),              // 8: r5 is clean
		op(OpSetp, predicate(2), reg(5), reg(2)),       // 9: at the join, r5 is D again
		branch(predicate(2), 9),                        // 10
		op(OpMov, reg(5), immediate(100)),              // 11: clean on the only path
		op(OpSetp, predicate(0), reg(5), immediate(1)), // 12
		branch(predicate(0), 12),                       // 13
		{Op: OpExit},
	}}
	Analyze(p)
	require.NoError(t, p.Check())
	for pc, want := range map[uint32]Class{
		2: ClassProgrammatic, 7: ClassData, 10: ClassData, 13: ClassProgrammatic,
		1: ClassNone,
	} {
		assert.Equal(t, want, p.Insts[pc].Class, "pc %d", pc)
	}
}

func TestUniform(t *testing.T) {
	load := op(OpLd, reg(0), immediate(0))
	load.Space = SpaceParam
	for _, c := range []struct {
		name  string
		insts []Inst
		want  map[uint32]bool // branches and barriers
	}{
		{
			"parameter",
			[]Inst{load, op(OpSetp, predicate(0), reg(0)), branch(predicate(0), 3), {Op: OpExit}},
			map[uint32]bool{2: true},
		},
		{"tid", []Inst{
			op(OpMov, reg(0), special(TidX)), op(OpSetp, predicate(0), reg(0)), branch(predicate(0), 3),
			{Op: OpExit},
		}, map[uint32]bool{2: false}},
		{"ctaid", []Inst{
			op(OpMov, reg(0), special(CtaidX)), op(OpSetp, predicate(0), reg(0)), branch(predicate(0), 3),
			{Op: OpExit},
		}, map[uint32]bool{2: true}},
		{
			// A constant that depends on the path of a thread.
			"control dependence",
			[]Inst{
				op(OpMov, reg(0), special(TidX)),
				op(OpSetp, predicate(0), reg(0)),
				branch(predicate(0), 4),
				op(OpMov, reg(1), immediate(1)),
				op(OpSetp, predicate(1), reg(1)),
				branch(predicate(1), 6),
				{Op: OpBar},
				{Op: OpExit},
			},
			map[uint32]bool{2: false, 5: false, 6: true},
		},
		{
			// A counter of a loop that threads leave at different times.
			"iterations",
			[]Inst{
				op(OpMov, reg(0), immediate(0)),
				op(OpAdd, reg(0), reg(0), immediate(1)),
				op(OpSetp, predicate(0), reg(0), special(TidX)),
				{Op: OpBar},
				branch(predicate(0), 1),
				op(OpSetp, predicate(1), reg(0)),
				branch(predicate(1), 7),
				{Op: OpExit},
			},
			map[uint32]bool{3: false, 4: false, 6: false},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Program{Regs: make([]Reg, 2), Preds: make([]string, 2), Insts: c.insts}
			Analyze(p)
			require.NoError(t, p.Check())
			for pc, want := range c.want {
				assert.Equal(t, want, p.Insts[pc].Uniform, "pc %d", pc)
			}
		})
	}
}

func TestLiveRegs(t *testing.T) {
	wide := []Reg{{Type: U32}, {Type: U64}, {Type: U16}}
	use := Inst{Op: OpSt, NSrc: 2, Src: [MaxSrcs]Operand{reg(1), reg(2)}}
	for _, c := range []struct {
		name  string
		insts []Inst
		want  int
	}{
		{"unused result", []Inst{op(OpMov, reg(1), immediate(1)), {Op: OpExit}}, 2},
		{"sequence", []Inst{
			op(OpMov, reg(0), immediate(1)), op(OpMov, reg(1), reg(0)), op(OpMov, reg(2), immediate(1)),
			use,
			{Op: OpExit},
		}, 3},
		{"across a loop", []Inst{
			op(OpMov, reg(1), immediate(1)), op(OpMov, reg(2), immediate(1)),
			op(OpMov, reg(0), immediate(1)), use, branch(predicate(0), 2),
			{Op: OpExit},
		}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Program{Regs: wide, Preds: make([]string, 1), Insts: c.insts}
			Analyze(p)
			assert.Equal(t, c.want, p.LiveRegs)
		})
	}
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		want string
		harm func(p *Program)
	}{
		{"destination 3 is not declared", func(p *Program) { p.Insts[0].NDst, p.Insts[0].Dst[0] = 1, reg(3) }},
		{"source 0 is not declared", func(p *Program) { p.Insts[0].NSrc, p.Insts[0].Src[0] = 1, reg(0) }},
		{"guard 1 is not declared", func(p *Program) { p.Insts[1].Guard.Index = 1 }},
		{"12 sources", func(p *Program) { p.Insts[0].NSrc = MaxSrcs + 1 }},
		{"target 7 of 5 instructions", func(p *Program) { p.Insts[1].Target = 7 }},
		{"reconvergence at 4, but the post-dominator is at 3", func(p *Program) { p.Insts[1].Reconv = 4 }},
		{"avoids its post-dominator 1", func(p *Program) { p.Blocks[0].IPDom = 1 }},
		{"want it to start at 3", func(p *Program) { p.Blocks[2].Start++ }},
		{"blocks end at 5 of 6", func(p *Program) { p.Insts = append(p.Insts, Inst{Op: OpExit}) }},
		{"runs off the end", func(p *Program) { p.Insts[4].Guard = predicate(0) }},
		{"no edge from block 0 to the target", func(p *Program) { p.Blocks[0].Succs = p.Blocks[0].Succs[:1] }},
		{"an edge to block 0, which does not follow", func(p *Program) { p.Blocks[1].Succs = []int{0} }},
		{"no predecessor", func(p *Program) { p.Blocks[2].Preds = nil }},
		{"before its end", func(p *Program) { p.Insts[0] = Inst{Op: OpExit} }},
		{"no instructions", func(p *Program) { p.Insts = nil }},
	} {
		p := flow(t, "?C", "", "x")
		c.harm(p)
		assert.ErrorContains(t, p.Check(), c.want)
	}
}
