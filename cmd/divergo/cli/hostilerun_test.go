package cli

import "strings"

// attacksOnRuns are launches of PTX, their arguments, and programs that fault.
func attacksOnRuns() []attacks {
	return []attacks{
		{on: "launches of PTX", file: "h.ptx", args: "run h.ptx --arg buf:zero:64 --arg u32:16", cases: []attack{
			{
				name: "a grid of nothing", text: mild, args: "--grid 0", code: 2,
				fragment: "0 CTAs in x, want 1 to 2147483647",
			},
			{
				name: "a grid of less", text: mild, args: "--grid -1", code: 2,
				fragment: "--grid \"-1\": want X, X,Y or X,Y,Z with whole numbers",
			},
			{
				name: "a grid of 2^32", text: mild, args: "--grid 4294967296", code: 2,
				fragment: "--grid \"4294967296\": want",
			},
			{
				name: "a grid that is tall", text: mild, args: "--grid 1,65536", code: 2,
				fragment: "65536 CTAs in y, want 1 to 65535",
			},
			{name: "a fraction of a CTA", text: mild, args: "--grid 1.5", code: 2, fragment: "--grid \"1.5\": want"},
			{name: "no grid", text: mild, args: "--grid ''", code: 2, fragment: "--grid \"\": want"},
			{
				name: "a block of nothing", text: mild, args: "--block 0", code: 2,
				fragment: "0 threads in x, want 1 to 1024",
			},
			{
				name: "a block of four dimensions", text: mild, args: "--block 1,1,1,1", code: 2,
				fragment: "--block \"1,1,1,1\": want X, X,Y or X,Y,Z, found 4 numbers",
			},
			{
				name: "a block whose threads overflow", text: mild, args: "--block 1024,1024,64", code: 2,
				fragment: "needs 67108864 threads, an SM has 1024",
			},
			{
				name: "a block that is deep", text: mild, args: "--block 1,1,65", code: 2,
				fragment: "65 threads in z, want 1 to 64",
			},
			{
				name: "shared memory of 2^32", text: mild, args: "--shared 4294967296", code: 2,
				fragment: "--shared \"4294967296\": want a number from 0 on",
			},
			{
				name: "shared memory for no SM", text: mild, args: "--shared 4294967295", code: 2,
				fragment: "4294967295 bytes of dynamic shared memory, want at most",
			},
			{name: "another kernel", text: mild, args: "--kernel l", code: 2, fragment: "no kernel \"l\""},
			{name: "a word too many", text: mild, args: "more", code: 2, fragment: "found \"more\" behind a PTX file"},
			{
				name: "an argument too many", text: mild, args: "--arg u32:1", code: 2,
				fragment: "argument 2, u32:1: one too many",
			},
			{
				name: "too much memory", text: mild, args: "--arg buf:zero:536870912", code: 2,
				fragment: "the buffers before it leave 536870848 of 536870912",
			},
			{name: "dump of nothing", text: mild, args: "--dump ''", code: 2, fragment: "want INDEX=FILE"},
			{name: "dump without a file", text: mild, args: "--dump 0=", code: 2, fragment: "want INDEX=FILE"},
			{
				name: "dump of a value", text: mild, args: "--dump 1=o", code: 2,
				fragment: "parameter 1, n, is no buffer but u32:16",
			},
			{
				name: "dump before the first", text: mild, args: "--dump -1=o", code: 2,
				fragment: "k has 2 parameters, counted from 0",
			},
			{
				name: "dump of 2^64", text: mild, args: "--dump 18446744073709551616=o", code: 2,
				fragment: "want INDEX=FILE",
			},
			{
				name: "dump by name", text: mild, args: "--dump to=o", code: 2,
				fragment: "where INDEX counts parameters from 0",
			},
		}},
		{on: "arguments", args: "run k.ptx --block 16", cases: []attack{
			{name: "none", code: 2, fragment: "parameter 0, to (.u64): no argument"},
			{
				name: "empty", args: "--arg '' --arg u32:1", code: 2,
				fragment: "argument \"\": want TYPE:VALUE or buf:...",
			},
			{name: "a colon", args: "--arg : --arg u32:1", code: 2, fragment: "unknown type \"\""},
			{
				name: "no value", args: "--arg buf:zero:64 --arg u32:", code: 2,
				fragment: "\"\": want an integer from 0 to 4294967295 for u32",
			},
			{
				name: "a value of less", args: "--arg buf:zero:64 --arg u32:-1", code: 2,
				fragment: "\"-1\": want an integer from 0 to 4294967295",
			},
			{
				name: "a value of 2^32", args: "--arg buf:zero:64 --arg u32:4294967296", code: 2,
				fragment: "\"4294967296\": want an integer from 0 to 4294967295",
			},
			{name: "no number", args: "--arg buf:zero:64 --arg u32:NaN", code: 2, fragment: "\"NaN\": want an integer"},
			{
				name: "a float beyond its range", args: "--arg buf:zero:64 --arg f32:1e39", code: 2,
				fragment: "\"1e39\": want a number in the range of f32",
			},
			{
				name: "no hexadecimal", args: "--arg buf:zero:64 --arg b32:0xgg", code: 2,
				fragment: "\"0xgg\": want 32 bits in hexadecimal",
			},
			{
				name: "two values for one", args: "--arg buf:zero:64 --arg u32:1,2", code: 2,
				fragment: "parameter 1, n (.u32): given u32:1,2, want",
			},
			{
				name: "a list with a hole", args: "--arg buf:u32:1,,3 --arg u32:1", code: 2,
				fragment: "\"\": want an integer",
			},
			{
				name: "a misspelt type", args: "--arg buf:iota:u23:4 --arg u32:1", code: 2,
				fragment: "unknown type \"u23\"; did you mean \"u32\"?",
			},
			{
				name: "a buffer of nothing", args: "--arg buf:zero:0 --arg u32:1", code: 2,
				fragment: "\"0\": want 1 to 536870912 bytes",
			},
			{
				name: "a buffer of 2^64", args: "--arg buf:zero:18446744073709551616 --arg u32:1", code: 2,
				fragment: "want 1 to 536870912 bytes",
			},
			{
				name: "more than a type counts to", args: "--arg buf:iota:u8:300 --arg u32:1", code: 2,
				fragment: "300 elements: u8 counts to 255 only",
			},
			{
				name: "a buffer of no kind", args: "--arg buf: --arg u32:1", code: 2,
				fragment: "want buf:zero:BYTES, buf:@FILE",
			},
			{
				name: "a file that is not there", args: "--arg buf:@none --arg u32:1", code: 2,
				fragment: "none: no such file",
			},
			{
				name: "a folder", args: "--arg buf:@. --arg u32:1", code: 2,
				fragment: ".: want a file of 1 to 536870912 bytes",
			},
			{
				name: "a device", args: "--arg buf:@/dev/zero --arg u32:1", code: 2,
				fragment: "/dev/zero: want a file of 1 to 536870912 bytes",
			},
			{
				name: "a file of nothing", args: "--arg buf:@e --arg u32:1", more: files{"e": ""}, code: 2,
				fragment: "e: want a file of 1",
			},
			{
				name: "20 GB", args: "--arg buf:@huge --arg u32:1", more: files{"huge": ""}, code: 2,
				fragment: "huge: want a file of 1",
			},
			{
				name: "100,000 bytes of text", args: "--arg u64:" + strings.Repeat("9", 100_000) + " --arg u32:1", code: 2,
				fragment: "argument \"u64:999",
			},
			{
				name: "for a kernel that has its own", args: "--arg u32:1 --size small", code: 2,
				fragment: "--size is for a built-in kernel, k.ptx is a file",
			},
		}},
		{
			on: "programs", file: "h.ptx", args: "run h.ptx --block 64 --set gpu.sms=1 --max-cycles 30000",
			cases: []attack{
				{
					name: "a read of null", text: body("ld.global.u32 %r1, [0];"), code: 4,
					fragment: "fault: out of bounds, 4 bytes of global memory at 0x0",
				},
				{
					name: "a write at the end of everything", text: body("mov.u64 %rd1, -1; st.global.u8 [%rd1], %r1;"),
					code: 4, fragment: "at 0xffffffffffffffff",
				},
				{
					name: "a write across the end",
					text: body("mov.u64 %rd1, -16; st.global.v4.u32 [%rd1+8], {%r1, %r1, %r1, %r1};"), code: 4,
					fragment: "fault: ",
				},
				{
					name: "a read of half a word", text: body("mov.u64 %rd1, 0x10000001; ld.global.u32 %r1, [%rd1];"), code: 4,
					fragment: "fault: misaligned",
				},
				{
					name: "an atomic on null", text: body("atom.global.add.u32 %r1, [0], 1;"), code: 4,
					fragment: "fault: out of bounds",
				},
				{
					name: "half an atomic", text: body("mov.u64 %rd1, 0x10000002; red.global.add.u32 [%rd1], 1;"), code: 4,
					fragment: "fault: misaligned",
				},
				{
					name: "shared memory beyond the CTA's", text: body("ld.shared.u32 %r1, [100000];"), code: 4,
					fragment: "of shared memory at 0x186a0",
				},
				{
					name: "local memory beyond the thread's", text: body("st.local.u32 [100000], %r1;"), code: 4,
					fragment: "of local memory",
				},
				{
					name: "constants beyond the last", text: body("ld.const.u32 %r1, [0x7ffffff0];"), code: 4,
					fragment: "fault: out of bounds",
				},
				{
					name: "a generic address of nobody", text: body("mov.u64 %rd1, 0x123456789a; ld.u8 %r1, [%rd1];"), code: 4,
					fragment: "fault: out of bounds",
				},
				{name: "a trap", text: body("trap;"), code: 4, fragment: "fault: trap"},
				{
					name: "a trap of one thread", text: body("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 41; @%p1 trap;"),
					code: 4, fragment: "thread (41,0,0) of CTA (0,0,0)",
				},
				{
					name: "a loop without end", text: body("L: bra L;"), args: "--max-cycles 0", code: 4,
					fragment: "endless loop after",
				},
				{
					name: "a loop that counts", text: body("L: add.u32 %r1, %r1, 1; bra L;"), code: 4,
					fragment: "watchdog: not finished after 30000 cycles",
				},
				{
					name: "a lock that a warp holds",
					text: module(".global .u32 lock;",
						"mov.u64 %rd1, lock; L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; st.global.u32 [%rd1], 0;"), code: 4, fragment: "watchdog: not finished after 30000 cycles",
				},
				{
					name: "a barrier without the others",
					text: body("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra L; bar.sync 1, 64; ret; L: bar.sync 2, 64;"), code: 4, fragment: "SIMT deadlock after",
				},
				{
					name: "half a warp at a barrier",
					text: body("mov.u32 %r1, %laneid; setp.lt.u32 %p1, %r1, 16; @%p1 bra L; bar.sync 0; ret; L: bar.sync 0;"), code: 4, fragment: "fault: part of a warp at a barrier",
				},
				{
					name: "a shuffle that one has left",
					text: body("mov.u32 %r1, %laneid; setp.eq.u32 %p1, %r1, 3; @%p1 bra L; shfl.sync.idx.b32 %r1, %r1, 0, 31, -1; L:"), code: 4, fragment: "membermask also names the threads with %laneid 3",
				},
				{
					name: "a shuffle of nobody", text: body("shfl.sync.idx.b32 %r1, %r1, 0, 31, 0;"), code: 4,
					fragment: "fault: ",
				},
				{
					name: "recursion without end",
					text: module(".func f() { .reg .u32 a; mov.u32 a, %clock; call f; st.local.u32 [0], a; ret; }",
						"call f;"), code: 4, fragment: "sm.stack",
				},
				{
					name: "functions that call each other",
					text: module(".func g(); .func f() { call g; ret; } .func g() { call f; ret; }",
						"call f;"), code: 4, fragment: "sm.stack",
				},
				{name: "a call to nowhere", text: module(".func f() { ret; } .global .u64 t[1] = { f };",
					"mov.u64 %rd1, 12345; F: .callprototype _ (); call %rd1, (), F;"), code: 4, fragment: "there is no function at 0x3039"},
				{name: "an assertion", text: module(assertion, assertFails), code: 4, fragment: "h.cu:7: f: \\x1b[31m"},
				{
					name: "under the functional model", text: body("ld.global.u32 %r1, [0];"), args: "--fast 2..", code: 4,
					fragment: "thread (0,0,0) of CTA (0,0,0), emulated",
				},
				{
					name: "a loop under the functional model", text: body("L: add.u32 %r1, %r1, 1; bra L;"), args: "--fast 2..",
					code: 4, fragment: "watchdog: not finished after as many instructions as are emulated",
				},
				{
					name: "beside the golden model", text: body("ld.global.u32 %r1, [0];"), args: "--verify", code: 4,
					fragment: "fault: out of bounds",
				},
				{
					name: "a fault that leaves no dump", text: strings.Replace(mild, "%r1, 4, %rd1", "%r1, 400, %rd1", 1),
					args: "--arg buf:zero:64 --arg u32:16 --dump 0=o", code: 4,
					fragment: "336 bytes behind the end of the allocation",
				},
				{
					name: "a fault whose profile stays", text: body("trap;"), args: "--profile p.json --json", code: 4,
					fragment: "fault: trap", leaves: "p.json",
				},
				{
					name: "a fault whose waveform stays", text: body("trap;"),
					args: "--vcd w.vcd --vcd-filter 'sm[0].Issue.Class'", code: 4, fragment: "fault: trap",
					leaves: waveFiles,
				},
			},
		},
		{on: "programs side by side", file: "h.ptx", args: "compare h.ptx --block 64 --set gpu.sms=1", cases: []attack{
			{
				name: "a fault", text: body("ld.global.u32 %r1, [0];"), args: "--mech pdom,tbc", code: 4,
				fragment: "pdom: fault: out of bounds",
			},
			{
				name: "a loop", text: body("L: bra L;"), args: "--mech tbc --svg c.svg", code: 4,
				fragment: "tbc: endless loop after", leaves: "c.svg",
			},
			{
				name: "a fault of paths", text: body("ld.global.u32 %r1, [0];"), args: "--paths", code: 4,
				fragment: "kernel h: fault: out of bounds",
			},
			{name: "a deadlock of paths", text: body("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra L; bar.sync 1, 64; ret; L: bar.sync 2, 64;"), args: "--paths", code: 4, fragment: "SIMT deadlock"},
			{
				name: "no mechanism", text: mild, args: "--mech ''", code: 2,
				fragment: "parameter 0, to (.u64): no argument",
			},
			{
				name: "a mechanism of nobody", text: body(""), args: "--mech pdom,,tbc", code: 2,
				fragment: "unknown mechanism \"\"",
			},
			{
				name: "paths and a machine", text: body(""), args: "--paths --mech pdom", code: 2,
				fragment: "--mech has no meaning for it",
			},
			{
				name: "a picture of another format", text: body(""), args: "--svg c.png", code: 2,
				fragment: "want the extension .svg",
			},
		}},
	}
}

// A call of __assertfail with the condition "\x1b[31m", file h.cu, line 7 and function f.
const (
	assertion   = `.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e); .global .b8 what[6] = {27, 91, 51, 49, 109, 0}; .global .b8 file[5] = {104, 46, 99, 117, 0}; .global .b8 fun[2] = {102, 0};`
	assertFails = `{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; mov.u64 %rd1, what; cvta.global.u64 %rd1, %rd1; st.param.b64 [a], %rd1; mov.u64 %rd2, file; cvta.global.u64 %rd2, %rd2; st.param.b64 [b], %rd2; mov.u32 %r1, 7; st.param.b32 [c], %r1; mov.u64 %rd3, fun; cvta.global.u64 %rd3, %rd3; st.param.b64 [d], %rd3; mov.u64 %rd4, 1; st.param.b64 [e], %rd4; call.uni __assertfail, (a, b, c, d, e); }`
)
