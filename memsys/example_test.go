package memsys_test

import (
	"fmt"

	"divergo/internal/memtest"
	"divergo/memsys"
)

// A warp loads consecutive words twice: first from the DRAM, then from the L1.
func Example() {
	const buffer = 0x1000_0000
	load := memsys.Access{Kind: memsys.Load, Size: 4, Mask: 0xffff_ffff}
	for lane := range load.Addr {
		load.Addr[lane] = buffer + 4*uint64(lane)
	}
	s, err := memtest.New(memsys.Default(), []memtest.Step{{Access: load}, {NotBefore: 1000, Access: load}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Store.Map(buffer, 128), s.Store.Write(buffer+4*31, []byte{7}))
	fmt.Println(s.Play(10_000))

	unit, sm := s.SMs[0].Unit, s.SMs[0].Driver
	fmt.Println("lane 31 gets", sm.Reply.At(0).Data[31][0], "and", sm.Reply.At(1).Data[31][0])
	fmt.Println("lines for each load:", unit.Coalescer.Count.Q().Lines/2)
	fmt.Println("misses", unit.L1.Count.Q().LoadMisses, "hits", unit.L1.Count.Q().LoadHits)
	fmt.Println("the second takes", *sm.Cycle.At(1)-1000, "cycles")
	// Output:
	// <nil> <nil>
	// <nil>
	// lane 31 gets 7 and 7
	// lines for each load: 2
	// misses 2 hits 2
	// the second takes 7 cycles
}
