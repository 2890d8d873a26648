package blocks

import (
	"divergo/rtl"
	"divergo/units"
)

var compactor = &Block{
	Name: "compactor", Source: "units/compactor.go",
	Doc: "thread compactor: a priority encoder for each lane gives the next compacted warp",
	Sizes: []Size{
		{"lanes", "lanes of a warp", 32, 1, 32, true, 8},
		{"warps", "static warps of a CTA", 32, 2, 64, true, 8},
	},
	make: func(Sizes) *Model {
		return model(func(in *rtl.Wire[CompactorIn]) (rtl.Ticker, *rtl.Wire[CompactedWarp]) {
			b := &Compactor{In: in}
			return b, &b.Out
		})
	},
}

// Compactor is the thread compactor with its buffers: see units.Compactor. A load replaces the
// threads in the buffers. Without one, each cycle takes the next warp out.
type Compactor struct {
	rtl.State[units.Compactor]
	In  *rtl.Wire[CompactorIn]
	Out rtl.Wire[CompactedWarp]
}

// CompactorIn loads the buffers.
type CompactorIn struct {
	Load    bool
	Threads units.BlockMask `len:"lanes" bits:"warps"`
}

// CompactedWarp is a warp, without lanes if the buffers are empty.
type CompactedWarp struct {
	Mask uint64     `bits:"lanes"`
	Row  units.Rows `len:"lanes" bits:"warps_bits"`
}

// Tick takes a warp out, or loads threads.
func (b *Compactor) Tick() {
	c := b.D()
	mask, homes := c.Next()
	b.Out.Set(CompactedWarp{mask, homes.Row})
	if in := b.In.At(); in.Load {
		c.Pending = in.Threads
	}
}
