package waves

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strconv"

	"divergo/waves/fst"
)

// format writes a dump: its declarations, its first values, then the changes in the order of time.
type format interface {
	header(root *scope) error
	values(fs uint64, values []uint64) // of all variables
	time(fs uint64)                    // of the changes that follow
	changes(list []change)             // of variables that are shown
	failed() bool                      // something could not be written
	close() error
}

// newFormat is VCD or FST.
func newFormat(w io.Writer, asFST bool, vars []*variable) (format, error) {
	if !asFST {
		return newEncoder(w, vars)
	}
	at, ok := w.(io.WriterAt)
	if !ok {
		return nil, fmt.Errorf("FST needs a writer with WriteAt, such as a file, not %T", w)
	}
	return &fstFormat{to: fst.NewWriter(at, femtoseconds), order: make([]uint32, len(vars))}, nil
}

// encoder writes the VCD text. It hands whole lines to the writer, so a dump without an end can be
// read.
type encoder struct {
	w    io.Writer
	buf  []byte
	tags []tag // by variable
	err  error
}

// tag is the text after the digits of a change: a space for vectors, then the identifier and the
// line end. The first character is in the lowest byte, the length in the highest one.
type tag uint64

func (t tag) length() int { return int(t >> 56 &^ scalar) }

const (
	flushAt   = 1 << 16
	maxChange = 80 // bytes of a change: b, 64 digits, a tag
)

func newEncoder(w io.Writer, vars []*variable) (*encoder, error) {
	e := &encoder{w: w, buf: make([]byte, 0, flushAt+maxChange+maxChange), tags: make([]tag, len(vars))}
	for i, v := range vars {
		s := idCode(i) + "\n"
		if v.width > 1 {
			s = " " + s
		}
		var text [8]byte
		if len(s) >= len(text) {
			return nil, fmt.Errorf("a dump holds at most 78 million signals, not %d", len(vars))
		}
		text[7] = uint8(copy(text[:], s))
		if v.width == 1 {
			text[7] |= scalar
		}
		e.tags[i] = tag(binary.LittleEndian.Uint64(text[:]))
	}
	return e, nil
}

// scalar marks the tag of a variable of one bit.
const scalar = 0x80

func (e *encoder) text(format string, args ...any) { e.buf = fmt.Appendf(e.buf, format, args...) }

// header declares the variables in their scopes. Times are in femtoseconds: the edges of any clock
// are whole numbers, with a rounding that does not accumulate.
func (e *encoder) header(root *scope) error {
	e.text("$version divergo $end\n$timescale 1 fs $end\n")
	e.scopes(root)
	e.text("$enddefinitions $end\n")
	return e.close()
}

// scopes declares the entries of a scope.
func (e *encoder) scopes(s *scope) {
	for _, x := range s.entries {
		e.spill()
		switch {
		case x.v != nil && x.v.shown:
			e.declare(x.v)
		case x.sub != nil && x.sub.shown:
			e.text("$scope module %s $end\n", x.sub.name)
			e.scopes(x.sub)
			e.text("$upscope $end\n")
		}
	}
}

// declare writes the declaration of a variable. It runs for every variable of a machine, so it
// avoids formatting.
func (e *encoder) declare(v *variable) {
	kind := "reg "
	if v.isWire() {
		kind = "wire "
	}
	b := append(append(e.buf, "$var "...), kind...)
	b = append(strconv.AppendInt(b, int64(v.width), 10), ' ')
	b = append(append(b, idCode(v.id)...), ' ')
	b = append(b, v.name...)
	if v.width > 1 {
		b = append(strconv.AppendInt(append(b, " ["...), int64(v.width-1), 10), ":0]"...)
	}
	e.buf = append(b, " $end\n"...)
}

// values writes the state of all variables, as of time fs.
func (e *encoder) values(fs uint64, values []uint64) {
	e.time(fs)
	e.text("$dumpvars\n")
	for id := range e.tags {
		e.change(uint32(id), values[id])
	}
	e.text("$end\n")
}

func (e *encoder) time(fs uint64) {
	e.spill()
	e.buf = append(e.buf, '#')
	e.buf = strconv.AppendUint(e.buf, fs, 10)
	e.buf = append(e.buf, '\n')
}

// changes writes new values, those of variables that are shown.
func (e *encoder) changes(list []change) {
	for _, c := range list {
		if int(c.id) < len(e.tags) {
			e.change(c.id, c.value)
		}
	}
}

// change writes the new value of a variable. It leaves out leading zeros, as the format allows.
func (e *encoder) change(id uint32, value uint64) {
	e.spill()
	n := len(e.buf)
	b := e.buf[n : n+maxChange]
	t := e.tags[id]
	if t>>56&scalar != 0 {
		b[0] = '0' + byte(value&1)
		binary.LittleEndian.PutUint64(b[1:], uint64(t))
		e.buf = e.buf[:n+1+t.length()]
		return
	}
	digits := bits.Len64(value | 1)
	value <<= 64 - digits
	b[0] = 'b'
	for i := 1; i <= digits; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], binaryDigits[value>>56])
		value <<= 8
	}
	binary.LittleEndian.PutUint64(b[1+digits:], uint64(t)) // the length is written over by the next change
	e.buf = e.buf[:n+1+digits+t.length()]
}

// spill makes room for a change.
func (e *encoder) spill() {
	if len(e.buf) >= flushAt {
		e.flush()
	}
}

func (e *encoder) failed() bool { return e.err != nil }

func (e *encoder) close() error {
	e.flush()
	return e.err
}

func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.buf)
	}
	e.buf = e.buf[:0]
}

// binaryDigits holds the eight ASCII digits of each byte, with the most significant digit first in
// memory.
var binaryDigits = func() (table [256]uint64) {
	for x := range table {
		for bit := range 8 {
			table[x] |= uint64('0'+x>>(7-bit)&1) << (8 * bit)
		}
	}
	return table
}()
