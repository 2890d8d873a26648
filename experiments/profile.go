package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"divergo/gpu"
	"divergo/internal/chart"
	"divergo/isa"
	"divergo/isa/safety"
	"divergo/kernels"
	"divergo/kernels/quality"
	"divergo/kernels/runner"
	"divergo/testbench"
)

// Profiling selects what to profile: an entry of a built-in kernel on a machine, with inputs of the
// seeds 1 to Inputs.
type Profiling struct {
	Kernel kernels.Kernel
	Size   kernels.Size
	Entry  string // "": the kernel's only entry
	Config gpu.Config
	Inputs int
	Limit  float64     // largest degradation: 0.1 is 10 %
	Stop   func() bool // polled; true ends the run; nil: never
	Kind   Kind        // candidates to try
}

// Kind is a kind of herding.
type Kind uint8

// The kinds of herding to try.
const (
	BranchesAndLoads Kind = iota
	Branches
	Loads
)

// Profile is the cost and the gain of herding a kernel.
//
// It follows the framework of Sartori & Kumar, Branch and Data Herding (2012), section V and figure
// 11. Candidates are the safe branches that diverge and the safe loads that touch several blocks.
// They are tried one after the other, the fastest first. A candidate is kept if, together with
// those kept before, it makes any input faster. The worst degradation over the inputs is taken as
// its bound.
type Profile struct {
	Prog       *isa.Program
	Cycles     []uint64    // cycles without herding, by input
	Safe       int         // number of safe branches and loads
	Candidates []Candidate // in the order of the trials
	Chosen     int         // number of the first kept candidates within the limit
}

// Candidate is a branch or load that the profile tried.
type Candidate struct {
	PC          uint32
	Copies      []uint32 // of the branch, in an unrolled loop: herded with it, as one branch of the source
	Load        bool
	Alone       float64 // mean speed-up over the inputs if only this one is herded
	Speedup     float64 // mean speed-up together with those kept before it
	Degradation float64 // worst degradation over the inputs
	Kept        bool
}

// Herding returns the content of a herding file: the first Chosen of the kept candidates.
func (p *Profile) Herding() isa.Herding {
	h := isa.Herding{Kernel: p.Prog.Name}
	left := p.Chosen
	for _, c := range p.Candidates {
		if c.Kept && left > 0 {
			left--
			h = with(h, c)
		}
	}
	return h
}

// profiler runs a kernel repeatedly.
type profiler struct {
	Profiling
	prog *isa.Program
	made map[string]*measured // by branches and loads
}

// measured holds the results of one run for each input.
type measured struct {
	cycles      []uint64  // by input
	degradation []float64 // by input
	parted      bool      // a herded instruction would otherwise have diverged
}

// Find profiles the kernel.
func (o Profiling) Find() (*Profile, error) {
	prog, err := o.entry()
	if err != nil {
		return nil, err
	}
	branches, loads := safety.Analyze(prog).Safe()
	switch o.Kind {
	case Branches:
		loads = nil
	case Loads:
		branches = nil
	}
	p := &Profile{Prog: prog, Safe: len(branches) + len(loads)}
	r := &profiler{o, prog, map[string]*measured{}}
	base, err := r.measure(isa.Herding{})
	if err != nil {
		return nil, err
	}
	p.Cycles = base.cycles
	try := func(pc int, load bool) error {
		c := Candidate{PC: uint32(pc), Load: load}
		m, err := r.measure(with(isa.Herding{}, c))
		if err != nil || !m.parted {
			return err
		}
		same := slices.IndexFunc(p.Candidates, func(o Candidate) bool { return !load && copies(prog, o.PC, c.PC) })
		if same >= 0 {
			p.Candidates[same].Copies = append(p.Candidates[same].Copies, c.PC)
			return nil
		}
		c.Alone = speedup(base, m)
		p.Candidates = append(p.Candidates, c)
		return nil
	}
	for _, pc := range branches {
		if err := try(pc, false); err != nil {
			return nil, err
		}
	}
	for _, pc := range loads {
		if err := try(pc, true); err != nil {
			return nil, err
		}
	}
	for i := range p.Candidates {
		if c := &p.Candidates[i]; len(c.Copies) > 0 {
			m, err := r.measure(with(isa.Herding{}, *c))
			if err != nil {
				return nil, err
			}
			c.Alone = speedup(base, m)
		}
	}
	slices.SortStableFunc(p.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Alone, a.Alone) })
	var kept isa.Herding
	last, within := base, true
	for i := range p.Candidates {
		c := &p.Candidates[i]
		m, err := r.measure(with(kept, *c))
		if err != nil {
			return nil, err
		}
		c.Speedup, c.Degradation = speedup(base, m), slices.Max(m.degradation)
		for t := range m.cycles {
			c.Kept = c.Kept || m.cycles[t] < last.cycles[t]
		}
		if c.Kept {
			kept, last = with(kept, *c), m
			within = within && c.Degradation <= o.Limit
			if within {
				p.Chosen++
			}
		}
	}
	return p, nil
}

