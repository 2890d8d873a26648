package draw

import (
	"strings"

	"divergo/ptx"
)

// operation is an operation of Compute on d, a and b; %g is the guard, the other registers are
// scratch. PTX defines every result.
type operation struct {
	name, ptx string
	unit      Features // needed besides the integer pipe
}

// operations lists the most frequent operations of kernels, then one for each other computing
// opcode.
var operations = []operation{
	{"add", "add.u32 d, a, b;", 0},
	{"sub", "sub.u32 d, a, b;", 0},
	{"mul", "mul.lo.u32 d, a, b;", 0},
	{"mulhi", "mul.hi.u32 d, a, b;", 0},
	{"mad", "mad.lo.u32 d, a, b, d;", 0},
	{"and", "and.b32 d, a, b;", 0},
	{"or", "or.b32 d, a, b;", 0},
	{"xor", "xor.b32 d, a, b;", 0},
	{"shl", "shl.b32 d, a, 5;", 0},
	{"shr", "shr.u32 d, a, 3;", 0},
	{"min", "min.s32 d, a, b;", 0},
	{"max", "max.u32 d, a, b;", 0},
	{"popc", "popc.b32 d, a;", 0},
	{"clz", "clz.b32 d, a;", 0},
	{"brev", "brev.b32 d, a;", 0},
	{"selp", "selp.u32 d, a, b, %g;", 0},
	{"lane", "add.u32 d, a, %laneid;", 0},
	{"fadd", "cvt.rn.f32.u32 %x, a; cvt.rn.f32.u32 %y, b; fma.rn.f32 %x, %x, 0f3F000000, %y; mov.b32 d, %x;", Floats},
	{"fsqrt", "cvt.rn.f32.u32 %x, a; sqrt.rn.f32 %x, %x; cvt.rzi.u32.f32 d, %x;", Floats},
	{"double", "cvt.rn.f64.u32 %z, a; fma.rn.f64 %z, %z, 0d3FE0000000000000, %z; cvt.rzi.u32.f64 d, %z;", Doubles},
	{"div", "or.b32 %w, b, 1; div.u32 d, a, %w;", Divisions},
	{"rem", "or.b32 %w, b, 1; rem.s32 d, a, %w;", Divisions},

	{"carry", "add.cc.u32 %w, a, b; addc.u32 d, %w, a;", Opcodes},
	{"borrow", "sub.cc.u32 %w, a, b; subc.u32 d, b, %w;", Opcodes},
	{"madc", "mad.lo.cc.u32 %w, a, b, d; madc.hi.u32 d, a, b, %w;", Opcodes},
	{"mul24", "mul24.lo.u32 d, a, b;", Opcodes},
	{"mad24", "mad24.hi.s32 d, a, b, d;", Opcodes},
	{"wide", "mul.wide.u32 %q, a, b; mad.wide.s32 %q, b, a, %q; shr.u64 %q, %q, 13; cvt.u32.u64 d, %q;", Opcodes},
	{"sad", "sad.s32 d, a, b, d;", Opcodes},
	{"abs", "abs.s32 d, a;", Opcodes},
	{"neg", "neg.s32 d, a;", Opcodes},
	{"saturate", "add.sat.s32 d, a, b;", Opcodes},
	{"bfind", "bfind.u32 d, a;", Opcodes},
	{"bfe", "bfe.s32 d, a, 3, 9;", Opcodes},
	{"bfi", "bfi.b32 d, a, b, 4, 8;", Opcodes},
	{"fns", "and.b32 %w, a, 31; fns.b32 d, b, %w, 1;", Opcodes},
	{"szext", "szext.wrap.u32 d, a, 7;", Opcodes},
	{"bmsk", "and.b32 %w, a, 31; bmsk.clamp.b32 d, %w, 5;", Opcodes},
	{"dp4a", "dp4a.u32.s32 d, a, b, d;", Opcodes},
	{"dp2a", "dp2a.lo.u32.u32 d, a, b, d;", Opcodes},
	{"set", "set.lt.u32.s32 d, a, b;", Opcodes},
	{"setp", "setp.lt.u32 %p|%o, a, b; @%g setp.gt.s32 %p|%o, b, a; selp.u32 d, a, b, %o;", Opcodes},
	{"setp.and", "setp.ge.and.s32 %p, a, b, %g; selp.u32 %w, a, 9, %p; xor.b32 d, d, %w;", Opcodes},
	{"slct", "slct.u32.s32 d, a, b, d;", Opcodes},
	{"not", "not.b32 d, a;", Opcodes},
	{"cnot", "cnot.b32 d, a;", Opcodes},
	{"predicates", "setp.lt.s32 %p, a, 0; not.pred %o, %p; xor.pred %p, %o, %g; selp.u32 d, a, b, %p;", Opcodes},
	{"lop3", "lop3.b32 d, a, b, d, 0x96;", Opcodes},
	{"shf", "shf.l.wrap.b32 d, a, b, 7; shf.r.clamp.b32 d, d, a, b;", Opcodes},
	{"shift", "shl.b32 %w, a, b; shr.s32 d, %w, b;", Opcodes},
	{"prmt", "prmt.b32 d, a, b, 0x5140;", Opcodes},
	{"pack", "mov.b64 %q, {a, b}; mov.b64 {%w, %v}, %q; add.u32 d, %w, %v;", Opcodes},
	{"half words", "mov.b32 {%h, %k}, a; add.u16 %h, %h, %k; sub.s16 %k, %k, %h; mul.wide.u16 d, %h, %k;", Opcodes},
	{
		"bytes", "cvt.u8.u32 %h, a; cvt.s8.s32 %k, b; mad.lo.s16 %h, %h, %k, %k; shr.s16 %h, %h, 3; cvt.s32.s16 d, %h;",
		Opcodes,
	},
	{"64 bits", "mov.b64 %q, {a, b}; cvt.u64.u32 %l, b; sub.u64 %q, %q, %l; mul.hi.u64 %l, %q, %q; xor.b64 %q, %q, %l; max.s64 %q, %q, %l; cvt.u32.u64 d, %q;", Opcodes},
	{"bits of 64", "mov.b64 %q, {a, b}; bfe.s64 %q, %q, 7, 40; brev.b64 %q, %q; clz.b64 %w, %q; popc.b64 %v, %q; add.u32 d, %w, %v;", Opcodes},
	{"test of 64", "mov.b64 %q, {a, b}; mov.b64 %l, {b, a}; setp.gt.s64 %p, %q, %l; selp.b64 %q, %q, %l, %p; shl.b64 %q, %q, 5; cvt.u32.u64 d, %q;", Opcodes},
	{
		"div of 64", "mov.b64 %q, {a, b}; cvt.u64.u32 %l, b; or.b64 %l, %l, 1; rem.u64 %q, %q, %l; cvt.u32.u64 d, %q;",
		Opcodes | Divisions,
	},
	{"cvt.pack", "cvt.pack.sat.u8.s32.b32 d, a, b, d;", Opcodes},
	{"isspacep", "cvt.u64.u32 %q, a; isspacep.shared %p, %q; selp.u32 d, a, b, %p;", Opcodes},
	{"nop", "pmevent 3; nanosleep.u32 20;", Opcodes},
	{"fmin", "cvt.rn.f32.s32 %x, a; cvt.rn.f32.s32 %y, b; min.f32 %x, %x, %y; sub.f32 %x, %x, %y; mul.f32 %x, %x, %y; mov.b32 d, %x;", Opcodes | Floats},
	{"fset", "cvt.rn.f32.s32 %x, a; cvt.rn.f32.s32 %y, b; set.ltu.u32.f32 %w, %x, %y; setp.geu.f32 %p, %x, %y; copysign.f32 %x, %y, %x; selp.f32 %x, %x, %y, %p; mov.b32 %v, %x; add.u32 d, %w, %v;", Opcodes | Floats},
	{"fdiv", "cvt.rn.f32.u32 %x, a; cvt.rn.f32.u32 %y, b; div.rn.f32 %x, %x, %y; rcp.rn.f32 %y, %y; add.f32 %x, %x, %y; cvt.rni.sat.u8.f32 %w, %x; mov.b32 %v, %x; add.u32 d, %w, %v;", Opcodes | Floats | Divisions},
	{"functions", "cvt.rn.f32.u32 %x, a; rsqrt.approx.f32 %y, %x; lg2.approx.f32 %x, %x; ex2.approx.f32 %y, %y; sin.approx.f32 %x, %x; add.f32 %x, %x, %y; cos.approx.f32 %y, %y; add.f32 %x, %x, %y; tanh.approx.f32 %x, %x; mov.b32 d, %x;", Opcodes | Floats},
	{"testp", "mov.b32 %x, a; testp.normal.f32 %p, %x; testp.subnormal.f32 %o, %x; selp.u32 %w, a, b, %p; selp.u32 d, 1, %w, %o;", Opcodes | Floats},
	{"half", "cvt.rn.f32.s32 %x, a; cvt.rn.f16.f32 %h, %x; mov.b32 %b, {%h, %h}; fma.rn.f16x2 %b, %b, %b, %b; mov.b32 {%h, %k}, %b; add.f16 %h, %h, %k; cvt.f32.f16 %x, %h; cvt.rzi.s32.f32 d, %x;", Opcodes | Floats},
	{"bfloat", "cvt.rn.f32.s32 %x, a; cvt.rn.f32.s32 %y, b; cvt.rn.bf16x2.f32 %b, %x, %y; fma.rn.relu.bf16x2 %b, %b, %b, %b; mov.b32 d, %b;", Opcodes | Floats},
	{"ddiv", "cvt.rn.f64.s32 %z, a; cvt.rn.f64.u32 %m, b; div.rn.f64 %z, %z, %m; min.f64 %z, %z, %m; sqrt.rn.f64 %z, %z; rcp.rn.f64 %m, %z; add.f64 %z, %z, %m; setp.lt.f64 %p, %z, %m; selp.f64 %z, %z, %m, %p; mov.b64 {%w, d}, %z;", Opcodes | Doubles},
	{"video", "vadd.s32.u32.s32.sat d, a, b; vabsdiff4.u32.u32.u32.add d, a, b, d; vset.u32.u32.lt %w, a, b; vsub.s32.u32.u32 %v, %w, a; add.u32 d, d, %v; vmax.s32.s32.s32 %w, a, d; vmin.u32.u32.u32 %v, b, %w; vabsdiff.u32.s32.s32 d, %v, %w; vadd2.s32.s32.s32 %w, a, d, b; vsub4.s32.s32.s32 d, %w, d, b;", Opcodes},
	{"videos", "vmad.u32.u32.u32 d, a, b, d; vshl.u32.u32.u32.wrap %w, a, b; vshr.u32.u32.u32.clamp %w, %w, a; vmin2.u32.u32.u32 %w, %w, b, a; vmax4.s32.s32.s32 %w, %w, a, b; vavrg2.s32.s32.s32 %v, %w, a, b; add.u32 d, d, %v; vadd4.u32.u32.u32 %w, a, d, b; vsub2.u32.u32.u32 d, %w, d, b; vset2.u32.u32.lt %w, d, b, a; vset4.s32.s32.ge %v, d, b, a; vmax2.u32.u32.u32 d, d, %w, %v; vmin4.s32.s32.s32 d, d, a, b; vavrg4.u32.u32.u32 d, d, %v, b; vabsdiff2.s32.s32.s32 d, d, b, a;", Opcodes},
}

