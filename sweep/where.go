package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
)

// A condition of a plan says which points it has:
//
//	condition  = all { "or" all }
//	all        = one { "and" one }
//	one        = "not" one | "(" condition ")" | operand comparison
//	comparison = ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) operand | "in" "(" operand { "," operand } ")"
//	operand    = axis | number | word | 'text'
//
// A word that names no axis is a value.
type condition struct {
	r    *reader
	text string
	at   int  // offset of the text in the plan
	same bool // offsets in text are offsets in the plan
	next int  // offset of the next token in text
	kind tokenKind
	word string // the next token
	from int    // its offset
	bad  bool
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenNumber
	tokenText // in quotes
	tokenSign
)

// test decides about a combination, given the index of the value of each axis.
type test func(steps []int) bool

// newCondition parses a condition. It is nil if the condition is wrong; the reader has the error.
func (r *reader) newCondition(v value) test {
	c := &condition{r: r, text: v.v.(string), at: v.at}
	if rest := r.text[min(v.at+1, len(r.text)):]; strings.HasPrefix(string(rest), c.text) {
		c.same, c.at = true, v.at+1
	}
	c.scan()
	t := c.any()
	if !c.bad && c.kind != tokenEnd {
		c.fail(c.from, "found %s, want \"and\", \"or\" or the end", c.shown())
	}
	if c.bad {
		return nil
	}
	return t
}

// fail adds the first error of the condition, at an offset of its text.
func (c *condition) fail(at int, format string, args ...any) {
	if c.bad {
		return
	}
	c.bad = true
	if !c.same {
		at = 0
	}
	c.r.errorf(c.at+at, "where: %s", fmt.Sprintf(format, args...))
}

// shown returns the next token for messages.
func (c *condition) shown() string {
	if c.kind == tokenEnd {
		return "the end"
	}
	return strconv.Quote(c.word)
}

const signs = "=!<>(),"

// scan reads the next token.
func (c *condition) scan() {
	rest := strings.TrimLeft(c.text[c.next:], " \t\r\n")
	c.from = len(c.text) - len(rest)
	take := func(kind tokenKind, n int) { c.kind, c.word, c.next = kind, rest[:n], c.from+n }
	switch {
	case rest == "":
		take(tokenEnd, 0)
	case rest[0] == '\'' || rest[0] == '"':
		end := strings.IndexByte(rest[1:], rest[0])
		if end < 0 {
			c.fail(c.from, "a text without its closing %c", rest[0])
			take(tokenEnd, 0)
			return
		}
		take(tokenText, end+2)
		c.word = c.word[1 : end+1]
	case strings.IndexByte(signs, rest[0]) >= 0:
		n := 1
		if strings.IndexByte("=!<>", rest[0]) >= 0 && len(rest) > 1 && rest[1] == '=' {
			n = 2
		}
		take(tokenSign, n)
	default:
		n := strings.IndexAny(rest, signs+" \t\r\n'\"")
		if n < 0 {
			n = len(rest)
		}
		take(tokenWord, n)
		if _, err := strconv.ParseInt(c.word, 0, 64); err == nil {
			c.kind = tokenNumber
		}
	}
}

// found takes a word or sign if it is next.
func (c *condition) found(word string) bool {
	if c.kind != tokenWord && c.kind != tokenSign || c.word != word {
		return false
	}
	c.scan()
	return true
}

func (c *condition) any() test {
	t := c.all()
	for c.found("or") {
		a, b := t, c.all()
		t = func(s []int) bool { return a(s) || b(s) }
	}
	return t
}

func (c *condition) all() test {
	t := c.one()
	for c.found("and") {
		a, b := t, c.one()
		t = func(s []int) bool { return a(s) && b(s) }
	}
	return t
}

func (c *condition) one() test {
	switch {
	case c.bad:
		return nil
	case c.found("not"):
		t := c.one()
		return func(s []int) bool { return !t(s) }
	case c.found("("):
		t := c.any()
		if !c.found(")") {
			c.fail(c.from, "found %s, want )", c.shown())
		}
		return t
	}
	a := c.operand()
	sign, at := c.word, c.from
	switch {
	case c.bad:
		return nil
	case c.found("in"):
		return c.list(a)
	case c.kind == tokenSign && slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, sign):
		c.scan()
	default:
		c.fail(at, "found %s, want one of ==, !=, <, <=, >, >=, in", c.shown())
		return nil
	}
	b := c.operand()
	if c.bad || !c.fit(&a, &b, at) {
		return nil
	}
	_, whole := a.of(c.first()).(int64)
	if sign[0] != '=' && sign[0] != '!' && !whole {
		c.fail(at, "%s compares whole numbers, want == or !=", sign)
		return nil
	}
	return compare(sign, a, b)
}

