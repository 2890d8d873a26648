package ptx

import "divergo/isa"

// kind is the kind of a token: one of the constants, or the character itself for punctuation of one
// character.
type kind int16

// The kinds of tokens with more than one character.
const (
	eof     kind = -1 - iota
	ident        // name of a register, variable, label or opcode
	dotWord      // .global, .f32, .x: a directive, modifier, type or component
	number
	text // quoted
	shiftLeft
	shiftRight
	lessEqual
	greaterEqual
	equal
	notEqual
	andAnd
	orOr
)

// token is one lexical element (PTX ISA, section 4).
type token struct {
	kind    kind
	text    string  // without the dot of a dotWord and the quotes of a text
	pos     isa.Pos // of its first character
	off     int     // byte offset of its first character
	end     int     // byte offset behind its last character
	newline bool    // first on its line
}

// String names a token in a diagnostic.
func (t token) String() string {
	switch t.kind {
	case eof:
		return "end of file"
	case dotWord:
		return "'." + clip(t.text) + "'"
	case text:
		return `"` + clip(t.text) + `"`
	}
	return "'" + clip(t.text) + "'"
}

// clip shortens a long word.
func clip(s string) string {
	const longest = 60
	if len(s) > longest {
		return s[:longest] + "..."
	}
	return s
}

var pairs = map[string]kind{
	"<<": shiftLeft, ">>": shiftRight, "<=": lessEqual, ">=": greaterEqual,
	"==": equal, "!=": notEqual, "&&": andAnd, "||": orOr,
}
