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

// nowhere is where threads meet that meet at the exit only.
var nowhere = Point{PC: isa.NoPC}

// before is the order of mechanisms that run the smallest PC first. A function
// lies behind its callers, so that the deeper goes first, for those to wait that
// have not called (MinSP-PC: S. Collange, Stack-less SIMT Reconvergence at Low
// Cost, 2011).
func (p Point) before(o Point) bool {
	return p.Depth > o.Depth || p.Depth == o.Depth && p.PC < o.PC
}

// at is where the threads of a slot are.
func (s *Slot) at() Point { return Point{s.PC, s.Depth} }

// set moves a slot.
func (s *Slot) set(p Point) { s.PC, s.Depth = p.PC, p.Depth }

// jump is where a branch, call or return leads.
type jump struct {
	target Point // of the lanes that the outcome has as taken
	fall   Point // of the others: the next instruction, or the same again if it is indirect
	meet   Point // where both go on together, or nowhere
}

// jump resolves in, which branches, of threads at a depth.
func (o *Outcome) jump(in *isa.Inst, depth uint16) jump {
	j := jump{Point{in.Target, depth}, Point{o.PC + 1, depth}, nowhere}
	if in.Reconv != isa.NoPC {
		j.meet = Point{in.Reconv, depth}
	}
	if in.Indirect() {
		j.target.PC, j.fall.PC = o.Target, o.PC
	}
	switch in.Op {
	case isa.OpCall:
		j.target.Depth++
	case isa.OpRet:
		j.target.Depth--
	}
	return j
}
