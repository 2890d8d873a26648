package golden

import (
	"errors"
	"fmt"

	"divergo/isa"
)

// Setup is a grid of a kernel, and what its results depend on of a machine.
type Setup struct {
	Grid        [3]uint32 // CTAs in x, y and z
	Block       [3]uint32 // threads of a CTA in x, y and z
	SharedBytes uint32    // dynamic shared memory of a CTA
	Params      []byte    // parameter bank
	Stack       uint32    // bytes of a thread's stack, for recursive functions
	AbsentOwn   bool      // a shuffle from a thread that takes no part gives the reader's own value, and not 0
	WarpSize    uint32    // for %laneid, %warpid and barriers with a count; 0: 32
}

// Options choose what a run keeps, and bound it.
type Options struct {
	Registers bool   // keep the registers of each thread at its exit
	Writes    bool   // keep a hash of what each thread has written to each register
	PCs       bool   // keep each thread's sequence of PCs, not only its hash
	Keep      int    // instructions of each thread, the first ones, of which PC and results are kept
	Slice     uint64 // instructions of a thread before the next one has its turn; 0: defaultSlice
	MaxSteps  uint64 // instructions of all threads together; 0: DefaultMaxSteps
	Backwards bool   // the last CTA runs first, and comes first in the result

	// Stop, if set, is asked again and again: end the run?
	Stop func() bool
	// OnCTA, if set, is given the threads of each CTA when the last one has
	// exited. It may take away what nobody needs after that.
	OnCTA func(threads []Thread)
	// Together lists, in their order, the groups in which the threads of a warp of
	// a CTA (its linear number) execute cross-lane instructions without .sync,
	// which depends on the machine; nil means that the threads of a warp which
	// have not exited always execute them together.
	Together func(cta uint64, warp int) []Group
	// Herds is the record of the run that is followed, without which no instruction
	// is herded. The run leaves the votes of its threads in it.
	Herds *Herds
}

// Limits of a run that names none.
const (
	defaultSlice    = 4096
	DefaultMaxSteps = 1 << 30
)

// End is how a run ended.
type End uint8

// The ends of a run.
const (
	Finished   End = iota
	Faulted        // a thread misbehaved: Result.Fault
	Deadlocked     // nobody can go on: Result.Waiting
	OutOfSteps     // MaxSteps are used up: Result.Waiting
	Stopped        // Stop said so
)

// String names e.
func (e End) String() string {
	return [...]string{"finished", "fault", "deadlock", "out of steps", "stopped"}[e]
}

// Result is what came of a run. The memory of a run that did not finish holds
// what the threads had stored by then.
type Result struct {
	End     End
	Steps   uint64    // instructions of all threads, those with a false guard included, inserted ones not
	Threads []Thread  // of all CTAs that were begun, by CTA and linear thread number
	Fault   *Fault    // of a Faulted run
	Strays  []Stray   // of a Finished run
	Outside uint64    // loads of threads outside of memory: see Memory.Pad
	Waiting []Waiting // of a Deadlocked or OutOfSteps run: the threads of the CTA that have not exited
}

// Thread is the way of one thread through the program.
type Thread struct {
	Steps uint64   // instructions, those with a false guard included
	Trace uint64   // hash of the sequence of PCs: Trace of each in turn, from 0
	PCs   []uint32 // the sequence itself, if Options.PCs
	Kept  []Kept   // the first instructions, if Options.Keep
	Regs  []uint64 // at the exit, by register, zero-extended, if Options.Registers
	Preds []bool

	// Writes are hashes of the values that have been written, by register, then predicate: Written of each in turn,
	// from 0; if Options.Writes. Where calls return to is not among them: a thread of a warp that has to wait with an
	// indirect call writes it again.
	Writes []uint64
}

// Kept is an instruction that a thread has executed.
type Kept struct {
	PC    uint32
	Wrote bool // its results, which it does not with a guard that is false
	Dst   [isa.MaxDsts]uint64
}

