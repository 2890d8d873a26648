package testbench

import (
	"bytes"
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/testbench/golden"
)

// Difference is where the machine and the golden model disagree.
type Difference struct {
	Thread golden.ID // if of a thread
	Cycle  uint64    // core cycle of the launch in which it was seen; 0: after the launch
	Text   string    // what each of the two says, and where
}

// Error says what differs.
func (d *Difference) Error() string {
	when := "after the launch"
	if d.Cycle > 0 {
		when = fmt.Sprintf("in cycle %d", d.Cycle)
	}
	return "not what the golden model does: " + when + ", " + d.Text
}

// verifier runs a launch on the golden model and watches the machine do the
// same. It compares, for each thread, every instruction that is issued for it
// with the one that is next in the golden model's sequence, the registers at
// the exit, and in the end all memory that the host has allocated. That needs
// 4 bytes for each instruction of each thread.
//
// What an atomic returns depends on the order of threads, so the registers that
// atomics write are left out. Programs whose threads race, or read clocks or the
// number of their SM, may differ with good reason.
type verifier struct {
	s      *Session
	prog   *isa.Program
	block  [3]uint32
	grid   [3]uint32
	memory golden.Memory
	result *golden.Result
	atomic []bool        // by register: written by an atomic
	next   []uint32      // by thread: instructions issued so far
	first  []*Difference // by SM, the first
	cycle  []uint64      // by SM, of the last instruction issued
	start  uint64        // of the launch
}

// verifySteps bounds the golden model's run: 512 MiB of PCs.
const verifySteps = 1 << 27

// newVerifier runs the golden model on a copy of device memory.
func newVerifier(s *Session, l *Launch) (*verifier, error) {
	sms := len(s.Machine.SMs)
	v := &verifier{
		s: s, prog: l.Prog, block: l.Block, grid: l.Grid,
		first: make([]*Difference, sms), cycle: make([]uint64, sms), start: s.Machine.Core().Now(),
	}
	for _, r := range s.memory.Ranges() {
		data := make([]byte, r.End-r.Start)
		if err := s.Machine.Store().Read(r.Start, data); err != nil {
			return nil, err
		}
		if err := v.memory.Map(r.Start, uint64(len(data))); err != nil {
			return nil, err
		}
		if err := v.memory.Write(r.Start, data); err != nil {
			return nil, err
		}
	}
	var err error
	v.result, err = golden.Run(l.Prog, golden.Launch{
		Grid: l.Grid, Block: l.Block, SharedBytes: l.Shared, Params: l.Params, WarpSize: uint32(s.Machine.Config.SM.WarpSize),
	}, &v.memory, golden.Options{Registers: true, PCs: true, MaxSteps: verifySteps})
	if err != nil {
		return nil, err
	}
	v.next = make([]uint32, len(v.result.Threads))
	v.atomic = make([]bool, len(l.Prog.Regs))
	for i := range l.Prog.Insts {
		if in := &l.Prog.Insts[i]; in.Op == isa.OpAtom && in.Dst[0].Kind == isa.OperandReg {
			v.atomic[in.Dst[0].Index] = true
		}
	}
	return v, nil
}

// watch observes the SMs until the function that it returns is called.
func (v *verifier) watch() (stop func()) {
	for i, m := range v.s.Machine.SMs {
		m.Issue.OnIssue = func(e sm.Issued) {
			v.cycle[i] = e.Cycle
			v.each(i, m, e.Flight, e.Mask, func(t int, id golden.ID, _, _ int) *Difference { return v.issued(t, id, e.PC) })
		}
		m.ALU.OnExit = func(f *sm.Flight, lanes uint32) {
			v.each(i, m, f, lanes, func(t int, id golden.ID, row, lane int) *Difference { return v.exited(m, t, id, row, lane) })
		}
	}
	return func() {
		for _, m := range v.s.Machine.SMs {
			m.Issue.OnIssue, m.ALU.OnExit = nil, nil
		}
	}
}

