package divergence

import "divergo/isa"

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
