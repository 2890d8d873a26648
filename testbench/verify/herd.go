package verify

import (
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
	"divergo/sm"
	"divergo/testbench/golden"
	"divergo/units"
)

// herd is an issued instruction that is marked for herding.
type herd struct {
	golden.Herd
	cycle  uint64
	thread golden.ID // in its lowest lane
}

// herding is the watcher's state of herded instructions.
type herding struct {
	marked   bool // some are
	list     []*herd
	numbered [sm.MaxSchedulers][]*herd   // the herded ones of each sub-core, by number
	sent     []*herd                     // loads on their way to the coalescer
	branch   map[uint16]*golden.Herd     // the last herded branch of each slot
	before   [sm.MaxSchedulers]units.Set // slots whose last herded branch before the launch was taken
}

// watchHerding attaches the observers that complete a herd after its issue.
func (w *watcher) watchHerding(unit *memsys.Unit) {
	w.branch = map[uint16]*golden.Herd{}
	w.leave = append(w.leave,
		w.sm.LSU.OnAccess.Add(func(a sm.Accessed) {
			if a.Access.Herd {
				w.sent = append(w.sent, w.number(a.Flight))
			}
		}),
		unit.Coalescer.OnHerd.Add(func(e memsys.Herded) {
			h := w.sent[0]
			w.sent = w.sent[1:]
			for half := range isa.RowLanes / 16 {
				if lanes := e.Mask >> (16 * half) & 0xffff; lanes != 0 {
					h.Addr[sm.FirstLane(e.Tag)/16+half] = e.To[16*half+bits.TrailingZeros32(lanes)]
				}
			}
		}))
	for i, c := range w.sm.Sub {
		w.before[i] = c.ALU.Herd.Q().Last
		w.leave = append(w.leave, c.ALU.Herd.OnHerd.Add(func(e sm.Herded) { w.number(e.Flight).Taken = e.Taken }))
	}
}

// number returns the record of a herded instruction.
func (w *watcher) number(f *sm.Flight) *herd { return w.numbered[w.sm.CoreOf(int(f.Slot))][f.Herd-1] }

// herd records a marked instruction with its threads.
func (w *watcher) herd(e sm.Issued) {
	first := w.lowest(e)
	t := w.sm.Thread(int(first.Row), int(first.Lane))
	h := &herd{golden.Herd{PC: e.PC, Herded: e.Herd != 0}, e.Cycle - w.start, golden.ID{CTA: t.CTA, Thread: t.TID}}
	w.list = append(w.list, h)
	if h.Herded {
		if w.sm.Kernel().Prog.Insts[e.PC].Op == isa.OpBra {
			h.Previous, h.Before = w.branch[e.Slot], w.before[w.sm.CoreOf(int(e.Slot))].Has(int(e.Slot))
			w.branch[e.Slot] = &h.Herd
		}
		core := &w.numbered[w.sm.CoreOf(int(e.Slot))]
		*core = append(*core, h)
	}
	w.eachRow(e.Flight, e.Mask, func(r int, mask uint64) {
		v := w.warp(r)
		step := golden.HerdStep{Herd: &h.Herd}
		for location := range w.lanes {
			if home := w.sm.Lane(v.index, location); mask>>home&1 != 0 {
				step.Threads |= 1 << location
				step.Lanes[location] = lane(e.Flight, uint8(r), uint8(home))
			}
		}
		v.herds = append(v.herds, step)
	})
}

// lane returns the lane of a thread in the slot of an instruction.
func lane(f *sm.Flight, row, home uint8) uint8 {
	if f.Mixed {
		for m := f.Mask; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros64(m); f.Homes.At(l) == (units.Home{Row: row, Lane: home}) {
				return uint8(l)
			}
		}
	}
	return home
}

// herds returns the record of the marked instructions of the launch; nil if there are none or the
// machine does not herd.
func (r *run) herds() *golden.Herds {
	c := &r.session.Machine.Config.Herd
	if !c.Enable || !r.launch.Prog.Herds() {
		return nil
	}
	type key struct {
		cta  uint64
		warp int
	}
	warps := map[key][]golden.HerdStep{}
	h := &golden.Herds{
		First: c.Load == units.HerdFirst, Halves: c.HalfWarp, TieTaken: c.Tie == units.TieTaken,
		TiePrevious: c.Tie == units.TiePrevious,
		Of:          func(cta uint64, warp int) []golden.HerdStep { return warps[key{cta, warp}] },
	}
	for _, w := range r.watchers {
		for _, v := range w.done {
			warps[key{v.id, v.index}] = v.herds
		}
		for _, e := range w.list {
			h.List = append(h.List, &e.Herd)
		}
	}
	return h
}

// strays reports herded instructions that did not follow the votes of their threads.
func (r *run) strays(d *Mismatch, list []golden.Stray) {
	for _, s := range list {
		i := s.Herd
		for sm, w := range r.watchers {
			if i -= len(w.list); i < 0 {
				h := w.list[len(w.list)+i]
				d.Broken = append(d.Broken, Broken{
					Is: Astray, Rule: s.Rule, SM: sm, Cycle: h.cycle, PC: h.PC,
					Thread: h.thread,
				})
				break
			}
		}
	}
}
