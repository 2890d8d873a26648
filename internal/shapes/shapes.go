// Package shapes writes PTX texts of extreme shapes: inputs that a broken or malicious compiler
// could give to the reader and the analyses.
package shapes

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Shape is a family of texts.
type Shape struct {
	Name string
	Text func(bytes int) string // returns a text of about that length, or of the greatest length of the shape
}

const header = ".version 7.0\n.target sm_70\n.address_size 64\n"

// All are the shapes, each of which grows in one direction.
var All = []Shape{
	{"gotos", gotos},
	{"gotos-back", gotosBack},
	{"nests", nests},
	{"loops", loops},
	{"scopes", scopes},
	{"diamonds", diamonds},
	{"functions-chain", chain},
	{"functions-random", random},
	{"functions-star", star},
	{"functions-by-address", byAddress},
	{"recursion", recursion},
	{"live", live},
	{"live-loops", liveLoops},
	{"live-recursive", liveRecursive},
	{"registers", registers},
	{"registers-many-blocks", registersBlocks},
	{"registers-declared", declared},
	{"ranges", ranges},
	{"brx-table", brxTable},
	{"brx-tables", brxTables},
	{"brx-many", brxMany},
	{"kernels", kernels},
	{"kernels-variables", kernelsVariables},
	{"kernels-functions", kernelsFunctions},
	{"variables", variables},
	{"initialiser", initialiser},
	{"initialiser-addresses", addresses},
	{"initialiser-sparse", sparse},
	{"parameters", parameters},
	{"arguments", arguments},
	{"long-line", longLine},
	{"long-names", longNames},
	{"long-instruction", longInstruction},
	{"labels", labels},
	{"labels-unknown", labelsUnknown},
	{"branch-target-lists", targetLists},
	{"comments", comments},
	{"files", files},
	{"strings", quoted},
	{"expressions", expressions},
	{"prints", prints},
	{"straight", straight},
	{"prototypes", prototypes},
	{"aliases", aliases},
	{"errors", mistakes},
	{"garbage", garbage},
	{"vectors", vectors},
	{"shared", shared},
}

// text grows up to the wanted length.
type text struct {
	strings.Builder
	bytes int
}

func (t *text) f(format string, a ...any) { fmt.Fprintf(&t.Builder, format, a...) }

func (t *text) room() bool { return t.Len() < t.bytes }

// kernel is a module with one kernel around the output of body.
func kernel(bytes int, body func(t *text)) string {
	t := &text{bytes: bytes}
	t.f("%s.entry k(.param .u32 n)\n{\n.reg .pred %%p;\n.reg .b32 %%r;\nld.param.u32 %%r, [n];\nsetp.eq.u32 %%p, %%r, 7;\n", header)
	body(t)
	t.f("exit;\n}\n")
	return t.String()
}

// module is a module with the output of body at its top level.
func module(bytes int, body func(t *text)) string {
	t := &text{bytes: bytes}
	t.f("%s", header)
	body(t)
	return t.String()
}

func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// gotos has branches between arbitrary places.
func gotos(bytes int) string {
	r, n := source(), bytes/22
	return kernel(bytes, func(t *text) {
		for i := range n {
			t.f("L%d:@%%p bra L%d;\n", i, r.IntN(n))
		}
	})
}

// gotosBack has branches from arbitrary places to earlier ones.
func gotosBack(bytes int) string {
	r, n := source(), bytes/22
	return kernel(bytes, func(t *text) {
		for i := range n {
			t.f("L%d:@%%p bra L%d;\n", i, r.IntN(i+1))
		}
	})
}

// nests has nested conditions.
func nests(bytes int) string {
	n := bytes / 24
	return kernel(bytes, func(t *text) {
		for i := range n {
			t.f("@%%p bra L%d;\n", i)
		}
		for i := n - 1; i >= 0; i-- {
			t.f("L%d:\n", i)
		}
	})
}

// loops has nested loops.
func loops(bytes int) string {
	n := bytes / 24
	return kernel(bytes, func(t *text) {
		for i := range n {
			t.f("L%d:\n", i)
		}
		for i := n - 1; i >= 0; i-- {
			t.f("@%%p bra L%d;\n", i)
		}
	})
}

// scopes has blocks side by side in blocks of the greatest depth.
func scopes(bytes int) string {
	return kernel(bytes, func(t *text) {
		for t.room() {
			t.f("%s%s\n", strings.Repeat("{.reg .b32 %x;", 150), strings.Repeat("mov.b32 %x,%r;}", 150))
		}
	})
}

// diamonds has a sequence of conditions in which values are computed.
func diamonds(bytes int) string {
	return kernel(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f("@%%p bra L%d;add.u32 %%r,%%r,1;L%d:\n", i, i)
		}
	})
}

