package verify

import (
	"fmt"
	"math/bits"
	"strings"

	"divergo/isa"
	"divergo/sm"
	"divergo/testbench"
	"divergo/testbench/golden"
	"divergo/units"
)

// Recording holds the instructions of the threads of a launch, on the machine and in the golden
// model.
type Recording struct {
	run    *run
	keep   int // number of first instructions kept for each thread
	owners []owner
	golden *golden.Result
	skip   registers
	stores map[uint64]store // by the address of a word of 4 bytes
	issued store            // the last instruction
}

// store is a store instruction of a thread.
type store struct {
	thread golden.ID
	cycle  uint64
}

const (
	keepAll  = 1 << 20 // instructions that a recording keeps, of all threads
	keepMost = 1 << 12 // of one thread
	lastKept = 32      // the last ones of a thread, which are always kept
)

// done is an instruction that a thread has issued.
type done struct {
	cycle  uint64 // of the issue
	wrote  uint64 // cycle of its results; 0: none
	pc     uint32
	result [isa.MaxDsts]uint64
}

// trail holds the first and the last instructions of a thread.
type trail struct {
	n     int // instructions
	first []done
	last  [lastKept]done // instruction i is at i % lastKept
	apart bool           // another instruction was inserted after the last one
}

// at returns instruction i, nil if it was not kept.
func (t *trail) at(i int) *done {
	switch {
	case i < 0 || i >= t.n:
		return nil
	case i < len(t.first):
		return &t.first[i]
	case i >= t.n-lastKept:
		return &t.last[i%lastKept]
	}
	return nil
}

// Follow starts to record the threads of a loaded launch.
func Follow(s *testbench.Session, l *testbench.Launch) (*Recording, error) {
	r, err := begin(s, l, false)
	if err != nil {
		return nil, err
	}
	threads := int(r.session.Machine.SMs[0].Kernel().CTAs()) * r.session.Machine.SMs[0].Kernel().Threads()
	rec := &Recording{
		run: r, keep: min(max(keepAll/threads, 2*lastKept), keepMost), skip: ordered(l.Prog),
		stores: map[uint64]store{},
	}
	for _, w := range r.watchers {
		rec.follow(w)
	}
	return rec, nil
}

// follow records the issue and the results of an SM.
func (r *Recording) follow(w *watcher) {
	thread := func(row, lane int) *trail {
		v := w.warp(row)
		if v.trails == nil {
			v.trails = make([]trail, w.lanes)
		}
		return &v.trails[lane]
	}
	insts := r.run.launch.Prog.Insts
	w.leave = append(w.leave,
		w.sm.Issue.OnIssue.Add(func(e sm.Issued) {
			w.eachRow(e.Flight, e.Mask, func(row int, mask uint64) {
				for m := mask; m != 0; m &= m - 1 {
					lane := bits.TrailingZeros64(m)
					t := thread(row, lane)
					d := t.at(t.n - 1)
					// else it waited for its turn: see owner.path
					if d == nil || d.pc != e.PC || t.apart || !insts[e.PC].Indirect() {
						t.add(done{cycle: e.Cycle, pc: e.PC}, r.keep)
					} else {
						d.cycle = e.Cycle
					}
					t.apart = false
					r.stored(w, e.Cycle, row, lane, &insts[e.PC])
				}
			})
		}),
		w.sm.Issue.OnInserted.Add(func(e sm.Issued) {
			w.eachRow(e.Flight, e.Mask, func(row int, mask uint64) {
				for m := mask; m != 0; m &= m - 1 {
					thread(row, bits.TrailingZeros64(m)).apart = true
				}
			})
		}))
	wrote := func(cycle uint64, f *sm.Result) {
		pc := w.sm.Program().OriginOf(f.PC)
		for m := f.Exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			h := units.Home{Row: f.Row, Lane: uint8(lane)}
			if f.Mixed {
				h = f.Homes.At(lane)
			}
			if d := thread(int(h.Row), int(h.Lane)).newest(pc); d != nil {
				d.wrote = cycle
				for i := range d.result {
					d.result[i] = w.result(f, &w.sm.Program().Insts[f.PC], i, lane)
				}
			}
		}
	}
	for _, c := range w.sm.Sub {
		for _, in := range c.Writeback.In {
			w.leave = append(w.leave, in.Tap(wrote))
		}
	}
}

