package verilog

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// demand finds how many low bits of each word are needed, from the users down. The operands of a
// word are older than it.
func (p *printer) demand() {
	ask := func(w *word, width int) {
		p.need[w.id] = max(p.need[w.id], min(max(width, 1), max(w.bits, 1)))
		p.uses[w]++
	}
	for i := len(p.need) - 1; i >= 0; i-- {
		w := p.all[i]
		n := min(p.need[i], max(w.bits, 1))
		p.need[i] = n
		if n == 0 {
			continue
		}
		a := w.args
		switch w.op {
		case "and", "or", "xor", "add", "sub", "mul":
			ask(a[0], n)
			ask(a[1], n)
		case "not", "cut", "from", "least":
			ask(a[0], n)
		case "mux":
			ask(a[0], 1)
			ask(a[1], n)
			ask(a[2], n)
		case "bit":
			ask(a[0], int(w.k)+1)
		case "shl":
			if a[1].isConst() {
				ask(a[0], n-int(a[1].k))
			} else {
				ask(a[0], n)
				ask(a[1], a[1].bits)
			}
		case "shr":
			if a[1].isConst() {
				ask(a[0], n+int(a[1].k))
			} else {
				p.need[i] = w.bits
				ask(a[0], a[0].bits)
				ask(a[1], a[1].bits)
			}
		case "mem":
			ask(a[0], bits.Len(uint(w.leaf.mem.n-1)))
		default:
			for _, x := range a {
				if x != nil {
					ask(x, x.bits)
				}
			}
		}
	}
}

// width is the number of bits that a word has where it is printed.
func (p *printer) width(w *word) int { return max(1, min(w.bits, p.need[w.id])) }

// sized is an expression of exactly width bits.
func (p *printer) sized(w *word, width int) string {
	if w.isConst() {
		return number(width, w.k&ones(width))
	}
	has := p.width(w)
	if has < width {
		return fmt.Sprintf("{%s, %s}", number(width-has, 0), p.expr(w))
	}
	if has == width {
		return p.expr(w)
	}
	name := p.wire(w)
	p.mark(w, width-1, 0)
	if width == 1 {
		return name + "[0]"
	}
	return fmt.Sprintf("%s[%d:0]", name, width-1)
}

// index is the place of an entry of a memory. The result of an operation is a wire: Icarus 11 does not cut
// it to its width in an index.
func (p *printer) index(w *word, m *memory) string {
	of := w
	if w.op == "cut" || w.op == "bit" {
		of = w.args[0]
	}
	switch of.op {
	case "add", "sub", "mul", "shl", "not":
		p.wire(w)
	}
	return p.sized(w, bits.Len(uint(m.n-1)))
}

// mark records that bits of a word are used.
func (p *printer) mark(w *word, high, low int) { p.used[w] |= ones(high+1) &^ ones(low) }

// longest is the length from which on an expression gets a wire of its own.
const longest = 72

// expr is an expression of width(w) bits.
func (p *printer) expr(w *word) string {
	if name, ok := p.names[w]; ok {
		p.mark(w, p.width(w)-1, 0)
		if w.op == "in" && p.width(w) < w.leaf.width {
			return fmt.Sprintf("%s[%d:0]", name, p.width(w)-1)
		}
		return name
	}
	s := p.raw(w)
	switch w.op {
	case "reg", "bit":
		return s
	case "not":
		if w.bits == 1 && w.name == "" && len(s) < longest && !strings.Contains(s, " ") {
			return s
		}
	}
	if p.uses[w] > 1 || w.name != "" || len(s) > longest {
		p.mark(w, p.width(w)-1, 0)
		return p.declare(w, s)
	}
	return "(" + s + ")"
}

// wire is the name of a wire with the word.
func (p *printer) wire(w *word) string {
	if name, ok := p.names[w]; ok {
		return name
	}
	if w.op == "reg" {
		return w.leaf.name
	}
	return p.declare(w, p.raw(w))
}

