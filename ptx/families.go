package ptx

import (
	"maps"
	"slices"
	"strings"

	"divergo/isa"
)

// family is one row of the instruction table: an opcode with the types, modifiers and operands of
// one section of the manual.
type family struct {
	name   string
	ref    string // section of the PTX ISA manual, version 7.6
	op     isa.Op
	args   []arg
	types  []typeSet // allowed types, in the order of the opcode's suffixes
	groups []group   // modifiers; each is optional unless its group requires one
	wider  bool      // registers may be wider than the type (section 9.4.1)
	// before lists the modifiers that PTX ISA 1.0 to 1.3 assumes for a missing required one.
	before string
	check  func(*match) string // further conditions of the row; returns a complaint

	fetches bool // reads or writes a texture or surface; see texture.go
}

// row makes a row of the table: opcode, section of the manual, operands in the
// notation of parseArgs, types and modifiers.
func row(name, ref string, op isa.Op, operands string, types []typeSet, groups ...group) *family {
	return &family{name: name, ref: ref, op: op, args: parseArgs(operands), types: types, groups: groups}
}

func (f *family) widening() *family { f.wider = true; return f }

func (f *family) before14(words string) *family { f.before = words; return f }

func (f *family) where(check func(*match) string) *family { f.check = check; return f }

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
	u32       = typesOf(isa.U32)
	s32       = typesOf(isa.S32)
	u64       = typesOf(isa.U64)
	f32       = typesOf(isa.F32)
	f64       = typesOf(isa.F64)
	f32x2     = typesOf(isa.F32x2)
	b32       = typesOf(isa.B32)
	pred      = typesOf(isa.Pred)
	int16s    = typesOf(isa.U16, isa.S16)
	int32s    = typesOf(isa.U32, isa.S32)
	int64s    = typesOf(isa.U64, isa.S64)
	ints      = int16s | int32s | int64s
	ints8     = ints | typesOf(isa.U8, isa.S8)
	u16to64   = typesOf(isa.U16, isa.U32, isa.U64)
	s16to64   = typesOf(isa.S16, isa.S32, isa.S64)
	b16to64   = typesOf(isa.B16, isa.B32, isa.B64)
	b32to64   = typesOf(isa.B32, isa.B64)
	floats    = f32 | f64
	data      = ints8 | floats | b16to64 | typesOf(isa.B8)
	any16to64 = b16to64 | ints | floats
	size      = typesOf(isa.U32, isa.U64)
)

// role is the use of an operand.
type role uint8

const (
	dst      role = iota // register that is written, or _
	dstVec               // the same, or a vector as .v2 and .v4 say
	dstPair              // predicate, or p|q
	dstPred              // register, or d|p with a predicate
	src                  // register, special register or constant
	srcVec               // the same, or a vector
	srcPred              // predicate, !predicate or constant
	symbolic             // register or the address of a variable
	memory               // [address]
	target               // label
)

// width is the type of an operand relative to that of the instruction.
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
	opt  bool // it may be left out
}

