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
	inside := func(at, size uint64) bool {
		r := sort.Search(len(valid), func(r int) bool { return valid[r].End > at })
		return r < len(valid) && at >= valid[r].Start && at+size <= valid[r].End
	}
	for i, m := range s.Machine.SMs {
		if u := s.Machine.Units[i].TextureUnit; u != nil {
			readable := u.Readable
			u.Readable = func(at, size uint64) bool {
				if !inside(at, size) {
					counts[i]++
				}
				return readable(at, size)
			}
			leave = append(leave, func() { u.Readable = readable })
		}
		leave = append(leave, m.LSU.OnAccess.Add(func(a sm.Accessed) {
			if a.Kind != memsys.Load || a.Shared || a.Space != isa.SpaceGlobal && a.Space != isa.SpaceTexture {
				return
			}
			for lanes := a.Access.Mask; lanes != 0; lanes &= lanes - 1 {
				if !inside(a.Addr[bits.TrailingZeros32(lanes)&(isa.RowLanes-1)], uint64(a.Size)) {
					counts[i]++
				}
			}
		}))
	}
	return func() (n uint64) {
		for i := range leave {
			leave[i]()
		}
		for i := range counts {
			n += counts[i]
		}
		return n
	}
}
