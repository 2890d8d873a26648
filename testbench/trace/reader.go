package trace

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"
	"sort"

	"github.com/klauspost/compress/zstd"

	"divergo/isa"
)

// Reader reads a trace. One goroutine at a time may use it. Its lists are read when it is made, and
// records on demand.
type Reader struct {
	Header   Header
	Programs []Program
	Launches []Launch // in the order of their cycles
	// Summary is nil for a file that was cut short. The file then ends with its last whole block.
	Summary *Summary
	Blocks  []Block // in the order of their cycles

	from io.ReaderAt
	size int64
	zip  *zstd.Decoder
}

// Block is a part of a file with the records of a range of cycles, of all SMs. No two blocks have
// records of the same cycle.
type Block struct {
	Offset   int64  // in the file
	From, To uint64 // cycles of its first and its last record
	Counts   [NumKinds]uint64
}

// Query selects records. The zero value selects all.
type Query struct {
	From, To uint64 // cycles; To 0: no end
	SMs      []int  // none: all SMs
}

// limits of what a reader accepts, against files that would use up memory.
const (
	maxChunk = 1 << 30
	maxSMs   = 1 << 16
)

// NewReader reads what describes a trace of so many bytes. The error tells why a file is no trace, or
// not one of this version.
func NewReader(from io.ReaderAt, size int64) (*Reader, error) {
	zip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunk))
	if err != nil {
		return nil, err
	}
	r := &Reader{from: from, size: size, zip: zip}
	head := make([]byte, headBytes)
	if n, err := from.ReadAt(head, 0); n < len(head) {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%d bytes, want a trace, which begins with %s", size, magic)
		}
		return nil, err
	}
	if string(head[:len(magic)]) != magic {
		return nil, fmt.Errorf("begins with %q, want a trace, which begins with %s", head[:len(magic)], magic)
	}
	if v := binary.LittleEndian.Uint32(head[len(magic):]); v != Version {
		return nil, fmt.Errorf("a trace of version %d, this program reads version %d", v, Version)
	}
	whole, err := r.index()
	if err == nil && !whole {
		err = r.scan()
	}
	if err != nil {
		return nil, err
	}
	if n := r.Header.SMs; n < 1 || n > maxSMs {
		return nil, fmt.Errorf("a trace without a header, or of %d SMs", n)
	}
	return r, nil
}

// index reads the chunks that the last one lists. It reports false if the file has no last chunk.
func (r *Reader) index() (bool, error) {
	var tail [8 + len(mark)]byte
	if r.size < int64(len(tail)) {
		return false, nil
	}
	if _, err := r.from.ReadAt(tail[:], r.size-int64(len(tail))); err != nil {
		return false, err
	}
	if string(tail[8:]) != mark {
		return false, nil
	}
	var e ending
	kind, content, err := r.chunk(int64(binary.LittleEndian.Uint64(tail[:])))
	if err == nil && kind != chunkEnd {
		err = fmt.Errorf("a chunk of kind %q, want the last one", kind)
	}
	if err == nil {
		err = r.describe(content, &e)
	}
	for i := 0; err == nil && i < len(e.Described); i++ {
		if kind, content, err = r.chunk(e.Described[i]); err == nil {
			err = r.take(kind, content, e.Described[i])
		}
	}
	r.Summary, r.Blocks = &e.Summary, e.Blocks
	return true, err
}

// scan reads all chunks of a file that was cut short, up to the last whole one.
func (r *Reader) scan() error {
	for at := int64(headBytes); at < r.size; {
		kind, content, err := r.chunk(at)
		if errors.Is(err, errCut) {
			return nil
		}
		if err == nil {
			err = r.take(kind, content, at)
		}
		if err != nil {
			return err
		}
		at += chunkHead + int64(len(content))
	}
	return nil
}

// take takes a chunk.
func (r *Reader) take(kind byte, content []byte, at int64) (err error) {
	switch kind {
	case chunkHeader:
		err = r.describe(content, &r.Header)
	case chunkProgram:
		r.Programs = append(r.Programs, Program{})
		err = r.describe(content, &r.Programs[len(r.Programs)-1])
	case chunkLaunch:
		var l Launch
		err = r.describe(content, &l)
		if err == nil && (l.Program < 0 || l.Program >= len(r.Programs)) {
			err = fmt.Errorf("a launch of program %d of %d", l.Program, len(r.Programs))
		}
		r.Launches = append(r.Launches, l)
	case chunkBlock:
		b := Block{Offset: at}
		_, err = b.take(content)
		r.Blocks = append(r.Blocks, b)
	case chunkEnd: // what follows was cut off
		var e ending
		err = r.describe(content, &e)
		r.Summary = &e.Summary
	default:
		err = fmt.Errorf("no chunk of a trace: its kind is %q", kind)
	}
	return err
}

// errCut is the error of a chunk that is not whole.
var errCut = errors.New("the file ends within a chunk")

// chunk reads a chunk. Its content is valid for as long as it is wanted.
func (r *Reader) chunk(at int64) (kind byte, content []byte, err error) {
	var head [chunkHead]byte
	if at < headBytes || at > r.size-chunkHead {
		return 0, nil, errCut
	}
	if _, err := r.from.ReadAt(head[:], at); err != nil {
		return 0, nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[1:]))
	if n > r.size-chunkHead-at {
		return 0, nil, errCut
	}
	content = make([]byte, n)
	if n, err := r.from.ReadAt(content, at+chunkHead); n < len(content) {
		return 0, nil, err
	}
	if crc32.Checksum(content, checksum) != binary.LittleEndian.Uint32(head[5:]) {
		return 0, nil, fmt.Errorf("byte %d: a chunk that has another checksum than was written", at)
	}
	return head[0], content, nil
}

