package experiments

import (
	"fmt"

	"divergo/isa"
	"divergo/kernels"
	"divergo/ptx"
	"divergo/testbench"
)

// assemble makes a program of the body of a kernel, in PTX. %r0 is %tid.x, %r1
// %tid.y, %rd0 the kernel's parameter, the address of a buffer; further registers
// are %r2 to %r9, %rd1 to %rd3 and %p0 to %p9, and tile is an array in shared
// memory.
func assemble(body string) (*isa.Program, error) { return parsed(module(body)) }

// module is the text around the body of a kernel.
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

// parsed is the program of a module that has such a kernel.
func parsed(text string) (*isa.Program, error) {
	m, err := ptx.Parse("claim.ptx", []byte(text))
	if err != nil {
		return nil, err
	}
	return testbench.Program(m, "claim")
}

// bodies of kernels whose branches are those of benchmarks that the suite of
// package kernels has no equivalent of.
const (
	// halo is the loads of the rim of a tile, radius 4, in finite differences:
	// if (tid.y < 4) ...; if (tid.x < 4) ...
	halo = `
	setp.ge.u32 %p0, %r1, 4;
	@%p0 bra COLUMNS;
	add.u32 %r2, %r2, 1;
COLUMNS:
	setp.ge.u32 %p0, %r0, 4;
	@%p0 bra END;
	add.u32 %r2, %r2, 1;
END:
	exit;`

	// shrink is a range of threads that becomes smaller from round to round:
	// for (n = ntid.x; (n = next(n)) != 0; ) if (tid.x < n) ...
	shrink = `
	mov.u32 %%r2, %%ntid.x;
LOOP:
	%s;
	setp.eq.u32 %%p0, %%r2, 0;
	@%%p0 bra END;
	setp.ge.u32 %%p1, %%r0, %%r2;
	@%%p1 bra LOOP;
	add.u32 %%r3, %%r3, 1;
	bra.uni LOOP;
END:
	exit;`
)

// pathsOf measures the paths of a kernel of this package in one CTA, with warps
// of 32.
func pathsOf(body string, x, y uint32) (*Paths, error) {
	prog, err := assemble(body)
	if err != nil {
		return nil, err
	}
	return measurePaths(32, func(e *emulator) error {
		return e.run(prog, kernels.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{x, y, 1}, Params: make([]byte, 8)})
	})
}

// halving and counting are the ranges of Haar wavelets and binomial options.
var (
	halving  = fmt.Sprintf(shrink, "shr.u32 %r2, %r2, 1")
	counting = fmt.Sprintf(shrink, "sub.u32 %r2, %r2, 1")
)