// with returns a herding extended by a candidate.
func with(h isa.Herding, c Candidate) isa.Herding {
	made := isa.Herding{Kernel: h.Kernel, Branches: slices.Clone(h.Branches), Loads: slices.Clone(h.Loads)}
	to := &made.Branches
	if c.Load {
		to = &made.Loads
	}
	*to = append(*to, int(c.PC))
	for _, pc := range c.Copies {
		*to = append(*to, int(pc))
	}
	slices.Sort(*to)
	return made
}

// copies reports whether two branches are copies of one branch of the source, in an unrolled loop. They
// have the same line, and their predicates come from the same comparison with the same constant. The
// paper's framework marks branches of the source.
func copies(p *isa.Program, a, b uint32) bool {
	one, other := setp(p, a), setp(p, b)
	return p.Where(a) == p.Where(b) && one != nil && other != nil && one.Cmp == other.Cmp && one.Type == other.Type &&
		one.Src[1].Kind == isa.OperandImm && other.Src[1] == one.Src[1]
}

// setp returns the comparison before a branch that sets its predicate, or nil.
func setp(p *isa.Program, branch uint32) *isa.Inst {
	for pc := int(branch) - 1; pc >= 0; pc-- {
		if in := &p.Insts[pc]; in.Op == isa.OpSetp && in.Dst[0].Index == p.Insts[branch].Guard.Index {
			return in
		}
	}
	return nil
}

// speedup returns the mean speed-up over the inputs.
func speedup(base, m *measured) float64 {
	sum := 0.0
	for t := range m.cycles {
		sum += float64(base.cycles[t]) / float64(m.cycles[t])
	}
	return sum / float64(len(m.cycles))
}

// entry returns the program to profile.
func (o Profiling) entry() (*isa.Program, error) {
	names, err := runner.Entries(o.Kernel)
	switch {
	case err != nil:
		return nil, err
	case o.Entry == "" && len(names) > 1:
		return nil, fmt.Errorf("%s has several entries, name one: %s", o.Kernel.Name, strings.Join(names, ", "))
	case o.Entry == "":
		o.Entry = names[0]
	}
	return make(runner.Programs).Program(o.Kernel.Name+".ptx", o.Entry)
}

// Run runs the workload of a seed with a herding. The session holds the counters.
func (o Profiling) Run(prog *isa.Program, h isa.Herding, seed uint64) (kernels.Workload, *testbench.Session, error) {
	s, err := testbench.NewSession(o.Config, testbench.Limits{Stop: o.Stop})
	if err != nil {
		return nil, nil, err
	}
	s.Herd = func(p *isa.Program) (*isa.Program, error) {
		if p.Name != prog.Name {
			return p, nil
		}
		return h.Apply(p)
	}
	w := o.Size.New(seed)
	return w, s, w.Run(runner.New(s))
}

// measure runs all inputs with a herding, once.
func (r *profiler) measure(h isa.Herding) (*measured, error) {
	key := fmt.Sprint(h.Branches, h.Loads)
	m := r.made[key]
	if m != nil {
		return m, nil
	}
	m = &measured{}
	for seed := uint64(1); seed <= uint64(r.Inputs); seed++ {
		w, s, err := r.Run(r.prog, h, seed)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", seed, err)
		}
		c := s.Counters()
		m.cycles = append(m.cycles, c.Cycles)
		m.degradation = append(m.degradation, quality.Degradation(r.Kernel, w))
		m.parted = m.parted || c.Herd.Diverged+c.Coalescer.Herd.Diverted > 0
	}
	r.made[key] = m
	return m, nil
}

// Chart draws speed against degradation, from no herding to all kept candidates.
func (p *Profile) Chart() *chart.Lines {
	x, y := []float64{0}, []float64{1}
	for _, c := range p.Candidates {
		if c.Kept {
			x, y = append(x, 100*c.Degradation), append(y, c.Speedup)
		}
	}
	return &chart.Lines{
		Title: "Herding " + p.Prog.Name, X: "worst degradation (%)", Y: "speed-up",
		Series: []chart.Series{{Name: "herded, one more at each mark", X: x, Y: y}},
	}
}
