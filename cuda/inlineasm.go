package cuda

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
)

// nvcc accepts "%laneid" in an asm statement with operands for the special register of PTX, like
// "%%laneid". Clang accepts only the second form. If a file has the first, the preprocessed file is
// compiled again with those percent signs doubled.
//
// In GNU asm, statements with a colon are extended, and only there a percent sign is special. PTX
// ISA, section 10, lists the register names.

// escapes is clang's message about such a file.
const escapes = "invalid % escape in inline assembly string"

// compileDevice compiles the device part of a file. args holds all options but how, which selects
// the kind of output.
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

// preprocessed returns the options for the preprocessed text of a file.
func preprocessed(args []string, text string) []string {
	args = slices.Clone(args)
	at := slices.Index(args, "--cuda-device-only")
	args[at+1] = text // the source is behind this option
	header := slices.Index(args, "-include")
	args = slices.Delete(args, header, header+2)
	// the preprocessed text includes them
	return slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "-D") })
}

var (
	statement = regexp.MustCompile(`\b(?:asm|__asm__|__asm)(?:\s|volatile|__volatile__|__volatile)*\(`)
	register  = regexp.MustCompile(`%+[a-z]\w*`)
	special   = regexp.MustCompile(`^%(?:n?tid|n?ctaid|n?warpid|laneid|n?smid|gridid|clock|clock_hi|clock64|globaltimer(?:_lo|_hi)?|lanemask_[a-z]+|pm\d+|envreg\d+|(?:dynamic|total)_smem_size)$`)
)

// doubled doubles the percent signs of special registers in asm statements with operands.
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

// template returns the length of the leading strings of an asm statement, and whether operands
// follow.
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
		case '#': // a preprocessor line
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
