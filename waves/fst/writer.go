// Package fst writes waveforms in FST, GTKWave's own format. A dump has a fraction of the size of
// the same dump in VCD, and opens faster.
//
//	w := fst.NewWriter(file, -15)   // times are in units of 10^-15 s
//	w.Scope("top")
//	count := w.Var(fst.Reg, "Count", 8)
//	w.Up()
//	w.Start(0, []uint64{0})         // the first time, and the value of each variable
//	w.Time(1000)
//	w.Change(count, 1)
//	err := w.Close()
//
// The format is that of fstapi.h and fstapi.c in GTKWave's sources (Bybell, version 3.3.118), with
// blocks of the kind FST_BL_VCDATA_DYN_ALIAS2. Tim Hutt's "An unofficial specification for the FST
// format" describes it in words. A file is a list of blocks:
//
//   - a header with times and numbers of things, which Close completes
//   - the geometry: the width of each variable
//   - the hierarchy: scopes and variables with their names
//   - blocks of changes, of 2 to 8 MB before compression
//
// A block of changes has the values of all variables at its beginning, then the changes by
// variable, then the times. A change names its time by the distance to the time of the variable's
// previous change. The changes of a variable, which often repeat, are compressed with LZ4. A
// variable that changes like an earlier one only refers to it.
//
// Memory is bounded by one block. Each block is complete when it becomes visible to readers: a dump
// whose writer was killed can be read up to its last block. The file has no date and depends only
// on the calls.
package fst

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/klauspost/compress/gzip"
)

// Kind is the kind of a variable, as in VCD.
type Kind uint8

// The kinds of variables.
const (
	Reg  Kind = 5
	Wire Kind = 16
)

// The types of blocks.
const (
	headerBlock    = 0
	geometryBlock  = 3
	hierarchyBlock = 4 // compressed with gzip
	changeBlock    = 8 // FST_BL_VCDATA_DYN_ALIAS2
	skippedBlock   = 255
)

// The types of entries in the hierarchy. A variable begins with its Kind.
const (
	scopeEntry = 254
	upEntry    = 255
)

// version is the program that the header names.
const version = "divergo"

// Writer writes a dump. First declare the variables with Scope, Var and Up, then call Start, then
// Time and Change in the order of time, then Close. The first error of writing is that of Close.
type Writer struct {
	w     io.WriterAt
	at    int64 // size of the file
	err   error
	scale int8

	declared hierarchy // until Start
	widths   []uint32  // until Start
	scopes   uint64
	vars     []variable
	wide     []uint64 // present values of variables of more than 64 bits, the lowest word first
	bitCount int      // of all variables

	times     []byte // of the block, besides begin: each the distance to the one before, the first one to 0
	timeCount uint32
	begin     uint64 // of the block
	first     uint64 // of the file
	last      uint64 // of the file
	blocks    uint64
	limit     int // bytes of changes after which a block ends, from Start on

	pieces pieces // changes of the block
	packed packed
}

// variable is a variable and the place of its changes.
type variable struct {
	value uint64 // present value; of more than 64 bits: index of its lowest word in Writer.wide
	time  uint32 // number of the time of its last change in the block
	// These are places in pieces: its first piece, the end of its changes and of its last piece. All
	// are 0 if it has no changes in the block.
	first, end, limit uint32
	width             uint32 // bits
	piece             uint16 // size of its last piece
	size              uint16 // bytes of a value in a change, 0 of one bit
}

// NewWriter starts a dump. Times are in units of 10^scale seconds.
func NewWriter(w io.WriterAt, scale int8) *Writer {
	return &Writer{w: w, scale: scale}
}

// Scope opens a scope, a module.
func (w *Writer) Scope(name string) {
	w.scopes++
	b := append(w.declared.next(), scopeEntry, 0)
	b = append(b, name...)
	w.declared.text = append(b, 0, 0) // the end of the name, and of that of the component
}

// Up closes a scope.
func (w *Writer) Up() { w.declared.text = append(w.declared.next(), upEntry) }

