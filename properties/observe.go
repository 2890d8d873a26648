package properties

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/properties/draw"
	"divergo/rtl"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/compaction"
	"divergo/testbench"
	"divergo/testbench/golden"
	"divergo/units"
)

// observer watches one SM while it runs. It keeps its own books of which
// threads live, where they meet and what the branches do, from what is issued
// and who exits.
type observer struct {
	sm        *sm.SM
	sim       *rtl.Sim
	index     int
	prog      *isa.Program
	lanes     int
	warps     int // of a CTA
	rowsThere int // in the SM; the books of those behind are empty
	threads   int
	promises  divergence.Promises
	rows      [sm.MaxWarps]row
	ctas      [sm.MaxCTAs]group
	paths     []divergence.Path
	seen      [sm.MaxWarps]uint32
	stack     []divergence.Entry
	broken    *broken // the first
	coverage  *Coverage
	shapes    []draw.Shape // by PC
	patterns  []uint8      // by PC: a bit for each pattern of lanes that has issued it

	permutation units.Permutation
	scheduler   sm.Scheduler
	priority    sm.CTAPriority
	counted     counted
	timing      *timing
	where       *where
	liveness    *liveness
	scoreboard  *scoreboard
	compactor   *compactor // nil for mechanisms that do not promise Compacts
	forming     *forming   // nil for those that do not promise Updates
	outcomes    *outcomes  // if coverage is counted
	leave       []func()
}

// row is what is known of a static warp.
type row struct {
	cta     uint64 // linear number
	began   bool
	started uint32
	live    uint32
	splits  []split
	passed  uint32 // the last branch, call, barrier or exit that has issued; isa.NoPC: none

	arrived [divergence.Barriers]uint32 // threads that have come to each barrier since it last opened
	at      [isa.MaxLanes]uint8         // the barrier at which a thread waits
	held    uint32                      // threads that wait
}

// split is a divergent branch whose threads have not met.
type split struct {
	rpc   uint32
	depth uint16 // calls around: the same PC of a recursive function is another place
	mask  uint32
}

// group is a resident CTA.
type group struct {
	id   uint64
	need [divergence.Barriers]uint8 // warps that a barrier asks for, 0: all live threads
}

// watch attaches an observer to each SM of a session that is loaded.
func watch(s *testbench.Session, prog *isa.Program, cov *Coverage) []*observer {
	var list []*observer
	cfg := &s.Machine.Config
	mech, _ := divergence.Find(cfg.Divergence.Mechanism)
	sims := map[string]*rtl.Sim{}
	for _, sim := range s.Machine.System().Sims() {
		sims[sim.Name()] = sim
	}
	for i, m := range s.Machine.SMs {
		threads := m.Kernel().Threads()
		o := &observer{
			sm: m, sim: sims[fmt.Sprintf("sm[%d]", i)], index: i, prog: prog, lanes: cfg.SM.WarpSize, threads: threads, warps: (threads + cfg.SM.WarpSize - 1) / cfg.SM.WarpSize, rowsThere: cfg.SM.Warps(),
			promises: mech.Promises,
			coverage: cov, permutation: cfg.SM.Lanes, scheduler: cfg.SM.Scheduler, priority: cfg.SM.CTAPriority,
		}
		o.follow(&mech)
		o.watchRegisters(&cfg.SM)
		o.time(&mech, &cfg.SM, cfg.Divergence)
		o.watchLiveness(&mech, &cfg.SM, cfg.Divergence)
		if mech.Updates > 0 {
			o.watchForming(&mech, &cfg.SM)
		}
		if mech.Compacts != nil {
			o.compactor = &compactor{observer: o, off: compaction.Keys.Of(cfg.Divergence).Static}
			o.leave = append(o.leave, mech.Compacts(m.Div).Add(o.compactor.warp))
			if o.compactor.follow(); mech.Splits {
				o.compactor.stack = o.watchBlocks(cfg.Divergence)
			}
		}
		if cov != nil {
			o.shapes, o.patterns = draw.Shapes(prog), make([]uint8, len(prog.Insts))
			o.watchOutcomes(&mech)
		}
		o.leave = append(o.leave, m.Issue.OnIssue.Add(o.issue), m.ALU.OnExit.Add(o.exit), m.ALU.OnBranch.Add(o.resolved))
		list = append(list, o)
	}
	return list
}

