package view

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"divergo/testbench/trace"
	"divergo/units"
)

// The columns of a detail blob. page/data.js has the same order.
const (
	issueCycle = iota // the difference to the one before in the slot
	issuePC           // the difference to the PC behind the one before
	issueMask         // xor the one before
	issueOff
	issueRow  // the difference
	issueForm // twice the index of its homes, 0: its own row and lanes; plus 1 if inserted
	waitFrom
	waitLong
	waitReason
	waitPC
	waitMask
	eventKind
	eventCycle
	eventPC
	eventMask
	eventValue
	eventRow
	memoryFrom  // the difference
	memoryLong  // cycles up to the reply, 0: there is none
	memoryWhat  // the access, and 16 times what it found in the L1
	memoryPC    // the difference
	memoryLanes // number of lanes that the line serves
	memoryLine  // the difference, in units of 32 bytes
	numColumns
)

// detail holds the records of an SM in a window.
type detail struct {
	window
	slots []*slotColumns // by slot; nil: no records
	forms map[units.Homes]uint64
	homes []units.Homes // in the order of their numbers, the first one is number 1
}

// slotColumns holds the columns of a slot.
type slotColumns struct {
	issues, waits, events, requests uint64
	columns                         [numColumns][]byte
	last                            [numColumns]uint64
}

// slot returns the columns of a slot.
func (d *detail) slot(s uint16) *slotColumns {
	for int(s) >= len(d.slots) {
		d.slots = append(d.slots, nil)
	}
	if d.slots[s] == nil {
		c := &slotColumns{}
		c.last[issueCycle], c.last[waitFrom], c.last[eventCycle] = d.from, d.from, d.from
		c.last[memoryFrom] = d.from
		d.slots[s] = c
	}
	return d.slots[s]
}

// plain appends a number.
func (c *slotColumns) plain(column int, v uint64) {
	c.columns[column] = binary.AppendUvarint(c.columns[column], v)
}

// changed appends the difference to the number before, which need not be smaller.
func (c *slotColumns) changed(column int, v uint64) {
	c.columns[column] = binary.AppendVarint(c.columns[column], int64(v-c.last[column]))
	c.last[column] = v
}

// mask appends the difference to the mask before, bit by bit.
func (c *slotColumns) mask(column int, v uint64) {
	c.plain(column, uint64(v)^c.last[column])
	c.last[column] = uint64(v)
}

// add adds a record, if the page shows it and it lies in the window.
func (d *detail) add(r *trace.Record) {
	lasts := r.Kind == trace.Wait || r.Kind == trace.Reply // it began at From
	if !shown(r) || r.Cycle < d.from || r.Cycle >= d.to && (!lasts || r.From >= d.to) {
		return
	}
	c := d.slot(r.Slot)
	switch {
	case r.Issues():
		c.issues++
		c.changed(issueCycle, r.Cycle)
		c.changed(issuePC, uint64(r.PC))
		c.last[issuePC]++
		c.mask(issueMask, r.Mask)
		c.plain(issueOff, uint64(r.Off))
		c.changed(issueRow, uint64(r.Row))
		form := 2 * d.form(r)
		if r.Kind == trace.Inserted {
			form++
		}
		c.plain(issueForm, form)
	case r.Kind == trace.Wait:
		from, to := max(r.From, d.from), min(r.Cycle, d.to)
		c.waits++
		c.changed(waitFrom, from)
		c.last[waitFrom] = to
		c.plain(waitLong, to-from)
		c.plain(waitReason, uint64(r.Reason))
		c.changed(waitPC, uint64(r.PC))
		c.mask(waitMask, r.Mask)
	case r.Kind == trace.Request || r.Kind == trace.Reply:
		from, long := r.Cycle, uint64(0)
		if r.Kind == trace.Reply {
			from = max(r.From, d.from)
			long = min(r.Cycle, d.to) - from
		}
		c.requests++
		c.changed(memoryFrom, from)
		c.plain(memoryLong, long)
		c.plain(memoryWhat, uint64(r.Access)|uint64(r.Found)<<4)
		c.changed(memoryPC, uint64(r.PC))
		c.plain(memoryLanes, uint64(r.Lanes()))
		c.changed(memoryLine, r.Line>>5)
	default:
		c.events++
		c.plain(eventKind, uint64(r.Kind))
		c.changed(eventCycle, r.Cycle)
		c.changed(eventPC, uint64(r.PC))
		c.mask(eventMask, r.Mask)
		c.plain(eventValue, value(r))
		c.changed(eventRow, uint64(r.Row))
	}
}

