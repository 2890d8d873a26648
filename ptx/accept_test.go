package ptx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/isa"
	"divergo/ptx"
)

// frame is a module around statements of a kernel. Text before a line "--" is at module level.
func frame(text string) string {
	top, body, split := strings.Cut(text, "--")
	if !split {
		top, body = "", text
	}
	return `.version 8.0
.target sm_90
.address_size 64
.global .align 16 .b8 g[64];
.const .align 16 .b8 c[64];
` + top + `
.visible .entry k(.param .u64 ptr, .param .align 8 .b8 by[16])
{
	.reg .pred %p<4>;
	.reg .b16 %h<8>;
	.reg .b32 %r<8>;
	.reg .b64 %d<8>;
	.reg .f32 %f<8>;
	.reg .f64 %e<8>;
	.shared .align 16 .b8 s[64];
	.local .align 16 .b8 l[64];
` + body + `
	ret;
}
`
}

// accepted are forms that compilers emit for ordinary kernels, by the name of the manual's section
// (PTX ISA 8 and 9).
var accepted = map[string][]string{
	"directives": {
		".visible .entry q(.param .u32 n) .maxntid 256, 1, 1 .minnctapersm 2 { ret; } --",
		".visible .entry q() .reqntid 32 .maxnreg 64 { ret; } --",
		".entry q() .pragma \"nounroll\"; { ret; } --",
		".file 1 \"a.cu\", 12345, 678 -- .loc 1 3 7\n .loc 1 3 7, function_name $L, inlined_at 1 2 3\n",
		".section .debug_str { info: .b8 104, 105, 0 } --",
		".section .debug_info { .b32 12 .b8 1 .b64 .debug_abbrev .b32 info+4 } --",
		".weak .global .align 4 .u32 w = 5; .common .global .b32 cm; .visible .const .f32 vc = 0f3F800000; --",
		".extern .global .b32 elsewhere; .extern .func (.param .b32 r) f(.param .b32 a); --",
		".extern .shared .align 16 .b8 dyn[]; -- mov.u32 %r0, dyn;",
		".weak .func (.param .b32 r) f(.param .b32 a) { ret; } --",
		".func f() .noreturn { trap; } --",
		".hidden .global .u32 w; .hidden .func f() { ret; } .extern .hidden .func h(); --",
		".func f() .noreturn .abi_preserve 16 .abi_preserve_control 2 { trap; } .func h() .abi_preserve 4; --",
		".func (.param .b32 r) f(.param .b32 a) { ret; } -- mov.u64 %d0, f; { .param .b32 a; .param .b32 r; P: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn .abi_preserve 4 .abi_preserve_control 1;\n call (r), %d0, (a), P; }",
		".func f() { ret; } .visible .func h(); .alias h, f; -- call.uni h, ();",
		".pragma \"nounroll\"; -- .pragma \"nounroll\";",
		".global .b8 x[8] = {1, 2, 0xFF}; --",
		".global .align 8 .u64 y[3] = {g, g+4, generic(g)+4}; --",
		".global .align 8 .u64 y[2] = {generic(c), 0}; --",
		".global .u8 y[8] = {0xFF(g), 0xFF00(g), 0xFF0000(g), 0xFF000000(g)}; --",
		".global .f32 y[2] = {0f3F800000, 1.5}; .global .f64 z = 0d3FF0000000000000; --",
		".global .s32 y[2][2] = {{1, -2}, {3}}; .const .v2 .f32 z[1] = {{1.0, 2.0}}; --",
		".func f() { ret; } .global .u64 table[2] = {f, 0}; --",
	},
	"constants": {
		"mov.u32 %r0, 0777; mov.u32 %r0, 0b101; mov.u32 %r0, 0b101U; mov.u32 %r0, 0x1FU; mov.u32 %r0, 017U; mov.u32 %r0, 5U;",
		"mov.f32 %f0, 0f3F800000; mov.f32 %f0, 0F3f800000; mov.f64 %e0, 0d3FF0000000000000; mov.f32 %f0, 1.5; mov.f64 %e0, -1e-3;",
		"mov.b64 %d0, 0xFFFFFFFFFFFFFFFF; mov.s64 %d0, -9223372036854775808; add.s32 %r0, %r1, -1;",
		"mov.u32 %r0, WARP_SZ; mov.u32 %r0, (3+4)*2; mov.b32 %r0, ~1;",
	},
	"special registers": {
		"mov.u32 %r0, %tid.x; mov.u32 %r0, %ntid.y; mov.u32 %r0, %ctaid.z; mov.u32 %r0, %nctaid.x;",
		"mov.u32 %r0, %laneid; mov.u32 %r0, %warpid; mov.u32 %r0, %nwarpid; mov.u32 %r0, %smid; mov.u32 %r0, %nsmid;",
		"mov.u32 %r0, %lanemask_eq; mov.u32 %r0, %lanemask_le; mov.u32 %r0, %lanemask_lt; mov.u32 %r0, %lanemask_ge; mov.u32 %r0, %lanemask_gt;",
		"mov.u32 %r0, %clock; mov.u32 %r0, %clock_hi; mov.u64 %d0, %clock64; mov.u64 %d0, %globaltimer;",
		"mov.u64 %d0, %gridid; mov.u32 %r0, %total_smem_size; mov.u32 %r0, %dynamic_smem_size;",
	},
	"integers": {
		"mad.lo.cc.u32 %r0, %r1, %r2, %r3; madc.hi.cc.u32 %r0, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, %r3; addc.cc.u64 %d0, %d1, %d2;",
		"prmt.b32 %r0, %r1, %r2, 0x3210; prmt.b32.f4e %r0, %r1, %r2, %r3; prmt.b32.rc16 %r0, %r1, %r2, %r3; prmt.b32.ecl %r0, %r1, %r2, 2;",
		"stmatrix.sync.aligned.m8n8.x4.shared.b16 [s], {%r0, %r1, %r2, %r3}; stmatrix.sync.aligned.m8n8.x1.trans.b16 [%d0], %r0;",
		"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r0, %r1}, {%r2, %r3}, {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};",
		"mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%r4, %r5, %r6, %r7}, {%r0, %r1}, {%r2, %r3}, {%r4, %r5, %r6, %r7};",
		"mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r0, %r1}, {%r2, %r3}, {%r4, %r5, %r6, %r7};",
		"wmma.load.a.sync.aligned.m16n16k16.global.row.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d0], %r0; wmma.load.b.sync.aligned.col.m8n32k16.shared.u8 {%r0, %r1, %r2, %r3}, [s+16];",
		"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%r0, %r1, %r2, %r3};",
		"wmma.mma.sync.aligned.row.row.m8n8k4.rn.f64.f64.f64.f64 {%e0, %e1}, {%e2}, {%e3}, {%e0, %e1}; wmma.store.d.sync.aligned.row.m8n8k4.f64 [%d0], {%e0, %e1}, 8;",
		"elect.sync %r0|%p0, -1; elect.sync _|%p0, %r1; griddepcontrol.wait; griddepcontrol.launch_dependents;",
		"bfe.u32 %r0, %r1, 3, 5; bfi.b64 %d0, %d1, %d2, 3, 5; bfind.shiftamt.u32 %r0, %r1; fns.b32 %r0, %r1, 0, 1; sad.u32 %r0, %r1, %r2, %r3;",
		"mul24.lo.u32 %r0, %r1, %r2; mad24.hi.s32 %r0, %r1, %r2, %r3; mul.wide.u16 %r0, %h0, %h1; mad.wide.s32 %d0, %r0, %r1, %d1;",
		"shf.l.wrap.b32 %r0, %r1, %r2, 3; shf.r.clamp.b32 %r0, %r1, %r2, %r3; lop3.b32 %r0, %r1, %r2, %r3, 0x96; lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x96, %p1;",
		"add.s32.sat %r0, %r1, %r2;", "add.sat.s32 %r0, %r1, %r2; neg.s16 %h0, %h1; abs.s64 %d0, %d1; cnot.b32 %r0, %r1;",
		"vadd.s32.u32.s32.sat %r0, %r1, %r2; vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3; dp4a.u32.u32 %r0, %r1, %r2, %r3;",
	},
	"floating point": {
		"testp.finite.f32 %p0, %f0; testp.subnormal.f64 %p0, %e0; copysign.f32 %f0, %f1, %f2; copysign.f64 %e0, %e1, %e2;",
		"fma.rn.ftz.sat.f32 %f0, %f1, %f2, %f3; mad.f32 %f0, %f1, %f2, %f3; div.full.f32 %f0, %f1, %f2; div.approx.ftz.f32 %f0, %f1, %f2;",
		"rcp.approx.ftz.f64 %e0, %e1; sqrt.rn.f64 %e0, %e1; rsqrt.approx.f32 %f0, %f1; ex2.approx.ftz.f32 %f0, %f1; tanh.approx.f32 %f0, %f1;",
		"add.f32x2 %d0, %d1, %d2; add.rn.ftz.f32x2 %d0, %d1, %d2; sub.rz.f32x2 %d0, %d1, %d2; mul.rm.ftz.f32x2 %d0, %d1, %d2; fma.rp.f32x2 %d0, %d1, %d2, %d3;",
		"cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1; cvt.rn.satfinite.relu.e5m2x2.f32 {%h0}, %f0, %f1; cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r0; cvt.rn.satfinite.relu.e4m3x2.bf16x2 %h0, %r0;",
		"cvt.rn.f16x2.e4m3x2 %r0, %h0; cvt.rn.relu.f16x2.e5m2x2 %r0, %h0; cvt.rn.bf16x2.e4m3x2 %r0, %h0; cvt.rn.relu.satfinite.bf16x2.e5m2x2 %r0, %h0;",
		"min.NaN.f32 %f0, %f1, %f2; max.ftz.xorsign.abs.f32 %f0, %f1, %f2;",
		"fma.rn.f16 %h0, %h1, %h2, %h3; fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3; ex2.approx.f16x2 %r0, %r1;",
		"cvt.rn.f16.f32 %h0, %f0; cvt.rna.tf32.f32 %r0, %f0; cvt.rn.bf16x2.f32 %r0, %f0, %f1; cvt.rzi.s32.f32 %r0, %f0; cvt.sat.u8.s32 %r0, %r1; cvt.f32.bf16 %f0, %h0;",
	},
	"memory": {
		"ld.global.nc.f32 %f0, [%d0]; ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f0, %f1, %f2, %f3}, [%d0]; ldu.global.v2.u32 {%r0, %r1}, [%d0+8];",
		"ld.acquire.gpu.global.u32 %r0, [%d0]; ld.relaxed.sys.u32 %r0, [%d0]; st.release.gpu.global.u32 [%d0], %r0; st.relaxed.cta.shared.u32 [s], %r0; ld.weak.global.u32 %r0, [%d0];",
		"ld.volatile.shared.u32 %r0, [s+4]; st.volatile.global.f32 [%d0], %f0; ld.global.cg.u32 %r0, [%d0]; ld.global.lu.u32 %r0, [%d0]; st.global.wt.u32 [%d0], %r0; st.global.cs.v2.f32 [%d0], {%f0, %f1};",
		"ld.param.b32 %r0, [by+4]; ld.param.v2.u32 {%r0, %r1}, [by]; mov.b64 %d0, by; cvta.param.u64 %d1, %d0;",
		"cvta.to.global.u64 %d0, %d1; cvta.to.shared.u64 %d0, %d1; cvta.to.local.u64 %d0, %d1; cvta.to.const.u64 %d0, %d1; cvta.global.u64 %d0, g; cvta.shared.u64 %d0, s; cvta.local.u64 %d0, l; cvta.const.u64 %d0, c;",
		"isspacep.global %p0, %d0; isspacep.shared %p0, %d0; isspacep.local %p0, %d0; isspacep.const %p0, %d0; isspacep.shared::cta %p0, %d0;",
		"prefetch.global.L1 [%d0]; prefetch.L2 [%d0]; prefetch.local.L1 [l]; prefetchu.L1 [%d0]; prefetch.global.L2::evict_last [%d0];",
		"applypriority.global.L2::evict_normal [%d0], 128; discard.global.L2 [%d0], 128;",
		"mov.b64 {%r0, %r1}, %d0; mov.b64 %d0, {%r0, %r1}; mov.b32 %r0, {%h0, %h1}; mov.b64 {%h0, %h1, %h2, %h3}, %d0; mov.b64 {_, %r1}, %d0;",
		"ld.global.b32 {%r0}, [%d0+0]; st.global.b32 [%d0+0], {%r0}; ld.shared.f32 { %f0 }, [s]; mov.b32 {%r0}, {%r1}; add.s32 %r0, {%r1}, {7}; cvt.rn.f16x2.f32 {%r0}, %f0, {%f1};",
		"ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d0]; ld.global.v8.f32 {%f0, _, %f2, %f3, %f4, %f5, %f6, %f7}, [%d0+32]; st.global.v8.b32 [%d0], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, 7};",
		"ld.global.nc.v4.b64 {%d0, %d1, %d2, %d3}, [%d0]; ld.global.v4.f64 {%e0, %e1, %e2, %e3}, [g]; st.global.v4.u64 [%d0], {%d0, %d1, %d2, %d3}; ld.relaxed.gpu.global.v4.b64 {%d0, %d1, %d2, %d3}, [%d4];",
		"st.global.u32 [%d0], %r0+1; add.u32 %r0, %r1+1, %r2+-1; setp.eq.and.u32 %p0, %r1+1, %r2-1, %p1; mov.b64 %d0, %d1+8; mov.u16 %h0, %h1+3; cvta.global.u64 %d0, %d1+4;",
		".global .align 4 .u32 v[2] = {1, 2}; .const .f32 w = 0f3F800000; { .global .u64 v; mov.u64 %d0, v; } mov.u64 %d1, v; ld.const.f32 %f0, [w];",
		"mov.u64 %d0, g+8; mov.u32 %r0, s; ld.shared.u8 %h0, [s+1]; st.local.v4.b32 [l+16], {%r0, %r1, %r2, %r3}; ld.global.u16 %r0, [g]; ld.u8 %h0, [%d0+-1];",
		"cp.async.ca.shared.global [s], [%d0], 4; cp.async.cg.shared.global.L2::128B [s], [%d0], 16; cp.async.commit_group; cp.async.wait_group 1; cp.async.wait_all;",
	},
	"control": {
		"@%p0 bra L; @!%p0 bra.uni L; bra.uni L; L: ;", "@%p0 exit; exit;", "@%p0 trap;", "@!%p1 ret; ret.uni;",
		"T: .branchtargets A, B;\n brx.idx %r0, T; A: add.u32 %r0, %r0, 1; B: ;",
		"T: .branchtargets A;\n @%p0 brx.idx.uni %r0, T; A: ;",
		"nanosleep.u32 20; nanosleep.u32 %r0; pmevent 3; pmevent.mask 7;",
		".func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 a[16], .param .b32 b) { .local .align 8 .b8 v[16]; .reg .b64 %x; ld.param.b64 %x, [a+8]; st.local.b64 [v], %x; st.param.b64 [r+8], %x; ret; } --" +
			"{ .param .align 8 .b8 p0[16]; .param .b32 p1; .param .align 8 .b8 q[16]; st.param.b64 [p0+8], %d0; st.param.b32 [p1], %r0; call.uni (q), f, (p0, p1); ld.param.b64 %d1, [q+8]; }",
		".func (.reg .b32 r) f(.reg .b32 a) { mov.b32 r, a; ret; } -- call (%r0), f, (%r1);",
		".func (.param .b32 r) f(.param .b32 a) { ret; } -- mov.u64 %d0, f; { .param .b32 a; .param .b32 r; P: .callprototype (.param .b32 _) _ (.param .b32 _);\n call (r), %d0, (a), P; }",
		".func (.param .b32 r) f(.param .b32 a) { ret; } -- mov.u64 %d0, f; { .param .b32 a; .param .b32 r; T: .calltargets f;\n call (r), %d0, (a), T; }",
	},
	"textures": {
		"tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r0}]; tex.1d.v4.u32.f32 {%r0, %r1, _, _}, [%d0, %f0]; tex.1d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%d0, {%f0}]; tex.2d.v2.f16x2.f32 {%r0, %r1}, [%d0, {%f0, %f1}];",
		".global .texref i; .tex .u32 old; -- tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [i, {%f0, %f1}]; tex.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [old, {%f0, %f1, 0.5, %f2}]; tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, old, {%f0, %f1, %f2, %f3};",
		".global .texref i; .global .samplerref s0 = { addr_mode_0 = clamp_to_border, filter_mode = linear, force_unnormalized_coords = 1 }; -- tex.a2d.v4.f32.f32 {%f0, %f1, %f2, %f3}|%p0, [i, s0, {%r0, %f0, %f1, %f2}];",
		"tex.level.2d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0, %f1}], 1.5; tex.base.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f0, %f1, %f2, %f3}]; tex.grad.a1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%r0, %f0}], {%f1}, %f2; tex.level.acube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%r0, %f0, %f1, %f2}], %f3;",
		"tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f0, %f1}]; tld4.a.acube.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%r0, %f0, %f1, %f2}]; @!%p0 tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f0, %f1, %f2, %f2}];",
		".global .texref i = { filter_mode = nearest, normalized_coords = 1, addr_mode_2 = mirror }; -- txq.width.b32 %r0, [i]; txq.level.height.b32 %r0, [%d0], 2; txq.addr_mode_1.b32 %r0, [i]; txq.num_mipmap_levels.b32 %r0, [%d0]; txq.channel_data_type.b32 %r0, [%d0]; mov.u64 %d0, i; istypep.texref %p0, %d0; istypep.surfref %p0, i;",
		".global .surfref i; -- suld.b.1d.b32.trap {%r0}, [%d0, {%r1}]; suld.b.2d.cg.v4.b8.zero {%h0, %h1, %h2, %h3}, [i, {%r0, %r1}]; suld.b.3d.v2.b64.clamp {%d0, %d1}, [i, {%r0, %r1, %r2, %r3}]; suld.b.a2d.b16.trap %r0, [i, {%r0, %r1, %r2, %r3}]; suld.b.1d.b8.trap %d0, [i, %r0];",
		".global .surfref i; -- sust.b.a1d.v2.b16.zero [i, {%r0, %r1}], {%h0, %h1}; sust.b.3d.wt.b64.trap [%d0, {%r0, %r1, %r2, %r3}], {%d1}; sust.p.2d.v4.b32.trap [i, {%r0, %r1}], {%f0, %f1, %f2, %f3}; sust.p.1d.f32.clamp [i, {%r0}], 1.0; sured.b.min.2d.s32.clamp [i, {%r0, %r1}], %r2; sured.b.or.1d.b32.zero [i, %r0], 1; suq.array_size.b32 %r0, [i];",
		".visible .entry q(.param .texref i, .param .u64 .ptr .surfref o, .param .samplerref s0) { .reg .b32 %r<4>; .reg .f32 %f<4>; tex.1d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [i, s0, {%f0}]; sust.b.1d.b32.zero [o, {%r0}], %r1; ret; } --",
	},
	"synchronisation": {
		"bar.sync 0; bar.sync %r0; bar.sync 1, 64; bar.arrive 1, 64; bar.cta.sync 0; barrier.sync 0; barrier.sync.aligned 0; barrier.cta.sync.aligned 2, 64;",
		"bar.red.popc.u32 %r0, 0, %p0; bar.red.and.pred %p1, 0, 64, %p0; bar.red.or.pred %p1, 0, !%p0; barrier.cta.red.or.aligned.pred %p1, 0, %p0; bar.warp.sync 0xffffffff;",
		"membar.gl; membar.cta; membar.sys; fence.acq_rel.gpu; fence.sc.cta; fence.acq_rel.sys; fence.cta; fence.acquire.gpu; fence.release.cta;",
		"atom.global.add.u32 %r0, [%d0], 1; atom.add.f64 %e0, [%d0], %e1; atom.shared.cas.b32 %r0, [s], 0, 1; atom.exch.b64 %d0, [%d1], %d2; atom.global.inc.u32 %r0, [%d0], 7; atom.acq_rel.gpu.global.add.s32 %r0, [%d0], -1; atom.relaxed.sys.global.max.s64 %d0, [%d1], %d2; atom.add.gpu.u64 %d0, [%d1], 1;",
		"red.global.add.f32 [%d0], %f0; red.shared.or.b32 [s], 1; red.release.gpu.global.add.u32 [%d0], 1; atom.global.cas.b16 %h0, [%d0], %h1, %h2; atom.exch.b32 %r0, [%d0+4], %r1;",
		"atom.global.add.noftz.f16 %h0, [%d0], %h1; atom.add.noftz.f16x2 %r0, [%d0], %r1; atom.shared.add.noftz.bf16 %h0, [s], %h1; red.relaxed.gpu.global.add.noftz.bf16x2 [%d0], %r0; red.global.add.noftz.f16x2 [%d0], %r0;",
		"vote.all.pred %p0, %p1; vote.ballot.b32 %r0, %p0; vote.uni.pred %p0, !%p1; vote.sync.any.pred %p0, %p1, -1; vote.sync.ballot.b32 %r0, %p0, 0xffffffff;",
		"shfl.up.b32 %r0, %r1, 1, 0; shfl.bfly.b32 %r0|%p0, %r1, %r2, 31; shfl.idx.b32 %f0, %f1, 0, 31; shfl.sync.down.b32 %r0|%p0, %r1, 1, 31, -1;",
		"match.any.sync.b32 %r0, %r1, -1; match.all.sync.b64 %r0|%p0, %d0, -1; activemask.b32 %r0; redux.sync.add.s32 %r0, %r1, -1;",
	},
}

