package models

import (
	"math/bits"
	"slices"

	"divergo/isa"
	"divergo/sm"
)

// tbc is thread block compaction (Fung & Aamodt, HPCA 2011, section 3): a stack for each CTA, with
// warps that the compactor forms of the threads of the top entry.
type tbc struct {
	*Code
	likely bool         // join at likely-convergence points, too (section 4)
	ctas   map[int]*cta // by first row
	of     [sm.MaxWarps]int
}

// block is a set of threads of a CTA: for each lane the rows.
type block [isa.MaxLanes]uint64

type cta struct {
	missing   int // warps that have not started
	stack     []blocks
	running   []Group
	branch    uint32 // PC of the branch at which warps wait, or isa.NoPC
	take, not block
}

type blocks struct {
	pc, rpc uint32
	mask    block
	lpc     uint32
	lpos    int
	bottom  bool // the entry of the launch: that of all live threads
}

func newTBC(c *Code) Model    { return &tbc{Code: c, ctas: map[int]*cta{}} }
func newTBCLCP(c *Code) Model { return &tbc{Code: c, ctas: map[int]*cta{}, likely: true} }

func (b *block) add(g *Group, lanes uint64) {
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		b[lane] |= 1 << g.Row[lane]
	}
}

func (b *block) empty() bool { return *b == block{} }

func (t *tbc) Start(row, first, warps int, mask uint64) {
	x := t.ctas[first]
	if x == nil || x.missing == 0 {
		x = &cta{missing: warps, branch: isa.NoPC, stack: []blocks{{rpc: isa.NoPC, lpc: isa.NoPC, bottom: true}}}
		t.ctas[first] = x
	}
	x.missing--
	t.of[row] = first
	g := group(row, 0, mask)
	x.stack[0].mask.add(&g, mask)
	x.running = append(x.running, g)
}

// exit takes lanes of a group out of the stack.
func (x *cta) exit(g *Group, lanes uint64) {
	var gone block
	gone.add(g, lanes)
	for i := range x.stack {
		for lane := range gone {
			x.stack[i].mask[lane] &^= gone[lane]
		}
	}
}

func (t *tbc) Ready() (list []Group) {
	for _, x := range t.ctas {
		list = append(list, x.running...)
	}
	return list
}

func (t *tbc) Issue(Group) {}

func (t *tbc) Step(g Group, taken uint64) {
	x := t.ctas[t.of[g.Row[bits.TrailingZeros64(g.Mask)]]]
	x.running = slices.DeleteFunc(x.running, func(o Group) bool { return o == g })
	in, take, fall := t.successors(g.PC, g.Mask, taken)
	x.exit(&g, g.Mask&^(take|fall))
	switch {
	case in.Conditional() && !in.Uniform: // rules 3 and 10
		x.branch = g.PC
		x.take.add(&g, take)
		x.not.add(&g, fall)
	case take|fall != 0:
		next := Group{PC: g.PC + 1, Mask: take | fall}
		if take != 0 {
			next.PC = in.Target
		}
		for m := next.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			next.Row[lane] = g.Row[lane]
		}
		if top := x.stack[len(x.stack)-1]; next.PC == isa.NoPC || next.PC != top.rpc && next.PC != top.lpc {
			x.running = append(x.running, next)
		} else {
			x.stack[len(x.stack)-1].pc = next.PC
		}
	}
	if len(x.running) == 0 && x.missing == 0 {
		t.ended(x)
	}
}

// ended goes on when all warps of the top entry wait or have left: rules 4 to 7.
func (t *tbc) ended(x *cta) {
	if x.branch != isa.NoPC {
		t.split(x, t.takenFirst(&x.take, &x.not))
	}
	t.next(x)
}

// split divides the top entry at the branch that its warps have executed.
func (t *tbc) split(x *cta, takenFirst bool) {
	in := &t.Insts[x.branch]
	n := len(x.stack) - 1
	lpc, lpos := x.stack[n].lpc, x.stack[n].lpos
	if in.Reconv != x.stack[n].rpc {
		x.stack[n].pc, lpc = in.Reconv, isa.NoPC
	} else {
		x.stack = x.stack[:n]
	}
	divided := !x.take.empty() && !x.not.empty()
	if t.likely && divided && in.Likely != isa.NoPC && in.Likely != in.Reconv && in.Likely != lpc {
		x.stack = append(x.stack, blocks{in.Likely, in.Reconv, block{}, lpc, lpos, false})
		lpc, lpos = in.Likely, len(x.stack)-1
	}
	taken := blocks{in.Target, in.Reconv, x.take, lpc, lpos, false}
	not := blocks{x.branch + 1, in.Reconv, x.not, lpc, lpos, false}
	if takenFirst {
		x.stack = append(x.stack, not, taken)
	} else {
		x.stack = append(x.stack, taken, not)
	}
	x.branch, x.take, x.not = isa.NoPC, block{}, block{}
}

// next pops entries that have ended, and starts the warps of the top one.
func (t *tbc) next(x *cta) {
	for n := len(x.stack) - 1; n >= 0; n-- {
		e := &x.stack[n]
		switch {
		case e.mask.empty(), e.pc == e.rpc && e.rpc != isa.NoPC:
		case e.pc == e.lpc && e.lpc != isa.NoPC:
			for lane := range e.mask {
				x.stack[e.lpos].mask[lane] |= e.mask[lane]
			}
		default:
			x.running = t.compact(e)
			return
		}
		x.stack = x.stack[:n]
	}
}

func (t *tbc) takenFirst(take, not *block) bool {
	a, b := 0, 0
	for lane := range take {
		a += bits.OnesCount64(take[lane])
		b += bits.OnesCount64(not[lane])
	}
	switch t.Order {
	case "not-taken":
		return false
	case "majority":
		return a >= b
	case "minority":
		return a <= b
	}
	return true
}

// compact forms warps: of each lane the lowest row that is left, one warp after the other (rule 5).
// With the compactor off, and in the entry of the launch, they are the static warps (rules 11 and 12).
func (t *tbc) compact(e *blocks) (list []Group) {
	left := e.mask
	for !left.empty() {
		g := Group{PC: e.pc}
		row := -1
		for lane := range left {
			if r := bits.TrailingZeros64(left[lane]); left[lane] != 0 && (row < 0 || r < row) {
				row = r
			}
		}
		for lane := range left {
			r := bits.TrailingZeros64(left[lane])
			if left[lane] == 0 || (e.bottom || t.Static || t.NoCompaction) && r != row {
				continue
			}
			left[lane] &^= 1 << r
			g.Mask |= 1 << lane
			g.Row[lane] = uint8(r)
		}
		list = append(list, g)
	}
	return list
}
