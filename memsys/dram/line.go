package dram

import (
	"encoding/binary"
	"math/bits"
)

// MaxLine is the longest line in bytes that a request can carry.
const MaxLine = 128

// Line is the data of a cache line. Shorter lines use the first bytes.
type Line [MaxLine]byte

// ByteMask has one bit for each byte of a Line, byte 0 in bit 0 of word 0.
type ByteMask [2]uint64

// Span returns the mask of n bytes from offset off on.
func Span(off, n int) ByteMask { return below(off + n).AndNot(below(off)) }

// below returns the mask of the bytes before n.
func below(n int) ByteMask {
	if n >= 64 {
		return ByteMask{^uint64(0), 1<<(n-64) - 1}
	}
	return ByteMask{1<<n - 1, 0}
}

// Or returns the union of m and o.
func (m ByteMask) Or(o ByteMask) ByteMask { return ByteMask{m[0] | o[0], m[1] | o[1]} }

// And returns the intersection of m and o.
func (m ByteMask) And(o ByteMask) ByteMask { return ByteMask{m[0] & o[0], m[1] & o[1]} }

// AndNot returns m without o.
func (m ByteMask) AndNot(o ByteMask) ByteMask { return ByteMask{m[0] &^ o[0], m[1] &^ o[1]} }

// Covers reports whether m has every byte of o.
func (m ByteMask) Covers(o ByteMask) bool { return o.AndNot(m) == ByteMask{} }

// Count returns the number of bytes in m.
func (m ByteMask) Count() int { return bits.OnesCount64(m[0]) + bits.OnesCount64(m[1]) }

// byteLanes[b] has byte i set to 0xff for each bit i of b.
var byteLanes = func() (t [256]uint64) {
	for b := range t {
		for i := range 8 {
			if b>>i&1 != 0 {
				t[b] |= 0xff << (8 * i)
			}
		}
	}
	return t
}()

// Merge copies the bytes in m from src to l.
func (l *Line) Merge(src *Line, m ByteMask) {
	for i, w := range m {
		for off := i * 64; w != 0; w, off = w>>8, off+8 {
			if w&0xff == 0 {
				continue
			}
			keep := byteLanes[w&0xff]
			to, from := l[off:off+8], src[off:off+8]
			v := binary.LittleEndian.Uint64(to)&^keep | binary.LittleEndian.Uint64(from)&keep
			binary.LittleEndian.PutUint64(to, v)
		}
	}
}
