package books

import (
	"testing"

	"divergo/properties/draw"
	"divergo/sm/divergence"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlacesAreWatched falsifies the model of the threads' places, in one way each time. The effect
// is that of a mechanism that deviates from the model.
func TestPlacesAreWatched(t *testing.T) {
	once := func(change func(s *spots) bool) func(o *Observer) {
		return func(o *Observer) {
			done := false
			o.Leave(o.sm.Div.Connections().Outcome.Tap(func(uint64, *divergence.Outcome) {
				for r := range o.places.rows {
					if s := &o.places.rows[r]; !done && len(s.at) > 1 {
						done = change(s)
					}
				}
			}))
		}
	}
	for _, c := range []struct {
		name, checker string
		change        func(o *Observer)
	}{
		{"nothing", "", func(*Observer) {}},
		{
			"a path goes to the next instruction", checkPartition,
			once(func(s *spots) bool { s.at[0].pc++; return true }),
		},
		{"threads change places", checkPartition, once(func(s *spots) bool {
			s.at[0].lanes, s.at[1].lanes = s.at[1].lanes, s.at[0].lanes
			return true
		})},
		{"a thread more than the mechanism has", checkPartition, once(func(s *spots) bool {
			s.alive |= 1 << 8
			return true
		})},
		{
			"a thread has exited", checkPartition,
			once(func(s *spots) bool { s.leave(s.at[0].lanes & -s.at[0].lanes); return true }),
		},
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
