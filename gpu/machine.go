// Package gpu joins streaming multiprocessors, interconnect, L2 slices and DRAM channels to a
// machine. It dispatches the CTAs of a grid to the machine.
//
//	           Dispatcher
//	commands /     |     \ flush
//	SM 0 ... SM n  |      \
//	  |        |   |       |
//	Interconnect (requests, responses)
//	  |        |
//	L2 slice  L2 slice ...
//	  |        |
//	DRAM      DRAM
//
// Each box is an island: a separate simulation in one of three clock domains. Only links of fixed
// latency join it to other islands. Islands can run on several cores; the results do not depend on
// the number of cores.
package gpu

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"divergo/memsys"
	"divergo/rtl"
	"divergo/sm"
	"divergo/sm/divergence"
)

// commandLatency is the latency of the wires between the dispatcher and the SMs, in core cycles.
const commandLatency = 8

// Machine is a GPU. It runs one kernel after another. Caches, DRAM pages and clocks keep their
// state from one kernel to the next.
type Machine struct {
	Config Config
	SMs    []*sm.SM
	*memsys.Memory

	sys      *rtl.System
	core     *rtl.Domain
	dispatch *dispatcher
	kernel   sm.Kernel
	fault    atomic.Bool // an SM has recorded a fault
}

// smIsland is an SM with its memory side.
type smIsland struct {
	*sm.SM
	Mem *memsys.Unit
}

// New builds a machine. The error names the faults of the configuration.
func New(cfg Config) (*Machine, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	m := &Machine{Config: cfg, sys: rtl.NewSystem("gpu")}
	m.Memory = memsys.NewMemory(&m.Config.Config)
	const mhz = 1_000_000
	m.core = m.sys.Domain("core", uint64(cfg.Clocks.CoreMHz)*mhz)
	icnt := m.sys.Domain("icnt", uint64(cfg.Clocks.IcntMHz)*mhz)
	mem := m.sys.Domain("dram", uint64(cfg.Clocks.DRAMMHz)*mhz)

	sms := cfg.GPU.SMs
	m.dispatch = &dispatcher{
		Room: rtl.NewMem[uint8](sms), open: rtl.NewMem[uint64]((sms + 63) / 64), slices: cfg.DRAM.Channels,
	}
	var notices []rtl.In[sm.Notice]
	for i := range sms {
		command := rtl.NewLink[sm.Command](cfg.SM.CTAs+1, commandLatency)
		notice := rtl.NewLink[sm.Notice](cfg.SM.CTAs+1, commandLatency)
		access := rtl.NewQueue[memsys.Access](cfg.SM.AGULatency+2, rtl.Latency(uint64(cfg.SM.AGULatency)))
		reply := rtl.NewQueue[memsys.Reply](2)
		unit, params := m.NewUnit(access.In(), reply.Out()), uint64(0)
		if unit.Const != nil {
			params = sm.ParamBase
		}
		s, err := sm.New(&m.Config.SM, cfg.Divergence, &m.Config.Herd, cfg.Shared.Size, i, sms, sm.Ports{
			Command: command.In(), Notice: notice.Out(), Access: access.Out(), Reply: reply.In(), Params: params,
			Texture: unit.Texture != nil, TextureUnit: unit.TextureUnit != nil,
			Fetch: unit.Fetch, Faulted: &m.fault,
		})
		if err != nil {
			return nil, err
		}
		if unit.TextureUnit != nil {
			unit.TextureUnit.Readable = s.Readable
		}
		m.dispatch.SMs = append(m.dispatch.SMs, smPort{command.Out(), notice.In()})
		notices = append(notices, notice.In())
		m.SMs = append(m.SMs, s)
		if _, err := m.sys.Add(fmt.Sprintf("sm[%d]", i), m.core,
			&smIsland{s, unit}); err != nil {
			return nil, err
		}
	}
	m.dispatch.notices = rtl.NewValid(notices)
	m.dispatch.port, m.dispatch.Req, m.dispatch.Rsp = m.Port()
	if _, err := m.sys.Add("dispatch", m.core, m.dispatch); err != nil {
		return nil, err
	}
	if err := m.Memory.Add(m.sys, icnt, mem); err != nil {
		return nil, err
	}
	return m, m.sys.Elaborate()
}

// System returns the simulation, for waveforms and properties.
func (m *Machine) System() *rtl.System { return m.sys }

// Reset restores the state in which the machine was built, between runs.
func (m *Machine) Reset() {
	m.sys.Reset()
	for _, s := range m.SMs {
		s.Reset()
	}
}

// Core returns the clock domain of the SMs. Results are in its cycles.
func (m *Machine) Core() *rtl.Domain { return m.core }

// LocalBytes returns the bytes of device memory that a kernel needs from Kernel.LocalBase on.
func (m *Machine) LocalBytes(k *sm.Kernel) uint64 {
	mech, _ := divergence.Find(m.Config.Divergence.Mechanism)
	return k.LocalBytes(&m.Config.SM, mech, len(m.SMs))
}