// callers writes n functions and a kernel that calls the first one. callees lists the functions
// that function i calls.
func callers(t *text, n int, callees func(i int) []int) {
	for i := range n {
		t.f(".func f%d;", i)
	}
	for i := range n {
		t.f(".func f%d{", i)
		for _, c := range callees(i) {
			t.f("call f%d;", c)
		}
		t.f("ret;}\n")
	}
	t.f(".entry k(){call f0;exit;}\n")
}

// chain has functions that each call the next one.
func chain(bytes int) string {
	n := bytes / 50
	return module(bytes, func(t *text) {
		callers(t, n, func(i int) []int {
			if i+1 == n {
				return nil
			}
			return []int{i + 1}
		})
	})
}

// random has functions that each call up to ten later ones.
func random(bytes int) string {
	r, n := source(), bytes/160
	return module(bytes, func(t *text) {
		callers(t, n, func(i int) (list []int) {
			for range 10 {
				if i+1 < n {
					list = append(list, i+1+r.IntN(n-i-1))
				}
			}
			return append(list, min(i+1, n-1))[:min(10, n-1-i)]
		})
	})
}

// star has a function that calls all others.
func star(bytes int) string {
	n := bytes / 50
	return module(bytes, func(t *text) {
		callers(t, n, func(i int) (list []int) {
			for c := 1; c < n && i == 0; c++ {
				list = append(list, c)
			}
			return list
		})
	})
}

// byAddress has functions in a table, and calls through it.
func byAddress(bytes int) string {
	n := bytes / 120
	return module(bytes, func(t *text) {
		for i := range n {
			t.f(".func f%d{ret;}\n", i)
		}
		t.f(".entry k(){.reg .u64 %%f;.reg .u64 %%g;P: .callprototype _();\n")
		for i := range n {
			t.f("mov.u64 %%f,f%d;call %%f,P;\n", i)
		}
		t.f("exit;}\n")
	})
}

// recursion has functions that each call ten others.
func recursion(bytes int) string {
	r, n := source(), bytes/160
	return module(bytes, func(t *text) {
		callers(t, n, func(int) (list []int) {
			for range 10 {
				list = append(list, r.IntN(n))
			}
			return list
		})
	})
}

const many = 60_000 // registers

// live has blocks between the definitions and the uses of many registers.
func live(bytes int) string {
	n := min(bytes/60, many)
	return kernel(bytes, func(t *text) {
		t.f(".reg .b32 %%v<%d>;\n", n)
		for i := range n {
			t.f("mov.b32 %%v%d,%%r;\n", i)
		}
		for i := 0; t.Len() < bytes-n*23; i++ {
			t.f("@%%p bra L%d;L%d:\n", i, i)
		}
		for i := range n {
			t.f("add.u32 %%r,%%r,%%v%d;\n", i)
		}
	})
}

// liveLoops is live with loops around the blocks.
func liveLoops(bytes int) string {
	n := min(bytes/60, many)
	return kernel(bytes, func(t *text) {
		t.f(".reg .b32 %%v<%d>;\n", n)
		for i := range n {
			t.f("mov.b32 %%v%d,%%r;\n", i)
		}
		r, i := source(), 0
		for ; t.Len() < bytes-n*23; i++ {
			t.f("L%d:@%%p bra L%d;xor.b32 %%v%d,%%v%d,%%r;\n", i, r.IntN(i+1), r.IntN(n), r.IntN(n))
		}
		for i := range n {
			t.f("add.u32 %%r,%%r,%%v%d;\n", i)
		}
	})
}

// liveRecursive has recursive calls between the definitions and the uses of many registers.
func liveRecursive(bytes int) string {
	n := min(bytes/60, many)
	return module(bytes, func(t *text) {
		t.f(".func f(){.reg .b32 %%r;.reg .b32 %%v<%d>;\n", n)
		for i := range n {
			t.f("mov.b32 %%v%d,%%r;\n", i)
		}
		for t.Len() < bytes-n*23 {
			t.f("call f;\n")
		}
		for i := range n {
			t.f("add.u32 %%r,%%r,%%v%d;\n", i)
		}
		t.f("ret;}\n.entry k(){call f;exit;}\n")
	})
}

// registers uses the greatest number of registers, all at once.
func registers(bytes int) string {
	n := min(bytes/60, many)
	return kernel(bytes, func(t *text) {
		t.f(".reg .b32 %%v<%d>;\n", n)
		for i := range n {
			t.f("mov.b32 %%v%d,%%r;\n", i)
		}
		for i := range n {
			t.f("add.u32 %%r,%%r,%%v%d;\n", i)
		}
	})
}

