package barriers

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var barrierMechanisms = []divergence.Mechanism{
	{
		Name: "barrier",
		Doc:  "convergence barriers: threads wait for each other where the compiler says so",
		Promises: divergence.Promises{
			InStep: true, Arrival: divergence.ByPath, Prompt: 1, Gathers: true,
			Depth: divergence.PerLane,
		},
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newConvBarrier(e), nil
		},
		Prepare: withBarriers,
		Params:  Keys,
	},
}

// Keys are the parameters of both mechanisms.
var Keys = divergence.NewParams("barrier", Params{})

// Params are the parameters of convergence barriers.
type Params struct {
	Yield bool `toml:"yield" old:"barrier_yield" doc:"barrier, subwarp: a yield at the head of every loop" source:"ours"`
}

// withBarriers returns the program with the instructions of convergence barriers.
func withBarriers(o divergence.Options, p *isa.Program) *isa.Program {
	return isa.WithBarriers(p, Keys.Of(o).Yield)
}

// ConvBarrier is the reconvergence mechanism of NVIDIA GPUs from Volta on. It follows US patent
// 10067768 and Hanoi (Control Flow Management in Modern GPUs, arXiv 2407.02944). A warp has a stack
// of paths, of which the top one runs, and 8 barriers. Each barrier is a set of threads that meet.
//
//	bssy Bx, L  the active threads join barrier x, which leads to L
//	@p bra L    if threads diverge: two paths replace one
//	bsync Bx    the path ends; its threads wait
//	bmov R, Bx  read the threads of the barrier into a register
//	bmov Bx, R  these threads join again, after the barrier had another use
//	yield       the path goes below those in the same barriers
//	warpsync m  the path waits for the threads of m, then all proceed together
//	exit        the threads leave every barrier
//
//	      paths               waiting            barriers
//	     +----+------+        +------+          +------+----+
//	top  | PC | mask | bsync  | mask |          | mask | PC |  B0 ... B7
//	     +----+------+ -----> +------+          +------+----+
//	     | PC | mask |        | PC   | lane 0
//	     +----+------+        | ...  |
//	         ^                +------+
//	         |                    | all of a barrier's mask wait at its PC
//	         +--------------------+
//
// Hanoi's break removes threads that leave a region early from its barrier. Here threads leave a
// barrier only by exiting, because every way out of a region leads to its join.
//
// Hanoi records only that threads wait; this model also records where. A thread that waits at the
// wrong barrier therefore does not count as arrived: the warp hangs instead of continuing wrongly.
//
// With more than two paths, yield gives each its turn; Hanoi swaps the upper two. Regions nested
// more than 8 deep have no barrier.
//
// Two sides of a branch may use the same barrier. Suppose the threads of one side wait in between,
// at a warpsync or a CTA barrier. The other side then takes the barrier from them, and they do not
// all meet at once. The waiting threads proceed with the next thread to arrive, or when no path of
// the warp can run.
//
// Hanoi's warpsync uses a free barrier. Here a path that waits at a warpsync stays in the stack,
// with the threads it waits for. Threads of disjoint masks can thus wait at the same time, whatever
// barriers are in use. Paths that name the same threads at the same instruction become one. At
// bar.warp.sync, which has no result, they may be at different instructions (PTX ISA, section
// 9.7.12.2).
//
// Slot i is warp i. It holds PC and mask of the top path, and is not valid if all live threads
// wait. A path that has executed a CTA barrier waits while others run. The warp arrives when none
// can run.
type ConvBarrier struct {
	divergence.Warps
	Stack    units.Stack[Strand]              // by warp; the PC of the top path is stale
	Barriers *rtl.Mem[divergence.Convergence] `rtl:"inplace" trace:"true"`              // by warp and number
	Waiting  *rtl.Mem[uint64]                 `rtl:"inplace" trace:"true" bits:"lanes"` // by warp: threads at a bsync
	// Behind is, by warp and lane, where a thread that waits at a bsync will continue.
	Behind *rtl.Mem[divergence.Point] `rtl:"inplace"`
	Live   *rtl.Mem[uint64]           `bits:"lanes"` // by warp
	// Active is, by warp, the slot of the top path among the slots of the warp; nil if a warp has
	// one slot.
	Active *rtl.Mem[uint8] `rtl:"optional" bits:"5"`

	lanes int
	first divergence.First
}

