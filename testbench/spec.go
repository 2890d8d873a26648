package testbench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"divergo/internal/input"
	"divergo/internal/nearest"
	"divergo/internal/splitmix"
	"divergo/isa"
)

// Arg is one kernel argument as the user writes it, its specification. It is either a value
//
//	TYPE:VALUE            u32:7   s32:-1   f32:0.5   b32:0x3f800000
//	TYPE:V1,V2,...        f32:1,0,0,1 for a struct that is passed by value
//
// or a buffer in global memory, whose address is passed to the kernel
//
//	buf:zero:BYTES        zeros
//	buf:@FILE             the bytes of a file
//	buf:TYPE:V1,V2,...    the values given
//	buf:iota:TYPE:N       0, 1, 2, ... N-1
//	buf:rand:TYPE:N       N random values: integers of the whole range, floats in [0, 1)
//
// or a texture or surface, as SplitTexture reads it. Its handle is passed to the kernel, or it is
// bound to a reference.
//
// TYPE is u8 s8 u16 s16 u32 s32 u64 s64 f32 f64, or b8 b16 b32 b64 for a bit pattern, whose values
// are hexadecimal.
type Arg struct {
	Spec   string   // as given
	Buffer bool     // a buffer
	Type   isa.Type // of the values; b8 for zeros and files
	Bytes  uint64   // of the value or the buffer
	Data   []byte   // contents, little-endian; if shorter than Bytes, the rest is zero

	Texture *Texture // described by the buffer; nil: none
}

// argTypes are the types of a specification.
var argTypes = []struct {
	name string
	typ  isa.Type
}{
	{"u8", isa.U8},
	{"s8", isa.S8},
	{"u16", isa.U16},
	{"s16", isa.S16},
	{"u32", isa.U32},
	{"s32", isa.S32},
	{"u64", isa.U64},
	{"s64", isa.S64},
	{"f32", isa.F32},
	{"f64", isa.F64},
	{"b8", isa.B8},
	{"b16", isa.B16},
	{"b32", isa.B32},
	{"b64", isa.B64},
}

// typeName is the name of t in a specification.
func typeName(t isa.Type) string {
	for _, a := range argTypes {
		if a.typ == t {
			return a.name
		}
	}
	return "?"
}

// ParseArg reads a specification. The seed determines the values of buf:rand; give each argument
// its own.
func ParseArg(spec string, seed uint64) (Arg, error) {
	return ParseArgWithin(spec, seed, MaxBuffers)
}

// ParseArgs reads the specifications of all arguments of a kernel, each with a seed of its own. It
// makes no contents for a buffer when the buffers before it leave no memory. The error lists
// everything that is wrong.
func ParseArgs(specs []string, seed uint64) ([]Arg, error) {
	var args []Arg
	var errs []error
	left := uint64(MaxBuffers)
	for i, spec := range specs {
		arg, err := ParseArgWithin(spec, seed+uint64(i), left)
		if err != nil {
			errs = append(errs, err)
		}
		if arg.Buffer {
			left -= arg.Bytes
		}
		args = append(args, arg)
	}
	return args, errors.Join(errs...)
}

// ParseArgWithin is ParseArg for a buffer of at most so many bytes.
func ParseArgWithin(spec string, seed, most uint64) (Arg, error) {
	t, rest, err := SplitTexture(spec)
	if err != nil {
		return Arg{}, err
	}
	arg, err := parseArg(rest, seed, most)
	if err != nil {
		return Arg{}, fmt.Errorf("argument %q: %w", spec, err)
	}
	if t != nil {
		if err := t.Fit(&arg); err != nil {
			return Arg{}, err
		}
	}
	arg.Spec = spec
	return arg, nil
}

// ArgFile returns the file that a specification reads, "" if none.
func ArgFile(spec string) string {
	_, rest, _ := SplitTexture(spec)
	file, _ := strings.CutPrefix(rest, "buf:@")
	if file == rest {
		return ""
	}
	return file
}

func parseArg(spec string, seed, most uint64) (Arg, error) {
	kind, rest, found := strings.Cut(spec, ":")
	if !found {
		return Arg{}, errors.New("want TYPE:VALUE or buf:..., for example u32:7 or buf:zero:1024")
	}
	if kind != "buf" {
		return values(kind, rest, "buf")
	}
	if file, ok := strings.CutPrefix(rest, "@"); ok {
		return fileBuffer(file, most)
	}
	kind, rest, found = strings.Cut(rest, ":")
	if !found {
		return Arg{}, errors.New("want buf:zero:BYTES, buf:@FILE, buf:TYPE:V1,V2,..., buf:iota:TYPE:N or buf:rand:TYPE:N")
	}
	switch kind {
	case "zero":
		n, err := count(rest, "bytes", 1, most)
		return Arg{Buffer: true, Type: isa.B8, Bytes: n}, err
	case "iota", "rand":
		name, number, found := strings.Cut(rest, ":")
		if !found {
			return Arg{}, fmt.Errorf("want buf:%s:TYPE:N, for example buf:%s:u32:256", kind, kind)
		}
		t, err := parseType(name)
		if err != nil {
			return Arg{}, err
		}
		n, err := count(number, "elements", uint64(t.Bytes()), most)
		if err != nil {
			return Arg{}, err
		}
		if kind == "iota" {
			return counting(t, n)
		}
		return random(t, n, seed), nil
	}
	arg, err := values(kind, rest, "zero", "iota", "rand")
	arg.Buffer = true
	return arg, err
}

// parseType looks up a type. The words in also are listed as valid alternatives in its error.
func parseType(name string, also ...string) (isa.Type, error) {
	var known []string
	for _, a := range argTypes {
		if a.name == name {
			return a.typ, nil
		}
		known = append(known, a.name)
	}
	return 0, nearest.Unknown("type", name, append(known, also...))
}

