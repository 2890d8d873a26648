package models

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// Group is a group of threads that issues as one.
type Group struct {
	PC   uint32 // in the program that the hardware runs
	Mask uint64 // lanes
	// Row has the static warp of the thread in each lane of Mask. Others are 0.
	Row [isa.MaxLanes]uint8
}

// group returns threads of one static warp.
func group(row int, pc uint32, mask uint64) Group {
	g := Group{PC: pc, Mask: mask}
	for m := mask; m != 0; m &= m - 1 {
		g.Row[bits.TrailingZeros64(m)] = uint8(row)
	}
	return g
}

// String shows the PC and, for each lane, the row of its thread.
func (g Group) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:", g.PC)
	for lane := range bits.Len64(g.Mask) {
		if g.Mask>>lane&1 != 0 {
			fmt.Fprintf(&b, " %d", g.Row[lane])
		} else {
			b.WriteString(" -")
		}
	}
	return b.String()
}

// Code is what a model knows of the machine.
type Code struct {
	*isa.Program        // as the hardware runs it, with inserted instructions
	Lanes        int    // of a warp
	Order        string // divergence.path_order
	Verbatim     bool   // divergence.ppc.verbatim
	Yield        bool   // divergence.barrier.yield
	Static       bool   // divergence.tbc.static
	Ways         int    // divergence.dwf.ways
	Entries      int    // divergence.capri.entries
}

// Model predicts the instructions of an SM.
type Model interface {
	// Start adds a static warp: its row, the first row and the number of warps of its CTA, and its
	// threads. The warps of a CTA start in order.
	Start(row, first, warps int, mask uint64)
	// Ready returns the groups of which one issues next.
	Ready() []Group
	// Issue: a group of Ready has issued. Step follows, at once or later.
	Issue(g Group)
	// Step executes the instruction of a group: an exit when it is resolved, like a branch.
	// taken are the lanes that branch or exit.
	Step(g Group, taken uint64)
}

// Models are the models by mechanism.
var Models = map[string]func(c *Code) Model{
	"pdom": each(newPDOM), "pdom-lcp": each(newPDOMLCP),
	"barrier": each(newBarrier), "subwarp": each(newSubwarp), "multipath": each(newMultipath),
	"ppc": each(newPPC), "ppc-explicit": each(newPPCExplicit), "ptpc": each(newPTPC), "token": each(newToken),
	"tbc": newTBC, "tbc-lcp": newTBCLCP, "capri": newCAPRI, "dwf": newDWF, "dwf-wb": newDWFWB,
}

// follows are the mechanisms whose models leave nothing out but calls, tables of targets, and what is
// named here.
var follows = map[string]struct{ noBarriers, noExchanges bool }{
	"pdom": {}, "pdom-lcp": {}, "multipath": {}, "token": {},
	"ppc": {noBarriers: true}, "ppc-explicit": {noBarriers: true}, "ptpc": {noBarriers: true},
	"subwarp": {noExchanges: true}, "barrier": {noBarriers: true, noExchanges: true},
}

// For returns the model of a mechanism if it follows all that the program can do, or nil.
func For(mechanism string, p *isa.Program) func(c *Code) Model {
	no, ok := follows[mechanism]
	if !ok || slices.ContainsFunc(p.Insts, func(in isa.Inst) bool {
		return in.Op == isa.OpCall || in.Returns() || strings.HasPrefix(in.Text, "brx") ||
			no.noBarriers && in.Op == isa.OpBar || no.noExchanges && in.CrossLane()
	}) {
		return nil
	}
	return Models[mechanism]
}

// warp is a model of a mechanism that treats each static warp by itself.
type warp interface {
	ready(do func(pc uint32, mask uint64))
	step(pc uint32, mask, taken uint64)
}

// warps makes a Model of the models of its warps.
type warps struct {
	code *Code
	make func(c *Code, mask uint64) warp
	rows [sm.MaxWarps]warp
}

func each[W warp](build func(c *Code, mask uint64) W) func(c *Code) Model {
	return func(c *Code) Model {
		return &warps{code: c, make: func(c *Code, mask uint64) warp { return build(c, mask) }}
	}
}

func (w *warps) Start(row, _, _ int, mask uint64) { w.rows[row] = w.make(w.code, mask) }

func (w *warps) Ready() (list []Group) {
	for row, x := range w.rows {
		if x != nil {
			x.ready(func(pc uint32, mask uint64) { list = append(list, group(row, pc, mask)) })
		}
	}
	return list
}

func (w *warps) Issue(Group) {}

func (w *warps) Step(g Group, taken uint64) {
	w.rows[g.Row[bits.TrailingZeros64(g.Mask)]].step(g.PC, g.Mask, taken)
}

// successors returns where the lanes of mask continue after an instruction of the program: those
// that take it at its target, the others behind it. Lanes that exit are in neither.
func (c *Code) successors(pc uint32, mask, taken uint64) (in *isa.Inst, take, fall uint64) {
	in = &c.Insts[pc]
	take = mask & taken
	fall = mask &^ take
	if in.Exits() || !in.Jumps() {
		take = 0
		if !in.Exits() {
			fall = mask
		}
	}
	return in, take, fall
}

