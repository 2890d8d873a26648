package cuda_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/cuda"
	"divergo/gpu"
	"divergo/testbench"
)

var update = flag.Bool("update", false,
	"write the table of errors of device mathematics into docs/reference/device-math.md")

// function is a function of device mathematics.
type function struct {
	name     string
	exact    func(x, y real) real
	from, to float64 // range of the arguments: half are drawn uniformly, half by their exponent
	second   bool    // two arguments
	// NVIDIA's maximum errors, for float and double (CUDA C++ Programming Guide 13, tables 17 and
	// 18).
	float, double float64
}

func one(f func(real) real) func(x, y real) real { return func(x, _ real) real { return f(x) } }

var mathFunctions = []function{
	{"acos", one(func(x real) real { return sub(halfPi, asin(x)) }), -1, 1, false, 2, 2},
	{"acosh", one(acosh), 1, 1e30, false, 4, 3},
	{"asin", one(asin), -1, 1, false, 2, 2},
	{"asinh", one(asinh), -1e30, 1e30, false, 3, 3},
	{"atan", one(atan), -1e30, 1e30, false, 2, 2},
	{"atan2", atan2, -1e10, 1e10, true, 3, 2},
	{"atanh", one(atanh), -1, 1, false, 3, 2},
	{"cbrt", one(cbrt), -1e30, 1e30, false, 1, 1},
	{"cos", one(cos), -1e6, 1e6, false, 2, 2},
	{"cosh", one(cosh), -80, 80, false, 2, 1},
	{"cospi", one(func(x real) real { return cos(mul(pi, x)) }), -1e5, 1e5, false, 1, 2},
	{"cyl_bessel_i0", one(func(x real) real { return besselI(0, x) }), -80, 80, false, 6, 6},
	{"cyl_bessel_i1", one(func(x real) real { return besselI(1, x) }), -80, 80, false, 6, 6},
	{"erf", one(erf), -6, 6, false, 2, 2},
	{"erfc", one(erfc), -6, 9, false, 4, 5},
	{"erfcinv", one(erfcinv), 0, 2, false, 4, 6},
	{"erfcx", one(func(x real) real { return mul(exp(mul(x, x)), erfc(x)) }), -9, 50, false, 4, 4},
	{"erfinv", one(erfinv), -1, 1, false, 2, 5},
	{"exp", one(exp), -80, 80, false, 2, 1},
	{"exp10", one(func(x real) real { return exp(mul(x, ln10)) }), -35, 35, false, 2, 1},
	{"exp2", one(func(x real) real { return exp(mul(x, ln2)) }), -120, 120, false, 2, 1},
	{"expm1", one(expm1), -80, 80, false, 1, 1},
	{"fmod", func(x, y real) real { return remainder(x, y, false) }, -1e6, 1e6, true, 0, 0},
	{"hypot", func(x, y real) real { return root(add(mul(x, x), mul(y, y))) }, -1e15, 1e15, true, 3, 2},
	{"lgamma", one(lgamma), 0, 1e6, false, 6, 4},
	{"log", one(log), 0, 1e30, false, 1, 1},
	{"log10", one(func(x real) real { return div(log(x), ln10) }), 0, 1e30, false, 2, 1},
	{"log1p", one(log1p), -1, 1e30, false, 1, 1},
	{"log2", one(func(x real) real { return div(log(x), ln2) }), 0, 1e30, false, 1, 1},
	{"normcdf", one(func(x real) real { return scale(erfc(div(neg(x), root2)), -1) }), -12, 8, false, 5, 5},
	{"normcdfinv", one(func(x real) real { return neg(mul(root2, erfcinv(scale(x, 1)))) }), 0, 1, false, 5, 8},
	{"pow", pow, 0, 20, true, 4, 2},
	{"rcbrt", one(func(x real) real { return div(num(1), cbrt(x)) }), -1e30, 1e30, false, 1, 1},
	{"remainder", func(x, y real) real { return remainder(x, y, true) }, -1e6, 1e6, true, 0, 0},
	{"rhypot", func(x, y real) real { return div(num(1), root(add(mul(x, x), mul(y, y)))) }, -1e15, 1e15, true, 2, 1},
	{"rsqrt", one(func(x real) real { return div(num(1), root(x)) }), 0, 1e30, false, 2, 1},
	{"sin", one(sin), -1e6, 1e6, false, 2, 2},
	{"sinh", one(sinh), -80, 80, false, 3, 2},
	{"sinpi", one(func(x real) real { return sin(mul(pi, x)) }), -1e5, 1e5, false, 1, 2},
	{"sqrt", one(root), 0, 1e30, false, 0, 0},
	{"tan", one(func(x real) real { s, c := sincos(x); return div(s, c) }), -1e6, 1e6, false, 4, 2},
	{"tanh", one(func(x real) real { return div(sinh(x), cosh(x)) }), -20, 20, false, 2, 1},
	{"tgamma", one(tgamma), -20, 33, false, 5, 10},
}

