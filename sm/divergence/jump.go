package divergence

import "divergo/isa"

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

// Jump has the successors of a branch, call or return.
type Jump struct {
	Target Point // of the lanes in Outcome.Taken
	// Fall is the successor of the other lanes. It is the next instruction, or, if the branch is
	// indirect, the same instruction again.
	Fall Point
	// Meet is the reconvergence point of both sides, or Nowhere. A return needs none where threads
	// meet at a PC and a depth: its function has one return, behind all joins in it. The threads of
	// a path that reach it were therefore called together.
	Meet Point
}

// Jump returns the successors of branch in for threads at a call depth.
func (o *Outcome) Jump(in *isa.Inst, depth uint16) Jump {
	j := Jump{Point{in.Target, depth}, Point{o.PC + 1, depth}, Nowhere}
	if in.Reconv != isa.NoPC {
		j.Meet = Point{in.Reconv, depth}
	}
	if in.Indirect() {
		j.Target.PC, j.Fall.PC = o.Target, o.PC
	}
	switch in.Op {
	case isa.OpCall:
		j.Target.Depth++
	case isa.OpRet:
		j.Target.Depth--
	}
	return j
}
