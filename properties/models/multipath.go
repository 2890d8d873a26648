package models

import (
	"slices"

	"divergo/isa"
)

// multipath has the tables of splits and of reconvergence points of a warp (ElTantawy et al., HPCA
// 2014). All splits can issue.
type multipath struct {
	*Code
	splits []split
	joins  []join
}

type split struct {
	pc   uint32
	mask uint64
	join int // index in joins, or -1
}

// join is an entry of the reconvergence table: threads that go on at pc together, and those of them
// that have not come.
type join struct {
	pc            uint32
	mask, pending uint64
	parent        int
}

func newMultipath(c *Code, mask uint64) *multipath {
	return &multipath{Code: c, splits: []split{{0, mask, -1}}}
}

func (x *multipath) ready(do func(pc uint32, mask uint64)) {
	for _, s := range x.splits {
		do(s.pc, s.mask)
	}
}

func (x *multipath) step(pc uint32, mask, taken uint64) {
	in, take, fall := x.successors(pc, mask, taken)
	i := slices.IndexFunc(x.splits, func(s split) bool { return s.mask == mask })
	at := x.splits[i].join
	x.splits = slices.Delete(x.splits, i, i+1)
	gone := mask &^ (take | fall)
	for i := range x.joins {
		x.joins[i].mask &^= gone
		x.joins[i].pending &^= gone
	}
	if take != 0 && fall != 0 {
		x.joins = append(x.joins, join{in.Reconv, mask, mask, at})
		at = len(x.joins) - 1
	}
	x.arrive(in.Target, take, at)
	x.arrive(pc+1, fall, at)
	if take|fall == 0 {
		x.complete(at)
	}
}

// arrive adds a split, or ends it at the reconvergence point of its entry.
func (x *multipath) arrive(pc uint32, mask uint64, at int) {
	switch {
	case mask == 0:
	case at >= 0 && pc == x.joins[at].pc && pc != isa.NoPC:
		x.joins[at].pending &^= mask
		x.complete(at)
	default:
		x.splits = append(x.splits, split{pc, mask, at})
	}
}

// complete makes a split of an entry without pending threads.
func (x *multipath) complete(at int) {
	if at < 0 || x.joins[at].pending != 0 {
		return
	}
	j := x.joins[at]
	x.joins[at].mask = 0
	if j.mask == 0 {
		x.complete(j.parent)
		return
	}
	x.arrive(j.pc, j.mask, j.parent)
}
