package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
)

// Asynchronous copies, cp.async (PTX ISA, section 9.7.8.22). A copy issues like a load whose data
// goes to shared memory instead of registers, and its warp continues at once. The load/store unit
// keeps the destination of each lane's bytes. When the bytes have come from the L1 or beyond, it
// stores them. Copies are stored, and so complete, in the order of issue.
//
// Issue counts the copies in flight of each row, by groups. An instruction that waits for groups
// does not issue before they are complete; nor does an exit. In PTX, groups belong to a thread. Our
// reading: they belong to all threads of a row, as in the hardware. A thread then waits at least
// for its own groups. The groups that a row has closed since a copy are at least as many as those
// of any of its threads. If threads diverge, a thread may wait for more copies, never for fewer.

// openGroups is the number of groups that a row distinguishes. A wait_group with a larger number
// waits as with the largest.
const openGroups = 8

// groups counts the copies in flight of the threads of a row, in instructions.
type groups struct {
	Open   uint16             // copies in no group yet
	Closed [openGroups]uint16 // copies by group, the last group first; the last element sums all older groups
}

// commit closes the open group.
func (g *groups) commit() {
	last := openGroups - 1
	g.Closed[last] += g.Closed[last-1]
	copy(g.Closed[1:last], g.Closed[:last-1])
	g.Closed[0], g.Open = g.Open, 0
}

// complete removes the oldest copy from the counts.
func (g *groups) complete() {
	for i := range g.Closed {
		if n := &g.Closed[openGroups-1-i]; *n > 0 {
			*n--
			return
		}
	}
	g.Open--
}

// landed reports whether a wait is over: all groups but the last n are complete, or, for wait_all,
// all copies.
func (g *groups) landed(in *isa.Inst) bool {
	n := uint64(0)
	if in.Mode != isa.ModeAll {
		n = min(in.Src[0].Imm, openGroups-1)
	} else if g.Open > 0 {
		return false
	}
	for _, left := range g.Closed[n:] {
		if left > 0 {
			return false
		}
	}
	return true
}

// landing is the destination of a copy in flight.
type landing struct {
	To    [isa.RowLanes]uint32 `len:"lanes" bits:"word"` // addresses in the shared memory of the SM
	Bytes [isa.RowLanes]uint8  `len:"lanes" bits:"5"`    // bytes read from the source; zeros fill the rest
}

// reads returns the number of source bytes that a lane of a copy reads.
func (u *LSU) reads(op *Op, in *isa.Inst, lane int) uint64 {
	size := uint64(accessSize(in))
	switch {
	case in.NSrc < 3:
	case in.Src[2].Kind == isa.OperandPred:
		if op.PSrc[2]>>lane&1 != 0 {
			return 0
		}
	default:
		return min(uint64(uint32(u.source(op, in, 2, 0)[lane])), size)
	}
	return size
}

// from returns the source address of a lane.
func (u *LSU) from(op *Op, in *isa.Inst, lane int) uint64 {
	return (u.source(op, in, 1, 0)[lane] + uint64(in.From)) & u.l.reach
}

// copy starts the oldest instruction, a copy. It requests the data if any lane reads bytes.
func (u *LSU) copy(op *Op, in *isa.Inst) {
	q, d := u.Regs()
	tag := u.free()
	if tag < 0 || !u.Access.Ready() {
		return
	}
	if !u.checkCopy(op, in) {
		u.In.Pop()
		return
	}
	to := u.Landings.Edit(tag)
	*to = landing{}
	var mask uint32
	for m := lanesOf(op.Exec, 0); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		to.To[lane] = uint32(u.address(op, in, lane) + u.l.shares[op.Home(lane).Row&(MaxWarps-1)])
		to.Bytes[lane] = uint8(u.reads(op, in, lane))
		if to.Bytes[lane] > 0 {
			mask |= 1 << lane
		}
	}
	e := u.Table.Edit(tag)
	*e = Pending{Flight: op.Flight, Exec: op.Exec, Sent: true}
	if mask != 0 {
		a := u.Access.PushSlot()
		a.Kind, a.Tag, a.Cache, a.Space, a.Size, a.Mask = memsys.Load, uint16(tag), in.Cache, isa.SpaceGlobal,
			uint8(accessSize(in)), mask
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			a.Addr[lane] = u.from(op, in, lane)
		}
		e.Parts = 1
	}
	u.Order.Write((int(q.Oldest)+int(q.Copies))%u.Order.Len(), uint8(tag))
	d.Copies++
	d.Used[tag>>6] |= 1 << (tag & 63)
	u.In.Pop()
}

// landed returns the tag of the oldest copy if its data has arrived, else -1.
func (u *LSU) landed() int {
	q := u.Q()
	if q.Copies == 0 {
		return -1
	}
	tag := int(*u.Order.At(int(q.Oldest)))
	if u.Table.At(tag).Parts != 0 {
		return -1
	}
	return tag
}

// land sends the oldest copy to shared memory.
func (u *LSU) land(tag int) {
	q, d := u.Regs()
	e, to, data := u.Table.Edit(tag), u.Landings.At(tag), u.Data.At(tag)
	e.Parts, e.Landing = 1, true
	a := u.Access.PushSlot()
	a.Kind, a.Tag, a.Shared, a.Size, a.Mask = memsys.Store, uint16(tag), true,
		uint8(accessSize(&u.l.Prog.Insts[e.PC])), lanesOf(e.Exec, 0)
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		a.Addr[lane] = uint64(to.To[lane])
		low, high := min(uint(to.Bytes[lane]), 8), max(uint(to.Bytes[lane]), 8)-8
		a.Data[lane] = [2]uint64{data[lane][0] & (1<<(8*low) - 1), data[lane][1] & (1<<(8*high) - 1)}
	}
	d.Oldest, d.Copies = uint16((int(q.Oldest)+1)%u.Order.Len()), d.Copies-1
}

// checkCopy performs check for both addresses of a copy.
func (u *LSU) checkCopy(op *Op, in *isa.Inst) bool {
	size := uint64(accessSize(in))
	for m := op.Exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		n := u.reads(op, in, lane)
		for _, side := range []struct {
			space isa.Space
			addr  uint64
			bytes uint64
		}{{isa.SpaceShared, u.address(op, in, lane), size}, {isa.SpaceGlobal, u.from(op, in, lane), n}} {
			kind := NoFault
			switch {
			case side.bytes == 0:
			case side.addr%size != 0:
				kind = Misaligned
			case !u.within(side.space, side.addr, side.bytes):
				kind = OutOfBounds
			}
			if kind != NoFault {
				h := op.Home(lane)
				u.fault(Fault{
					Kind: kind, Row: h.Row, Lane: h.Lane, Size: uint8(size), Space: side.space, PC: op.PC,
					Addr: side.addr,
				})
				return false
			}
		}
	}
	return true
}
