package memtest_test

import (
	"fmt"

	"divergo/internal/memtest"
	"divergo/isa"
	"divergo/memsys"
)

// Two SMs add to one word. After the flush the host finds the sum.
func Example() {
	const word = 0x1000_0000
	add := memsys.Access{Kind: memsys.Reduce, Size: 4, Mask: 0xf, Atom: isa.AtomAdd, Type: isa.U32}
	for lane := range add.Addr {
		add.Addr[lane], add.Data[lane][0] = word, 5
	}
	script := []memtest.Step{{Access: add}, {Access: memsys.Access{Kind: memsys.Flush}}}
	s, err := memtest.New(memsys.Default(), script, script)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum := make([]byte, 1)
	fmt.Println(s.Store.Map(word, 4), s.Play(10_000), s.Flush(10_000), s.Store.Read(word, sum))
	fmt.Println(sum[0])
	// Output:
	// <nil> <nil> <nil> <nil>
	// 40
}
