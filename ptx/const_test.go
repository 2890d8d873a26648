package ptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

// globalInit is the initialiser of a variable declared by text.
func globalInit(t *testing.T, text string) isa.Global {
	t.Helper()
	m, err := Parse("k.ptx", []byte(".version 7.1\n.target sm_35\n.address_size 64\n"+text+"\n.entry k() { ret; }"))
	require.NoError(t, err)
	p, err := m.Program("")
	require.NoError(t, err)
	return p.Globals[len(p.Globals)-1]
}

// Values follow C, with 64-bit integers (section 4.6.4).
func TestConstantExpressions(t *testing.T) {
	tests := []struct {
		text string
		want int64
	}{
		{"42", 42},
		{"0x2aU", 42},
		{"052", 42},
		{"0b101010", 42},
		{"-1", -1},
		{"~0", -1},
		{"!5", 0},
		{"!0", 1},
		{"2+3*4", 14},
		{"(2+3)*4", 20},
		{"10-4-3", 3},
		{"1<<4|1", 17},
		{"7&3^1", 2},
		{"-8>>1", -4},
		{"0xfffffffffffffff8>>1", 0x7ffffffffffffffc}, // does not fit s64, so unsigned
		{"-7/2", -3},
		{"-7 % 4", 1}, // unsigned, unlike in C
		{"~0>>63", 1},
		{"-1<<-1", 0},
		{"1<<64", 0},
		{"-5>>64", -1},
		{"(0U-1)/2", math.MaxInt64},
		{"(-1|0U)>>63", 1},
		{"(1?-1:0U)/2", math.MaxInt64},
		{"(.u64)-1/2", math.MaxInt64},
		{"(.s64)0xffffffffffffffff/2", 0},
		{"-1<0", 1},
		{"-1<0U", 0},
		{"3==3 && 2!=2 || 1", 1},
		{"5>=5", 1},
		{"5<=4", 0},
		{"1?2:3", 2},
		{"0?2:0?4:5", 5},
		{"-0x8000000000000000", math.MinInt64},
		{"1.5<2.5", 1},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			g := globalInit(t, ".global .b64 x = "+tt.text+";")
			assert.Equal(t, tt.want, int64(binary.LittleEndian.Uint64(g.Init)))
		})
	}
}

func TestFloatConstants(t *testing.T) {
	for text, want := range map[string]float64{
		"1.0": 1, "-2.5": -2.5, "1e3": 1000, "1.5e-3": 1.5e-3, "2E+2": 200, "0.5*3.0-1.0": 0.5, "1.0/4.0": 0.25,
		"0f3FC00000": 1.5, "0d3FF8000000000000": 1.5, "-0f3FC00000": -1.5, "0F00000001": 0x1p-149,
	} {
		t.Run(text, func(t *testing.T) {
			g := globalInit(t, ".global .f64 x = "+text+";")
			assert.Equal(t, math.Float64bits(want), binary.LittleEndian.Uint64(g.Init))
		})
	}
	single := globalInit(t, ".global .f32 x = 0.1;")
	assert.Equal(t, uint32(0x3dcccccd), binary.LittleEndian.Uint32(single.Init))
}

func TestBadConstants(t *testing.T) {
	for text, want := range map[string]string{
		"1/0":                  "division by zero",
		"1 % 0":                "division by zero",
		"0f3F800000+1.0":       "a 0f constant cannot be part of an expression",
		"1?1:1.0":              "cannot mix integers and floating point",
		"1+1.0":                "cannot mix integers and floating point",
		"1.0|2.0":              "this operator wants integers",
		"~1.0":                 "operator ~ wants an integer",
		"(.u64)1.0":            "a cast wants an integer",
		"1.0?1:2":              "the condition before \\? wants an integer",
		"09":                   "malformed number 09",
		"1_000":                "malformed number 1_000",
		"0d12":                 "0d is followed by exactly 16 hexadecimal digits",
		"0x10000000000000000":  "does not fit in 64 bits",
		"1?2":                  "expected ':' in a conditional expression",
		"(":                    "expected a constant, found ';'",
		"99999999999999999999": "does not fit in 64 bits",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := Parse("k.ptx", []byte(".version 7.1\n.target sm_35\n.global .b64 x = "+text+
				";\n.entry k() { ret; }"))
			require.Error(t, err)
			assert.Len(t, err.(List), 1, err)
			assert.Regexp(t, want, err.Error())
		})
	}
}

