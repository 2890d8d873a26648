package testbench

import (
	"math/bits"
	"sort"

	"divergo/isa"
	"divergo/memsys"
	"divergo/sm"
)

// countOutside starts to count reads outside of valid memory. The function it returns ends the count
// and returns it.
func (s *Session) countOutside() func() uint64 {
	if s.Pad == 0 {
		return func() uint64 { return 0 }
	}
	valid := s.memory.Ranges()
	counts := make([]uint64, len(s.Machine.SMs)) // each SM writes its own
	var leave []func()
	for i, m := range s.Machine.SMs {
		leave = append(leave, m.LSU.OnAccess.Add(func(a sm.Accessed) {
			if a.Kind != memsys.Load || a.Shared || a.Space != isa.SpaceGlobal {
				return
			}
			for lanes := a.Access.Mask; lanes != 0; lanes &= lanes - 1 {
				at := a.Addr[bits.TrailingZeros32(lanes)&(isa.MaxLanes-1)]
				r := sort.Search(len(valid), func(r int) bool { return valid[r].End > at })
				if r == len(valid) || at < valid[r].Start || at+uint64(a.Size) > valid[r].End {
					counts[i]++
				}
			}
		}))
	}
	return func() (n uint64) {
		for i := range leave {
			leave[i]()
			n += counts[i]
		}
		return n
	}
}
