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
	CTA       *CTA
	Fetch     *Fetch
	Issue     *Issue
	Operands  *Operands
	ALU       *Pipe
	DPU       *Pipe // double precision
	SFU       *Pipe // special functions, division
	LSU       *LSU
	Writeback *Writeback
	Div       divergence.Policy
	Stalls    *Stalls // nil if the mechanism does not request it

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
	})
	if err != nil {
		return nil, err
	}
	majority, err := newHerd(herd)
	if err != nil {
		return nil, fmt.Errorf("herd.tie: %w", err)
	}
	warps := cfg.Warps()
	div, err := m.Build(o, divergence.Geometry{Lanes: cfg.WarpSize, Warps: warps, CTAs: cfg.CTAs}, &l.Code)
	if err != nil {
		return nil, err
	}
	slots, mixable := div.Slots(), 0 // all slots, and the number that may hold threads of several rows
	if h := div.Homes(); h != nil {
		mixable = h.Len()
	}
	c := div.Connections()
	weave := newWeave(l, c.Pairs)

	// The queues between the blocks.
	var (
		starts   = rtl.NewQueue[divergence.WarpStart](2)
		clears   = rtl.NewQueue[uint8](2)
		retires  = rtl.NewQueue[divergence.Retire](warps)
		flush    = rtl.NewQueue[Command](1)
		flushed  = rtl.NewQueue[Notice](1)
		flights  = rtl.NewQueue[Flight](2)
		latency  = cfg.outcomeLatency()
		outcomes = rtl.NewQueue[divergence.Outcome](weave.each*(latency+2), rtl.Latency(uint64(latency)))
		toALU    = rtl.NewQueue[Op](2)
		toDPU    = rtl.NewQueue[Op](2)
		toSFU    = rtl.NewQueue[Op](2)
		toLSU    = rtl.NewQueue[Op](2)
		fromLSU  = rtl.NewQueue[Result](4)
		moves    = rtl.NewQueue[divergence.Transfer](warps)
		moved    = rtl.NewQueue[divergence.Transferred](warps)
	)

	// The blocks, from the back of the pipeline to the front.
	alu, fromALU := l.pipe(isa.UnitALU, cfg.SIMDWidth, toALU.In(), weave.alu, branches{
		Outcome: outcomes.Out(), Exited: rtl.NewMem[uint32](warps), Div: div, Herd: majority,
	})
	dpu, fromDPU := l.pipe(isa.UnitDPU, cfg.DPWidth, toDPU.In(), weave.dpu, branches{})
	sfu, fromSFU := l.pipe(isa.UnitSFU, cfg.SFUWidth, toSFU.In(), weave.sfu, branches{})
	lsu := &LSU{
		In: toLSU.In(), Access: p.Access, Reply: p.Reply, Out: fromLSU.Out(),
		Flush: flush.In(), Flushed: flushed.Out(), Stack: moves.In(), Moved: moved.Out(),
		Table: rtl.NewMem[Pending](cfg.MemQueue), Data: rtl.NewMem[[isa.MaxLanes][2]uint64](cfg.MemQueue),
		Landings: rtl.NewMem[landing](cfg.MemQueue), Order: rtl.NewMem[uint8](cfg.MemQueue), l: l,
	}
	writeback := &Writeback{
		In: [4]rtl.In[Result]{fromLSU.In(), fromSFU, fromDPU, fromALU}, Clear: clears.In(),
		Regs: rtl.NewMem[isa.Row](0), Preds: rtl.NewMem[uint32](0), shares: weave.each > 1, l: l,
	}
	cta := &CTA{
		In: p.Command, Out: p.Notice, Launch: starts.Out(), Clear: clears.Out(), Retire: retires.In(),
		Flush: flush.Out(), Flushed: flushed.In(), Code: p.Fetch.Cache, l: l,
	}
	operands := &Operands{
		In: flights.In(), ALU: toALU.Out(), DPU: toDPU.Out(), SFU: toSFU.Out(), LSU: toLSU.Out(),
		Regs: writeback.Regs, Preds: writeback.Preds, CTA: cta,
		Tallies: c.Tallies, Convergence: c.Convergence, Beside: weave.read, l: l,
	}
	issue := &Issue{
		Out: flights.Out(), Done: &writeback.Done, Div: div, CTA: cta, Ranks: c.Ranks, Beside: weave.issue,
		Scoreboard: units.NewScoreboard(), Copies: rtl.NewMem[groups](warps), Shares: rtl.NewMem[shares](mixable),
		Active: rtl.NewMem[uint64](cfg.WarpSize + 1), l: l,
	}
	issue.Front = &Fetch{
		IBuffer: rtl.NewMem[Buffered](slots.Len()), Slots: slots,
		Fire: &issue.Fire, Second: weave.fire(), Redirect: &c.Redirect,
		Cache: p.Fetch.Cache, Lines: p.Fetch.Req, Arrived: p.Fetch.Rsp, l: l,
	}
	if p.Fetch.Cache != nil {
		issue.Front.Waits, issue.Front.line = rtl.NewMem[uint64](slots.Len()), uint32(p.Fetch.Line/instBytes)
	}
	issue.Front.Init(decode{PC: isa.NoPC})
	var stalls *Stalls
	if m.Stalls {
		stalls = &Stalls{
			Fire: &issue.Fire, Second: weave.fire(), Done: &writeback.Done,
			Loads: units.NewScoreboard(), Flights: rtl.NewMem[uint32](1), Div: div, l: l,
		}
		c.Stalled = &stalls.Out
	}

	// The mechanism joins the pipeline.
	c.Launch, c.Outcome, c.Retire = starts.In(), outcomes.In(), retires.Out()
	c.Fire, c.Second = &issue.Fire, weave.fire()
	c.Memory, c.Answer = moves.Out(), moved.In()

	return &SM{
		CTA: cta, Fetch: issue.Front, Issue: issue, Operands: operands, ALU: alu, DPU: dpu, SFU: sfu, LSU: lsu,
		Writeback: writeback, Div: div, Stalls: stalls, l: l,
	}, nil
}

