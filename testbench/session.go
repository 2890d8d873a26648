package testbench

import (
	"fmt"
	"slices"

	"divergo/gpu"
	"divergo/isa"
	"divergo/rtl"
	"divergo/sm"
)

// Limits bound the launches of a session.
type Limits struct {
	MaxCycles uint64      // core cycles of a launch; 0: no limit
	Stop      func() bool // polled while a launch runs; true ends the launch; nil: never
}

// Session is the host's connection to a machine: it allocates device memory, launches kernels one
// after the other and keeps their counters.
type Session struct {
	Machine *gpu.Machine
	Limits  Limits
	Runs    []Run // the launches so far

	// OnLaunch receives each launch when the machine is loaded.
	OnLaunch rtl.Observers[*Loaded]

	// Herd, if set, returns a copy of a program with instructions marked for herding: see
	// isa.Herding. The copy is launched instead. Herd is called once for each program, and not on a
	// machine without herding.
	Herd func(p *isa.Program) (*isa.Program, error)

	// Emulates, if set, reports whether the functional model runs a launch, counted from 1, instead
	// of the machine. Device memory changes. Run.Functional has the counts, and Counters none.
	Emulates func(number int) bool

	// Sample, if set, chooses the launches and CTAs that the machine simulates, in place of Emulates.
	Sample *Sampling

	// Pad is the number of bytes outside of an allocation that a thread may read. The read gives
	// zeros and is counted. Set it before the first allocation.
	Pad uint64

	marked  map[*isa.Program]*isa.Program // by the original program
	memory  *Memory
	modules []*module // the modules launched so far
	err     error     // first failure of Alloc, Write or Read
}

// module holds the variables of a module. It also holds their values while another module with the
// same addresses is in device memory.
type module struct {
	of      any // the isa.Program.Module
	globals []isa.Global
	values  [][]byte // by variable
	span    sm.Range // of the variables; without any, the first address of other modules' variables
	placed  bool     // the variables are in device memory
}

// NewSession builds a machine.
func NewSession(cfg gpu.Config, limits Limits) (*Session, error) {
	m, err := gpu.New(cfg)
	if err != nil {
		return nil, err
	}
	return &Session{Machine: m, Limits: limits, memory: NewMemory(cfg.GPU.Bytes())}, nil
}

// Reset restores the initial state: nothing allocated, nothing launched, the machine as it was
// built. It is faster than a new session.
func (s *Session) Reset() {
	s.Machine.Reset()
	s.memory, s.Runs, s.modules, s.err = NewMemory(s.Machine.Config.GPU.Bytes()), nil, nil, nil
	if s.Sample != nil {
		*s.Sample = Sampling{Every: s.Sample.Every}
	}
}

// Alloc returns the address of fresh zeroed device memory, a multiple of 256. The next Launch
// returns a failure of Alloc.
func (s *Session) Alloc(bytes int) uint64 {
	if bytes < 0 {
		s.fail(fmt.Errorf("device memory: %d bytes asked for", bytes))
		return 0
	}
	addr, err := s.TryAlloc(uint64(bytes))
	s.fail(err)
	return addr
}

// TryAlloc is Alloc for a host that can continue without the memory: it returns a failure itself,
// and the next Launch does not.
func (s *Session) TryAlloc(bytes uint64) (uint64, error) {
	s.memory.pad = s.Pad
	addr, err := s.memory.Alloc(bytes)
	if err == nil {
		err = s.Machine.Store.Map(addr-s.Pad, bytes+2*s.Pad)
	}
	return addr, err
}

// Free releases an allocation. Its addresses are reused only after many others, so that a late
// access is found.
func (s *Session) Free(addr uint64) error {
	r, err := s.memory.Free(addr)
	if err != nil {
		return err
	}
	s.clear(r)
	return s.err
}

// clear sets a range of memory to zero, the state of unallocated memory.
func (s *Session) clear(r sm.Range) {
	zeros := make([]byte, min(r.End-r.Start, 1<<20))
	for at := r.Start; at < r.End; at += uint64(len(zeros)) {
		s.Write(at, zeros[:min(r.End-at, uint64(len(zeros)))])
	}
}

// Memory returns the record of allocated device memory.
func (s *Session) Memory() *Memory { return s.memory }

// Write copies data to device memory. The next Launch returns a failure of Write.
func (s *Session) Write(addr uint64, data []byte) { s.fail(s.Machine.Write(addr, data)) }

