package divergence

import "divergo/isa"

// Point is where a thread is: a PC, and how many functions it is in. The same
// PC of a recursive function is another place at another depth: threads that
// wait there for each other were called by the same calls (as the entries of
// GPGPU-Sim's stack, which have a call depth).
type Point struct {
	PC    uint32
	Depth uint16 `if:"calls"`
}

// Nowhere is where threads meet that meet at the exit only.
var Nowhere = Point{PC: isa.NoPC}

// Before is the order of mechanisms that run the smallest PC first. A function
// lies behind its callers, so that the deeper goes first, for those to wait that
// have not called (MinSP-PC: S. Collange, Stack-less SIMT Reconvergence at Low
// Cost, 2011).
func (p Point) Before(o Point) bool {
	return p.Depth > o.Depth || p.Depth == o.Depth && p.PC < o.PC
}

// At is where the threads of a slot are.
func (s *Slot) At() Point { return Point{s.PC, s.Depth} }

// Set moves a slot.
func (s *Slot) Set(p Point) { s.PC, s.Depth = p.PC, p.Depth }

// Jump is where a branch, call or return leads.
type Jump struct {
	Target Point // of the lanes that the outcome has as taken
	Fall   Point // of the others: the next instruction, or the same again if it is indirect
	// Meet is where both go on together, or Nowhere. A return needs none where threads
	// meet at a PC and a depth: its function has no other, which is behind all joins in
	// it, so that the threads of a path that are there were called together.
	Meet Point
}

// Jump resolves in, which branches, of threads at a depth.
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
