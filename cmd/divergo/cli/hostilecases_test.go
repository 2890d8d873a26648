package cli

import (
	"fmt"
	"strings"

	"divergo/experiments"
	"divergo/internal/need"
	"divergo/properties/draw"
)

// waveFiles are the files that a waveform of one signal with names leaves.
const waveFiles = "w.vcd w.gtkw w.sucl w.filters w.filters/1_Class.txt " +
	".surfer .surfer/mappings .surfer/mappings/w_1_Class.map"

// allAttacks is the table of TestHostile.
func allAttacks() []attacks {
	return []attacks{
		{on: "text of PTX", file: "h.ptx", args: "dis h.ptx", cases: []attack{
			{name: "nothing", code: 2, fragment: "h.ptx: the file is empty: expected PTX text"},
			{name: "white space", text: " \t\r\n\f\v\n", code: 2, fragment: "h.ptx: the file is empty"},
			{
				name: "a comment without end", text: ptxHead + "/* .entry h() { ret; }", code: 2,
				fragment: "h.ptx:4:1: this comment never ends",
			},
			{
				name: "a string without end", text: ptxHead + ".pragma \"x\n", code: 2,
				fragment: "h.ptx:4:9: this string never ends",
			},
			{
				name: "UTF-16", text: "\xff\xfe.\x00v\x00e\x00r\x00", code: 2,
				fragment: "h.ptx: this is a binary file, not PTX text",
			},
			{
				name: "a byte order mark", text: "\ufeff" + body("frob;"), code: 2,
				fragment: "h.ptx:8:2: unknown instruction frob",
			},
			{
				name: "NUL bytes in the middle", text: strings.Replace(mild, "mad", "m\x00d", 1), code: 2,
				fragment: "h.ptx: this is a binary file",
			},
			{
				name: "a program of the host", text: "\x7fELF\x02\x01\x01\x00\x00", code: 2,
				fragment: "h.ptx: this is an ELF file",
			},
			{
				name: "orders to the terminal", text: ptxHead + "\x1b]0;title\x07\x1b[2J", code: 2,
				fragment: "h.ptx:4:1: byte 0x1b",
			},
			{name: "orders in a name", text: body("call \"\x1b[31m\";"), code: 2, fragment: "h.ptx:8:"},
			{name: "text that runs backwards", text: body("\u202emov.u32 %r1, 0;"), code: 2, fragment: "h.ptx:8:2: "},
			{
				name: "carriage returns alone", text: strings.ReplaceAll(body("frob;"), "\n", "\r"), code: 2,
				fragment: "h.ptx:1:",
			},
			{name: "cut in the middle", text: mild[:len(mild)/2], code: 2, fragment: "h.ptx:"},
			{
				name: "cut before the end", text: strings.TrimSuffix(mild, "}\n"), code: 2,
				fragment: "this '{' is never closed",
			},
			{name: "no version", text: ".visible .entry h() { ret; }", code: 2, fragment: "h.ptx:1:"},
			{
				name: "a version of no machine", text: ".version 99.9\n.target sm_9999\n.visible .entry h() { ret; }",
				code: 2, fragment: "h.ptx:2:",
			},
			{name: "no kernel", text: ptxHead, code: 2, fragment: "kernel"},
			{
				name: "a name of a megabyte", text: body("add.u32 %r1, " + strings.Repeat("a", 1<<20) + ", 1;"), code: 2,
				fragment: "h.ptx:8:15: undeclared",
			},
			{
				name: "an instruction of a megabyte", text: body(strings.Repeat("mov.", 1<<18) + "u32 %r1, 1;"), code: 2,
				fragment: "takes no modifier .mov",
			},
			{
				name: "300,000 errors", text: body(repeat(300_000, "\tfoo%d %%r1;\n")), code: 2,
				fragment: "h.ptx:17:2: unknown instruction foo9",
			},
			{
				name: "blocks in blocks", text: body(strings.Repeat("{", 200_000) + strings.Repeat("}", 200_000)), code: 2,
				fragment: "this block is nested more than 200 deep",
			},
			{
				name: "blocks without end", text: ptxHead + ".entry h() " + strings.Repeat("{", 1<<20), code: 2,
				fragment: "this '{' is never closed",
			},
			{
				name: "an expression that is deep", text: body("mov.u32 %r1, " + strings.Repeat("(", 200_000) + "1;"),
				code: 2, fragment: "this expression is nested more than 200 deep",
			},
			{
				name: "signs", text: body("mov.u32 %r1, " + strings.Repeat("-", 200_000) + "1;"), code: 2,
				fragment: "nested more than 200 deep",
			},
			{
				name: "values in braces", text: module(".global .b32 x[1] = "+strings.Repeat("{", 200_000)+"1;", ""),
				code: 2, fragment: "h.ptx:4:",
			},
			{name: "100,000 parameters", text: ptxHead + ".entry h(" + repeat(100_000, ".param .u32 p%d,") +
				".param .u32 q) { ret; }", code: 2, fragment: "the parameters take more than 32764 bytes"},
			{
				name: "70,000 kernels", text: ptxHead + repeat(70_000, ".entry h%d() { ret; }\n"), code: 2,
				fragment: "more than 65536 kernels in a file",
			},
			{name: "a chain of 70,000 functions", text: ptxHead + ".func f0() { ret; }\n" + chain(70_000) +
				".entry h() { call f70000; ret; }", code: 2, fragment: "more than 65534 registers"},
			{
				name: "registers without number", text: body(".reg .b32 %q<4294967295>;"), code: 2,
				fragment: "from 0 to 1048576",
			},
			{name: "a negative number of registers", text: body(".reg .b32 %q<-1>;"), code: 2, fragment: "h.ptx:8:"},
			{
				name: "a number of 65 bits", text: body("mov.u64 %rd1, 18446744073709551616;"), code: 2,
				fragment: "number 18446744073709551616 does not fit in 64 bits",
			},
			{
				name: "a division by nothing in a constant", text: body("mov.u32 %r1, 1 / 0;"), code: 2,
				fragment: "h.ptx:8:",
			},
			{
				name: "a shift by a million", text: module(".global .u32 x = 1 << 1000000;", "frob;"), code: 2,
				fragment: "h.ptx:8:2: unknown instruction frob",
			},
			{name: "half a hexadecimal float", text: body("mov.f32 %f1, 0f3F8;"), code: 2, fragment: "h.ptx:8:15: "},
			{name: "a folder", args: "nothing", code: 2, fragment: "found \"nothing\" behind a PTX file"},
		}},
		{on: "PTX that cannot be", file: "h.ptx", args: "run h.ptx", cases: []attack{
			{
				name: "a misspelt instruction", text: body("addd.u32 %r1, %r2, %r3;"), code: 2,
				fragment: "h.ptx:8:2: unknown instruction addd; did you mean add?",
			},
			{name: "registers of another type", text: body("add.u32 %r1, %r2, %f1;"), code: 2, fragment: "h.ptx:8:"},
			{name: "an operand too few", text: body("add.u32 %r1, %r2;"), code: 2, fragment: "h.ptx:8:2: add"},
			{name: "an operand too many", text: body("mov.u32 %r1, %r2, %r3;"), code: 2, fragment: "h.ptx:8:"},
			{name: "a label that is nowhere", text: body("bra AWAY;"), code: 2, fragment: "h.ptx:8:6: "},
			{name: "a label twice", text: body("L: mov.u32 %r1, 0; L: bra L;"), code: 2, fragment: "h.ptx:8:21: "},
			{
				name: "a kernel twice", text: body("") + ".entry h() { ret; }", code: 2,
				fragment: "kernel h is defined twice",
			},
			{name: "a register twice", text: body(".reg .f32 %r1;"), code: 2, fragment: "h.ptx:8:"},
			{
				name: "a variable twice", text: module(".global .u32 x; .global .u32 x;", ""), code: 2,
				fragment: "h.ptx:4:30: ",
			},
			{name: "a guard that is no predicate", text: body("@%r1 bra L; L:"), code: 2, fragment: "h.ptx:8:3: "},
			{
				name: "a store to constants", text: body("st.const.u32 [0], %r1;"), code: 2,
				fragment: "st cannot write .const: the space is read-only",
			},
			{
				name: "a constant that does not fit", text: body("mov.u16 %h1, 70000;"), code: 2,
				fragment: "h.ptx:8:15: ",
			},
			{
				name: "an address before memory", text: body("ld.shared.u32 %r1, [-4];"), code: 2,
				fragment: "address -4 is out of range",
			},
			{name: "barrier 16", text: body("bar.sync 16;"), code: 2, fragment: "a CTA has barriers 0 to 15, found 16"},
			{name: "a breakpoint", text: body("brkpt;"), code: 2, fragment: "h.ptx:8:2: brkpt is not supported"},
			{
				name: "an alignment of 3", text: module(".global .align 3 .b8 g[8];", ""), code: 2,
				fragment: "an alignment is a power of two, found 3",
			},
			{
				name: "a gigabyte of alignment", text: module(".global .align 1073741824 .b8 g[8];", ""), code: 2,
				fragment: "expected an alignment from 0 to 65536",
			},
			{
				name: "a negative array", text: module(".global .b8 g[-1];", ""), code: 2,
				fragment: "expected an array length from 0 to 1099511627776, found -1",
			},
			{
				name: "4 GB of device memory", text: module(".global .b8 g[4294967295];", "mov.u64 %rd1, g;"), code: 2,
				fragment: "the limit for .global",
			},
			{
				name: "an array whose size overflows",
				text: module(".global .b64 g[1000000000][1000000000][1000000000];",
					"mov.u64 %rd1, g;"), code: 2, fragment: "h.ptx:4:",
			},
			{
				name: "shared memory for no SM", text: module(".shared .b8 s[1000000];", "mov.u32 %r1, s;"), code: 2,
				fragment: "needs 1000000 bytes of shared memory, an SM has 16384",
			},
			{
				name: "4 GB of shared memory", text: module(".shared .b8 s[4294967295];", "mov.u32 %r1, s;"), code: 2,
				fragment: "the limit for .shared",
			},
			{
				name: "a gigabyte for each thread", text: module(".local .b8 l[1000000000];", "st.local.u32 [l], 1;"),
				code: 2, fragment: "the limit for .local",
			},
			{
				name: "a function that is nowhere", text: module(".extern .func f();", "call f;"), code: 2,
				fragment: "h.ptx:8:",
			},
			{name: "a call of a kernel", text: body("call h;"), code: 2, fragment: "h.ptx:8:"},
			{
				name: "a call without its arguments", text: module(".func f(.param .u32 a) { ret; }", "call f;"), code: 2,
				fragment: "h.ptx:8:",
			},
			{
				name: "a prototype of nobody", text: body("F: .callprototype _ (); call %rd1, (), F;"), code: 2,
				fragment: "no function with the parameters of F has its address taken",
			},
			{
				name: "a switch without labels", text: body("T: .branchtargets ; brx.idx %r1, T;"), code: 2,
				fragment: "h.ptx:8:",
			},
			{
				name: "a vector of 3", text: body("ld.global.v3.u32 {%r1, %r2, %r3}, [0];"), code: 2,
				fragment: "h.ptx:8:",
			},
			{name: "what sm_90 has", text: body("wgmma.fence.sync.aligned;"), code: 2, fragment: "h.ptx:8:2: wgmma"},
			{name: "assembly of another machine", text: body("movl $1, %eax"), code: 2, fragment: "h.ptx:8:"},
		}},
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
		{on: "machines", file: "m.toml", args: "run vecadd --config m.toml", cases: []attack{
			{
				name: "a misspelt key", text: "[sm]\nwarp_sise = 32\n", code: 2,
				fragment: "m.toml:2:1: unknown key \"sm.warp_sise\"; did you mean \"sm.warp_size\"?",
			},
			{name: "a table of nobody", text: "[tensor]\n", code: 2, fragment: "m.toml:1:2: unknown key \"tensor\""},
			{
				name: "a word for a number", text: "gpu.sms = \"many\"\n", code: 2,
				fragment: "m.toml:1:11: gpu.sms: want an integer, 1 to 1024",
			},
			{name: "a fraction", text: "gpu.sms = 1.5\n", code: 2, fragment: "m.toml:1:11: gpu.sms: want an integer"},
			{name: "NaN", text: "gpu.sms = nan\n", code: 2, fragment: "m.toml:1:11: gpu.sms: want an integer"},
			{name: "infinity", text: "clocks.core_mhz = -inf\n", code: 2, fragment: "clocks.core_mhz: want an integer"},
			{name: "a number of 65 bits", text: "gpu.sms = 99999999999999999999\n", code: 2, fragment: "m.toml:1:"},
			{
				name: "a number that wraps around 32 bits", text: "gpu.sms = 4294967297\n", code: 2,
				fragment: "gpu.sms = 4294967297: want 1 to 1024",
			},
			{
				name: "less than nothing", text: "l1.size = -65536\n", code: 2,
				fragment: "m.toml:1:11: l1.size = -65536: want",
			},
			{name: "a list for a number", text: "gpu.sms = [1]\n", code: 2, fragment: "m.toml:1:"},
			{name: "a table for a number", text: "[gpu.sms]\nx = 1\n", code: 2, fragment: "m.toml:1:"},
			{name: "a number for a table", text: "gpu = 1\n", code: 2, fragment: "m.toml:1:"},
			{
				name: "a date for a switch", text: "l2.keep = 1979-05-27\n", code: 2,
				fragment: "m.toml:1:11: l2.keep: want",
			},
			{
				name: "a number for a switch", text: "herd.enable = 1\n", code: 2,
				fragment: "herd.enable: want true or false",
			},
			{name: "a key twice", text: "gpu.sms = 1\ngpu.sms = 2\n", code: 2, fragment: "m.toml:2:1"},
			{name: "a table twice", text: "[gpu]\nsms = 1\n[gpu]\nsms = 2\n", code: 2, fragment: "m.toml:3:"},
			{
				name: "no power of two", text: "l1.line = 48\n", code: 2,
				fragment: "m.toml:1:11: l1.line = 48: want a power of two",
			},
			{
				name: "keys that exclude each other", text: "sm.warp_size = 16\nsm.simd_width = 32\n", code: 2,
				fragment: "m.toml:2:17: sm.simd_width = 32",
			},
			{name: "lines that do not fit", text: "l1.line = 128\n", code: 2, fragment: "want l1.line = 128"},
			{
				name: "a chip too large", text: "[gpu]\nsms = 1024\n[l1]\nsize = 4194304\nassoc = 1\n", code: 2,
				fragment: "want at most 1073741824",
			},
			{
				name: "two mistakes, two messages", text: "gpu.sms = 0\nl1.mshrs = 0\n", code: 2,
				fragment: "m.toml:2:12: l1.mshrs = 0",
			},
			{
				name: "a mechanism of nobody", text: "divergence.mechanism = \"simt-stack\"\n", code: 2,
				fragment: "m.toml:1:24: ",
			},
			{
				name: "a scheduler of nobody", text: "sm.scheduler = \"lru\"\n", code: 2,
				fragment: "unknown value \"lru\"; did you mean \"lrr\"?",
			},
			{name: "no end of a string", text: "sm.scheduler = \"lrr\n", code: 2, fragment: "m.toml:1:"},
			{name: "no TOML", text: "gpu.sms: 4\n", code: 2, fragment: "m.toml:1:"},
			{name: "PTX", text: mild, code: 2, fragment: "m.toml:1:"},
			{name: "NUL bytes", text: "gpu.sms = 1\x00\n", code: 2, fragment: "m.toml:1:"},
			{name: "UTF-16", text: "\xff\xfeg\x00p\x00", code: 2, fragment: "m.toml:1:1"},
			{name: "orders to the terminal", text: "\"\x1b[2J\" = 1\n", code: 2, fragment: "m.toml:1:"},
			{
				name: "orders in an escape", text: "\"\\u001b[2J\" = 1\n", code: 2,
				fragment: "m.toml:1:1: unknown key \"\\x1b[2J\"",
			},
			{
				name: "lists in lists", text: "x = " + strings.Repeat("[", 60_000), code: 2,
				fragment: "m.toml:1:10005: arrays and inline tables are nested",
			},
			{name: "tables in tables", text: "x = " + strings.Repeat("{x=", 20_000), code: 2, fragment: "m.toml:1:"},
			{
				name: "a key of 60,000 bytes", text: strings.Repeat("k", 60_000) + " = 1\n", code: 2,
				fragment: "m.toml:1:1: unknown key \"kkk",
			},
			{
				name: "1,000 unknown keys", text: repeat(1000, "k%d = 1\n"), code: 2,
				fragment: "m.toml: and 990 more unknown keys",
			},
			{
				name: "a megabyte", text: strings.Repeat("#\n", 1<<19), code: 2,
				fragment: "m.toml: has 1048576 bytes, want at most 65536",
			},
			{name: "a folder", args: "--config .", code: 2, fragment: "--config: .: is a folder, want a file"},
			{name: "no file", args: "--config none", code: 2, fragment: "--config: none: no such file"},
			{
				name: "a file without end", args: "--config /dev/zero", code: 2,
				fragment: "/dev/zero: does not end after 65536 bytes",
			},
			{
				name: "a key without value", args: "--set gpu.sms", code: 2,
				fragment: "--set: \"gpu.sms\": want key=value",
			},
			{
				name: "a key with nothing", args: "--set gpu.sms=", code: 2,
				fragment: "--set: gpu.sms = \"\": want an integer",
			},
			{name: "no key", args: "--set =1", code: 2, fragment: "--set: unknown key \"\""},
			{name: "nothing", args: "--set ''", code: 2, fragment: "--set: \"\": want key=value"},
			{
				name: "a preset of nobody", args: "--preset pascal", code: 2,
				fragment: "--preset: unknown preset \"pascal\"",
			},
			{name: "no preset", args: "--preset ''", code: 2, fragment: "--preset: unknown preset \"\""},
			{
				name: "a key of another case", args: "--set GPU.SMS=1", code: 2,
				fragment: "unknown key \"GPU.SMS\"; did you mean \"gpu.sms\"?",
			},
		}},
		{on: "launch files", file: "l.json", args: "run l.json --set gpu.sms=1 --max-cycles 50000", cases: []attack{
			{name: "nothing", code: 2, fragment: "l.json:1:1: no JSON: the text ends in the middle of a value"},
			{name: "a list", text: "[]", code: 2, fragment: "l.json:1:1: want a launch file, an object"},
			{name: "null", text: "null", code: 2, fragment: "l.json:1:1: want a launch file, an object"},
			{name: "an empty object", text: "{}", code: 2, fragment: "want a member \"schema\": \"divergo.launch.v1\""},
			{
				name: "another schema", text: `{"schema": "divergo.launch.v9"}`, code: 2,
				fragment: "l.json:1:12: want \"divergo.launch.v1\"",
			},
			{
				name: "a schema that is a number", text: `{"schema": 1}`, code: 2,
				fragment: "l.json:1:12: want \"divergo.launch.v1\"",
			},
			{
				name: "cut", text: launch(oneLaunch)[:100], code: 2,
				fragment: "no JSON: the text ends in the middle of a value",
			},
			{name: "two documents", text: launch(oneLaunch) + "{}", code: 2, fragment: "l.json:2:1: no JSON"},
			{
				name: "no launch", text: launch(`"launches": []`), code: 2,
				fragment: "want a member \"launches\" with at least one",
			},
			{
				name: "a launch that is a number", text: launch(`"launches": [1]`), code: 2,
				fragment: "want a launch, an object",
			},
			{
				name: "a misspelt member", text: launch(`"launches": [{"gird": 1}]`), code: 2,
				fragment: "unknown member \"gird\"; did you mean \"grid\"?",
			},
			{
				name: "a member twice", text: launch(`"seed": 1, "seed": 2, ` + oneLaunch), code: 2,
				fragment: "\"seed\" is there twice",
			},
			{
				name: "a seed of less", text: launch(`"seed": -1, ` + oneLaunch), code: 2,
				fragment: "want an integer from 0 to 18446744073709551615",
			},
			{
				name: "a seed of 2^64", text: launch(`"seed": 18446744073709551616, ` + oneLaunch), code: 2,
				fragment: "want an integer from 0 to 18446744073709551615",
			},
			{
				name: "a seed with an exponent", text: launch(`"seed": 1e9999, ` + oneLaunch), code: 2,
				fragment: "want an integer from 0 to",
			},
			{
				name: "a block of four dimensions", text: launch(`"launches": [{"block": [1,1,1,1]}]`), code: 2,
				fragment: "want [X], [X, Y] or [X, Y, Z]",
			},
			{
				name: "a block of no dimension", text: launch(`"launches": [{"block": []}]`), code: 2,
				fragment: "want [X], [X, Y] or [X, Y, Z]",
			},
			{
				name: "a block of 2^32", text: launch(`"launches": [{"block": 4294967296}]`), code: 2,
				fragment: "want an integer from 0 to 4294967295",
			},
			{
				name: "a grid of nothing", text: launch(`"launches": [{"grid": 0, "args": ["buf:zero:64", "u32:1"]}]`),
				code: 2, fragment: "0 CTAs in x",
			},
			{name: "a kernel of nobody", text: launch(`"launches": [{"kernel": "q", "args": ["buf:zero:64", "u32:1"]}]`), code: 2, fragment: "k.ptx: no kernel \"q\""},
			{name: "a buffer of nobody", text: launch(`"buffers": [{"name": "a", "init": "buf:zero:64"}], "launches": [{"args": ["b", "u32:1"]}]`), code: 2, fragment: "unknown buffer \"b\"; want one of a"},
			{name: "a buffer twice", text: launch(`"buffers": [{"name": "a", "init": "buf:zero:64"}, {"name": "a", "init": "buf:zero:64"}], "launches": [{}]`), code: 2, fragment: "there is a buffer \"a\" already"},
			{
				name: "a buffer without a name", text: launch(`"buffers": [{"init": "buf:zero:64"}], "launches": [{}]`),
				code: 2, fragment: "want a member \"name\"",
			},
			{
				name: "a buffer that is a value",
				text: launch(`"buffers": [{"name": "a", "init": "u32:1"}], "launches": [{}]`), code: 2,
				fragment: "want a member \"init\"",
			},
			{
				name: "a buffer for a number",
				text: launch(`"buffers": [{"name": "a", "init": "buf:zero:64"}], "launches": [{"args": ["a", "a"]}]`),
				code: 2, fragment: "no pointer",
			},
			{
				name: "too few arguments", text: launch(`"launches": [{"args": ["buf:zero:64"]}]`), code: 2,
				fragment: "parameter 1, n (.u32): no argument",
			},
			{name: "memory for nobody", text: launch(`"buffers": [{"name": "a", "init": "buf:zero:400000000"}, {"name": "b", "init": "buf:rand:u8:400000000"}], "launches": [{}]`), code: 2, fragment: "the buffers before it leave"},
			{
				name: "no module", text: strings.Replace(launch(oneLaunch), "k.ptx", "none.ptx", 1), code: 2,
				fragment: "none.ptx: no such file",
			},
			{
				name: "a module that is a folder", text: strings.Replace(launch(oneLaunch), "k.ptx", ".", 1), code: 2,
				fragment: ".: is a folder, want a file",
			},
			{
				name: "a module without end", text: strings.Replace(launch(oneLaunch), "k.ptx", "/dev/zero", 1), code: 2,
				fragment: "/dev/zero: does not end",
			},
			{
				name: "itself as module", text: strings.Replace(launch(oneLaunch), "k.ptx", "l.json", 1), code: 2,
				fragment: "l.json:1:1: ",
			},
			{
				name: "a module with errors", text: strings.Replace(launch(oneLaunch), "k.ptx", "bad.ptx", 1),
				more: files{"bad.ptx": body("frob;")}, code: 2, fragment: "bad.ptx:8:2: unknown instruction frob",
			},
			{
				name: "a name with NUL", text: strings.Replace(launch(oneLaunch), "k.ptx", `k\u0000.ptx`, 1), code: 2,
				fragment: "k\\u0000.ptx",
			},
			{
				name: "no machine", text: launch(`"machine": "none.toml", ` + oneLaunch), code: 2,
				fragment: "none.toml: no such file",
			},
			{
				name: "a machine with errors", text: launch(`"machine": "m.toml", ` + oneLaunch),
				more: files{"m.toml": "gpu.smz = 1\n"}, code: 2, fragment: "m.toml:1:1: unknown key \"gpu.smz\"",
			},
			{
				name: "a mechanism of nobody", text: launch(`"mechanism": "pdon", ` + oneLaunch), code: 2,
				fragment: "unknown mechanism \"pdon\"; did you mean \"pdom\"?",
			},
			{
				name: "orders to the terminal", text: launch(`"\u001b[2J": 1`), code: 2,
				fragment: "unknown member \"\\x1b[2J\"",
			},
			{name: "lists in lists", text: strings.Repeat("[", 1<<20), code: 2, fragment: "l.json:1:10001: no JSON"},
			{name: "lists in a launch", text: launch(`"launches": ` + strings.Repeat("[", 9000) +
				strings.Repeat("]", 9000)), code: 2, fragment: "want a launch, an object"},
			{
				name: "100,000 errors on a line",
				text: launch(`"launches": [` + strings.TrimSuffix(repeat(100_000, `{"gird": %d},`), ",") + "]"),
				code: 2, fragment: "l.json: too many errors",
			},
			{
				name: "100,000 times a member", text: launch(repeat(100_000, `"seed": %d, `) + oneLaunch), code: 2,
				fragment: "l.json: too many errors",
			},
			{
				name: "50,000 buffers and a typo",
				text: launch(`"buffers": [` + strings.TrimSuffix(repeat(50_000,
					`{"name": "b%d", "init": "buf:zero:1"},`), ",") + `], "launches": [{"args": ["c", "u32:1"]}]`), code: 2, fragment: "unknown buffer \"c\"",
			},
			{
				name: "100,000 unknown buffers",
				text: launch(`"buffers": [{"name": "a", "init": "buf:zero:1"}], "launches": [{"args": [` +
					repeat(100_000, `"x%d",`) + `"a"]}]`), code: 2, fragment: "unknown buffer \"x9\"",
			},
			{
				name: "20,000 blocks that do not fit",
				text: launch(`"buffers": [{"name": "a", "init": "buf:zero:1"}], "launches": [` +
					strings.Repeat(`{"block": 2048, "args": ["a", "u32:1"]},`, 20_000) +
					`{"block": 2048, "args": ["a", "u32:1"]}]`), code: 2, fragment: "too many errors",
			},
			{
				name: "a value of a megabyte",
				text: launch(`"launches": [{"args": ["u32:` + strings.Repeat("9", 1<<20) + `"]}]`), code: 2,
				fragment: "l.json:1:",
			},
			{
				name: "a member of a megabyte", text: launch(`"` + strings.Repeat("x", 1<<20) + `": 1`), code: 2,
				fragment: "unknown member \"xxx",
			},
			{
				name: "20 GB", args: "", text: launch(`"machine": "huge", ` + oneLaunch), more: files{"huge": ""}, code: 2,
				fragment: "huge: has 21474836480 bytes, want at most 65536",
			},
			{
				name: "a second launch that fails",
				text: launch(`"launches": [{"block": 16, "args": ["buf:zero:64", "u32:16"]}, {"block": 32, "args": ["buf:zero:64", "u32:32"]}]`), code: 4, fragment: "launch 2, k: fault: out of bounds",
			},
			{
				name: "a dump of nobody", text: launch(oneLaunch), args: "--dump b=o", code: 2,
				fragment: "--dump b=o: unknown buffer \"b\"; want one of a",
			},
			{
				name: "a dump over its module", text: launch(oneLaunch), args: "--dump a=k.ptx", code: 2,
				fragment: "k.ptx: ",
			},
			{
				name: "a dump over a link to its data",
				text: launch(`"buffers": [{"name": "a", "init": "buf:@data"}], "launches": [{"block": 4, "args": ["a", "u32:4"]}]`), args: "--dump a=link", more: files{"link": "-> data"}, code: 2, fragment: "link: is a file of l.json too",
			},
			{
				name: "flags of PTX", text: launch(oneLaunch), args: "--grid 1 --arg u32:1", code: 2,
				fragment: "--grid is for a PTX file, l.json is a launch file",
			},
		}},
		{on: "herding", file: "h.json", args: "run vecadd --set gpu.sms=1 --herd h.json", cases: []attack{
			{name: "nothing", code: 2, fragment: "h.json:1:1: no JSON"},
			{name: "a list", text: "[]", code: 2, fragment: "h.json:1:1: want an object"},
			{name: "no schema", text: `{"kernel": "vecadd"}`, code: 2, fragment: "no \"schema\": want \"schema\": 1"},
			{name: "another schema", text: `{"schema": 2}`, code: 2, fragment: "h.json:1:12: schema: found 2, want 1"},
			{
				name: "a misspelt member", text: `{"schema": 1, "branch": [1]}`, code: 2,
				fragment: "unknown member \"branch\"; did you mean \"branches\"?",
			},
			{
				name: "a PC of less", text: `{"schema": 1, "branches": [-1]}`, code: 2,
				fragment: "h.json:1:28: branches: found -1, want a PC",
			},
			{
				name: "a PC beyond the last", text: `{"schema": 1, "branches": [99999]}`, code: 2,
				fragment: "vecadd has the PCs 0 to",
			},
			{
				name: "a PC in an object", text: `{"schema": 1, "loads": {"a": [1]}}`, code: 2,
				fragment: "loads: found {, want a list of PCs",
			},
			{
				name: "another kernel", text: `{"schema": 1, "kernel": "vecsub", "loads": [1]}`, code: 2,
				fragment: "unknown kernel \"vecsub\"; want one of vecadd",
			},
			{
				name: "a threshold of 2^32", text: `{"schema": 1, "threshold": 4294967296}`, code: 2,
				fragment: "threshold: found 4294967296, want a number of herded instructions",
			},
			{name: "300,000 PCs of nobody", text: "{\"schema\": 1, \"loads\": [\n" +
				strings.Repeat("99999,\n", 300_000) +
				"1]}", code: 2, fragment: "h.json:2:1: load 99999: vecadd has the PCs"},
			{name: "300,000 times nothing", text: "{\"schema\": 1, \"loads\": [\n" +
				strings.Repeat("null,\n", 300_000) + "1]}", code: 2, fragment: "h.json:2:1: loads: found"},
			{name: "a word of nobody", args: "--herd brances", code: 2, fragment: "did you mean \"branches\"?"},
			{name: "a branch without PCs", args: "--herd branch", code: 2, fragment: "want a file, or branches, loads"},
			{name: "a branch with a hole", args: "--herd branch=1,,2", code: 2, fragment: "branch \"\": want a PC"},
			{name: "nothing at all", args: "--herd ''", code: 2, fragment: "--herd"},
			{
				name: "a machine without", args: "--herd loads --set herd.enable=false", text: `{"schema": 1}`, code: 2,
				fragment: "the machine has no herding",
			},
		}},
		{on: "herding of nothing", args: "herd", cases: []attack{
			{
				name: "no verb", args: "analise", code: 2,
				fragment: "unknown verb \"analise\"; did you mean \"analyse\"?",
			},
			{
				name: "no kernel", args: "analyse vecad", code: 2,
				fragment: "unknown kernel \"vecad\"; did you mean \"vecadd\"?",
			},
			{name: "another entry", args: "analyse vecadd --kernel x", code: 2, fragment: "no kernel \"x\""},
			{
				name: "NaN", args: "profile vecadd --limit NaN", code: 2,
				fragment: "--limit NaN: want a percentage from 0 on",
			},
			{
				name: "infinity", args: "profile vecadd --limit inf", code: 2,
				fragment: "--limit +Inf: want a percentage from 0 on",
			},
			{
				name: "less than nothing", args: "profile vecadd --limit -1", code: 2,
				fragment: "--limit -1: want a percentage from 0 on",
			},
			{name: "no number", args: "profile vecadd --limit x", code: 2, fragment: "--limit \"x\": want"},
			{name: "no inputs", args: "profile vecadd --inputs 0", code: 2, fragment: "--inputs 0: want at least 1"},
			{
				name: "no picture", args: "profile vecadd --image x.png", code: 2,
				fragment: "--image: vecadd makes no picture",
			},
			{
				name: "one file for two", args: "profile vecadd --out x.json --svg x.json", code: 2,
				fragment: "--svg: x.json: ",
			},
		}},
		{on: "waveforms", args: "run vecadd --set gpu.sms=1 --vcd w.vcd", cases: []attack{
			{
				name: "a signal of nobody", args: "--vcd-filter 'sm[0].Isue'", code: 2,
				fragment: "did you mean \"Issue\"?",
			},
			{name: "no signal", args: "--vcd-filter ''", code: 2, fragment: "selects no signal"},
			{name: "an index without end", args: "--vcd-filter 'sm[0'", code: 2, fragment: "did you mean \"sm[0]\"?"},
			{name: "an SM too many", args: "--vcd-filter 'sm[1].**'", code: 2, fragment: "selects no signal"},
			{
				name: "a pattern of 400 stars", args: "--vcd-filter '" + strings.Repeat("**.", 200) + "none'", code: 2,
				fragment: "selects no signal",
			},
			{
				name: "a pattern that goes back", args: "--vcd-filter '" + strings.Repeat("*a", 2000) + "'", code: 2,
				fragment: "waves: filter \"*a*a",
			},
			{
				name: "a window that is empty", args: "--vcd-from 10 --vcd-to 9", code: 2,
				fragment: "the window from cycle 10 to cycle 9 is empty",
			},
			{
				name: "a cycle of less", args: "--vcd-from -1", code: 2,
				fragment: "--vcd-from \"-1\": want a number from 0 on",
			},
			{
				name: "a cycle of 2^64", args: "--vcd-to 18446744073709551616", code: 2,
				fragment: "--vcd-to \"18446744073709551616\": want a number from 0 on",
			},
			{
				name: "a cycle behind the end", args: "--vcd-from 18446744073709551615 --vcd-filter 'sm[0].Issue.Class'",
				fragment: "w.vcd has no changes: it starts with cycle",
				leaves:   waveFiles,
			},
			{
				name: "a trigger of nothing", args: "--vcd-trigger ' '", code: 2,
				fragment: "--vcd-trigger: trigger \" \": expected",
			},
			{
				name: "a trigger without a value", args: "--vcd-trigger 'sm[0].Issue.Class =='", code: 2,
				fragment: "--vcd-trigger",
			},
			{
				name: "a trigger with another sign", args: "--vcd-trigger 'sm[0].Issue.Class = 1'", code: 2,
				fragment: "--vcd-trigger",
			},
			{
				name: "a trigger too early", args: "--vcd-trigger '99999999999999999999 before sm[0].Issue.Class == 1'",
				code: 2, fragment: "more than a run can have",
			},
			{
				name: "a trigger on nothing", args: "--vcd-trigger 'nothing == 1'", code: 2,
				fragment: "trigger \"nothing\" selects no signal",
			},
			{
				name: "a value of nobody", args: "--vcd-trigger 'sm[0].Issue.Class == Frob'", code: 2,
				fragment: "value \"Frob\": expected",
			},
			{
				name: "launch 0", args: "--vcd-launch 0", code: 2,
				fragment: "--vcd-launch \"0\": want N or KERNEL:N, counted from 1",
			},
			{
				name: "launch 2 of one", args: "--vcd-launch 2", code: 2,
				fragment: "--vcd-launch 2: there were 1 launches", answers: true,
			},
			{
				name: "another kernel's", args: "--vcd-launch vecsub:1", code: 2, fragment: "unknown kernel \"vecsub\"",
				answers: true,
			},
			{name: "twice one file", args: "--profile w.vcd", code: 2, fragment: "w.vcd"},
			{name: "the save file of it", args: "--launches w.gtkw", code: 2, fragment: "w.gtkw"},
		}},
		{on: "outputs", args: "run k.ptx --set gpu.sms=1 --block 4 --arg buf:@data --arg u32:4", cases: []attack{
			{name: "over the program", args: "--dump 0=k.ptx", code: 2, fragment: "k.ptx"},
			{
				name: "over the program, by another way", args: "--dump 0=d/../k", more: files{"d/": "", "k": "-> k.ptx"},
				code: 2, fragment: "d/../k: is the PTX file too",
			},
			{name: "over the data", args: "--dump 0=data", code: 2, fragment: "data: is --arg buf:@data too"},
			{
				name: "over the data, by a link", args: "--dump 0=link", more: files{"link": "-> ./data"}, code: 2,
				fragment: "link: is --arg buf:@data too",
			},
			{
				name: "over the data, by links of folders", args: "--dump 0=up/data", more: files{"up": "-> ."}, code: 2,
				fragment: "up/data: is --arg buf:@data too",
			},
			{
				name: "over the machine", args: "--config m.toml --profile m.toml", more: files{"m.toml": "gpu.sms = 1\n"},
				code: 2, fragment: "m.toml",
			},
			{name: "one file for two", args: "--dump 0=o --profile ./o", code: 2, fragment: "./o: is --dump 0=o too"},
			{
				name: "one file for two, by a link", args: "--dump 0=o --profile p", more: files{"p": "-> o"}, code: 2,
				fragment: "p: is --dump 0=o too",
			},
			{
				name: "a link to itself", args: "--dump 0=loop", more: files{"loop": "-> loop"}, code: 2,
				fragment: "loop: more than 40 links lead on",
			},
			{
				name: "a link to nowhere", args: "--dump 0=away", more: files{"away": "-> none/at/all"}, code: 2,
				fragment: "away: no folder none/at",
			},
			{name: "no folder", args: "--dump 0=none/o", code: 2, fragment: "--dump 0=none/o: none/o: no folder none"},
			{
				name: "a file for a folder", args: "--profile data/o", code: 2,
				fragment: "--profile: data/o: no folder data",
			},
			{name: "a folder", args: "--dump 0=.", code: 2, fragment: ".: is a folder, want the name of a file"},
			{
				name: "a folder by its name", args: "--launches d/", more: files{"d/": ""}, code: 2,
				fragment: "d/: is a folder",
			},
			{
				name: "a file that is read-only", args: "--dump 0=readonly", more: files{"readonly": "mine"}, code: 2,
				fragment: "readonly: exists and is read-only",
			},
			{
				name: "a name of 300 bytes", args: "--dump 0=" + strings.Repeat("n", 300), code: 2,
				fragment: "file name too long",
			},
			{
				name: "a dash", args: "--dump 0=-", code: 2,
				fragment: "-: want the name of a file; /dev/stdout is that of standard output",
			},
			{
				name: "bytes as a picture", args: "--dump 0=o.png", code: 2,
				fragment: "raw bytes are written, .png is the name of another format",
			},
			{name: "a page as a waveform", args: "--vcd w.html", code: 2, fragment: "want the extension .vcd or .fst"},
			{
				name: "the second one fails", args: "--dump 0=o --vcd none/w.vcd", code: 2,
				fragment: "--vcd: none/w.vcd: no folder none",
			},
			{
				name: "a picture of a file", args: "--image o.png", code: 2,
				fragment: "--image is for a built-in kernel, k.ptx is a file",
			},
			{name: "sources without a profile", args: "--source .", code: 2, fragment: "--source: want --profile"},
			{
				name: "sources in a file", args: "--source data --profile p.txt", code: 2,
				fragment: "--source: data: want a folder",
			},
		}},
		{on: "flags", args: "", cases: []attack{
			{
				name: "a verb of nobody", args: "comprae", code: 2,
				fragment: "unknown verb \"comprae\"; did you mean \"compare\"?",
			},
			{name: "no verb", args: "''", code: 2, fragment: "unknown verb \"\""},
			{name: "a flag before the verb", args: "--json run vecadd", code: 2, fragment: "--json"},
			{
				name: "help of nobody", args: "help cuda bild", code: 2,
				fragment: "unknown verb \"bild\"; did you mean \"build\"?",
			},
			{
				name: "help of a word too many", args: "help run vecadd", code: 2,
				fragment: "found \"vecadd\" behind \"divergo run\"",
			},
			{
				name: "a misspelt flag", args: "run vecadd --verfy", code: 2,
				fragment: "unknown flag \"--verfy\"; did you mean \"--verify\"?",
			},
			{
				name: "a flag of another verb", args: "run vecadd --svg x.svg", code: 2,
				fragment: "divergo run has no --svg; it is a flag of area, bench, compare",
			},
			{name: "short flags of nobody", args: "run vecadd -xyz", code: 2, fragment: "unknown flag \"-x"},
			{
				name: "a flag without its value", args: "run vecadd --seed", code: 2,
				fragment: "flag needs an argument: --seed",
			},
			{
				name: "a switch with a value", args: "run vecadd --json=perhaps", code: 2,
				fragment: "--json \"perhaps\": want true or false",
			},
			{name: "a flag of nothing", args: "run vecadd --=3", code: 2, fragment: "bad flag syntax"},
			{name: "three dashes", args: "run vecadd ---seed 3", code: 2, fragment: "bad flag syntax"},
			{
				name: "a flag behind two dashes", args: "run vecadd -- --json", code: 2,
				fragment: "found \"--json\" behind a PTX file",
			},
			{
				name: "a seed of less", args: "run vecadd --seed -1", code: 2,
				fragment: "--seed \"-1\": want a number from 0 on",
			},
			{
				name: "a seed of 2^64", args: "run vecadd --seed 18446744073709551616", code: 2,
				fragment: "--seed \"18446744073709551616\": want a number from 0 on",
			},
			{
				name: "a seed that is a word", args: "run vecadd --seed NaN", code: 2,
				fragment: "--seed \"NaN\": want a number from 0 on",
			},
			{name: "no workers", args: "run vecadd --workers -1", code: 2, fragment: "--workers -1: want 0 or more"},
			{
				name: "workers without number", args: "run vecadd --workers 99999999999999999999", code: 2,
				fragment: "want a whole number",
			},
			{
				name: "cycles of less", args: "run vecadd --max-cycles -1", code: 2,
				fragment: "--max-cycles \"-1\": want a number from 0 on",
			},
			{
				name: "a few cycles", args: "run vecadd --max-cycles 300 --set gpu.sms=1", code: 4,
				fragment: "watchdog: not finished after 300 cycles",
			},
			{
				name: "padding without measure", args: "run vecadd --pad 18446744073709551615", code: 2,
				fragment: "--pad 18446744073709551615: want at most 1048576 bytes",
			},
			{
				name: "launches backwards", args: "run vecadd --fast 5..1", code: 2,
				fragment: "--fast \"5..1\": want launches N..M",
			},
			{name: "launch 0", args: "run vecadd --fast 0", code: 2, fragment: "--fast \"0\": want launches N..M"},
			{name: "dots", args: "run vecadd --fast 1...2", code: 2, fragment: "--fast \"1...2\": want launches N..M"},
			{
				name: "a mechanism of nobody", args: "run vecadd --mech simt", code: 2,
				fragment: "--mech: unknown mechanism \"simt\"",
			},
			{
				name: "two mechanisms for one", args: "run vecadd --mech pdom,tbc", code: 2,
				fragment: "--mech: unknown mechanism \"pdom,tbc\"",
			},
			{
				name: "lanes of nobody", args: "run vecadd --lanes swizle", code: 2,
				fragment: "unknown value \"swizle\"; did you mean \"swizzle\"?",
			},
			{
				name: "a size of nobody", args: "run vecadd --size hugh", code: 2,
				fragment: "unknown size of vecadd \"hugh\"",
			},
			{
				name: "a kernel of nobody", args: "run mandelbrott", code: 2,
				fragment: "unknown kernel \"mandelbrott\"; did you mean \"mandelbrot\"?",
			},
			{
				name: "a kernel of 100,000 bytes", args: "run " + strings.Repeat("k", 100_000), code: 2,
				fragment: "unknown kernel \"kkk",
			},
			{
				name: "orders to the terminal", args: "run '\x1b[2J\x9b31m'", code: 2,
				fragment: "unknown kernel \"\\x1b[2J\\x9b31m\"",
			},
			{name: "no kernel", args: "run ''", code: 2, fragment: "unknown kernel \"\""},
			{name: "a folder", args: "run .", code: 2, fragment: ".: is a folder, want a file"},
			{name: "a device", args: "run /dev/zero", code: 2, fragment: "/dev/zero: does not end"},
			{
				name: "a file without end", args: "run ./huge", more: files{"huge": ""}, code: 2,
				fragment: "huge: has 21474836480 bytes",
			},
			{
				name: "a link to itself", args: "run loop.ptx", more: files{"loop.ptx": "-> loop.ptx"}, code: 2,
				fragment: "loop.ptx: too many levels of symbolic links",
			},
			{
				name: "a CUDA source", args: "run x.cu", more: files{"x.cu": ""}, code: 2,
				fragment: "x.cu: a CUDA source, want PTX",
			},
			{
				name: "flags of a file for a kernel", args: "compare vecadd --arg u32:1", code: 2,
				fragment: "--arg is for a PTX file, vecadd is a built-in kernel",
			},
		}},
		{on: "other verbs", args: "", cases: []attack{
			{name: "dis of nothing", args: "dis", code: 2, fragment: "divergo dis: want a PTX file"},
			{
				name: "dis of JSON", args: "dis l.json", more: files{"l.json": launch(oneLaunch)}, code: 2,
				fragment: "l.json:1:1: ",
			},
			{name: "dis of another kernel", args: "dis k.ptx --kernel K", code: 2, fragment: "no kernel \"K\""},
			{
				name: "wave of nothing", args: "wave none.vcd", code: 2,
				fragment: "none.vcd: no such file, want a waveform",
			},
			{name: "wave of a folder", args: "wave . --print", code: 2, fragment: ".: is a folder, want a waveform"},
			{name: "wave of no name", args: "wave ''", code: 2, fragment: "no such file, want a waveform"},
			{name: "list of nothing", args: "list", code: 2, fragment: "divergo list: want one of kernels"},
			{
				name: "list of nobody", args: "list stat", code: 2,
				fragment: "unknown list \"stat\"; did you mean \"stats\"?",
			},
			{name: "a statistic of nobody", args: "list stats cycels", code: 2, fragment: "did you mean \"cycles\"?"},
			{name: "a key of nobody", args: "list keys gpu.smz", code: 2, fragment: "did you mean \"gpu.sms\"?"},
			{name: "a claim of nobody", args: "list claims C99-99", code: 2, fragment: "unknown claim \"C99-99\""},
			{name: "the cost of presets", args: "list presets --cost", code: 2, fragment: "--cost"},
			{
				name: "keys of a bad machine", args: "list keys --set gpu.sms=0 --toml", code: 2,
				fragment: "gpu.sms = 0: want 1 to 1024",
			},
			{
				name: "a figure of nobody", args: "reproduce cost-fig66", code: 2,
				fragment: "unknown figure \"cost-fig66\"; did you mean",
			},
			{
				name: "a figure twice", args: "reproduce cost-fig6 cost-fig6", code: 2,
				fragment: "cost-fig6 is there twice",
			},
			{name: "a picture of all", args: "reproduce all --svg x.svg", code: 2, fragment: "--svg draws one figure"},
			{name: "a page of nothing", args: "reproduce --html x.html", code: 2, fragment: "want a figure"},
			{
				name: "a page in no folder", args: "reproduce cost-fig6 --html none/x.html", code: 2,
				fragment: "--html: none/x.html: no folder none",
			},
			{
				name: "check of nobody", args: "check pdon", code: 2,
				fragment: "unknown mechanism \"pdon\"; did you mean \"pdom\"?",
			},
			{name: "check by nobody", args: "check --jobs 0", code: 2, fragment: "--jobs 0: want at least 1"},
			{
				name: "check for less than no time", args: "check --time -1s", code: 2,
				fragment: "--time -1s: want no negative time",
			},
			{
				name: "check for longer than time", args: "check --time 9999999h", code: 2,
				fragment: "--time \"9999999h\": want a time such as 90s or 10m",
			},
			{
				name: "check without a kernel", args: "check --runs -1", code: 2,
				fragment: "--runs \"-1\": want a number from 0 on",
			},
			{
				name: "check beyond the last seed", args: "check pdom --runs 3 --seed 18446744073709551615", code: 2,
				fragment: "--seed 18446744073709551615: want at most 18446744073709551612",
			},
			{
				name: "check of no feature", args: "check --features loops,-loops", code: 2,
				fragment: "leaves no feature",
			},
			{
				name: "check of a feature of nobody", args: "check --features lops", code: 2,
				fragment: "unknown feature \"lops\"; did you mean \"loops\"?",
			},
			{
				name: "check into a file", args: "check pdom --runs 1 --dir data", code: 2,
				fragment: "--dir: data: data is no folder",
			},
			{name: "check again of nothing", args: "check --replay none", code: 2, fragment: "none: no such file"},
			{
				name: "check again of a folder of others", args: "check --replay .", code: 2,
				fragment: "has no launch.json, and no folder with one",
			},
			{name: "check again of two", args: "check pdom --replay .", code: 2, fragment: "want no \"pdom\""},
			{
				name: "bench of nobody", args: "bench vecad", code: 2,
				fragment: "unknown kernel \"vecad\"; did you mean \"vecadd\"?",
			},
			{name: "bench of no run", args: "bench --runs 0", code: 2, fragment: "--runs 0: want at least 1"},
			{name: "bench against nothing", args: "bench --against ./none", code: 2, fragment: "--against: "},
			{name: "bench against a folder", args: "bench --against .", code: 2, fragment: "--against: "},
			{name: "bench against a text", args: "bench --against ./data", code: 2, fragment: "--against: "},
			{
				name: "bench against what says nothing", args: "bench vecadd --size small --runs 1 --against ./old",
				more: files{"old": "#!/bin/sh\n"}, code: 2, fragment: "is not what run --json prints",
			},
			{
				name: "bench against what fails", args: "bench vecadd --size small --runs 1 --against ./old",
				more: files{"old": "#!/bin/sh\necho no >&2; exit 3\n"}, code: 2, fragment: "old run vecadd",
			},
			{
				name: "bench against JSON of others", args: "bench vecadd --size small --runs 1 --against ./old",
				more: files{"old": "#!/bin/sh\necho '{\"stats\": {\"cycles\": -1}}'\n"}, code: 2,
				fragment: "is not what run --json prints",
			},
			{name: "version of more", args: "version 2", code: 2, fragment: "2"},
		}},
		{on: "journals", file: "j", args: "check pdom --runs 1 --journal", cases: []attack{
			{name: "a text", text: "# notes\n", args: "j", code: 2, fragment: "j: exists and is no journal"},
			{
				name: "a text without end of line", text: "notes", args: "j", code: 2,
				fragment: "j: exists and is no journal",
			},
			{name: "NUL bytes", text: "\x00\x00\x00\n", args: "j", code: 2, fragment: "j: exists and is no journal"},
			{
				name: "of another verb", text: `{"figures":"cost-fig6","schema":"divergo.reproduce.v1"}` + "\n", args: "j",
				code: 2, fragment: "j: exists and is no journal of this",
			},
			{
				name: "a bundle that is an empty object", text: journalHead + "{}\n", args: "j", code: 2,
				fragment: "line 2 does not go on where the one before ends",
			},
			{
				name: "a bundle that is no JSON", text: journalHead + "{\"from\":0\n", args: "j", code: 2,
				fragment: "line 2 is damaged",
			},
			{
				name: "a bundle that goes back", text: journalHead + "{\"from\":0,\"to\":0}\n", args: "j", code: 2,
				fragment: "line 2 does not go on",
			},
			{
				name: "a bundle of less than nothing", text: journalHead + "{\"from\":0,\"to\":1,\"runs\":-5}\n",
				args: "j", code: 2, fragment: "line 2 does not go on",
			},
			{
				name: "20 GB", args: "huge", more: files{"huge": ""}, code: 2,
				fragment: "huge: has 21474836480 bytes, want at most 1073741824",
			},
			{name: "a folder", args: ".", code: 2, fragment: ".: want a regular file for a journal"},
			{name: "a device", args: "/dev/null", code: 2, fragment: "/dev/null: want a regular file for a journal"},
			{name: "no folder", args: "none/j", code: 2, fragment: "none/j: no such file or directory"},
		}},
		{on: "journals of figures", file: "j", args: "reproduce cost-fig6 --html p.html --journal j", cases: []attack{
			{
				name: "a figure that is no object", text: figuresHead + "[]\n", code: 2,
				fragment: "--journal: j: record 1: found array, want a figure",
			},
			{
				name: "a run that is a number", text: figuresHead + "{\"run\":3}\n", code: 2,
				fragment: "--journal: j: record 1: want a run as divergo writes it",
			},
			{
				name: "a figure of nothing", text: figuresHead + "{}\n", code: 2,
				fragment: "--journal: j: record 1 is figure \"\", want cost-fig6",
			},
			{name: "a script", text: figuresHead +
				`{"figure":"cost-fig6","header":["a"],"rows":[[1]],"svg":"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"}` + "\n", code: 2, fragment: "record 1: cost-fig6: "},
			{
				name: "two figures for one", text: figuresHead + "{}\n{}\n", code: 2,
				fragment: "2 figures, want at most 1",
			},
			{
				name: "of other figures", text: strings.Replace(figuresHead, "fig6", "fig7", 1), code: 2,
				fragment: "journal of another configuration: figures is \"cost-fig7\", want \"cost-fig6\"",
			},
			{name: "the page as its journal", args: "--html j", code: 2, fragment: "--journal: j: is --html too"},
		}},
		{on: "environment", file: "$DIVERGO_FLAGS", args: "cuda serve 99", cases: []attack{
			{
				name: "a misspelt flag", text: "--mehc tbc", code: 2,
				fragment: "DIVERGO_FLAGS: unknown flag \"--mehc\"; did you mean \"--mech\"?",
			},
			{
				name: "a mechanism of nobody", text: "--mech tcb", code: 2,
				fragment: "DIVERGO_FLAGS: --mech: unknown mechanism \"tcb\"; did you mean \"tbc\"?",
			},
			{
				name: "a flag without its value", text: "--mech", code: 2,
				fragment: "DIVERGO_FLAGS: flag needs an argument: --mech",
			},
			{name: "words", text: "run vecadd", code: 2, fragment: "DIVERGO_FLAGS: found \"run\", want flags"},
			{
				name: "what follows two dashes", text: "-- --mech tbc", code: 2,
				fragment: "DIVERGO_FLAGS: found \"--mech\", want flags",
			},
			{
				name: "no text", text: "\xff\xfe\x1b[2J", code: 2,
				fragment: "DIVERGO_FLAGS: found \"\\xff\\xfe\\x1b[2J\", want flags",
			},
			{
				name: "a value out of range", text: "--set gpu.sms=0", code: 2,
				fragment: "DIVERGO_FLAGS: gpu.sms = 0: want 1 to 1024",
			},
			{
				name: "a file without end", text: "--config /dev/zero", code: 2,
				fragment: "DIVERGO_FLAGS: --config: /dev/zero: does not end",
			},
			{
				name: "an output in no folder", text: "--json none/x.json", code: 2,
				fragment: "DIVERGO_FLAGS: none/x.json: no folder none",
			},
			{
				name: "an output over an input", text: "--config m.json --json m.json",
				more: files{"m.json": "gpu.sms = 1\n"}, code: 2, fragment: "m.json: is --config too",
			},
			{name: "a descriptor of nobody", text: "", code: 2, fragment: "descriptor 99: bad file descriptor"},
			{name: "two descriptors", args: "5", code: 2, fragment: "found \"5\" behind a file descriptor"},
		}},
		{on: "cuda", args: "cuda", cases: []attack{
			{
				name: "a verb of nobody", args: "biuld k.cu", code: 2,
				fragment: "unknown verb \"biuld\"; did you mean \"build\"?",
			},
			{name: "a program of nothing", args: "run", code: 2, fragment: "want a program or its sources"},
			{name: "a source of nothing", args: "run none.cu", code: 2, fragment: "none.cu: no such file"},
			{
				name: "arguments without dashes", args: "run prog 5", more: files{"prog": "#!/bin/sh\n"}, code: 2,
				fragment: "its arguments follow \"--\"",
			},
			{
				name: "a mechanism of nobody", args: "compare --mech pdom,tcb prog", more: files{"prog": "#!/bin/sh\n"},
				code: 2, fragment: "unknown mechanism \"tcb\"",
			},
			{
				name: "an expression of nothing", args: "compare --ignore '(' prog", more: files{"prog": "#!/bin/sh\n"},
				code: 2, fragment: "--ignore \"(\"",
			},
			{
				name: "statistics over the program", args: "run --json prog prog", more: files{"prog": "#!/bin/sh\n"},
				code: 2, fragment: "prog: is ",
			},
			{name: "build of nothing", args: "build", code: 2, fragment: "divergo cuda build: want files"},
			{
				name: "nvcc with an option of nobody", args: "nvcc --frobnicate k.cu", more: files{"k.cu": ""}, code: 2,
				fragment: "frobnicate",
			},
			{name: "nvcc without a file", args: "nvcc -O2", code: 2, fragment: "nvcc"},
			{name: "a toolkit in a file", args: "toolkit data", code: 2, fragment: "data"},
			{
				name: "a toolkit of others", args: "toolkit .", code: 2,
				fragment: "which divergo did not write: want an empty folder, or --force",
			},
			{name: "two toolkits", args: "toolkit a b", code: 2, fragment: "2"},
		}},
		{on: "sources of CUDA", file: "h.cu", args: "cuda", tools: need.CUDA, cases: []attack{
			{name: "nothing", args: "build h.cu -o h", code: 2, fragment: "main"},
			{name: "no text", text: "\x00\x01\x02\xff", args: "build h.cu -o h", code: 2, fragment: "h.cu"},
			{
				name: "a misspelt type", text: "__global__ void k(itn *p) {}\nint main() {}\n", args: "build h.cu -o h",
				code: 2, fragment: "h.cu:1:",
			},
			{
				name: "a header of nobody", text: "#include \"none.h\"\nint main() {}\n", args: "run h.cu", code: 2,
				fragment: "none.h",
			},
			{
				name: "over its source", text: "int main() {}\n", args: "build h.cu -o h.cu", code: 2,
				fragment: "h.cu: is the input h.cu too",
			},
			{
				name: "over its source, by a link", text: "int main() {}\n", args: "nvcc h.cu -o link",
				more: files{"link": "-> h.cu"}, code: 2, fragment: "link: is the input h.cu too",
			},
			{
				name: "a toolkit through a link", args: "toolkit --force t", more: files{"t/bin/nvcc": "-> ../../data"},
				code: 2, fragment: "nvcc: is a link",
			},
			{
				name: "into no folder", text: "int main() {}\n", args: "build h.cu -o none/h", code: 2,
				fragment: "none/h: no folder none",
			},
			{name: "a fault", text: "__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); cudaDeviceSynchronize(); }\n", args: "run h.cu", code: 4, fragment: "at h.cu:1, PC "},
		}},
	}
}

