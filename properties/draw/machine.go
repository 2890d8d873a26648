package draw

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"divergo/gpu"
	"divergo/isa"
	"divergo/memsys/dram"
	"divergo/sm"
	"divergo/sm/divergence"
)

// Plain is the simplest machine, the goal of shrinking. It is the default one with a single SM and
// memory channel, and warps of so many threads.
func Plain(lanes int) gpu.Config {
	c := gpu.Default()
	c.GPU.SMs, c.DRAM.Channels = 1, 1
	s := &c.SM
	s.WarpSize, s.Threads, s.Registers = lanes, 16*lanes, 1<<16
	s.SIMDWidth = min(s.SIMDWidth, lanes)
	s.Stack = 1024 // few calls are deep, and machines are cleared often
	return c
}

// apart are the keys that drawMachine does not draw one by one. They set the size of the machine,
// or depend on other keys, or change the results.
var apart = []string{
	"gpu.sms", "gpu.memory", "clocks.core_mhz", "clocks.icnt_mhz", "clocks.dram_mhz",
	"sm.warp_size", "sm.threads", "sm.registers", "sm.stack", "divergence.mechanism",
	"l1.line", "l1.size", "shared.size", "l2.line", "l2.size", "dram.channels", "dram.bus_bytes",
	"herd.branch_fraction", "herd.load_fraction",
	// These are drawn last, so that adding them did not change the machines of existing seeds.
	"sm.interweave", "sm.fetch_group", "sm.schedulers",
	"l1.sector", "l1.hash", "l2.sector", "l2.hash",
	"dram.channel_hash", "dram.age_cap", "dram.write_high", "dram.write_low", "dram.t_refi", "dram.t_rfc",
}

// behind are the sections of the read-only caches, drawn after all other keys for the same reason.
var behind = []string{"const.", "icache.", "texture."}

// unit are the keys of the texture unit, drawn from a random stream of their own.
var unit = []string{"texture.fetch", "texture.lanes", "texture.groups", "texture.latency", "texture.handles"}

// drawReadOnly draws the read-only caches of an SM: none, some or all.
func drawReadOnly(r *rand.Rand, c *gpu.Config) {
	for _, k := range gpu.Keys() {
		if isBehind(k.Name) && !strings.HasSuffix(k.Name, ".size") && !slices.Contains(unit, k.Name) {
			Key(r, c, &k)
		}
	}
	size := func(assoc, line int) int { return []int{0, assoc * line, 4 * assoc * line}[r.IntN(3)] }
	c.Const.Line, c.ICache.Line = min(c.Const.Line, c.L2.Line), min(c.ICache.Line, c.L2.Line)
	c.Const.Size, c.ICache.Size = size(c.Const.Assoc, c.Const.Line), size(c.ICache.Assoc, c.ICache.Line)
	c.Texture.Line = min(c.Texture.Line, c.L2.Line)
	c.Texture.Size = size(c.Texture.Assoc, c.Texture.Line)
	if c.Texture.Size > 0 {
		own := rand.New(rand.NewPCG(uint64(c.Texture.Size), uint64(c.Texture.MSHRs)))
		for _, k := range gpu.Keys() {
			if slices.Contains(unit, k.Name) {
				Key(own, c, &k)
			}
		}
	}
}

func isBehind(key string) bool {
	return slices.ContainsFunc(behind, func(section string) bool { return strings.HasPrefix(key, section) })
}

