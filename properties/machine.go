package properties

import (
	"math/bits"
	"math/rand/v2"

	"divergo/gpu"
	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// plain is the machine that shrinking leads to: the default one with a single SM
// and memory channel, and warps of so many threads.
func plain(lanes int) gpu.Config {
	c := gpu.Default()
	c.GPU.SMs, c.DRAM.Channels = 1, 1
	s := &c.SM
	s.WarpSize, s.Threads, s.Registers = lanes, 16*lanes, 1<<16
	s.SIMDWidth = min(s.SIMDWidth, lanes)
	return c
}

// drawMachine draws a small machine on which everything is scarce in turn: ports,
// queues, MSHRs, cache lines, slots. It has up to 16 warps, so that many kernels
// can be checked in a second.
func drawMachine(r *rand.Rand) gpu.Config {
	of := func(list ...int) int { return list[r.IntN(len(list))] }
	half := func() bool { return r.IntN(2) == 0 }
	c := plain(isa.MaxLanes)
	c.GPU.SMs = of(1, 1, 1, 2, 3)
	c.Clocks = gpu.Clocks{CoreMHz: of(800, 1300), IcntMHz: of(650, 1300), DRAMMHz: of(400, 800, 1753)}
	s := &c.SM
	s.WarpSize = of(4, 8, 16, 32, 32)
	lanes := func() int { return 1 << r.IntN(bits.Len(uint(s.WarpSize))) }
	s.SIMDWidth, s.DPWidth, s.SFUWidth = max(lanes(), lanes()), lanes(), lanes()
	permutations := units.Permutations()
	s.Lanes = permutations[r.IntN(len(permutations))]
	s.Threads, s.CTAs = of(2, 4, 8, 16)*s.WarpSize, of(1, 2, 8)
	if half() {
		s.Scheduler = sm.GTO
	}
	if r.IntN(3) > 0 {
		s.Scoreboard = sm.PerRegister
	}
	s.FetchWidth = of(1, 2, 4)
	s.IBuffer = s.FetchWidth + r.IntN(4)
	s.RFBanks, s.WBPorts = of(1, 4, 16), of(1, 2, 4)
	s.ALULatency, s.DPLatency, s.SFULatency, s.AGULatency = of(1, 3, 20), of(1, 24), of(1, 2, 50), of(1, 4)
	s.MemQueue = of(1, 2, 16)
	drawPolicy(r, &c.Divergence)
	line := of(32, 64, 128)
	c.L1.Line, c.L2.Line = line, line
	c.L1.Pending, c.L1.Assoc = of(1, 2, 32), of(1, 2, 3)
	c.L1.Size = c.L1.Assoc * line * of(1, 2, 16)
	c.L1.MSHRs, c.L1.MSHRMerge, c.L1.MissQueue, c.L1.HitLatency = of(1, 2, 16), of(1, 2, 8), of(1, 4), of(1, 20)
	if half() {
		c.L1.Write = memsys.WriteThrough
	}
	c.Shared.Banks, c.Shared.Lanes, c.Shared.Latency = of(1, 16, 32), of(1, 16, 32), of(1, 16)
	c.Icnt.FlitBytes, c.Icnt.Latency, c.Icnt.Queue, c.Icnt.Concentration = of(1, 32, 256), of(1, 4), of(1, 2, 8), of(1, 2)
	c.L2.Assoc = of(1, 2, 8)
	c.L2.Size = c.L2.Assoc * line * of(1, 4, 16)
	c.L2.MSHRs, c.L2.MSHRMerge, c.L2.Latency = of(1, 4, 16), of(1, 2, 8), of(1, 10)
	d := &c.DRAM
	d.Channels, d.Interleave, d.Banks = of(1, 1, 2), of(256, 1024), of(1, 8)
	d.Queue, d.HitCap, d.Latency = of(1, 4, 32), of(0, 1, 32), of(1, 10)
	if half() {
		d.Scheduler = dram.FCFS
	}
	priorities := sm.CTAPriorities()
	s.CTAPriority = priorities[r.IntN(len(priorities))]
	d.TRC, d.TRRD, d.TRTP, d.TWR = of(35, 60), of(8, 20), of(0, 10), of(0, 15)
	return c
}

// drawPolicy draws the options of the divergence mechanisms.
func drawPolicy(r *rand.Rand, o *divergence.Options) {
	orders, issue := divergence.PathOrders(), divergence.IssuePolicies()
	o.PathOrder = orders[r.IntN(len(orders))]
	o.PPCVerbatim = r.IntN(4) == 0
	o.DWFIssue = issue[r.IntN(len(issue))]
	o.DWFWays = 1 << r.IntN(4)
	o.DWFAging = [...]int{0, 1, 10, 10_000}[r.IntN(4)]
	o.TBCStatic = r.IntN(8) == 0
	o.TokenPop, o.TokenSpill, o.TokenFill = r.IntN(40), r.IntN(50), r.IntN(50)
	o.BarrierYield = r.IntN(2) == 0
	o.TokenWindow = 1 << r.IntN(5)
	o.CAPRIEntries = 1 << r.IntN(5)
	o.CAPRIWays = min(1<<r.IntN(3), o.CAPRIEntries)
}
