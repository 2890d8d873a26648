package paths_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
	"divergo/sm/divergence/paths"
)

// pairs is a stack of path pairs, bottom first, as the figures draw it: PC and
// mask of the taken and the not-taken path, with a star at the current one.
func pairs(p *paths.PPC) (s string) {
	for i := 1; i < int(*p.Stack.Depth.At(0)); i++ {
		e := p.Stack.At(0, i)
		star := [2]string{}
		star[e.Cur] = "*"
		s += fmt.Sprintf("[%d/%02x%s %d/%02x%s]", e.Side[0].At.PC, e.Side[0].Mask, star[0], e.Side[1].At.PC,
			e.Side[1].Mask, star[1])
	}
	return s
}

// TestPPCTrace follows Huang et al., figures 4 and 5 on paper. It lists the warp's PC and mask and
// the stack of pairs after each change.
func TestPPCTrace(t *testing.T) {
	for _, c := range []struct {
		name     string
		kernel   kernel
		verbatim bool
		want     []string
	}{
		{
			//     A          figure 3: BR_A, blocks B and C, join D
			//    / \
			//   B   C
			//    \ /
			//     D
			"figure 3", seq(at("A", when(tid(4), "C")), at("B", to("D")), at("C", nop), at("D", exit)), false,
			[]string{
				"0/ff ",
				"1/0f [2/f0 1/0f*]", // the smaller PC runs
				"2/f0 [2/f0* 3/0f]", // B has jumped to D, C is behind
				"3/ff ",             // equal: the pair is deleted
			},
		},
		{
			"nested", kernels["K2"], false,
			[]string{
				"0/ff ",
				"1/0f [6/f0 1/0f*]",
				"2/03 [6/f0 1/0f*][4/0c 2/03*]", // the parent's own PC is stale
				"3/03 [6/f0 1/0f*][4/0c 3/03*]",
				"4/0c [6/f0 1/0f*][4/0c* 7/03]",
				"5/0c [6/f0 1/0f*][5/0c* 7/03]",
				"6/f0 [6/f0* 7/0f]", // both at 7: deleted, the parent's path is there, its sibling behind
				"7/ff ",
				"8/ff ",
				"9/ff ",
			},
		},
		{
			"nested, as in figure 4", kernels["K2"], true,
			[]string{
				"0/ff ",
				"1/0f [6/f0 1/0f*]",
				"2/03 [6/f0 1/0f*][4/0c 2/03*]",
				"3/03 [6/f0 1/0f*][4/0c 3/03*]",
				"4/0c [6/f0 1/0f*][4/0c* 7/03]",
				"5/0c [6/f0 1/0f*][5/0c* 7/03]",
				"7/0f [6/f0 7/0f*]", // lines 4 to 8: goes on from the parent's PC without comparing
				"6/f0 [6/f0* 8/0f]",
				"7/f0 [7/f0* 8/0f]", // 7 is executed again
				"8/ff ",
				"9/ff ",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			b := micro.Bench{Lanes: 8, Warps: 1, Each: func(p divergence.Policy, _ []micro.Issue) {
				s := p.Slots().At(0)
				state := fmt.Sprintf("%d/%02x %s", s.PC, s.Mask, pairs(p.(*paths.PPC)))
				if s.Valid && (len(got) == 0 || got[len(got)-1] != state) {
					got = append(got, state)
				}
			}}
			m, _ := divergence.Find("ppc")
			r, err := b.Run(m, paths.PPCKeys.With(divergence.Options{}, paths.PPCParams{Verbatim: c.verbatim}),
				c.kernel, 1000)
			require.NoError(t, err)
			require.True(t, r.Done)
			assert.Equal(t, c.want, got)
		})
	}
}

