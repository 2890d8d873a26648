package books

import (
	"fmt"
	"slices"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// Observer watches one SM while it runs. It has the models of every mechanism and those of its own
// mechanism.
type Observer struct {
	View
	counted   *counted
	places    *places
	registers *scoreboard
	transfers *transfers
	barriers  *barriers
	prompt    *prompt // nil for mechanisms without a bound
	fair      *fair
	liveness  *liveness
	homes     *lanes
	admission *admission
}

// Open attaches a model to an SM.
type Open func(o *Observer)

// shelf holds the models of each mechanism.
var shelf = map[string][]Open{}

// Register adds a model to those of a mechanism, with its checkers. Call it in an init function.
func Register(mechanism string, open Open, checkers ...Checker) {
	shelf[mechanism] = append(shelf[mechanism], open)
	own = append(own, checkers...)
}

// Watch attaches an observer to each SM of a loaded session, with the models of the mechanism and
// more.
func Watch(s *testbench.Session, prog *isa.Program, more ...Open) []*Observer {
	return watch(s, prog, slices.Concat(shelf[s.Machine.Config.Divergence.Mechanism], more))
}

// watch is Watch with the given models of the mechanism.
func watch(s *testbench.Session, prog *isa.Program, books []Open) (list []*Observer) {
	cfg := &s.Machine.Config
	mechanism, _ := divergence.Find(cfg.Divergence.Mechanism)
	sims := map[string]*rtl.Sim{}
	for _, sim := range s.Machine.System().Sims() {
		sims[sim.Name()] = sim
	}
	sends := newDispatch(s)
	for i, m := range s.Machine.SMs {
		threads := m.Kernel().Threads()
		o := &Observer{View: View{
			sm: m, sim: sims[fmt.Sprintf("sm[%d]", i)], index: i, prog: prog, config: cfg, mechanism: &mechanism,
			cycles: s.Machine.Cycles,
			lanes:  cfg.SM.WarpSize, threads: threads, warps: (threads + cfg.SM.WarpSize - 1) / cfg.SM.WarpSize,
			rowsThere: cfg.SM.Warps(),
		}}
		o.begin()
		o.admission = watchAdmission(&o.View, sends)
		for core := range m.Sub {
			watchSpent(&o.View, o.admission, core)
		}
		o.watchBars(o.places)
		for _, open := range books {
			open(o)
		}
		o.Leave(m.Issue.OnIssue.Add(o.issue), m.ALU.OnExit.Add(o.exit))
		list = append(list, o)
	}
	return list
}

// begin attaches the models of every mechanism. They receive an event in this order, so that a
// model answers with its state before the event.
func (o *Observer) begin() {
	v := &o.View
	o.counted = watchCounts(v)
	o.barriers = watchBarriers(v)
	o.places = follow(v)
	o.registers = watchRegisters(v)
	o.transfers = watchTransfers(v)
	o.places.stored = o.transfers.stored
	if v.mechanism.Prompt > 0 {
		o.prompt = watchPrompt(v, o.transfers, o.barriers)
	}
	o.fair = watchFair(v, o.registers)
	for core := range v.sm.Sub {
		watchFetches(v, core)
	}
	watchPipes(v)
	o.registers.watchIssues()
	o.liveness = watchLiveness(v, o.places, o.transfers, o.barriers)
	if v.mechanism.InStep {
		watchUniform(v)
	}
	o.homes = watchLanes(v)
	if len(v.mechanism.Asserts) > 0 {
		watchAssertions(v)
	}
	v.issues = append(v.issues, o.places.place)
	watchHome(v)
	v.issues = append(v.issues, o.barriers.issue)
	if v.mechanism.Meets {
		watchMeeting(v, o.places)
	}
}

// issue receives each instruction of the kernel.
func (o *Observer) issue(e sm.Issued) {
	for _, told := range o.issues {
		if o.found != nil {
			return
		}
		told(e)
	}
	o.pass(&e)
}

// Executed returns the lanes that executed the instruction of an outcome, while the mechanism takes
// that outcome. The slot may hold other lanes by then.
func (o *Observer) Executed(out *divergence.Outcome) (lanes uint64, known bool) {
	if d := o.places.decided(); d != nil && d.Slot == out.Slot {
		return d.Mask, true
	}
	return 0, false
}

// Ready calls do for each place at which threads of a row can continue, in the program that runs.
// It makes no call while a branch, call, barrier or exit of the CTA is in flight.
func (o *Observer) Ready(row int, do func(at divergence.Point, lanes uint64)) {
	o.places.cycle(o.sim.Now())
	first := row - row%o.warps
	for r := first; r < min(first+o.warps, o.rowsThere); r++ {
		if o.places.at(r).deciding != 0 {
			return
		}
	}
	for _, s := range o.places.at(row).at {
		if lanes := s.lanes &^ o.barriers.lanesWaiting(row); lanes != 0 {
			do(divergence.Point{PC: s.pc, Depth: s.depth}, lanes)
		}
	}
}

// Detach ends the observation.
func (o *Observer) Detach() {
	for _, leave := range o.leave {
		leave()
	}
}

// Statistics compares the counts of all observers with the counters of their launch.
func Statistics(list []*Observer, c *testbench.Counters) *Finding {
	var all counted
	for _, o := range list {
		for i, n := range o.counted.active {
			all.active[i] += n
		}
	}
	for i, n := range c.Active {
		if n != all.active[i] {
			return Found(checkStatistics, "instructions by lanes",
				fmt.Sprintf("%d instructions of %d lanes have been issued, the counter has %d", all.active[i], i, n))
		}
	}
	counts, unknown := map[string]uint64{}, map[string]bool{}
	for _, o := range list {
		for _, t := range o.tallies {
			switch {
			case t.n == nil:
				unknown[t.what] = true
			case t.peak:
				counts[t.what] = max(counts[t.what], *t.n)
			default:
				counts[t.what] += *t.n
			}
		}
	}
	for _, t := range list[0].tallies {
		if n := t.of(c); n != counts[t.what] && !unknown[t.what] {
			return Found(checkStatistics, t.what,
				fmt.Sprintf("%s: %d are observed, the counter has %d", t.what, counts[t.what], n))
		}
	}
	return nil
}
