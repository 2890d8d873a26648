package formation

import (
	"math"
	"math/bits"

	"divergo/internal/key"
	"divergo/sm/divergence"
	"divergo/units"
)

// IssuePolicy says which warps are issued first, and get slots first. Among equals
// the one gets a slot that was formed first, and the scheduler decides which one
// issues.
type IssuePolicy string

// The issue policies.
const (
	IssueMajority IssuePolicy = "majority"
	IssueMinority IssuePolicy = "minority"
	IssueTime     IssuePolicy = "time"
	IssuePDOM     IssuePolicy = "pdom"
	IssuePC       IssuePolicy = "pc"
)

// issue is an issue policy: the rank of a warp, of which the lowest goes first, and
// how it breaks ties.
type issue struct {
	rank func(w candidate) uint64
	byPC func(threads uint16) uint16 // instead, if all that counts is how many threads wait at the warp's PC
}

// candidate is a warp that is to be issued.
type candidate struct {
	pc, occ uint32
	count   uint16
	born    uint64
}

// The ranks of a policy are below this one, and above those of warps that have
// waited too long.
const unranked = 1 << 62

// issuePolicies is every issue policy (Fung et al., MICRO 2007, section 4.3; as in
// GPGPU-Sim 2.1.1b).
var issuePolicies = key.Choices[IssuePolicy, issue]{}.
	With(IssueMajority, "all warps of one PC; then of the PC at which most threads wait, on a tie the smaller one", issue{byPC: func(n uint16) uint16 { return math.MaxUint16 - n }}).
	With(IssueMinority, "the same with fewest threads", issue{byPC: func(n uint16) uint16 { return n }}).
	With(IssueTime, "in the order in which they were formed", issue{rank: func(w candidate) uint64 { return w.born }}).
	With(IssuePDOM, "those that have passed the fewest reconvergence points; then the fuller one", issue{rank: func(w candidate) uint64 {
		return uint64(w.count)<<8 + w.unfilled()
	}}).
	With(IssuePC, "the smallest PC; then the fuller one", issue{rank: func(w candidate) uint64 { return uint64(w.pc)<<8 + w.unfilled() }})

// unfilled are the lanes without a thread.
func (w candidate) unfilled() uint64 { return uint64(units.PoolLanes - bits.OnesCount32(w.occ)) }

// rankPC is the rank of the warps at a PC, by the threads that wait there. The first one is that of
// the PC of the majority or minority, which is elected anew when no warp is ready there.
func (p *DWF) rankPC(pc uint32, threads uint16) uint64 {
	if pc == p.Next().Current {
		return unranked
	}
	return unranked + 1 + uint64(p.policy.byPC(threads))<<32 + uint64(pc)
}

// IssuePolicies lists the issue policies.
func IssuePolicies() []IssuePolicy { return issuePolicies.List() }

// Words lists the valid values.
func (IssuePolicy) Words() key.Words { return issuePolicies.Words() }

// order ranks the slots that wait to be issued as they will be in the next cycle, and gives one to the
// warp of the pool with the lowest rank, the oldest of several, of those that were
// in the pool when the cycle began.
func (p *DWF) order() {
	d, was := p.Next(), &p.began
	if d.Current != was.current {
		p.touch(was.current)
		p.touch(d.Current)
	}
	if p.policy.byPC != nil {
		for _, pc := range p.touched {
			w := p.Waiting.Edit(int(pc))
			w.Rank = p.rankPC(pc, w.Threads)
		}
	}
	if was.oldest != nobody && d.Free != (units.Set{}) {
		p.place(p.next())
	}
	for _, i := range p.joined {
		at, w := p.Places.Edit(int(i)), p.Pool.Warps.Next(int(i))
		at.Occ, at.Count = w.Occ, w.Count
	}
	for _, pc := range p.fresh {
		*p.PCs.Edit(int(pc) >> 6) |= 1 << (pc & 63)
	}
	slots := uint64(0)
	for _, pc := range p.touched {
		w := p.Waiting.Edit(int(pc))
		w.Touched = false
		slots |= w.Slots
	}
	for ; slots != 0; slots &= slots - 1 {
		i := bits.TrailingZeros64(slots)
		s, k := p.Table.Next(i), p.Picked.Next(i)
		*p.Ranks.Edit(i) = p.rank(s.PC, s.Mask, k.Count, k.Born)
	}
	if p.late(d.Issued, *p.Eldest.Next(0)) {
		p.rankLate()
	}
}

