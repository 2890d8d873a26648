package audit

import (
	"encoding/binary"
	"fmt"

	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
)

// slice audits a slice of the L2, where the accesses of all SMs meet. To the SMs, memory at this
// point is flat.
//
// Data: requests of a line take effect in the order in which they are taken. So each load and
// atomic has one right result, whatever the races between SMs. Write-backs to the DRAM carry bytes
// written since the last one, with their present values. Fills from the DRAM carry the bytes of
// flat memory, except those written but not sent. After the flush the DRAM holds flat memory.
//
// Requests: each is answered once, with the bytes that it asks for. A byte is fetched once at a time.
type slice struct {
	block
	index int
	cfg   *memsys.Config
	s     *memsys.Slice
	from  *memsys.Memory
	store *dram.Store
	all   dram.ByteMask

	lines   map[uint64]*flat // by address
	order   []*flat          // in the order of their first use
	waiting []result
	posted  [memsys.FlushAll + 1][memsys.MaxPorts]int16 // by kind and source
	reads   [memsys.MaxMSHRs]read                       // lines in flight, by ID
	kept    *kept                                       // lines that the slice holds
	writes  int                                         // writes that the DRAM has not acknowledged
	since   memsys.SliceCounters
}

// flat is a line of flat memory.
type flat struct {
	line   uint64
	mapped bool
	data   memsys.Line
	unsent dram.ByteMask // bytes that the DRAM must still get
}

// read is a line in flight, or none.
type read struct {
	line uint64
	mask dram.ByteMask // bytes on their way
}

// result is the result that a load or an atomic must give.
type result struct {
	kind      memsys.Kind
	src       uint16
	client    uint8
	id, epoch uint8
	line      *flat
	data      memsys.Line
	mask      dram.ByteMask // of data
	size      int           // bytes that the packet carries
}

// none is the address of no line.
const none = 1

func newSlice(m *Memory, index int, cfg *memsys.Config, s *memsys.Slice, from *memsys.Memory) *slice {
	a := &slice{
		block: block{m, fmt.Sprintf("L2 slice %d", index)}, index: index, cfg: cfg, s: s, from: from, store: from.Store,
		all: dram.Span(0, cfg.L2.Line), lines: map[uint64]*flat{}, kept: newKept(cfg),
		since: *s.Count.Q(),
	}
	for i := range a.reads {
		a.reads[i].line = none
	}
	return a
}

func (a *slice) taps() []func() {
	return []func(){
		a.s.In.Tap(a.request), a.s.Out.Tap(a.response), a.s.Mem.Tap(a.fetch), a.s.Fill.Tap(a.fill),
		a.from.OnWrite.Add(a.written),
	}
}

// written notes what the host writes. The slice must drop the lines.
func (a *slice) written(w memsys.HostWrite) {
	size := uint64(a.cfg.L2.Line)
	for line := w.Addr / size * size; line < w.Addr+uint64(len(w.Data)); line += size {
		if channelOf(&a.cfg.DRAM, line) != a.index {
			continue
		}
		a.kept.drop(line)
		if f := a.lines[line]; f != nil {
			from := max(line, w.Addr)
			copy(f.data[from-line:size], w.Data[from-w.Addr:])
		}
	}
}

// flat is the model of a line. A new line has not been written, so the DRAM has its bytes.
func (a *slice) flat(line uint64) *flat {
	f := a.lines[line]
	if f == nil {
		f = &flat{line: line}
		f.mapped = a.store.Read(line, f.data[:a.cfg.L2.Line]) == nil
		a.lines[line] = f
		a.order = append(a.order, f)
	}
	return f
}

// request notes a request that the slice takes, and performs it.
func (a *slice) request(cycle uint64, r *memsys.Request) {
	if a.over() {
		return
	}
	if r.Kind == memsys.FlushAll {
		a.posted[r.Kind][r.Src]++
		a.flushed(cycle)
		a.kept.flush()
		a.replaced(&a.kept.ways)
		return
	}
	a.kept.request(cycle, r, a.needs(r))
	if home := channelOf(&a.cfg.DRAM, r.Line); home != a.index {
		a.fail(Rule{Cache, "a request in another slice"}, "cycle %d: a %s of line %#x, which is in slice %d", cycle,
			r.Kind, r.Line, home)
		return
	}
	f := a.flat(r.Line)
	switch r.Kind {
	case memsys.Load:
		mask := a.bytes(r.Mask)
		a.waiting = append(a.waiting, result{r.Kind, r.Src, r.Client, r.ID, r.Epoch, f, f.data, mask, mask.Count()})
		return
	case memsys.Store:
		f.write(&r.Data, r.Mask)
	case memsys.Atomic, memsys.Reduce:
		var word [8]byte
		copy(word[:], f.data[r.Off:r.Off+r.Size])
		var data memsys.Line
		copy(data[r.Off:], word[:r.Size])
		if r.Kind == memsys.Atomic {
			a.waiting = append(a.waiting, result{r.Kind, r.Src, r.Client, r.ID, r.Epoch, f, data, a.all, int(r.Size)})
		}
		v := isa.GlobalAtomic(r.Atom, r.Type, binary.LittleEndian.Uint64(word[:]), r.A, r.B)
		binary.LittleEndian.PutUint64(word[:], v)
		copy(data[r.Off:], word[:r.Size])
		f.write(&data, dram.Span(int(r.Off), int(r.Size)))
	}
	if r.Kind != memsys.Atomic {
		a.posted[r.Kind][r.Src]++
	}
}

