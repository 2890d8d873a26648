package sm

import (
	"math/bits"

	"divergo/internal/key"
	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Interweave selects the instructions that may issue beside another one, in lanes that it leaves
// idle.
type Interweave string

// The choices of Interweave.
const (
	InterweaveNone Interweave = "none"
	InterweaveSBI  Interweave = "sbi"
	InterweaveSWI  Interweave = "swi"
	InterweaveBoth Interweave = "sbi-swi"
)

// beside reports whether an instruction of slot b may issue beside one of slot a. Their lanes are
// known to be disjoint.
type beside func(a, b *divergence.Slot) bool

// interweaves holds the rules for instructions that may issue beside another one. The source is
// Brunie, Collange & Diamos, Simultaneous Branch and Warp Interweaving for Sustained GPU
// Performance, ISCA 2012. Two instructions of disjoint lanes form one row of the pipeline. Each lane
// reads, executes and writes for one of them. The example has an if of 3 instructions and an else
// of 2, in four lanes, by cycle:
//
//	       none     sbi      swi
//	if   T T - -  T T e e  T T E E
//	     T T - -  T T e e  T T E E
//	     T T - -  T T - -  T T - -
//	else - - e e           - - e e
//	     - - e e           - - e e
//
// T and e are the if and the else of warp 0. E is the else of warp 1, in lanes that warp 0 leaves.
//
// Our reading: the scheduler picks the first instruction. Of the candidates beside it, the one with
// most lanes issues (the paper's best fit), and among equals that of the first slot. With two paths
// of a warp there is only one candidate. The paper's second scheduler for warps searches a set of
// them, a cycle later.
var interweaves = key.Choices[Interweave, beside]{}.
	With(InterweaveNone, "none: an instruction issues by itself", func(_, _ *divergence.Slot) bool { return false }).
	With(InterweaveSBI, "simultaneous branch interweaving: an instruction of another path of the warp",
		func(a, b *divergence.Slot) bool { return a.Row == b.Row }).
	With(InterweaveSWI, "simultaneous warp interweaving: one of another warp",
		func(a, b *divergence.Slot) bool { return a.Row != b.Row }).
	With(InterweaveBoth, "both: one of any slot", func(_, _ *divergence.Slot) bool { return true })

// Words lists the valid values.
func (Interweave) Words() key.Words { return interweaves.Words() }

// Second carries the second instruction through a stage of the pipeline. Each first instruction has
// a Second, usually not valid, so that the queues of both stay in step.
type Second[T any] struct {
	Valid bool
	Inst  T
}

// Beside is the additional hardware of Issue that sends a second instruction in a cycle.
type Beside struct {
	rtl.State[struct {
		Count uint64 `rtl:"sim"` // instructions sent
	}]
	Fire rtl.Wire[divergence.Fire]
	Out  rtl.Out[Second[Flight]]

	fits beside
}

// besideRead is the additional hardware of Operands for the second instruction. The banks of a lane
// serve the instruction in that lane, so two instructions take as long as the longer one.
type besideRead struct {
	In            rtl.In[Second[Flight]]
	ALU, DPU, SFU rtl.Out[Second[Result]]
}

// besideStart is the additional hardware of a pipe: each lane executes the instruction in it.
type besideStart struct {
	rtl.State[struct {
		Late bool // the first has started, the second has not
	}]
	In rtl.In[Second[Result]]
}

// weave is the hardware for a second instruction in a cycle. Its parts are nil without
// interweaving.
type weave struct {
	each          int // instructions in a cycle
	issue         *Beside
	read          *besideRead
	alu, dpu, sfu *besideStart
}

// newWeave makes the hardware if the configuration enables it and the mechanism supports two
// instructions. show says how waveforms show the second instruction of a pipe.
func newWeave(l *launch, served bool, show rtl.QueueOption) weave {
	if !served || l.cfg.Interweave == InterweaveNone {
		return weave{each: 1}
	}
	flights := rtl.NewQueue[Second[Flight]](2)
	queue := func() *rtl.Queue[Second[Result]] { return rtl.NewQueue[Second[Result]](2, show) }
	alu, dpu, sfu := queue(), queue(), queue()
	return weave{
		each:  2,
		issue: &Beside{Out: flights.Out(), fits: l.beside},
		read:  &besideRead{In: flights.In(), ALU: alu.Out(), DPU: dpu.Out(), SFU: sfu.Out()},
		alu:   &besideStart{In: alu.In()}, dpu: &besideStart{In: dpu.In()}, sfu: &besideStart{In: sfu.In()},
	}
}

// fire returns the wire that announces the second instruction.
func (w *weave) fire() *rtl.Wire[divergence.Fire] {
	if w.issue == nil {
		return nil
	}
	return &w.issue.Fire
}

// send issues the instruction of slot t beside the one already sent, and returns its lanes; t is -1
// if there is none. It does not change the scheduler's order, which follows the first instruction.
func (b *Beside) send(i *Issue, t int, slots *rtl.Mem[divergence.Slot]) (lanes uint64) {
	fire := idle
	if t >= 0 {
		to := b.Out.PushSlot()
		to.Valid = true
		fire = i.send(t, slots.At(t), &to.Inst)
		b.D().Count++
		lanes = slots.At(t).Mask
	} else {
		b.Out.PushSlot()
	}
	b.Fire.Set(fire)
	return lanes
}

// pick returns the slot whose instruction fills most of the lanes that slot s leaves idle, or -1.
func (b *Beside) pick(i *Issue, s int, slots *rtl.Mem[divergence.Slot]) int {
	first := slots.At(s)
	best, most := -1, 0
	if first.Mixed || first.Mask == i.l.all {
		return best
	}
	busy := &i.Q().Busy
	for w, m := range i.Next().Look[:units.Words(slots.Len())] {
		for m &^= busy[w]; m != 0; m &= m - 1 {
			t := w<<6 | bits.TrailingZeros64(m)
			slot := slots.At(t)
			n := bits.OnesCount64(slot.Mask)
			if n > most && t != s && !slot.Mixed && slot.Mask&first.Mask == 0 && b.fits(first, slot) &&
				i.ready(t, slot) {
				best, most = t, n
			}
		}
	}
	return best
}

// reads returns the number of cycles for which the second instruction needs the register file.
func (b *besideRead) reads(l *launch) uint8 {
	if s := b.In.Front(); s.Valid {
		return l.insts[s.Inst.PC].reads
	}
	return 0
}

// room reports whether the second instruction, if there is one, finds room behind the first. The
// first instruction goes to the pipe of the given unit.
func (b *besideRead) room(o *Operands, first isa.Unit) bool {
	s := b.In.Front()
	if !s.Valid {
		return true
	}
	in := &o.l.insts[s.Inst.PC]
	switch {
	case in.unit != first:
		return o.ready(in)
	case in.unit == isa.UnitMem:
		return o.LSU.Free() > 1 // addresses are computed for one instruction after the other
	}
	return true
}

// send moves the second instruction to its pipe: into the lanes beside the first instruction, or
// into another pipe.
func (b *besideRead) send(o *Operands, first isa.Unit) {
	s := b.In.Front()
	with := b.with(first)
	if !s.Valid {
		if with != nil {
			with.PushSlot()
		}
		b.In.Pop()
		return
	}
	in := &o.l.insts[s.Inst.PC]
	if in.unit == first && with != nil {
		second := with.PushSlot()
		second.Valid = true
		o.execute(&second.Inst, &s.Inst, in)
		b.In.Pop()
		return
	}
	o.send(&s.Inst, in)
	for _, w := range [...]*rtl.Out[Second[Result]]{with, b.with(in.unit)} {
		if w != nil {
			w.PushSlot()
		}
	}
	b.In.Pop()
}

// with returns the queue beside that of a pipe. The memory pipe has none.
func (b *besideRead) with(unit isa.Unit) *rtl.Out[Second[Result]] {
	switch unit {
	case isa.UnitMem:
		return nil
	case isa.UnitDPU:
		return &b.DPU
	case isa.UnitSFU:
		return &b.SFU
	}
	return &b.ALU
}
