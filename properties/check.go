package properties

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"divergo/gpu"
	"divergo/internal/audit"
	"divergo/isa"
	"divergo/properties/books"
	"divergo/properties/draw"
	"divergo/properties/models"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/golden"
	"divergo/testbench/verify"
	"divergo/units"
)

// maxCycles limits a run. No drawn kernel needs as many on the slowest machine.
var maxCycles uint64 = 25_000_000 // tests set less

// Failure is a run that a checker rejects.
type Failure struct {
	Checker   string
	Mechanism string
	Case      draw.Case
	Features  draw.Features // used to draw the case; 0: all
	What      string        // may have several lines
	// Mismatch holds the differences from the golden model, if any.
	Mismatch *verify.Mismatch

	bred    bool // from the cases of a corpus
	at      books.Finding
	cycles  uint64                                                             // of the run
	perform func(s *testbench.Session, run func(testbench.Launch) error) error // performs the launches of the case
	seen    *seen                                                              // nil until look runs
}

// Error describes the failure: mechanism, seed, checker and finding.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s, seed %d: checker %s: %s", f.Mechanism, f.Case.Seed, f.Checker, f.What)
}

// runner checks cases one after the other. It reuses its machines while consecutive cases have the
// same configuration.
type runner struct {
	Coverage   *Coverage      // of its runs; nil: not counted
	Situations *situations    // of its runs; nil: not collected
	Models     *verify.Recall // of the case; nil: none
	Stop       func() bool    // polled; true ends the run; nil: never

	limit    uint64             // of cycles in a run; 0: maxCycles
	sessions map[string]*reused // by mechanism
	lanes    uint64             // thread instructions of the last run that ended
	stopped  bool               // whether Stop ended the last run
}

// reused is a machine of a configuration, to be used again.
type reused struct {
	*testbench.Session
	of gpu.Config
}

// pollsOfStop is the number of quanta of a run between two calls of runner.Stop.
const pollsOfStop = 8

// errStopped is the error of a run that runner.Stop has ended.
var errStopped = errors.New("stopped")

// Check runs a case under a mechanism and returns the failure of the first checker that rejects it,
// or nil. An error says that the case or the mechanism's name is wrong, or that Stop ended the run.
func (r *runner) Check(k *draw.Compiled, mechanism string) (*Failure, error) {
	k, err := k.For(mechanism)
	if err != nil {
		return nil, err
	}
	last := r.sessions[mechanism]
	used := last != nil && last.of == k.Machine
	f, err := r.try(k, mechanism)
	if f == nil || !used {
		return f, err
	}
	delete(r.sessions, mechanism)
	again, err := r.try(k, mechanism)
	if errors.Is(err, errStopped) {
		return f, nil
	}
	if again == nil && err == nil {
		f.What = fmt.Sprintf("a machine that ran before fails checker %s, a fresh one does not: %s", f.Checker, f.What)
		f.at.Rule.Checker, f.at.Rule.Name = checkReset, f.Checker+": "+f.at.Rule.Name
		f.Checker = checkReset
		return f, nil
	}
	return again, err
}

// try is Check on a machine that may have run other cases before.
func (r *runner) try(k *draw.Compiled, mechanism string) (*Failure, error) {
	s, err := r.session(k.Machine, mechanism)
	if err != nil {
		return nil, err
	}
	b, m := r.run(s, k)
	switch {
	case b == nil && r.stopped:
		return nil, errStopped
	case b == nil:
		return nil, nil
	}
	if b.Rule.Checker == checkPanic || b.Rule.Checker == "" { // the panic came in the middle of a cycle
		delete(r.sessions, mechanism)
	}
	if b.Rule.Checker == "" {
		return nil, fmt.Errorf("%s, seed %d: a bug of the checks, not of the model: %s", mechanism, k.Seed, b.What)
	}
	f := &Failure{
		Checker: b.Rule.Checker, Mechanism: mechanism, Case: *k.Case, What: b.What, Mismatch: m, at: *b,
		cycles: s.Machine.Core().Now(),
	}
	f.perform = func(s *testbench.Session, run func(testbench.Launch) error) error { return k.Launch(s, run) }
	return f, nil
}