// needs is the bytes that a request reads.
func (a *slice) needs(r *memsys.Request) dram.ByteMask {
	if r.Kind == memsys.Load {
		return a.bytes(r.Mask)
	}
	return dram.Span(int(r.Off), int(r.Size)) // an atomic; a store reads none
}

// bytes is the meaning of a mask of bytes to read: none stands for the line.
func (a *slice) bytes(mask dram.ByteMask) dram.ByteMask {
	if mask == (dram.ByteMask{}) {
		return a.all
	}
	return mask
}

func (f *flat) write(data *memsys.Line, mask dram.ByteMask) {
	f.data.Merge(data, mask)
	f.unsent = f.unsent.Or(mask)
}

// response checks an answer.
func (a *slice) response(cycle uint64, p *memsys.Response) {
	if a.over() {
		return
	}
	if p.Kind != memsys.Load && p.Kind != memsys.Atomic {
		if a.posted[p.Kind][p.Dst]--; a.posted[p.Kind][p.Dst] < 0 {
			a.fail(Rule{MSHR, "an answer too many"}, "cycle %d: port %d gets an answer to a %s more than it has sent",
				cycle, p.Dst, p.Kind)
		}
		return
	}
	for i := range a.waiting {
		w := &a.waiting[i]
		if w.src != p.Dst || w.client != p.Client || w.id != p.ID {
			continue
		}
		switch {
		case w.kind != p.Kind || w.epoch != p.Epoch:
			a.fail(Rule{MSHR, "an answer to another request"},
				"cycle %d: a %s of epoch %d for MSHR %d of port %d, which waits for a %s of epoch %d", cycle, p.Kind,
				p.Epoch, p.ID, p.Dst, w.kind, w.epoch)
		case int(p.Size) != w.size:
			a.fail(Rule{Cache, "an answer of another size"}, "cycle %d: %d bytes of line %#x, %d were asked for", cycle,
				p.Size, w.line.line, w.size)
		case w.line.mapped && !same(&p.Data, &w.data, w.mask):
			a.fail(Rule{Cache, "an answer with other bytes"},
				"cycle %d: the %s of line %#x for MSHR %d of port %d gives other bytes than flat memory", cycle, p.Kind,
				w.line.line, p.ID, p.Dst)
		}
		a.waiting = append(a.waiting[:i], a.waiting[i+1:]...)
		return
	}
	a.fail(Rule{MSHR, "an answer that no MSHR waits for"},
		"cycle %d: MSHR %d of port %d gets an answer that it does not wait for", cycle, p.ID, p.Dst)
}

// fetch checks a request to the DRAM.
func (a *slice) fetch(cycle uint64, r *dram.Request) {
	if a.over() {
		return
	}
	f := a.flat(r.Addr)
	if r.Write {
		a.writes++
		a.kept.write(r.Addr)
		switch {
		case !f.unsent.Covers(r.Mask) || r.Mask == dram.ByteMask{}:
			a.fail(Rule{Cache, "other bytes written back than stored"},
				"cycle %d: the bytes %#x of line %#x go to the DRAM, written since are %#x", cycle, r.Mask, r.Addr,
				f.unsent)
		case !same(&r.Data, &f.data, r.Mask):
			a.fail(Rule{Cache, "other data written back than stored"},
				"cycle %d: line %#x goes to the DRAM with other bytes than flat memory", cycle, r.Addr)
		}
		f.unsent = f.unsent.AndNot(r.Mask)
		return
	}
	q := &a.reads[r.ID]
	mask := a.bytes(r.Mask)
	a.kept.fetch(r.Addr, mask)
	for id := range a.reads[:a.cfg.L2.MSHRs] {
		if old := &a.reads[id]; old.line == r.Addr && (old != q || old.mask.And(mask) != dram.ByteMask{}) {
			a.fail(Rule{MSHR, "a line fetched twice"},
				"cycle %d: line %#x is fetched for MSHR %d, and on its way for MSHR %d", cycle, r.Addr, r.ID, id)
		}
	}
	if q.line != none && q.line != r.Addr || int(r.ID) >= a.cfg.L2.MSHRs {
		a.fail(Rule{MSHR, "an MSHR taken twice"},
			"cycle %d: MSHR %d of %d is taken for line %#x, it waits for line %#x", cycle, r.ID, a.cfg.L2.MSHRs, r.Addr,
			q.line)
	}
	q.line, q.mask = r.Addr, q.mask.Or(mask)
}

