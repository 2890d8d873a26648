package ptx

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"divergo/isa"
)

// constKind is the type of a constant (PTX ISA, sections 4.6 and 4.6.1). Integers are 64 bits wide.
// They are signed unless they do not fit or end in U. Decimal fractions and 0d constants are f64,
// 0f constants f32.
type constKind uint8

const (
	constSigned constKind = iota
	constUnsigned
	constF32
	constF64
)

// constant is the value of a literal or constant expression.
type constant struct {
	kind constKind
	bits uint64
}

func (c constant) float() bool { return c.kind >= constF32 }

// value is c as f64; exact for f32.
func (c constant) value() float64 {
	if c.kind == constF32 {
		return float64(math.Float32frombits(uint32(c.bits)))
	}
	return math.Float64frombits(c.bits)
}

// signed is an integer constant as int64; ok is false if it does not fit.
func (c constant) signed() (n int64, ok bool) {
	return int64(c.bits), !c.float() && (c.kind == constSigned || c.bits <= math.MaxInt64)
}

// parseNumber reads a literal; problem describes a mistake in it.
func parseNumber(s string) (c constant, problem string) {
	if len(s) > 1 && s[0] == '0' {
		switch s[1] {
		case 'f', 'F':
			return parseHexFloat(s, constF32, 8)
		case 'd', 'D':
			return parseHexFloat(s, constF64, 16)
		}
	}
	hex := len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'x'
	if !hex && strings.ContainsAny(s, ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || strings.Contains(s, "_") {
			return c, "malformed number " + clip(s)
		}
		return constant{constF64, math.Float64bits(f)}, ""
	}
	digits := strings.TrimSuffix(s, "U")
	if strings.Contains(s, "_") {
		return c, "malformed number " + clip(s)
	}
	n, err := strconv.ParseUint(digits, 0, 64)
	switch {
	case err == nil && (len(digits) < len(s) || n > math.MaxInt64):
		return constant{constUnsigned, n}, ""
	case err == nil:
		return constant{constSigned, n}, ""
	case err.(*strconv.NumError).Err == strconv.ErrRange:
		return c, "number " + clip(s) + " does not fit in 64 bits"
	}
	return c, "malformed number " + clip(s)
}

func parseHexFloat(s string, k constKind, digits int) (constant, string) {
	n, err := strconv.ParseUint(s[2:], 16, 64)
	if err != nil || len(s) != digits+2 {
		return constant{}, fmt.Sprintf("malformed number %s: %s is followed by exactly %d hexadecimal digits", clip(s),
			s[:2], digits)
	}
	return constant{k, n}, ""
}

// encode gives the bits of c as an operand or datum of type t. If c cannot be one, problem gives
// the reason.
func (c constant) encode(t isa.Type) (bits uint64, problem string) {
	width := t.Bits()
	switch {
	case t == isa.Pred:
		if c.float() {
			return 0, "a predicate constant is an integer: 0 or 1"
		}
		if c.bits != 0 {
			return 1, ""
		}
		return 0, ""
	case t == isa.F32 && c.kind == constF32, t == isa.B32 && c.kind == constF32, t == isa.B64 && c.kind == constF64:
		return c.bits, ""
	case t == isa.F32 && c.float():
		return uint64(math.Float32bits(float32(c.value()))), ""
	case t == isa.F64 && c.float():
		return math.Float64bits(c.value()), ""
	case t.Half() || alternate(t):
		return 0, fmt.Sprintf("type .%s has no constants: put the bits into a register with mov.b%d", typeName(t),
			t.Bits())
	case t.Float():
		return 0, fmt.Sprintf("type .%s wants a floating-point constant such as 1.0, 0f3F800000 or 0d3FF0000000000000, found an integer", typeName(t))
	case c.float():
		return 0, fmt.Sprintf("type .%s wants an integer constant, found a floating-point one", typeName(t))
	}
	if width < 64 {
		if n := int64(c.bits); n < -1<<(width-1) || n >= 1<<width {
			return 0, fmt.Sprintf("constant %s is out of range for .%s: %d to %d", c, typeName(t), -int64(1)<<(width-1),
				int64(1)<<width-1)
		}
	}
	return c.bits & (^uint64(0) >> (64 - width)), ""
}