// detach ends the observation.
func (o *observer) detach() {
	for _, leave := range o.leave {
		leave()
	}
	if o.coverage != nil {
		o.coverage.issued(o.prog, o.patterns)
		o.coverage.became(o.outcomes)
	}
}

// fail notes the first thing that a checker finds, and which threads it is about.
func (o *observer) fail(rule Rule, about []units.Home, format string, args ...any) {
	if o.broken != nil {
		return
	}
	b := &broken{rule: rule, what: fmt.Sprintf(format, args...), cycle: o.sim.Now()}
	for _, h := range about {
		row, lane := int(h.Row&(sm.MaxWarps-1)), int(h.Lane)
		if b.last == "" && o.rows[row].began {
			b.last = opcode(o.prog, o.rows[row].passed)
		}
		if o.all(row)>>lane&1 != 0 {
			t := o.sm.Thread(row, lane)
			b.threads = append(b.threads, golden.ID{CTA: t.CTA, Thread: t.TID})
		}
	}
	o.broken = b
}

// at says where an instruction is.
func (o *observer) at(e *sm.Issued) string {
	return fmt.Sprintf("SM %d, cycle %d, PC %d, %s: %s", o.index, e.Cycle, e.PC, o.prog.Where(e.PC), o.prog.Mnemonic(e.PC))
}

// inst describes an instruction of the program that the hardware runs.
func (o *observer) inst(pc uint32) string {
	p := o.sm.Program()
	if int(pc) >= len(p.Insts) {
		return "no instruction"
	}
	return fmt.Sprintf("PC %d, %s: %s", p.OriginOf(pc), p.Where(pc), p.Mnemonic(pc))
}

// all is the mask of the threads of the warp in a row.
func (o *observer) all(r int) (mask uint32) {
	w := r % o.warps
	for location := range min(o.threads-w*o.lanes, o.lanes) {
		mask |= 1 << o.sm.Lane(w, location)
	}
	return mask
}

// begin makes a row that of a CTA, if it was another's.
func (o *observer) begin(r int) *row {
	cta := o.sm.Resident(r)
	id := o.sm.CTA.Q().ID[cta&(sm.MaxCTAs-1)]
	w := &o.rows[r]
	if !w.began || w.cta != id {
		o.placed(r)
		all := o.all(r)
		*w = row{cta: id, began: true, started: all, live: all, splits: w.splits[:0], passed: isa.NoPC}
		if g := &o.ctas[cta&(sm.MaxCTAs-1)]; g.id != id {
			*g = group{id: id}
		}
	}
	return w
}

func (o *observer) issue(e sm.Issued) {
	if o.broken != nil {
		return
	}
	in := &o.prog.Insts[e.PC]
	o.counted.active[bits.OnesCount32(e.Mask)]++
	taken := e.Mask
	if in.Guard.Kind == isa.OperandPred {
		taken = o.guarded(&e, in)
	}
	if o.promises.InStep && in.Op == isa.OpBra && in.Uniform && taken != 0 && taken != e.Mask {
		o.fail(Rule{checkUniform, "a uniform branch that divides threads"}, active(&e), "%s: lanes %#x of %#x take it", o.at(&e), taken, e.Mask)
	}
	if o.coverage != nil {
		o.mark(e.PC, e.Mask)
		if in.Op == isa.OpBra && in.Conditional() {
			o.coverage.branch(o.shapes[e.PC], e.Mask, taken)
		}
	}
	o.stay(&e)
	o.place(&e)
	if o.promises.Nested {
		o.nested(&e)
	}
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		r := bits.TrailingZeros64(rows)
		mask, taken := of(e.Flight, r, e.Mask), of(e.Flight, r, taken)
		if !o.promises.Across && o.sm.Resident(r) != e.CTA {
			o.fail(Rule{checkHome, "a row of another CTA"}, active(&e), "%s: lanes %#x are of row %d, another CTA's", o.at(&e), mask, r)
			return
		}
		w := o.begin(r)
		if wrong := mask &^ w.started; wrong != 0 {
			o.fail(Rule{checkHome, "lanes without a thread"}, active(&e), "%s: lanes %#x of row %d have no thread", o.at(&e), wrong, r)
		}
		o.behind(&e, w, r, mask)
		if o.promises.Meets {
			o.join(&e, w, in, mask, taken)
		}
		if in.Op == isa.OpBar {
			o.comes(&e, in, r, taken)
		}
		if in.Control() {
			w.passed = e.PC
		}
	}
}