// Trace continues the hash of a sequence of PCs.
func Trace(hash uint64, pc uint32) uint64 {
	return Written(hash, uint64(pc))
}

// Written continues the hash of the values that have been written to a register; of a predicate they are 0 and 1.
func Written(hash, value uint64) uint64 {
	hash = (hash ^ value ^ 0x9E37_79B9_7F4A_7C15) * 0xFF51_AFD7_ED55_8CCD
	return hash ^ hash>>32
}

// ID names a thread.
type ID struct {
	CTA    [3]uint32
	Thread [3]uint32
}

func (id ID) String() string { return fmt.Sprintf("thread %d of CTA %d", id.Thread, id.CTA) }

// FaultKind says what a thread did wrong.
type FaultKind uint8

// The faults.
const (
	OutOfBounds FaultKind = iota
	Misaligned
	ReadOnly      // store to parameter memory
	Trapped       // trap instruction
	NotMember     // the thread's membermask does not name it
	Disagree      // threads at one instruction name each other, with different membermasks
	FrameOverflow // the functions that the thread is in have larger frames than Setup.Stack
	NoFunction    // indirect call of what is no function
	Incomplete    // an instruction on matrices without some of the 32 threads of the warp
)

// String names k.
func (k FaultKind) String() string {
	return [...]string{
		"out of bounds", "misaligned", "read-only", "trap", "thread not in its own membermask", "different membermasks",
		"stack overflow", "call of what is no function", "threads missing",
	}[k]
}

// Fault is what a thread did wrong, and where.
type Fault struct {
	ID
	Kind  FaultKind
	PC    uint32
	Addr  uint64 // as the program computes it; 0 without memory access
	Space isa.Space
	Size  int // bytes, 0 without memory access
}

// Waiting is a thread that cannot go on, or could but was not allowed to.
type Waiting struct {
	ID
	PC      uint32
	Barrier int // -1: it does not wait at a barrier
}

// Run executes a grid. Memory is changed in place. An error means that the
// launch is impossible; a program that fails is a Result.
func Run(p *isa.Program, l Setup, m *Memory, o Options) (*Result, error) {
	if l.WarpSize == 0 {
		l.WarpSize = isa.MaxLanes
	}
	if o.Slice == 0 {
		o.Slice = defaultSlice
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = DefaultMaxSteps
	}
	if err := check(p, &l); err != nil {
		return nil, err
	}
	if o.Herds != nil {
		o.Herds.reset()
	}
	r := &Result{}
	g := &grid{p: p, l: &l, o: &o, m: m, r: r}
	n := uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2])
	for i := range n {
		if o.Backwards {
			i = n - 1 - i
		}
		x, y := uint64(l.Grid[0]), uint64(l.Grid[1])
		if !g.cta([3]uint32{uint32(i % x), uint32(i / x % y), uint32(i / x / y)}) {
			break
		}
	}
	if o.Herds != nil && r.End == Finished {
		r.Strays = o.Herds.strays(p)
	}
	return r, nil
}

// check says everything that makes a launch impossible.
func check(p *isa.Program, l *Setup) error {
	var errs []error
	for i, axis := range "xyz" {
		if l.Grid[i] == 0 || l.Block[i] == 0 {
			errs = append(errs, fmt.Errorf("golden: %d CTAs of %d threads in %c, want at least 1", l.Grid[i], l.Block[i], axis))
		}
	}
	if len(l.Params) != int(p.ParamBytes) {
		errs = append(errs, fmt.Errorf("golden: %s takes %d bytes of parameters, found %d", p.Name, p.ParamBytes, len(l.Params)))
	}
	var v values
	for pc := range p.Insts {
		in := &p.Insts[pc]
		if !in.Memory() && !in.Control() && !in.CrossLane() && !v.eval(in) {
			errs = append(errs, fmt.Errorf("%s:%d:%d: golden: no meaning for %q", p.File, in.Pos.Line, in.Pos.Col, in.Text))
		}
	}
	return errors.Join(errs...)
}