// registersBlocks has a separate register for each block.
func registersBlocks(bytes int) string {
	n := min(bytes/60, many)
	return kernel(bytes, func(t *text) {
		t.f(".reg .b32 %%v<%d>;\n", n)
		for i := 0; t.room(); i++ {
			t.f("mov.b32 %%v%d,%%r;@%%p bra L%d;L%d:add.u32 %%r,%%r,%%v%d;\n", i%n, i, i, i%n)
		}
	})
}

// declared has unused registers.
func declared(bytes int) string {
	return kernel(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f(".reg .b32 %%v%d;\n", i)
		}
	})
}

// ranges has declarations of ranges of registers.
func ranges(bytes int) string {
	return kernel(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f(".reg .b32 %%v%d_<1000000>;mov.b32 %%r,%%v%d_999999;\n", i, i)
		}
	})
}

// brxTable has one large table.
func brxTable(bytes int) string {
	return kernel(bytes, func(t *text) {
		t.f("L:T: .branchtargets L")
		for t.room() {
			t.f(",L")
		}
		t.f(";\nbrx.idx %%r,T;\n")
	})
}

// brxTables has tables of many labels.
func brxTables(bytes int) string {
	return kernel(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f("T%d: .branchtargets L%d,M%d,L%d,M%d;brx.idx %%r,T%d;L%d:add.u32 %%r,%%r,1;M%d:\n", i, i, i, i, i,
				i, i, i)
		}
	})
}

// brxMany has many branches through one large table.
func brxMany(bytes int) string {
	return kernel(bytes, func(t *text) {
		t.f("L:T: .branchtargets L")
		for t.Len() < bytes/2 {
			t.f(",L")
		}
		t.f(";\n")
		for t.room() {
			t.f("@%%p brx.idx %%r,T;\n")
		}
	})
}

// kernels has many small kernels.
func kernels(bytes int) string {
	return module(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f(".entry k%d(){exit;}\n", i)
		}
	})
}

// kernelsVariables has kernels and variables of the module.
func kernelsVariables(bytes int) string {
	return module(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f(".global .u32 v%d=1;.entry k%d(){.reg .u32 %%r;ld.global.u32 %%r,[v%d];exit;}\n", i, i, i)
		}
	})
}

// kernelsFunctions has kernels that all call the same functions.
func kernelsFunctions(bytes int) string {
	return module(bytes, func(t *text) {
		n := bytes / 80
		callers(t, n, func(i int) []int { return []int{min(i+1, n-1)}[:min(1, n-1-i)] })
		for i := 0; t.room(); i++ {
			t.f(".entry k%d(){call f0;exit;}\n", i)
		}
	})
}

// variables has variables of the module.
func variables(bytes int) string {
	return module(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f(".global .u8 v%d=1;\n", i)
		}
		t.f(".entry k(){exit;}\n")
	})
}

// initialiser has one large initialiser.
func initialiser(bytes int) string {
	return module(bytes, func(t *text) {
		t.f(".global .u64 v[]={1")
		for t.room() {
			t.f(",1")
		}
		t.f("};\n.entry k(){exit;}\n")
	})
}

// addresses has an initialiser of addresses.
func addresses(bytes int) string {
	return module(bytes, func(t *text) {
		t.f(".global .u64 v[]={v")
		for t.room() {
			t.f(",v")
		}
		t.f("};\n.entry k(){exit;}\n")
	})
}

// sparse has large arrays with few initialised elements.
func sparse(bytes int) string {
	return module(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f(".global .u8 v%d[2][1000]={{1},{1}};\n", i)
		}
		t.f(".entry k(){exit;}\n")
	})
}

// parameters has many parameters of one kernel.
func parameters(bytes int) string {
	return module(bytes, func(t *text) {
		t.f(".entry k(.param .u8 p")
		for i := 0; t.room(); i++ {
			t.f(",.param .u8 p%d", i)
		}
		t.f("){exit;}\n")
	})
}

// arguments has many parameters of one function.
func arguments(bytes int) string {
	return module(bytes, func(t *text) {
		n := bytes / 40
		t.f(".func f(.param .b32 p")
		for i := range n {
			t.f(",.param .b32 p%d", i)
		}
		t.f("){ret;}\n.entry k(){.reg .b32 %%r;call f,(%%r")
		for range n {
			t.f(",%%r")
		}
		t.f(");exit;}\n")
	})
}

// longLine has a kernel on one line.
func longLine(bytes int) string {
	return strings.ReplaceAll(kernel(bytes, func(t *text) {
		for t.room() {
			t.f("add.u32 %%r,%%r,1;")
		}
	}), "\n", " ")
}

// longNames has a name of an eighth of the text, seven times.
func longNames(bytes int) string {
	name := strings.Repeat("x", bytes/8)
	return module(bytes, func(t *text) {
		t.f(".entry %s(.param .u32 p%s){.reg .b32 %%%s;ld.param.u32 %%%s,[p%s];L%s:@%%q bra L%s;exit;}\n", name, name,
			name, name, name, name, name)
	})
}

