package books

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

// TestCompactionIsWatched checks that one wrong warp of the compactor, or one thread in another
// lane, is found.
func TestCompactionIsWatched(t *testing.T) {
	warps := func(see func(c *compactor, w divergence.Compacted)) func(*Observer, *compactor) {
		return func(o *Observer, c *compactor) {
			warps := o.mechanism.Compacts(o.sm.Div)
			*warps = rtl.Observers[divergence.Compacted]{}
			warps.Add(func(w divergence.Compacted) { see(c, w) })
		}
	}
	for _, c := range []struct {
		name, checker string
		change        func(*Observer, *compactor)
	}{
		{"nothing", "", func(*Observer, *compactor) {}},
		{"a pop without need, above the bottom", checkTiming, warps(func(c *compactor, w divergence.Compacted) {
			if b := &c.ctas[w.CTA]; b.made == b.want && !w.Bottom {
				w.Popped++
				w.Cycle++
			}
			c.warp(w)
		})},
		{"a thread lost", checkCompactor, warps(func(c *compactor, w divergence.Compacted) {
			w.Mask &= w.Mask - 1
			c.warp(w)
		})},
		{"a warp twice", checkCompactor, warps(func(c *compactor, w divergence.Compacted) {
			c.warp(w)
			c.warp(w)
		})},
		{"a warp late", checkCompactor, warps(func(c *compactor, w divergence.Compacted) {
			if b := &c.ctas[w.CTA]; b.made != b.want {
				b.want--
			}
			c.warp(w)
		})},
		{"a warp a cycle too late", checkTiming, warps(func(c *compactor, w divergence.Compacted) {
			if b := &c.ctas[w.CTA]; b.made != b.want {
				w.Cycle++
			}
			c.warp(w)
		})},
		{"the first warp a cycle too late", checkTiming, warps(func(c *compactor, w divergence.Compacted) {
			if b := &c.ctas[w.CTA]; b.made == b.want {
				w.Cycle++
			}
			c.warp(w)
		})},
		{"a pop that takes no cycle", checkTiming, warps(func(c *compactor, w divergence.Compacted) {
			w.Popped++
			c.warp(w)
		})},
		{"a pop without need", checkTiming, warps(func(c *compactor, w divergence.Compacted) {
			if b := &c.ctas[w.CTA]; b.made == b.want {
				w.Popped++
				w.Cycle++
			}
			c.warp(w)
		})},
		{"a branch that was held too long", checkTiming, warps(func(c *compactor, w divergence.Compacted) {
			if b := &c.ctas[w.CTA]; b.made == b.want {
				w.Served = c.last[w.CTA].cycle + 1
				w.Cycle++
			}
			c.warp(w)
		})},
		{"an entry of the book with another thread", checkCompactor, warps(func(c *compactor, w divergence.Compacted) {
			c.stack.(*blockStack).ctas[w.CTA].top().mask[0] ^= 1
			c.warp(w)
		})},
		{"another permutation", checkLanes, func(o *Observer, _ *compactor) { o.homes.permutation = units.FlipOdd }},
		{"a thread moved", checkLanes, func(o *Observer, _ *compactor) {
			o.sm.Issue.OnIssue = rtl.Observers[sm.Issued]{}
			o.sm.Issue.OnIssue.Add(func(e sm.Issued) {
				f := *e.Flight
				f.Mixed = true
				for m := f.Mask; m != 0; m &= m - 1 {
					lane := bits.TrailingZeros64(m)
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
				checker, what := watchedRun(t, cfg, 60, func(*Observer) {}, func(o *Observer) {
					c.change(o, watchCompactor(o, false, mechanism == "capri"))
				})
				assert.Equal(t, c.checker, checker, what)
			})
		}
	}
}