// rankLate ranks the slots whose warps have waited too long, and finds out when there
// can be one again.
func (p *DWF) rankLate() {
	d := p.Next()
	eldest := d.Issued
	for m := ^d.Free[0] & (1<<p.Table.Len() - 1); m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		born := p.Picked.Next(i).Born
		if eldest = min(eldest, born); p.late(d.Issued, born) && p.Table.Next(i).Wait == divergence.Runs {
			*p.Ranks.Edit(i) = born
		}
	}
	*p.Eldest.Edit(0) = eldest
}

// touch has the slots at a PC ranked anew. That may be one of the kernel before.
func (p *DWF) touch(pc uint32) {
	if int(pc) < p.Waiting.Len() {
		p.at(pc)
	}
}

// at is what waits at a PC, for a change.
func (p *DWF) at(pc uint32) *Waiting {
	w := p.Waiting.Edit(int(pc))
	if !w.Touched {
		w.Touched = true
		p.touched = append(p.touched, pc)
	}
	return w
}

// late reports whether a warp has waited too long.
func (p *DWF) late(issued, born uint64) bool { return p.aging > 0 && issued-born > p.aging }

// rank is that of the policy, or a lower one for a warp that has waited too long.
func (p *DWF) rank(pc, occ uint32, count uint16, born uint64) uint64 {
	switch {
	case p.late(p.Next().Issued, born):
		return born
	case p.policy.byPC != nil:
		return p.Waiting.Next(int(pc)).Rank
	}
	return unranked + p.policy.rank(candidate{pc, occ, count, born})
}

// next is the pool entry that is to have a slot, of those that wanted one when the cycle
// began; behind them are linked those that have come in it. Those that have been released
// or restored come first, then those that have waited too long.
func (p *DWF) next() int {
	was := &p.began
	i := int(was.oldest)
	lowest := p.wants(i)
	if lowest == 0 {
		return i
	}
	if was.firsts > 0 {
		for !p.Places.Next(i).First {
			i = int(p.Places.Next(i).Newer)
		}
		return i
	}
	if lowest < unranked {
		return i
	}
	if p.policy.byPC != nil {
		return p.nextPC()
	}
	best := i
	for i != int(was.newest) {
		i = int(p.Places.Next(i).Newer)
		if rank := p.wants(i); rank < lowest {
			best, lowest = i, rank
		}
	}
	return best
}

// wants is the rank of a pool entry.
func (p *DWF) wants(i int) uint64 {
	at := p.Places.Next(i)
	if at.First {
		return 0
	}
	return p.rank(at.PC, at.Occ, at.Count, at.Born)
}

// nextPC is the oldest pool entry at the PC of the lowest rank.
func (p *DWF) nextPC() (best int) {
	lowest := uint64(math.MaxUint64)
	for k := range p.PCs.Len() {
		for m := *p.PCs.Next(k); m != 0; m &= m - 1 {
			w := p.Waiting.Next(k<<6 + bits.TrailingZeros64(m))
			if rank, oldest := w.Rank, int(w.Oldest); rank < lowest {
				best, lowest = oldest, rank
			}
		}
	}
	return best
}

// place puts a warp of the pool into a slot: if it can be, into the one that
// its threads were in before, which may be waiting for their last instruction.
func (p *DWF) place(warp int) {
	d := p.D()
	at := p.Places.Edit(warp)
	slot := d.Free.Next(int(at.Slot), units.Words(p.Table.Len()))
	p.unwant(warp, at)
	d.Free.Remove(slot)
	at.InSlot, at.Slot = true, uint8(slot)
	*p.Picked.Edit(slot) = Picked{Static: at.Static, Joins: !at.Static, Warp: uint16(warp), Born: at.Born}
	s := p.Table.Edit(slot)
	s.Valid, s.Wait = true, divergence.Runs
	p.show(warp, slot, p.Pool.Warps.Next(warp).Occ)
	if at.Static {
		p.Pool.Free(warp)
	}
	x := p.at(s.PC)
	x.Slots |= 1 << (slot & 63)
	if at.Born < *p.Eldest.Next(0) {
		*p.Eldest.Edit(0) = at.Born
	}
	p.redirect.Add(slot)
}
