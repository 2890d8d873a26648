package divergence

import (
	"math/bits"

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
	d := p.D()
	if d.Free == (units.Set{}) || p.Q().Waiting == [len(d.Waiting)]uint64{} {
		return
	}
	if (p.policy == IssueMajority || p.policy == IssueMinority) && !p.current() {
		d.Current = p.elect()
	}
	best, least := -1, uint64(0)
	for k, set := range &p.Q().Waiting {
		for ; set != 0; set &= set - 1 {
			i := k<<6 + bits.TrailingZeros64(set)
			key := p.key(i)
			if best < 0 || key < least || key == least && p.Pool.Warps.At(i).Born < p.Pool.Warps.At(best).Born {
				best, least = i, key
			}
		}
	}
	p.place(best)
}

// place puts a warp of the pool into a slot: if it can be, into the one that
// its threads were in before, which may be waiting for their last instruction.
func (p *DWF) place(warp int) {
	d := p.D()
	at := p.Places.Edit(warp)
	slot := d.Free.Next(int(at.Slot))
	d.Waiting[warp>>6] &^= 1 << (warp & 63)
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

// key ranks a warp; the smallest goes first.
func (p *DWF) key(i int) uint64 {
	w := p.Pool.Warps.At(i)
	unfilled := uint64(units.PoolLanes - bits.OnesCount32(w.Occ))
	switch {
	case p.Places.At(i).First, p.aging > 0 && p.Pool.Counts.At(0).Formed-w.Born > p.aging:
		return 0
	case p.policy == IssueTime:
		return 1
	case p.policy == IssuePDOM:
		return 1 + uint64(w.Count)<<8 + unfilled
	case p.policy == IssuePC:
		return 1 + uint64(w.PC)<<8 + unfilled
	case w.PC == p.D().Current:
		return 1
	}
	return 2
}

// current reports whether a warp at the current PC waits.
func (p *DWF) current() bool {
	for k, set := range &p.Q().Waiting {
		for ; set != 0; set &= set - 1 {
			if p.Pool.Warps.At(k<<6+bits.TrailingZeros64(set)).PC == p.Q().Current {
				return true
			}
		}
	}
	return false
}

// elect is the PC with most threads, or fewest, of those at which warps wait.
// The threads in slots whose instruction has not been issued count too.
func (p *DWF) elect() uint32 {
	for k := range p.Pool.Used.Len() {
		for set := *p.Pool.Used.At(k); set != 0; set &= set - 1 {
			i := k<<6 + bits.TrailingZeros64(set)
			if w := p.Pool.Warps.At(i); !p.Places.At(i).AtBar {
				p.threads[w.PC] += uint16(bits.OnesCount32(w.Occ))
			}
		}
	}
	best := isa.NoPC
	for k, set := range &p.Q().Waiting {
		for ; set != 0; set &= set - 1 {
			pc := p.Pool.Warps.At(k<<6 + bits.TrailingZeros64(set)).PC
			if best == isa.NoPC {
				best = pc
				continue
			}
			n, most := p.threads[pc], p.threads[best]
			if p.policy == IssueMinority {
				n, most = most, n
			}
			if n > most || n == most && pc < best {
				best = pc
			}
		}
	}
	for k := range p.Pool.Used.Len() {
		for set := *p.Pool.Used.At(k); set != 0; set &= set - 1 {
			p.threads[p.Pool.Warps.At(k<<6+bits.TrailingZeros64(set)).PC] = 0
		}
	}
	return best
}