// result returns the value that an instruction writes to one of its destinations, for a lane.
func (w *watcher) result(f *sm.Result, in *isa.Inst, i, lane int) uint64 {
	switch {
	case i >= int(in.NDst):
		return 0
	case in.Dst[i].Kind == isa.OperandPred:
		return uint64(f.PDst[i] >> lane & 1)
	}
	return w.sm.Value(f, i, lane)
}

// add appends an instruction.
func (t *trail) add(d done, keep int) {
	if t.n < keep {
		t.first = append(t.first, d)
	}
	t.last[t.n%lastKept] = d
	t.n++
}

// newest returns the last instruction with a PC. The scoreboard allows no second one with the same
// results in flight.
func (t *trail) newest(pc uint32) *done {
	for i := t.n - 1; i >= t.n-lastKept && i >= 0; i-- {
		if d := t.at(i); d.pc == pc {
			return d
		}
	}
	return nil
}

// stored records the words of memory that an instruction changes. Its operands must be complete.
func (r *Recording) stored(w *watcher, cycle uint64, row, lane int, in *isa.Inst) {
	th := w.sm.Thread(row, lane)
	r.issued = store{golden.ID{CTA: th.CTA, Thread: th.TID}, cycle}
	if in.Op != isa.OpSt && in.Op != isa.OpAtom && in.Op != isa.OpRed || in.Space != isa.SpaceGlobal &&
		in.Space != isa.SpaceGeneric ||
		in.Guard.Kind == isa.OperandPred && w.sm.Pred(row, lane, int(in.Guard.Index)) == in.Guard.Not {
		return
	}
	addr := in.Src[0].Imm
	if in.Src[0].Kind == isa.OperandReg {
		addr = w.sm.Reg(row, lane, int(in.Src[0].Index))
	}
	if addr += uint64(in.Off); r.run.launch.Prog.AddressBits == 32 {
		addr &= 0xFFFF_FFFF
	}
	for a := addr &^ 3; a < addr+uint64(max(int(in.Vec), 1)*in.Type.Bytes()); a += 4 {
		r.stores[a] = r.issued
	}
}

// End ends the recording, after the launch has ended in any way. It runs the golden model, until
// stop, if not nil, returns true.
func (r *Recording) End(stop func() bool) (err error) {
	for _, w := range r.run.watchers {
		w.detach()
	}
	r.owners = r.run.owners(new(Mismatch))
	r.golden, _, err = r.run.golden(golden.Options{Keep: r.keep, Stop: stop})
	return err
}

// Last returns the thread and the cycle of the last issue, of its highest lane; zero if there was
// none.
func (r *Recording) Last() (id golden.ID, cycle uint64) { return r.issued.thread, r.issued.cycle }

// Storer returns the last thread to change a word of device memory, and the cycle of its issue.
func (r *Recording) Storer(addr uint64) (id golden.ID, cycle uint64, ok bool) {
	s, ok := r.stores[addr&^3]
	return s.thread, s.cycle, ok
}

// Trail holds the last instructions of a thread.
type Trail struct {
	Thread   golden.ID
	SM       int
	Warp     int // of the CTA
	Lane     int
	Differs  bool   // the last of Steps is the first difference from the golden model
	Cycle    uint64 // of that difference, or of the last issue; of the core clock
	Finished bool   // the thread had exited
	Steps    []Step // in order

	prog *isa.Program
}

// Step is an instruction of a thread.
type Step struct {
	Number int // among the thread's instructions, counted from 0
	Cycle  uint64
	PC     uint32
	Golden uint32 // PC in the golden model; isa.NoPC: it has no such instruction, or the PC is unknown
	Values []Value
}

// Value is a register or predicate to which the machine and the golden model have written different
// values.
type Value struct {
	Name            string // name in the PTX
	Type            isa.Type
	Machine, Golden uint64
	Missing         string // the side that has written nothing; "" if both have written
}

// trailSteps is the number of instructions shown for each thread.
const trailSteps = 10

