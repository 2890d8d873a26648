package paths

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var ptpcMechanisms = []divergence.Mechanism{
	{
		Name:     "ptpc",
		Doc:      "a PC for each thread, the smallest runs first",
		Promises: divergence.Promises{Arrival: divergence.ByPath, Prompt: 1},
		New: func(e divergence.Env) (divergence.Policy, error) {
			return &PTPC{Warps: divergence.NewWarps(e, 1), Threads: rtl.NewMem[Threads](e.Warps)}, nil
		},
		Prepare: func(o divergence.Options, p *isa.Program) *isa.Program { return laidOut(ptpcKeys.Of(o).Layout, p) },
		Params:  ptpcKeys,
	},
}

// ptpcKeys are the parameters.
var ptpcKeys = divergence.NewParams("ptpc", ptpcParams{})

// ptpcParams are the parameters of a PC for each thread.
type ptpcParams struct {
	Layout bool `toml:"layout" old:"layout" doc:"lay programs out anew, blocks in topological order and loops in one piece (thread frontiers)" source:"Diamos et al., MICRO 2011"`
}

// PTPC is reconvergence without a stack. Each thread has a PC, the warp is at the smallest of them,
// and the threads there are active. The source is Huang et al., Dynamic SIMD Re-convergence with
// Paired-Path Comparison, section II-B and figure 2(a). They follow Collange, Stack-less SIMT
// Reconvergence at Low Cost, 2011.
//
//	PC of lane 0 --+
//	PC of lane 1 --+--> smallest --> PC of the warp --+--> = PC of lane 0 --> active 0
//	...            |                                  +--> = PC of lane 1 --> active 1
//	PC of lane n --+                                  ...
//
// Threads meet wherever their PCs are equal, without a compiler's help. They meet as early as
// possible if each join lies behind its paths in the layout. A thread sent to a block behind the
// join runs by itself until the others reach it.
//
// Slot i is warp i. A warp arrives at a CTA barrier when all its live threads have executed it.
// Threads that wait there are not chosen.
type PTPC struct {
	divergence.Warps
	Threads *rtl.Mem[Threads] `trace:"true"` // by warp
}

// Threads are the threads of a warp.
type Threads struct {
	At    [isa.MaxLanes]divergence.Point `len:"lanes"`
	Live  uint64                         `bits:"lanes"`
	AtBar uint64                         `bits:"lanes"` // live threads that have executed the barrier at their PC
}

// set moves threads.
func (t *Threads) set(mask uint64, to divergence.Point) {
	for ; mask != 0; mask &= mask - 1 {
		t.At[bits.TrailingZeros64(mask)] = to
	}
}

// Tick serves at most one issued instruction, one outcome and one launch.
func (p *PTPC) Tick() { p.Serve(p) }

// Logic is the comparator of each lane's PC with that of the warp, and the tree of comparators that
// finds the smallest.
func (p *PTPC) Logic(g divergence.Geometry) []units.Logic {
	return []units.Logic{
		{Kind: units.Equality, Bits: 32, Count: g.Warps * g.Lanes},
		{Kind: units.LessThan, Bits: 32, Count: g.Warps * (g.Lanes - 1)},
	}
}

// Start sets the PCs of a new warp to 0.
func (p *PTPC) Start(l *divergence.WarpStart) { *p.Threads.Edit(int(l.Row)) = Threads{Live: l.Mask} }

// Advance moves the threads of the slot to the next PC.
func (p *PTPC) Advance(w int) {
	s := p.Table.Edit(w)
	p.Threads.Edit(w).set(s.Mask, s.At())
	p.elect(w, s)
}

// Resolve moves the threads of a control instruction at the end of execution.
func (p *PTPC) Resolve(in *isa.Inst, o *divergence.Outcome) {
	w := int(o.Slot)
	s, t := p.Table.Edit(w), p.Threads.Edit(w)
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	next := divergence.Point{PC: o.PC + 1, Depth: s.Depth}
	switch {
	case in.Branches():
		j := o.Jump(in, s.Depth)
		p.D().Stats.Count(in, taken, not)
		t.set(taken, j.Target)
		t.set(not, j.Fall)
	case in.Op == isa.OpBar:
		if p.Bar(p, s, in, o, s.Mask != t.Live) {
			t.AtBar |= s.Mask
		} else {
			t.set(s.Mask, next)
		}
	default:
		t.Live &^= taken
		t.set(not, next)
		if t.Live == 0 {
			p.End(p, s)
			return
		}
	}
	p.elect(w, s)
}

// elect gives the slot to the threads with the smallest PC.
func (p *PTPC) elect(w int, s *divergence.Slot) {
	t := p.Threads.Edit(w)
	if t.AtBar == t.Live {
		s.Set(t.At[bits.TrailingZeros64(t.Live)])
		s.Mask, s.Wait = t.Live, divergence.WaitsBarrier
		p.Meet(p, s)
		return
	}
	s.Wait = divergence.Runs
	t.Elect(s)
}

// Elect gives the slot the threads with the smallest PC, of those that do not wait at the barrier.
func (t *Threads) Elect(s *divergence.Slot) {
	s.Set(divergence.Nowhere)
	for m := t.Live &^ t.AtBar; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		switch at := t.At[lane]; {
		case at.Before(s.At()):
			s.Set(at)
			s.Mask = 1 << lane
		case at == s.At():
			s.Mask |= 1 << lane
		}
	}
}

// Resume releases a warp from its CTA barrier.
func (p *PTPC) Resume(w int) {
	t := p.Threads.Edit(w)
	for m := t.AtBar; m != 0; m &= m - 1 {
		t.At[bits.TrailingZeros64(m)].PC++
	}
	t.AtBar = 0
	p.elect(w, p.Table.Edit(w))
}

// Paths lists the threads of each warp by PC.
func (p *PTPC) Paths(to []divergence.Path) []divergence.Path {
	for w := range p.Table.Len() {
		s, t := p.Table.At(w), p.Threads.At(w)
		if !s.Valid {
			continue
		}
		for left := t.Live; left != 0; {
			at, mask, wait := t.At[bits.TrailingZeros64(left)], uint64(0), divergence.Runs
			atBar := t.AtBar&(left&-left) != 0
			for m := left; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m)
				if t.At[lane] == at && (t.AtBar>>lane&1 != 0) == atBar {
					mask |= 1 << lane
				}
			}
			runs := mask&s.Mask != 0
			switch {
			case atBar:
				wait = divergence.WaitsBarrier
			case runs:
				wait = s.Wait
			}
			to = append(to, divergence.Path{
				CTA: s.CTA, Row: s.Row, PC: at.PC, Reconv: isa.NoPC, Mask: mask, Wait: wait,
				Running: runs,
			})
			left &^= mask
		}
	}
	return to
}
