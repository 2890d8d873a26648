package draw

import (
	"fmt"
	"slices"
	"strings"
)

// Special values are operands at the edges of their types. Each class of types has a list of them, in
// pairs of values that operations may confuse. Half of the statements have special operands of one pair, or
// of two, by bits of the number of the thread, so that the threads of a warp have all combinations of two
// operands. In the others each thread has values of its own, from the whole list.

// class is a class of types with a table of special values.
type class int

const (
	classInteger class = iota
	classHalf
	classSingle
	classDouble
	numClasses
)

// specialValues are the special values of each class, in 64 bits: the most frequent pairs first. An
// operand of fewer bits takes the lower ones.
var specialValues = [numClasses][SpecialCount]uint64{
	classInteger: {
		0, 0xFFFF_FFFF_FFFF_FFFF, 1 << 63, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF, 31, 32,
		1, 2, 63, 64, 1<<63 + 1, 0x7FFF_FFFF_FFFF_FFFE, 0xFFFF_FFFF_8000_0000, 0xFFFF_FFFF_7FFF_FFFF,
		0x8000, 0x7FFF, 0x80, 0x7F, 0xFFFF_FFFF_FFFF_8000, 0xFFFF_FFFF_FFFF_FF80, 33, 65,
		0xFFFF_FFFF, 0xFFFF_FFFF_0000_0000, 1 << 32, 0xFFFF_FFFF_FFFF_FFFE, 255, 24, 0x8000_7FFF_8080_7F7F,
		0x8000_0000_8000_0000,
	},
	classHalf: { // of f16 or bf16, several times
		0, 0x8000_0000_8000_8000, 0x7C00_7C00_7F80_7C00, 0xFC00_FC00_FF80_FC00,
		0x7E00_7E00_7FC0_7E00, 0x7C01_7C01_7F81_7C01, 0x3C00_3C00_3F80_3C00, 0xBC00_BC00_BF80_BC00,
		0x0001_8001_0001_0001, 0x8001_0001_8001_8001, 0x7BFF_FBFF_7F7F_7BFF, 0xFBFF_7BFF_FF7F_FBFF,
		0x03FF_0400_007F_03FF, 0x0400_03FF_0080_0400, 0x7F80_FF80_7C00_7F80, 0xFF80_7F80_FC00_FF80,
		0x3C01_BC01_3F81_3C01, 0x3BFF_BBFF_3F7F_3BFF, 0x7FFF_FFFF_7FFF_7FFF, 0xFE01_7E01_FFC1_FE01,
		0x6400_E400_4300_6400, 0x6401_E401_4301_6401, 0x3800_B800_3F00_3800, 0x3E00_BE00_3FC0_3E00,
		0x7FC0_7E00_7FC0_7FC0, 0x7F81_7F81_7F81_7F81, 0x0080_8080_0080_0080, 0x007F_807F_007F_007F,
		0x3F80_BF80_3C00_3F80, 0xBF80_3F80_BC00_BF80, 0x7F7F_FF7F_7BFF_7F7F, 0x3F00_BF00_3800_3F00,
	},
	classSingle: { // of f32, twice
		0, 0x8000_0000_8000_0000, 0x7F80_0000_7F80_0000, 0xFF80_0000_FF80_0000,
		0x7FC0_0000_7FC0_0000, 0x7F80_0001_7F80_0001, 0x3F80_0000_BF80_0000, 0xBF80_0000_3F80_0000,
		0x0000_0001_8000_0001, 0x8000_0001_0000_0001, 0x7F7F_FFFF_FF7F_FFFF, 0xFF7F_FFFF_7F7F_FFFF,
		0x007F_FFFF_0080_0000, 0x0080_0000_007F_FFFF, 0x807F_FFFF_8080_0000, 0x8080_0000_807F_FFFF,
		0x3F80_0001_3F80_0001, 0x3F7F_FFFF_3F7F_FFFF, 0x7FFF_FFFF_FFC0_0001, 0xFFC0_0001_7FFF_FFFF,
		0x4F00_0000_CF00_0000, 0xCF00_0000_4F00_0000, 0x4F80_0000_5F80_0000, 0x5F00_0000_DF00_0000,
		0x3F00_0000_3FC0_0000, 0xBF00_0000_BFC0_0000, 0x4020_0000_C060_0000, 0xC060_0000_4020_0000,
		0x4B00_0001_4B00_0001, 0x4AFF_FFFF_4AFF_FFFF, 0x477F_F000_477F_E000, 0x3380_0000_3300_0000,
	},
	classDouble: {
		0, 1 << 63, 0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, 0x7FF0_0000_0000_0001, 0x3FF0 << 48, 0xBFF0 << 48,
		1, 1<<63 | 1, 0x7FEF_FFFF_FFFF_FFFF, 0xFFEF_FFFF_FFFF_FFFF, 1<<52 - 1, 1 << 52, 1<<63 | 1<<52 - 1,
		0x8010 << 48, 0x3FF0_0000_0000_0001, 0x3FEF_FFFF_FFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF, 0xFFF8_0000_0000_0001,
		0x41DF_FFFF_FFE0_0000, 0xC1E0 << 48, 0x41F0 << 48, 0x43F0 << 48, 0x3FE0 << 48, 0xBFE0 << 48, 0x4004 << 48,
		0xC00C << 48, 0x43E0 << 48, 0xC3E0 << 48, 0x47EF_FFFF_F000_0000, 0x36A0 << 48,
	},
}

