package sm

import (
	"math/bits"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// pick is the slot to issue from, or -1 if none is ready. It is the first ready
// slot in the order of the scheduler: among all, or, where CTAs have priorities,
// among those of the first CTA that has one (Fung & Aamodt, HPCA 2011, section
// 6.2).
func (i *Issue) pick(slots *rtl.Mem[divergence.Slot]) int {
	q := i.Q()
	ask := i.D().Look
	for w, busy := range q.Busy { // slots whose last instruction holds them back
		ask[w] &^= busy
	}
	resident := i.CTA.Q().Resident
	if i.l.priority == PriorityNone || resident == 0 {
		return i.l.pick(i, ask, anyCTA, int(q.Last), slots)
	}
	foremost := i.foremost(resident) & (MaxCTAs - 1)
	if s := i.l.pick(i, ask, foremost, int(q.LastOf[foremost]), slots); s >= 0 {
		return s
	}
	// Among the others only those are put in order that have an instruction: few,
	// where slots go from CTA to CTA.
	var ctas uint32
	for w, m := range ask {
		for ; m != 0; m &= m - 1 {
			s := w<<6 | bits.TrailingZeros64(m)
			if slot := slots.At(s); i.fetched(s, slot) {
				ctas |= 1 << (slot.CTA & (MaxCTAs - 1))
			} else {
				ask.Remove(s)
				i.D().Look.Remove(s)
			}
		}
	}
	for ctas &^= 1 << foremost; ctas != 0; {
		c := i.foremost(ctas) & (MaxCTAs - 1)
		if s := i.l.pick(i, ask, c, int(q.LastOf[c]), slots); s >= 0 {
			return s
		}
		ctas &^= 1 << c
	}
	return -1
}

// foremost is the CTA of a set that has the highest priority. Round robin turns
// by one with each warp that could enter the pipes.
func (i *Issue) foremost(ctas uint32) int {
	switch i.l.priority {
	case PriorityRRB:
		return nextBit(ctas, int(i.sim.Now()/i.l.entry()%uint64(i.l.ctas)))
	case PrioritySRR:
		return nextBit(ctas, int(i.Q().Turn))
	}
	id := &i.CTA.Q().ID // grows in the order in which CTAs come
	oldest := bits.TrailingZeros32(ctas)
	for rest := ctas & (ctas - 1); rest != 0; rest &= rest - 1 {
		if c := bits.TrailingZeros32(rest); id[c&(MaxCTAs-1)] < id[oldest&(MaxCTAs-1)] {
			oldest = c
		}
	}
	return oldest
}

// nextBit is the first bit of a set at or after from, going round.
func nextBit(set uint32, from int) int {
	return (from + bits.TrailingZeros32(bits.RotateLeft32(set, -from))) % 32
}

const anyCTA = -1

// schedulers is every warp scheduler: the order in which it takes the slots that
// could issue.
var schedulers = []struct {
	name Scheduler
	doc  string
	// pick is the first ready slot of a set, and of a CTA or anyCTA, or -1. last is
	// the one that has issued before.
	pick func(i *Issue, ask units.Set, cta, last int, slots *rtl.Mem[divergence.Slot]) int
}{
	{LRR, "loose round robin", (*Issue).roundRobin},
	{GTO, "greedy, then oldest", (*Issue).greedyOldest},
}

// Schedulers lists the warp schedulers.
func Schedulers() (list []Scheduler) {
	for _, s := range schedulers {
		list = append(list, s.name)
	}
	return list
}

// Doc is a line on what the scheduler does.
func (s Scheduler) Doc() string {
	for _, t := range schedulers {
		if t.name == s {
			return t.doc
		}
	}
	return ""
}

// roundRobin is the first ready slot after the last one, going round.
func (i *Issue) roundRobin(ask units.Set, cta, last int, slots *rtl.Mem[divergence.Slot]) int {
	for _, turn := range ask.Turn(last + 1) {
		for w, m := range turn {
			for ; m != 0; m &= m - 1 {
				if s := w<<6 | bits.TrailingZeros64(m); i.ready(s, cta, slots) {
					return s
				}
			}
		}
	}
	return -1
}

// greedyOldest is the last slot as long as it is ready, else the one whose warp
// was launched first: that of the CTA that came first, and in it of the smallest
// row, as a CTA's warps are launched in their order. Of a warp formed from several
// it is that of its first thread.
func (i *Issue) greedyOldest(ask units.Set, cta, last int, slots *rtl.Mem[divergence.Slot]) int {
	if ask.Has(last) && i.ready(last, cta, slots) {
		return last
	}
	id := &i.CTA.Q().ID // grows in the order in which CTAs come
	best, bestID, bestRow := -1, uint64(0), uint8(0)
	for w, m := range ask {
		for ; m != 0; m &= m - 1 {
			s := w<<6 | bits.TrailingZeros64(m)
			slot := slots.At(s)
			age := id[slot.CTA&(MaxCTAs-1)]
			younger := best >= 0 && (age > bestID || age == bestID && slot.Row >= bestRow)
			if !younger && i.ready(s, cta, slots) {
				best, bestID, bestRow = s, age, slot.Row
			}
		}
	}
	return best
}

// ready reports whether slot s, which is not busy, is one of a CTA and can issue.
// One that has no instruction need not be asked again until it changes.
func (i *Issue) ready(s, cta int, slots *rtl.Mem[divergence.Slot]) bool {
	slot := slots.At(s)
	switch {
	case cta != anyCTA && int(slot.CTA) != cta:
		return false
	case !i.fetched(s, slot):
		i.D().Look.Remove(s)
		return false
	}
	return i.free(s, slot)
}

// entry is how many cycles a warp takes to enter a pipe.
func (l *launch) entry() uint64 { return uint64(l.cfg.WarpSize / l.cfg.SIMDWidth) }

// under is what a priority means under a mechanism.
func (p CTAPriority) under(m divergence.Mechanism) CTAPriority {
	switch {
	case p != PriorityAuto:
		return p
	case m.Blocks:
		return PriorityAge
	}
	return PriorityNone
}
