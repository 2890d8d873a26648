package sm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/sm"
	"divergo/sm/divergence"
)

// taken returns the number of cycles of a pipe that a warp needs, counted lane by lane.
func taken(s sm.Skip, mask uint64, lanes, width int) (n uint64) {
	active := 0
	for first := 0; first < lanes; first += width {
		any := false
		for lane := first; lane < first+width; lane++ {
			if mask&(1<<lane) != 0 {
				any = true
				active++
			}
		}
		if any || s == sm.SkipNone {
			n++
		}
	}
	if s == sm.SkipSCC {
		n = uint64(active / width)
		if active%width != 0 {
			n++
		}
	}
	if n == 0 {
		n = 1
	}
	return n
}

// entering is a warp of the given number of lanes that enters a pipe of a width.
type entering struct {
	Skip         sm.Skip
	Lanes, Width int
	Mask         uint64
}

func (e entering) String() string {
	return fmt.Sprintf("%s, %d lanes wide: %s", e.Skip, e.Width, forall.Bits(uint64(e.Mask), e.Lanes))
}

func TestGroupProperties(t *testing.T) {
	forall.Check(t, "a warp enters in a cycle for each group of lanes that executes, or as many lanes fill",
		forall.Struct[entering](map[string]gopter.Gen{
			"Skip": forall.OneOf(skips...), "Lanes": forall.OneOf(4, 8, 16, 32), "Width": forall.OneOf(1, 2, 4,
				8), "Mask": forall.Mask[uint64](32),
		}), func(t *forall.T, e entering) {
			e.Mask &= uint64(uint64(1)<<e.Lanes - 1)
			e.Width = min(e.Width, e.Lanes)
			require.EqualValues(t, taken(e.Skip, e.Mask, e.Lanes, e.Width), sm.Groups(e.Skip, e.Mask, e.Lanes, e.Width))
		})
}

func TestPipeProperties(t *testing.T) {
	type machine struct {
		Skip              sm.Skip
		WarpSize, Warps   int
		SIMD, DP, Special int // widths
		Salt              uint32
	}
	outer, pipes := t, 0
	forall.Check(t, "a pipe is taken for the cycles of the lanes that execute, an issue for those of the lanes that are active", forall.Struct[machine](map[string]gopter.Gen{
		"Skip": forall.OneOf(skips...), "WarpSize": forall.OneOf(4, 8, 16, 32), "Warps": gen.IntRange(1, 3),
		"SIMD": forall.OneOf(1, 2, 4), "DP": forall.OneOf(1, 2, 4), "Special": forall.OneOf(1, 2,
			4), "Salt": gen.UInt32Range(0, 1<<24-1),
	}), func(t *forall.T, c machine) {
		cfg := config()
		cfg.Skip, cfg.WarpSize, cfg.Threads = c.Skip, c.WarpSize, 4*c.WarpSize
		cfg.SIMDWidth, cfg.DPWidth, cfg.SFUWidth = c.SIMD, c.DP, c.Special
		b := newBench(outer, &cfg, salted(skipKernel, c.Salt), uint32(c.Warps*c.WarpSize-1), 1)
		var issues, behind, next uint64
		b.Issue.OnIssue.Add(func(e sm.Issued) {
			require.GreaterOrEqual(t, e.Cycle, next, "issued before the lanes of the last one have entered")
			n := taken(c.Skip, e.Mask, c.WarpSize, c.SIMD)
			issues += n
			next = e.Cycle + n
		})
		step := func() { // a cycle without CTAs is empty, even if the last exit is still entering
			if b.CTA.Q().Resident == 0 && b.sim.Now() < next {
				issues--
				behind++
			}
			b.sim.Run(1)
		}
		widths := map[*sm.Pipe]int{b.ALU: c.SIMD, b.DPU: c.DP, b.SFU: c.Special}
		started := map[*sm.Pipe]bool{}
		for b.Host.Q().Ended < b.Host.ctas {
			require.Less(t, b.sim.Now(), uint64(20_000), "no end")
			type before struct {
				count uint64
				exec  uint64
			}
			was := map[*sm.Pipe]before{}
			for p := range widths {
				w := before{count: p.Q().Count}
				if p.In.Valid() {
					w.exec = p.In.Front().Exec
				}
				was[p] = w
			}
			now := b.sim.Now()
			step()
			for p, width := range widths {
				if p.Q().Count > was[p].count {
					started[p] = true
					require.Equal(t, taken(c.Skip, was[p].exec, c.WarpSize, width), p.Q().Next-now, "%s on %d lanes",
						forall.Bits(uint64(was[p].exec), c.WarpSize), width)
				}
			}
		}
		pipes = max(pipes, len(started))
		for range c.WarpSize { // the last one enters
			step()
		}
		by := b.Issue.CyclesBy(b.sim.Now())
		require.Equal(t, issues, by.Issue())
		require.Equal(t, uint64(c.WarpSize/c.SIMD)*b.Issue.Count.Q().Issued, issues+behind+b.Issue.Count.Q().Skipped)
	})
	assert.Equal(t, 3, pipes, "each pipe has been used")
}

// scheduling is a run of the kernel mix under a scheduler.
type scheduling struct {
	Scheduler   sm.Scheduler
	Group       int // rows of a fetch group
	Warps, CTAs int // of a CTA, and resident CTAs
	OneInFlight bool
	Mechanism   string
}

