package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
)

// counted holds the observer's own counts for the statistics.
type counted struct {
	active              [isa.MaxLanes + 1]uint64
	branches, divergent uint64
}

// resolved counts branches.
func (o *counted) resolved(e sm.Branched) {
	diverges := e.Taken != 0 && e.Taken != e.Mask
	if e.Inst.Conditional() || diverges {
		o.branches++
	}
	if diverges {
		o.divergent++
	}
}

// watchCounts begins to count on an SM.
func watchCounts(v *View) *counted {
	o := &counted{}
	v.issues = append(v.issues, func(e sm.Issued) { o.active[bits.OnesCount64(e.Mask)]++ })
	v.Leave(v.sm.ALU.OnBranch.Add(o.resolved))
	return o
}
