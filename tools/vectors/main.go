// Command vectors writes the functions with which package isa computes the lanes of a warp on a
// processor with AVX2 and FMA. "go generate ./isa" runs it.
//
// A row has 32 lanes of 64 bits. A register of the processor holds four of them, so each function
// computes a row in eight steps, without a loop. Names end with the width of an operation, 32 or 64
// bits. Results of 32 bits are zero-extended; the upper bits of sources do not count.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const steps = 8

func main() {
	masks := lanesOfSteps()
	both := func(name string, sources int, f operation) {
		compute(masks, name+"32", sources, cut(f))
		compute(masks, name+"64", sources, f)
	}
	both("Add", 2, func(_ *constants, r VecVirtual, b, _ Mem) { VPADDQ(b, r, r) })
	both("Sub", 2, func(_ *constants, r VecVirtual, b, _ Mem) { VPSUBQ(b, r, r) })
	both("And", 2, func(_ *constants, r VecVirtual, b, _ Mem) { VPAND(b, r, r) })
	both("Or", 2, func(_ *constants, r VecVirtual, b, _ Mem) { VPOR(b, r, r) })
	both("Xor", 2, func(_ *constants, r VecVirtual, b, _ Mem) { VPXOR(b, r, r) })
	both("Not", 1, func(k *constants, r VecVirtual, _, _ Mem) { VPXOR(k.ones(), r, r) })
	both("Shl", 2, func(k *constants, r VecVirtual, b, _ Mem) { VPSLLVQ(amount(k, b), r, r) })
	compute(masks, "Shr32", 2, func(k *constants, r VecVirtual, b, _ Mem) {
		VPAND(k.low(), r, r)
		VPSRLVQ(amount(k, b), r, r)
	})
	compute(masks, "Shr64", 2, func(k *constants, r VecVirtual, b, _ Mem) { VPSRLVQ(amount(k, b), r, r) })
	compute(masks, "ShrSigned32", 2, cut(func(_ *constants, r VecVirtual, b, _ Mem) { VPSRAVD(b, r, r) }))

	compute(masks, "Min32", 2, cut(func(_ *constants, r VecVirtual, b, _ Mem) { VPMINUD(b, r, r) }))
	compute(masks, "Max32", 2, cut(func(_ *constants, r VecVirtual, b, _ Mem) { VPMAXUD(b, r, r) }))
	compute(masks, "MinSigned32", 2, cut(func(_ *constants, r VecVirtual, b, _ Mem) { VPMINSD(b, r, r) }))
	compute(masks, "MaxSigned32", 2, cut(func(_ *constants, r VecVirtual, b, _ Mem) { VPMAXSD(b, r, r) }))

	product := func(_ *constants, r VecVirtual, b, _ Mem) { VPMULUDQ(b, r, r) }
	signed := func(_ *constants, r VecVirtual, b, _ Mem) { VPMULDQ(b, r, r) }
	compute(masks, "Mul32", 2, cut(product))
	compute(masks, "Mad32", 3, cut(plus(product)))
	compute(masks, "MulWide", 2, product)
	compute(masks, "MadWide", 3, plus(product))
	compute(masks, "MulWideSigned", 2, signed)
	compute(masks, "MadWideSigned", 3, plus(signed))

	compute(masks, "Mov32", 1, cut(func(*constants, VecVirtual, Mem, Mem) {}))
	compute(masks, "Widen", 1, func(k *constants, r VecVirtual, _, _ Mem) { VPMULDQ(k.one(), r, r) })
	compute(masks, "FromSigned32", 1, cut(func(_ *constants, r VecVirtual, _, _ Mem) { VCVTDQ2PS(r, r) }))
	compute(masks, "FromUnsigned32", 1, fromUnsigned)

	compute(masks, "AddF32", 2, single(func(_ *constants, r VecVirtual, b, _ Mem) { VADDPS(b, r, r) }))
	compute(masks, "SubF32", 2, single(func(_ *constants, r VecVirtual, b, _ Mem) { VSUBPS(b, r, r) }))
	compute(masks, "MulF32", 2, single(func(_ *constants, r VecVirtual, b, _ Mem) { VMULPS(b, r, r) }))
	compute(masks, "FmaF32", 3, single(func(_ *constants, r VecVirtual, b, c Mem) { VFMADD213PS(c, load(b), r) }))
	compute(masks, "AddF64", 2, double(func(_ *constants, r VecVirtual, b, _ Mem) { VADDPD(b, r, r) }))
	compute(masks, "SubF64", 2, double(func(_ *constants, r VecVirtual, b, _ Mem) { VSUBPD(b, r, r) }))
	compute(masks, "MulF64", 2, double(func(_ *constants, r VecVirtual, b, _ Mem) { VMULPD(b, r, r) }))
	compute(masks, "FmaF64", 3, double(func(_ *constants, r VecVirtual, b, c Mem) { VFMADD213PD(c, load(b), r) }))
	selects(masks, "Selp32", cut)
	selects(masks, "Selp64", func(f operation) operation { return f })

	compare("Equal32", packed(func(r, b VecVirtual) { VPCMPEQD(b, r, r) }), false)
	compare("Less32", packed(func(r, b VecVirtual) {
		VPMAXUD(b, r, b)
		VPCMPEQD(b, r, r)
	}), true)
	compare("LessSigned32", packed(func(r, b VecVirtual) { VPCMPGTD(r, b, r) }), false)
	compare("Equal64", halves(func(_ *constants, r, b VecVirtual) { VPCMPEQQ(b, r, r) }), false)
	compare("Less64", halves(func(k *constants, r, b VecVirtual) {
		VPXOR(k.sign(), r, r)
		VPXOR(k.sign(), b, b)
		VPCMPGTQ(r, b, r)
	}), false)
	compare("LessSigned64", halves(func(_ *constants, r, b VecVirtual) { VPCMPGTQ(r, b, r) }), false)
	for _, c := range []struct {
		name      string
		predicate U8 // of VCMPPS
	}{{"Equal", 0}, {"Ordered", 7}, {"Less", 0x11}, {"LessEqual", 0x12}} {
		compare(c.name+"F32", packed(func(r, b VecVirtual) { VCMPPS(c.predicate, b, r, r) }), false)
		compare(c.name+"F64", halves(func(_ *constants, r, b VecVirtual) { VCMPPD(c.predicate, b, r, r) }), false)
	}
	Generate()
}