// Nested braces fill rows as in C; missing elements are zero (section 5.4.4).
func TestInitialisers(t *testing.T) {
	u32s := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	tests := []struct {
		text string
		size uint64
		want []byte
	}{
		{".global .u8 x[4] = {1, 2, -1};", 4, []byte{1, 2, 255}},
		{".global .u32 x[2][3] = {{1, 2}, {3, 4, 5}};", 24, u32s(1, 2, 0, 3, 4, 5)},
		{".global .u32 x[2][3] = {1, 2, 3, 4};", 24, u32s(1, 2, 3, 4)},
		{".global .u32 x[2][3] = {1, {2}};", 24, u32s(1, 0, 0, 2)},
		{".global .u32 x[] = {1, 2, 3};", 12, u32s(1, 2, 3)},
		{".global .u32 x[][2] = {{1}, {2}, {3, 4}};", 24, u32s(1, 0, 2, 0, 3, 4)},
		{".global .v2 .u32 x[2] = {{1, 2}, {3}};", 16, u32s(1, 2, 3)},
		{".const .f32 x[2] = {1.0, 0f40000000};", 8, u32s(0x3f800000, 0x40000000)},
		{".global .u8 x[2] = {0xFF(1000 + 546), 0xFF00(131187)};", 2, []byte{0x0a, 0x00}},
		{".global .u32 x = {};", 4, nil},
		{".global .u32 x[2][2] = {{},{7}};", 16, u32s(0, 0, 7)},
		{".global .align 8 .u32 y; .global .u64 x = y+4;", 8, []byte{4, 0, 0, 4, 0, 0, 0, 0}},
		{
			".global .u32 y; .global .u64 x[2] = {generic(y)+2, 0};", 16,
			[]byte{2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		},
		{
			".global .u32 y; .global .u8 x[5] = {9, 0xFF(y), 0xFF00(generic(y)), 0xFF0000(y), 0xFF000000(y+0x5000000)};",
			5,
			[]byte{9, 0, 0, 0, 9},
		},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if tt.want == nil {
				_, err := Parse("k.ptx", []byte(".version 7.1\n.target sm_35\n"+tt.text+".entry k() { ret; }"))
				assert.ErrorContains(t, err, "too many braces")
				return
			}
			g := globalInit(t, tt.text)
			assert.Equal(t, tt.size, g.Size)
			assert.Equal(t, tt.want, g.Init)
		})
	}
}

// Immediates are cut to the width of the operand's type. Those with more bits are refused, whether
// read as signed or as unsigned.
func TestImmediateRange(t *testing.T) {
	for _, tt := range []struct {
		typ  string
		n    string
		want uint64
		ok   bool
	}{
		{"u16", "65535", 0xffff, true},
		{"s16", "65535", 0xffff, true},
		{"u16", "-32768", 0x8000, true},
		{"u16", "-32769", 0, false},
		{"s16", "65536", 0, false},
		{"s32", "4294967295", 0xffffffff, true},
		{"u32", "4294967296", 0, false},
		{"s64", "-1", math.MaxUint64, true},
		{"u64", "0xffffffffffffffff", math.MaxUint64, true},
		{"s32", "0x80000000U", 0x80000000, true},
	} {
		t.Run(fmt.Sprint(tt.typ, tt.n), func(t *testing.T) {
			p, err := lowerBody(t, fmt.Sprintf("add.%s %%%s_0, %%%s_1, %s;", tt.typ, tt.typ, tt.typ, tt.n))
			if !tt.ok {
				require.ErrorContains(t, err, "out of range for ."+tt.typ)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, p.Insts[0].Src[1].Imm)
		})
	}
}
