package properties

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
)

// The book of barriers: which threads have come to which barrier of their CTA, and who
// waits there. A barrier opens when every live thread of the CTA has come to it, or as many warps
// as it asks for, each with all of its live threads (PTX ISA, bar).

// comes enters threads of a row that execute a barrier. Warps that arrive as a whole, before
// sm_70, are not followed.
func (o *observer) comes(e *sm.Issued, in *isa.Inst, r int, lanes uint32) {
	if lanes == 0 || o.prog.Target < 70 {
		return
	}
	value := func(i int) int {
		switch s := &in.Src[i]; {
		case i < int(in.NSrc) && s.Kind == isa.OperandImm:
			return int(s.Imm)
		case i < int(in.NSrc) && s.Kind == isa.OperandReg:
			return int(uint32(o.sm.Reg(r, bits.TrailingZeros32(lanes), int(s.Index))))
		}
		return 0
	}
	id, need := value(0)&15, (value(1)+o.lanes-1)/o.lanes
	o.opens(r, id)
	w := &o.rows[r]
	w.arrived[id] |= lanes
	o.ctas[o.sm.Resident(r)&(sm.MaxCTAs-1)].need[id] = uint8(need)
	if in.Mode != isa.ModeArrive {
		w.held |= lanes
		for m := lanes; m != 0; m &= m - 1 {
			w.at[bits.TrailingZeros32(m)] = uint8(id)
		}
	}
	o.opens(r, id)
}

// opens opens barrier id of the CTA of row r if nobody is missing. Otherwise it returns a
// row and lanes that are.
func (o *observer) opens(r, id int) (row int, missing uint32) {
	need := int(o.ctas[o.sm.Resident(r)&(sm.MaxCTAs-1)].need[id])
	first, came := r-r%o.warps, 0
	for i := first; i < first+o.warps; i++ {
		away := o.all(i)
		if w := &o.rows[i]; w.began && w.cta == o.rows[r].cta {
			away = w.live &^ w.arrived[id]
			if away == 0 && w.arrived[id] != 0 {
				came++
			}
		}
		if away != 0 {
			row, missing = i, away
		}
	}
	if need == 0 && missing != 0 || came < need {
		return row, missing
	}
	for i := first; i < first+o.warps; i++ {
		w := &o.rows[i]
		w.arrived[id] = 0
		for m := w.held; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); int(w.at[lane]) == id {
				w.held &^= 1 << lane
			}
		}
	}
	return 0, 0
}

// behind looks whether threads have passed a barrier before others came to it.
func (o *observer) behind(e *sm.Issued, w *row, r int, mask uint32) {
	for m := mask & w.held; m != 0; m &= w.held &^ (m & -m) {
		lane := bits.TrailingZeros32(m)
		id := int(w.at[lane])
		if row, missing := o.opens(r, id); w.held>>lane&1 != 0 {
			o.fail(Rule{checkBarrier, "passed before all threads came"}, inRow(r, 1<<lane), "%s: lane %d of row %d is behind barrier %d, lanes %#x of row %d have not come to it", o.at(e), lane, r, id, missing, row)
			return
		}
	}
}
