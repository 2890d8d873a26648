package sm

import (
	"math/bits"
	"sort"

	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// LSU is the load/store unit. It takes memory instructions in order and sends accesses to the
// memory system, one a cycle. For each lane it computes the address, resolves generic addresses,
// maps local memory, and checks bounds and alignment. An instruction becomes several accesses if
// its lanes fall into different spaces, or if it is a wide access to interleaved local memory. An access
// serves the lanes of one row: each half of a warp of 64 lanes takes its own. The
// instruction completes, and its warp gets the data, when the last reply has come (Fung & Aamodt,
// HPCA 2011, section 2.2.1).
//
// With a constant cache, parameters are constants in device memory. Otherwise they are read from a
// bank in the SM. It serves one address a cycle, which all lanes may share.
type LSU struct {
	rtl.State[struct {
		Started bool                     // the oldest instruction has an entry
		Tag     uint8                    // that entry
		Left    uint64                   `bits:"lanes"` // its lanes whose accesses have not left
		Piece   uint8                    `bits:"2"`     // local memory: next 4-byte piece of each lane; texture: next packet
		Fence   bool                     // acquire: only the fence after the accesses remains
		Until   uint64                   `bits:"timer"`           // parameters: first cycle in which all lanes are served; 0: not begun
		Used    [maxMemQueue / 64]uint64 `len:"1" bits:"entries"` // entries in use
		Oldest  uint16                   // oldest copy in Order
		Copies  uint16                   // copies not yet sent to shared memory
		Next    uint16                   `rtl:"sim"` // next row of Values
		Fault   Fault                    `rtl:"sim"`
	}]
	In      rtl.In[Op]
	Access  rtl.Out[memsys.Access]
	Reply   rtl.In[memsys.Reply]
	Out     rtl.Out[Result]
	Values  *rtl.Mem[isa.Row]                `rtl:"handed"`
	Sources [MaxSchedulers]*rtl.Mem[isa.Row] `rtl:"handed,optional"` // of In, by sub-core
	Stack   rtl.In[divergence.Transfer]      // of the divergence hardware
	Moved   rtl.Out[divergence.Transferred]
	Flush   rtl.In[Command] // requests to write back the L1
	Flushed rtl.Out[Notice]
	Table   *rtl.Mem[Pending]                 `rtl:"inplace" trace:"true"`            // instructions in flight, by tag
	Data    *rtl.Mem[[isa.RowLanes][2]uint64] `rtl:"inplace" len:"lanes" bits:"word"` // data that has arrived for them, by tag, then half
	// State of asynchronous copies: see copies.go.
	Landings *rtl.Mem[landing] `rtl:"inplace"` // by tag
	Order    *rtl.Mem[uint8]   // tags in the order of issue, in a ring

	l   *launch
	sim *rtl.Sim

	// OnAccess receives each access of an instruction as it leaves. OnAtomic receives the values
	// that an atomic found in memory.
	OnAccess rtl.Observers[Accessed]
	OnAtomic rtl.Observers[Answered]
}

// Accessed is an access of an instruction, with its cycle.
type Accessed struct {
	Cycle uint64
	*Flight
	*memsys.Access
}

// Home returns the location of the registers of the thread in a lane of the access.
func (a *Accessed) Home(lane int) units.Home { return a.Flight.Home(FirstLane(a.Tag) + lane) }

// FirstLane returns the lane of a warp that is lane 0 of an access with a tag: 0 or 32.
func FirstLane(tag uint16) int {
	if tag >= stackTag {
		return 0
	}
	return isa.RowLanes * (int(tag>>8) / upperHalf)
}

// Answered is a reply of the memory system, with its cycle.
type Answered struct {
	Cycle uint64
	*memsys.Reply
}

// everyLane is the mask of a whole row of 32 lanes. Loops over all lanes then need no mask.
const everyLane = 1<<isa.RowLanes - 1

// upperHalf is the bit of a piece, in the upper byte of a tag, of an access of the second half of a warp.
const upperHalf = 8

// maxMemQueue is the largest number of memory instructions in flight in an SM.
const maxMemQueue = 256

// Tags of accesses that belong to no instruction.
const (
	stackTag = 0x8000 // plus the row: transfers of the divergence hardware
	flushTag = 0xffff
)

// Pending is a memory instruction in flight.
type Pending struct {
	Flight
	Exec    uint64 `bits:"lanes"`
	Parts   uint8  // accesses without reply
	Sent    bool   // all accesses have left
	Landing bool   // copy: its data is on the way to shared memory
}

// Tick takes one reply, and sends at most one access: of a divergence stack, a copy, the oldest
// instruction or a flush.
func (u *LSU) Tick() {
	landed := u.landed()
	if u.Reply.Valid() {
		u.reply()
	}
	switch {
	case u.Stack.Valid() && u.Access.Ready():
		u.transfer(u.Stack.Front())
		u.Stack.Pop()
	case landed >= 0 && u.Access.Ready():
		u.land(landed)
	case u.In.Valid():
		u.begin()
	case u.Flush.Valid() && u.Access.Ready():
		a := u.Access.PushSlot()
		a.Kind, a.Tag = memsys.Flush, flushTag
		u.Flush.Pop()
	}
}

// reply records a reply, and sends the instruction to write-back after its last one. The upper byte
// of the tag has the half of the warp in bit 3. The lower bits are 0 for whole accesses of lanes.
// Otherwise they count pieces of 4 bytes from 1, which arrive in any order.
func (u *LSU) reply() {
	r := u.Reply.Front()
	if r.Tag == flushTag {
		if u.Flushed.Ready() {
			u.Flushed.Push(Notice{Flushed: true})
			u.Reply.Pop()
		}
		return
	}
	if r.Tag >= stackTag {
		if u.Moved.Ready() {
			m := u.Moved.PushSlot()
			m.Row = uint8(r.Tag - stackTag)
			for i := range m.Data {
				m.Data[i] = r.Data[i][0]
			}
			u.Reply.Pop()
		}
		return
	}
	tag, piece := int(r.Tag&0xff), int(r.Tag>>8)
	half := piece / upperHalf
	piece %= upperHalf
	e := u.Table.Edit(tag)
	in := &u.l.Prog.Insts[e.PC]
	if r.Fault.Kind != memsys.NoViolation {
		u.violates(e, &r.Fault, half)
		u.Reply.Pop()
		return
	}
	comes := in.Op == isa.OpCopy && !e.Landing // data that still has to go to shared memory
	if e.Sent && e.Parts == 1 && !comes && !u.Out.Ready() {
		return
	}
	if in.NDst > 0 || comes {
		data := u.Data.Edit(u.l.rowOf(tag, half))
		left := r.Mask
		if left == everyLane && piece == 0 {
			*data, left = r.Data, 0
		}
		for m := left; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			if piece == 0 {
				data[lane] = r.Data[lane]
				continue
			}
			word, shift := &data[lane][(piece-1)>>1&1], 32*((piece-1)&1)
			*word = *word&^(0xffff_ffff<<shift) | r.Data[lane][0]<<shift
		}
	}
	if in.Op == isa.OpAtom && u.OnAtomic.Any() {
		u.OnAtomic.Notify(Answered{u.sim.Now(), r})
	}
	e.Parts--
	u.Reply.Pop()
	if e.Sent && e.Parts == 0 && !comes {
		u.finish(tag, e, in)
	}
}