// session returns a machine in its initial state.
func (r *runner) session(cfg gpu.Config, mechanism string) (*testbench.Session, error) {
	if s := r.sessions[mechanism]; s != nil && s.of == cfg {
		s.Reset()
		return s.Session, nil
	}
	s, err := testbench.NewSession(cfg.Under(mechanism), testbench.Limits{MaxCycles: cmp.Or(r.limit, maxCycles)})
	if err == nil {
		if r.sessions == nil {
			r.sessions = map[string]*reused{}
		}
		r.sessions[mechanism] = &reused{s, cfg}
	}
	return s, err
}

// run runs a case and applies every checker.
func (r *runner) run(s *testbench.Session, k *draw.Compiled) (*books.Finding, *verify.Mismatch) {
	again := k.Seed%8 == 0
	state, faults := uint64(0), false
	var counts *recount
	if recounted(k.Seed) {
		counts = countAgain(s)
		defer counts.detach()
	}
	b, m := r.watched(s, func(run func(testbench.Launch) error) error {
		err := k.Launch(s, run)
		if faults = acrossEdge(s, err); faults {
			return nil
		}
		return err
	}, func() bool {
		if faults {
			if r.Coverage != nil {
				r.Coverage.Events[eventFault]++
			}
			return false
		}
		r.lanes = s.Counters().Lanes
		if r.Coverage != nil {
			r.Coverage.run(k.Case, s)
		}
		if again {
			state = s.Machine.System().Hash()
		}
		return true
	})
	switch {
	case b != nil || faults || r.stopped:
	case again:
		b = same(s, k, state)
	case counts != nil:
		total := s.Counters()
		b = counts.compare(&total)
	}
	return b, m
}

// watched performs launches on a machine in its initial state and applies every checker of a single
// run. It calls ended when the launches end as they should; ended reports whether they finished.
func (r *runner) watched(s *testbench.Session, perform func(run func(testbench.Launch) error) error,
	ended func() bool,
) (b *books.Finding, m *verify.Mismatch) {
	defer func() {
		if p := recover(); p != nil {
			calls := panicked()
			b = books.Found(checkPanic, "a panic in "+calls.first(), fmt.Sprintf("%v\n%s", p, calls))
			if calls.ours() {
				b.Rule.Checker = ""
			}
			b.Cycle = s.Machine.Core().Now()
		}
	}()
	var watchers []*books.Observer
	var memory *audit.Memory
	var other *models.Mismatch // of the first launch that departs from the model of the mechanism
	r.stopped = false
	polls := 0
	s.Limits.Stop = func() bool {
		if polls++; polls%pollsOfStop == 0 && r.Stop != nil && r.Stop() {
			r.stopped = true
		}
		if r.stopped || memory != nil && memory.Fault() != nil {
			return true
		}
		for _, o := range watchers {
			if o.Over() {
				return true
			}
		}
		return false
	}
	defer func() { s.Limits.Stop = nil }()
	err := perform(func(l testbench.Launch) error {
		end := func() (int, *models.Mismatch) { return 0, nil }
		leave := s.OnLaunch.Add(func(to *testbench.Loaded) {
			more := append(r.Coverage.follow(s, to.Prog), r.Situations.follow(s, to.Prog)...)
			watchers = append(watchers, books.Watch(s, to.Prog, more...)...)
			if memory == nil {
				memory = auditors(s)
			}
			if build := models.For(s.Machine.Config.Divergence.Mechanism, to.Prog); build != nil && other == nil {
				end = models.Watch(s, build)
			}
		})
		defer leave()
		err := r.Models.RunStrict(s, l)
		for _, o := range watchers {
			o.Detach()
		}
		if _, m := end(); m != nil {
			other = m
		}
		return err
	})
	if memory != nil {
		defer memory.Detach()
		if b = audited(memory); b != nil {
			errors.As(err, &m)
			b.Cycle = s.Machine.Core().Now()
			return b, m
		}
	}
	for _, o := range watchers {
		if b = o.Finding(); b != nil {
			errors.As(err, &m)
			return b, m
		}
	}
	if other != nil {
		errors.As(err, &m)
		b = books.Found(checkModel, "other threads than the model has", other.Error())
		b.Cycle = other.Cycle
		return b, m
	}
	if r.stopped {
		return nil, nil
	}
	if err != nil {
		return judge(err)
	}
	if !ended() {
		return nil, nil
	}
	if b = books.Statistics(watchers[len(watchers)-len(s.Machine.SMs):], &s.Runs[len(s.Runs)-1].Counters); b != nil {
		return b, nil
	}
	if b = finished(s); b != nil {
		return b, nil
	}
	memory.End()
	memory.Detach()
	return audited(memory), nil
}

