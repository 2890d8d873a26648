package isa

import "sort"

// Analyze computes the control-flow facts of p that hardware and tools need: basic blocks,
// dominators and post-dominators. For branches it sets reconvergence PC, likely-convergence PC,
// class and uniformity; for p, the registers live at once. The targets of branches must be in
// range. Analyze returns an error if the live values are too many to analyse.
func Analyze(p *Program) error {
	p.flow()
	if len(p.Blocks) == 0 {
		return nil
	}
	live, err := liveness(p, maxLive)
	if err != nil {
		return err
	}
	p.LiveRegs = liveRegs(p, live)
	setClasses(p, live)
	setUniform(p, live)
	return nil
}

// flow is the part of the analysis that depends on the layout of instructions.
func (p *Program) flow() {
	p.Blocks = blocks(p)
	setReturns(p)
	if len(p.Blocks) == 0 {
		return
	}
	setDominators(p)
	setConvergence(p)
}

// ends reports whether in is the last instruction of its block.
func (in *Inst) ends() bool {
	return in.Jumps() || in.Exits() || in.Op == OpCall || in.Returns()
}

// blocks divides p into basic blocks and connects them.
func blocks(p *Program) []Block {
	leader := make([]bool, len(p.Insts)+1)
	leader[0] = true
	for pc := range p.Insts {
		if in := &p.Insts[pc]; in.ends() {
			leader[pc+1] = true
			if in.Jumps() {
				leader[in.Target] = true
			}
		}
	}
	var list []Block
	at := make([]int, len(p.Insts)) // block by PC
	for pc := range p.Insts {
		if leader[pc] {
			list = append(list, Block{Start: uint32(pc), IPDom: -1, IDom: -1})
		}
		at[pc] = len(list) - 1
		list[len(list)-1].End = uint32(pc) + 1
	}
	for i := range list {
		b := &list[i]
		last := &p.Insts[b.End-1]
		if !last.EndsPath() && i+1 < len(list) {
			b.Succs = append(b.Succs, i+1)
		}
		if last.Jumps() {
			if t := at[last.Target]; len(b.Succs) == 0 || b.Succs[0] != t {
				b.Succs = append(b.Succs, t)
			}
		}
	}
	for i := range list {
		for _, s := range list[i].Succs {
			list[s].Preds = append(list[s].Preds, i)
		}
	}
	return list
}

// find is the index of the block that holds pc.
func find(list []Block, pc uint32) int {
	return sort.Search(len(list), func(i int) bool { return list[i].End > pc })
}

// Block is the index of the basic block that holds pc.
func (p *Program) Block(pc uint32) int { return find(p.Blocks, pc) }

// leaves reports whether threads leave the kernel or function from block b: by an exit, guarded or
// not, or at the end of the program. In a function only the return counts. Threads that end in it
// never meet others again, so the returning threads can meet as if those had not been there.
func leaves(p *Program, b *Block) bool {
	last := &p.Insts[b.End-1]
	if f := p.FuncAt(b.Start); f != nil && f.returns {
		return last.Returns()
	}
	return last.Exits() || last.Returns() || len(b.Succs) == 0
}
