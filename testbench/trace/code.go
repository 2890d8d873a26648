package trace

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
	"divergo/units"
)

// coder holds what both sides know of an SM while they code its records of one block: the last record
// and, by slot and by row, what to expect next.
type coder struct {
	wide  bool // warps of more than 32 lanes: a mask takes 8 bytes, else 4
	cycle uint64
	line  uint64
	slot  uint16
	slots []expected
	rows  []warp

	values [isa.MaxLanes]uint64 // of the last Write
}

// expected is what a slot is expected to go on with.
type expected struct {
	pc    uint32 // of its last instruction
	mask  uint64
	row   uint8
	homes units.Homes
}

// warp is the static warp in a row.
type warp struct {
	cta  uint64
	warp uint8
}

// Bits of the first byte of a record, above its kind.
const (
	kindBits = 0x1f
	hasPC    = 1 << 5 // a PC other than the expected one
	hasMask  = 1 << 6 // a mask other than the expected one
	hasMore  = 1 << 7 // a byte of the bits below
)

// Bits of the second byte.
const (
	moreRow   = 1 << iota // a row other than the expected one
	moreWarp              // the row has another static warp than before
	moreOff               // lanes whose predicate is false
	moreMixed             // Mixed
	moreHomes             // homes other than the expected ones
	moreLanes             // these with lanes
	moreFlag              // Always, First or Partial
)

// reset forgets everything, at the beginning of a block.
func (c *coder) reset() {
	clear(c.slots)
	clear(c.rows)
	*c = coder{wide: c.wide, slots: c.slots, rows: c.rows}
}

// slotOf returns what to expect of a slot.
func (c *coder) slotOf(slot uint16) *expected {
	for int(slot) >= len(c.slots) {
		c.slots = append(c.slots, expected{})
	}
	return &c.slots[slot]
}

// rowOf returns the static warp of a row.
func (c *coder) rowOf(row uint8) *warp {
	for int(row) >= len(c.rows) {
		c.rows = append(c.rows, warp{})
	}
	return &c.rows[row]
}

// next returns the PC to expect.
func (e *expected) next(k Kind) uint32 {
	if k <= Inserted || k == Wait || k == Reconverge || k == Merge {
		return e.pc + 1
	}
	return e.pc
}

// seen records an instruction, after which its slot continues.
func (e *expected) seen(r *Record) {
	e.row = r.Row
	if r.Kind <= Inserted {
		e.pc, e.mask = r.PC, r.Mask
	}
}

// append appends a record.
func (c *coder) append(b []byte, r *Record) []byte {
	e, w := c.slotOf(r.Slot), c.rowOf(r.Row)
	head, more, moved := byte(r.Kind), byte(0), uint64(0)
	pc := e.next(r.Kind)
	if r.PC != pc {
		head |= hasPC
	}
	if r.Mask != e.mask {
		head |= hasMask
	}
	if r.Row != e.row {
		more |= moreRow
	}
	if (*w != warp{r.CTA, r.Warp}) {
		more |= moreWarp
	}
	if r.Off != 0 {
		more |= moreOff
	}
	if r.Always || r.First || r.Partial {
		more |= moreFlag
	}
	if r.Mixed {
		more |= moreMixed
		if moved = e.moved(r); moved != 0 {
			more |= moreHomes
			if r.Homes.Moved(moved) {
				more |= moreLanes
			}
		}
	}
	if more != 0 {
		head |= hasMore
	}
	since, slot := r.Cycle-c.cycle, int64(r.Slot)-int64(c.slot)
	if zigzag := uint64(slot<<1 ^ slot>>63); since|zigzag < 0x80 { // a byte each, as most are
		b = append(b, head, byte(since), byte(zigzag))
	} else {
		b = binary.AppendVarint(binary.AppendUvarint(append(b, head), since), slot)
	}
	if more != 0 {
		b = append(b, more)
	}
	if head&hasPC != 0 {
		b = binary.AppendVarint(b, int64(int32(r.PC-pc)))
	}
	if head&hasMask != 0 {
		b = c.appendMask(b, r.Mask)
	}
	if more&moreRow != 0 {
		b = append(b, r.Row)
	}
	if more&moreWarp != 0 {
		*w = warp{r.CTA, r.Warp}
		b = append(binary.AppendUvarint(b, r.CTA), r.Warp)
	}
	if more&moreOff != 0 {
		b = c.appendMask(b, r.Off)
	}
	if more&moreHomes != 0 {
		b = e.appendHomes(c.appendMask(b, moved), r, moved, more&moreLanes != 0)
	}
	c.cycle, c.slot = r.Cycle, r.Slot
	e.seen(r)
	if r.Kind <= Inserted {
		return b
	}
	return c.appendTail(b, r)
}

