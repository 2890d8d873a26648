package trace

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"

	"divergo/isa"
)

// Version is the version of the format that this package writes.
const Version = 1

// magic begins a file and mark ends one.
const (
	magic = "DVGTRACE"
	mark  = "DVGTREND"
)

// The chunks of a file.
const (
	chunkHeader  = 'H'
	chunkProgram = 'P'
	chunkLaunch  = 'L'
	chunkBlock   = 'B'
	chunkEnd     = 'E'
)

// headBytes is the size of the magic and the version.
const headBytes = int64(len(magic) + 4)

// chunkHead is the size of the head of a chunk: its kind, the length of its content and a checksum.
const chunkHead = 1 + 4 + 4

// blockBytes is the size of the records of a block before compression. A reader that looks for a
// cycle decodes one block.
const blockBytes = 256 << 10

// checksum of a chunk's content is CRC-32C, which processors compute.
var checksum = crc32.MakeTable(crc32.Castagnoli)

// Writer writes a trace. All methods except those of Stream belong to one goroutine. The first error
// of the destination is returned by every later call.
type Writer struct {
	to        io.Writer
	at        int64 // bytes written
	zip       *zstd.Encoder
	values    bool // the header says so
	streams   []*Stream
	blocks    []Block
	described []int64
	programs  int
	raw, out  []byte // buffers of block
	err       error
}

// Stream takes the records of one SM. Streams may be used at the same time, each on a goroutine of
// its own, while no method of the Writer runs.
type Stream struct {
	coder
	sm    uint16
	bytes []byte
	n     uint64
	first uint64 // cycle of the first record of the block

	counts [NumKinds]uint64
}

// NewWriter begins a trace of a machine with h.SMs SMs.
func NewWriter(to io.Writer, h Header) (*Writer, error) {
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))
	if err != nil {
		return nil, err
	}
	w := &Writer{to: to, zip: zip}
	for i := range h.SMs {
		w.streams = append(w.streams, &Stream{coder: coder{wide: h.Lanes > isa.RowLanes}, sm: uint16(i)})
	}
	h.Version, w.values = Version, h.Values
	w.write(binary.LittleEndian.AppendUint32([]byte(magic), Version))
	w.describe(chunkHeader, &h)
	return w, w.err
}

// SM returns the stream of an SM.
func (w *Writer) SM(i int) *Stream { return w.streams[i] }

// Program adds a program and returns its index.
func (w *Writer) Program(p *Program) (int, error) {
	w.describe(chunkProgram, p)
	w.programs++
	return w.programs - 1, w.err
}

// Launch adds a launch. Call it before the records of the launch, and after those of the launch
// before.
func (w *Writer) Launch(l *Launch) error {
	w.describe(chunkLaunch, l)
	return w.err
}

// Put adds a record of the SM. The cycles of a stream never decrease. Put does not keep r, and sets
// no error: see Writer.Flush.
func (s *Stream) Put(r *Record) {
	if s.n == 0 {
		s.first, s.cycle = r.Cycle, r.Cycle
	}
	s.bytes = s.append(s.bytes, r)
	s.n++
	s.counts[r.Kind]++
}

// Flush writes a block if there are enough records for one. The cycles of later records must be
// greater than those of all records so far: call it between cycles of the machine.
func (w *Writer) Flush() error {
	n := 0
	for _, s := range w.streams {
		n += len(s.bytes)
	}
	if n < blockBytes {
		return w.err
	}
	return w.Cut()
}

// Close writes the last block, the summary and the index. It does not close the destination. The
// counts of the summary are filled in.
func (w *Writer) Close(s Summary) error {
	w.Cut()
	end := w.at
	for i := range w.blocks {
		for k, n := range w.blocks[i].Counts {
			s.Counts[k] += n
		}
	}
	w.describe(chunkEnd, &ending{s, w.described, w.blocks})
	w.write(append(binary.LittleEndian.AppendUint64(nil, uint64(end)), mark...))
	return w.err
}

// ending is the content of the last chunk.
type ending struct {
	Summary   Summary
	Described []int64 // offsets of the header, the programs and the launches
	Blocks    []Block
}

// Cut writes the records so far as a block, however few. Flush has the condition.
func (w *Writer) Cut() error {
	b := Block{Offset: w.at, From: ^uint64(0)}
	raw := w.raw[:0]
	for _, s := range w.streams {
		if s.n == 0 {
			continue
		}
		b.From, b.To = min(b.From, s.first), max(b.To, s.cycle)
		raw = binary.AppendUvarint(raw, uint64(s.sm))
		raw = binary.AppendUvarint(raw, s.n)
		raw = binary.AppendUvarint(raw, s.first)
		raw = binary.AppendUvarint(raw, uint64(len(s.bytes)))
		raw = append(raw, s.bytes...)
		for k, n := range s.counts {
			b.Counts[k] += n
		}
		s.begin()
	}
	if w.raw = raw; len(raw) == 0 {
		return w.err
	}
	out := binary.AppendUvarint(w.out[:0], b.From)
	out = binary.AppendUvarint(out, b.To)
	for _, n := range b.Counts {
		out = binary.AppendUvarint(out, n)
	}
	w.out = w.zip.EncodeAll(raw, out)
	w.blocks = append(w.blocks, b)
	w.chunk(chunkBlock, w.out)
	return w.err
}

// begin begins the records of a block.
func (s *Stream) begin() {
	s.reset()
	s.bytes, s.n, s.counts = s.bytes[:0], 0, [NumKinds]uint64{}
}

// describe writes a chunk of compressed JSON.
func (w *Writer) describe(kind byte, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		w.fail(err)
		return
	}
	w.described = append(w.described, w.at)
	w.chunk(kind, w.zip.EncodeAll(text, nil))
}

// chunk writes a chunk.
func (w *Writer) chunk(kind byte, content []byte) {
	if uint64(len(content)) > 1<<31 {
		w.fail(fmt.Errorf("trace: %d bytes in a chunk", len(content)))
		return
	}
	head := binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(content)))
	w.write(binary.LittleEndian.AppendUint32(head, crc32.Checksum(content, checksum)))
	w.write(content)
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.to.Write(b)
	w.at += int64(n)
	w.fail(err)
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}