// acrossEdge reports whether a launch faults, as intended, across the end of an allocation
// (Kernel.Edge), on the machine and in the golden model.
func acrossEdge(s *testbench.Session, err error) bool {
	var m *verify.Mismatch
	var o *testbench.Outcome
	if !errors.As(err, &o) || o.Fault == nil || o.Fault.Kind != sm.OutOfBounds.String() ||
		!draw.AtEdge(s.Runs[len(s.Runs)-1].Launch.Prog, o.Fault.PC) {
		return false
	}
	// At an activemask, and at a vote without .sync, the golden model groups the threads as the
	// machine did. Threads that had not reached it before the fault wait there for ever.
	return !errors.As(err, &m) || m.Golden == golden.Deadlocked && len(m.Broken) == 0 && m.Threads == 0 &&
		slices.ContainsFunc(m.Launch.Prog.Insts,
			func(in isa.Inst) bool { return in.CrossLane() && in.Flags&isa.FlagSync == 0 })
}

// judge returns the checker for an error of the comparison: the one nearest to the cause.
func judge(err error) (*books.Finding, *verify.Mismatch) {
	var m *verify.Mismatch
	if !errors.As(err, &m) {
		return books.Found(checkOutcome, "an error of the run", err.Error()), nil
	}
	b := books.Found(checkOnce, "instructions", err.Error())
	if len(m.Paths) > 0 {
		path := m.Paths[0].Machine[:m.Paths[0].At]
		for _, pc := range slices.Backward(path) {
			if m.Launch.Prog.Insts[pc].Control() {
				b.Last = books.Opcode(m.Launch.Prog, pc)
				break
			}
		}
	}
	switch {
	case len(m.Broken) > 0:
		first := &m.Broken[0]
		b.Rule, b.Last = books.Rule{Checker: checkIssue, Name: first.Is.String()}, books.Opcode(m.Launch.Prog, first.PC)
		b.Threads = append(b.Threads, first.Thread)
	case m.Threads > 0 && m.Outcome == nil:
		b.Rule = books.Rule{Checker: checkPaths, Name: "another way"}
	case m.Outcome != nil:
		b.Rule = books.Rule{Checker: checkOutcome, Name: m.Outcome.End.String()}
		if f := m.Outcome.Fault; f != nil {
			b.Rule.Name = f.Kind
			b.Threads = append(b.Threads, golden.ID{CTA: f.CTA, Thread: f.Thread})
		}
	case m.Values+m.Written > 0:
		b.Rule = books.Rule{Checker: checkRegisters, Name: "another value"}
	case m.Bytes > 0:
		b.Rule = books.Rule{Checker: checkMemory, Name: "another value"}
	}
	return b, m
}

