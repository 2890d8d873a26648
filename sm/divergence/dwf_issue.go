package divergence

import (
	"math/bits"

	"divergo/internal/key"
	"divergo/units"
)

// IssuePolicy says which warps of the pool get slots first. Among equals the
// one goes that was formed first.
type IssuePolicy string

// The issue policies.
const (
	IssueMajority IssuePolicy = "majority"
	IssueMinority IssuePolicy = "minority"
	IssueTime     IssuePolicy = "time"
	IssuePDOM     IssuePolicy = "pdom"
	IssuePC       IssuePolicy = "pc"
)

// issuePolicies is every issue policy: the warp that it wants of a pool in which
// some want a slot (Fung et al., MICRO 2007, section 4.3; as in GPGPU-Sim 2.1.1b).
var issuePolicies = key.Choices[IssuePolicy, func(*DWF) int]{}.
	With(IssueMajority, "all warps of one PC; then of the PC at which most threads wait, on a tie the smaller one", func(p *DWF) int {
		return p.atCurrent(func(n, most uint16) bool { return n > most })
	}).
	With(IssueMinority, "the same with fewest threads", func(p *DWF) int {
		return p.atCurrent(func(n, fewest uint16) bool { return n < fewest })
	}).
	With(IssueTime, "in the order in which they were formed", func(p *DWF) int { return int(p.Q().Oldest) }).
	With(IssuePDOM, "those that have passed the fewest reconvergence points; then the fuller one", func(p *DWF) int {
		return p.least(func(w *units.DynamicWarp) uint32 { return uint32(w.Count) })
	}).
	With(IssuePC, "the smallest PC; then the fuller one", func(p *DWF) int {
		return p.least(func(w *units.DynamicWarp) uint32 { return w.PC })
	})

// IssuePolicies lists the issue policies.
func IssuePolicies() []IssuePolicy { return issuePolicies.List() }

// Words lists the valid values.
func (IssuePolicy) Words() key.Words { return issuePolicies.Words() }

// pick gives a slot to the warp that the policy wants. It chooses among those
// that were in the pool when the cycle began.
func (p *DWF) pick() {
	q, d := p.Regs()
	if d.Free == (units.Set{}) || q.Oldest == nobody {
		return
	}
	best := p.policy(p)
	if first := p.urgent(); first >= 0 {
		best = first
	}
	p.place(best)
}

// atCurrent is the oldest warp at the PC of the majority or minority, which is
// elected anew when none is left there.
func (p *DWF) atCurrent(wins func(n, best uint16) bool) int {
	q, d := p.Regs()
	at := p.oldest(q.Search, q.Current)
	if at < 0 {
		d.Current = p.elect(wins)
		at = p.oldest(q.Oldest, d.Current)
	}
	d.Search = uint16(at)
	return at
}

// urgent is the oldest warp that goes before all others, or -1.
func (p *DWF) urgent() int {
	q := p.Q()
	if age := p.Pool.Counts.At(0).Formed - p.Pool.Warps.At(int(q.Oldest)).Born; p.aging > 0 && age > p.aging {
		return int(q.Oldest)
	}
	if q.Firsts == 0 {
		return -1
	}
	i := q.Oldest
	for !p.Places.At(int(i)).First {
		i = p.Places.At(int(i)).Newer
	}
	return int(i)
}

// oldest is the oldest warp from one on that is at a PC, or -1.
func (p *DWF) oldest(i uint16, pc uint32) int {
	for i != nobody {
		at := p.Places.At(int(i))
		if at.PC == pc {
			return int(i)
		}
		i = at.Newer
	}
	return -1
}

// least is the oldest of the warps with the smallest rank that are the fullest.
func (p *DWF) least(rank func(*units.DynamicWarp) uint32) int {
	key := func(i int) uint64 {
		w := p.Pool.Warps.At(i)
		unfilled := uint64(units.PoolLanes - bits.OnesCount32(w.Occ))
		return uint64(rank(w))<<8 + unfilled
	}
	best := int(p.Q().Oldest)
	least := key(best)
	for i := p.Places.At(best).Newer; i != nobody; i = p.Places.At(int(i)).Newer {
		if key := key(int(i)); key < least {
			best, least = int(i), key
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
	*p.Picked.Edit(slot) = Picked{Static: at.Static, Joins: !at.Static, Warp: uint16(warp)}
	s := p.Table.Edit(slot)
	s.Valid, s.Wait = true, Runs
	p.show(warp, slot)
	if at.Static {
		p.Pool.Free(warp)
	}
	p.redirect.Add(slot)
}

// elect is the PC whose number of threads wins, of those at which warps wait.
// The threads in slots whose instruction has not been issued count too.
func (p *DWF) elect(wins func(n, best uint16) bool) uint32 {
	clear(p.threads)
	for k := range p.Pool.Used.Len() {
		for set := *p.Pool.Used.At(k); set != 0; set &= set - 1 {
			i := k<<6 + bits.TrailingZeros64(set)
			if w := p.Pool.Warps.At(i); !p.Places.At(i).AtBar {
				p.threads[w.PC] += uint16(bits.OnesCount32(w.Occ))
			}
		}
	}
	best := p.Places.At(int(p.Q().Oldest)).PC
	for i := p.Q().Oldest; i != nobody; i = p.Places.At(int(i)).Newer {
		pc := p.Places.At(int(i)).PC
		if n, most := p.threads[pc], p.threads[best]; wins(n, most) || n == most && pc < best {
			best = pc
		}
	}
	return best
}
