// Package sm models a streaming multiprocessor. It has fetch, decode and I-buffer, scoreboard and
// warp scheduler, a banked register file, execution and memory pipes, write-back, and CTA
// admission. The divergence hardware behind the slots of the front end is a separate part: see
// package divergence.
//
//	          +-------------- Redirect ---------------+
//	          v                                       |
//	CTA --> Fetch --> I-buffer --> Issue ---Fire--> Div <--Launch-- CTA
//	                                 |               ^
//	                                 v               | Outcome
//	                             Operands --> ALU ---+
//	                                 |   +--> DPU --+
//	                                 |   +--> SFU --+--> Writeback --> registers
//	                                 +------> LSU --+        |
//	                                           |^            +-- Done --> Issue
//	                                           v|
//	                                       memory system
//
// Begin to read at Issue, which makes the pipeline's one decision. Continue with a mechanism in
// package divergence.
package sm

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// SM is a streaming multiprocessor without its memory unit, which connects at Access and Reply.
type SM struct {
	CTA      *CTA
	*SubCore // the first
	Div      divergence.Policy
	Stalls   *Stalls    // nil if neither the mechanism nor the scheduler needs it
	Sub      []*SubCore // all of them
	MemPort  *MemPort   // nil if there is one sub-core
	// FetchPort is nil without an instruction cache, or if there is one sub-core.
	FetchPort *FetchPort

	l *launch
}

// Ports connect an SM with the dispatcher and the memory unit.
type Ports struct {
	Command rtl.In[Command]
	Notice  rtl.Out[Notice]
	Access  rtl.Out[memsys.Access]
	Reply   rtl.In[memsys.Reply]

	// Params is the address of the parameter bank in device memory, 0 for a bank in the SM.
	Params uint64
	// Texture reports that there is a texture cache. Without one, ld.global.nc reads the L1.
	Texture bool
	// TextureUnit reports that there is a texture unit.
	TextureUnit bool
	// Fetch is the port of the instruction cache. Without a cache every fetch hits.
	Fetch memsys.FetchPort

	// Faulted is set when a thread misbehaves, so that the machine need not poll the Fault of each
	// SM. It may be nil.
	Faulted *atomic.Bool
}

