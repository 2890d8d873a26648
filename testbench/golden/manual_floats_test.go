package golden_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/testbench/golden"
)

// format is a binary floating-point format.
type format struct {
	name       string
	bits, prec int // width; bits of the significand
	emax       int
}

var formats = map[string]format{"f32": {"f32", 32, 24, 127}, "f64": {"f64", 64, 53, 1023}}

func (f format) sign() uint64 { return 1 << (f.bits - 1) }
func (f format) inf() uint64  { return uint64(2*f.emax+1) << (f.prec - 1) }
func (f format) nan() uint64  { return f.inf() | 1<<(f.prec-2) }

func (f format) neg(x uint64) bool   { return x&f.sign() != 0 }
func (f format) isNaN(x uint64) bool { return x&^f.sign() > f.inf() }
func (f format) isInf(x uint64) bool { return x&^f.sign() == f.inf() }
func (f format) small(x uint64) bool { return x&f.inf() == 0 } // zero or subnormal

// exact returns a finite x as a rational number.
func (f format) exact(x uint64) *big.Rat {
	m := x & (1<<(f.prec-1) - 1)
	e := int(x &^ f.sign() >> (f.prec - 1))
	if e > 0 {
		m |= 1 << (f.prec - 1)
	} else {
		e = 1
	}
	r := new(big.Rat).SetInt(new(big.Int).SetUint64(m))
	e -= f.emax + f.prec - 1
	power := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if e < 0 {
		power.Inv(power)
	}
	if r.Mul(r, power); f.neg(x) {
		r.Neg(r)
	}
	return r
}

// round returns the number of the format that r rounds to. It counts the magnitude in units of the
// last place; the fraction decides the rounding.
func (f format) round(r *big.Rat, mode string) uint64 {
	var sign uint64
	if r.Sign() < 0 {
		sign = f.sign()
	}
	if r.Sign() == 0 {
		return 0
	}
	a := new(big.Rat).Abs(r)
	e := a.Num().BitLen() - a.Denom().BitLen() // exponent of the leading bit, or one more
	unit := func(e int) *big.Rat {
		ulp := max(e, 1-f.emax) - (f.prec - 1)
		u := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(ulp, -ulp))))
		if ulp < 0 {
			u.Inv(u)
		}
		return u
	}
	count := new(big.Rat).Quo(a, unit(e))
	if e--; count.Cmp(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(f.prec-1)))) >= 0 {
		e++
	}
	count = new(big.Rat).Quo(a, unit(e))
	n, rest := new(big.Int).QuoRem(count.Num(), count.Denom(), new(big.Int))
	half := rest.Lsh(rest, 1).Cmp(count.Denom())
	exact := rest.Sign() == 0
	up := false
	switch mode {
	case "rn":
		up = half > 0 || half == 0 && n.Bit(0) == 1
	case "rm":
		up = !exact && sign != 0
	case "rp":
		up = !exact && sign == 0
	}
	m := n.Uint64() + one(up)
	e = max(e, 1-f.emax)
	encoded := m + uint64(e-(1-f.emax))<<(f.prec-1) // a carry into the exponent is also right
	if encoded >= f.inf() {
		encoded = f.inf()
		if mode == "rz" || mode == "rm" && sign == 0 || mode == "rp" && sign != 0 {
			encoded--
		}
	}
	return sign | encoded
}

var roundings = []string{"rn", "rz", "rm", "rp"}

// modified adds .ftz and .sat to a float operation.
func (f format) modified(ftz, sat bool, eval func(s []uint64) uint64) func(s []uint64) (uint64, bool) {
	flush := func(x uint64) uint64 {
		if ftz && f.small(x) {
			return x & f.sign()
		}
		return x
	}
	return func(s []uint64) (uint64, bool) {
		var in []uint64
		for _, x := range s {
			in = append(in, flush(x))
		}
		d := flush(eval(in))
		if sat {
			switch oneBits := uint64(f.emax) << (f.prec - 1); {
			case f.isNaN(d) || f.neg(d):
				return 0, true
			case d > oneBits:
				return oneBits, true
			}
		}
		return d, true
	}
}

// fma returns a*b + c, with the rules for infinities and zeros (IEEE 754).
func (f format) fma(mode string, a, b, c uint64) uint64 {
	sign := (a ^ b) & f.sign()
	zero := func(x uint64) bool { return x&^f.sign() == 0 }
	switch {
	case f.isNaN(a) || f.isNaN(b) || f.isNaN(c), f.isInf(a) && zero(b), zero(a) && f.isInf(b):
		return f.nan()
	case f.isInf(a) || f.isInf(b):
		if f.isInf(c) && c&f.sign() != sign {
			return f.nan()
		}
		return f.inf() | sign
	case f.isInf(c):
		return c
	}
	r := new(big.Rat).Mul(f.exact(a), f.exact(b))
	exactZero := r.Sign() == 0
	r.Add(r, f.exact(c))
	if r.Sign() != 0 {
		return f.round(r, mode)
	}
	if (exactZero || zero(c)) && sign == c&f.sign() || !exactZero && sign == c&f.sign() {
		return sign
	}
	return f.sign() * one(mode == "rm")
}

