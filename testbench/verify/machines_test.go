package verify

import (
	"math/bits"
	"math/rand/v2"

	"divergo/gpu"
	"divergo/internal/key"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// word draws one of a key's words.
func word[W interface {
	~string
	Words() key.Words
}](r *rand.Rand,
) W {
	var w W
	list := w.Words()
	return W(list[r.IntN(len(list))].Name)
}

// drawn returns a random machine whose queues, tables and caches are often too small to be of use.
// The causes of waiting differ between machines.
func drawn(seed uint64) gpu.Config {
	r := rand.New(rand.NewPCG(seed, 0))
	of := func(list ...int) int { return list[r.IntN(len(list))] }
	c := gpu.Default()
	c.Clocks = gpu.Clocks{CoreMHz: of(800, 1300), IcntMHz: of(500, 650, 1300), DRAMMHz: of(400, 800, 1753)}
	s := &c.SM
	s.WarpSize = of(4, 8, 16, 32, 32)
	lanes := func() int { return 1 << r.IntN(bits.Len(uint(s.WarpSize))) }
	s.SIMDWidth, s.DPWidth, s.SFUWidth = lanes(), lanes(), lanes()
	s.Lanes, s.Scheduler, s.CTAPriority = word[units.Permutation](r), word[sm.Scheduler](r), word[sm.CTAPriority](r)
	s.Threads = min(1024, 64*s.WarpSize)
	s.CTAs = of(1, 2, 8)
	s.Registers = 65536
	s.Scoreboard, s.Skip = word[sm.Dependence](r), word[sm.Skip](r)
	s.FetchWidth = of(1, 2, 4)
	s.IBuffer = s.FetchWidth + r.IntN(4)
	s.RFBanks, s.WBPorts = of(1, 4, 16), of(1, 2, 4)
	s.ALULatency, s.DPLatency, s.SFULatency, s.AGULatency = of(1, 3, 20), of(1, 24), of(1, 2, 50), of(1, 4)
	s.MemQueue = of(1, 2, 16, 64)
	c.Divergence.PathOrder = word[divergence.PathOrder](r)
	line := of(32, 64, 128)
	c.L1.Line, c.L2.Line = line, line
	c.L1.Pending = of(1, 2, 32)
	c.L1.Assoc = of(1, 2, 3)
	c.L1.Size = c.L1.Assoc * line * of(1, 2, 16)
	c.L1.MSHRs, c.L1.MSHRMerge, c.L1.MissQueue, c.L1.HitLatency = of(1, 2, 16), of(1, 2, 8), of(1, 4), of(1, 20)
	c.L1.Write = word[memsys.WritePolicy](r)
	c.Shared.Size = 48 << 10
	c.Shared.Banks, c.Shared.Lanes, c.Shared.Latency = of(1, 16, 32), of(1, 16, 32), of(1, 16)
	c.Icnt.FlitBytes, c.Icnt.Latency, c.Icnt.Queue, c.Icnt.Concentration = of(1, 32, 256), of(1, 4), of(1, 2,
		8), of(1, 3)
	c.L2.Assoc = of(1, 2, 8)
	c.L2.Size = c.L2.Assoc * line * of(1, 4, 64)
	c.L2.MSHRs, c.L2.MSHRMerge, c.L2.Latency = of(1, 4, 64), of(1, 2, 8), of(1, 10)
	d := &c.DRAM
	d.Channels = of(1, 2, 3, 8)
	d.Interleave, d.Banks, d.Queue, d.HitCap, d.Latency = of(128, 256, 1024), of(1, 8), of(1, 4, 32), of(0, 1,
		32), of(1, 10)
	d.Scheduler = word[dram.Scheduler](r)
	c.L1.Sector, c.L2.Sector = min(of(0, 32), line), min(of(0, 32, 64), line)
	c.L1.Hash, c.L2.Hash = word[dram.Hash](r), word[dram.Hash](r)
	d.Hash, d.AgeCap = word[dram.Hash](r), of(0, 100)
	if r.IntN(2) == 0 {
		d.TREFI, d.TRFC = 1000, 60
		d.WriteHigh, d.WriteLow = d.Queue, d.Queue/2
	}
	return c
}
