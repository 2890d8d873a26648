package verify

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
	"divergo/sm"
	"divergo/testbench/golden"
	"divergo/units"
)

// watcher observes one SM. It records the issues of each warp and the registers of exiting threads,
// and checks that only live threads issue. It runs on the goroutine of the SM and changes nothing
// outside of itself.
type watcher struct {
	sm      *sm.SM
	index   int
	warps   int    // of a CTA
	threads int    // of a CTA
	lanes   int    // of a warp
	regs    int    // of a thread
	preds   int    // of a thread
	start   uint64 // cycle of the launch
	last    uint64 // cycle of the last issue
	cores   [sm.MaxSchedulers]struct {
		last  uint64 // cycle of the last issue
		taken uint64 // lanes without room for another issue in that cycle
	}
	rows   [sm.MaxWarps]*warp
	done   []*warp // all warps that have started, in order
	issued uint64  // thread instructions
	broken []Broken
	leave  []func()
	herding
}

// warp is a static warp: the history of its threads, whatever groups executed them.
type warp struct {
	id      uint64 // linear number of its CTA
	index   int    // in the CTA
	started uint64 // its threads
	live    uint64 // those that have not exited
	steps   []step
	herds   []golden.HerdStep
	regs    []uint64 // at the exit, by lane, then register
	preds   []bool   // by lane, then predicate
	writes  []uint64 // golden.Written, by lane, then register, then predicate; nil if not requested
	trails  []trail  // by lane; nil if not requested
}

// step is an issued instruction.
type step struct {
	pc   uint32 // or isa.NoPC: an inserted instruction
	mask uint64 // the lanes of this warp for which it issued
}

// maxBroken limits the violations kept for each SM.
const maxBroken = 8

// watch attaches a watcher to a loaded SM and its memory unit, for a launch that starts in this
// cycle. Warps have so many lanes.
func watch(index int, m *sm.SM, unit *memsys.Unit, lanes int, now uint64) *watcher {
	k := m.Kernel()
	w := &watcher{
		sm: m, index: index, start: now, threads: k.Threads(), lanes: lanes, warps: (k.Threads() + lanes - 1) / lanes,
		regs: len(k.Prog.Regs), preds: len(k.Prog.Preds),
	}
	w.leave = append(w.leave, m.Issue.OnIssue.Add(w.issue), m.ALU.OnExit.Add(w.exit))
	// between two returns of a thread there may be only inserted instructions, which restore registers
	if k.Prog.Recursive {
		w.leave = append(w.leave, m.Issue.OnInserted.Add(w.inserted))
	}
	if w.marked = k.Prog.Herds(); w.marked {
		w.watchHerding(unit)
	}
	return w
}

// detach ends the observation.
func (w *watcher) detach() {
	for _, leave := range w.leave {
		leave()
	}
}

func (w *watcher) inserted(e sm.Issued) {
	w.eachRow(e.Flight, e.Mask, func(r int, mask uint64) {
		v := w.warp(r)
		v.steps = append(v.steps, step{isa.NoPC, mask})
	})
}

func (w *watcher) issue(e sm.Issued) {
	c := &w.cores[w.sm.CoreOf(int(e.Slot))]
	late := (e.Cycle < c.last || e.Cycle == c.last && e.Mask&c.taken != 0) && len(w.done) > 0
	if w.sm.Issue.Beside == nil || e.Cycle == c.last {
		c.taken = ^uint64(0) // a sub-core issues at most two in a cycle, if it can issue two
	} else {
		c.taken = e.Mask
	}
	c.last, w.last = e.Cycle, e.Cycle
	if late {
		w.breaks(e.Flight, w.lowest(e), Late, "issued in a cycle in which its sub-core has issued already, or before")
	}
	if e.Mask == 0 {
		w.breaks(e.Flight, w.lowest(e), EmptyMask, "issued with an empty mask")
	}
	w.issued += uint64(bits.OnesCount64(e.Mask))
	w.eachRow(e.Flight, e.Mask, func(r int, mask uint64) {
		v := w.warp(r)
		v.steps = append(v.steps, step{e.PC, mask})
		if dead := mask &^ v.live; dead != 0 {
			w.breaks(e.Flight, home(r, dead), NoThread, "issued for %s", v.why(dead))
		}
	})
	if w.marked && w.sm.Kernel().Prog.Insts[e.PC].Flags&isa.FlagHerd != 0 {
		w.herd(e)
	}
}