// finish sends an instruction to write-back and frees its entry.
func (u *LSU) finish(tag int, e *Pending, in *isa.Inst) {
	r := u.result(&e.Flight, e.Exec)
	if in.Op == isa.OpLdmatrix {
		u.distribute(r, in, u.Data.Edit(tag))
	} else if in.NDst > 0 {
		for half := 0; half <= int(u.l.wide); half++ {
			u.unpack(r, in, u.Data.Edit(u.l.rowOf(tag, half)), half)
		}
	}
	u.D().Used[tag>>6] &^= 1 << (tag & 63)
}

// result sends an instruction to write-back. The caller fills in its values.
func (u *LSU) result(f *Flight, exec uint64) *Result {
	d := u.D()
	r := u.Out.PushSlot()
	r.Flight, r.Exec, r.At = *f, exec, d.Next
	d.Next = taken(u.Values, d.Next, u.l.insts[f.PC].results)
	return r
}

// unpack divides the bytes of each lane of a half of the warp among the destination registers.
func (u *LSU) unpack(r *Result, in *isa.Inst, data *[isa.RowLanes][2]uint64, half int) {
	size, exec := in.Type.Bits(), lanesOf(r.Exec, half)
	for i := range int(in.NDst) {
		if in.Dst[i].Kind != isa.OperandReg {
			continue
		}
		width := u.l.Prog.Regs[in.Dst[i].Index].Type.Bits()
		word, shift := i*size/64, uint(i*size%64)
		to := valueAt(u.Values, r.At, u.l.rowOf(i, half))
		for m := exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			to[lane] = data[lane][word&1] >> shift
		}
		isa.ExtendAll(in.Type, to, exec, width)
	}
}

