package sm_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// roundRobin returns the first ready slot after the last one, wrapping around, or -1.
func roundRobin(ready []bool, last int) int {
	for k := 1; k <= len(ready); k++ {
		if s := (last + k) % len(ready); ready[s] {
			return s
		}
	}
	return -1
}

// priorities models section 6.2 of Fung & Aamodt (HPCA 2011) with lists. It sorts the CTAs and
// takes the first with a ready warp. In that CTA it takes the next warp by loose round robin.
type priorities struct {
	order  sm.CTAPriority
	ctas   int
	last   map[int]int // by CTA
	sticky int         // CTA that issued last
}

func (p *priorities) pick(ready []bool, ctaOf []int, age map[int]uint64, cycle uint64) int {
	var ctas []int
	for c := range p.ctas {
		ctas = append(ctas, c)
	}
	rotate := func(first int) { ctas = append(ctas[first:], ctas[:first]...) }
	switch p.order {
	case sm.PriorityAge:
		slices.SortFunc(ctas, func(a, b int) int { return int(age[a]) - int(age[b]) })
	case sm.PriorityRRB:
		rotate(int(cycle) % p.ctas)
	case sm.PrioritySRR:
		rotate(p.sticky)
	}
	for _, c := range ctas {
		own := make([]bool, len(ready))
		for s := range ready {
			own[s] = ready[s] && ctaOf[s] == c
		}
		if s := roundRobin(own, p.last[c]); s >= 0 {
			p.last[c], p.sticky = s, c
			return s
		}
	}
	return -1
}

// mix makes warps of several CTAs wait for different events.
const mix = `
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 3;
	mov.u32 %r5, %ctaid.x;
	and.b32 %r5, %r5, 1;
	add.u32 %r2, %r2, %r5;
LOOP:
	rcp.approx.f32 %r7, %r1;
	mul.wide.u32 %rd1, %r1, 4;
	add.u64 %rd1, %rd1, 268435456;
	add.u32 %r8, %r8, 1;
	add.u32 %r9, %r9, 1;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r4, %r4, %r3;
	sub.s32 %r2, %r2, 1;
	setp.ge.s32 %p1, %r2, 0;
	@%p1 bra LOOP;
	bar.sync 0;
	add.u32 %r4, %r4, 1;
	exit;`

// TestCTAPriorities: each issued instruction is the one that the paper's rule chooses among the
// ready slots. Places of CTAs are reused, so that age and place differ.
func TestCTAPriorities(t *testing.T) {
	for _, order := range []sm.CTAPriority{sm.PriorityAge, sm.PriorityRRB, sm.PrioritySRR} {
		t.Run(string(order), func(t *testing.T) {
			cfg := config()
			cfg.CTAs, cfg.CTAPriority, cfg.Scoreboard = 3, order, sm.OneInFlight
			b := newBench(t, &cfg, mix, 96, 8)
			model := priorities{order: order, ctas: 3, last: map[int]int{}}
			chosen := 0
			b.Issue.OnIssue.Add(func(e sm.Issued) {
				slots := b.Div.Slots()
				ready, ctaOf := make([]bool, slots.Len()), make([]int, slots.Len())
				age := map[int]uint64{}
				n := 0
				for s := range slots.Len() {
					ready[s], ctaOf[s] = b.Issue.Ready(s), int(slots.At(s).CTA)
					if ready[s] {
						n++
						id, _ := b.Warp(s)
						age[ctaOf[s]] = uint64(id[0]) // CTAs start in the order of ctaid
					}
				}
				if n > 1 {
					chosen++
				}
				require.Equal(t, model.pick(ready, ctaOf, age, e.Cycle), int(e.Slot), "cycle %d, ready %v",
					e.Cycle, ready)
			})
			b.run(t)
			assert.Greater(t, chosen, 100, "cycles with a choice")
		})
	}
}

// TestRanks: when an instruction issues, no ready slot has a lower rank. The scheduler decides
// among equal ranks.
func TestRanks(t *testing.T) {
	for _, word := range sm.Scheduler("").Words() {
		scheduler := sm.Scheduler(word.Name)
		cfg := config()
		cfg.CTAs, cfg.Scheduler, cfg.Scoreboard = 3, scheduler, sm.OneInFlight
		b := newBenchOf(t, "dwf", &cfg, mix, 96, 8)
		last, chosen, equal := 0, 0, 0
		b.Issue.OnIssue.Add(func(e sm.Issued) {
			ranks, best := b.Div.Connections().Ranks, *b.Div.Connections().Ranks.At(int(e.Slot))
			ready := make([]bool, b.Div.Slots().Len())
			for s := range ready {
				if !b.Issue.Ready(s) {
					continue
				}
				rank := *ranks.At(s)
				require.GreaterOrEqual(t, rank, best, "slot %d before %d", e.Slot, s)
				if ready[s] = rank == best; !ready[s] {
					chosen++
				} else if s != int(e.Slot) {
					equal++
				}
			}
			if scheduler == sm.LRR {
				require.Equal(t, roundRobin(ready, last), int(e.Slot))
			}
			last = int(e.Slot)
		})
		b.run(t)
		assert.Greater(t, chosen, 100, "ready slots of a higher rank")
		assert.Greater(t, equal, 100, "and of the same")
	}
}

