package cli

import (
	"fmt"
	"strings"
)

// attacksOnPTX are texts that are not valid PTX.
func attacksOnPTX() []attacks {
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
