package sm

import "divergo/isa"

// FaultKind says what a thread did wrong.
type FaultKind uint8

// The faults.
const (
	NoFault FaultKind = iota
	OutOfBounds
	Misaligned
	ReadOnly      // store to constant or parameter memory
	MixedParam    // one generic load of some lanes from parameters, of others from memory, which the machine cannot do
	Trapped       // trap instruction
	StackOverflow // more entries of a divergence stack than fit on the chip and in memory
	NotMember     // the membermask of a thread does not name it
	Disagree      // threads that execute an instruction together have different membermasks
	Missing       // threads named by a membermask are elsewhere
	Regrouped     // a warp-wide instruction was issued for threads of several warps
	FrameOverflow // the functions that a thread is in have larger frames than sm.stack
	NoFunction    // indirect call of what is no function: Addr
	PartOfWarp    // threads come to a barrier that the mechanism takes their warp to as a whole
)

func (k FaultKind) String() string {
	return [...]string{
		"none", "out of bounds", "misaligned", "read-only", "parameter and memory mixed", "trap", "divergence stack overflow",
		"thread not in its own membermask", "different membermasks", "threads missing", "threads of several warps",
		"stack overflow", "call of what is no function", "part of a warp at a barrier",
	}[k]
}

// Fault is the first misbehaviour of a thread of this SM.
type Fault struct {
	Kind  FaultKind
	Row   uint8
	Lane  uint8 // that the thread has in this row
	Size  uint8
	Space isa.Space
	PC    uint32
	Addr  uint64 // as the thread gave it
	Cycle uint64
	// Lanes are those that execute a trap, Args its sources.
	Lanes uint32
	Args  [4]uint64
	// Missing are the threads, by location in the warp, that the thread's
	// membermask names, or that a barrier would count, and that are elsewhere.
	Missing uint32
}