func (f format) product(mode string, a, b uint64) uint64 {
	sign := (a ^ b) & f.sign()
	zero := func(x uint64) bool { return x&^f.sign() == 0 }
	switch {
	case f.isNaN(a) || f.isNaN(b), f.isInf(a) && zero(b), zero(a) && f.isInf(b):
		return f.nan()
	case f.isInf(a) || f.isInf(b):
		return f.inf() | sign
	case zero(a) || zero(b):
		return sign
	}
	return f.round(new(big.Rat).Mul(f.exact(a), f.exact(b)), mode)
}

func (f format) quotient(mode string, a, b uint64) uint64 {
	sign := (a ^ b) & f.sign()
	zero := func(x uint64) bool { return x&^f.sign() == 0 }
	switch {
	case f.isNaN(a) || f.isNaN(b), f.isInf(a) && f.isInf(b), zero(a) && zero(b):
		return f.nan()
	case f.isInf(a) || zero(b):
		return f.inf() | sign
	case f.isInf(b) || zero(a):
		return sign
	}
	return f.round(new(big.Rat).Quo(f.exact(a), f.exact(b)), mode)
}

// root finds the square root by trying bits. The result is the largest number whose square is not
// above a, or its neighbour.
func (f format) root(mode string, a uint64) uint64 {
	switch {
	case a&^f.sign() == 0:
		return a
	case f.isNaN(a) || f.neg(a):
		return f.nan()
	case f.isInf(a):
		return a
	}
	square := f.exact(a)
	below := func(x *big.Rat) int { return new(big.Rat).Mul(x, x).Cmp(square) }
	var d uint64
	for i := f.bits - 2; i >= 0; i-- {
		if t := d | 1<<i; t < f.inf() && below(f.exact(t)) <= 0 {
			d = t
		}
	}
	if below(f.exact(d)) == 0 {
		return d
	}
	middle := new(big.Rat).Add(f.exact(d), f.exact(d+1))
	middle.Quo(middle, big.NewRat(2, 1))
	if mode == "rp" || mode == "rn" && below(middle) < 0 {
		d++
	}
	return d
}

func floats() (list []opcode) {
	for _, f := range formats {
		t := f.name
		variants := []string{""}
		if t == "f32" {
			variants = []string{"", ".ftz", ".sat", ".ftz.sat"}
		}
		for _, mode := range roundings {
			for _, v := range variants {
				ftz, sat := strings.Contains(v, "ftz"), strings.Contains(v, "sat")
				op := func(name string, n int, eval func(s []uint64) uint64) {
					list = append(list, opcode{
						text: name + "." + mode + v + "." + t, dst: t, src: of(t, n),
						eval: f.modified(ftz, sat, eval),
					})
				}
				oneBits := uint64(f.emax) << (f.prec - 1)
				op("add", 2, func(s []uint64) uint64 { return f.fma(mode, s[0], oneBits, s[1]) })
				op("sub", 2, func(s []uint64) uint64 { return f.fma(mode, s[1], oneBits|f.sign(), s[0]) })
				op("mul", 2, func(s []uint64) uint64 { return f.product(mode, s[0], s[1]) })
				op("fma", 3, func(s []uint64) uint64 { return f.fma(mode, s[0], s[1], s[2]) })
				op("mad", 3, func(s []uint64) uint64 { return f.fma(mode, s[0], s[1], s[2]) })
				if !sat {
					op("div", 2, func(s []uint64) uint64 { return f.quotient(mode, s[0], s[1]) })
					op("rcp", 1, func(s []uint64) uint64 { return f.quotient(mode, oneBits, s[0]) })
					op("sqrt", 1, func(s []uint64) uint64 { return f.root(mode, s[0]) })
				}
			}
		}
		list = append(list, f.others()...)
	}
	return list
}

// less orders numbers, -0 below +0, by their encodings.
func (f format) less(a, b uint64) bool {
	key := func(x uint64) int64 {
		if f.neg(x) {
			return -1 - int64(x&^f.sign())
		}
		return int64(x)
	}
	return key(a) < key(b)
}

