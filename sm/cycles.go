package sm

import (
	"fmt"
	"math/bits"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Class classifies the cycles of a sub-core: each cycle has exactly one class (Fung & Aamodt, HPCA 2011,
// figures 13 and 14).
//
// In a W0_Idle cycle no instruction is ready and no memory access is pending. The paper does not
// divide these cycles by cause. Our reading: the cause is the first class of the list that holds
// back a warp. A cycle that other warps could have used is charged to the cause of their wait.
type Class uint8

// The classes.
const (
	IdleSync    Class = iota // W0_Idle: a warp waits for others of its CTA, at a branch or a reconvergence point
	IdleBarrier              // W0_Idle: a warp waits at a barrier
	IdleBranch               // W0_Idle: a control instruction is being resolved
	IdleFetch                // W0_Idle: a warp has no instruction in the I-buffer; or warps are being started or formed
	IdleDepend               // W0_Idle: all warps wait for results of earlier instructions
	ClassMem                 // W0_Mem: nothing ready, a memory access is pending
	ClassStall               // Stall: a warp is ready, the next pipeline stage is occupied
	ClassEmpty               // Empty: no resident CTA has warps in the sub-core; an exit may still be entering
	ClassIssue               // the first of LaneBins: a warp instruction issues, or is entering a narrow pipe
	NumClasses  = ClassIssue + LaneBins
)

// LaneBins is the number of classes of issued instructions, by active lanes: W1-4 to W29-32 in
// warps of 32.
const LaneBins = 8

var classNames = [...]string{"sync", "barrier", "branch", "fetch", "dependence", "W0_Mem", "Stall", "Empty"}

// Name returns the name of a class in warps of the given size; for W0_Idle, the cause. It is empty
// if the class cannot occur: warps of fewer than 8 threads have fewer bins.
func (c Class) Name(warpSize int) string {
	if c < ClassIssue {
		return classNames[c]
	}
	from, to := c.Lanes(warpSize)
	switch {
	case to > warpSize:
		return ""
	case from == to:
		return fmt.Sprintf("W%d", to)
	}
	return fmt.Sprintf("W%d-%d", from, to)
}

// Lanes returns the smallest and the largest number of active lanes of a class of issued warps.
func (c Class) Lanes(warpSize int) (from, to int) {
	n := binLanes(warpSize)
	return int(c-ClassIssue)*n + 1, int(c-ClassIssue+1) * n
}

// binLanes returns the number of lanes from a bin to the next.
func binLanes(warpSize int) int { return max(warpSize/LaneBins, 1) }

// Cycles counts SM cycles by class.
type Cycles [NumClasses]uint64

// Idle returns the sum of all causes of W0_Idle.
func (c *Cycles) Idle() uint64 { return sum(c[:ClassMem]) }

// Issue returns the sum over all numbers of active lanes.
func (c *Cycles) Issue() uint64 { return sum(c[ClassIssue:]) }

func sum(cycles []uint64) (n uint64) {
	for _, c := range cycles {
		n += c
	}
	return n
}

// CyclesBy returns the number of cycles of the sub-core before cycle now that were spent in each class.
func (i *Issue) CyclesBy(now uint64) Cycles {
	q := i.Q()
	n := i.Count.Q().Cycles
	n[q.Class] += now - q.Since
	return n
}

// issueClass returns the class of an instruction with these active lanes.
func (l *launch) issueClass(mask uint64) Class {
	return l.bins[bits.OnesCount64(mask)]
}

// idle returns the reason why no slot is ready.
func (i *Issue) idle(slots *rtl.Mem[divergence.Slot]) Class {
	class, warps := IdleDepend, false
	for w, own := range i.l.slots[i.core][:units.Words(slots.Len())] {
		for ; own != 0; own &= own - 1 {
			s := w<<6 | bits.TrailingZeros64(own)
			slot := slots.At(s)
			switch {
			case slot.Wait == divergence.WaitsJoin:
				return IdleSync
			case !slot.Valid:
				continue
			case slot.Wait == divergence.WaitsBarrier:
				class = min(class, IdleBarrier)
			case slot.Wait == divergence.WaitsControl:
				class = min(class, IdleBranch)
			default:
				if e := i.Front.IBuffer.At(s); e.N == 0 || e.PC != slot.PC {
					class = min(class, IdleFetch)
				}
			}
			warps = true
		}
	}
	if !warps {
		return IdleFetch
	}
	return class
}
