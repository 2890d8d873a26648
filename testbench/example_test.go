package testbench_test

import (
	"encoding/binary"
	"fmt"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
)

// Example runs a kernel of a PTX text on a machine with two SMs.
func Example() {
	m, err := ptx.Parse("square.ptx", []byte(`
.version 4.2
.target sm_35
.address_size 64
.entry square(.param .u64 data) {
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [data];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	ld.global.u32 %r2, [%rd2];
	mul.lo.u32 %r3, %r2, %r2;
	st.global.u32 [%rd2], %r3;
	exit;
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := testbench.Program(m, "square")
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := gpu.Default()
	cfg.GPU.SMs = 2
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	arg, _ := testbench.ParseArg("buf:iota:u32:8", 1)
	params, buffers, err := s.Place(p, []testbench.Arg{arg})
	if err != nil {
		fmt.Println(err)
		return
	}
	launch := testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{8, 1, 1}, Params: params}
	if err := s.Launch(launch); err != nil {
		fmt.Println(err)
		return
	}
	out := make([]byte, 32)
	s.Read(buffers[0].Addr, out)
	for i := range 8 {
		fmt.Print(binary.LittleEndian.Uint32(out[4*i:]), " ")
	}
	c := s.Counters()
	fmt.Println("by", c.Instructions, "warp instructions")
	// Output: 0 1 4 9 16 25 36 49 by 7 warp instructions
}

// ExampleCheckArgs reports all errors in the arguments at once.
func ExampleCheckArgs() {
	m, _ := ptx.Parse("k.ptx", []byte(`
.version 4.2
.target sm_35
.address_size 64
.entry k(.param .u64 data, .param .u32 n) { exit; }`))
	p, _ := testbench.Program(m, "")
	arg, _ := testbench.ParseArg("f32:1.5", 1)
	fmt.Println(testbench.CheckArgs(p, []testbench.Arg{arg}))
	// Output:
	// parameter 0, data (.u64): given f32:1.5, want 8 bytes, not 4: u64:VALUE or buf:...
	// parameter 1, n (.u32): no argument, want u32:VALUE
	// the kernel is k(data (.u64), n (.u32))
}