func (p *printer) declare(w *word, s string) string {
	base := snake(w.name)
	if w.name == "" || w.name == "_" {
		base = "t"
	}
	name := p.claim(base)
	p.names[w] = name
	fmt.Fprintf(&p.body, "  wire %s%s = %s;%s\n", span(p.width(w)), name, s, p.comment(w))
	return name
}

// raw is the operation of a word, in width(w) bits.
func (p *printer) raw(w *word) string {
	n, a, b := p.width(w), w.args[0], w.args[1]
	both := func(op string) string { return p.sized(a, n) + " " + op + " " + p.sized(b, n) }
	switch w.op {
	case "reg":
		p.mark(w, n-1, 0)
		if n < w.leaf.width {
			return fmt.Sprintf("%s[%d:0]", w.leaf.name, n-1)
		}
		return w.leaf.name
	case "mem":
		return fmt.Sprintf("%s[%s]", w.leaf.name, p.index(a, w.leaf.mem))
	case "undriven":
		p.at = w.at
		p.refuse("output %s is not set in every cycle", w.leaf.name)
	case "sim":
		p.at = w.at
		p.refuse("the hardware depends on %s, which only the simulation has", w.leaf.name)
	case "not":
		return p.complement(w, n)
	case "and":
		return both("&")
	case "or":
		if s := p.concat(w, n); s != "" {
			return s
		}
		return both("|")
	case "xor":
		return both("^")
	case "add":
		return both("+")
	case "sub":
		if a.is(0) {
			return "-" + p.sized(b, n)
		}
		return both("-")
	case "mul":
		return both("*")
	case "mux":
		return fmt.Sprintf("%s ? %s : %s", p.sized(a, 1), p.sized(b, n), p.sized(w.args[2], n))
	case "bit":
		return p.slice(a, int(w.k), int(w.k))
	case "cut":
		return p.slice(a, n-1, 0)
	case "from", "least":
		if n <= int(w.k) {
			return number(n, 0)
		}
		return fmt.Sprintf("{%s, %s}", p.slice(a, n-1, int(w.k)), number(int(w.k), 0))
	case "shl":
		if b.isConst() {
			if n <= int(b.k) {
				return number(n, 0)
			}
			return fmt.Sprintf("{%s, %s}", p.sized(a, n-int(b.k)), number(int(b.k), 0))
		}
		return p.sized(a, n) + " << " + p.expr(b)
	case "shr":
		if b.isConst() {
			return p.slice(a, n+int(b.k)-1, int(b.k))
		}
		return p.sized(a, n) + " >> " + p.expr(b)
	case "equal":
		m := max(a.bits, b.bits)
		return p.sized(a, m) + " == " + p.sized(b, m)
	case "less":
		m := max(a.bits, b.bits)
		return p.sized(a, m) + " < " + p.sized(b, m)
	case "sless":
		m := int(w.k)
		return fmt.Sprintf("$signed(%s) < $signed(%s)", p.sized(a, m), p.sized(b, m))
	case "lowest", "count", "length":
		return p.function(w, n)
	}
	panic("verilog: no text for " + w.op)
}

// complement is the text of a word of operation not.
func (p *printer) complement(w *word, n int) string {
	a := w.args[0]
	if n == 1 && w.bits == 1 {
		switch {
		case a.op == "and" && a.bits == 1 && p.uses[a] == 1 && a.args[0].op == "not" && a.args[1].op == "not":
			return p.sized(a.args[0].args[0], 1) + " | " + p.sized(a.args[1].args[0], 1)
		case a.op == "equal" && p.uses[a] == 1:
			return strings.Replace(p.raw(a), " == ", " != ", 1)
		case a.op == "less" && p.uses[a] == 1:
			return strings.Replace(p.raw(a), " < ", " >= ", 1)
		}
	}
	return "~" + p.sized(a, n)
}