// moved returns the lanes of a record with other homes than expected.
func (e *expected) moved(r *Record) (lanes uint64) {
	for m := r.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
		if r.Homes.Row[l] != e.homes.Row[l] || r.Homes.Lane[l] != e.homes.Lane[l] {
			lanes |= 1 << l
		}
	}
	return lanes
}

// appendMask appends a mask of lanes.
func (c *coder) appendMask(b []byte, mask uint64) []byte {
	if c.wide {
		return binary.LittleEndian.AppendUint64(b, mask)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(mask))
}

// appendHomes appends the homes of some lanes, and expects them from now on.
func (e *expected) appendHomes(b []byte, r *Record, moved uint64, lanes bool) []byte {
	for m := moved; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
		e.homes.Row[l], e.homes.Lane[l] = r.Homes.Row[l], r.Homes.Lane[l]
		b = append(b, r.Homes.Row[l])
	}
	if lanes {
		for m := moved; m != 0; m &= m - 1 {
			b = append(b, r.Homes.Lane[bits.TrailingZeros64(m)&(isa.MaxLanes-1)])
		}
	}
	return b
}

// appendTail appends the fields of a kind.
func (c *coder) appendTail(b []byte, r *Record) []byte {
	switch r.Kind {
	case Branch:
		return c.appendMask(b, r.Taken)
	case Push, Pop:
		return binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.Depth)), uint64(r.Number))
	case Reconverge, Merge:
		return c.appendMask(b, r.Part)
	case Compact, Spill, Fill, Arrive:
		return binary.AppendUvarint(b, uint64(r.Number))
	case Write:
		b, last := binary.AppendUvarint(b, uint64(r.Number)), uint64(0)
		for m := r.Mask; m != 0; m &= m - 1 {
			v := r.Values[bits.TrailingZeros64(m)]
			b = binary.AppendVarint(b, int64(v-last))
			last = v
		}
		return b
	case Wait:
		waited := r.Cycle - r.From
		if waited < 0x80 {
			return append(b, byte(r.Reason), byte(waited))
		}
		return binary.AppendUvarint(append(b, byte(r.Reason)), waited)
	case Request, Reply:
		b = append(b, byte(r.Access)|byte(r.Found)<<4)
		b = binary.AppendVarint(b, int64(r.Line-c.line))
		c.line = r.Line
		if r.Kind == Reply {
			b = binary.AppendUvarint(b, r.Cycle-r.From)
		}
	}
	return b
}

// errRecord is the error of bytes that are no record.
var errRecord = errors.New("a record that ends early or has a number out of range")