// begin performs one cycle of work on the oldest instruction.
func (u *LSU) begin() {
	q, d := u.Regs()
	op := u.In.Front()
	in := &u.l.Prog.Insts[op.PC]
	if in.Op == isa.OpCopy {
		u.copy(op, in)
		return
	}
	if op.Exec == 0 || in.Op == isa.OpMembar && in.Mode == isa.ModeCTA {
		// Accesses of a CTA stay in order, so its fences need no action.
		if u.Out.Ready() {
			u.result(&op.Flight, 0)
			u.In.Pop()
		}
		return
	}
	if in.Op == isa.OpLd && u.l.params == 0 && u.inParams(op, in) {
		u.param(op, in)
		return
	}
	if !u.Access.Ready() {
		return
	}
	tag, left, piece := int(q.Tag), q.Left, q.Piece
	fence := q.Fence
	if !q.Started {
		if tag = u.free(); tag < 0 {
			return
		}
		if in.Matrix() && !u.whole(op) || !u.check(op, in) {
			u.In.Pop()
			return
		}
		d.Started, d.Tag = true, uint8(tag)
		d.Used[tag>>6] |= 1 << (tag & 63)
		*u.Table.Edit(tag) = Pending{Flight: op.Flight, Exec: op.Exec}
		left, piece = op.Exec&u.addressing(op, in), 0
		fence = in.Flags&isa.FlagRelease != 0 // earlier accesses become visible before this one
	}
	a := u.Access.PushSlot()
	a.Tag = uint16(tag)
	switch {
	case fence:
		a.Kind = memsys.Fence
	case in.Op == isa.OpMembar:
		a.Kind, left = memsys.Fence, 0
		a.Cache, a.Atom, a.Type = in.Cache, in.Atom, in.Type
	default:
		left, piece = u.part(a, op, in, left, piece)
	}
	if u.OnAccess.Any() {
		u.OnAccess.Notify(Accessed{u.sim.Now(), &op.Flight, a})
	}
	e := u.Table.Edit(tag)
	if !a.More {
		e.Parts++
	}
	d.Left, d.Piece = left, piece
	// Accesses after an acquire must not see older data than it did.
	d.Fence = left == 0 && !fence && in.Flags&isa.FlagAcquire != 0
	if left == 0 && !d.Fence {
		e.Sent = true
		d.Started = false
		u.In.Pop()
	}
}

// free returns an unused entry, or -1.
func (u *LSU) free() int {
	n := u.l.cfg.MemQueue
	for w, used := range u.D().Used {
		if i := w<<6 + bits.TrailingZeros64(^used); used != ^uint64(0) && i < n {
			return i
		}
	}
	return -1
}

// part fills in the next access of op: all remaining lanes in the same half of the warp and in the same
// space as the lowest one. It returns the lanes that remain, and the next piece.
func (u *LSU) part(a *memsys.Access, op *Op, in *isa.Inst, left uint64, piece uint8) (uint64, uint8) {
	half := bits.TrailingZeros64(left) / isa.RowLanes % isa.MaxHalves
	a.Tag |= uint16(half*upperHalf) << 8
	rest, piece := u.access(a, op, in, lanesOf(left, half), piece, half)
	first := isa.RowLanes * half
	return left&^(everyLane<<first) | uint64(rest)<<first, piece
}

