package testbench

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

// TestParseArg gives contents as hexadecimal bytes, lowest address first.
func TestParseArg(t *testing.T) {
	for _, test := range []struct {
		spec string
		want string
	}{
		{"u32:7", "07000000"},
		{"u32:0x10", "10000000"},
		{"u8:255", "ff"},
		{"s8:-128", "80"},
		{"s16:-2", "feff"},
		{"s32:-1", "ffffffff"},
		{"u64:18446744073709551615", "ffffffffffffffff"},
		{"s64:-9223372036854775808", "0000000000000080"},
		{"f32:1.5", "0000c03f"},
		{"f32:-inf", "000080ff"},
		{"f64:-2", "00000000000000c0"},
		{"b32:3f800000", "0000803f"},
		{"b32:0x3F800000", "0000803f"},
		{"b8:ff", "ff"},
		{"f32:1,0,0,1", "0000803f00000000000000000000803f"},
		{"buf:u16:1,2,3", "010002000300"},
		{"buf:u16: 1, 2 ", "01000200"},
		{"buf:iota:u8:3", "000102"},
		{"buf:iota:s16:2", "00000100"},
		{"buf:iota:s8:2", "0001"},
		{"buf:iota:f32:3", "000000000000803f00000040"},
		{"buf:iota:f64:2", "0000000000000000000000000000f03f"},
	} {
		arg, err := ParseArg(test.spec, 1)
		require.NoError(t, err, test.spec)
		assert.Equal(t, test.want, hex.EncodeToString(arg.Data), test.spec)
		assert.EqualValues(t, len(arg.Data), arg.Bytes, test.spec)
		assert.Equal(t, test.spec, arg.Spec)
		assert.Equal(t, test.spec[:4] == "buf:", arg.Buffer, test.spec)
	}
}

func TestParseArgRefuses(t *testing.T) {
	for _, test := range []struct{ spec, want string }{
		{"", `argument "": want TYPE:VALUE or buf:..., for example u32:7 or buf:zero:1024`},
		{"7", `argument "7": want TYPE:VALUE or buf:..., for example u32:7 or buf:zero:1024`},
		{"u23:7", `argument "u23:7": unknown type "u23"; did you mean "u32"?`},
		{"bfu:zero:4", `argument "bfu:zero:4": unknown type "bfu"; did you mean "buf"?`},
		{"buf:zreo:4", `argument "buf:zreo:4": unknown type "zreo"; did you mean "zero"?`},
		{"u8:256", `argument "u8:256": "256": want an integer from 0 to 255 for u8`},
		{"s8:-129", `argument "s8:-129": "-129": want an integer from -128 to 127 for s8`},
		{"u32:-1", `argument "u32:-1": "-1": want an integer from 0 to 4294967295 for u32`},
		{"u64:18446744073709551616", `argument "u64:18446744073709551616": "18446744073709551616": want an integer from 0 to 18446744073709551615 for u64`},
		{"s64:9223372036854775808", `argument "s64:9223372036854775808": "9223372036854775808": want an integer from -9223372036854775808 to 9223372036854775807 for s64`},
		{"u32:1.5", `argument "u32:1.5": "1.5": want an integer from 0 to 4294967295 for u32`},
		{"u32:", `argument "u32:": "": want an integer from 0 to 4294967295 for u32`},
		{"f32:1e39", `argument "f32:1e39": "1e39": want a number in the range of f32`},
		{"f32:one", `argument "f32:one": "one": want a number in the range of f32`},
		{"b16:12345", `argument "b16:12345": "12345": want 16 bits in hexadecimal`},
		{"buf:", `argument "buf:": want buf:zero:BYTES, buf:@FILE, buf:TYPE:V1,V2,..., buf:iota:TYPE:N or buf:rand:TYPE:N`},
		{"buf:zero:0", `argument "buf:zero:0": "0": want 1 to 536870912 bytes`},
		{"buf:zero:536870913", `argument "buf:zero:536870913": "536870913": want 1 to 536870912 bytes`},
		{"buf:rand:u32:134217729", `argument "buf:rand:u32:134217729": "134217729": want 1 to 134217728 elements`},
		{"buf:rand:u32", `argument "buf:rand:u32": want buf:rand:TYPE:N, for example buf:rand:u32:256`},
		{"buf:iota:u8:257", `argument "buf:iota:u8:257": 257 elements: u8 counts to 255 only`},
		{"buf:iota:s8:129", `argument "buf:iota:s8:129": 129 elements: s8 counts to 127 only`},
		{"buf:u32:", `argument "buf:u32:": "": want an integer from 0 to 4294967295 for u32`},
		{"buf:@", `argument "buf:@": stat : no such file or directory`},
	} {
		_, err := ParseArg(test.spec, 1)
		assert.EqualError(t, err, test.want)
	}
}

