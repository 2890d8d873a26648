package ptx

import (
	"cmp"
	"slices"

	"divergo/internal/graph"
	"divergo/isa"
)

// callee is a function of the program being lowered.
type callee struct {
	*function
	index  int    // in the order of the module
	family int    // functions called by address form one family, each of the others its own
	cycle  int    // not 0: a thread can be in it several times; see isa.Func
	taken  bool   // called by address
	link   uint16 // register
	at     uint64 // parameters and results: address in local memory, or in the frame if cycle is not 0
	calls  []*function
	byAddr bool // it contains a call by address
}

// callgraph finds the functions that a kernel needs, in the order of the module, and which of them
// are recursive.
func (l *lowering) callgraph(k *kernel) {
	found := map[*function]*callee{}
	var work []*function
	need := func(f *function) {
		if f != nil && f.body != nil && found[f] == nil {
			found[f] = &callee{function: f}
			work = append(work, f)
		}
	}
	root := &callee{function: &function{body: k.body}}
	inTables, byName := l.m.taken, []*function{} // functions whose addresses are in initialisers, and in instructions
	taken := map[*function]bool{}
	take := func(list []*function) {
		for _, f := range list {
			taken[f] = true
			need(f)
		}
	}
	byAddr := false
	scan := func(c *callee) {
		c.body.each(func(s stmt) {
			in, ok := s.(*instruction)
			if !ok {
				return
			}
			for i := range in.operands {
				if f := l.m.functions[in.operands[i].name]; f != nil {
					byName = append(byName, f)
				}
			}
			if in.call == nil {
				return
			}
			if f := l.m.functions[in.call.target.text]; f != nil {
				c.calls = append(c.calls, f)
				need(f)
			} else {
				c.byAddr, byAddr = true, true
			}
		})
	}
	scan(root)
	for {
		for len(work) > 0 {
			c := found[work[0]]
			work = work[1:]
			scan(c)
		}
		if byAddr {
			take(inTables)
			take(byName)
			inTables, byName = nil, nil
		}
		if len(work) == 0 {
			break
		}
	}
	l.found = found
	for f, c := range found {
		c.taken = taken[f]
		l.callees = append(l.callees, c)
	}
	slices.SortFunc(l.callees, func(a, b *callee) int { return cmp.Compare(a.function.index, b.function.index) })
	for i, c := range l.callees {
		c.index = i
	}
	l.cycles()
}

// each visits the statements of b and of the blocks in it.
func (b *block) each(visit func(stmt)) {
	for _, s := range b.stmts {
		if inner, ok := s.(*block); ok {
			inner.each(visit)
		}
		visit(s)
	}
}

// cycles divides the functions into families. It finds those that can be entered again before they
// return: their family is in a cycle of calls.
func (l *lowering) cycles() {
	byAddress := -1
	for i, c := range l.callees {
		if c.family = i; c.taken {
			if byAddress < 0 {
				byAddress = i
			}
			c.family = byAddress
		}
	}
	succs := make([][]int, len(l.callees)) // by family
	loop := make([]bool, len(l.callees))
	for _, c := range l.callees {
		add := func(to int) {
			succs[c.family] = append(succs[c.family], to)
			loop[c.family] = loop[c.family] || to == c.family
		}
		for _, f := range c.calls {
			if to := l.found[f]; to != nil {
				add(to.family)
			}
		}
		if c.byAddr && byAddress >= 0 {
			add(byAddress)
		}
	}
	part, parts := graph.Components(succs)
	first, size := make([]int, parts), make([]int, parts) // first: 1 plus a function of it
	for i, c := range l.callees {
		if n := part[c.family]; first[n] == 0 {
			first[n] = i + 1
		}
		if c.family == i {
			size[part[i]]++
		}
	}
	for _, c := range l.callees {
		if n := part[c.family]; size[n] > 1 || loop[c.family] {
			c.cycle = first[n]
			l.prog.Recursive = true
		}
	}
}

// place gives each family its link register and the memory for its parameters and results.
func (l *lowering) place() {
	if l.prog.Recursive {
		l.prog.Frame = l.hidden("%frame", isa.U32)
	}
	for i, c := range l.callees {
		if c.family != i {
			c.link, c.at = l.callees[c.family].link, l.callees[c.family].at
			continue
		}
		name := "%link." + c.name.text
		if c.taken {
			name = "%link"
		}
		c.link = l.hidden(name, isa.U32)
		if c.cycle != 0 {
			continue // at the start of the frame
		}
		at := variable{
			name: word{text: "parameters of " + c.name.text, pos: c.name.pos}, space: isa.SpaceLocal,
			align: 1,
		}
		for _, f := range l.blocks(c) {
			_, size := f.offsets()
			at.size = max(at.size, size)
			for _, x := range f.formals() {
				_, align := x.layout()
				at.align = max(at.align, align)
			}
		}
		l.allocate(&at)
		c.at = l.offsets[&at]
	}
}

// blocks are the functions and prototypes whose parameters share the place of those of c.
func (l *lowering) blocks(c *callee) []*function {
	if !c.taken {
		return []*function{c.function}
	}
	var list []*function
	for _, o := range l.callees {
		if o.taken {
			list = append(list, o.function)
		}
	}
	return list
}

// hidden makes a register that the PTX does not contain.
func (l *lowering) hidden(name string, t isa.Type) uint16 {
	l.prog.Regs = append(l.prog.Regs, isa.Reg{Name: name, Type: t})
	return uint16(len(l.prog.Regs) - 1)
}
