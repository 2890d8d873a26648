package experiments

import (
	"slices"

	"divergo/isa"
	"divergo/kernels"
	"divergo/testbench/golden"
	"divergo/units"
)

// Paths measures what compaction can gain at the branches of a kernel (Rhu & Erez, ISCA 2013,
// sections 3.3 and 6.1).
//
// The active masks are those of a CTA. Its threads share one reconvergence stack, as in the paper's
// functional emulator. So an execution of a branch has all threads that reached it by the same
// path. It is divergent if a warp has threads on both sides; then each side is a path.
//
// A path needs a number of warps. Without compaction, that is the number of warps with a thread on
// it. Under a permutation, it is the number that the thread compactor makes. Ideally, it is the
// number that its threads fill.
//
// MeasurePaths measures the paths on the golden model, and gathering on the hardware of a machine
// with thread block compaction.
//
// Our reading: the side of an if without else that waits at the post-dominator is a path, too,
// since this gives the paper's figures. Work leaves such paths out.
type Paths struct {
	WarpSize int
	Branches []Branch // executed branches, by kernel and PC

	lanes []*units.LaneMap // one for each of units.Permutations
}

// Branch is a conditional branch of a kernel.
type Branch struct {
	Prog  *isa.Program
	PC    uint32
	Class isa.Class
	Tally
}

// Tally sums the executions of branches.
type Tally struct {
	Instances int // executions by a CTA
	Divergent int // divergent executions: a warp has threads on both sides
	All       Warps
	Work      Warps    // paths that do not wait at the post-dominator
	Quartiles [4]Warps // all paths, by the active share of the CTA's threads
}

// Warps sums the warps that paths need.
type Warps struct {
	Paths     int
	Static    int    // without compaction
	Ideal     Need   // if threads could take any lane
	Compacted []Need // for each of units.Permutations
}

// Need is the number of warps of paths, and the number of paths that need fewer warps than without
// compaction.
type Need struct {
	Warps, Fewer int
}

// Rate returns the compaction rate: the share of paths that need fewer warps.
func (w *Warps) Rate(n Need) float64 {
	if w.Paths == 0 {
		return 0
	}
	return float64(n.Fewer) / float64(w.Paths)
}

// Under returns the need under a permutation.
func (w *Warps) Under(p units.Permutation) Need {
	return w.Compacted[slices.Index(units.Permutations(), p)]
}

// MeasurePaths measures the paths of a workload on the golden model, with warps of warpSize
// threads.
func MeasurePaths(w kernels.Workload, warpSize int) (*Paths, error) {
	return measurePaths(warpSize, func(e *emulator) error { return w.Run(e) })
}

func measurePaths(warpSize int, run func(e *emulator) error) (*Paths, error) {
	p := &Paths{WarpSize: warpSize}
	for _, name := range units.Permutations() {
		m, err := units.NewLaneMap(name, warpSize, 0)
		if err != nil {
			return nil, err
		}
		p.lanes = append(p.lanes, m)
	}
	var programs []*isa.Program
	var tallies [][]Tally // for each program, by PC
	err := run(newEmulator(warpSize, func(prog *isa.Program, threads []golden.Thread) {
		i := slices.Index(programs, prog)
		if i < 0 {
			i = len(programs)
			programs, tallies = append(programs, prog), append(tallies, make([]Tally, len(prog.Insts)))
		}
		replay(prog, threads, func(pc uint32, taken, not []int) {
			p.instance(&tallies[i][pc], prog, pc, len(threads), taken, not)
		})
	}))
	if err != nil {
		return nil, err
	}
	for i, prog := range programs {
		p.list(prog, tallies[i])
	}
	return p, nil
}

// list adds the executed branches of a program. tallies is indexed by PC.
func (p *Paths) list(prog *isa.Program, tallies []Tally) {
	for pc, t := range tallies {
		if t.Instances > 0 {
			p.Branches = append(p.Branches, Branch{prog, uint32(pc), prog.Insts[pc].Class, t})
		}
	}
}

// Total sums the branches of a class.
func (p *Paths) Total(class isa.Class) (t Tally) {
	for i := range p.Branches {
		if b := &p.Branches[i]; b.Class == class {
			t.Add(&b.Tally)
		}
	}
	return t
}

// At sums the branches of a source line, given as file:line.
func (p *Paths) At(where string) (t Tally) {
	for i := range p.Branches {
		if b := &p.Branches[i]; b.Prog.Where(b.PC) == where {
			t.Add(&b.Tally)
		}
	}
	return t
}

// instance adds an execution of the branch at pc. taken and not are linear thread numbers in the
// CTA.
func (p *Paths) instance(t *Tally, prog *isa.Program, pc uint32, cta int, taken, not []int) {
	t.Instances++
	side := [2]units.BlockMask{locations(p.WarpSize, taken), locations(p.WarpSize, not)}
	if side[0].Warps()&side[1].Warps() == 0 {
		return
	}
	t.Divergent++
	in := &prog.Insts[pc]
	for i, next := range [2]uint32{in.Target, pc + 1} {
		n := p.need(&side[i])
		t.enter(&n, quartile(&side[i], cta), next != in.Reconv)
	}
}

// quartile returns 0 to 3, by the active share of a CTA's threads.
func quartile(m *units.BlockMask, cta int) int { return min(4*m.Threads()/cta, 3) }

// enter adds a path. work is set if the path does not wait at the post-dominator.
func (t *Tally) enter(w *Warps, quartile int, work bool) {
	t.All.Add(w)
	if work {
		t.Work.Add(w)
	}
	t.Quartiles[quartile].Add(w)
}

// locations returns the mask of threads, given by their linear numbers, at their locations in
// warps.
func locations(warpSize int, threads []int) (m units.BlockMask) {
	for _, t := range threads {
		m.Add(t/warpSize, 1<<(t%warpSize))
	}
	return m
}

// need returns the warps that one path needs.
func (p *Paths) need(m *units.BlockMask) Warps {
	w := Warps{Paths: 1, Static: static(m)}
	w.Ideal = w.need(m.Filled(p.WarpSize))
	for _, lanes := range p.lanes {
		placed := lanes.Place(m)
		w.Compacted = append(w.Compacted, w.need(placed.Compacted()))
	}
	return w
}

// need returns the need of a path from which the given number of warps is made.
func (w *Warps) need(warps int) Need {
	if warps < w.Static {
		return Need{warps, 1}
	}
	return Need{warps, 0}
}

// Add sums two tallies.
func (t *Tally) Add(o *Tally) {
	t.Instances += o.Instances
	t.Divergent += o.Divergent
	t.All.Add(&o.All)
	t.Work.Add(&o.Work)
	for i := range t.Quartiles {
		t.Quartiles[i].Add(&o.Quartiles[i])
	}
}

// Add sums the needs of two sets of paths.
func (w *Warps) Add(o *Warps) {
	w.Paths += o.Paths
	w.Static += o.Static
	w.Ideal.add(o.Ideal)
	if w.Compacted == nil {
		w.Compacted = make([]Need, len(units.Permutations()))
	}
	for i, n := range o.Compacted {
		w.Compacted[i].add(n)
	}
}

func (n *Need) add(o Need) {
	n.Warps += o.Warps
	n.Fewer += o.Fewer
}
