package audit

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
)

// reader audits the unit of a read-only cache of an SM. Every load has a request for each distinct
// place, in the order of their lowest lanes, and each request serves all lanes of its place. A place
// is an address of constants, or a line of texels. A load is answered once, with the bytes that came
// for each lane. A flush drops the lines of the cache.
type reader struct {
	block
	line, place uint64 // bytes
	c           *memsys.Reader

	access *memsys.Access                 // popped in this cycle; nil while its requests are being made
	begun  bool                           // left belongs to the present access
	left   uint32                         // its lanes without a request
	loads  [memsys.MaxPending]*readerLoad // nil before the first use

	count, since memsys.ReaderCounters
}

// readerLoad is a load that still waits for its answer.
type readerLoad struct {
	owed bool
	of   memsys.Access
	left uint32 // lanes without data
	want memsys.Reply
}

func newReader(m *Memory, of string, index, line, place int, c *memsys.Reader) *reader {
	return &reader{
		block: block{m, fmt.Sprintf("%s of SM %d", of, index)}, line: uint64(line), place: uint64(place), c: c,
		since: *c.Count.Q(),
	}
}

func (a *reader) taps() []func() {
	return []func(){a.c.In.Tap(a.done), a.c.Req.Tap(a.request), a.c.Rsp.Tap(a.response), a.c.Out.Tap(a.reply)}
}

// done notes that the unit pops an access, whose last request is pushed in this cycle.
func (a *reader) done(_ uint64, v *memsys.Access) { a.access = v }

// load returns the load with an entry.
func (a *reader) load(tag uint16) *readerLoad {
	e := &a.loads[tag%memsys.MaxPending]
	if *e == nil {
		*e = &readerLoad{}
	}
	return *e
}

// request checks a request to the cache.
func (a *reader) request(cycle uint64, r *memsys.ReadRequest) {
	if a.over() {
		return
	}
	v := a.access
	if v == nil {
		v = a.c.In.Front()
	}
	if v.Kind == memsys.Flush {
		if a.access = nil; r.Kind != memsys.ReadDrop {
			a.fail(Rule{Coalescer, "a line of another kind"}, "cycle %d: a request of a line for a flush", cycle)
		}
		return
	}
	a.count.Places++
	e := a.load(r.Tag)
	if !a.begun {
		if e.owed {
			a.fail(Rule{Coalescer, "an entry given away twice"},
				"cycle %d: entry %d is given away again, the access with tag %#x needs it", cycle, r.Tag, e.of.Tag)
		}
		a.begun, a.left = true, v.Mask
		a.count.Accesses++
		*e = readerLoad{owed: true, of: *v, left: v.Mask, want: memsys.Reply{Tag: v.Tag, Mask: v.Mask}}
	}
	addr, want := v.Addr[bits.TrailingZeros32(a.left)%isa.RowLanes]/a.place, uint32(0)
	for lane := range isa.RowLanes {
		if a.left>>lane&1 != 0 && v.Addr[lane]/a.place == addr {
			want |= 1 << lane
		}
	}
	addr *= a.place
	if r.Kind != memsys.ReadLine || r.Lanes != want || r.Line != addr/a.line*a.line || e.of.Tag != v.Tag {
		a.fail(Rule{Coalescer, "lanes served twice or not at all"},
			"cycle %d: a request for line %#x and lanes %#x, the access with tag %#x has place %#x in lanes %#x", cycle,
			r.Line, r.Lanes, v.Tag, addr, want)
	}
	if a.left &^= want; (a.left == 0) != (a.access != nil) {
		a.fail(Rule{Coalescer, "lanes of no line"}, "cycle %d: of the access with tag %#x lanes %#x have no request", cycle,
			v.Tag, a.left)
	}
	if a.left == 0 {
		a.begun = false
	}
	a.access = nil
}

// response notes the data of some lanes.
func (a *reader) response(cycle uint64, r *memsys.ReadResponse) {
	e := a.load(r.Tag)
	if !e.owed || r.Lanes == 0 || r.Lanes&^e.left != 0 {
		a.fail(Rule{Coalescer, "data for lanes that do not wait"},
			"cycle %d: entry %d waits for lanes %#x, data come for %#x", cycle, r.Tag, e.left, r.Lanes)
		return
	}
	for lane := range isa.RowLanes {
		for k := range uint64(e.of.Size) {
			if r.Lanes>>lane&1 != 0 {
				e.want.Data[lane][k/8] |= uint64(r.Data[e.of.Addr[lane]%a.line+k]) << (k % 8 * 8)
			}
		}
	}
	e.left &^= r.Lanes
}

// reply finds the load that is answered.
func (a *reader) reply(cycle uint64, r *memsys.Reply) {
	for _, e := range a.loads {
		if e != nil && e.owed && e.left == 0 && e.of.Tag == r.Tag {
			if e.owed = false; e.want != *r {
				a.fail(Rule{Coalescer, "an answer with other data"},
					"cycle %d: tag %#x is answered with other data or lanes than came", cycle, r.Tag)
			}
			return
		}
	}
	a.fail(Rule{Coalescer, "an answer without its data"},
		"cycle %d: tag %#x, lanes %#x are answered, which nobody waits for or which lacks data", cycle, r.Tag, r.Mask)
}

func (a *reader) end() {
	now := a.c.Count.Q()
	a.recount(
		tally{"loads", a.count.Accesses, now.Accesses - a.since.Accesses},
		tally{"places", a.count.Places, now.Places - a.since.Places},
		tally{"further cycles for places", a.count.Places - a.count.Accesses, now.Conflicts - a.since.Conflicts})
	for _, e := range a.loads {
		if e != nil && e.owed {
			a.fail(Rule{Coalescer, "an access without an answer"},
				"the access with tag %#x is never answered, lanes %#x lack data", e.of.Tag, e.left)
		}
	}
}
