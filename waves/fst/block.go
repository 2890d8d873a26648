package fst

import (
	"bytes"
	"encoding/binary"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"slices"

	"github.com/klauspost/compress/flate"
	"github.com/pierrec/lz4/v4"
)

// packed is a block of changes in the making. Its memory is used again for the next one.
type packed struct {
	frame   []byte           // the values at the beginning, compressed
	known   map[uint64]chain // by checksum and length
	packer  lz4.Compressor
	zipped  bytes.Buffer
	sum     hash.Hash32 // of the text in zipped
	text    []byte      // a part of the values at the beginning, a character for each bit
	changes []byte      // of a variable
	index   []byte
	out     []byte
}

// chain is the place of the changes of a variable in a block.
type chain struct {
	like     uint32 // the variable, from 1
	from, to uint32
}

const (
	minPacked = 32 // bytes of changes that are worth compressing
	textPart  = 1 << 15
	packedLZ4 = '4'
)

// flush writes the block of the changes so far. The next one begins where it ends.
func (w *Writer) flush() {
	if w.timeCount == 0 {
		return
	}
	w.repeatFirst()
	b := &w.packed
	out := append(b.out[:0], sized(changeBlock, w.begin, w.last, 0)...)
	out = binary.AppendUvarint(out, uint64(w.bitCount))
	out = binary.AppendUvarint(out, uint64(len(b.frame)))
	out = binary.AppendUvarint(out, uint64(len(w.vars)))
	out = append(out, b.frame...)

	out = binary.AppendUvarint(out, uint64(len(w.vars)))
	out, memory := w.pack(out)
	binary.BigEndian.PutUint64(out[25:], uint64(memory))
	out = append(out, b.index...)
	out = binary.BigEndian.AppendUint64(out, uint64(len(b.index)))

	times := b.deflated(w.times)
	out = append(out, times...)
	for _, n := range []int{len(w.times), len(times), int(w.timeCount)} {
		out = binary.BigEndian.AppendUint64(out, uint64(n))
	}
	w.writeBlock(out)
	b.out = out
	w.blocks++
	w.begin, w.times, w.timeCount, w.pieces.bytes = w.last, w.times[:0], 0, w.pieces.bytes[:0]
}

// repeatFirst repeats the value of the first variable in a block without a change of it. Without
// changes of the first variable, fstapi.c may take another variable that does not change in the
// block for one that changes like a third: it computes the length of the last changes of the block
// before with places of both blocks.
func (w *Writer) repeatFirst() {
	v := &w.vars[0]
	if w.blocks == 0 || v.first != 0 {
		return
	}
	if v.width > 64 {
		w.changeWide(v, 0, w.wide[v.value:][:wordsOf(v.width)])
		return
	}
	w.change(v, 0, v.value)
}

// begin makes the list of values at the beginning of the block. What is larger than a part becomes
// smaller by compression: it has two characters.
func (b *packed) begin(w *Writer) {
	b.rewind()
	text := b.text[:0]
	for i := range w.vars {
		if len(text) >= textPart {
			b.deflate(text, false)
			text = text[:0]
		}
		v := &w.vars[i]
		if v.width <= 64 {
			text = appendBits(text, v.value, v.width)
			continue
		}
		top := (v.width-1)%64 + 1 // bits of the highest word
		for _, x := range slices.Backward(w.wide[v.value:][:wordsOf(v.width)]) {
			text = appendBits(text, x, top)
			top = 64
		}
	}
	b.text = text
	b.frame = append(b.frame[:0], b.shorter(text, w.bitCount)...)
}

// appendBits appends the lowest bits of a number as digits.
func appendBits(text []byte, x uint64, bits uint32) []byte {
	n := len(text) + int(bits)
	for x <<= 64 - bits; len(text) < n; x <<= 8 {
		text = binary.LittleEndian.AppendUint64(text, digits[x>>56])
	}
	return text[:n]
}

// digits holds the digits of each byte, with the highest one first in memory.
var digits = func() (table [256]uint64) {
	for x := range table {
		for bit := range 8 {
			table[x] |= uint64('0'+x>>(7-bit)&1) << (8 * bit)
		}
	}
	return table
}()

