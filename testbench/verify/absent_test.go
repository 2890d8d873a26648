package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm"
	"divergo/testbench"
	"divergo/units"
)

// TestAbsentLanes checks shuffles from inactive lanes. Threads 0 to 7 of a warp shuffle by
// themselves, and 4 to 7 read inactive threads. So do 1 to 3 of the eight that remain after the
// others have exited. The key determines their results, on the machine and in the golden model
// (runCrossLane compares them). They are counted.
func TestAbsentLanes(t *testing.T) {
	for _, c := range []struct {
		name, body string
		reads      func(i int) (from int, there bool) // for the threads below 8; the others get 0
		first      testbench.AbsentRead
	}{
		{
			"not named", "\tsetp.ge.u32 %p1, %i, 8;\n\t@%p1 bra join;\n\tshfl.sync.down.b32 %out, %x, 4, 31, 0xff;\njoin:",
			func(i int) (int, bool) { return i + 4, i < 4 },
			testbench.AbsentRead{
				Thread: "thread (4,0,0) of CTA (0,0,0)", Lane: 8, Where: "k.ptx:15",
				Text: "shfl.sync.down.b32 %out, %x, 4, 31, 0xff",
			},
		},
		{
			"exited", "\tsetp.ge.u32 %p1, %i, 8;\n\t@%p1 exit;\n\tshfl.sync.bfly.b32 %out, %x, 24, 31, -1;",
			func(i int) (int, bool) { return i ^ 24, false },
			testbench.AbsentRead{
				Thread: "thread (0,0,0) of CTA (0,0,0)", Lane: 24, Where: "k.ptx:15",
				Text: "shfl.sync.bfly.b32 %out, %x, 24, 31, -1",
			},
		},
	} {
		for _, absent := range []sm.AbsentLane{sm.AbsentZero, sm.AbsentOwn} {
			for _, lanes := range []units.Permutation{units.Sequential, units.Random} {
				for _, m := range but(yielding, "tbc-ideal") {
					cfg := under(m)
					cfg.SM.AbsentLane, cfg.SM.Lanes = absent, lanes
					got, s, err := crossLaneSession(t, cfg, c.body, 32)
					require.NoError(t, err, m)
					absents := uint64(0)
					for i, v := range got {
						want := uint32(0)
						if i < 8 {
							from, there := c.reads(i)
							switch {
							case there:
								want = input(from)
							case absent == sm.AbsentOwn:
								want = input(i)
							}
							if !there {
								absents++
							}
						}
						assert.Equal(t, want, v, "%s, %s, %s, %s: thread %d", c.name, m, lanes, absent, i)
					}
					assert.Equal(t, sm.AbsentCounters{Reads: absents}, s.Runs[0].Counters.Absent, m)
					if first := s.Runs[0].Absent; assert.NotNil(t, first) {
						assert.Equal(t, c.first.Thread, first.Thread)
						assert.Equal(t, c.first.Lane, first.Lane)
						assert.Equal(t, c.first.Where, first.Where)
						assert.Equal(t, c.first.Text, first.Text)
					}
				}
			}
		}
	}
}

// TestAbsentMembers checks votes and reductions with missing threads: exited ones, and ones that
// the warp does not have. They have no effect, whatever the key (PTX ISA, vote.sync: "all
// non-exited threads"), and are counted once for each instruction.
func TestAbsentMembers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       func(i int) uint32
	}{
		{"ballot", "vote.sync.ballot.b32 %out, %p9, -1;", func(int) uint32 { return 0xff }},
		{"all", "vote.sync.all.pred %p2, %p9, -1;\n\tselp.u32 %out, 1, 0, %p2;", func(int) uint32 { return 1 }},
		{"match", "match.any.sync.b32 %out, 5, -1;", func(int) uint32 { return 0xff }},
		{"redux", "redux.sync.add.u32 %out, 1, -1;", func(int) uint32 { return 8 }},
	} {
		for _, m := range []string{"pdom", "barrier", "tbc", "dwf", "ppc"} {
			cfg := under(m)
			cfg.SM.AbsentLane = sm.AbsentOwn
			got, s, err := crossLaneSession(t, cfg,
				"\tsetp.lt.u32 %p9, %i, 99;\n\tsetp.ge.u32 %p1, %i, 8;\n\t@%p1 exit;\n\t"+c.text, 20)
			require.NoError(t, err, m)
			for i, v := range got {
				if i < 8 {
					assert.Equal(t, c.want(i), v, "%s, %s: thread %d", c.name, m, i)
				}
			}
			assert.Equal(t, sm.AbsentCounters{Members: 24}, s.Runs[0].Counters.Absent, "%s, %s", c.name, m)
			assert.Nil(t, s.Runs[0].Absent)
		}
	}
	_, s, err := crossLaneSession(t, under("pdom"),
		"\tsetp.ge.u32 %p1, %i, 8;\n\t@%p1 exit;\n\tbar.warp.sync -1;\n\tvote.sync.any.pred %p2, %p1, 0xff;", 20)
	require.NoError(t, err)
	assert.Zero(t, s.Runs[0].Counters.Absent, "a warp barrier has no result, and all that the vote names are there")
}
