package audit

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/units"
)

// coalescer audits the coalescer of an SM. The lines of an access must serve each active lane once.
// Every line serves all lanes that fall into it, so there are as many lines as distinct ones. An
// atomic has one line for each lane. A store enables exactly the bytes of its lanes, with the data
// of the highest lane where several overlap. An access is answered once, after all of its lanes.
//
// The lanes of a herded load fall into one block, for all lanes or for each half of the warp. It is
// the block of most lanes. With HerdFirst all lanes read one address.
type coalescer struct {
	block
	line uint64
	sect uint64 // bytes of a sector, 0 without sectors
	herd *units.HerdConfig
	c    *memsys.Coalescer
	from *memsys.PreMem
	addr [isa.RowLanes]uint64 // addresses that the access must have

	access *memsys.Access // the access that the coalescer has popped, nil while its lines are still being made
	begun  bool           // the model of the present access is open
	lines  int            // lines of the present access so far
	left   uint32         // its lanes without a line
	posted []answer       // answers to come: stores and reductions
	loads  [memsys.MaxPending]answer

	pending, used   int      // entries of the table, and those in use
	arrived         []uint64 // cycles in which the accesses at In were pushed
	opened, popped  uint64   // cycles in which an entry was taken and an access was popped last
	full, coalesced uint64   // accesses that found no entry, and further lines of accesses
	since           memsys.CoalescerCounters
}

// answer is an answer that an access still waits for.
type answer struct {
	owed bool
	tag  uint16
	mask uint32
	left uint32 // lanes without data
	done bool   // nothing is missing
}

func newCoalescer(m *Memory, index int, cfg *memsys.Config, u *memsys.Unit) *coalescer {
	return &coalescer{
		block: block{m, fmt.Sprintf("coalescer of SM %d", index)}, line: uint64(cfg.L1.Line),
		sect: sectorOf(&cfg.L1),
		herd: &cfg.Herd, c: u.Coalescer, from: u.PreMem, pending: cfg.L1.Pending, since: *u.Coalescer.Count.Q(),
	}
}

func (a *coalescer) taps() []func() {
	return []func(){
		a.c.In.Tap(a.done), a.c.Req.Tap(a.request), a.c.Rsp.Tap(a.response), a.c.Out.Tap(a.reply),
		a.from.Global.Tap(a.arrive),
	}
}

// arrive notes that an access is pushed. The coalescer sees it in the next cycle.
func (a *coalescer) arrive(cycle uint64, _ *memsys.Access) { a.arrived = append(a.arrived, cycle) }

// orders reports whether an access is a fence or a flush.
func orders(v *memsys.Access) bool { return v.Kind == memsys.Fence || v.Kind == memsys.Flush }

// reads reports whether an access waits for data.
func reads(v *memsys.Access) bool { return v.Kind == memsys.Load || v.Kind == memsys.Atomic }

// done notes that the coalescer pops an access, whose last line is pushed in this cycle.
func (a *coalescer) done(cycle uint64, v *memsys.Access) {
	a.complete(cycle)
	if !a.begun {
		a.begin(v)
	}
	a.access, a.popped, a.arrived = v, cycle, append(a.arrived[:0], a.arrived[1:]...)
	if !orders(v) && (!reads(v) || v.Mask == 0) {
		a.posted = append(a.posted, answer{tag: v.Tag, mask: v.Mask})
	}
}

// begin opens the model of an access.
func (a *coalescer) begin(v *memsys.Access) {
	a.begun, a.lines, a.left = true, 0, v.Mask
	if orders(v) {
		a.left = 1 // one line for all
	}
	a.addr = v.Addr
	if v.Herd && a.herd.HalfWarp {
		a.gatherIn(v, v.Mask&0xffff)
		a.gatherIn(v, v.Mask&^0xffff)
	} else if v.Herd {
		a.gatherIn(v, v.Mask)
	}
}

