package blocks

import (
	"divergo/rtl"
	"divergo/units"
)

var majority = &Block{
	Name: "majority", Source: "units/majority.go",
	Doc:   "majority logic of herding: where most active lanes want to go, a tie goes as the last one did",
	Sizes: []Size{{"lanes", "lanes of a warp", 32, 1, 32, true, 8}},
	make: func(Sizes) *Model {
		return model(func(in *rtl.Wire[Votes]) (rtl.Ticker, *rtl.Wire[Direction]) {
			m, err := units.NewMajority(units.TiePrevious)
			if err != nil {
				panic(err) // the word is ours
			}
			b := &Majority{In: in, logic: m}
			return b, &b.Out
		})
	},
}

// Majority herds a branch: see units.Majority.
type Majority struct {
	In    *rtl.Wire[Votes]
	Out   rtl.Wire[Direction]
	logic units.Majority
}

// Votes are the lanes that execute a herded branch.
type Votes struct {
	Taken    uint64 `bits:"lanes"`
	Active   uint64 `bits:"lanes"`
	Previous bool   // where the last herded branch went
}

// Direction is the way of all lanes.
type Direction struct{ Direction bool }

// Tick counts the votes.
func (b *Majority) Tick() {
	in := b.In.Get()
	b.Out.Set(Direction{b.logic.Taken(in.Taken, in.Active, in.Previous)})
}
