package isa

import (
	"cmp"
	"slices"
	"sort"

	"divergo/internal/graph"
)

// Func is a device function of a program. Its instructions follow those of the kernel. A call
// writes its return PC into the function's link register, through which the return jumps. Functions
// called by address share one link register. Parameters and results are in local memory.
type Func struct {
	Name  string
	Entry uint32
	Addr  uint64 // operand of indirect calls; 0 if the address is not taken
	Link  uint16 // register
	// Cycle is 0 for a function with at most one activation per thread at a time. Functions that
	// call one another have the same number. Their parameters and variables lie in a frame on the
	// stack, of Frame bytes.
	Cycle   int
	Frame   uint32
	Masks   uint32 // offset in the frame of MaxBarriers masks (WithBarriers)
	returns bool   // it has a return; otherwise its threads end in it
}

// FuncAt is the function of the instruction at pc, nil for the kernel.
func (p *Program) FuncAt(pc uint32) *Func {
	if i := p.funcAt(pc); i > 0 {
		return &p.Funcs[i-1]
	}
	return nil
}

// funcAt is the number of the function at pc, counted from 1; the kernel is 0.
func (p *Program) funcAt(pc uint32) int {
	return sort.Search(len(p.Funcs), func(i int) bool { return p.Funcs[i].Entry > pc })
}

// Callee is the entry PC of the function with address addr; ok is false if there is none.
func (p *Program) Callee(addr uint64) (pc uint32, ok bool) {
	i, found := slices.BinarySearchFunc(p.addressed, addr,
		func(i int, addr uint64) int { return cmp.Compare(p.Funcs[i].Addr, addr) })
	if !found {
		return NoPC, false
	}
	return p.Funcs[p.addressed[i]].Entry, true
}

// OnStack reports whether in accesses the frame of a function.
func (p *Program) OnStack(in *Inst) bool {
	return p.Recursive && in.Src[0].Kind == OperandReg && in.Src[0].Index == p.Frame
}

// Landing is the destination of a return to pc, a PC before insertion, or NoPC if there is no such
// instruction. Registers hold PCs from before insertion, so that the program computes the same with
// every mechanism.
func (p *Program) Landing(pc uint64) uint32 {
	switch {
	case p.landing != nil && pc < uint64(len(p.landing)):
		return p.landing[pc]
	case p.landing == nil && pc < uint64(len(p.Insts)):
		return uint32(pc)
	}
	return NoPC
}

// setLanding completes a program after insertion, given the destination of each PC from before. It
// translates the targets of calls and the entries of functions.
func (p *Program) setLanding(landing []uint32) {
	p.landing = landing
	p.Funcs = slices.Clone(p.Funcs)
	for i := range p.Funcs {
		p.Funcs[i].Entry = landing[p.Funcs[i].Entry]
	}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == OpCall && !in.Indirect() {
			in.Target = landing[in.Target]
		}
	}
}

// setReturns finds the functions that return, and those with an address.
func setReturns(p *Program) {
	p.addressed = nil
	for i := range p.Funcs {
		if p.Funcs[i].Addr != 0 {
			p.addressed = append(p.addressed, i)
		}
	}
	slices.SortFunc(p.addressed, func(a, b int) int { return cmp.Compare(p.Funcs[a].Addr, p.Funcs[b].Addr) })
	for pc := range p.Insts {
		if f := p.FuncAt(uint32(pc)); f != nil && p.Insts[pc].Returns() {
			f.returns = true
		}
	}
}

// entries are the first blocks of the kernel and its functions.
func (p *Program) entries() []int {
	list := []int{0}
	for i := range p.Funcs {
		list = append(list, p.Block(p.Funcs[i].Entry))
	}
	return list
}

// entryOf is the first block of the kernel or function that contains block b.
func (p *Program) entryOf(b int) int {
	if f := p.FuncAt(p.Blocks[b].Start); f != nil {
		return p.Block(f.Entry)
	}
	return 0
}

// leadsTo reports whether the call in can reach a function of a kind. kind gets numbers of funcAt.
func (p *Program) leadsTo(in *Inst, kind func(i int) bool) bool {
	if !in.Indirect() {
		return kind(p.funcAt(in.Target))
	}
	return slices.ContainsFunc(p.addressed, func(i int) bool { return kind(i + 1) })
}

// again reports whether the call at pc can enter its own function again before that returns.
func (p *Program) again(pc uint32) bool {
	f := p.FuncAt(pc)
	if f == nil || f.Cycle == 0 {
		return false
	}
	return p.leadsTo(&p.Insts[pc], func(i int) bool { return p.Funcs[i-1].Cycle == f.Cycle })
}

// callGraph is the call graph of a program. Its nodes are the functions, numbered by funcAt, and
// one more for indirect calls. Every indirect call leads to that node, and it leads to every
// function with an address. Nodes that call each other form a part. Callers' parts have lower
// numbers than their callees', and calls are in that order.
type callGraph struct {
	calls []call
	part  []int // by node
	parts int
}

// call is an edge from one node to another; pc is NoPC if the edge is not an instruction.
type call struct {
	pc       uint32
	from, to int
}

func (p *Program) callGraph() *callGraph {
	address := len(p.Funcs) + 1
	g := &callGraph{}
	succs := make([][]int, address+1)
	add := func(c call) {
		g.calls = append(g.calls, c)
		succs[c.from] = append(succs[c.from], c.to)
	}
	for pc := range p.Insts {
		switch in := &p.Insts[pc]; {
		case in.Op != OpCall:
		case in.Indirect():
			add(call{uint32(pc), p.funcAt(uint32(pc)), address})
		default:
			add(call{uint32(pc), p.funcAt(uint32(pc)), p.funcAt(in.Target)})
		}
	}
	for i := range p.Funcs {
		if p.Funcs[i].Addr != 0 {
			add(call{NoPC, address, i + 1})
		}
	}
	g.part, g.parts = graph.Components(succs)
	slices.SortStableFunc(g.calls, func(a, b call) int { return cmp.Compare(g.part[a.from], g.part[b.from]) })
	return g
}

// withCallees reports, by function with the kernel first, whether it or one of its callees is of a
// kind.
func (p *Program) withCallees(kind func(i int) bool) []bool {
	g := p.callGraph()
	part := make([]bool, g.parts)
	for i := range len(p.Funcs) + 1 {
		part[g.part[i]] = part[g.part[i]] || kind(i)
	}
	for _, c := range slices.Backward(g.calls) {
		part[g.part[c.from]] = part[g.part[c.from]] || part[g.part[c.to]]
	}
	list := make([]bool, len(p.Funcs)+1)
	for i := range list {
		list[i] = part[g.part[i]]
	}
	return list
}

// recursive reports whether function i, numbered by funcAt, is recursive.
func (p *Program) recursive(i int) bool { return i > 0 && p.Funcs[i-1].Cycle != 0 }
