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

// View is a model's view of an SM during a run: the hardware, the program, and the home of each
// live thread.
//
// Observers and taps of the hardware deliver events to a model. The model passes their removal to
// Leave, and reports impossible events to Fail.
type View struct {
	sm        *sm.SM
	sim       *rtl.Sim
	index     int
	cycles    func() uint64 // of the launch so far, until the end of its last CTA
	prog      *isa.Program  // the kernel's; the hardware may run another form of it
	config    *gpu.Config
	mechanism *divergence.Mechanism
	lanes     int
	threads   int // of a CTA
	warps     int // of a CTA
	rowsThere int // in the SM; models of higher rows are empty
	rows      [sm.MaxWarps]row
	begins    []func(r int)     // called for each warp that begins
	issues    []func(sm.Issued) // called for each instruction of the kernel, after all taps
	tallies   []tally
	found     *Finding // the first
	leave     []func()
}

// row is the state of a static warp.
type row struct {
	cta     uint64 // linear number
	began   bool
	started uint64
	live    uint64
	passed  uint32 // PC of the last branch, call, barrier or exit issued; isa.NoPC: none
}

// Finding returns the first finding, nil if there is none.
func (v *View) Finding() *Finding { return v.found }

// SM returns the hardware.
func (v *View) SM() *sm.SM { return v.sm }

// Over reports whether there is a finding. Consequences of the first finding are not reported.
func (v *View) Over() bool { return v.found != nil }

// each calls do for each instruction that issues, of the kernel or inserted.
func (v *View) each(do func(e sm.Issued, in *isa.Inst)) {
	v.Leave(
		v.sm.Issue.OnIssue.Add(func(e sm.Issued) { do(e, &v.prog.Insts[e.PC]) }),
		v.sm.Issue.OnInserted.Add(func(e sm.Issued) { do(e, &v.sm.Program().Insts[e.PC]) }),
	)
}

// eachExecuted calls do for each outcome that an ALU sends.
func (v *View) eachExecuted(do func(cycle uint64, o *divergence.Outcome)) {
	for _, c := range v.sm.Sub {
		v.Leave(c.ALU.Outcome.Tap(do))
	}
}

// eachTaken calls do for each outcome that the mechanism takes.
func (v *View) eachTaken(do func(cycle uint64, o *divergence.Outcome)) {
	ports := v.sm.Div.Connections()
	v.Leave(ports.Outcome.Tap(do))
	for i := range ports.Others {
		v.Leave(ports.Others[i].Outcome.Tap(do))
	}
}

// Leave registers functions that Detach calls after the run, to remove a model from the hardware.
func (v *View) Leave(how ...func()) { v.leave = append(v.leave, how...) }

// Fail records the first finding of a checker, with the threads that it concerns.
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

// at describes an instruction and its place.
func (v *View) at(e *sm.Issued) string {
	return fmt.Sprintf("SM %d, cycle %d, PC %d, %s: %s", v.index, e.Cycle, e.PC, v.prog.Where(e.PC),
		v.prog.Mnemonic(e.PC))
}

// inst describes an instruction of the program that the hardware runs.
func (v *View) inst(pc uint32) string {
	p := v.sm.Program()
	if int(pc) >= len(p.Insts) {
		return "no instruction"
	}
	return fmt.Sprintf("PC %d, %s: %s", p.OriginOf(pc), p.Where(pc), p.Mnemonic(pc))
}

// all returns the lanes with a thread in a row.
func (v *View) all(r int) (mask uint64) {
	w := r % v.warps
	for location := range min(v.threads-w*v.lanes, v.lanes) {
		mask |= 1 << v.sm.Lane(w, location)
	}
	return mask
}

// warp returns a row, and resets it if its CTA is new.
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

// of returns the home lanes, within a row, of the threads in some lanes of an instruction.
func of(f *sm.Flight, row int, lanes uint64) (mask uint64) {
	if !f.Mixed {
		return lanes
	}
	for m := lanes; m != 0; m &= m - 1 {
		if h := f.Homes.At(bits.TrailingZeros64(m)); int(h.Row) == row {
			mask |= 1 << h.Lane
		}
	}
	return mask
}

// Taken returns the lanes whose guard lets them execute an instruction.
func (v *View) Taken(e *sm.Issued) uint64 {
	if in := &v.prog.Insts[e.PC]; in.Guard.Kind == isa.OperandPred {
		return v.guarded(e, in)
	}
	return e.Mask
}

// guarded returns the lanes whose guard holds.
func (v *View) guarded(e *sm.Issued, in *isa.Inst) (lanes uint64) {
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		h := e.Home(lane)
		if v.sm.Pred(int(h.Row), int(h.Lane), int(in.Guard.Index)) != in.Guard.Not {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// inSlot returns the threads of a slot.
func (v *View) inSlot(i int) (list []units.Home) {
	s := v.sm.Div.Slots().At(i)
	if !s.Mixed {
		return InRow(int(s.Row), s.Mask)
	}
	homes := v.sm.Div.Homes().At(i)
	for m := s.Mask; m != 0; m &= m - 1 {
		list = append(list, homes.At(bits.TrailingZeros64(m)))
	}
	return list
}

// pass records the last control instruction of the threads.
func (v *View) pass(e *sm.Issued) {
	if !v.prog.Insts[e.PC].Control() {
		return
	}
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		v.rows[bits.TrailingZeros64(rows)].passed = e.PC
	}
}

// exit removes exited threads.
func (v *View) exit(e sm.Exited) {
	for m := e.Lanes; m != 0; m &= m - 1 {
		h := e.Home(bits.TrailingZeros64(m))
		v.rows[h.Row&(sm.MaxWarps-1)].live &^= 1 << h.Lane
	}
}
