package properties

import (
	"testing"

	"divergo/gpu"
	"divergo/properties/draw"
	"divergo/sm/divergence"
	"divergo/testbench"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watchedRun runs kernels on one machine, with an observer of its first SM that change has its way with, until
// something is found, and returns the checker and what it says.
func watchedRun(t *testing.T, cfg gpu.Config, kernels uint64, change func(o *observer)) (checker, what string) {
	t.Helper()
	for seed := range kernels {
		c := draw.New(seed, plainFeatures&^draw.Repeats)
		c.Machine, c.Grid, c.Block = cfg, [3]uint32{2, 1, 1}, [3]uint32{32, 1, 1}
		k, err := c.Compile()
		require.NoError(t, err)
		k, err = k.For(cfg.Divergence.Mechanism)
		require.NoError(t, err)
		s := mustSession(t, k)
		var o *observer
		s.OnLaunch.Add(func(*testbench.Loaded) {
			o = watch(s, k.Prog, nil)[0]
			change(o)
		})
		require.NoError(t, launch(s, k, s.Launch))
		o.detach()
		if o.broken == nil {
			o.broken = statistics([]*observer{o}, &s.Runs[len(s.Runs)-1].Counters)
		}
		if o.broken != nil {
			return o.broken.rule.Checker, o.broken.what
		}
	}
	return "", ""
}

// TestPlacesAreWatched falsifies the book of where threads are, each time in one way, which is as if the
// mechanism did what the book does not.
func TestPlacesAreWatched(t *testing.T) {
	once := func(change func(s *spots) bool) func(o *observer) {
		return func(o *observer) {
			done := false
			o.leave = append(o.leave, o.sm.Div.Connections().Outcome.Tap(func(uint64, *divergence.Outcome) {
				for r := range o.where.rows {
					if s := &o.where.rows[r]; !done && len(s.at) > 1 {
						done = change(s)
					}
				}
			}))
		}
	}
	for _, c := range []struct {
		name, checker string
		change        func(o *observer)
	}{
		{"nothing", "", func(*observer) {}},
		{"a path goes to the next instruction", checkPartition, once(func(s *spots) bool { s.at[0].pc++; return true })},
		{"threads change places", checkPartition, once(func(s *spots) bool {
			s.at[0].lanes, s.at[1].lanes = s.at[1].lanes, s.at[0].lanes
			return true
		})},
		{"a thread more than the mechanism has", checkPartition, once(func(s *spots) bool {
			s.alive |= 1 << 8
			return true
		})},
		{"a thread has exited", checkPartition, once(func(s *spots) bool { s.leave(s.at[0].lanes & -s.at[0].lanes); return true })},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mechanism := range []string{"pdom", "token", "dwf", "tbc", "capri", "multipath"} {
				cfg := draw.Plain(8)
				cfg.Divergence.Mechanism = mechanism
				require.NoError(t, cfg.Set("divergence.token.window=2"))
				checker, what := watchedRun(t, cfg, 12, c.change)
				assert.Equal(t, c.checker, checker, "%s: %s", mechanism, what)
			}
		})
	}
}
