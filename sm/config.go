package sm

import (
	"divergo/internal/key"
	"divergo/sm/divergence"
	"divergo/units"
)

// Scheduler selects the order among warps that could issue.
type Scheduler string

// The warp schedulers.
const (
	LRR      Scheduler = "lrr"
	GTO      Scheduler = "gto"
	Oldest   Scheduler = "oldest"
	TwoLevel Scheduler = "two-level"
)

// Words lists the valid values.
func (Scheduler) Words() key.Words { return schedulers.Words() }

// CTAPriority selects the order among CTAs with warps that could issue. The scheduler then decides
// among the warps of a CTA (Fung & Aamodt, HPCA 2011, section 6.2).
type CTAPriority string

// The CTA priorities.
const (
	PriorityNone CTAPriority = "none"
	PriorityAge  CTAPriority = "age"
	PriorityRRB  CTAPriority = "rrb"
	PrioritySRR  CTAPriority = "srr"
)

// Words lists the valid values.
func (CTAPriority) Words() key.Words { return priorities.Words() }

// Dependence selects the rule by which the scoreboard holds back a dependent instruction.
type Dependence string

// The scoreboard rules.
const (
	OneInFlight Dependence = "warp"
	PerRegister Dependence = "register"
)

// Words lists the valid values.
func (Dependence) Words() key.Words { return dependences.Words() }

// AbsentLane selects the value that a shuffle reads from a lane that takes no part.
type AbsentLane string

// The values read from lanes that take no part.
const (
	AbsentZero AbsentLane = "zero"
	AbsentOwn  AbsentLane = "own"
)

// Words lists the valid values.
func (AbsentLane) Words() key.Words { return absentLanes.Words() }

// Config sizes a streaming multiprocessor. All latencies and intervals are in
// core cycles.
type Config struct {
	WarpSize    int               `toml:"warp_size" range:"1..64 pow2" unit:"threads" doc:"threads of a warp; one of more than 32 has two rows for each register, and each half of it accesses memory by itself; instructions in which threads of a warp exchange values have masks of 32 lanes and are refused in it" source:"tbc: table 2"`
	Lanes       units.Permutation `toml:"lanes" doc:"lane permutation: where the threads of a warp are, of each warp in its own way" source:"slp: figures 7 and 9"`
	SIMDWidth   int               `toml:"simd_width" range:"1..warp_size pow2" unit:"lanes" doc:"lanes of the pipes; a warp enters one in warp_size / simd_width cycles" source:"tbc: table 2"`
	Skip        Skip              `toml:"skip" doc:"which cycles a warp skips on its way into a pipe with fewer lanes: none, bcc (those of groups of lanes of which none executes), scc (all but as many as the lanes that execute fill)" source:"Vaidya et al., ISCA 2013"`
	Interweave  Interweave        `toml:"interweave" doc:"what may issue beside an instruction, in lanes that it leaves: none, sbi (another path of its warp), swi (another warp), sbi-swi (either); with mechanisms that keep the warps of a CTA" source:"Brunie et al., ISCA 2012"`
	Threads     int               `toml:"threads" range:"warp_size..2048" unit:"threads" doc:"resident threads at most" source:"tbc: table 2"`
	CTAs        int               `toml:"ctas" range:"1..32" doc:"resident CTAs at most" source:"gpgpu"`
	Registers   int               `toml:"registers" range:"1..1Mi" doc:"32-bit registers" source:"tbc: table 2"`
	RegAlloc    int               `toml:"reg_alloc" range:"1..64 pow2" unit:"registers" doc:"granularity of allocation: a thread's registers are rounded up to a multiple" source:"gpgpu"`
	Schedulers  int               `toml:"schedulers" range:"1..4" unit:"sub-cores" doc:"warp schedulers: sub-cores, each with its part of the warps and registers, and with pipes and write-back ports of its own" source:"tbc: section 2.2"`
	Scheduler   Scheduler         `toml:"scheduler" doc:"warp scheduler: lrr (loose round robin), gto (greedy, then oldest), oldest, or two-level (fetch groups)" source:"tbc: section 2.2"`
	FetchGroup  int               `toml:"fetch_group" range:"1..64" unit:"warps" doc:"warps of a fetch group of the scheduler two-level, neighbours in the SM" source:"Narasiman et al., MICRO 2011"`
	CTAPriority CTAPriority       `toml:"cta_priority" doc:"which CTA's warps are issued first, each CTA's in the order of the scheduler: age (the oldest), rrb (rotates each cycle), srr (the one that issued last, until it has no ready warp), or none (all warps alike); the same under each mechanism" source:"tbc: section 6.2"`
	Scoreboard  Dependence        `toml:"scoreboard" doc:"what a dependent instruction waits for: warp (one instruction of a warp in flight) or register" source:"tbc: section 2.2"`
	FetchWidth  int               `toml:"fetch_width" range:"1..8" doc:"instructions fetched in a cycle, all of one slot" source:"ours"`
	IBuffer     int               `toml:"ibuffer" range:"fetch_width..16" doc:"instructions buffered for a slot" source:"ours"`
	RFBanks     int               `toml:"rf_banks" range:"1..64 pow2" doc:"register-file banks, one read each in a cycle" source:"ours"`
	WBPorts     int               `toml:"wb_ports" range:"1..4" doc:"warp results written back in a cycle" source:"tbc: section 2.2"`
	ALULatency  int               `toml:"alu_latency" range:"1..1000" unit:"core cycles" doc:"integer, logic and single-precision pipe, branches" source:"ours"`
	OutcomeLat  int               `toml:"outcome_latency" range:"0..1000" unit:"core cycles" doc:"from the start of execution of a branch, barrier or exit until the mechanism has its outcome; 0: alu_latency" source:"ours"`
	DPLatency   int               `toml:"dp_latency" range:"1..1000" unit:"core cycles" doc:"double-precision pipe" source:"ours"`
	DPWidth     int               `toml:"dp_width" range:"1..warp_size pow2" unit:"lanes" doc:"lanes of the double-precision pipe" source:"ours"`
	SFULatency  int               `toml:"sfu_latency" range:"1..1000" unit:"core cycles" doc:"special functions and division" source:"ours"`
	SFUWidth    int               `toml:"sfu_width" range:"1..warp_size pow2" unit:"lanes" doc:"lanes of the special-function pipe" source:"ours"`
	AGULatency  int               `toml:"agu_latency" range:"1..1000" unit:"core cycles" doc:"address generation in the memory pipe" source:"ours"`
	MemQueue    int               `toml:"mem_queue" range:"1..256" doc:"memory instructions in flight in an SM" source:"ours"`
	AbsentLane  AbsentLane        `toml:"absent_lane" doc:"what a shuffle reads from a lane that takes no part, which PTX leaves open: zero or own (the reader's own value); NVIDIA's sample reduction needs zero" source:"ours"`
	Latency     Opcodes           `toml:"latency"`    // from the start of execution to write-back
	Initiation  Opcodes           `toml:"initiation"` // from an instruction of all lanes to the next start in its pipe
	Stack       int               `toml:"stack" range:"0..512Ki" unit:"bytes" doc:"local memory of a thread for the frames of recursive functions; what other functions need is known and added" source:"ours"`
}