// SpecialCount is the number of special values of a register type.
const SpecialCount = 32

// classes are the classes of the register types of forms.
var classes = map[string]class{
	"f16_": classHalf, "bf16_": classHalf, "f16x2_": classHalf, "bf16x2_": classHalf, "e4m3x2_": classHalf,
	"e5m2x2_": classHalf, "f32_": classSingle, "tf32_": classSingle, "f32x2_": classSingle, "f64_": classDouble,
}

// isSpecial reports whether source i of a statement is a special value.
func (s *Stmt) isSpecial(i int) bool { return s.Special>>(i&7)&1 != 0 }

// specials returns the pair of values of special source i. In half of the statements, all sources
// have one pair. Half of the pairs are of the first quarter.
func (s *Stmt) specials(i int, of class) (first, second uint64) {
	if s.Special>>31 != 0 {
		i = 1
	}
	at := s.Special >> (8 + 5*(i&3))
	if at&16 != 0 {
		at &= 3
	}
	return specialValues[of][2*(at&15)], specialValues[of][2*(at&15)+1]
}

// specialsToo returns the second pair of special source i. Half of the statements have one.
func (s *Stmt) specialsToo(i int, of class) (first, second uint64, has bool) {
	at := s.Special>>(8+5*(i&3)) + 1 + s.Special>>20&7
	return specialValues[of][2*(at&15)], specialValues[of][2*(at&15)+1], s.Special>>28&1 != 0
}

// literal reports whether a special source is a constant of the instruction, the same one for all
// threads.
func (s *Stmt) literal(i int) bool { return s.Special>>(3+i&7)&3 == 3 }

// mixtures is the number of registers of each class with a special value for each thread.
const mixtures = 4

// mixture returns the names of the registers with both halves of mixture i of a class.
func mixture(of class, i int) (low, high string) {
	return fmt.Sprintf("%%low%d", mixtures*int(of)+i), fmt.Sprintf("%%high%d", mixtures*int(of)+i)
}

// special returns registers with the lower and the upper half of special source i of a statement. It sets
// the given ones, or returns those of a mixture.
func (e *emitter) special(s *Stmt, i int, of class, low, high string) (string, string) {
	e.needs |= needBits
	if s.Special>>27&1 != 0 {
		n := int(s.Special >> (8 + 5*(i&3)) & (mixtures - 1))
		e.mixed[of][n] = true
		return mixture(of, n)
	}
	first, second := s.specials(i, of)
	third, fourth, four := s.specialsToo(i, of)
	choose := func(reg string, half int) {
		e.line("selp.b32 %s, %d, %d, %%bit%d;", reg, uint32(first>>half), uint32(second>>half), i&1)
		if four {
			e.line("selp.b32 %%sp0, %d, %d, %%bit%d;", uint32(third>>half), uint32(fourth>>half), i&1)
			e.line("selp.b32 %s, %[1]s, %%sp0, %%bit%d;", reg, 2+i&1)
		}
	}
	choose(low, 0)
	if high != "" {
		choose(high, 32)
	}
	return low, high
}

// mix writes the instructions that load mixture i of a class. Each thread has a value by a hash of its number.
func (e *emitter) mix(say printer, of class, i int) {
	low, high := mixture(of, i)
	odd := uint32(2*(mixtures*int(of)+i)+1) * 0x9E37_79B1
	say("mad.lo.u32 %%v, %%lin, %d, %d;", odd, uint32(e.k.Turn)*0x85EB_CA6B)
	say("shr.u32 %%v, %%v, 27;")
	say("mul.wide.u32 %%at, %%v, 8;")
	say("mov.u64 %%base, specials%d;", of)
	say("add.u64 %%at, %%base, %%at;")
	say("ld.const.v2.u32 {%s, %s}, [%%at];", low, high)
}

// specialTables declares the values of the classes that have mixtures.
func (e *emitter) specialTables(b *strings.Builder) {
	for of, mixed := range e.mixed {
		if mixed == [mixtures]bool{} {
			continue
		}
		var list []string
		for _, v := range specialValues[of] {
			list = append(list, fmt.Sprintf("%#x", v))
		}
		fmt.Fprintf(b, ".const .align 8 .u64 specials%d[%d] = {%s};\n", of, SpecialCount, strings.Join(list, ", "))
	}
}

