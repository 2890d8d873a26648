package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
)

// meeting checks that the threads of a warp that part at a branch issue its post-dominator
// together.
type meeting struct {
	*View
	places interface{ issuedDepth() uint16 }
	splits [sm.MaxWarps][]split
}

// split is a divergent branch whose threads have not met yet.
type split struct {
	rpc   uint32
	depth uint16 // calls around: the same PC of a recursive function is another place
	mask  uint64
}

// watchMeeting begins to watch an SM.
func watchMeeting(v *View, places interface{ issuedDepth() uint16 }) {
	b := &meeting{View: v, places: places}
	v.begins = append(v.begins, func(r int) { b.splits[r] = b.splits[r][:0] })
	v.issues = append(v.issues, func(e sm.Issued) {
		in, taken := &v.prog.Insts[e.PC], v.Taken(&e)
		for rows := e.Rows; rows != 0; rows &= rows - 1 {
			r := bits.TrailingZeros64(rows)
			b.join(&e, r, in, of(e.Flight, r, e.Mask), of(e.Flight, r, taken))
		}
	})
}

// watchUniform checks that branches which the analysis calls uniform divide no warp.
func watchUniform(v *View) {
	v.issues = append(v.issues, func(e sm.Issued) {
		in := &v.prog.Insts[e.PC]
		if in.Op != isa.OpBra || !in.Uniform {
			return
		}
		if taken := v.Taken(&e); taken != 0 && taken != e.Mask {
			v.Fail(Rule{checkUniform, "a uniform branch that divides threads"}, active(&e),
				"%s: lanes %#x of %#x take it", v.at(&e), taken, e.Mask)
		}
	})
}

// join checks that the threads of a divergent branch meet at its post-dominator. Several branches
// of the same threads can have one post-dominator, as in the trips of a loop. Then join keeps the
// first, which has the most threads.
func (b *meeting) join(e *sm.Issued, r int, in *isa.Inst, mask, taken uint64) {
	depth := b.places.issuedDepth()
	kept := b.splits[r][:0]
	for _, s := range b.splits[r] {
		s.mask &= b.rows[r].live
		if s.rpc == e.PC && s.depth == depth && s.mask&mask != 0 {
			if apart := s.mask &^ mask; apart != 0 {
				b.Fail(Rule{checkReconvergence, "threads that do not meet"}, active(e),
					"%s: lanes %#x come here without lanes %#x, with which they parted", b.at(e), mask, apart)
			}
			continue
		}
		if s.mask != 0 {
			kept = append(kept, s)
		}
	}
	b.splits[r] = kept
	if !in.Conditional() || taken == 0 || taken == mask || in.Reconv == isa.NoPC {
		return
	}
	for _, s := range b.splits[r] {
		if s.rpc == in.Reconv && s.depth == depth && mask&^s.mask == 0 {
			return
		}
	}
	b.splits[r] = append(b.splits[r], split{in.Reconv, depth, mask})
}