// finished applies the checkers of a finished run.
func finished(s *testbench.Session) *books.Finding {
	cfg := &s.Machine.Config
	for i, m := range s.Machine.SMs {
		if what := left(m); what != "" {
			return books.Found(checkDrained, "something left in an SM", fmt.Sprintf("SM %d: %s at the end", i, what))
		}
	}
	c := &s.Runs[len(s.Runs)-1].Counters
	last := s.Runs[len(s.Runs)-1].Launch.Prog
	if mech, _ := divergence.Find(cfg.Divergence.Mechanism); mech.Depth != nil {
		if n := mech.Depth(cfg.SM.WarpSize, last); n > 0 && c.Divergence.MaxDepth > uint64(n) {
			return books.Found(checkDepth, "a stack too deep",
				fmt.Sprintf("a stack of %d entries, warps of %d threads can need %d", c.Divergence.MaxDepth,
					cfg.SM.WarpSize, n))
		}
	}
	if d := &c.Divergence; d.Pushes != d.Pops {
		return books.Found(checkDepth, "pushes without pops", fmt.Sprintf("%d pushes, %d pops", d.Pushes, d.Pops))
	}
	if d := &c.Divergence; d.Spills != d.Fills {
		return books.Found(checkDepth, "spills without fills",
			fmt.Sprintf("of %d groups of stack entries that went to memory %d came back", d.Spills, d.Fills))
	}
	total, ctas := s.Counters(), uint64(0)
	for i := range s.Runs {
		grid := s.Runs[i].Launch.Grid
		ctas += uint64(grid[0]) * uint64(grid[1]) * uint64(grid[2])
	}
	if what := account(&total, cfg, ctas); what != "" {
		return books.Found(checkCycles, "classes of cycles", what)
	}
	if what := balance(c, cfg); what != "" {
		return books.Found(checkTraffic, "counts of the memory system", what)
	}
	if p := s.Machine.System().RunUntil(func() bool { return false }, s.Machine.Core(), 10_000); !p.Idle {
		return books.Found(checkDrained, "something that goes on after the end",
			"something is still going on 10000 cycles after the end")
	}
	return nil
}

// left describes what an SM still holds; "" if nothing.
func left(m *sm.SM) string {
	if paths := m.Div.Paths(nil); len(paths) > 0 {
		return fmt.Sprintf("%d groups of threads, the first lanes %#x of row %d", len(paths), paths[0].Mask,
			paths[0].Row)
	}
	for i := range m.Div.Slots().Len() {
		if m.Div.Slots().At(i).Valid {
			return fmt.Sprintf("slot %d is valid", i)
		}
	}
	for _, c := range m.Sub {
		q := c.Issue.Q()
		for r, n := range q.InRow {
			if n != 0 {
				return fmt.Sprintf("row %d counts %d instructions in flight", r, n)
			}
		}
		for i := range c.Issue.Scoreboard.Pending.Len() {
			if *c.Issue.Scoreboard.Pending.At(i) != [units.MaxRows]uint64{} {
				return "a register is pending"
			}
		}
		if q.Memory != 0 {
			return fmt.Sprintf("%d memory instructions are in flight", q.Memory)
		}
	}
	return ""
}

// account checks the sums of the SM counters of launches with some CTAs. The last exit of a CTA may still
// enter a narrow pipe in cycles that are empty.
func account(c *testbench.Counters, cfg *gpu.Config, ctas uint64) string {
	var classes, issues, lanes uint64
	for _, n := range c.Classes {
		classes += n
	}
	for k, n := range c.Active {
		issues += n
		lanes += n * uint64(k)
	}
	enter := uint64(cfg.SM.WarpSize / cfg.SM.SIMDWidth)
	entering := ctas * uint64(cfg.SM.Schedulers) * (enter - 1)
	switch busy := enter*(c.Instructions+c.Inserted-c.Beside) - c.Skipped; {
	case classes != c.SMCycles || slices.Max(c.Classes[:]) > c.SMCycles:
		return fmt.Sprintf("%d cycles in all classes, %d of them in the largest, %d cycles of sub-cores", classes,
			slices.Max(c.Classes[:]), c.SMCycles)
	case c.Classes.Issue() > busy || c.Classes.Issue()+entering < busy:
		return fmt.Sprintf("%d issue cycles, %d instructions, %d of them beside others, of %d cycles "+
			"less %d; at most %d cycles at the ends of CTAs", c.Classes.Issue(), c.Instructions+c.Inserted,
			c.Beside, enter, c.Skipped, entering)
	case issues != c.Instructions || lanes != c.Lanes:
		return fmt.Sprintf("the histogram of active lanes has %d instructions and %d lanes, the counters %d and %d",
			issues, lanes, c.Instructions, c.Lanes)
	}
	return ""
}

