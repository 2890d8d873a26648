package properties

import (
	"math/bits"
	"testing"

	"divergo/properties/draw"
	"divergo/rtl"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"

	"github.com/stretchr/testify/assert"
)

// TestCompactionIsWatched: one wrong warp of the compactor, or one thread in
// another lane, is enough.
func TestCompactionIsWatched(t *testing.T) {
	warps := func(see func(o *observer, w divergence.Compacted)) func(*observer) {
		return func(o *observer) {
			compacts := o.promises.Compacts(o.sm.Div)
			*compacts = rtl.Observers[divergence.Compacted]{}
			compacts.Add(func(w divergence.Compacted) { see(o, w) })
		}
	}
	for _, c := range []struct {
		name, checker string
		change        func(*observer)
	}{
		{"nothing", "", func(*observer) {}},
		{"a pop without need, above the bottom", checkTiming, warps(func(o *observer, w divergence.Compacted) {
			if b := &o.compactor.ctas[w.CTA]; b.made == b.want && !w.Bottom {
				w.Popped++
				w.Cycle++
			}
			o.compactor.warp(w)
		})},
		{"a thread lost", checkCompactor, warps(func(o *observer, w divergence.Compacted) {
			w.Mask &= w.Mask - 1
			o.compactor.warp(w)
		})},
		{"a warp twice", checkCompactor, warps(func(o *observer, w divergence.Compacted) {
			o.compactor.warp(w)
			o.compactor.warp(w)
		})},
		{"a warp late", checkCompactor, warps(func(o *observer, w divergence.Compacted) {
			if b := &o.compactor.ctas[w.CTA]; b.made != b.want {
				b.want--
			}
			o.compactor.warp(w)
		})},
		{"a warp a cycle too late", checkTiming, warps(func(o *observer, w divergence.Compacted) {
			if b := &o.compactor.ctas[w.CTA]; b.made != b.want {
				w.Cycle++
			}
			o.compactor.warp(w)
		})},
		{"the first warp a cycle too late", checkTiming, warps(func(o *observer, w divergence.Compacted) {
			if b := &o.compactor.ctas[w.CTA]; b.made == b.want {
				w.Cycle++
			}
			o.compactor.warp(w)
		})},
		{"a pop that takes no cycle", checkTiming, warps(func(o *observer, w divergence.Compacted) {
			w.Popped++
			o.compactor.warp(w)
		})},
		{"a pop without need", checkTiming, warps(func(o *observer, w divergence.Compacted) {
			if b := &o.compactor.ctas[w.CTA]; b.made == b.want {
				w.Popped++
				w.Cycle++
			}
			o.compactor.warp(w)
		})},
		{"a branch that was held too long", checkTiming, warps(func(o *observer, w divergence.Compacted) {
			if b := &o.compactor.ctas[w.CTA]; b.made == b.want {
				w.Served = o.compactor.last[w.CTA].cycle + 1
				w.Cycle++
			}
			o.compactor.warp(w)
		})},
		{"an entry of the book with another thread", checkCompactor, warps(func(o *observer, w divergence.Compacted) {
			o.compactor.stack.ctas[w.CTA].top().mask[0] ^= 1
			o.compactor.warp(w)
		})},
		{"another permutation", checkLanes, func(o *observer) { o.permutation = units.FlipOdd }},
		{"a thread moved", checkLanes, func(o *observer) {
			o.sm.Issue.OnIssue = rtl.Observers[sm.Issued]{}
			o.sm.Issue.OnIssue.Add(func(e sm.Issued) {
				f := *e.Flight
				f.Mixed = true
				for m := f.Mask; m != 0; m &= m - 1 {
					lane := bits.TrailingZeros32(m)
					h := e.Home(lane ^ 1)
					f.Homes.Row[lane], f.Homes.Lane[lane] = h.Row, h.Lane
				}
				o.issue(sm.Issued{Cycle: e.Cycle, Flight: &f})
			})
		}},
	} {
		for _, mechanism := range []string{"tbc", "capri"} {
			t.Run(mechanism+", "+c.name, func(t *testing.T) {
				cfg := draw.Plain(8)
				cfg.Divergence.Mechanism = mechanism
				checker, what := watchedRun(t, cfg, 60, c.change)
				assert.Equal(t, c.checker, checker, what)
			})
		}
	}
}
