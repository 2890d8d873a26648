package golden

import (
	"errors"
	"fmt"

	"divergo/isa"
)

// Setup is a grid of a kernel, with the settings of a machine that its results depend on.
type Setup struct {
	Grid        [3]uint32 // CTAs in x, y and z
	Block       [3]uint32 // threads of a CTA in x, y and z
	SharedBytes uint32    // dynamic shared memory of a CTA
	Params      []byte    // parameter bank
	Stack       uint32    // bytes of a thread's stack, for recursive functions
	AbsentOwn   bool      // a shuffle from an inactive lane returns the reader's own value instead of 0
	WarpSize    uint32    // for %laneid, %warpid and barriers with a count; 0: 32
}

// Options select the results that a run keeps, and limit it.
type Options struct {
	Registers bool   // keep the registers of each thread at its exit
	Writes    bool   // keep a hash of the values that each thread writes to each register
	PCs       bool   // keep each thread's sequence of PCs, not only its hash
	Keep      int    // number of first instructions of each thread whose PC and results are kept
	Slice     uint64 // instructions of a thread before the turn of the next one; 0: defaultSlice
	MaxSteps  uint64 // instructions of all threads together; 0: DefaultMaxSteps
	Backwards bool   // the last CTA runs first, and is first in the result

	// Stop, if set, is polled; true ends the run.
	Stop func() bool
	// OnCTA, if set, receives the threads of each CTA when the last one has exited. It may drop
	// data that is not needed later.
	OnCTA func(threads []Thread)
	// Together returns, in order, the groups in which the threads of a warp of a CTA (its linear
	// number) execute cross-lane instructions without .sync. The groups depend on the machine. If
	// Together is nil, all live threads of a warp execute them together.
	Together func(cta uint64, warp int) []Group
	// Herds is the record of the run that the model follows. Without it, no instruction is herded.
	// The run stores the votes of its threads in it.
	Herds *Herds
}

// These are the limits of a run that names none.
const (
	defaultSlice    = 4096
	DefaultMaxSteps = 1 << 30
)

// End is how a run ended.
type End uint8

// The ends of a run.
const (
	Finished   End = iota
	Faulted        // a thread made an error: Result.Fault
	Deadlocked     // no thread can continue: Result.Waiting
	OutOfSteps     // MaxSteps are used up: Result.Waiting
	Stopped        // Stop returned true
)

// String names e.
func (e End) String() string {
	return [...]string{"finished", "fault", "deadlock", "out of steps", "stopped"}[e]
}

// Result is the result of a run. If the run did not finish, memory holds the stores up to its end.
type Result struct {
	End     End
	Steps   uint64    // instructions of all threads, including those with a false guard, without inserted ones
	Threads []Thread  // of all CTAs that started, by CTA and linear thread number
	Fault   *Fault    // of a Faulted run
	Strays  []Stray   // of a Finished run
	Outside uint64    // loads outside of memory: see Memory.Pad
	Waiting []Waiting // of a Deadlocked or OutOfSteps run: the threads of the CTA that have not exited
}

// Thread is the path of one thread through the program.
type Thread struct {
	Steps uint64   // instructions, including those with a false guard
	Trace uint64   // hash of the sequence of PCs: Trace of each in turn, from 0
	PCs   []uint32 // the sequence itself, if Options.PCs
	Kept  []Kept   // the first instructions, if Options.Keep
	Regs  []uint64 // at the exit, by register, zero-extended; if Options.Registers
	Preds []bool

	// Writes are hashes of the written values, by register, then predicate; if Options.Writes. Each
	// hash is Written of the values in turn, from 0.
	//
	// Return addresses are not included: a thread whose warp must wait at an indirect call writes
	// them again.
	Writes []uint64
}

// Kept is an instruction that a thread has executed.
type Kept struct {
	PC    uint32
	Wrote bool // it has written its results; with a false guard it has not
	Dst   [isa.MaxDsts]uint64
}

// Trace extends the hash of a sequence of PCs.
func Trace(hash uint64, pc uint32) uint64 {
	return Written(hash, uint64(pc))
}

// Written extends the hash of the values written to a register; values of a predicate are 0 and 1.
func Written(hash, value uint64) uint64 {
	hash = (hash ^ value ^ 0x9E37_79B9_7F4A_7C15) * 0xFF51_AFD7_ED55_8CCD
	return hash ^ hash>>32
}

// ID names a thread.
type ID struct {
	CTA    [3]uint32
	Thread [3]uint32
}

// String names the thread and its CTA.
func (id ID) String() string { return fmt.Sprintf("thread %d of CTA %d", id.Thread, id.CTA) }

// FaultKind is the error of a thread.
type FaultKind uint8

// The faults.
const (
	outOfBounds FaultKind = iota
	misaligned
	readOnly      // store to parameter memory
	trapped       // trap instruction
	notMember     // the thread's membermask does not name it
	disagree      // threads at one instruction name each other with different membermasks
	frameOverflow // the frames of the thread's active functions exceed Setup.Stack
	noFunction    // indirect call of something else than a function
	incomplete    // a matrix instruction without some of the 32 threads of the warp
)

// String names k.
func (k FaultKind) String() string {
	return [...]string{
		"out of bounds", "misaligned", "read-only", "trap", "thread not in its own membermask", "different membermasks",
		"stack overflow", "call of what is no function", "threads missing",
	}[k]
}

// Fault is a thread's error and its place.
type Fault struct {
	ID
	Kind  FaultKind
	PC    uint32
	Addr  uint64 // as the program computes it; 0: no memory access
	Space isa.Space
	Size  int // in bytes; 0: no memory access
}

// Waiting is a thread that cannot continue, or that a limit has stopped.
type Waiting struct {
	ID
	PC      uint32
	Barrier int // -1: not at a barrier
}

// Run executes a grid and changes m in place. An error means that the launch is impossible; a
// program that fails gives a Result.
func Run(p *isa.Program, l Setup, m *Memory, o Options) (*Result, error) {
	if l.WarpSize == 0 {
		l.WarpSize = isa.RowLanes
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

// check returns an error with every reason why a launch is impossible.
func check(p *isa.Program, l *Setup) error {
	var errs []error
	for i, axis := range "xyz" {
		if l.Grid[i] == 0 || l.Block[i] == 0 {
			errs = append(errs, fmt.Errorf("golden: %d CTAs of %d threads in %c, want at least 1", l.Grid[i],
				l.Block[i], axis))
		}
	}
	if len(l.Params) != int(p.ParamBytes) {
		errs = append(errs, fmt.Errorf("golden: %s takes %d bytes of parameters, found %d", p.Name, p.ParamBytes,
			len(l.Params)))
	}
	var v values
	for pc := range p.Insts {
		in := &p.Insts[pc]
		if !in.Memory() && !in.Control() && !in.CrossLane() && !v.eval(in) {
			errs = append(errs, fmt.Errorf("%s:%d:%d: golden: no meaning for %q", p.File, in.Pos.Line, in.Pos.Col,
				in.Text))
		}
	}
	return errors.Join(errs...)
}
