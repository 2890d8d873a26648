package experiments

import (
	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench"
)

// assemble makes a program from the body of a kernel, in PTX.
//
// %r0 is %tid.x, %r1 is %tid.y, and %rd0 the kernel's parameter, the address of a buffer. Further
// registers are %r2 to %r9, %rd1 to %rd3 and %p0 to %p9. tile is an array in shared memory.
func assemble(body string) (*isa.Program, error) { return parsed(module(body)) }

// module returns a PTX module with the body of a kernel.
func module(body string) string {
	return `.version 6.0
.target sm_35
.address_size 64
.visible .entry claim(.param .u64 buffer)
{
	.reg .pred %p<10>;
	.reg .b32 %r<10>;
	.reg .b64 %rd<4>;
	.shared .align 4 .b8 tile[1024];
	ld.param.u64 %rd0, [buffer];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %tid.y;
` + body + "\n}\n"
}

// parsed returns the kernel of such a module.
func parsed(text string) (*isa.Program, error) {
	m, err := ptx.Parse("claim.ptx", []byte(text))
	if err != nil {
		return nil, err
	}
	return testbench.Program(m, "claim")
}
