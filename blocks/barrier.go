package blocks

import (
	"math/bits"

	"divergo/rtl"
	"divergo/sm/divergence"
)

var barrier = &Block{
	Name: "barrier", Source: "sm/divergence/barrier.go",
	Doc:   "CTA barrier: arrival bits of each row, sixteen barriers a CTA, one arrival or exit a cycle",
	Notes: "It does not count predicates.\n",
	Sizes: []Size{
		{"warps", "rows of the register file", 32, 2, 64, true, 8},
		{"ctas", "resident CTAs", 4, 2, 32, true, 2},
	},
	derive: func(s Sizes) { s["count_bits"] = bits.Len(uint(s["warps"])) },
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[BarrierIn]) (rtl.Ticker, *rtl.Wire[Release]) {
			b := &Barrier{
				In: in, rows: s["warps"],
				Unit: divergence.NewBarrier(divergence.Geometry{Warps: s["warps"], CTAs: s["ctas"]}),
			}
			return b, &b.Out
		})
	},
}

// Barrier is the barrier unit of a streaming multiprocessor: see divergence.Barrier.
type Barrier struct {
	Unit divergence.Barrier
	In   *rtl.Wire[BarrierIn]
	Out  rtl.Wire[Release]
	rows int
}

// BarrierIn starts a CTA, or has one of its rows arrive or exit. The first kind that is set is
// served.
type BarrierIn struct {
	Start  bool
	Arrive bool
	Exit   bool
	CTA    uint8 `bits:"ctas_bits"`
	Row    uint8 `bits:"warps_bits"` // of the arrival or exit; the first row of a CTA that starts
	Number uint8 `bits:"4"`          // barrier
	Need   uint8 `bits:"count_bits"` // warps that the barrier expects, 0 for all; warps of a CTA that starts
	Waits  bool  // the row waits for the release
}

// Release has the rows that continue.
type Release struct {
	Rows uint64 `bits:"warps"`
}

// Tick serves an event.
func (b *Barrier) Tick() {
	in := b.In.Get()
	var rows uint64
	switch {
	case in.Start:
		if int(in.Row)+int(in.Need) > b.rows {
			break // the rows do not exist
		}
		b.Unit.Launch(&divergence.WarpStart{CTA: in.CTA, Row: in.Row, First: in.Row, Warps: in.Need})
	case in.Arrive:
		rows = b.Unit.Arrive(in.CTA, in.Row, in.Number, in.Need, in.Waits)
	case in.Exit:
		rows = b.Unit.Exit(in.CTA, in.Row)
	}
	b.Out.Set(Release{rows})
}