// access is part for the lanes of a half of the warp.
func (u *LSU) access(a *memsys.Access, op *Op, in *isa.Inst, left uint32, piece uint8, half int) (uint32, uint8) {
	a.Kind, a.Cache, a.Atom, a.Type = memsys.Load, in.Cache, in.Atom, in.Type
	switch in.Op {
	case isa.OpSt, isa.OpStmatrix:
		a.Kind = memsys.Store
	case isa.OpAtom:
		a.Kind = memsys.Atomic
	case isa.OpRed:
		a.Kind = memsys.Reduce
	case isa.OpTex:
		return u.sample(a, op, in, left, piece, half)
	}
	first := isa.RowLanes * half
	a.Size = uint8(accessSize(in))
	of := u.locate(a, op, in, left, half)
	switch of {
	case isa.SpaceShared:
		a.Shared = true
		for m := a.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			a.Addr[lane] += u.l.shares[op.Home(first+lane).Row&(MaxWarps-1)]
		}
	case isa.SpaceParam:
		for m := a.Mask; m != 0; m &= m - 1 {
			a.Addr[bits.TrailingZeros32(m)&(isa.RowLanes-1)] += u.l.params
		}
	case isa.SpaceLocal:
		for m := a.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			a.Addr[lane] = u.local(op.Home(first+lane), a.Addr[lane]+uint64(piece)*4)
		}
	}
	switch in.Op {
	case isa.OpSt:
		u.pack(a, op, in, half)
	case isa.OpStmatrix:
		u.collect(a, op, in)
	case isa.OpAtom, isa.OpRed:
		for i := range int(in.NSrc) - 1 {
			row := u.source(op, in, i+1, half)
			for m := a.Mask; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
				a.Data[lane][i] = row[lane]
			}
		}
	}
	a.Herd = op.Herd != 0 && !a.Shared && of == isa.SpaceGlobal
	if a.Space = of; in.Space == isa.SpaceConst || of == isa.SpaceParam {
		a.Space = isa.SpaceConst
	}
	if u.l.texture && in.Flags&isa.FlagNC != 0 && in.Cache == isa.CacheDefault {
		a.Space = isa.SpaceTexture
	}
	if of == isa.SpaceLocal && a.Size > 4 {
		for m := a.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			a.Data[lane] = [2]uint64{a.Data[lane][piece>>1] >> (32 * (piece & 1)) & 0xffff_ffff, 0}
		}
		more := a.Size > 4*(piece+1)
		a.Size = 4
		a.Tag |= uint16(piece+1) << 8
		if more {
			return left, piece + 1
		}
	}
	return left &^ a.Mask, 0
}

// locate selects the lanes of left, in a half of the warp, in the same space as the lowest one. It fills
// in their addresses in the space and returns the space.
func (u *LSU) locate(a *memsys.Access, op *Op, in *isa.Inst, left uint32, half int) isa.Space {
	if in.Space != isa.SpaceGeneric {
		base, off, reach := u.source(op, in, 0, half), uint64(in.Off), u.l.reach
		if left == everyLane {
			for lane := range base {
				a.Addr[lane] = (base[lane] + off) & reach
			}
		} else {
			for m := left; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
				a.Addr[lane] = (base[lane] + off) & reach
			}
		}
		a.Mask = left
		if in.Space == isa.SpaceConst {
			return isa.SpaceGlobal
		}
		return in.Space
	}
	of := isa.SpaceNone
	for m := left; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		space, addr := u.resolve(op, in, isa.RowLanes*half+lane)
		if of == isa.SpaceNone {
			of = space
		}
		if space == of {
			a.Mask |= 1 << lane
			a.Addr[lane] = addr
		}
	}
	return of
}

// accessSize returns the number of bytes per lane.
func accessSize(in *isa.Inst) int {
	if in.Matrix() {
		return matrixRow
	}
	return in.Type.Bytes() * max(int(in.Vec), 1)
}

// alignment returns the required alignment, in bytes, of an access of that size.
func alignment(in *isa.Inst, size uint64) uint64 {
	if in.Flags&isa.FlagPair != 0 {
		return 2 * size
	}
	return size
}

// row returns row i of the sources of an instruction in a half of the warp.
func (u *LSU) row(op *Op, i, half int) *isa.Row {
	return readAt(u.Sources[u.l.core(int(op.Slot))], op.At, u.l.rowOf(i, half))
}

// sourced says that a queue holds instructions whose sources are rows of the LSU.
func (l *launch) sourced(row func(op *Op, i, half int) *isa.Row) rtl.QueueOption {
	show := func(to *[sources]isa.Row, op *Op, half int) {
		for set := l.insts[op.PC].rows; set != 0; set &= set - 1 {
			i := bits.TrailingZeros8(set) % sources
			to[i] = *row(op, i, half)
		}
	}
	if l.wide > 0 {
		return rtl.As(func(v *SourcedWide, op *Op) {
			v.Flight, v.Exec, v.PSrc = op.Flight, op.Exec, op.PSrc
			show(&v.Src, op, 0)
			show(&v.Upper, op, 1)
		})
	}
	return rtl.As(func(v *Sourced, op *Op) {
		v.Flight, v.Exec, v.PSrc = op.Flight, op.Exec, op.PSrc
		show(&v.Src, op, 0)
	})
}

