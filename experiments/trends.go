package experiments

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"divergo/gpu"
	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/testbench"
	"divergo/units"
)

// setup is a machine of two SMs: a preset, and the parameters that figures vary.
type setup struct {
	preset    string
	mechanism string
	lanes     units.Permutation
	priority  sm.CTAPriority
	smallL2   bool // 128 KB and 8 ways for each memory channel (Fung & Aamodt, HPCA 2011, section 6.4)
	wide      bool // twice the registers: see benchmark.tiled
	alu       int  // sm.alu_latency; 0: that of the preset
	warp      int  // sm.warp_size; 0: that of the preset
	sms       int  // SMs, with channels in the proportion of the preset; 0: those of the plan

	// seed is the input of a run by the plan Full; 0: Quick.
	seed uint64
	full fullMachine
}

// The machines of Fung & Aamodt, HPCA 2011, section 6.
//
// TBC has likely-convergence points, and priority by age between CTAs (section 6.2). DWF selects by
// majority. The baseline's policy is loose round robin (table 2).
var (
	paperPDOM = setup{preset: "tbc", mechanism: "pdom", priority: sm.PriorityNone}
	paperTBC  = setup{preset: "tbc", mechanism: "tbc-lcp", priority: sm.PriorityAge}
	paperDWF  = setup{preset: "tbc", mechanism: "dwf", priority: sm.PriorityNone}
	paperWB   = setup{preset: "tbc", mechanism: "dwf-wb", priority: sm.PriorityNone}
)

// slp returns a machine of Rhu & Erez, ISCA 2013, table 2. All of them use sticky round robin.
func slp(mechanism string, lanes units.Permutation) setup {
	return setup{preset: "slp", mechanism: mechanism, lanes: lanes, priority: sm.PrioritySRR}
}

// config returns the configuration of the machine.
func (s setup) config() (gpu.Config, error) {
	p, err := gpu.FindPreset(s.preset)
	if err != nil {
		return gpu.Config{}, err
	}
	c := p.Config()
	c.GPU.SMs = 2
	c.Divergence.Mechanism, c.SM.CTAPriority = s.mechanism, s.priority
	if s.lanes != "" {
		c.SM.Lanes = s.lanes
	}
	if s.smallL2 {
		c.L2.Size, c.L2.Assoc = 128<<10, 8
	}
	if s.wide {
		c.SM.Registers *= 2
	}
	if s.alu > 0 {
		c.SM.ALULatency = s.alu
	}
	if s.warp > 0 {
		c.SM.WarpSize = s.warp
		c.SM.Threads = 512 // 64 warps of 8
	}
	s.full.set(&c)
	if s.sms > 0 {
		c.GPU.SMs, c.DRAM.Channels = s.sms, max(1, s.sms*p.Config().DRAM.Channels/p.Config().GPU.SMs)
	}
	return c, nil
}

// ran identifies the run of a named workload on a machine. Claims and figures share equal runs.
type ran struct {
	setup
	workload string
}

// outcome is the result of a run: the counters, and, under thread block compaction, the paths of
// branches.
type outcome struct {
	testbench.Counters
	paths *Paths
}

var runs = map[ran]func() (outcome, error){}

var runsLock sync.Mutex

// Run is a run of the plan Full, as a journal keeps it.
type Run struct {
	Run      string             `json:"run"` // machine, kernel, size and input
	Counters testbench.Counters `json:"counters"`
}

// keptRuns has the runs of an interrupted command, by name. addRun keeps another one.
var (
	keptRuns = map[string]testbench.Counters{}
	addRun   func(Run) error
)

// Keep takes the runs of an interrupted command, which are not made again. It calls add for each other
// run when it is made, one at a time.
func Keep(before []Run, add func(Run) error) {
	runsLock.Lock()
	defer runsLock.Unlock()
	clear(keptRuns)
	for _, r := range before {
		keptRuns[r.Run] = r.Counters
	}
	addRun = add
}

// kept returns the counters of a run that was made before Keep.
func (r ran) kept() (c testbench.Counters, ok bool) {
	runsLock.Lock()
	defer runsLock.Unlock()
	c, ok = keptRuns[r.String()]
	return c, ok
}