// gatherIn sets the addresses that some lanes of a herded load must have. It votes for the block of
// each lane, in a table.
func (a *coalescer) gatherIn(v *memsys.Access, lanes uint32) {
	size := map[uint8]uint64{1: 32, 2: 64}[v.Size]
	if size == 0 {
		size = 128
	}
	votes, best := map[uint64]int{}, uint64(0)
	for lane := isa.RowLanes - 1; lane >= 0; lane-- {
		if lanes>>lane&1 == 0 {
			continue
		}
		votes[v.Addr[lane]/size]++
	}
	for lane := isa.RowLanes - 1; lane >= 0; lane-- { // the lowest lane of a best block decides
		if b := v.Addr[lane] / size; lanes>>lane&1 != 0 && votes[b] >= votes[best] {
			best = b
		}
	}
	for lane := range v.Addr {
		switch {
		case lanes>>lane&1 == 0:
		case a.herd.Load == units.HerdFirst:
			a.addr[lane] = v.Addr[bits.TrailingZeros32(lanes)]
		default:
			a.addr[lane] = best*size + v.Addr[lane]%size
		}
	}
}

// complete closes the model of an access that the coalescer has popped.
func (a *coalescer) complete(cycle uint64) {
	if a.access == nil {
		return
	}
	if a.left != 0 {
		a.fail(Rule{Coalescer, "lanes of no line"}, "cycle %d: the %s with tag %#x is over, no line has its lanes %#x",
			cycle, a.access.Kind, a.access.Tag, a.left)
	}
	a.access, a.begun = nil, false
}

// request checks a line.
func (a *coalescer) request(cycle uint64, r *memsys.LineRequest) {
	if a.over() {
		return
	}
	if a.access != nil && a.left == 0 {
		a.complete(cycle)
	}
	v := a.access
	if v == nil {
		v = a.c.In.Front()
	}
	if !a.begun {
		a.begin(v)
	}
	if a.lines++; a.lines > 1 {
		a.coalesced++
	}
	if r.Kind != v.Kind || r.Cache != v.Cache || r.Stack != v.Stack {
		a.fail(Rule{Coalescer, "a line of another kind"}, "cycle %d: a line for a %s, the access is a %s", cycle,
			r.Kind, v.Kind)
		return
	}
	if a.lines == 1 && (reads(v) || orders(v)) {
		a.expect(cycle, v, r)
	}
	if orders(v) {
		a.left = 0
		return
	}
	want := a.left
	switch v.Kind {
	case memsys.Atomic, memsys.Reduce:
		want &= -want
		a.operation(cycle, v, r)
	default:
		for m := a.left; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); a.addr[lane]/a.line != r.Line/a.line {
				want &^= 1 << lane
			}
		}
	}
	if r.Lanes != want || want == 0 {
		a.fail(Rule{Coalescer, "lanes served twice or not at all"},
			"cycle %d: line %#x of the %s with tag %#x serves lanes %#x, of the lanes %#x to go it has to serve %#x",
			cycle, r.Line, v.Kind, v.Tag, r.Lanes, a.left, want)
	}
	if v.Kind == memsys.Store {
		a.store(cycle, v, r, want)
	}
	a.sectors(cycle, v, r, want)
	a.left &^= want
}

// sectors checks that each lane of a load is in the sector of its bytes.
func (a *coalescer) sectors(cycle uint64, v *memsys.Access, r *memsys.LineRequest, lanes uint32) {
	for s, got := range r.Sectors {
		want := uint32(0)
		for lane := range v.Addr {
			if v.Kind == memsys.Load && a.sect != 0 && lanes>>lane&1 != 0 && a.addr[lane]%a.line/a.sect == uint64(s) {
				want |= 1 << lane
			}
		}
		if got != want {
			a.fail(Rule{Coalescer, "lanes in another sector"},
				"cycle %d: sector %d of line %#x has lanes %#x, those of the load with tag %#x are %#x", cycle, s,
				r.Line, got, v.Tag, want)
		}
	}
}

// operation checks the line of an atomic, which serves its lowest lane without a line.
func (a *coalescer) operation(cycle uint64, v *memsys.Access, r *memsys.LineRequest) {
	lane := bits.TrailingZeros32(a.left) & (isa.RowLanes - 1)
	if r.Line+uint64(r.Off) != v.Addr[lane] || r.Line%a.line != 0 || r.Size != v.Size ||
		r.A != v.Data[lane][0] || r.B != v.Data[lane][1] || r.Atom != v.Atom || r.Type != v.Type {
		a.fail(Rule{Coalescer, "another address than the lane's"},
			"cycle %d: the %s of lane %d is not what its access says", cycle, v.Kind, lane)
	}
}