func (f format) others() (list []opcode) {
	t := f.name
	op := func(text, dst string, src []string, ftz bool, eval func(s []uint64) uint64) {
		g := f
		inner := func(s []uint64) (uint64, bool) { return eval(s), true }
		if ftz {
			flushed := make([]uint64, 0, 3)
			inner = func(s []uint64) (uint64, bool) {
				flushed = flushed[:0]
				for _, x := range s {
					if g.small(x) {
						x &= g.sign()
					}
					flushed = append(flushed, x)
				}
				return eval(flushed), true
			}
		}
		list = append(list, opcode{text: text, dst: dst, src: src, eval: inner})
	}
	flushing := map[string]bool{"": false}
	if t == "f32" {
		flushing[".ftz"] = true
	}
	for ftz, on := range flushing {
		op("abs"+ftz+"."+t, t, of(t, 1), on, func(s []uint64) uint64 { return s[0] &^ f.sign() })
		op("neg"+ftz+"."+t, t, of(t, 1), on, func(s []uint64) uint64 { return s[0] ^ f.sign() })
		for name, larger := range map[string]bool{"min": false, "max": true} {
			for _, modifier := range []string{"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"} {
				if t == "f64" && modifier != "" {
					continue
				}
				op(name+ftz+modifier+"."+t, t, of(t, 2), on, func(s []uint64) uint64 {
					a, b := s[0], s[1]
					sign := (a ^ b) & f.sign()
					xor := strings.Contains(modifier, "xorsign")
					if xor {
						a, b = a&^f.sign(), b&^f.sign()
					}
					d := a
					switch {
					case f.isNaN(a) && f.isNaN(b), strings.Contains(modifier, "NaN") && (f.isNaN(a) || f.isNaN(b)):
						return f.nan()
					case f.isNaN(a):
						d = b
					case f.isNaN(b):
					case f.less(b, a) != larger:
						d = b
					}
					if xor {
						d |= sign
					}
					return d
				})
			}
		}
		for name, holds := range map[string]func(c int, nan bool) bool{
			"eq": func(c int, nan bool) bool { return !nan && c == 0 }, "ne": func(c int,
				nan bool,
			) bool {
				return !nan && c != 0
			},
			"lt": func(c int, nan bool) bool { return !nan && c < 0 }, "le": func(c int, nan bool) bool {
				return !nan &&
					c <= 0
			},
			"gt": func(c int, nan bool) bool { return !nan && c > 0 }, "ge": func(c int, nan bool) bool {
				return !nan &&
					c >= 0
			},
			"equ": func(c int, nan bool) bool { return nan || c == 0 }, "neu": func(c int,
				nan bool,
			) bool {
				return nan || c != 0
			},
			"ltu": func(c int, nan bool) bool { return nan || c < 0 }, "leu": func(c int, nan bool) bool {
				return nan ||
					c <= 0
			},
			"gtu": func(c int, nan bool) bool { return nan || c > 0 }, "geu": func(c int, nan bool) bool {
				return nan ||
					c >= 0
			},
			"num": func(_ int, nan bool) bool { return !nan }, "nan": func(_ int, nan bool) bool { return nan },
		} {
			compared := func(s []uint64) bool {
				nan := f.isNaN(s[0]) || f.isNaN(s[1])
				c := 0
				if zeros := (s[0]|s[1])&^f.sign() == 0; !nan && !zeros {
					c = int(one(f.less(s[1], s[0]))) - int(one(f.less(s[0], s[1])))
				}
				return holds(c, nan)
			}
			op("setp."+name+ftz+"."+t, "pred", of(t, 2), on, func(s []uint64) uint64 { return one(compared(s)) })
			op("set."+name+ftz+".f32."+t, "f32", of(t, 2), on,
				func(s []uint64) uint64 { return 0x3F80_0000 * one(compared(s)) })
		}
		for mode := range map[string]bool{"rni": true, "rzi": true, "rmi": true, "rpi": true} {
			for _, to := range []string{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"} {
				register := to
				if widthOf(to) == 8 {
					register = to[:1] + "32"
				}
				op("cvt."+mode+ftz+"."+to+"."+t, register, of(t, 1), on,
					func(s []uint64) uint64 { return f.toInteger(mode, to, register, s[0]) })
			}
			op("cvt."+mode+ftz+"."+t+"."+t, t, of(t, 1), on, func(s []uint64) uint64 {
				if f.isNaN(s[0]) || f.isInf(s[0]) {
					return s[0]
				}
				return f.round(new(big.Rat).SetInt(whole(mode, f.exact(s[0]))), "rn") | s[0]&f.sign()
			})
		}
	}
	op("copysign."+t, t, of(t, 2), false, func(s []uint64) uint64 { return s[1]&^f.sign() | s[0]&f.sign() })
	for name, holds := range map[string]func(x uint64) bool{
		"finite": func(x uint64) bool { return !f.isNaN(x) && !f.isInf(x) }, "infinite": f.isInf, "notanumber": f.isNaN,
		"number": func(x uint64) bool { return !f.isNaN(x) }, "subnormal": func(x uint64) bool {
			return f.small(x) &&
				x&^f.sign() != 0
		},
		"normal": func(x uint64) bool { return !f.isNaN(x) && !f.isInf(x) && (!f.small(x) || x&^f.sign() == 0) },
	} {
		op("testp."+name+"."+t, "pred", of(t, 1), false, func(s []uint64) uint64 { return one(holds(s[0])) })
	}
	for _, mode := range roundings {
		for _, from := range []string{"u16", "s16", "u32", "s32", "u64", "s64"} {
			op("cvt."+mode+"."+t+"."+from, t, of(from, 1), false,
				func(s []uint64) uint64 { return f.round(new(big.Rat).SetInt(num(from, s[0])), mode) })
		}
		if t == "f32" {
			wide := formats["f64"]
			op("cvt."+mode+".f32.f64", t, of("f64", 1), false, func(s []uint64) uint64 {
				switch {
				case wide.isNaN(s[0]):
					return f.nan()
				case wide.isInf(s[0]):
					return f.inf() | s[0]>>32&f.sign()
				}
				return f.round(wide.exact(s[0]), mode) | s[0]>>32&f.sign()
			})
		}
	}
	if t == "f64" {
		narrow := formats["f32"]
		op("cvt.f64.f32", t, of("f32", 1), false, func(s []uint64) uint64 {
			switch {
			case narrow.isNaN(s[0]):
				return f.nan()
			case narrow.isInf(s[0]):
				return f.inf() | s[0]&narrow.sign()<<32
			}
			return f.round(narrow.exact(s[0]), "rn") | s[0]&narrow.sign()<<32
		})
	}
	return list
}

