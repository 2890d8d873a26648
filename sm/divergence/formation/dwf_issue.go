package formation

import (
	"math"
	"math/bits"

	"divergo/internal/key"
	"divergo/sm/divergence"
	"divergo/units"
)

// IssuePolicy is the rule for which warps issue first and get slots first. Among equals the warp
// formed first gets a slot, and the scheduler decides which one issues.
type IssuePolicy string

// The issue policies.
const (
	IssueMajority IssuePolicy = "majority"
	IssueMinority IssuePolicy = "minority"
	IssueTime     IssuePolicy = "time"
	IssuePDOM     IssuePolicy = "pdom"
	IssuePC       IssuePolicy = "pc"
)

// issue is the function of an issue policy, which ranks warps or PCs. The lowest rank goes first.
type issue struct {
	rank func(w candidate) uint64
	byPC func(threads uint16) uint16 // used instead: ranks a PC by the number of threads that wait there
}

// candidate is a warp that waits to issue.
type candidate struct {
	pc    uint32
	occ   uint64
	count uint16
	born  uint64
}

// unranked is the lowest rank that a policy gives. Late warps (units.Aging) have lower ranks.
const unranked = 1 << 62

// issuePolicies are all issue policies (Fung et al., MICRO 2007, section 4.3; as in GPGPU-Sim
// 2.1.1b).
var issuePolicies = key.Choices[IssuePolicy, issue]{}.
	With(IssueMajority, "all warps of one PC; then of the PC at which most threads wait, on a tie the smaller one",
		issue{byPC: func(n uint16) uint16 { return math.MaxUint16 - n }}).
	With(IssueMinority, "the same with fewest threads", issue{byPC: func(n uint16) uint16 { return n }}).
	With(IssueTime, "in the order in which they were formed", issue{rank: func(w candidate) uint64 { return w.born }}).
	With(IssuePDOM, "those that have passed the fewest reconvergence points; then the fuller one",
		issue{rank: func(w candidate) uint64 {
			return uint64(w.count)<<8 + w.unfilled()
		}}).
	With(IssuePC, "the smallest PC; then the fuller one",
		issue{rank: func(w candidate) uint64 { return uint64(w.pc)<<8 + w.unfilled() }})

// unfilled returns the number of lanes without a thread.
func (w candidate) unfilled() uint64 { return uint64(units.PoolLanes - bits.OnesCount64(w.occ)) }

// rankPC ranks the warps at a PC by the threads that wait there, for the policies majority and
// minority. All warps of the elected PC issue before another PC is elected (Fung et al., MICRO
// 2007, section 4.3). So the PC of the last instruction keeps the lowest rank. Our reading: if no
// warp at a PC is ready, a warp of the next PC issues, which elects that PC.
func (p *DWF) rankPC(pc uint32, threads uint16) uint64 {
	d := p.Next()
	if pc == d.Current {
		return unranked
	}
	for m := d.Held[0]; m != 0; m &= m - 1 {
		if s := p.Table.Next(bits.TrailingZeros64(m)); s.Valid && s.PC == pc {
			threads -= uint16(bits.OnesCount64(s.Mask))
		}
	}
	return unranked + 1 + uint64(p.policy.byPC(threads))<<32 + uint64(pc)
}

// Words lists the valid values.
func (IssuePolicy) Words() key.Words { return issuePolicies.Words() }

// IssueCount is what a majority counts.
type IssueCount string

// The counts.
const (
	CountWaiting  IssueCount = "waiting"
	CountReturned IssueCount = "returned"
)

// issueCounts say whether threads that wait for memory count.
var issueCounts = key.Choices[IssueCount, func() bool]{}.
	With(CountWaiting, "all threads at the PC, including those of warps that wait for registers", func() bool { return true }).
	With(CountReturned, "those of warps that do not wait for memory: in the paper threads return when they commit", func() bool { return false })

// Words lists the valid values.
func (IssueCount) Words() key.Words { return issueCounts.Words() }

