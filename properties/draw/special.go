package draw

import (
	"fmt"
	"slices"
	"strings"
)

// Special values are operands at the edges of their types. Module variables hold 32 of them for
// each class of types. A statement loads its special operands from there, each thread another one.

// class is a class of types with a table of special values.
type class int

const (
	classInteger class = iota
	classHalf
	classSingle
	classDouble
	numClasses
)

// specialValues are the special values of each class, in 64 bits. An operand of fewer bits takes the
// lower ones. So the integers begin with those of 32 bits at their lower end, and halves and
// singles are there twice or more: see tables.
var specialValues = [numClasses][specialCount]uint64{
	classInteger: {
		0, 1, 2, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFE, 0x7FFF_FFFF_FFFF_FFFF, 1 << 63, 1<<63 + 1,
		0x7FFF_FFFF_FFFF_FFFE, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0000_8000_0000, 0x7FFF_FFFF_7FFF_FFFF,
		0xFFFF_FFFF_8000_0000, 0xFFFF_FFFF, 0xFFFF_FFFF_0000_0000, 1 << 32, 0x7FFF, 0x8000, 0xFFFF_FFFF_FFFF_8000,
		0x7F, 0x80, 0xFFFF_FFFF_FFFF_FF80, 24, 31, 32, 33, 63, 64, 65, 255, 0x8000_7FFF_8080_7F7F,
	},
	classHalf: { // of f16, then of bf16
		0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x83FF, 0x3C00, 0xBC00, 0x3C01, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00,
		0x7C01, 0x7FFF, 0xFE01, 0x3800, 0x6400, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0x80, 0x7F, 0x807F,
		0x7F7F, 0xFF7F, 0x3F00,
	},
	classSingle: {
		0, 0x8000_0000, 1, 0x8000_0001, 0x7F_FFFF, 0x807F_FFFF, 0x80_0000, 0x8080_0000, 0x3F80_0000, 0xBF80_0000,
		0x3F80_0001, 0x3F7F_FFFF, 0x7F7F_FFFF, 0xFF7F_FFFF, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0xFFC0_0001,
		0x7F80_0001, 0x7FFF_FFFF, 0x3F00_0000, 0xBF00_0000, 0x4020_0000, 0xC060_0000, 0x4F00_0000, 0xCF00_0000,
		0x4F80_0000, 0x5F00_0000, 0x5F80_0000, 0x4B00_0001, 0x477F_F000, 0x3380_0000,
	},
	classDouble: {
		0, 1 << 63, 1, 1<<63 | 1, 1<<52 - 1, 1<<63 | 1<<52 - 1, 1 << 52, 0x8010 << 48, 0x3FF0 << 48, 0xBFF0 << 48,
		0x3FF0_0000_0000_0001, 0x3FEF_FFFF_FFFF_FFFF, 0x7FEF_FFFF_FFFF_FFFF, 0xFFEF_FFFF_FFFF_FFFF, 0x7FF0 << 48,
		0xFFF0 << 48, 0x7FF8 << 48, 0xFFF8_0000_0000_0001, 0x7FF0_0000_0000_0001, 0x3FE0 << 48, 0xBFE0 << 48,
		0x4004 << 48, 0xC00C << 48, 0x41DF_FFFF_FFE0_0000, 0x41F0 << 48, 0xC1E0 << 48, 0x43E0 << 48, 0x43F0 << 48,
		0x47EF_FFFF_F000_0000, 0x36A0 << 48, 0x380F_FFFF_FFFF_FFFF, 0x3FF0_0000_1000_0000,
	},
}

// specialCount is the number of values of a class, specialThreads the number of threads with different
// ones.
const (
	specialCount   = 32
	specialThreads = 16
)

// classes are the classes of the register types of forms.
var classes = map[string]class{
	"f16_": classHalf, "bf16_": classHalf, "f16x2_": classHalf, "bf16x2_": classHalf, "e4m3x2_": classHalf,
	"e5m2x2_": classHalf, "f32_": classSingle, "tf32_": classSingle, "f32x2_": classSingle, "f64_": classDouble,
}

// isSpecial reports whether source i of a statement is a special value: half of them are.
func (s *Stmt) isSpecial(i int) bool { return s.Special>>(i&7)&1 != 0 }

// entry returns the place of special source i in the table of a class: an offset from that of the
// thread, or the value for threads without one.
func (s *Stmt) entry(i int) int {
	return int(s.Special>>(8+4*(i%6))) % (specialCount - specialThreads + 1)
}