// String prints c in PTX syntax.
func (c constant) String() string {
	switch c.kind {
	case constSigned:
		return strconv.FormatInt(int64(c.bits), 10)
	case constUnsigned:
		return strconv.FormatUint(c.bits, 10)
	}
	return strconv.FormatFloat(c.value(), 'g', -1, 64)
}

// maxNesting bounds nested parentheses and blocks, so that no input exhausts the stack.
const maxNesting = 200

// Binary operators by precedence, as in C (section 4.6.3).
var precedence = map[kind]int{
	orOr: 1, andAnd: 2, '|': 3, '^': 4, '&': 5, equal: 6, notEqual: 6,
	'<': 7, '>': 7, lessEqual: 7, greaterEqual: 7, shiftLeft: 8, shiftRight: 8,
	'+': 9, '-': 9, '*': 10, '/': 10, '%': 10,
}

// startsConst reports whether a constant expression starts at the current
// token.
func (p *parser) startsConst() bool {
	switch p.tok.kind {
	case number, '(', '-', '+', '~', '!':
		return true
	}
	return false
}

// constExpr parses a constant expression (section 4.6.3).
func (p *parser) constExpr() (constant, bool) {
	cond, ok := p.binary(1)
	if !ok || p.tok.kind != '?' {
		return cond, ok
	}
	if !p.enter("expression") {
		return cond, false
	}
	defer p.leave()
	pos := p.tok.pos
	p.next()
	a, ok := p.constExpr()
	if !ok || !p.expect(':', "in a conditional expression") {
		return cond, false
	}
	b, ok := p.constExpr()
	if !ok {
		return cond, false
	}
	if cond.float() {
		p.errorf(pos, CodeType, "the condition before ? wants an integer")
		return cond, false
	}
	if a.float() != b.float() {
		p.errorf(pos, CodeType, "%s", mixed)
		return cond, false
	}
	if cond.bits == 0 {
		a, b = b, a
	}
	if b.kind == constUnsigned {
		a.kind = constUnsigned
	}
	return a, true
}

const mixed = "an expression cannot mix integers and floating point"

func (p *parser) binary(lowest int) (constant, bool) {
	a, ok := p.unary()
	for ok {
		op := p.tok
		prec := precedence[op.kind]
		if prec < lowest {
			break
		}
		p.next()
		var b constant
		if b, ok = p.binary(prec + 1); !ok {
			break
		}
		var problem string
		if a, problem = calculate(op.kind, a, b); problem != "" {
			p.errorf(op.pos, CodeRange, "%s", problem)
			return a, false
		}
	}
	return a, ok
}

func (p *parser) unary() (constant, bool) {
	if !p.enter("expression") {
		return constant{}, false
	}
	defer p.leave()
	op := p.tok
	switch op.kind {
	case number:
		c, problem := parseNumber(op.text)
		if problem != "" {
			p.errorf(op.pos, CodeSyntax, "%s", problem)
		}
		p.next()
		return c, problem == ""
	case '(':
		p.next()
		if p.tok.kind == dotWord && (p.tok.text == "s64" || p.tok.text == "u64") {
			return p.cast()
		}
		c, ok := p.constExpr()
		return c, ok && p.expect(')', "to close the parenthesis")
	case '-', '+', '~', '!':
		p.next()
		c, ok := p.unary()
		if !ok {
			return c, false
		}
		if c.float() && (op.kind == '~' || op.kind == '!') {
			p.errorf(op.pos, CodeType, "operator %s wants an integer", op.text)
			return c, false
		}
		return negate(op.kind, c), true
	}
	p.errorf(op.pos, CodeSyntax, "expected a constant, found %s", op)
	return constant{}, false
}