// TestLongestIota counts as far as the type can.
func TestLongestIota(t *testing.T) {
	for spec, last := range map[string]byte{"buf:iota:u8:256": 255, "buf:iota:s8:128": 127} {
		arg, err := ParseArg(spec, 1)
		require.NoError(t, err)
		assert.Equal(t, last, arg.Data[len(arg.Data)-1])
	}
}

func TestZeroBufferTakesNoSpace(t *testing.T) {
	arg, err := ParseArg("buf:zero:536870912", 1)
	require.NoError(t, err)
	assert.Empty(t, arg.Data)
	assert.EqualValues(t, 512<<20, arg.Bytes)
}

func TestFileBuffer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "in:put")
	require.NoError(t, os.WriteFile(file, []byte{1, 2, 3}, 0o600))
	arg, err := ParseArg("buf:@"+file, 1)
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 2, 3}, arg.Data)

	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = ParseArg("buf:@"+file, 1)
	assert.ErrorContains(t, err, "want a file of 1 to 536870912 bytes")
	_, err = ParseArg("buf:@"+t.TempDir(), 1)
	assert.ErrorContains(t, err, "want a file of")
}

// TestRandomBuffer has the reference values of splitmix64 for seed 1234567, as published with the
// generator (Vigna, splitmix64.c; Rosetta Code, pseudo-random numbers).
func TestRandomBuffer(t *testing.T) {
	arg, err := ParseArg("buf:rand:u64:3", 1234567)
	require.NoError(t, err)
	var want, high []byte
	for _, v := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		want, high = appendBits(want, isa.U64, v), appendBits(high, isa.S16, v>>48)
	}
	assert.Equal(t, want, arg.Data)
	arg, err = ParseArg("buf:rand:s16:3", 1234567)
	require.NoError(t, err)
	assert.Equal(t, high, arg.Data, "the high bits, which are the better ones")

	floats, err := ParseArg("buf:rand:f32:1000", 1)
	require.NoError(t, err)
	low := 0
	for i := 0; i < len(floats.Data); i += 4 {
		assert.Less(t, floats.Data[i+3], byte(0x40), "a float below 1 and not negative")
		if floats.Data[i+3] < 0x3f {
			low++ // below 0.5
		}
	}
	assert.InDelta(t, 500, low, 60)
}

