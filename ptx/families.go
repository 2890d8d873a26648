package ptx

import (
	"slices"
	"strings"

	"divergo/isa"
)

// family is one row of the instruction table: an opcode with the types,
// modifiers and operands that one section of the manual gives it.
type family struct {
	name    string
	ref     string // section of the PTX ISA manual, version 7.6
	op      isa.Op
	types   []typeSet // allowed types, in the order of the opcode's suffixes
	groups  []group   // modifiers; each is optional unless it says otherwise
	args    []arg
	relaxed bool                // registers may be wider than the type (section 9.4.1)
	before  string              // the modifiers that PTX ISA 1.0 to 1.3 means where a required one is missing
	check   func(*match) string // what the rest of the row cannot say; returns a complaint
}

// typeSet is a set of types, one bit each.
type typeSet uint32

func typesOf(types ...isa.Type) (s typeSet) {
	for _, t := range types {
		s |= 1 << t
	}
	return s
}

func (s typeSet) has(t isa.Type) bool { return s>>t&1 != 0 }

// list prints the types of s.
func (s typeSet) list() (words []string) {
	for t, name := range typeWords {
		if s.has(isa.Type(t)) {
			words = append(words, "."+name)
		}
	}
	return words
}

// The type sets of the table.
var (
	u32     = typesOf(isa.U32)
	s32     = typesOf(isa.S32)
	u64     = typesOf(isa.U64)
	f32     = typesOf(isa.F32)
	f64     = typesOf(isa.F64)
	b32     = typesOf(isa.B32)
	pred    = typesOf(isa.Pred)
	int16s  = typesOf(isa.U16, isa.S16)
	int32s  = typesOf(isa.U32, isa.S32)
	int64s  = typesOf(isa.U64, isa.S64)
	ints    = int16s | int32s | int64s
	ints8   = ints | typesOf(isa.U8, isa.S8)
	u16to64 = typesOf(isa.U16, isa.U32, isa.U64)
	s16to64 = typesOf(isa.S16, isa.S32, isa.S64)
	b16to64 = typesOf(isa.B16, isa.B32, isa.B64)
	b32to64 = typesOf(isa.B32, isa.B64)
	floats  = f32 | f64
	data    = ints8 | floats | b16to64 | typesOf(isa.B8)
	word16  = b16to64 | ints | floats
	size    = typesOf(isa.U32, isa.U64)
)

// role is what an operand does.
type role uint8

const (
	dst      role = iota // register that is written, or _
	dstVec               // the same, or a vector as .v2 and .v4 say
	dstPair              // predicate, or p|q
	src                  // register, special register or constant
	srcVec               // the same, or a vector
	srcPred              // predicate, !predicate or constant
	symbolic             // register or the address of a variable
	memory               // [address]
	target               // label
)

// width says which type an operand has, given that of the instruction.
type width uint8

const (
	same    width = iota // the type of the instruction
	second               // the second type
	doubled              // twice as wide for .wide
	word32               // .u32
	onePred              // .pred
)

// arg is one operand in a row.
type arg struct {
	name string
	role role
	of   width
	opt  bool // may be left out
}

// args reads the operands of a row. A word is the manual's letter of an
// operand and, behind a colon, what is unusual about it:
//
//	d p p|q [a] label       destination, predicate destination or two, address, branch target
//	a b c f                 source
//	:2 :wide :u32           has the second type, twice the width for .wide, type .u32
//	:vec :pred :sym         may be a vector, is a predicate, may be the address of a variable
//	?                       may be left out
func args(spec string) (list []arg) {
	for _, w := range strings.Fields(spec) {
		w, opt := strings.CutSuffix(w, "?")
		name, kind, _ := strings.Cut(w, ":")
		a := arg{name: name, role: src, opt: opt}
		switch name {
		case "d":
			a.role = dst
		case "p":
			a.role, a.of = dst, onePred
		case "p|q":
			a.role, a.of = dstPair, onePred
		case "[a]":
			a.role = memory
		case "label":
			a.role = target
		}
		switch kind {
		case "2":
			a.of = second
		case "wide":
			a.of = doubled
		case "u32":
			a.of = word32
		case "vec":
			a.role += dstVec - dst
		case "pred":
			a.role, a.of = srcPred, onePred
		case "sym":
			a.role = symbolic
		}
		list = append(list, a)
	}
	return list
}

