package models

import (
	"fmt"
	"math/bits"

	"divergo/gpu"
	"divergo/isa"
	"divergo/memsys"
	"divergo/sm"
	"divergo/testbench"
)

// herding predicts what the hardware makes of herded branches and loads (Sartori & Kumar, Branch and
// Data Herding, sections III-B and IV). It knows the votes and the addresses.
type herding struct {
	tie, load string
	halves    bool            // each half of the lanes has a block
	went      map[uint16]bool // by slot: its last herded branch was taken
}

func newHerding(c *gpu.Config) *herding {
	return &herding{string(c.Herd.Tie), string(c.Herd.Load), c.Herd.HalfWarp, map[uint16]bool{}}
}

// branch returns whether the lanes of a slot take a herded branch: as most of them want.
func (h *herding) branch(slot uint16, active, want uint64) bool {
	yes, no := bits.OnesCount64(want&active), bits.OnesCount64(active&^want)
	taken := yes > no
	if yes == no {
		taken = h.tie == "taken" || h.tie == "previous" && h.went[slot]
	}
	h.went[slot] = taken
	return taken
}

// addresses returns the addresses that the lanes of a herded load read: in the block that most of
// them want, of equals in that of the lowest lane, each at its own place in the block.
func (h *herding) addresses(from [isa.RowLanes]uint64, active uint32, bytes int) [isa.RowLanes]uint64 {
	block := map[int]uint64{1: 32, 2: 64}[bytes]
	if block == 0 {
		block = 128
	}
	parts := []uint32{active}
	if h.halves {
		parts = []uint32{active & 0xffff, active &^ 0xffff}
	}
	to := from
	for _, lanes := range parts {
		wants := map[uint64]int{}
		best, lead := uint64(0), -1
		for lane, a := range from {
			if lanes>>lane&1 != 0 {
				wants[a/block]++
			}
		}
		for lane, a := range from {
			if lanes>>lane&1 == 0 {
				continue
			}
			if lead < 0 || wants[a/block] > wants[best] {
				best = a / block
			}
			if lead < 0 {
				lead = lane
			}
		}
		for lane, a := range from {
			if lanes>>lane&1 == 0 {
				continue
			}
			if to[lane] = best*block + a%block; h.load == "first" {
				to[lane] = from[lead]
			}
		}
	}
	return to
}

// WatchHerding compares the herded branches and loads of a loaded session with the model until the
// function it returns is called. That function returns their numbers, and the first difference.
func WatchHerding(s *testbench.Session) func() (branches, loads int, found error) {
	var leave []func()
	branches, loads, found := 0, 0, error(nil)
	for i, m := range s.Machine.SMs {
		for _, c := range m.Sub {
			h := newHerding(&s.Machine.Config)
			leave = append(leave, c.ALU.Herd.OnHerd.Add(func(e sm.Herded) {
				branches++
				if want := h.branch(e.Slot, e.Mask, e.Want); want != e.Taken && found == nil {
					found = fmt.Errorf("SM %d, PC %d: of the lanes %#x %#x want the branch, taken: %t", i, e.PC, e.Mask,
						e.Want, e.Taken)
				}
			}))
		}
		h := newHerding(&s.Machine.Config)
		leave = append(leave, s.Machine.Units[i].Coalescer.OnHerd.Add(func(e memsys.Herded) {
			loads++
			to := h.addresses(e.Addr, e.Mask, int(e.Size))
			for lanes := e.Mask; lanes != 0; lanes &= lanes - 1 {
				if lane := bits.TrailingZeros32(lanes); to[lane] != e.To[lane] && found == nil {
					found = fmt.Errorf("SM %d: lane %d of the load of lanes %#x reads %#x, not %#x", i, lane, e.Mask, e.To[lane],
						to[lane])
				}
			}
		}))
	}
	return func() (int, int, error) {
		for _, l := range leave {
			l()
		}
		return branches, loads, found
	}
}
