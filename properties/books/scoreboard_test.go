package books

import (
	"testing"

	"divergo/isa"
	"divergo/properties/draw"
	"divergo/sm"
	"divergo/testbench"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBeside issues two instructions of a row in one cycle. The second waits for earlier
// instructions in flight, and not for the first, which has other threads.
func TestBeside(t *testing.T) {
	copied, wait, exit := &isa.Inst{Op: isa.OpCopy}, &isa.Inst{
		Op:   isa.OpCopyWait,
		Mode: isa.ModeAll,
	}, &isa.Inst{Op: isa.OpExit}
	for _, c := range []struct {
		name          string
		before, first *isa.Inst // in one cycle; both in the same cycle
		second        *isa.Inst
		fails         bool
	}{
		{"a copy beside the wait", nil, copied, wait, false},
		{"and one before", copied, copied, wait, true},
		{"a copy before", copied, nil, wait, true},
		{"the wait goes first", nil, wait, copied, false},
		{"an instruction beside the exit", nil, copied, exit, false},
		{"and another before", copied, copied, exit, true},
	} {
		b := &scoreboard{View: ran(t), held: make([]int, 2), freed: make([]uint64, 2)}
		b.pending[0] = []uint64{0}
		for i, in := range []*isa.Inst{c.before, c.first, c.second} {
			if in != nil {
				b.issued(&sm.Issued{
					Cycle:  7 + uint64(min(i, 1)),
					Flight: &sm.Flight{Slot: uint16(i / 2), Rows: 1, Mask: 1 << i},
				}, in)
			}
		}
		assert.Equal(t, c.fails, b.found != nil, "%s: %v", c.name, b.found)
	}
}

// TestSecondsAreWatched falsifies the observer's view of instructions that issue beside others.
func TestSecondsAreWatched(t *testing.T) {
	for _, c := range []struct {
		name, checker string
		change        func(o *Observer)
	}{
		{"nothing", "", func(*Observer) {}},
		{"another way to fill lanes", checkFair, func(o *Observer) { o.fair.weaves = sm.InterweaveBoth }},
		{"the second has fewer lanes", checkFair, func(o *Observer) {
			o.Leave(o.sm.Issue.OnIssue.Add(func(sm.Issued) {
				o.fair.cores[0].second.mask, o.registers.held = 0,
					make([]int, len(o.registers.held))
			}))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := draw.Plain(8)
			cfg.Divergence.Mechanism, cfg.SM.Interweave = "multipath", sm.InterweaveSBI
			checker, what := watchedRun(t, cfg, 30, c.change)
			assert.Equal(t, c.checker, checker, what)
		})
	}
}

// ran returns the view of a machine that has run.
func ran(t *testing.T) (v *View) {
	c := draw.New(3, plainFeatures)
	c.Machine = draw.Plain(8)
	k, err := c.Compile()
	require.NoError(t, err)
	s, err := testbench.NewSession(k.Machine, testbench.Limits{MaxCycles: 10_000_000})
	require.NoError(t, err)
	s.OnLaunch.Add(func(*testbench.Loaded) { v = &Watch(s, k.Prog)[0].View })
	require.NoError(t, k.Launch(s, s.Launch))
	return v
}
