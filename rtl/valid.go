package rtl

import "math/bits"

// Valid is the set of the In ends of a module that show an entry: the valid lines that an arbiter
// looks at. The kernel keeps it, so a search costs what the entries cost, not the ends. A field of
// this type has the tag `rtl:"-"`.
type Valid struct {
	Set     Bits // of the ends, by index
	renewed bool
}

// Bits is a set of small numbers, 64 in a word.
type Bits []uint64

// NewValid makes the set of some ends. Call it before elaboration, once for an end.
func NewValid[T any](ends []In[T]) *Valid {
	v := &Valid{make(Bits, (len(ends)+63)/64), true}
	for i := range ends {
		f := &ends[i].q.f
		f.valid, f.validAt = v, i
		f.light(f.head)
		f.retap()
	}
	return v
}

// Renewed reports whether a queue of the set was reset, or restored from a snapshot, since the last
// call. What the module has derived from entries is then to be derived again.
func (v *Valid) Renewed() bool {
	was := v.renewed
	v.renewed = false
	return was
}

// After returns the first member from i on, or -1.
func (s Bits) After(i int) int {
	w := i / 64
	if w >= len(s) {
		return -1
	}
	for m := s[w] &^ (1<<(i%64) - 1); ; m = s[w] {
		if m != 0 {
			return w*64 + bits.TrailingZeros64(m)
		}
		if w++; w == len(s) {
			return -1
		}
	}
}

// Has reports whether i is a member.
func (s Bits) Has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

// Add makes i a member.
func (s Bits) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Remove makes i no member.
func (s Bits) Remove(i int) { s[i/64] &^= 1 << (i % 64) }

// light notes whether the consumer sees an entry from position head on.
func (f *fifo) light(head uint32) {
	switch {
	case f.valid == nil:
	case head != f.vis:
		f.valid.Set.Add(f.validAt)
	default:
		f.valid.Set.Remove(f.validAt)
	}
}

// renew is light after the queue was reset or restored.
func (f *fifo) renew() {
	if f.valid != nil {
		f.valid.renewed = true
		f.light(f.head)
	}
}
