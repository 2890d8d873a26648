package blocks

import (
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/stacks"
	"divergo/units"
)

var dpeStack = &Block{
	Name: "dpe-stack", Source: "sm/divergence/stacks/dpe.go",
	Doc: "dual-path stack of a warp: both paths of the top entry can issue",
	Notes: "It pops one entry a cycle, and is not ready meanwhile. The model of the mechanism pops all entries\n" +
		"of an update in its cycle. CTA barriers are not part of the block.\n",
	Sizes: []Size{{"lanes", "lanes of the warp", 32, 2, 32, true, 4}},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[DPEStackIn]) (rtl.Ticker, *rtl.Wire[DPEStackOut]) {
			none := stacks.Fork{Side: [2]divergence.Side{divergence.NoSide, divergence.NoSide}, RPC: divergence.Nowhere}
			b := &DPEStack{In: in, Stack: units.NewStack(1, s["lanes"], none), deep: s["lanes"]}
			return b, &b.Out
		})
	},
}

// DPEStack is the dual-path stack of one warp (Rhu & Erez, HPCA 2013): see stacks.DPE. Path holds the
// paths of the top entry. Those of an entry in the stack date from when it was covered.
type DPEStack struct {
	rtl.State[struct{ Path [2]divergence.Side }]
	Stack units.Stack[stacks.Fork]
	In    *rtl.Wire[DPEStackIn]
	Out   rtl.Wire[DPEStackOut]
	deep  int
}

// DPEStackIn is what happens to a warp in a cycle in which it is ready. It starts, a path issues an
// instruction, and the control instruction of a path ends. The threads that take a branch go to
// Target. Those of an exit end.
type DPEStackIn struct {
	Start    bool
	Fire     bool
	Control  bool  // an outcome follows: the path stays until then
	FirePath uint8 `bits:"1"`

	Branch bool
	Exit   bool
	Path   uint8  `bits:"1"`     // of the branch or exit
	Lanes  uint64 `bits:"lanes"` // of the start, the taken side or the exit
	Target uint32
	Meet   uint32 // where both sides of a branch meet
}

// DPEStackOut has both paths of the top entry, the taken one first.
type DPEStackOut struct {
	Ready  bool
	Issues uint8 `bits:"2"` // paths that can issue
	PC     [2]uint32
	Mask   [2]uint64 `bits:"lanes"`
	Depth  uint8     // entries in use
}

// Tick starts a warp, pops an entry or serves an instruction and an outcome.
func (b *DPEStack) Tick() {
	in, q := b.In.At(), b.Q()
	n := b.Stack.Len(0)
	out := DPEStackOut{Depth: uint8(n)}
	for k := range q.Path {
		x := &q.Path[k]
		out.PC[k], out.Mask[k] = x.At.PC, x.Mask
		if n != 0 && b.lives(x) {
			out.Ready = true
			if x.Wait == divergence.Runs {
				out.Issues |= 1 << k
			}
		}
	}
	b.Out.Set(out)
	switch {
	case n == 0:
		if in.Start && in.Lanes != 0 {
			b.push(stacks.Fork{Side: [2]divergence.Side{{Mask: in.Lanes}}, RPC: divergence.Nowhere})
		}
	case !out.Ready:
		if b.Stack.Pop(0) != 0 {
			b.D().Path = b.Stack.Top(0).Side
		}
	default:
		if k := in.FirePath & 1; in.Fire && out.Issues>>k&1 != 0 {
			b.fire(&b.D().Path[k], in.Control)
		}
		b.outcome(n, in)
	}
}

// lives reports whether a path of the top entry has not ended.
func (b *DPEStack) lives(x *divergence.Side) bool { return b.Stack.Top(0).Lives(x.At, x.Mask) }

// push adds an entry on top.
func (b *DPEStack) push(e stacks.Fork) {
	b.Stack.Push(0, e)
	b.D().Path = e.Side
}

// fire moves a path to its next instruction, or lets it wait for its outcome.
func (b *DPEStack) fire(x *divergence.Side, control bool) {
	if control {
		x.Wait = divergence.WaitsControl
	} else {
		x.At.PC++
	}
}

// outcome serves a control instruction: of the path in the entry below the top if that one waits for
// it, the first one that comes. Others are ignored.
func (b *DPEStack) outcome(n int, in *DPEStackIn) {
	k := in.Path & 1
	x, covered := b.D().Path[k], false
	if n > 1 {
		if below := b.Stack.Entry(0, n-2).Side[k]; below.Wait == divergence.WaitsControl {
			x, covered = below, true
		}
	}
	if x.Wait != divergence.WaitsControl || !in.Branch && !in.Exit {
		return
	}
	x.Wait = divergence.Runs
	x.At.PC++
	taken, not := x.Mask&in.Lanes, x.Mask&^in.Lanes
	j := divergence.Jump{Target: divergence.Point{PC: in.Target}, Fall: x.At, Meet: divergence.Point{PC: in.Meet}}
	diverges := in.Branch && taken != 0 && not != 0
	switch {
	case diverges:
		x.At = j.Meet
	case in.Branch && taken != 0:
		x.At = j.Target
	}
	switch {
	case covered:
		b.Stack.Entry(0, n-2).Side[k] = x
		if diverges { // the pair goes under the top entry
			top := *b.Stack.Top(0)
			*b.Stack.Top(0) = stacks.Forked(j, taken, not)
			b.Stack.Push(0, top)
		}
	case !diverges:
		b.D().Path[k] = x
	case j.Meet == b.Stack.Top(0).RPC && !b.lives(&b.D().Path[k^1]):
		b.D().Path = stacks.Forked(j, taken, not).Side
	default:
		e := b.Stack.Top(0)
		e.Side = b.D().Path
		e.Side[k] = x
		b.push(stacks.Forked(j, taken, not))
	}
	if !in.Branch {
		b.exit(in.Lanes)
	}
}

// exit ends threads in all entries.
func (b *DPEStack) exit(gone uint64) {
	n := b.Stack.Len(0)
	for i := range b.deep {
		if i < n {
			e := b.Stack.Entry(0, i)
			e.Side[0].Mask &^= gone
			e.Side[1].Mask &^= gone
		}
	}
	d := b.D()
	d.Path[0].Mask &^= gone
	d.Path[1].Mask &^= gone
}
