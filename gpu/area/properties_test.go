package area_test

import (
	"fmt"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/gpu/area"
	"divergo/internal/forall"
	"divergo/sm"
	"divergo/sm/divergence"
)

// machine is a small configuration.
type machine struct {
	Mechanism                   string
	Scheduler                   sm.Scheduler
	CTAPriority                 sm.CTAPriority
	Scoreboard                  sm.Dependence
	Node                        int // index of area.Nodes
	Warp, SIMD, DP, SFU, Banks  int // log2
	Warps, CTAs, Schedulers     int
	Registers                   int // in 1,024
	Fetch, Buffer, Ports, Queue int
	L1, Shared, L2, ICache      int // log2 of KiB; ICache: -1 for none
	SMs, Channels               int
	Grow                        int // index of more
}

func (m machine) config() gpu.Config {
	c := gpu.Default()
	c.Divergence.Mechanism = m.Mechanism
	c.SM.Scheduler, c.SM.CTAPriority, c.SM.Scoreboard = m.Scheduler, m.CTAPriority, m.Scoreboard
	c.SM.WarpSize, c.SM.RFBanks = 1<<m.Warp, 1<<m.Banks
	c.SM.SIMDWidth, c.SM.DPWidth, c.SM.SFUWidth = 1<<min(m.SIMD, m.Warp), 1<<min(m.DP, m.Warp), 1<<min(m.SFU, m.Warp)
	c.SM.Schedulers = m.Schedulers
	c.SM.Threads, c.SM.CTAs = m.Warps*m.Schedulers<<m.Warp, m.CTAs
	c.SM.Registers = m.Registers * m.Schedulers << 10
	c.SM.FetchWidth, c.SM.IBuffer, c.SM.WBPorts, c.SM.MemQueue = m.Fetch, m.Fetch+m.Buffer, m.Ports, m.Queue
	c.L1.Size, c.Shared.Size, c.L2.Size = 1<<10<<m.L1, 1<<10<<m.Shared, 1<<10<<m.L2
	if m.ICache >= 0 {
		c.ICache.Size = 1 << 10 << m.ICache
	}
	c.GPU.SMs, c.DRAM.Channels = m.SMs, m.Channels
	return c
}

func (m machine) String() string {
	type plain machine
	return fmt.Sprintf("%+v", plain(m))
}

var machines = forall.Struct[machine](map[string]gopter.Gen{
	"Mechanism":   forall.OneOf("pdom", "pdom-lcp", "dpe", "ppc", "token", "tbc", "capri", "multipath"),
	"Scheduler":   forall.OneOf(sm.LRR, sm.GTO, sm.Oldest, sm.TwoLevel),
	"CTAPriority": forall.OneOf(sm.PriorityNone, sm.PriorityAge, sm.PriorityRRB),
	"Scoreboard":  forall.OneOf(sm.OneInFlight, sm.PerRegister), "Node": gen.IntRange(0, 2),
	"Warp": gen.IntRange(2, 5), "SIMD": gen.IntRange(0, 4), "DP": gen.IntRange(0, 4), "SFU": gen.IntRange(0, 4),
	"Banks": gen.IntRange(0, 4), "Warps": gen.IntRange(1, 8), "CTAs": gen.IntRange(1, 8),
	"Schedulers": gen.IntRange(1, 2),
	"Registers":  gen.IntRange(1, 16), "Fetch": gen.IntRange(1, 3), "Buffer": gen.IntRange(0, 4),
	"Ports": gen.IntRange(1, 3),
	"Queue": gen.IntRange(1, 64), "L1": gen.IntRange(0, 6), "Shared": gen.IntRange(0, 6), "L2": gen.IntRange(2, 8),
	"ICache": gen.IntRange(-1, 5), "SMs": gen.IntRange(1, 40), "Channels": gen.IntRange(1, 8),
	"Grow": gen.IntRange(0, len(more)-1),
})

// estimate returns the area of a machine.
func estimate(t require.TestingT, c gpu.Config, node int) area.Area {
	a, err := area.Of(&c, area.Nodes()[node])
	require.NoError(t, err)
	return a
}