// Var declares a variable in the open scope, and returns its number, from 0. It has 1 to 524,280 bits:
// a change has at most 65,535 bytes.
func (w *Writer) Var(kind Kind, name string, width int) (id int) {
	b := append(w.declared.next(), byte(kind), 0) // without a direction
	b = append(b, name...)
	if width > 1 {
		b = append(strconv.AppendInt(append(b, " ["...), int64(width-1), 10), ":0]"...)
	}
	b = append(b, 0)
	b = binary.AppendUvarint(b, uint64(width))
	w.declared.text = append(b, 0) // it is not an alias
	w.widths = append(w.widths, uint32(width))
	w.bitCount += width
	return len(w.widths) - 1
}

// hierarchy is the compressed list of scopes and variables.
type hierarchy struct {
	text []byte // not yet compressed
	size int    // of the text before that
	zip  *gzip.Writer
	to   bytes.Buffer
}

// next is the end of the text, for the next entry.
func (h *hierarchy) next() []byte {
	if len(h.text) >= 1<<16 {
		h.flush()
	}
	return h.text
}

func (h *hierarchy) flush() {
	if h.zip == nil {
		h.zip, _ = gzip.NewWriterLevel(&h.to, gzip.StatelessCompression) // the level is right
	}
	_, _ = h.zip.Write(h.text) // memory takes it
	h.size += len(h.text)
	h.text = h.text[:0]
}

// wordsOf is the number of words of 64 bits of a value.
func wordsOf(width uint32) int { return int(width+63) / 64 }

// Start ends the declarations. The dump begins at a time with the values of all variables. A value
// of more than 64 bits has several words, the lowest first.
func (w *Writer) Start(time uint64, values []uint64) {
	w.begin, w.first, w.last = time, time, time
	w.vars = make([]variable, len(w.widths))
	var widths []byte
	for i, width := range w.widths {
		v := &w.vars[i]
		if v.width = width; width > 1 {
			v.size = uint16((width + 7) / 8)
		}
		widths = binary.AppendUvarint(widths, uint64(width))
		words := wordsOf(width)
		if v.value = values[0]; words > 1 {
			v.value = uint64(len(w.wide))
			w.wide = append(w.wide, values[:words]...)
		}
		values = values[words:]
	}
	if w.limit == 0 {
		w.limit = min(max(w.bitCount, minBlock), maxBlock)
	}
	w.pieces.bytes = make([]byte, 0, w.limit+w.limit/8) // the last time may have many changes
	w.packed.out = make([]byte, 0, w.limit/2)
	w.write(w.header())
	b := sized(geometryBlock, uint64(len(widths)), uint64(len(w.vars)))
	w.writeBlock(append(b, w.packed.deflated(widths)...))
	h := &w.declared
	h.flush()
	_ = h.zip.Close() // memory takes it
	w.writeBlock(append(sized(hierarchyBlock, uint64(h.size)), h.to.Bytes()...))
	*h = hierarchy{}
}

// header is the first block. Its times are 0 until Close: then readers look for those of the
// blocks.
func (w *Writer) header() []byte {
	b := make([]byte, 0, 330)
	b = append(b, headerBlock)
	b = binary.BigEndian.AppendUint64(b, 329) // bytes from here
	b = binary.BigEndian.AppendUint64(b, 0)
	b = binary.BigEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(math.E)) // shows the order of the bytes in a number
	b = binary.BigEndian.AppendUint64(b, 0)                           // memory of the writer
	b = binary.BigEndian.AppendUint64(b, w.scopes)
	b = binary.BigEndian.AppendUint64(b, uint64(len(w.vars)))
	b = binary.BigEndian.AppendUint64(b, uint64(len(w.vars))) // without aliases
	b = binary.BigEndian.AppendUint64(b, w.blocks)
	b = append(b, byte(w.scale))
	b = append(b, version...)
	b = b[:74+128] // the rest of version
	return b[:330] // no date, Verilog, no offset of times
}