// chain returns functions 1 to n; each calls the one before.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ".func f%d() { call f%d; ret; }\n", i+1, i)
	}
	return b.String()
}

// The first lines of the journals of "check pdom" and "reproduce cost-fig6".
var (
	journalHead = `{"features":"` + draw.AllFeatures.String() +
		`","first_seed":0,"mechanisms":["pdom"],"schema":"divergo.check.journal.v1"}` + "\n"
	figuresHead = fmt.Sprintf(`{"figures":"cost-fig6","plan":%q,"schema":"divergo.reproduce.v1"}`, experiments.Full) + "\n"
)

// A call of __assertfail with the condition "\x1b[31m", file h.cu, line 7 and function f.
const (
	assertion   = `.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e); .global .b8 what[6] = {27, 91, 51, 49, 109, 0}; .global .b8 file[5] = {104, 46, 99, 117, 0}; .global .b8 fun[2] = {102, 0};`
	assertFails = `{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; mov.u64 %rd1, what; cvta.global.u64 %rd1, %rd1; st.param.b64 [a], %rd1; mov.u64 %rd2, file; cvta.global.u64 %rd2, %rd2; st.param.b64 [b], %rd2; mov.u32 %r1, 7; st.param.b32 [c], %r1; mov.u64 %rd3, fun; cvta.global.u64 %rd3, %rd3; st.param.b64 [d], %rd3; mov.u64 %rd4, 1; st.param.b64 [e], %rd4; call.uni __assertfail, (a, b, c, d, e); }`
)
