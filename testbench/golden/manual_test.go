package golden_test

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench/golden"
)

// This file checks the opcodes of PTX over special values, as the manual defines them (PTX ISA 9.0,
// section 9.7). Each is written as PTX text and computed three times: by the machine's lanes, by
// the golden model, and here. This file shares nothing with either.

// opcode is an instruction with the types of its destination and sources, and its meaning. A false
// ok marks a case that the manual leaves open.
type opcode struct {
	text  string // "add.s32"; the operands are appended
	dst   string
	src   []string
	extra string   // constants after the sources
	sel   []string // after each operand, destination first
	neg   []string // before each operand
	eval  func(s []uint64) (d uint64, ok bool)
}

// values lists the operand values to try for a type.
func values(t string, few bool) []uint64 {
	n := widthOf(t)
	switch {
	case t == "pred":
		return []uint64{0, 1}
	case t == "f32":
		list := []uint64{
			0, 1 << 31, 1, 0x8000_0001, 0x7F_FFFF, 0x80_0000, 0x3F80_0000, 0xBF80_0000, 0x7F7F_FFFF, 0xFF7F_FFFF,
			0x7F80_0000, 0xFF80_0000, 0x7FC0_0000,
			0x3F80_0001, 0x3F00_0000, 0x4020_0000, 0xC060_0000, 0x4B00_0001, 0x4F00_0000, 0xCF00_0000, 0x4F80_0000,
			0x5F00_0000, 0x5F80_0000, 0xFF80_0001, 0x437F_8000, 0xC300_8000,
		}
		if few {
			list = list[:14]
		}
		return list
	case t == "f64":
		list := []uint64{
			0, 1 << 63, 1, 1<<63 | 1, 1<<52 - 1, 1 << 52, 0x3FF0 << 48, 0xBFF0 << 48, 0x7FEF_FFFF_FFFF_FFFF,
			0xFFEF_FFFF_FFFF_FFFF, 0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, 0x3FF0_0000_0000_0001,
			0x3FE0 << 48, 0x4004 << 48, 0xC00C << 48, 0x41DF_FFFF_FFE0_0000, 0x41F0 << 48, 0xC3E0 << 48, 0x43F0 << 48,
			0x47EF_FFFF_F000_0000, 0x36A0 << 48, 0x3690 << 48, 0x380F_FFFF_FFFF_FFFF, 0x3FF0_0000_1000_0000,
			0xFFF0_0000_0000_0001,
		}
		if few {
			list = list[:14]
		}
		return list
	}
	top := ^uint64(0) >> (64 - n)
	list := []uint64{
		0, 1, 2, 3, 7, 31, 32, 33, top >> 1, top>>1 + 1, top - 1, top, 0x1234_5678_9ABC_DEF0 & top,
		0xF0E1_80FF_7F01_8000 & top, 63, 64, 65, 255, 1 << 7, 24,
	}
	if few {
		list = list[:14]
	}
	return list
}

func widthOf(t string) int {
	n, _ := strconv.Atoi(t[1:])
	return n
}

// assemble parses the instruction in a kernel, with registers of its types.
func assemble(t *testing.T, o *opcode) *isa.Inst {
	decl, args := &strings.Builder{}, []string{}
	operand := func(name, typ string) {
		fmt.Fprintf(decl, ".reg .%s %s; ", typ, name)
		if i := len(args); i < len(o.sel) {
			name += o.sel[i]
		}
		if i := len(args); i < len(o.neg) {
			name = o.neg[i] + name
		}
		args = append(args, name)
	}
	operand("d", o.dst)
	for i, s := range o.src {
		operand(fmt.Sprintf("s%d", i), s)
	}
	if o.extra != "" {
		args = append(args, o.extra)
	}
	text := fmt.Sprintf(".version 8.8\n.target sm_100\n.address_size 64\n.entry k() { %s\n%s %s; }", decl, o.text,
		strings.Join(args, ", "))
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	p, err := m.Program("k")
	require.NoError(t, err, o.text)
	require.NoError(t, isa.Bind(p), o.text)
	return &p.Insts[0]
}