// TestGreedyThenOldest: the warp issued last continues while it is ready, else the warp launched
// first issues. This is the one with the smallest ctaid, because CTAs arrive in order, and in a CTA
// the one with the smallest number. Places of CTAs are reused, so that age and slot differ.
func TestGreedyThenOldest(t *testing.T) {
	type warp struct {
		cta    uint32
		number int
	}
	cfg := config()
	cfg.CTAs, cfg.Scheduler, cfg.Scoreboard = 3, sm.GTO, sm.OneInFlight
	b := newBench(t, &cfg, mix, 96, 12)
	last, overtakes, greedy := warp{}, 0, 0
	b.Issue.OnIssue.Add(func(e sm.Issued) {
		slots := b.Div.Slots()
		var ready []warp
		first := -1
		for s := range slots.Len() {
			if b.Issue.Ready(s) {
				id, number := b.Warp(s)
				ready = append(ready, warp{id[0], number})
				if first < 0 {
					first = s
				}
			}
		}
		want := slices.MinFunc(ready, func(a, b warp) int {
			return cmp.Or(cmp.Compare(a.cta, b.cta), cmp.Compare(a.number, b.number))
		})
		if slices.Contains(ready, last) {
			want = last
			greedy++
		} else if int(e.Slot) != first {
			overtakes++
		}
		id, number := b.Warp(int(e.Row))
		last = warp{id[0], number}
		require.Equal(t, want, last, "cycle %d, ready %v", e.Cycle, ready)
	})
	b.run(t)
	assert.Greater(t, overtakes, 20, "the oldest is not in the first slot")
	assert.Positive(t, greedy)
}

// TestSchedulerWords: an SM with an unknown scheduler is refused.
func TestSchedulerWords(t *testing.T) {
	var words []string
	for _, w := range sm.Scheduler("").Words() {
		words = append(words, w.Name)
		cfg := config()
		cfg.Scheduler = sm.Scheduler(w.Name)
		newBench(t, &cfg, "exit;", 32, 1).run(t)
	}
	cfg, herd := config(), units.DefaultHerd()
	cfg.Scheduler = "newest"
	_, err := sm.New(&cfg, divergence.Options{Mechanism: "pdom"}, &herd, 16<<10, 0, 1, sm.Ports{})
	assert.EqualError(t, err, `sm.scheduler: unknown value "newest"; want one of `+strings.Join(words, ", "))
}

// TestPriorityProperties: a priority that depends on time or on other blocks has the properties of
// all hardware.
func TestPriorityProperties(t *testing.T) {
	for _, order := range []sm.CTAPriority{sm.PriorityAge, sm.PriorityRRB, sm.PrioritySRR} {
		cfg := config()
		cfg.CTAs, cfg.CTAPriority, cfg.SIMDWidth = 3, order, 16
		rtltest.Properties(t, func() *rtl.Sim { return newBench(t, &cfg, mix, 96, 8).sim }, 1000)
	}
}

// TestFetchGroupProperties: the fetch groups have the properties of all hardware.
func TestFetchGroupProperties(t *testing.T) {
	cfg := config()
	cfg.CTAs, cfg.Scheduler, cfg.FetchGroup = 3, sm.TwoLevel, 2
	rtltest.Properties(t, func() *rtl.Sim { return newBench(t, &cfg, mix, 96, 8).sim }, 1000)
}

// TestIdleCauses runs programs that cannot issue for one reason.
func TestIdleCauses(t *testing.T) {
	slow := "rcp.approx.f32 %r1, %r1; rcp.approx.f32 %r1, %r1; rcp.approx.f32 %r1, %r1; rcp.approx.f32 %r1, %r1;"
	for _, c := range []struct {
		name, text string
		block      uint32
		most       sm.Class
	}{
		{"dependence", slow + "exit;", 32, sm.IdleDepend},
		{"branch", "bra.uni A; A: bra.uni B; B: bra.uni C; C: bra.uni D; D: bra.uni E; E: exit;", 32, sm.IdleBranch},
		{"barrier", "mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, 32; @%p1 bra W; " + slow + slow +
			"W: bar.sync 0; exit;", 64, sm.IdleBarrier},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := config()
			b := newBench(t, &cfg, c.text, c.block, 1)
			b.run(t)
			by := b.Issue.CyclesBy(b.sim.Now())
			for class := sm.Class(0); class < sm.ClassMem; class++ {
				if class != c.most {
					assert.Greater(t, by[c.most], by[class], "%v", by)
				}
			}
			assert.Zero(t, by[sm.IdleSync], "no warp of pdom waits for its CTA")
			assert.Zero(t, by[sm.ClassMem])
		})
	}
}