// whole returns r rounded to an integer.
func whole(mode string, r *big.Rat) *big.Int {
	floor := new(big.Int).Div(r.Num(), r.Denom()) // the denominator is positive
	rest := new(big.Rat).Sub(r, new(big.Rat).SetInt(floor))
	up := false
	switch half := rest.Cmp(big.NewRat(1, 2)); mode {
	case "rni":
		up = half > 0 || half == 0 && floor.Bit(0) == 1
	case "rpi":
		up = rest.Sign() > 0
	case "rzi":
		up = rest.Sign() > 0 && r.Sign() < 0
	}
	return floor.Add(floor, new(big.Int).SetUint64(one(up)))
}

// toInteger is cvt to an integer, with clamping. NaN is 0 if neither type has 64 bits, and 1 <<
// (width-1) otherwise.
func (f format) toInteger(mode, to, register string, x uint64) uint64 {
	limit := new(big.Int).Lsh(big.NewInt(1), 100)
	switch {
	case f.isNaN(x) && f.name != "f64" && widthOf(to) < 64:
		return 0
	case f.isNaN(x):
		return wrap(register, num(to, 1<<(widthOf(to)-1)))
	case f.isInf(x) && f.neg(x):
		return wrap(register, clampTo(to, limit.Neg(limit)))
	case f.isInf(x):
		return wrap(register, clampTo(to, limit))
	}
	return wrap(register, clampTo(to, whole(mode, f.exact(x))))
}

func TestFloatsByTheManual(t *testing.T) { tryAll(t, floats(), 250) }

// TestTanhByTheManual compares tanh.approx with the library's tanh, within the largest error that
// the manual allows.
func TestTanhByTheManual(t *testing.T) {
	in := assemble(t, &opcode{text: "tanh.approx.f32", dst: "f32", src: []string{"f32"}})
	for x := -100.0; x <= 100; x += 1.0 / 64 {
		for _, scale := range []float64{1, 0x1p-10, 0x1p-30} {
			a := float32(x * scale)
			d, ok := golden.Eval(in, []uint64{uint64(math.Float32bits(a))})
			require.True(t, ok)
			got, want := float64(math.Float32frombits(uint32(d[0]))), math.Tanh(float64(a))
			require.LessOrEqual(t, math.Abs(got-want), 0x1p-11*math.Abs(want), "tanh(%g)", a)
		}
	}
	for a, want := range map[uint32]uint32{
		0: 0, 1 << 31: 1 << 31, 0x7F80_0000: 0x3F80_0000, 0xFF80_0000: 0xBF80_0000,
		1: 1,
	} {
		d, _ := golden.Eval(in, []uint64{uint64(a)})
		require.Equal(t, uint64(want), d[0], "tanh of %#x", a)
	}
	d, _ := golden.Eval(in, []uint64{0x7FC0_0000})
	require.True(t, isNaN("f32", d[0]))
}
