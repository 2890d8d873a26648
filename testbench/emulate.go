package testbench

import (
	"bytes"
	"fmt"

	"divergo/gpu"
	"divergo/sm"
	"divergo/testbench/golden"
)

// emulate has the golden model run a launch in place of the machine: it changes device
// memory as the launch does, takes no cycles and counts nothing. Threads that wait for
// those of later CTAs wait for ever.
func (s *Session) emulate(l Launch, occupancy sm.Occupancy) error {
	m := golden.Memory{Pad: s.Pad}
	before := make([][]byte, len(s.memory.Ranges()))
	for i, r := range s.memory.Ranges() {
		before[i] = make([]byte, r.End-r.Start)
		s.Read(r.Start, before[i])
		s.fail(m.Map(r.Start, r.End-r.Start))
		s.fail(m.Write(r.Start, before[i]))
	}
	if s.err != nil {
		return s.err
	}
	cfg := &s.Machine.Config
	result, err := golden.Run(l.Prog, golden.Launch{
		Grid: l.Grid, Block: l.Block, SharedBytes: l.Shared, Params: l.Params,
		WarpSize: uint32(cfg.SM.WarpSize), Stack: uint32(cfg.SM.Stack), AbsentOwn: cfg.SM.AbsentLane == sm.AbsentOwn,
	}, &m, golden.Options{Stop: s.Limits.Stop, MaxSteps: s.maxSteps()})
	if err != nil {
		return err
	}
	for i, r := range s.memory.Ranges() {
		after := make([]byte, len(before[i]))
		s.fail(m.Read(r.Start, after))
		if !bytes.Equal(before[i], after) {
			s.Write(r.Start, after)
		}
	}
	run := Run{Launch: l, Occupancy: occupancy, Emulated: true, Outside: result.Outside, Outcome: *Emulated(&l, cfg.SM.WarpSize, result)}
	if l.Prog.Printer != 0 && run.Outcome.OK() {
		run.Printed = s.takePrinted(l.Prog)
	}
	run.Counters = readCounters(s.Machine).zero()
	s.Runs = append(s.Runs, run)
	if !run.Outcome.OK() {
		return &run.Outcome
	}
	return s.err
}

// emulator stands for the golden model where an SM is named.
const emulator = -1

// maxEmulated is the most instructions of threads that an emulated launch executes, some
// hours of them.
const maxEmulated = 1 << 40

// maxSteps is the most instructions of threads that an emulated launch executes: as many as all lanes
// of the machine could in the core cycles that a launch may take.
func (s *Session) maxSteps() uint64 {
	cfg := &s.Machine.Config
	lanes := uint64(cfg.GPU.SMs * cfg.SM.WarpSize)
	if n := s.Limits.MaxCycles; n > 0 && n < maxEmulated/lanes {
		return n * lanes
	}
	return maxEmulated
}

// Emulated is the outcome of a launch on the golden model, with warps of so many threads.
func Emulated(l *Launch, warpSize int, r *golden.Result) *Outcome {
	o := &Outcome{}
	switch r.End {
	case golden.Faulted:
		f := r.Fault
		o.End = gpu.Faulted
		o.Fault = &Fault{
			Kind: f.Kind.String(), SM: emulator, CTA: f.CTA, Thread: f.Thread, PC: f.PC, Text: text(l.Prog, f.PC),
			Addr: f.Addr, Size: f.Size, Space: spaceName(f.Space),
		}
		o.Fault.Where, o.Fault.From = source(l.Prog, f.PC)
	case golden.Deadlocked:
		o.End = gpu.Deadlock
	case golden.OutOfSteps:
		o.End = gpu.OutOfTime
	case golden.Stopped:
		o.End = gpu.Stopped
	}
	reason := map[gpu.End]string{gpu.Deadlock: "waits", gpu.OutOfTime: "can run"}[o.End]
	for _, w := range r.Waiting {
		b, n := l.Block, uint32(warpSize)
		at := w.Thread[0] + b[0]*(w.Thread[1]+b[1]*w.Thread[2])
		where, from := source(l.Prog, w.PC)
		o.Waiting = append(o.Waiting, Waiting{
			SM: emulator, CTA: w.CTA, Warp: int(at / n), PC: w.PC, Where: where, From: from, Text: text(l.Prog, w.PC),
			Mask: fmt.Sprintf("%0*x", (n+3)/4, uint32(1)<<(at%n)), Reason: reason,
		})
	}
	return o
}
