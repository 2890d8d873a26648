package sm_test

import (
	"maps"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// TestHolds: in each cycle, what holds back a slot is what a look at each of its threads finds. Slots
// of pdom have threads of one row, those of the others of several.
func TestHolds(t *testing.T) {
	for _, mechanism := range []string{"pdom", "dwf", "tbc-ideal"} {
		cfg := config()
		cfg.CTAs = 3
		b := newBenchOf(t, mechanism, &cfg, mix, 96, 8)
		seen := map[sm.Hold]int{}
		for range 3000 {
			b.sim.Run(1)
			for s := range b.Div.Slots().Len() {
				held, reg, row := b.Issue.Holds(s)
				seen[held]++
				want, first, lanes := holds(b, s)
				require.Contains(t, want, held, "%s, slot %d in cycle %d", mechanism, s, b.sim.Now())
				if held == sm.HeldRegister {
					require.Equal(t, first, row, "%s, slot %d in cycle %d", mechanism, s, b.sim.Now())
					require.Contains(t, b.Issue.Deps(b.Div.Slots().At(s).PC), uint16(reg))
					require.NotZero(t, b.Issue.Scoreboard.Pending.At(reg)[row]&lanes)
				}
			}
		}
		for held := sm.HeldNot; held <= sm.HeldRegister; held++ {
			assert.NotZero(t, seen[held], "%s: hold %d", mechanism, held)
		}
	}
}

// holds returns what may hold back a slot, and the first row with threads that are held back.
func holds(b *bench, s int) (want []sm.Hold, row int, lanes uint64) {
	slot := b.Div.Slots().At(s)
	switch {
	case !slot.Valid || slot.Mask == 0 || slot.Wait != divergence.Runs:
		return []sm.Hold{sm.HeldEmpty, sm.HeldWait}, 0, 0
	case !b.Issue.Fetched(s):
		return []sm.Hold{sm.HeldFetch}, 0, 0
	case b.Issue.Q().Busy.Has(s):
		return []sm.Hold{sm.HeldFlight}, 0, 0
	}
	rows := map[int]uint64{}
	for m := b.Issue.HeldBack(s); m != 0; m &= m - 1 {
		h := units.Home{Row: slot.Row, Lane: uint8(bits.TrailingZeros64(m))}
		if slot.Mixed {
			h = b.Div.Homes().At(s).At(int(h.Lane))
		}
		rows[int(h.Row)] |= 1 << h.Lane
	}
	if len(rows) > 0 {
		row = slices.Min(slices.Collect(maps.Keys(rows)))
		return []sm.Hold{sm.HeldRegister, sm.HeldFlight}, row, rows[row]
	}
	return []sm.Hold{sm.HeldNot}, 0, 0
}
