package isa

import "slices"

// setClasses divides the conditional branches into programmatic and data branches, by the origin of
// their guard (Rhu & Erez, ISCA 2013, section 3.2 and figure 10). Data are values loaded from
// memory, values that depend on where and when a thread runs, and results of data. Everything else
// is programmatic: constants, thread indices, the launch's shape, parameters. The analysis is a
// forward data-flow analysis over explicit flow only. Neither the branches that lead to an
// instruction nor its guard make its result data.
func setClasses(p *Program, live liveSets) {
	t := taint{Program: p, live: live, in: make([][]uint64, len(p.Blocks)), data: make([]bool, len(p.Insts))}
	t.mention()
	blocks := p.order()
	for _, b := range blocks {
		if last := &p.Insts[p.Blocks[b].End-1]; last.Conditional() {
			last.Class = ClassProgrammatic
		} else {
			last.Class = ClassNone
		}
	}
	for _, b := range blocks {
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			if p.Insts[pc].makesData() {
				t.result(pc, b)
			}
		}
		for len(t.work) > 0 {
			from := t.work[len(t.work)-1]
			t.work = t.work[:len(t.work)-1]
			t.carry(from)
		}
	}
}

// taint is the state of the analysis. It follows each data value from its origin to its readers, as
// long as it is live.
type taint struct {
	*Program
	live liveSets
	in   [][]uint64 // by block: a bit for each live value at its start that is data there
	data []bool     // by PC: the result of the instruction is data
	// The instructions that name each value, ascending. Those of value v are first[v] to before
	// first[v+1].
	first  []int
	named  []uint32
	passed []bool // by place in named: the value is data there
	work   []datum
}

// datum is a value that is data in a block from pc on.
type datum struct {
	value int
	pc    uint32
	block int
}

// mention lists, by value, the instructions that name it.
func (t *taint) mention() {
	t.first = make([]int, len(t.Regs)+len(t.Preds)+1)
	each := func(visit func(v int, pc uint32)) {
		for pc := range t.Insts {
			in := &t.Insts[pc]
			for _, list := range [...][]Operand{in.Src[:in.NSrc], in.Dst[:in.NDst], {in.Guard}} {
				for _, o := range list {
					if v := t.value(o); v >= 0 {
						visit(v, uint32(pc))
					}
				}
			}
		}
	}
	each(func(v int, _ uint32) { t.first[v+1]++ })
	for v := range t.first[1:] {
		t.first[v+1] += t.first[v]
	}
	n := t.first[len(t.first)-1]
	t.named, t.passed = make([]uint32, n), make([]bool, n)
	at := slices.Clone(t.first)
	each(func(v int, pc uint32) {
		t.named[at[v]] = pc
		at[v]++
	})
}

// carry follows a data value to the end of its block, or to its next write.
func (t *taint) carry(d datum) {
	first := t.first[d.value]
	list := t.named[first:t.first[d.value+1]]
	i, _ := slices.BinarySearch(list, d.pc)
	for ; i < len(list) && list[i] < t.Blocks[d.block].End; i++ {
		if t.passed[first+i] {
			return
		}
		t.passed[first+i] = true
		in := &t.Insts[list[i]]
		if in.Conditional() && t.value(in.decides()) == d.value {
			in.Class = ClassData
		}
		names := func(o Operand) bool { return t.value(o) == d.value }
		if in.passesData() && slices.ContainsFunc(in.Src[:in.NSrc], names) {
			t.result(list[i], d.block)
		}
		if in.Guard.Kind != OperandPred && slices.ContainsFunc(in.Dst[:in.NDst], names) {
			return
		}
	}
	for _, s := range t.Blocks[d.block].Succs {
		t.enter(d.value, s)
	}
}

// enter notes that a value is data at the start of block b.
func (t *taint) enter(v, b int) {
	i, live := t.live.index(b, v)
	if !live {
		return
	}
	if t.in[b] == nil {
		t.in[b] = make([]uint64, (len(t.live[b])+63)/64)
	}
	if bit := uint64(1) << (i % 64); t.in[b][i/64]&bit == 0 {
		t.in[b][i/64] |= bit
		t.work = append(t.work, datum{v, t.Blocks[b].Start, b})
	}
}

// result notes that the result of the instruction at pc of block b is data.
func (t *taint) result(pc uint32, b int) {
	if t.data[pc] {
		return
	}
	t.data[pc] = true
	in := &t.Insts[pc]
	for _, d := range in.Dst[:in.NDst] {
		if v := t.value(d); v >= 0 {
			t.work = append(t.work, datum{v, pc + 1, b})
		}
	}
}

// decides is the operand that decides a conditional branch.
func (in *Inst) decides() Operand {
	if in.Indirect() {
		return in.Src[1]
	}
	return in.Guard
}

// makesData reports whether the result of in is data for any sources.
func (in *Inst) makesData() bool {
	switch in.Op {
	case OpLd:
		return in.Space != SpaceParam
	case OpAtom, OpLdmatrix, OpTex:
		return true
	}
	return slices.ContainsFunc(in.Src[:in.NSrc],
		func(o Operand) bool { return o.Kind == OperandSpecial && Special(o.Index).data() })
}

// passesData reports whether the result of in is data if a source is.
func (in *Inst) passesData() bool { return in.Op != OpLd }

// order lists the blocks reachable from the entry, predecessors first except along back edges.
func (p *Program) order() []int {
	succs := make([][]int, len(p.Blocks))
	for i := range p.Blocks {
		succs[i] = p.Blocks[i].Succs
	}
	order := postorder(len(succs), append(succs, p.entries()))
	slices.Reverse(order)
	return order[1:]
}

// value is the number of the register that an operand names: general registers first, then
// predicates. It is -1 for other operands.
func (p *Program) value(o Operand) int {
	switch o.Kind {
	case OperandReg:
		return int(o.Index)
	case OperandPred:
		return len(p.Regs) + int(o.Index)
	}
	return -1
}

// data reports whether a special register depends on where and when a thread runs.
func (s Special) data() bool {
	switch s {
	case SMID, Clock, ClockHi, Clock64, GlobalTimer:
		return true
	}
	return false
}