// TestPPCPopsOnePairACycle: when k nested pairs meet at one PC, the next instruction issues k-1
// cycles later than behind one pair. It then issues with all threads.
func TestPPCPopsOnePairACycle(t *testing.T) {
	join := func(k kernel) (cycle uint64) {
		m, _ := divergence.Find("ppc")
		now, last := uint64(0), uint64(0)
		b := micro.Bench{Lanes: 8, Warps: 1, Each: func(_ divergence.Policy, issued []micro.Issue) {
			now++
			if n := len(issued); n > 0 && last == 0 && k[issued[n-1].PC].Label == "J" {
				assert.EqualValues(t, 0xff, issued[n-1].Mask)
				last = now
			}
		}}
		r, err := b.Run(m, divergence.Options{}, k, 1000)
		require.NoError(t, err)
		require.True(t, r.Done)
		return last
	}
	// Each branch takes threads to J; the last instruction before J ends all pairs.
	nested := func(k int) kernel {
		var out kernel
		for i := range 3 {
			c := tid(8 - 2*(i+1))
			if i >= k {
				c = never
			}
			out = append(out, when(c, "J"))
		}
		return append(out, nop, at("J", nop), exit)
	}
	one := join(nested(1))
	assert.Equal(t, one+1, join(nested(2)))
	assert.Equal(t, one+2, join(nested(3)))
}

// figure5 counts the issues of a warp by Huang et al., figures 4 and 5, as on paper. It has a list
// of pairs, of which the last runs the smaller PC and is deleted when its PCs are equal. Two
// readings beyond the figures are those of PPC. Nested pairs that are equal are all deleted, and so
// is a pair that loses its threads.
func figure5(k kernel, lanes int) (issues int) {
	type path struct {
		pc      int
		threads []*thread
	}
	type pair struct {
		path [2]path
		cur  int
	}
	label := map[string]int{}
	for pc, l := range k {
		label[l.Label] = pc
	}
	root := path{}
	for i := range lanes {
		root.threads = append(root.threads, &thread{TID: i})
	}
	stack := []pair{{path: [2]path{root}}}
	for {
		top := &stack[len(stack)-1]
		now := &top.path[top.cur]
		if len(stack) == 1 && len(now.threads) == 0 {
			return issues
		}
		l := k[now.pc]
		issues++
		var taken, not []*thread
		for _, t := range now.threads {
			if l.Do != nil {
				l.Do(t)
			}
			if (l.To != "" || l.Exit) && (l.If == nil || l.If(t)) {
				taken = append(taken, t)
			} else {
				not = append(not, t)
			}
		}
		switch {
		case l.Exit:
			left := func(t *thread) bool { return slices.Contains(taken, t) }
			for i := range stack {
				for j := range stack[i].path {
					x := &stack[i].path[j]
					x.threads = slices.DeleteFunc(slices.Clone(x.threads), left)
				}
			}
			now.pc++
		case len(taken) > 0 && len(not) > 0:
			stack = append(stack, pair{path: [2]path{{label[l.To], taken}, {now.pc + 1, not}}})
		case len(taken) > 0:
			now.pc = label[l.To]
		default:
			now.pc++
		}
		for len(stack) > 1 {
			top := &stack[len(stack)-1]
			a, b := top.path[0], top.path[1]
			if top.cur = 1; a.pc < b.pc {
				top.cur = 0
			}
			end := a.pc
			switch {
			case len(a.threads) == 0:
				end = b.pc
			case len(b.threads) > 0 && a.pc != b.pc:
				end = -1
			}
			if end < 0 {
				break
			}
			stack = stack[:len(stack)-1]
			below := &stack[len(stack)-1]
			below.path[below.cur].pc = end
		}
	}
}