// count reads a number of things of the given size, which take at most so many bytes.
func count(text, what string, size, most uint64) (uint64, error) {
	n, err := strconv.ParseUint(text, 0, 64)
	switch {
	case err != nil || n < 1 || n > MaxBuffers/size:
		return 0, fmt.Errorf("%q: want 1 to %d %s", text, MaxBuffers/size, what)
	case n > most/size:
		return 0, fmt.Errorf("%q: %d bytes, the buffers before it leave %d of %d", text, n*size, most, MaxBuffers)
	}
	return n, nil
}

func fileBuffer(file string, most uint64) (Arg, error) {
	info, err := os.Stat(file)
	if err != nil {
		return Arg{}, err
	}
	switch size := info.Size(); {
	case !info.Mode().IsRegular() || size < 1 || size > MaxBuffers:
		return Arg{}, fmt.Errorf("%s: want a file of 1 to %d bytes", file, MaxBuffers)
	case uint64(size) > most:
		return Arg{}, fmt.Errorf("%s: %d bytes, the buffers before it leave %d of %d", file, size, most, MaxBuffers)
	}
	data, err := input.Read(file, int64(most))
	return Arg{Buffer: true, Type: isa.B8, Bytes: uint64(len(data)), Data: data}, err
}

// values reads a list of values of one type.
func values(kind, list string, also ...string) (Arg, error) {
	t, err := parseType(kind, also...)
	if err != nil {
		return Arg{}, err
	}
	arg := Arg{Type: t}
	for text := range strings.SplitSeq(list, ",") {
		bits, err := parseValue(t, strings.TrimSpace(text))
		if err != nil {
			return Arg{}, err
		}
		arg.Data = appendBits(arg.Data, t, bits)
	}
	arg.Bytes = uint64(len(arg.Data))
	return arg, nil
}

// parseValue reads one value and returns its bits.
func parseValue(t isa.Type, text string) (uint64, error) {
	width := t.Bits()
	switch t {
	case isa.F32, isa.F64:
		v, err := strconv.ParseFloat(text, width)
		if err != nil {
			return 0, fmt.Errorf("%q: want a number in the range of %s", text, typeName(t))
		}
		if t == isa.F32 {
			return uint64(math.Float32bits(float32(v))), nil
		}
		return math.Float64bits(v), nil
	case isa.B8, isa.B16, isa.B32, isa.B64:
		digits := strings.TrimPrefix(strings.ToLower(text), "0x")
		v, err := strconv.ParseUint(digits, 16, width)
		if err != nil {
			return 0, fmt.Errorf("%q: want %d bits in hexadecimal", text, width)
		}
		return v, nil
	}
	if t.Signed() {
		v, err := strconv.ParseInt(text, 0, width)
		if err != nil {
			return 0, fmt.Errorf("%q: want an integer from %d to %d for %s", text, math.MinInt64>>(64-width),
				math.MaxInt64>>(64-width), typeName(t))
		}
		return uint64(v), nil
	}
	v, err := strconv.ParseUint(text, 0, width)
	if err != nil {
		return 0, fmt.Errorf("%q: want an integer from 0 to %d for %s", text, uint64(math.MaxUint64)>>(64-width),
			typeName(t))
	}
	return v, nil
}

// Address returns an address as the 8 bytes of a parameter; unused bytes are 0.
func Address(addr uint64) []byte { return appendBits(nil, isa.U64, addr) }

// appendBits appends the low bytes of a value.
func appendBits(to []byte, t isa.Type, bits uint64) []byte {
	switch t.Bytes() {
	case 1:
		return append(to, byte(bits))
	case 2:
		return binary.LittleEndian.AppendUint16(to, uint16(bits))
	case 4:
		return binary.LittleEndian.AppendUint32(to, uint32(bits))
	}
	return binary.LittleEndian.AppendUint64(to, bits)
}

// counting fills a buffer with 0 to n-1.
func counting(t isa.Type, n uint64) (Arg, error) {
	if most := largestExact(t); n-1 > most {
		return Arg{}, fmt.Errorf("%d elements: %s counts to %d only", n, typeName(t), most)
	}
	arg := Arg{Buffer: true, Type: t, Bytes: n * uint64(t.Bytes())}
	arg.Data = make([]byte, 0, arg.Bytes)
	for i := range n {
		bits := i
		switch t {
		case isa.F32:
			bits = uint64(math.Float32bits(float32(i)))
		case isa.F64:
			bits = math.Float64bits(float64(i))
		}
		arg.Data = appendBits(arg.Data, t, bits)
	}
	return arg, nil
}

// largestExact is the largest n for which t holds every integer from 0 to n.
func largestExact(t isa.Type) uint64 {
	switch {
	case t == isa.F32:
		return 1 << 24
	case t == isa.F64:
		return 1 << 53
	case t.Signed():
		return math.MaxInt64 >> (64 - t.Bits())
	}
	return math.MaxUint64 >> (64 - t.Bits())
}

// random fills a buffer with n values: the high bits of SplitMix64.
func random(t isa.Type, n, seed uint64) Arg {
	arg := Arg{Buffer: true, Type: t, Bytes: n * uint64(t.Bytes())}
	arg.Data = make([]byte, 0, arg.Bytes)
	r := splitmix.Source(seed)
	for range n {
		z := r.Next()
		switch t {
		case isa.F32:
			z = uint64(math.Float32bits(float32(z>>40) / (1 << 24)))
		case isa.F64:
			z = math.Float64bits(float64(z>>11) / (1 << 53))
		default:
			z >>= 64 - t.Bits()
		}
		arg.Data = appendBits(arg.Data, t, z)
	}
	return arg
}
