package divergence

import (
	"math"
	"math/bits"

	"divergo/internal/key"
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
	rank func(p *DWF, w candidate) uint64
	byPC bool // it depends on the warp's PC alone
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
	With(IssueMajority, "all warps of one PC; then of the PC at which most threads wait, on a tie the smaller one", issue{func(p *DWF, w candidate) uint64 {
		return p.unlessCurrent(w, math.MaxUint16-p.Waiting.Next(int(w.pc)).Threads)
	}, true}).
	With(IssueMinority, "the same with fewest threads", issue{func(p *DWF, w candidate) uint64 {
		return p.unlessCurrent(w, p.Waiting.Next(int(w.pc)).Threads)
	}, true}).
	With(IssueTime, "in the order in which they were formed", issue{rank: func(_ *DWF, w candidate) uint64 { return w.born }}).
	With(IssuePDOM, "those that have passed the fewest reconvergence points; then the fuller one", issue{rank: func(_ *DWF, w candidate) uint64 {
		return uint64(w.count)<<8 + w.unfilled()
	}}).
	With(IssuePC, "the smallest PC; then the fuller one", issue{rank: func(_ *DWF, w candidate) uint64 { return uint64(w.pc)<<8 + w.unfilled() }})

// unfilled are the lanes without a thread.
func (w candidate) unfilled() uint64 { return uint64(units.PoolLanes - bits.OnesCount32(w.occ)) }

// unlessCurrent is the first rank for a warp at the PC of the majority or minority,
// which is elected anew when no warp is ready there.
func (p *DWF) unlessCurrent(w candidate, rank uint16) uint64 {
	if w.pc == p.D().Current {
		return 0
	}
	return 1 + uint64(rank)<<32 + uint64(w.pc)
}

// IssuePolicies lists the issue policies.
func IssuePolicies() []IssuePolicy { return issuePolicies.List() }

// Words lists the valid values.
func (IssuePolicy) Words() key.Words { return issuePolicies.Words() }

// order ranks the slots as they will be in the next cycle, and gives one to the
// warp of the pool with the lowest rank, the oldest of several, of those that were
// in the pool when the cycle began.
func (p *DWF) order() {
	if q, d := p.Regs(); d.Free != (units.Set{}) && q.Oldest != nobody {
		p.place(p.next())
	}
	for i := range p.Table.Len() {
		s, rank := p.Table.Next(i), uint64(0)
		if s.Valid && s.Wait == Runs {
			k := p.Picked.Next(i)
			rank = p.rank(candidate{s.PC, s.Mask, k.Count, k.Born})
		}
		if *p.Ranks.Next(i) != rank {
			*p.Ranks.Edit(i) = rank
		}
	}
}

// rank is that of the policy, or a lower one for a warp that has waited too long.
func (p *DWF) rank(w candidate) uint64 {
	if p.aging > 0 && p.D().Issued-w.born > p.aging {
		return w.born
	}
	return unranked + p.policy.rank(p, w)
}

// next is the pool entry that is to have a slot, of those that want one. Those that
// have been released or restored come first, then those that have waited too long.
func (p *DWF) next() int {
	q := p.Q()
	i := int(q.Oldest)
	lowest := p.wants(i)
	if lowest == 0 {
		return i
	}
	if q.Firsts > 0 {
		for !p.Places.At(i).First {
			i = int(p.Places.At(i).Newer)
		}
		return i
	}
	if lowest < unranked {
		return i
	}
	if p.policy.byPC {
		return p.nextPC()
	}
	best := i
	for i := p.Places.At(i).Newer; i != nobody; i = p.Places.At(int(i)).Newer {
		if rank := p.wants(int(i)); rank < lowest {
			best, lowest = int(i), rank
		}
	}
	return best
}

// wants is the rank of a pool entry.
func (p *DWF) wants(i int) uint64 {
	at, w := p.Places.At(i), p.Pool.Warps.At(i)
	if at.First {
		return 0
	}
	return p.rank(candidate{at.PC, w.Occ, w.Count, at.Born})
}

// nextPC is the oldest pool entry at the PC of the lowest rank.
func (p *DWF) nextPC() (best int) {
	lowest := uint64(math.MaxUint64)
	for k := range p.PCs.Len() {
		for m := *p.PCs.At(k); m != 0; m &= m - 1 {
			pc := k<<6 + bits.TrailingZeros64(m)
			if rank := p.policy.rank(p, candidate{pc: uint32(pc)}); rank < lowest {
				best, lowest = int(p.Waiting.At(pc).Oldest), rank
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
	s.Valid, s.Wait = true, Runs
	p.show(warp, slot)
	if at.Static {
		p.Pool.Free(warp)
	}
	p.redirect.Add(slot)
}
