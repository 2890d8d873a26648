package sm

import (
	"fmt"

	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// MaxSchedulers is the largest number of sub-cores of an SM.
const MaxSchedulers = 4

// SubCore is a part of a streaming multiprocessor with a warp scheduler of its own. It has its own
// warps, I-buffers, scoreboard, register banks, pipes and write-back ports, and issues one
// instruction a cycle (Jia et al., arXiv 1804.06826, section 2.1: a processing block). The SM's
// sub-cores share the divergence hardware, the barriers, and the memory pipe:
//
//	       +--> Fetch --> Issue --> Operands --> ALU, DPU, SFU --> Writeback   sub-core 0
//	Div <--+                           |                               ^
//	       |                           +---> MemPort <---> LSU         |
//	       |                           |        +----------------------+
//	       +--> Fetch --> Issue --> Operands --> ALU, DPU, SFU --> Writeback   sub-core 1
//
// Warps take turns among the sub-cores by their rows. The registers of a thread never leave its
// sub-core, so a mechanism can form warps only from threads of the same one. Thread block compaction
// therefore gives each CTA to one sub-core as a whole, and the CTAs take turns. Dynamic warp
// formation, which mixes CTAs too, is refused with several sub-cores.
type SubCore struct {
	Fetch     *Fetch
	Issue     *Issue
	Operands  *Operands
	ALU       *Pipe
	DPU       *Pipe // double precision
	SFU       *Pipe // special functions, division
	LSU       *LSU  // of the SM
	Writeback *Writeback
}

// common are the parts of an SM that its sub-cores use together.
type common struct {
	div        divergence.Policy
	cta        *CTA
	issued     *IssueEvents
	started    *PipeEvents
	toLSU      rtl.Out[Op]       // of this sub-core
	fromLSU    rtl.In[Result]    // to it
	loaded     *rtl.Mem[isa.Row] // values of the LSU
	stored     *rtl.Mem[isa.Row] // sources of toLSU
	clears     rtl.In[uint8]     // rows of new threads
	lines      memsys.FetchPort
	crosses    []crossing // one, scratch of their pipes
	mixable    int        // slots that may hold threads of several rows
	interwoven bool       // the mechanism takes two instructions in a cycle
}

// newSubCore makes sub-core number core, and its port of the divergence hardware.
func newSubCore(l *launch, core int, s common) (*SubCore, divergence.CorePort, error) {
	cfg, warps, c := l.cfg, l.cfg.Warps(), s.div.Connections()
	majority, err := newHerd(l.herd)
	if err != nil {
		return nil, divergence.CorePort{}, fmt.Errorf("herd.tie: %w", err)
	}
	var operands *Operands
	shows, showsBeside := shown(func(v *Sourced, r *Result) { operands.show(v, r) })
	if l.wide > 0 {
		shows, showsBeside = shown(func(v *SourcedWide, r *Result) { operands.showWide(v, r) })
	}
	weave := newWeave(l, s.interwoven, showsBeside)
	var ( // the queues between the blocks
		flights  = rtl.NewQueue[Flight](2)
		latency  = cfg.outcomeLatency()
		outcomes = rtl.NewQueue[divergence.Outcome](weave.each*(latency+2), rtl.Latency(uint64(latency)))
		toALU    = rtl.NewQueue[Result](2, shows)
		toDPU    = rtl.NewQueue[Result](2, shows)
		toSFU    = rtl.NewQueue[Result](2, shows)
		late     = rtl.NewQueue[Op](lateBacklog*weave.each, rtl.As(func(*struct{}, *Op) {})) // a part of toALU
		lateDP   = rtl.NewQueue[Op](lateBacklog*weave.each, rtl.As(func(*struct{}, *Op) {})) // a part of toDPU
	)

	// The blocks, from the back of the pipeline to the front.
	alu, fromALU := l.pipe(isa.UnitALU, cfg.SIMDWidth, toALU.In(), weave.alu, s.started, branches{
		Late: late.In(), Sources: newValues(), Outcome: outcomes.Out(), Exited: rtl.NewMem[uint64](warps),
		Div: s.div, Herd: majority, crosses: s.crosses,
	})
	dpu, fromDPU := l.pipe(isa.UnitDPU, cfg.DPWidth, toDPU.In(), weave.dpu, s.started, branches{
		Late: lateDP.In(), Sources: newValues(), crosses: s.crosses,
	})
	sfu, fromSFU := l.pipe(isa.UnitSFU, cfg.SFUWidth, toSFU.In(), weave.sfu, s.started, branches{})
	writeback := &Writeback{
		In: [4]rtl.In[Result]{s.fromLSU, fromSFU, fromDPU, fromALU}, Clear: s.clears,
		Values: [4]*rtl.Mem[isa.Row]{s.loaded, sfu.Values, dpu.Values, alu.Values},
		Regs:   rtl.NewMem[isa.Row](0), Preds: rtl.NewMem[uint64](0), shares: weave.each > 1, l: l,
	}
	operands = &Operands{
		In: flights.In(), ALU: toALU.Out(), DPU: toDPU.Out(), SFU: toSFU.Out(), LSU: s.toLSU,
		Late: late.Out(), LateDP: lateDP.Out(),
		Values:  [4]*rtl.Mem[isa.Row]{nil, sfu.Values, dpu.Values, alu.Values},
		Sources: [4]*rtl.Mem[isa.Row]{s.stored, nil, dpu.Sources, alu.Sources},
		From:    rtl.NewMem[uint16](4),
		Regs:    writeback.Regs, Preds: writeback.Preds, CTA: s.cta,
		Tallies: c.Tallies, Convergence: c.Convergence, Beside: weave.read, l: l,
	}
	ctas := 0
	if cfg.CTAPriority != PriorityNone && s.mixable == 0 {
		ctas = cfg.CTAs
	}
	issue := &Issue{
		Out: flights.Out(), Done: &writeback.Done, Div: s.div, CTA: s.cta, Ranks: c.Ranks, Beside: weave.issue,
		Scoreboard: units.NewScoreboard(), Copies: rtl.NewMem[groups](warps), Shares: rtl.NewMem[shares](s.mixable),
		Of:     rtl.NewMem[units.Set](ctas),
		Known:  rtl.NewMem[uint64]((s.mixable + 63) / 64),
		Active: rtl.NewMem[uint64](cfg.WarpSize + 1), Groups: newFetchGroups(l),
		IssueEvents: s.issued, core: core, l: l,
	}
	issue.Front = &Fetch{
		IBuffer: rtl.NewMem[Buffered](s.div.Slots().Len()), Slots: s.div.Slots(),
		Fire: &issue.Fire, Second: weave.fire(), Redirect: &c.Redirect,
		Cache: s.lines.Cache, Lines: s.lines.Req, Arrived: s.lines.Rsp, core: core,
		divided: cfg.Schedulers > 1, l: l,
	}
	if s.lines.Cache != nil {
		issue.Front.Waits = rtl.NewMem[uint64](s.div.Slots().Len())
		issue.Front.line = uint32(s.lines.Line / instBytes)
	}
	issue.Front.Init(decode{PC: isa.NoPC})
	return &SubCore{
			Fetch: issue.Front, Issue: issue, Operands: operands, ALU: alu, DPU: dpu, SFU: sfu, Writeback: writeback,
		},
		divergence.CorePort{Fire: &issue.Fire, Second: weave.fire(), Outcome: outcomes.In()}, nil
}

// shown says how waveforms show the instructions of a pipe, and the second ones of a cycle.
func shown[T any](show func(op *T, r *Result)) (first, second rtl.QueueOption) {
	return rtl.As(show), rtl.As(func(op *Second[T], r *Second[Result]) {
		if op.Valid = r.Valid; r.Valid {
			show(&op.Inst, &r.Inst)
		}
	})
}

// MemPort connects several sub-cores with the memory pipe. It takes one instruction a cycle, in the
// order in which they have left the register files; of those that come together, the sub-cores take
// turns. So all accesses of a CTA stay in order across its barriers. It returns one result a cycle to
// the sub-core of its warp.
type MemPort struct {
	rtl.State[struct {
		Turn  uint8                             `bits:"2"` // sub-core that comes first of those that come together
		Order [MaxSchedulers * memBacklog]uint8 `bits:"2"` // sub-cores of the instructions waiting, the oldest first
		N     uint8                             `bits:"4"` // instructions waiting
		Of    [MaxSchedulers]uint8              `bits:"2"` // of these, the ones of each sub-core
	}]
	In      []rtl.In[Op] // by sub-core
	Out     rtl.Out[Op]
	Results rtl.In[Result]
	Back    []rtl.Out[Result] // by sub-core

	l *launch
}

// memBacklog is the number of memory instructions of a sub-core that wait for the port.
const memBacklog = 2

// lateBacklog is the number of instructions whose sources wait for the ALU, or for the DPU.
const lateBacklog = 2

// Tick records the instructions that have come, moves the oldest, and returns a result.
func (p *MemPort) Tick() {
	if p.Results.Valid() {
		r := p.Results.Front()
		if to := &p.Back[p.l.core(int(r.Slot))]; to.Ready() {
			*to.PushSlot() = *r
			p.Results.Pop()
		}
	}
	q := p.Q()
	for k := range p.In {
		i := (int(q.Turn) + k) % len(p.In)
		for range p.In[i].Len() - int(q.Of[i]) {
			d := p.D()
			d.Order[d.N%uint8(len(d.Order))] = uint8(i)
			d.N++
			d.Of[i]++
			d.Turn = uint8((i + 1) % len(p.In))
		}
	}
	if next := p.Next(); next.N == 0 || !p.Out.Ready() {
		return
	}
	d := p.D()
	i := d.Order[0] % MaxSchedulers
	*p.Out.PushSlot() = *p.In[i].Front()
	p.In[i].Pop()
	copy(d.Order[:], d.Order[1:])
	d.N--
	d.Of[i]--
	d.Order[len(d.Order)-1] = 0
}

// divide assigns the rows of the register file, and with them the slots, to the sub-cores.
func (l *launch) divide(slots int) {
	n := l.cfg.Schedulers
	if l.paths = slots; n > 1 {
		l.paths = slots / l.cfg.Warps()
	}
	for row := range l.cfg.Warps() {
		core, at := row%n, row/n
		if l.mech.Blocks { // a whole CTA
			cta := row / l.warps
			if core, at = cta%n, cta/n*l.warps+row%l.warps; cta >= l.ctas {
				core, at = 0, 0 // no warp is ever there
			}
		}
		l.cores[row], l.place[row], l.first[row] = uint8(core), uint8(at), uint32(l.rowOf(at*l.nregs, 0))
		l.hosts[core] |= 1 << l.cta[row]
	}
	for s := range slots {
		l.slots[l.core(s)].Add(s)
	}
}

// core returns the sub-core of a slot.
func (l *launch) core(slot int) int { return int(l.cores[slot/l.paths&(MaxWarps-1)]) }

// reg returns the index of a register in the banks of its sub-core, given its row and half of the warp.
func (l *launch) reg(row uint8, reg, half int) int {
	return int(l.first[row&(MaxWarps-1)]) + l.rowOf(reg, half)
}

// home returns the index of a register of the thread with a home, and the thread's lane in that row.
// Row is that of the register among those of a thread: see rowOf.
func (l *launch) home(h units.Home, row int) (index, lane int) {
	return int(l.first[h.Row&(MaxWarps-1)]) + row + int(h.Lane)/isa.RowLanes, int(h.Lane) % isa.RowLanes
}

// pred returns the index of a predicate in the banks of its sub-core, given its row.
func (l *launch) pred(row uint8, pred int) int { return int(l.place[row&(MaxWarps-1)])*l.npreds + pred }

// Core returns the number of the sub-core of a row.
func (s *SM) Core(row int) int { return int(s.l.cores[row&(MaxWarps-1)]) }

// CoreOf returns the number of the sub-core that a slot belongs to.
func (s *SM) CoreOf(slot int) int { return s.l.core(slot) }
