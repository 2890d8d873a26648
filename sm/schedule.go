package sm

import (
	"math/bits"

	"divergo/internal/key"
	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// pick returns the slot to issue from, or -1 if none is ready. It is the first ready slot in the
// order of the scheduler. If CTAs have priorities, it is chosen among the slots of the first CTA
// with a ready slot (Fung & Aamodt, HPCA 2011, section 6.2).
func (i *Issue) pick(slots *rtl.Mem[divergence.Slot]) int {
	q, look, ask := i.Q(), &i.Next().Look, &i.ask
	words := units.Words(slots.Len())
	for w, busy := range q.Busy[:words] { // slots whose last instruction holds them back
		ask[w] = look[w] &^ busy
	}
	resident := i.resident()
	first := anyCTA
	if resident != 0 {
		first = i.l.foremost(i, resident)
	}
	if first == anyCTA {
		return i.choose(ask, int(q.Last), slots)
	}
	if s := i.chooseOf(first, slots); s >= 0 {
		return s
	}
	ctas := i.ctas(resident, slots) &^ (1 << first) // the others with an instruction
	for ctas != 0 {
		c := i.l.foremost(i, ctas)
		if s := i.chooseOf(c, slots); s >= 0 {
			return s
		}
		ctas &^= 1 << c
	}
	return -1
}

// ctas returns the CTAs of the slots that the scheduler considers, which are among the resident ones.
func (i *Issue) ctas(resident uint32, slots *rtl.Mem[divergence.Slot]) (ctas uint32) {
	words := units.Words(slots.Len())
	if i.Of.Len() == 0 {
		for w, m := range i.ask[:words] {
			for ; m != 0; m &= m - 1 {
				ctas |= 1 << (slots.At(w<<6|bits.TrailingZeros64(m)).CTA & (MaxCTAs - 1))
			}
		}
		return ctas
	}
	for ; resident != 0; resident &= resident - 1 {
		c := bits.TrailingZeros32(resident)
		for w, m := range i.Of.Next(c)[:words] {
			if m&i.ask[w] != 0 {
				ctas |= 1 << c
				break
			}
		}
	}
	return ctas
}

// chooseOf is choose among the slots of a CTA.
func (i *Issue) chooseOf(cta int, slots *rtl.Mem[divergence.Slot]) int {
	own, any := &i.own, uint64(0)
	for w, m := range i.ask[:units.Words(slots.Len())] {
		if i.Of.Len() > 0 {
			m &= i.Of.Next(cta)[w]
		} else {
			m = among(m, w, cta, slots)
		}
		own[w] = m
		any |= m
	}
	if any == 0 {
		return -1
	}
	return i.choose(own, int(i.Q().LastOf[cta&(MaxCTAs-1)]), slots)
}

// among returns the slots of a CTA in word w of a set.
func among(set uint64, w, cta int, slots *rtl.Mem[divergence.Slot]) uint64 {
	for m := set; m != 0; m &= m - 1 {
		if int(slots.At(w<<6|bits.TrailingZeros64(m)).CTA) != cta {
			set &^= m & -m
		}
	}
	return set
}

// choose returns the scheduler's pick among the slots of a set, which it may change. If the mechanism
// ranks slots, it considers only the ready slots of the lowest rank.
func (i *Issue) choose(ask *units.Set, last int, slots *rtl.Mem[divergence.Slot]) int {
	if i.Ranks == nil {
		return i.l.pick(i, ask, last, slots)
	}
	best := &i.best // of rank lowest
	lowest, found := uint64(0), false
	for w, m := range ask[:units.Words(slots.Len())] {
		for ; m != 0; m &= m - 1 {
			s := w<<6 | bits.TrailingZeros64(m)
			rank := *i.Ranks.At(s)
			if found && rank > lowest || !i.ready(s, slots.At(s)) {
				continue
			}
			if !found || rank < lowest {
				*best, lowest, found = units.Set{}, rank, true
			}
			best.Add(s)
		}
	}
	if !found {
		return -1
	}
	return i.l.pick(i, best, last, slots)
}

// nextBit returns the first member of a set at or after from, wrapping around.
func nextBit(set uint32, from int) int {
	return (from + bits.TrailingZeros32(bits.RotateLeft32(set, -from))) % 32
}

const anyCTA = -1

// pick returns the first ready slot of a set, or -1. It may change the set. last is the slot issued
// before.
type pick func(i *Issue, ask *units.Set, last int, slots *rtl.Mem[divergence.Slot]) int

// schedulers holds every warp scheduler: the order among the slots that could issue.
var schedulers = key.Choices[Scheduler, pick]{}.
	With(LRR, "loose round robin: the first ready warp after the last one issued", (*Issue).roundRobin).
	With(GTO, "greedy, then oldest: the last warp as long as it is ready, else the one launched first",
		(*Issue).greedyOldest).
	With(Oldest, "oldest: the ready warp launched first", (*Issue).oldest).
	With(TwoLevel, "two levels: loose round robin in a fetch group until all its warps wait for long, then in the next",
		(*Issue).twoLevel)

// foremost returns the CTA of a set with the highest priority, or anyCTA.
type foremost func(i *Issue, ctas uint32) int

// priorities holds every CTA priority.
var priorities = key.Choices[CTAPriority, foremost]{}.
	With(PriorityNone, "the scheduler decides among all warps", (*Issue).noCTA).
	With(PriorityAge, "the CTA that came to the SM first", (*Issue).oldestCTA).
	With(PriorityRRB, "round robin: another CTA in each cycle", (*Issue).turningCTA).
	With(PrioritySRR, "sticky round robin: the CTA that has issued last, until none of its warps is ready",
		(*Issue).stickyCTA)

func (i *Issue) noCTA(uint32) int { return anyCTA }

// turningCTA advances by one CTA in the time that a warp takes to enter the pipes.
func (i *Issue) turningCTA(ctas uint32) int {
	return nextBit(ctas, int(i.sim.Now()/i.l.entry()%uint64(i.l.ctas)))
}

func (i *Issue) stickyCTA(ctas uint32) int { return nextBit(ctas, int(i.Q().Turn)) }

func (i *Issue) oldestCTA(ctas uint32) int {
	id := &i.CTA.Q().ID // grows in the order in which CTAs come
	oldest := bits.TrailingZeros32(ctas)
	for rest := ctas & (ctas - 1); rest != 0; rest &= rest - 1 {
		if c := bits.TrailingZeros32(rest); id[c&(MaxCTAs-1)] < id[oldest&(MaxCTAs-1)] {
			oldest = c
		}
	}
	return oldest
}

// dependences holds every rule of the scoreboard: whether an issued instruction keeps its slot
// until it has completed.
var dependences = key.Choices[Dependence, func(*isa.Inst) bool]{}.
	With(OneInFlight, "a warp issues when its last instruction has completed (Fung & Aamodt, HPCA 2011, section 2.2.1)",
		func(in *isa.Inst) bool { return in.Op != isa.OpCopy }).
	With(PerRegister, "a warp issues when no register that it reads or writes is still to be written",
		func(in *isa.Inst) bool { return false })

// roundRobin returns the first ready slot after the last one, wrapping around.
func (i *Issue) roundRobin(ask *units.Set, last int, slots *rtl.Mem[divergence.Slot]) int {
	words := units.Words(slots.Len())
	for s := ask.Next(last+1, words); s >= 0; s = ask.Next(last+1, words) {
		if i.ready(s, slots.At(s)) {
			return s
		}
		ask.Remove(s)
	}
	return -1
}

// greedyOldest returns the last slot while it is ready, else that of oldest.
func (i *Issue) greedyOldest(ask *units.Set, last int, slots *rtl.Mem[divergence.Slot]) int {
	if ask.Has(last) && i.ready(last, slots.At(last)) {
		return last
	}
	return i.oldest(ask, last, slots)
}

// oldest returns the ready slot whose warp was launched first. This is the warp of the oldest CTA
// with the smallest row, because a CTA launches its warps in order. A warp formed from several counts
// by its first thread.
func (i *Issue) oldest(ask *units.Set, _ int, slots *rtl.Mem[divergence.Slot]) int {
	id := &i.CTA.Q().ID // grows in the order in which CTAs come
	best, bestID, bestRow := -1, uint64(0), uint8(0)
	for w, m := range ask[:units.Words(slots.Len())] {
		for ; m != 0; m &= m - 1 {
			s := w<<6 | bits.TrailingZeros64(m)
			slot := slots.At(s)
			age := id[slot.CTA&(MaxCTAs-1)]
			younger := best >= 0 && (age > bestID || age == bestID && slot.Row >= bestRow)
			if !younger && i.ready(s, slot) {
				best, bestID, bestRow = s, age, slot.Row
			}
		}
	}
	return best
}

// ready reports whether slot s, which is not busy, can issue. Its mechanism may have changed it since.
func (i *Issue) ready(s int, slot *divergence.Slot) bool {
	return i.fetched(s, slot) && i.free(s, slot)
}

// entry returns the number of cycles in which a warp enters a pipe without skipping.
func (l *launch) entry() uint64 { return l.full }

// enters returns the number of cycles in which a warp with these active lanes enters a pipe. Guards
// are not yet known at issue.
func (l *launch) enters(mask uint64) uint64 {
	if mask == l.all {
		return l.full
	}
	return uint64(l.entering(mask, l.cfg.WarpSize, l.cfg.SIMDWidth))
}
