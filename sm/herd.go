package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Herd is the majority unit behind the ALU: a herded branch leaves the pipe with
// all of its active lanes on the way that most of them want to go, so that no
// mechanism sees it diverge (Sartori & Kumar, Branch and Data Herding, section
// III-B). It is in the way of the mask alone: with a latency the pipe waits for it.
//
// Whether an instruction that is marked .hrd is herded is decided at its issue: see
// Issue.herds. Loads are herded by the coalescer.
type Herd struct {
	rtl.State[herdState]

	majority units.Majority
	latency  uint64

	// OnHerd is told of each herded branch.
	OnHerd rtl.Observers[Herded]
}

type herdState struct {
	Until uint64    // first cycle in which the unit is done with the branch in the pipe, 0: not begun
	Last  units.Set // slots whose last herded branch was taken
	Count HerdCounters
}

// HerdCounters are what became of herded branches.
type HerdCounters struct {
	Branches uint64
	Diverged uint64 // of these, that had lanes on both sides
	Forced   uint64 // lanes that went where they did not want to
}

// Herded is a branch with the lanes that wanted to take it, and whether all did.
type Herded struct {
	*Flight
	Want  uint32
	Taken bool
}

func newHerd(cfg *units.HerdConfig) (*Herd, error) {
	m, err := units.NewMajority(cfg.Tie)
	return &Herd{majority: m, latency: uint64(cfg.BranchLatency)}, err
}

// done reports whether the branch in the pipe has been in the unit for its time.
func (h *Herd) done(sim *rtl.Sim) bool {
	if h.latency == 0 {
		return true
	}
	now, until := sim.Now(), h.Q().Until
	if until == 0 {
		until = now + h.latency
		h.D().Until = until
	}
	if now < until {
		sim.WakeAt(until)
	}
	return now >= until
}

// taken is the lanes that take a branch when it is herded: all or none of those
// active, of which some want to.
func (h *Herd) taken(f *Flight, want uint32) uint32 {
	q, d := h.Regs()
	slot := int(f.Slot)
	taken := h.majority.Taken(want, f.Mask, q.Last.Has(slot))
	lanes, stray := uint32(0), want
	if d.Last.Remove(slot); taken {
		lanes, stray = f.Mask, f.Mask&^want
		d.Last.Add(slot)
	}
	d.Until = 0
	d.Count.Branches++
	d.Count.Forced += uint64(bits.OnesCount32(stray))
	if stray != 0 {
		d.Count.Diverged++
	}
	return lanes
}

// herds decides whether an instruction that is being issued is herded, and if so
// numbers it: if it is marked, and herding has not come to its end. That is a count of herded
// instructions, branches and loads, and every SM has its share of it (section V and
// figure 11: "disable herding when Ih == Th"). One instruction a cycle keeps it exact.
func (i *Issue) herds(in *isa.Inst) (number uint32) {
	if in.Flags&isa.FlagHerd == 0 {
		return 0
	}
	d := i.D()
	if i.l.herdLimit >= 0 && int64(d.Herded) >= i.l.herdLimit {
		return 0
	}
	d.Herded++
	return d.Herded
}

// herdShare is how many of the herded instructions of a launch SM number index may
// have, -1 for no limit. The SMs that a small grid leaves without CTAs get none.
func (l *launch) herdShare() int64 {
	limit := int64(l.Prog.HerdLimit)
	if limit == 0 {
		return -1
	}
	sms := int64(min(uint64(l.sms), l.k.CTAs()))
	index := int64(l.index)
	if index >= sms {
		return 0
	}
	share := limit / sms
	if index < limit%sms {
		share++
	}
	return share
}
