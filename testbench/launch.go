package testbench

import (
	"errors"
	"fmt"
	"unsafe"

	"divergo/gpu"
	"divergo/isa"
	"divergo/memsys"
	"divergo/ptx"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench/functional"
	"divergo/testbench/golden"
)

// This file is the path from PTX to a result, from top to bottom. Program makes a kernel ready to
// run. Session.Launch checks the launch (prepare), runs it on the machine (simulate) or the
// functional model (emulate), and keeps its Run. File sample.go chooses one of both for each launch.
// File outcome.go describes the end of a run.

// Program lowers a kernel of a module and makes it ready to run. It analyses the control flow and
// resolves instructions to their place in the datapath. The empty name selects the only kernel of
// the module.
func Program(m *ptx.Module, kernel string) (*isa.Program, error) {
	p, err := m.Program(kernel)
	if err != nil {
		return nil, err
	}
	if err := isa.Bind(p); err != nil {
		return nil, err
	}
	return p, nil
}

// Launch is one grid of a kernel.
type Launch struct {
	Prog   *isa.Program
	Grid   [3]uint32 // CTAs in x, y and z
	Block  [3]uint32 // threads of a CTA in x, y and z
	Shared uint32    // bytes of dynamic shared memory of a CTA
	Params []byte    // parameter bank
}

// Run is a launch and its results.
type Run struct {
	Launch    Launch
	Occupancy sm.Occupancy
	Outcome   Outcome
	Counters  Counters
	Printed   Printed     // if it finished
	Emulated  bool        // by the functional model: see Session.Emulates
	Outside   uint64      // reads by threads outside of allocations: see Session.Pad
	Absent    *AbsentRead // the first shuffle that read an inactive lane; nil: none

	Functional *functional.Counts // of an emulated launch
	Divided    *Divided           // of a launch of which some CTAs were simulated: see Sampling
}

// Launch runs a grid until it ends. The error is an *Outcome if the run did not finish; otherwise
// it gives the reason why the launch is impossible. After a run that did not finish, call Reset
// before the next launch.
func (s *Session) Launch(l Launch) error {
	var run Run
	var err error
	if s.Sample != nil {
		run, err = s.sampled(l)
	} else {
		run, err = s.launch(l, s.Emulates != nil && s.Emulates(len(s.Runs)+1))
	}
	if err != nil {
		return err
	}
	if run.Outcome.OK() && run.Launch.Prog.Printer != 0 {
		run.Printed = s.takePrinted(run.Launch.Prog)
	}
	s.Runs = append(s.Runs, run)
	if !run.Outcome.OK() {
		return &run.Outcome
	}
	return s.err
}

// launch runs a launch on the machine or the functional model.
func (s *Session) launch(l Launch, emulated bool) (run Run, err error) {
	if run, err = s.prepare(l, emulated); err != nil {
		return run, err
	}
	if emulated {
		return run, s.emulate(&run)
	}
	return run, s.simulate(&run)
}

// prepare finds the program to run, checks that it can run, and puts the variables of its module into
// device memory. For a texture unit the program has tex and tld4 as instructions; the functional
// model takes their loads.
func (s *Session) prepare(l Launch, emulated bool) (run Run, err error) {
	if s.err != nil {
		return run, s.err
	}
	if n := len(s.Runs); n > 0 && !s.Runs[n-1].Outcome.OK() {
		return run, fmt.Errorf("launch %d did not finish, and the machine stands where it stopped: Reset first", n)
	}
	run.Emulated = emulated
	if s.textures(l.Prog) && !emulated {
		l.Prog = l.Prog.Textured
	}
	if l.Prog, err = s.herded(l.Prog); err != nil {
		return run, err
	}
	occupancy, err := l.Check(&s.Machine.Config)
	if err != nil {
		return run, err
	}
	if err := l.checkRegisters(&s.Machine.Config, occupancy.CTAs); err != nil {
		return run, err
	}
	if err := s.PlaceModule(l.Prog); err != nil {
		return run, err
	}
	run.Launch, run.Occupancy = l, occupancy
	return run, nil
}

// textures reports whether the machine runs another program, which uses the texture unit.
func (s *Session) textures(p *isa.Program) bool {
	return p.Textured != nil && s.Machine.Config.Texture.Fetch == memsys.FetchUnit
}

// maxGrid and maxBlock are the largest sizes by dimension (CUDA C Programming Guide, technical
// specifications by compute capability).
var (
	maxGrid  = [3]uint32{1<<31 - 1, 65535, 65535}
	maxBlock = [3]uint32{MaxThreads, MaxThreads, 64}
)

// MaxThreads is the maximum number of threads of a CTA, on every machine.
const MaxThreads = 1024

