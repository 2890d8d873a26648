// Package divergence is the frame that reconvergence mechanisms fit into: slots,
// ports, parts that they share, and the register of mechanisms. The mechanisms
// are in the packages below it, a family in each.
//
//	one mechanism      Mechanism, Env, Geometry, Code, Params, Promises, Register
//	its hardware       Policy, Ports, Slot, Point, Wait, Side, Path, Stats
//	its events         Launch, Fire, Outcome, Jump, Retire, Transfer, Transferred
//	options of all     Options, PathOrder, First, Crowd
//	static warps       Warps, Reconverger, PathStack, Entry, Meeting
//	barriers           Barrier, Named, Arrival, Tally, Convergence
//	what it counts     Counted, Counting, Counter, Compaction, Prediction
//	what it costs      Cost
//
// A mechanism is a clocked module. It owns the slots of a streaming multiprocessor
// and the state behind them, and plugs into the same front end as any other.
//
// A slot is something that the front end can fetch and issue for: a PC, an
// active mask, and the register-file row of each thread. Nothing outside a
// mechanism knows why a slot has the mask it has. A static warp, one of two
// paths of a warp, and a warp compacted from several are all slots.
//
// A mechanism hears of five things and answers by changing slots:
//
//	Launch   a warp of a new CTA is ready to start
//	Fire     an instruction was issued: the slot moves on, or waits if the
//	         mechanism resolves the instruction
//	Second   another one, issued in the same cycle in other lanes: see Ports
//	Outcome  such an instruction (branch, barrier, exit) reached the end of
//	         execution: here is what each lane decided
//	Retire   (answer) a static warp has no threads left
//
// What a mechanism costs are the cycles until its slots are valid again: one
// stack write, one encoder step, one compacted warp a cycle.
package divergence

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Sizes that bound the tables of any configuration.
const (
	MaxWarps = units.MaxRows // resident static warps of an SM
	MaxSlots = units.MaxSet  // eight paths for each warp
	MaxCTAs  = 32
	Barriers = 16 // named barriers of a CTA (PTX ISA, bar)
)

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

// Count counts a branch and reports whether lanes take both ways.
func (st *Stats) Count(in *isa.Inst, taken, not uint32) (diverges bool) {
	diverges = taken != 0 && not != 0
	if in.Conditional() || diverges {
		st.Branches++
	}
	if diverges {
		st.Divergent++
	}
	return diverges
}

// Policy is a reconvergence mechanism at work. An implementation embeds Ports, or
// Warps, and is a module of package rtl.
type Policy interface {
	Tick()
	// Slots is the table that the front end reads; its length is the number of
	// slots and does not change.
	Slots() *rtl.Mem[Slot]
	// Homes are those of Mixed slots, by slot; nil if there are none. Masks of a row are by
	// the lanes that they have.
	Homes() *rtl.Mem[units.Homes]
	// Connections gives access to the embedded Ports.
	Connections() *Ports
	// Paths appends every group of live threads, running and parked, and says
	// which of them get on: see Path.
	Paths(to []Path) []Path
	// Arriving is, by lane of the slot, the threads that arrive at a CTA barrier if
	// threads of the slot with these active lanes execute one, where some wait or none
	// needs to (bar.arrive); lanes without a live thread do not matter. It is 0 if each
	// thread counts for itself.
	Arriving(slot int, active uint32, waits bool) uint32
	// Begin tells that a kernel has been loaded, between two runs: what was learned of
	// the last one is dropped, and peaks are counted anew.
	Begin()
	// Stats is what was counted since reset; a peak, since Begin.
	Stats() Stats
	// Counts is what Mechanism.Counts declares, or nil.
	Counts() Counting
	// Logic is the comparators, encoders and adders, which reflection does not see.
	// Where the model does in a cycle what takes hardware several steps, such as
	// several pops, the logic of one is meant.
	Logic(g Geometry) []units.Logic
	// Parts says of the parts that have an `if` tag which there are; nil if no
	// part has.
	Parts() map[string]bool
}

// Connections returns p, so that a mechanism that embeds Ports has the method.
func (p *Ports) Connections() *Ports { return p }