func isNaN(t string, x uint64) bool {
	return t == "f32" && x&0x7FFF_FFFF > 0x7F80_0000 || t == "f64" && x&(1<<63-1) > 0x7FF0<<48
}

// try computes all combinations of values three times.
func try(t *testing.T, o *opcode) {
	in := assemble(t, o)
	combos := [][]uint64{nil}
	for _, s := range o.src {
		var longer [][]uint64
		for _, c := range combos {
			for _, v := range values(s, len(o.src) > 2) {
				longer = append(longer, append(c[:len(c):len(c)], v))
			}
		}
		combos = longer
	}
	for at := 0; at < len(combos); at += isa.RowLanes {
		group := combos[at:min(at+isa.RowLanes, len(combos))]
		var rows [isa.MaxSrcs]isa.Row
		var d [isa.MaxDsts]isa.Row
		x := isa.Lanes{Mask: ^uint32(0), Dst: [isa.MaxDsts]*isa.Row{&d[0], &d[1], &d[2], &d[3]}}
		for i := range int(in.NSrc) {
			for lane, c := range group {
				v := in.Src[i].Imm
				if i < len(c) {
					v = c[i]
				}
				rows[i][lane] = v
				x.PSrc[i] |= uint32(v&1) << lane
			}
			if in.Src[i].Kind != isa.OperandPred {
				x.Src[i] = &rows[i]
			}
		}
		isa.Execute(in, &x)
		for lane, c := range group {
			want, ok := o.eval(c)
			if !ok {
				continue
			}
			var src []uint64
			for i := range int(in.NSrc) {
				src = append(src, rows[i][lane])
			}
			model, known := golden.Eval(in, src)
			if !known {
				require.True(t, known, o.text)
			}
			got := d[0][lane]
			if o.dst == "pred" {
				got = uint64(x.PDst[0] >> lane & 1)
			}
			for i, v := range []uint64{got, model[0]} {
				who := []string{"lanes", "golden model"}[i]
				if v != want && !(isNaN(o.dst, v) && isNaN(o.dst, want)) {
					require.Failf(t, "not what the manual says", "%s of %#x by the %s: %#x, want %#x", o.text, c, who,
						v, want)
				}
			}
		}
	}
}

// These are operations on integers without a width.

func num(t string, x uint64) *big.Int {
	n := uint(widthOf(t))
	v := new(big.Int).SetUint64(x & (^uint64(0) >> (64 - n)))
	if t[0] == 's' && v.Bit(int(n)-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), n))
	}
	return v
}

func wrap(t string, v *big.Int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(widthOf(t)))
	return new(big.Int).Mod(v, m).Uint64()
}

func clampTo(t string, v *big.Int) *big.Int {
	n := uint(widthOf(t))
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), n)
	if t[0] == 's' {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	if v.Cmp(low) < 0 {
		return low
	}
	if v.Cmp(high) > 0 {
		return high
	}
	return v
}

// arithmetic returns an opcode on numbers: sources and result wrap at their types.
func arithmetic(text, dst string, src []string, f func(v []*big.Int) *big.Int) opcode {
	return opcode{text: text, dst: dst, src: src, eval: func(s []uint64) (uint64, bool) {
		var v []*big.Int
		for i := range s {
			v = append(v, num(src[i], s[i]))
		}
		d := f(v)
		if d == nil {
			return 0, false
		}
		return wrap(dst, d), true
	}}
}

func of(t string, n int) (list []string) {
	for range n {
		list = append(list, t)
	}
	return list
}

