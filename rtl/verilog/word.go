package verilog

import (
	"go/token"
	"math/bits"
)

// word is a signal of up to 64 bits: an operation on other words. Equal words are one word, so that
// words are compared by address.
type word struct {
	op   string
	bits int    // higher bits are zero
	k    uint64 // of a constant its value; of other operations a width or a position
	args [3]*word
	leaf *leaf // of an input, a register or an entry of a memory

	id   int
	name string    // of a variable in the source
	at   token.Pos // of the statement that made it
}

// words makes words. Its place is the statement being executed.
type words struct {
	all   []*word
	known map[wordKey]*word
	parts map[partKey]*word // results of cut and bit, which would visit shared words again and again
	at    token.Pos
}

type wordKey struct {
	op   string
	k    uint64
	args [3]*word
	leaf *leaf
}

// partKey is a call of cut, or of bit.
type partKey struct {
	w   *word
	bit bool
	n   int
}

func newWords() *words { return &words{known: map[wordKey]*word{}, parts: map[partKey]*word{}} }

func (s *words) make(op string, width int, k uint64, l *leaf, args ...*word) *word {
	key := wordKey{op: op, k: k, leaf: l}
	copy(key.args[:], args)
	if w, ok := s.known[key]; ok {
		return w
	}
	w := &word{op: op, bits: width, k: k, args: key.args, leaf: l, id: len(s.all), at: s.at}
	s.all = append(s.all, w)
	s.known[key] = w
	return w
}

func ones(width int) uint64 { return 1<<width - 1 }

func (s *words) constant(k uint64) *word { return s.make("const", bits.Len64(k), k, nil) }

func (s *words) truth(b bool) *word {
	if b {
		return s.constant(1)
	}
	return s.constant(0)
}

func (w *word) isConst() bool    { return w.op == "const" }
func (w *word) is(k uint64) bool { return w.op == "const" && w.k == k }

// part is what a function finds, or found before.
func (s *words) part(key partKey, find func() *word) *word {
	r, ok := s.parts[key]
	if !ok {
		r = find()
		s.parts[key] = r
	}
	return r
}

// cut keeps the lowest bits.
func (s *words) cut(w *word, width int) *word {
	return s.part(partKey{w, false, width}, func() *word { return s.cutOf(w, width) })
}

func (s *words) cutOf(w *word, width int) *word {
	switch {
	case w.bits <= width:
		return w
	case w.isConst():
		return s.constant(w.k & ones(width))
	case w.op == "mux":
		return s.mux(w.args[0], s.cut(w.args[1], width), s.cut(w.args[2], width))
	case width == 1:
		return s.bit(w, 0)
	}
	return s.make("cut", width, uint64(width), nil, w)
}

// bit is one bit of w.
func (s *words) bit(w *word, i int) *word {
	return s.part(partKey{w, true, i}, func() *word { return s.bitOf(w, i) })
}

func (s *words) bitOf(w *word, i int) *word {
	switch {
	case i < 0 || i >= w.bits:
		return s.constant(0)
	case w.isConst():
		return s.constant(w.k >> i & 1)
	case w.bits == 1:
		return w
	}
	switch a, b := w.args[0], w.args[1]; w.op {
	case "and", "or", "xor":
		if x, y := s.bit(a, i), s.bit(b, i); x.isConst() || y.isConst() {
			return s.binary(w.op, 1, x, y)
		}
	case "mux":
		if x, y := s.bit(b, i), s.bit(w.args[2], i); x.isConst() || y.isConst() {
			return s.mux(a, x, y)
		}
	case "shl":
		if b.isConst() {
			return s.bit(a, i-int(b.k))
		}
	case "shr":
		if b.isConst() {
			return s.bit(a, i+int(b.k))
		}
	case "from", "least":
		if i >= int(w.k) {
			return s.bit(a, i)
		}
		return s.constant(0)
	case "not":
		return s.not(1, s.bit(a, i))
	case "cut":
		return s.bit(a, i)
	}
	return s.make("bit", 1, uint64(i), nil, w)
}