// drawMachine draws a small machine on which each resource is scarce at times: ports, queues,
// MSHRs, cache lines, slots. It has up to 16 warps, so that many kernels can be checked in a
// second. Keys come from their ranges.
func drawMachine(r *rand.Rand) gpu.Config {
	of := func(list ...int) int { return list[r.IntN(len(list))] }
	c := Plain(isa.RowLanes)
	c.GPU.SMs = of(1, 1, 1, 2, 3)
	c.Clocks = gpu.Clocks{CoreMHz: of(800, 1300), IcntMHz: of(650, 1300), DRAMMHz: of(400, 800, 1753)}
	s, d := &c.SM, &c.DRAM
	s.WarpSize = of(4, 8, 16, 32, 32)
	s.Threads = of(2, 4, 8, 16, 32) * s.WarpSize
	d.Channels = of(1, 1, 2)
	for _, k := range gpu.Keys() {
		if !slices.Contains(apart, k.Name) && !isBehind(k.Name) {
			Key(r, &c, &k)
		}
	}
	s.SIMDWidth = max(s.SIMDWidth, 1<<r.IntN(bits.Len(uint(s.WarpSize))))
	line := of(32, 64, 128)
	c.L1.Line, c.L2.Line = line, line
	c.L1.Size = c.L1.Assoc * line * of(1, 2, 16)
	c.L2.Size = c.L2.Assoc * line * of(1, 4, 16)
	d.Interleave, d.RowBytes = max(d.Interleave, line), max(d.RowBytes, line)
	d.Burst = 1 << r.IntN(3)
	d.BusBytes = min(of(4, 8, 32), line/d.Burst)
	d.TCCD = max(d.TCCD, d.Burst)
	d.TRAS = max(d.TRAS, d.TRCD)
	d.TRC = max(d.TRC, d.TRAS+d.TRP)
	d.TRRD = min(d.TRRD, d.TRC)
	ways := s.Interweave.Words()
	s.Interweave = sm.Interweave(ways[r.IntN(len(ways))].Name)
	s.FetchGroup = 1 + r.IntN(s.Warps())
	s.Schedulers = min(of(1, 1, 1, 2, 4), s.Warps()/2) // each with two warps or more
	drawReadOnly(r, &c)
	hash := func() dram.Hash { return []dram.Hash{dram.HashNone, dram.HashXOR}[r.IntN(2)] }
	d.Hash, c.L1.Hash, c.L2.Hash = hash(), hash(), hash()
	c.L1.Sector, c.L2.Sector = min(of(0, 32, 64), line), min(of(0, 32, 64), line)
	d.AgeCap = of(0, 0, 1, 50, 400)
	if r.IntN(2) == 0 && d.Queue > 1 {
		d.WriteHigh = 1 + r.IntN(d.Queue)
		d.WriteLow = r.IntN(d.WriteHigh)
	}
	if r.IntN(3) == 0 {
		d.TRFC = of(0, 1, 40)
		d.TREFI = d.LeastTREFI() + of(0, 100, 1000)
	}
	fit(&c)
	return c
}

// wideOnes: one machine in so many has warps of 64 lanes.
const wideOnes = 10

// widen gives an SM as many warps as before, of 64 lanes.
func widen(s *sm.Config) {
	s.Threads = s.Threads / s.WarpSize * isa.MaxLanes
	if s.SIMDWidth == s.WarpSize {
		s.SIMDWidth = isa.MaxLanes
	}
	s.WarpSize = isa.MaxLanes
}

// press shortens delays on one machine in four, so that dependent events come close together. Such
// a machine has room for few CTAs, so that others start while it is busy. For half of all machines,
// press leaves little more shared memory than the largest CTA can use.
func press(r *rand.Rand, c *gpu.Config) {
	if s := &c.SM; r.IntN(4) == 0 {
		s.Scoreboard, s.Scheduler, s.SIMDWidth, s.IBuffer = sm.PerRegister, sm.GTO, s.WarpSize, max(s.IBuffer, 2)
		s.CTAs = 3 + r.IntN(4)
	}
	if most := cellBytes*min(c.SM.Threads, 1024) + tallyBytes; r.IntN(2) == 0 {
		c.Shared.Size = most + 4*r.IntN(most/4)
	}
}

// divide gives half of the machines with the longest lines four sectors in each line of the L1, and several
// misses at a time, so that the sectors of a line are on their way in different misses.
func divide(r *rand.Rand, c *gpu.Config) {
	if l := &c.L1; r.IntN(2) == 0 && l.Line == 128 {
		l.Sector, l.MSHRs, l.MSHRMerge = 32, max(l.MSHRs, 4), max(l.MSHRMerge, 2)
	}
}

// fit sets usual parameters for mechanisms that cannot be built with the drawn ones. With so many
// warps a mechanism may need more slots than an SM has, for example.
func fit(c *gpu.Config) {
	usual := gpu.Default()
	g := c.SM.Geometry()
	for _, m := range divergence.Mechanisms() {
		if _, err := m.Build(c.Divergence, g, &divergence.Code{}); err == nil {
			continue
		}
		for _, k := range gpu.Keys() {
			if strings.HasPrefix(k.Name, "divergence."+m.Name+".") {
				if err := k.Set(c, k.Get(&usual)); err != nil {
					panic(err) // the key table contradicts itself
				}
			}
		}
	}
}

// Key draws the value of a key from its range: the lowest, the usual one, or any. The last is drawn
// evenly over magnitudes, up to twice the usual value or somewhat more.
func Key(r *rand.Rand, c *gpu.Config, k *gpu.Key) {
	value := ""
	switch k.Type {
	case "boolean":
		value = []string{"false", "true"}[r.IntN(2)]
	case "word":
		value = k.Words[r.IntN(len(k.Words))]
	default:
		low, high := c.Ends(k)
		usual := min(max(k.Value(c).(int), low), high)
		most := min(high, max(2*usual, low+15))
		any := min(low+r.IntN(1<<r.IntN(bits.Len(uint(most-low))+1)), most)
		if k.Range.Power {
			any = max(low, 1<<r.IntN(bits.Len(uint(most))))
		}
		value = strconv.Itoa([]int{low, usual, any}[r.IntN(3)])
	}
	if err := k.Set(c, value); err != nil {
		panic(err) // the key table contradicts itself
	}
}
