package safety

import "divergo/isa"

// webs divide each register and predicate into the values that do not mix: two
// definitions are of the same web if one use can read either. A function and its callers can mix
// all that they both name.
type webs struct {
	of    []int32 // operands of all instructions in a row: sources, guard, destinations; -1: no value
	first []int32 // by PC: its first one
	defs  [][]uint32
	value []int32 // by web: register or predicate, as by value
	mixed []bool  // by web: named by the kernel and functions, or by several

	blocks int
	start  map[uint64]int32 // the web that is live at the start of a block, by value and block
	all    []int32          // by value: its web if it is mixed, or -1
}

// maxStarts bounds how many values can be live at the starts of all blocks
// together. Beyond, each register is one web.
const maxStarts = 1 << 22

// value numbers the general registers, then the predicates; -1 for operands
// that name neither.
func value(p *isa.Program, o isa.Operand) int32 {
	switch o.Kind {
	case isa.OperandReg:
		return int32(o.Index)
	case isa.OperandPred:
		return int32(len(p.Regs)) + int32(o.Index)
	}
	return -1
}

func key(v int32, b int) uint64 { return uint64(v)<<32 | uint64(b) }

// shared reports by value whether several of the kernel and its functions name it.
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
		each(&p.Insts[pc], func(o isa.Operand) {
			if v := value(p, o); v >= 0 {
				many[v] = many[v] || user[v] != 0 && user[v] != fn
				user[v] = fn
			}
		})
	}
	return many
}

// each visits the operands of an instruction in the order of webs.of.
func each(in *isa.Inst, visit func(isa.Operand)) {
	for _, o := range in.Src[:in.NSrc] {
		visit(o)
	}
	visit(in.Guard)
	for _, o := range in.Dst[:in.NDst] {
		visit(o)
	}
}

// findWebs follows each use backwards to the definitions that reach it.
func findWebs(p *isa.Program) *webs {
	w := &webs{blocks: len(p.Blocks)}
	if w.join(p, shared(p)) {
		return w
	}
	every := make([]bool, len(p.Regs)+len(p.Preds))
	for v := range every {
		every[v] = true
	}
	*w = webs{blocks: len(p.Blocks)}
	w.join(p, every)
	return w
}

func (w *webs) join(p *isa.Program, mixed []bool) bool {
	var up, of []int32 // union-find over nodes, and the value of each
	node := func(v int32) int32 {
		up, of = append(up, int32(len(up))), append(of, v)
		return int32(len(up) - 1)
	}
	root := func(n int32) int32 {
		for up[n] != n {
			up[n] = up[up[n]]
			n = up[n]
		}
		return n
	}
	w.start = map[uint64]int32{}
	w.all = make([]int32, len(mixed))
	for v := range w.all {
		w.all[v] = -1
		if mixed[v] {
			w.all[v] = node(int32(v))
		}
	}
	type place struct {
		v int32
		b int
	}
	var work []place
	atStart := func(v int32, b int) int32 {
		n, ok := w.start[key(v, b)]
		if !ok {
			n = node(v)
			w.start[key(v, b)] = n
			work = append(work, place{v, b})
		}
		return n
	}
	out := map[uint64]int32{} // what the last definition in a block makes
	now, in := make([]int32, len(mixed)), make([]int, len(mixed))
	w.first = make([]int32, len(p.Insts)+1)
	for b := range p.Blocks {
		current := func(v int32) int32 {
			switch {
			case v < 0:
				return -1
			case w.all[v] >= 0:
				return w.all[v]
			case in[v] != b+1:
				in[v], now[v] = b+1, atStart(v, b)
			}
			return now[v]
		}
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			i := &p.Insts[pc]
			w.first[pc] = int32(len(w.of))
			for _, o := range i.Src[:i.NSrc] {
				w.of = append(w.of, current(value(p, o)))
			}
			w.of = append(w.of, current(value(p, i.Guard)))
			keeps := i.Guard.Kind == isa.OperandPred || i.Op == isa.OpCall
			for _, o := range i.Dst[:i.NDst] {
				v := value(p, o)
				if v < 0 || w.all[v] >= 0 || keeps {
					w.of = append(w.of, current(v))
				} else {
					in[v], now[v] = b+1, node(v)
					w.of = append(w.of, now[v])
				}
				if v >= 0 && w.all[v] < 0 {
					out[key(v, b)] = now[v]
				}
			}
		}
	}
	w.first[len(p.Insts)] = int32(len(w.of))
	for len(work) > 0 {
		if len(w.start) > maxStarts {
			return false
		}
		at := work[len(work)-1]
		work = work[:len(work)-1]
		n := w.start[key(at.v, at.b)]
		for _, u := range p.Blocks[at.b].Preds {
			from, defined := out[key(at.v, u)]
			if !defined {
				from = atStart(at.v, u)
			}
			up[root(from)] = root(n)
		}
	}
	w.number(p, up, of, root, mixed)
	return true
}

// number gives the webs numbers in a row, and lists what defines each.
func (w *webs) number(p *isa.Program, up, of []int32, root func(int32) int32, mixed []bool) {
	number := make([]int32, len(up))
	for n := range up {
		if up[n] == int32(n) {
			number[n] = int32(len(w.value))
			w.value, w.mixed = append(w.value, of[n]), append(w.mixed, mixed[of[n]])
		}
	}
	for i, n := range w.of {
		if n >= 0 {
			w.of[i] = number[root(n)]
		}
	}
	for v, n := range w.all {
		if n >= 0 {
			w.all[v] = number[root(n)]
		}
	}
	for k, n := range w.start {
		w.start[k] = number[root(n)]
	}
	w.defs = make([][]uint32, len(w.value))
	for pc := range p.Insts {
		for i := range int(p.Insts[pc].NDst) {
			if d := w.dst(p, uint32(pc), i); d >= 0 {
				w.defs[d] = append(w.defs[d], uint32(pc))
			}
		}
	}
}

// src, guard and dst are the webs of the operands of an instruction, or -1.
func (w *webs) src(pc uint32, i int) int32 { return w.of[int(w.first[pc])+i] }

func (w *webs) guard(p *isa.Program, pc uint32) int32 {
	return w.of[int(w.first[pc])+int(p.Insts[pc].NSrc)]
}

func (w *webs) dst(p *isa.Program, pc uint32, i int) int32 {
	return w.of[int(w.first[pc])+int(p.Insts[pc].NSrc)+1+i]
}

// liveAt reports whether what is in a web may be read behind the start of block b.
func (w *webs) liveAt(web int32, b int) bool {
	if w.mixed[web] {
		return true
	}
	n, live := w.start[key(w.value[web], b)]
	return live && n == web
}