// not is the complement in the given width.
func (s *words) not(width int, w *word) *word {
	switch {
	case w.isConst():
		return s.constant(^w.k & ones(width))
	case w.op == "not" && int(w.k) == width:
		return w.args[0]
	}
	return s.make("not", width, uint64(width), nil, w)
}

// or1 is the disjunction of two bits. It is a conjunction of complements, so that the complement of
// a condition is recognized.
func (s *words) or1(a, b *word) *word { return s.not(1, s.and1(s.not(1, a), s.not(1, b))) }

func (s *words) and1(a, b *word) *word {
	switch {
	case a.is(0) || b.is(0) || a == s.not(1, b):
		return s.constant(0)
	case a.is(1) || a == b:
		return b
	case b.is(1) || implies(a, b):
		return a
	case implies(b, a):
		return b
	case implies(a, s.not(1, b)):
		return s.constant(0)
	}
	return s.make("and", 1, 0, nil, a, b)
}

// implies reports whether the conjunction a has the factor b.
func implies(a, b *word) bool {
	for a.op == "and" && a.bits == 1 {
		if a.args[1] == b || a.args[0] == b {
			return true
		}
		a = a.args[0]
	}
	return false
}

// all is the conjunction of a list.
func (s *words) conjunction(list []*word) *word {
	r := s.constant(1)
	for _, w := range list {
		r = s.and1(r, w)
	}
	return r
}

// mux is a if c, else b.
func (s *words) mux(c, a, b *word) *word {
	switch {
	case a == b || c.is(1):
		return a
	case c.is(0):
		return b
	case c.op == "not":
		return s.mux(c.args[0], b, a)
	}
	if a.op == "mux" && a.args[0] == c {
		a = a.args[1]
	}
	if b.op == "mux" && b.args[0] == c {
		b = b.args[2]
	}
	if a == b {
		return a
	}
	if max(a.bits, b.bits) <= 1 {
		switch {
		case a.is(1):
			return s.or1(c, b)
		case a.is(0):
			return s.and1(s.not(1, c), b)
		case b.is(0):
			return s.and1(c, a)
		case b.is(1):
			return s.or1(s.not(1, c), a)
		}
	}
	if a.op == "or" && a.args[0] == b { // b, and more bits if c
		return s.binary("or", 64, b, s.mux(c, a.args[1], s.constant(0)))
	}
	if b.op == "or" && b.args[0] == a {
		return s.binary("or", 64, a, s.mux(c, s.constant(0), b.args[1]))
	}
	return s.make("mux", max(a.bits, b.bits), 0, nil, c, a, b)
}

// from are the bits of w from position i on.
func (s *words) from(w *word, i int) *word {
	switch {
	case i == 0:
		return w
	case i >= w.bits:
		return s.constant(0)
	case w.isConst():
		return s.constant(w.k &^ ones(i))
	}
	return s.make("from", w.bits, uint64(i), nil, w)
}

// least are the bits of w from position i on, where bit i is set.
func (s *words) least(w *word, i int) *word { return s.make("least", w.bits, uint64(i), nil, w) }

// lowest is the position of the lowest set bit; of zero, width.
func (s *words) lowest(width int, w *word) *word {
	switch {
	case w.isConst():
		return s.constant(uint64(min(bits.TrailingZeros64(w.k), width)))
	case w.op == "least":
		return s.constant(w.k)
	}
	return s.make("lowest", bits.Len(uint(width)), uint64(width), nil, w)
}

// count is the number of set bits.
func (s *words) count(w *word) *word {
	if w.isConst() {
		return s.constant(uint64(bits.OnesCount64(w.k)))
	}
	return s.make("count", bits.Len(uint(w.bits)), 0, nil, w)
}

// length is the number of bits up to the highest set one.
func (s *words) length(w *word) *word {
	if w.isConst() {
		return s.constant(uint64(bits.Len64(w.k)))
	}
	return s.make("length", bits.Len(uint(w.bits)), 0, nil, w)
}