// Strand is a path of a warp.
type Strand struct {
	divergence.Side
	// Named is the set of threads that must arrive, for a path in WaitsJoin, at a warpsync.
	Named uint64 `bits:"lanes"`
}

// newConvBarrier sizes the stack for one path of each lane.
func newConvBarrier(e divergence.Env) *ConvBarrier {
	p := &ConvBarrier{
		Warps:    divergence.NewWarps(e, 1),
		Stack:    units.NewStack(e.Warps, e.Lanes, Strand{Side: divergence.NoSide}),
		Barriers: rtl.NewMem[divergence.Convergence](e.Warps * isa.MaxBarriers),
		Waiting:  rtl.NewMem[uint64](e.Warps),
		Behind:   rtl.NewMem[divergence.Point](e.Warps * e.Lanes),
		Live:     rtl.NewMem[uint64](e.Warps),
		lanes:    e.Lanes,
		first:    e.First(),
	}
	p.Convergence = p.Barriers
	return p
}

// Tick serves at most one issued instruction, one outcome and one launch.
func (p *ConvBarrier) Tick() { p.Serve(p) }

// Logic is the comparators of each barrier, which find whether its threads wait and where each
// waits. Each path also has one, which compares it with a path that reaches a warpsync.
func (p *ConvBarrier) Logic(g divergence.Geometry) []units.Logic {
	return []units.Logic{
		{Kind: units.Equality, Bits: g.Lanes, Count: isa.MaxBarriers * g.Warps},
		{Kind: units.Equality, Bits: 32, Count: isa.MaxBarriers * g.Lanes * g.Warps},
		{Kind: units.Equality, Bits: 32 + g.Lanes, Count: g.Lanes * g.Warps},
	}
}

// Start pushes the path of a new warp.
func (p *ConvBarrier) Start(l *divergence.WarpStart) {
	w := int(l.Row)
	for i := w * p.PathsPerWarp(); i < (w+1)*p.PathsPerWarp(); i++ {
		*p.Table.Edit(i) = divergence.Slot{CTA: l.CTA, Row: l.Row}
	}
	*p.Live.Edit(w) = l.Mask
	p.push(w, Strand{Side: divergence.Side{Mask: l.Mask}})
	p.settle(w)
	p.ChangedRow(w)
}

// barrier returns barrier x of warp w, for reading.
func (p *ConvBarrier) barrier(w, x int) *divergence.Convergence {
	return p.Barriers.Next(w*isa.MaxBarriers + x)
}

// name sets the threads and the place of barrier x of warp w.
func (p *ConvBarrier) name(w, x int, c divergence.Convergence) {
	*p.Barriers.Edit(w*isa.MaxBarriers + x) = c
}

// Advance executes bssy.
func (p *ConvBarrier) Advance(i int) {
	w, s := i/p.PathsPerWarp(), p.Table.Edit(i)
	if in := p.Inst(s.PC - 1); in.Op == isa.OpBSSY {
		p.name(w, int(in.Conv), divergence.Convergence{
			Mask: s.Mask,
			At:   divergence.Point{PC: in.Target, Depth: s.Depth},
		})
	}
}

