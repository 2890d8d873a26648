package cuda_test

import (
	"math"
	"math/big"
)

// The reference of device mathematics: functions of real numbers to some 300 bits, by series cut at
// negligible terms. Arguments are floats, exactly.

const bits = 512

type real = *big.Float

func num(x float64) real        { return new(big.Float).SetPrec(bits).SetFloat64(x) }
func zero() real                { return new(big.Float).SetPrec(bits) }
func add(a, b real) real        { return zero().Add(a, b) }
func sub(a, b real) real        { return zero().Sub(a, b) }
func mul(a, b real) real        { return zero().Mul(a, b) }
func div(a, b real) real        { return zero().Quo(a, b) }
func neg(a real) real           { return zero().Neg(a) }
func root(a real) real          { return zero().Sqrt(a) }
func scale(a real, by int) real { return zero().SetMantExp(a, by) }
func approx(a real) float64     { f, _ := a.Float64(); return f }

// negligible reports whether a term is too small to change a sum.
func negligible(term, sum real) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-bits
}

// series adds terms, each made from the one before, until they are negligible.
func series(first real, next func(term real, n int) real) real {
	sum, term := zero().Set(first), first
	for n := 1; ; n++ {
		term = next(term, n)
		if n > 4 && negligible(term, sum) {
			return sum
		}
		sum = add(sum, term)
	}
}

// arccot returns the arctangent of 1/n.
func arccot(n float64) real {
	square := num(n * n)
	power := div(num(1), num(n))
	return series(power, func(_ real, k int) real {
		power = neg(div(power, square))
		return div(power, num(float64(2*k+1)))
	})
}

// arctanhThird returns artanh(1/3), half of ln 2.
func arctanhThird() real {
	power := div(num(1), num(3))
	return series(power, func(_ real, k int) real {
		power = div(power, num(9))
		return div(power, num(float64(2*k+1)))
	})
}

var (
	pi     = mul(num(4), sub(mul(num(4), arccot(5)), arccot(239))) // Machin
	halfPi = scale(pi, -1)
	ln2    = scale(arctanhThird(), 1)
	ln10   = log(num(10))
	rootPi = root(pi)
	root2  = root(num(2))
)

func exp(x real) real {
	if x.Sign() == 0 {
		return num(1)
	}
	halvings := max(0, x.MantExp(nil)+8)
	small := scale(x, -halvings)
	e := series(num(1), func(t real, n int) real { return div(mul(t, small), num(float64(n))) })
	for range halvings {
		e = mul(e, e)
	}
	return e
}

// log uses Halley's method on exp, starting at the float's logarithm.
func log(x real) real {
	mantissa := zero()
	exponent := x.MantExp(mantissa)
	y := num(math.Log(approx(mantissa)))
	for range 4 {
		e := exp(y)
		y = add(y, scale(div(sub(mantissa, e), add(mantissa, e)), 1))
	}
	if exponent != 0 {
		y = add(y, mul(num(float64(exponent)), ln2))
	}
	return y
}

func expm1(x real) real {
	if x.MantExp(nil) > -20 {
		return sub(exp(x), num(1))
	}
	return series(x, func(t real, n int) real { return div(mul(t, x), num(float64(n+1))) })
}

func log1p(x real) real {
	if x.MantExp(nil) > -20 {
		return log(add(num(1), x))
	}
	power := x
	return series(x, func(_ real, n int) real {
		power = neg(mul(power, x))
		return div(power, num(float64(n+1)))
	})
}

// sincos reduces the argument to between -pi/4 and pi/4, and returns the values of its quadrant.
func sincos(x real) (s, c real) {
	quotient := div(x, halfPi)
	whole, _ := add(quotient, num(math.Copysign(0.5, float64(quotient.Sign())))).Int(nil)
	r := sub(x, mul(zero().SetInt(whole), halfPi))
	square := neg(mul(r, r))
	s = series(r, func(t real, n int) real { return div(mul(t, square), num(float64(2*n*(2*n+1)))) })
	c = series(num(1), func(t real, n int) real { return div(mul(t, square), num(float64((2*n-1)*2*n))) })
	switch new(big.Int).And(whole, big.NewInt(3)).Int64() {
	case 1:
		return c, neg(s)
	case 2:
		return neg(s), neg(c)
	case 3:
		return neg(c), s
	}
	return s, c
}

func sin(x real) real { s, _ := sincos(x); return s }
func cos(x real) real { _, c := sincos(x); return c }

func atan(x real) real {
	if x.Sign() == 0 {
		return zero()
	}
	if x.MantExp(nil) > 1 || zero().Abs(x).Cmp(num(1)) > 0 {
		a := sub(halfPi, atan(div(num(1), zero().Abs(x))))
		if x.Sign() < 0 {
			return neg(a)
		}
		return a
	}
	doublings := 0
	for ; x.MantExp(nil) > -8; doublings++ {
		x = div(x, add(num(1), root(add(num(1), mul(x, x)))))
	}
	square := neg(mul(x, x))
	power := x
	sum := series(x, func(_ real, n int) real {
		power = mul(power, square)
		return div(power, num(float64(2*n+1)))
	})
	return scale(sum, doublings)
}

func atan2(y, x real) real {
	switch {
	case x.Sign() > 0:
		return atan(div(y, x))
	case y.Sign() >= 0:
		return add(atan(div(y, x)), pi)
	}
	return sub(atan(div(y, x)), pi)
}