// parseArgs reads the operands of a row. A word is the manual's letter of an operand, followed by
// its special properties:
//
//	d p p|q d|p [a] label   destination, predicate destination or two, both, address, branch target
//	a b c f membermask      source
//	:2 :wide :u32           has the second type, twice the width for .wide, type .u32
//	:vec :pred :sym         may be a vector, is a predicate, may be the address of a variable
//	?                       may be left out
func parseArgs(spec string) (list []arg) {
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
		case "d|p":
			a.role = dstPred
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

var none []typeSet

// Comparisons that a type allows (section 9.7.5.1). Bits allow equality; integers are ordered by
// sign, with lo ls hi hs for unsigned ones. Floats also have the unordered comparisons.
var (
	compareBits     = required(only("eq ne", comparison))
	compareSigned   = required(only("eq ne lt le gt ge", comparison))
	compareUnsigned = required(only("eq ne lt le gt ge lo ls hi hs", comparison))
	compareFloat    = required(only("eq ne lt le gt ge equ neu ltu leu gtu geu num nan", comparison))
)

// table is the instruction set, one row per section of the manual. Seldom used instructions have
// their own files: added.go, video.go, half.go, matrix.go, wmma.go, copy.go and texture.go.
var table = slices.Concat(basic, added, video, halves, matrices, wmmas, copies, textures)

var basic = []*family{
	// 9.7.1 integer arithmetic
	row("add", "9.7.1.1", isa.OpAdd, "d a b", types(s32), sat),
	row("add", "9.7.1.1", isa.OpAdd, "d a b", types(ints&^s32)),
	row("sub", "9.7.1.2", isa.OpSub, "d a b", types(s32), sat),
	row("sub", "9.7.1.2", isa.OpSub, "d a b", types(ints&^s32)),
	row("mul", "9.7.1.3", isa.OpMul, "d:wide a b", types(int16s|int32s), required(half)),
	row("mul", "9.7.1.3", isa.OpMul, "d a b", types(int64s), required(only("lo hi", half))),
	row("mad", "9.7.1.4", isa.OpMad, "d:wide a b c:wide", types(s32), required(half), sat).where(satNeedsHi),
	row("mad", "9.7.1.4", isa.OpMad, "d:wide a b c:wide", types(int16s|u32), required(half)),
	row("mad", "9.7.1.4", isa.OpMad, "d a b c", types(int64s), required(only("lo hi", half))),
	row("mul24", "9.7.1.5", isa.OpMul24, "d a b", types(int32s), required(only("lo hi", half))),
	row("mad24", "9.7.1.6", isa.OpMad24, "d a b c", types(s32), required(only("lo hi", half)), sat).where(satNeedsHi),
	row("mad24", "9.7.1.6", isa.OpMad24, "d a b c", types(u32), required(only("lo hi", half))),
	row("sad", "9.7.1.7", isa.OpSad, "d a b c", types(ints)),
	row("div", "9.7.1.8", isa.OpDiv, "d a b", types(ints)),
	row("rem", "9.7.1.9", isa.OpRem, "d a b", types(ints)),
	row("abs", "9.7.1.10", isa.OpAbs, "d a", types(s16to64)),
	row("neg", "9.7.1.11", isa.OpNeg, "d a", types(s16to64)),
	row("min", "9.7.1.12", isa.OpMin, "d a b", types(ints)),
	row("max", "9.7.1.13", isa.OpMax, "d a b", types(ints)),
	row("popc", "9.7.1.14", isa.OpPopc, "d:u32 a", types(b32to64)),
	row("clz", "9.7.1.15", isa.OpClz, "d:u32 a", types(b32to64)),
	row("bfind", "9.7.1.16", isa.OpBfind, "d:u32 a", types(int32s|int64s), shiftAmt),
	row("brev", "9.7.1.18", isa.OpBrev, "d a", types(b32to64)),
	row("bfe", "9.7.1.19", isa.OpBfe, "d a b:u32 c:u32", types(int32s|int64s)),
	row("bfi", "9.7.1.20", isa.OpBfi, "d a b c:u32 f:u32", types(b32to64)),

	// 9.7.2 extended precision
	row("add", "9.7.2.1", isa.OpAddC, "d a b", types(int32s|int64s), required(cc)),
	row("addc", "9.7.2.2", isa.OpAddC, "d a b", types(int32s|int64s), cc),
	row("sub", "9.7.2.3", isa.OpSubC, "d a b", types(int32s|int64s), required(cc)),
	row("subc", "9.7.2.4", isa.OpSubC, "d a b", types(int32s|int64s), cc),
	row("mad", "9.7.2.5", isa.OpMadC, "d a b c", types(int32s|int64s), required(only("lo hi", half)), required(cc)),
	row("madc", "9.7.2.6", isa.OpMadC, "d a b c", types(int32s|int64s), required(only("lo hi", half)), cc),

	// 9.7.3 floating point
	row("testp", "9.7.3.1", isa.OpTestp, "p a", types(floats), required(test)),
	row("copysign", "9.7.3.2", isa.OpCopysign, "d a b", types(floats)),
	row("add", "9.7.3.3", isa.OpAdd, "d a b", types(f32), defaultsTo("rn", rounding), ftz, sat),
	row("add", "9.7.3.3", isa.OpAdd, "d a b", types(f32x2), defaultsTo("rn", rounding), ftz),
	row("add", "9.7.3.3", isa.OpAdd, "d a b", types(f64), defaultsTo("rn", rounding)),
	row("sub", "9.7.3.4", isa.OpSub, "d a b", types(f32), defaultsTo("rn", rounding), ftz, sat),
	row("sub", "9.7.3.4", isa.OpSub, "d a b", types(f32x2), defaultsTo("rn", rounding), ftz),
	row("sub", "9.7.3.4", isa.OpSub, "d a b", types(f64), defaultsTo("rn", rounding)),
	row("mul", "9.7.3.5", isa.OpMul, "d a b", types(f32), defaultsTo("rn", rounding), ftz, sat),
	row("mul", "9.7.3.5", isa.OpMul, "d a b", types(f32x2), defaultsTo("rn", rounding), ftz),
	row("mul", "9.7.3.5", isa.OpMul, "d a b", types(f64), defaultsTo("rn", rounding)),
	row("fma", "9.7.3.6", isa.OpFma, "d a b c", types(f32), required(rounding), ftz, sat),
	row("fma", "9.7.3.6", isa.OpFma, "d a b c", types(f32x2), required(rounding), ftz),
	row("fma", "9.7.3.6", isa.OpFma, "d a b c", types(f64), required(rounding)),
	row("mad", "9.7.3.7", isa.OpMad, "d a b c", types(f32), defaultsTo("rn", rounding), ftz, sat),
	row("mad", "9.7.3.7", isa.OpMad, "d a b c", types(f64), defaultsTo("rn", rounding)),
	row("div", "9.7.3.8", isa.OpDiv, "d a b", types(f32), required(precision), ftz).before14("approx ftz"),
	row("div", "9.7.3.8", isa.OpDiv, "d a b", types(f64), required(rounding)).before14("rn"),
	row("abs", "9.7.3.9", isa.OpAbs, "d a", types(f32), ftz),
	row("abs", "9.7.3.9", isa.OpAbs, "d a", types(f64)),
	row("neg", "9.7.3.10", isa.OpNeg, "d a", types(f32), ftz),
	row("neg", "9.7.3.10", isa.OpNeg, "d a", types(f64)),
	row("min", "9.7.3.11", isa.OpMin, "d a b", types(f32), ftz, nan, xorsign),
	row("min", "9.7.3.11", isa.OpMin, "d a b", types(f64)),
	row("max", "9.7.3.12", isa.OpMax, "d a b", types(f32), ftz, nan, xorsign),
	row("max", "9.7.3.12", isa.OpMax, "d a b", types(f64)),
	row("rcp", "9.7.3.13", isa.OpRcp, "d a", types(f32), required(only("approx rn rz rm rp", precision)),
		ftz).before14("approx ftz"),
	row("rcp", "9.7.3.13", isa.OpRcp, "d a", types(f64), required(rounding)).before14("rn"),
	row("rcp", "9.7.3.14", isa.OpRcp, "d a", types(f64), required(approx), required(ftz)),
	row("sqrt", "9.7.3.15", isa.OpSqrt, "d a", types(f32), required(only("approx rn rz rm rp", precision)),
		ftz).before14("approx ftz"),
	row("sqrt", "9.7.3.15", isa.OpSqrt, "d a", types(f64), required(rounding)).before14("rn"),
	row("rsqrt", "9.7.3.16", isa.OpRsqrt, "d a", types(f32), required(approx), ftz).before14("approx ftz"),
	row("rsqrt", "9.7.3.16", isa.OpRsqrt, "d a", types(f64), required(approx)).before14("approx"),
	row("rsqrt", "9.7.3.17", isa.OpRsqrt, "d a", types(f64), required(approx), required(ftz)),
	row("sin", "9.7.3.18", isa.OpSin, "d a", types(f32), required(approx), ftz).before14("approx ftz"),
	row("cos", "9.7.3.19", isa.OpCos, "d a", types(f32), required(approx), ftz).before14("approx ftz"),
	row("lg2", "9.7.3.20", isa.OpLg2, "d a", types(f32), required(approx), ftz).before14("approx ftz"),
	row("ex2", "9.7.3.21", isa.OpEx2, "d a", types(f32), required(approx), ftz).before14("approx ftz"),

	// 9.7.5 comparison and selection
	row("set", "9.7.5.1", isa.OpSet, "d a:2 b:2 c:pred?", types(int32s|f32, b16to64), compareBits, boolean),
	row("set", "9.7.5.1", isa.OpSet, "d a:2 b:2 c:pred?", types(int32s|f32, u16to64), compareUnsigned, boolean),
	row("set", "9.7.5.1", isa.OpSet, "d a:2 b:2 c:pred?", types(int32s|f32, s16to64), compareSigned, boolean),
	row("set", "9.7.5.1", isa.OpSet, "d a:2 b:2 c:pred?", types(int32s|f32, f32), compareFloat, boolean, ftz),
	row("set", "9.7.5.1", isa.OpSet, "d a:2 b:2 c:pred?", types(int32s|f32, f64), compareFloat, boolean),
	row("setp", "9.7.5.2", isa.OpSetp, "p|q a b c:pred?", types(b16to64), compareBits, boolean),
	row("setp", "9.7.5.2", isa.OpSetp, "p|q a b c:pred?", types(u16to64), compareUnsigned, boolean),
	row("setp", "9.7.5.2", isa.OpSetp, "p|q a b c:pred?", types(s16to64), compareSigned, boolean),
	row("setp", "9.7.5.2", isa.OpSetp, "p|q a b c:pred?", types(f32), compareFloat, boolean, ftz),
	row("setp", "9.7.5.2", isa.OpSetp, "p|q a b c:pred?", types(f64), compareFloat, boolean),
	row("selp", "9.7.5.3", isa.OpSelp, "d a b c:pred", types(any16to64)),
	row("slct", "9.7.5.4", isa.OpSlct, "d a b c:2", types(any16to64, s32)),
	row("slct", "9.7.5.4", isa.OpSlct, "d a b c:2", types(any16to64, f32), ftz),

	// 9.7.7 logic and shifts
	row("and", "9.7.7.1", isa.OpAnd, "d a b", types(b16to64|pred)),
	row("or", "9.7.7.2", isa.OpOr, "d a b", types(b16to64|pred)),
	row("xor", "9.7.7.3", isa.OpXor, "d a b", types(b16to64|pred)),
	row("not", "9.7.7.4", isa.OpNot, "d a", types(b16to64|pred)),
	row("cnot", "9.7.7.5", isa.OpCnot, "d a", types(b16to64)),
	row("shf", "9.7.7.7", isa.OpShf, "d a b c:u32", types(b32), required(direction), required(overshift)),
	row("shl", "9.7.7.8", isa.OpShl, "d a b:u32", types(b16to64)),
	row("shr", "9.7.7.9", isa.OpShr, "d a b:u32", types(b16to64|ints)),

	// 9.7.8 data movement
	row("mov", "9.7.8.3", isa.OpMov, "d a", types(any16to64|pred)), // packed vectors and addresses: see operands.go
	row("mov", "9.7.8.3", isa.OpMovVec, "d:vec a:vec", types(any16to64), required(elements)),
	row("shfl", "9.7.8.5", isa.OpShfl, "d|p a b:u32 c:u32", types(b32), required(shuffle)),
	row("shfl", "9.7.8.6", isa.OpShfl, "d|p a b:u32 c:u32 membermask:u32", types(b32), required(synced),
		required(shuffle)),
	row("prmt", "9.7.8.7", isa.OpPrmt, "d a b c", types(b32), permute),
	row("ld", "9.7.8.8", isa.OpLd, "d:vec [a]", types(data), loadOrder, threads, stateSpace, nc, loadCache, evictL1,
		evictL2, prefetchL2, moreElements, herded).widening().where(checkLoad),
	row("ldu", "9.7.8.10", isa.OpLd, "d:vec [a]", types(data), only("global", stateSpace), elements,
		herded).widening().where(checkLdu),
	row("st", "9.7.8.11", isa.OpSt, "[a] b:vec", types(data), storeOrder, threads, stateSpace, storeCache, evictL1,
		evictL2, moreElements).widening().where(checkStore),
	row("prefetch", "9.7.8.12", isa.OpNop, "[a]", none, only("global local", stateSpace), required(prefetchTo)),
	row("prefetchu", "9.7.8.12", isa.OpNop, "[a]", none, required(only("L1", prefetchTo))),
	row("isspacep", "9.7.8.16", isa.OpIsspacep, "p a:sym", none,
		required(only("global shared local const param shared::cta param::entry", stateSpace))),
	row("cvta", "9.7.8.17", isa.OpCvta, "d a:sym", types(size), to, required(stateSpace)),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(ints8, ints8), sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(ints8, f32), required(integerRounding), ftz, sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(ints8, f64), required(integerRounding), sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f32, ints8), required(rounding), ftz, sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f64, ints8), required(rounding), sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f32, f64), required(rounding), ftz, sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f64, f32), ftz, sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f32, f32), integerRounding, ftz, sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f64, f64), integerRounding, sat).widening(),

	// 9.7.11 control flow
	row("bra", "9.7.11.3", isa.OpBra, "label", none, lockstep),                         // .hrd: see isa.Herding
	row("brx", "9.7.11.4", isa.OpBra, "index:u32 tlist", none, required(indexed), uni), // operands: see brx.go
	row("call", "9.7.11.5", isa.OpCall, "", none, uni),                                 // operands: see call.go
	row("ret", "9.7.11.6", isa.OpRet, "", none, uni),
	row("exit", "9.7.11.7", isa.OpExit, "", none),

	// 9.7.12 synchronization
	row("bar", "9.7.12.1", isa.OpBar, "a:u32 b:u32?", none, cta, required(barrierKind)),
	row("barrier", "9.7.12.1", isa.OpBar, "a:u32 b:u32?", none, cta, required(barrierKind), aligned),
	row("bar", "9.7.12.1", isa.OpBar, "d a:u32 b:u32? c:pred", types(u32), cta, required(reduction),
		required(only("popc", reduced))),
	row("bar", "9.7.12.1", isa.OpBar, "d a:u32 b:u32? c:pred", types(pred), cta, required(reduction),
		required(only("and or", reduced))),
	row("barrier", "9.7.12.1", isa.OpBar, "d a:u32 b:u32? c:pred", types(u32), cta, required(reduction),
		required(only("popc", reduced)), aligned),
	row("barrier", "9.7.12.1", isa.OpBar, "d a:u32 b:u32? c:pred", types(pred), cta, required(reduction),
		required(only("and or", reduced)), aligned),
	row("bar", "9.7.12.2", isa.OpBarWarp, "membermask:u32", none, required(warpWide), required(synced)),
	row("membar", "9.7.12.3", isa.OpMembar, "", none, required(membarLevel)),
	row("fence", "9.7.12.3", isa.OpMembar, "", none, fenceOrder, required(fenceScope)),
	row("atom", "9.7.12.4", isa.OpAtom, "d [a] b", types(int32s|u64|floats), atomic("add")...).where(checkAtomic),
	row("atom", "9.7.12.4", isa.OpAtom, "d [a] b", types(u32), atomic("inc dec")...).where(checkAtomic),
	row("atom", "9.7.12.4", isa.OpAtom, "d [a] b", types(int32s|int64s), atomic("min max")...).where(checkAtomic),
	row("atom", "9.7.12.4", isa.OpAtom, "d [a] b", types(b32to64), atomic("and or xor exch")...).where(checkAtomic),
	row("atom", "9.7.12.4", isa.OpAtom, "d [a] b c", types(b16to64), atomic("cas")...).where(checkAtomic),
	row("red", "9.7.12.5", isa.OpRed, "[a] b", types(int32s|u64|floats), atomic("add")...).where(checkAtomic),
	row("red", "9.7.12.5", isa.OpRed, "[a] b", types(u32), atomic("inc dec")...).where(checkAtomic),
	row("red", "9.7.12.5", isa.OpRed, "[a] b", types(int32s|int64s), atomic("min max")...).where(checkAtomic),
	row("red", "9.7.12.5", isa.OpRed, "[a] b", types(b32to64), atomic("and or xor")...).where(checkAtomic),
	row("vote", "9.7.12.6", isa.OpVote, "d a:pred", types(pred), required(only("all any uni", votes))),
	row("vote", "9.7.12.6", isa.OpVote, "d a:pred", types(b32), required(only("ballot", votes))),
	row("vote", "9.7.12.7", isa.OpVote, "d a:pred membermask:u32", types(pred), required(synced),
		required(only("all any uni", votes))),
	row("vote", "9.7.12.7", isa.OpVote, "d a:pred membermask:u32", types(b32), required(synced),
		required(only("ballot", votes))),
	row("match", "9.7.12.8", isa.OpMatch, "d:u32 a membermask:u32", types(b32to64), required(only("any", votes)),
		required(synced)),
	row("match", "9.7.12.8", isa.OpMatch, "d|p:u32 a membermask:u32", types(b32to64), required(only("all", votes)),
		required(synced)),
	row("activemask", "9.7.12.9", isa.OpActivemask, "d", types(b32)),
	row("redux", "9.7.12.10", isa.OpRedux, "d a membermask:u32", types(int32s), required(synced),
		required(only("add min max", atomics))),
	row("redux", "9.7.12.10", isa.OpRedux, "d a membermask:u32", types(b32), required(synced),
		required(only("and or xor", atomics))),
	row("elect", "9.7.13.14 of 8.5", isa.OpElect, "d|p:u32 membermask:u32", none,
		required(synced)).where(func(m *match) string { m.Type = isa.B32; return "" }),
	row("griddepcontrol", "9.7.13.13 of 8.5", isa.OpNop, "", none, required(dependency)),

	// 9.7.18 miscellaneous; nanosleep may return at once.
	row("nanosleep", "9.7.18.2", isa.OpNop, "a", types(u32)),
	row("pmevent", "9.7.18.3", isa.OpNop, "a:u32", none, mask),
	row("trap", "9.7.18.4", isa.OpTrap, "", none),
}

