package divergence

import (
	"math/bits"

	"divergo/rtl"
)

// Barrier is the CTA barrier of the per-warp mechanisms. It has an arrival bit for each row. It
// opens when all live warps of the CTA have arrived, or as many as the instruction names (PTX ISA,
// bar; Fung & Aamodt, HPCA 2011, section 2.1). A warp arrives as a whole, whatever its active mask,
// as in GPUs before Volta. Exited warps do not count.
//
// A mechanism embeds it as a part. A mechanism that counts arrivals differently has its own.
type Barrier struct {
	live    *rtl.Mem[uint64]  `rtl:"inplace" bits:"warps"` // rows of each CTA that still have threads
	named   *rtl.Mem[arrival] `rtl:"inplace"`              // by CTA and barrier number
	Tallies *rtl.Mem[Tally]   // by row, for Ports
}

// arrival is the state of one named barrier.
type arrival struct {
	Arrived uint64 `bits:"warps"` // rows that have arrived
	Waiting uint64 `bits:"warps"` // rows of Arrived that wait for the release
	Need    uint8  `bits:"7"`     // warps expected; 0: all live ones
	Tally   Tally  // of the rows with a predicate
}

// NewBarrier makes the barriers of all resident CTAs.
func NewBarrier(g Geometry) Barrier {
	return Barrier{rtl.NewMem[uint64](g.CTAs), rtl.NewMem[arrival](g.CTAs * Barriers), rtl.NewMem[Tally](g.Warps)}
}

// Launch makes all warps of a CTA live when its first warp starts, because a barrier also waits for
// warps that have yet to start. It clears the barriers of the CTA.
func (b *Barrier) Launch(l *WarpStart) {
	if l.Row != l.First {
		return
	}
	for i := range Barriers {
		*b.named.Edit(int(l.CTA)*Barriers + i) = arrival{}
	}
	*b.live.Edit(int(l.CTA)) = (1<<l.Warps - 1) << (l.First & 63)
}

// Arrive records a row at a barrier that expects need warps; 0 means all live ones. It returns the
// rows to release: none while the barrier holds. They include row if it waits.
func (b *Barrier) Arrive(cta, row, id, need uint8, waits bool) (release uint64) {
	e := b.named.Edit(int(cta)*Barriers + int(id&(Barriers-1)))
	e.Arrived |= 1 << (row & 63)
	if waits {
		e.Waiting |= 1 << (row & 63)
	}
	e.Need = need
	return b.open(e, *b.live.Edit(int(cta)))
}

// Count adds the threads that execute a barrier that reduces predicates. Call it before their row
// arrives.
func (b *Barrier) Count(cta uint8, o *Outcome) {
	b.named.Edit(int(cta)*Barriers + int(o.Bar&(Barriers-1))).Tally.Count(o)
}

// Exit removes a row from the live warps and returns the rows that this releases.
func (b *Barrier) Exit(cta, row uint8) (release uint64) {
	live := b.live.Edit(int(cta))
	*live &^= 1 << (row & 63)
	for i := int(cta) * Barriers; i < int(cta+1)*Barriers; i++ {
		if e := b.named.Next(i); e.Arrived != 0 && e.Need == 0 {
			release |= b.open(b.named.Edit(i), *live)
		}
	}
	return release
}

// open releases the rows of a barrier, with its tally, if all expected warps have arrived.
func (b *Barrier) open(e *arrival, live uint64) (release uint64) {
	if e.Need != 0 && bits.OnesCount64(e.Arrived) < int(e.Need) || e.Need == 0 && live&^e.Arrived != 0 {
		return 0
	}
	release = e.Waiting
	if e.Tally.All != 0 {
		for m := release; m != 0; m &= m - 1 {
			*b.Tallies.Edit(bits.TrailingZeros64(m)) = e.Tally
		}
	}
	e.Arrived, e.Waiting, e.Tally = 0, 0, Tally{}
	return release
}