// operation computes four lanes. r holds the first source, then the result. b and c are the others.
type operation func(k *constants, r VecVirtual, b, c Mem)

// compute writes the function of f.
func compute(masks Mem, name string, sources int, f operation) {
	TEXT("vector"+name, NOSPLIT, "func(d, a, b, c *[32]uint64, mask uint32)")
	Pragma("noescape")
	var rows [3]Mem
	for i := range sources {
		rows[i].Base = Load(Param([]string{"a", "b", "c"}[i]), GP64())
	}
	k := new(constants)
	var results [steps]VecVirtual
	for i := range results {
		results[i] = load(step(rows[0], i))
		f(k, results[i], step(rows[1], i), step(rows[2], i))
	}
	store(masks, results)
}

// selects writes a function that takes a where p has a 1, and b elsewhere.
func selects(masks Mem, name string, width func(operation) operation) {
	TEXT("vector"+name, NOSPLIT, "func(d, a, b *[32]uint64, p, mask uint32)")
	Pragma("noescape")
	a, b := Mem{Base: Load(Param("a"), GP64())}, Mem{Base: Load(Param("b"), GP64())}
	p := broadcast(Load(Param("p"), GP32()))
	k := new(constants)
	var results [steps]VecVirtual
	for i := range results {
		results[i] = load(step(b, i))
		VPBLENDVB(chosen(masks, p, i), step(a, i), results[i], results[i])
		width(func(*constants, VecVirtual, Mem, Mem) {})(k, results[i], Mem{}, Mem{})
	}
	store(masks, results)
}

