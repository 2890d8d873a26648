package printf

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
)

// block is the arguments as C passes them: int32, int64, float64, and strings as addresses. The
// address of a string is its index in the list.
func block(f *Format, args []any) []byte {
	out := make([]byte, f.Bytes)
	for i, a := range args {
		to := out[f.Args[i].Off:]
		switch a := a.(type) {
		case int:
			binary.LittleEndian.PutUint32(to, uint32(a))
		case int64:
			binary.LittleEndian.PutUint64(to, uint64(a))
		case float64:
			binary.LittleEndian.PutUint64(to, math.Float64bits(a))
		case string:
			binary.LittleEndian.PutUint64(to, uint64(i))
		}
	}
	return out
}

// cases have formats, arguments and the text that the C library makes of them. TestAgainstC compares
// them with the C library.
var cases = []struct {
	format string
	args   []any
	want   string
}{
	{"plain 100%%\n", nil, "plain 100%\n"},
	{"%d%%", []any{7}, "7%"},
	{"%d|%i|%u|%x|%X|%o|%c", []any{-1, -2, -1, 255, 255, 8, 65}, "-1|-2|4294967295|ff|FF|10|A"},
	{
		"%5d|%-5d|%05d|%+d|% d|%.3d|%5.3d|%05.3d|%.0d",
		[]any{42, 42, 42, 42, 42, 7, 7, 7, 0},
		"   42|42   |00042|+42| 42|007|  007|  007|",
	},
	{
		"%ld|%lld|%lx|%hd|%hhd|%hu|%hhx",
		[]any{int64(-5), int64(1) << 40, int64(-1), 65535, 255, 65536 + 3, 300},
		"-5|1099511627776|ffffffffffffffff|-1|-1|3|2c",
	},
	{"%#x|%#X|%#o|%#x|%+u|% x", []any{255, 255, 8, 0, 5, 5}, "0xff|0XFF|010|0|5|5"},
	{"%*d|%*d|%-*d|", []any{6, 1, -6, 2, 3, 3}, "     1|2     |3  |"},
	{
		"%f|%e|%g|%G|%.2f|%8.3f|%-8.1f|%08.2f|%+.1f",
		[]any{1.5, 12345.678, 1e-5, 1e10, 2.005, 3.14159, 2.5, -1.25, 0.25},
		"1.500000|1.234568e+04|1e-05|1E+10|2.00|   3.142|2.5     |-0001.25|+0.2",
	},
	{
		"%g|%g|%g|%g|%#g|%.0f|%.3g|%g",
		[]any{100000., 1000000., 0.0001, 1. / 3, 1., 2.5, 1234567., 0.},
		"100000|1e+06|0.0001|0.333333|1.00000|2|1.23e+06|0",
	},
	{"%f|%5f|%-5f|%+f|%05F|%e|%G", []any{
		math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(1), math.Inf(1), math.NaN(),
		math.Inf(-1),
	}, "inf| -inf|inf  |+inf|  INF|nan|-INF"},
	{
		"%a|%a|%A|%.2a|%a|%12a|%-12a|%012a|%+a",
		[]any{1., 0.15625, 1024.5, 3.14159, 0., -2., -2., -2., 1e300},
		"0x1p+0|0x1.4p-3|0X1.002P+10|0x1.92p+1|0x0p+0|     -0x1p+1|-0x1p+1     |-0x000001p+1|+0x1.7e43c8800759cp+996",
	},
	{"%s|%5s|%-5s|%.2s|", []any{"one", "two", "six", "seven"}, "one|  two|six  |se|"},
	{"%d %f %c %lld %s %u", []any{1, 2.5, 66, int64(3), "x", 9}, "1 2.500000 B 3 x 9"},
}

func TestFormats(t *testing.T) {
	for _, c := range cases {
		f, err := Parse(c.format)
		require.NoError(t, err, c.format)
		require.Len(t, f.Args, len(c.args), c.format)
		got := f.Sprint(block(f, c.args), func(i uint64) string { return c.args[i].(string) })
		assert.Equal(t, c.want, got, c.format)
	}
	f, err := Parse("%p|%4p|%12p")
	require.NoError(t, err)
	assert.Equal(t, "0x10|0x10|        0x10", f.Sprint([]byte{16, 7: 0, 16, 15: 0, 16, 23: 0}, nil))
}

// TestAgainstC prints the cases with the C library.
func TestAgainstC(t *testing.T) {
	need.Tool(t, "clang-19")
	var c, want strings.Builder
	c.WriteString("#include <math.h>\n#include <stdio.h>\nint main(void) {\n")
	for _, k := range cases {
		fmt.Fprintf(&c, "printf(%q", k.format+"\n")
		for _, a := range k.args {
			switch a := a.(type) {
			case int64:
				fmt.Fprintf(&c, ", %dll", a)
			case float64:
				switch {
				case math.IsNaN(a):
					c.WriteString(", NAN")
				case math.IsInf(a, 0):
					fmt.Fprintf(&c, ", %cINFINITY", "+-"[map[bool]int{true: 1}[a < 0]])
				default:
					fmt.Fprintf(&c, ", %x", a) // exactly
				}
			case string:
				fmt.Fprintf(&c, ", %q", a)
			default:
				fmt.Fprintf(&c, ", %d", a)
			}
		}
		c.WriteString(");\n")
		want.WriteString(k.want + "\n")
	}
	c.WriteString("return 0; }\n")
	dir := t.TempDir()
	source, program := filepath.Join(dir, "c.c"), filepath.Join(dir, "c")
	require.NoError(t, os.WriteFile(source, []byte(c.String()), 0o600))
	out, err := exec.Command("clang-19", "-w", source, "-o", program).CombinedOutput()
	require.NoError(t, err, "%s", out)
	got, err := exec.Command(program).Output()
	require.NoError(t, err)
	assert.Equal(t, want.String(), string(got))
}

// TestBlock: each argument is at a multiple of its size.
func TestBlock(t *testing.T) {
	f, err := Parse("%c %f %hd %*s %%")
	require.NoError(t, err)
	assert.Equal(t, []Arg{{0, 4}, {8, 8}, {16, 4}, {20, 4}, {24, 8}}, f.Args)
	assert.Equal(t, uint64(32), f.Bytes)
}

func TestErrors(t *testing.T) {
	for format, want := range map[string]string{
		"a %n b":  `"%n": the type of a conversion is one of`,
		"%d %5":   `"%5": a conversion without a type`,
		"%5%":     `"%5%": the type of a conversion is one of`,
		"%Lf":     `"%L": the type of a conversion is one of`,
		"%llld":   `"%lll": a size is h, hh, l or ll`,
		"%ls":     `"%ls": s takes no size`,
		"%.*f":    `"%.*": the type of a conversion is one of`,
		"%zu, %d": `"%z": the type of a conversion is one of`,
	} {
		_, err := Parse(format)
		assert.ErrorContains(t, err, want)
	}
}

func Example() {
	f, err := Parse("%d of %d\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(f.Sprint([]byte{3, 0, 0, 0, 5, 0, 0, 0}, nil))
	// Output: 3 of 5
}
