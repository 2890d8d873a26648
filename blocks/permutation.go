package blocks

import (
	"divergo/rtl"
	"divergo/units"
)

var permutation = &Block{
	Name: "permutation", Source: "units/permutation.go",
	Doc:   "lane permutation \"balanced\": the threads of a CTA by lane, from those by location",
	Notes: "Wires only: the permutation of a warp is fixed. It is not the network that moves data.\n",
	Sizes: []Size{{"lanes", "lanes of a warp, and warps of a CTA", 32, 2, 32, true, 8}},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[Locations]) (rtl.Ticker, *rtl.Wire[Placed]) {
			m, err := units.NewLaneMap(units.Balanced, s["lanes"], 1)
			if err != nil {
				panic(err) // the name is ours
			}
			b := &Permutation{In: in, lanes: m}
			return b, &b.Out
		})
	},
}

// Permutation places the threads of a CTA in lanes: see units.LaneMap.
type Permutation struct {
	In    *rtl.Wire[Locations]
	Out   rtl.Wire[Placed]
	lanes *units.LaneMap
}

// Locations has the threads of a CTA, by location.
type Locations struct {
	Locations units.BlockMask `len:"lanes" bits:"lanes"`
}

// Placed has the threads of a CTA, by lane.
type Placed struct {
	Lanes units.BlockMask `len:"lanes" bits:"lanes"`
}

// Tick permutes.
func (b *Permutation) Tick() {
	in := b.In.Get()
	b.Out.Set(Placed{b.lanes.Place(&in.Locations)})
}
