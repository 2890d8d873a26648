package fst

import (
	"encoding/binary"
	"slices"
)

const (
	// A block ends after so many bytes of changes: as many as there are bits, which each block has at
	// its beginning, but within these limits.
	minBlock = 2 << 20
	maxBlock = 8 << 20
	maxTimes = 1 << 20 // times after which a block ends

	firstPiece = 64 // bytes; each piece is twice as large as the one before
	lastPiece  = 1024
	linkSize   = 8     // bytes at the end of a piece
	maxChange  = 5 + 8 // bytes of a number below 2^32, and of 64 bits
)

// pieces holds the changes of a block by variable, as the block will have them. The changes of a
// variable are in a list of pieces. A piece ends with the end of its changes and the place of the
// next piece. Place 0 is not used.
type pieces struct{ bytes []byte }

// room is the place behind the changes of a variable.
func (p *pieces) room(v *variable) *[maxChange]byte {
	if v.end+maxChange > v.limit {
		p.extend(v)
	}
	return (*[maxChange]byte)(p.bytes[v.end:])
}

// extend gives a variable its first piece, or the next one.
func (p *pieces) extend(v *variable) {
	next, size := max(len(p.bytes), firstPiece), firstPiece
	if v.first != 0 {
		size = min(2*int(v.piece), lastPiece)
	}
	p.bytes = slices.Grow(p.bytes, next+size-len(p.bytes))[:next+size]
	if v.first == 0 {
		v.first = uint32(next)
	} else {
		link := p.bytes[v.limit:][:linkSize]
		binary.LittleEndian.PutUint32(link, v.end)
		binary.LittleEndian.PutUint32(link[4:], uint32(next))
	}
	v.end, v.limit, v.piece = uint32(next), uint32(next+size-linkSize), uint16(size)
}

// of appends the changes of a variable.
func (p *pieces) of(v *variable, to []byte) []byte {
	place, size := v.first, uint32(firstPiece)
	for {
		limit := place + size - linkSize
		if limit == v.limit {
			return append(to, p.bytes[place:v.end]...)
		}
		link := p.bytes[limit:][:linkSize]
		to = append(to, p.bytes[place:binary.LittleEndian.Uint32(link)]...)
		place, size = binary.LittleEndian.Uint32(link[4:]), min(2*size, lastPiece)
	}
}
