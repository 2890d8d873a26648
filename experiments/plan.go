package experiments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"divergo/gpu"
	"divergo/internal/papers"
	"divergo/isa"
	"divergo/kernels"
	"divergo/ptx"
	"divergo/testbench"
)

// Plan is the rule for size, machine and inputs of a figure's runs.
type Plan uint8

// The plans.
const (
	// Quick runs the medium size on two SMs with all channels, for one input.
	Quick Plan = iota
	// Full runs what fills the SMs, for three inputs. The rule is in docs/explanation/experiments.md,
	// "The plan".
	Full
)

// The machine of Full: a tenth of the 30 SMs, 10 ports and 8 channels of Fung & Aamodt (HPCA 2011,
// table 2) and Rhu & Erez (ISCA 2013, table 2), in whole channels.
const (
	fullSMs      = 3
	fullChannels = 1
	fullWaves    = 2 // least number of waves of CTAs
	fullInputs   = 3
)

// seeds returns the inputs of a plan. The one of Quick is 0, which stands for seed 1.
func (p Plan) seeds() []uint64 {
	if p == Quick {
		return []uint64{0}
	}
	list := make([]uint64, fullInputs)
	for i := range list {
		list[i] = uint64(i + 1)
	}
	return list
}

// on returns the machines with an input of the plan.
func on(seed uint64, machines []setup) []setup {
	list := slices.Clone(machines)
	for i := range list {
		list[i].seed = seed
	}
	return list
}

// String describes the plan: journals of another plan are refused.
func (p Plan) String() string {
	if p == Quick {
		return p.where()
	}
	return fmt.Sprintf("by the plan of docs/explanation/experiments.md: %d SMs, %d channel, at least %d waves of CTAs, %d inputs",
		fullSMs, fullChannels, fullWaves, fullInputs)
}

// where says in a figure's notes where machine, sizes and inputs of its runs are written down.
func (p Plan) where() string {
	if p == Quick {
		return "with --quick: one input, smaller than by the plan of docs/explanation/experiments.md"
	}
	return "by the plan of docs/explanation/experiments.md, which has machine, sizes and inputs"
}

// blockDim holds the threads of a CTA in table 1 of Fung & Aamodt (HPCA 2011), of the first kernel of each
// benchmark. perCore has the CTAs of an SM.
var blockDim = map[string]int{
	"BFS2": 512, "FCDT": 192, "HOTSP": 256, "LPS": 128, "MUM": 256, "MUMpp": 192, "NAMD": 64, "NVRT": 192,
	"AES": 256, "BACKP": 256, "CP": 128, "DG": 84, "HRTWL": 512, "LIB": 64, "LKYT": 175, "MGST": 96, "NNC": 16,
	"RAY": 128, "STMCL": 512, "STO": 128, "WP": 64,
}

// residentThreads returns the threads of an SM in table 1, in the first kernel of the benchmark that a
// kernel stands for; 0: the table has none.
func residentThreads(kernel string) int {
	for _, k := range suite {
		if k.kernel == kernel && k.theirs != "" {
			first, _, _ := strings.Cut(perCore[k.theirs], ",")
			ctas, _ := strconv.Atoi(first)
			return ctas * blockDim[k.theirs]
		}
	}
	return 0
}

// planned is a kernel's run under Full.
type planned struct {
	size  kernels.Size
	ctas  int     // resident on an SM
	waves float64 // of these, in the largest launch

	// Limits of an SM that hold so many: CTAs, registers, bytes of shared memory.
	slots, registers, shared int
}

// plans holds the plans of kernels, by preset and name.
var plans sync.Map

// planned returns the plan of a kernel on the machine.
func (s setup) planned(kernel string) (planned, error) {
	once, _ := plans.LoadOrStore([2]string{s.preset, kernel}, sync.OnceValues(func() (planned, error) {
		k, err := kernels.Find(kernel)
		if err != nil {
			return planned{}, err
		}
		p, err := gpu.FindPreset(s.preset)
		if err != nil {
			return planned{}, err
		}
		return fill(k, p)
	}))
	return once.(func() (planned, error))()
}

