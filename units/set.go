package units

import "math/bits"

// MaxSet is the number of request lines of a Set.
const MaxSet = 512

// Set has a bit for each of MaxSet request lines, for example one for each slot. Its method Next is
// a round-robin arbiter. With fewer lines only the first words are in use: see Words.
type Set [MaxSet / 64]uint64

// Words returns the number of words of a Set that hold the first n lines.
func Words(n int) int { return min((n+63)>>6, MaxSet/64) }

// Add sets line i.
func (s *Set) Add(i int) { s[i>>6&(len(s)-1)] |= 1 << (i & 63) }

// Remove clears line i.
func (s *Set) Remove(i int) { s[i>>6&(len(s)-1)] &^= 1 << (i & 63) }

// Has reports whether line i is set.
func (s *Set) Has(i int) bool { return s[i>>6&(len(s)-1)]>>(i&63)&1 != 0 }

// Union sets all lines of o within the first words.
func (s *Set) Union(o *Set, words int) {
	for w, m := range o[:words] {
		s[w] |= m
	}
}

// Any reports whether a line is set in the first words.
func (s *Set) Any(words int) bool {
	for _, m := range s[:words] {
		if m != 0 {
			return true
		}
	}
	return false
}

// Equal reports whether o has the same lines set within the first words.
func (s *Set) Equal(o *Set, words int) bool {
	for w, m := range o[:words] {
		if s[w] != m {
			return false
		}
	}
	return true
}

// Next returns the first line set at or after i, wrapping around the first words, or -1 if none is
// set. Its hardware is two priority encoders, one of them behind a mask.
func (s *Set) Next(i, words int) int {
	if words == 1 && s[0] != 0 {
		return (i + bits.TrailingZeros64(bits.RotateLeft64(s[0], -i))) & 63
	}
	return s.next(i, words)
}

// next is Next for more than one word.
func (s *Set) next(i, words int) int {
	from := i >> 6
	if from >= words {
		from, i = 0, 0
	}
	if m := s[from&(len(s)-1)] &^ (1<<(i&63) - 1); m != 0 {
		return from<<6 | bits.TrailingZeros64(m)
	}
	for w := from + 1; w < words; w++ {
		if m := s[w&(len(s)-1)]; m != 0 {
			return w<<6 | bits.TrailingZeros64(m)
		}
	}
	for w, m := range s[:from+1] {
		if m != 0 {
			return w<<6 | bits.TrailingZeros64(m)
		}
	}
	return -1
}
