package units

import (
	"math/bits"

	"divergo/rtl"
)

// PoolLanes is the width of the widest warp in a pool.
const PoolLanes = 32

// WarpPool is where dynamic warp formation keeps the warps that wait to be
// issued, with the allocator of its entries and the PC-warp table (Fung et
// al., MICRO 2007, section 4.2; Fung & Aamodt, HPCA 2011, section 2.3).
//
//	update register          PC-warp table                warp pool
//	{REQ, PC, rows} ---PC--> {PC, index, OCC} --index-->  {PC, OCC, rows}
//	                           |
//	                           +-- REQ & OCC: a warp of its own, which the table points to from now on
//	                           +-- REQ &^ OCC: join the warp
//
// A thread stays in its home lane, so that it finds its registers in the bank
// of that lane; its row says where. Two threads of a lane cannot be in one
// warp. Only the youngest warp of a PC can be joined, and only while it has not
// been issued.
//
// There must be as many entries as threads, because each can be alone.
type WarpPool struct {
	Warps  *rtl.Mem[DynamicWarp] `rtl:"inplace"`
	Used   *rtl.Mem[uint64]      `rtl:"inplace"` // allocator: a bit for each entry
	Counts *rtl.Mem[Formation]   `rtl:"sim,inplace"`
	LUT    LUT
}

// DynamicWarp is an entry of the pool.
type DynamicWarp struct {
	PC    uint32
	Occ   uint32 `bits:"lanes"` // lanes with a thread
	Open  bool   // it was entered by the table, which may still point to it
	Count uint16 // the largest of its threads; what it counts is the issue policy's business
	Row   Rows   `len:"lanes" bits:"6"`
}

// Update is the content of a warp update register: threads that go on at one
// PC.
type Update struct {
	PC    uint32
	Req   uint32 `bits:"lanes"` // lanes
	Count uint16
	Row   Rows `len:"lanes" bits:"6"`
}

// Formation counts what became of updates.
type Formation struct {
	Formed     uint64 // warps entered into the pool
	Joined     uint64 // updates of which lanes joined a warp
	Conflicts  uint64 // updates of which lanes were taken in that warp
	Fragmented uint64 // of these, the ones with no more threads together than a warp has lanes
	Evicted    uint64 // lines replaced although their warp could still be joined
}

// NewWarpPool makes an empty pool for so many threads.
func NewWarpPool(threads int, t LUT) WarpPool {
	return WarpPool{
		Warps: rtl.NewMem[DynamicWarp](threads), Used: rtl.NewMem[uint64]((threads + 63) / 64),
		Counts: rtl.NewMem[Formation](1), LUT: t,
	}
}

// Insert puts the threads of an update into the pool. It returns the entry that
// lanes have joined and the entry that was made for lanes, -1 for none. Lanes is
// the width of a warp.
func (p *WarpPool) Insert(u *Update, lanes int) (joined, formed int) {
	line := p.LUT.Find(u.PC)
	if line == nil {
		var old Line[Joinable]
		line, old = p.LUT.Claim(u.PC)
		if old.Valid && p.open(&old) {
			p.Counts.Edit(0).Evicted++
		}
		return -1, p.table(line, u, u.Req)
	}
	if !p.open(line) {
		return -1, p.table(line, u, u.Req)
	}
	conflict := u.Req & line.Data.Occ
	joined, formed = -1, -1
	st := p.Counts.Edit(0)
	if join := u.Req &^ conflict; join != 0 {
		joined = int(line.Data.Index)
		line.Data.Occ |= join
		p.put(p.Warps.Edit(joined), u, join)
		st.Joined++
	}
	if conflict != 0 {
		st.Conflicts++
		if bits.OnesCount32(line.Data.Occ)+bits.OnesCount32(conflict) <= lanes {
			st.Fragmented++
		}
		formed = p.table(line, u, conflict)
	}
	return joined, formed
}

// open reports whether the warp that a line points to is still there.
func (p *WarpPool) open(l *Line[Joinable]) bool {
	w := p.Warps.Next(int(l.Data.Index))
	return w.Open && w.PC == l.PC
}

// table forms a warp that line points to from now on.
func (p *WarpPool) table(line *Line[Joinable], u *Update, lanes uint32) int {
	i := p.Form(u, lanes)
	p.Warps.Edit(i).Open = true
	line.Data = Joinable{uint16(i), lanes}
	return i
}

// Form makes a warp of lanes of an update past the table, so that nobody can
// join it. A full pool is a fault of the design that sized it.
func (p *WarpPool) Form(u *Update, lanes uint32) int {
	for w := range p.Used.Len() {
		used := *p.Used.Next(w)
		if used == ^uint64(0) {
			continue
		}
		i := w<<6 + bits.TrailingZeros64(^used)
		*p.Used.Edit(w) |= 1 << (i & 63)
		e := p.Warps.Edit(i)
		*e = DynamicWarp{PC: u.PC}
		p.put(e, u, lanes)
		p.Counts.Edit(0).Formed++
		return i
	}
	panic("units: more warps than the pool has entries")
}

// put adds lanes of an update to a warp.
func (p *WarpPool) put(w *DynamicWarp, u *Update, lanes uint32) {
	w.Occ |= lanes
	w.Count = max(w.Count, u.Count)
	w.Row.Take(&u.Row, lanes)
}

// Free gives an entry back, because its warp has been issued.
func (p *WarpPool) Free(i int) {
	*p.Used.Edit(i >> 6) &^= 1 << (i & 63)
	w := p.Warps.Edit(i)
	w.Open, w.Occ = false, 0
}
