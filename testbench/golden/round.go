package golden

import (
	"math"
	"math/big"

	"divergo/isa"
)

// This file computes arithmetic that rounds. To nearest it uses Go's arithmetic, which is IEEE 754
// on every platform. Other directions start from the result to nearest. The exact result, a
// rational number, shows whether it lies on the wanted side. If it does not, its neighbour does.

// rounded computes the instruction on operands of type t, which are exact in float64.
func rounded(in *isa.Inst, t isa.Type, a, b, c float64) (uint64, bool) {
	op := in.Op
	switch op {
	case isa.OpSub:
		op, b = isa.OpAdd, -b
	case isa.OpMad:
		op = isa.OpFma
	case isa.OpRcp:
		op, a, b = isa.OpDiv, 1, a
	case isa.OpAdd, isa.OpMul, isa.OpFma, isa.OpDiv, isa.OpSqrt:
	default:
		return 0, false
	}
	x := nearest(op, t, a, b, c)
	if in.Round != isa.RoundNone && in.Round != isa.RoundNearest {
		x = directed(op, t, in.Round, x, a, b, c)
	} else if op == isa.OpMul || op == isa.OpFma {
		least := math.Ldexp(1, shapes[t].least)
		if math.Abs(x) == least && vanishes(in, t, exactly(op, a, b, c)) {
			x = math.Copysign(0, x)
		}
	}
	return encode(t, x), true
}

// vanishes reports whether .ftz makes x zero, to nearest. The digits of x are those of a normal number before
// its exponent is seen to be too small, so the limit is half a digit below the smallest normal number.
func vanishes(in *isa.Inst, t isa.Type, x *big.Rat) bool {
	s := shapes[t]
	limit := rational(math.Ldexp(1, s.least))
	limit.Sub(limit, rational(math.Ldexp(1, s.least-s.fraction-2)))
	return in.Flags&isa.FlagFtz != 0 && new(big.Rat).Abs(x).Cmp(limit) < 0
}

// encode returns x as a value of type t, rounded to nearest.
func encode(t isa.Type, x float64) uint64 {
	if t == isa.F32 {
		return bits32(float32(x))
	}
	return bits64(x)
}

// nearest returns the result rounded to nearest even, a value of type t.
func nearest(op isa.Op, t isa.Type, a, b, c float64) float64 {
	if t == isa.F64 {
		switch op {
		case isa.OpAdd:
			return a + b
		case isa.OpMul:
			return a * b
		case isa.OpDiv:
			return a / b
		case isa.OpSqrt:
			return math.Sqrt(a)
		}
		return math.FMA(a, b, c)
	}
	x, y := float32(a), float32(b)
	switch op {
	case isa.OpAdd:
		return float64(float32(x + y))
	case isa.OpMul:
		return float64(float32(x * y))
	case isa.OpDiv:
		return float64(float32(x / y))
	case isa.OpSqrt:
		return float64(float32(math.Sqrt(a))) // rounding twice is harmless: 53 bits > 2*24 + 1
	}
	return float64(fma32(a, b, c))
}

// fma32 computes a*b + c for values of f32.
//
// The product is exact in float64. The sum is rounded to odd there: if it is inexact, the last bit
// is set. Rounding that to the 24 bits of f32 is then correct, since 53 is at least 24 + 2 (S.
// Boldo and G. Melquiond, Emulation of a FMA and correctly rounded sums, 2008).
func fma32(a, b, c float64) float32 {
	p := float64(a * b)
	s := float64(p + c)
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	// The rounding error of the sum is exact in float64 (Knuth, TwoSum).
	q := float64(s - p)
	e := float64(float64(p-float64(s-q)) + float64(c-q))
	if e != 0 && math.Float64bits(s)&1 == 0 {
		s = math.Nextafter(s, math.Copysign(math.Inf(1), e))
	}
	return float32(s)
}

// directed moves x, the result to nearest, to the neighbour on the side of the exact result that
// the rounding mode demands. Infinities of exact operations and NaN stay.
func directed(op isa.Op, t isa.Type, mode isa.Round, x, a, b, c float64) float64 {
	if math.IsNaN(x) || !finite(a) || !finite(b) || !finite(c) || op == isa.OpDiv && b == 0 {
		return x
	}
	if op == isa.OpSqrt && a <= 0 {
		return x
	}
	exact := exactly(op, a, b, c)
	if exact.Sign() == 0 {
		return zero(op, mode, x, a, b, c)
	}
	above := 0
	if op == isa.OpSqrt && !math.IsInf(x, 0) {
		r := rational(x)
		above = exact.Cmp(r.Mul(r, r)) // exact is the square here
	} else {
		above = compare(exact, x)
	}
	return settle(t, mode, x, exact.Sign(), above)
}

// compare returns the sign of exact - x.
func compare(exact *big.Rat, x float64) int {
	switch {
	case math.IsInf(x, 1):
		return -1
	case math.IsInf(x, -1):
		return 1
	}
	return exact.Cmp(rational(x))
}

// settle chooses between x, the exact result rounded to nearest, and its neighbours. Above is the
// sign of the exact result minus x, side the sign of the exact result.
func settle(t isa.Type, mode isa.Round, x float64, side, above int) float64 {
	down := mode == isa.RoundDown || mode == isa.RoundZero && side > 0
	switch {
	case down && above < 0:
		x = neighbour(t, x, math.Inf(-1))
	case !down && above > 0:
		x = neighbour(t, x, math.Inf(1))
	}
	if x == 0 {
		return math.Copysign(0, float64(side))
	}
	return x
}

// exactly returns the result as a rational number; for the square root, its square.
func exactly(op isa.Op, a, b, c float64) *big.Rat {
	r := rational(a)
	switch op {
	case isa.OpAdd:
		r.Add(r, rational(b))
	case isa.OpMul:
		r.Mul(r, rational(b))
	case isa.OpFma:
		r.Mul(r, rational(b)).Add(r, rational(c))
	case isa.OpDiv:
		r.Quo(r, rational(b))
	}
	return r
}

// zero returns an exact zero with its sign. A sum of opposite numbers is negative only when
// rounding down (IEEE 754, section 6.3).
func zero(op isa.Op, mode isa.Round, x, a, b, c float64) float64 {
	cancels := false
	switch op {
	case isa.OpAdd:
		cancels = math.Signbit(a) != math.Signbit(b)
	case isa.OpFma:
		cancels = (math.Signbit(a) != math.Signbit(b)) != math.Signbit(c)
	}
	if cancels && mode == isa.RoundDown {
		return math.Copysign(0, -1)
	}
	return x
}

func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// neighbour returns the value of type t next to x in the direction of to.
func neighbour(t isa.Type, x, to float64) float64 {
	if t == isa.F32 {
		return float64(math.Nextafter32(float32(x), float32(to)))
	}
	return math.Nextafter(x, to)
}
