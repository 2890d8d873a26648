// Package divergence is the framework for reconvergence mechanisms. It defines slots, ports, shared
// parts and the list of mechanisms. The mechanisms are in the packages below it, one family in
// each.
//
//	one mechanism      Mechanism, Env, Geometry, Code, Params, Promises, Register
//	its hardware       Policy, Ports, Slot, Point, Wait, Side, Path, Stats
//	its events         Launch, Fire, Outcome, Jump, Retire, Transfer, Transferred
//	options of all     Options, PathOrder, First, Crowd
//	static warps       Warps, Reconverger, PathStack, Entry, Meeting
//	barriers           Barrier, Named, Arrival, Tally, Convergence
//	what it counts     Counted, Counting, Counter, Compaction, Prediction
//	what it costs      Cost
//	Verilog units      Open, OpenWith, Failure; package verilog
//
// A mechanism is a clocked module. It owns the slots of a streaming multiprocessor and the state
// behind them. All mechanisms plug into the same front end.
//
// A slot is the unit of fetch and issue: a PC, an active mask, and the register-file row of each
// thread. Nothing outside a mechanism knows why a slot has its mask. A static warp is a slot; so is
// one of two paths of a warp, and so is a warp compacted from several.
//
// A mechanism receives four events and responds by changing slots. It sends one event itself:
//
//	Launch   in: a warp of a new CTA is ready to start
//	Fire     in: an instruction was issued; the slot advances, or waits if the
//	         mechanism resolves the instruction
//	Second   in: another instruction, issued in the same cycle in other lanes: see Ports
//	Outcome  in: such an instruction (branch, barrier, exit) reached the end of
//	         execution, with the result of each lane
//	Retire   out: a static warp has no threads left
//
// The cost of a mechanism in time is the number of cycles until its slots are valid again. A cycle
// has one stack write, one encoder step, or one compacted warp.
package divergence

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Limits on the table sizes of any configuration.
const (
	MaxWarps = units.MaxRows // resident static warps of an SM
	MaxSlots = units.MaxSet  // eight paths of each warp
	MaxCTAs  = 32
	Barriers = 16 // named barriers of a CTA (PTX ISA, bar)
)

// Geometry is the size of a mechanism.
type Geometry struct {
	Lanes int // of a warp
	Warps int // resident static warps, which is the number of register-file rows
	CTAs  int // resident CTAs
}

// Path is a group of threads of one row at one PC, for diagnosis.
type Path struct {
	CTA     uint8
	Row     uint8
	PC      uint32
	Reconv  uint32 // where the threads wait for others, or isa.NoPC
	Mask    uint64
	Wait    Wait
	Running bool // in a valid slot; otherwise parked in the mechanism
	Comes   bool // parked, but certain to get a slot, whatever other threads do
}

// Stats counts the events that all mechanisms share. A mechanism without a stack leaves the stack
// counters at zero. Over several SMs counters add up; `stat:"peak"` takes the largest value.
type Stats struct {
	Branches  uint64 // conditional branches resolved
	Divergent uint64 // of these, with lanes on both sides
	Pushes    uint64
	Pops      uint64
	// MaxDepth is the largest number of entries, the bottom entry included. For paired-path
	// comparison it is the number of pairs.
	MaxDepth    uint64 `stat:"peak"`
	BarDiverged uint64 // barriers reached by part of a warp's live threads
	BarReleases uint64
	Spills      uint64 // groups of entries moved to memory
	Fills       uint64 // groups of entries moved back
	Compaction  Compaction
	Prediction  Prediction
	Formation   units.Formation
}

// Compaction counts the work of a thread compactor and the waiting that it causes.
type Compaction struct {
	Entries  uint64 // entries with threads that became the top
	Static   uint64 // static warps with a thread in these entries
	Warps    uint64 // warps made of these entries
	Ideal    uint64 // warps needed if threads could change lanes
	AtBranch uint64 // cycles that warps waited at a branch for others
	AtJoin   uint64 // cycles that warps waited at a reconvergence point
}

// Prediction counts the predictions of CAPRI for the branches of a CTA.
type Prediction struct {
	Branches uint64 // branches executed by all warps of the top entry
	Correct  uint64 // predictions of whether compaction is adequate that were right
	Misses   uint64 // branches not in the table, which are predicted inadequate
	Bypasses uint64 // warps that did not wait at a branch
	Compacts uint64 // branches at which all warps waited for compaction
}

// Count counts a branch and reports whether lanes diverge.
func (st *Stats) Count(in *isa.Inst, taken, not uint64) (diverges bool) {
	diverges = taken != 0 && not != 0
	if in.Conditional() || diverges {
		st.Branches++
	}
	if diverges {
		st.Divergent++
	}
	return diverges
}

// Counting holds the own counters of a mechanism: a part of type Counted.
type Counting interface {
	// Values returns a struct of the type of Mechanism.Counts.
	Values() any
	// Begin resets the peaks of the last launch.
	Begin()
}

// Policy is the hardware of a reconvergence mechanism in one SM. An implementation embeds Ports or
// Warps, and is a module of package rtl.
type Policy interface {
	Tick()
	// Slots returns the table that the front end reads. Its length is the number of slots and does
	// not change.
	Slots() *rtl.Mem[Slot]
	// Homes returns the register-file homes of the threads in Mixed slots, by slot. Nil means that
	// no slot is Mixed. The masks of a row use the lanes of these homes.
	Homes() *rtl.Mem[units.Homes]
	// Connections gives access to the embedded Ports.
	Connections() *Ports
	// Paths appends every group of live threads, running and parked. Path says which of them will
	// proceed.
	Paths(to []Path) []Path
	// Arriving returns the threads, by lane of the slot, that arrive at a CTA barrier when the
	// active lanes of the slot execute one. If waits is false, no thread needs to wait
	// (bar.arrive). Lanes without a live thread do not matter. Zero means that each thread counts
	// for itself.
	Arriving(slot int, active uint64, waits bool) uint64
	// Begin tells the mechanism, between two runs, that a kernel has been loaded. It recomputes what
	// depends on the program and restarts peaks. Prediction tables may keep their lines.
	Begin()
	// Stats returns the counts since reset; a peak, since Begin.
	Stats() Stats
	// Counts returns the counters that Mechanism.Counts declares, or nil.
	Counts() Counting
	// Logic returns the comparators, encoders and adders, which reflection cannot find. If one
	// cycle of the model stands for several hardware steps, such as several pops, it is the logic
	// of one step.
	Logic(g Geometry) []units.Logic
	// Parts says which parts with an `if` tag exist; nil if no part has that tag.
	Parts() map[string]bool
}

// Connections returns p. A mechanism that embeds Ports gets the method from it.
func (p *Ports) Connections() *Ports { return p }
