package barriers

import (
	"fmt"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var subwarpMechanisms = []divergence.Mechanism{
	{
		Name:   "subwarp",
		Doc:    "convergence barriers; while a path waits for memory another one of its warp runs",
		Params: subwarpKeys,
		Counts: subwarpCounts{},
		Stalls: true,
		Promises: divergence.Promises{
			InStep: true, Arrival: divergence.ByPath, Prompt: 1, Gathers: true,
			Depth: divergence.PerLane,
		},
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newSubwarp(e)
		},
		Prepare: withBarriers,
		Asserts: []divergence.Property{{
			Name: "seats", Doc: "a slot that has lanes and does not run is that of a path of its warp",
			Holds: func(p divergence.Policy) bool { return p.(*Subwarp).seated() },
		}},
	},
}

// seated reports whether each slot that has lanes is that of a path.
func (p *Subwarp) seated() bool {
	for i := range p.Table.Len() {
		w := i / p.PathsPerWarp()
		if mask := p.Table.At(i).Mask; mask != 0 && i != w*p.PathsPerWarp()+int(*p.Active.At(w)) && !p.has(w, mask) {
			return false
		}
	}
	return true
}

// has reports whether warp w has a path of these lanes.
func (p *Subwarp) has(w int, mask uint64) bool {
	for i := range p.Stack.Len(w) {
		if p.Stack.At(w, i).Mask == mask {
			return true
		}
	}
	return false
}

// subwarpKeys are the parameters of subwarp, with their defaults.
var subwarpKeys = divergence.NewParams("subwarp", subwarpParams{Slots: 4})

// subwarpParams are the parameters of subwarp.
type subwarpParams struct {
	Slots int `toml:"slots" range:"2..32" unit:"subwarps" doc:"of a warp that have a slot each, the one that runs and those that wait for memory" source:"ours"`
}

type subwarpCounts struct {
	Switches uint64 `name:"switches" doc:"paths that have made room for another one when they waited for memory" source:"Damani et al., HPCA 2022"`
}

// Subwarp is subwarp interleaving (Damani et al., GPU Subwarp Interleaving, HPCA 2022). It hides
// the latency of memory with the other paths of the same warp. ConvBarrier describes the paths and
// where they meet. A path runs until its next instruction must wait for memory. Then another path
// is selected, and runs until it must wait itself.
//
//	         slots of a warp           stack of paths
//	        +----+------+             +----+------+
//	active  | PC | mask | <---------- | PC | mask | top
//	        +----+------+   select    +----+------+
//	stalled | PC | mask | <---------- | PC | mask |
//	        +----+------+             +----+------+
//	free    |           |             | PC | mask | ready
//	        +-----------+             +----+------+
//	              |
//	              +--> Stalled: the slots that wait for memory
//
// One slot of a warp is valid. The slots of stalled paths are not valid, but keep PC and mask, so
// that the scoreboard reports when their data has arrived. Then the path is ready again. It finds
// its slot by its mask.
//
// Our readings, where the abstract and the public material on the paper are silent:
//
//   - A waiting path proceeds when its data arrives, unless another path has been selected.
//     Selection takes the uppermost ready path of the stack.
//   - Only paths in the same convergence barriers take turns, as with yield, because a warp has one
//     set of barriers. A path inside a region of its own does not make room for one outside.
//   - In a recursive function the surrounding barriers are in the stack frames, where the hardware
//     cannot see them. So a path makes no room before it has returned.
//   - The issue of a load causes no switch. The first instruction that waits for the load does.
//   - A switch takes the cycles in which the front end fetches for the new slot.
type Subwarp struct {
	ConvBarrier
	Own divergence.Counted[subwarpCounts]
}

