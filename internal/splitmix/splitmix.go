// Package splitmix implements the random generator SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
// It gives the same numbers on every machine and in every release of Go.
package splitmix

// Source is a generator; its value is the seed.
type Source uint64

// Next returns 64 random bits. The high bits are the better ones.
func (s *Source) Next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
