package stacks

import (
	"fmt"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var multipathMechanisms = []divergence.Mechanism{{
	Name:   "multipath",
	Doc:    "splits of a warp in two tables: all paths of all its branches interleave, and meet at post-dominators",
	Params: multiPathKeys,
	Counts: multiCounts{},
	Promises: divergence.Promises{
		Meets: true, InStep: true, Arrival: divergence.ByPath, Prompt: 1,
		Depth: divergence.PerLane,
	},
	New: func(e divergence.Env) (divergence.Policy, error) { return newMultiPath(e) },
}}

// multiPathKeys are the parameters of multipath, with their defaults.
var multiPathKeys = divergence.NewParams("multipath", multiPathParams{Paths: 8})

// multiPathParams are the parameters of multipath.
type multiPathParams struct {
	Paths int `toml:"paths" range:"1..32" unit:"splits" doc:"of a warp that have a slot each; others wait until one is free" source:"ours"`
}

type multiCounts struct {
	Splits uint64 `name:"splits" stat:"peak" unit:"splits" doc:"most of a warp at a time" source:"ElTantawy et al., HPCA 2014"`
	Parked uint64 `name:"parked" unit:"splits" doc:"that found no slot free" source:"this model"`
}

// MultiPath is the multi-path model (ElTantawy, Ma, O'Connor & Aamodt, A Scalable Multi-Path
// Microarchitecture for Efficient GPU Control Flow, HPCA 2014). Two tables replace the stack. The
// splits of a warp, each a group of threads at one PC, can all issue. The reconvergence table has
// an entry for each branch whose sides have not met.
//
//	 splits                      reconvergence table
//	+----+------+-------+       +----+------+---------+--------+
//	| PC | mask | entry | ----> | PC | mask | pending | parent | --+
//	+----+------+-------+       +----+------+---------+--------+   |
//	| PC | mask | entry | --+-> | PC | mask | pending | parent | <-+
//	+----+------+-------+   |   +----+------+---------+--------+
//	| PC | mask | entry | --+
//	+----+------+-------+
//
// A split that diverges moves to the reconvergence table. The PC of its entry is the
// post-dominator; mask and pending are its threads. Two splits, one for each side, lead to this
// entry. A split that reaches the entry's PC ends, and its threads are removed from pending. When
// none are pending, the entry ends too. Its threads become a split again, which leads to the
// parent.
//
// The sides lead to the split's own entry if that has the same post-dominator, so that loops do not
// fill the table. They also do so if the branch has no post-dominator. An example is the return of
// a function in which threads of several calls have joined.
//
// Opportunistic early reconvergence is not modelled. By it a split that reaches the PC of another
// split with the same entry joins that split.
//
// Beyond the paper, where it is silent:
//
//   - A split has a slot with its own I-buffer. A free slot goes to the split that has waited
//     longest. A split that waits at a CTA barrier makes room for others.
//   - Threads that exit leave all entries. The bottom entry, number 0, collects threads that meet
//     only at the exit.
//   - A warp arrives at a CTA barrier when no split of it can run.
//
// The slots of warp w begin at w*paths.
type MultiPath struct {
	divergence.Warps
	To     *rtl.Mem[uint8]    `bits:"5"`     // by slot: the entry that its split leads to
	Rejoin *rtl.Mem[Rejoin]   `trace:"true"` // by warp and entry; one without threads is free
	Pool   units.Stack[Split] // by warp: splits without a slot, the oldest on top
	Own    divergence.Counted[multiCounts]

	lanes int
	first divergence.First
}

// Rejoin is an entry of a reconvergence table.
type Rejoin struct {
	At      divergence.Point // where its threads meet, or Nowhere
	Mask    uint64           `bits:"lanes"`
	Pending uint64           `bits:"lanes"` // threads of Mask that have not arrived
	Parent  uint8            `bits:"5"`     // entry that they lead to next
}

// Split is a path on its way to an entry.
type Split struct {
	divergence.Side
	To uint8 `bits:"5"`
}

// newMultiPath sizes the reconvergence table for a bottom entry and W-1 branches. Each of these
// separates a thread from others that have not met it again.
func newMultiPath(e divergence.Env) (divergence.Policy, error) {
	paths := multiPathKeys.Of(e.Options).Paths
	if paths = min(paths, e.Lanes); paths*e.Warps > divergence.MaxSlots {
		return nil, fmt.Errorf("divergence.multipath.paths = %d: want at most %d with %d warps, as an SM has %d slots",
			paths, divergence.MaxSlots/e.Warps, e.Warps, divergence.MaxSlots)
	}
	return &MultiPath{
		Warps:  divergence.NewWarps(e, paths),
		To:     rtl.NewMem[uint8](paths * e.Warps),
		Rejoin: rtl.NewMem[Rejoin](e.Warps * e.Lanes),
		Pool:   units.NewStack(e.Warps, e.Lanes-paths, Split{Side: divergence.NoSide}),
		lanes:  e.Lanes,
		first:  e.First(),
	}, nil
}

// Tick serves at most one issued instruction, one outcome and one launch.
func (p *MultiPath) Tick() { p.Serve(p) }

// Counts returns the mechanism's own counters.
func (p *MultiPath) Counts() divergence.Counting { return &p.Own }

// Logic is the comparator of each split's PC with that of its entry.
func (p *MultiPath) Logic(g divergence.Geometry) []units.Logic {
	return []units.Logic{{Kind: units.Equality, Bits: 32, Count: p.PathsPerWarp() * g.Warps}}
}

// Start makes the split and the bottom entry of a new warp.
func (p *MultiPath) Start(l *divergence.WarpStart) {
	w := int(l.Row)
	for i := w*p.PathsPerWarp() + 1; i < (w+1)*p.PathsPerWarp(); i++ {
		*p.Table.Edit(i) = divergence.Slot{CTA: l.CTA, Row: l.Row}
	}
	*p.entry(w, 0) = Rejoin{At: divergence.Nowhere, Mask: l.Mask, Pending: l.Mask}
	*p.To.Edit(w * p.PathsPerWarp()) = 0
	p.count(w)
}

// entry returns entry i of the reconvergence table of warp w.
func (p *MultiPath) entry(w int, i uint8) *Rejoin { return p.Rejoin.Edit(w*p.lanes + int(i)) }

// Advance ends a split that has reached its reconvergence point.
func (p *MultiPath) Advance(i int) {
	w := i / p.PathsPerWarp()
	if p.moved(w, i) {
		p.settle(w)
	}
}

// moved handles a split that is at a new PC, and reports whether it has left its slot.
func (p *MultiPath) moved(w, i int) bool {
	s, to := p.Table.Edit(i), *p.To.Next(i)
	if s.At() != p.Rejoin.Next(w*p.lanes+int(to)).At {
		return false
	}
	p.send(w, p.leave(i))
	return true
}

// leave removes the split from a slot.
func (p *MultiPath) leave(i int) Split {
	s := p.Table.Edit(i)
	s.Valid = false
	p.Changed(i)
	return Split{divergence.Side{At: s.At(), Mask: s.Mask, Wait: s.Wait}, *p.To.Next(i)}
}

// Resolve serves a control instruction at the end of execution.
func (p *MultiPath) Resolve(in *isa.Inst, o *divergence.Outcome) {
	i := int(o.Slot)
	w := i / p.PathsPerWarp()
	s := p.Table.Edit(i)
	s.Wait = divergence.Runs
	switch {
	case in.Branches():
		p.branch(w, i, s, in, o)
	case in.Op != isa.OpBar:
		p.exit(w, i, s, o)
	case p.Bar(p, s, in, o, s.Mask != p.entry(w, 0).Mask):
		s.Wait = divergence.WaitsBarrier
	default:
		s.PC++
		p.moved(w, i)
	}
	p.settle(w)
}

func (p *MultiPath) branch(w, i int, s *divergence.Slot, in *isa.Inst, o *divergence.Outcome) {
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	j := o.Jump(in, s.Depth)
	if !p.D().Stats.Count(in, taken, not) {
		if s.Set(j.Fall); not == 0 {
			s.Set(j.Target)
		}
		p.moved(w, i)
		return
	}
	split := p.leave(i)
	to := split.To
	if j.Meet != divergence.Nowhere && j.Meet != p.entry(w, to).At {
		to = p.open(w, Rejoin{At: j.Meet, Mask: split.Mask, Pending: split.Mask, Parent: to})
	}
	first, second := Split{
		divergence.Side{At: j.Target, Mask: taken},
		to,
	}, Split{divergence.Side{At: j.Fall, Mask: not}, to}
	if !p.first.Taken(taken, not) {
		first, second = second, first
	}
	p.send(w, first)
	p.send(w, second)
	p.count(w)
}

// open allocates an entry of the reconvergence table.
func (p *MultiPath) open(w int, r Rejoin) uint8 {
	for i := uint8(1); ; i++ { // newMultiPath explains why one is free
		if e := p.entry(w, i); e.Mask == 0 {
			*e = r
			p.D().Stats.Pushes++
			p.tabled(w, true, &r)
			return i
		}
	}
}

// tabled notifies the observers of an entry of the reconvergence table that is allocated or ends.
func (p *MultiPath) tabled(w int, push bool, e *Rejoin) {
	if !p.OnStack.Any() {
		return
	}
	entries := 0
	for k := range p.lanes {
		if p.Rejoin.Next(w*p.lanes+k).Mask != 0 {
			entries++
		}
	}
	p.OnStack.Notify(divergence.Stacked{
		Push: push, Slot: w * p.PathsPerWarp(), Row: w, At: e.At, Mask: e.Mask, Depth: entries,
	})
}

// send sends a split towards its entry. If the split is already there, its threads wait, or
// continue from there with the others.
func (p *MultiPath) send(w int, x Split) {
	for {
		e := p.entry(w, x.To)
		if x.At != e.At {
			p.place(w, x)
			return
		}
		if e.Pending &^= x.Mask; e.Pending != 0 {
			return
		}
		x = p.rejoined(w, e)
	}
}

// rejoined ends an entry whose threads have all arrived, and returns the split of its threads.
func (p *MultiPath) rejoined(w int, e *Rejoin) Split {
	x := Split{divergence.Side{At: e.At, Mask: e.Mask}, e.Parent}
	e.Mask = 0
	p.D().Stats.Pops++
	p.tabled(w, false, &Rejoin{At: x.At, Mask: x.Mask})
	return x
}

// place puts a split into a free slot, or into the pool if there is none.
func (p *MultiPath) place(w int, x Split) {
	for i := w * p.PathsPerWarp(); i < (w+1)*p.PathsPerWarp(); i++ {
		if !p.Table.Next(i).Valid {
			p.load(i, &x)
			return
		}
	}
	p.Own.D().Parked++
	p.Pool.Insert(w, 0, x)
}

// load puts a split into a slot.
func (p *MultiPath) load(i int, x *Split) {
	s := p.Table.Edit(i)
	s.Set(x.At)
	s.Valid, s.Mask, s.Wait = true, x.Mask, x.Wait
	*p.To.Edit(i) = x.To
	p.Changed(i)
}

// exit removes lanes from every entry of the warp at once. An entry that waited only for these
// lanes completes. That is the innermost such entry, since the surrounding entries wait for its
// threads. The split's other threads move to the next PC, which may be their reconvergence point.
func (p *MultiPath) exit(w, i int, s *divergence.Slot, o *divergence.Outcome) {
	s.PC++
	if s.Mask &^= o.Taken; s.Mask == 0 {
		p.leave(i)
	} else {
		p.moved(w, i)
	}
	for k := range p.lanes {
		if p.Rejoin.Next(w*p.lanes+k).Mask&o.Taken == 0 {
			continue
		}
		e := p.entry(w, uint8(k))
		e.Mask &^= o.Taken
		e.Pending &^= o.Taken
		if k > 0 && e.Mask == 0 {
			p.D().Stats.Pops++
			p.tabled(w, false, e)
		} else if k > 0 && e.Pending == 0 {
			p.send(w, p.rejoined(w, e))
		}
	}
}

// settle fills slots from the pool. It ends a warp without threads, and lets a warp arrive at its
// barrier if no split can run.
func (p *MultiPath) settle(w int) {
	if p.entry(w, 0).Mask == 0 {
		p.End(p, p.Table.Edit(w*p.PathsPerWarp()))
		return
	}
	runs := false
	for i := w * p.PathsPerWarp(); i < (w+1)*p.PathsPerWarp(); i++ {
		if s := p.Table.Next(i); !s.Valid || s.Wait == divergence.WaitsBarrier {
			p.swap(w, i)
		}
		s := p.Table.Next(i)
		runs = runs || s.Valid && s.Wait != divergence.WaitsBarrier
	}
	if !runs {
		p.Meet(p, p.Table.Edit(w*p.PathsPerWarp()))
	}
}

// swap gives a slot to the pooled split that has waited longest and can run.
func (p *MultiPath) swap(w, i int) {
	for k := p.Pool.Len(w) - 1; k >= 0; k-- {
		x := *p.Pool.Entry(w, k)
		if x.Wait != divergence.Runs {
			continue
		}
		for ; k < p.Pool.Len(w)-1; k++ { // those above move down by one
			*p.Pool.Entry(w, k) = *p.Pool.Entry(w, k+1)
		}
		p.Pool.Pop(w)
		if p.Table.Next(i).Valid {
			p.Pool.Insert(w, 0, p.leave(i))
		}
		p.load(i, &x)
		return
	}
}

// count updates the peaks.
func (p *MultiPath) count(w int) {
	entries, splits := uint64(0), uint64(p.Pool.Len(w))
	for k := range p.lanes {
		if p.Rejoin.Next(w*p.lanes+k).Mask != 0 {
			entries++
		}
	}
	for i := w * p.PathsPerWarp(); i < (w+1)*p.PathsPerWarp(); i++ {
		if p.Table.Next(i).Valid {
			splits++
		}
	}
	d := p.D()
	d.Stats.MaxDepth = max(d.Stats.MaxDepth, entries)
	p.Own.D().Splits = max(p.Own.D().Splits, splits)
}

// Resume releases a warp from its CTA barrier.
func (p *MultiPath) Resume(w int) {
	var all [isa.MaxLanes]Split
	n := 0
	for i := w * p.PathsPerWarp(); i < (w+1)*p.PathsPerWarp(); i++ {
		if p.Table.Next(i).Valid {
			all[n] = p.leave(i)
			n++
		}
	}
	for ; p.Pool.Len(w) > 0; p.Pool.Pop(w) {
		all[n] = *p.Pool.Top(w)
		n++
	}
	for k := range all[:n] {
		all[k].Pass()
		p.send(w, all[k])
	}
	p.settle(w)
}

// Paths lists the splits, and the threads that have reached their reconvergence point.
func (p *MultiPath) Paths(to []divergence.Path) []divergence.Path {
	for i := range p.Table.Len() {
		w := i / p.PathsPerWarp()
		s := p.Table.At(i)
		if s.Valid {
			path := s.Path()
			path.Reconv = p.Rejoin.At(w*p.lanes + int(*p.To.At(i))).At.PC
			to = append(to, path)
		}
		if i%p.PathsPerWarp() != 0 {
			continue
		}
		for k := range int(*p.Pool.Depth.At(w)) {
			x := p.Pool.At(w, k)
			path := s.Parked(&x.Side)
			path.Reconv = p.Rejoin.At(w*p.lanes + int(x.To)).At.PC
			to = append(to, path)
		}
		for k := 1; k < p.lanes; k++ {
			if e := p.Rejoin.At(w*p.lanes + k); e.Mask&^e.Pending != 0 {
				to = append(to, divergence.Path{
					CTA: s.CTA, Row: s.Row, PC: e.At.PC, Reconv: p.Rejoin.At(w*p.lanes + int(e.Parent)).At.PC,
					Mask: e.Mask &^ e.Pending, Wait: divergence.WaitsJoin,
				})
			}
		}
	}
	return to
}
