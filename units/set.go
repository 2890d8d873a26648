package units

import "math/bits"

// MaxSet is the number of request lines of a Set.
const MaxSet = 512

// Set has a bit for each of MaxSet lines, such as the slots that ask for
// something. Its method Next is a round-robin arbiter. Of few lines only the first
// words are in use: see Words.
type Set [MaxSet / 64]uint64

// Words is how many words of a Set the first n lines are in.
func Words(n int) int { return min((n+63)>>6, MaxSet/64) }

// Add sets line i.
func (s *Set) Add(i int) { s[i>>6&(len(s)-1)] |= 1 << (i & 63) }

// Remove clears line i.
func (s *Set) Remove(i int) { s[i>>6&(len(s)-1)] &^= 1 << (i & 63) }

// Has reports whether line i is set.
func (s *Set) Has(i int) bool { return s[i>>6&(len(s)-1)]>>(i&63)&1 != 0 }

// Union sets all lines of o.
func (s *Set) Union(o Set) {
	for w := range s {
		s[w] |= o[w]
	}
}

// Next is the first line set at or after i, going round, or -1 if there is
// none: two priority encoders, one of them behind a mask.
func (s *Set) Next(i int) int {
	w := i >> 6 & (len(s) - 1)
	if m := s[w] &^ (1<<(i&63) - 1); m != 0 {
		return w<<6 | bits.TrailingZeros64(m)
	}
	for k := 1; k <= len(s); k++ {
		v := (w + k) & (len(s) - 1)
		if s[v] != 0 {
			return v<<6 | bits.TrailingZeros64(s[v])
		}
	}
	return -1
}
