package compaction

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/units"
)

// blockBarrier is the state of one named barrier. Warps arrive as they run. An instruction that
// counts warps means static ones, all of whose live threads have arrived. As in the stack, a
// barrier number has a bit for each thread and each warp of the SM, and a CTA uses its own.
type blockBarrier struct {
	Arrived units.BlockMask  `len:"lanes" bits:"share"`
	Waiting uint64           `bits:"share"` // slots that wait for the release, counted from the CTA's first
	Parked  bool             // no slot waits; the threads wait off the stack
	At      divergence.Point // of the barrier, if Parked
	Need    uint8            `bits:"7"` // static warps expected; 0: all live threads
	Tally   divergence.Tally
}

// bar executes a barrier, at which a warp arrives with all its threads.
func (p *TBC) bar(k blockReconverger, s *divergence.Slot, in *isa.Inst, o *divergence.Outcome) {
	cta := int(s.CTA)
	waits := o.Taken != 0 && in.Mode != isa.ModeArrive
	if waits {
		s.Wait = divergence.WaitsBarrier
	} else {
		s.PC++
	}
	if o.Taken != 0 {
		all := k.whole(int(o.Slot))
		if p.Stack.Top(cta).Mask != p.Stack.Entry(cta, 0).Mask || s.Mask != all {
			p.D().Stats.BarDiverged++
		}
		bar := p.bars.Edit(cta*divergence.Barriers + int(o.Bar))
		p.add(&bar.Arrived, s, uint8(o.Slot), all)
		bar.Need = o.Warps
		if in.Reduces() {
			bar.Tally.Count(o)
		}
		if waits {
			bar.Waiting |= 1 << (uint8(o.Slot) - p.Blocks.At(cta).First)
		}
		p.open(k, cta, bar)
		p.park(k, cta, bar)
	}
	if !waits {
		k.moved(int(o.Slot))
	}
}

// Arriving returns the warp of the slot.
func (p *TBC) Arriving(_ int, active uint64, _ bool) uint64 { return active }

// open releases a barrier if all expected warps have arrived.
func (p *TBC) open(k blockReconverger, cta int, bar *blockBarrier) {
	missing := p.Stack.Entry(cta, 0).Mask // live threads
	missing.Remove(&bar.Arrived)
	arrived := bar.Arrived.Warps() &^ missing.Warps()
	if bar.Parked || bar.Need == 0 && !missing.Empty() || bits.OnesCount64(arrived) < int(bar.Need) {
		return
	}
	p.release(k, cta, bar)
}

// park removes the threads of the top entry from the stack if all its warps wait at the barrier.
// Like an exit it changes every entry but the bottom one, which has all live threads.
func (p *TBC) park(k blockReconverger, cta int, bar *blockBarrier) {
	e, first := p.Stack.Top(cta), int(p.Blocks.At(cta).First)
	if bar.Waiting == 0 || bits.OnesCount64(bar.Waiting) != int(e.WCnt) || bar.Need != 0 {
		return
	}
	at := p.Table.At(first + bits.TrailingZeros64(bar.Waiting)).At()
	for waiting := bar.Waiting; waiting != 0; waiting &= waiting - 1 {
		i := first + bits.TrailingZeros64(waiting)
		if s := p.Table.At(i); s.At() != at || s.Mask != k.whole(i) {
			return
		}
	}
	if bar.Parked && bar.At != at {
		return
	}
	bar.Parked, bar.At = true, at
	for ; bar.Waiting != 0; bar.Waiting &= bar.Waiting - 1 {
		s := p.Table.Edit(first + bits.TrailingZeros64(bar.Waiting))
		s.Valid, s.Wait = false, divergence.WaitsJoin
	}
	for i := 1; i < p.Stack.Len(cta); i++ {
		p.Stack.Entry(cta, i).Mask.Remove(&bar.Arrived)
	}
	e.WCnt = 0
	p.end(cta, e)
}

// unparked returns the threads of a top entry that can run. Only the bottom entry has parked
// threads. It opens a barrier at which all of them are parked.
func (p *TBC) unparked(k blockReconverger, cta int, e *BlockEntry) units.BlockMask {
	run := e.Mask
	if p.Stack.Len(cta) > 1 {
		return run
	}
	for i := cta * divergence.Barriers; i < (cta+1)*divergence.Barriers; i++ {
		bar := p.bars.At(i)
		if !bar.Parked {
			continue
		}
		if bar.Arrived == e.Mask {
			e.At = divergence.Point{PC: bar.At.PC + 1, Depth: bar.At.Depth}
			p.release(k, cta, p.bars.Edit(i))
			return run
		}
		run.Remove(&bar.Arrived)
	}
	return run
}

// release resumes the warps of a barrier.
func (p *TBC) release(k blockReconverger, cta int, bar *blockBarrier) {
	first, waiting := int(p.Blocks.At(cta).First), bar.Waiting
	if bar.Tally.All != 0 {
		for m := bar.Arrived.Warps(); m != 0; m &= m - 1 {
			*p.Tallies.Edit(first + bits.TrailingZeros64(m)) = bar.Tally
		}
	}
	if waiting != 0 || bar.Parked {
		p.D().Stats.BarReleases++
		if p.OnRelease.Any() {
			p.OnRelease.Notify(divergence.Released{Rows: bar.Arrived.Warps() << (first & 63)})
		}
	}
	bar.Arrived, bar.Waiting, bar.Parked, bar.Tally = units.BlockMask{}, 0, false, divergence.Tally{}
	for ; waiting != 0; waiting &= waiting - 1 {
		i := first + bits.TrailingZeros64(waiting)
		s := p.Table.Edit(i)
		s.Wait = divergence.Runs
		s.PC++
		p.redirect.Add(i)
		k.moved(i)
	}
}