// vote is an operation of Vote on the threads of a warp. A team operation names its threads in
// %team, the others name all.
type vote struct {
	name, ptx string
	team      bool
}

var votes = []vote{
	{"ballot", "setp.lt.s32 %p, a, 0; vote.sync.ballot.b32 d, %p, -1;", false},
	{"any", "setp.lt.u32 %p, a, 64; vote.sync.any.pred %p, %p, -1; @%p add.u32 d, a, 1;", false},
	{"all", "setp.ge.u32 %p, a, 64; vote.sync.all.pred %p, %p, -1; @%p add.u32 d, a, 1;", false},
	{"match", "and.b32 %w, a, 3; match.any.sync.b32 d, %w, -1;", false},
	{"sum", "redux.sync.add.u32 d, a, -1;", false},
	{"least", "redux.sync.min.s32 d, a, -1;", false},
	{"up", "shfl.sync.up.b32 d, a, 1, 0, -1;", false},
	{"down", "shfl.sync.down.b32 d|%p, a, 2, 31, -1; @!%p mov.u32 d, 5;", false},
	{"butterfly", "shfl.sync.bfly.b32 d, a, 1, 31, -1;", false},
	{"from", "and.b32 %w, b, 7; shfl.sync.idx.b32 d, a, %w, 31, -1;", false},
	{"meet", "bar.warp.sync -1;", false},
	{"leader", "elect.sync d|%p, -1; @!%p add.u32 d, d, a;", false},
	{"ballot of a team", "setp.lt.s32 %p, a, 0; vote.sync.ballot.b32 d, %p, %team;", true},
	{"agreement of a team", "and.b32 %w, a, 1; setp.ne.u32 %p, %w, 0; vote.sync.uni.pred %p, %p, %team; @%p add.u32 d, a, 1;", true},
	{"match of a team", "and.b32 %w, a, 1; match.all.sync.b32 d|%p, %w, %team; @%p add.u32 d, d, 1;", true},
	{"exclusive or of a team", "redux.sync.xor.b32 d, a, %team;", true},
	{"leader of a team", "elect.sync d|%p, %team; @%p add.u32 d, d, a;", true},
	{"meeting of a team", "bar.warp.sync %team;", true},
	{"up in segments", "shfl.sync.up.b32 d|%p, a, LANES, SEGMENTS, -1; @!%p add.u32 d, d, 7;", false},
	{"down in segments", "shfl.sync.down.b32 d|%p, a, LANES, SEGMENTS, -1; @!%p add.u32 d, d, 7;", false},
	{"butterfly in segments", "shfl.sync.bfly.b32 d|%p, a, LANES, SEGMENTS, -1; @!%p add.u32 d, d, 7;", false},
	{"from a lane in segments", "shfl.sync.idx.b32 d|%p, a, b, SEGMENTS, -1; @!%p add.u32 d, d, 7;", false},
	{"up by a register", "and.b32 %w, b, 0x1F1F; shfl.sync.up.b32 d|%p, a, b, %w, -1; @%p add.u32 d, d, 7;", false},
	{"down by a register", "and.b32 %w, a, 0x1F1F; shfl.sync.down.b32 d|%p, a, b, %w, -1; @%p add.u32 d, d, 7;", false},
	{"unsigned least", "redux.sync.min.u32 d, a, -1;", false},
	{"most", "redux.sync.max.s32 d, a, -1;", false},
	{"unsigned most", "redux.sync.max.u32 d, a, -1;", false},
	{"and", "redux.sync.and.b32 d, a, -1;", false},
	{"or", "redux.sync.or.b32 d, a, -1;", false},
}

