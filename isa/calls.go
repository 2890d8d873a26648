package isa

import (
	"cmp"
	"slices"
	"sort"

	"divergo/internal/graph"
)

// Func is a device function of a program. Its instructions follow those of the
// kernel. A call writes where to return to into the function's link register,
// which its return jumps through; functions that are called by address share
// one. Parameters and results are in local memory.
type Func struct {
	Name  string
	Entry uint32
	Addr  uint64 // what an indirect call names it by; 0 if nobody takes its address
	Link  uint16 // register
	// Cycle is 0 for a function that a thread is never in twice at a time. Others
	// have the same number if they call one another. Their parameters and
	// variables are in a frame of this many bytes on the stack.
	Cycle   int
	Frame   uint32
	Masks   uint32 // where it has room for MaxBarriers masks (WithBarriers)
	returns bool   // it has a return; otherwise its threads end
}

// FuncAt is the function that the instruction at pc belongs to, nil for the
// kernel.
func (p *Program) FuncAt(pc uint32) *Func {
	if i := p.funcAt(pc); i > 0 {
		return &p.Funcs[i-1]
	}
	return nil
}

// funcAt numbers the function at pc from 1; the kernel is 0.
func (p *Program) funcAt(pc uint32) int {
	return sort.Search(len(p.Funcs), func(i int) bool { return p.Funcs[i].Entry > pc })
}

// Callee is the entry of the function with an address; false if there is none.
func (p *Program) Callee(addr uint64) (pc uint32, ok bool) {
	i, found := slices.BinarySearchFunc(p.addressed, addr, func(i int, addr uint64) int { return cmp.Compare(p.Funcs[i].Addr, addr) })
	if !found {
		return NoPC, false
	}
	return p.Funcs[p.addressed[i]].Entry, true
}

// OnStack reports whether in accesses the frame of a function.
func (p *Program) OnStack(in *Inst) bool {
	return p.Recursive && in.Src[0].Kind == OperandReg && in.Src[0].Index == p.Frame
}

// Landing is where a thread goes that returns to pc, which is a PC before
// instructions have been inserted: registers hold such PCs, so that the program
// computes the same with every mechanism. NoPC if there is no such instruction.
func (p *Program) Landing(pc uint64) uint32 {
	switch {
	case p.landing != nil && pc < uint64(len(p.landing)):
		return p.landing[pc]
	case p.landing == nil && pc < uint64(len(p.Insts)):
		return uint32(pc)
	}
	return NoPC
}

// setLanding completes a program that instructions have been inserted into, with
// where to go for each PC of before. The targets of calls and the entries of
// functions are such PCs.
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

// setReturns finds the functions that return, and those that have an address.
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

// entries are the blocks at which the kernel and its functions start.
func (p *Program) entries() []int {
	list := []int{0}
	for i := range p.Funcs {
		list = append(list, p.Block(p.Funcs[i].Entry))
	}
	return list
}

// entryOf is the block at which the kernel or function starts that block b
// belongs to.
func (p *Program) entryOf(b int) int {
	if f := p.FuncAt(p.Blocks[b].Start); f != nil {
		return p.Block(f.Entry)
	}
	return 0
}

// leadsTo reports whether a call can lead to a function of a kind, which gets its
// number as by funcAt.
func (p *Program) leadsTo(in *Inst, kind func(i int) bool) bool {
	if !in.Indirect() {
		return kind(p.funcAt(in.Target))
	}
	return slices.ContainsFunc(p.addressed, func(i int) bool { return kind(i + 1) })
}

// again reports whether the function that is at pc can be entered again by the
// call there, before it returns.
func (p *Program) again(pc uint32) bool {
	f := p.FuncAt(pc)
	if f == nil || f.Cycle == 0 {
		return false
	}
	return p.leadsTo(&p.Insts[pc], func(i int) bool { return p.Funcs[i-1].Cycle == f.Cycle })
}

// callGraph is who calls whom: functions as by funcAt, and one node more, which
// all indirect calls lead to and which leads to all functions that have an
// address. Nodes that call each other are a part; parts are numbered with
// callers before those that they call, and calls are in that order.
type callGraph struct {
	calls []call
	part  []int // by node
	parts int
}

// call leads from one node to another; pc is NoPC if that is no instruction.
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

// withCallees reports by function, the kernel first, whether it or what it calls
// is of a kind.
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

// recursive reports whether function i, as by funcAt, is.
func (p *Program) recursive(i int) bool { return i > 0 && p.Funcs[i-1].Cycle != 0 }