// cast parses the rest of "(.s64) expression" behind "(".
func (p *parser) cast() (constant, bool) {
	k := constSigned
	if p.tok.text == "u64" {
		k = constUnsigned
	}
	pos := p.tok.pos
	p.next()
	if !p.expect(')', "after the type of a cast") {
		return constant{}, false
	}
	c, ok := p.unary()
	if ok && c.float() {
		p.errorf(pos, CodeType, "a cast wants an integer")
		return c, false
	}
	return constant{k, c.bits}, ok
}

func negate(op kind, c constant) constant {
	switch {
	case op == '+':
	case c.kind == constF32:
		c.bits ^= 1 << 31
	case c.kind == constF64:
		c.bits ^= 1 << 63
	case op == '-':
		c.bits = -c.bits
	case op == '~':
		return constant{constUnsigned, ^c.bits}
	default:
		return truth(c.bits == 0)
	}
	return c
}

func truth(b bool) constant {
	if b {
		return constant{constSigned, 1}
	}
	return constant{constSigned, 0}
}

// calculate applies a binary operator (section 4.6.4). As in C, the result is unsigned if one
// operand is. The result of a shift has the type of the shifted value. Unlike in C, a remainder and
// a shift amount are unsigned.
func calculate(op kind, a, b constant) (c constant, problem string) {
	if a.float() || b.float() {
		return calculateFloat(op, a, b)
	}
	switch op {
	case shiftLeft:
		a.bits <<= b.bits
		return a, ""
	case shiftRight:
		if a.kind == constSigned {
			a.bits = uint64(int64(a.bits) >> b.bits)
		} else {
			a.bits >>= b.bits
		}
		return a, ""
	case '/', '%':
		if b.bits == 0 {
			return c, "division by zero"
		}
		if op == '%' {
			return constant{constUnsigned, a.bits % b.bits}, ""
		}
	}
	unsigned := a.kind == constUnsigned || b.kind == constUnsigned
	x, y := a.bits, b.bits
	less := int64(x) < int64(y)
	c.kind = constSigned
	if unsigned {
		less = x < y
		c.kind = constUnsigned
	}
	switch op {
	case orOr:
		return truth(x != 0 || y != 0), ""
	case andAnd:
		return truth(x != 0 && y != 0), ""
	case equal:
		return truth(x == y), ""
	case notEqual:
		return truth(x != y), ""
	case '<':
		return truth(less), ""
	case '>':
		return truth(!less && x != y), ""
	case lessEqual:
		return truth(less || x == y), ""
	case greaterEqual:
		return truth(!less), ""
	case '|':
		c.bits = x | y
	case '^':
		c.bits = x ^ y
	case '&':
		c.bits = x & y
	case '+':
		c.bits = x + y
	case '-':
		c.bits = x - y
	case '*':
		c.bits = x * y
	case '/':
		c.bits = uint64(int64(x) / int64(y))
		if unsigned {
			c.bits = x / y
		}
	}
	return c, ""
}

func calculateFloat(op kind, a, b constant) (c constant, problem string) {
	if !a.float() || !b.float() {
		return c, mixed
	}
	if a.kind == constF32 || b.kind == constF32 {
		return c, "a 0f constant cannot be part of an expression"
	}
	x, y := a.value(), b.value()
	switch op {
	case '+':
		x += y
	case '-':
		x -= y
	case '*':
		x *= y
	case '/':
		x /= y
	case equal:
		return truth(x == y), ""
	case notEqual:
		return truth(x != y), ""
	case '<':
		return truth(x < y), ""
	case '>':
		return truth(x > y), ""
	case lessEqual:
		return truth(x <= y), ""
	case greaterEqual:
		return truth(x >= y), ""
	default:
		return c, "this operator wants integers"
	}
	if x != x {
		return constant{constF64, canonicalNaN}, "" // the sign of Go's NaN depends on the machine
	}
	return constant{constF64, math.Float64bits(x)}, ""
}

const canonicalNaN = 0x7ff8_0000_0000_0000
