package ptx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"divergo/internal/place"
	"divergo/isa"
)

// Code is the kind of a diagnostic. Codes are stable; the wording of messages is not.
type Code string

// The kinds of diagnostics, each with an example.
const (
	CodeSyntax      Code = "syntax"      // missing ';'
	CodeName        Code = "name"        // undeclared register, unknown label, misspelt opcode
	CodeDuplicate   Code = "duplicate"   // .reg .u32 %x, %x;
	CodeType        Code = "type"        // add.s32 on .f32 registers
	CodeOperand     Code = "operand"     // add with two operands, store to .const
	CodeRange       Code = "range"       // mov.u16 %rs1, 70000
	CodeLimit       Code = "limit"       // .reg .b32 %r<100000000>
	CodeUnsupported Code = "unsupported" // valid PTX that the machine does not execute
)

// maxErrors is the most diagnostics that one call reports.
const maxErrors = 10

// Error is one diagnostic. A zero Pos means the file as a whole.
type Error struct {
	File string
	Pos  isa.Pos
	Code Code
	Msg  string
	Line string // the source line of Pos, without its newline
}

// Error prints file:line:column, the message, and below it the source line
// with a caret under the place.
func (e *Error) Error() string {
	if e.Pos.Line == 0 {
		return e.File + ": " + e.Msg
	}
	head := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Pos.Line, e.Pos.Col, e.Msg)
	line, col := excerpt(e.Line, int(e.Pos.Col)-1)
	return head + "\n\t" + line + "\n\t" + indent(line[:col]) + "^"
}

// excerpt drops the indentation of a line and shortens a long one to the neighbourhood of byte col.
func excerpt(line string, col int) (string, int) {
	line = strings.ToValidUTF8(strings.TrimRight(line, " \t\r"), "?")
	col = max(0, min(col, len(line)))
	for col > 0 && (line[0] == ' ' || line[0] == '\t') {
		line, col = line[1:], col-1
	}
	return place.Excerpt(line, col)
}

// indent is white space as wide as s.
func indent(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

// List is the diagnostics of one file, sorted by position.
type List []*Error

// Error prints all diagnostics, one after the other.
func (l List) Error() string {
	text := make([]string, len(l))
	for i, e := range l {
		text[i] = e.Error()
	}
	return strings.Join(text, "\n")
}

// Unwrap makes the diagnostics visible to errors.As.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// reporter collects the diagnostics of one file.
type reporter struct {
	file string
	src  string
	list List
	more bool // some were left out
}

func (r *reporter) errorf(pos isa.Pos, code Code, format string, args ...any) {
	if r.full() {
		r.more = true
		return
	}
	msg := fmt.Sprintf(format, args...)
	for _, e := range r.list {
		if e.Pos.Line == pos.Line && (e.Msg == msg || code == CodeSyntax && e.Code == CodeSyntax) {
			return // one mistake often causes errors in the rest of its line
		}
	}
	r.list = append(r.list, &Error{File: r.file, Pos: pos, Code: code, Msg: msg, Line: sourceLine(r.src, pos.Line)})
}

// full reports whether the list has the most diagnostics.
func (r *reporter) full() bool { return len(r.list) >= maxErrors }

// err is the sorted list, or nil without diagnostics.
func (r *reporter) err() error {
	if len(r.list) == 0 {
		return nil
	}
	slices.SortStableFunc(r.list, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	if r.more {
		r.list = append(r.list, &Error{File: r.file, Code: CodeLimit, Msg: "too many errors"})
	}
	return r.list
}

// sourceLine is the n-th line of src, counted from 1.
func sourceLine(src string, n int32) string {
	for ; n > 1; n-- {
		nl := strings.IndexByte(src, '\n')
		if nl < 0 {
			return ""
		}
		src = src[nl+1:]
	}
	line, _, _ := strings.Cut(src, "\n")
	return line
}
