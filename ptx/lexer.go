package ptx

import (
	"strings"
	"unicode/utf8"

	"divergo/isa"
)

// lexer cuts PTX text into tokens (PTX ISA, sections 4.1 to 4.5). It also drops comments, "@@DWARF"
// lines of old compilers and line markers of the C preprocessor.
type lexer struct {
	*reporter
	src       string
	off       int
	line      int32
	lineStart int
	newline   bool // no token since the start of the line
}

func newLexer(r *reporter) *lexer {
	return &lexer{reporter: r, src: r.src, line: 1, newline: true}
}

func (l *lexer) pos(off int) isa.Pos {
	return isa.Pos{Line: l.line, Col: int32(off-l.lineStart) + 1}
}

func (l *lexer) at(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// next returns the next token. At the end it returns eof, again on each call.
func (l *lexer) next() token {
	l.space()
	for l.off < len(l.src) && !l.startsToken() {
		l.garbage()
		l.space()
	}
	t := token{off: l.off, pos: l.pos(l.off), newline: l.newline}
	l.newline = false
	switch c := l.at(l.off); {
	case l.off >= len(l.src):
		t.kind = eof
	case l.startsName():
		l.off++
		l.word(false)
		t.kind, t.text = ident, l.src[t.off:l.off]
	case isDigit(c):
		l.number()
		t.kind, t.text = number, l.src[t.off:l.off]
	case c == '.':
		l.off++
		l.word(true)
		t.kind, t.text = dotWord, l.src[t.off+1:l.off]
	case c == '"':
		t.kind, t.text = text, l.quoted(t.pos)
	default:
		t.kind, t.text = kind(c), l.src[l.off:l.off+1]
		if l.off+1 < len(l.src) {
			if k, ok := pairs[l.src[l.off:l.off+2]]; ok {
				t.kind, t.text = k, l.src[l.off:l.off+2]
			}
		}
		l.off += len(t.text)
	}
	t.end = l.off
	return t
}

// startsName reports whether a name starts here: with a letter, or one of _ $ % (section 4.4). A %
// with nothing behind it is an operator.
func (l *lexer) startsName() bool {
	c := l.at(l.off)
	return isLetter(c) || c == '_' || c == '$' || c == '%' && isName(l.at(l.off+1))
}

func (l *lexer) startsToken() bool {
	c := l.at(l.off)
	return isName(c) || c == '.' && isName(l.at(l.off+1)) || c != 0 &&
		strings.IndexByte("{}()[]<>,;:=@!|&^~+-*/%?\"", c) >= 0
}

// space skips white space and its equivalents.
func (l *lexer) space() {
	for l.off < len(l.src) {
		switch c := l.src[l.off]; {
		case c == '\n':
			l.breakLine()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.off++
		case c == '/' && l.at(l.off+1) == '/':
			l.restOfLine()
		case c == '/' && l.at(l.off+1) == '*':
			l.comment()
		case c == '@' && l.at(l.off+1) == '@' && l.newline:
			l.restOfLine()
		case c == '#' && l.newline:
			l.preprocessor()
		default:
			return
		}
	}
}

func (l *lexer) breakLine() {
	l.off++
	l.line++
	l.lineStart = l.off
	l.newline = true
}

func (l *lexer) restOfLine() string {
	start := l.off
	if n := strings.IndexByte(l.src[l.off:], '\n'); n >= 0 {
		l.off += n
	} else {
		l.off = len(l.src)
	}
	return l.src[start:l.off]
}

func (l *lexer) comment() {
	start := l.pos(l.off)
	n := strings.Index(l.src[l.off+2:], "*/")
	end := l.off + 2 + n + 2
	if n < 0 {
		l.errorf(start, CodeSyntax, "this comment never ends: expected */")
		end = len(l.src)
	}
	for l.off < end {
		nl := strings.IndexByte(l.src[l.off:end], '\n')
		if nl < 0 {
			l.off = end
			return
		}
		l.off += nl
		l.breakLine()
	}
}

// preprocessor skips a line marker, "# 12 file" or "#line 12".
func (l *lexer) preprocessor() {
	pos := l.pos(l.off)
	line := strings.TrimLeft(l.restOfLine()[1:], " \t")
	if line == "" || isDigit(line[0]) || strings.HasPrefix(line, "line") || strings.HasPrefix(line, "pragma") {
		return
	}
	l.errorf(pos, CodeUnsupported,
		"preprocessor directives are not supported: run the file through the C preprocessor first")
}

// word reads the rest of a name; in a modifier, "L1::evict_last" is one word.
func (l *lexer) word(modifier bool) {
	for {
		switch {
		case isName(l.at(l.off)):
			l.off++
		case modifier && l.at(l.off) == ':' && l.at(l.off+1) == ':' && isName(l.at(l.off+2)):
			l.off += 2
		default:
			return
		}
	}
}

// number reads an integer, 0f or 0d constant (a digit and a run of letters and digits) or a decimal
// fraction with exponent. const.go decides on its meaning.
func (l *lexer) number() {
	start := l.off
	l.word(false)
	decimal := true
	for _, c := range []byte(l.src[start:l.off]) {
		decimal = decimal && (isDigit(c) || c == 'e' || c == 'E')
	}
	if !decimal {
		return
	}
	if l.at(l.off) == '.' && !isLetter(l.at(l.off+1)) {
		l.off++
		l.word(false)
	}
	if last := l.src[l.off-1] | 0x20; last == 'e' && (l.at(l.off) == '+' || l.at(l.off) == '-') {
		l.off++
		l.word(false)
	}
}

func (l *lexer) quoted(start isa.Pos) string {
	l.off++
	from := l.off
	for l.off < len(l.src) && l.src[l.off] != '\n' {
		switch l.src[l.off] {
		case '"':
			l.off++
			return l.src[from : l.off-1]
		case '\\':
			if l.at(l.off+1) != '\n' && l.off+1 < len(l.src) {
				l.off++
			}
		}
		l.off++
	}
	l.errorf(start, CodeSyntax, `this string never ends: expected " before the end of the line`)
	return l.src[from:l.off]
}

// garbage reports and skips a run of characters that PTX does not use.
func (l *lexer) garbage() {
	pos := l.pos(l.off)
	r, _ := utf8.DecodeRuneInString(l.src[l.off:])
	if r == utf8.RuneError || r < ' ' {
		l.errorf(pos, CodeSyntax, "byte 0x%02x: this is not PTX text", l.src[l.off])
	} else {
		l.errorf(pos, CodeSyntax, "character %q is not used in PTX", r)
	}
	for l.off < len(l.src) && l.src[l.off] != '\n' && !l.startsToken() {
		l.off++
	}
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isName(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '$' }
