package models

import (
	"math/bits"
	"slices"

	"divergo/isa"
)

// capri is thread block compaction that asks a table first whether compaction was adequate at a
// branch (Rhu & Erez, ISCA 2012). Where it was not, warps bypass the branch. No source says how they
// go on: the model follows the readings of docs/explanation/compaction.md.
type capri struct {
	tbc
	tops   map[*cta]*top
	table  []line            // the line used last at the end
	behind map[uint32]region // by branch
	deep   *Code             // smaller paths first
}

// line is a branch in the table.
type line struct {
	pc       uint32
	adequate bool
	lately   bool // adequate there or one level inside, since warps bypassed the branch as a block
}

// region is the code from a branch to its reconvergence point.
type region struct {
	again bool // leads back to the branch
	nests bool // has branches
	joins int  // reconvergence points, one inside the other
}

// top is the top entry of a CTA, with the branch that some of its warps have executed.
type top struct {
	warps []*lone
	at    uint32 // PC of the branch, or isa.NoPC
	how   bypass
	taken bool   // asBlock: the taken path runs first
	sides [2]int // warps with threads that take it, and with others
}

// bypass is what the warps at a branch do.
type bypass int

const (
	wait    bypass = iota // for the last one, to be compacted
	alone                 // go on, each on a stack of its own
	asBlock               // go on, on the stack of the CTA
)

// lone is a warp of the top entry.
type lone struct {
	Group
	path  *pdom  // inside a branch that it bypasses alone
	end   uint32 // of that branch
	went  bool   // has executed the open branch
	held  *Group // at the next branch
	taken uint64 // lanes that take it
}

func newCAPRI(c *Code) Model {
	t := &capri{tbc: tbc{Code: c, ctas: map[int]*cta{}}, tops: map[*cta]*top{}, behind: map[uint32]region{}}
	deep := *c
	deep.Order, t.deep = "minority", &deep
	for pc := range c.Insts {
		if t.parts(uint32(pc)) {
			t.behind[uint32(pc)] = t.look(uint32(pc))
		}
	}
	return t
}

// parts reports whether the threads of a CTA can diverge at an instruction.
func (t *capri) parts(pc uint32) bool { return t.Insts[pc].Conditional() && !t.Insts[pc].Uniform }

// look walks the code behind a branch.
func (t *capri) look(branch uint32) (r region) {
	end := t.Insts[branch].Reconv
	walk := []uint32{t.Insts[branch].Target, branch + 1}
	for i := 0; i < len(walk); i++ {
		pc := walk[i]
		if pc == end || int(pc) >= len(t.Insts) || slices.Contains(walk[:i], pc) {
			continue
		}
		in := &t.Insts[pc]
		if in.Jumps() {
			walk = append(walk, in.Target)
		}
		if in.Guard.Kind == isa.OperandPred || !in.Exits() && !in.Jumps() {
			walk = append(walk, pc+1)
		}
		switch {
		case !t.parts(pc):
		case pc == branch:
			r.again, r.nests = true, true
		default:
			if r.nests = true; in.Reconv != end {
				r.joins = max(r.joins, t.look(pc).joins)
			}
		}
	}
	r.joins++
	return r
}

// find makes the line of a branch the one used last. It returns nil if there is none.
func (t *capri) find(pc uint32) *line {
	i := slices.IndexFunc(t.table, func(l line) bool { return l.pc == pc })
	if i < 0 {
		return nil
	}
	l := t.table[i]
	t.table = append(slices.Delete(t.table, i, i+1), l)
	return &t.table[len(t.table)-1]
}

// add allocates a line, which says at first that compaction is adequate.
func (t *capri) add(pc uint32) {
	if len(t.table) == t.Entries {
		t.table = t.table[1:]
	}
	t.table = append(t.table, line{pc, true, true})
}

func (t *capri) Start(row, first, warps int, mask uint64) {
	t.tbc.Start(row, first, warps, mask)
	x := t.ctas[first]
	p := t.tops[x]
	if p == nil {
		p = &top{at: isa.NoPC}
		t.tops[x] = p
	}
	p.warps = append(p.warps, &lone{Group: group(row, 0, mask)})
}

func (t *capri) Ready() (list []Group) {
	for _, x := range t.ctas {
		p := t.tops[x]
		for _, w := range p.warps {
			switch {
			case w.held != nil, w.went && (p.how == wait || p.how == asBlock && w.PC == t.Insts[p.at].Reconv):
			case w.path != nil:
				w.path.ready(func(pc uint32, mask uint64) { list = append(list, w.some(mask, pc)) })
			default:
				list = append(list, w.Group)
			}
		}
	}
	return list
}

func (t *capri) Step(g Group, taken uint64) {
	x := t.ctas[t.of[g.Row[bits.TrailingZeros64(g.Mask)]]]
	p := t.tops[x]
	w := p.warps[slices.IndexFunc(p.warps, func(w *lone) bool { return shares(&w.Group, &g) })]
	in, take, fall := t.successors(g.PC, g.Mask, taken)
	x.exit(&g, g.Mask&^(take|fall))
	w.Group = w.some(w.Mask&^(g.Mask&^(take|fall)), w.PC)
	switch {
	case t.parts(g.PC):
		w.held, w.taken = &g, taken
		t.branch(x, w)
	case w.path != nil:
		t.private(w, g, taken)
	case take != 0:
		w.PC = in.Target
	default:
		w.PC = g.PC + 1
	}
	t.settle(x)
}

