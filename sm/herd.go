package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Herd is the majority unit behind the ALU. A herded branch leaves the pipe with all of its active
// lanes on the path that most of them want. No mechanism sees it diverge (Sartori & Kumar, Branch
// and Data Herding, section III-B). Only the mask passes the unit; if the unit has a latency, the
// pipe waits for it.
//
// Issue decides whether an instruction marked .hrd is herded: see Issue.herds. The coalescer herds
// loads.
type Herd struct {
	rtl.State[herdState]

	majority units.Majority
	latency  uint64

	// OnHerd receives each herded branch.
	OnHerd rtl.Observers[Herded]
}

type herdState struct {
	Until uint64       `bits:"timer"`         // first cycle in which the unit is done with the branch in the pipe; 0: not begun
	Last  units.Set    `len:"1" bits:"slots"` // slots whose last herded branch was taken
	Count HerdCounters `rtl:"sim"`
}

// HerdCounters are the counts of herded branches.
type HerdCounters struct {
	Branches uint64
	Diverged uint64 // of these, branches with lanes in both directions
	Forced   uint64 // lanes sent in the direction that they did not want
}

// Herded is a herded branch. Want has the lanes that wanted to take it; Taken tells whether all
// lanes took it.
type Herded struct {
	*Flight
	Want  uint64
	Taken bool
}

func newHerd(cfg *units.HerdConfig) (*Herd, error) {
	m, err := units.NewMajority(cfg.Tie)
	return &Herd{majority: m, latency: uint64(cfg.BranchLatency)}, err
}

// done reports whether the branch in the pipe has spent the latency of the unit.
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

// taken returns the lanes that take a herded branch: all active lanes or none. Want has the lanes
// that want to take it.
func (h *Herd) taken(f *Flight, want uint64) uint64 {
	q, d := h.Regs()
	slot := int(f.Slot)
	taken := h.majority.Taken(want, f.Mask, q.Last.Has(slot))
	lanes, stray := uint64(0), want
	if d.Last.Remove(slot); taken {
		lanes, stray = f.Mask, f.Mask&^want
		d.Last.Add(slot)
	}
	d.Until = 0
	d.Count.Branches++
	d.Count.Forced += uint64(bits.OnesCount64(stray))
	if stray != 0 {
		d.Count.Diverged++
	}
	return lanes
}

// herds decides whether an instruction being issued is herded, and if so returns its number, else
// 0. It is herded if it is marked and the limit has not been reached. The limit counts herded
// instructions, branches and loads. The source is Sartori & Kumar, Branch and Data Herding, section
// V and figure 11: "disable herding when Ih == Th". Every sub-core has its share of the limit. One
// instruction a cycle keeps the count exact.
func (i *Issue) herds(in *isa.Inst) (number uint32) {
	if in.Flags&isa.FlagHerd == 0 {
		return 0
	}
	d := i.D()
	if limit := i.l.herdLimit[i.core]; limit >= 0 && int64(d.Herded) >= limit {
		return 0
	}
	d.Herded++
	return d.Herded
}

// herdShares returns the numbers of herded instructions of a launch allowed to each sub-core, -1 for
// no limit. SMs without CTAs, in a small grid, get none.
func (l *launch) herdShares() (shares [MaxSchedulers]int64) {
	limit := int64(l.Prog.HerdLimit)
	sms := int64(min(uint64(l.sms), l.k.CTAs()))
	for core := range shares {
		switch {
		case limit == 0:
			shares[core] = -1
		case int64(l.index) < sms:
			shares[core] = part(part(limit, sms, int64(l.index)), int64(l.cfg.Schedulers), int64(core))
		}
	}
	return shares
}

// part returns part number i of n parts of a number that differ by one at most.
func part(number, n, i int64) int64 {
	if i < number%n {
		return number/n + 1
	}
	return number / n
}