// ordered calls push for the two ways of a divergent branch, the one that runs first last.
func (c *Code) ordered(take, fall uint64, target, next uint32, push func(pc uint32, mask uint64)) {
	n := bits.OnesCount64(take) - bits.OnesCount64(fall)
	first := true // the taken way
	switch c.Order {
	case "not-taken":
		first = false
	case "majority":
		first = n >= 0
	case "minority":
		first = n <= 0
	case "highest-lane-last":
		first = take < fall
	}
	if first {
		push(next, fall)
		push(target, take)
	} else {
		push(target, take)
		push(next, fall)
	}
}

// Mismatch is an issued instruction that a model does not expect.
type Mismatch struct {
	SM     int
	Cycle  uint64
	Issued Group
	Ready  []Group // what the model has
}

// Error describes the mismatch.
func (m *Mismatch) Error() string {
	text := fmt.Sprintf("SM %d, cycle %d: issued %s; the model has", m.SM, m.Cycle, m.Issued)
	for _, g := range m.Ready {
		if shares(&g, &m.Issued) {
			text += " " + g.String() + ","
		}
	}
	return strings.TrimRight(text, ",")
}

// shares reports whether groups have a thread in common.
func shares(a, b *Group) bool {
	for m := a.Mask & b.Mask; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); a.Row[lane] == b.Row[lane] {
			return true
		}
	}
	return false
}

// watcher compares one SM with a model.
type watcher struct {
	model   Model
	code    *Code
	index   int
	sm      *sm.SM
	running []uint32         // PC in the program that runs, by PC of the kernel
	flight  map[uint16]Group // control instructions without an outcome, by slot
	found   *Mismatch
	late    []func() // outcomes of this cycle, which take effect for the next one
	cycle   uint64
	issued  int
}

// Watch compares a loaded session with models of its mechanism until the function it returns is
// called. That function returns the instructions that were compared, and the first mismatch.
func Watch(s *testbench.Session, build func(c *Code) Model) func() (issued int, found *Mismatch) {
	var list []*watcher
	var leave []func()
	for i, m := range s.Machine.SMs {
		w := &watcher{index: i, sm: m, flight: map[uint16]Group{}}
		w.code = &Code{Program: m.Program(), Lanes: s.Machine.Config.SM.WarpSize}
		for _, k := range s.Machine.Config.Resolved() {
			switch k.Key {
			case "divergence.path_order":
				w.code.Order = fmt.Sprint(k.Value)
			case "divergence.ppc.verbatim":
				w.code.Verbatim = k.Value == any(true)
			case "divergence.barrier.yield":
				w.code.Yield = k.Value == any(true)
			case "divergence.tbc.static":
				w.code.Static = k.Value == any(true)
			case "divergence.dwf.ways":
				w.code.Ways, _ = k.Value.(int)
			case "divergence.capri.entries":
				w.code.Entries, _ = k.Value.(int)
			}
		}
		for pc := range w.code.Insts {
			if origin := int(w.code.OriginOf(uint32(pc))); !w.code.Insts[pc].Inserted || w.code.Origin == nil {
				w.running = slices.Grow(w.running, max(origin+1-len(w.running), 0))[:max(origin+1, len(w.running))]
				w.running[origin] = uint32(pc)
			}
		}
		w.model = build(w.code)
		ports := m.Div.Connections()
		leave = append(leave,
			ports.Launch.Tap(func(cycle uint64, l *divergence.WarpStart) {
				w.now(cycle)
				w.model.Start(int(l.Row), int(l.First), int(l.Warps), l.Mask)
			}),
			m.Issue.OnIssue.Add(func(e sm.Issued) { w.issue(&e, w.running[e.PC]) }),
			m.Issue.OnInserted.Add(func(e sm.Issued) { w.issue(&e, e.PC) }),
			ports.Outcome.Tap(w.outcome),
		)
		for i := range ports.Others {
			leave = append(leave, ports.Others[i].Outcome.Tap(w.outcome))
		}
		list = append(list, w)
	}
	return func() (issued int, found *Mismatch) {
		for _, l := range leave {
			l()
		}
		for _, w := range list {
			issued += w.issued
			if found == nil {
				found = w.found
			}
		}
		return issued, found
	}
}

func (w *watcher) issue(e *sm.Issued, pc uint32) {
	if w.found != nil {
		return
	}
	w.now(e.Cycle)
	g := group(int(e.Row), pc, e.Mask)
	if e.Mixed {
		for m := e.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			g.Row[lane] = e.Home(lane).Row
		}
	}
	ready := w.model.Ready()
	if !slices.Contains(ready, g) {
		w.found = &Mismatch{w.index, e.Cycle, g, ready}
		return
	}
	w.issued++
	w.model.Issue(g)
	if w.code.Insts[pc].Control() {
		w.flight[e.Slot] = g
	} else {
		w.model.Step(g, 0)
	}
}

// outcome resolves the instruction in flight of a slot.
func (w *watcher) outcome(cycle uint64, o *divergence.Outcome) {
	g, ok := w.flight[o.Slot]
	if w.found != nil || !ok {
		return
	}
	w.now(cycle)
	delete(w.flight, o.Slot)
	taken := o.Taken
	w.late = append(w.late, func() { w.model.Step(g, taken) })
}

// now takes the outcomes of cycles before.
func (w *watcher) now(cycle uint64) {
	if cycle == w.cycle {
		return
	}
	w.cycle = cycle
	for _, step := range w.late {
		step()
	}
	w.late = w.late[:0]
}