// slice is a range of bits of a word.
func (p *printer) slice(w *word, high, low int) string {
	if w.bits == 1 || p.width(w) == 1 {
		return p.sized(w, 1)
	}
	if low == 0 && high == p.width(w)-1 {
		return p.expr(w)
	}
	name := p.wire(w)
	p.mark(w, high, low)
	if high == low {
		return fmt.Sprintf("%s[%d]", name, high)
	}
	return fmt.Sprintf("%s[%d:%d]", name, high, low)
}

// concat is an or of bits in different places. It is empty if w is something else.
func (p *printer) concat(w *word, n int) string {
	terms := make([]*word, n)
	var walk func(x *word) bool
	put := func(i int, x *word) bool {
		if i >= n {
			return true
		}
		if terms[i] != nil {
			return false
		}
		terms[i] = x
		return true
	}
	walk = func(x *word) bool {
		switch {
		case x.op == "or" && (x == w || p.uses[x] == 1):
			return walk(x.args[0]) && walk(x.args[1])
		case x.op == "mux" && x.args[2].is(0) && x.args[1].isConst() && bits.OnesCount64(x.args[1].k) == 1:
			return put(bits.TrailingZeros64(x.args[1].k), x.args[0])
		case x.op == "mux" && x.args[1].is(0) && x.args[2].isConst() && bits.OnesCount64(x.args[2].k) == 1:
			return put(bits.TrailingZeros64(x.args[2].k), p.not(1, x.args[0]))
		case x.op == "shl" && x.args[0].bits == 1 && x.args[1].isConst():
			return put(int(x.args[1].k), x.args[0])
		case x.bits == 1:
			return put(0, x)
		}
		return false
	}
	if !walk(w) {
		return ""
	}
	var parts []string
	for _, x := range slices.Backward(terms) {
		switch {
		case x == nil:
			parts = append(parts, "1'b0")
		default:
			p.grow(x)
			parts = append(parts, p.sized(x, 1))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// grow makes room for a word that printing has made: a complement.
func (p *printer) grow(w *word) {
	for len(p.need) <= w.id {
		p.need = append(p.need, 1)
		p.uses[p.all[len(p.need)-1]]++
	}
	p.need[w.id] = max(p.need[w.id], 1)
}

// function calls one of the functions of bits, and declares it.
func (p *printer) function(w *word, n int) string {
	m := w.args[0].bits
	name := fmt.Sprintf("%s%d", w.op, m)
	if n != w.bits || w.op == "lowest" {
		name += fmt.Sprintf("_%d", n)
	}
	doc := map[string]string{
		"count": "the number of ones", "lowest": "the place of the lowest one", "length": "the place behind the highest one",
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  function [%d:0] %s(input [%d:0] d); // %s\n    integer k;\n    begin\n", n-1, name, m-1, doc[w.op])
	start, loop := number(n, 0), ""
	switch w.op {
	case "count":
		loop = fmt.Sprintf("for (k = 0; k < %d; k = k + 1) %[2]s = %[2]s + %[3]s", m, name, bitOf(n))
	case "lowest":
		start = number(n, w.k&ones(n))
		loop = fmt.Sprintf("for (k = %d; k >= 0; k = k - 1) if (d[k]) %s = k[%d:0]", m-1, name, n-1)
	case "length":
		loop = fmt.Sprintf("for (k = 0; k < %d; k = k + 1) if (d[k]) %s = k[%d:0] + %s", m, name, n-1, number(n, 1))
	}
	fmt.Fprintf(&b, "      %s = %s;\n      %s;\n", name, start, loop)
	b.WriteString("    end\n  endfunction\n")
	p.functions[name] = b.String()
	return fmt.Sprintf("%s(%s)", name, p.expr(w.args[0]))
}

func bitOf(n int) string {
	if n == 1 {
		return "d[k]"
	}
	return fmt.Sprintf("{%s, d[k]}", number(n-1, 0))
}
