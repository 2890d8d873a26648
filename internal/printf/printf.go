// Package printf reads the format strings of printf in CUDA C and formats their arguments. The
// arguments lie in a block of memory, as the C ABI passes variable arguments. Each lies at a
// multiple of its size. Integers shorter than int are passed as int, float as double.
//
// A conversion is %[flags][width][.precision][size]type (CUDA C Programming Guide,
// formatted output).
package printf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxWidth is the largest number of characters of a width or precision.
const maxWidth = 4096

// Format is a format string.
type Format struct {
	Args  []Arg
	Bytes uint64 // of the block of arguments

	conversions []conversion
	end         string // text after the last conversion
}

// Arg is an argument of 4 or 8 bytes in the block.
type Arg struct{ Off, Size uint64 }

// conversion is one % and the text before it.
type conversion struct {
	before           string
	flags            string
	width, precision int  // 0 and -1 if not given
	star             bool // the width is an argument
	bytes            int  // of an integer
	verb             byte
}

// Parse reads a format. The error names the first wrong conversion.
func Parse(text string) (*Format, error) {
	f := &Format{}
	for {
		before, rest, found := strings.Cut(text, "%")
		f.end += before
		if !found {
			return f, nil
		}
		if after, percent := strings.CutPrefix(rest, "%"); percent {
			f.end += "%"
			text = after
			continue
		}
		c := conversion{before: f.end, precision: -1}
		n, err := c.parse(rest)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", "%"+rest[:n], err)
		}
		if c.star {
			f.arg(4)
		}
		f.arg(c.size())
		f.conversions, f.end, text = append(f.conversions, c), "", rest[n:]
	}
}

// parse reads a conversion after its % and returns its length. The error is about its last
// character.
func (c *conversion) parse(s string) (n int, err error) {
	number := func() (value int) {
		for ; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
			value = min(10*value+int(s[n]-'0'), maxWidth)
		}
		return value
	}
	for n < len(s) && strings.IndexByte("-+ #0", s[n]) >= 0 {
		n++
	}
	c.flags = s[:n]
	if c.star = strings.HasPrefix(s[n:], "*"); c.star {
		n++
	} else {
		c.width = number()
	}
	if strings.HasPrefix(s[n:], ".") {
		n++
		c.precision = number()
	}
	length := n
	for n < len(s) && (s[n] == 'h' || s[n] == 'l') {
		n++
	}
	switch s[length:n] {
	case "":
		c.bytes = 4
	case "h":
		c.bytes = 2
	case "hh":
		c.bytes = 1
	case "l", "ll":
		c.bytes = 8
	default:
		return n, errors.New("a size is h, hh, l or ll")
	}
	if n == len(s) {
		return n, errors.New("a conversion without a type")
	}
	c.verb = s[n]
	n++
	switch {
	case strings.IndexByte("diouxXceEfFgGaAsp", c.verb) < 0:
		return n, errors.New("the type of a conversion is one of d i o u x X c e E f F g G a A s p")
	case c.bytes != 4 && strings.IndexByte("csp", c.verb) >= 0:
		return n, fmt.Errorf("%c takes no size", c.verb)
	}
	return n, nil
}

// size is the bytes of the argument in the block.
func (c *conversion) size() uint64 {
	if strings.IndexByte("eEfFgGaAsp", c.verb) >= 0 || c.bytes == 8 {
		return 8
	}
	return 4
}

// arg adds an argument.
func (f *Format) arg(size uint64) {
	f.Bytes = (f.Bytes + size - 1) &^ (size - 1)
	f.Args = append(f.Args, Arg{f.Bytes, size})
	f.Bytes += size
}

// Sprint formats the arguments in block. Strings are addresses; the function text returns their
// contents.
func (f *Format) Sprint(block []byte, text func(addr uint64) string) string {
	var out strings.Builder
	args := f.Args
	next := func() (bits uint64) {
		a := args[0]
		args = args[1:]
		if a.Size == 4 {
			return uint64(binary.LittleEndian.Uint32(block[a.Off:]))
		}
		return binary.LittleEndian.Uint64(block[a.Off:])
	}
	for _, c := range f.conversions {
		out.WriteString(c.before)
		if c.star {
			c.width = int(int32(next()))
			if c.width < 0 {
				c.flags, c.width = c.flags+"-", -c.width
			}
			c.width = min(c.width, maxWidth)
		}
		out.WriteString(c.format(next(), text))
	}
	return out.String() + f.end
}

// format formats one argument.
func (c *conversion) format(bits uint64, text func(addr uint64) string) string {
	unused := uint(64 - 8*c.bytes)
	switch c.verb {
	case 'd', 'i':
		return fmt.Sprintf(c.spec("-+ 0", 'd'), int64(bits<<unused)>>unused)
	case 'u', 'o', 'x', 'X':
		verb, flags := c.verb, "-#0"
		if bits = bits << unused >> unused; verb == 'u' {
			verb, flags = 'd', "-0"
		} else if bits == 0 && verb != 'o' {
			flags = "-0" // no 0x before a zero
		}
		return fmt.Sprintf(c.spec(flags, verb), bits)
	case 'c':
		c.precision = -1
		return fmt.Sprintf(c.spec("-", 's'), string([]byte{byte(bits)}))
	case 's':
		return fmt.Sprintf(c.spec("-", 's'), text(bits))
	case 'p':
		c.precision = -1
		return fmt.Sprintf(c.spec("-", 's'), fmt.Sprintf("%#x", bits))
	}
	return c.float(math.Float64frombits(bits))
}

// float formats a floating-point number.
func (c *conversion) float(v float64) string {
	hexadecimal := c.verb == 'a' || c.verb == 'A'
	finite := !math.IsInf(v, 0) && !math.IsNaN(v)
	if finite && !hexadecimal {
		if c.precision < 0 {
			c.precision = 6
		}
		return fmt.Sprintf(c.spec("-+ #0", c.verb), v)
	}
	sign := ""
	switch {
	case math.Signbit(v):
		sign = "-"
	case strings.Contains(c.flags, "+"):
		sign = "+"
	case strings.Contains(c.flags, " "):
		sign = " "
	}
	number := strings.ToLower(strconv.FormatFloat(math.Abs(v), 'x', c.precision, 64))
	if number = strings.TrimPrefix(number, "+"); finite {
		number = strings.Replace(number, "p+0", "p+", 1) // C writes as few digits of the exponent as possible
		number = strings.Replace(number, "p-0", "p-", 1)
		if zeros := c.width - len(sign) - len(number); zeros > 0 && strings.Contains(c.flags, "0") &&
			!strings.Contains(c.flags, "-") {
			number = "0x" + strings.Repeat("0", zeros) + number[2:]
		}
	}
	if c.verb < 'a' {
		number = strings.ToUpper(number)
	}
	c.precision = -1
	return fmt.Sprintf(c.spec("-", 's'), sign+number)
}

// spec is the conversion in the syntax of package fmt, with only those of its flags that are in
// flags.
func (c *conversion) spec(flags string, verb byte) string {
	s := "%"
	for _, f := range flags {
		if strings.ContainsRune(c.flags, f) {
			s += string(f)
		}
	}
	if c.width > 0 {
		s += strconv.Itoa(c.width)
	}
	if c.precision >= 0 {
		s += "." + strconv.Itoa(c.precision)
	}
	return s + string(verb)
}