// Offsets in the header.
const (
	timesAt  = 9
	blocksAt = 65
)

// Time is the time of the changes that follow. It is after the previous time.
func (w *Writer) Time(time uint64) {
	if len(w.pieces.bytes) >= w.limit || w.timeCount >= maxTimes {
		w.flush()
	}
	last := w.last
	if w.timeCount == 0 {
		w.packed.begin(w)
		last = 0
	}
	w.times = binary.AppendUvarint(w.times, time-last)
	w.timeCount++
	w.last = time
}

// Change is a change of a variable of at most 64 bits.
func (w *Writer) Change(id int, value uint64) {
	v := &w.vars[id]
	v.value = value
	w.change(v, w.timeCount-1, value)
}

func (w *Writer) change(v *variable, time uint32, value uint64) {
	b, number := w.pieces.room(v), (time-v.time)<<1
	v.time = time
	if v.size == 0 {
		number = number<<1 | uint32(value)<<1
	}
	value <<= 64 - v.width
	if number < 0x80 {
		b[0] = byte(number)
		binary.BigEndian.PutUint64(b[1:], value)
		v.end += 1 + uint32(v.size)
		return
	}
	n := binary.PutUvarint(b[:], uint64(number))
	binary.BigEndian.PutUint64(b[n:], value)
	v.end += uint32(n) + uint32(v.size)
}

// ChangeWide is a change of a variable of more than 64 bits, the lowest word first.
func (w *Writer) ChangeWide(id int, value []uint64) {
	v := &w.vars[id]
	copy(w.wide[v.value:][:wordsOf(v.width)], value)
	w.changeWide(v, w.timeCount-1, value)
}

func (w *Writer) changeWide(v *variable, time uint32, value []uint64) {
	v.end += uint32(binary.PutUvarint(w.pieces.room(v)[:], uint64(time-v.time)<<1))
	v.time = time
	shift := -v.width % 64 // the highest bit becomes that of a word
	left := uint32(v.size)
	for i, x := range slices.Backward(value) {
		x <<= shift
		if i > 0 {
			x |= value[i-1] >> (64 - shift) // 0 if nothing is shifted
		}
		binary.BigEndian.PutUint64(w.pieces.room(v)[:], x)
		v.end += min(left, 8)
		left -= min(left, 8)
	}
}

// Failed reports whether something could not be written. Close has the error.
func (w *Writer) Failed() bool { return w.err != nil }

// Close ends the dump at its last time. It does not close the file.
func (w *Writer) Close() error {
	if w.blocks == 0 && w.timeCount == 0 {
		w.Time(w.begin + 1) // readers show the first values only if another time follows
	}
	w.flush()
	b := binary.BigEndian.AppendUint64(nil, w.first)
	w.writeAt(binary.BigEndian.AppendUint64(b, w.last), timesAt)
	w.writeAt(binary.BigEndian.AppendUint64(nil, w.blocks), blocksAt)
	if w.err != nil {
		return fmt.Errorf("fst: %w", w.err)
	}
	return nil
}

// sized begins a block with some numbers. Its length follows in writeBlock.
func sized(kind byte, numbers ...uint64) []byte {
	b := append(make([]byte, 0, 64), kind, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, x := range numbers {
		b = binary.BigEndian.AppendUint64(b, x)
	}
	return b
}

// writeBlock writes a block. Readers skip it until it is complete.
func (w *Writer) writeBlock(b []byte) {
	binary.BigEndian.PutUint64(b[1:], uint64(len(b)-1))
	kind, at := b[0], w.at
	b[0] = skippedBlock
	w.write(b)
	w.writeAt([]byte{kind}, at)
}

// write appends to the file.
func (w *Writer) write(b []byte) {
	w.writeAt(b, w.at)
	w.at += int64(len(b))
}

func (w *Writer) writeAt(b []byte, at int64) {
	if w.err == nil {
		_, w.err = w.w.WriteAt(b, at)
	}
}
