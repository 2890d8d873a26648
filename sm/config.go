package sm

import (
	"fmt"
	"slices"

	"divergo/isa"
	"divergo/units"
)

// Scheduler orders the warps that could issue.
type Scheduler string

// The warp schedulers.
const (
	LRR Scheduler = "lrr" // loose round robin: the first ready warp after the last one issued
	GTO Scheduler = "gto" // greedy, then oldest: the last warp as long as it is ready, else the one launched first
)

// CTAPriority orders the CTAs that have warps that could issue; among the warps
// of a CTA the scheduler decides (Fung & Aamodt, HPCA 2011, section 6.2).
type CTAPriority string

// The CTA priorities.
const (
	PriorityAuto CTAPriority = "auto" // age if the warps of a CTA wait for each other at branches, else none, as in the paper
	PriorityNone CTAPriority = "none" // the scheduler decides among all warps
	PriorityAge  CTAPriority = "age"  // the CTA that came to the SM first
	PriorityRRB  CTAPriority = "rrb"  // round robin: another CTA in each cycle
	PrioritySRR  CTAPriority = "srr"  // sticky round robin: the CTA that has issued last, until none of its warps is ready
)

// CTAPriorities lists the valid values.
func CTAPriorities() []CTAPriority {
	return []CTAPriority{PriorityAuto, PriorityNone, PriorityAge, PriorityRRB, PrioritySRR}
}

// Dependence is how the scoreboard holds back a dependent instruction.
type Dependence string

// The scoreboard rules.
const (
	OneInFlight Dependence = "warp"     // a warp issues when its last instruction has completed (Fung & Aamodt, HPCA 2011, section 2.2.1)
	PerRegister Dependence = "register" // a warp issues when no register that it reads or writes is still to be written
)

// Config sizes a streaming multiprocessor. All latencies and intervals are in
// core cycles.
type Config struct {
	WarpSize    int               `toml:"warp_size"`    // threads of a warp
	Lanes       units.Permutation `toml:"lanes"`        // where the threads of a warp are
	SIMDWidth   int               `toml:"simd_width"`   // lanes of the pipes: a warp takes WarpSize/SIMDWidth cycles to enter one
	Threads     int               `toml:"threads"`      // resident threads at most
	CTAs        int               `toml:"ctas"`         // resident CTAs at most
	Registers   int               `toml:"registers"`    // 32-bit registers
	RegAlloc    int               `toml:"reg_alloc"`    // registers of a thread are rounded up to this
	Scheduler   Scheduler         `toml:"scheduler"`    // lrr or gto
	CTAPriority CTAPriority       `toml:"cta_priority"` // auto, none, age, rrb or srr
	Scoreboard  Dependence        `toml:"scoreboard"`   // warp or register
	FetchWidth  int               `toml:"fetch_width"`  // instructions fetched a cycle, all of one slot
	IBuffer     int               `toml:"ibuffer"`      // instructions buffered for each slot
	RFBanks     int               `toml:"rf_banks"`     // register file banks, one read each a cycle
	WBPorts     int               `toml:"wb_ports"`     // warp results written back a cycle
	ALULatency  int               `toml:"alu_latency"`  // integer, logic, single precision, branches
	DPLatency   int               `toml:"dp_latency"`   // double precision
	DPWidth     int               `toml:"dp_width"`     // lanes of the double-precision pipe
	SFULatency  int               `toml:"sfu_latency"`  // special functions, division
	SFUWidth    int               `toml:"sfu_width"`    // lanes of the special-function pipe
	AGULatency  int               `toml:"agu_latency"`  // address generation in the memory pipe
	MemQueue    int               `toml:"mem_queue"`    // memory instructions in flight
	Stack       int               `toml:"stack"`        // bytes of local memory for the frames of a thread's recursive functions
}

// Warps is how many warps can be resident.
func (c *Config) Warps() int { return c.Threads / c.WarpSize }

// Check reports the first value that no machine can be built with, by key,
// with what was found and what is possible.
func (c *Config) Check() error {
	type bound struct {
		key       string
		v, lo, hi int
		pow2      bool
	}
	for _, b := range []bound{
		{"sm.warp_size", c.WarpSize, 1, isa.MaxLanes, true},
		{"sm.simd_width", c.SIMDWidth, 1, c.WarpSize, true},
		{"sm.threads", c.Threads, c.WarpSize, 2048, false},
		{"sm.ctas", c.CTAs, 1, 32, false},
		{"sm.registers", c.Registers, 1, 1 << 20, false},
		{"sm.reg_alloc", c.RegAlloc, 1, 64, true},
		{"sm.fetch_width", c.FetchWidth, 1, 8, false},
		{"sm.ibuffer", c.IBuffer, 1, 16, false},
		{"sm.rf_banks", c.RFBanks, 1, 64, true},
		{"sm.wb_ports", c.WBPorts, 1, maxWBPorts, false},
		{"sm.alu_latency", c.ALULatency, 1, 1000, false},
		{"sm.dp_latency", c.DPLatency, 1, 1000, false},
		{"sm.dp_width", c.DPWidth, 1, c.WarpSize, true},
		{"sm.sfu_latency", c.SFULatency, 1, 1000, false},
		{"sm.sfu_width", c.SFUWidth, 1, c.WarpSize, true},
		{"sm.agu_latency", c.AGULatency, 1, 1000, false},
		{"sm.mem_queue", c.MemQueue, 1, 256, false},
		{"sm.stack", c.Stack, 0, 512 << 10, false},
	} {
		switch {
		case b.v < b.lo || b.v > b.hi:
			return fmt.Errorf("%s = %d: want %d to %d", b.key, b.v, b.lo, b.hi)
		case b.pow2 && b.v&(b.v-1) != 0:
			return fmt.Errorf("%s = %d: want a power of two", b.key, b.v)
		}
	}
	switch {
	case c.Threads%c.WarpSize != 0:
		return fmt.Errorf("sm.threads = %d: want a multiple of sm.warp_size = %d", c.Threads, c.WarpSize)
	case c.Warps() > MaxWarps:
		return fmt.Errorf("sm.threads = %d: %d warps of %d threads, want at most %d warps", c.Threads, c.Warps(), c.WarpSize, MaxWarps)
	case c.IBuffer < c.FetchWidth:
		return fmt.Errorf("sm.ibuffer = %d: want at least sm.fetch_width = %d", c.IBuffer, c.FetchWidth)
	case !slices.Contains(units.Permutations(), c.Lanes):
		return fmt.Errorf("sm.lanes = %q: want one of %q", c.Lanes, units.Permutations())
	case c.Scheduler != LRR && c.Scheduler != GTO:
		return fmt.Errorf("sm.scheduler = %q: want %q or %q", c.Scheduler, LRR, GTO)
	case !slices.Contains(CTAPriorities(), c.CTAPriority):
		return fmt.Errorf("sm.cta_priority = %q: want one of %q", c.CTAPriority, CTAPriorities())
	case c.Scoreboard != OneInFlight && c.Scoreboard != PerRegister:
		return fmt.Errorf("sm.scoreboard = %q: want %q or %q", c.Scoreboard, OneInFlight, PerRegister)
	}
	return nil
}