func TestCheckArgs(t *testing.T) {
	p := &isa.Program{
		Name: "k", AddressBits: 64,
		Params: []isa.Param{
			{Name: "data", Type: isa.U64, Size: 8},
			{Name: "n", Type: isa.U32, Size: 4},
			{Name: "scale", Type: isa.F32, Size: 4},
			{Name: "bits", Type: isa.B32, Size: 4},
			{Name: "vec", Type: isa.B8, Size: 16},
		},
	}
	const shape = "\nthe kernel is k(data (.u64), n (.u32), scale (.f32), bits (.b32), vec (.b8[16]))"
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"buf:zero:4", "u32:1", "f32:1", "f32:1", "f32:1,2,3,4"}, ""},
		{[]string{"u64:4096", "s32:-1", "b32:3f800000", "u32:1", "u64:1,2"}, ""},
		{
			[]string{"buf:zero:4", "u32:1", "f32:1", "b32:1"},
			"parameter 4, vec (.b8[16]): no argument, want 16 values b8:V1,V2,..." + shape,
		},
		{
			[]string{"buf:zero:4", "u32:1", "f32:1", "b32:1", "b64:1,2", "u32:1", "u32:2"},
			"argument 5, u32:1: one too many\nargument 6, u32:2: one too many" + shape,
		},
		{
			[]string{"u32:4", "buf:zero:4", "u32:1", "b32:1", "b64:1"},
			"parameter 0, data (.u64): given u32:4, want 8 bytes, not 4: u64:VALUE or buf:...\n" +
				"parameter 1, n (.u32): given buf:zero:4, want u32:VALUE: no pointer of 64 bits\n" +
				"parameter 2, scale (.f32): given u32:1, want a floating-point number: f32:VALUE\n" +
				"parameter 4, vec (.b8[16]): given b64:1, want 16 bytes, not 8: 16 values b8:V1,V2,..." + shape,
		},
		{
			[]string{"buf:zero:4", "u32:1", "f32:1", "b32:1", "buf:zero:16"},
			"parameter 4, vec (.b8[16]): given buf:zero:16, want 16 values b8:V1,V2,...: no pointer of 64 bits" +
				shape,
		},
		{
			[]string{"buf:zero:4", "f32:1", "f32:1", "b32:1", "b64:1,2"},
			"parameter 1, n (.u32): given f32:1, want an integer: u32:VALUE" + shape,
		},
	} {
		var args []Arg
		for _, spec := range test.args {
			a, err := ParseArg(spec, 1)
			require.NoError(t, err)
			args = append(args, a)
		}
		if err := CheckArgs(p, args); test.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, test.want)
		}
	}
}

// TestCheckArgsDouble checks that a double is not accepted as a pointer of the same width.
func TestCheckArgsDouble(t *testing.T) {
	p := &isa.Program{Name: "k", AddressBits: 64, Params: []isa.Param{{Name: "x", Type: isa.F64, Size: 8}}}
	arg, err := ParseArg("buf:zero:8", 1)
	require.NoError(t, err)
	assert.ErrorContains(t, CheckArgs(p, []Arg{arg}),
		"parameter 0, x (.f64): given buf:zero:8, want f64:VALUE: no pointer of 64 bits")
}

func TestAlloc(t *testing.T) {
	m := NewMemory(512 << 20)
	first, err := m.Alloc(1)
	require.NoError(t, err)
	second, err := m.Alloc(256)
	require.NoError(t, err)
	third, err := m.Alloc(1)
	require.NoError(t, err)
	assert.EqualValues(t, isa.GlobalBase, first)
	assert.EqualValues(t, isa.GlobalBase+256, second)
	assert.EqualValues(t, isa.GlobalBase+768, third, "a free byte behind the second")
	assert.Len(t, m.Ranges(), 3)

	_, err = m.Alloc(1 << 32)
	assert.ErrorContains(t, err, "device memory: 4294967296 bytes asked for")
}

// TestParseArgsSharesMemory checks that the buffers of a kernel share device memory, and that a
// buffer that does not fit is not filled.
func TestParseArgsSharesMemory(t *testing.T) {
	half := fmt.Sprintf("buf:zero:%d", MaxBuffers/2)
	args, err := ParseArgs([]string{half, "u32:7", half}, 1)
	require.NoError(t, err)
	assert.Len(t, args, 3)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("four"), 0o600))
	_, err = ParseArgs([]string{half, half, "buf:rand:u32:100000000", "buf:@" + file, "x8:1"}, 1)
	require.EqualError(t, err, `argument "buf:rand:u32:100000000": "100000000": 400000000 bytes, the buffers before it leave 0 of 536870912
argument "buf:@`+file+`": `+file+`: 4 bytes, the buffers before it leave 0 of 536870912
argument "x8:1": unknown type "x8"; did you mean "u8"?`)
	one, err := ParseArg("buf:rand:u32:4", 3)
	require.NoError(t, err)
	two, err := ParseArgs([]string{"u8:1", "buf:rand:u32:4"}, 2)
	require.NoError(t, err)
	assert.Equal(t, one, two[1], "each argument has a seed of its own")
}