// equal compares two words.
func (s *words) equal(a, b *word) *word {
	if a.isConst() {
		a, b = b, a
	}
	switch {
	case a == b:
		return s.constant(1)
	case a.isConst():
		return s.truth(a.k == b.k)
	case b.isConst() && b.bits > a.bits:
		return s.constant(0)
	case max(a.bits, b.bits) == 1 && b.isConst():
		if b.is(1) {
			return a
		}
		return s.not(1, a)
	}
	if b.isConst() && a.op == "and" && a.args[1].isConst() && bits.OnesCount64(a.args[1].k) == 1 {
		one := s.bit(a.args[0], bits.TrailingZeros64(a.args[1].k))
		if b.is(0) {
			return s.not(1, one)
		}
		if b.k == a.args[1].k {
			return one
		}
	}
	if x, i, width := distance(a); x != nil {
		switch y, j, w := distance(b); {
		case x == b:
			return s.truth(i&ones(width) == 0)
		case y == a:
			return s.truth(j&ones(w) == 0)
		case y == nil && a.op == "sub" && x != a:
			return s.equal(x, s.constant((b.k-i)&ones(width)))
		case x == y:
			return s.truth((i-j)&ones(min(width, w)) == 0)
		}
	}
	if b.isConst() && a.op == "mux" && (a.args[1].isConst() || a.args[2].isConst()) {
		return s.mux(a.args[0], s.equal(a.args[1], b), s.equal(a.args[2], b))
	}
	if a.id < b.id && !b.isConst() {
		a, b = b, a
	}
	return s.make("equal", 1, 0, nil, a, b)
}

// distance splits a sum or difference, in the arithmetic of its width, into a word and a constant.
func distance(w *word) (of *word, k uint64, width int) {
	switch {
	case w.isConst():
		return nil, w.k, 64
	case w.op == "add" && w.args[1].isConst():
		return w.args[0], w.args[1].k, int(w.k)
	case w.op == "sub" && w.args[1].isConst():
		return w.args[0], -w.args[1].k, int(w.k)
	}
	return w, 0, 64
}

// offset splits a sum that does not overflow into a word and a constant.
func offset(w *word) (of *word, k uint64) {
	if w.op == "add" && w.args[1].isConst() && w.bits < 63 && int(w.k) > w.bits {
		return w.args[0], w.args[1].k
	}
	if w.isConst() {
		return nil, 0
	}
	return w, 0
}

// less compares numbers; signed numbers have the given width.
func (s *words) less(width int, signed bool, a, b *word) *word {
	if signed && (a.bits >= width || b.bits >= width) {
		if a.isConst() && b.isConst() {
			n := 64 - width
			return s.truth(int64(a.k<<n) < int64(b.k<<n))
		}
		if b.is(0) {
			return s.bit(a, width-1)
		}
		if a.op == "mux" && (a.args[1].isConst() || a.args[2].isConst()) && b.isConst() {
			return s.mux(a.args[0], s.less(width, true, a.args[1], b), s.less(width, true, a.args[2], b))
		}
		return s.make("sless", 1, uint64(width), nil, a, b)
	}
	x, i := offset(a)
	y, j := offset(b)
	switch {
	case a.isConst() && b.isConst():
		return s.truth(a.k < b.k)
	case a == b || b.is(0):
		return s.constant(0)
	case x != nil && x == y:
		return s.truth(i < j)
	case b.isConst() && a.bits < b.bits:
		return s.constant(1)
	case a.isConst() && b.bits < a.bits:
		return s.constant(0)
	}
	return s.make("less", 1, 0, nil, a, b)
}

