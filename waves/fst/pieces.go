package fst

import "encoding/binary"

const (
	blockSize = 8 << 20 // bytes of changes after which a block ends
	maxTimes  = 1 << 20 // times after which a block ends

	firstPiece = 64 // bytes; each piece is twice as large as the one before
	lastPiece  = 1024
	linkSize   = 8 // bytes at the end of a piece
	pageSize   = 1 << 18
	maxChange  = 5 + 8 // bytes of a number below 2^32, and of 64 bits
)

// pieces holds the changes of a block by variable, as the block will have them. The changes of a
// variable are in a list of pieces. A piece ends with the end of its changes and the place of the
// next piece. Place 0 is not used.
type pieces struct {
	pages []*[pageSize]byte
	size  uint32 // bytes
}

// add appends a change of a variable: a number in LEB128, then the first bytes of bits.
func (p *pieces) add(v *variable, number, bits uint64, bytes uint32) {
	b := p.room(v)
	n := uint32(1)
	if b[0] = byte(number); number >= 0x80 {
		n = uint32(binary.PutUvarint(b, number))
	}
	binary.BigEndian.PutUint64(b[n:], bits)
	v.end += n + bytes
}

// append appends the first bytes of bits to the last change of a variable.
func (p *pieces) append(v *variable, bits uint64, bytes uint32) {
	binary.BigEndian.PutUint64(p.room(v), bits)
	v.end += bytes
}

// room is the place behind the changes of a variable.
func (p *pieces) room(v *variable) []byte {
	if v.end+maxChange > v.limit {
		p.extend(v)
	}
	place := v.end % pageSize
	return p.pages[v.end/pageSize][place : place+maxChange]
}

// extend gives a variable its first piece, or the next one.
func (p *pieces) extend(v *variable) {
	next, size := p.size, uint32(firstPiece)
	if v.first != 0 {
		size = min(2*v.piece, lastPiece)
	}
	if next%pageSize+size > pageSize || len(p.pages) == 0 {
		next = (next + pageSize - 1) / pageSize * pageSize
	}
	if next == 0 {
		next = firstPiece
	}
	if next/pageSize == uint32(len(p.pages)) {
		p.pages = append(p.pages, new([pageSize]byte))
	}
	p.size = next + size
	if v.first == 0 {
		v.first = next
	} else {
		link := p.pages[v.limit/pageSize][v.limit%pageSize:]
		binary.LittleEndian.PutUint32(link, v.end)
		binary.LittleEndian.PutUint32(link[4:], next)
	}
	v.end, v.limit, v.piece = next, next+size-linkSize, size
}

// of appends the changes of a variable.
func (p *pieces) of(v *variable, to []byte) []byte {
	place, size := v.first, uint32(firstPiece)
	for {
		page, limit := p.pages[place/pageSize], place+size-linkSize
		if limit == v.limit {
			return append(to, page[place%pageSize:][:v.end-place]...)
		}
		link := page[limit%pageSize:]
		to = append(to, page[place%pageSize:][:binary.LittleEndian.Uint32(link)-place]...)
		place, size = binary.LittleEndian.Uint32(link[4:]), min(2*size, lastPiece)
	}
}
