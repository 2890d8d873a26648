package divergence_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
)

// randomKernel is one whose loops may be left from within. Without exits, which
// can part threads for good, every second one is gone through three times by all
// threads, so that its branches meet what they have left in a table.
func randomKernel(seed uint64, threads int, exits, bars bool) kernel {
	k := micro.Random(seed, threads, micro.Shape{Exits: exits, Bars: bars})
	if exits || seed%2 == 0 {
		return k
	}
	again := line{If: func(t *thread) bool { return t.I < 3 }, To: "AGAIN", Uniform: true}
	return seq(at("AGAIN", count1), k[:len(k)-1], again, exit)
}

// alone is what a thread executes by itself.
func alone(k kernel, tid int) (pcs []uint32) {
	t := &thread{TID: tid}
	labels := map[string]int{}
	for pc, l := range k {
		if l.Label != "" {
			labels[l.Label] = pc
		}
	}
	for pc := 0; ; pc++ {
		l := k[pc]
		pcs = append(pcs, uint32(pc))
		if l.Do != nil {
			l.Do(t)
		}
		if l.Exit && (l.If == nil || l.If(t)) {
			return pcs
		}
		if l.To != "" && (l.If == nil || l.If(t)) {
			pc = labels[l.To] - 1
		}
	}
}

// perThread tells issued instructions apart by thread.
func perThread(issues []micro.Issue, lanes, threads int) [][]uint32 {
	pcs := make([][]uint32, threads)
	for _, i := range issues {
		for lane := range lanes {
			if i.Mask>>lane&1 != 0 {
				t := i.Thread(lane, lanes)
				pcs[t] = append(pcs[t], i.PC)
			}
		}
	}
	return pcs
}

// noneAhead tests that no thread passes a barrier before every thread of the
// CTA that still runs has got there.
func noneAhead(t *testing.T, k kernel, issues []micro.Issue, lanes, threads int) {
	passed, gone := make([]int, threads), make([]bool, threads)
	for _, i := range issues {
		for lane := range lanes {
			if i.Mask>>lane&1 == 0 {
				continue
			}
			me := i.Thread(lane, lanes)
			for other := range threads {
				if !gone[other] && passed[other] < passed[me] {
					require.Failf(t, "a thread is ahead", "thread %d is at PC %d behind barrier %d, thread %d has not got there", me, i.PC, passed[me], other)
				}
			}
		}
		for lane := range lanes {
			if i.Mask>>lane&1 != 0 {
				me := i.Thread(lane, lanes)
				if k[i.PC].Bar {
					passed[me]++
				}
				gone[me] = gone[me] || k[i.PC].Exit
			}
		}
	}
}

// variants are all mechanisms, and what their options change.
func variants() (list []divergence.Options) {
	for _, m := range divergence.Mechanisms() {
		list = append(list, divergence.Options{Mechanism: m.Name, PathOrder: divergence.TakenFirst})
	}
	return append(list,
		with("multipath", "multipath.paths", "1"),
		divergence.Options{Mechanism: "pdom", PathOrder: divergence.MinorityFirst},
		divergence.Options{Mechanism: "ppc", PPCVerbatim: true},
		divergence.Options{Mechanism: "token", TokenWindow: 1})
}

// with is a mechanism with another value of a parameter.
func with(mechanism, key, value string) divergence.Options {
	o, err := divergence.Options{Mechanism: mechanism}.With(key, value)
	if err != nil {
		panic(err)
	}
	return o
}

// TestRandomKernels: under every mechanism each thread executes what it would
// execute alone, each instruction once, so that the sum of active lanes is the
// same under all of them; no thread is lost on the way.
func TestRandomKernels(t *testing.T) {
	const lanes, warps = 8, 3
	for seed := range uint64(30) {
		exits, bars := seed%3 == 1, seed%3 == 2
		var want [][]uint32
		k := randomKernel(seed, lanes*warps, exits, bars)
		for tid := range lanes * warps {
			want = append(want, alone(k, tid))
		}
		for _, o := range variants() {
			for _, latency := range []int{0, 5} {
				m, _ := divergence.Find(o.Mechanism)
				k := randomKernel(seed, lanes*warps, exits, bars)
				count := census{k: k}
				b := micro.Bench{Lanes: lanes, Warps: warps, Latency: latency, Each: func(p divergence.Policy, issued []micro.Issue) {
					count.take(t, p, issued)
					switch p := p.(type) {
					case *divergence.DPE:
						dualPath(t, p)
					case *divergence.MultiPath:
						multiPath(t, p)
					}
				}}
				r, err := b.Run(m, o, k, 200_000)
				require.NoError(t, err)
				require.True(t, r.Done, "seed %d, %+v", seed, o)
				require.Equal(t, want, perThread(r.Issues, lanes, lanes*warps), "seed %d, %+v", seed, o)
				if bars {
					noneAhead(t, k, r.Issues, lanes, lanes*warps)
				}
			}
		}
	}
}

// census counts threads.
type census struct {
	k       kernel
	read    int // issued instructions seen
	started [divergence.MaxWarps]bool
	gone    [divergence.MaxWarps]uint32 // threads that have come to an exit
}

// take tests that the paths of a warp are disjoint and hold all its threads
// that have not come to an exit.
func (c *census) take(t *testing.T, p divergence.Policy, issued []micro.Issue) {
	for ; c.read < len(issued); c.read++ {
		i := issued[c.read]
		for m := i.Mask; m != 0; m &= m - 1 {
			h := i.Home(bits.TrailingZeros32(m))
			c.started[h.Row] = true
			if c.k[i.PC].Exit {
				c.gone[h.Row] |= 1 << h.Lane
			}
		}
	}
	var seen [divergence.MaxWarps]uint32
	for _, path := range p.Paths(nil) {
		if path.Mask&seen[path.Row] != 0 {
			require.Fail(t, "a thread is in two paths")
		}
		seen[path.Row] |= path.Mask
	}
	for row, started := range c.started {
		if started && seen[row]|c.gone[row] != 0xff {
			require.Fail(t, "a thread is lost", "row %d", row)
		}
	}
}

// dualPath tests the invariants of a dual-path stack: the paths of an entry are
// disjoint and part of a path below it, and only paths of the top entry that
// have not ended are in slots.
func dualPath(t *testing.T, d *divergence.DPE) {
	for w := range d.Stack.Depth.Len() {
		depth := int(*d.Stack.Depth.At(w))
		below := append(make([]uint32, 0, 64), ^uint32(0))
		for i := range depth {
			e := *d.Stack.At(w, i)
			if i == depth-1 { // its paths are in the slots
				for side := range e.Side {
					s := d.Table.At(2*w + side)
					e.Side[side].Mask = 0
					if s.Valid {
						if s.PC == e.RPC.PC && s.Depth == e.RPC.Depth {
							require.Fail(t, "a path at its end can be scheduled")
						}
						e.Side[side].Mask = s.Mask
					}
				}
			}
			a, b := e.Side[0].Mask, e.Side[1].Mask
			inside := false
			for _, m := range below {
				inside = inside || (a|b)&^m == 0
			}
			if a&b != 0 || !inside {
				require.Fail(t, "not two parts of one path below", "warp %d entry %d: %08b and %08b", w, i, a, b)
			}
			below = append(below, a, b)
		}
	}
}