// Warps returns the largest number of resident warps.
func (c *Config) Warps() int { return c.Threads / c.WarpSize }

// Geometry returns the size of the mechanism of an SM.
func (c *Config) Geometry() divergence.Geometry {
	return divergence.Geometry{Lanes: c.WarpSize, Warps: c.Warps(), CTAs: c.CTAs}
}

// Check reports every reason why the streaming multiprocessor cannot be built.
func (c *Config) Check() error {
	k := key.NewCheck("sm.", c)
	c.Rules(k)
	return k.Err()
}

// Rules refuses combinations of keys for which no streaming multiprocessor can be built. It looks
// only at keys within their ranges.
func (c *Config) Rules(k *key.Check) {
	if k.Sound("sm.threads", "sm.warp_size") {
		if c.Threads%c.WarpSize != 0 {
			k.Refuse("want a multiple of sm.warp_size = %d", c.WarpSize)
		}
		if c.Warps() > MaxWarps {
			k.Refuse("%d warps of sm.warp_size = %d threads, want at most %d warps", c.Warps(), c.WarpSize, MaxWarps)
		}
	}
	if k.Sound("sm.registers", "sm.warp_size", "sm.reg_alloc") && c.Registers < c.WarpSize*c.RegAlloc {
		k.Refuse("want at least sm.warp_size * sm.reg_alloc = %d * %d = %d, those of a warp", c.WarpSize, c.RegAlloc,
			c.WarpSize*c.RegAlloc)
	}
	if k.Sound("sm.schedulers", "sm.threads", "sm.warp_size") && c.Warps()%c.Schedulers != 0 {
		k.Refuse("%d warps of sm.threads / sm.warp_size: want as many in each sub-core", c.Warps())
	}
	if k.Sound("sm.schedulers", "sm.registers", "sm.warp_size", "sm.reg_alloc") {
		if c.Registers%c.Schedulers != 0 {
			k.Refuse("sm.registers = %d: want as many in each sub-core", c.Registers)
		}
		if each := c.Registers / c.Schedulers; c.Schedulers > 1 && each < c.WarpSize*c.RegAlloc {
			k.Refuse("%d registers in each sub-core: want at least sm.warp_size * sm.reg_alloc = %d, those of a warp", each,
				c.WarpSize*c.RegAlloc)
		}
	}
}
