package books

import (
	"math/bits"
	"slices"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence/formation"
	"divergo/testbench"
	"divergo/units"
)

// pool models the warp pool and the PC-warp table of dynamic warp formation (Fung et al., MICRO 2007,
// section 4.2). Threads are inserted one cycle after they were taken, behind the instruction that
// issues in that cycle. They join the youngest warp of their PC if the table knows it, it has not
// issued, and their lanes are free. The others form a warp, which the table then knows.
type pool struct {
	*forming
	formation.Params
	warps  []*pooled
	sets   [][]tabled // of the table, the line used last first
	coming []update
	issued uint64
	count  [sm.MaxWarps]uint16 // by slot: of the instruction in flight
	freed  []uint64            // rows that barriers have released and that are still to be formed
	passes []bool              // by PC: reconvergence point of a conditional branch
	last   uint32              // PC of the last instruction
	stats  units.Formation
}

// pooled is a warp of the pool.
type pooled struct {
	update
	born  uint64 // instructions issued before it was formed
	atBar bool
	open  bool // threads can join it
}

// update is threads that go on at a PC.
type update struct {
	sent  uint64
	pc    uint32
	mask  uint64
	count uint16 // reconvergence points that they have passed
	row   [isa.MaxLanes]uint8
}

// tabled is a line of the table: the youngest warp of a PC.
type tabled struct {
	pc   uint32
	warp *pooled
}

// tableLines is the size of the PC-warp table (GPGPU-Sim 2.1.1b).
const tableLines = 32

func newPool(f *forming) *pool {
	p := &pool{forming: f, Params: formation.Keys.Of(f.config.Divergence), last: isa.NoPC}
	p.sets = make([][]tabled, tableLines/p.Ways)
	p.passes = make([]bool, len(f.prog.Insts)+1)
	for i := range f.prog.Insts {
		if in := &f.prog.Insts[i]; in.Conditional() && in.Reconv != isa.NoPC {
			p.passes[in.Reconv] = true
		}
	}
	n := &p.stats
	for _, t := range []struct {
		what string
		n    *uint64
		of   func(f *units.Formation) uint64
	}{
		{"warps of the pool", &n.Formed, func(f *units.Formation) uint64 { return f.Formed }},
		{"joins in the pool", &n.Joined, func(f *units.Formation) uint64 { return f.Joined }},
		{"conflicts in the pool", &n.Conflicts, func(f *units.Formation) uint64 { return f.Conflicts }},
		{"fragments in the pool", &n.Fragmented, func(f *units.Formation) uint64 { return f.Fragmented }},
		{"evictions of the PC-warp table", &n.Evicted, func(f *units.Formation) uint64 { return f.Evicted }},
	} {
		f.tally(t.what, t.n, func(c *testbench.Counters) uint64 { return t.of(&c.Divergence.Formation) })
	}
	return p
}

// of returns the threads in lanes of an instruction, which go on at a PC.
func (p *pool) of(f *sm.Flight, lanes uint64, pc uint32) update {
	u := update{pc: pc, mask: lanes, count: p.count[f.Slot]}
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		u.row[lane] = f.Home(lane).Row
	}
	return u
}

// take takes threads in a cycle, behind others of it.
func (p *pool) take(cycle uint64, u update) {
	if u.sent = cycle; u.mask == 0 {
		return
	}
	i := len(p.coming)
	for i > 0 && p.coming[i-1].sent > u.sent {
		i--
	}
	p.coming = slices.Insert(p.coming, i, u)
}

// until inserts the threads that were taken before a cycle, and forms those that barriers released.
func (p *pool) until(cycle uint64) {
	for len(p.coming) > 0 && p.coming[0].sent < cycle {
		u := p.coming[0]
		p.coming = p.coming[1:]
		p.insert(&u)
	}
	freed := p.freed
	p.freed = nil
	for _, rows := range freed {
		p.release(rows)
	}
}

// insert enters threads into the pool, without those that have come to their warp barrier.
func (p *pool) insert(u *update) {
	for m := u.mask; m != 0 && p.rejoins; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if r := &p.forming.rows[u.row[lane]&(sm.MaxWarps-1)]; r.apart && r.rpc == u.pc {
			u.mask &^= 1 << lane
		}
	}
	if u.mask == 0 {
		return
	}
	set := &p.sets[int(u.pc)%len(p.sets)]
	i := slices.IndexFunc(*set, func(l tabled) bool { return l.pc == u.pc })
	line := tabled{pc: u.pc}
	switch {
	case i >= 0:
		line = (*set)[i]
		*set = slices.Delete(*set, i, i+1)
	case len(*set) == p.Ways:
		if (*set)[p.Ways-1].warp.open {
			p.stats.Evicted++
		}
		*set = (*set)[:p.Ways-1]
	}
	if w := line.warp; w != nil && w.open {
		taken := u.mask & w.mask
		if join := u.mask &^ taken; join != 0 {
			p.stats.Joined++
			w.mask |= join
			w.count = max(w.count, u.count)
			for m := join; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m)
				w.row[lane] = u.row[lane]
			}
		}
		if u.mask = taken; taken != 0 {
			p.stats.Conflicts++
			if bits.OnesCount64(w.mask)+bits.OnesCount64(taken) <= p.lanes {
				p.stats.Fragmented++
			}
		}
	}
	if u.mask != 0 {
		line.warp = p.form(u)
		line.warp.open = true
	}
	*set = slices.Insert(*set, 0, line)
}