// Load prepares the SM for a kernel, between runs.
func (s *SM) Load(k Kernel) error {
	if s.Operands.Tallies == nil && slices.ContainsFunc(k.Prog.Insts, func(in isa.Inst) bool { return in.Reduces() }) {
		return fmt.Errorf("%s has bar.red, and the barriers of mechanism %q do not reduce predicates: it sets no Ports.Tallies", k.Prog.Name, s.l.mech.Name)
	}
	if w := s.l.cfg.WarpSize; w != isa.MaxLanes &&
		slices.ContainsFunc(k.Prog.Insts, func(in isa.Inst) bool { return in.Matrix() }) {
		return fmt.Errorf("%s has mma or the like, whose matrices lie in the registers of %d threads: sm.warp_size is %d", k.Prog.Name, isa.MaxLanes, w)
	}
	if err := s.l.load(k); err != nil {
		return err
	}
	s.clear()
	return nil
}

// LoadLike prepares the SM for the kernel that another SM of the same machine was loaded with,
// between runs. The two share the decoded program.
func (s *SM) LoadLike(o *SM) {
	s.l.loaded = o.l.loaded
	s.l.herdLimit = s.l.herdShare()
	s.clear()
}

// clear empties the state that depends on the loaded program.
func (s *SM) clear() {
	s.Div.Begin()
	if c := s.Div.Counts(); c != nil {
		c.Begin()
	}
	if q := *s.Issue.Q(); q.Herded > 0 {
		q.Herded = 0
		s.Issue.Init(q)
	}
	s.Issue.Scoreboard.Resize(s.l.nregs + s.l.npreds)
	if s.Stalls != nil {
		s.Stalls.Loads.Resize(s.l.nregs + s.l.npreds)
	}
	rows := s.l.cfg.Warps()
	s.Writeback.Regs.Resize(rows * s.l.nregs)
	s.Writeback.Preds.Resize(rows * s.l.npreds)
}

// Code returns the instruction memory of the loaded kernel.
func (s *SM) Code() Range {
	start := s.l.code(0)
	return Range{start, start + uint64(len(s.l.insts))*instBytes}
}

// CTAs returns the number of CTAs of the loaded kernel that the SM holds.
func (s *SM) CTAs() int { return s.l.ctas }