func newSubwarp(e divergence.Env) (divergence.Policy, error) {
	slots := subwarpKeys.Of(e.Options).Slots
	if slots*e.Warps > divergence.MaxSlots {
		return nil, fmt.Errorf("divergence.subwarp.slots = %d: want at most %d with %d warps, as an SM has %d slots",
			slots, divergence.MaxSlots/e.Warps, e.Warps, divergence.MaxSlots)
	}
	p := &Subwarp{ConvBarrier: *newConvBarrier(e)}
	p.Table = rtl.NewMem[divergence.Slot](slots * e.Warps)
	p.Active = rtl.NewMem[uint8](e.Warps)
	return p, nil
}

// Tick replaces paths that wait for memory, and serves at most one issued instruction, one outcome
// and one launch.
func (p *Subwarp) Tick() {
	if p.Stalled != nil && *p.Stalled.At() != (units.Set{}) {
		stalled := p.Stalled.Get()
		for w := range p.Live.Len() {
			i := p.slot(w)
			if s := p.Table.At(i); stalled.Has(i) && s.Valid && s.Wait == divergence.Runs &&
				!(p.Program().Recursive && s.Depth > 0) {
				p.interleave(w, i, &stalled)
			}
		}
	}
	p.Serve(p)
}

// Counts returns the mechanism's own counters.
func (p *Subwarp) Counts() divergence.Counting { return &p.Own }

// Logic is that of convergence barriers, and the comparators that find the slot of a path.
func (p *Subwarp) Logic(g divergence.Geometry) []units.Logic {
	return append(p.ConvBarrier.Logic(g), units.Logic{Kind: units.Equality, Bits: g.Lanes, Count: p.Table.Len()})
}

// interleave replaces the path in slot i of warp w, which waits for memory, with a ready one.
func (p *Subwarp) interleave(w, i int, stalled *units.Set) {
	n, free := p.Stack.Len(w), p.seatOf(w, 0)
	for k := n - 2; k >= 0; k-- {
		e := p.Stack.Entry(w, k)
		seat := p.seatOf(w, e.Mask)
		if e.Wait != divergence.Runs || !p.siblings(w, e.Mask, p.Stack.Top(w).Mask) || seat >= 0 && stalled.Has(seat) ||
			seat < 0 && free < 0 {
			continue
		}
		s, top := p.Table.Edit(i), *e
		p.Stack.Top(w).At = s.At()
		s.Valid = false
		for ; k < n-1; k++ { // the paths above it move down by one
			*p.Stack.Entry(w, k) = *p.Stack.Entry(w, k+1)
		}
		*p.Stack.Top(w) = top
		if seat < 0 {
			seat = free
		}
		p.take(w, seat)
		p.Own.D().Switches++
		return
	}
}

// slot returns the slot of the running path of warp w.
func (p *ConvBarrier) slot(w int) int {
	if p.Active == nil {
		return w
	}
	return w*p.PathsPerWarp() + int(*p.Active.Next(w))
}

// seatOf returns the slot of warp w with this mask, other than the slot of the running path; -1 if
// there is none. A mask of 0 finds a free slot.
func (p *ConvBarrier) seatOf(w int, mask uint64) int {
	for i := w * p.PathsPerWarp(); i < (w+1)*p.PathsPerWarp(); i++ {
		if i != p.slot(w) && p.Table.Next(i).Mask == mask {
			return i
		}
	}
	return -1
}

// take makes slot i of warp w the running one, with the top path.
func (p *ConvBarrier) take(w, i int) *divergence.Slot {
	s, top := p.Table.Edit(i), p.Stack.Top(w)
	*p.Active.Edit(w) = uint8(i - w*p.PathsPerWarp())
	s.Valid, s.Mask, s.Wait = true, top.Mask, top.Wait
	s.Set(top.At)
	p.ChangedRow(w)
	return s
}

// seat returns the slot for the new top path of warp w. If the path has waited for memory, that is
// its own slot; otherwise it is s, the slot of the last running path.
func (p *ConvBarrier) seat(w int, s *divergence.Slot) *divergence.Slot {
	if p.Active == nil {
		return s
	}
	i := p.seatOf(w, p.Stack.Top(w).Mask)
	if i < 0 {
		return s
	}
	s.Valid, s.Mask = false, 0
	return p.take(w, i)
}