// form adds a warp.
func (p *pool) form(u *update) *pooled {
	w := &pooled{update: *u, born: p.issued}
	p.warps = append(p.warps, w)
	p.stats.Formed++
	return w
}

// release forms warps of the threads of some rows that wait at barriers.
func (p *pool) release(rows uint64) {
	for _, w := range slices.Clone(p.warps) {
		u := w.update
		u.mask = 0
		for m := w.mask; m != 0 && w.atBar; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			u.mask |= (rows >> (w.row[lane] & 63) & 1) << lane
		}
		if u.mask == 0 {
			continue
		}
		if w.mask &^= u.mask; w.mask == 0 {
			p.remove(w)
		}
		for m := u.mask; m != 0 && p.rejoins; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			if r := &p.forming.rows[u.row[lane]&(sm.MaxWarps-1)]; r.apart && r.rpc == u.pc {
				u.mask &^= 1 << lane
			}
		}
		if u.mask != 0 {
			p.form(&u)
		}
	}
}

func (p *pool) remove(w *pooled) {
	i := slices.Index(p.warps, w)
	p.warps = slices.Delete(p.warps, i, i+1)
	w.open = false
}

// issues checks that an instruction has the threads of a warp of the pool, which it takes.
func (p *pool) issues(e *sm.Issued, pc uint32) {
	i := slices.IndexFunc(p.warps, func(w *pooled) bool {
		if w.pc != pc || w.mask != e.Mask || w.atBar {
			return false
		}
		for m := w.mask; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m); e.Home(lane).Row != w.row[lane] {
				return false
			}
		}
		return true
	})
	if i < 0 {
		p.Fail(Rule{checkForming, "not a warp of the pool"}, active(e),
			"%s: slot %d issues lanes %#x, which are no warp of the pool", p.at(e), e.Slot, e.Mask)
		return
	}
	w := p.warps[i]
	if p.turn(e, w); p.found != nil {
		return
	}
	p.remove(w)
	p.count[e.Slot] = w.count
	p.goes(e, pc)
}

// goes counts an instruction that issues.
func (p *pool) goes(e *sm.Issued, pc uint32) {
	p.issued++
	if p.last = pc; p.passes[pc] {
		p.count[e.Slot]++
	}
}

// turn checks that no ready slot has a warp that goes before the one that issues.
func (p *pool) turn(e *sm.Issued, w *pooled) {
	if p.rejoins || p.Count == formation.CountReturned {
		return // static warps issue too; which warps wait for memory is not known
	}
	slots, own := p.sm.Div.Slots(), p.rank(w)
	for i := range slots.Len() {
		s := slots.At(i)
		if i == int(e.Slot) || !s.Valid || p.config.SM.CTAPriority != sm.PriorityNone && s.CTA != e.CTA {
			continue
		}
		lane := bits.TrailingZeros64(s.Mask)
		row := p.sm.Div.Homes().At(i).At(lane).Row
		k := slices.IndexFunc(p.warps, func(o *pooled) bool { return o.mask>>lane&1 != 0 && o.row[lane] == row })
		if k >= 0 && slices.Compare(p.rank(p.warps[k]), own) < 0 && p.fair.ready(e.Cycle, i) {
			p.Fail(Rule{checkForming, "not the warp's turn"}, p.inSlot(i),
				"SM %d, cycle %d: slot %d issues, slot %d was ready and before it by the policy", p.index, e.Cycle, e.Slot, i)
			return
		}
	}
}

// rank returns the place of a warp in the order of the policy. Late warps go first, the oldest before
// the others. A majority is that of the last instruction's PC while warps wait there.
func (p *pool) rank(w *pooled) []uint64 {
	if p.Aging > 0 && p.issued-w.born > uint64(p.Aging) {
		return []uint64{0, w.born}
	}
	unfilled := uint64(isa.MaxLanes - bits.OnesCount64(w.mask))
	switch p.Issue {
	case formation.IssueTime:
		return []uint64{1, w.born}
	case formation.IssuePDOM:
		return []uint64{1, uint64(w.count), unfilled}
	case formation.IssuePC:
		return []uint64{1, uint64(w.pc), unfilled}
	}
	if w.pc == p.last {
		return []uint64{1}
	}
	threads := uint64(0)
	for _, o := range p.warps {
		if o.pc == w.pc && !o.atBar {
			threads += uint64(bits.OnesCount64(o.mask))
		}
	}
	if p.Issue == formation.IssueMajority {
		threads = ^threads
	}
	return []uint64{2, threads, uint64(w.pc)}
}