// draw makes an argument; narrow ones are 32-bit floats.
func (f *function) draw(r *rand.Rand, n int, narrow bool) float64 {
	for {
		x := f.from + (f.to-f.from)*r.Float64()
		if n%2 == 1 {
			limit := max(math.Abs(f.from), math.Abs(f.to))
			x = math.Copysign(math.Exp2(math.Log2(limit)-r.Float64()*(math.Log2(limit)+20)), r.Float64()-0.5)
			if f.from >= 0 {
				x = math.Abs(x)
			}
		}
		if narrow {
			x = float64(float32(x))
		}
		if x > f.from && x < f.to {
			return x
		}
	}
}

// ulps returns the distance from the exact result in units in the last place.
func ulps(got float64, exact real, narrow bool) float64 {
	precision, least := 53, -1074
	if narrow {
		precision, least = 24, -149
	}
	if math.IsNaN(got) || math.IsInf(got, 0) {
		return math.Inf(1)
	}
	last := max(exact.MantExp(nil)-precision, least)
	return math.Abs(approx(scale(sub(num(got), exact), -last)))
}

const mathPoints = 300

// TestMath: the table of the documentation holds the largest errors of device functions, in units
// in the last place. They are measured against exact results.
func TestMath(t *testing.T) {
	program := build(t, "testdata/math.cu")
	var table strings.Builder
	table.WriteString("| function | arguments | `float`: ours | NVIDIA's | `double`: ours | NVIDIA's |\n|---|---|---|---|---|---|\n")
	var names []string
	var in []float64
	step := 1
	if testing.Short() {
		step = 6
	}
	for i := 0; i < len(mathFunctions); i += step {
		f := &mathFunctions[i]
		for narrow, suffix := range []string{"", "f"} {
			names = append(names, f.name+suffix)
			r := rand.New(rand.NewPCG(uint64(i), uint64(narrow)))
			for n := range mathPoints {
				in = append(in, f.draw(r, n, narrow == 1), f.draw(r, n/2, narrow == 1))
			}
		}
	}
	out := values(t, program, names, in)
	for i := 0; i < len(mathFunctions); i += step {
		f := &mathFunctions[i]
		errors := [2]float64{}
		for narrow := range 2 {
			for _, got := range out[:mathPoints] {
				errors[narrow] = max(errors[narrow], ulps(got, f.exact(num(in[0]), num(in[1])), narrow == 1))
				in = in[2:]
			}
			out = out[mathPoints:]
		}
		x := "x"
		if f.second {
			x = "x, y"
		}
		fmt.Fprintf(&table, "| `%s` | %s from %g to %g | %s | %g | %s | %g |\n", f.name, x, f.from, f.to,
			upwards(errors[1]), f.float, upwards(errors[0]), f.double)
	}
	const file, begin, end = "../docs/reference/device-math.md", "<!-- errors -->\n", "<!-- end of errors -->\n"
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(data), begin)
	require.True(t, ok)
	old, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update && !testing.Short() {
		require.NoError(t, os.WriteFile(file, []byte(head+begin+table.String()+end+tail), 0o644))
		return
	}
	for _, line := range strings.Split(strings.TrimSpace(table.String()), "\n") {
		assert.Contains(t, old, line+"\n", "go test ./cuda -run Math -update")
	}
}