// refused are forms of the manual that a diagnostic names, with its text.
var refused = map[string]string{
	"mov.u32 %r0, %globaltimer_lo;":              "read %globaltimer",
	"mov.b32 %r0, %envreg0;":                     "the machine has no driver",
	"add.u16x2 %r0, %r1, %r2;":                   "add.u16x2 is not supported: type .u16x2",
	"max.s16x2.relu %r0, %r1, %r2;":              "type .s16x2",
	"min.relu.s32 %r0, %r1, %r2;":                "min.relu.s32 is not supported",
	"max.abs.f32 %f0, %f1, %f2, %f3;":            "min and max of three numbers",
	"fma.rn.oob.f16 %h0, %h1, %h2, %h3;":         "oob",
	"ld.mmio.relaxed.sys.global.u32 %r0, [%d0];": "memory-mapped input and output",
	"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, 1, 1, 1, 0, 0;":         "matrices",
	"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 32;":                                         "matrices",
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d0], 16, [s];":                   "bulk copies",
	"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%d0, {%r0}], [s];": "bulk copies",
	"mbarrier.try_wait.parity.shared::cta.b64 %p0, [s], %r0;":                                                  "asynchronous barriers",
	"mapa.shared::cluster.u32 %r0, %r1, %r2;":                                                                  "clusters",
	"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r0], %r1, [%r2];":                             "asynchronous copies",
	"setmaxnreg.inc.sync.aligned.u32 64;":                                                                      "register reallocation",
	"brkpt;":                                                                                                   "debuggers",
	"cvt.rn.satfinite.e2m1x2.f32 %h0, %f0, %f1;":                                                               "type .e2m1x2",
	"cvt.rs.satfinite.e4m3x4.f32 %r0, {%f0, %f1, %f2, %f3}, %r1;":                                              "type .e4m3x4",
	"cvt.rz.ue8m0x2.f32 %h0, %f0, %f1;":                                                                        "type .ue8m0x2",
	"atom.global.v2.f32.add {%f0, %f1}, [%d0], {%f2, %f3};":                                                    "operations on vectors",
	"atom.global.exch.b128 %d0, [%d1], %d2;":                                                                   "type .b128",
	"red.async.relaxed.cluster.global.add.u32 [%d0], %r0;":                                                     "asynchronous copies",
	"wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r0}, [%d0];":                                                    "type .s4",
	"wgmma.fence.sync.aligned;":                                                                                "matrices",
	"barrier.cluster.arrive;":                                                                                  "clusters",
	"fence.mbarrier_init.release.cluster;":                                                                     "asynchronous barriers",
	"fence.acquire.sync_restrict::shared::cluster.cluster;":                                                    "clusters",
	"fence.proxy.async;":                                                                                       "proxies",
	"cp.async.bulk.commit_group;":                                                                              "bulk copies",
	"ld.global.L2::cache_hint.u32 %r0, [%d0], %d1;":                                                            "cache policies",
	"mbarrier.init.shared.b64 [s], 1;":                                                                         "asynchronous barriers",
	"tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r0, %r1, %r2, %r3}];":                                   "multisampled textures",
	"tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f0, %f1}], {%r0, %r1};":                                   "with an offset or a depth to compare is not supported",
	"tex.grad.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f0, %f1, %f2, %f3}], {%f0, %f1, %f2, %f3}, {%f0, %f1, %f2, %f3};": "no gradients",
	".global .texref i = { addr_mode_0 = clamp_ogl }; -- tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [i, {%r0}];":                 "addr_mode_0 = clamp_ogl is not supported",
	"suq.memory_layout.b32 %r0, [%d0];": "the layout of surfaces",
}

// TestRefused checks that unsupported forms are refused by name.
func TestRefused(t *testing.T) {
	for text, want := range refused {
		m, err := ptx.Parse("k.ptx", []byte(frame(text)))
		if err == nil {
			_, err = m.Program("k")
		}
		var list ptx.List
		if assert.ErrorAs(t, err, &list, text) {
			assert.Equal(t, ptx.CodeUnsupported, list[0].Code, err)
			assert.Contains(t, list[0].Msg, want)
			assert.Regexp(t, `^k\.ptx:17:\d+: `, list[0].Error(), "file, line and column")
		}
	}
}

// TestAccepted checks that the output of ordinary compilers is accepted.
func TestAccepted(t *testing.T) {
	for section, texts := range accepted {
		for _, text := range texts {
			m, err := ptx.Parse("k.ptx", []byte(frame(text)))
			if err == nil {
				var p *isa.Program
				if p, err = m.Program("k"); err == nil {
					err = isa.Bind(p)
				}
			}
			if err != nil {
				t.Errorf("%s: %s\n%v", section, text, err)
			}
		}
	}
}