// keep keeps the counters of a run of the plan. Those of the mechanism itself have no type there, and no
// figure draws them.
func (r ran) keep(c testbench.Counters) error {
	runsLock.Lock()
	defer runsLock.Unlock()
	if r.seed == 0 || addRun == nil {
		return nil
	}
	c.Mechanism = nil
	return addRun(Run{r.String(), c})
}

func (r ran) String() string { return fmt.Sprintf("%s on %+v", r.workload, r.setup) }

// run runs a built-in kernel in a size, or in that of the plan, checks the result, and returns the
// counters.
func (s setup) run(kernel, size string) (testbench.Counters, error) {
	if s.seed > 0 {
		return s.runFull(kernel)
	}
	o, err := s.once(kernel+" "+size, func() (kernels.Workload, error) { return workload(kernel, size) })
	return o.Counters, err
}

// workload returns the workload of a built-in kernel.
func workload(kernel, size string) (kernels.Workload, error) {
	k, err := kernels.Find(kernel)
	if err != nil {
		return nil, err
	}
	found, err := k.Size(size)
	if err != nil {
		return nil, err
	}
	return found.New(1), nil
}

// once runs a workload on the machine, once.
func (s setup) once(name string, workload func() (kernels.Workload, error)) (outcome, error) {
	key := ran{s, name}
	runsLock.Lock()
	one, ok := runs[key]
	if !ok {
		one = sync.OnceValues(func() (outcome, error) {
			if c, ok := key.kept(); ok {
				return outcome{Counters: c}, nil
			}
			w, err := workload()
			if err != nil {
				return outcome{}, err
			}
			o, err := s.count(w)
			if err != nil {
				return o, fmt.Errorf("%s under %s: %w", name, s.mechanism, err)
			}
			return o, key.keep(o.Counters)
		})
		runs[key] = one
	}
	runsLock.Unlock()
	return one()
}

// count runs a workload.
func (s setup) count(w kernels.Workload) (o outcome, err error) {
	cfg, err := s.config()
	if err != nil {
		return o, err
	}
	session, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 2_000_000_000})
	if err != nil {
		return o, err
	}
	var c *gathering
	if m, ok := divergence.Find(s.mechanism); ok && s.mechanism == "tbc" {
		c = watchCompaction(session, m, cfg.SM.Lanes)
	}
	if err = w.Run(s.machine(session)); err == nil {
		err = w.Check()
	}
	o.Counters = session.Counters()
	if err == nil && c != nil {
		o.paths, err = c.end()
	}
	return o, err
}

// madeOf measures the compaction of a workload's paths under permutations, on a machine with thread
// block compaction.
func (s setup) madeOf(name string, workload func() (kernels.Workload, error), perms ...units.Permutation) (*Paths,
	error,
) {
	var all *Paths
	for _, lanes := range perms {
		s.lanes = lanes
		o, err := s.once(name, workload)
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = o.paths.clone()
		default:
			err = all.merge(o.paths)
		}
		if err != nil {
			return nil, fmt.Errorf("%s under %s: %w", name, lanes, err)
		}
	}
	return all, nil
}

// machine runs the kernels with 32-bit addresses on the machines of the papers of 2011 and 2013.
//
// Their SMs have 16,384 registers, and their programs were compiled with such addresses. Programs
// with 64-bit addresses need so many more registers that fewer CTAs are resident.
func (s setup) machine(session *testbench.Session) kernels.Machine {
	if s.preset == "ppc" {
		return runner.New(session)
	}
	return runner.New32(session)
}

// efficiency returns the share of active lanes in an issued instruction.
func efficiency(c *testbench.Counters) float64 {
	return float64(c.Lanes) / float64(c.Instructions) / 32
}

// faster returns the cycles of a kernel, in its medium size, on one machine divided by those on
// another.
func faster(name string, base, other setup) (float64, error) {
	b, err := base.run(name, "medium")
	if err != nil {
		return 0, err
	}
	o, err := other.run(name, "medium")
	return float64(b.Cycles) / float64(o.Cycles), err
}

// signs compares the speed of kernels on another machine with a base: above 1, below 1, or even,
// which is within 1 %.
func signs(base, other setup, names ...string) (string, error) {
	var words []string
	var ratios []float64
	for _, name := range names {
		r, err := faster(name, base, other)
		if err != nil {
			return "", err
		}
		word := order(r, 1)
		if math.Abs(r-1) < .01 {
			word = "even"
		}
		words, ratios = append(words, word), append(ratios, r)
	}
	return fmt.Sprintf("%s (%.3f)", spaced(words), ratios), nil
}