// upwards rounds up to two decimals.
func upwards(x float64) string { return strconv.FormatFloat(math.Ceil(x*100)/100, 'f', 2, 64) }

// values returns the results of device functions, each for the same pairs of arguments.
func values(t *testing.T, program string, functions []string, in []float64) []float64 {
	t.Helper()
	cfg := gpu.Default()
	cfg.GPU.SMs = 4
	session, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 100_000_000})
	require.NoError(t, err)
	var stdin, stdout, stderr bytes.Buffer
	require.NoError(t, binary.Write(&stdin, binary.LittleEndian, in))
	server := &cuda.Server{Session: session, Launch: (*testbench.Session).Launch, Stderr: &stderr, Name: "test"}
	code, err := cuda.Run(server, func() bool { return false }, &stdin, &stdout, &stderr, program,
		append([]string{strconv.Itoa(mathPoints)}, functions...)...)
	require.NoError(t, err)
	require.Zero(t, code, "%s", &stderr)
	out := make([]float64, len(in)/2)
	require.NoError(t, binary.Read(&stdout, binary.LittleEndian, out))
	return out
}

// TestExact: the reference gives constants to 60 digits (Abramowitz & Stegun, tables 1.1 and 6.1;
// OEIS A019704).
func TestExact(t *testing.T) {
	for _, c := range []struct {
		what  string
		value real
		want  string
	}{
		{"pi", pi, "3.14159265358979323846264338327950288419716939937510582097494459"},
		{"ln 2", ln2, "0.693147180559945309417232121458176568075500134360255254120680009"},
		{"e", exp(num(1)), "2.71828182845904523536028747135266249775724709369995957496696763"},
		{"4 atan 1", mul(num(4), atan(num(1))), "3.14159265358979323846264338327950288419716939937510582097494459"},
		{"gamma(1/2)", tgamma(num(0.5)), "1.77245385090551602729816748334114518279754945612238712821380779"},
		{"gamma(-1/2)", tgamma(num(-0.5)), "-3.54490770181103205459633496668229036559509891224477425642761558"},
		{
			"6 asin(1/2)", mul(num(6), asin(num(0.5))),
			"3.14159265358979323846264338327950288419716939937510582097494459",
		},
		{"tan(pi/4)", func() real { s, c := sincos(scale(pi, -2)); return div(s, c) }(), "1"},
		{"sin^2+cos^2 of 1e6", func() real { s, c := sincos(num(1e6)); return add(mul(s, s), mul(c, c)) }(), "1"},
		{"erf(erfinv(1/4))", erf(erfinv(num(0.25))), "0.25"},
		{"erfc(erfcinv(2^-60))", erfc(erfcinv(scale(num(1), -60))), "8.673617379884035472059622406959533691406250e-19"},
		{"erf + erfc of 9", add(erf(num(9)), erfc(num(9))), "1"},
		{"asinh(sinh(3))", asinh(sinh(num(3))), "3"},
		{"acosh(cosh(3))", acosh(cosh(num(3))), "3"},
		{"2^0.5 squared", mul(pow(num(2), num(0.5)), pow(num(2), num(0.5))), "2"},
		{"cbrt(-8)", cbrt(num(-8)), "-2"},
	} {
		want, _, err := big.ParseFloat(c.want, 10, bits, big.ToNearestEven)
		require.NoError(t, err)
		off := sub(c.value, want)
		assert.Less(t, math.Abs(approx(div(off, want))), 1e-60, "%s is %s", c.what, c.value.Text('g', 40))
	}
}
