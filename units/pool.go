package units

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
)

// PoolLanes is the width of the widest warp in a pool.
const PoolLanes = isa.MaxLanes

// WarpPool holds the warps of dynamic warp formation that wait to issue. It includes the allocator
// of its entries and the PC-warp table (Fung et al., MICRO 2007, section 4.2; Fung & Aamodt, HPCA
// 2011, section 2.3).
//
//	update register          PC-warp table                warp pool
//	{REQ, PC, rows} ---PC--> {PC, index, OCC} --index-->  {PC, OCC, rows}
//	                           |
//	                           +-- REQ & OCC: a new warp, to which the table then points
//	                           +-- REQ &^ OCC: join the warp
//
// A thread stays in its home lane, so its registers are in that lane's bank; Row holds its row. Two
// threads of the same lane cannot be in one warp. Only the youngest warp of a PC can be joined, and
// only until it issues.
//
// The pool needs as many entries as there are threads, because each thread may be in a warp by
// itself.
type WarpPool struct {
	Warps  *rtl.Mem[DynamicWarp] `rtl:"inplace"`
	Used   *rtl.Mem[uint64]      `rtl:"inplace"` // allocator: a bit for each entry
	Counts *rtl.Mem[Formation]   `rtl:"sim,inplace"`
	LUT    LUT
}

// DynamicWarp is an entry of the pool.
type DynamicWarp struct {
	PC    uint32
	Occ   uint64 `bits:"lanes"` // lanes with a thread
	Open  bool   // formed through the table, which may still point to it
	Count uint16 // largest Count of its threads; the issue policy defines its meaning
	Row   Rows   `len:"lanes" bits:"6"`
}

// Update is the content of a warp update register: threads that continue at one PC.
type Update struct {
	PC    uint32
	Req   uint64 `bits:"lanes"` // lanes
	Count uint16
	Row   Rows `len:"lanes" bits:"6"`
}

// Formation counts the results of updates.
type Formation struct {
	Formed     uint64 // warps entered into the pool
	Joined     uint64 // updates with lanes that joined a warp
	Conflicts  uint64 // updates with lanes that were already taken in that warp
	Fragmented uint64 // of these, the updates whose threads and those of the warp would fit in one warp
	Evicted    uint64 // lines replaced while their warp could still be joined
}

// NewWarpPool makes an empty pool for the given number of threads.
func NewWarpPool(threads int, t LUT) WarpPool {
	return WarpPool{
		Warps: rtl.NewMem[DynamicWarp](threads), Used: rtl.NewMem[uint64]((threads + 63) / 64),
		Counts: rtl.NewMem[Formation](1), LUT: t,
	}
}

// Insert puts the threads of an update into the pool. It returns the entry that lanes joined and
// the entry formed for lanes, each -1 for none. Lanes is the width of a warp.
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
		if bits.OnesCount64(line.Data.Occ)+bits.OnesCount64(conflict) <= lanes {
			st.Fragmented++
		}
		formed = p.table(line, u, conflict)
	}
	return joined, formed
}

// open reports whether the warp of a line has not issued yet.
func (p *WarpPool) open(l *Line[Joinable]) bool {
	w := p.Warps.Next(int(l.Data.Index))
	return w.Open && w.PC == l.PC
}

// table forms a warp and makes line point to it.
func (p *WarpPool) table(line *Line[Joinable], u *Update, lanes uint64) int {
	i := p.Form(u, lanes)
	p.Warps.Edit(i).Open = true
	line.Data = Joinable{uint16(i), lanes}
	return i
}

// Form makes a warp of lanes of an update without the table, so that no update can join it. It
// panics if the pool is full: the design sized it wrongly.
func (p *WarpPool) Form(u *Update, lanes uint64) int {
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
func (p *WarpPool) put(w *DynamicWarp, u *Update, lanes uint64) {
	w.Occ |= lanes
	w.Count = max(w.Count, u.Count)
	w.Row.Take(&u.Row, lanes)
}

// Free releases the entry of a warp that has issued.
func (p *WarpPool) Free(i int) {
	*p.Used.Edit(i >> 6) &^= 1 << (i & 63)
	w := p.Warps.Edit(i)
	w.Open, w.Occ = false, 0
}
