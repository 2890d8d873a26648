package books

import (
	"fmt"
	"math/bits"

	"divergo/gpu"
	"divergo/isa"
	"divergo/rtl"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench/golden"
	"divergo/units"
)

// View is what a book sees of an SM during a run: the hardware, the program, and which
// threads live where. A book is told of events by the observers and taps of the hardware,
// which it takes away by Leave, and reports what cannot be by Fail.
type View struct {
	sm        *sm.SM
	sim       *rtl.Sim
	index     int
	prog      *isa.Program // the kernel's, of which the hardware may run another form
	config    *gpu.Config
	mechanism *divergence.Mechanism
	lanes     int
	threads   int // of a CTA
	warps     int // of a CTA
	rowsThere int // in the SM; the books of those behind are empty
	rows      [sm.MaxWarps]row
	begins    []func(r int)     // told of each warp that begins
	issues    []func(sm.Issued) // told of each instruction of the kernel, after all taps
	found     *Finding          // the first
	leave     []func()
}

// row is what is known of a static warp.
type row struct {
	cta     uint64 // linear number
	began   bool
	started uint32
	live    uint32
	passed  uint32 // the last branch, call, barrier or exit that has issued; isa.NoPC: none
}

// Finding is what was found first, nil if nothing was.
func (v *View) Finding() *Finding { return v.found }

// SM is the hardware.
func (v *View) SM() *sm.SM { return v.sm }

// Over reports whether something was found. What follows from it is not reported.
func (v *View) Over() bool { return v.found != nil }

// each calls do with each instruction, of the kernel or inserted, when it issues.
func (v *View) each(do func(e sm.Issued, in *isa.Inst)) {
	v.Leave(
		v.sm.Issue.OnIssue.Add(func(e sm.Issued) { do(e, &v.prog.Insts[e.PC]) }),
		v.sm.Issue.OnInserted.Add(func(e sm.Issued) { do(e, &v.sm.Program().Insts[e.PC]) }),
	)
}

// Leave is told how a book goes away, after the run.
func (v *View) Leave(how ...func()) { v.leave = append(v.leave, how...) }

// Fail notes the first thing that a checker finds, and which threads it is about.
func (v *View) Fail(rule Rule, about []units.Home, format string, args ...any) {
	if v.found != nil {
		return
	}
	f := &Finding{Rule: rule, What: fmt.Sprintf(format, args...), Cycle: v.sim.Now()}
	for _, h := range about {
		row, lane := int(h.Row&(sm.MaxWarps-1)), int(h.Lane)
		if f.Last == "" && v.rows[row].began {
			f.Last = Opcode(v.prog, v.rows[row].passed)
		}
		if v.all(row)>>lane&1 != 0 {
			t := v.sm.Thread(row, lane)
			f.Threads = append(f.Threads, golden.ID{CTA: t.CTA, Thread: t.TID})
		}
	}
	v.found = f
}

// at says where an instruction is.
func (v *View) at(e *sm.Issued) string {
	return fmt.Sprintf("SM %d, cycle %d, PC %d, %s: %s", v.index, e.Cycle, e.PC, v.prog.Where(e.PC), v.prog.Mnemonic(e.PC))
}

// inst describes an instruction of the program that the hardware runs.
func (v *View) inst(pc uint32) string {
	p := v.sm.Program()
	if int(pc) >= len(p.Insts) {
		return "no instruction"
	}
	return fmt.Sprintf("PC %d, %s: %s", p.OriginOf(pc), p.Where(pc), p.Mnemonic(pc))
}

// all is the mask of the threads of the warp in a row.
func (v *View) all(r int) (mask uint32) {
	w := r % v.warps
	for location := range min(v.threads-w*v.lanes, v.lanes) {
		mask |= 1 << v.sm.Lane(w, location)
	}
	return mask
}

// warp makes a row that of a CTA, if it was another's.
func (v *View) warp(r int) *row {
	cta := v.sm.Resident(r)
	id := v.sm.CTA.Q().ID[cta&(sm.MaxCTAs-1)]
	w := &v.rows[r]
	if !w.began || w.cta != id {
		all := v.all(r)
		*w = row{cta: id, began: true, started: all, live: all, passed: isa.NoPC}
		for _, begins := range v.begins {
			begins(r)
		}
	}
	return w
}

// of is where the threads of some lanes are in a row.
func of(f *sm.Flight, row int, lanes uint32) (mask uint32) {
	if !f.Mixed {
		return lanes
	}
	for m := lanes; m != 0; m &= m - 1 {
		if h := f.Homes.At(bits.TrailingZeros32(m)); int(h.Row) == row {
			mask |= 1 << h.Lane
		}
	}
	return mask
}

// Taken is the set of lanes of an instruction that do what it says.
func (v *View) Taken(e *sm.Issued) uint32 {
	if in := &v.prog.Insts[e.PC]; in.Guard.Kind == isa.OperandPred {
		return v.guarded(e, in)
	}
	return e.Mask
}

// guarded is the set of lanes whose guard holds.
func (v *View) guarded(e *sm.Issued, in *isa.Inst) (lanes uint32) {
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		h := e.Home(lane)
		if v.sm.Pred(int(h.Row), int(h.Lane), int(in.Guard.Index)) != in.Guard.Not {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// inSlot are the threads of a slot.
func (v *View) inSlot(i int) (list []units.Home) {
	s := v.sm.Div.Slots().At(i)
	if !s.Mixed {
		return InRow(int(s.Row), s.Mask)
	}
	homes := v.sm.Div.Homes().At(i)
	for m := s.Mask; m != 0; m &= m - 1 {
		list = append(list, homes.At(bits.TrailingZeros32(m)))
	}
	return list
}

// pass notes the control instruction that threads have issued last.
func (v *View) pass(e *sm.Issued) {
	if !v.prog.Insts[e.PC].Control() {
		return
	}
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		v.rows[bits.TrailingZeros64(rows)].passed = e.PC
	}
}

// exit takes threads away that have exited.
func (v *View) exit(e sm.Exited) {
	for m := e.Lanes; m != 0; m &= m - 1 {
		h := e.Home(bits.TrailingZeros32(m))
		v.rows[h.Row&(sm.MaxWarps-1)].live &^= 1 << h.Lane
	}
}
