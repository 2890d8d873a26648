package golden

import (
	"math/bits"

	"divergo/isa"
)

// The cross-lane instructions exchange values among the threads of a warp (PTX ISA, sections
// 9.7.8.5, 9.7.8.6, 9.7.12.2 and 9.7.12.6 to 9.7.12.10). A thread waits at one until all threads of
// its group have arrived. With .sync the group is the live threads of the membermask. Without .sync
// it is a group of Options.Together, or else all live threads of the warp.

// Group is a set of threads of a warp that execute a cross-lane instruction without .sync together.
// Bit i of Threads is the thread with %laneid i.
type Group struct {
	PC      uint32
	Threads uint32
}

// party is a Group that is not complete yet.
type party struct {
	Group
	missing uint32 // threads that have not arrived
	present uint32 // threads that have arrived and whose guard holds
}

// meeting is the state of a thread that waits for others of its warp.
type meeting struct {
	src     [isa.MaxSrcs]uint64
	members uint32 // with .sync
	party   *party // of Options.Together
	next    int    // parties of the warp that the thread has passed
}

// mates returns the threads of the warp of t, by lane.
func (b *block) mates(t *thread) []thread {
	w := int(b.l.WarpSize)
	first := t.index / w * w
	return b.threads[first:min(first+w, len(b.threads))]
}

// lane returns the lane of t in its warp.
func (b *block) lane(t *thread) int { return t.index % int(b.l.WarpSize) }

// join adds a thread to its next party, when it reaches a cross-lane instruction without .sync. At
// a wrong instruction it waits for ever.
func (b *block) join(t *thread, executes bool) {
	parties := b.parties[t.index/int(b.l.WarpSize)]
	m := &t.meets
	for m.next < len(parties) && parties[m.next].Threads>>b.lane(t)&1 == 0 {
		m.next++
	}
	if m.next == len(parties) || parties[m.next].PC != t.pc {
		m.party = &party{missing: 1}
		t.state = meets
		return
	}
	m.party = &parties[m.next]
	m.next++
	m.party.missing &^= 1 << b.lane(t)
	if executes {
		m.party.present |= 1 << b.lane(t)
	}
}

// meet makes a thread wait at a cross-lane instruction whose sources it has read.
func (b *block) meet(t *thread, in *isa.Inst, src *[isa.MaxSrcs]uint64) *Fault {
	t.state, t.meets.src, t.meets.members = meets, *src, 0
	if in.Op == isa.OpLdmatrix || in.Op == isa.OpStmatrix {
		if f := b.rowAddress(t, in); f != nil {
			return f
		}
	}
	if in.Flags&isa.FlagSync != 0 {
		t.meets.members = uint32(src[in.NSrc-1])
		if t.meets.members>>b.lane(t)&1 == 0 {
			return &Fault{ID: b.name(t), Kind: notMember, PC: t.pc}
		}
		mates := b.mates(t)
		for lane := range mates {
			u := &mates[lane]
			named := (t.meets.members>>lane | u.meets.members>>b.lane(t)) & 1
			if u.state == meets && u.pc == t.pc && named != 0 && u.meets.members != t.meets.members {
				return &Fault{ID: b.name(t), Kind: disagree, PC: t.pc}
			}
		}
	}
	b.gather(t)
	return b.r.Fault
}

// gather releases t and the threads of its group if all have arrived.
func (b *block) gather(t *thread) {
	if set, complete := b.together(t); complete {
		b.exchange(b.mates(t), set)
	}
}

// left releases the threads that have waited for t, which has exited.
func (b *block) left(t *thread) {
	mates := b.mates(t)
	for i := range mates {
		if mates[i].state == meets {
			b.gather(&mates[i])
		}
	}
}

