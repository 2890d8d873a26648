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
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// division is an SM with sub-cores and a kernel.
type division struct {
	Mechanism   string
	Schedulers  int
	Rows        int // of a sub-core
	Warps, CTAs int // of a CTA, and the largest number of resident CTAs
}

func TestDivisionProperties(t *testing.T) {
	outer := t
	forall.Check(t, "each row and each slot belongs to one sub-core, whose part of the register file holds all its warps", forall.Struct[division](map[string]gopter.Gen{
		"Mechanism": forall.OneOf("pdom", "dpe", "tbc", "capri"), "Schedulers": forall.OneOf(1, 2, 3, 4),
		"Rows": gen.IntRange(1, 8), "Warps": gen.IntRange(1, 8), "CTAs": gen.IntRange(1, 8),
	}), func(t *forall.T, c division) {
		whole := c.Mechanism == "tbc" || c.Mechanism == "capri"
		perCore := func(ctas, core int) (n int) { // warps, counted one by one
			for cta := range ctas {
				for w := range c.Warps {
					if whole && cta%c.Schedulers == core || !whole && (cta*c.Warps+w)%c.Schedulers == core {
						n++
					}
				}
			}
			return n
		}
		fits := func(ctas int) bool {
			for core := range c.Schedulers {
				if perCore(ctas, core) > c.Rows {
					return false
				}
			}
			return true
		}
		if !fits(1) {
			return
		}
		cfg := config()
		cfg.Schedulers, cfg.CTAs, cfg.Threads, cfg.Registers = c.Schedulers, c.CTAs, 32*c.Rows*c.Schedulers, 12<<12
		b := newBenchOf(outer, c.Mechanism, &cfg, "add.u32 %r1, %r1, 1; exit;", uint32(32*c.Warps), 1)
		want := 1
		for want < c.CTAs && fits(want+1) {
			want++
		}
		require.Equal(t, want, b.CTAs())
		used := map[[2]int]bool{}
		for row := range want * c.Warps {
			core := row % c.Schedulers
			if whole {
				core = row / c.Warps % c.Schedulers
			}
			require.Equal(t, core, b.Core(row), "row %d", row)
			place := b.Place(row)
			require.Less(t, place, c.Rows, "row %d", row)
			require.False(t, used[[2]int{core, place}], "row %d shares registers", row)
			used[[2]int{core, place}] = true
		}
		paths := b.Div.Slots().Len() / cfg.Warps()
		for s := range b.Div.Slots().Len() {
			require.Equal(t, b.Core(s/paths), b.CoreOf(s), "slot %d", s)
		}
	})
}

// arrivals are the memory instructions that leave the register files of four sub-cores, by cycle, and
// whether the memory pipe has room for one.
type arrival struct {
	Ops  uint32 // sub-cores, a bit for each
	Room bool
}

// source sends numbered instructions to a MemPort, and takes what it forwards.
type source struct {
	rtl.State[struct{ Cycle, Sent uint64 }]
	To     []rtl.Out[sm.Op]
	From   rtl.In[sm.Op]
	list   []arrival
	queued [][]uint64 `rtl:"-"` // numbers that come in the same cycle
	got    []uint64   `rtl:"-"`
}

func (s *source) Tick() {
	q, d := s.Regs()
	d.Cycle++
	if q.Cycle < uint64(len(s.list)) {
		var together []uint64
		for core := range s.To {
			if s.list[q.Cycle].Ops>>core&1 != 0 && s.To[core].Ready() {
				op := s.To[core].PushSlot()
				op.Slot, op.PC = uint16(core), uint32(d.Sent)
				together = append(together, d.Sent)
				d.Sent++
			}
		}
		if together != nil {
			s.queued = append(s.queued, together)
		}
	}
	if s.From.Valid() && (q.Cycle >= uint64(len(s.list)) || s.list[q.Cycle].Room) {
		s.got = append(s.got, uint64(s.From.Front().PC))
		s.From.Pop()
	}
}

func TestMemPortProperties(t *testing.T) {
	outer, shuffled := t, 0
	forall.Check(t, "memory instructions pass in the order in which they come", forall.List(60, forall.Struct[arrival](map[string]gopter.Gen{
		"Ops": forall.Mask[uint32](4), "Room": forall.Bool(),
	})), func(t *forall.T, list []arrival) {
		out := rtl.NewQueue[sm.Op](2)
		results, back := rtl.NewQueue[sm.Result](2), rtl.NewQueue[sm.Result](2)
		port := &sm.MemPort{Out: out.Out(), Results: results.In(), Back: []rtl.Out[sm.Result]{back.Out()}}
		s := &source{From: out.In(), list: list}
		for range 4 {
			q := rtl.NewQueue[sm.Op](2)
			port.In, s.To = append(port.In, q.In()), append(s.To, q.Out())
		}
		sim, err := rtl.New("bench", &struct {
			Source  *source
			Port    *sm.MemPort
			Results rtl.Out[sm.Result]
			Back    rtl.In[sm.Result]
		}{s, port, results.Out(), back.In()})
		require.NoError(outer, err)
		sim.Run(uint64(len(list)) + 40)
		at, before := 0, uint64(0)
		for _, together := range s.queued {
			require.GreaterOrEqual(t, len(s.got), at+len(together), "some have not passed")
			passed := slices.Clone(s.got[at : at+len(together)])
			if !slices.IsSorted(passed) {
				shuffled++
			}
			slices.Sort(passed)
			require.Equal(t, together, passed, "those from number %d on, in %v", before, s.got)
			at += len(together)
			before += uint64(len(together))
		}
		require.Len(t, s.got, at)
	})
	assert.Greater(t, shuffled, 100, "sub-cores take turns among those that come together")
}