// maxShared is the size of the shared window of the generic address space.
const maxShared = isa.WindowSize

// Check returns the number of CTAs of the launch that an SM holds. The error lists every reason why
// the launch is impossible on a machine.
func (l *Launch) Check(c *gpu.Config) (sm.Occupancy, error) {
	var errs []error
	for i, axis := range [3]string{"x", "y", "z"} {
		if n := l.Grid[i]; n < 1 || n > maxGrid[i] {
			errs = append(errs, fmt.Errorf("grid %s: %d CTAs in %s, want 1 to %d", shape(l.Grid), n, axis, maxGrid[i]))
		}
		if n := l.Block[i]; n < 1 || n > maxBlock[i] {
			errs = append(errs, fmt.Errorf("block %s: %d threads in %s, want 1 to %d", shape(l.Block), n, axis,
				maxBlock[i]))
		}
	}
	if l.Shared > maxShared {
		errs = append(errs, fmt.Errorf("%d bytes of dynamic shared memory, want at most %d", l.Shared, maxShared))
	}
	if n := uint32(len(l.Params)); n != l.Prog.ParamBytes {
		errs = append(errs, fmt.Errorf("%s takes %d bytes of parameters, the launch gives %d",
			l.Prog.Name, l.Prog.ParamBytes, n))
	}
	if len(errs) > 0 {
		return sm.Occupancy{}, errors.Join(errs...)
	}
	k := l.kernel()
	p := l.Prog
	if p.ReqThreads != [3]uint32{} && p.ReqThreads != l.Block {
		errs = append(errs, fmt.Errorf("block %s: %s requires %s (.reqntid)", shape(l.Block), p.Name,
			shape(p.ReqThreads)))
	} else if p.MaxThreads > 0 && k.Threads() > int(p.MaxThreads) {
		errs = append(errs, fmt.Errorf("block %s has %d threads: %s allows %d (.maxntid)",
			shape(l.Block), k.Threads(), p.Name, p.MaxThreads))
	}
	mech, _ := divergence.Find(c.Divergence.Mechanism)
	o, err := k.Occupancy(&c.SM, mech, c.Shared.Size)
	return o, errors.Join(append(errs, err)...)
}

// checkRegisters rejects a launch whose registers exceed the memory of the host computer, when an
// SM holds so many CTAs.
func (l *Launch) checkRegisters(c *gpu.Config, ctas int) error {
	k := l.kernel()
	warps := uint64(k.Threads()+c.SM.WarpSize-1) / uint64(c.SM.WarpSize)
	resident := min(uint64(l.Grid[0])*uint64(l.Grid[1])*uint64(l.Grid[2]), uint64(c.GPU.SMs*ctas)) * warps
	if bytes := resident * uint64(len(l.Prog.Regs)) * 2 * uint64(unsafe.Sizeof(isa.Row{})); bytes > maxRegisters {
		return fmt.Errorf("registers: %s names %d, those of %d warps at once take %d bytes, want at most %d; "+
			"fewer SMs (gpu.sms), threads of an SM (sm.threads) or CTAs take less",
			l.Prog.Name, len(l.Prog.Regs), resident, bytes, maxRegisters)
	}
	return nil
}

// kernel returns the launch in the machine's form, without memory.
func (l *Launch) kernel() sm.Kernel {
	return sm.Kernel{Prog: l.Prog, Grid: l.Grid, Block: l.Block, Params: l.Params, DynShared: l.Shared}
}

// simulate runs a launch on the machine.
func (s *Session) simulate(run *Run) error {
	k := run.Launch.kernel()
	return s.simulatePart(run, 0, k.CTAs(), s.Limits.Stop)
}

// simulatePart runs the CTAs of a launch from first up to end, not included, on the machine, and adds
// their results to the run. The machine polls stop while it runs; true ends the run.
func (s *Session) simulatePart(run *Run, first, end uint64, stop func() bool) error {
	m := s.Machine
	k, err := s.mapped(run.Launch.kernel())
	if err != nil {
		return err
	}
	before := readCounters(m)
	if err := m.LoadPart(k, first, end); err != nil {
		return err
	}
	if first == 0 {
		loaded := Loaded{Launch: run.Launch}
		if s.OnLaunch.Notify(&loaded); loaded.err != nil {
			return loaded.err
		}
	}
	outside, absent := s.countOutside(), s.watchAbsent(k.Prog)
	run.Outcome = s.outcome(&run.Launch, m.Run(stop, s.Limits.MaxCycles))
	run.Outside += outside()
	if a := absent(); run.Absent == nil {
		run.Absent = a
	}
	counters := readCounters(m)
	counters.since(&before, run.Outcome.Cycle, subCores(m))
	run.Counters.add(&counters)
	return nil
}

