package properties

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/sm"
	"divergo/testbench"
)

// TestFormingIsWatched falsifies what the observer of dynamic warps sees or knows, each time in one way.
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
			f.leave = append(f.leave, f.sm.Issue.OnIssue.Add(func(e sm.Issued) {
				for l := range f.rows[e.Row].came {
					f.rows[e.Row].came[l]++
				}
			}))
		}},
		{"a warp more is in the pool", checkTiming, func(f *forming) {
			f.leave = append(f.leave, f.sm.Issue.OnClass.Add(func(sm.Spent) { f.due = true }))
		}},
	} {
		for _, mechanism := range []string{"dwf", "dwf-wb"} {
			t.Run(c.name+"/"+mechanism, func(t *testing.T) {
				cfg := plain(8)
				cfg.Divergence.Mechanism = mechanism
				s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles})
				require.NoError(t, err)
				found := ""
				for seed := uint64(0); seed < 20 && found == ""; seed++ {
					drawn := Draw(seed, plainFeatures&^Repeats)
					drawn.Machine, drawn.Grid, drawn.Block = cfg, [3]uint32{2, 1, 1}, [3]uint32{32, 1, 1}
					k, err := drawn.Compile()
					require.NoError(t, err)
					k, err = k.forMechanism(mechanism)
					require.NoError(t, err)
					var o *observer
					leave := s.OnLaunch.Add(func(*testbench.Loaded) {
						o = watch(s, k.Prog, nil)[0]
						c.change(o.forming)
					})
					require.NoError(t, launch(s, k, s.Launch))
					leave()
					o.detach()
					o.sm.Issue.OnIssue, o.sm.Issue.OnClass = rtl.Observers[sm.Issued]{}, rtl.Observers[sm.Spent]{}
					s.Reset()
					if o.broken != nil {
						found = o.broken.checker
					}
				}
				assert.Equal(t, c.checker, found)
			})
		}
	}
}
