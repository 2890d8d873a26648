package blocks

import (
	"divergo/rtl"
	"divergo/units"
)

var arbiter = &Block{
	Name: "arbiter", Source: "units/set.go",
	Doc:   "round-robin arbiter: the first requesting line behind the one that was granted last",
	Sizes: []Size{{"lines", "requesters", 64, 2, 64, true, 8}},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[Requests]) (rtl.Ticker, *rtl.Wire[Grant]) {
			b := &Arbiter{In: in}
			return b, &b.Out
		})
	},
}

// Arbiter grants one of several lines: see units.Set.
type Arbiter struct {
	rtl.State[struct {
		From uint8 `bits:"lines_bits"` // the line to try first
	}]
	In  *rtl.Wire[Requests]
	Out rtl.Wire[Grant]
}

// Requests has a bit for each line.
type Requests struct {
	Request uint64 `bits:"lines"`
}

// Grant has the bit of the line that is granted, if there is one.
type Grant struct {
	Grant uint64 `bits:"lines"`
}

// Tick grants a line.
func (b *Arbiter) Tick() {
	lines := units.Set{b.In.At().Request}
	if lines[0] == 0 {
		b.Out.Set(Grant{})
		return
	}
	i := lines.Next(int(b.Q().From), 1)
	b.Out.Set(Grant{1 << i})
	b.D().From = uint8(i + 1)
}
