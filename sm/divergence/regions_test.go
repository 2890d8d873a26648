package divergence_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

// unstructured returns a kernel of blocks that branch anywhere: into loops, out of them and across.
// A thread takes at most 40 branches, each by its number, so that it ends. Some forward branches
// are unconditional, and some are known to be uniform.
func unstructured(seed uint64, exits bool) kernel {
	r := rand.New(rand.NewPCG(seed, 7))
	n := 3 + r.IntN(10)
	name := func(i int) string { return fmt.Sprint("B", i) }
	var k kernel
	for i := range n {
		k = append(k, at(name(i), count1))
		dest := r.IntN(n)
		salt := r.Uint64()
		odd := func(t *thread) bool {
			return t.I < 40 && (uint64(t.TID+1)*0x9e3779b97f4a7c15^uint64(t.I)*salt)>>40&1 != 0
		}
		ahead := name(i + 1 + r.IntN(n-i))
		switch r.IntN(10) {
		case 0: // falls through
		case 1:
			k = append(k, to(ahead))
		case 2:
			always := salt&1 != 0
			k = append(k, line{If: func(*thread) bool { return always }, To: ahead, Uniform: true})
		case 3:
			if exits {
				k = append(k, line{If: odd, Exit: true})
			}
		default:
			k = append(k, when(odd, name(dest)))
		}
	}
	return append(k, at(name(n), exit))
}

// TestMeetAsPDOM: the instructions that a compiler inserts for tokens and barriers reconverge the
// threads of a warp where a stack of post-dominators does. Each mechanism issues every instruction
// of the kernel equally often with each mask. Only threads of a program with more regions than
// barriers may stay apart longer.
func TestMeetAsPDOM(t *testing.T) {
	const lanes, warps = 8, 2
	type issue struct {
		row  int
		pc   uint32
		mask uint64
	}
	issues := func(name string, k kernel) map[issue]int {
		m, _ := divergence.Find(name)
		r, err := micro.Bench{Lanes: lanes, Warps: warps}.Run(m, divergence.Options{PathOrder: divergence.TakenFirst},
			k, 200_000)
		require.NoError(t, err)
		require.True(t, r.Done)
		count := map[issue]int{}
		for _, i := range r.Issues {
			count[issue{i.Row, i.PC, i.Mask}]++
		}
		return count
	}
	for seed := range uint64(400) {
		for name, k := range map[string]func() kernel{
			"unstructured": func() kernel { return unstructured(seed, seed%2 == 1) },
			"two branches, one join": func() kernel {
				return seq(line{If: func(*thread) bool { return seed%2 == 1 }, To: "B", Uniform: true}, when(odd, "J"),
					nop, to("J"), at("B", when(odd, "J")), nop, at("J", nop), exit)
			},
			"structured": func() kernel { return microtest.RandomKernel(seed, lanes*warps, seed%2 == 1, false) },
		} {
			m, _ := divergence.Find("barrier")
			prog := m.Program(divergence.Options{}, k().Program("k"))
			all := len(prog.Warnings) == 0
			want := issues("pdom", k())
			require.Equal(t, want, issues("token", k()), "%s, seed %d, token", name, seed)
			if all {
				require.Equal(t, want, issues("barrier", k()), "%s, seed %d, barrier", name, seed)
			}
		}
	}
}
