package cuda

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
)

// nvcc takes "%laneid" in an asm statement with operands for the register of
// PTX, as it takes "%%laneid"; clang wants the second. A file that has the first
// is compiled once more, preprocessed, with those percent signs doubled. (GNU
// asm: extended statements have a colon, and only in those a percent sign is
// special. PTX ISA 10 has the names.)

// escapes is what clang says of such a file.
const escapes = "invalid % escape in inline assembly string"

// compileDevice compiles a file's part of the device. args have everything but
// how far it goes.
func (b *build) compileDevice(args, how []string) error {
	err := b.accepted(slices.Concat(args, how)...)
	var said *compilerError
	if !errors.As(err, &said) || !strings.Contains(said.messages, escapes) {
		return err
	}
	text := b.file("device.cui")
	if err := b.accepted(slices.Concat(args, []string{"-E", "-o", text})...); err != nil {
		return err
	}
	source, err := os.ReadFile(text)
	if err != nil {
		return err
	}
	if err := b.temp.WriteFile(text, doubled(source)); err != nil {
		return err
	}
	return b.clang(slices.Concat(preprocessed(args, text), how)...)
}

// preprocessed are the options for a file whose preprocessed text is in another.
func preprocessed(args []string, text string) []string {
	args = slices.Clone(args)
	at := slices.Index(args, "--cuda-device-only")
	args[at+1] = text // the source follows
	header := slices.Index(args, "-include")
	args = slices.Delete(args, header, header+2)
	return slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "-D") }) // they are in the text
}

var (
	statement = regexp.MustCompile(`\b(?:asm|__asm__|__asm)(?:\s|volatile|__volatile__|__volatile)*\(`)
	register  = regexp.MustCompile(`%+[a-z]\w*`)
	special   = regexp.MustCompile(`^%(?:n?tid|n?ctaid|n?warpid|laneid|n?smid|gridid|clock|clock_hi|clock64|globaltimer(?:_lo|_hi)?|lanemask_[a-z]+|pm\d+|envreg\d+|(?:dynamic|total)_smem_size)$`)
)

// doubled doubles the percent signs of special registers in asm statements with
// operands.
func doubled(source []byte) []byte {
	var out bytes.Buffer
	for {
		found := statement.FindIndex(source)
		if found == nil {
			break
		}
		out.Write(source[:found[1]])
		source = source[found[1]:]
		n, operands := template(source)
		text := source[:n]
		if operands {
			text = register.ReplaceAllFunc(text, func(name []byte) []byte {
				if special.Match(name) {
					return append([]byte("%"), name...)
				}
				return name
			})
		}
		out.Write(text)
		source = source[n:]
	}
	out.Write(source)
	return out.Bytes()
}

// template returns how long the strings are that an asm statement begins with,
// and whether operands follow.
func template(source []byte) (n int, operands bool) {
	for n < len(source) {
		switch source[n] {
		case '"':
			for n++; n < len(source) && source[n] != '"'; n++ {
				if source[n] == '\\' {
					n++
				}
			}
			n++
		case '#': // a line of the preprocessor
			for n < len(source) && source[n] != '\n' {
				n++
			}
		case ' ', '\t', '\n', '\r':
			n++
		default:
			return n, source[n] == ':'
		}
	}
	return len(source), false
}
