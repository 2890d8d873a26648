package functional_test

import (
	"encoding/binary"
	"fmt"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm"
	"divergo/testbench"
	"divergo/testbench/functional"
)

// Example counts the instructions of a kernel in which the threads of a warp part.
func Example() {
	m, err := ptx.Parse("part.ptx", []byte(`
.version 4.2
.target sm_35
.address_size 64
.entry part(.param .u64 data) {
	.reg .pred %p<1>;
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd0, [data];
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %rd1, %r0, 4, %rd0;
	and.b32 %r1, %r0, 1;
	setp.eq.u32 %p0, %r1, 0;
	@%p0 bra EVEN;
	add.u32 %r0, %r0, 100;
EVEN:
	st.global.u32 [%rd1], %r0;
	exit;
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := testbench.Program(m, "part")
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := gpu.Default()
	params := binary.LittleEndian.AppendUint64(nil, isa.GlobalBase)
	launch := testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: params}
	valid := []sm.Range{{Start: isa.GlobalBase, End: isa.GlobalBase + 128}}
	memory := functional.NewMemory(valid, 0, func(uint64, []byte) error { return nil })
	r, err := functional.Run(launch.Functional(&cfg, 1), memory)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.End, r.Instructions, "warp instructions,", r.Lanes, "active lanes,", r.Lines, "lines")
	fmt.Println("branch at PC 5:", r.Branches[5].Executed, "executed,", r.Branches[5].Divergent, "divergent")
	memory.Changes(func(_ uint64, data []byte) { fmt.Println(data[0], data[4], data[8], data[12]) })
	// Output:
	// finished 9 warp instructions, 272 active lanes, 2 lines
	// branch at PC 5: 1 executed, 1 divergent
	// 0 101 2 103
}