// New makes SM number index of sms, with the given bytes of shared memory.
func New(
	cfg *Config, o divergence.Options, herd *units.HerdConfig, shared, index, sms int, p Ports,
) (*SM, error) {
	m, ok := divergence.Find(o.Mechanism)
	if !ok {
		return nil, fmt.Errorf("divergence.mechanism = %q: no such mechanism", o.Mechanism)
	}
	l, err := newLaunch(site{
		cfg: cfg, mech: m, options: o, herd: herd, index: uint32(index), sms: uint32(sms), shared: shared,
		faulted: cmp.Or(p.Faulted, new(atomic.Bool)), params: p.Params, texture: p.Texture,
		sampler: p.TextureUnit,
	})
	if err != nil {
		return nil, err
	}
	warps, n := cfg.Warps(), cfg.Schedulers
	div, err := m.Build(o, cfg.Geometry(), &l.Code)
	if err != nil {
		return nil, err
	}
	c := div.Connections()
	if c.Failure != nil {
		c.Failure.Stop = l.faulted
	}
	switch {
	case n > 1 && m.Across:
		return nil, fmt.Errorf("sm.schedulers = %d: mechanism %q forms warps from threads of the whole SM, whose registers are in several sub-cores; want 1", n, m.Name)
	case n > 1 && !c.Divides:
		return nil, fmt.Errorf("sm.schedulers = %d: mechanism %q has the ports of one sub-core, it does not set Ports.Divides; want 1", n, m.Name)
	}
	part := common{
		div: div, mixable: 0, interwoven: c.Pairs, issued: &IssueEvents{}, started: &PipeEvents{},
		crosses: make([]crossing, 1),
	}
	if h := div.Homes(); h != nil {
		part.mixable = h.Len()
	}

	// The queues between the blocks that the sub-cores share.
	var (
		starts  = rtl.NewQueue[divergence.WarpStart](2)
		retires = rtl.NewQueue[divergence.Retire](warps)
		flush   = rtl.NewQueue[Command](1)
		flushed = rtl.NewQueue[Notice](1)
		loaded  = newValues()
		fromLSU = rtl.NewQueue[Result](4, l.written(loaded))
		moves   = rtl.NewQueue[divergence.Transfer](warps)
		moved   = rtl.NewQueue[divergence.Transferred](warps)
	)
	lsu := &LSU{
		Access: p.Access, Reply: p.Reply, Out: fromLSU.Out(), Values: loaded,
		Flush: flush.In(), Flushed: flushed.Out(), Stack: moves.In(), Moved: moved.Out(),
		Table: rtl.NewMem[Pending](cfg.MemQueue), Data: rtl.NewMem[[isa.RowLanes][2]uint64](l.rowOf(cfg.MemQueue, 0)),
		Landings: rtl.NewMem[landing](cfg.MemQueue), Order: rtl.NewMem[uint8](cfg.MemQueue), l: l,
	}
	sourced := l.sourced(lsu.row)
	toLSU := rtl.NewQueue[Op](memBacklog, sourced)
	lsu.In, part.loaded = toLSU.In(), loaded
	part.cta = &CTA{
		In: p.Command, Out: p.Notice, Launch: starts.Out(), Retire: retires.In(),
		Flush: flush.Out(), Flushed: flushed.In(), Code: p.Fetch.Cache, l: l,
	}
	s := &SM{CTA: part.cta, Div: div, l: l}
	if n > 1 {
		s.MemPort = &MemPort{Out: toLSU.Out(), Results: fromLSU.In(), l: l}
		if p.Fetch.Cache != nil {
			s.FetchPort = &FetchPort{Out: p.Fetch.Req, Rsp: p.Fetch.Rsp}
		}
	}

	// The sub-cores, which the mechanism joins.
	c.Launch, c.Retire, c.Memory, c.Answer = starts.In(), retires.Out(), moves.Out(), moved.In()
	for core := range n {
		clears := rtl.NewQueue[uint8](2)
		if core == 0 {
			part.cta.Clear = clears.Out()
		} else {
			part.cta.Clears = append(part.cta.Clears, clears.Out())
		}
		part.clears, part.toLSU, part.fromLSU, part.lines = clears.In(), toLSU.Out(), fromLSU.In(), p.Fetch
		part.stored = newValues()
		lsu.Sources[core] = part.stored
		if s.FetchPort != nil {
			part.lines = s.FetchPort.add(p.Fetch)
		}
		if n > 1 {
			in, back := rtl.NewQueue[Op](memBacklog, sourced), rtl.NewQueue[Result](2, l.written(loaded))
			part.toLSU, part.fromLSU = in.Out(), back.In()
			s.MemPort.In, s.MemPort.Back = append(s.MemPort.In, in.In()), append(s.MemPort.Back, back.Out())
		}
		sub, port, err := newSubCore(l, core, part)
		if err != nil {
			return nil, err
		}
		sub.LSU = lsu
		if s.Sub = append(s.Sub, sub); core == 0 {
			c.CorePort = port
		} else {
			c.Others = append(c.Others, port)
		}
	}
	s.SubCore = s.Sub[0]
	if m.Stalls || s.Issue.Groups != nil {
		s.Stalls = &Stalls{
			Loads: units.NewScoreboard(), Flights: rtl.NewMem[uint32](1), Writers: rtl.NewMem[uint16](0),
			Div: div, l: l,
		}
		for _, sub := range s.Sub {
			s.Stalls.Fires = append(s.Stalls.Fires, &sub.Issue.Fire)
			if b := sub.Issue.Beside; b != nil {
				s.Stalls.Fires = append(s.Stalls.Fires, &b.Fire)
			}
			s.Stalls.Dones = append(s.Stalls.Dones, &sub.Writeback.Done)
			if g := sub.Issue.Groups; g != nil {
				g.Stalls = s.Stalls
			}
		}
	}
	if m.Stalls {
		c.Stalled = &s.Stalls.Out
	}
	return s, nil
}

// Load prepares the SM for a kernel, between runs.
func (s *SM) Load(k Kernel) error {
	if s.Operands.Tallies == nil && slices.ContainsFunc(k.Prog.Insts, func(in isa.Inst) bool { return in.Reduces() }) {
		return fmt.Errorf("%s has bar.red, and the barriers of mechanism %q do not reduce predicates: it sets no Ports.Tallies", k.Prog.Name, s.l.mech.Name)
	}
	if w := s.l.cfg.WarpSize; w < isa.RowLanes &&
		slices.ContainsFunc(k.Prog.Insts, func(in isa.Inst) bool { return in.Matrix() }) {
		return fmt.Errorf("%s has mma or the like, whose matrices lie in the registers of %d threads: sm.warp_size is %d", k.Prog.Name, isa.RowLanes, w)
	}
	if !s.l.sampler && slices.ContainsFunc(k.Prog.Insts, func(in isa.Inst) bool { return in.Op == isa.OpTex }) {
		return fmt.Errorf("%s has tex or tld4 as an instruction, and the SM has no texture unit: texture.fetch is loads",
			k.Prog.Name)
	}
	if err := s.l.load(k); err != nil {
		return err
	}
	if err := s.fits(s.l.Prog); err != nil {
		return err
	}
	s.l.divide(s.Div.Slots().Len())
	s.clear()
	return nil
}

