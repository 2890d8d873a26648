package safety

import "divergo/isa"

// Arrays are the parts of memory that the analysis distinguishes. Those from arrayParams on belong
// to the pointers in parameters; the variables of the module follow.
const (
	arrayShared = iota
	arrayLocal
	arrayParams
)

// The origin of a value: one of the arrays, no pointer, or unknown.
const (
	fromNothing = -1
	fromAny     = -2
)

// memory holds the array of each access.
type memory struct {
	*isa.Program
	arrays int
	from   []int32    // by value: an array, fromNothing or fromAny
	writes [][]uint32 // by array: the instructions that may change it
	reads  map[uint32]int32
}

// params is the number of the first array of the module's variables.
func (m *memory) params() int { return arrayParams + len(m.Params) }

// findMemory follows pointers forward from the parameters and variables of the module to the places
// where they meet.
func findMemory(p *isa.Program, w *values) *memory {
	m := &memory{Program: p, from: make([]int32, len(w.def)), reads: map[uint32]int32{}}
	m.arrays = m.params() + len(p.Globals)
	m.writes = make([][]uint32, m.arrays)
	users := make([][]int32, len(w.def)) // values computed from it
	for n := range w.def {
		m.from[n] = fromNothing
		for _, o := range w.meets[n] {
			users[o] = append(users[o], int32(n))
		}
		if w.old[n] >= 0 {
			users[w.old[n]] = append(users[w.old[n]], int32(n))
		}
	}
	for pc := range p.Insts {
		in := &p.Insts[pc]
		for i := range int(in.NDst) {
			d := w.dst(p, uint32(pc), i)
			for j := range int(in.NSrc) {
				if s := w.src(uint32(pc), j); d >= 0 && s >= 0 {
					users[s] = append(users[s], d)
				}
			}
		}
	}
	var work []int32
	visit := func(n int32) {
		from := m.from[n]
		for _, o := range w.meets[n] {
			from = both(from, m.from[o])
		}
		if w.old[n] >= 0 {
			from = both(from, m.from[w.old[n]])
		}
		if pc := w.def[n]; pc >= 0 {
			from = both(from, m.result(w, uint32(pc)))
		}
		for _, pc := range w.all[n] {
			from = both(from, m.result(w, pc))
		}
		if from != m.from[n] {
			m.from[n] = from
			work = append(work, n)
		}
	}
	for n := range w.def {
		visit(int32(n))
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range users[n] {
			visit(u)
		}
	}
	for pc := range p.Insts {
		m.access(w, uint32(pc))
	}
	return m
}

// both is the origin of a value that comes from either of two.
func both(a, b int32) int32 {
	switch {
	case a == b || b == fromNothing:
		return a
	case a == fromNothing:
		return b
	}
	return fromAny
}

// source is the origin of operand i of an instruction.
func (m *memory) source(w *values, pc uint32, i int) int32 {
	in := &m.Insts[pc]
	switch o := in.Src[i]; o.Kind {
	case isa.OperandReg:
		return m.from[w.src(pc, i)]
	case isa.OperandImm:
		if in.Type.Bits() == int(m.AddressBits) || in.Memory() {
			return m.variable(o.Imm)
		}
	}
	return fromNothing
}

// variable is the array at an address.
func (m *memory) variable(addr uint64) int32 {
	for i := range m.Globals {
		if g := &m.Globals[i]; addr >= g.Addr && addr-g.Addr < max(g.Size, 1) {
			return int32(m.params() + i)
		}
	}
	switch {
	case addr-isa.SharedWindow < isa.WindowSize:
		return arrayShared
	case addr-isa.LocalWindow < isa.WindowSize:
		return arrayLocal
	}
	return fromNothing
}

// result is the origin of the result of an instruction.
func (m *memory) result(w *values, pc uint32) int32 {
	in := &m.Insts[pc]
	switch in.Op {
	case isa.OpLd:
		if in.Space == isa.SpaceParam && in.Type.Bits() == int(m.AddressBits) && in.Vec <= 1 {
			for i := range m.Params {
				if q := &m.Params[i]; uint64(q.Offset) <= in.Src[0].Imm+uint64(in.Off) &&
					in.Src[0].Imm+uint64(in.Off) < uint64(q.Offset+q.Size) {
					if int(q.Size) > in.Type.Bytes() { // a struct may hold several
						return fromAny
					}
					return int32(arrayParams + i)
				}
			}
		}
		return fromNothing
	case isa.OpCvta:
		from := m.source(w, pc, 0)
		switch {
		case in.Mode == isa.ModeTo || from != fromNothing:
			return from
		case in.Space == isa.SpaceShared:
			return arrayShared
		case in.Space == isa.SpaceLocal:
			return arrayLocal
		}
		return from
	}
	from := int32(fromNothing)
	for i := range int(in.NSrc) {
		from = both(from, m.source(w, pc, i))
	}
	return from
}

// access enters the reads and writes of an instruction.
func (m *memory) access(w *values, pc uint32) {
	in := &m.Insts[pc]
	reads, writes := false, false
	switch in.Op {
	case isa.OpTex: // the description names the place
		m.reads[pc] = fromAny
		return
	case isa.OpLd, isa.OpLdmatrix:
		reads = true
	case isa.OpSt, isa.OpRed, isa.OpCopy, isa.OpStmatrix:
		writes = true
	case isa.OpAtom:
		reads, writes = true, true
	default:
		return
	}
	at := m.place(w, pc, in)
	if reads && at != fromNothing {
		m.reads[pc] = at
	}
	if in.Op == isa.OpCopy {
		if m.reads[pc] = m.source(w, pc, 1); m.reads[pc] == fromNothing {
			m.reads[pc] = fromAny
		}
	}
	if !writes {
		return
	}
	if at == fromAny {
		for i := range m.writes {
			m.writes[i] = append(m.writes[i], pc)
		}
	} else if at >= 0 {
		m.writes[at] = append(m.writes[at], pc)
	}
}

// place is the array of an access, or fromNothing for memory that is never written.
func (m *memory) place(w *values, pc uint32, in *isa.Inst) int32 {
	switch in.Space {
	case isa.SpaceParam, isa.SpaceConst:
		return fromNothing
	case isa.SpaceShared:
		return arrayShared
	case isa.SpaceLocal:
		return arrayLocal
	}
	if in.Op == isa.OpLdmatrix || in.Op == isa.OpStmatrix || in.Op == isa.OpCopy {
		return arrayShared
	}
	if from := m.source(w, pc, 0); from != fromNothing {
		return from
	}
	return fromAny
}
