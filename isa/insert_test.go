package isa

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// divergent is a program of flow in which threads disagree at every conditional branch, except
// those with = in place of ?.
func divergent(t *testing.T, ends ...string) *Program {
	var list []string
	for _, end := range ends {
		list = append(list, strings.Replace(end, "=", "?", 1))
	}
	p := flow(t, list...)
	for i := range p.Blocks {
		p.Insts[p.Blocks[i].End-1].Uniform = strings.HasPrefix(ends[i], "=")
	}
	return p
}

// render lists a program on one line. Blocks from before the insertion are letters; "?>C" and ">C"
// are branches to block C. "?>sync C" and "?>ssy C" are branches to such an instruction, which
// leads to C.
func render(old, p *Program) string {
	block := func(pc uint32) string { return string(rune('A' + old.Block(p.OriginOf(pc)))) }
	var list []string
	for pc := range p.Insts {
		in := &p.Insts[pc]
		s := block(uint32(pc))
		switch {
		case in.Op == OpYield:
			s = "yield"
		case in.Inserted && in.Op != OpBra:
			s, _, _ = strings.Cut(in.Text, " ")
			if in.Op == OpBSSY || in.Op == OpBSync {
				s += fmt.Sprint(in.Conv)
			}
			s += " " + block(in.Target)
		case in.Op == OpExit:
			s = "x"
		case in.Op == OpBra:
			s = ">" + block(in.Target)
			if to := &p.Insts[in.Target]; to.Op == OpSync || to.Op == OpSSY {
				s = ">" + strings.Fields(to.Text)[0] + " " + block(to.Target)
			}
			if in.Conditional() {
				s = "?" + s
			}
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

func TestWithTokens(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks []string
		want   string
	}{
		{"no branch", []string{"", "x"}, "A, A, x"},
		{"if", []string{"?C", "", "x"}, "A, ssy C, ?>sync C, B, sync C, C, x"},
		{"if else", []string{"?C", "D", "", "x"}, "A, ssy D, ?>C, B, >sync D, C, sync D, D, x"},
		{
			// Bialas & Strzelecki, listing 3: one ssy for the guard and the loop
			"single loop",
			[]string{"?C", "?B", "x"},
			"A, ssy C, ?>sync C, B, ?>B, sync C, C, x",
		},
		{
			"double loop",
			[]string{"?E", "?D", "?C", "?B", "x"},
			"A, ssy E, ?>sync E, B, ssy D, ?>sync D, C, ?>C, sync D, D, ?>B, sync E, E, x",
		},
		{"loop at the start", []string{"?A", "x"}, "ssy B, A, ?>A, sync B, B, x"},
		{
			// Fung & Aamodt, HPCA 2011, figure 10, behind a block that enters it
			"break",
			[]string{"", "?E", "?F", "G", "", "?B", "x"},
			"A, ssy G, B, ?>E, C, ?>F, D, >sync G, E, F, ?>B, sync G, G, x",
		},
		{
			// B and C meet at D each time; threads that go back from there open the region again
			"continue",
			[]string{"", "?D", "?B", "?B", "x"},
			"A, ssy E, ssy D, B, ?>sync D, C, ?>B, sync D, D, ?>ssy D, sync E, E, x",
		},
		{"exit in an arm", []string{"?C", "x", "x"}, "A, ?>C, B, x, C, x"},
		{
			"join in front of its branch",
			[]string{"C", "x", "?E", "B", "B"},
			"A, >C, sync B, B, x, C, ssy B, ?>E, D, >sync B, E, >sync B",
		},
		{
			// the region is entered past its join: threads fall into D from C one by one
			"join with another way in",
			[]string{"?C", "?D", "", "x"},
			"A, ssy D, ?>C, B, ?>sync D, C, sync D, D, x",
		},
		{
			// G is in the region of F's branch; threads from E open it by themselves
			"arms of a loop that share a tail and break",
			[]string{"", "?I", "?F", "?I", "G", "?H", "", "B", "x"},
			"A, ssy I, B, ?>sync I, C, ?>F, D, ?>sync I, E, ssy H, >G, F, ssy H, ?>sync H, G, sync H, H, >B, sync I, I, x",
		},
		{
			// if (n) do ... while: a uniform branch falls into the head of a loop
			"loop behind a branch",
			[]string{"=D", "?B", "", "x"},
			"A, ?>D, ssy C, B, ?>B, sync C, C, D, x",
		},
		{
			// C runs into the head D from inside, so that the path from A is split
			"loop entered in the middle",
			[]string{"=D", "x", "", "?C", "x"},
			"A, ?>ssy E, B, x, C, D, ?>C, sync E, E, x, ssy E, >D",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := divergent(t, c.blocks...)
			p := WithTokens(old)
			assert.Equal(t, c.want, render(old, p))
			require.NoError(t, p.Check())
			assert.True(t, p == WithTokens(p), "once is enough")
		})
	}
	uniform := flow(t, "?C", "", "x")
	assert.Equal(t, "A, ?>C, B, C, x", render(uniform, WithTokens(uniform)), "no thread leaves the others")
}

func TestWithBarriers(t *testing.T) {
	old := divergent(t, "?E", "?D", "?C", "?B", "x")
	p := WithBarriers(old, true)
	require.NoError(t, p.Check())
	assert.Equal(t,
		"A, bssy0 E, ?>E, yield, B, bssy1 D, ?>D, yield, C, ?>C, bsync1 D, D, ?>B, bsync0 E, E, x", render(old, p))
	assert.Equal(t, "bssy B1, 11", p.Insts[5].Text)
	assert.EqualValues(t, 11, p.Insts[10].Target)
}

// TestInsertRandom checks the instructions inserted into programs with any flow. On every path,
// each thread must find the regions that it opens and closes properly nested, and must take the
// same path as without them.
func TestInsertRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	pairs := 0
	for range 3000 {
		n := 2 + r.IntN(9)
		ends := make([]string, n)
		for i := range ends {
			ends[i] = []string{"", "?", "?", "?", "!", "?x"}[r.IntN(6)]
			switch ends[i] {
			case "?":
				ends[i] += string(rune('A' + r.IntN(n)))
			case "!":
				ends[i] = string(rune('A' + r.IntN(n)))
			}
		}
		ends[n-1] = "x"
		old := divergent(t, ends...)
		p := WithTokens(old)
		if p == old {
			continue
		}
		require.NoError(t, p.Check(), "%q", ends)
		require.Len(t, p.Origin, len(p.Insts))
		for range 20 { // threads walk at random
			var open []uint32
			was, is := uint32(0), uint32(0)
			for range 60 {
				in := &p.Insts[is]
				switch {
				case in.Op == OpSSY:
					require.NotContains(t, open, in.Target, "%q: opened twice", ends)
					open = append(open, in.Target)
					is++
					pairs++
					continue
				case in.Inserted && in.Op == OpBra:
					is = in.Target
					continue
				case in.Op == OpSync:
					require.NotEmpty(t, open, "%q", ends)
					require.Equal(t, open[len(open)-1], in.Target, "%q", ends)
					open, is = open[:len(open)-1], in.Target
					continue
				}
				require.Equal(t, was, p.OriginOf(is), "%q", ends)
				before := &old.Insts[was]
				was, is = was+1, is+1
				if before.Op == OpExit && (before.Guard.Kind == OperandNone || r.IntN(2) == 0) {
					break
				}
				if before.Op == OpBra && (before.Guard.Kind == OperandNone || r.IntN(2) == 0) {
					was, is = before.Target, in.Target
				}
			}
		}
	}
	require.Greater(t, pairs, 1000)
}

