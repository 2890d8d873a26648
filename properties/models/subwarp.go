package models

import "slices"

// subwarp is subwarp interleaving (Damani et al., HPCA 2022): convergence barriers, and while a path
// waits for memory another one of the same barriers runs. Which of them waits is not modelled: each
// can issue.
type subwarp struct{ *barrier }

func newSubwarp(c *Code, mask uint64) *subwarp { return &subwarp{newBarrier(c, mask)} }

func (s *subwarp) ready(do func(pc uint32, mask uint64)) {
	for _, x := range s.strands {
		if s.inside(x.mask) == s.inside(s.strands[len(s.strands)-1].mask) {
			do(x.pc, x.mask)
		}
	}
}

func (s *subwarp) step(pc uint32, mask, taken uint64) {
	i := slices.IndexFunc(s.strands, func(x strand) bool { return x.mask == mask })
	s.strands = append(slices.Delete(s.strands, i, i+1), strand{pc, mask}) // it runs
	s.barrier.step(pc, mask, taken)
}