// source returns the register of source i of a statement: one of the kernel's, or one with a
// special value. Of a double it is the upper half.
func (e *emitter) source(s *Stmt, i, reg int, of class) string {
	if !s.isSpecial(i) {
		return e.r(reg)
	}
	if of == classInteger && s.Special>>29&3 == 0 {
		of = classSingle
	}
	name := fmt.Sprintf("%%sp%d", i)
	if of == classDouble {
		_, name = e.special(s, i, of, "%v", name)
	} else {
		name, _ = e.special(s, i, of, name, "")
	}
	return name
}

// sharpen gives every fifth kernel special values, in half of the operands of its computing
// statements, and more of these. If many warps run it, it gets no longer. It lets some votes of all kernels
// exchange values within segments.
func (g *generator) sharpen(k *Kernel, many bool) {
	sharp := g.features&Specials != 0 && g.IntN(5) == 0
	if sharp { // in place of other statements
		for n := len(k.Body) / 2; n > 0; n-- {
			at := g.IntN(len(k.Body))
			k.Body = slices.Delete(k.Body, at, at+1)
		}
		forms := 16 + g.IntN(33)
		if many {
			forms /= 4
		}
		for range forms {
			k.Body = slices.Insert(k.Body, g.IntN(len(k.Body)+1), g.someForm())
		}
	}
	k.Each(func(s *Stmt, _ int) {
		switch s.Kind {
		case Vote, Gather:
			if g.features&Opcodes != 0 && g.IntN(3) == 0 {
				s.Op, s.Cond.Salt = drawnVotes+g.IntN(len(votes)-drawnVotes), g.Uint32()
			}
		case Form, Compute, Swap, Atomic, Count:
		default:
			return
		}
		if sharp {
			s.Special = g.Uint32()
			if s.Kind == Form && g.IntN(2) == 0 {
				s.Special |= 0xFF
			}
		}
	})
}

// basic are the opcodes that a quarter of the forms of sharpen have.
var basic = []string{
	"add", "sub", "mul", "mad", "fma", "min", "max", "div", "rem", "abs", "neg", "shl", "shr", "shf", "bfe", "bfi", "bfind",
	"setp", "set", "cvt", "slct", "rcp", "sqrt",
}

// someForm draws a form. A quarter of them has a basic opcode, a quarter any opcode, all equally likely. In
// a quarter, all opcodes with their types are equally likely: few opcodes have most of the types. In the
// last quarter all words of forms are, such as .relu: few forms have most of the words.
func (g *generator) someForm() Stmt {
	names, byName := computing()
	var list []int
	switch g.IntN(4) {
	case 0:
		list = byName[basic[g.IntN(len(basic))]]
	case 1:
		list = byName[names[g.IntN(len(names))]]
	case 2:
		list = typed()[g.IntN(len(typed()))]
	default:
		list = worded()[g.IntN(len(worded()))]
	}
	return Stmt{
		Kind: Form, D: g.IntN(registers), A: g.IntN(registers), B: g.IntN(registers), N: list[g.IntN(len(list))],
	}
}

// herd marks branches and loads of two kernels of three as herded, on machines that herd: all of
// them, or half. Not branches that all threads of a CTA take together: there may be a barrier behind
// one, and a warp that dwf forms of two CTAs, or of two turns of a loop, would herd threads past it.
func (g *generator) herd(k *Kernel) {
	if g.IntN(3) == 0 {
		return
	}
	all := g.IntN(2) == 0
	k.Each(func(s *Stmt, _ int) {
		switch s.Kind {
		case If, Loop, Switch, Break, Continue, Goto, Exit, Load:
			s.Herd = (all || g.IntN(2) == 0) && (s.Kind == Load || !s.uniform())
		}
	})
}

// deepen makes every fourth kernel reach limits: calls of many functions one in the other, groups of
// copies, local variables of odd sizes, messages through generic addresses.
func (g *generator) deepen(k *Kernel) {
	if g.IntN(4) != 0 {
		return
	}
	if k.Fuel > 0 {
		k.Fuel += g.IntN(8)
	}
	if g.features&Locals != 0 && g.IntN(2) == 0 {
		k.Odd = 1 + g.IntN(21)
	}
	if k.Message > 0 && g.IntN(2) == 0 {
		k.Message = 1 + drawnMessages + g.IntN(len(messages)-drawnMessages)
	}
	copies := 0
	k.Each(func(s *Stmt, _ int) {
		if s.Kind != Copy {
			return
		}
		if copies++; copies == 1 {
			s.Op = 4 + g.IntN(9)
		}
	})
}