// rowCycle measures the time between two activations of a bank, in DRAM cycles. A load takes that
// much longer for each thread that accesses another row of the same bank.
func rowCycle() (string, error) {
	d := gpu.Default().DRAM
	stride := d.Channels * d.RowBytes * d.Banks
	const few, many = 8, 24
	cycles := func(threads uint32) (uint64, error) {
		s, _, err := launch("pdom", fmt.Sprintf(`
	mul.wide.u32 %%rd1, %%r0, %d;
	add.u64 %%rd1, %%rd0, %%rd1;
	ld.global.u32 %%r2, [%%rd1];
	exit;`, stride), 1, threads, many*stride)
		if err != nil {
			return 0, err
		}
		return s.Counters().Cycles, nil
	}
	short, err := cycles(few)
	if err != nil {
		return "", err
	}
	long, err := cycles(many)
	clocks := gpu.Default().Clocks
	each := float64(long-short) / (many - few) * float64(clocks.DRAMMHz) / float64(clocks.CoreMHz)
	return fmt.Sprintf("%.0f", each), err
}

// compactable are the paper's ten benchmarks with compactable P-branches.
var compactable = []string{
	"BITONIC", "REDUCT", "LPS", "BACKP", "AOSSORT", "QSRDM", "FDTD3D", "3DFD", "MDBROT",
	"SOBFLT",
}

func rates(perms ...units.Permutation) (of []float64, ideal float64, err error) {
	of = make([]float64, len(perms))
	measured, err := measureAll()
	if err != nil {
		return nil, 0, err
	}
	for i, b := range benchmarks {
		if !slices.Contains(compactable, b.name) {
			continue
		}
		all := measured[i].Total(isa.ClassProgrammatic).All
		for i, p := range perms {
			of[i] += 100 * all.Rate(all.Under(p)) / float64(len(compactable))
		}
		ideal += 100 * all.Rate(all.Ideal) / float64(len(compactable))
	}
	return of, ideal, nil
}

// emulated holds the paths of kernels on the golden model, by name, in the size that figures run.
var emulated = map[string]func() (*Paths, error){}

// pathsOnce measures named paths on the golden model, once.
func pathsOnce(name string, workload func() (kernels.Workload, error)) (*Paths, error) {
	runsLock.Lock()
	one, ok := emulated[name]
	if !ok {
		one = sync.OnceValues(func() (*Paths, error) {
			w, err := workload()
			if err != nil {
				return nil, err
			}
			return MeasurePaths(w, 32)
		})
		emulated[name] = one
	}
	runsLock.Unlock()
	return one()
}

// near reports whether all values are within 5 points of theirs.
func near(ours, theirs []float64) string {
	word := "within 5 points"
	for i := range ours {
		if math.Abs(ours[i]-theirs[i]) > 5 {
			word = "not within 5 points"
		}
	}
	return fmt.Sprintf("%s (%.1f; theirs %.1f)", word, ours, theirs)
}

// anyLane counts the warps issued by hardware in which threads can change lanes.
func anyLane() (string, error) {
	return forAll(60, func(sample uint64) (string, error) {
		width := 4 << (sample % 3)
		m := randomMask(sample, width)
		warps := 1
		for _, lane := range m {
			warps = max(warps, bits.Len64(lane))
		}
		k := micro.Seq(
			micro.At("A", micro.When(func(t *micro.Thread) bool { return m[t.TID%width]>>(t.TID/width)&1 != 0 }, "C")),
			micro.At("B", micro.To("D")), micro.At("C", micro.Nop), micro.At("D", micro.Exit))
		o := tbc
		o.Mechanism = "tbc-ideal"
		r, err := bench(micro.Bench{Lanes: width, Warps: warps}, o, k)
		issued := 0
		for _, i := range r.Issues {
			if k[i.PC].Label == "C" {
				issued++
			}
		}
		if want := (m.Threads() + width - 1) / width; issued != want {
			return fmt.Sprintf("%d threads, W = %d: %d warps", m.Threads(), width, issued), err
		}
		return "", err
	})
}