func types(sets ...typeSet) []typeSet { return sets }
func mods(groups ...group) []group    { return groups }

// Comparisons that a type allows (section 9.7.5.1): equality for bits; ordered
// by sign for integers, where lo ls hi hs are for unsigned ones; floats also
// have the unordered ones.
var (
	compareBits     = required(only("eq ne", comparison))
	compareSigned   = required(only("eq ne lt le gt ge", comparison))
	compareUnsigned = required(only("eq ne lt le gt ge lo ls hi hs", comparison))
	compareFloat    = required(only("eq ne lt le gt ge equ neu ltu leu gtu geu num nan", comparison))
	anyFloat        = types(floats)
)

// table is the instruction set, a row a section of the manual, in its order.
var table = []family{
	// 9.7.1 integer arithmetic
	{name: "add", ref: "9.7.1.1", op: isa.OpAdd, types: types(s32), groups: mods(sat), args: args("d a b")},
	{name: "add", ref: "9.7.1.1", op: isa.OpAdd, types: types(ints &^ s32), args: args("d a b")},
	{name: "sub", ref: "9.7.1.2", op: isa.OpSub, types: types(s32), groups: mods(sat), args: args("d a b")},
	{name: "sub", ref: "9.7.1.2", op: isa.OpSub, types: types(ints &^ s32), args: args("d a b")},
	{name: "mul", ref: "9.7.1.3", op: isa.OpMul, types: types(int16s | int32s), groups: mods(required(half)), args: args("d:wide a b")},
	{name: "mul", ref: "9.7.1.3", op: isa.OpMul, types: types(int64s), groups: mods(required(only("lo hi", half))), args: args("d a b")},
	{name: "mad", ref: "9.7.1.4", op: isa.OpMad, types: types(s32), groups: mods(required(half), sat), args: args("d:wide a b c:wide"), check: satNeedsHi},
	{name: "mad", ref: "9.7.1.4", op: isa.OpMad, types: types(int16s | u32), groups: mods(required(half)), args: args("d:wide a b c:wide")},
	{name: "mad", ref: "9.7.1.4", op: isa.OpMad, types: types(int64s), groups: mods(required(only("lo hi", half))), args: args("d a b c")},
	{name: "mul24", ref: "9.7.1.5", op: isa.OpMul24, types: types(int32s), groups: mods(required(only("lo hi", half))), args: args("d a b")},
	{name: "mad24", ref: "9.7.1.6", op: isa.OpMad24, types: types(s32), groups: mods(required(only("lo hi", half)), sat), args: args("d a b c"), check: satNeedsHi},
	{name: "mad24", ref: "9.7.1.6", op: isa.OpMad24, types: types(u32), groups: mods(required(only("lo hi", half))), args: args("d a b c")},
	{name: "sad", ref: "9.7.1.7", op: isa.OpSad, types: types(ints), args: args("d a b c")},
	{name: "div", ref: "9.7.1.8", op: isa.OpDiv, types: types(ints), args: args("d a b")},
	{name: "rem", ref: "9.7.1.9", op: isa.OpRem, types: types(ints), args: args("d a b")},
	{name: "abs", ref: "9.7.1.10", op: isa.OpAbs, types: types(s16to64), args: args("d a")},
	{name: "neg", ref: "9.7.1.11", op: isa.OpNeg, types: types(s16to64), args: args("d a")},
	{name: "min", ref: "9.7.1.12", op: isa.OpMin, types: types(ints), args: args("d a b")},
	{name: "max", ref: "9.7.1.13", op: isa.OpMax, types: types(ints), args: args("d a b")},
	{name: "popc", ref: "9.7.1.14", op: isa.OpPopc, types: types(b32to64), args: args("d:u32 a")},
	{name: "clz", ref: "9.7.1.15", op: isa.OpClz, types: types(b32to64), args: args("d:u32 a")},
	{name: "bfind", ref: "9.7.1.16", op: isa.OpBfind, types: types(int32s | int64s), groups: mods(shiftAmt), args: args("d:u32 a")},
	{name: "brev", ref: "9.7.1.18", op: isa.OpBrev, types: types(b32to64), args: args("d a")},
	{name: "bfe", ref: "9.7.1.19", op: isa.OpBfe, types: types(int32s | int64s), args: args("d a b:u32 c:u32")},
	{name: "bfi", ref: "9.7.1.20", op: isa.OpBfi, types: types(b32to64), args: args("d a b c:u32 f:u32")},

	// 9.7.3 floating point
	{name: "testp", ref: "9.7.3.1", op: isa.OpTestp, types: anyFloat, groups: mods(required(test)), args: args("p a")},
	{name: "copysign", ref: "9.7.3.2", op: isa.OpCopysign, types: anyFloat, args: args("d a b")},
	{name: "add", ref: "9.7.3.3", op: isa.OpAdd, types: types(f32), groups: mods(defaultsTo("rn", rounding), ftz, sat), args: args("d a b")},
	{name: "add", ref: "9.7.3.3", op: isa.OpAdd, types: types(f64), groups: mods(defaultsTo("rn", rounding)), args: args("d a b")},
	{name: "sub", ref: "9.7.3.4", op: isa.OpSub, types: types(f32), groups: mods(defaultsTo("rn", rounding), ftz, sat), args: args("d a b")},
	{name: "sub", ref: "9.7.3.4", op: isa.OpSub, types: types(f64), groups: mods(defaultsTo("rn", rounding)), args: args("d a b")},
	{name: "mul", ref: "9.7.3.5", op: isa.OpMul, types: types(f32), groups: mods(defaultsTo("rn", rounding), ftz, sat), args: args("d a b")},
	{name: "mul", ref: "9.7.3.5", op: isa.OpMul, types: types(f64), groups: mods(defaultsTo("rn", rounding)), args: args("d a b")},
	{name: "fma", ref: "9.7.3.6", op: isa.OpFma, types: types(f32), groups: mods(required(rounding), ftz, sat), args: args("d a b c")},
	{name: "fma", ref: "9.7.3.6", op: isa.OpFma, types: types(f64), groups: mods(required(rounding)), args: args("d a b c")},
	{name: "mad", ref: "9.7.3.7", op: isa.OpMad, types: types(f32), groups: mods(defaultsTo("rn", rounding), ftz, sat), args: args("d a b c")},
	{name: "mad", ref: "9.7.3.7", op: isa.OpMad, types: types(f64), groups: mods(defaultsTo("rn", rounding)), args: args("d a b c")},
	{name: "div", ref: "9.7.3.8", op: isa.OpDiv, types: types(f32), groups: mods(required(precision), ftz), args: args("d a b"), before: "approx ftz"},
	{name: "div", ref: "9.7.3.8", op: isa.OpDiv, types: types(f64), groups: mods(required(rounding)), args: args("d a b"), before: "rn"},
	{name: "abs", ref: "9.7.3.9", op: isa.OpAbs, types: types(f32), groups: mods(ftz), args: args("d a")},
	{name: "abs", ref: "9.7.3.9", op: isa.OpAbs, types: types(f64), args: args("d a")},
	{name: "neg", ref: "9.7.3.10", op: isa.OpNeg, types: types(f32), groups: mods(ftz), args: args("d a")},
	{name: "neg", ref: "9.7.3.10", op: isa.OpNeg, types: types(f64), args: args("d a")},
	{name: "min", ref: "9.7.3.11", op: isa.OpMin, types: types(f32), groups: mods(ftz), args: args("d a b")},
	{name: "min", ref: "9.7.3.11", op: isa.OpMin, types: types(f64), args: args("d a b")},
	{name: "max", ref: "9.7.3.12", op: isa.OpMax, types: types(f32), groups: mods(ftz), args: args("d a b")},
	{name: "max", ref: "9.7.3.12", op: isa.OpMax, types: types(f64), args: args("d a b")},
	{name: "rcp", ref: "9.7.3.13", op: isa.OpRcp, types: types(f32), groups: mods(required(only("approx rn rz rm rp", precision)), ftz), args: args("d a"), before: "approx ftz"},
	{name: "rcp", ref: "9.7.3.13", op: isa.OpRcp, types: types(f64), groups: mods(required(rounding)), args: args("d a"), before: "rn"},
	{name: "rcp", ref: "9.7.3.14", op: isa.OpRcp, types: types(f64), groups: mods(required(approx), required(ftz)), args: args("d a")},
	{name: "sqrt", ref: "9.7.3.15", op: isa.OpSqrt, types: types(f32), groups: mods(required(only("approx rn rz rm rp", precision)), ftz), args: args("d a"), before: "approx ftz"},
	{name: "sqrt", ref: "9.7.3.15", op: isa.OpSqrt, types: types(f64), groups: mods(required(rounding)), args: args("d a"), before: "rn"},
	{name: "rsqrt", ref: "9.7.3.16", op: isa.OpRsqrt, types: types(f32), groups: mods(required(approx), ftz), args: args("d a"), before: "approx ftz"},
	{name: "rsqrt", ref: "9.7.3.16", op: isa.OpRsqrt, types: types(f64), groups: mods(required(approx)), args: args("d a"), before: "approx"},
	{name: "rsqrt", ref: "9.7.3.17", op: isa.OpRsqrt, types: types(f64), groups: mods(required(approx), required(ftz)), args: args("d a")},
	{name: "sin", ref: "9.7.3.18", op: isa.OpSin, types: types(f32), groups: mods(required(approx), ftz), args: args("d a"), before: "approx ftz"},
	{name: "cos", ref: "9.7.3.19", op: isa.OpCos, types: types(f32), groups: mods(required(approx), ftz), args: args("d a"), before: "approx ftz"},
	{name: "lg2", ref: "9.7.3.20", op: isa.OpLg2, types: types(f32), groups: mods(required(approx), ftz), args: args("d a"), before: "approx ftz"},
	{name: "ex2", ref: "9.7.3.21", op: isa.OpEx2, types: types(f32), groups: mods(required(approx), ftz), args: args("d a"), before: "approx ftz"},

	// 9.7.5 comparison and selection
	{name: "set", ref: "9.7.5.1", op: isa.OpSet, types: types(int32s|f32, b16to64), groups: mods(compareBits, boolean), args: args("d a:2 b:2 c:pred?")},
	{name: "set", ref: "9.7.5.1", op: isa.OpSet, types: types(int32s|f32, u16to64), groups: mods(compareUnsigned, boolean), args: args("d a:2 b:2 c:pred?")},
	{name: "set", ref: "9.7.5.1", op: isa.OpSet, types: types(int32s|f32, s16to64), groups: mods(compareSigned, boolean), args: args("d a:2 b:2 c:pred?")},
	{name: "set", ref: "9.7.5.1", op: isa.OpSet, types: types(int32s|f32, f32), groups: mods(compareFloat, boolean, ftz), args: args("d a:2 b:2 c:pred?")},
	{name: "set", ref: "9.7.5.1", op: isa.OpSet, types: types(int32s|f32, f64), groups: mods(compareFloat, boolean), args: args("d a:2 b:2 c:pred?")},
	{name: "setp", ref: "9.7.5.2", op: isa.OpSetp, types: types(b16to64), groups: mods(compareBits, boolean), args: args("p|q a b c:pred?")},
	{name: "setp", ref: "9.7.5.2", op: isa.OpSetp, types: types(u16to64), groups: mods(compareUnsigned, boolean), args: args("p|q a b c:pred?")},
	{name: "setp", ref: "9.7.5.2", op: isa.OpSetp, types: types(s16to64), groups: mods(compareSigned, boolean), args: args("p|q a b c:pred?")},
	{name: "setp", ref: "9.7.5.2", op: isa.OpSetp, types: types(f32), groups: mods(compareFloat, boolean, ftz), args: args("p|q a b c:pred?")},
	{name: "setp", ref: "9.7.5.2", op: isa.OpSetp, types: types(f64), groups: mods(compareFloat, boolean), args: args("p|q a b c:pred?")},
	{name: "selp", ref: "9.7.5.3", op: isa.OpSelp, types: types(word16), args: args("d a b c:pred")},
	{name: "slct", ref: "9.7.5.4", op: isa.OpSlct, types: types(word16, s32), args: args("d a b c:2")},
	{name: "slct", ref: "9.7.5.4", op: isa.OpSlct, types: types(word16, f32), groups: mods(ftz), args: args("d a b c:2")},

	// 9.7.7 logic and shifts
	{name: "and", ref: "9.7.7.1", op: isa.OpAnd, types: types(b16to64 | pred), args: args("d a b")},
	{name: "or", ref: "9.7.7.2", op: isa.OpOr, types: types(b16to64 | pred), args: args("d a b")},
	{name: "xor", ref: "9.7.7.3", op: isa.OpXor, types: types(b16to64 | pred), args: args("d a b")},
	{name: "not", ref: "9.7.7.4", op: isa.OpNot, types: types(b16to64 | pred), args: args("d a")},
	{name: "cnot", ref: "9.7.7.5", op: isa.OpCnot, types: types(b16to64), args: args("d a")},
	{name: "shf", ref: "9.7.7.7", op: isa.OpShf, types: types(b32), groups: mods(required(direction), required(overshift)), args: args("d a b c:u32")},
	{name: "shl", ref: "9.7.7.8", op: isa.OpShl, types: types(b16to64), args: args("d a b:u32")},
	{name: "shr", ref: "9.7.7.9", op: isa.OpShr, types: types(b16to64 | ints), args: args("d a b:u32")},

	// 9.7.8 data movement
	{name: "mov", ref: "9.7.8.3", op: isa.OpMov, types: types(word16 | pred), args: args("d a")}, // vectors and addresses: see lower.go
	{name: "prmt", ref: "9.7.8.7", op: isa.OpPrmt, types: types(b32), groups: mods(permute), args: args("d a b c")},
	{name: "ld", ref: "9.7.8.8", op: isa.OpLd, types: types(data), groups: mods(loadOrder, threads, stateSpace, nc, loadCache, evictL1, evictL2, prefetchL2, elements), args: args("d:vec [a]"), relaxed: true, check: checkLoad},
	{name: "ldu", ref: "9.7.8.10", op: isa.OpLd, types: types(data), groups: mods(only("global", stateSpace), elements), args: args("d:vec [a]"), relaxed: true, check: checkLdu},
	{name: "st", ref: "9.7.8.11", op: isa.OpSt, types: types(data), groups: mods(storeOrder, threads, stateSpace, storeCache, evictL1, evictL2, elements), args: args("[a] b:vec"), relaxed: true, check: checkStore},
	{name: "prefetch", ref: "9.7.8.12", op: isa.OpNop, groups: mods(only("global local", stateSpace), required(prefetchTo)), args: args("[a]"), check: checkPrefetch},
	{name: "prefetchu", ref: "9.7.8.12", op: isa.OpNop, groups: mods(required(only("L1", prefetchTo))), args: args("[a]"), check: checkPrefetch},
	{name: "isspacep", ref: "9.7.8.16", op: isa.OpIsspacep, groups: mods(required(only("global shared local param shared::cta param::entry", stateSpace))), args: args("p a:sym")},
	{name: "cvta", ref: "9.7.8.17", op: isa.OpCvta, types: types(size), groups: mods(to, required(stateSpace)), args: args("d a:sym")},
	{name: "cvt", ref: "9.7.8.18", op: isa.OpCvt, types: types(ints8, ints8), groups: mods(sat), args: args("d a:2"), relaxed: true},
	{name: "cvt", ref: "9.7.8.18", op: isa.OpCvt, types: types(ints8, f32), groups: mods(required(integerRounding), ftz, sat), args: args("d a:2"), relaxed: true},
	{name: "cvt", ref: "9.7.8.18", op: isa.OpCvt, types: types(ints8, f64), groups: mods(required(integerRounding), sat), args: args("d a:2"), relaxed: true},
	{name: "cvt", ref: "9.7.8.18", op: isa.OpCvt, types: types(f32, ints8), groups: mods(required(rounding), ftz, sat), args: args("d a:2"), relaxed: true},
	{name: "cvt", ref: "9.7.8.18", op: isa.OpCvt, types: types(f64, ints8), groups: mods(required(rounding), sat), args: args("d a:2"), relaxed: true},
	{name: "cvt", ref: "9.7.8.18", op: isa.OpCvt, types: types(f32, f64), groups: mods(required(rounding), ftz, sat), args: args("d a:2"), relaxed: true},
	{name: "cvt", ref: "9.7.8.18", op: isa.OpCvt, types: types(f64, f32), groups: mods(ftz, sat), args: args("d a:2"), relaxed: true},
	{name: "cvt", ref: "9.7.8.18", op: isa.OpCvt, types: types(f32, f32), groups: mods(integerRounding, ftz, sat), args: args("d a:2"), relaxed: true},
	{name: "cvt", ref: "9.7.8.18", op: isa.OpCvt, types: types(f64, f64), groups: mods(integerRounding, sat), args: args("d a:2"), relaxed: true},

	// 9.7.11 control flow
	{name: "bra", ref: "9.7.11.3", op: isa.OpBra, groups: mods(uni), args: args("label")},
	{name: "ret", ref: "9.7.11.6", op: isa.OpRet, groups: mods(uni)},
	{name: "exit", ref: "9.7.11.7", op: isa.OpExit},

	// 9.7.12 synchronization
	{name: "bar", ref: "9.7.12.1", op: isa.OpBar, groups: mods(cta, required(barrierKind)), args: args("a:u32 b:u32?")},
	{name: "barrier", ref: "9.7.12.1", op: isa.OpBar, groups: mods(cta, required(barrierKind), aligned), args: args("a:u32 b:u32?")},
	{name: "membar", ref: "9.7.12.3", op: isa.OpMembar, groups: mods(required(membarLevel))},
	{name: "fence", ref: "9.7.12.3", op: isa.OpMembar, groups: mods(fenceOrder, required(fenceScope))},
	{name: "atom", ref: "9.7.12.4", op: isa.OpAtom, types: types(int32s | u64 | floats), groups: atomic("add"), args: args("d [a] b"), check: checkAtomic},
	{name: "atom", ref: "9.7.12.4", op: isa.OpAtom, types: types(u32), groups: atomic("inc dec"), args: args("d [a] b"), check: checkAtomic},
	{name: "atom", ref: "9.7.12.4", op: isa.OpAtom, types: types(int32s | int64s), groups: atomic("min max"), args: args("d [a] b"), check: checkAtomic},
	{name: "atom", ref: "9.7.12.4", op: isa.OpAtom, types: types(b32to64), groups: atomic("and or xor exch"), args: args("d [a] b"), check: checkAtomic},
	{name: "atom", ref: "9.7.12.4", op: isa.OpAtom, types: types(b32to64), groups: atomic("cas"), args: args("d [a] b c"), check: checkAtomic},
	{name: "red", ref: "9.7.12.5", op: isa.OpRed, types: types(int32s | u64 | floats), groups: atomic("add"), args: args("[a] b"), check: checkAtomic},
	{name: "red", ref: "9.7.12.5", op: isa.OpRed, types: types(u32), groups: atomic("inc dec"), args: args("[a] b"), check: checkAtomic},
	{name: "red", ref: "9.7.12.5", op: isa.OpRed, types: types(int32s | int64s), groups: atomic("min max"), args: args("[a] b"), check: checkAtomic},
	{name: "red", ref: "9.7.12.5", op: isa.OpRed, types: types(b32to64), groups: atomic("and or xor"), args: args("[a] b"), check: checkAtomic},

	// 9.7.18 miscellaneous. Without a debugger brkpt ends the kernel as trap
	// does; nanosleep may return at once.
	{name: "brkpt", ref: "9.7.18.1", op: isa.OpTrap},
	{name: "nanosleep", ref: "9.7.18.2", op: isa.OpNop, types: types(u32), args: args("a")},
	{name: "pmevent", ref: "9.7.18.3", op: isa.OpNop, groups: mods(mask), args: args("a:u32")},
	{name: "trap", ref: "9.7.18.4", op: isa.OpTrap},
}

