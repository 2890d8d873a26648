package verify

import (
	"math/bits"
	"math/rand/v2"

	"divergo/gpu"
	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// drawn is a machine at random, with queues, tables and caches that are often too
// small to be of use: what waits for what is another in each.
func drawn(seed uint64) gpu.Config {
	r := rand.New(rand.NewPCG(seed, 0))
	of := func(list ...int) int { return list[r.IntN(len(list))] }
	c := gpu.Default()
	c.Clocks = gpu.Clocks{CoreMHz: of(800, 1300), IcntMHz: of(500, 650, 1300), DRAMMHz: of(400, 800, 1753)}
	s := &c.SM
	s.WarpSize = of(4, 8, 16, 32, 32)
	lanes := func() int { return 1 << r.IntN(bits.Len(uint(s.WarpSize))) }
	s.SIMDWidth, s.DPWidth, s.SFUWidth = lanes(), lanes(), lanes()
	permutations := units.Permutations()
	s.Lanes = permutations[r.IntN(len(permutations))]
	s.Threads = min(1024, 64*s.WarpSize)
	s.CTAs = of(1, 2, 8)
	s.Registers = 65536
	if r.IntN(2) == 0 {
		s.Scheduler = sm.GTO
	}
	if r.IntN(3) > 0 {
		s.Scoreboard = sm.PerRegister
	}
	s.FetchWidth = of(1, 2, 4)
	s.IBuffer = s.FetchWidth + r.IntN(4)
	s.RFBanks, s.WBPorts = of(1, 4, 16), of(1, 2, 4)
	s.ALULatency, s.DPLatency, s.SFULatency, s.AGULatency = of(1, 3, 20), of(1, 24), of(1, 2, 50), of(1, 4)
	s.MemQueue = of(1, 2, 16, 64)
	orders := divergence.PathOrders()
	c.Divergence.PathOrder = orders[r.IntN(len(orders))]
	line := of(32, 64, 128)
	c.L1.Line, c.L2.Line = line, line
	c.L1.Pending = of(1, 2, 32)
	c.L1.Assoc = of(1, 2, 3)
	c.L1.Size = c.L1.Assoc * line * of(1, 2, 16)
	c.L1.MSHRs, c.L1.MSHRMerge, c.L1.MissQueue, c.L1.HitLatency = of(1, 2, 16), of(1, 2, 8), of(1, 4), of(1, 20)
	if r.IntN(2) == 0 {
		c.L1.Write = memsys.WriteThrough
	}
	c.Shared.Size = 48 << 10
	c.Shared.Banks, c.Shared.Lanes, c.Shared.Latency = of(1, 16, 32), of(1, 16, 32), of(1, 16)
	c.Icnt.FlitBytes, c.Icnt.Latency, c.Icnt.Queue, c.Icnt.Concentration = of(1, 32, 256), of(1, 4), of(1, 2, 8), of(1, 3)
	c.L2.Assoc = of(1, 2, 8)
	c.L2.Size = c.L2.Assoc * line * of(1, 4, 64)
	c.L2.MSHRs, c.L2.MSHRMerge, c.L2.Latency = of(1, 4, 64), of(1, 2, 8), of(1, 10)
	d := &c.DRAM
	d.Channels = of(1, 2, 3, 8)
	d.Interleave, d.Banks, d.Queue, d.HitCap, d.Latency = of(128, 256, 1024), of(1, 8), of(1, 4, 32), of(0, 1, 32), of(1, 10)
	s.Skip = []sm.Skip{sm.SkipNone, sm.SkipBCC, sm.SkipSCC}[r.IntN(3)]
	return c
}