// drawnVotes is the number of votes that fill draws; they come first. sharpen replaces some by later
// ones.
const drawnVotes = 18

// segments returns the distance of a shuffle and the segments in which it takes place, of random
// bits.
func segments(bits uint32) (lanes, in uint32) {
	lanes = bits & 31
	size := uint32(1) << (bits >> 5 & 7 % 6) // of a segment
	mask, clamp := 32-size, bits>>8&31
	switch bits >> 13 & 7 {
	case 0:
		mask = bits >> 16 & 31 // segments of lanes that are not adjacent
	case 1, 2, 3:
		clamp = size - 1
	case 4, 5:
		clamp = 0
	}
	if bits>>24&1 != 0 { // at an edge
		lanes = (size - 1 + bits>>25&1) & 31
	}
	return lanes, mask<<8 | clamp
}

// counts are votes of the threads that the mechanism holds together. A kernel cannot know this set.
var counts = []string{
	"activemask.b32 d;",
	"setp.lt.s32 %p, a, 0; vote.ballot.b32 d, %p;",
	"setp.lt.u32 %p, a, 64; vote.any.pred %p, %p; @%p add.u32 d, a, 1;",
	"setp.lt.u32 %p, a, 64; vote.all.pred %p, %p; @!%p add.u32 d, a, 1;",
}