// describe decodes a chunk of compressed JSON.
func (r *Reader) describe(content []byte, v any) error {
	text, err := r.zip.DecodeAll(content, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// take decodes the head of a block, and returns the compressed records.
func (b *Block) take(content []byte) ([]byte, error) {
	in := input{b: content}
	b.From, b.To = in.uvarint(), in.uvarint()
	for k := range b.Counts {
		b.Counts[k] = in.uvarint()
	}
	if in.short {
		return nil, errRecord
	}
	return in.b, nil
}

// Records returns the number of records of the block.
func (b *Block) Records() (n uint64) {
	for _, k := range b.Counts {
		n += k
	}
	return n
}

// Size returns the size of the file, in bytes.
func (r *Reader) Size() int64 { return r.size }

// LaunchOf returns the launch that a cycle belongs to: the index in Launches, -1 before the first.
func (r *Reader) LaunchOf(cycle uint64) int {
	return sort.Search(len(r.Launches), func(i int) bool { return r.Launches[i].Cycle > cycle }) - 1
}

// ProgramAt returns the program that runs in a cycle, or an empty one before the first launch.
func (r *Reader) ProgramAt(cycle uint64) *Program {
	if i := r.LaunchOf(cycle); i >= 0 {
		return &r.Programs[r.Launches[i].Program]
	}
	return &Program{}
}

// Records yields the selected records in the order of cycles. Records of one cycle are in the order
// of SMs; those of one SM are in the order in which they happened. Only blocks with such cycles are
// read. A record is valid until the next one. An error ends the sequence; its record is nil.
func (r *Reader) Records(q Query) iter.Seq2[*Record, error] {
	if q.To == 0 {
		q.To = ^uint64(0)
	}
	return func(yield func(*Record, error) bool) {
		first := sort.Search(len(r.Blocks), func(i int) bool { return r.Blocks[i].To >= q.From })
		var m merger
		for i := first; i < len(r.Blocks) && r.Blocks[i].From <= q.To; i++ {
			if err := r.open(&m, &r.Blocks[i], q.SMs); err != nil {
				yield(nil, fmt.Errorf("byte %d: %w", r.Blocks[i].Offset, err))
				return
			}
			for {
				rec, err := m.next()
				switch {
				case err != nil:
					yield(nil, fmt.Errorf("byte %d: %w", r.Blocks[i].Offset, err))
					return
				case rec == nil || rec.Cycle > q.To:
				case rec.Cycle < q.From:
					continue
				case !yield(rec, nil):
					return
				default:
					continue
				}
				break
			}
		}
	}
}

// merger merges the streams of a block.
type merger struct {
	raw     []byte
	streams []stream
	last    int // stream of the last record
}

// stream is the rest of the records of an SM, the next one decoded.
type stream struct {
	coder
	rest  []byte
	left  uint64 // records behind rec
	there bool   // rec is a record
	rec   Record
	given Record               // the one that was returned last
	kept  [isa.MaxLanes]uint64 // its values
}

// open decodes a block.
func (r *Reader) open(m *merger, b *Block, sms []int) error {
	kind, content, err := r.chunk(b.Offset)
	if err == nil && kind != chunkBlock {
		err = fmt.Errorf("a chunk of kind %q, want a block", kind)
	}
	if err != nil {
		return err
	}
	var head Block
	packed, err := head.take(content)
	if err != nil {
		return err
	}
	if m.raw, err = r.zip.DecodeAll(packed, m.raw[:0]); err != nil {
		return err
	}
	in := input{b: m.raw}
	n := 0
	for len(in.b) > 0 {
		sm, left, cycle, size := in.uvarint(), in.uvarint(), in.uvarint(), in.uvarint()
		if in.short || sm >= uint64(r.Header.SMs) || size > uint64(len(in.b)) {
			return errRecord
		}
		rest := in.b[:size]
		in.b = in.b[size:]
		if len(sms) > 0 && !slices.Contains(sms, int(sm)) {
			continue
		}
		if n == len(m.streams) {
			m.streams = append(m.streams, stream{})
		}
		s := &m.streams[n]
		n++
		s.reset()
		s.wide = r.Header.Lanes > isa.RowLanes
		s.cycle, s.rest, s.left, s.rec.SM = cycle, rest, left, uint16(sm)
		if err := s.advance(); err != nil {
			return err
		}
	}
	m.streams, m.last = m.streams[:n], 0
	return nil
}

// advance decodes the next record of a stream.
func (s *stream) advance() (err error) {
	if s.there = s.left > 0; !s.there {
		return nil
	}
	s.left--
	s.rest, err = s.take(s.rest, &s.rec)
	return err
}

// next returns the next record of the block, nil after the last one.
func (m *merger) next() (*Record, error) {
	if len(m.streams) == 0 {
		return nil, nil
	}
	s := &m.streams[m.last]
	if !s.there || s.rec.Cycle != s.given.Cycle { // else the SM has more records of this cycle
		m.last = -1
		for i := range m.streams {
			if c := &m.streams[i]; c.there && (m.last < 0 || c.rec.Cycle < m.streams[m.last].rec.Cycle) {
				m.last = i
			}
		}
		if m.last < 0 {
			m.last = 0
			return nil, nil
		}
		s = &m.streams[m.last]
	}
	s.given = s.rec
	if s.rec.Values != nil {
		s.given.Values = s.kept[:copy(s.kept[:], s.rec.Values)]
	}
	return &s.given, s.advance()
}