// Load launches a kernel; Run then runs it. The error tells why the kernel fits no SM.
func (m *Machine) Load(k sm.Kernel) error { return m.LoadPart(k, 0, k.CTAs()) }

// LoadPart is Load for the CTAs of the grid from first up to end, not included.
func (m *Machine) LoadPart(k sm.Kernel, first, end uint64) error {
	if err := m.SMs[0].Load(k); err != nil {
		return err
	}
	for _, s := range m.SMs[1:] {
		s.LoadLike(m.SMs[0])
	}
	if err := m.store(&k); err != nil {
		return err
	}
	m.kernel = k
	m.dispatch.launch(first, end, uint8(m.SMs[0].CTAs()))
	return nil
}

// store puts the parameters of a launch into device memory, for the constant cache. For the
// instruction cache it makes the memory of the instructions exist, and the line that may be
// prefetched behind them.
func (m *Machine) store(k *sm.Kernel) error {
	if m.Config.Const.Size > 0 {
		if err := m.Store.Map(sm.ParamBase, uint64(len(k.Params))+memsys.MaxLine); err != nil {
			return err
		}
		if err := m.Write(sm.ParamBase, k.Params); err != nil {
			return err
		}
	}
	if m.Config.ICache.Size > 0 {
		code := m.SMs[0].Code()
		return m.Store.Map(code.Start, code.End-code.Start+memsys.MaxLine)
	}
	return nil
}

// End is the reason why a run ended.
type End uint8

// The ends.
const (
	Finished     End = iota // every CTA has ended and its results are in device memory
	Stopped                 // stop returned true
	Faulted                 // a thread has a fault: see sm.SM.Fault
	Deadlock                // threads wait for threads that never progress: see sm.SM.Paths
	EndlessLoop             // all threads repeat loops, or wait at barriers for those that do
	GridDeadlock            // the same, but the loops read memory and CTAs of the grid have no room: see Room
	OutOfTime               // max cycles have passed
	Failed                  // the hardware of the mechanism cannot go on: see Failure
)

func (e End) String() string {
	return [...]string{
		"finished", "stopped", "fault", "deadlock", "endless loop", "grid deadlock", "watchdog",
		"hardware failure",
	}[e]
}

// Run runs the loaded kernel until it ends, for at most max core cycles; 0 means no limit. If stop
// is not nil, Run calls it repeatedly on the caller's goroutine, and ends when it returns true.
func (m *Machine) Run(stop func() bool, max uint64) End {
	if max == 0 {
		max = math.MaxUint64 >> 8
	}
	m.fault.Store(m.faulted() || m.Failure() != nil) // a snapshot may have been restored
	stopped, stuck := false, Finished
	dog := newWatchdog(m)
	p := m.sys.RunUntil(func() bool {
		stopped = stop != nil && stop()
		stuck = dog.verdict()
		return stopped || stuck != Finished || m.dispatch.Q().Phase == phaseEnded || m.fault.Load()
	}, m.core, max)
	dog.stop()
	switch {
	case m.Failure() != nil:
		return Failed
	case m.faulted():
		return Faulted
	case m.dispatch.Q().Phase == phaseEnded:
		return Finished
	case stopped:
		return Stopped
	case stuck != Finished:
		return stuck
	case p.Idle:
		return Deadlock
	}
	return OutOfTime
}

// Failure returns the first failure of the hardware of the mechanism, or nil.
func (m *Machine) Failure() (first *divergence.Failure) {
	for _, s := range m.SMs {
		if f := s.Div.Connections().Failure; f != nil && f.Err != nil && (first == nil || f.Cycle < first.Cycle) {
			first = f
		}
	}
	return first
}

func (m *Machine) faulted() bool {
	return slices.ContainsFunc(m.SMs, func(s *sm.SM) bool {
		_, bad := s.Fault()
		return bad
	})
}

// Cycles returns the core cycles from the launch until the dispatcher knew that the last CTA had
// ended, or until the present cycle.
func (m *Machine) Cycles() uint64 {
	q := m.dispatch.Q()
	if q.Phase > phaseRun {
		return q.End - q.Start
	}
	return m.core.Now() - q.Start
}

// Room returns the number of CTAs of the loaded kernel that the machine holds at once, and the
// number of CTAs not yet begun.
func (m *Machine) Room() (ctas, unbegun uint64) {
	q := m.dispatch.Q()
	return uint64(len(m.SMs) * m.SMs[0].CTAs()), q.CTAs - q.Next
}

// Progress returns the number of CTAs of the grid that have ended, and the number of all CTAs. Those
// before a part of the grid have ended, and it ends at those behind.
func (m *Machine) Progress() (ended, of uint64) {
	q := m.dispatch.Q()
	return q.Ended, q.CTAs
}