// pack appends the changes of all variables. It fills the index: the distance of the changes of a
// variable from the previous ones, or the negative number of a variable with the same changes, or a
// number of variables without changes. It returns the memory that a reader of all variables needs.
func (w *Writer) pack(out []byte) (_ []byte, memory int) {
	b := &w.packed
	if b.known == nil {
		b.known = map[uint64]chain{}
	}
	clear(b.known)
	index := b.index[:0]
	start := uint32(len(out))
	out = append(out, packedLZ4)
	at, like, without := uint32(0), uint32(0), uint64(0)
	for i := range w.vars {
		v := &w.vars[i]
		if v.first == 0 {
			without++
			continue
		}
		if without > 0 {
			index = binary.AppendUvarint(index, without<<1)
			without = 0
		}
		b.changes = w.pieces.of(v, b.changes[:0])
		v.first, v.end, v.limit, v.time = 0, 0, 0, 0
		memory += len(b.changes)
		sum := uint64(crc32.Checksum(b.changes, castagnoli))<<32 | uint64(len(b.changes))
		c := chain{uint32(i) + 1, uint32(len(out)), 0}
		out = b.compressed(out)
		c.to = uint32(len(out))
		switch other, ok := b.known[sum]; {
		case !ok || !bytes.Equal(out[c.from:], out[other.from:other.to]):
			b.known[sum] = c
			index = appendSigned(index, int64(c.from-start-at)<<1|1)
			at = c.from - start
			continue
		case other.like == like:
			index = appendSigned(index, 1)
		default:
			index = appendSigned(index, -int64(other.like)<<1|1)
			like = other.like
		}
		out = out[:c.from]
	}
	if without > 0 {
		index = binary.AppendUvarint(index, without<<1)
	}
	b.index = index
	return out, memory
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // processors have it

// compressed appends the changes of a variable, compressed if that makes them smaller, behind the
// length without compression or 0.
func (b *packed) compressed(out []byte) []byte {
	if size := len(b.changes); size > minPacked {
		n := len(out)
		out = binary.AppendUvarint(out, uint64(size))
		out = slices.Grow(out, lz4.CompressBlockBound(size))
		packed, _ := b.packer.CompressBlock(b.changes, out[len(out):cap(out)]) // there is room
		if out = out[:len(out)+packed]; len(out)-n <= size {
			return out
		}
		out = out[:n]
	}
	return append(append(out, 0), b.changes...)
}

// deflated compresses with zlib. What does not become smaller stays as it is: readers compare the
// lengths. The result is overwritten by the next call.
func (b *packed) deflated(text []byte) []byte {
	b.rewind()
	return b.shorter(text, len(text))
}

// rewind begins a stream of zlib (RFC 1950): a window of 32 KiB, the fastest compression.
func (b *packed) rewind() {
	b.zipped.Reset()
	b.zipped.Write([]byte{0x78, 0x01})
	if b.sum == nil {
		b.sum = adler32.New()
	}
	b.sum.Reset()
}

// deflate compresses a part of a text by itself, so that no window is kept.
func (b *packed) deflate(text []byte, last bool) {
	_ = flate.StatelessDeflate(&b.zipped, text, last, nil) // memory takes it
	_, _ = b.sum.Write(text)
}

// shorter compresses the last part of a text of so many bytes. It returns the whole text, compressed
// if that makes it smaller.
func (b *packed) shorter(text []byte, size int) []byte {
	b.deflate(text, true)
	b.zipped.Write(b.sum.Sum(nil))
	if b.zipped.Len() < size {
		return b.zipped.Bytes()
	}
	return text
}

// appendSigned appends a number in signed LEB128: seven bits a byte, the lowest first, up to one
// that holds the sign in its bit 6.
func appendSigned(b []byte, x int64) []byte {
	for x < -64 || x > 63 {
		b = append(b, byte(x)|0x80)
		x >>= 7
	}
	return append(b, byte(x)&0x7f)
}