func add(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
func sub(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
func mul(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }

func integers() (list []opcode) {
	op := func(text, dst string, src []string, f func(v []*big.Int) *big.Int) {
		list = append(list, arithmetic(text, dst, src, f))
	}
	for _, t := range []string{"u16", "s16", "u32", "s32", "u64", "s64"} {
		n := uint(widthOf(t))
		high := func(v *big.Int) *big.Int { return new(big.Int).Rsh(v, n) }
		op("add."+t, t, of(t, 2), func(v []*big.Int) *big.Int { return add(v[0], v[1]) })
		op("sub."+t, t, of(t, 2), func(v []*big.Int) *big.Int { return sub(v[0], v[1]) })
		op("mul.lo."+t, t, of(t, 2), func(v []*big.Int) *big.Int { return mul(v[0], v[1]) })
		op("mul.hi."+t, t, of(t, 2), func(v []*big.Int) *big.Int { return high(mul(v[0], v[1])) })
		op("mad.lo."+t, t, of(t, 3), func(v []*big.Int) *big.Int { return add(mul(v[0], v[1]), v[2]) })
		op("mad.hi."+t, t, of(t, 3), func(v []*big.Int) *big.Int { return add(high(mul(v[0], v[1])), v[2]) })
		op("sad."+t, t, of(t, 3), func(v []*big.Int) *big.Int { return add(v[2], new(big.Int).Abs(sub(v[0], v[1]))) })
		op("div."+t, t, of(t, 2), func(v []*big.Int) *big.Int {
			if v[1].Sign() == 0 {
				return nil
			}
			return new(big.Int).Quo(v[0], v[1])
		})
		op("rem."+t, t, of(t, 2), func(v []*big.Int) *big.Int {
			if v[1].Sign() == 0 {
				return nil
			}
			return new(big.Int).Rem(v[0], v[1])
		})
		op("min."+t, t, of(t, 2), func(v []*big.Int) *big.Int {
			if v[0].Cmp(v[1]) < 0 {
				return v[0]
			}
			return v[1]
		})
		op("max."+t, t, of(t, 2), func(v []*big.Int) *big.Int {
			if v[0].Cmp(v[1]) > 0 {
				return v[0]
			}
			return v[1]
		})
		for name, holds := range map[string]func(c int) bool{
			"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
			"lt": func(c int) bool { return c < 0 },
			"le": func(c int) bool { return c <= 0 }, "gt": func(c int) bool { return c > 0 },
			"ge": func(c int) bool { return c >= 0 },
		} {
			list = append(list, opcode{
				text: "setp." + name + "." + t, dst: "pred", src: of(t, 2),
				eval: func(s []uint64) (uint64, bool) {
					return one(holds(num(t, s[0]).Cmp(num(t, s[1])))), true
				},
			})
			list = append(list, opcode{
				text: "set." + name + ".and.u32." + t, dst: "u32", src: []string{t, t, "pred"},
				eval: func(s []uint64) (uint64, bool) {
					return 0xFFFF_FFFF * one(holds(num(t, s[0]).Cmp(num(t, s[1])))) * s[2], true
				},
			})
		}
		op("shr."+t, t, []string{t, "u32"},
			func(v []*big.Int) *big.Int { return new(big.Int).Rsh(v[0], uint(min(v[1].Uint64(), 64))) })
		if n < 64 {
			wide := t[:1] + fmt.Sprint(2*n)
			op("mul.wide."+t, wide, of(t, 2), func(v []*big.Int) *big.Int { return mul(v[0], v[1]) })
			op("mad.wide."+t, wide, []string{t, t, wide},
				func(v []*big.Int) *big.Int { return add(mul(v[0], v[1]), v[2]) })
		}
		if t[0] == 's' {
			op("abs."+t, t, of(t, 1), func(v []*big.Int) *big.Int { return new(big.Int).Abs(v[0]) })
			op("neg."+t, t, of(t, 1), func(v []*big.Int) *big.Int { return new(big.Int).Neg(v[0]) })
		}
		for _, to := range []string{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"} {
			register := to
			if widthOf(to) == 8 {
				register = to[:1] + "16"
			}
			list = append(list, opcode{
				text: "cvt.sat." + to + "." + t, dst: register, src: of(t, 1),
				eval: func(s []uint64) (uint64, bool) {
					return wrap(register, clampTo(to, num(t, s[0]))), true
				},
			})
			list = append(list, opcode{
				text: "cvt." + to + "." + t, dst: register, src: of(t, 1),
				eval: func(s []uint64) (uint64, bool) {
					return wrap(register, num(to, wrap(to, num(t, s[0])))), true
				},
			})
		}
		if n < 32 {
			continue
		}
		list = append(list, opcode{
			text: "bfe." + t, dst: t, src: []string{t, "u32", "u32"},
			eval: func(s []uint64) (uint64, bool) {
				pos, length := s[1]&255, s[2]&255
				var d uint64
				for i := range uint64(n) { // bits past the field are its sign, or those of a
					from := min(pos+i, uint64(n)-1)
					if i >= length {
						from = min(pos+length-1, uint64(n)-1)
					}
					inside := i < length && pos+i < uint64(n)
					if inside || t[0] == 's' && length > 0 {
						d |= s[0] >> from & 1 << i
					}
				}
				return d, true
			},
		})
		for _, shiftamt := range []string{"", ".shiftamt"} {
			list = append(list, opcode{
				text: "bfind" + shiftamt + "." + t, dst: "u32", src: of(t, 1),
				eval: func(s []uint64) (uint64, bool) {
					v := num(t, s[0])
					if v.Sign() < 0 {
						v.Not(v)
					}
					switch {
					case v.Sign() == 0:
						return 0xFFFF_FFFF, true
					case shiftamt != "":
						return uint64(int(n) - v.BitLen()), true
					}
					return uint64(v.BitLen() - 1), true
				},
			})
		}
	}
	op("add.sat.s32", "s32", of("s32", 2), func(v []*big.Int) *big.Int { return clampTo("s32", add(v[0], v[1])) })
	op("sub.sat.s32", "s32", of("s32", 2), func(v []*big.Int) *big.Int { return clampTo("s32", sub(v[0], v[1])) })
	op("mad.hi.sat.s32", "s32", of("s32", 3), func(v []*big.Int) *big.Int {
		return clampTo("s32", add(new(big.Int).Rsh(mul(v[0], v[1]), 32), v[2]))
	})
	for _, t := range []string{"u32", "s32"} {
		low := t[:1] + "24"
		product := func(v []*big.Int) *big.Int {
			return mul(num(low, wrap("u24", v[0])), num(low, wrap("u24", v[1])))
		}
		op("mul24.lo."+t, t, of(t, 2), product)
		op("mul24.hi."+t, t, of(t, 2), func(v []*big.Int) *big.Int { return new(big.Int).Rsh(product(v), 16) })
		op("mad24.lo."+t, t, of(t, 3), func(v []*big.Int) *big.Int { return add(product(v), v[2]) })
		op("mad24.hi."+t, t, of(t, 3),
			func(v []*big.Int) *big.Int { return add(new(big.Int).Rsh(product(v), 16), v[2]) })
	}
	op("mad24.hi.sat.s32", "s32", of("s32", 3), func(v []*big.Int) *big.Int {
		p := mul(num("s24", wrap("u24", v[0])), num("s24", wrap("u24", v[1])))
		return clampTo("s32", add(p.Rsh(p, 16), v[2]))
	})
	return list
}

func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func bitwise() (list []opcode) {
	op := func(text, dst string, src []string, f func(s []uint64) uint64) {
		list = append(list, opcode{
			text: text, dst: dst, src: src,
			eval: func(s []uint64) (uint64, bool) { return f(s), true },
		})
	}
	for _, t := range []string{"b16", "b32", "b64"} {
		n := widthOf(t)
		top := ^uint64(0) >> (64 - n)
		op("and."+t, t, of(t, 2), func(s []uint64) uint64 { return s[0] & s[1] })
		op("or."+t, t, of(t, 2), func(s []uint64) uint64 { return s[0] | s[1] })
		op("xor."+t, t, of(t, 2), func(s []uint64) uint64 { return s[0] ^ s[1] })
		op("not."+t, t, of(t, 1), func(s []uint64) uint64 { return top - s[0] })
		op("cnot."+t, t, of(t, 1), func(s []uint64) uint64 { return one(s[0] == 0) })
		op("shl."+t, t, []string{t, "u32"}, func(s []uint64) uint64 {
			return wrap(t, new(big.Int).Lsh(num(t, s[0]), uint(min(s[1], 64))))
		})
		op("shr."+t, t, []string{t, "u32"},
			func(s []uint64) uint64 { return new(big.Int).Rsh(num(t, s[0]), uint(min(s[1], 64))).Uint64() })
		op("selp."+t, t, []string{t, t, "pred"}, func(s []uint64) uint64 { return s[1-s[2]] })
		op("slct."+t+".s32", t, []string{t, t, "s32"}, func(s []uint64) uint64 { return s[s[2]>>31] })
		if n < 32 {
			continue
		}
		text := func(x uint64) string { return fmt.Sprintf("%0*b", n, x) }
		op("popc."+t, "u32", of(t, 1), func(s []uint64) uint64 { return uint64(strings.Count(text(s[0]), "1")) })
		op("clz."+t, "u32", of(t, 1), func(s []uint64) uint64 {
			if i := strings.Index(text(s[0]), "1"); i >= 0 {
				return uint64(i)
			}
			return uint64(n)
		})
		op("brev."+t, t, of(t, 1), func(s []uint64) uint64 {
			var d uint64
			for i, c := range text(s[0]) {
				d |= uint64(c-'0') << i
			}
			return d
		})
		op("bfi."+t, t, []string{t, t, "u32", "u32"}, func(s []uint64) uint64 {
			d := []byte(text(s[1]))
			a := text(s[0])
			for i := 0; i < int(s[3]&255) && i+int(s[2]&255) < n; i++ {
				d[n-1-i-int(s[2]&255)] = a[max(n-1-i, 0)]
			}
			v, _ := new(big.Int).SetString(string(d), 2)
			return v.Uint64()
		})
	}
	for name, right := range map[string]bool{"l": false, "r": true} {
		for mode, amount := range map[string]func(c uint64) uint64{
			"clamp": func(c uint64) uint64 { return min(c, 32) },
			"wrap":  func(c uint64) uint64 { return c % 32 },
		} {
			op("shf."+name+"."+mode+".b32", "b32", []string{"b32", "b32", "u32"}, func(s []uint64) uint64 {
				v := add(new(big.Int).Lsh(num("b32", s[1]), 32), num("b32", s[0]))
				if right {
					return wrap("b32", v.Rsh(v, uint(amount(s[2]))))
				}
				v.Lsh(v, uint(amount(s[2])))
				return wrap("b32", v.Rsh(v, 32))
			})
		}
	}
	for mode, rows := range map[string][4]string{ // the table of the manual: bytes of the result, d.b3 first
		"f4e": {"3210", "4321", "5432", "6543"}, "b4e": {"5670", "6701", "7012", "0123"}, "rc8": {
			"0000", "1111",
			"2222", "3333",
		},
		"ecl": {"3210", "3211", "3222", "3333"}, "ecr": {"0000", "1110", "2210", "3210"}, "rc16": {
			"1010", "3232",
			"1010", "3232",
		},
	} {
		op("prmt.b32."+mode, "b32", of("b32", 3), func(s []uint64) (d uint64) {
			pool := s[1]<<32 | s[0]
			for _, c := range rows[s[2]&3] {
				d = d<<8 | pool>>(8*(c-'0'))&255
			}
			return d
		})
	}
	op("prmt.b32", "b32", of("b32", 3), func(s []uint64) (d uint64) {
		pool := s[1]<<32 | s[0]
		for i := 3; i >= 0; i-- {
			c := s[2] >> (4 * i) & 15
			b := pool >> (8 * (c & 7)) & 255
			if c >= 8 {
				b = 255 * (b >> 7)
			}
			d = d<<8 | b
		}
		return d
	})
	for table, f := range map[string]func(a, b, c uint64) uint64{ // from the manual's examples
		"0x80": func(a, b, c uint64) uint64 { return a & b & c }, "0xFE": func(a, b,
			c uint64,
		) uint64 {
			return a | b | c
		},
		"0x40": func(a, b, c uint64) uint64 { return a & b &^ c }, "0x1A": func(a, b,
			c uint64,
		) uint64 {
			return (a&b | c) ^ a
		},
	} {
		list = append(list, opcode{
			text: "lop3.b32", dst: "b32", src: of("b32", 3), extra: table,
			eval: func(s []uint64) (uint64, bool) {
				return f(s[0], s[1], s[2]) & 0xFFFF_FFFF, true
			},
		})
	}
	op("fns.b32", "b32", []string{"b32", "u32", "s32"}, func(s []uint64) uint64 {
		if s[1] > 31 {
			return 0xFFFF_FFFF // undefined; all three agree on it
		}
		offset := num("s32", s[2]).Int64()
		var set []int64 // the set bits, in the order of the search
		for i := range int64(32) {
			pos := int64(s[1]) + i
			if offset < 0 {
				pos = int64(s[1]) - i
			}
			if pos >= 0 && pos < 32 && s[0]>>pos&1 == 1 {
				set = append(set, pos)
			}
		}
		n := offset
		if n < 0 {
			n = -n
		}
		switch {
		case offset == 0 && s[0]>>s[1]&1 == 1:
			return s[1]
		case offset == 0 || n > int64(len(set)):
			return 0xFFFF_FFFF
		}
		return uint64(set[n-1])
	})
	for _, mode := range []string{"clamp", "wrap"} {
		op("bmsk."+mode+".b32", "b32", []string{"b32", "u32"}, func(s []uint64) uint64 { // the manual's program
			a1, b1 := uint32(s[0])&31, uint32(s[1])&31
			mask0, mask1 := ^uint32(0)<<a1, ^uint32(0)<<(a1+b1)
			over := a1+b1 >= 32
			if mode == "clamp" {
				if s[0] >= 32 {
					over, mask0 = true, 0
				}
				over = over || s[1] >= 32
			}
			if over {
				mask1 = 0
			} else if b1 == 0 {
				mask1 = ^uint32(0)
			}
			return uint64(mask0 &^ mask1)
		})
		for _, t := range []string{"u32", "s32"} {
			op("szext."+mode+"."+t, t, []string{t, "u32"}, func(s []uint64) uint64 {
				n := s[1]
				if mode == "wrap" {
					n %= 32
				}
				switch {
				case n == 0:
					return 0
				case n >= 32:
					return s[0]
				}
				return wrap(t, num(t[:1]+fmt.Sprint(n), s[0]))
			})
		}
	}
	for _, a := range []string{"u", "s"} {
		for _, b := range []string{"u", "s"} {
			dot := func(from, step int) func(s []uint64) uint64 {
				return func(s []uint64) uint64 {
					d := num("u32", s[2])
					for i := range 32 / step {
						d = add(d, mul(num(a+fmt.Sprint(step), s[0]>>(step*i)), num(b+"8", s[1]>>(from+8*i))))
					}
					return wrap("u32", d)
				}
			}
			src := []string{a + "32", b + "32", "b32"}
			op("dp4a."+src[0]+"."+src[1], "b32", src, dot(0, 8))
			op("dp2a.lo."+src[0]+"."+src[1], "b32", src, dot(0, 16))
			op("dp2a.hi."+src[0]+"."+src[1], "b32", src, dot(16, 16))
		}
	}
	for _, t := range []string{"u16", "s16"} {
		op("cvt.pack.sat."+t+".s32", "u32", of("s32", 2), func(s []uint64) uint64 {
			return wrap(t, clampTo(t, num("s32", s[0])))<<16 | wrap(t, clampTo(t, num("s32", s[1])))
		})
	}
	for _, t := range []string{"u8", "s8"} {
		op("cvt.pack.sat."+t+".s32.b32", "u32", []string{"s32", "s32", "b32"}, func(s []uint64) uint64 {
			return s[2]<<16&0xFFFF_FFFF | wrap(t, clampTo(t, num("s32", s[0])))<<8 |
				wrap(t, clampTo(t, num("s32", s[1])))
		})
	}
	return list
}

func TestIntegersByTheManual(t *testing.T) { tryAll(t, integers(), 150) }

func TestBitsByTheManual(t *testing.T) { tryAll(t, bitwise(), 60) }

func tryAll(t *testing.T, list []opcode, least int) {
	require.Greater(t, len(list), least)
	for i := range list {
		try(t, &list[i])
	}
}