// store checks the bytes of a line.
func (a *coalescer) store(cycle uint64, v *memsys.Access, r *memsys.LineRequest, lanes uint32) {
	var mask dram.ByteMask
	var data memsys.Line
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		off := int(v.Addr[lane] % a.line)
		mask = mask.Or(dram.Span(off, int(v.Size)))
		for k := range int(v.Size) {
			data[off+k] = byte(v.Data[lane][k/8] >> (k % 8 * 8))
		}
	}
	if r.Mask != mask {
		a.fail(Rule{Coalescer, "bytes that no lane stores"},
			"cycle %d: line %#x of the store with tag %#x writes the bytes %#x, its lanes have %#x", cycle, r.Line,
			v.Tag, r.Mask, mask)
	}
	if r.Data != data {
		a.fail(Rule{Coalescer, "data of another lane"},
			"cycle %d: line %#x of the store with tag %#x has other data than the highest lane of each byte", cycle,
			r.Line, v.Tag)
	}
}

// expect notes that an access waits for an answer, at its first line.
func (a *coalescer) expect(cycle uint64, v *memsys.Access, r *memsys.LineRequest) {
	e := &a.loads[r.Entry%memsys.MaxPending]
	if e.owed {
		a.fail(Rule{Coalescer, "an entry given away twice"},
			"cycle %d: entry %d is given away again, the access with tag %#x needs it", cycle, r.Entry, e.tag)
	}
	*e = answer{owed: true, tag: v.Tag, mask: v.Mask}
	a.used++
	a.opened = cycle
	if reads(v) {
		e.left = v.Mask
	}
}

// response notes the data of some lanes.
func (a *coalescer) response(cycle uint64, r *memsys.LineResponse) {
	e := &a.loads[r.Entry%memsys.MaxPending]
	if !e.owed || e.done || e.left != 0 && (r.Lanes == 0 || r.Lanes&^e.left != 0) {
		a.fail(Rule{Coalescer, "data for lanes that do not wait"},
			"cycle %d: entry %d waits for lanes %#x, data come for %#x", cycle, r.Entry, e.left, r.Lanes)
	}
	e.left &^= r.Lanes
	e.done = e.left == 0
}

// reply finds the access that is answered.
func (a *coalescer) reply(cycle uint64, r *memsys.Reply) {
	for i, p := range a.posted {
		if p.tag == r.Tag && p.mask == r.Mask {
			a.posted = append(a.posted[:i], a.posted[i+1:]...)
			return
		}
	}
	for i := range a.loads {
		if e := &a.loads[i]; e.done && e.tag == r.Tag && e.mask == r.Mask {
			*e = answer{}
			if a.used == a.pending && a.opened != cycle {
				a.waited(cycle)
			}
			a.used--
			return
		}
	}
	a.fail(Rule{Coalescer, "an answer without its data"},
		"cycle %d: tag %#x, lanes %#x are answered, which nobody waits for or which lacks data", cycle, r.Tag, r.Mask)
}

// waited counts the access at In if it needs an entry, in the last cycle in which all are in use.
func (a *coalescer) waited(cycle uint64) {
	parted, leaving := a.begun && a.access == nil, a.access != nil && a.popped == cycle
	if len(a.arrived) == 0 || a.arrived[0] >= cycle || parted || leaving {
		return
	}
	if v := a.c.In.Front(); orders(v) || reads(v) && v.Mask != 0 {
		a.full++
	}
}

func (a *coalescer) end() {
	a.complete(0)
	now, further := a.c.Count.Q(), uint64(0)
	for source, n := range now.Coalescing {
		further += n - a.since.Coalescing[source]
	}
	a.recount(
		tally{"accesses that found every entry in use", a.full, now.TableFull - a.since.TableFull},
		tally{"further cycles for lines", a.coalesced, further})
	for i := range a.loads {
		if e := &a.loads[i]; e.owed {
			a.fail(Rule{Coalescer, "an access without an answer"},
				"the access with tag %#x is never answered, lanes %#x lack data", e.tag, e.left)
		}
	}
	if n := len(a.posted); n != 0 {
		a.fail(Rule{Coalescer, "stores without an answer"}, "%d stores are never answered", n)
	}
}