// Resolve serves a control instruction at the end of execution.
func (p *ConvBarrier) Resolve(in *isa.Inst, o *divergence.Outcome) {
	w := int(o.Slot) / p.PathsPerWarp()
	s, e := p.Table.Edit(int(o.Slot)), p.Stack.Top(w)
	e.At = divergence.Point{PC: o.PC + 1, Depth: s.Depth}
	switch taken, not := s.Mask&o.Taken, s.Mask&^o.Taken; {
	case in.Branches():
		p.branch(w, e, in, o.Jump(in, s.Depth), taken, not)
	case in.Op == isa.OpBSync:
		p.bsync(w, e, in)
	case in.Op == isa.OpBMov:
		p.name(w, int(in.Conv), divergence.Convergence{
			Mask: o.Named & *p.Live.Next(w),
			At:   divergence.Point{PC: in.Target, Depth: s.Depth},
		})
	case in.Op == isa.OpYield:
		p.yield(w)
	case in.Op == isa.OpWarpSync:
		p.warpSync(w, e, o, taken)
	case in.Op == isa.OpBar:
		if p.Bar(p, s, in, o, s.Mask != *p.Live.Next(w)) {
			e.At.PC, e.Wait = o.PC, divergence.WaitsBarrier
		}
	default:
		p.exit(w, e, taken)
	}
	p.settle(w)
}

func (p *ConvBarrier) branch(w int, e *Strand, in *isa.Inst, j divergence.Jump, taken, not uint64) {
	if !p.D().Stats.Count(in, taken, not) {
		if e.At = j.Fall; not == 0 {
			e.At = j.Target
		}
		return
	}
	first, second := Strand{Side: divergence.Side{At: j.Target, Mask: taken}}, Strand{Side: divergence.Side{
		At:   j.Fall,
		Mask: not,
	}}
	if !p.first.Taken(taken, not) {
		first, second = second, first
	}
	*e = second
	p.push(w, first)
}

// bsync ends a path, whose threads wait for the others of the barrier. If the barrier is in other
// use, it releases the threads that wait here and belong to no barrier.
func (p *ConvBarrier) bsync(w int, e *Strand, in *isa.Inst) {
	at := divergence.Point{PC: in.Target, Depth: e.At.Depth}
	mask := e.Mask
	*p.Waiting.Edit(w) |= mask
	for m := mask; m != 0; m &= m - 1 {
		*p.Behind.Edit(w*p.lanes + bits.TrailingZeros64(m)) = at
	}
	p.drop(w)
	if c := p.barrier(w, int(in.Conv)); c.At == at && c.Mask&mask != 0 {
		p.join(w, int(in.Conv))
	} else {
		p.release(w, p.forgotten(w)&p.waitingAt(w, at), at)
	}
}

// behind returns where the waiting thread in a lane of warp w continues behind its bsync.
func (p *ConvBarrier) behind(w, lane int) divergence.Point { return *p.Behind.Next(w*p.lanes + lane) }

// waitingAt returns the waiting threads that continue at a point.
func (p *ConvBarrier) waitingAt(w int, at divergence.Point) (mask uint64) {
	for m := *p.Waiting.Next(w); m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); p.behind(w, lane) == at {
			mask |= 1 << lane
		}
	}
	return mask
}

// forgotten returns the waiting threads whose barrier has been taken for another use.
func (p *ConvBarrier) forgotten(w int) uint64 {
	mask := *p.Waiting.Next(w)
	for x := range isa.MaxBarriers {
		if c := p.barrier(w, x); c.Mask&mask != 0 {
			mask &^= c.Mask & p.waitingAt(w, c.At)
		}
	}
	return mask
}

// join releases the threads of a barrier when all wait there.
func (p *ConvBarrier) join(w, x int) {
	c := p.barrier(w, x)
	if c.Mask != 0 && c.Mask&^*p.Waiting.Next(w) == 0 && c.Mask&^p.waitingAt(w, c.At) == 0 {
		mask, at := c.Mask, c.At
		p.name(w, x, divergence.Convergence{})
		p.release(w, mask, at)
	}
}

// release makes a path of waiting threads.
func (p *ConvBarrier) release(w int, mask uint64, at divergence.Point) {
	*p.Waiting.Edit(w) &^= mask
	p.push(w, Strand{Side: divergence.Side{At: at, Mask: mask}})
}