// literal reports whether a special source is a constant of the instruction, the same one for all
// threads.
func (s *Stmt) literal(i int) bool { return s.Special>>(3+i&7)&3 == 3 }

// source returns the register of source i of a statement: one of the kernel's, or one with a
// special value.
func (e *emitter) source(s *Stmt, i, reg int) string {
	if !s.isSpecial(i) {
		return e.r(reg)
	}
	of := classInteger
	if s.Special>>30 == 0 {
		of = classSingle
	}
	e.special[of] = true
	e.line("ld.global.u32 %%sp%d, [%%tab%d+%d];", i, of, 8*s.entry(i))
	return fmt.Sprintf("%%sp%d", i)
}

// pair loads both halves of special source i of a form into registers.
func (e *emitter) pair(s *Stmt, i int, of class) (low, high string) {
	e.special[of] = true
	e.line("ld.global.v2.u32 {%%sp1, %%sp2}, [%%tab%d+%d];", of, 8*s.entry(i))
	return "%sp1", "%sp2"
}

// specials reports whether the kernel has special values.
func (e *emitter) specials() bool { return e.special != [numClasses]bool{} }

// tables declares the tables in use. Halves are there four times in each entry, with the next ones
// beside them, and singles twice.
func (e *emitter) tables(b *strings.Builder) {
	for of, used := range e.special {
		if !used {
			continue
		}
		var list []string
		at := func(i int) uint64 { return specialValues[of][i%specialCount] }
		for i := range specialCount {
			v := at(i)
			switch class(of) {
			case classHalf:
				v |= at(i+5)<<16 | at(i+11)<<32 | at(i+17)<<48
			case classSingle:
				v |= at(i+5) << 32
			}
			list = append(list, fmt.Sprintf("%#x", v))
		}
		fmt.Fprintf(b, ".global .align 8 .u64 special%d[%d] = {%s};\n", of, specialCount, strings.Join(list, ", "))
	}
}

// entries sets the registers with the thread's places in the tables.
func (e *emitter) entries(say printer) {
	if !e.specials() {
		return
	}
	say("and.b32 %%v, %%lin, %d;", specialThreads-1)
	say("mul.wide.u32 %%at, %%v, 8;")
	for of, used := range e.special {
		if used {
			say("mov.u64 %%tab%d, special%d;", of, of)
			say("add.u64 %%tab%d, %%tab%d, %%at;", of, of)
		}
	}
}

// sharpen gives every fifth kernel special values, in half of the operands of its computing
// statements, and more of these. It lets some votes of all kernels exchange values within segments.
func (g *generator) sharpen(k *Kernel) {
	sharp := g.features&Specials != 0 && g.IntN(5) == 0
	k.Each(func(s *Stmt, _ int) {
		switch s.Kind {
		case Vote, Gather:
			if g.features&Opcodes != 0 && g.IntN(3) == 0 {
				s.Op, s.Cond.Salt = drawnVotes+g.IntN(len(votes)-drawnVotes), g.Uint32()
			}
		case Compute:
			if sharp && g.IntN(2) == 0 {
				*s = g.someForm()
			}
		case Form, Swap, Atomic, Count:
		default:
			return
		}
		if sharp {
			s.Special = g.Uint32()
		}
	})
	if !sharp {
		return
	}
	for range 4 + g.IntN(8) {
		s := g.someForm()
		s.Special = g.Uint32()
		k.Body = slices.Insert(k.Body, g.IntN(len(k.Body)+1), s)
	}
}

// someForm draws a form. Opcodes are equally likely.
func (g *generator) someForm() Stmt {
	names, byName := computing()
	list := byName[names[g.IntN(len(names))]]
	return Stmt{
		Kind: Form, D: g.IntN(registers), A: g.IntN(registers), B: g.IntN(registers), N: list[g.IntN(len(list))],
	}
}

// herd marks branches and loads of every third kernel as herded, on machines that herd: all of
// them, or half.
func (g *generator) herd(k *Kernel) {
	if g.IntN(3) == 0 {
		return
	}
	all := g.IntN(2) == 0
	k.Each(func(s *Stmt, _ int) {
		switch s.Kind {
		case If, Loop, Switch, Break, Continue, Goto, Exit, Load:
			s.Herd = all || g.IntN(2) == 0
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
	k.Each(func(s *Stmt, _ int) {
		switch s.Kind {
		case Copy:
			s.Op = 4 + g.IntN(9)
		case Barrier:
			k.Left = 1 + s.N&15
		}
	})
}
