package trace

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
	"divergo/units"
)

// Kind is the kind of a record.
type Kind uint8

// The kinds. Each one lists the fields that it has beyond Kind, Cycle, SM, Slot, CTA, Warp and Row,
// which all have. Slot, PC and Mask are those of the threads that the record is about.
const (
	// Issue: the SM issues an instruction of the kernel. PC, Mask, Off; Mixed and Homes if it is
	// regrouped.
	Issue Kind = iota
	// Inserted: the SM issues an instruction that the mechanism inserted. The same fields. PC is the
	// instruction of the kernel that it stands for or before.
	Inserted
	// Branch: a branch, call or return is resolved. PC, Mask, Taken: the lanes that take it. Lanes of
	// Mask outside of Taken fall through. Always: unconditional. Mixed and Homes if it is regrouped.
	Branch
	// Push: the mechanism adds an entry to its stack or table. PC: where its threads continue, or
	// meet; Mask: its threads; Depth: entries after the push. The stack of a CTA has a Mask of 0 and
	// the Number of its threads; Slot, Warp and Row are those of the CTA's first warp.
	Push
	// Pop: the mechanism removes an entry. PC: its reconvergence point, if it has one; the other
	// fields are those of Push.
	Pop
	// Reconverge: threads of a static warp that issued their last instruction apart issue together.
	// It comes before their Issue. PC, Mask; Part: the lanes of the largest group that was together
	// before.
	Reconverge
	// Merge: the same for threads of several static warps, in a warp that was formed from them.
	Merge
	// Compact: the compactor sends a warp made of threads of a CTA to a slot. PC, Mask, Mixed, Homes;
	// Number: warps made of the entry so far.
	Compact
	// Spill: the mechanism sends words of its stack to memory. PC; Number: words. Mask is 0.
	Spill
	// Fill: the mechanism fetches words of its stack. Number: words. Mask is 0, there is no PC.
	Fill
	// Arrive: threads execute a CTA barrier. PC, Mask; Number: of the barrier.
	Arrive
	// Release: a CTA barrier lets the threads of a row go. PC: of the barrier; Mask: by home lane; First:
	// it is the first row of several that go together.
	Release
	// Wait: a slot waited, from cycle From up to but without Cycle, for one Reason. PC and Mask are
	// those it waited with. The record comes when the wait ends.
	Wait
	// Request: a memory instruction, or the mechanism for words of its stack, requests a cache line
	// from the L1. PC, NoPC for a stack; Mask: lanes that the line serves, 0 for a fence; Line: its
	// address; Access; First: it is the first of the access.
	Request
	// Reply: a line arrives, or sectors of it. PC, Mask, Line, Access; From: the cycle of the Request;
	// Partial: lanes of the request have no reply yet; Found: the result of the lookup in the L1, or
	// NoLookup. It is final unless Partial.
	Reply
	// Start: a static warp starts. PC is 0; Mask: its threads.
	Start
	// Exit: threads exit. PC, Mask.
	Exit
	// Write: an instruction of the kernel writes a destination. PC; Mask: lanes written; Number: index
	// in Inst.Dst; Values by lane. Mixed and Homes if it is regrouped. Only traces with values have it.
	Write

	NumKinds
)

var kindNames = [NumKinds]string{
	"issue", "inserted", "branch", "push", "pop", "reconverge", "merge", "compact", "spill", "fill", "arrive",
	"release", "wait", "request", "reply", "start", "exit", "write",
}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Reason is what a slot waits for.
type Reason uint8

// The reasons. The first five are those of divergence.Wait and of the I-buffer; a slot with an
// instruction then waits for operands, and last for its turn.
const (
	Control Reason = iota // the outcome of its branch, call, barrier or exit
	Barrier               // a CTA barrier
	Join                  // other warps or paths, at a branch or reconvergence point
	Fetch                 // an instruction in the I-buffer
	Memory                // a register that a memory instruction will write
	Depend                // a register that another instruction will write
	Turn                  // its turn: another slot issues, or the next stage is full

	NumReasons
)

var reasonNames = [NumReasons]string{"control", "barrier", "join", "fetch", "memory", "dependence", "turn"}

func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// Record is an issued instruction or an event. Fields that its Kind does not have are zero.
type Record struct {
	Kind    Kind
	Reason  Reason       // Wait
	Access  memsys.Kind  // Request, Reply
	Found   memsys.Found // Reply
	Mixed   bool         // the threads are from other rows or lanes: see Homes
	Always  bool         // Branch
	First   bool         // Release, Request
	Partial bool         // Reply
	Warp    uint8        // static warp in the CTA; of the lowest lane if Mixed
	Row     uint8        // register-file row of that warp in the SM
	Slot    uint16       // of the SM
	SM      uint16
	Depth   uint16 // Push, Pop: entries
	Number  uint16 // Push, Pop, Compact, Spill, Fill, Arrive, Write
	PC      uint32 // in the launched program; isa.NoPC: none
	Mask    uint64 // active lanes
	Off     uint64 // Issue: lanes of Mask whose predicate is false
	Taken   uint64 // Branch: lanes of Mask that take it
	Part    uint64 // Reconverge, Merge: see there
	Cycle   uint64 // core cycle, counted over all launches of the run
	From    uint64 // Wait, Reply: first cycle
	CTA     uint64 // linear number in the grid; of the lowest lane if Mixed
	Line    uint64 // Request, Reply: address
	// Homes holds the row and the lane of the registers of the thread in each lane of Mask, if Mixed.
	// Lanes outside of Mask are zero.
	Homes units.Homes
	// Values are those of Write, by lane: a value for each lane up to the highest of Mask. Lanes outside
	// of Mask are zero. A predicate is 0 or 1.
	Values []uint64
}