// localBase is the start of the local memory of all threads: the first address that pointers do not
// reach.
const localBase = addressEnd

// mapped returns a kernel with its memory: the ranges its threads may access, and local memory.
func (s *Session) mapped(k sm.Kernel) (sm.Kernel, error) {
	k.LocalBase, k.Valid, k.Pad = localBase, s.memory.Ranges(), s.Pad
	local := s.Machine.LocalBytes(&k)
	if local > maxLocal {
		return k, fmt.Errorf("local memory: the threads that can be resident take %d bytes, want at most %d: %s; "+
			"fewer SMs (gpu.sms), threads of an SM (sm.threads) or CTAs take less", local, maxLocal,
			s.localText(k.Prog))
	}
	if err := s.Machine.Store.Map(localBase, local); err != nil {
		return k, fmt.Errorf("local memory: %w", err)
	}
	return k, nil
}

// Loaded is a launch immediately before it runs.
type Loaded struct {
	Launch
	err error
}

// Refuse prevents the launch with the first error that is not nil.
func (l *Loaded) Refuse(why error) {
	if l.err == nil {
		l.err = why
	}
}

// emulate runs a launch on the functional model instead of the machine. It changes device memory as
// the launch does, and takes no cycles.
func (s *Session) emulate(run *Run) error {
	m, result, err := s.functional(run, 0, 0)
	if err != nil {
		return err
	}
	m.Changes(s.Write)
	s.emulated(run, result)
	return s.err
}

// functional runs the CTAs of a launch from first up to end, not included, on the functional model;
// end = 0 is all. It changes the memory that it returns, not device memory.
func (s *Session) functional(run *Run, first, end uint64) (*functional.Memory, *functional.Result, error) {
	if w := s.Machine.Config.SM.WarpSize; w > isa.RowLanes {
		return nil, nil, fmt.Errorf("sm.warp_size = %d: the functional model has warps of at most %d threads; "+
			"leave out --fast and --sample", w, isa.RowLanes)
	}
	m := functional.NewMemory(s.memory.Ranges(), s.Pad, s.Machine.Store.Read)
	setup := run.Launch.Functional(&s.Machine.Config, s.room(run))
	setup.From, setup.To = first, end
	setup.MaxLanes, setup.Stop = s.maxSteps(), s.Limits.Stop
	result, err := functional.Run(setup, m)
	return m, result, err
}

// room returns the number of CTAs of a launch that the machine holds at once.
func (s *Session) room(run *Run) int { return run.Occupancy.CTAs * s.Machine.Config.GPU.SMs }

// emulated records the results of an emulated launch.
func (s *Session) emulated(run *Run, result *functional.Result) {
	run.Outside, run.Functional = result.Outside, &result.Counts
	run.Outcome = s.emulatedOutcome(&run.Launch, s.room(run), result)
	run.Counters = readCounters(s.Machine).zero()
}

// Functional returns the launch in the form of the functional model, for a machine that holds room
// CTAs at once.
func (l *Launch) Functional(c *gpu.Config, room int) functional.Setup {
	mech, _ := divergence.Find(c.Divergence.Mechanism)
	return functional.Setup{
		Prog: l.Prog, Grid: l.Grid, Block: l.Block, Shared: l.Shared, Params: l.Params,
		WarpSize: c.SM.WarpSize, Stack: uint32(c.SM.Stack), SMs: c.GPU.SMs, Room: room,
		Line: uint64(c.L1.Line), AbsentOwn: c.SM.AbsentLane == sm.AbsentOwn,
		Independent: mech.Arrival != divergence.ByWarp, First: c.Divergence.First(),
	}
}

// Golden returns the launch in the golden model's form, with the settings of a machine that it
// depends on.
func (l *Launch) Golden(c *gpu.Config) golden.Setup {
	return golden.Setup{
		Grid: l.Grid, Block: l.Block, SharedBytes: l.Shared, Params: l.Params,
		WarpSize: uint32(c.SM.WarpSize), Stack: uint32(c.SM.Stack), AbsentOwn: c.SM.AbsentLane == sm.AbsentOwn,
	}
}

// maxEmulated limits the thread instructions of an emulated launch, to some hours of run time.
const maxEmulated = 1 << 40

// maxSteps limits the thread instructions of an emulated launch. All lanes of the machine could
// execute as many in the core cycles that a launch may take.
func (s *Session) maxSteps() uint64 {
	cfg := &s.Machine.Config
	lanes := uint64(cfg.GPU.SMs * cfg.SM.WarpSize)
	if n := s.Limits.MaxCycles; n > 0 && n < maxEmulated/lanes {
		return n * lanes
	}
	return maxEmulated
}