// Trails returns the trails of all threads that have started, in the order of the grid. They end at
// a cycle, or at an earlier first difference from the golden model.
func (r *Recording) Trails(until uint64) (list []*Trail) {
	for i, o := range r.owners {
		if o.warp == nil || o.trails == nil || o.trails[o.lane].n == 0 {
			continue
		}
		if t := r.trail(i, o, until); len(t.Steps) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// trail returns the trail of one thread.
func (r *Recording) trail(number int, o owner, until uint64) *Trail {
	t := &Trail{
		Thread: r.run.name(number), SM: o.sm, Warp: o.index, Lane: o.lane, Finished: o.live>>o.lane&1 == 0,
		prog: r.run.launch.Prog,
	}
	of := &o.trails[o.lane]
	end := of.n
	for end > 0 {
		if d := of.at(end - 1); d == nil || d.cycle <= until {
			break
		}
		end--
	}
	var model []golden.Kept
	if number < len(r.golden.Threads) {
		model = r.golden.Threads[number].Kept
	}
	for i := range end {
		d := of.at(i)
		if d == nil {
			continue
		}
		if cycle, differs := r.differs(d, model, i, t.Finished); differs && cycle <= until {
			t.Differs, t.Cycle, end = true, cycle, i+1
			break
		}
	}
	for i := max(end-trailSteps, 0); i < end; i++ {
		d := of.at(i)
		if d == nil {
			continue
		}
		s := Step{Number: i, Cycle: d.cycle, PC: d.pc, Golden: isa.NoPC}
		if i < len(model) {
			s.Golden = model[i].PC
			if s.Golden == s.PC {
				s.Values = r.values(d, &model[i], t.Finished)
			}
		}
		t.Steps = append(t.Steps, s)
		if !t.Differs {
			t.Cycle = d.cycle
		}
	}
	return t
}

// differs reports whether instruction i of a thread differs from the golden model's, and since
// which cycle.
func (r *Recording) differs(d *done, model []golden.Kept, i int, finished bool) (cycle uint64, differs bool) {
	switch {
	case i >= len(model): // the model's thread has ended there, or its instruction is unknown
		return d.cycle, r.golden.End == golden.Finished && i < r.keep
	case model[i].PC != d.pc:
		return d.cycle, true
	}
	return max(d.cycle, d.wrote), len(r.values(d, &model[i], finished)) > 0
}

// values returns the results in which an instruction differs from the golden model's.
func (r *Recording) values(d *done, model *golden.Kept, finished bool) (list []Value) {
	prog := r.run.launch.Prog
	in := &prog.Insts[d.pc]
	wrote := d.wrote != 0
	// see golden.Thread; or the result is still in flight
	if in.Op == isa.OpCall || !wrote && !model.Wrote || !wrote && !finished {
		return nil
	}
	for i, o := range in.Dst[:in.NDst] {
		v := Value{Machine: d.result[i], Golden: model.Dst[i]}
		switch {
		case o.Kind == isa.OperandReg && !r.skip.regs[o.Index]:
			v.Name, v.Type = prog.Regs[o.Index].Name, prog.Regs[o.Index].Type
		case o.Kind == isa.OperandPred && !r.skip.preds[o.Index]:
			v.Name, v.Type = prog.Preds[o.Index], isa.Pred
		default:
			continue
		}
		switch {
		case !wrote:
			v.Missing = "machine"
		case !model.Wrote:
			v.Missing = "golden model"
		case v.Machine == v.Golden:
			continue
		}
		list = append(list, v)
	}
	return list
}

// Program returns the program of the thread.
func (t *Trail) Program() *isa.Program { return t.prog }

// String describes the trail, in lines.
func (t *Trail) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, SM %d, warp %d, lane %d:", name(t.Thread), t.SM, t.Warp, t.Lane)
	for i, s := range t.Steps {
		mark := " "
		if t.Differs && i == len(t.Steps)-1 {
			mark = ">"
		}
		line := fmt.Sprintf("%s cycle %6d  PC %3d  %-38s  %s", mark, s.Cycle, s.PC, cut(t.prog.Mnemonic(s.PC), 38),
			t.prog.Where(s.PC))
		fmt.Fprintf(&b, "\n%s", strings.TrimRight(line, " "))
		switch {
		case s.Golden == s.PC || !t.Differs:
		case s.Golden == isa.NoPC:
			b.WriteString("\n    in the golden model the thread has ended")
		default:
			fmt.Fprintf(&b, "\n    in the golden model  PC %3d  %s", s.Golden, t.prog.Mnemonic(s.Golden))
		}
		for _, v := range s.Values {
			b.WriteString("\n    " + v.String())
		}
	}
	return b.String()
}

// String describes the two written values.
func (v *Value) String() string {
	digits := max(v.Type.Bits()/4, 1)
	switch v.Missing {
	case "machine":
		return fmt.Sprintf("%s is not written, in the golden model 0x%0*x", v.Name, digits, v.Golden)
	case "golden model":
		return fmt.Sprintf("%s = 0x%0*x, in the golden model it is not written", v.Name, digits, v.Machine)
	}
	return fmt.Sprintf("%s = 0x%0*x, in the golden model 0x%0*x", v.Name, digits, v.Machine, digits, v.Golden)
}