// source returns the row of source i in a half of the warp.
func (u *LSU) source(op *Op, in *isa.Inst, i, half int) *isa.Row {
	if in.Src[i].Kind == isa.OperandImm {
		return u.l.insts[op.PC].consts[i]
	}
	return u.row(op, i, half)
}

// pack joins the data registers of a store into the bytes of each lane of a half of the warp.
func (u *LSU) pack(a *memsys.Access, op *Op, in *isa.Inst, half int) {
	size := in.Type.Bits()
	keep := ^uint64(0) >> (64 - size)
	for i := range max(int(in.Vec), 1) {
		row, word, shift := u.source(op, in, i+1, half), i*size/64&1, i*size%64
		if a.Mask == everyLane {
			for lane := range row {
				a.Data[lane][word] |= row[lane] & keep << shift
			}
			continue
		}
		for m := a.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			a.Data[lane][word] |= row[lane] & keep << shift
		}
	}
}

// address returns the address of a lane as the program computes it.
func (u *LSU) address(op *Op, in *isa.Inst, lane int) uint64 {
	half, at := uint(lane)/isa.RowLanes, uint(lane)%isa.RowLanes
	return (u.source(op, in, 0, int(half))[at] + uint64(in.Off)) & u.l.reach
}

// transfer stores or loads words of a divergence stack, one word in each lane.
func (u *LSU) transfer(t *divergence.Transfer) {
	if int(t.At)+int(t.Words) > divergence.SpillWordsOf(u.l.Prog) {
		u.fault(Fault{Kind: StackOverflow, Row: t.Row, PC: t.PC})
		return
	}
	a := u.Access.PushSlot()
	a.Kind, a.Tag, a.Size, a.Stack, a.Space = memsys.Load, stackTag+uint16(t.Row), 8, true, isa.SpaceLocal
	if t.Store {
		a.Kind = memsys.Store
	}
	for i := range t.Words {
		a.Mask |= 1 << i
		a.Addr[i] = u.l.stack(t.Row) + 8*uint64(t.At+i)
		a.Data[i][0] = t.Data[i]
	}
}

// fault records the SM's first fault.
func (u *LSU) fault(f Fault) {
	if u.Q().Fault.Kind == NoFault {
		f.Cycle = u.sim.Now()
		u.l.faulted.Store(true)
		u.D().Fault = f
	}
}

// resolve returns the space of a lane's address and the offset in it.
func (u *LSU) resolve(op *Op, in *isa.Inst, lane int) (isa.Space, uint64) {
	a := u.address(op, in, lane)
	if in.Space != isa.SpaceGeneric {
		if in.Space == isa.SpaceConst {
			return isa.SpaceGlobal, a
		}
		return in.Space, a
	}
	switch {
	case a-isa.SharedWindow < isa.WindowSize:
		return isa.SpaceShared, a - isa.SharedWindow
	case a-isa.LocalWindow < isa.WindowSize:
		return isa.SpaceLocal, a - isa.LocalWindow
	case a-isa.ParamWindow < isa.WindowSize:
		return isa.SpaceParam, a - isa.ParamWindow
	}
	return isa.SpaceGlobal, a
}

// local maps a thread's local address to device memory: see LocalBytes.
func (u *LSU) local(h units.Home, a uint64) uint64 {
	l := u.l
	thread := uint64(l.index)*uint64(l.cfg.Warps()) + uint64(h.Row)
	word := thread*uint64((l.local+3)/4) + a/4
	return l.k.LocalBase + (word*uint64(l.cfg.WarpSize)+uint64(h.Lane))*4 + a%4
}

// check reports whether the addresses of all lanes are valid. It records the first invalid lane as
// the SM's fault, if the SM has none yet.
func (u *LSU) check(op *Op, in *isa.Inst) bool {
	if in.Op == isa.OpMembar || in.Op == isa.OpTex { // the texture unit checks its own accesses
		return true
	}
	size := uint64(accessSize(in))
	if u.near(op, in, size) {
		return true
	}
	for m := op.Exec & u.addressing(op, in); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		space, a := u.resolve(op, in, lane)
		kind := NoFault
		switch {
		case space == isa.SpaceParam && in.Op != isa.OpLd:
			kind = ReadOnly
		case in.Matrix() && space != isa.SpaceShared:
			kind = OutOfBounds
		case space == isa.SpaceParam && !u.inParams(op, in):
			kind = MixedParam
		case a%alignment(in, size) != 0:
			kind = Misaligned
		case u.within(space, a, size):
		case in.Op == isa.OpLd && u.l.k.Pad > 0 && space == isa.SpaceGlobal && u.l.k.around(a, size):
		case space == isa.SpaceLocal && u.l.Prog.OnStack(in):
			kind = FrameOverflow
		default:
			kind = OutOfBounds
		}
		if kind != NoFault {
			h := op.Home(lane)
			u.fault(Fault{
				Kind: kind, Row: h.Row, Lane: h.Lane, Size: uint8(size),
				Space: space, PC: op.PC, Addr: u.address(op, in, lane),
			})
			return false
		}
	}
	return true
}

