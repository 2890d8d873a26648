package blocks

import (
	"divergo/rtl"
	"divergo/units"
)

var capt = &Block{
	Name: "capri-table", Source: "units/capt.go",
	Doc:   "CAPRI's adequacy prediction table, fully associative, with one access a cycle",
	Sizes: []Size{{"entries", "lines of the table", 32, 2, 64, true, 4}},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[TableIn]) (rtl.Ticker, *rtl.Wire[TableOut]) {
			b := &CAPT{In: in, Lines: units.NewCAPT(s["entries"], s["entries"])}
			return b, &b.Out
		})
	},
}

// CAPT is the table of CAPRI: see units.CAPT.
type CAPT struct {
	Lines units.CAPT
	In    *rtl.Wire[TableIn]
	Out   rtl.Wire[TableOut]
}

// TableIn is an access to the line of a branch. The first of its kinds that is set is served.
type TableIn struct {
	Predict  bool
	Diverge  bool
	Update   bool
	Bypass   bool
	Nested   bool // compaction was adequate at a branch nested in those that reconverge at Meet
	PC       uint32
	Meet     uint32 // Diverge, Nested: reconvergence point
	Adequate bool   // Update
}

// TableOut answers Predict and Update.
type TableOut struct {
	Hit   bool
	Here  bool
	Block bool
}

// Tick serves an access.
func (b *CAPT) Tick() {
	in := b.In.Get()
	var out TableOut
	switch {
	case in.Predict:
		last, hit := b.Lines.Predict(in.PC)
		out = TableOut{hit, last.Here, last.Block}
	case in.Diverge:
		b.Lines.Diverge(in.PC, in.Meet)
	case in.Update:
		out.Block = b.Lines.Update(in.PC, in.Adequate)
	case in.Bypass:
		b.Lines.Bypass(in.PC)
	case in.Nested:
		b.Lines.Inside(in.Meet)
	}
	b.Out.Set(out)
}