// fill checks a response of the DRAM.
func (a *slice) fill(cycle uint64, r *dram.Response) {
	if a.over() {
		return
	}
	if r.Write {
		if a.writes--; a.writes < 0 {
			a.fail(Rule{MSHR, "a write acknowledged twice"}, "cycle %d: the DRAM acknowledges a write more than it got",
				cycle)
		}
		return
	}
	q, mask := &a.reads[r.ID], a.bytes(r.Mask)
	line := q.line
	if line == none || !q.mask.Covers(mask) {
		a.fail(Rule{MSHR, "a line that no MSHR waits for"}, "cycle %d: a line comes for MSHR %d, which waits for none",
			cycle, r.ID)
		return
	}
	if q.mask = q.mask.AndNot(mask); q.mask == (dram.ByteMask{}) {
		q.line = none
	}
	a.kept.fill(line, mask, q.line == none)
	if f := a.flat(line); f.mapped && !same(&r.Data, &f.data, mask.AndNot(f.unsent)) {
		a.fail(Rule{Cache, "a line with other bytes"},
			"cycle %d: line %#x comes from the DRAM with other bytes than flat memory", cycle, line)
	}
}

// flushed checks that nothing is left in the slice.
func (a *slice) flushed(cycle uint64) {
	if a.writes != 0 {
		a.fail(Rule{MSHR, "a flush before its writes"},
			"cycle %d: the flush is over, the DRAM has not acknowledged %d writes", cycle, a.writes)
	}
	for id := range a.reads {
		if line := a.reads[id].line; line != none {
			a.fail(Rule{MSHR, "a flush before its reads"}, "cycle %d: the flush is over, MSHR %d waits for line %#x",
				cycle, id, line)
		}
	}
	for _, f := range a.order {
		if f.unsent != (dram.ByteMask{}) {
			a.fail(Rule{Cache, "a flush without some bytes"},
				"cycle %d: the flush is over, the DRAM lacks bytes %#x of line %#x", cycle, f.unsent, f.line)
		}
	}
}

// counted compares the statistics of what the requests found.
func (a *slice) counted() {
	own, now := &a.kept.count, a.s.Count.Q()
	a.recount(
		tally{"accesses done when they came", own.Hits, now.Hits - a.since.Hits},
		tally{"accesses that fetched", own.Misses, now.Misses - a.since.Misses},
		tally{
			"accesses that fetched sectors of a line that was there", own.SectorMisses,
			now.SectorMisses - a.since.SectorMisses,
		},
		tally{"accesses that joined a miss", own.Merges, now.Merges - a.since.Merges},
		tally{"dirty lines written back", own.WriteBacks, now.WriteBacks - a.since.WriteBacks},
		tally{"clean lines that made room", a.kept.evicted, now.Evictions - a.since.Evictions})
}

func (a *slice) end() {
	a.replaced(&a.kept.ways)
	a.counted()
	for _, w := range a.waiting {
		a.fail(Rule{MSHR, "a request without an answer"}, "the %s of line %#x for MSHR %d of port %d has no answer",
			w.kind, w.line.line, w.id, w.src)
	}
	for kind := range a.posted {
		for src, n := range a.posted[kind] {
			if n != 0 {
				a.fail(Rule{MSHR, "a port without its answers"}, "port %d lacks the answer to %d of its %ss", src, n,
					memsys.Kind(kind))
			}
		}
	}
	a.flushed(0)
	for _, f := range a.order {
		var have memsys.Line
		if err := a.store.Read(f.line, have[:a.cfg.L2.Line]); f.mapped && (err != nil || !same(&have, &f.data, a.all)) {
			a.fail(Rule{Cache, "other bytes at the end"}, "the DRAM ends with other bytes in line %#x than flat memory",
				f.line)
		}
	}
}
