package sm

import (
	"math/bits"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// FetchGroups is the additional hardware of Issue for the scheduler of two levels (Narasiman et
// al., Improving GPU Performance via Large Warps and Two-Level Warp Scheduling, MICRO 2011, section
// 4.3). Neighbouring rows of a sub-core form fetch groups. The warps of the active group issue in round robin.
// When all of them wait for long, the next group becomes active. The groups therefore reach their
// loads one after the other, and one group computes while another waits for memory.
//
// Our reading: a warp waits for long if it waits for memory, at a barrier, or for other threads at a
// reconvergence point. A group without warps counts as one that waits. While no warp of the active
// group is ready, a warp of the next group may issue, but the active group keeps its precedence. A
// warp formed from several counts by its first thread.
type FetchGroups struct {
	rtl.State[struct {
		Active uint8 `bits:"6"`
	}]
	Last   *rtl.Mem[uint16] // slot issued last, of each group
	Stalls *Stalls

	l *launch
}

// newFetchGroups makes the groups of a sub-core, or nil if the scheduler has none.
func newFetchGroups(l *launch) *FetchGroups {
	c := l.cfg
	if c.Scheduler != TwoLevel {
		return nil
	}
	rows := c.Warps() / c.Schedulers
	return &FetchGroups{Last: rtl.NewMem[uint16]((rows + c.FetchGroup - 1) / c.FetchGroup), l: l}
}

// of returns the group of a slot.
func (g *FetchGroups) of(slot *divergence.Slot) int {
	return int(g.l.place[slot.Row&(MaxWarps-1)]) / g.l.cfg.FetchGroup % g.Last.Len()
}

// issued records that a slot has issued.
func (g *FetchGroups) issued(s int, slot *divergence.Slot) { *g.Last.Edit(g.of(slot)) = uint16(s) }

// active returns the group that is active in this cycle, given the slots of the sub-core.
func (g *FetchGroups) active(own *units.Set, slots *rtl.Mem[divergence.Slot]) int {
	active := int(g.Q().Active)
	goes := uint64(0) // groups with a warp that does not wait for long
	for w, m := range own[:units.Words(slots.Len())] {
		for ; m != 0; m &= m - 1 {
			s := w<<6 | bits.TrailingZeros64(m)
			slot := slots.At(s)
			stands := !slot.Valid || slot.Wait > divergence.WaitsControl
			if stands || goes>>g.of(slot)&1 != 0 || g.Stalls.waits(s, slot) {
				continue
			}
			if goes |= 1 << g.of(slot); goes>>active&1 != 0 {
				return active
			}
		}
	}
	if goes != 0 {
		active = (active + bits.TrailingZeros64(bits.RotateLeft64(goes, -active))) % 64
		g.D().Active = uint8(active)
	}
	return active
}

// twoLevel returns the next ready slot, in round robin, of the first group with one. The groups are
// in order from the active one on.
func (i *Issue) twoLevel(ask *units.Set, _ int, slots *rtl.Mem[divergence.Slot]) int {
	g, n := i.Groups, slots.Len()
	groups, active := g.Last.Len(), g.active(&i.l.slots[i.core], slots)
	best, first := -1, 0
	for w, m := range ask[:units.Words(n)] {
		for ; m != 0; m &= m - 1 {
			s := w<<6 | bits.TrailingZeros64(m)
			slot := slots.At(s)
			group := g.of(slot)
			turn := (groups+group-active)%groups*n + (n+s-int(*g.Last.At(group))-1)%n
			if (best < 0 || turn < first) && i.ready(s, slot) {
				best, first = s, turn
			}
		}
	}
	return best
}
