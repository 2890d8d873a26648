package units

import (
	"math"
	"math/bits"

	"divergo/rtl"
)

// PCQueues groups waiting warps by PC, for an issue policy that ranks PCs. Up to a thousand warps
// wait at a few PCs, so ranking PCs is faster than ranking warps.
//
//	Wait, Join, Queue --> PC: {threads, rank, slots, oldest --> ... --> newest}
//	                              |      ^      |      |
//	                              +policy+      |      +--> Next: the pool entry for a free slot
//	                                            +---------> Settle: the slots to rank anew
//
// A warp waits in a slot, or in the queue of its PC for a slot. Each cycle begins with Begin and
// ends with Settle. Next chooses among the warps queued in earlier cycles.
//
// PCQueues belongs to the simulator and costs no hardware: the papers do not say how the policy
// finds its warp.
type PCQueues struct {
	At     *rtl.Mem[PCQueue] `rtl:"sim,inplace"` // by PC
	Behind *rtl.Mem[uint16]  `rtl:"sim,inplace"` // by pool entry: the next younger entry of its queue
	Queued *rtl.Mem[uint64]  `rtl:"sim,inplace"` // a bit for each PC whose queue Next searches

	// Of this cycle only.
	touched []uint32 `rtl:"scratch"` // PCs that changed in this cycle
	fresh   []uint32 `rtl:"scratch"` // PCs whose queue received its first warp, for Queued of the next cycle
	came    uint64   `rtl:"scratch"` // slots that received a warp or threads
}

// PCQueue describes the warps at one PC.
type PCQueue struct {
	Threads uint16 // in all warps, in slots and in the queue
	Slots   uint64 // a bit for each slot with a warp
	Warps   uint16 // in the queue
	Oldest  uint16 // pool entry
	Newest  uint16
	Touched bool   // in PCQueues.touched
	Moved   bool   // its rank has changed in this cycle
	Rank    uint64 // set by the policy
}

// NewPCQueues makes queues for a pool of the given number of entries. Resize sets the number of
// PCs.
func NewPCQueues(entries int) PCQueues {
	return PCQueues{At: rtl.NewMem[PCQueue](0), Behind: rtl.NewMem[uint16](entries), Queued: rtl.NewMem[uint64](0)}
}

// Resize empties the queues, for a program of the given number of PCs.
func (q *PCQueues) Resize(pcs int) {
	q.At.Resize(pcs)
	q.Queued.Resize((pcs + 63) / 64)
}

// Begin starts a cycle.
func (q *PCQueues) Begin() { q.touched, q.fresh, q.came = q.touched[:0], q.fresh[:0], 0 }

// Touch marks a PC to be ranked again. It ignores a PC outside the program.
func (q *PCQueues) Touch(pc uint32) {
	if int(pc) < q.At.Len() {
		q.touch(pc)
	}
}

// touch returns the queue of a PC, for a change, and marks the PC to be ranked again.
func (q *PCQueues) touch(pc uint32) *PCQueue {
	x := q.At.Edit(int(pc))
	if !x.Touched {
		x.Touched = true
		q.touched = append(q.touched, pc)
	}
	return x
}

// Join adds threads to a warp at a PC, or adds a warp that needs no queue.
func (q *PCQueues) Join(pc uint32, lanes uint64) { q.touch(pc).Threads += threads(lanes) }

// Wait adds a warp in a slot.
func (q *PCQueues) Wait(slot int, pc uint32, lanes uint64) {
	x := q.touch(pc)
	x.Threads += threads(lanes)
	x.come(q, slot)
}

// come gives a slot to a warp.
func (x *PCQueue) come(q *PCQueues, slot int) {
	x.Slots |= 1 << (slot & 63)
	q.came |= 1 << (slot & 63)
}

// Leave removes the warp of a slot.
func (q *PCQueues) Leave(slot int, pc uint32, lanes uint64) {
	x := q.touch(pc)
	x.Threads -= threads(lanes)
	x.Slots &^= 1 << (slot & 63)
	q.came &^= 1 << (slot & 63)
}

func threads(lanes uint64) uint16 { return uint16(bits.OnesCount64(lanes)) }

// Queue adds a pool entry, which waits for a slot.
func (q *PCQueues) Queue(entry int, pc uint32, lanes uint64) {
	x := q.touch(pc)
	x.Threads += threads(lanes)
	if x.Warps++; x.Warps == 1 {
		x.Oldest = uint16(entry)
		q.fresh = append(q.fresh, pc)
	} else {
		*q.Behind.Edit(int(x.Newest)) = uint16(entry)
	}
	x.Newest = uint16(entry)
}

// Show gives a slot to a warp that waits in no queue, or marks the slot of a warp that threads have
// joined to be ranked again.
func (q *PCQueues) Show(slot int, pc uint32) { q.touch(pc).come(q, slot) }

// Place gives a slot to a queued pool entry.
func (q *PCQueues) Place(entry, slot int, pc uint32) {
	x := q.touch(pc)
	x.come(q, slot)
	if x.Warps--; x.Warps == 0 {
		*q.Queued.Edit(int(pc) >> 6) &^= 1 << (pc & 63)
	}
	if int(x.Oldest) == entry {
		x.Oldest = *q.Behind.Next(entry)
		return
	}
	before := int(x.Oldest)
	for int(*q.Behind.Next(before)) != entry {
		before = int(*q.Behind.Next(before))
	}
	*q.Behind.Edit(before) = *q.Behind.Next(entry)
	if int(x.Newest) == entry {
		x.Newest = uint16(before)
	}
}

// Rank calls the policy for each PC that changed in this cycle. The lowest rank issues first.
func (q *PCQueues) Rank(policy func(pc uint32, threads uint16) uint64) {
	for _, pc := range q.touched {
		x := q.At.Next(int(pc)) // touch has asked for it
		rank := policy(pc, x.Threads)
		x.Rank, x.Moved = rank, rank != x.Rank
	}
}

// RankOf returns the rank of a PC.
func (q *PCQueues) RankOf(pc uint32) uint64 { return q.At.Next(int(pc)).Rank }

// Next returns the oldest queued pool entry at the PC of the lowest rank.
func (q *PCQueues) Next() (entry int) {
	lowest := uint64(math.MaxUint64)
	for k := range q.Queued.Len() {
		for m := *q.Queued.Next(k); m != 0; m &= m - 1 {
			x := q.At.Next(k<<6 + bits.TrailingZeros64(m))
			if rank, oldest := x.Rank, int(x.Oldest); rank < lowest {
				entry, lowest = oldest, rank
			}
		}
	}
	return entry
}

// Settle ends a cycle. It returns the slots to rank anew: those at a PC whose rank has changed, and
// those that received a warp or threads.
func (q *PCQueues) Settle() (slots uint64) {
	for _, pc := range q.fresh {
		*q.Queued.Edit(int(pc) >> 6) |= 1 << (pc & 63)
	}
	slots = q.came
	for _, pc := range q.touched {
		x := q.At.Next(int(pc))
		if x.Moved {
			slots |= x.Slots
		}
		x.Touched, x.Moved = false, false
	}
	return slots
}