// fits reports the first instruction that does not work in warps of more than 32 lanes. PTX has masks
// of 32 bits and lanes of 5 bits. A bar.warp.sync of 0xffffffff names all threads of a warp, as
// CUDA's __syncwarp() does. Asynchronous copies take the lanes of one row.
func (s *SM) fits(p *isa.Program) error {
	if s.l.wide == 0 {
		return nil
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		why := ""
		switch {
		case in.Op == isa.OpBarWarp || in.Op == isa.OpWarpSync:
			if m := in.Src[in.NSrc-1]; m.Kind == isa.OperandImm && uint32(m.Imm) == ^uint32(0) {
				continue
			}
			why = "its membermask has 32 bits; of warps of 64 lanes it can only name all, with 0xffffffff"
		case in.CrossLane() || in.Matrix():
			why = "its masks have 32 bits and its lanes 5"
		case in.Op == isa.OpBMov:
			why = "mechanism " + s.l.mech.Name + " keeps the threads of a convergence barrier in a register of 32 bits here"
		case in.Op == isa.OpCopy:
			why = "an asynchronous copy serves 32 lanes"
		}
		for _, o := range in.Src[:in.NSrc] {
			if r := isa.Special(o.Index); o.Kind == isa.OperandSpecial && r >= isa.LanemaskEq && r <= isa.LanemaskGt {
				why = "a mask of lanes has 32 bits"
			}
		}
		if why != "" {
			return fmt.Errorf("%s:%d:%d: %q: %s; sm.warp_size is %d, want at most %d", p.File, in.Pos.Line, in.Pos.Col,
				in.Text, why, s.l.cfg.WarpSize, isa.RowLanes)
		}
	}
	return nil
}

// Reset forgets the loaded kernels, which leave instruction memory. The registers are reset by the
// simulation.
func (s *SM) Reset() { s.l.placed, s.l.end = nil, 0 }

// LoadLike prepares the SM for the kernel that another SM of the same machine was loaded with,
// between runs. The two share the decoded program.
func (s *SM) LoadLike(o *SM) {
	s.l.loaded = o.l.loaded
	s.l.herdLimit = s.l.herdShares()
	s.clear()
}

// clear empties the state that depends on the loaded program.
func (s *SM) clear() {
	s.Div.Begin()
	if c := s.Div.Counts(); c != nil {
		c.Begin()
	}
	if s.Stalls != nil {
		regs := s.l.nregs + s.l.npreds
		s.Stalls.Loads.Resize(regs)
		s.Stalls.Writers.Resize(regs)
	}
	rows := s.l.cfg.Warps() / len(s.Sub)
	s.l.resizeResults(s.LSU.Values, isa.UnitMem, loads)
	if q := *s.LSU.Q(); q.Next != 0 {
		q.Next = 0
		s.LSU.Init(q)
	}
	for _, c := range s.Sub {
		if q := *c.Operands.Q(); q.Next != [4]uint16{} {
			q.Next = [4]uint16{}
			c.Operands.Init(q)
		}
		c.Operands.From.Resize(len(c.Operands.Sources))
		each := 1
		if c.Operands.Beside != nil {
			each = 2
		}
		for unit, p := range map[isa.Unit]*Pipe{isa.UnitALU: c.ALU, isa.UnitDPU: c.DPU, isa.UnitSFU: c.SFU} {
			s.l.resizeResults(p.Values, unit, s.l.cfg.inPipe(unit, each))
		}
		for unit, waiting := range map[isa.Unit]int{
			isa.UnitMem: memBacklog * min(len(s.Sub), 2),
			isa.UnitALU: lateBacklog * each, isa.UnitDPU: lateBacklog * each,
		} {
			s.l.resizeSources(c.Operands.Sources[port(unit)], unit, waiting)
		}
		if q := *c.Issue.Q(); q.Herded > 0 {
			q.Herded = 0
			c.Issue.Init(q)
		}
		c.Issue.Scoreboard.Resize(s.l.nregs + s.l.npreds)
		c.Writeback.Regs.Resize(s.l.rowOf(rows*s.l.nregs, 0))
		c.Writeback.Preds.Resize(rows * s.l.npreds)
	}
}

// Code returns the instruction memory of the loaded kernel.
func (s *SM) Code() Range {
	start := s.l.code(0)
	return Range{start, start + uint64(len(s.l.insts))*instBytes}
}

// CTAs returns the number of CTAs of the loaded kernel that the SM holds.
func (s *SM) CTAs() int { return s.l.ctas }