// loads follows the memory instructions of an SM in flight, register by register.
type loads struct {
	b       *bench
	pending [sm.MaxWarps]map[uint16]uint64 // lanes that loads will write, by row
	held    map[uint16]bool                // slots that wait for their last instruction, one of memory
	one     bool
}

// mark records the instruction f as in flight, or as complete.
func (l *loads) mark(f *sm.Flight, starts bool) {
	in := &l.b.Program().Insts[f.PC]
	if !in.Memory() {
		return
	}
	if l.pending[f.Row] == nil {
		l.pending[f.Row] = map[uint16]uint64{}
	}
	for _, d := range in.Dst[:in.NDst] {
		if l.pending[f.Row][d.Index] &^= f.Mask; starts {
			l.pending[f.Row][d.Index] |= f.Mask
		}
	}
	l.held[f.Slot] = starts && l.one
}

// short reports whether a slot has threads that do not wait for long.
func (l *loads) short(s int) bool {
	slot := l.b.Div.Slots().At(s)
	if !slot.Valid || slot.Wait == divergence.WaitsBarrier || slot.Wait == divergence.WaitsJoin || l.held[uint16(s)] {
		return false
	}
	for _, reg := range l.b.Issue.Deps(slot.PC) {
		if l.pending[slot.Row][reg]&slot.Mask != 0 {
			return false
		}
	}
	return true
}

func TestSchedulerProperties(t *testing.T) {
	outer := t
	picks, switches := map[sm.Scheduler]int{}, 0
	forall.Check(t, "each scheduler picks the ready slot that its rule names", forall.Struct[scheduling](map[string]gopter.Gen{
		"Scheduler": forall.OneOf(sm.LRR, sm.GTO, sm.Oldest, sm.TwoLevel), "Group": gen.IntRange(1, 5), "Warps": gen.IntRange(1, 4),
		"CTAs": gen.IntRange(1, 3), "OneInFlight": forall.Bool(), "Mechanism": forall.OneOf("pdom", "dpe"),
	}), func(t *forall.T, c scheduling) {
		cfg := config()
		cfg.Scheduler, cfg.FetchGroup, cfg.CTAs, cfg.Threads = c.Scheduler, c.Group, c.CTAs, 512
		if c.OneInFlight {
			cfg.Scoreboard = sm.OneInFlight
		}
		b := newBenchOf(outer, c.Mechanism, &cfg, mix, uint32(32*c.Warps), 4)
		slots := b.Div.Slots()
		n, rows := slots.Len(), cfg.Warps()
		l := &loads{b: b, held: map[uint16]bool{}, one: c.OneInFlight}
		last, active, turns := 0, 0, make([]int, rows)
		picked := -2 // no pick in this cycle
		var issued []sm.Flight
		b.Issue.OnClass.Add(func(e sm.Spent) { picked = e.Slot })
		b.Issue.OnIssue.Add(func(e sm.Issued) { issued = append(issued, *e.Flight) })
		for b.Host.Q().Ended < b.Host.ctas {
			require.Less(t, b.sim.Now(), uint64(20_000), "no end")
			ready := make([]bool, n)
			oldest, best := -1, [2]int{}
			for s := range n {
				if ready[s] = b.Issue.Ready(s); ready[s] {
					id, number := b.Warp(int(slots.At(s).Row))
					age := [2]int{int(id[0]), number}
					if oldest < 0 || age[0] < best[0] || age[0] == best[0] && age[1] < best[1] {
						oldest, best = s, age
					}
				}
			}
			groups := make([][]int, (rows+c.Group-1)/c.Group)
			for s := range n {
				g := int(slots.At(s).Row) / c.Group
				groups[g] = append(groups[g], s)
			}
			for k := range groups {
				g := (active + k) % len(groups)
				if slices.ContainsFunc(groups[g], l.short) {
					if g != active {
						switches++
					}
					active = g
					break
				}
			}
			want := -1
			switch c.Scheduler {
			case sm.LRR:
				want = roundRobin(ready, last)
			case sm.GTO:
				if want = oldest; ready[last] {
					want = last
				}
			case sm.Oldest:
				want = oldest
			case sm.TwoLevel:
				for k := 0; k < len(groups) && want < 0; k++ {
					g := (active + k) % len(groups)
					own := make([]bool, n)
					for _, s := range groups[g] {
						own[s] = ready[s]
					}
					want = roundRobin(own, turns[g])
				}
			}
			picked, issued = -2, issued[:0]
			b.sim.Run(1)
			if picked != -2 {
				require.Equal(t, want, picked, "cycle %d, ready %v, active group %d", b.sim.Now()-1, ready, active)
			}
			for i := range issued {
				last = int(issued[i].Slot)
				turns[int(issued[i].Row)/c.Group] = last
				l.mark(&issued[i], true)
				picks[c.Scheduler]++
			}
			for done, k := b.Writeback.Done.At(), int8(0); k < done.N; k++ {
				l.mark(&done.C[k], false)
			}
		}
	})
	for _, s := range []sm.Scheduler{sm.LRR, sm.GTO, sm.Oldest, sm.TwoLevel} {
		assert.Greater(t, picks[s], 10_000, s)
	}
	assert.Greater(t, switches, 1000, "the active group changes")
}
