package isa

import "math/bits"

// Instructions that pass data between the lanes of a warp (PTX ISA, sections 9.7.8.5, 9.7.8.6 and
// 9.7.12.6 to 9.7.12.10).
//
// A lane's number here is its %laneid. A machine that keeps threads in other lanes must first bring
// the operands into that order. The caller ensures that all threads named by a membermask are
// active and agree on it. Lanes with different masks do not exchange data.
//
// The manual does not define the value that shfl reads from a non-participating lane. Lanes.Absent
// supplies it.

func (d *datapath) addCrossLane() {
	for _, m := range []Mode{ModeUp, ModeDown, ModeBfly, ModeIdx} {
		d.add(form{op: OpShfl, typ: B32, mode: m}, shfl)
	}
	for _, m := range []Mode{ModeAll, ModeAny, ModeUni} {
		d.add(form{op: OpVote, typ: Pred, mode: m}, vote)
	}
	d.add(form{op: OpVote, typ: B32, mode: ModeBallot}, ballot)
	for _, t := range []Type{B32, B64} {
		d.add(form{op: OpMatch, typ: t, mode: ModeAny}, matchAny)
		d.add(form{op: OpMatch, typ: t, mode: ModeAll}, matchAll)
	}
	d.add(form{op: OpActivemask, typ: B32}, func(_ *Inst, x *Lanes) { x.give(x.Mask, x.Mask) })
	for _, t := range []Type{U32, S32, B32} {
		d.add(form{op: OpRedux, typ: t}, redux)
	}
	d.add(form{op: OpElect, typ: B32}, elect)
	d.add(form{op: OpB2R, typ: U32, mode: ModePopc}, func(_ *Inst, x *Lanes) {
		x.sparse1(func(tally uint64) uint64 { return tally & 0xffff })
	})
	d.add(form{op: OpB2R, typ: Pred, mode: ModeAnd}, barred(func(yes, all uint64) bool { return yes == all }))
	d.add(form{op: OpB2R, typ: Pred, mode: ModeOr}, barred(func(yes, _ uint64) bool { return yes != 0 }))
}

// group is the set of lanes that execute in together with the lowest lane of rest.
func (x *Lanes) group(in *Inst, rest uint32) uint32 {
	if in.Flags&FlagSync == 0 {
		return x.Mask
	}
	lane := bits.TrailingZeros32(rest) & 31
	return x.Mask&uint32(x.Src[in.NSrc-1][lane]) | 1<<lane
}

// give writes v to the lanes of a group.
func (x *Lanes) give(group, v uint32) {
	for m := group; m != 0; m &= m - 1 {
		x.Dst[0][bits.TrailingZeros32(m)&31] = uint64(v)
	}
}

func vote(in *Inst, x *Lanes) {
	for rest := x.Mask; rest != 0; {
		g := x.group(in, rest)
		rest &^= g
		yes, all := x.PSrc[0]&g != 0, x.PSrc[0]&g == g
		if in.Mode == ModeAll && all || in.Mode == ModeAny && yes || in.Mode == ModeUni && (all || !yes) {
			x.PDst[0] |= g
		}
	}
}

func ballot(in *Inst, x *Lanes) {
	for rest := x.Mask; rest != 0; {
		g := x.group(in, rest)
		rest &^= g
		x.give(g, x.PSrc[0]&g)
	}
}

// ShflSource is the lane that shfl reads, and whether it is in range. If it is not, the reader gets
// its own value. The low 5 bits of c clamp the source lane. Bits 8 to 12 of c mask the bits of the
// lane number that select a segment.
func ShflSource(mode Mode, lane int, b, c uint64) (from int, within bool) {
	const low = RowLanes - 1
	offset, segment := int(b&low), int(c>>8&low)
	first, last := lane&segment, lane&segment|int(c&low)&^segment
	switch mode {
	case ModeUp:
		return lane - offset, lane-offset >= last
	case ModeDown:
		from = lane + offset
	case ModeBfly:
		from = lane ^ offset
	default:
		from = first | offset&^segment
	}
	return from, from <= last
}

// shfl copies values from lane to lane. The predicate result tells whether the source lane is in
// range.
func shfl(in *Inst, x *Lanes) {
	const low = RowLanes - 1
	values := *x.Src[0]
	x.ReadAbsent = 0
	for rest := x.Mask; rest != 0; rest &= rest - 1 {
		g := x.group(in, rest)
		lane := bits.TrailingZeros32(rest) & low
		from, within := ShflSource(in.Mode, lane, x.Src[1][lane], x.Src[2][lane])
		value := values[lane]
		if within {
			x.PDst[1] |= 1 << lane
			switch {
			case g>>from&1 != 0:
				value = values[from&low]
			case x.Absent != nil:
				value = x.Absent(value)
			default:
				value = 0
			}
			x.ReadAbsent |= ^g >> from & 1 << lane
		}
		x.Dst[0][lane] = uint64(uint32(value))
	}
}

// matchAny gives each lane the set of lanes with the same value.
func matchAny(in *Inst, x *Lanes) {
	values := *x.Src[0]
	for rest := x.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		same := uint32(0)
		for m := x.group(in, rest); m != 0; m &= m - 1 {
			if i := bits.TrailingZeros32(m) & 31; values[i] == values[lane] {
				same |= 1 << i
			}
		}
		x.Dst[0][lane] = uint64(same)
	}
}

// matchAll gives the set of lanes, and true, if all lanes have the same value.
func matchAll(in *Inst, x *Lanes) {
	for rest := x.Mask; rest != 0; {
		g := x.group(in, rest)
		first := x.Src[0][bits.TrailingZeros32(rest)&31]
		rest &^= g
		same := uint32(0)
		for m := g; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros32(m) & 31; x.Src[0][i] == first {
				same |= 1 << i
			}
		}
		if same != g {
			x.give(g, 0)
			continue
		}
		x.give(g, g)
		x.PDst[1] |= g
	}
}

func redux(in *Inst, x *Lanes) {
	for rest := x.Mask; rest != 0; {
		g := x.group(in, rest)
		v := uint32(x.Src[0][bits.TrailingZeros32(rest)&31])
		first := rest & -rest
		rest &^= g
		for m := g &^ first; m != 0; m &= m - 1 {
			w := uint32(x.Src[0][bits.TrailingZeros32(m)&31])
			switch in.Atom {
			case AtomAdd:
				v += w
			case AtomAnd:
				v &= w
			case AtomOr:
				v |= w
			case AtomXor:
				v ^= w
			case AtomMin, AtomMax:
				less := w < v
				if in.Type == S32 {
					less = int32(w) < int32(v)
				}
				if less == (in.Atom == AtomMin) {
					v = w
				}
			}
		}
		x.give(g, v)
	}
}

// barred makes the kernel that reads a predicate from the tally of a barrier.
func barred(holds func(yes, all uint64) bool) kernel {
	return func(_ *Inst, x *Lanes) {
		for m := x.Mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			if t := x.Src[0][i]; holds(t&0xffff, t>>16) {
				x.PDst[0] |= 1 << i
			}
		}
	}
}