// atomic are the modifiers of the given operations of atom and red.
func atomic(ops string) []group {
	return mods(required(only(ops, atomics)), atomicOrder, threads, stateSpace)
}

// families is the table by opcode.
var families = func() map[string][]*family {
	m := map[string][]*family{}
	for i := range table {
		f := &table[i]
		m[f.name] = append(m[f.name], f)
	}
	return m
}()

// takesNothing tells whether an opcode has no operands.
func takesNothing(name string) bool { return len(families[name][0].args) == 0 }

// opcodes lists all opcodes, for suggestions.
var opcodes = func() (names []string) {
	for name := range families {
		names = append(names, name)
	}
	for name := range unsupported {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

func satNeedsHi(m *match) string {
	if m.Flags&isa.FlagSat != 0 && m.Mode != isa.ModeHi {
		return "modifier .sat goes with .hi only"
	}
	return ""
}

// checkVector: .v4 of 64 bits would be wider than the 16 bytes of an access.
func checkVector(m *match) string {
	if int(m.Vec)*m.Type.Bytes() > 16 {
		return "a vector has at most 128 bits"
	}
	return ""
}

func checkOrder(m *match) string {
	if m.order && !m.scope {
		return "a memory order wants a scope: .cta, .gpu or .sys"
	}
	return ""
}

func genericUnlessNamed(m *match) {
	if m.Space == isa.SpaceNone {
		m.Space = isa.SpaceGeneric
	}
	m.Vec = max(m.Vec, 1)
}

func checkLoad(m *match) string {
	genericUnlessNamed(m)
	if m.nc && m.Space != isa.SpaceGlobal {
		return "modifier .nc goes with .global only"
	}
	return checkVector(m) + checkOrder(m)
}

func checkLdu(m *match) string {
	genericUnlessNamed(m)
	m.Flags |= isa.FlagLdu
	return checkVector(m)
}

func checkStore(m *match) string {
	genericUnlessNamed(m)
	if m.Space == isa.SpaceConst || m.Space == isa.SpaceParam {
		return "st cannot write " + spaceName(m.Space) + ": the space is read-only"
	}
	return checkVector(m) + checkOrder(m)
}

func checkAtomic(m *match) string {
	genericUnlessNamed(m)
	m.Vec = 0
	switch m.Space {
	case isa.SpaceConst, isa.SpaceParam:
		return "an atomic cannot change " + spaceName(m.Space) + ": the space is read-only"
	case isa.SpaceLocal:
		return "atomics work on .global and .shared memory only"
	}
	return ""
}

func checkPrefetch(m *match) string {
	genericUnlessNamed(m)
	m.Vec = 0
	return ""
}
