package experiments

import (
	"fmt"

	"divergo/gpu"
	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// emulator is a machine that runs workloads on the golden model, each thread by itself. The first
// error of Alloc, Write or Read is returned by the next Launch.
type emulator struct {
	programs runner.Programs
	book     *testbench.Memory
	memory   golden.Memory
	warpSize int
	err      error

	// onCTA receives each CTA at its end: its program, and the instructions that its threads
	// executed.
	onCTA func(p *isa.Program, threads []golden.Thread)
}

func newEmulator(warpSize int, onCTA func(*isa.Program, []golden.Thread)) *emulator {
	cfg := gpu.Default()
	return &emulator{
		programs: make(runner.Programs), book: testbench.NewMemory(cfg.GPU.Bytes()), warpSize: warpSize,
		onCTA: onCTA,
	}
}

// fail keeps the first error.
func (e *emulator) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// Alloc implements kernels.Machine.
func (e *emulator) Alloc(bytes int) uint64 {
	addr, err := e.book.Alloc(uint64(bytes))
	e.fail(err)
	e.fail(e.memory.Map(addr, uint64(bytes)))
	return addr
}

// Write implements kernels.Machine.
func (e *emulator) Write(addr uint64, data []byte) { e.fail(e.memory.Write(addr, data)) }

// Read implements kernels.Machine.
func (e *emulator) Read(addr uint64, data []byte) { e.fail(e.memory.Read(addr, data)) }

// PlaceModule implements launches.Device. MeasurePlan has already placed the module.
func (e *emulator) PlaceModule(*isa.Program) error { return e.err }

// Launch implements kernels.Machine.
func (e *emulator) Launch(l kernels.Call) error {
	p, err := e.programs.Program(l.Module, l.Kernel)
	if err != nil {
		return err
	}
	return e.run(p, l)
}

// run executes a grid of a program.
func (e *emulator) run(p *isa.Program, l kernels.Call) error {
	if e.err != nil {
		return e.err
	}
	threads := int(l.Block[0] * l.Block[1] * l.Block[2])
	if warps := (threads + e.warpSize - 1) / e.warpSize; warps > divergence.MaxWarps {
		return fmt.Errorf("kernel %s: %d threads of a CTA are %d warps of %d, want at most %d", p.Name, threads, warps,
			e.warpSize, divergence.MaxWarps)
	}
	launch := golden.Setup{
		Grid: l.Grid, Block: l.Block, SharedBytes: l.Shared, Params: l.Params,
		WarpSize: uint32(e.warpSize), Stack: uint32(gpu.Default().SM.Stack),
	}
	r, err := golden.Run(p, launch, &e.memory, golden.Options{PCs: true, OnCTA: func(threads []golden.Thread) {
		e.onCTA(p, threads)
		for i := range threads {
			threads[i].PCs = nil
		}
	}})
	if err == nil && r.End != golden.Finished {
		l := testbench.Launch{Prog: p, Grid: l.Grid, Block: l.Block}
		err = fmt.Errorf("kernel %s: %w", p.Name, testbench.Emulated(&l, e.warpSize, r))
	}
	return err
}
