package divergence

import (
	"math/bits"

	"divergo/internal/key"
	"divergo/isa"
	"divergo/units"
)

// IssuePolicy says which warps of the pool get slots first. Among equals the
// one goes that was formed first.
type IssuePolicy string

// The issue policies (Fung et al., MICRO 2007, section 4.3; as in GPGPU-Sim
// 2.1.1b).
const (
	IssueMajority IssuePolicy = "majority" // all warps of one PC; then of the PC at which most threads wait, on a tie the smaller one
	IssueMinority IssuePolicy = "minority" // the same with fewest threads
	IssueTime     IssuePolicy = "time"     // in the order in which they were formed
	IssuePDOM     IssuePolicy = "pdom"     // those that have passed the fewest reconvergence points; then the fuller one
	IssuePC       IssuePolicy = "pc"       // the smallest PC; then the fuller one
)

// IssuePolicies lists the valid values.
func IssuePolicies() []IssuePolicy {
	return []IssuePolicy{IssueMajority, IssueMinority, IssueTime, IssuePDOM, IssuePC}
}

// Words lists the valid values.
func (IssuePolicy) Words() []string { return key.Words(IssuePolicies()...) }

// load prepares the scratch for a new program.
func (p *DWF) load() {
	p.prog = p.code.Prog
	p.threads = make([]uint16, len(p.prog.Insts)+1)
	p.reconv = make([]bool, len(p.prog.Insts)+1)
	for i := range p.prog.Insts {
		if in := &p.prog.Insts[i]; in.Conditional() && in.Reconv != isa.NoPC {
			p.reconv[in.Reconv] = true
		}
	}
}

// pick gives a slot to the warp that the policy wants. It chooses among those
// that were in the pool when the cycle began.
func (p *DWF) pick() {
	q, d := p.Regs()
	if d.Free == (units.Set{}) || q.Oldest == nobody {
		return
	}
	best := p.urgent()
	switch p.policy {
	case IssueMajority, IssueMinority:
		at := p.oldest(q.Search, q.Current)
		if at < 0 {
			d.Current = p.elect()
			at = p.oldest(q.Oldest, d.Current)
		}
		d.Search = uint16(at)
		if best < 0 {
			best = at
		}
	default:
		if best < 0 {
			best = p.least()
		}
	}
	p.place(best)
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

// least is the oldest of the warps that the policy ranks first.
func (p *DWF) least() int {
	first := p.Q().Oldest
	if p.policy == IssueTime {
		return int(first)
	}
	best, least := int(first), p.key(int(first))
	for i := p.Places.At(best).Newer; i != nobody; i = p.Places.At(int(i)).Newer {
		if key := p.key(int(i)); key < least {
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
	slot := d.Free.Next(int(at.Slot))
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

// key ranks a warp by PDOM priority or by PC; the smallest goes first.
func (p *DWF) key(i int) uint64 {
	w := p.Pool.Warps.At(i)
	unfilled := uint64(units.PoolLanes - bits.OnesCount32(w.Occ))
	if p.policy == IssuePDOM {
		return uint64(w.Count)<<8 + unfilled
	}
	return uint64(w.PC)<<8 + unfilled
}

// elect is the PC with most threads, or fewest, of those at which warps wait.
// The threads in slots whose instruction has not been issued count too.
func (p *DWF) elect() uint32 {
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
		n, most := p.threads[pc], p.threads[best]
		if p.policy == IssueMinority {
			n, most = most, n
		}
		if n > most || n == most && pc < best {
			best = pc
		}
	}
	return best
}
