package blocks

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var pathStack = &Block{
	Name: "pdom-stack", Source: "sm/divergence/pathstack.go",
	Doc: "reconvergence stack of a warp, with immediate post-dominators",
	Notes: "It pops one entry a cycle, and is not ready meanwhile. The model of the mechanism pops all entries\n" +
		"of an update in its cycle.\n",
	Sizes:  []Size{{"lanes", "lanes of the warp", 32, 2, 32, true, 4}},
	derive: func(s Sizes) { s["depth"] = 2 * s["lanes"] },
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[StackIn]) (rtl.Ticker, *rtl.Wire[StackOut]) {
			b := &PathStack{In: in, Stack: divergence.PathStack{
				Stack: units.NewStack(1, s["depth"], divergence.NoEntry),
				First: divergence.Options{}.First(), Deep: s["depth"],
			}}
			return b, &b.Out
		})
	},
}

// PathStack is the reconvergence stack of one warp: see divergence.PathStack and stacks.PDOM.
type PathStack struct {
	rtl.State[divergence.Slot]
	Stack divergence.PathStack
	In    *rtl.Wire[StackIn]
	Out   rtl.Wire[StackOut]
}

// StackIn is what happens to a warp in a cycle in which it is ready: it starts, or its instruction
// ends. The threads that take a branch go to Target. Those of an exit end.
type StackIn struct {
	Start   bool
	Advance bool
	Branch  bool
	Exit    bool
	Lanes   uint64 `bits:"lanes"` // of the start, the taken side or the exit
	Target  uint32
	Meet    uint32 // where both sides of a branch meet
}

// StackOut is the running path of the warp.
type StackOut struct {
	Ready bool // the path can execute an instruction
	PC    uint32
	Mask  uint64 `bits:"lanes"`
	Depth uint8  // entries in use
}

// Tick starts a warp, pops an entry or serves an instruction.
func (b *PathStack) Tick() {
	in, s := b.In.At(), b.D()
	var unused divergence.Stats
	out := StackOut{PC: s.PC, Mask: s.Mask, Depth: uint8(b.Stack.Len(0))}
	was := s.Valid
	pops := was && b.Stack.Join(0, s, &unused)
	out.Ready = was && !pops
	b.Out.Set(out)
	switch {
	case !was:
		if in.Start && in.Lanes != 0 {
			*s = divergence.Slot{Valid: true, Mask: in.Lanes}
			b.Stack.Push(0, divergence.Entry{RPC: divergence.Nowhere, LPC: divergence.Nowhere, Mask: in.Lanes}, &unused)
		}
	case pops:
	case in.Advance:
		s.PC++
	case in.Branch:
		taken, not := s.Mask&in.Lanes, s.Mask&^in.Lanes
		j := divergence.Jump{
			Target: divergence.Point{PC: in.Target}, Fall: divergence.Point{PC: s.PC + 1},
			Meet: divergence.Point{PC: in.Meet},
		}
		switch {
		case taken != 0 && not != 0:
			b.Stack.Diverge(0, s, &isa.Inst{}, j, taken, not, &unused)
		case taken != 0:
			s.Set(j.Target)
		default:
			s.Set(j.Fall)
		}
	case in.Exit:
		b.Stack.Remove(0, in.Lanes)
		s.Mask &^= in.Lanes
	}
}
