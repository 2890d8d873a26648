package divergence

import (
	"math/bits"
	"sync/atomic"

	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Wait is the reason why the front end must not issue from a slot.
type Wait uint8

// The reasons.
const (
	Runs         Wait = iota // none: the slot can issue
	WaitsControl             // a control instruction has been issued and is not resolved
	WaitsBarrier             // at a CTA barrier
	// WaitsJoin: for other warps or paths, at a branch or a reconvergence point. The slot is
	// usually not valid then.
	WaitsJoin
)

func (w Wait) String() string { return [...]string{"run", "control", "barrier", "join"}[w&3] }

// Point is the position of a thread: a PC and a call depth. In a recursive function the same PC at
// another depth is another position. Threads that wait for each other there were called by the same
// calls. GPGPU-Sim's stack entries have a call depth too.
type Point struct {
	PC    uint32
	Depth uint16 `if:"calls"`
}

// Nowhere is the reconvergence point of threads that meet only at the exit.
var Nowhere = Point{PC: isa.NoPC}

// Before is the order of mechanisms that run the smallest PC first. A function lies behind its
// callers in the layout. So the deeper thread runs first, and threads that have not called wait for
// it (MinSP-PC: Collange, Stack-less SIMT Reconvergence at Low Cost, 2011).
func (p Point) Before(o Point) bool {
	return p.Depth > o.Depth || p.Depth == o.Depth && p.PC < o.PC
}

// At returns the position of the threads of a slot.
func (s *Slot) At() Point { return Point{s.PC, s.Depth} }

// Set moves a slot to a position.
func (s *Slot) Set(p Point) { s.PC, s.Depth = p.PC, p.Depth }

// Slot is the front end's view of a warp or a path.
type Slot struct {
	Valid bool
	Wait  Wait   `bits:"2"`
	Mixed bool   // some threads are from other rows or lanes: see Policy.Homes
	CTA   uint8  `bits:"5"`   // resident CTA
	Row   uint8  `bits:"6"`   // register-file row of all threads, unless Mixed
	Depth uint16 `if:"calls"` // calls that its threads have not returned from
	PC    uint32
	Mask  uint64 `bits:"lanes"`
}

// WarpStart starts a static warp. Its row in the register file is free for the threads of Mask,
// which begin at PC 0. Last marks the last warp of a CTA.
type WarpStart struct {
	CTA   uint8 `bits:"5"`
	Row   uint8 `bits:"6"`
	First uint8 `bits:"6"` // row of the CTA's first warp
	Warps uint8 `bits:"7"` // of the CTA
	Last  bool
	Mask  uint64 `bits:"lanes"`
}

// Fire reports the instruction issued in this cycle.
type Fire struct {
	Valid   bool
	Control bool   // resolved by the mechanism: an Outcome follows
	Slot    uint16 `bits:"9"`
	PC      uint32 // isa.NoPC if there is none
}

// Outcome is the result of a control instruction at the end of execution.
type Outcome struct {
	Slot  uint16 `bits:"9"`
	PC    uint32
	Taken uint64 `bits:"lanes"` // active lanes that execute it: that branch, exit or arrive
	// Target is the target of a branch, call or return, or isa.NoPC for other instructions. If the
	// branch is indirect, its other lanes have other targets and have not executed it.
	Target uint32
	Bar    uint8  `bits:"4"`     // bar: barrier number
	Warps  uint8  `bits:"7"`     // bar: warps expected, 0 for all of the CTA
	Votes  uint64 `bits:"lanes"` // bar.red: lanes whose predicate is true
	// Named is a mask of lanes, which may have exited. For warpsync they are the threads that those
	// of Taken wait for; for bmov the participants of the barrier.
	Named uint64 `bits:"lanes"`
}

// Retire reports that a static warp has no threads left.
type Retire struct {
	CTA uint8 `bits:"5"`
	Row uint8 `bits:"6"`
}

// The sizes of the memory of a row, which holds state that does not fit on the chip. A row has room
// for a token for each branch, which splits a mask, and for each region around the PC. The sum is
// rounded up to whole lines of any cache. With recursive functions a region counts in each
// activation. The row then holds as many tokens as a byte can count, less those on the chip. Words
// move in transfers of 32 bytes, one sector of the L2 (Bialas & Strzelecki, 2015, section IV).
const (
	SpillWords     = 64 // of 8 bytes
	RecursiveWords = 160
	TransferWords  = 4
)

// SpillWordsOf returns the words that a row has when p runs.
func SpillWordsOf(p *isa.Program) int {
	if p.Recursive {
		return RecursiveWords
	}
	return SpillWords
}

// Transfer moves words between a mechanism and the memory of a row. The mechanism uses that memory
// as a stack that grows upwards: words above a stored word are unused. Transferred answers it.
type Transfer struct {
	Store bool
	Row   uint8 `bits:"6"`
	// At is the first word. A store from SpillWordsOf the program on is a fault of the instruction
	// at PC.
	At    uint8
	Words uint8 `bits:"3"`
	PC    uint32
	Data  [TransferWords]uint64
}

// Transferred reports that memory has taken the words of a row, or returns them.
type Transferred struct {
	Row  uint8 `bits:"6"`
	Data [TransferWords]uint64
}

// Tally is the count of a barrier that reduces predicates: the threads whose predicate is true, and
// all threads with a predicate.
type Tally struct {
	Yes uint16 `bits:"12"`
	All uint16 `bits:"12"`
}

// Count adds the threads of an outcome.
func (t *Tally) Count(o *Outcome) {
	t.Yes += uint16(bits.OnesCount64(o.Votes & o.Taken))
	t.All += uint16(bits.OnesCount64(o.Taken))
}

// Ports connect a mechanism to the pipeline.
type Ports struct {
	Launch   rtl.In[WarpStart]
	CorePort      // of the first sub-core
	Pairs    bool // the mechanism supports CorePort.Second
	Retire   rtl.Out[Retire]
	// Others are the ports of the other sub-cores, if the mechanism supports them (Divides). The
	// threads of a slot must then be those of one row, or of one CTA if Mechanism.Blocks is set; so
	// all registers of a slot are in one sub-core.
	Others  []CorePort
	Divides bool
	// Events are nil if the mechanism reports none.
	*Events
	// Failure is nil if the hardware of the mechanism cannot fail.
	Failure *Failure `rtl:"-"`
	// Memory takes one Transfer of each row at a time.
	Memory rtl.Out[Transfer]
	Answer rtl.In[Transferred]
	// Tallies is written by the mechanism, by row, when it releases threads from a bar.red: the
	// result of the vote. Programs with bar.red are refused if it is nil.
	Tallies *rtl.Mem[Tally] `rtl:"optional"`
	// Convergence is written by the mechanism, by row and barrier, for programs with bmov.
	Convergence *rtl.Mem[Convergence] `rtl:"optional"`
	// Ranks is written by the mechanism, by slot. Of the ready slots one of the lowest rank issues;
	// the scheduler chooses between equals.
	Ranks *rtl.Mem[uint64] `rtl:"optional,inplace"`
	// Stalled is the set of slots that wait for memory, for mechanisms with Stalls.
	Stalled *rtl.Wire[units.Set] `rtl:"optional"`
	// Redirect is driven by the mechanism. It is the set of slots that change in this cycle other
	// than by the advance of Fire. Fetch and issue read them again.
	Redirect rtl.Wire[units.Set]
}

// Failure tells the machine that the hardware of a mechanism cannot go on: a Verilog unit has called
// $fatal, for example. The run then ends.
type Failure struct {
	Err   error        // nil: none
	Cycle uint64       // of the SM
	Stop  *atomic.Bool // set with Err, so that the machine need not poll; nil outside of a machine
}

// Fail records the first error.
func (f *Failure) Fail(cycle uint64, err error) {
	if f.Err != nil {
		return
	}
	f.Err, f.Cycle = err, cycle
	if f.Stop != nil {
		f.Stop.Store(true)
	}
}

// CorePort connects a mechanism with a sub-core.
type CorePort struct {
	Fire *rtl.Wire[Fire]
	// Second is another instruction, issued in the same cycle from another slot, in other lanes. It
	// is nil if that never happens, or if the mechanism does not support it (Ports.Pairs). With
	// Second, two outcomes can come in a cycle.
	Second  *rtl.Wire[Fire] `rtl:"optional"`
	Outcome rtl.In[Outcome]
}

// Drive puts the changed slots, of so many, on Redirect, and empties the set.
func (p *Ports) Drive(changed *units.Set, slots int) {
	if !changed.Equal(p.Redirect.At(), units.Words(slots)) {
		p.Redirect.Set(*changed)
	}
	*changed = units.Set{}
}

// Code is the running kernel. It changes only between runs.
type Code struct {
	Prog *isa.Program
	// Base is where the program begins in instruction memory, in instructions. It separates the PCs
	// of several kernels. It is a multiple of CodeAlign.
	Base uint32
}

// CodeAlign is the alignment of programs in instruction memory, in instructions. A table that is
// looked up by PC uses the same sets wherever a program begins.
const CodeAlign = 128

// Convergence is a convergence barrier of a warp. A barrier without threads is free.
type Convergence struct {
	Mask uint64 `bits:"lanes"`
	At   Point  // behind the barrier
}