// atomic are the modifiers of the given operations of atom and red.
func atomic(ops string) []group {
	return []group{required(only(ops, atomics)), atomicOrder, threads, stateSpace}
}

// families is the table by opcode.
var families = func() map[string][]*family {
	m := map[string][]*family{}
	for _, f := range table {
		m[f.name] = append(m[f.name], f)
	}
	return m
}()

// takesNothing reports whether an opcode has no operands.
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

// Opcodes lists the supported opcodes, in order.
func Opcodes() []string { return slices.Sorted(maps.Keys(families)) }

func satNeedsHi(m *match) string {
	if m.Flags&isa.FlagSat != 0 && m.Mode != isa.ModeHi {
		return "modifier .sat goes with .hi only"
	}
	return ""
}

// checkVector checks the size of an access: 16 bytes. One of 32 bytes in the .global space becomes
// two (PTX ISA 8.8, ld and st).
func checkVector(m *match) string {
	bytes := int(m.Vec) * m.Type.Bytes()
	switch {
	case m.Vec == 8 && m.Type.Bytes() != 4:
		return "a vector of 8 has elements of 32 bits"
	case bytes > 16 && m.Space != isa.SpaceGlobal:
		return "a vector has at most 128 bits outside of .global"
	case bytes > 16 && m.Flags&isa.FlagHerd != 0:
		return "a vector of 256 bits cannot be herded"
	case bytes > 16:
		m.Flags |= isa.FlagPair
	}
	return ""
}

func checkOrder(m *match) string {
	if m.order && !m.scope {
		return "a memory order wants a scope: .cta, .gpu or .sys"
	}
	return ""
}

func checkLoad(m *match) string {
	if m.Flags&isa.FlagNC != 0 && m.Space != isa.SpaceGlobal {
		return "modifier .nc goes with .global only"
	}
	return checkVector(m) + checkOrder(m)
}

func checkLdu(m *match) string {
	m.Flags |= isa.FlagLdu
	if int(m.Vec)*m.Type.Bytes() > 16 {
		return "a vector has at most 128 bits"
	}
	return ""
}

func checkStore(m *match) string {
	if m.Space == isa.SpaceConst {
		return "st cannot write " + spaceName(m.Space) + ": the space is read-only"
	}
	return checkVector(m) + checkOrder(m)
}

func checkAtomic(m *match) string {
	switch m.Space {
	case isa.SpaceConst, isa.SpaceParam:
		return "an atomic cannot change " + spaceName(m.Space) + ": the space is read-only"
	case isa.SpaceLocal:
		return "atomics work on .global and .shared memory only"
	}
	return ""
}
