package blocks

import (
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
)

var coalescer = &Block{
	Name: "coalescer", Source: "memsys/coalescer.go",
	Doc:   "coalescer: the lanes of an access by cache line, one line a cycle",
	Notes: "The choice of lanes. The data and the table of pending loads are not part of it.\n",
	Sizes: []Size{
		{"lanes", "lanes of a warp", 32, 2, 32, true, 4},
		{"line", "bytes of a cache line", 128, 32, 128, true, 128},
	},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[Addresses]) (rtl.Ticker, *rtl.Wire[LineOut]) {
			b := &Coalescer{In: in, line: uint64(s["line"])}
			return b, &b.Out
		})
	},
}

// Coalescer merges the lanes of an access: see memsys.Coalescer.
type Coalescer struct {
	rtl.State[struct {
		Left uint32 `bits:"lanes"` // lanes of the access not yet served, or none
	}]
	In   *rtl.Wire[Addresses]
	Out  rtl.Wire[LineOut]
	line uint64
}

// Addresses is an access. It stays until its last line has been served.
type Addresses struct {
	Mask uint32               `bits:"lanes"`
	Addr [isa.RowLanes]uint64 `len:"lanes" bits:"37"`
}

// LineOut is the line that is served in this cycle.
type LineOut struct {
	Line  uint64 `bits:"37"`
	Lanes uint32 `bits:"lanes"`
	Ends  bool   // the last line of the access
}

// Tick serves the line of the lowest lane left.
func (b *Coalescer) Tick() {
	in := b.In.At()
	left := b.Q().Left
	if left == 0 {
		left = in.Mask
	}
	lanes := memsys.SameLine(&in.Addr, left, b.line)
	line := in.Addr[bits.TrailingZeros32(left)&(isa.RowLanes-1)] &^ (b.line - 1)
	b.Out.Set(LineOut{line, lanes, lanes == left})
	b.D().Left = left &^ lanes
}
