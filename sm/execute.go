package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
)

// Pipe is an execution pipeline. It takes a warp instruction every W/width cycles, less the cycles
// of lanes that do not execute it (see Skip). It computes the lanes and delivers the result after
// the latency of the queue behind Out. Control instructions leave by Outcome, to the divergence
// hardware, after the latency of that queue.
//
// Classes of opcodes may have their own latencies (see Opcodes). The latency of Out is then the
// shortest of them, and a slower instruction spends the rest in Line. Results leave the pipe one
// after the other. An instruction that would reach Out together with a result in Line starts later,
// as on GPGPU-Sim's result bus. Line stands still while Out is full because write-back has no port
// for it.
//
//	              latency - shortest        shortest
//	start --+--> | | | | | | | | Line --+--> Out --> Writeback
//	        |        ^                  |
//	        +--------+------------------+
type Pipe struct {
	rtl.State[struct {
		Next  uint64 `bits:"timer"` // first cycle in which the pipe takes another instruction
		Count uint64 `rtl:"sim"`    // warp instructions taken
		Held  uint64 `rtl:"sim"`    // cycles in which Line stood still
		Lined uint16 // results in Line
		Waits uint64 `rtl:"sim"` // cycles that instructions waited for their way out
		Fault Fault  `rtl:"sim"` // first trap, or first cross-lane instruction that cannot be executed

		Absent AbsentCounters `rtl:"sim"` // of cross-lane instructions
	}] `rtl:"inplace"`
	In      rtl.In[Result]
	Late    rtl.In[Op] `rtl:"optional"` // sources of the control and cross-lane instructions of In
	Out     rtl.Out[Result]
	Values  *rtl.Mem[isa.Row]           `rtl:"handed"`
	Sources *rtl.Mem[isa.Row]           `rtl:"handed,optional"` // of Late
	Line    *rtl.Mem[Stage]             // one place for each cycle, in a ring
	Outcome rtl.Out[divergence.Outcome] `rtl:"optional"`
	// Exited holds the lanes of each row whose threads have exited, 0 if all have.
	Exited *rtl.Mem[uint64] `rtl:"optional" bits:"lanes"`

	// Div tells which threads arrive at a barrier with the executing threads.
	Div divergence.Policy `rtl:"optional"`

	// Herd is the majority unit, present in the pipe of branches.
	Herd *Herd `rtl:"own"`
	// Beside holds the instruction that starts beside another one: see Interweave.
	Beside *besideStart `rtl:"own"`

	width   int    // lanes
	full    int    // cycles in which a whole warp enters
	least   uint64 // latency of Out
	l       *launch
	sim     *rtl.Sim
	crosses []crossing `rtl:"scratch"` // of the SM, in the pipes of cross-lane instructions

	*PipeEvents
	seen Flight `rtl:"scratch"` // instruction with the PC that observers see
}

// PipeEvents are the observers of the pipes of an SM. Its sub-cores notify the same ones.
type PipeEvents struct {
	// OnExit receives threads at their exit. OnBranch receives each resolved branch, call and
	// return. OnAbsent receives shuffles that read lanes which take no part.
	OnExit   rtl.Observers[Exited]
	OnBranch rtl.Observers[Branched]
	OnAbsent rtl.Observers[AbsentRead]
}

// branches holds the additional connections of the pipe of branches: see the fields of Pipe.
type branches struct {
	Late    rtl.In[Op]
	Sources *rtl.Mem[isa.Row]
	Outcome rtl.Out[divergence.Outcome]
	Exited  *rtl.Mem[uint64]
	Div     divergence.Policy
	Herd    *Herd
	crosses []crossing
}

// pipe makes a pipe of the given number of lanes between its operands and write-back.
func (l *launch) pipe(
	unit isa.Unit, width int, in rtl.In[Result], second *besideStart, events *PipeEvents, b branches,
) (*Pipe, rtl.In[Result]) {
	each := 1
	if second != nil {
		each = 2
	}
	least, most := l.cfg.Latencies(unit)
	values := newValues()
	last := rtl.NewQueue[Result](each*(least+2), rtl.Latency(uint64(least)), l.written(values))
	p := &Pipe{
		In: in, Late: b.Late, Sources: b.Sources, Out: last.Out(), Values: values,
		Line: rtl.NewMem[Stage](most - least), Beside: second,
		Outcome: b.Outcome, Exited: b.Exited, Div: b.Div, Herd: b.Herd,
		width: width, full: l.cfg.WarpSize / width, least: uint64(least), l: l, crosses: b.crosses, PipeEvents: events,
	}
	return p, last.In()
}