// balance compares the counters of each part of the memory system with those of the next part.
func balance(c *testbench.Counters, cfg *gpu.Config) string {
	cached := c.L1.LoadHits + c.L1.LoadMisses + c.L1.Merges
	at := c.L2.Loads + c.L2.Stores + c.L2.Atomics
	missed := c.L1.LoadMisses + c.ConstCache.Misses + c.TextureCache.Misses + c.ICache.Misses + c.ICache.Prefetches
	var again uint64 // rows opened, where a request may need more than one
	if d := &cfg.DRAM; d.TREFI != 0 || d.AgeCap != 0 || d.WriteHigh != 0 {
		again = c.DRAM.Activates
	}
	for _, e := range []struct {
		what        string
		left, right uint64
	}{
		{
			"lines asked for by the coalescer, accesses of the L1", c.Coalescer.Lines,
			c.L1.Loads + c.L1.Stores + c.L1.Atomics,
		},
		{
			"loads of the L1 that hit, miss or merge, or else bypass, and loads",
			min(max(c.L1.Loads, cached), cached+c.L1.Bypasses), c.L1.Loads,
		},
		{
			"distinct addresses of constants, reads of the constant cache", c.Const.Places,
			c.ConstCache.Reads,
		},
		{
			"reads of the constant cache that hit, miss or merge, and reads",
			c.ConstCache.Hits + c.ConstCache.Misses + c.ConstCache.Merges, c.ConstCache.Reads,
		},
		{
			"distinct lines of texels, reads of the texture cache", c.Texture.Places + c.TextureUnit.Places,
			c.TextureCache.Reads,
		},
		{
			"reads of the texture cache that hit, miss or merge, and reads",
			c.TextureCache.Hits + c.TextureCache.Misses + c.TextureCache.Merges, c.TextureCache.Reads,
		},
		{
			"fetches that hit, miss or merge, and fetches", c.ICache.Hits + c.ICache.Misses + c.ICache.Merges,
			c.ICache.Reads,
		},
		{
			"misses and prefetches of the caches of the SMs, or else bypasses, and loads of the L2",
			min(max(c.L2.Loads, missed), missed+c.L1.Bypasses), c.L2.Loads,
		},
		{"requests, accesses and flushes of the L2", c.Requests.Packets, at + c.L2.Flushes},
		{"requests, responses", c.Requests.Packets, c.Responses.Packets},
		{"hits, misses and merges of the L2, its accesses", c.L2.Hits + c.L2.Misses + c.L2.Merges, at},
		{"misses of the L2, reads of the DRAM", c.L2.Misses, c.DRAM.Reads},
		{"write-backs of the L2, writes of the DRAM", c.L2.WriteBacks, c.DRAM.Writes},
		{
			"requests to open rows and others, reads and writes", c.DRAM.RowHits + c.DRAM.RowMisses,
			c.DRAM.Reads + c.DRAM.Writes,
		},
		{
			"rows opened, requests to rows that were not open; others may close a row before it is used",
			c.DRAM.Activates, max(c.DRAM.RowMisses, again),
		},
		{
			"bytes of the data bus, its cycles times their bytes", c.DRAM.Bytes,
			c.DRAM.BusCycles * uint64(cfg.DRAM.BusBytes),
		},
	} {
		if e.left != e.right {
			return fmt.Sprintf("%s: %d and %d", e.what, e.left, e.right)
		}
	}
	return ""
}

// same runs a case again on its machine, with the processes in another order. One case in 1024 runs
// on two goroutines; these spin for each other, which takes long on a busy computer.
func same(s *testbench.Session, k *draw.Compiled, state uint64) *books.Finding {
	cycles := s.Counters().Cycles
	s.Reset()
	sys := s.Machine.System()
	sys.Reorder(k.Seed)
	if k.Seed%1024 == 0 {
		sys.Workers = 2
		defer func() { sys.Workers = 1 }()
	}
	if err := k.Launch(s, s.Launch); err != nil {
		return books.Found(checkSame, "another end", fmt.Sprintf("a second run of a case that finished: %v", err))
	}
	if again := sys.Hash(); again != state || cycles != s.Counters().Cycles {
		return books.Found(checkSame, "another state",
			fmt.Sprintf("%d cycles and state %x, with processes in another order %d cycles and state %x", cycles, state,
				s.Counters().Cycles, again))
	}
	return nil
}