const textured = "writes to surfaces, kinds of handles: programs of testbench/verify"

// undrawn are the opcodes that no kernel has, with the reasons.
var undrawn = map[string]string{
	"wmma":           "matrices: programs of testbench/verify",
	"applypriority":  "a hint",
	"discard":        "leaves bytes of memory open",
	"griddepcontrol": "does nothing",
	"ldmatrix":       "matrices: programs of testbench/verify",
	"mma":            "matrices: programs of testbench/verify",
	"movmatrix":      "matrices: programs of testbench/verify",
	"prefetch":       "a hint",
	"prefetchu":      "a hint",
	"stmatrix":       "matrices: programs of testbench/verify",
	"trap":           "ends the program: programs of testbench/verify",
	"sust":           textured, "sured": textured, "istypep": textured,
}

// Mnemonic returns the opcode of an instruction as written.
func Mnemonic(text string) string {
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	text, _, _ = strings.Cut(strings.TrimSuffix(text, ";"), " ")
	name, _, _ := strings.Cut(text, ".")
	return name
}

// Drawn lists the opcodes that kernels have.
func Drawn() (list []string) {
	for _, name := range ptx.Opcodes() {
		if undrawn[name] == "" {
			list = append(list, name)
		}
	}
	return list
}

// Undrawn lists the opcodes that no kernel has, with the reasons.
func Undrawn() (list []string) {
	for _, name := range ptx.Opcodes() {
		if why := undrawn[name]; why != "" {
			list = append(list, name+": "+why)
		}
	}
	return list
}