// first returns the first combination.
func (c *condition) first() []int { return make([]int, len(c.r.axes)) }

// list reads the values after "in".
func (c *condition) list(a operand) test {
	if !c.found("(") {
		c.fail(c.from, "found %s, want ( and values, with commas between them", c.shown())
		return nil
	}
	var tests []test
	for {
		at := c.from
		b := c.operand()
		if c.bad || !c.fit(&a, &b, at) {
			return nil
		}
		tests = append(tests, compare("==", a, b))
		if c.found(")") {
			return func(s []int) bool {
				return slices.ContainsFunc(tests, func(t test) bool { return t(s) })
			}
		}
		if !c.found(",") {
			c.fail(c.from, "found %s, want , or )", c.shown())
			return nil
		}
	}
}

// operand is an axis of the plan or a constant.
type operand struct {
	axis *axis
	n    int // its number
	v    any // a constant
	at   int
}

func (c *condition) operand() operand {
	o := operand{at: c.from}
	switch c.kind {
	case tokenWord:
		switch at := c.r.find(c.word); {
		case at >= 0:
			o.axis, o.n = &c.r.axes[at], at
		case c.word == "true" || c.word == "false":
			o.v = c.word == "true"
		default:
			o.v = c.word
		}
	case tokenNumber:
		n, _ := strconv.ParseInt(c.word, 0, 64)
		o.v = n
	case tokenText:
		o.v = c.word
	default:
		c.fail(c.from, "found %s, want an axis or a value", c.shown())
		return o
	}
	c.scan()
	return o
}

// of returns the value of the operand in a combination.
func (o *operand) of(steps []int) any {
	if o.axis == nil {
		return o.v
	}
	return o.axis.values[steps[o.n]].v
}

// fit reports whether two operands can be compared. A constant must be a value of the axis that it
// is compared with, unless it is a number.
func (c *condition) fit(a, b *operand, at int) bool {
	if a.axis == nil && b.axis == nil {
		for _, o := range []*operand{a, b} {
			if word, ok := o.v.(string); ok {
				c.fail(o.at, "%v", nearest.Unknown("axis", word, c.names()))
				return false
			}
		}
		c.fail(a.at, "compares two values, want an axis")
		return false
	}
	if a.axis == nil {
		a, b = b, a
	}
	for _, v := range a.axis.values {
		if b.axis == nil {
			if kind(v.v) != kind(b.v) {
				c.fail(b.at, "%s has values such as %v, found %v", a.axis.name, v.v, b.v)
				return false
			}
			continue
		}
		for _, w := range b.axis.values {
			if kind(v.v) != kind(w.v) {
				c.fail(at, "%s has values such as %v, and %s such as %v", a.axis.name, v.v, b.axis.name, w.v)
				return false
			}
		}
	}
	if word, ok := b.v.(string); ok && b.axis == nil {
		var known []string
		for _, v := range a.axis.values {
			if equal(v.v, word) {
				return true
			}
			known = append(known, v.v.(string))
		}
		c.fail(b.at, "%v", nearest.Unknown("value of "+a.axis.name, word, known))
		return false
	}
	return true
}

// names lists the axes of the plan.
func (c *condition) names() (list []string) {
	for i := range c.r.axes {
		list = append(list, c.r.axes[i].name)
	}
	return list
}

func kind(v any) string { return fmt.Sprintf("%T", v) }

// equal compares two values. A kernel without its size stands for all sizes.
func equal(a, b any) bool {
	if a == b {
		return true
	}
	x, _ := a.(string)
	y, _ := b.(string)
	return x != "" && y != "" && (strings.HasPrefix(x, y+" ") || strings.HasPrefix(y, x+" "))
}

// compare returns the test of two operands of one kind.
func compare(sign string, a, b operand) test {
	switch sign {
	case "==":
		return func(s []int) bool { return equal(a.of(s), b.of(s)) }
	case "!=":
		return func(s []int) bool { return !equal(a.of(s), b.of(s)) }
	}
	less := func(s []int, a, b operand) bool {
		x, _ := a.of(s).(int64)
		y, _ := b.of(s).(int64)
		return x < y
	}
	switch sign {
	case "<":
		return func(s []int) bool { return less(s, a, b) }
	case ">":
		return func(s []int) bool { return less(s, b, a) }
	case "<=":
		return func(s []int) bool { return !less(s, b, a) }
	}
	return func(s []int) bool { return !less(s, a, b) }
}
