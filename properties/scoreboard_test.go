package properties

import (
	"testing"

	"divergo/isa"
	"divergo/properties/draw"
	"divergo/sm"
	"divergo/testbench"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBeside: of two instructions of a row in one cycle the second waits for what was in flight before, and not for the
// first, which is of other threads.
func TestBeside(t *testing.T) {
	copied, wait, exit := &isa.Inst{Op: isa.OpCopy}, &isa.Inst{Op: isa.OpCopyWait, Mode: isa.ModeAll}, &isa.Inst{Op: isa.OpExit}
	for _, c := range []struct {
		name          string
		before, first *isa.Inst // one cycle, and in the same
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
		o := observed(t)
		b := &scoreboard{observer: o, held: make([]int, 2), freed: make([]uint64, 2)}
		b.pending[0] = []uint32{0}
		for i, in := range []*isa.Inst{c.before, c.first, c.second} {
			if in != nil {
				b.issued(&sm.Issued{Cycle: 7 + uint64(min(i, 1)), Flight: &sm.Flight{Slot: uint16(i / 2), Rows: 1, Mask: 1 << i}}, in)
			}
		}
		assert.Equal(t, c.fails, b.broken != nil, "%s: %v", c.name, b.broken)
	}
}

// observed is the observer of a machine that has run.
func observed(t *testing.T) (o *observer) {
	k := simple(t)
	s := mustSession(t, k)
	s.OnLaunch.Add(func(*testbench.Loaded) { o = watch(s, k.Prog, nil)[0] })
	require.NoError(t, launch(s, k, s.Launch))
	o.detach()
	return o
}

// TestSecondsAreWatched falsifies what the observer knows of instructions that issue beside others.
func TestSecondsAreWatched(t *testing.T) {
	for _, c := range []struct {
		name, checker string
		change        func(o *observer)
	}{
		{"nothing", "", func(*observer) {}},
		{"another way to fill lanes", checkFair, func(o *observer) { o.timing.weaves = sm.InterweaveBoth }},
		{"the second has fewer lanes", checkFair, func(o *observer) {
			o.leave = append(o.leave, o.sm.Issue.OnIssue.Add(func(sm.Issued) { o.timing.second.mask, o.scoreboard.held = 0, make([]int, len(o.scoreboard.held)) }))
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