// more lists ways to have more hardware.
var more = []struct {
	name string
	grow func(c *gpu.Config)
}{
	{"lanes", func(c *gpu.Config) { c.SM.SIMDWidth *= 2 }},
	{"lanes of DP", func(c *gpu.Config) { c.SM.DPWidth *= 2 }},
	{"lanes of SFU", func(c *gpu.Config) { c.SM.SFUWidth *= 2 }},
	{"threads", func(c *gpu.Config) { c.SM.Threads *= 2 }},
	{"CTAs", func(c *gpu.Config) { c.SM.CTAs *= 2 }},
	{"registers", func(c *gpu.Config) { c.SM.Registers *= 2 }},
	{"register banks", func(c *gpu.Config) { c.SM.RFBanks *= 2 }},
	{"write-back ports", func(c *gpu.Config) { c.SM.WBPorts++ }},
	{"I-buffers", func(c *gpu.Config) { c.SM.IBuffer++ }},
	{"fetch", func(c *gpu.Config) { c.SM.FetchWidth, c.SM.IBuffer = c.SM.FetchWidth+1, c.SM.IBuffer+1 }},
	{"memory queue", func(c *gpu.Config) { c.SM.MemQueue *= 2 }},
	{"sub-cores", func(c *gpu.Config) {
		c.SM.Schedulers, c.SM.Threads, c.SM.Registers = 2*c.SM.Schedulers, 2*c.SM.Threads, 2*c.SM.Registers
	}},
	{"L1", func(c *gpu.Config) { c.L1.Size *= 2 }},
	{"L1 misses", func(c *gpu.Config) { c.L1.MSHRs *= 2 }},
	{"shared memory", func(c *gpu.Config) { c.Shared.Size *= 2 }},
	{"banks", func(c *gpu.Config) { c.Shared.Banks *= 2 }},
	{"instruction cache", func(c *gpu.Config) { c.ICache.Size = max(2*c.ICache.Size, 1<<10) }},
	{"constant cache", func(c *gpu.Config) { c.Const.Size = 8 << 10 }},
	{"texture cache", func(c *gpu.Config) { c.Texture.Size = 8 << 10 }},
	{"L2", func(c *gpu.Config) { c.L2.Size *= 2 }},
	{"SMs", func(c *gpu.Config) { c.GPU.SMs *= 2 }},
	{"channels", func(c *gpu.Config) { c.DRAM.Channels *= 2 }},
	{"wider crossbar", func(c *gpu.Config) { c.Icnt.FlitBytes *= 2 }},
	{"fewer SMs of a port", func(c *gpu.Config) { c.Icnt.Concentration = 1 }},
}

func TestProperties(t *testing.T) {
	forall.CheckMany(t, 200, "more hardware never takes less area", machines, func(t *forall.T, m machine) {
		c, grow := m.config(), more[m.Grow]
		grow.grow(&c)
		mech, _ := divergence.Find(m.Mechanism)
		if c.Check() != nil || mech.Blocks && grow.name == "CTAs" { // each CTA then has room for fewer threads
			return
		}
		least, a := estimate(t, m.config(), m.Node), estimate(t, c, m.Node)
		require.GreaterOrEqual(t, a.Low, least.Low, grow.name)
		require.Greater(t, a.Mid, least.Mid, grow.name)
		require.GreaterOrEqual(t, a.High, least.High, grow.name)
	})
	forall.CheckMany(t, 40, "bounds are in order, and parts add up", machines, func(t *forall.T, m machine) {
		a := estimate(t, m.config(), m.Node)
		var all, one area.Range
		for _, p := range a.Parts {
			require.LessOrEqual(t, p.Area.Low, p.Area.Mid, p.Name)
			require.LessOrEqual(t, p.Area.Mid, p.Area.High, p.Name)
			n := float64(p.Count)
			all.Low, all.Mid, all.High = all.Low+n*p.Area.Low, all.Mid+n*p.Area.Mid, all.High+n*p.Area.High
			if p.In == "SM" {
				require.Equal(t, m.SMs, p.Count)
				one.Mid += p.Area.Mid
			}
		}
		require.InEpsilon(t, all.Low, a.Low, 1e-9)
		require.InEpsilon(t, all.Mid, a.Mid, 1e-9)
		require.InEpsilon(t, all.High, a.High, 1e-9)
		require.InEpsilon(t, one.Mid, a.SM.Mid, 1e-9)
	})
	forall.CheckMany(t, 40, "a part shrinks from node to node", machines, func(t *forall.T, m machine) {
		large, middle, small := estimate(t, m.config(), 0), estimate(t, m.config(), 1), estimate(t, m.config(), 2)
		for i, p := range large.Parts {
			if p.Area.Mid > 0 {
				require.Less(t, middle.Parts[i].Area.Mid, p.Area.Mid, p.Name)
				require.Less(t, small.Parts[i].Area.Mid, middle.Parts[i].Area.Mid, p.Name)
			}
		}
	})
	forall.CheckMany(t, 40, "age takes more than a round robin, and mechanisms share the caches", machines,
		func(t *forall.T, m machine) {
			m.Schedulers, m.Warps = 1, max(m.Warps, 4)
			lrr, gto, other := m, m, m
			lrr.Scheduler, gto.Scheduler, other.Mechanism = sm.LRR, sm.GTO, "dwf"
			require.Less(t, estimate(t, lrr.config(), m.Node).Mid, estimate(t, gto.config(), m.Node).Mid)
			a, b := estimate(t, m.config(), m.Node), estimate(t, other.config(), m.Node)
			for _, name := range []string{"L1 data cache", "shared memory", "L2 cache", "crossbar", "ALU lanes"} {
				require.Equal(t, part(t, a, name).Area.Mid, part(t, b, name).Area.Mid, name)
			}
			require.NotEqual(t, part(t, a, "divergence mechanism").Area, part(t, b, "divergence mechanism").Area)
		})
}

// part finds a part.
func part(t require.TestingT, a area.Area, name string) area.Part {
	for _, p := range a.Parts {
		if p.Name == name {
			return p
		}
	}
	require.Fail(t, "no part "+name)
	return area.Part{}
}