// value returns the number that the page shows of an event.
func value(r *trace.Record) uint64 {
	switch r.Kind {
	case trace.Branch:
		return uint64(r.Taken)
	case trace.Push, trace.Pop:
		return uint64(r.Depth)
	case trace.Reconverge, trace.Merge:
		return uint64(r.Part)
	}
	return uint64(r.Number)
}

// form returns the number of the homes of a record.
func (d *detail) form(r *trace.Record) uint64 {
	if !r.Mixed {
		return 0
	}
	n, ok := d.forms[r.Homes]
	if !ok {
		if d.forms == nil {
			d.forms = map[units.Homes]uint64{}
		}
		d.homes = append(d.homes, r.Homes)
		n = uint64(len(d.homes))
		d.forms[r.Homes] = n
	}
	return n
}

// bytes returns the blob: the slots with their numbers of records, the homes, then column by column.
func (d *detail) bytes() []byte {
	var b []byte
	used := 0
	for _, c := range d.slots {
		if c != nil {
			used++
		}
	}
	b = binary.AppendUvarint(b, uint64(used))
	for s, c := range d.slots {
		if c != nil {
			for _, n := range []uint64{uint64(s), c.issues, c.waits, c.events, c.requests} {
				b = binary.AppendUvarint(b, n)
			}
		}
	}
	b = binary.AppendUvarint(b, uint64(len(d.homes)))
	var last units.Homes
	for i := range d.homes {
		h := &d.homes[i]
		for l := range maxLanes {
			b = append(b, h.Row[l]^last.Row[l])
		}
		for l := range maxLanes {
			b = append(b, h.Lane[l]^last.Lane[l])
		}
		last = *h
	}
	for column := range numColumns {
		for _, c := range d.slots {
			if c != nil {
				b = append(b, c.columns[column]...)
			}
		}
	}
	return b
}

// sums holds the sums of an SM over each part of the run.
type sums struct {
	slots []*slotSums // by slot; nil: no records
}

// slotSums holds the sums of a slot, by part of the run.
type slotSums [parts]struct {
	issues, lanes uint64
	waiting       [trace.NumReasons]uint64 // cycles
	waitingLanes  uint64                   // cycles times lanes
}

// add adds a record; width is that of a part.
func (s *sums) add(r *trace.Record, width uint64) {
	if !r.Issues() && r.Kind != trace.Wait {
		return
	}
	for int(r.Slot) >= len(s.slots) {
		s.slots = append(s.slots, nil)
	}
	if s.slots[r.Slot] == nil {
		s.slots[r.Slot] = &slotSums{}
	}
	to, lanes := s.slots[r.Slot], uint64(bits.OnesCount64(r.Mask))
	if r.Issues() {
		p := &to[min(r.Cycle/width, parts-1)]
		p.issues++
		p.lanes += lanes
		return
	}
	for from := r.From; from < r.Cycle && r.Reason < trace.NumReasons; {
		part := min(from/width, parts-1)
		end := min(r.Cycle, (part+1)*width)
		if part == parts-1 {
			end = r.Cycle
		}
		to[part].waiting[r.Reason] += end - from
		to[part].waitingLanes += (end - from) * lanes
		from = end
	}
}

// bytes returns the blob: the slots, then of each slot and part the issues, their lanes, the cycles of
// waiting, these times lanes, and the most frequent reason.
func (s *sums) bytes() []byte {
	var b []byte
	var used []int
	for i, to := range s.slots {
		if to != nil {
			used = append(used, i)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(used)))
	for _, i := range used {
		b = binary.AppendUvarint(b, uint64(i))
	}
	for _, i := range used {
		for p := range s.slots[i] {
			of := &s.slots[i][p]
			all := uint64(0)
			for _, n := range of.waiting {
				all += n
			}
			most := slices.Index(of.waiting[:], slices.Max(of.waiting[:]))
			for _, n := range []uint64{of.issues, of.lanes, all, of.waitingLanes, uint64(most)} {
				b = binary.AppendUvarint(b, n)
			}
		}
	}
	return b
}