// Exited is an instruction with the lanes whose threads exit.
type Exited struct {
	*Flight
	Lanes uint64
}

// Branched is a resolved branch, call or return, with the lanes that take it. The PC is that in the
// launched program. Inst is the instruction that the hardware runs, and may differ.
type Branched struct {
	*Flight
	Inst  *isa.Inst
	Taken uint64
}

// Result is an instruction in a pipe or on its way to write-back. Its registers are rows of the values
// of its pipe.
type Result struct {
	Flight
	Exec uint64              `bits:"lanes"` // lanes to write
	PDst [isa.MaxDsts]uint64 `bits:"lanes"`
	At   uint16              // first row
}

// Written is a result with its registers, as waveforms show it.
type Written struct {
	Flight
	Exec uint64               `bits:"lanes"`
	PDst [isa.MaxDsts]uint64  `len:"results" bits:"lanes"`
	Dst  [isa.MaxDsts]isa.Row `len:"results,lanes" bits:"word"`
}

// WrittenWide is Written in warps of 64 lanes.
type WrittenWide struct {
	Written
	Upper [isa.MaxDsts]isa.Row `len:"results" bits:"word"` // lanes 32 and up
}

// written says that a queue holds results whose registers are in values.
func (l *launch) written(values *rtl.Mem[isa.Row]) rtl.QueueOption {
	show := func(to *[isa.MaxDsts]isa.Row, r *Result, half int) {
		for set := l.insts[r.PC].whole; set != 0; set &= set - 1 {
			i := bits.TrailingZeros8(set)
			row := readAt(values, r.At, l.rowOf(i, half))
			for m := lanesOf(r.Exec, half); m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
				to[i][lane] = row[lane]
			}
		}
	}
	if l.wide > 0 {
		return rtl.As(func(v *WrittenWide, r *Result) {
			v.Flight, v.Exec, v.PDst = r.Flight, r.Exec, r.PDst
			show(&v.Dst, r, 0)
			show(&v.Upper, r, 1)
		})
	}
	return rtl.As(func(v *Written, r *Result) {
		v.Flight, v.Exec, v.PDst = r.Flight, r.Exec, r.PDst
		show(&v.Dst, r, 0)
	})
}

// Stage is a place in Line.
type Stage struct {
	Full   bool
	Result Result
}

// Tick advances Line, and starts at most one instruction and the one beside it.
func (p *Pipe) Tick() {
	q := p.Q()
	out := true // no result of Line leaves in this cycle
	if q.Lined > 0 {
		if p.sim.WakeAt(p.sim.Now() + 1); !p.leave(&out) {
			return
		}
	}
	if !p.In.Valid() {
		return
	}
	if now := p.sim.Now(); now < q.Next {
		p.sim.WakeAt(q.Next)
		return
	}
	op := p.In.Front()
	b := p.Beside
	if b == nil || !b.Q().Late {
		if !p.start(op, out) {
			return
		}
	}
	enters := p.interval(op.PC, op.Exec)
	if b != nil {
		if s := b.In.Front(); s.Valid {
			if !p.start(&s.Inst, out) {
				b.D().Late = true
				return
			}
			both := op.Exec | s.Inst.Exec
			enters = max(p.interval(op.PC, both), p.interval(s.Inst.PC, both))
		}
		b.D().Late = false
		b.In.Pop()
	}
	p.D().Next = p.sim.Now() + enters
	p.In.Pop()
}

// start starts an instruction if possible; out tells whether the way out is free.
func (p *Pipe) start(r *Result, out bool) bool {
	in := &p.l.insts[r.PC]
	if in.completes && !p.room(in, out) {
		return false
	}
	switch {
	case in.control:
		if !p.Outcome.Ready() || r.Herd != 0 && !p.Herd.done(p.sim) {
			return false
		}
		p.control(in, p.Late.Front(), r)
		p.Late.Pop()
	case in.crosses:
		p.cross(in, p.Late.Front(), p.leaving(in, r))
		p.Late.Pop()
	default:
		p.leaving(in, r)
	}
	p.D().Count++
	return true
}

// row returns row i of the sources of the oldest instruction in Late, in a half of the warp.
func (p *Pipe) row(op *Op, i, half int) *isa.Row {
	return readAt(p.Sources, op.At, p.l.rowOf(i, half))
}

