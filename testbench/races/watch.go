package races

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
)

// kind is the effect of an instruction on the detector.
type kind uint8

const (
	other kind = iota
	accesses
	copies // cp.async
	barrier
	warpBarrier
	fence
	leaves
)

// op is an instruction, reduced to the facts that the detector needs.
type op struct {
	in      *isa.Inst
	kind    kind
	mode    mode
	loads   bool // strongly, so it can see a flag
	acquire bool
	release bool
	size    uint64
}

func newOp(in *isa.Inst) op {
	o := op{in: in, size: uint64(in.Type.Bytes() * max(int(in.Vec), 1))}
	if in.Cache == isa.CacheVolatile {
		o.mode = strong
	}
	o.acquire, o.release = in.Flags&isa.FlagAcquire != 0, in.Flags&isa.FlagRelease != 0
	switch in.Op {
	case isa.OpLd:
		o.kind = accesses
		o.loads = o.mode&strong != 0
	case isa.OpLdmatrix:
		o.kind, o.size = accesses, 16
	case isa.OpStmatrix: // one row for each address; other lanes hold the values
		o.kind, o.size = accesses, 16
		o.mode |= writes
	case isa.OpSt:
		o.kind = accesses
		o.mode |= writes | valued
	case isa.OpAtom, isa.OpRed:
		o.kind = accesses
		o.mode = writes | atomic | strong
		o.loads = in.Op == isa.OpAtom
	case isa.OpCopy:
		o.kind = copies
	case isa.OpBar:
		o.kind = barrier
	case isa.OpBarWarp:
		o.kind = warpBarrier
	case isa.OpMembar:
		o.kind = fence
	}
	if in.Exits() && in.Op != isa.OpTrap {
		o.kind = leaves
	}
	if in.Space == isa.SpaceLocal || in.Space == isa.SpaceParam || in.Space == isa.SpaceConst {
		o.kind = other // no other thread writes there
	}
	o.mode |= used
	return o
}

// watcher observes an SM.
type watcher struct {
	d    *Detector
	sm   *sm.SM
	rows [sm.MaxWarps]warp // by row of the register file
	ctas [sm.MaxCTAs]*cta  // by resident number
}

// warp is the state of the threads in a row.
type warp struct {
	cta      *cta
	id       uint64 // of the CTA
	resident uint8
	threads  [isa.MaxLanes]uint16 // by lane: number in the CTA
}

// at returns the warp in a row.
func (w *watcher) at(row uint8) *warp {
	r := &w.rows[row%sm.MaxWarps]
	if r.cta != nil && w.sm.CTA.Q().ID[r.resident%sm.MaxCTAs] == r.id && w.ctas[r.resident%sm.MaxCTAs] == r.cta {
		return r
	}
	resident := w.sm.Resident(int(row))
	id := w.sm.CTA.Q().ID[resident%sm.MaxCTAs]
	c := w.ctas[resident%sm.MaxCTAs]
	if c == nil || c.id != uint32(id) {
		w.end(c)
		c = newCTA(w.d, uint32(id))
		w.ctas[resident%sm.MaxCTAs] = c
	}
	r.cta, r.id, r.resident = c, id, resident
	for lane := range w.d.warpSize {
		t := w.sm.Thread(int(row), lane).TID
		r.threads[lane] = uint16(t[0] + w.d.block[0]*(t[1]+w.d.block[1]*t[2]))
	}
	return r
}

// end releases the pages of an ended CTA.
func (w *watcher) end(c *cta) {
	if c == nil {
		return
	}
	for _, p := range c.pages {
		if p != nil {
			w.d.free = append(w.d.free, p)
		}
	}
	c.pages = nil
}

// sharedPage returns a page of the shared memory of a CTA.
func (c *cta) sharedPage(n uint64) *page {
	for uint64(len(c.pages)) <= n {
		c.pages = append(c.pages, nil)
	}
	if c.pages[n] == nil {
		p := new(page)
		if last := len(c.d.free) - 1; last >= 0 {
			p, c.d.free = c.d.free[last], c.d.free[:last]
		}
		p.renew(n, 0)
		c.pages[n] = p
	}
	return c.pages[n]
}

// issue receives an instruction of the kernel.
func (w *watcher) issue(i sm.Issued) {
	w.d.issued++
	w.take(&w.d.ops[i.PC], i.Flight, i.PC)
}

// inserted receives an instruction that the mechanism has inserted. A warpsync stands for the
// bar.warp.sync after it.
func (w *watcher) inserted(i sm.Issued) {
	w.d.issued++
	in := &w.sm.Program().Insts[i.PC]
	if in.Op == isa.OpWarpSync {
		w.take(&op{in: in, kind: warpBarrier}, i.Flight, i.PC)
	}
}

// take applies an instruction to each of its threads.
func (w *watcher) take(o *op, f *sm.Flight, pc uint32) {
	if !f.Mixed && o.kind == other && w.at(f.Row).cta.waiting == 0 {
		return
	}
	r := w.at(f.Row)
	for m := f.Mask; m != 0; m &= m - 1 {
		home := f.Home(bits.TrailingZeros64(m))
		row, lane := int(home.Row), int(home.Lane)
		if f.Mixed {
			r = w.at(home.Row)
		}
		c, thread := r.cta, r.threads[lane%isa.MaxLanes]
		if c.waiting > 0 && c.at[thread] != nil {
			c.goOn(thread)
		}
		if g := o.in.Guard; o.kind == other || g.Kind == isa.OperandPred &&
			w.sm.Pred(row, lane, int(g.Index)) == g.Not {
			continue
		}
		t := &lanes{w.sm, row, lane, c, thread}
		switch o.kind {
		case accesses:
			t.access(o, pc)
		case copies:
			t.copy(o, pc)
		case barrier:
			t.barrier(o.in)
		case warpBarrier:
			t.warpBarrier(o.in, w.d.warpSize)
		case fence:
			if c.fences == nil {
				c.fences = make([]moment, w.d.threads)
			}
			c.fences[thread] = c.release(thread)
		case leaves:
			if c.gone == nil {
				gone := newGathered(c.id, w.d.threads)
				c.gone = &gone
			}
			m := c.release(thread)
			c.gone.add(m.knows)
			c.gone.put(thread, m.clock)
		}
	}
}