// TestInsertLevels checks that only the outer nested regions get instructions, as many as the
// mechanism's limit.
func TestInsertLevels(t *testing.T) {
	const loops = 40
	p := &Program{Preds: []string{"p"}}
	for range loops + 1 {
		p.Insts = append(p.Insts, Inst{Op: OpNop})
	}
	for i := range loops {
		p.Insts = append(p.Insts, Inst{Op: OpBra, Guard: Operand{Kind: OperandPred}, Target: uint32(loops - i)})
	}
	p.Insts = append(p.Insts, Inst{Op: OpExit})
	Analyze(p)
	for i := range p.Insts {
		p.Insts[i].Uniform = false
	}
	for _, c := range []struct {
		p    *Program
		op   Op
		most int
	}{{WithTokens(p), OpSSY, MaxTokenRegions}, {WithBarriers(p, false), OpBSSY, MaxBarriers}} {
		require.NoError(t, c.p.Check())
		n := 0
		for _, in := range c.p.Insts {
			if in.Op == c.op {
				n++
				assert.Less(t, int(in.Conv), MaxBarriers)
			}
		}
		assert.Equal(t, c.most, n)
	}
}

func TestOriginOf(t *testing.T) {
	old := divergent(t, "?C", "", "x")
	p := WithTokens(old)
	var origin []uint32
	for pc := range len(p.Insts) + 2 {
		origin = append(origin, p.OriginOf(uint32(pc)))
	}
	assert.Equal(t, []uint32{0, 1, 1, 2, 3, 3, 4, 5, 6}, origin)
	assert.Equal(t, NoPC, p.OriginOf(NoPC))
	assert.EqualValues(t, 7, old.OriginOf(7))
}
