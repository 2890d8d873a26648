package verify_test

import (
	"fmt"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/ptx"
	"divergo/sm"
	"divergo/testbench"
	"divergo/testbench/verify"
)

// Example runs a workload of the suite: the sums of 1000 numbers by CTA, then the sum of these.
func Example() {
	session, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	work := kernels.NewReduction(1000, 64, 1)
	if err := work.Run(verify.New(session)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("launches like the golden model:", len(session.Runs))
	// Output: launches like the golden model: 2
}

const double = `
.version 7.6
.target sm_70
.address_size 64
.visible .entry double(.param .u64 data)
{
	.reg .u64 %p, %at;
	.reg .u32 %i, %v;
	mov.u32 %i, %tid.x;
	ld.param.u64 %p, [data];
	mul.wide.u32 %at, %i, 4;
	add.u64 %p, %p, %at;
	ld.global.u32 %v, [%p];
	shl.b32 %v, %v, 1;
	st.global.u32 [%p], %v;
	ret;
}
`

// ExampleRun runs a machine on which a lane is lost on the way to memory.
func ExampleRun() {
	config := gpu.Default()
	config.GPU.SMs = 1
	session, err := testbench.NewSession(config, testbench.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	session.Machine.SMs[0].Operands.LSU.Tap(func(_ uint64, op *sm.Op) {
		if op.PC == 6 {
			op.Exec &^= 1 << 5
		}
	})
	module, err := ptx.Parse("double.ptx", []byte(double))
	if err != nil {
		fmt.Println(err)
		return
	}
	prog, err := testbench.Program(module, "double")
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := testbench.ParseArg("buf:iota:u32:32", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	params, _, err := session.Place(prog, []testbench.Arg{data})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verify.Run(session, testbench.Launch{
		Prog: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: params,
	}))
	// Output:
	// double on 1x1x1 CTAs of 32x1x1 threads differs from the golden model
	// 1 byte of device memory differs
	//   0x10000014, byte 20 of allocation 0, [0x10000000, 0x10000080): 05 00 00 00, in the golden model 0a 00 00 00
}
