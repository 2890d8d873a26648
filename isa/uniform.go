package isa

import "slices"

// setUniform marks the uniform branches and barriers. At a uniform branch, all threads of a CTA
// that arrive together, in the same iterations of all loops around, take the same path. At a
// uniform barrier all threads of a CTA arrive together.
//
// A value varies in each of these cases:
//
//   - A source of one of its definitions varies.
//   - It is loaded from anything but parameters and constants at a uniform address.
//   - Divergent threads bring different definitions of it to their meeting place.
//
// The modifier .uni is not used: it is a promise about a warp (PTX ISA, bra).
//
// Threads diverge at a branch that varies, and the blocks up to its post-dominator are its region.
// If the two paths have no block in common, threads meet only at the post-dominator, perhaps after
// different numbers of iterations. A value defined in the region then varies if it is live there.
// Otherwise they can meet within the region, as at a likely-convergence point, and all values
// defined in it vary. The rules are those of divergence analysis on SSA form (R. Karrenberg & S.
// Hack, Improving Performance of OpenCL on CPUs, CC 2012). With one bit per register they err on
// the side of varying.
//
// Functions are analysed separately. The values that they read of their callers are in local memory
// and so vary. Which threads of a CTA call them is unknown. Registers of the module, which
// functions share, therefore vary too.
func setUniform(p *Program, live liveSets) {
	u := uniformity{
		Program: p, live: live,
		varies: make([]bool, len(p.Regs)+len(p.Preds)), alone: make([]bool, len(p.Blocks)), parted: make([]bool,
			len(p.Blocks)),
		users: make([][]uint32, len(p.Regs)+len(p.Preds)), left: partSteps, met: make([]int, len(p.Blocks)),
		ways: [2][]int{make([]int, len(p.Blocks)), make([]int, len(p.Blocks))},
	}
	if p.Recursive {
		u.vary(Operand{Kind: OperandReg, Index: p.Frame})
	}
	u.common()
	for b := range p.Blocks {
		u.alone[b] = p.FuncAt(p.Blocks[b].Start) != nil
		u.met[b] = -2
	}
	for pc := range p.Insts {
		in := &p.Insts[pc]
		for _, o := range append(in.Src[:in.NSrc:in.NSrc], in.Guard) {
			if v := p.value(o); v >= 0 {
				u.users[v] = append(u.users[v], uint32(pc))
			}
		}
	}
	for pc := range p.Insts {
		u.visit(uint32(pc))
		u.settle()
	}
	if u.left < 0 {
		for v := range u.varies {
			u.varies[v] = true
		}
		for b := range u.alone {
			u.alone[b] = true
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
			case OpRet: // threads that return together were called together
				in.Uniform = in.Returns()
			case OpBar:
				in.Uniform = uniformGuard && !u.alone[b]
			}
		}
	}
}

// uniformity is the state of the analysis. Everything starts as uniform.
type uniformity struct {
	*Program
	live    liveSets   // by block: values read after its start
	varies  []bool     // by register and predicate
	alone   []bool     // by block: some threads may reach it without the others
	parted  []bool     // by block: the branch at its end varies
	users   [][]uint32 // by register and predicate: the PCs that read it
	pending []int      // varying values whose users have not been examined

	met   []int    // by block: the last meeting place to which the paths behind it have been followed
	ways  [2][]int // by block: the last branch from which this path leads to it
	count int      // number of branches followed
	left  int      // blocks that may still be followed
}

// partSteps bounds the blocks that are followed from all branches, far above real kernels. Beyond
// it, everything is taken to vary.
const partSteps = 1 << 23

// common marks the values that the kernel and a function, or several functions, name.
func (u *uniformity) common() {
	if len(u.Funcs) == 0 {
		return
	}
	user := make([]int, len(u.varies)) // 1 for the kernel, functions from 2 on; 0: none
	for pc := range u.Insts {
		in, fn := &u.Insts[pc], 1+u.funcAt(uint32(pc))
		for _, list := range [...][]Operand{in.Dst[:in.NDst], in.Src[:in.NSrc], {in.Guard}} {
			for _, o := range list {
				if v := u.value(o); v >= 0 {
					if user[v] != 0 && user[v] != fn {
						u.vary(o)
					}
					user[v] = fn
				}
			}
		}
	}
}

func (u *uniformity) vary(o Operand) {
	if v := u.value(o); v >= 0 && !u.varies[v] {
		u.varies[v] = true
		u.pending = append(u.pending, v)
	}
}

// settle examines again every reader of a varying value.
func (u *uniformity) settle() {
	for len(u.pending) > 0 {
		v := u.pending[len(u.pending)-1]
		u.pending = u.pending[:len(u.pending)-1]
		for _, pc := range u.users[v] {
			u.visit(pc)
		}
	}
}

func (u *uniformity) visit(pc uint32) {
	in := &u.Insts[pc]
	if u.result(in) {
		for _, d := range in.Dst[:in.NDst] {
			u.vary(d)
		}
	}
	if !in.ends() || in.Op == OpCall || in.Guard.Kind != OperandPred || !u.varies[u.value(in.Guard)] {
		return
	}
	if b := u.Block(pc); !u.parted[b] {
		u.parted[b] = true
		u.part(b, in)
	}
}

// part follows the paths of threads from the end of block b, where in varies. Threads that exit
// there never meet others again. If one path leads directly to the meeting place, the paths have no
// block in common. Blocks already followed to that place are then not followed again.
func (u *uniformity) part(b int, in *Inst) {
	u.count++
	meet := u.Blocks[b].IPDom
	var blocks []int // on the paths
	apart, short := true, len(u.Blocks[b].Succs) < 2 || slices.Contains(u.Blocks[b].Succs, meet)
	for i, s := range u.Blocks[b].Succs {
		work := []int{s}
		for len(work) > 0 && u.left >= 0 {
			v := work[len(work)-1]
			work = work[:len(work)-1]
			if v == meet || u.ways[i][v] == u.count || short && u.met[v] == meet {
				continue
			}
			u.left--
			u.ways[i][v], u.met[v] = u.count, meet
			if i > 0 && u.ways[0][v] == u.count {
				apart = false
			} else {
				blocks = append(blocks, v)
			}
			u.alone[v] = true
			work = append(work, u.Blocks[v].Succs...)
		}
	}
	if in.Op != OpBra {
		return
	}
	for _, v := range blocks {
		for pc := u.Blocks[v].Start; pc < u.Blocks[v].End; pc++ {
			in := &u.Insts[pc]
			for _, d := range in.Dst[:in.NDst] {
				if v := u.value(d); v >= 0 && (!apart || meet >= 0 && u.live.has(meet, v)) {
					u.vary(d)
				}
			}
		}
	}
}

// result reports whether threads can get different results from in.
func (u *uniformity) result(in *Inst) bool {
	switch in.Op {
	case OpAtom, OpB2R, OpTex:
		return true
	case OpLd:
		if in.Space != SpaceParam && in.Space != SpaceConst {
			return true
		}
	}
	if in.CrossLane() { // possibly the same in a warp, but not in a CTA
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