// Read fills data from device memory. The next Launch returns a failure of Read.
func (s *Session) Read(addr uint64, data []byte) { s.fail(s.Machine.Store.Read(addr, data)) }

// fail keeps the first error.
func (s *Session) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Err returns the first failure of Alloc, Write or Read.
func (s *Session) Err() error { return s.err }

// Buffer is a kernel argument in device memory.
type Buffer struct {
	Param int    // index of the parameter that points to it
	Addr  uint64 // in device memory
	Bytes uint64
}

// Place puts arguments into device memory. Buffers go into fresh allocations; values and the
// addresses of the buffers go into a parameter bank. The error lists every argument that does not
// fit its parameter.
func (s *Session) Place(p *isa.Program, args []Arg) (bank []byte, buffers []Buffer, err error) {
	if err := CheckArgs(p, args); err != nil {
		return nil, nil, err
	}
	bank = make([]byte, p.ParamBytes)
	for i := range args {
		a := &args[i]
		data := a.Data
		if a.Buffer {
			addr := s.Alloc(int(a.Bytes))
			s.Write(addr, data)
			buffers = append(buffers, Buffer{i, addr, a.Bytes})
			data = Address(addr)[:p.Params[i].Size]
		}
		copy(bank[p.Params[i].Offset:], data)
	}
	return bank, buffers, s.err
}

// PlaceModule puts the variables of a program's module into device memory, with their initial
// values or those that earlier launches left. They replace the variables of other modules at the
// same addresses. Launch does this too.
func (s *Session) PlaceModule(p *isa.Program) error {
	m := s.moduleOf(p)
	if m.placed {
		return nil
	}
	for _, o := range s.modules {
		if !o.placed || o.span.End <= m.span.Start || m.span.End <= o.span.Start {
			continue
		}
		for i, g := range o.globals {
			s.Read(g.Addr, o.values[i])
		}
		s.memory.remove(o.span)
		o.placed = false
	}
	for i, g := range m.globals {
		if err := s.Machine.Store.Map(g.Addr, g.Size); err != nil {
			return fmt.Errorf("%s: variable %s: %w", p.File, g.Name, err)
		}
		s.Write(g.Addr, m.values[i])
		if g.Size > 0 {
			s.memory.add(sm.Range{Start: g.Addr, End: g.Addr + g.Size})
		}
	}
	m.placed = true
	return s.err
}

// DropModule removes the variables of a program's module from device memory, and forgets their
// values.
func (s *Session) DropModule(p *isa.Program) {
	at := slices.IndexFunc(s.modules, func(m *module) bool { return m.of == p.Module })
	if at < 0 {
		return
	}
	if m := s.modules[at]; m.placed {
		s.memory.remove(m.span)
	}
	s.modules = slices.Delete(s.modules, at, at+1)
}

// moduleOf returns the module of a program, with initial values if it is new.
func (s *Session) moduleOf(p *isa.Program) *module {
	for _, m := range s.modules {
		if m.of == p.Module {
			return m
		}
	}
	m := &module{of: p.Module, globals: p.Globals, span: sm.Range{Start: isa.ModuleBase, End: isa.ModuleBase + 1}}
	for i, g := range p.Globals {
		data := make([]byte, g.Size)
		copy(data, g.Init)
		m.values = append(m.values, data)
		if i == 0 {
			m.span = sm.Range{Start: g.Addr, End: g.Addr + g.Size}
		}
		m.span.Start, m.span.End = min(m.span.Start, g.Addr), max(m.span.End, g.Addr+g.Size)
	}
	s.modules = append(s.modules, m)
	return m
}

// Counters returns the sum over all launches of the session.
func (s *Session) Counters() Counters {
	var c Counters
	for i := range s.Runs {
		c.add(&s.Runs[i].Counters)
	}
	return c
}

// KernelRuns are the launches of one kernel in a session.
type KernelRuns struct {
	Prog     *isa.Program
	Launches int
	Counters Counters // summed
}

// ByKernel groups the launches by kernel, in the order of each kernel's first launch.
func (s *Session) ByKernel() []KernelRuns {
	var list []KernelRuns
	for i := range s.Runs {
		r := &s.Runs[i]
		at := slices.IndexFunc(list, func(k KernelRuns) bool {
			p := r.Launch.Prog
			return k.Prog == p || k.Prog.Textured == p || p.Textured == k.Prog
		})
		if at < 0 {
			at = len(list)
			list = append(list, KernelRuns{Prog: r.Launch.Prog})
		}
		list[at].Launches++
		list[at].Counters.add(&r.Counters)
	}
	return list
}