// binary is an operation of Go on numbers of the given width.
func (s *words) binary(op string, width int, a, b *word) *word {
	if a.isConst() && !b.isConst() && op != "sub" && op != "shl" && op != "shr" {
		a, b = b, a
	}
	if a.isConst() && b.isConst() {
		return s.constant(compute(op, a.k, b.k) & ones(width))
	}
	if width == 1 {
		switch op {
		case "and":
			return s.and1(a, b)
		case "or":
			return s.or1(a, b)
		}
	}
	switch op {
	case "and":
		return s.and(a, b)
	case "or", "xor":
		switch {
		case b.is(0):
			return a
		case a == b && op == "or":
			return a
		}
		return s.make(op, max(a.bits, b.bits), 0, nil, a, b)
	case "add":
		return s.add(width, a, b)
	case "sub":
		switch {
		case b.is(0):
			return a
		case a == b:
			return s.constant(0)
		case b.isConst() && a.op == "add" && a.args[1].isConst() && int(a.k) > a.bits && a.args[1].k >= b.k:
			return s.add(width, a.args[0], s.constant(a.args[1].k-b.k))
		}
		return s.make(op, width, uint64(width), nil, a, b)
	case "mul":
		switch {
		case b.is(0):
			return b
		case b.isConst() && bits.OnesCount64(b.k) == 1:
			return s.binary("shl", width, a, s.constant(uint64(bits.TrailingZeros64(b.k))))
		}
		return s.make(op, min(width, a.bits+b.bits), uint64(width), nil, a, b)
	case "shl":
		switch {
		case b.is(0) || a.is(0):
			return a
		case b.isConst() && b.k >= uint64(width):
			return s.constant(0)
		case b.isConst() && a.op == "add" && a.args[1].isConst() && int(a.k) > a.bits && a.bits+int(b.k) < width:
			return s.add(width, s.binary(op, width, a.args[0], b), s.constant(a.args[1].k<<b.k))
		case b.isConst():
			return s.make(op, min(width, a.bits+int(b.k)), uint64(width), nil, a, b)
		}
		return s.make(op, width, uint64(width), nil, a, b)
	}
	// shr
	switch {
	case b.is(0) || a.is(0):
		return a
	case b.isConst() && b.k >= uint64(a.bits):
		return s.constant(0)
	case b.isConst() && a.bits-int(b.k) == 1:
		return s.bit(a, int(b.k))
	case b.isConst():
		return s.make(op, a.bits-int(b.k), 0, nil, a, b)
	}
	return s.make(op, a.bits, 0, nil, a, b)
}

func compute(op string, a, b uint64) uint64 {
	switch op {
	case "and":
		return a & b
	case "or":
		return a | b
	case "xor":
		return a ^ b
	case "add":
		return a + b
	case "sub":
		return a - b
	case "mul":
		return a * b
	case "shl":
		return a << b
	}
	return a >> b
}

func (s *words) add(width int, a, b *word) *word {
	switch {
	case b.is(0):
		return a
	case b.isConst() && a.op == "add" && a.args[1].isConst() && int(a.k) > a.bits && width > a.bits:
		a, b = a.args[0], s.constant(a.args[1].k+b.k)
	}
	return s.make("add", min(width, max(a.bits, b.bits)+1), uint64(width), nil, a, b)
}

func (s *words) and(a, b *word) *word {
	switch {
	case b.is(0) || a == b:
		return b
	case b.isConst() && b.k&ones(a.bits) == ones(a.bits):
		return a
	case b.is(1):
		return s.bit(a, 0)
	case a.op == "least" && b.op == "sub" && b.args[0] == a && b.args[1].is(1): // without the lowest bit
		return s.from(a.args[0], int(a.k)+1)
	case a.op == "least" && b.op == "sub" && b.args[0].is(0) && b.args[1] == a: // only the lowest bit
		return s.constant(1 << a.k)
	case a.op == "least" && b.isConst() && b.k&ones(a.bits) == ones(a.bits)&^(1<<a.k):
		return s.from(a.args[0], int(a.k)+1)
	case min(a.bits, b.bits) == 1:
		return s.and1(s.bit(a, 0), s.bit(b, 0))
	case b.isConst() && bits.OnesCount64(b.k) == 1:
		i := bits.TrailingZeros64(b.k)
		return s.binary("shl", 64, s.bit(a, i), s.constant(uint64(i)))
	}
	return s.make("and", min(a.bits, b.bits), 0, nil, a, b)
}
