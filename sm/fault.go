package sm

import "divergo/isa"

// FaultKind is the kind of a thread's fault.
type FaultKind uint8

// The faults.
const (
	NoFault FaultKind = iota
	OutOfBounds
	Misaligned
	ReadOnly      // store to constant or parameter memory
	MixedParam    // a generic load of some lanes from parameters and of others from memory; the machine cannot do it
	Trapped       // trap instruction
	StackOverflow // more entries of a divergence stack than fit on the chip and in memory
	NotMember     // the membermask of a thread excludes the thread itself
	Disagree      // threads that execute an instruction together have different membermasks
	Missing       // threads named by a membermask are elsewhere
	Regrouped     // a warp-wide instruction was issued for threads of several warps
	FrameOverflow // the frames of the thread's active functions exceed sm.stack
	NoFunction    // indirect call of a value that is no function: Addr
	PartOfWarp    // some threads of a warp are at a barrier that the mechanism counts for the whole warp
)

func (k FaultKind) String() string {
	return [...]string{
		"none", "out of bounds", "misaligned", "read-only", "parameter and memory mixed", "trap",
		"divergence stack overflow",
		"thread not in its own membermask", "different membermasks", "threads missing", "threads of several warps",
		"stack overflow", "call of what is no function", "part of a warp at a barrier",
	}[k]
}

// Fault is the first fault of a thread of this SM.
type Fault struct {
	Kind  FaultKind
	Row   uint8
	Lane  uint8 // lane of the thread in this row
	Size  uint8
	Space isa.Space
	PC    uint32
	Addr  uint64 // as the thread computed it
	Cycle uint64
	// Lanes are the lanes that execute a trap; Args are its sources.
	Lanes uint64 `bits:"lanes"`
	Args  [4]uint64
	// Missing are the threads, by location in the warp, that should be present and are elsewhere.
	// The thread's membermask names them, or a barrier would count them.
	Missing uint64 `bits:"lanes"`
}
