package isa

import (
	"errors"
	"slices"
)

// liveSets lists, by block, the values that a thread at its start may still read. These are
// registers and predicates, numbered by value, ascending.
type liveSets [][]uint16

// index is the place of a value among those live at the start of block b.
func (l liveSets) index(b, v int) (i int, live bool) {
	return slices.BinarySearch(l[b], uint16(v))
}

func (l liveSets) has(b, v int) bool {
	_, live := l.index(b, v)
	return live
}

// maxLive bounds the sum of the live values at the starts of all blocks: 6,700 in each of 10,000
// blocks. Kernels that compilers emit stay far below.
const maxLive = 1 << 26

var errLive = errors.New("too many registers are live in too many basic blocks: more than 2^26, all blocks together")

// chains are lists of blocks, one per value.
type chains struct {
	last  []int // by value: 1 plus its last entry
	links []link
}

type link struct{ block, next int }

func (c *chains) add(v, b int) {
	if at := c.last[v]; at > 0 && c.links[at-1].block == b {
		return
	}
	c.links = append(c.links, link{b, c.last[v]})
	c.last[v] = len(c.links)
}

// liveness follows each value backwards from the blocks that read it first to those that write it.
// It thus takes time only for live values. It returns an error if there are more than most.
func liveness(p *Program, most int) (liveSets, error) {
	values := len(p.Regs) + len(p.Preds)
	reads, writes := chains{last: make([]int, values)}, chains{last: make([]int, values)}
	written := make([]int, values) // 1 plus the last block that writes it
	for b := range p.Blocks {
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			in := &p.Insts[pc]
			read := func(o Operand) {
				if v := p.value(o); v >= 0 && written[v] != b+1 {
					reads.add(v, b)
				}
			}
			for _, s := range in.Src[:in.NSrc] {
				read(s)
			}
			read(in.Guard)
			if in.keeps() {
				continue
			}
			for _, d := range in.Dst[:in.NDst] {
				if v := p.value(d); v >= 0 {
					written[v] = b + 1
					writes.add(v, b)
				}
			}
		}
	}
	live := make(liveSets, len(p.Blocks))
	// first holds, by block, the place of its predecessors in preds: from first[b] on. They lie in
	// a row, since memory accesses dominate the time here.
	first, preds := make([]int32, 1, len(p.Blocks)+1), []int32{}
	for b := range p.Blocks {
		for _, u := range p.Blocks[b].Preds {
			preds = append(preds, int32(u))
		}
		first = append(first, int32(len(preds)))
	}
	done := make([]int32, len(p.Blocks)) // 1 plus the last value whose liveness at the start is known
	var work []int32
	for v := range values {
		enter := func(b int32) {
			live[b] = append(live[b], uint16(v))
			done[b] = int32(v) + 1
			work = append(work, b)
			most--
		}
		for at := reads.last[v]; at > 0; at = reads.links[at-1].next {
			enter(int32(reads.links[at-1].block))
		}
		for at := writes.last[v]; at > 0; at = writes.links[at-1].next {
			done[writes.links[at-1].block] = int32(v) + 1
		}
		for len(work) > 0 && most >= 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, u := range preds[first[b]:first[b+1]] {
				if done[u] != int32(v)+1 {
					enter(u)
				}
			}
		}
		if most < 0 {
			return nil, errLive
		}
	}
	return live, nil
}

// keeps reports whether the destinations of in may keep their old values. That holds for a guarded
// instruction, and for a call: in a recursive function its own link register is live, which the
// caller restores.
func (in *Inst) keeps() bool { return in.Guard.Kind == OperandPred || in.Op == OpCall }

// liveState is the set of live values at one place, with their number of 32-bit registers. 64-bit
// registers count twice, predicates not at all.
type liveState struct {
	*Program
	live  liveSets
	in    []int // by value: the block for which it was added last
	block int   // counted from 1
	units int
}

func (p *Program) liveState(live liveSets) *liveState {
	return &liveState{Program: p, live: live, in: make([]int, len(p.Regs)+len(p.Preds))}
}

func (s *liveState) width(v int) int {
	switch {
	case v >= len(s.Regs):
		return 0
	case s.Regs[v].Type.Bits() > 32:
		return 2
	}
	return 1
}

func (s *liveState) has(v int) bool { return s.in[v] == s.block }

func (s *liveState) add(v int) {
	if v >= 0 && !s.has(v) {
		s.in[v] = s.block
		s.units += s.width(v)
	}
}

func (s *liveState) remove(v int) {
	if v >= 0 && s.has(v) {
		s.in[v] = 0
		s.units -= s.width(v)
	}
}

// out sets the state to that at the end of block b.
func (s *liveState) out(b int) {
	s.block, s.units = b+1, 0
	for _, next := range s.Blocks[b].Succs {
		for _, v := range s.live[next] {
			s.add(int(v))
		}
	}
}

// before moves the state backwards over in.
func (s *liveState) before(in *Inst) {
	if !in.keeps() {
		for _, d := range in.Dst[:in.NDst] {
			s.remove(s.value(d))
		}
	}
	for _, o := range in.Src[:in.NSrc] {
		s.add(s.value(o))
	}
	s.add(s.value(in.Guard))
}

// liveRegs is the largest number of live 32-bit registers at one PC. A result counts where it is
// written, even if it is never read. Inside a function the values that its callers still read count
// too.
func liveRegs(p *Program, live liveSets) int {
	across := map[uint32]int{}          // by PC of a call: live values across it
	most := make([]int, len(p.Funcs)+2) // by node of the call graph
	state := p.liveState(live)
	for b := range p.Blocks {
		f := p.funcAt(p.Blocks[b].Start)
		state.out(b)
		for pc := int(p.Blocks[b].End) - 1; pc >= int(p.Blocks[b].Start); pc-- {
			in := &p.Insts[pc]
			if in.Op == OpCall && !p.again(uint32(pc)) { // otherwise the values are in the frame
				across[uint32(pc)] = state.units
			}
			for _, d := range in.Dst[:in.NDst] {
				state.add(p.value(d))
			}
			most[f] = max(most[f], state.units)
			state.before(in)
		}
		most[f] = max(most[f], state.units)
	}
	g := p.callGraph()
	part := make([]int, g.parts)
	for f, n := range most {
		part[g.part[f]] = max(part[g.part[f]], n)
	}
	for _, c := range slices.Backward(g.calls) {
		if from, to := g.part[c.from], g.part[c.to]; from != to {
			part[from] = max(part[from], across[c.pc]+part[to])
		}
	}
	return part[g.part[0]]
}
