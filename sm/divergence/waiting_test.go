package divergence_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

// TestWaitingForAThreadOfTheWarp: kernels in which threads wait for others of their warp. They
// finish or hang depending on the order of paths.
func TestWaitingForAThreadOfTheWarp(t *testing.T) {
	// A lock that its owner releases behind the loop.
	behind := func() kernel {
		locked := false
		return seq(
			at("L", line{Do: func(t *thread) {
				if t.I == 0 && !locked {
					locked, t.I = true, 1
				}
			}}),
			when(func(t *thread) bool { return t.I == 0 }, "L"),
			line{Do: func(*thread) { locked = false }},
			exit)
	}
	// The same with the release in the loop.
	within := func() kernel {
		locked := false
		return seq(
			at("L", line{Do: func(t *thread) {
				if !locked {
					locked, t.I = true, 1
				}
			}}),
			when(func(t *thread) bool { return t.I == 0 }, "N"),
			line{Do: func(*thread) { locked = false }},
			at("N", when(func(t *thread) bool { return t.I == 0 }, "L")),
			exit)
	}
	// Thread 0 sets a flag that the others wait for, in a path of its own.
	flag := func() kernel {
		set := false
		return seq(
			when(below(1), "P"),
			at("W", when(func(*thread) bool { return !set }, "W")),
			to("J"),
			at("P", line{Do: func(*thread) { set = true }}),
			at("J", exit))
	}
	for _, c := range []struct {
		options              divergence.Options
		behind, within, flag bool // finishes
	}{
		{divergence.Options{Mechanism: "pdom", PathOrder: divergence.TakenFirst}, false, true, true},
		{divergence.Options{Mechanism: "pdom", PathOrder: divergence.NotTakenFirst}, false, true, false},
		{divergence.Options{Mechanism: "ptpc"}, false, true, false},
		{divergence.Options{Mechanism: "ppc"}, false, true, false},
		{microtest.With("ppc", "ppc.verbatim", "true"), false, true, false},
		{divergence.Options{Mechanism: "dpe"}, false, true, true}, // the path of thread 0 runs beside the waiting one
	} {
		m, _ := divergence.Find(c.options.Mechanism)
		for _, k := range []struct {
			name     string
			kernel   kernel
			finishes bool
		}{{"lock, release behind the loop", behind(), c.behind}, {
			"lock, release in the loop", within(),
			c.within,
		}, {"flag", flag(), c.flag}} {
			r, err := micro.Run(m, c.options, 8, 1, k.kernel, 1000)
			require.NoError(t, err)
			assert.Equal(t, k.finishes, r.Done, "%s, %+v", k.name, c.options)
		}
	}
}

// TestBarriers: no thread passes a barrier before every live thread of the CTA has reached it.
func TestBarriers(t *testing.T) {
	bar := line{Bar: true}
	all := []string{"pdom", "ptpc", "ppc", "dpe"}
	paths := []string{"ptpc", "ppc", "dpe"} // mechanisms that let the other path of a warp run to the barrier
	for _, c := range []struct {
		name     string
		mechs    []string
		kernel   kernel
		diverged bool // some threads get to a barrier without the rest of their warp
	}{
		{
			"block that is placed behind its join",
			[]string{"pdom", "dpe"},
			seq(when(tid(7), "COLD"), nop, at("R", bar), nop, bar, exit, at("COLD", nop), nop, to("R")), false,
		},
		{
			"block that is placed behind its join, smallest PC first",
			[]string{"ptpc", "ppc"},
			seq(when(tid(7), "COLD"), nop, at("R", bar), nop, bar, exit, at("COLD", nop), nop, to("R")), true,
		},
		{
			"a barrier in each path", paths,
			seq(when(odd, "C"), nop, bar, to("D"), at("C", nop), nop, bar, at("D", bar), exit), true,
		},
		{
			"a barrier in each path, behind a branch of the other", paths,
			seq(when(tid(4), "C"), when(odd, "X"), rep("", 3), at("X", bar), to("D"), at("C", bar), nop, at("D", bar),
				exit), true,
		},
		{
			"a barrier in each of three paths",
			[]string{"ptpc"},
			seq(when(tid(4), "C"), when(odd, "X"), rep("", 3), bar, to("Y"), rep("X", 3), bar, at("Y", nop), to("D"),
				at("C", bar), nop, at("D", bar), exit), true,
		},
		{
			"threads of a warp leave instead", paths,
			seq(when(odd, "OUT"), bar, nop, bar, exit, rep("OUT", 9), exit), true,
		},
		{
			"two of three paths get there",
			[]string{"ptpc", "ppc"},
			seq(when(odd, "C"), nop, bar, to("D"), at("C", nop), when(tid(10), "OUT"), bar, at("D", nop), exit,
				rep("OUT", 9), exit), true,
		},
		{
			"a warp leaves instead", all,
			seq(when(tid(16), "OUT"), bar, nop, bar, exit, rep("OUT", 9), exit), false,
		},
	} {
		for _, name := range c.mechs {
			for _, o := range variants() {
				if o.Mechanism != name {
					continue
				}
				for _, b := range []micro.Bench{
					{Lanes: 8, Warps: 3},
					{Lanes: 8, Warps: 3, Latency: 5},
					{Lanes: 8, Warps: 1, Latency: 5},
				} {
					m, _ := divergence.Find(name)
					r, err := b.Run(m, o, c.kernel, 2000)
					require.NoError(t, err)
					require.True(t, r.Done, "%s, %+v", c.name, o)
					microtest.NoneAhead(t, c.kernel, r.Issues, 8, 8*b.Warps)
					for i, pcs := range microtest.PerThread(r.Issues, 8, 8*b.Warps) {
						require.Equal(t, microtest.Alone(c.kernel, i), pcs, "%s, %+v: thread %d", c.name, o, i)
					}
					assert.Equal(t, c.diverged, r.Stats.BarDiverged > 0, "%s, %+v", c.name, o)
				}
			}
		}
	}
}

// TestArrive: a warp that only arrives does not wait; a warp that waits continues after all have
// arrived.
func TestArrive(t *testing.T) {
	k := seq(when(tid(8), "W"), rep("", 20), line{Pass: true}, nop, exit, at("W", line{Bar: true}), nop, exit)
	const pass, wait = 21, 24
	for _, o := range variants() {
		if strings.HasPrefix(o.Mechanism, "tbc") {
			continue // the warps of a CTA go one way of a branch at a time
		}
		r := microtest.Run(t, o.Mechanism, o, 8, 2, k)
		arrived, passed := -1, -1
		for i, issue := range r.Issues {
			switch {
			case issue.PC == pass:
				arrived = i
			case issue.PC == wait+1:
				passed = i
			}
		}
		assert.Less(t, arrived, passed, "%+v", o)
		assert.Positive(t, arrived)
	}
}
