package models

import (
	"math/bits"
	"slices"

	"divergo/isa"
	"divergo/sm"
)

// dwf is dynamic warp formation (Fung et al., MICRO 2007, section 4.2; Fung & Aamodt, HPCA 2011,
// sections 2.3 and 2.4). After each instruction the threads of a warp are on their way to the pool.
// There they join the youngest warp of their PC, if the table knows it and it has not issued.
// Threads whose lanes are taken form a warp, which the table then knows.
//
// The model has no clock. Threads on their way are in the pool at the latest when three more
// instructions have issued. The second side of a branch waits that long if an instruction issues in each
// cycle. Which of two comes first does not follow from the paper, so the model
// follows each order that agrees with what issues.
//
// With warp barriers a static warp stays together until a branch divides it. Its threads then wait
// at the post-dominator of the branch for each other.
type dwf struct{ orders []*formed }

// formed is the state of an SM.
type formed struct {
	*Code
	pool    pool
	waiting []onWay // the oldest first
	flight  []warpOf
	issued  int
	joins   bool // warp barriers
	rows    [sm.MaxWarps]divided
}

// warpOf is a warp of the pool.
type warpOf struct {
	Group
	static bool // no thread joins it
}

// onWay are threads on their way to the pool.
type onWay struct {
	Group
	since int // instructions issued before
}

// divided is a static warp that a branch has divided.
type divided struct {
	barrier    bool
	rpc        uint32
	live, came uint64
}

// known is a line of the PC-warp table.
type known struct {
	pc   uint32
	warp Group // the warp that can be joined, as it is
}

// pool has the warps that wait, and the table, by set, the line used last first.
type pool struct {
	warps []warpOf
	sets  [][]known
}

// tableLines is the size of the PC-warp table (GPGPU-Sim 2.1.1b).
const tableLines = 32

func newDWF(c *Code) Model   { return newFormed(c, false) }
func newDWFWB(c *Code) Model { return newFormed(c, true) }

func newFormed(c *Code, joins bool) Model {
	return &dwf{[]*formed{{Code: c, joins: joins, pool: pool{sets: make([][]known, tableLines/c.Ways)}}}}
}

func (d *dwf) Start(row, _, _ int, mask uint64) {
	for _, f := range d.orders {
		f.start(row, mask)
	}
}

func (d *dwf) Ready() (list []Group) {
	for _, f := range d.orders {
		for len(f.waiting) > 0 && f.issued-f.waiting[0].since >= latest {
			f.arrive(0)
		}
		f.each(swaps, func(x *formed) bool {
			for _, w := range x.pool.warps {
				list = append(list, w.Group)
			}
			return false
		})
	}
	return list
}

func (d *dwf) Issue(g Group) {
	was := d.orders
	d.orders = nil
	for _, f := range was {
		f.each(swaps, func(x *formed) bool {
			i := slices.IndexFunc(x.pool.warps, func(w warpOf) bool { return w.Group == g })
			if i < 0 {
				return false
			}
			x = x.clone()
			x.issue(i)
			if len(d.orders) < most && !slices.ContainsFunc(d.orders, x.same) {
				d.orders = append(d.orders, x)
			}
			return true
		})
	}
}

func (d *dwf) Step(g Group, taken uint64) {
	for _, f := range d.orders {
		f.step(g, taken)
	}
}

// latest is the number of instructions that issue until the last threads on their way are in the pool.
const latest = 3

// most is the number of orders that the model follows.
const most = 16

func (f *formed) start(row int, mask uint64) {
	f.rows[row] = divided{live: mask}
	if g := group(row, 0, mask); f.joins {
		f.pool.warps = append(f.pool.warps, warpOf{g, true})
	} else {
		f.send(g)
	}
}

// send puts threads on their way.
func (f *formed) send(g Group) {
	if g.Mask != 0 {
		f.waiting = append(f.waiting, onWay{g, f.issued})
	}
}

// each calls do with the states in which some of the threads on their way have come. After a state for
// which do returns true it does not go on with more of them. The first ones come in any order, the
// others one after the other: swaps is the number of threads that may come before older ones.
func (f *formed) each(swaps int, do func(x *formed) bool) {
	if do(f) {
		return
	}
	first := 1
	if swaps > 0 {
		first = 3
	}
	for i := range min(first, len(f.waiting)) {
		x := f.clone()
		x.arrive(i)
		x.each(swaps-1, do)
	}
}

