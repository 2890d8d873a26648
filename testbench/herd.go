package testbench

import (
	"math/rand/v2"
	"slices"

	"divergo/gpu"
	"divergo/isa"
)

// forced returns the branches and loads of a kernel that the keys herd.branch_fraction and
// herd.load_fraction draw. Each one is equally likely (Sartori & Kumar, Branch and Data Herding,
// section II: "The branches are chosen uniformly randomly").
func forced(c *gpu.Config, p *isa.Program) isa.Herding {
	h := &c.Herd
	branches, loads := p.Herdable()
	return isa.Herding{
		Branches: drawn(branches, h.BranchFraction, h.Seed, 1),
		Loads:    drawn(loads, h.LoadFraction, h.Seed, 2),
	}
}

// drawn returns so many percent of a list, rounded to the nearest number, in order.
func drawn(pcs []int, percent, seed int, stream uint64) []int {
	r := rand.New(rand.NewPCG(uint64(seed), stream))
	r.Shuffle(len(pcs), func(i, j int) { pcs[i], pcs[j] = pcs[j], pcs[i] })
	pcs = pcs[:(len(pcs)*percent+50)/100]
	slices.Sort(pcs)
	return pcs
}

// herded returns the program that runs for p, with the marks of Herd and those that the keys draw.
// It is the same one in each launch.
func (s *Session) herded(p *isa.Program) (*isa.Program, error) {
	c := &s.Machine.Config.Herd
	if !c.Enable || s.Herd == nil && c.BranchFraction == 0 && c.LoadFraction == 0 {
		return p, nil
	}
	if made := s.marked[p]; made != nil {
		return made, nil
	}
	made := p
	if s.Herd != nil {
		var err error
		if made, err = s.Herd(p); err != nil {
			return nil, err
		}
	}
	draw := forced(&s.Machine.Config, p)
	draw.Threshold = made.HerdLimit
	made, err := draw.Apply(made)
	if err != nil {
		return nil, err
	}
	if s.marked == nil {
		s.marked = map[*isa.Program]*isa.Program{}
	}
	s.marked[p] = made
	return made, nil
}