// branch executes the next branch of a warp, unless it is held: by an open one that the warp has
// executed, or bypasses alone while all warps have gone the same way.
func (t *capri) branch(x *cta, w *lone) bool {
	p, g, taken := t.tops[x], *w.held, w.taken
	take, fall := g.Mask&taken, g.Mask&^taken
	if p.at != isa.NoPC && w.went && (w.path == nil || p.sides[0] == 0 || p.sides[1] == 0) {
		return false
	}
	w.held = nil
	if w.path != nil {
		t.private(w, g, taken)
		return true
	}
	if p.at == isa.NoPC {
		t.predict(p, g.PC, take, fall)
	}
	w.went = true
	for i, lanes := range [...]uint64{take, fall} {
		if lanes != 0 {
			p.sides[i]++
		}
	}
	x.take.add(&g, take)
	x.not.add(&g, fall)
	if take != 0 && fall != 0 && t.find(g.PC) == nil {
		t.add(g.PC)
	}
	switch in := &t.Insts[g.PC]; {
	case p.how == alone:
		w.path, w.end = &pdom{t.Code, []entry{{g.PC, in.Reconv, g.Mask}}}, in.Reconv
		t.private(w, g, taken)
	case p.how == asBlock && p.taken:
		w.Group = w.some(take, in.Target)
	case p.how == asBlock:
		w.Group = w.some(fall, g.PC+1)
	}
	return true
}

// private executes an instruction of a warp inside a branch that it bypasses alone.
func (t *capri) private(w *lone, g Group, taken uint64) {
	if w.path.Code = t.Code; len(w.path.stack) >= 3 {
		w.path.Code = t.deep
	}
	w.path.step(g.PC, g.Mask, taken)
}

// predict opens a branch for its first warp.
func (t *capri) predict(p *top, pc uint32, take, fall uint64) {
	l, r, in := t.find(pc), t.behind[pc], &t.Insts[pc]
	straight := in.Target == in.Reconv || pc+1 == in.Reconv
	inside := l == nil && straight || l != nil && l.lately // the table is to see the branches inside
	p.at, p.sides, p.how = pc, [2]int{}, wait
	switch {
	case l != nil && l.adequate && !t.Static && !t.NoCompaction:
	case !r.again && r.joins <= 4 && !(r.nests && inside):
		p.how = alone
	case in.Reconv != isa.NoPC:
		if p.how = asBlock; l != nil {
			l.lately = false
		}
	}
	switch {
	case straight:
		p.taken = pc+1 == in.Reconv
	case take == 0 || fall == 0:
		p.taken = take != 0
	default:
		t.ordered(take, fall, 1, 0, func(path uint32, _ uint64) { p.taken = path == 1 })
	}
}

// settle goes on after a step: warps leave the top entry, the open branch closes, held branches follow.
func (t *capri) settle(x *cta) {
	for again := true; again && x.missing == 0; {
		t.leave(x)
		p := t.tops[x]
		switch {
		case p.at != isa.NoPC && !slices.ContainsFunc(p.warps, func(w *lone) bool { return !w.went }):
			t.close(x, p)
		case len(p.warps) == 0 && len(x.stack) > 0:
			t.activate(x)
		default:
			again = slices.ContainsFunc(p.warps, func(w *lone) bool { return w.held != nil && t.branch(x, w) })
		}
	}
}

// leave takes warps that have come to the end of the top entry, or have exited, out of it.
func (t *capri) leave(x *cta) {
	p := t.tops[x]
	p.warps = slices.DeleteFunc(p.warps, func(w *lone) bool {
		if w.path != nil && len(w.path.stack) == 0 {
			w.path, w.PC = nil, w.end
		}
		if w.Mask == 0 {
			return true
		}
		e := &x.stack[len(x.stack)-1]
		if w.path != nil || w.held != nil || e.rpc == isa.NoPC || w.PC != e.rpc || p.how != alone && w.went {
			return false
		}
		e.pc = e.rpc
		return true
	})
}

// close learns from a branch that all warps have executed.
func (t *capri) close(x *cta, p *top) {
	adequate := t.warps(&x.take) < p.sides[0] || t.warps(&x.not) < p.sides[1]
	lately := adequate
	if l := t.find(p.at); l != nil {
		l.adequate, l.lately = adequate, l.lately || adequate
		lately = adequate || l.lately && t.behind[p.at].nests
	}
	around := x.stack[len(x.stack)-1].rpc
	for i := range t.table {
		l := &t.table[i]
		l.lately = l.lately || lately && around != isa.NoPC && t.Insts[l.pc].Reconv == around
	}
	second := &x.take
	if p.taken {
		second = &x.not
	}
	switch {
	case p.how == wait:
		x.branch = p.at
		t.split(x, t.takenFirst(&x.take, &x.not))
		t.activate(x)
		return
	case p.how == asBlock && !second.empty():
		for lane, live := range x.stack[len(x.stack)-1].mask {
			x.take[lane] &= live
			x.not[lane] &= live
		}
		x.branch = p.at
		t.split(x, p.taken)
	case p.how == alone && (p.sides[0] == 0 || p.sides[1] == 0): // the branch has not divided the CTA
		for _, w := range p.warps {
			if w.path != nil {
				w.path, w.PC = nil, w.path.stack[0].pc
			}
		}
	}
	x.take, x.not, p.at = block{}, block{}, isa.NoPC
	for _, w := range p.warps {
		w.went = false
	}
}

// activate starts the warps of the top entry.
func (t *capri) activate(x *cta) {
	x.running = nil
	t.next(x)
	p := &top{at: isa.NoPC}
	for _, g := range x.running {
		p.warps = append(p.warps, &lone{Group: g})
	}
	t.tops[x] = p
}

// warps returns the warps that the compactor would make of threads.
func (t *capri) warps(b *block) (n int) {
	for _, rows := range b {
		n = max(n, bits.OnesCount64(rows))
	}
	return n
}