// longInstruction has comments in an instruction.
func longInstruction(bytes int) string {
	return kernel(bytes, func(t *text) {
		t.f("add.u32 ")
		for t.room() {
			t.f("/**/ \n")
		}
		t.f("%%r,%%r,1;\n")
	})
}

// labels has many labels of one place.
func labels(bytes int) string {
	return kernel(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f("L%d:", i)
		}
	})
}

// labelsUnknown has branches to labels that do not exist.
func labelsUnknown(bytes int) string {
	return kernel(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f("L%d:bra M%d;\n", i, i)
		}
	})
}

// targetLists has unused lists of targets.
func targetLists(bytes int) string {
	return kernel(bytes, func(t *text) {
		t.f("L:\n")
		for i := 0; t.room(); i++ {
			t.f("T%d: .branchtargets L;\n", i)
		}
	})
}

// comments has only comments in a kernel without instructions.
func comments(bytes int) string {
	return kernel(bytes, func(t *text) {
		for t.room() {
			t.f("// x\n/* y */\n")
		}
	})
}

// files has names of source files, and places in them.
func files(bytes int) string {
	return kernel(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f(".file %d \"f%d.cu\"\n.loc %d 1 1\n", i, i, i)
		}
	})
}

// quoted has strings of pragmas.
func quoted(bytes int) string {
	return kernel(bytes, func(t *text) {
		for t.room() {
			t.f(".pragma \"nounroll\";\n")
		}
	})
}

// expressions has constant expressions.
func expressions(bytes int) string {
	return kernel(bytes, func(t *text) {
		for t.room() {
			t.f("mov.u32 %%r,%s1+(2*(3-4))%s;\n", strings.Repeat("(", 60), strings.Repeat(")+1", 60))
		}
	})
}

// prints has calls of vprintf.
func prints(bytes int) string {
	return module(bytes, func(t *text) {
		t.f(".global .b8 s[3]={104,105,0};\n.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.entry k(){.reg .b32 %%r;.reg .u64 %%d;\n")
		for i := 0; t.room(); i++ {
			t.f("{.param .b64 a;.param .b64 b;.param .b32 c;mov.u64 %%d,s;st.param.b64 [a],s;st.param.b64 [b],%%d;call.uni (c),vprintf,(a,b);ld.param.b32 %%r,[c];}\n")
		}
		t.f("exit;}\n")
	})
}

// straight has no branches.
func straight(bytes int) string {
	return kernel(bytes, func(t *text) {
		for t.room() {
			t.f("not.b32 %%r,%%r;")
		}
	})
}

// prototypes has prototypes of calls by address, each with a function.
func prototypes(bytes int) string {
	return module(bytes, func(t *text) {
		n := bytes / 100
		for i := range n {
			t.f(".func f%d(.param .b8 p[%d]){ret;}\n", i, 1+i%4000)
		}
		t.f(".entry k(){.reg .u64 %%f;\n")
		for i := 0; t.room(); i++ {
			t.f("P%d: .callprototype _ (.param .b8 q[%d]);mov.u64 %%f,f%d;{.param .b8 a[%d];call %%f,(a),P%d;}\n", i,
				1+i%4000, i%n, 1+i%4000, i)
		}
		t.f("exit;}\n")
	})
}

// aliases has names of one function, each an alias of the one before.
func aliases(bytes int) string {
	return module(bytes, func(t *text) {
		t.f(".func f0(){ret;}\n")
		for i := 1; t.room(); i++ {
			t.f(".func f%d();\n.alias f%d,f%d;\n", i, i, i-1)
		}
		t.f(".entry k(){call f1;exit;}\n")
	})
}

// mistakes has a mistake on each line.
func mistakes(bytes int) string {
	return kernel(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f("add.u33 %%x%d,%%y;\n", i)
		}
	})
}

// garbage is not PTX.
func garbage(bytes int) string {
	return header + strings.Repeat("\x01`", bytes/2)
}

// vectors has vectors that are packed and unpacked.
func vectors(bytes int) string {
	return kernel(bytes, func(t *text) {
		t.f(".reg .v4 .b32 %%v;.reg .b64 %%d;\n")
		for t.room() {
			t.f("mov.v4.b32 %%v,{%%r,%%r,%%r,%%r};mov.b64 %%d,{%%v.x,%%v.w};\n")
		}
	})
}

// shared has variables in the memory of a CTA.
func shared(bytes int) string {
	return kernel(bytes, func(t *text) {
		for i := 0; t.room(); i++ {
			t.f(".shared .u8 s%d;mov.u32 %%r,s%d;\n", i, i)
		}
	})
}
