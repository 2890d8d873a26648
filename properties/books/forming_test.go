package books

import (
	"testing"

	"divergo/properties/draw"
	"divergo/sm"

	"github.com/stretchr/testify/assert"
)

// TestFormingIsWatched falsifies the input or the state of the observer of dynamic warps, in one
// way each time.
func TestFormingIsWatched(t *testing.T) {
	for _, c := range []struct {
		name, checker string
		change        func(f *forming)
	}{
		{"nothing", "", func(*forming) {}},
		{"a register more", checkTiming, func(f *forming) { f.updates++ }},
		{"a register less", checkTiming, func(f *forming) { f.updates-- }},
		{"outcomes come sooner", checkTiming, func(f *forming) { f.latency-- }},
		{"warps stay together, or do not", checkTiming, func(f *forming) { f.rejoins = !f.rejoins }},
		{"threads are taken a cycle later", checkTiming, func(f *forming) {
			f.Leave(f.sm.Issue.OnIssue.Add(func(e sm.Issued) {
				for l := range f.rows[e.Row].came {
					f.rows[e.Row].came[l]++
				}
			}))
		}},
		{"warps are wider than they are", checkForming, func(f *forming) {
			f.Leave(f.sm.Issue.OnIssue.Add(func(sm.Issued) {
				for _, w := range f.pool.warps {
					w.mask |= 1
				}
			}))
		}},
		{"a warp more is in the pool", checkTiming, func(f *forming) {
			f.Leave(f.sm.Issue.OnClass.Add(func(sm.Spent) { f.due = true }))
		}},
	} {
		for _, mechanism := range []string{"dwf", "dwf-wb"} {
			t.Run(c.name+"/"+mechanism, func(t *testing.T) {
				cfg := draw.Plain(8)
				cfg.Divergence.Mechanism = mechanism
				checker, what := watchedRun(t, cfg, 30, func(*Observer) {},
					func(o *Observer) { c.change(watchForming(o, mechanism == "dwf-wb")) })
				assert.Equal(t, c.checker, checker, what)
			})
		}
	}
}