// atomics are the operations on the words that threads of a group change together. Each word has
// one operation, so the order does not matter.
var atomics = []string{"add.u32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32"}

// swaps are the atomics whose result is used, on words that belong to one thread.
var swaps = []string{
	"add.u32", "min.s32", "max.u32", "inc.u32", "dec.u32", "and.b32", "or.b32", "xor.b32", "exch.b32", "cas.b32",
	"add.u64", "max.u64", "xor.b64", "exch.b64", "cas.b64", "add.s32", "max.s32", "min.u32", "min.s64", "and.b64",
	"or.b64", "min.u64", "max.s64",
	"add.f32", "add.f64", "add.noftz.f16x2", "cas.b16",
	"add.noftz.f16", "add.noftz.bf16", "add.noftz.bf16x2",
}

// drawnSwaps is the number of swaps that fill draws; they come first. vary replaces some by later
// ones.
const drawnSwaps = 27

// scopes are the order and scope words of atomics.
var scopes = []string{"", ".relaxed.cta", ".acquire.gpu", ".release.gpu", ".acq_rel.gpu", ".relaxed.sys"}

// fences are the fences of all scopes.
var fences = []string{
	"membar.cta;", "membar.gl;", "membar.sys;", "fence.acq_rel.cta;", "fence.acq_rel.gpu;",
	"fence.sc.gpu;",
}

// atomicGroups is the number of groups of such words of a grid.
const atomicGroups = 8