// near reports whether the addresses of all lanes are valid because the lowest and the highest are
// in the same memory. This is the usual case.
func (u *LSU) near(op *Op, in *isa.Inst, size uint64) bool {
	if in.Space != isa.SpaceGlobal && in.Space != isa.SpaceShared || in.Matrix() {
		return false
	}
	off, reach := uint64(in.Off), u.l.reach
	low, high, all := ^uint64(0), uint64(0), uint64(0)
	for half := 0; half <= int(u.l.wide); half++ {
		base, exec := u.source(op, in, 0, half), lanesOf(op.Exec, half)
		if exec == everyLane {
			for _, b := range base {
				a := (b + off) & reach
				low, high, all = min(low, a), max(high, a), all|a
			}
			continue
		}
		for m := exec; m != 0; m &= m - 1 {
			a := (base[bits.TrailingZeros32(m)&(isa.RowLanes-1)] + off) & reach
			low, high, all = min(low, a), max(high, a), all|a
		}
	}
	end := u.end(in.Space, low)
	return all&(alignment(in, size)-1) == 0 && high < end && size <= end-high
}

// within reports whether size bytes at a belong to the program.
func (u *LSU) within(space isa.Space, a, size uint64) bool {
	end := u.end(space, a)
	return a < end && size <= end-a
}

// end returns the end of the program's memory that contains the byte at a, 0 if none does.
func (u *LSU) end(space isa.Space, a uint64) uint64 {
	switch space {
	case isa.SpaceShared:
		return uint64(u.l.k.sharedBytes())
	case isa.SpaceLocal:
		return uint64(u.l.local)
	case isa.SpaceParam:
		return uint64(len(u.l.k.Params))
	}
	v := u.l.k.Valid
	i := sort.Search(len(v), func(i int) bool { return v[i].End > a })
	if i == len(v) || v[i].Start > a {
		return 0
	}
	return v[i].End
}

// inParams reports whether all lanes read the parameter bank.
func (u *LSU) inParams(op *Op, in *isa.Inst) bool {
	if in.Space != isa.SpaceGeneric {
		return in.Space == isa.SpaceParam
	}
	for m := op.Exec; m != 0; m &= m - 1 {
		if space, _ := u.resolve(op, in, bits.TrailingZeros64(m)); space != isa.SpaceParam {
			return false
		}
	}
	return true
}

// param serves a load from the parameter bank. It takes one cycle for each distinct address.
func (u *LSU) param(op *Op, in *isa.Inst) {
	q, d := u.Regs()
	now := u.sim.Now()
	until := q.Until
	if until == 0 {
		if !u.check(op, in) {
			u.In.Pop()
			return
		}
		until = now + uint64(u.distinct(op, in)) - 1
	}
	if now < until || !u.Out.Ready() {
		d.Until = until
		if now < until {
			u.sim.WakeAt(until)
		}
		return
	}
	r := u.result(&op.Flight, op.Exec)
	for half := 0; half <= int(u.l.wide); half++ {
		var data [isa.RowLanes][2]uint64
		for m := lanesOf(op.Exec, half); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			_, a := u.resolve(op, in, isa.RowLanes*half+lane)
			for i := range uint64(accessSize(in)) {
				data[lane][i>>3] |= uint64(u.l.k.Params[a+i]) << (8 * (i & 7))
			}
		}
		u.unpack(r, in, &data, half)
	}
	d.Until = 0
	u.In.Pop()
}

// distinct counts the different addresses of the active lanes.
func (u *LSU) distinct(op *Op, in *isa.Inst) (n int) {
	if in.Src[0].Kind == isa.OperandImm {
		return 1
	}
	for left := op.Exec; left != 0; n++ {
		a := u.address(op, in, bits.TrailingZeros64(left))
		for m := left; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m); u.address(op, in, lane) == a {
				left &^= 1 << lane
			}
		}
	}
	return n
}