// together returns the threads with which t executes an instruction, and whether all of them have
// arrived. Threads may meet at different bar.warp.sync instructions: section 9.7.12.2 demands only
// the same membermask.
func (b *block) together(t *thread) (set uint32, complete bool) {
	in := &b.p.Insts[t.pc]
	sync := in.Flags&isa.FlagSync != 0
	if p := t.meets.party; !sync && p != nil {
		return p.present, p.missing == 0
	}
	complete = true
	mates := b.mates(t)
	for lane := range mates {
		u := &mates[lane]
		if u.state == exited || sync && t.meets.members>>lane&1 == 0 {
			continue
		}
		set |= 1 << lane
		same := u.pc == t.pc || in.Op == isa.OpBarWarp && b.p.Insts[u.pc].Op == isa.OpBarWarp
		complete = complete && u.state == meets && same && u.meets.members == t.meets.members
	}
	return set, complete
}

// exchange executes an instruction for a set of threads, and releases them.
func (b *block) exchange(mates []thread, set uint32) {
	for m := set; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		t := &mates[lane]
		in := &b.p.Insts[t.pc]
		if in.Matrix() {
			if set != 0xFFFF_FFFF {
				b.r.Fault = &Fault{ID: b.name(t), Kind: incomplete, PC: t.pc}
				return
			}
			t.write(in, b.matrix(in, mates, lane))
			t.state = running
			continue
		}
		t.write(in, b.crossLane(in, mates, set, lane))
		t.state = running
	}
	for m := set; m != 0; m &= m - 1 {
		mates[bits.TrailingZeros32(m)].pc++
	}
}

// crossLane returns the results of the thread in a lane.
func (b *block) crossLane(in *isa.Inst, mates []thread, set uint32, lane int) (dst [isa.MaxDsts]uint64) {
	own := &mates[lane].meets.src
	equal, yes := uint32(0), uint32(0) // threads with the same first source, and those for which it holds
	for m := set; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		a := mates[i].meets.src[0]
		equal |= uint32(truth(a == own[0])) << i
		yes |= uint32(truth(a != 0)) << i
	}
	switch in.Op {
	case isa.OpActivemask:
		dst[0] = uint64(set)
	case isa.OpVote:
		switch in.Mode {
		case isa.ModeAll:
			dst[0] = truth(yes == set)
		case isa.ModeAny:
			dst[0] = truth(yes != 0)
		case isa.ModeUni:
			dst[0] = truth(equal == set)
		default:
			dst[0] = uint64(yes)
		}
	case isa.OpMatch:
		switch {
		case in.Mode == isa.ModeAny:
			dst[0] = uint64(equal)
		case equal == set:
			dst[0], dst[1] = uint64(set), 1
		}
	case isa.OpRedux:
		first := bits.TrailingZeros32(set)
		r := mates[first].meets.src[0]
		for i := first + 1; i < len(mates); i++ {
			if set>>i&1 != 0 {
				r = atomic(in.Atom, in.Type, r, mates[i].meets.src[0], 0)
			}
		}
		dst[0] = cut(isa.U32, r)
	case isa.OpElect:
		leader := bits.TrailingZeros32(set)
		dst[0], dst[1] = uint64(leader), truth(leader == lane)
	case isa.OpShfl:
		from, within := source(in.Mode, lane, int(own[1]&31), int(own[2]))
		dst[1] = truth(within)
		there := within && set>>from&1 != 0
		switch { // the machine's choice, where PTX leaves it open
		case there:
			dst[0] = cut(isa.B32, mates[from].meets.src[0])
		case !within || b.l.AbsentOwn:
			dst[0] = cut(isa.B32, own[0])
		}
	}
	return dst
}

// source returns the lane that shfl reads, and whether it is in range: within the segment of 2^n
// lanes, and not beyond the clamp. Bits 8 to 12 of c select the bits of the lane number that
// identify a segment.
func source(mode isa.Mode, lane, b, c int) (from int, within bool) {
	mask, clamp := c>>8&31, c&31
	edge := lane&mask + clamp&^mask
	switch mode {
	case isa.ModeUp:
		return lane - b, lane-b >= edge
	case isa.ModeDown:
		from = lane + b
	case isa.ModeBfly:
		from = lane ^ b
	default:
		from = lane&mask + b&^mask
	}
	return from, from <= edge
}