// each calls check for every thread of a warp instruction until the SM has a
// difference.
func (v *verifier) each(index int, m *sm.SM, f *sm.Flight, lanes uint32, check func(t int, id golden.ID, row, lane int) *Difference) {
	for ; lanes != 0 && v.first[index] == nil; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		row := int(f.Row)
		if f.Mixed {
			row = int(f.Lane[lane])
		}
		thread := m.Thread(f.CTA, row, lane)
		id := golden.ID{CTA: thread.CTA, Thread: thread.TID}
		t := linear(thread.CTA, v.grid)*int(v.block[0]*v.block[1]*v.block[2]) + linear(thread.TID, v.block)
		if t >= len(v.next) {
			v.first[index] = v.differ(id, "%v runs on the machine, the golden model ended before it", id)
		} else {
			v.first[index] = check(t, id, row, lane)
		}
		if d := v.first[index]; d != nil {
			d.Cycle = v.cycle[index] - v.start
		}
	}
}

// linear is the number of a point in a grid, x first.
func linear(p, size [3]uint32) int {
	return int(p[0]) + int(size[0])*(int(p[1])+int(size[1])*int(p[2]))
}

func (v *verifier) differ(id golden.ID, format string, args ...any) *Difference {
	return &Difference{Thread: id, Text: fmt.Sprintf(format, args...)}
}

// issued compares an instruction with the next one of the thread.
func (v *verifier) issued(t int, id golden.ID, pc uint32) *Difference {
	pcs, n := v.result.Threads[t].PCs, v.next[t]
	v.next[t]++
	switch {
	case int(n) >= len(pcs):
		return v.differ(id, "%v executes PC %d, %s, at %s; it should have ended after %d instructions", id, pc, text(v.prog, pc), v.prog.Where(pc), len(pcs))
	case pcs[n] != pc:
		return v.differ(id, "%v executes PC %d, %s, at %s as instruction %d; PC %d, %s, at %s should follow",
			id, pc, text(v.prog, pc), v.prog.Where(pc), n, pcs[n], text(v.prog, pcs[n]), v.prog.Where(pcs[n]))
	}
	return nil
}

// exited compares the registers of a thread.
func (v *verifier) exited(m *sm.SM, t int, id golden.ID, row, lane int) *Difference {
	for i, want := range v.result.Threads[t].Regs {
		if got := m.Reg(row, lane, i); got != want && !v.atomic[i] {
			return v.differ(id, "%s of %v is %#x at its exit, should be %#x", v.prog.Regs[i].Name, id, got, want)
		}
	}
	return nil
}

// compare returns the first difference of a launch that finished, nil if there
// is none.
func (v *verifier) compare() error {
	var first *Difference
	for _, d := range v.first {
		if d != nil && (first == nil || d.Cycle < first.Cycle) {
			first = d
		}
	}
	if first != nil {
		return first
	}
	if v.result.End != golden.Finished {
		return v.differ(golden.ID{}, "the machine finishes, the golden model ends with %v", v.result.End)
	}
	for t := range v.result.Threads {
		if n := len(v.result.Threads[t].PCs); int(v.next[t]) != n {
			return v.differ(golden.ID{}, "thread %d of the grid ended after %d instructions, should be %d", t, v.next[t], n)
		}
	}
	return v.compareMemory()
}

func (v *verifier) compareMemory() error {
	for _, r := range v.s.memory.Ranges() {
		got, want := make([]byte, r.End-r.Start), make([]byte, r.End-r.Start)
		if err := v.s.Machine.Store().Read(r.Start, got); err != nil {
			return err
		}
		if err := v.memory.Read(r.Start, want); err != nil {
			return err
		}
		if bytes.Equal(got, want) {
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				return v.differ(golden.ID{}, "the byte at %#x, %d bytes into the allocation at %#x, is %#02x, should be %#02x", r.Start+uint64(i), i, r.Start, got[i], want[i])
			}
		}
	}
	return nil
}