// source returns source i of a lane of the oldest instruction in Late.
func (p *Pipe) source(op *Op, i, lane int) uint64 {
	if s := &p.l.insts[op.PC].Src[i]; s.Kind == isa.OperandImm {
		return s.Imm
	}
	return p.row(op, i, lane/isa.RowLanes)[lane%isa.RowLanes]
}

// control starts a control instruction.
func (p *Pipe) control(in *decoded, op *Op, r *Result) {
	o := p.outcome(op, in.Inst)
	p.Outcome.Push(o)
	if in.Branches() && p.OnBranch.Any() {
		p.OnBranch.Notify(Branched{p.l.observed(&op.Flight, &p.seen), in.Inst, o.Taken})
	}
	switch {
	case in.Op == isa.OpCall:
		p.link(in, op, r, &o)
	case in.Op == isa.OpTrap && op.Exec != 0:
		p.trap(op, in.Inst)
	case in.Op == isa.OpBar && op.Exec != 0:
		p.arrives(op)
	}
	if in.Exits() && op.Exec != 0 {
		p.exits(op)
		if p.OnExit.Any() {
			p.OnExit.Notify(Exited{p.l.observed(&op.Flight, &p.seen), op.Exec})
		}
	}
}

// interval returns the number of cycles before the next instruction can start. This is the time to
// enter the pipe, or the initiation interval of the class. An instruction that skips lanes takes a
// proportional share.
func (p *Pipe) interval(pc uint32, lanes uint64) uint64 {
	n, full := p.full, p.full
	if lanes != p.l.all {
		n = p.l.entering(lanes, p.l.cfg.WarpSize, p.width)
	}
	if k := p.l.insts[pc].initiation; k > 0 {
		n = (n*k + full - 1) / full
	}
	return uint64(n)
}

// place returns the index in Line of a result that leaves after the given number of cycles.
func (p *Pipe) place(cycles uint64) int {
	return int((p.sim.Now() - p.Q().Held + cycles) % uint64(p.Line.Len()))
}

// leave sends the result at the end of Line to Out, and then clears free. It reports whether Line
// advances.
func (p *Pipe) leave(free *bool) bool {
	at := p.place(0)
	if !p.Line.At(at).Full {
		return true
	}
	if !p.Out.Ready() {
		p.D().Held++
		return false
	}
	s := p.Line.Edit(at)
	*p.Out.PushSlot() = s.Result
	*s, *free = Stage{}, false
	p.D().Lined--
	return true
}

// room reports whether an instruction can start and finds a free place on the way out at its time.
func (p *Pipe) room(in *decoded, free bool) bool {
	rest := in.latency - p.least
	if rest == 0 && free || rest > 0 && !p.Line.Next(p.place(rest)).Full {
		return rest > 0 || p.Out.Ready()
	}
	p.D().Waits++
	return false
}

// leaving puts a result on its way out, and returns its entry there.
func (p *Pipe) leaving(in *decoded, r *Result) *Result {
	rest := in.latency - p.least
	if rest == 0 {
		to, _ := p.Out.PushStale()
		*to = *r
		return to
	}
	p.D().Lined++
	s := p.Line.Edit(p.place(rest))
	*s = Stage{true, *r}
	return &s.Result
}

// trap records the fault of a trap, with the arguments of the lowest lane. It ends the run.
func (p *Pipe) trap(op *Op, in *isa.Inst) {
	lane := bits.TrailingZeros64(op.Exec)
	p.fail(Trapped, op, lane, 0)
	if f := &p.D().Fault; f.PC == op.PC {
		f.Lanes = op.Exec
		for i := range in.NSrc {
			f.Args[i] = p.source(op, int(i), lane)
		}
	}
}

// arrives records a fault if a barrier would count threads that have not reached it. From sm_70 on
// each thread counts by itself; earlier, the warp executes a barrier as a whole (PTX ISA, bar). A
// thread whose next instruction is its last counts as exited: it cannot be known whether it was at
// the barrier.
func (p *Pipe) arrives(op *Op) {
	in := &p.l.Prog.Insts[op.PC]
	if op.Mixed && !p.alike(op, in, 0) || op.Mixed && !p.alike(op, in, 1) {
		p.fail(Regrouped, op, bits.TrailingZeros64(op.Exec), 0)
		return
	}
	if p.l.Prog.Target < 70 {
		return
	}
	waits := in.Mode != isa.ModeArrive
	missing := p.Div.Arriving(int(op.Slot), op.Mask, waits) &^ op.Exec
	if missing != 0 && !op.Mixed {
		warp := int(op.Row) % p.l.warps
		missing &= p.l.masks[warp] &^ *p.Exited.At(int(op.Row))
		for _, path := range p.Div.Paths(nil) {
			if path.Row == op.Row && !path.Running && p.l.ends(path.PC) {
				missing &^= path.Mask
			}
		}
		missing = p.l.toLocations(warp, missing)
	}
	if missing != 0 {
		p.fail(PartOfWarp, op, bits.TrailingZeros64(op.Exec), missing)
	}
}