// swaps is enough for the threads that two update registers and a branch hold.
const swaps = 3

func (f *formed) clone() *formed {
	x := *f
	x.pool.warps, x.waiting = slices.Clone(f.pool.warps), slices.Clone(f.waiting)
	x.pool.sets, x.flight = slices.Clone(f.pool.sets), slices.Clone(f.flight)
	return &x
}

// same reports whether two states have the same threads in the same warps and on their way, and the
// same table.
func (f *formed) same(o *formed) bool {
	return slices.Equal(f.waiting, o.waiting) && slices.Equal(f.pool.warps, o.pool.warps) &&
		slices.EqualFunc(f.pool.sets, o.pool.sets, slices.Equal[[]known])
}

// issue takes a warp out of the pool.
func (f *formed) issue(i int) {
	f.flight = append(f.flight, f.pool.warps[i])
	f.pool.warps = slices.Delete(f.pool.warps, i, i+1)
	f.issued++
}

func (f *formed) step(g Group, taken uint64) {
	i := slices.IndexFunc(f.flight, func(w warpOf) bool { return w.Group == g })
	static := f.flight[i].static
	f.flight = slices.Delete(f.flight, i, i+1)
	in, take, fall := f.successors(g.PC, g.Mask, taken)
	rows := uint64(0)
	for m := g.Mask &^ (take | fall); m != 0; m &= m - 1 { // they exit
		lane := bits.TrailingZeros64(m)
		f.rows[g.Row[lane]].live &^= 1 << lane
		rows |= 1 << g.Row[lane]
	}
	if static && (take == 0 || fall == 0) {
		if g = g.some(take|fall, g.PC+1); take != 0 {
			g.PC = in.Target
		}
		if g.Mask != 0 {
			f.pool.warps = append(f.pool.warps, warpOf{g, true})
		}
		return
	}
	if r := &f.rows[g.Row[bits.TrailingZeros64(g.Mask)]]; static && in.Reconv != isa.NoPC {
		r.barrier, r.rpc, r.came = true, in.Reconv, 0
	}
	f.send(g.some(take, in.Target))
	f.send(g.some(fall, g.PC+1))
	f.restore(rows)
}

// some returns threads of a group, at a PC.
func (g Group) some(mask uint64, pc uint32) Group {
	s := Group{PC: pc, Mask: mask}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		s.Row[lane] = g.Row[lane]
	}
	return s
}

// restore makes static warps of those whose live threads have all come to their barrier.
func (f *formed) restore(rows uint64) {
	for ; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows)
		if r := &f.rows[row]; r.barrier && r.live != 0 && r.came == r.live {
			r.barrier = false
			f.pool.warps = append(f.pool.warps, warpOf{group(row, r.rpc, r.live), true})
		}
	}
}

// arrive inserts threads on their way.
func (f *formed) arrive(i int) {
	g := f.waiting[i].Group
	f.waiting = slices.Delete(f.waiting, i, i+1)
	rows := uint64(0)
	for m := g.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if r := &f.rows[g.Row[lane]]; r.barrier && r.rpc == g.PC {
			r.came |= 1 << lane
			rows |= 1 << g.Row[lane]
			g.Mask, g.Row[lane] = g.Mask&^(1<<lane), 0
		}
	}
	f.pool.insert(g, f.Ways)
	f.restore(rows)
}

// insert lets threads join the youngest warp of their PC, and forms a warp of the others.
func (p *pool) insert(g Group, ways int) {
	if g.Mask == 0 {
		return
	}
	set := &p.sets[int(g.PC)%len(p.sets)]
	line, lines := known{pc: g.PC}, slices.Clone(*set) // states share the lines of a set
	if i := slices.IndexFunc(lines, func(l known) bool { return l.pc == g.PC }); i >= 0 {
		line = lines[i]
		lines = slices.Delete(lines, i, i+1)
	} else if len(lines) == ways {
		lines = lines[:ways-1] // without the one used longest ago
	}
	if at := slices.Index(p.warps, warpOf{line.warp, false}); at >= 0 {
		w := &p.warps[at].Group
		for m := g.Mask &^ w.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			w.Mask |= 1 << lane
			w.Row[lane] = g.Row[lane]
			g.Mask, g.Row[lane] = g.Mask&^(1<<lane), 0
		}
		line.warp = *w
	}
	if g.Mask != 0 {
		p.warps = append(p.warps, warpOf{g, false})
		line.warp = g
	}
	*set = slices.Insert(lines, 0, line)
}