// hold follows the slots that wait for memory, whose threads no majority counts.
func (p *DWF) hold() {
	stalled := *p.Stalled.At()
	for m := stalled[0] ^ p.Q().Held[0]; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		p.D().Held[0] ^= 1 << i
		if s := p.Table.Next(i); s.Valid {
			p.Queues.Touch(s.PC)
		}
	}
}

// order ranks the waiting slots for the next cycle. It gives a free slot to the warp of the lowest
// rank among those in the pool at the start of the cycle. Among equals the oldest gets the slot.
func (p *DWF) order() {
	d, was := p.Next(), &p.began
	if d.Current != was.current {
		p.Queues.Touch(was.current) // may be a PC of the last kernel
		p.Queues.Touch(d.Current)
	}
	if p.policy.byPC != nil {
		p.Queues.Rank(p.rankPC)
	}
	if was.oldest != nobody && d.Free != (units.Set{}) {
		p.place(p.next())
	}
	for _, i := range p.joined {
		at, w := p.Places.Edit(int(i)), p.Pool.Warps.Next(int(i))
		at.Occ, at.Count = w.Occ, w.Count
	}
	for slots := p.Queues.Settle(); slots != 0; slots &= slots - 1 {
		i := bits.TrailingZeros64(slots)
		s, rank := p.Table.Next(i), p.Ranks.Edit(i)
		if p.policy.byPC != nil {
			*rank = p.Queues.RankOf(s.PC)
		} else {
			k := p.Picked.Next(i)
			*rank = unranked + p.policy.rank(candidate{s.PC, s.Mask, k.Count, k.Born})
		}
	}
	if p.Aging.Any(d.Issued) {
		p.rankLate()
	}
}

// rankLate ranks the slots of late warps by age, and finds the next bound of Aging.
func (p *DWF) rankLate() {
	d := p.Next()
	eldest := d.Issued
	for m := ^d.Free[0] & (1<<p.Table.Len() - 1); m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		born := p.Picked.Next(i).Born
		if eldest = min(eldest, born); p.Aging.Late(d.Issued, born) && p.Table.Next(i).Wait == divergence.Runs {
			*p.Ranks.Edit(i) = born
		}
	}
	p.Aging.Restart(eldest)
}

// rank returns the rank that the policy gives, or a lower one for a late warp.
func (p *DWF) rank(pc uint32, occ uint64, count uint16, born uint64) uint64 {
	switch {
	case p.Aging.Late(p.Next().Issued, born):
		return born
	case p.policy.byPC != nil:
		return p.Queues.RankOf(pc)
	}
	return unranked + p.policy.rank(candidate{pc, occ, count, born})
}

// next chooses the pool entry for a free slot, among those that wanted one at the start of the
// cycle. The list continues with entries of this cycle. Released or restored warps come first, then
// late ones, then the rest by rank.
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
		return p.Queues.Next()
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

// wants returns the rank of a pool entry.
func (p *DWF) wants(i int) uint64 {
	at := p.Places.Next(i)
	if at.First {
		return 0
	}
	return p.rank(at.PC, at.Occ, at.Count, at.Born)
}

// place puts a warp of the pool into a slot. It prefers the last slot of the warp's threads, where
// the warp may still wait for their last instruction.
func (p *DWF) place(warp int) {
	d := p.D()
	at := p.Places.Edit(warp)
	slot := d.Free.Next(int(at.Slot), units.Words(p.Table.Len()))
	p.unwant(warp, slot, at)
	d.Free.Remove(slot)
	at.InSlot, at.Slot = true, uint8(slot)
	*p.Picked.Edit(slot) = Picked{Static: at.Static, Joins: !at.Static, Warp: uint16(warp), Born: at.Born}
	s := p.Table.Edit(slot)
	s.Valid, s.Wait = true, divergence.Runs
	p.show(warp, slot, p.Pool.Warps.Next(warp).Occ)
	if at.Static {
		p.Pool.Free(warp)
	}
	p.Aging.Enter(at.Born)
	p.redirect.Add(slot)
}