// exit records the registers of exiting threads. The front end releases threads when all of their
// instructions are complete, so the register file is up to date.
func (w *watcher) exit(e sm.Exited) {
	w.eachRow(e.Flight, e.Lanes, func(r int, mask uint64) {
		v := w.warp(r)
		if dead := mask &^ v.live; dead != 0 {
			w.breaks(e.Flight, home(r, dead), NoLeaver, "exits as %s", v.why(dead))
		}
		v.live &^= mask
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			for i := range w.regs {
				v.regs[lane*w.regs+i] = w.sm.Reg(r, lane, i)
			}
			for i := range w.preds {
				v.preds[lane*w.preds+i] = w.sm.Pred(r, lane, i)
			}
		}
	})
}

// eachRow calls do for each row of the register file that the threads of some lanes come from, with
// their lanes in that row.
func (w *watcher) eachRow(f *sm.Flight, lanes uint64, do func(row int, lanes uint64)) {
	if !f.Mixed {
		if lanes != 0 {
			do(int(f.Row), lanes)
		}
		return
	}
	for lanes != 0 {
		row, of := f.Homes.Row[bits.TrailingZeros64(lanes)], uint64(0)
		for m := lanes; m != 0; m &= m - 1 {
			if h := f.Homes.At(bits.TrailingZeros64(m)); h.Row == row {
				of |= 1 << h.Lane
				lanes &^= m & -m
			}
		}
		do(int(row), of)
	}
}

// warp returns the present warp of a row. A row starts a new warp when it passes to another CTA.
func (w *watcher) warp(row int) *warp {
	id := w.sm.CTA.Q().ID[w.sm.Resident(row)&(sm.MaxCTAs-1)]
	if v := w.rows[row]; v != nil && v.id == id {
		return v
	}
	index := row % w.warps
	all := uint64(0)
	for location := range min(w.threads-index*w.lanes, w.lanes) {
		all |= 1 << w.sm.Lane(index, location)
	}
	v := &warp{
		id: id, index: index, started: all, live: all, regs: make([]uint64, w.lanes*w.regs),
		preds: make([]bool, w.lanes*w.preds),
	}
	w.rows[row] = v
	w.done = append(w.done, v)
	return v
}

// why explains why lanes are not live.
func (v *warp) why(lanes uint64) string {
	if lanes&v.started == 0 {
		return fmt.Sprintf("lanes %#x, which have no thread", lanes)
	}
	return fmt.Sprintf("lanes %#x, whose threads have exited", lanes&v.started)
}

// lowest returns the home of the thread in the lowest active lane.
func (w *watcher) lowest(e sm.Issued) units.Home {
	return e.Home(bits.TrailingZeros64(e.Mask) % w.lanes)
}

// home returns the home of the lowest of some lanes of a row.
func home(row int, lanes uint64) units.Home {
	return units.Home{Row: uint8(row), Lane: uint8(bits.TrailingZeros64(lanes))}
}

// breaks records that an instruction breaks a rule, and the thread concerned.
func (w *watcher) breaks(f *sm.Flight, h units.Home, is Rule, format string, args ...any) {
	if len(w.broken) == maxBroken {
		return
	}
	t := w.sm.Thread(int(h.Row), int(h.Lane))
	w.broken = append(w.broken, Broken{
		Is: is, SM: w.index, Cycle: w.last - w.start, PC: f.PC, Thread: golden.ID{
			CTA:    t.CTA,
			Thread: t.TID,
		}, Rule: fmt.Sprintf(format, args...),
	})
}