// Home returns the row and the lane of the registers of the thread in a lane.
func (r *Record) Home(lane int) units.Home {
	if r.Mixed {
		return r.Homes.At(lane)
	}
	return units.Home{Row: r.Row, Lane: uint8(lane)}
}

// Lanes returns the number of active lanes.
func (r *Record) Lanes() int { return bits.OnesCount64(r.Mask) }

// Issues reports whether the record is an issued instruction, of the kernel or inserted.
func (r *Record) Issues() bool { return r.Kind <= Inserted }

// Diverges reports whether the record is a branch with lanes on both sides.
func (r *Record) Diverges() bool {
	return r.Kind == Branch && r.Taken&r.Mask != 0 && r.Mask&^r.Taken != 0
}

// Header describes the run. A reader needs no other source.
type Header struct {
	Version   int    // of the format
	Generator string // the program that wrote the file, with its version
	Name      string // of the run: a kernel, a file
	Preset    string // of the machine; "" if it has none
	Mechanism string
	Lanes     int // threads of a warp
	SMs       int
	Warps     int // rows of an SM
	Slots     int // of an SM
	Cores     int // sub-cores of an SM
	CoreMHz   int
	Values    bool  // there are Write records
	Keys      []Key // every key of the machine
}

// Key is a key of the machine's configuration.
type Key struct{ Name, Value string }

// Program is the listing of a kernel.
type Program struct {
	Name  string // as in the PTX
	Plain string // demangled
	File  string // of the PTX
	Insts []Inst // by PC
	// Sources are those files of Insts that were found when the run was traced.
	Sources []Source
}

// Source is a file that PTX was compiled from.
type Source struct {
	Name  string // as Inst.File has it
	Lines []string
}

// Inst is an instruction of a listing.
type Inst struct {
	Text   string   // PTX, with its guard
	PTX    int      // line of the PTX file; 0: unknown
	File   string   // source that the PTX was compiled from; "": unknown
	Line   int      // its line
	Func   string   // demangled function; "": the kernel
	Dst    []string `json:",omitempty"` // registers that it writes
	Reconv uint32   // reconvergence point of a conditional branch; otherwise isa.NoPC
}

// Where returns the source line of an instruction, FILE:LINE; if that is unknown, the line of the
// PTX. It is empty for a PC outside of the program.
func (p *Program) Where(pc uint32) string {
	if int(pc) >= len(p.Insts) {
		return ""
	}
	in := &p.Insts[pc]
	switch {
	case in.File != "":
		return fmt.Sprintf("%s:%d", in.File, in.Line)
	case in.PTX != 0:
		return fmt.Sprintf("%s:%d", p.File, in.PTX)
	}
	return ""
}

// Source returns the source line of an instruction, or "" if it is not known.
func (p *Program) Source(pc uint32) string {
	if int(pc) >= len(p.Insts) {
		return ""
	}
	for i := range p.Sources {
		if s := &p.Sources[i]; s.Name == p.Insts[pc].File && p.Insts[pc].Line <= len(s.Lines) && p.Insts[pc].Line > 0 {
			return s.Lines[p.Insts[pc].Line-1]
		}
	}
	return ""
}

// Text returns an instruction, or "" for a PC outside of the program.
func (p *Program) Text(pc uint32) string {
	if int(pc) >= len(p.Insts) {
		return ""
	}
	return p.Insts[pc].Text
}

// Launch is a launch of a program. Records from Cycle on, up to the next launch, belong to it.
type Launch struct {
	Program     int // index of Reader.Programs
	Cycle       uint64
	Grid, Block [3]uint32
	Warps       int // static warps of a CTA
}

// Summary is what is known at the end of a run.
type Summary struct {
	Cycles  uint64 // of all launches
	Outcome string // "finished", or why the run ended
	Counts  [NumKinds]uint64
	Stats   []Stat // every statistic of the run
}

// Stat is a statistic: its name and its value as `divergo run --all` prints it.
type Stat struct{ Name, Value string }

// NoLookup is Record.Found of a line that was not looked up in the L1: of an atomic, or of a load that
// bypasses the L1.
const NoLookup = memsys.NumFound

// NoPC is the PC of a record that has none.
const NoPC = isa.NoPC
