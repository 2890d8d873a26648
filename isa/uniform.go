package isa

// setUniform marks the branches that threads of a CTA which come to them
// together, in the same iterations of all loops around, take the same way; and
// the barriers that all threads of a CTA come to together.
//
// A value varies if a source of one of its definitions does, if it is loaded
// from anything but parameters and constants at a uniform address, or if
// threads whose ways have parted bring different definitions of it to where
// they meet. What .uni promises is not used: it is a promise about a warp (PTX
// ISA, bra).
//
// Ways part at a branch that varies, and the blocks up to its post-dominator are
// its region. If the two ways have no block in common, threads meet at the
// post-dominator only, after different numbers of iterations perhaps, and a
// value defined in the region varies if it is live there. Otherwise they can
// meet within the region, as at a likely-convergence point, and all values
// defined in it vary. (The rules are those of divergence analysis on SSA form, R.
// Karrenberg and S. Hack, Improving Performance of OpenCL on CPUs, CC 2012, with
// one bit for each register, which errs on the side of varying.)
//
// Functions are analysed by themselves: what they read of their callers is in
// local memory, so that it varies, and it is not known which threads of a CTA
// call them. So what a function has in common with others, registers of the
// module, varies as well.
func setUniform(p *Program, live []valueSet) {
	u := uniformity{
		Program: p, live: live,
		varies: make([]bool, len(p.Regs)+len(p.Preds)), alone: make([]bool, len(p.Blocks)), parted: make([]bool, len(p.Blocks)),
	}
	if p.Recursive {
		u.varies[p.Frame] = true
	}
	u.common()
	for b := range p.Blocks {
		u.alone[b] = p.FuncAt(p.Blocks[b].Start) != nil
	}
	for u.changed = true; u.changed; {
		u.changed = false
		for b := range p.Blocks {
			u.block(b)
		}
	}
	for b := range p.Blocks {
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			in := &p.Insts[pc]
			uniformGuard := in.Guard.Kind != OperandPred || !u.varies[p.value(in.Guard)]
			switch in.Op {
			case OpBra:
				in.Uniform = uniformGuard
			case OpCall:
				in.Uniform = !in.Indirect() || in.Src[1].Kind == OperandImm || !u.varies[p.value(in.Src[1])]
			case OpRet: // threads that are there together were called together
				in.Uniform = in.Returns()
			case OpBar:
				in.Uniform = uniformGuard && !u.alone[b]
			}
		}
	}
}

// uniformity is the state of the analysis; everything starts as uniform.
type uniformity struct {
	*Program
	live    []valueSet // by block: what is read after its start
	varies  []bool     // by register and predicate
	alone   []bool     // by block: some threads may get there without the others
	parted  []bool     // by block: the branch at its end varies
	changed bool
}

// common marks the values that several of the kernel and its functions name.
func (u *uniformity) common() {
	if len(u.Funcs) == 0 {
		return
	}
	user := make([]int, len(u.varies)) // 1 for the kernel, functions from 2 on; 0: nobody
	for pc := range u.Insts {
		in, fn := &u.Insts[pc], 1+u.funcAt(uint32(pc))
		for _, list := range [...][]Operand{in.Dst[:in.NDst], in.Src[:in.NSrc], {in.Guard}} {
			for _, o := range list {
				if v := u.value(o); v >= 0 {
					u.varies[v] = u.varies[v] || user[v] != 0 && user[v] != fn
					user[v] = fn
				}
			}
		}
	}
}

func (u *uniformity) vary(o Operand) {
	if v := u.value(o); v >= 0 && !u.varies[v] {
		u.varies[v], u.changed = true, true
	}
}

func (u *uniformity) block(b int) {
	for pc := u.Blocks[b].Start; pc < u.Blocks[b].End; pc++ {
		in := &u.Insts[pc]
		if u.result(in) {
			for _, d := range in.Dst[:in.NDst] {
				u.vary(d)
			}
		}
		if in.ends() && in.Op != OpCall && in.Guard.Kind == OperandPred && u.varies[u.value(in.Guard)] && !u.parted[b] {
			u.parted[b], u.changed = true, true
			u.part(b, in)
		}
	}
}

// part follows the ways that threads take from the end of block b, where in
// varies. Threads that exit there never meet others again.
func (u *uniformity) part(b int, in *Inst) {
	var ways [2][]bool
	for i := range ways {
		ways[i] = make([]bool, len(u.Blocks))
	}
	meet := u.Blocks[b].IPDom
	for i, s := range u.Blocks[b].Succs {
		u.mark(ways[i], s, meet)
	}
	apart := true
	for i := range u.Blocks {
		apart = apart && !(ways[0][i] && ways[1][i])
		if ways[0][i] || ways[1][i] {
			u.alone[i] = true
		}
	}
	if in.Op != OpBra {
		return
	}
	for i := range u.Blocks {
		if !ways[0][i] && !ways[1][i] {
			continue
		}
		for pc := u.Blocks[i].Start; pc < u.Blocks[i].End; pc++ {
			in := &u.Insts[pc]
			for _, d := range in.Dst[:in.NDst] {
				if v := u.value(d); v >= 0 && (!apart || meet >= 0 && u.live[meet].has(v)) {
					u.vary(d)
				}
			}
		}
	}
}

// mark adds block b and all that follows before block stop to way.
func (u *uniformity) mark(way []bool, b, stop int) {
	for work := []int{b}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v != stop && !way[v] {
			way[v] = true
			work = append(work, u.Blocks[v].Succs...)
		}
	}
}

// result reports whether threads can get different results from in.
func (u *uniformity) result(in *Inst) bool {
	switch in.Op {
	case OpAtom, OpB2R:
		return true
	case OpLd:
		if in.Space != SpaceParam && in.Space != SpaceConst {
			return true
		}
	}
	if in.CrossLane() { // the same in a warp perhaps, but not in a CTA
		return true
	}
	if v := u.value(in.Guard); v >= 0 && u.varies[v] {
		return true
	}
	for _, s := range in.Src[:in.NSrc] {
		if v := u.value(s); v >= 0 && u.varies[v] {
			return true
		}
		if s.Kind == OperandSpecial {
			switch Special(s.Index) {
			case TidX, TidY, TidZ, LaneID, WarpID, Clock, ClockHi, Clock64, GlobalTimer,
				LanemaskEq, LanemaskLe, LanemaskLt, LanemaskGe, LanemaskGt:
				return true
			}
		}
	}
	return false
}
