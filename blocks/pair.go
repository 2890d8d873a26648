package blocks

import (
	"divergo/rtl"
	"divergo/sm/divergence/paths"
)

var pair = &Block{
	Name: "path-pair", Source: "sm/divergence/paths/ppc.go",
	Doc:   "paired-path comparison: do the two paths of a pair meet, and which one runs",
	Notes: "The comparators of one pair. The stack of pairs is not part of it.\n",
	Sizes: []Size{{"lanes", "lanes of the warp", 32, 1, 32, true, 8}},
	make: func(Sizes) *Model {
		return model(func(in *rtl.Wire[paths.Pair]) (rtl.Ticker, *rtl.Wire[PairOut]) {
			b := &Pair{In: in}
			return b, &b.Out
		})
	},
}

// Pair compares the two paths of a divergent branch: see paths.Pair.
type Pair struct {
	In  *rtl.Wire[paths.Pair]
	Out rtl.Wire[PairOut]
}

// PairOut says which path runs.
type PairOut struct {
	Meets bool
	Runs  bool  // one of them can run
	Side  uint8 `bits:"1"`
}

// Tick compares.
func (b *Pair) Tick() {
	e := b.In.Get()
	meets := e.Meets()
	runs := e.Elect()
	b.Out.Set(PairOut{meets, runs, e.Cur})
}