// alike reports whether a source of an instruction has the same value in all threads that execute
// it.
func (p *Pipe) alike(op *Op, in *isa.Inst, source int) bool {
	if source >= int(in.NSrc) || in.Src[source].Kind != isa.OperandReg {
		return true
	}
	first := p.source(op, source, bits.TrailingZeros64(op.Exec))
	for m := op.Exec; m != 0; m &= m - 1 {
		if p.source(op, source, bits.TrailingZeros64(m)) != first {
			return false
		}
	}
	return true
}

// ends reports whether a thread at pc does nothing but exit. It reports false if the mechanism does
// not know the PC (a token in memory).
func (l *launch) ends(pc uint32) bool {
	if pc == isa.NoPC {
		return false
	}
	for range l.Prog.Insts {
		switch in := &l.Prog.Insts[pc]; {
		case in.Exits():
			return in.Op != isa.OpTrap && in.EndsPath()
		case in.Jumps() && in.EndsPath(): // after a sync, too, its threads continue at the target
			pc = in.Target
		case in.Inserted && in.Op >= isa.OpSSY:
			pc++
		default:
			return false
		}
	}
	return false
}

// link writes the return address of a call, in the lanes that take it. A call without a target is a
// fault of the lowest lane.
func (p *Pipe) link(in *decoded, op *Op, r *Result, o *divergence.Outcome) {
	p.leaving(in, r).Exec = o.Taken
	for i := range int(in.results) {
		*valueAt(p.Values, r.At, i) = *in.consts[0]
	}
	if lane := bits.TrailingZeros64(op.Exec); o.Target == isa.NoPC {
		p.fail(NoFunction, op, lane, 0)
		if f := &p.D().Fault; f.PC == op.PC {
			f.Addr = p.source(op, 1, lane)
		}
	}
}

// indirect returns the target of the lowest lane of an indirect call or return, and the lanes with
// the same target. A call of a value that is no function has no target.
func (p *Pipe) indirect(op *Op, in *isa.Inst) (target uint32, taken uint64) {
	source := int(in.NSrc) - 1
	lead := p.source(op, source, bits.TrailingZeros64(op.Exec))
	for m := op.Exec; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); p.source(op, source, lane) == lead {
			taken |= 1 << lane
		}
	}
	if in.Returns() {
		return p.l.Prog.Landing(lead), taken
	}
	target, _ = p.l.Prog.Callee(lead)
	return target, taken
}

// outcome computes the outcome of a control instruction. The operands of a barrier are those of the
// lowest lane that executes it.
func (p *Pipe) outcome(op *Op, in *isa.Inst) divergence.Outcome {
	o := divergence.Outcome{Slot: op.Slot, PC: op.PC, Taken: op.Exec, Target: in.Target}
	switch {
	case op.Herd != 0:
		o.Taken = p.Herd.taken(&op.Flight, op.Exec)
		if p.Herd.OnHerd.Any() {
			p.Herd.OnHerd.Notify(Herded{p.l.observed(&op.Flight, &p.seen), op.Exec, o.Taken != 0})
		}
	case in.Indirect():
		o.Target, o.Taken = p.indirect(op, in)
	case in.Op == isa.OpWarpSync:
		o.Taken, o.Named = p.waits(op, in)
	case in.Op == isa.OpBMov:
		o.Named = p.source(op, 0, bits.TrailingZeros64(op.Exec))
	}
	if in.Op == isa.OpBar && op.Exec != 0 {
		lane := bits.TrailingZeros64(op.Exec)
		value := func(i uint8) uint64 {
			if i >= in.NSrc {
				return 0
			}
			return p.source(op, int(i), lane)
		}
		w := uint64(p.l.cfg.WarpSize)
		o.Bar = uint8(value(0)) & (divergence.Barriers - 1)
		o.Warps = uint8((value(1) + w - 1) / w)
		if in.Reduces() {
			o.Votes = op.PSrc[2]
			if c := in.Src[2]; c.Kind == isa.OperandImm {
				o.Votes = -uint64(c.Imm & 1)
			}
		}
	}
	return o
}
