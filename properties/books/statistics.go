package books

import (
	"math/bits"
	"slices"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// counted holds the observer's own counts for the statistics.
type counted struct {
	active              [isa.MaxLanes + 1]uint64
	branches, divergent uint64
}

// resolved counts branches.
func (o *counted) resolved(e sm.Branched) {
	diverges := e.Taken != 0 && e.Taken != e.Mask
	if e.Inst.Conditional() || diverges {
		o.branches++
	}
	if diverges {
		o.divergent++
	}
}

// watchCounts begins to count on an SM.
func watchCounts(v *View) *counted {
	o := &counted{}
	v.issues = append(v.issues, func(e sm.Issued) { o.active[bits.OnesCount64(e.Mask)]++ })
	v.Leave(v.sm.ALU.OnBranch.Add(o.resolved))
	v.tally("branches", &o.branches, func(c *testbench.Counters) uint64 { return c.Divergence.Branches })
	v.tally("divergent branches", &o.divergent, func(c *testbench.Counters) uint64 { return c.Divergence.Divergent })
	return o
}

// tally is a count of an observer, with the statistic that must equal the sum over all observers.
type tally struct {
	what string
	n    *uint64 // nil: not known
	peak bool    // the largest counts, not the sum
	of   func(c *testbench.Counters) uint64
}

// tally adds a count, which Statistics compares at the end.
func (v *View) tally(what string, n *uint64, of func(c *testbench.Counters) uint64) {
	v.tallies = append(v.tallies, tally{what: what, n: n, of: of})
}

// forget drops counts of which an event is not known.
func (v *View) forget(counts ...*uint64) {
	for i := range v.tallies {
		if slices.Contains(counts, v.tallies[i].n) {
			v.tallies[i].n = nil
		}
	}
}

// watchDepth follows the depth of each stack from its pushes and pops.
func watchDepth(v *View) {
	type stack struct {
		row   int
		block bool
	}
	depth, most := map[stack]int{}, new(uint64)
	v.Leave(v.sm.Div.Connections().OnStack.Add(func(e divergence.Stacked) {
		k := stack{e.Row, e.Block != nil}
		if depth[k]--; e.Push {
			depth[k] += 2
		}
		if *most = max(*most, uint64(depth[k])); depth[k] != e.Depth {
			v.Fail(Rule{checkStatistics, "another depth of a stack"}, nil,
				"SM %d, cycle %d: the stack of row %d has %d entries after a push or pop, expected %d", v.index, v.sim.Now(),
				e.Row, e.Depth, depth[k])
		}
	}))
	v.tally("entries of the deepest stack", most, func(c *testbench.Counters) uint64 { return c.Divergence.MaxDepth })
	v.tallies[len(v.tallies)-1].peak = true
}

// watchBars counts the barriers that a warp reaches without all of its live threads. Mechanisms whose warps
// have threads of several rows count something else. Where two instructions issue together, a path may exit
// in the cycle in which another one comes to a barrier.
func (v *View) watchBars(places *places) {
	if v.mechanism.Blocks || v.mechanism.Across || v.sm.Issue.Beside != nil {
		return
	}
	n := new(uint64)
	v.eachTaken(func(cycle uint64, out *divergence.Outcome) {
		places.cycle(cycle)
		d := places.decided()
		if v.sm.Program().Insts[out.PC].Op == isa.OpBar && out.Taken != 0 && d != nil &&
			d.Mask != places.at(int(d.Row)).alive {
			*n++
		}
	})
	v.tally("barriers that part of a warp reaches", n,
		func(c *testbench.Counters) uint64 { return c.Divergence.BarDiverged })
}
