package safety

import (
	"slices"

	"divergo/isa"
)

// values are the contents of registers and predicates in static single assignment form. Each
// definition is a value, and so is each place where several meet (a φ; M. Braun et al., Simple and
// Efficient Construction of Static Single Assignment Form, CC 2013). A register that the kernel and
// a function, or several functions, name is one value with all of its definitions.
type values struct {
	of    []int32 // operands of all instructions in a row: sources, guard, destinations; -1: no value
	first []int32 // by PC: its first one

	def   []int32    // by value: the PC that defines it, or -1
	old   []int32    // by value: the value that stays if a guarded definition is not executed, or -1
	block []int32    // by value: block of its definition or φ; -1: before the start, or mixed
	meets [][]int32  // by value: for a φ, the value from each predecessor, and last the value from before the start
	all   [][]uint32 // by value: the definitions of a register that several functions name
}

// maxStarts bounds the live values at the starts of all blocks together. Beyond it, each register
// is one value.
const maxStarts = 1 << 22

// register numbers the general registers, then the predicates; -1 for operands
// that name neither.
func register(p *isa.Program, o isa.Operand) int32 {
	switch o.Kind {
	case isa.OperandReg:
		return int32(o.Index)
	case isa.OperandPred:
		return int32(len(p.Regs)) + int32(o.Index)
	}
	return -1
}

func key(v int32, b int) uint64 { return uint64(v)<<32 | uint64(b) }

// shared reports, by register, whether more than one of the kernel and its functions name it.
func shared(p *isa.Program) []bool {
	many, user := make([]bool, len(p.Regs)+len(p.Preds)), make([]int, len(p.Regs)+len(p.Preds))
	if len(p.Funcs) == 0 {
		return many
	}
	fn := 0 // 1 for the kernel
	for pc := range p.Insts {
		for fn <= len(p.Funcs) && (fn == 0 || p.Funcs[fn-1].Entry <= uint32(pc)) {
			fn++
		}
		in := &p.Insts[pc]
		for _, list := range [...][]isa.Operand{in.Src[:in.NSrc], {in.Guard}, in.Dst[:in.NDst]} {
			for _, o := range list {
				if v := register(p, o); v >= 0 {
					many[v] = many[v] || user[v] != 0 && user[v] != fn
					user[v] = fn
				}
			}
		}
	}
	return many
}

// findValues follows each use backwards to the definitions that reach it.
func findValues(p *isa.Program) *values {
	if w := join(p, shared(p)); w != nil {
		return w
	}
	every := make([]bool, len(p.Regs)+len(p.Preds))
	for v := range every {
		every[v] = true
	}
	return join(p, every)
}

func (w *values) add(def, old, block int32) int32 {
	w.def, w.old, w.block = append(w.def, def), append(w.old, old), append(w.block, block)
	w.meets, w.all = append(w.meets, nil), append(w.all, nil)
	return int32(len(w.def) - 1)
}

// join makes the values; it returns nil if there are too many.
func join(p *isa.Program, mixed []bool) *values {
	w := &values{}
	one := make([]int32, len(mixed)) // by register: its value, if it has one
	for v := range one {
		one[v] = -1
		if mixed[v] {
			one[v] = w.add(-1, -1, -1)
		}
	}
	type place struct {
		v int32
		b int
	}
	var work []place
	start := map[uint64]int32{} // live values at the start of a block, by register and block
	atStart := func(v int32, b int) int32 {
		n, ok := start[key(v, b)]
		if !ok {
			n = w.add(-1, -1, int32(b))
			start[key(v, b)] = n
			work = append(work, place{v, b})
		}
		return n
	}
	out := map[uint64]int32{} // values of the last definitions in a block
	now, in := make([]int32, len(mixed)), make([]int, len(mixed))
	w.first = make([]int32, len(p.Insts)+1)
	for b := range p.Blocks {
		current := func(v int32) int32 {
			switch {
			case v < 0:
				return -1
			case one[v] >= 0:
				return one[v]
			case in[v] != b+1:
				in[v], now[v] = b+1, atStart(v, b)
			}
			return now[v]
		}
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			i := &p.Insts[pc]
			w.first[pc] = int32(len(w.of))
			for _, o := range i.Src[:i.NSrc] {
				w.of = append(w.of, current(register(p, o)))
			}
			w.of = append(w.of, current(register(p, i.Guard)))
			for _, o := range i.Dst[:i.NDst] {
				v := register(p, o)
				switch {
				case v < 0:
					w.of = append(w.of, -1)
				case one[v] >= 0:
					w.of = append(w.of, one[v])
					w.all[one[v]] = append(w.all[one[v]], pc)
				default:
					old := int32(-1)
					if i.Guard.Kind == isa.OperandPred || i.Op == isa.OpCall {
						old = current(v)
					}
					in[v], now[v] = b+1, w.add(int32(pc), old, int32(b))
					w.of = append(w.of, now[v])
					out[key(v, b)] = now[v]
				}
			}
		}
	}
	w.first[len(p.Insts)] = int32(len(w.of))
	enters := make([]bool, len(p.Blocks))
	enters[0] = true
	for i := range p.Funcs {
		enters[p.Block(p.Funcs[i].Entry)] = true
	}
	var phis []int32
	for len(work) > 0 {
		if len(start) > maxStarts {
			return nil
		}
		at := work[len(work)-1]
		work = work[:len(work)-1]
		n := start[key(at.v, at.b)]
		phis = append(phis, n)
		for _, u := range p.Blocks[at.b].Preds {
			from, defined := out[key(at.v, u)]
			if !defined {
				from = atStart(at.v, u)
			}
			w.meets[n] = append(w.meets[n], from)
		}
		if enters[at.b] {
			w.meets[n] = append(w.meets[n], w.add(-1, -1, -1))
		}
	}
	w.simplify(phis)
	return w
}

// simplify removes each φ at which only one value arrives.
func (w *values) simplify(phis []int32) {
	is := make([]int32, len(w.def))
	for n := range is {
		is[n] = int32(n)
	}
	find := func(n int32) int32 {
		for is[n] != n {
			is[n] = is[is[n]]
			n = is[n]
		}
		return n
	}
	users := make([][]int32, len(w.def))
	for _, n := range phis {
		for _, m := range w.meets[n] {
			users[m] = append(users[m], n)
		}
	}
	work := slices.Clone(phis)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if is[n] != n {
			continue
		}
		only, several := int32(-1), false
		for _, m := range w.meets[n] {
			if m = find(m); m != n && m != only {
				several = several || only >= 0
				only = m
			}
		}
		if !several && only >= 0 {
			is[n] = only
			work = append(work, users[n]...)
			users[only] = append(users[only], users[n]...)
		}
	}
	for i, n := range w.of {
		if n >= 0 {
			w.of[i] = find(n)
		}
	}
	for n := range w.def {
		if w.old[n] >= 0 {
			w.old[n] = find(w.old[n])
		}
		for i, m := range w.meets[n] {
			w.meets[n][i] = find(m)
		}
	}
}

// src, guard and dst are the values of the operands of an instruction, or -1.
func (w *values) src(pc uint32, i int) int32 { return w.of[int(w.first[pc])+i] }

func (w *values) guard(p *isa.Program, pc uint32) int32 {
	return w.of[int(w.first[pc])+int(p.Insts[pc].NSrc)]
}

func (w *values) dst(p *isa.Program, pc uint32, i int) int32 {
	return w.of[int(w.first[pc])+int(p.Insts[pc].NSrc)+1+i]
}
