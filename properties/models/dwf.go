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
// The model has no clock. Threads on their way are in the pool at the latest when two more
// instructions have issued. Which of two comes first does not follow from the paper.
//
// With warp barriers a static warp stays together until a branch divides it. Its threads then wait
// at the post-dominator of the branch for each other.
type dwf struct {
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
	live, came uint32
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

func newDWF(c *Code) Model {
	return &dwf{Code: c, pool: pool{sets: make([][]known, tableLines/c.Ways)}}
}

func newDWFWB(c *Code) Model {
	d := newDWF(c).(*dwf)
	d.joins = true
	return d
}

func (d *dwf) Start(row, _, _ int, mask uint32) {
	d.rows[row] = divided{live: mask}
	if g := group(row, 0, mask); d.joins {
		d.pool.warps = append(d.pool.warps, warpOf{g, true})
	} else {
		d.send(g)
	}
}

// send puts threads on their way.
func (d *dwf) send(g Group) {
	if g.Mask != 0 {
		d.waiting = append(d.waiting, onWay{g, d.issued})
	}
}

func (d *dwf) Ready() (list []Group) {
	for len(d.waiting) > 0 && d.issued-d.waiting[0].since >= 2 {
		d.arrive(0)
	}
	d.each(swaps, func(x *dwf) bool {
		for _, w := range x.pool.warps {
			list = append(list, w.Group)
		}
		return false
	})
	return list
}

// each calls do with the states in which some of the threads on their way have come, until it returns
// true. It returns that state, or nil. The first ones come in any order, the others one after the
// other: swaps is the number of threads that may come before older ones.
func (d *dwf) each(swaps int, do func(x *dwf) bool) *dwf {
	if do(d) {
		return d
	}
	first := 1
	if swaps > 0 {
		first = 3
	}
	for i := range min(first, len(d.waiting)) {
		x := d.clone()
		x.arrive(i)
		if found := x.each(swaps-1, do); found != nil {
			return found
		}
	}
	return nil
}

// swaps is enough for the threads that two update registers and a branch hold.
const swaps = 3

func (d *dwf) clone() *dwf {
	x := *d
	x.pool.warps, x.waiting = slices.Clone(d.pool.warps), slices.Clone(d.waiting)
	x.pool.sets = slices.Clone(d.pool.sets)
	return &x
}

func (d *dwf) Issue(g Group) {
	has := func(w warpOf) bool { return w.Group == g }
	if x := d.each(swaps, func(x *dwf) bool { return slices.ContainsFunc(x.pool.warps, has) }); x != nil {
		*d = *x
	}
	i := slices.IndexFunc(d.pool.warps, has)
	d.flight = append(d.flight, d.pool.warps[i])
	d.pool.warps = slices.Delete(d.pool.warps, i, i+1)
	d.issued++
}

func (d *dwf) Step(g Group, taken uint32) {
	i := slices.IndexFunc(d.flight, func(w warpOf) bool { return w.Group == g })
	static := d.flight[i].static
	d.flight = slices.Delete(d.flight, i, i+1)
	in, take, fall := d.successors(g.PC, g.Mask, taken)
	rows := uint64(0)
	for m := g.Mask &^ (take | fall); m != 0; m &= m - 1 { // they exit
		lane := bits.TrailingZeros32(m)
		d.rows[g.Row[lane]].live &^= 1 << lane
		rows |= 1 << g.Row[lane]
	}
	if static && (take == 0 || fall == 0) {
		if g = g.some(take|fall, g.PC+1); take != 0 {
			g.PC = in.Target
		}
		if g.Mask != 0 {
			d.pool.warps = append(d.pool.warps, warpOf{g, true})
		}
		return
	}
	if r := &d.rows[g.Row[bits.TrailingZeros32(g.Mask)]]; static && in.Reconv != isa.NoPC {
		r.barrier, r.rpc, r.came = true, in.Reconv, 0
	}
	d.send(g.some(take, in.Target))
	d.send(g.some(fall, g.PC+1))
	d.restore(rows)
}

// some returns threads of a group, at a PC.
func (g Group) some(mask, pc uint32) Group {
	s := Group{PC: pc, Mask: mask}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		s.Row[lane] = g.Row[lane]
	}
	return s
}

// restore makes static warps of those whose live threads have all come to their barrier.
func (d *dwf) restore(rows uint64) {
	for ; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows)
		if r := &d.rows[row]; r.barrier && r.live != 0 && r.came == r.live {
			r.barrier = false
			d.pool.warps = append(d.pool.warps, warpOf{group(row, r.rpc, r.live), true})
		}
	}
}

// arrive inserts threads on their way.
func (d *dwf) arrive(i int) {
	g := d.waiting[i].Group
	d.waiting = slices.Delete(d.waiting, i, i+1)
	rows := uint64(0)
	for m := g.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if r := &d.rows[g.Row[lane]]; r.barrier && r.rpc == g.PC {
			r.came |= 1 << lane
			rows |= 1 << g.Row[lane]
			g.Mask, g.Row[lane] = g.Mask&^(1<<lane), 0
		}
	}
	d.pool.insert(g, d.Ways)
	d.restore(rows)
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
			lane := bits.TrailingZeros32(m)
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
