package gpu

import (
	"hash/maphash"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// A thread that waits in a loop for another thread of its warp waits for ever
// if the mechanism runs the loop first: a SIMT deadlock (ElTantawy & Aamodt,
// MICRO 2016), in which instructions go on being issued. It is told from a
// long computation by its state: at each iteration the registers of the warp
// are the same. When that holds for every warp that can run, and nobody leaves
// a loop, a barrier or the kernel, nothing will ever change.
const (
	quietCycles = 1 << 15 // without progress before the warps are watched; doubles each time they prove alive
	watchCycles = 1 << 14 // watched: several round trips to memory
	sameNeeded  = 3       // iterations without change
)

// watchdog looks for SIMT deadlock on behalf of a run.
type watchdog struct {
	m        *Machine
	seed     maphash.Seed
	progress uint64 // last seen
	since    uint64 // cycle in which it changed
	patience uint64
	watched  [][]spin // by SM and slot, while watching
	until    uint64
	restore  []func(sm.Issued) // observers that were there before
}

// spin is what is known of the loop that a slot is in.
type spin struct {
	PC      uint32 // of the backward branch
	Hash    uint64 // registers at its last issue
	Same    int    // issues in a row with equal registers
	Changed bool   // they have differed while watched
}

func newWatchdog(m *Machine) *watchdog {
	return &watchdog{m: m, seed: maphash.MakeSeed(), since: m.core.Now(), patience: quietCycles}
}

// deadlock is asked between quanta; true means that no thread will get
// anywhere.
func (w *watchdog) deadlock() bool {
	now := w.m.core.Now()
	if w.watched != nil {
		if now < w.until {
			return false
		}
		stuck := w.stuck()
		w.stop()
		w.since, w.patience = now, 2*w.patience
		return stuck
	}
	if now-w.since < w.patience {
		return false
	}
	if p := w.m.progress(); p != w.progress {
		w.progress, w.since = p, now
		return false
	}
	w.start(now)
	return false
}

// progress counts the events after which a warp is in another place than a
// loop that it was in.
func (m *Machine) progress() (n uint64) {
	n = m.dispatch.Q().Ended + m.dispatch.Q().Next
	for _, s := range m.SMs {
		st := s.Div.Stats()
		n += st.Pops + st.BarReleases
	}
	return n
}

func (w *watchdog) start(now uint64) {
	w.until = now + watchCycles
	for _, s := range w.m.SMs {
		seen := make([]spin, s.Div.Slots().Len())
		for i := range seen {
			seen[i].PC = isa.NoPC
		}
		w.watched = append(w.watched, seen)
		observe := s.Issue.OnIssue
		s.Issue.OnIssue = func(e sm.Issued) {
			if observe != nil {
				observe(e)
			}
			if s.Backward(e.PC) {
				h := s.HashRows(w.seed, e.Rows)
				p := &seen[e.Slot]
				switch {
				case p.PC != e.PC:
					*p = spin{PC: e.PC, Hash: h, Changed: p.Changed}
				case p.Hash == h:
					p.Same++
				default:
					p.Hash, p.Same, p.Changed = h, 0, true
				}
			}
		}
		w.restore = append(w.restore, observe)
	}
}

func (w *watchdog) stop() {
	for i, observe := range w.restore {
		w.m.SMs[i].Issue.OnIssue = observe
	}
	w.watched, w.restore = nil, nil
}

// stuck reports whether every slot with threads waits at a barrier or has gone
// round its loop without a change.
func (w *watchdog) stuck() bool {
	live := false
	for i, s := range w.m.SMs {
		slots := s.Div.Slots()
		for j := range slots.Len() {
			if slot := slots.At(j); slot.Valid {
				live = true
				if p := &w.watched[i][j]; slot.Wait != divergence.WaitsBarrier && (p.Changed || p.Same < sameNeeded) {
					return false
				}
			}
		}
	}
	return live
}