// fill chooses the least size of a kernel that has two waves of CTAs, or else the largest.
func fill(k kernels.Kernel, preset gpu.Preset) (p planned, err error) {
	for _, p.size = range k.Sizes {
		c := preset.Config()
		o, err := outlined(p.size.New(1))
		if err != nil {
			return p, fmt.Errorf("%s, %s: %w", k.Name, p.size.Name, err)
		}
		theirs := 0
		if preset.Name == papers.TBC.Key {
			theirs = residentThreads(k.Name)
		}
		if p.ctas, err = o.reside(&c, theirs); err != nil {
			return p, fmt.Errorf("%s, %s: %w", k.Name, p.size.Name, err)
		}
		p.slots, p.registers, p.shared = c.SM.CTAs, c.SM.Registers, c.Shared.Size
		if p.waves = float64(o.largest()) / float64(fullSMs*p.ctas); p.waves >= fullWaves {
			break
		}
	}
	return p, nil
}

// outline holds the launches of a workload, of programs with 32-bit addresses.
type outline []testbench.Launch

// maxOutline is the largest number of launches of an outline.
const maxOutline = 64

// outlined returns the outline of a workload.
func outlined(w kernels.Workload) (outline, error) {
	calls, err := kernels.Outline(w, maxOutline)
	if err != nil {
		return nil, err
	}
	modules := map[string]*ptx.Module{}
	programs := map[[2]string]*isa.Program{} // by module and entry
	var list outline
	for i := range calls {
		c := &calls[i]
		entry := [2]string{c.Module, c.Kernel}
		if programs[entry] == nil {
			if modules[c.Module] == nil {
				text, err := kernels.PTX32(c.Module)
				if err != nil {
					return nil, err
				}
				if modules[c.Module], err = ptx.Parse(c.Module, []byte(text)); err != nil {
					return nil, err
				}
			}
			if programs[entry], err = testbench.Program(modules[c.Module], c.Kernel); err != nil {
				return nil, err
			}
		}
		prog := programs[entry]
		list = append(list, testbench.Launch{
			Prog: prog, Grid: c.Grid, Block: c.Block, Shared: c.Shared, Params: make([]byte, prog.ParamBytes),
		})
	}
	return list, nil
}

func product(v [3]uint32) int { return int(v[0] * v[1] * v[2]) }

// largest returns the CTAs of the launch with most threads.
func (o outline) largest() (ctas int) {
	threads := 0
	for i := range o {
		l := &o[i]
		if n := product(l.Grid) * product(l.Block); n > threads {
			threads, ctas = n, product(l.Grid)
		}
	}
	return ctas
}

// reside returns the CTAs that an SM holds in each launch, at most. If the paper's table has a
// number of threads for the SM, it limits the machine to them, and gives it the registers and the
// shared memory that they need.
func (o outline) reside(c *gpu.Config, threads int) (ctas int, err error) {
	for i := range o {
		l := &o[i]
		if threads > 0 {
			n := max(1, threads/product(l.Block))
			c.SM.CTAs = max(n, ctas)
			warps := (product(l.Block) + c.SM.WarpSize - 1) / c.SM.WarpSize
			each := (l.Prog.LiveRegs + c.SM.RegAlloc - 1) / c.SM.RegAlloc * c.SM.RegAlloc
			c.SM.Registers = max(c.SM.Registers, n*warps*c.SM.WarpSize*each)
			c.Shared.Size = max(c.Shared.Size, n*int((l.Shared+l.Prog.SharedBytes+255)&^255))
		}
		held, err := l.Check(c)
		if err != nil {
			return 0, err
		}
		ctas = max(ctas, held.CTAs)
	}
	return ctas, nil
}

// fullMachine is what Full changes in a preset; the zero value changes nothing.
type fullMachine struct {
	ctas, registers, shared int
	constant, texture       int // bytes of the read-only caches; 0: the preset's
}

// set changes a machine.
func (f fullMachine) set(c *gpu.Config) {
	if f == (fullMachine{}) {
		return
	}
	c.GPU.SMs, c.DRAM.Channels = fullSMs, fullChannels
	c.SM.CTAs, c.SM.Registers, c.Shared.Size = f.ctas, f.registers, f.shared
	if f.constant > 0 {
		c.Const.Size, c.Texture.Size = f.constant, f.texture
	}
}

// runFull runs a kernel by the plan.
func (s setup) runFull(kernel string) (testbench.Counters, error) {
	p, err := s.planned(kernel)
	if err != nil {
		return testbench.Counters{}, err
	}
	o, err := s.filled(p).once(kernel+" "+p.size.Name, func() (kernels.Workload, error) { return p.size.New(s.seed), nil })
	return o.Counters, err
}

// filled returns the machine of a planned run.
func (s setup) filled(p planned) setup {
	s.full = fullMachine{ctas: p.slots, registers: p.registers, shared: p.shared}
	if s.preset == papers.TBC.Key { // table 2
		s.full.constant, s.full.texture = 8<<10, 32<<10
	}
	return s
}
