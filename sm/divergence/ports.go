package divergence

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
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

// WarpStart starts a static warp: its row in the register file is free for the
// threads of Mask, which begin at PC 0. Last marks the last warp of a CTA.
type WarpStart struct {
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
	Slot    uint16 `bits:"9"`
	PC      uint32 // isa.NoPC if there is none
}

// Outcome is a control instruction at the end of execution.
type Outcome struct {
	Slot  uint16 `bits:"9"`
	PC    uint32
	Taken uint32 // active lanes that execute it: that branch, exit, or arrive
	// Target is where a branch, call or return leads, isa.NoPC if it is none. Of an
	// indirect one the others of its lanes have other targets. They have not executed it.
	Target uint32
	Bar    uint8  `bits:"4"` // bar: barrier number
	Warps  uint8  `bits:"7"` // bar: warps expected, 0 for all of the CTA
	Votes  uint32 // bar.red: lanes whose predicate holds
	Named  uint32 // lanes, exited ones too: of warpsync the threads that those of Taken wait for, of bmov those that take part
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
	Launch rtl.In[WarpStart]
	Fire   *rtl.Wire[Fire]
	// Second is an instruction of another slot, of other lanes, issued in the same cycle;
	// nil if there never is one, or the mechanism does not say that it serves them (Pairs).
	// Then as many outcomes come in a cycle.
	Second  *rtl.Wire[Fire] `rtl:"optional"`
	Pairs   bool
	Outcome rtl.In[Outcome]
	Retire  rtl.Out[Retire]
	// Memory is for one Transfer of each row at a time.
	Memory rtl.Out[Transfer]
	Answer rtl.In[Transferred]
	// Tallies is written by the mechanism, by row, as it lets threads go on behind
	// a bar.red: what that has counted. Programs with bar.red are refused without.
	Tallies *rtl.Mem[Tally] `rtl:"optional"`
	// Convergence is written by the mechanism, by row and barrier, for programs with
	// bmov.
	Convergence *rtl.Mem[Convergence] `rtl:"optional"`
	// Ranks is written by the mechanism, by slot: of the slots that are ready one of
	// the lowest rank issues, which the scheduler picks if there are several.
	Ranks *rtl.Mem[uint64] `rtl:"optional,inplace"`
	// Stalled are the slots that wait for memory, for mechanisms with Stalls.
	Stalled *rtl.Wire[units.Set] `rtl:"optional"`
	// Redirect is driven by the mechanism: the slots that it changes in this
	// cycle other than by the advance of Fire. Fetch and issue look at them again.
	Redirect rtl.Wire[units.Set]
}

// Drive puts the changed ones of so many slots on Redirect, and empties the set.
func (p *Ports) Drive(changed *units.Set, slots int) {
	if !changed.Equal(p.Redirect.At(), units.Words(slots)) {
		p.Redirect.Set(*changed)
	}
	*changed = units.Set{}
}

// Code is the kernel being run. It changes only between runs.
type Code struct {
	Prog *isa.Program
	// Base is where the program begins in instruction memory, in instructions: what
	// the PCs of several kernels differ by. It is a multiple of CodeAlign.
	Base uint32
}

// CodeAlign is the alignment of programs in instruction memory: enough for the sets
// of a table that is looked up by PC to be the same wherever a program is.
const CodeAlign = 128

// Convergence is a barrier of a warp; one without threads is free.
type Convergence struct {
	Mask uint32 `bits:"lanes"`
	At   Point  // behind it
}
