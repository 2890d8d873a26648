package barriers

import (
	"fmt"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var subwarpMechanisms = []divergence.Mechanism{
	{
		Name:     "subwarp",
		Doc:      "convergence barriers; while a path waits for memory another one of its warp runs",
		Params:   SubwarpKeys,
		Counts:   subwarpCounts{},
		Stalls:   true,
		Promises: divergence.Promises{InStep: true, Arrival: divergence.ByPath, Prompt: 1, Gathers: true, Depth: divergence.PerLane},
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newSubwarp(e)
		},
		Prepare: withBarriers,
	},
}

var SubwarpKeys = divergence.NewParams("subwarp", SubwarpParams{Slots: 4})

// SubwarpParams are the parameters of subwarp.
type SubwarpParams struct {
	Slots int `toml:"slots" range:"2..32" unit:"subwarps" doc:"of a warp that have a slot each, the one that runs and those that wait for memory" source:"ours"`
}

type subwarpCounts struct {
	Switches uint64 `name:"switches" doc:"paths that have made room for another one when they waited for memory" source:"Damani et al., HPCA 2022"`
}

// Subwarp is subwarp interleaving (Damani, Stephenson, Rangan, Johnson, Kulkarni &
// Keckler, GPU Subwarp Interleaving, HPCA 2022), which hides the latency of memory
// with the other paths of the same warp: see ConvBarrier for what these are, and where
// they meet. A path runs until its next instruction has to wait for memory. Then
// another one is selected, and goes on until it waits itself.
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
//	              +--> Stalled: who of them waits for memory
//
// One slot of a warp is valid. Those of stalled paths are not, but keep PC and mask,
// so that the scoreboard says when the data has come; then the path is ready again. It
// finds its slot by its mask.
//
// Our readings, where the abstract and what is public of the paper are silent: a path
// that waits goes on when its data comes, unless another one has been selected; that is
// the uppermost of the stack that is ready. Paths take turns that take part in the
// same convergence barriers only, as with yield, since a warp has one set of barriers:
// a path inside of a region of its own does not make room for one outside. In a
// recursive function the barriers around are in the frames, where the hardware does not
// see them, so that a path makes no room before it has returned. There
// is no switch at the issue of a load, only at the first instruction that waits for
// it. A switch takes the cycles in which the slot is fetched for.
type Subwarp struct {
	ConvBarrier
	Own divergence.Counted[subwarpCounts]
}

func newSubwarp(e divergence.Env) (divergence.Policy, error) {
	slots := SubwarpKeys.Of(e.Options).Slots
	if slots*e.Warps > divergence.MaxSlots {
		return nil, fmt.Errorf("divergence.subwarp.slots = %d: want at most %d with %d warps, as an SM has %d slots", slots, divergence.MaxSlots/e.Warps, e.Warps, divergence.MaxSlots)
	}
	p := &Subwarp{ConvBarrier: *newConvBarrier(e)}
	p.Table = rtl.NewMem[divergence.Slot](slots * e.Warps)
	p.Active = rtl.NewMem[uint8](e.Warps)
	return p, nil
}

// Tick selects other paths for those that wait for memory, and serves at most one
// issued instruction, one outcome and one launch.
func (p *Subwarp) Tick() {
	if p.Stalled != nil && *p.Stalled.At() != (units.Set{}) {
		stalled := p.Stalled.Get()
		for w := range p.Live.Len() {
			i := p.slot(w)
			if s := p.Table.At(i); stalled.Has(i) && s.Valid && s.Wait == divergence.Runs && !(p.Program().Recursive && s.Depth > 0) {
				p.interleave(w, i, &stalled)
			}
		}
	}
	p.Serve(p)
}

// Counts is what the mechanism counts itself.
func (p *Subwarp) Counts() divergence.Counting { return &p.Own }

// Logic is that of convergence barriers, and the comparators that find the slot of a
// path.
func (p *Subwarp) Logic(g divergence.Geometry) []units.Logic {
	return append(p.ConvBarrier.Logic(g), units.Logic{Kind: units.Equality, Bits: g.Lanes, Count: p.Table.Len()})
}

// interleave has a path that is ready take the place of the one in slot i of warp w,
// which waits for memory.
func (p *Subwarp) interleave(w, i int, stalled *units.Set) {
	n, free := p.Stack.Len(w), p.seatOf(w, 0)
	for k := n - 2; k >= 0; k-- {
		e := p.Stack.Entry(w, k)
		seat := p.seatOf(w, e.Mask)
		if e.Wait != divergence.Runs || !p.siblings(w, e.Mask, p.Stack.Top(w).Mask) || seat >= 0 && stalled.Has(seat) || seat < 0 && free < 0 {
			continue
		}
		s, top := p.Table.Edit(i), *e
		p.Stack.Top(w).At = s.At()
		s.Valid = false
		for ; k < n-1; k++ { // the paths above it go down by one
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

// slot is that of the path of warp w that runs.
func (p *ConvBarrier) slot(w int) int {
	if p.Active == nil {
		return w
	}
	return w*p.PathsPerWarp() + int(*p.Active.Next(w))
}

// seatOf is the slot of warp w, other than that of the path that runs, that keeps
// these threads, or nobody if mask is 0; -1 if there is none.
func (p *ConvBarrier) seatOf(w int, mask uint32) int {
	for i := w * p.PathsPerWarp(); i < (w+1)*p.PathsPerWarp(); i++ {
		if i != p.slot(w) && p.Table.Next(i).Mask == mask {
			return i
		}
	}
	return -1
}

// take makes a slot of warp w the one that runs, with the top path.
func (p *ConvBarrier) take(w, i int) *divergence.Slot {
	s, top := p.Table.Edit(i), p.Stack.Top(w)
	*p.Active.Edit(w) = uint8(i - w*p.PathsPerWarp())
	s.Valid, s.Mask, s.Wait = true, top.Mask, top.Wait
	s.Set(top.At)
	p.ChangedRow(w)
	return s
}

// seat is the slot of the path of warp w that has become the top: its own, if it has
// waited for memory, else s, that of the path that ran.
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