// lanes is a thread with its registers.
type lanes struct {
	sm        *sm.SM
	row, lane int
	cta       *cta
	thread    uint16
}

// value returns the value of an operand.
func (t *lanes) value(o *isa.Operand) uint64 {
	switch o.Kind {
	case isa.OperandReg:
		return t.sm.Reg(t.row, t.lane, int(o.Index))
	case isa.OperandImm:
		return o.Imm
	}
	return 0
}

// barrier records an arrival at a barrier of the CTA.
func (t *lanes) barrier(in *isa.Inst) {
	c := t.cta
	at := &c.bars[t.value(&in.Src[0])%uint64(len(c.bars))]
	if *at == nil {
		*at = &meeting{gathered: newGathered(c.id, c.d.threads)}
		if in.NSrc > 1 {
			(*at).need = int(t.value(&in.Src[1]))
		}
	}
	m := *at
	if c.arrive(m, t.thread, in.Mode != isa.ModeArrive); m.need > 0 && m.arrived >= m.need {
		m.open(c.gone)
		*at = nil
	}
}

// warpBarrier records an arrival at a bar.warp.sync.
func (t *lanes) warpBarrier(in *isa.Inst, warpSize int) {
	c := t.cta
	if c.warps == nil {
		c.warps = map[uint64]*meeting{}
	}
	key := uint64(int(t.thread)/warpSize)<<32 | t.value(&in.Src[0])&0xffff_ffff
	m := c.warps[key]
	if m == nil || m.opened != nil {
		m = &meeting{gathered: newGathered(c.id, c.d.threads)}
		c.warps[key] = m
	}
	c.arrive(m, t.thread, true)
}

// access records an access of the thread.
func (t *lanes) access(o *op, pc uint32) {
	in := o.in
	if (in.Op == isa.OpLdmatrix || in.Op == isa.OpStmatrix) && int(t.thread)%isa.RowLanes >= 8*int(in.Vec) {
		return // its address has no meaning
	}
	addr := (t.value(&in.Src[0]) + uint64(in.Off)) & t.cta.d.reach
	t.memory(o, in.Space, addr, o.mode, pc)
}

// copy records an asynchronous copy. Its store counts when the copy issues.
func (t *lanes) copy(o *op, pc uint32) {
	in, reach := o.in, t.cta.d.reach
	t.memory(o, isa.SpaceGlobal, (t.value(&in.Src[1])+uint64(in.From))&reach, used, pc)
	t.memory(o, in.Space, (t.value(&in.Src[0])+uint64(in.Off))&reach, used|writes, pc)
}

// memory records an access to an address.
func (t *lanes) memory(o *op, space isa.Space, addr uint64, as mode, pc uint32) {
	c := t.cta
	d := c.d
	if space == isa.SpaceGeneric {
		switch {
		case addr-isa.SharedWindow < isa.WindowSize:
			space, addr = isa.SpaceShared, addr-isa.SharedWindow
		case addr-isa.LocalWindow < isa.WindowSize, addr-isa.ParamWindow < isa.WindowSize:
			return
		default:
			space = isa.SpaceGlobal
		}
	}
	at := place{everywhere, addr}
	if space == isa.SpaceShared {
		at.cta = c.id
	}
	if o.loads {
		c.read(t.thread, at)
	}
	w := write{access: access{c.id, c.clock[t.thread], d.issued, pc, t.thread, as}}
	for done := uint64(0); done < o.size; {
		a := addr + done
		n := min(4-a%4, o.size-done)
		if as&valued != 0 {
			w.value = t.stored(o.in, int(done)) << (8 * (a % 4))
		}
		var p *page
		if space == isa.SpaceShared {
			if a < isa.WindowSize {
				p = c.sharedPage(a >> pageBits)
			}
		} else {
			p = d.globalPage(a >> pageBits)
		}
		if p != nil {
			d.touch(c, p, uint16(a>>2%pageWords), uint8(1<<n-1)<<(a%4), &w, space == isa.SpaceShared)
		}
		done += n
	}
	if as&(writes|strong) == writes|strong {
		t.releases(o, at)
	}
}

// releases records a strong write. It releases what the write itself, or an earlier fence, covers.
func (t *lanes) releases(o *op, at place) {
	c := t.cta
	var m moment
	switch {
	case o.release:
		m = c.release(t.thread)
	case c.fences != nil && c.fences[t.thread].clock > 0:
		m = c.fences[t.thread]
	default:
		return
	}
	f := c.d.flags[at]
	if f == nil {
		f = &flag{by: map[uint32]*gathered{}}
		c.d.flags[at] = f
	}
	f.release(c.d, &m)
}

// stored returns the 4 bytes that a store writes at an offset, 0 past its end.
func (t *lanes) stored(in *isa.Inst, from int) (word uint32) {
	size := in.Type.Bytes()
	if size >= 4 {
		return uint32(t.value(&in.Src[1+from/size]) >> (8 * (from % size)))
	}
	keep := uint32(1)<<(8*size) - 1
	for i := from / size; i < max(int(in.Vec), 1) && i*size < from+4; i++ {
		word |= (uint32(t.value(&in.Src[1+i])) & keep) << (8 * (i*size - from))
	}
	return word
}
