package functional

import (
	"slices"

	"divergo/gpu"
	"divergo/isa"
)

// kind selects the part of the interpreter that executes an instruction.
type kind uint8

const (
	plain   kind = iota // computes the lanes one by one
	branch              // bra
	access              // ld, st, atom, red
	nothing             // fences: accesses complete at once
	crosses             // exchanges values among lanes
	control             // all others that change a path
	matrix              // ldmatrix, stmatrix
	copies              // cp.async
	timed               // reads a clock
)

// none is the row of a result without a register, before the number of rows is known.
const none int32 = -1

// inst is a decoded instruction. Registers, and behind them the special registers that the program
// reads, are rows of a warp.
type inst struct {
	*isa.Inst
	kind   kind
	guard  int32  // predicate, -1: none
	invert uint32 // of the guard
	counts uint64 // 1, or 0 for an inserted instruction
	src    []source
	dst    []int32 // rows
	pdst   []int32 // predicates, by destination; -1: none; nil: all none
	other  bool    // it has predicates
	size   uint64  // access: bytes of a lane
	align  uint64  // access: bytes
}

// source is a source of an instruction.
type source struct {
	imm    *isa.Row // of an immediate
	pred   bool
	index  int32  // row or predicate
	invert uint32 // of a predicate; of an immediate: its value as a predicate
}

// grid is a launch in progress.
type grid struct {
	Setup
	m        *Memory
	insts    []inst        // by PC
	specials []isa.Special // that the program reads; their rows lie behind the registers
	sink     int32         // row of results without a register
	result   int           // row of isa.BarResult, -1: not read
	local    uint64        // bytes of a thread's local memory
	shared   uint64        // bytes of a CTA's shared memory
	reach    uint64        // mask of the bits of an address
	all      uint32        // lanes of a whole warp
	ctas     []*cta        // that have begun and not ended
	free     []*cta        // that have ended
	r        Result
	over     bool

	// State of the watch.
	watching bool
	quiet    int    // rounds without a CTA that has begun or ended
	patience int    // such rounds before it watches
	changed  uint64 // time of the last change of memory
	reads    bool   // global memory has been read

	// Operands of the present instruction.
	x       isa.Lanes
	scratch [isa.MaxDsts]isa.Row
	at      [isa.RowLanes]uint64 // addresses

	onExit func(w *warp, lanes uint32) // for tests
}

func newGrid(s Setup, m *Memory) *grid {
	p := s.Prog
	g := &grid{Setup: s, m: m, result: -1, reach: ^uint64(0), patience: 1, all: uint32(1<<s.WarpSize - 1)}
	g.r.End, g.r.Branches = gpu.Finished, make([]Branch, len(p.Insts))
	if g.MaxLanes == 0 {
		g.MaxLanes = ^uint64(0)
	}
	if p.AddressBits == 32 {
		g.reach = 1<<32 - 1
	}
	if g.AbsentOwn {
		g.x.Absent = func(own uint64) uint64 { return own }
	}
	g.local, g.shared = uint64(p.LocalBytes), uint64(p.SharedBytes)
	if p.Recursive {
		g.local += uint64(s.Stack)
	}
	if a := uint64(p.SharedAlign); a > 1 && s.Shared > 0 {
		g.shared = (g.shared + a - 1) / a * a
	}
	g.shared += uint64(s.Shared)
	g.insts = make([]inst, len(p.Insts))
	for pc := range p.Insts {
		g.insts[pc] = g.decode(&p.Insts[pc])
	}
	g.sink = int32(len(p.Regs) + len(g.specials))
	for pc := range g.insts {
		for i, row := range g.insts[pc].dst {
			if row == none {
				g.insts[pc].dst[i] = g.sink
			}
		}
	}
	return g
}

// kindOf returns the kind of an instruction.
func kindOf(in *isa.Inst) kind {
	switch in.Op {
	case isa.OpBra:
		return branch
	case isa.OpLd, isa.OpSt, isa.OpAtom, isa.OpRed:
		return access
	case isa.OpMembar, isa.OpNop, isa.OpCopyCommit, isa.OpCopyWait:
		return nothing
	case isa.OpCopy:
		return copies
	case isa.OpLdmatrix, isa.OpStmatrix:
		return matrix
	}
	switch {
	case in.Control():
		return control
	case in.CrossLane():
		return crosses
	case in.ReadsTime():
		return timed
	}
	return plain
}

func (g *grid) decode(in *isa.Inst) inst {
	d := inst{Inst: in, kind: kindOf(in), guard: -1, counts: 1}
	if in.Inserted {
		d.counts = 0
	}
	if in.Guard.Kind == isa.OperandPred {
		d.guard, d.invert = int32(in.Guard.Index), inversion(in.Guard.Not)
	}
	for _, o := range in.Src[:in.NSrc] {
		var s source
		switch o.Kind {
		case isa.OperandReg:
			s.index = int32(o.Index)
		case isa.OperandSpecial:
			s.index = g.special(isa.Special(o.Index))
		case isa.OperandPred:
			s.pred, s.index, s.invert = true, int32(o.Index), inversion(o.Not)
		default:
			s.imm, s.invert = new(isa.Row), -uint32(o.Imm&1)
			for lane := range s.imm {
				s.imm[lane] = o.Imm
			}
		}
		d.src = append(d.src, s)
	}
	for _, o := range in.Dst[:in.NDst] {
		row, pred := none, int32(-1)
		switch o.Kind {
		case isa.OperandReg:
			row = int32(o.Index)
		case isa.OperandPred:
			pred = int32(o.Index)
		}
		d.dst, d.pdst = append(d.dst, row), append(d.pdst, pred)
	}
	if !slices.ContainsFunc(d.pdst, func(p int32) bool { return p >= 0 }) {
		d.pdst = nil
	}
	d.other = d.pdst != nil || slices.ContainsFunc(d.src, func(s source) bool { return s.pred })
	d.size = uint64(in.Type.Bytes()) * uint64(max(int(in.Vec), 1))
	if in.Matrix() {
		d.size = matrixRow
	}
	if d.align = d.size; in.Flags&isa.FlagPair != 0 {
		d.align *= 2
	}
	return d
}

// inversion is the mask that inverts a predicate.
func inversion(not bool) uint32 {
	if not {
		return ^uint32(0)
	}
	return 0
}

// special returns the row of a special register.
func (g *grid) special(s isa.Special) int32 {
	i := slices.Index(g.specials, s)
	if i < 0 {
		i = len(g.specials)
		g.specials = append(g.specials, s)
	}
	row := len(g.Prog.Regs) + i
	if s == isa.BarResult {
		g.result = row
	}
	return int32(row)
}