// TestClassNames checks the bins of the paper, and those of other warp sizes.
func TestClassNames(t *testing.T) {
	for size, want := range map[int][]string{
		32: {"W1-4", "W5-8", "W9-12", "W13-16", "W17-20", "W21-24", "W25-28", "W29-32"},
		16: {"W1-2", "W3-4", "W5-6", "W7-8", "W9-10", "W11-12", "W13-14", "W15-16"},
		4:  {"W1", "W2", "W3", "W4"},
	} {
		var names []string
		for class := sm.ClassIssue; class < sm.NumClasses; class++ {
			if name := class.Name(size); name != "" {
				names = append(names, name)
			}
		}
		assert.Equal(t, want, names)
	}
}

// TestLook: after each cycle Look has the slots whose instruction is in the I-buffer, apart from slots
// that have changed or issued in it.
func TestLook(t *testing.T) {
	for _, m := range divergence.Mechanisms() {
		mechanism, cfg := m.Name, config()
		cfg.CTAs, cfg.IBuffer, cfg.FetchWidth, cfg.CTAPriority = 3, 3, 2, sm.PrioritySRR
		b := newBenchOf(t, mechanism, &cfg, mix, 96, 8)
		slots, fetched := b.Div.Slots(), 0
		for range 3000 {
			b.sim.Run(1)
			for s := range slots.Len() {
				if f := b.Issue.Fire.At(); b.Fetch.Q().Changed.Has(s) || f.Valid && int(f.Slot) == s {
					continue
				}
				q := b.Issue.Q()
				require.Equal(t, b.Issue.Fetched(s), q.Look.Has(s), "%s, slot %d in cycle %d", mechanism, s, b.sim.Now())
				if q.Look.Has(s) {
					of := b.Issue.Of
					require.True(t, of.Len() == 0 || of.At(int(slots.At(s).CTA)).Has(s))
					fetched++
				}
			}
		}
		assert.Greater(t, fetched, 500, mechanism)
	}
}

// known reports whether slot s has not changed since Issue divided its threads.
func known(i *sm.Issue, s int) bool { return *i.Known.At(s >> 6)>>(s&63)&1 != 0 }

// TestShares checks Issue's record of a slot with several rows. The rows and lanes of its threads
// must be right, and nothing may hold back the threads marked free. After the slot changes it is
// checked anew.
func TestShares(t *testing.T) {
	for _, mechanism := range []string{"dwf", "tbc-ideal"} {
		cfg := config()
		cfg.CTAs = 3
		b := newBenchOf(t, mechanism, &cfg, mix, 96, 8)
		slots, whole, changed := b.Div.Slots(), 0, 0
		for range 3000 {
			b.sim.Run(1)
			for s := range slots.Len() {
				slot, of := slots.At(s), b.Issue.Shares.At(s)
				if !slot.Valid || !slot.Mixed || !known(b.Issue, s) || of.Mask != slot.Mask ||
					b.Fetch.Q().Changed.Has(s) {
					continue
				}
				var want units.Threads
				held := b.Issue.HeldBack(s)
				deps := b.Issue.Deps(slot.PC)
				for lane := range 32 {
					if h := b.Div.Homes().At(s).At(lane); slot.Mask>>lane&1 != 0 {
						want.Rows |= 1 << h.Row
						want.Lanes[h.Row] |= 1 << h.Lane
						for n, reg := range deps {
							if n < int(of.Asked) || n == int(of.Asked) && of.Left>>h.Row&1 == 0 {
								_, busy := b.Issue.Scoreboard.Busy(int(h.Row), []uint16{reg}, 1<<h.Lane)
								require.False(t, busy, "slot %d lane %d in cycle %d", s, lane, b.sim.Now())
							}
						}
					}
				}
				require.Equal(t, want, of.Threads)
				if of.Asked == 0 || int(of.Asked) < len(deps) {
					continue
				}
				require.Zero(t, held)
				if whole++; changed == 0 {
					q, e := *b.Fetch.Q(), *b.Fetch.IBuffer.At(s)
					q.Changed.Add(s)
					q.Look.Add(s)
					b.Fetch.Init(q)
					b.Fetch.IBuffer.Set(s, sm.Buffered{PC: e.PC}) // so that Issue does not check it
					b.sim.Run(1)
					require.False(t, known(b.Issue, s))
					changed++
				}
			}
		}
		assert.NotZero(t, whole, mechanism)
		assert.NotZero(t, changed, mechanism)
	}
}
