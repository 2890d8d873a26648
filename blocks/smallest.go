package blocks

import (
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/paths"
)

var smallest = &Block{
	Name: "smallest-pc", Source: "sm/divergence/paths/ptpc.go",
	Doc:   "a PC for each thread: the smallest one, and the threads that are there",
	Notes: "Combinational: the PCs are inputs. Threads at a barrier take no part.\n",
	Sizes: []Size{{"lanes", "lanes of the warp", 32, 1, 32, true, 4}},
	make: func(Sizes) *Model {
		return model(func(in *rtl.Wire[paths.Threads]) (rtl.Ticker, *rtl.Wire[SmallestOut]) {
			b := &Smallest{In: in}
			return b, &b.Out
		})
	},
}

// Smallest finds the threads of a warp with the smallest PC: see paths.PTPC.
type Smallest struct {
	In  *rtl.Wire[paths.Threads]
	Out rtl.Wire[SmallestOut]
}

// SmallestOut is the path that runs. It has no threads if all wait.
type SmallestOut struct {
	PC   uint32
	Mask uint64 `bits:"lanes"`
}

// Tick compares.
func (b *Smallest) Tick() {
	t := b.In.Get()
	var s divergence.Slot
	t.Elect(&s)
	b.Out.Set(SmallestOut{s.PC, s.Mask})
}
