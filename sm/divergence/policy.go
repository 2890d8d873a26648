// Package divergence holds the reconvergence mechanisms, one a file. Each is a
// clocked module that owns the slots of a streaming multiprocessor and the
// state behind them, and plugs into the same front end.
//
// A slot is something that the front end can fetch and issue for: a PC, an
// active mask, and the register-file row of each thread. Nothing outside this
// package knows why a slot has the mask it has. A static warp, one of two
// paths of a warp, and a warp compacted from several are all slots.
//
// A mechanism hears of four things and answers by changing slots:
//
//	Launch   a warp of a new CTA is ready to start
//	Fire     an instruction was issued: the slot moves on, or waits if the
//	         instruction is one that this package resolves
//	Outcome  such an instruction (branch, barrier, exit) reached the end of
//	         execution: here is what each lane decided
//	Retire   (answer) a static warp has no threads left
//
// What a mechanism costs are the cycles until its slots are valid again: one
// stack write, one encoder step, one compacted warp a cycle.
package divergence

import (
	"math/bits"

	"divergo/internal/key"
	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Sizes that bound the tables of any configuration.
const (
	MaxWarps = 64           // resident static warps of an SM, so that a set of rows is one word
	MaxSlots = units.MaxSet // two paths for each warp
	MaxCTAs  = 32
	Barriers = 16 // named barriers of a CTA (PTX ISA, bar)
)

// Wait says why the front end must leave a slot alone.
type Wait uint8

// The reasons.
const (
	Runs         Wait = iota // it need not
	WaitsControl             // a control instruction has been issued and is not resolved
	WaitsBarrier             // at a CTA barrier
	WaitsJoin                // for other warps or paths, at a branch or a reconvergence point; most often the slot is not valid then
)

func (w Wait) String() string { return [...]string{"run", "control", "barrier", "join"}[w&3] }

// Slot is what the front end sees of a warp or a path.
type Slot struct {
	Valid bool
	Wait  Wait  `bits:"2"`
	Mixed bool  // threads are not all of Row, in their lanes: see Policy.Homes
	CTA   uint8 `bits:"5"` // resident CTA
	Row   uint8 `bits:"6"` // register-file row of all threads, unless Mixed
	PC    uint32
	Depth uint16 `if:"calls"` // calls that its threads have not returned from
	Mask  uint32 `bits:"lanes"`
}

// Homes has for each lane of a Mixed slot the row and the lane that hold the
// registers of its thread. The lane is another one only where there is a crossbar
// in front of the register file; masks of a row are by this lane.
type Homes [isa.MaxLanes]units.Home

// rows of the lanes, whose threads are at home.
func (h *Homes) rows() (rows [isa.MaxLanes]uint8) {
	for l := range h {
		rows[l] = h[l].Row
	}
	return rows
}

// Launch starts a static warp: its row in the register file is free for the
// threads of Mask, which begin at PC 0. Last marks the last warp of a CTA.
type Launch struct {
	CTA   uint8 `bits:"5"`
	Row   uint8 `bits:"6"`
	First uint8 `bits:"6"` // row of the CTA's first warp
	Warps uint8 `bits:"7"` // of the CTA
	Last  bool
	Mask  uint32
}

// Fire tells of the instruction issued in this cycle.
type Fire struct {
	Valid   bool
	Control bool   // resolved by the mechanism: an Outcome follows
	Slot    uint8  `bits:"7"`
	PC      uint32 // isa.NoPC if there is none
}

// Outcome is a control instruction at the end of execution.
type Outcome struct {
	Slot  uint8 `bits:"7"`
	PC    uint32
	Taken uint32 // active lanes that execute it: that branch, exit, or arrive
	// Target is where a branch, call or return leads, isa.NoPC if it is none. Of an
	// indirect one the others of its lanes have other targets. They have not executed it.
	Target uint32
	Bar    uint8  `bits:"4"` // bar: barrier number
	Warps  uint8  `bits:"7"` // bar: warps expected, 0 for all of the CTA
	Votes  uint32 // bar.red: lanes whose predicate holds
	Named  uint32 // warpsync: lanes of the threads that those of Taken wait for, exited ones too
}

// Retire tells that a static warp has no threads left.
type Retire struct {
	CTA uint8 `bits:"5"`
	Row uint8 `bits:"6"`
}

// The memory of a row that a mechanism has for what does not fit on the chip: a
// token for each branch, which splits a mask, and for each region around the PC,
// rounded up to whole lines of any cache. With recursive functions a region counts
// in each activation, and there is room for as many as a byte can count with those
// on the chip. It moves in 32 bytes, one sector of the L2 (Bialas & Strzelecki,
// section IV).
const (
	SpillWords     = 64 // of 8 bytes
	RecursiveWords = 160
	TransferWords  = 4
)

// SpillWordsOf is how many words a row has when p runs.
func SpillWordsOf(p *isa.Program) int {
	if p.Recursive {
		return RecursiveWords
	}
	return SpillWords
}

// Transfer moves words between a mechanism and the memory of a row, which it uses
// as a stack that grows upwards: what lies above words that are stored is not in
// use. Transferred answers it.
type Transfer struct {
	Store bool
	CTA   uint8 `bits:"5"`
	Row   uint8 `bits:"6"`
	At    uint8 // first word; a store from SpillWordsOf the program on is a fault of the instruction at PC
	Words uint8 `bits:"3"`
	PC    uint32
	Data  [TransferWords]uint64
}

// Transferred tells that memory has taken the words of a row, or what they are.
type Transferred struct {
	Row  uint8 `bits:"6"`
	Data [TransferWords]uint64
}

// Ports connect a mechanism with the pipeline.
type Ports struct {
	Launch  rtl.In[Launch]
	Fire    *rtl.Wire[Fire]
	Outcome rtl.In[Outcome]
	Retire  rtl.Out[Retire]
	// Memory is for one Transfer of each row at a time.
	Memory rtl.Out[Transfer]
	Answer rtl.In[Transferred]
	// Tallies is written by the mechanism, by row, as it lets threads go on behind
	// a bar.red: what that has counted. Programs with bar.red are refused without.
	Tallies *rtl.Mem[Tally] `rtl:"optional"`
	// Redirect is driven by the mechanism: the slots that it changes in this
	// cycle other than by the advance of Fire. Fetch and issue look at them again.
	Redirect rtl.Wire[units.Set]
}

// Code is the kernel being run. It changes only between runs.
type Code struct {
	Prog *isa.Program
}

// Geometry sizes a mechanism.
type Geometry struct {
	Lanes int // of a warp
	Warps int // resident static warps, which is the number of rows
	CTAs  int // resident CTAs
}

// Path is a group of threads of one row that are at one PC, for diagnosis.
type Path struct {
	CTA     uint8
	Row     uint8
	PC      uint32
	Reconv  uint32 // where they wait for others, or isa.NoPC
	Mask    uint32
	Wait    Wait
	Running bool // a slot is valid for it; otherwise it is parked in the mechanism
	Comes   bool // parked, but not for ever: it will have a slot whatever others do
}

// Stats counts the events that all mechanisms share; a mechanism without a
// stack leaves the stack counters at zero. What several SMs count is added up; of
// a `stat:"peak"` it is the largest.
type Stats struct {
	Branches    uint64 // conditional branches resolved
	Divergent   uint64 // of these, with lanes on both sides
	Pushes      uint64
	Pops        uint64
	MaxDepth    uint64 `stat:"peak"` // entries, base entry included; of paired-path comparison the pairs
	BarDiverged uint64 // barriers reached by part of a warp's live threads
	BarReleases uint64
	Spills      uint64 // groups of entries moved to memory
	Fills       uint64 // groups of entries moved back
	Compaction  Compaction
	Prediction  Prediction
	Formation   units.Formation
}

// Compaction counts what a thread compactor does, and what it waits for.
type Compaction struct {
	Entries  uint64 // entries that became the top with threads
	Static   uint64 // static warps with a thread in them
	Warps    uint64 // warps made of them
	Ideal    uint64 // warps if threads could change lanes
	AtBranch uint64 // cycles that warps waited at a branch for others
	AtJoin   uint64 // cycles that warps waited at a reconvergence point
}

// Prediction counts what becomes of the branches of a CTA under CAPRI.
type Prediction struct {
	Branches uint64 // executed by all warps of the top entry
	Correct  uint64 // compaction was adequate, as predicted, or was not
	Misses   uint64 // not in the table, which predicts that it is not
	Bypasses uint64 // warps that did not wait at a branch
	Compacts uint64 // branches at which all warps waited for compaction
}

// count counts a branch and reports whether lanes take both ways.
func (st *Stats) count(in *isa.Inst, taken, not uint32) (diverges bool) {
	diverges = taken != 0 && not != 0
	if in.Conditional() || diverges {
		st.Branches++
	}
	if diverges {
		st.Divergent++
	}
	return diverges
}

// Policy is a reconvergence mechanism. An implementation embeds Ports and is a
// module of package rtl.
type Policy interface {
	Tick()
	// Slots is the table that the front end reads; its length is the number of
	// slots and does not change.
	Slots() *rtl.Mem[Slot]
	// Homes are those of Mixed slots, by slot; nil if there are none.
	Homes() *rtl.Mem[Homes]
	// Connections gives access to the embedded Ports.
	Connections() *Ports
	// Paths appends every group of live threads, running and parked.
	Paths(to []Path) []Path
	// Stats is what was counted since reset.
	Stats() Stats
}

// Connections returns p, so that a mechanism that embeds Ports has the method.
func (p *Ports) Connections() *Ports { return p }

// Arrives is what a mechanism implements that does not count each thread by
// itself at a CTA barrier: if threads of a slot execute one, all of these arrive,
// by lane of the slot.
type Arrives interface {
	Arriving(slot int) uint32
}

// Mechanism is an entry of the list that the command line offers.
type Mechanism struct {
	Name string
	Doc  string // one line
	// Blocks tells that warps of a CTA wait for each other at branches. If the
	// configuration leaves it open, CTAs are then issued by age.
	Blocks bool
	New    func(o Options, g Geometry, code *Code) (Policy, error)
	// Prepare makes the program that the hardware runs of the kernel's, with the
	// instructions that the mechanism needs; nil if it needs none. Outside of the
	// SM, PCs are those of the kernel: see isa.Program.OriginOf.
	Prepare func(o Options, p *isa.Program) *isa.Program
	// Spills tells that it needs memory behind its ports.
	Spills bool
	// Meets promises that the threads of a warp that part at a branch go on
	// together from its post-dominator, InStep that threads are only brought together
	// in the same iterations of all loops around, so that isa.Inst's Uniform holds
	// for them. Both are for those who check.
	Meets, InStep bool
}

// Options are the configuration of the mechanisms; each reads what it has a
// use for. Where a size is 0 or a word empty, which no Check lets pass, a
// mechanism that is built alone takes that of the default machine.
type Options struct {
	Mechanism    string      `toml:"mechanism" doc:"reconvergence mechanism; \"divergo list mechanisms\" describes them" source:"tbc"`
	PathOrder    PathOrder   `toml:"path_order" doc:"which path of a divergent branch runs first" source:"Fung & Aamodt, HPCA 2011, figures 7 and 10"`
	PPCVerbatim  bool        `toml:"ppc_verbatim" doc:"ppc: delete one pair of paths for each instruction, as the paper's figure 4 does" source:"ours"`
	DWFIssue     IssuePolicy `toml:"dwf_issue" doc:"dwf: which warps of the pool are issued first: those of the PC with most threads (majority) or fewest, in order of time, fewest reconvergence points passed (pdom), smallest pc" source:"tbc"`
	DWFWays      int         `toml:"dwf_ways" range:"1..32 pow2" unit:"ways" doc:"dwf: lines of a set of the PC-warp table" source:"Fung et al., MICRO 2007"`
	DWFAging     int         `toml:"dwf_aging" range:"0..1000000000" unit:"warps" doc:"dwf: formed after one in the pool before it goes first, 0 for never" source:"ours"`
	TBCStatic    bool        `toml:"tbc_static" doc:"tbc: compactor off, warps keep the threads that they were launched with" source:"Fung & Aamodt, HPCA 2011, section 3.2"`
	CAPRIEntries int         `toml:"capri_entries" range:"1..128 pow2" doc:"capri: branches in the adequacy prediction table" source:"ours"`
	CAPRIWays    int         `toml:"capri_ways" range:"0..capri_entries pow2" unit:"ways" doc:"capri: lines of a set of that table; 0: fully associative" source:"ours"`
	TokenWindow  int         `toml:"token_window" range:"1..64" unit:"tokens" doc:"token: those of a warp that are on the chip" source:"ssy"`
	TokenPop     int         `toml:"token_pop" range:"0..100000" unit:"core cycles" doc:"token: from the issue of an instruction that pops a token to the issue of the next one" source:"ssy"`
	TokenSpill   int         `toml:"token_spill" range:"0..100000" unit:"core cycles" doc:"token: a warp waits for 4 tokens to move to memory, or as long as memory needs" source:"ssy"`
	TokenFill    int         `toml:"token_fill" range:"0..100000" unit:"core cycles" doc:"token: a warp waits for 4 tokens to come back, or as long as memory needs" source:"ssy"`
	BarrierYield bool        `toml:"barrier_yield" doc:"barrier: a yield at the head of every loop" source:"ours"`
}

// PathOrder says which path of a divergent branch runs first.
type PathOrder string

// The path orders (MECHANISMS: the order in which a stack pushes).
const (
	TakenFirst      PathOrder = "taken"     // Fung & Aamodt, HPCA 2011, figures 7 and 10
	NotTakenFirst   PathOrder = "not-taken" //
	MajorityFirst   PathOrder = "majority"  // more lanes first; on a tie the taken path
	MinorityFirst   PathOrder = "minority"  // fewer lanes first, which bounds the depth by log2 of the warp; on a tie the taken path
	HighestLaneLast PathOrder = "highest-lane-last"
)

// PathOrders lists the valid values.
func PathOrders() []PathOrder {
	return []PathOrder{TakenFirst, NotTakenFirst, MajorityFirst, MinorityFirst, HighestLaneLast}
}

// Words lists the valid values.
func (PathOrder) Words() []string { return key.Words(PathOrders()...) }

// TakenFirst decides for the lanes of one divergent branch.
func (o PathOrder) takenFirst(taken, notTaken uint32) bool {
	switch o {
	case NotTakenFirst:
		return false
	case MajorityFirst:
		return bits.OnesCount32(taken) >= bits.OnesCount32(notTaken)
	case MinorityFirst:
		return bits.OnesCount32(taken) <= bits.OnesCount32(notTaken)
	case HighestLaneLast:
		return bits.Len32(taken) < bits.Len32(notTaken)
	}
	return true
}

// Words lists the valid values of mechanism.
func (Options) Words(string) []string {
	var names []string
	for _, m := range mechanisms {
		names = append(names, m.Name)
	}
	return names
}

var mechanisms []Mechanism

// Register adds a mechanism to the list; its name must be new.
func Register(m Mechanism) {
	if _, ok := Find(m.Name); ok {
		panic("divergence: mechanism " + m.Name + " registered twice")
	}
	mechanisms = append(mechanisms, m)
}

// Mechanisms lists what has been registered, in order.
func Mechanisms() []Mechanism { return mechanisms }

// Find looks a mechanism up by name.
func Find(name string) (Mechanism, bool) {
	for _, m := range mechanisms {
		if m.Name == name {
			return m, true
		}
	}
	return Mechanism{}, false
}