// of is where the threads of some lanes are in a row.
func of(f *sm.Flight, row int, lanes uint32) (mask uint32) {
	if !f.Mixed {
		return lanes
	}
	for m := lanes; m != 0; m &= m - 1 {
		if h := f.Homes.At(bits.TrailingZeros32(m)); int(h.Row) == row {
			mask |= 1 << h.Lane
		}
	}
	return mask
}

// guarded is the set of lanes whose guard holds.
func (o *observer) guarded(e *sm.Issued, in *isa.Inst) (lanes uint32) {
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		h := e.Home(lane)
		if o.sm.Pred(int(h.Row), int(h.Lane), int(in.Guard.Index)) != in.Guard.Not {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// nested looks whether the masks on the stack of a warp are parts of each other,
// or apart.
func (o *observer) nested(e *sm.Issued) {
	o.stack = o.promises.Stack(o.sm.Div, int(e.Slot), o.stack[:0])
	for i := range o.stack {
		for j := range i {
			if m, below := o.stack[i].Mask, o.stack[j].Mask; m&below != 0 && m&^below != 0 {
				o.fail(Rule{checkStack, "entries of a stack that overlap"}, active(e), "%s: entry %d of the stack has lanes %#x, entry %d below it %#x", o.at(e), i, m, j, below)
			}
		}
	}
}

// join looks whether the threads of a divergent branch meet at its
// post-dominator. Of several branches of the same threads with the same
// post-dominator, as in the trips of a loop, the first has the most threads.
func (o *observer) join(e *sm.Issued, w *row, in *isa.Inst, mask, taken uint32) {
	depth := o.where.depth
	kept := w.splits[:0]
	for _, s := range w.splits {
		s.mask &= w.live
		if s.rpc == e.PC && s.depth == depth && s.mask&mask != 0 {
			if apart := s.mask &^ mask; apart != 0 {
				o.fail(Rule{checkReconvergence, "threads that do not meet"}, active(e), "%s: lanes %#x come here without lanes %#x, with which they parted", o.at(e), mask, apart)
			}
			continue
		}
		if s.mask != 0 {
			kept = append(kept, s)
		}
	}
	w.splits = kept
	if !in.Conditional() || taken == 0 || taken == mask || in.Reconv == isa.NoPC {
		return
	}
	for _, s := range w.splits {
		if s.rpc == in.Reconv && s.depth == depth && mask&^s.mask == 0 {
			return
		}
	}
	w.splits = append(w.splits, split{in.Reconv, depth, mask})
}

// counted is what the observer counts of what statistics count.
type counted struct {
	active              [isa.MaxLanes + 1]uint64
	branches, divergent uint64
}

// resolved counts branches.
func (o *observer) resolved(e sm.Branched) {
	diverges := e.Taken != 0 && e.Taken != e.Mask
	if e.Inst.Conditional() || diverges {
		o.counted.branches++
	}
	if diverges {
		o.counted.divergent++
	}
}

// statistics holds what observers have counted against the counters of their launch.
func statistics(list []*observer, c *testbench.Counters) *broken {
	var all counted
	for _, o := range list {
		for i, n := range o.counted.active {
			all.active[i] += n
		}
		all.branches += o.counted.branches
		all.divergent += o.counted.divergent
	}
	for i, n := range c.Active {
		if n != all.active[i] {
			return found(checkStatistics, "instructions by lanes", fmt.Sprintf("%d instructions of %d lanes have been issued, the counter has %d", all.active[i], i, n))
		}
	}
	if d := &c.Divergence; d.Branches != all.branches || d.Divergent != all.divergent {
		return found(checkStatistics, "branches", fmt.Sprintf("%d branches, of which %d diverge, the counters have %d and %d", all.branches, all.divergent, d.Branches, d.Divergent))
	}
	return nil
}

func (o *observer) exit(e sm.Exited) {
	for m := e.Lanes; m != 0; m &= m - 1 {
		h := e.Home(bits.TrailingZeros32(m))
		o.rows[h.Row&(sm.MaxWarps-1)].live &^= 1 << h.Lane
	}
}