// warpSync makes threads wait for the threads that they name. The rest of the path executes the
// instruction again, since it may name other threads.
func (p *ConvBarrier) warpSync(w int, e *Strand, o *divergence.Outcome, lanes uint64) {
	if lanes == 0 {
		return
	}
	e.At.PC = o.PC
	at := e.At
	if e.Mask &^= lanes; e.Mask == 0 {
		p.drop(w)
	}
	there := false
	for i := range p.Stack.Len(w) {
		if x := p.Stack.Entry(w, i); x.Wait == divergence.WaitsJoin && x.At == at && x.Named == o.Named {
			x.Mask |= lanes
			there = true
		}
	}
	if !there {
		p.push(w, Strand{divergence.Side{At: at, Mask: lanes, Wait: divergence.WaitsJoin}, o.Named})
	}
	p.meetNamed(w)
}

// meetNamed releases the paths whose threads all wait for each other.
func (p *ConvBarrier) meetNamed(w int) {
	n := p.Stack.Len(w)
	for i := range n {
		e := p.Stack.Entry(w, i)
		if e.Wait != divergence.WaitsJoin {
			continue
		}
		here := uint64(0)
		for k := range n {
			if x := p.Stack.Entry(w, k); p.together(e, x) {
				here |= x.Mask
			}
		}
		if here != e.Named&*p.Live.Next(w) {
			continue
		}
		first := *e
		for k := range n {
			if x := p.Stack.Entry(w, k); p.together(&first, x) {
				x.Wait = divergence.Runs
				x.At.PC++
			}
		}
	}
}

// together reports whether two paths at a warpsync wait for each other.
func (p *ConvBarrier) together(a, b *Strand) bool {
	op := func(e *Strand) isa.Op { return p.Inst(e.At.PC + 1).Op }
	return a.Wait == divergence.WaitsJoin && b.Wait == divergence.WaitsJoin && a.Named == b.Named &&
		(a.At == b.At || op(a) == isa.OpBarWarp && op(b) == isa.OpBarWarp)
}

// yield moves the top path below the next paths that are in the same barriers.
func (p *ConvBarrier) yield(w int) {
	i := p.Stack.Len(w) - 1
	top := *p.Stack.Top(w)
	for ; i > 0; i-- {
		next := *p.Stack.Entry(w, i-1)
		if !p.siblings(w, top.Mask, next.Mask) {
			break
		}
		*p.Stack.Entry(w, i) = next
	}
	*p.Stack.Entry(w, i) = top
}

// siblings reports whether two paths are in the same barriers.
func (p *ConvBarrier) siblings(w int, a, b uint64) bool {
	for x := range isa.MaxBarriers {
		if m := p.barrier(w, x).Mask; (a&m != 0) != (b&m != 0) {
			return false
		}
	}
	return true
}

func (p *ConvBarrier) exit(w int, e *Strand, lanes uint64) {
	*p.Live.Edit(w) &^= lanes
	if e.Mask &^= lanes; e.Mask == 0 {
		p.drop(w)
	}
	for x := range isa.MaxBarriers {
		if c := p.barrier(w, x); c.Mask != 0 {
			p.name(w, x, divergence.Convergence{Mask: c.Mask &^ lanes, At: c.At})
			p.join(w, x)
		}
	}
	p.meetNamed(w)
}

// settle puts the uppermost path that can run into the slot. If none can, the warp arrives at the
// CTA barrier that its paths wait at.
func (p *ConvBarrier) settle(w int) {
	s := p.Table.Edit(p.slot(w))
	if *p.Live.Next(w) == 0 {
		p.End(p, s)
		return
	}
	s.Valid = p.raise(w, divergence.Runs) || p.abandon(w) || p.raise(w, divergence.WaitsBarrier)
	if !s.Valid {
		return
	}
	top := p.Stack.Top(w)
	s = p.seat(w, s)
	s.Set(top.At)
	s.Mask, s.Wait = top.Mask, top.Wait
	if s.Wait == divergence.WaitsBarrier {
		p.Meet(p, s)
	}
}

// abandon releases waiting threads that no barrier holds, all those of one point, and reports
// whether there are any.
func (p *ConvBarrier) abandon(w int) bool {
	mask := p.forgotten(w)
	if mask == 0 {
		return false
	}
	at := p.behind(w, bits.TrailingZeros64(mask))
	p.release(w, mask&p.waitingAt(w, at), at)
	return true
}