// TestPPCMeetsLate: a loop with a branch, one side of which lies behind the end of the loop.
// Compilers lay out rare code like that; an example is a histogram by binary search in nested
// loops. A path that stays in the loop has the smaller PC, and so does not wait at the join.
//
// On paper, with four threads of four iterations: thread t goes to R in iteration t, thread 3
// never. Thread 3 runs its iterations by itself: 4 of H, C and L, and X, which is 13. The others
// meet at R, in different iterations, and continue together: R, C, L, three more iterations for
// thread 0, and X, 13 again. With reconvergence at C there are three iterations of four
// instructions, one of three, and X: 16.
func TestPPCMeetsLate(t *testing.T) {
	rare := func(rounds int, goes func(*thread) bool) (behind, inside kernel) {
		more := func(t *thread) bool { return t.I < rounds }
		return seq(
				at("H", when(goes, "R")),
				at("C", nop),
				at("L", line{Do: count, If: more, To: "H"}),
				at("X", exit),
				at("R", to("C"))), seq(
				at("H", when(func(t *thread) bool { return !goes(t) }, "C")),
				at("R", nop),
				at("C", nop),
				at("L", line{Do: count, If: more, To: "H"}),
				at("X", exit))
	}
	behind, inside := rare(4, func(t *thread) bool { return t.I == t.TID && t.TID < 3 })
	assert.Equal(t, 26, figure5(behind, 4))
	assert.Equal(t, 16, figure5(inside, 4))
	assert.Len(t, microtest.Run(t, "pdom", divergence.Options{}, 4, 1, behind).Issues, 16)

	counts := func(r micro.Result) uint64 { return reflect.ValueOf(r.Counts).FieldByName("Late").Uint() }
	r := microtest.Run(t, "ppc", divergence.Options{}, 4, 1, behind)
	assert.Len(t, r.Issues, 26)
	assert.EqualValues(t, 3, counts(r), "at C, when threads 0, 1 and 2 have gone to R")
	r = microtest.Run(t, "ppc", divergence.Options{}, 4, 1, inside)
	assert.Len(t, r.Issues, 16)
	assert.Zero(t, counts(r))
	assert.NotZero(t, counts(microtest.Run(t, "ppc-explicit", divergence.Options{}, 4, 1, behind)))
	assert.Zero(t, counts(microtest.Run(t, "ppc-explicit", divergence.Options{}, 4, 1, inside)))

	branch := seq( // at their join
		at("H", when(func(t *thread) bool { return t.I == t.TID && t.TID < 3 }, "R")),
		at("L", line{Do: count, If: func(t *thread) bool { return t.I < 4 }, To: "H"}),
		at("X", exit),
		at("R", to("L")))
	assert.EqualValues(t, 3, counts(microtest.Run(t, "ppc", divergence.Options{}, 4, 1, branch)))

	// A whole warp with two such branches of which each thread takes its own: the more there are, the later paths meet.
	goes := func(seed uint32) func(*thread) bool {
		return func(t *thread) bool { return (uint32(t.TID*64+t.I)+seed)*2654435761>>28 < 4 }
	}
	more := func(t *thread) bool { return t.I < 64 }
	behind = seq(
		at("H", when(goes(0), "R")),
		at("C", when(goes(9999), "S")),
		at("D", when(goes(777), "T")),
		at("L", line{Do: count, If: more, To: "H"}),
		at("X", exit),
		at("R", to("C")), at("S", to("D")), at("T", to("L")))
	joined := len(microtest.Run(t, "pdom", divergence.Options{}, 32, 1, behind).Issues)
	r = microtest.Run(t, "ppc", divergence.Options{}, 32, 1, behind)
	assert.Len(t, r.Issues, figure5(behind, 32))
	assert.Greater(t, len(r.Issues), 2*joined)
}

// TestPPCExplicit: in structured code the explicit scheme executes the instructions of the implicit
// one. It adds a reconvergence instruction for each path that reaches a post-dominator.
func TestPPCExplicit(t *testing.T) {
	for _, c := range []struct {
		kernel string
		issues int
		added  int
	}{
		{"K1", 9, 2},  // the two paths of one branch
		{"K2", 10, 3}, // lanes 0-1, 2-3 and 4-7 come to J
		{"K2b", 9, 4}, // the threads of each of three branches, and the rest
		{"K3", 27, 8}, // the threads leave the loop one after the other
		{"K4", 16, 3}, // a or b: lanes 0-1, 2-3 and 4-7
	} {
		r := microtest.Run(t, "ppc-explicit", divergence.Options{}, 8, 1, kernels[c.kernel])
		assert.Len(t, r.Issues, c.issues, c.kernel)
		assert.Equal(t, c.added, r.Added, c.kernel)
	}
	uniform := microtest.Run(t, "ppc-explicit", divergence.Options{}, 8, 1,
		seq(when(never, "J"), nop, at("J", nop), exit))
	assert.Equal(t, 1, uniform.Added, "one path")
}
