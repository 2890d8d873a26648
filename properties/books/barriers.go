package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// barriers models which threads have reached which barrier of their CTA, and which ones wait there.
//
// A barrier opens when every live thread of the CTA has reached it. A barrier may name a number of
// warps instead: it opens when so many have reached it, each with all of its live threads (PTX ISA,
// bar).

type barriers struct {
	*View
	rows [sm.MaxWarps]arrivals
	ctas [sm.MaxCTAs]group
}

// arrivals are the arrivals of the threads of a row.
type arrivals struct {
	arrived [divergence.Barriers]uint64 // threads that have reached each barrier since it last opened
	number  [isa.MaxLanes]uint8         // the barrier at which a thread waits
	held    uint64                      // threads that wait
}

// group is a resident CTA.
type group struct {
	id   uint64
	need [divergence.Barriers]uint8 // warps that a barrier needs; 0: all live threads
}

// watchBarriers begins to watch an SM.
func watchBarriers(v *View) *barriers {
	b := &barriers{View: v}
	v.begins = append(v.begins, func(r int) {
		b.rows[r] = arrivals{}
		if g := &b.ctas[v.sm.Resident(r)&(sm.MaxCTAs-1)]; g.id != v.rows[r].cta {
			*g = group{id: v.rows[r].cta}
		}
	})
	return b
}

// issue records an instruction.
func (b *barriers) issue(e sm.Issued) {
	in, taken := &b.prog.Insts[e.PC], b.Taken(&e)
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		r := bits.TrailingZeros64(rows)
		b.passed(&e, r, of(e.Flight, r, e.Mask))
		if in.Op == isa.OpBar {
			b.comes(in, r, of(e.Flight, r, taken))
		}
	}
}

// waits reports whether threads of a row wait at a barrier.
func (b *barriers) waits(row int) bool { return b.rows[row].held != 0 }

// lanesWaiting returns the threads of a row that wait at a barrier.
func (b *barriers) lanesWaiting(row int) uint64 { return b.rows[row].held }

// comes records threads of a row that execute a barrier. Before sm_70, warps arrive as a whole, and
// the model does not follow them.
func (b *barriers) comes(in *isa.Inst, r int, lanes uint64) {
	if lanes == 0 || b.prog.Target < 70 {
		return
	}
	value := func(i int) int {
		switch s := &in.Src[i]; {
		case i < int(in.NSrc) && s.Kind == isa.OperandImm:
			return int(s.Imm)
		case i < int(in.NSrc) && s.Kind == isa.OperandReg:
			return int(uint32(b.sm.Reg(r, bits.TrailingZeros64(lanes), int(s.Index))))
		}
		return 0
	}
	id, need := value(0)&15, (value(1)+b.lanes-1)/b.lanes
	b.opens(r, id)
	w := &b.rows[r]
	w.arrived[id] |= lanes
	b.ctas[b.sm.Resident(r)&(sm.MaxCTAs-1)].need[id] = uint8(need)
	if in.Mode != isa.ModeArrive {
		w.held |= lanes
		for m := lanes; m != 0; m &= m - 1 {
			w.number[bits.TrailingZeros64(m)] = uint8(id)
		}
	}
	b.opens(r, id)
}

// opens opens barrier id of the CTA of row r if no thread is missing. Otherwise it returns a row
// and its missing lanes.
func (b *barriers) opens(r, id int) (row int, missing uint64) {
	need := int(b.ctas[b.sm.Resident(r)&(sm.MaxCTAs-1)].need[id])
	first, came := r-r%b.warps, 0
	for i := first; i < first+b.warps; i++ {
		away := b.all(i)
		if w := &b.View.rows[i]; w.began && w.cta == b.View.rows[r].cta {
			away = w.live &^ b.rows[i].arrived[id]
			if away == 0 && b.rows[i].arrived[id] != 0 {
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
	for i := first; i < first+b.warps; i++ {
		w := &b.rows[i]
		w.arrived[id] = 0
		for m := w.held; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m); int(w.number[lane]) == id {
				w.held &^= 1 << lane
			}
		}
	}
	return 0, 0
}

// passed checks that threads do not pass a barrier before the others reach it.
func (b *barriers) passed(e *sm.Issued, r int, mask uint64) {
	w := &b.rows[r]
	for m := mask & w.held; m != 0; m &= w.held &^ (m & -m) {
		lane := bits.TrailingZeros64(m)
		id := int(w.number[lane])
		if row, missing := b.opens(r, id); w.held>>lane&1 != 0 {
			b.Fail(Rule{checkBarrier, "passed before all threads came"}, InRow(r, 1<<lane),
				"%s: lane %d of row %d is behind barrier %d, lanes %#x of row %d have not come to it", b.at(e), lane, r,
				id, missing, row)
			return
		}
	}
}