// raise moves the uppermost path with the given reason to wait to the top. It reports whether there
// is one.
func (p *ConvBarrier) raise(w int, why divergence.Wait) bool {
	n := p.Stack.Len(w)
	i := n - 1
	for i >= 0 && p.Stack.Entry(w, i).Wait != why {
		i--
	}
	if i < 0 {
		return false
	}
	e := *p.Stack.Entry(w, i)
	for ; i < n-1; i++ { // the paths above it move down by one
		*p.Stack.Entry(w, i) = *p.Stack.Entry(w, i+1)
	}
	*p.Stack.Top(w) = e
	return true
}

// Resume releases a warp from its CTA barrier.
func (p *ConvBarrier) Resume(w int) {
	for i := range p.Stack.Len(w) {
		if e := p.Stack.Entry(w, i); e.Wait == divergence.WaitsBarrier {
			e.At.PC++
			e.Wait = divergence.Runs
		}
	}
	p.settle(w)
	p.ChangedRow(w)
}

func (p *ConvBarrier) push(w int, e Strand) {
	st := &p.D().Stats
	st.Pushes++
	depth := p.Stack.Push(w, e)
	st.MaxDepth = max(st.MaxDepth, uint64(depth))
	p.stacked(w, true, &e, depth)
}

func (p *ConvBarrier) drop(w int) {
	p.D().Stats.Pops++
	p.stacked(w, false, p.Stack.Top(w), p.Stack.Len(w)-1)
	p.Stack.Pop(w)
}

// stacked notifies the observers of a push or a pop.
func (p *ConvBarrier) stacked(w int, push bool, e *Strand, depth int) {
	if p.OnStack.Any() {
		p.OnStack.Notify(divergence.Stacked{
			Push: push, Slot: w * p.PathsPerWarp(), Row: w, At: e.At, Mask: e.Mask, Depth: depth,
		})
	}
}

// Paths lists the running path, the other paths of the stack, and the threads that have arrived at
// a convergence barrier.
func (p *ConvBarrier) Paths(to []divergence.Path) []divergence.Path {
	for w := range p.Live.Len() {
		s := p.Table.At(w)
		if p.Active != nil {
			s = p.Table.At(w*p.PathsPerWarp() + int(*p.Active.At(w)))
		}
		if *p.Live.At(w) == 0 {
			continue
		}
		depth := int(*p.Stack.Depth.At(w))
		if s.Valid {
			depth--
			to = append(to, divergence.Path{
				CTA: s.CTA, Row: s.Row, PC: s.PC, Reconv: p.reconv(w, s.Mask), Mask: s.Mask,
				Wait: s.Wait, Running: true,
			})
		}
		for i := depth - 1; i >= 0; i-- {
			e := p.Stack.At(w, i)
			to = append(to, divergence.Path{
				CTA: s.CTA, Row: s.Row, PC: e.At.PC, Reconv: p.reconv(w, e.Mask),
				Mask: e.Mask, Wait: e.Wait,
			})
		}
		for left := *p.Waiting.At(w); left != 0; {
			at, mask := *p.Behind.At(w*p.lanes + 63 - bits.LeadingZeros64(left)), uint64(0)
			for m := left; m != 0; m &= m - 1 {
				if lane := bits.TrailingZeros64(m); *p.Behind.At(w*p.lanes + lane) == at {
					mask |= 1 << lane
				}
			}
			left &^= mask
			to = append(to, divergence.Path{
				CTA: s.CTA, Row: s.Row, PC: at.PC, Reconv: at.PC, Mask: mask,
				Wait: divergence.WaitsJoin,
			})
		}
	}
	return to
}

// reconv returns the PC of the innermost barrier of some threads, or isa.NoPC.
func (p *ConvBarrier) reconv(w int, mask uint64) uint32 {
	for x := isa.MaxBarriers - 1; x >= 0; x-- {
		if c := p.Barriers.At(w*isa.MaxBarriers + x); c.Mask&mask != 0 {
			return c.At.PC
		}
	}
	return isa.NoPC
}