// pipelines returns the instructions that each sub-core issued, by cycle.
func pipelines(b *bench) (by [sm.MaxSchedulers]map[uint64]int) {
	for i := range by {
		by[i] = map[uint64]int{}
	}
	b.Issue.OnIssue.Add(func(e sm.Issued) { by[b.CoreOf(int(e.Slot))][e.Cycle]++ })
	return by
}

// TestSubCoresIssue: independent instructions of two warps in different sub-cores issue in the same
// cycles, those of two warps of one sub-core one after the other.
func TestSubCoresIssue(t *testing.T) {
	text := ""
	for i := range 20 {
		text += fmt.Sprintf("add.u32 %%r%d, %%r30, 1; ", i+1)
	}
	for n, want := range map[int]int{1: 1, 2: 2, 4: 4} {
		cfg := config()
		cfg.Schedulers, cfg.FetchWidth, cfg.IBuffer = n, 8, 16
		b := newBench(t, &cfg, text+"exit;", 128, 1)
		by, most := pipelines(b), 0
		b.run(t)
		for cycle := range b.sim.Now() {
			all := 0
			for core := range by {
				assert.LessOrEqual(t, by[core][cycle], 1, "instructions of sub-core %d in cycle %d", core, cycle)
				all += by[core][cycle]
			}
			most = max(most, all)
		}
		assert.Equal(t, want, most, "instructions in a cycle")
		for core := range n {
			assert.Len(t, by[core], 21*4/n)
		}
	}
}

// TestSubCoreClasses: each sub-core has its own classes, which add up to the cycles of the SM. A
// sub-core without warps is empty all the time.
func TestSubCoreClasses(t *testing.T) {
	cfg := config()
	cfg.Schedulers = 4
	b := newBench(t, &cfg, mix, 64, 1)
	b.run(t)
	for core, s := range b.Sub {
		by, all := s.Issue.CyclesBy(b.sim.Now()), uint64(0)
		for _, n := range by {
			all += n
		}
		assert.Equal(t, b.sim.Now(), all)
		assert.Equal(t, s.Issue.Count.Q().Issued, by.Issue())
		if core < 2 {
			assert.NotZero(t, by.Issue())
		} else {
			assert.Equal(t, b.sim.Now(), by[sm.ClassEmpty])
		}
	}
}

// TestSubCoresRefused: mechanisms whose warps have threads of the whole SM, or that have one port,
// are refused.
func TestSubCoresRefused(t *testing.T) {
	for _, mechanism := range []string{"dwf", "dwf-wb"} {
		cfg, herd := config(), units.DefaultHerd()
		cfg.Schedulers = 2
		_, err := sm.New(&cfg, divergence.Options{Mechanism: mechanism}, &herd, 16<<10, 0, 1, sm.Ports{})
		assert.EqualError(t, err, fmt.Sprintf("sm.schedulers = 2: mechanism %q forms warps from threads of the whole SM, "+
			"whose registers are in several sub-cores; want 1", mechanism))
	}
	cfg := config()
	cfg.Schedulers, cfg.Threads = 4, 512
	b := newBench(t, &cfg, "exit;", 32, 1)
	k := *b.Kernel()
	k.Block = [3]uint32{256, 1, 1}
	tbc, ok := divergence.Find("tbc")
	require.True(t, ok)
	_, err := k.Occupancy(&cfg, tbc, 16<<10)
	assert.EqualError(t, err, "a block of 256 threads needs 256 threads, the sub-core that runs it has 128")
	pdom, _ := divergence.Find("pdom")
	o, err := k.Occupancy(&cfg, pdom, 16<<10)
	require.NoError(t, err)
	assert.Equal(t, sm.Occupancy{CTAs: 2, Limit: "threads"}, o)
}

// TestSubCoreProperties: an SM with sub-cores has the properties of all hardware.
func TestSubCoreProperties(t *testing.T) {
	for _, mechanism := range []string{"pdom", "dpe", "token", "tbc", "subwarp"} {
		cfg := config()
		cfg.Schedulers, cfg.CTAs, cfg.Scheduler, cfg.FetchGroup = 2, 3, sm.TwoLevel, 2
		rtltest.Properties(t, func() *rtl.Sim { return newBenchOf(t, mechanism, &cfg, mix, 96, 4).sim }, 600)
	}
}
