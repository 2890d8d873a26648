package sm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
	"divergo/sm/divergence"
	_ "divergo/sm/divergence/all"
)

// listening is pdom, and receives the slots that wait for memory.
const listening = "listening"

func init() {
	m, _ := divergence.Find("pdom")
	m.Name, m.Stalls = listening, true
	divergence.Register(m)
}

// TestStalls: a slot begins to wait in the cycle after the issue of the instruction before the one
// that needs the data. It waits through the cycle before that one issues. A wait for the ALU in
// between does not count.
func TestStalls(t *testing.T) {
	const text = `
	mov.u64 %rd1, 268435456;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r5, %r6, 1;
	add.u32 %r5, %r5, 1;
	add.u32 %r4, %r4, %r3;
	add.u32 %r4, %r4, 1;
	exit;`
	for _, c := range []struct {
		name   string
		rule   sm.Dependence
		before int // instruction after whose issue the slot begins to wait
		needs  int // instruction that waits for the data
	}{
		{"the first instruction that reads the data", sm.PerRegister, 3, 4},
		{"the next one, whatever it is", sm.OneInFlight, 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := config()
			cfg.Scoreboard = c.rule
			b := newBenchOf(t, listening, &cfg, text, 32, 1)
			var waits []uint64
			for b.Host.Q().Ended < b.Host.ctas {
				require.Less(t, b.sim.Now(), uint64(1000))
				now := b.sim.Now()
				b.sim.Run(1)
				if out := b.Stalls.Out.Get(); out.Has(0) {
					waits = append(waits, now)
				}
			}
			var want []uint64
			for n := b.issues[c.before].cycle + 1; n < b.issues[c.needs].cycle; n++ {
				want = append(want, n)
			}
			assert.Greater(t, len(want), 20, "the memory takes its time")
			assert.Equal(t, want, waits)
		})
	}
	cfg := config()
	assert.Nil(t, newBench(t, &cfg, text, 32, 1).Stalls, "who does not ask has none")
}

// TestStallsProperties: the stall watch has the properties of all hardware.
func TestStallsProperties(t *testing.T) {
	cfg := config()
	rtltest.Properties(t, func() *rtl.Sim { return newBenchOf(t, listening, &cfg, mix, 80, 3).sim }, 1500)
}
