package hostcheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// maxCycles is far more than a program needs.
const maxCycles = 20_000_000

// machine is the configuration that programs run on: one SM with short latencies, because the
// faults sought do not depend on time.
func machine() gpu.Config {
	c := gpu.Default()
	c.GPU.SMs, c.DRAM.Channels = 1, 1
	s := &c.SM
	s.Threads, s.CTAs, s.Registers, s.Stack = 128, 2, 1<<20, 8<<10
	s.SIMDWidth, s.DPWidth, s.SFUWidth = s.WarpSize, s.WarpSize, s.WarpSize
	s.ALULatency, s.DPLatency, s.SFULatency, s.AGULatency = 1, 1, 1, 1
	s.FetchWidth, s.IBuffer = 4, 8
	s.Scoreboard = sm.PerRegister
	c.L1.Size, c.L2.Size = 1<<15, 1<<17
	return c
}

// mechanisms are the names of all registered mechanisms.
func mechanisms() (names []string) {
	for _, m := range divergence.Mechanisms() {
		names = append(names, m.Name)
	}
	return names
}

// Failure is a program with different results on the machine and the host.
type Failure struct {
	Program   *Program
	Level     string
	Mechanism string // "" if the PTX was refused
	What      string // several lines
}

func (f *Failure) Error() string {
	return fmt.Sprintf("seed %d, %s, %s: %s", f.Program.Seed, f.Level, f.Mechanism, f.What)
}

// Source is the text of the program as a separate file.
func (f *Failure) Source() (string, error) {
	if f.Program.Funcs == nil {
		return csmithSource([]*Program{f.Program})
	}
	return source([]*Program{f.Program}), nil
}

// Plan is the mechanisms that the program of a seed runs under at a level.
type Plan func(seed uint64, level int) []string

// Runner runs programs. It reuses the machines that it has built.
type Runner struct {
	Runs    uint64 // so far
	Lanes   uint64 // instructions of threads in these runs
	Endless int    // programs left out because they take too long

	sessions map[string]*testbench.Session
}

// Check compiles a batch at each of the levels and runs every program under the mechanisms of the
// plan. It returns the first difference of each program. The error is an error of the compiler.
func (r *Runner) Check(batch []*Program, levels []string, plan Plan) ([]*Failure, error) {
	return r.check(source(batch), batch, levels, plan)
}

// check is Check of a source text.
func (r *Runner) check(text string, batch []*Program, levels []string, plan Plan) ([]*Failure, error) {
	w, err := newWorkplace(text)
	if err != nil {
		return nil, err
	}
	defer w.remove()
	out, err := w.host()
	if err != nil {
		return nil, err
	}
	want, err := split(batch, out)
	if err != nil {
		return nil, err
	}
	for i := range want {
		if want[i] == nil {
			r.Endless++
		}
	}
	failures := make([]*Failure, len(batch))
	for number, level := range levels {
		m, err := w.module(level)
		var refused ptx.List
		if err != nil && !errors.As(err, &refused) {
			return nil, err
		}
		for i, p := range batch {
			if failures[i] != nil || want[i] == nil {
				continue
			}
			if refused != nil {
				failures[i] = &Failure{p, level, "", err.Error()}
				continue
			}
			prog, err := testbench.Program(m, fmt.Sprintf("k%d", i))
			if err != nil {
				failures[i] = &Failure{p, level, "", err.Error()}
				continue
			}
			for _, mechanism := range plan(p.Seed, number) {
				if what := r.compare(prog, p, mechanism, want[i]); what != "" {
					failures[i] = &Failure{p, level, mechanism, what}
					break
				}
			}
		}
	}
	return slices.DeleteFunc(failures, func(f *Failure) bool { return f == nil }), nil
}

// compare runs a program and describes the differences.
func (r *Runner) compare(prog *isa.Program, p *Program, mechanism string, want []uint64) (what string) {
	defer func() {
		if e := recover(); e != nil {
			delete(r.sessions, mechanism)
			what = fmt.Sprintf("panic: %v", e)
		}
	}()
	got, err := r.run(prog, p, mechanism)
	if err != nil {
		return err.Error()
	}
	for i := range want {
		if got[i] != want[i] {
			thread := i / words
			return fmt.Sprintf("thread %d: the host has %#x, the device %#x; %d of %d threads differ",
				thread, want[thread*words:][:words], got[thread*words:][:words], differ(got, want), p.Threads())
		}
	}
	return ""
}

// differ counts the threads whose words differ.
func differ(got, want []uint64) (n int) {
	for i := 0; i < len(want); i += words {
		if !slices.Equal(got[i:i+words], want[i:i+words]) {
			n++
		}
	}
	return n
}

// run returns the words that the threads have written.
func (r *Runner) run(prog *isa.Program, p *Program, mechanism string) ([]uint64, error) {
	s, err := r.session(mechanism)
	if err != nil {
		return nil, err
	}
	bytes := p.Threads() * words * 8
	out := s.Alloc(bytes)
	l := testbench.Launch{
		Prog: prog, Grid: [3]uint32{p.Grid, 1, 1}, Block: [3]uint32{p.Block, 1, 1},
		Params: binary.LittleEndian.AppendUint64(nil, out),
	}
	if err := s.Launch(l); err != nil {
		return nil, err
	}
	r.Runs++
	r.Lanes += s.Runs[0].Counters.Lanes
	data := make([]byte, bytes)
	s.Read(out, data)
	var got []uint64
	for i := 0; i < len(data); i += 8 {
		got = append(got, binary.LittleEndian.Uint64(data[i:]))
	}
	return got, s.Err()
}

// session is a machine in its first state, with the mechanism.
func (r *Runner) session(mechanism string) (*testbench.Session, error) {
	if s := r.sessions[mechanism]; s != nil {
		s.Reset()
		return s, nil
	}
	cfg := machine()
	cfg.Divergence.Mechanism = mechanism
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles})
	if err != nil {
		return nil, err
	}
	if r.sessions == nil {
		r.sessions = map[string]*testbench.Session{}
	}
	r.sessions[mechanism] = s
	return s, nil
}
