package ptx_test

import (
	"fmt"

	"divergo/ptx"
)

func Example() {
	src := []byte(`
.version 4.2
.target sm_35
.address_size 64
.entry twice(.param .u64 data) {
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [data];
	mov.u32      %r1, %tid.x;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	ld.global.u32 %r2, [%rd2];
	shl.b32      %r3, %r2, 1;
	st.global.u32 [%rd2], %r3;
	ret;
}`)
	m, err := ptx.Parse("twice.ptx", src)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := m.Program("twice")
	if err != nil {
		fmt.Println(err)
		return
	}
	for pc, in := range p.Insts {
		fmt.Println(pc, in.Text)
	}
	// Output:
	// 0 ld.param.u64 %rd1, [data]
	// 1 mov.u32 %r1, %tid.x
	// 2 mad.wide.u32 %rd2, %r1, 4, %rd1
	// 3 ld.global.u32 %r2, [%rd2]
	// 4 shl.b32 %r3, %r2, 1
	// 5 st.global.u32 [%rd2], %r3
	// 6 ret
}

func ExampleParse_diagnostics() {
	_, err := ptx.Parse("k.ptx", []byte(`.version 4.2
.target sm_35
.entry k() {
	.reg .b32 %r<4>;
	add.s32 %r1, %r2, 5
	ret;
}`))
	fmt.Println(err)
	// Output:
	// k.ptx:5:21: expected ';' after the instruction
	// 	add.s32 %r1, %r2, 5
	// 	                   ^
}
