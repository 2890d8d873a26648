package blocks

import (
	"divergo/rtl"
	"divergo/units"
)

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
	Mask uint32     `bits:"lanes"`
	Row  units.Rows `len:"lanes" bits:"row"`
}

func newCompactor(Sizes) *Compactor { return &Compactor{} }

// Tick takes a warp out, or loads threads.
func (b *Compactor) Tick() {
	c := b.D()
	mask, homes := c.Next()
	b.Out.Set(CompactedWarp{mask, homes.Row})
	if in := b.In.At(); in.Load {
		c.Pending = in.Threads
	}
}