// take decodes a record of an SM from b, and returns the bytes behind it.
func (c *coder) take(b []byte, r *Record) ([]byte, error) {
	in := input{b: b, wide: c.wide}
	head := in.byte()
	*r = Record{Kind: Kind(head & kindBits), SM: r.SM}
	r.Cycle = c.cycle + in.uvarint()
	slot := int64(c.slot) + in.varint()
	if slot < 0 || slot >= units.MaxSet || r.Kind >= NumKinds {
		return nil, errRecord
	}
	r.Slot = uint16(slot)
	e, more := c.slotOf(r.Slot), byte(0)
	if head&hasMore != 0 {
		more = in.byte()
	}
	if r.PC = e.next(r.Kind); head&hasPC != 0 {
		r.PC += uint32(in.varint())
	}
	if r.Mask = e.mask; head&hasMask != 0 {
		r.Mask = in.mask()
	}
	if r.Row = e.row; more&moreRow != 0 {
		r.Row = in.byte()
	}
	w := c.rowOf(r.Row)
	if more&moreWarp != 0 {
		w.cta = in.uvarint()
		w.warp = in.byte()
	}
	r.CTA, r.Warp = w.cta, w.warp
	if more&moreOff != 0 {
		r.Off = in.mask()
	}
	if r.Mixed = more&moreMixed != 0; r.Mixed {
		if more&moreHomes != 0 {
			e.takeHomes(&in, more&moreLanes != 0)
		}
		for m := r.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
			r.Homes.Row[l], r.Homes.Lane[l] = e.homes.Row[l], e.homes.Lane[l]
		}
	}
	if more&moreFlag != 0 {
		switch r.Kind {
		case Branch:
			r.Always = true
		case Reply:
			r.Partial = true
		default:
			r.First = true
		}
	}
	c.takeTail(&in, r)
	if in.short {
		return nil, errRecord
	}
	c.cycle, c.slot = r.Cycle, r.Slot
	e.seen(r)
	return in.b, nil
}

// takeHomes decodes homes, and expects them from now on.
func (e *expected) takeHomes(in *input, lanes bool) {
	moved := in.mask()
	for m := moved; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
		e.homes.Row[l], e.homes.Lane[l] = in.byte(), uint8(l)
	}
	if lanes {
		for m := moved; m != 0; m &= m - 1 {
			e.homes.Lane[bits.TrailingZeros64(m)&(isa.MaxLanes-1)] = in.byte()
		}
	}
}

// takeTail decodes the fields of a kind.
func (c *coder) takeTail(in *input, r *Record) {
	switch r.Kind {
	case Branch:
		r.Taken = in.mask()
	case Push, Pop:
		r.Depth, r.Number = uint16(in.uvarint()), uint16(in.uvarint())
	case Reconverge, Merge:
		r.Part = in.mask()
	case Compact, Spill, Fill, Arrive:
		r.Number = uint16(in.uvarint())
	case Write:
		r.Number = uint16(in.uvarint())
		c.values = [isa.MaxLanes]uint64{}
		for m, last := r.Mask, uint64(0); m != 0; m &= m - 1 {
			last += uint64(in.varint())
			c.values[bits.TrailingZeros64(m)&(isa.MaxLanes-1)] = last
		}
		r.Values = c.values[:bits.Len64(r.Mask)]
	case Wait:
		r.Reason = Reason(in.byte())
		r.From = r.Cycle - in.uvarint()
	case Request, Reply:
		of := in.byte()
		r.Access, r.Found = memsys.Kind(of&0xf), memsys.Found(of>>4)
		r.Line = c.line + uint64(in.varint())
		c.line = r.Line
		if r.Kind == Reply {
			r.From = r.Cycle - in.uvarint()
		}
	}
}

// input reads numbers. After the end of its bytes it is short, and numbers are 0.
type input struct {
	b     []byte
	wide  bool // as in coder
	short bool
}

func (in *input) byte() byte {
	if len(in.b) == 0 {
		in.short = true
		return 0
	}
	v := in.b[0]
	in.b = in.b[1:]
	return v
}

func (in *input) mask() (v uint64) {
	n := 4
	if in.wide {
		n = 8
	}
	if len(in.b) < n {
		in.short = true
		return 0
	}
	for i, b := range in.b[:n] {
		v |= uint64(b) << (8 * i)
	}
	in.b = in.b[n:]
	return v
}

func (in *input) uvarint() uint64 {
	v, n := binary.Uvarint(in.b)
	if n <= 0 {
		in.short = true
		return 0
	}
	in.b = in.b[n:]
	return v
}

func (in *input) varint() int64 {
	v, n := binary.Varint(in.b)
	if n <= 0 {
		in.short = true
		return 0
	}
	in.b = in.b[n:]
	return v
}
