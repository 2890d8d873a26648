package memsys

import (
	"encoding/binary"
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
)

// gatherer is the table of the warp instructions that wait for data: a part of the coalescer and of
// the units behind read-only caches. Each entry gathers the lanes of one instruction.
type gatherer struct {
	table *rtl.Mem[gather] `rtl:"inplace"`
	rows  *rtl.Mem[row]    `rtl:"inplace" len:"lanes" bits:"word"`
}

// gather is the table entry of an instruction that waits for data.
type gather struct {
	Tag  uint16
	Size uint8               `bits:"5"`
	Row  bool                // some lanes have their data in the row of the entry
	Mask uint32              `bits:"lanes"`
	Left uint32              `bits:"lanes"`         // lanes still without data
	Off  [isa.RowLanes]uint8 `len:"lanes" bits:"7"` // offset of each lane in its line, in bytes
}

// row holds the data of the lanes of a warp.
type row [isa.RowLanes][2]uint64

func newGatherer(entries int) gatherer {
	return gatherer{table: rtl.NewMem[gather](entries), rows: rtl.NewMem[row](entries)}
}

// open fills the entry of an access that waits for data, with lines of so many bytes.
func (t *gatherer) open(a *Access, addr *[isa.RowLanes]uint64, entry int, line uint64) {
	g := t.table.Edit(entry)
	*g = gather{Tag: a.Tag, Size: a.Size, Mask: a.Mask}
	if a.Kind == Fence || a.Kind == Flush {
		return
	}
	g.Left = a.Mask
	within := uint8(line - 1)
	for i := range addr {
		g.Off[i] = uint8(addr[i]) & within
	}
}

// take puts a line into an entry. If no lane is left it answers, which needs room in out, and
// reports true: the entry is free.
func (t *gatherer) take(entry int, lanes uint32, data *Line, out rtl.Out[Reply]) bool {
	g := t.table.At(entry)
	if g.Left&^lanes != 0 {
		r := t.rows.Edit(entry)
		if !g.Row {
			*r = row{}
		}
		r.take(lanes, data, g)
		e := t.table.Edit(entry)
		e.Row, e.Left = true, g.Left&^lanes
		return false
	}
	r := out.PushSlot()
	r.Tag, r.Mask = g.Tag, g.Mask
	if g.Row {
		r.Data = *t.rows.At(entry)
	}
	(*row)(&r.Data).take(lanes, data, g)
	return true
}

// take extracts the data of lanes from a line.
func (r *row) take(lanes uint32, data *Line, g *gather) {
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		b := data[g.Off[i]&(MaxLine-1):]
		if g.Size == 4 { // the usual case
			r[i][0] = uint64(binary.LittleEndian.Uint32(b))
		} else {
			r[i] = getWord(b, g.Size)
		}
	}
}