// store ends a function: it writes the lanes of the mask.
func store(masks Mem, results [steps]VecVirtual) {
	d := Mem{Base: Load(Param("d"), GP64())}
	m := Load(Param("mask"), GP32())
	CMPL(m, I8(-1))
	JNE(LabelRef("some"))
	for i, r := range results {
		VMOVDQU(r, step(d, i))
	}
	VZEROUPPER()
	RET()
	Label("some")
	all := broadcast(m)
	for i, r := range results {
		old := load(step(d, i))
		VPBLENDVB(chosen(masks, all, i), r, old, old)
		VMOVDQU(old, step(d, i))
	}
	VZEROUPPER()
	RET()
}

// compare writes a function with a bit for each lane of which f, or not f, holds.
func compare(name string, f func(k *constants, a, b Mem, i int) VecVirtual, not bool) {
	TEXT("vector"+name, NOSPLIT, "func(a, b *[32]uint64) uint32")
	Pragma("noescape")
	a, b := Mem{Base: Load(Param("a"), GP64())}, Mem{Base: Load(Param("b"), GP64())}
	k := new(constants)
	// Element i has lanes 8i+0, 1, 4, 5 in its lower half and 8i+2, 3, 6, 7 in the upper one.
	var eights [steps / 2]VecVirtual
	for i := range eights {
		eights[i] = f(k, a, b, i)
	}
	VPACKSSDW(eights[1], eights[0], eights[0])
	VPACKSSDW(eights[3], eights[2], eights[2])
	VPACKSSWB(eights[2], eights[0], eights[0])
	upper, lanes := XMM(), XMM()
	VEXTRACTI128(U8(1), eights[0], upper)
	VPUNPCKLWD(upper, eights[0].AsX(), lanes)
	VPUNPCKHWD(upper, eights[0].AsX(), upper)
	t, high := GP32(), GP32()
	VPMOVMSKB(lanes, t)
	VPMOVMSKB(upper, high)
	SHLL(U8(16), high)
	ORL(high, t)
	if not {
		NOTL(t)
	}
	Store(t, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// packed compares eight lanes of 32 bits.
func packed(f func(r, b VecVirtual)) func(k *constants, a, b Mem, i int) VecVirtual {
	return func(_ *constants, a, b Mem, i int) VecVirtual {
		x, y := load(step(a, 2*i)), load(step(b, 2*i))
		evens(step(a, 2*i+1), x)
		evens(step(b, 2*i+1), y)
		f(x, y)
		return x
	}
}

// halves compares twice four lanes of 64 bits.
func halves(f func(k *constants, r, b VecVirtual)) func(k *constants, a, b Mem, i int) VecVirtual {
	return func(k *constants, a, b Mem, i int) VecVirtual {
		x, y := load(step(a, 2*i)), load(step(a, 2*i+1))
		f(k, x, load(step(b, 2*i)))
		f(k, y, load(step(b, 2*i+1)))
		evens(y, x)
		return x
	}
}

// evens appends the lower halves of the lanes of y to those of x, in each half of the registers.
func evens(y Op, x VecVirtual) { VSHUFPS(U8(0x88), y, x, x) }

// cut clears the upper half of the lanes of a result.
func cut(f operation) operation {
	return func(k *constants, r VecVirtual, b, c Mem) {
		f(k, r, b, c)
		VPAND(k.low(), r, r)
	}
}

// plus adds c to a product.
func plus(f operation) operation {
	return func(k *constants, r VecVirtual, b, c Mem) {
		f(k, r, b, c)
		VPADDQ(c, r, r)
	}
}

// single and double make each NaN the canonical one.

func single(f operation) operation {
	return cut(func(k *constants, r VecVirtual, b, c Mem) {
		f(k, r, b, c)
		nan := YMM()
		VCMPPS(unordered, r, r, nan)
		VBLENDVPS(nan, k.nan32(), r, r)
	})
}

func double(f operation) operation {
	return func(k *constants, r VecVirtual, b, c Mem) {
		f(k, r, b, c)
		nan := YMM()
		VCMPPD(unordered, r, r, nan)
		VBLENDVPD(nan, k.nan64(), r, r)
	}
}

const unordered = U8(3) // the predicate of VCMPPS that holds for NaN

// fromUnsigned converts 32 bits to f32. The number is the fraction of 2^52 in f64, which holds it
// exactly, so that there is one rounding.
func fromUnsigned(k *constants, r VecVirtual, _, _ Mem) {
	VPAND(k.low(), r, r)
	VPOR(k.two52(), r, r)
	VSUBPD(k.two52(), r, r)
	x := XMM()
	VCVTPD2PSY(r, x)
	VPMOVZXDQ(x, r)
}

// amount is the amount of a shift: the lower 32 bits.
func amount(k *constants, b Mem) VecVirtual {
	n := YMM()
	VPAND(b, k.low(), n)
	return n
}

// step is the place of four lanes of a row.
func step(row Mem, i int) Mem { return row.Offset(32 * i) }

func load(m Mem) VecVirtual {
	r := YMM()
	VMOVDQU(m, r)
	return r
}

// broadcast repeats a mask in four lanes.
func broadcast(m Register) VecVirtual {
	x, y := XMM(), YMM()
	VMOVD(m, x)
	VPBROADCASTQ(x, y)
	return y
}

// lanesOfSteps is a table with the bit of each lane in a mask.
func lanesOfSteps() Mem {
	m := GLOBL("vectorLaneBits", RODATA|NOPTR)
	for lane := range 4 * steps {
		DATA(8*lane, U64(1<<lane))
	}
	return m
}

// chosen has ones in those lanes of step i that are in the broadcast mask.
func chosen(masks Mem, mask VecVirtual, i int) VecVirtual {
	y := YMM()
	VPAND(step(masks, i), mask, y)
	VPCMPEQQ(step(masks, i), y, y)
	return y
}

// constants are the registers with constants of a function. The first use loads them.
type constants struct{ loaded map[string]VecVirtual }

func (k *constants) once(name string, fill func(r VecVirtual)) VecVirtual {
	if k.loaded == nil {
		k.loaded = make(map[string]VecVirtual)
	}
	if r, ok := k.loaded[name]; ok {
		return r
	}
	r := YMM()
	fill(r)
	k.loaded[name] = r
	return r
}

func (k *constants) ones() VecVirtual {
	return k.once("ones", func(r VecVirtual) { VPCMPEQD(r, r, r) })
}

func (k *constants) low() VecVirtual {
	return k.once("low", func(r VecVirtual) {
		VPCMPEQD(r, r, r)
		VPSRLQ(U8(32), r, r)
	})
}

func (k *constants) one() VecVirtual   { return k.word(1) }
func (k *constants) sign() VecVirtual  { return k.word(1 << 63) }
func (k *constants) two52() VecVirtual { return k.word(0x4330_0000_0000_0000) }
func (k *constants) nan32() VecVirtual { return k.word(0x7FFF_FFFF_7FFF_FFFF) }
func (k *constants) nan64() VecVirtual { return k.word(0x7FF8_0000_0000_0000) }

// word holds v in each lane.
func (k *constants) word(v uint64) VecVirtual {
	name := fmt.Sprintf("vectorWord%X", v)
	return k.once(name, func(r VecVirtual) { VPBROADCASTQ(word(name, v), r) })
}

var words = make(map[string]Mem)

func word(name string, v uint64) Mem {
	m, ok := words[name]
	if !ok {
		m = ConstData(name, U64(v))
		words[name] = m
	}
	return m
}