func asin(x real) real {
	if one := sub(num(1), mul(x, x)); one.Sign() > 0 {
		return atan(div(x, root(one)))
	}
	return mul(num(float64(x.Sign())), halfPi)
}

func sinh(x real) real { return scale(sub(expm1(x), expm1(neg(x))), -1) }
func cosh(x real) real { return scale(add(exp(x), exp(neg(x))), -1) }
func pow(x, y real) real {
	return exp(mul(y, log(x)))
}

func cbrt(x real) real {
	a := zero().Abs(x)
	y := exp(div(log(a), num(3)))
	if x.Sign() < 0 {
		return neg(y)
	}
	return y
}

func asinh(x real) real {
	a := zero().Abs(x)
	square := mul(a, a)
	y := log1p(add(a, div(square, add(num(1), root(add(num(1), square))))))
	if x.Sign() < 0 {
		return neg(y)
	}
	return y
}

func acosh(x real) real {
	return log(add(x, root(sub(mul(x, x), num(1)))))
}

func atanh(x real) real {
	return scale(sub(log1p(x), log1p(neg(x))), -1)
}

// erf uses its series (Abramowitz & Stegun 7.1.6), whose terms are all positive. erfc is 1 - erf
// or, where that would cancel, the continued fraction (7.1.14).
func erf(x real) real {
	square := scale(mul(x, x), 1)
	sum := series(x, func(t real, n int) real { return div(mul(t, square), num(float64(2*n+1))) })
	return div(scale(mul(sum, exp(neg(mul(x, x)))), 1), rootPi)
}

func erfc(x real) real {
	if x.Cmp(num(8)) < 0 {
		return sub(num(1), erf(x))
	}
	f := x
	for k := 2000; k > 0; k-- {
		f = add(x, div(num(float64(k)/2), f))
	}
	return div(exp(neg(mul(x, x))), mul(rootPi, f))
}

// solve finds the argument at which a rising function has a value, by Newton's method from a float.
func solve(guess float64, value real, f func(real) real, slope func(real) real) real {
	y := num(guess)
	for range 8 {
		y = sub(y, div(sub(f(y), value), slope(y)))
	}
	return y
}

func erfSlope(y real) real { return div(scale(exp(neg(mul(y, y))), 1), rootPi) }

func erfinv(x real) real { return solve(math.Erfinv(approx(x)), x, erf, erfSlope) }

func erfcinv(q real) real {
	guess := math.Erfcinv(approx(q))
	if f := approx(q); f < 0.1 { // Abramowitz & Stegun 26.2.23
		t := math.Sqrt(-2 * math.Log(f/2))
		guess = (t - (2.515517+t*(0.802853+t*0.010328))/(1+t*(1.432788+t*(0.189269+t*0.001308)))) / math.Sqrt2
	}
	return solve(guess, q, erfc, func(y real) real { return neg(erfSlope(y)) })
}

// lgamma uses Stirling's series at 80 or more, for a positive number (6.1.40).
func lgamma(x real) real {
	product := num(1)
	z := x
	for z.Cmp(num(80)) < 0 {
		product = mul(product, z)
		z = add(z, num(1))
	}
	sum := sub(mul(sub(z, num(0.5)), log(z)), z)
	sum = add(sum, scale(log(scale(pi, 1)), -1))
	power := z
	square := mul(z, z)
	for n, b := range bernoulli {
		term := div(b, mul(num(float64(2*(n+1)*(2*n+1))), power))
		sum = add(sum, term)
		power = mul(power, square)
	}
	return sub(sum, log(product))
}

// bernoulli are B(2), B(4) ...
var bernoulli = func() (list []real) {
	const n = 100
	a := make([]*big.Rat, n+1)
	for m := range a { // Akiyama & Tanigawa
		a[m] = big.NewRat(1, int64(m+1))
		for j := m; j > 0; j-- {
			a[j-1] = new(big.Rat).Mul(big.NewRat(int64(j), 1), new(big.Rat).Sub(a[j-1], a[j]))
		}
		if m > 0 && m%2 == 0 {
			list = append(list, zero().SetRat(a[0]))
		}
	}
	return list
}()

func tgamma(x real) real {
	if x.Sign() > 0 {
		return exp(lgamma(x))
	}
	return div(pi, mul(sin(mul(pi, x)), exp(lgamma(sub(num(1), x)))))
}

func besselI(order int, x real) real {
	square := scale(mul(x, x), -2)
	first := num(1)
	if order == 1 {
		first = scale(x, -1)
	}
	return series(first, func(t real, k int) real { return div(mul(t, square), num(float64(k*(k+order)))) })
}

// remainder rounds the quotient towards zero, or to the nearest even integer.
func remainder(x, y real, nearest bool) real {
	// The result is exact: both are integers of a common unit.
	a, b := new(big.Rat), new(big.Rat)
	x.Rat(a)
	y.Rat(b)
	q := new(big.Rat).Quo(a, b)
	whole := new(big.Int).Quo(q.Num(), q.Denom())
	if nearest {
		rest := new(big.Rat).Sub(q, new(big.Rat).SetInt(whole))
		half := new(big.Rat).Abs(rest).Cmp(big.NewRat(1, 2))
		if half > 0 || half == 0 && whole.Bit(0) == 1 {
			whole.Add(whole, big.NewInt(int64(rest.Sign())))
		}
	}
	return zero().SetRat(a.Sub(a, b.Mul(b, new(big.Rat).SetInt(whole))))
}
