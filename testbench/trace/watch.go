package trace

import (
	"cmp"
	"fmt"
	"math/bits"

	"divergo/gpu"
	"divergo/isa"
	"divergo/memsys"
	"divergo/ptx"
	"divergo/rtl"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/units"
)

// Recorder traces a session.
//
// Each SM has a watch, which receives its events on the goroutine that runs the SM, and a Stream. The
// records of all SMs are put together between the cycles of the machine, so that a file does not
// depend on the number of goroutines.
type Recorder struct {
	session  *testbench.Session
	to       *Writer
	source   func(name string) []string
	watches  []*watch
	programs map[*isa.Program]int
	leave    []func()
	err      error
}

// Attach starts to trace a session from its next launch on, into a file whose Header is that of its
// machine: see HeaderOf. If the header has Values, all results are recorded. source returns the lines
// of a source file, nil if it is unknown.
func Attach(s *testbench.Session, to *Writer, source func(name string) []string) *Recorder {
	r := &Recorder{session: s, to: to, source: source, programs: map[*isa.Program]int{}}
	sims := map[string]*rtl.Sim{}
	for _, sim := range s.Machine.System().Sims() {
		sims[sim.Name()] = sim
	}
	for i := range s.Machine.SMs {
		w := newWatch(s.Machine, i, sims[fmt.Sprintf("sm[%d]", i)], to.SM(i), to.values)
		r.watches = append(r.watches, w)
		r.leave = append(r.leave, w.leave...)
	}
	quanta := 0
	flush := func(uint64) {
		if quanta++; quanta%64 == 0 { // a block may be a little larger
			r.fail(to.Flush())
		}
	}
	r.leave = append(r.leave, s.OnLaunch.Add(r.launch), s.Machine.System().OnQuantum(flush))
	return r
}

// HeaderOf returns the header of a machine.
func HeaderOf(m *gpu.Machine) Header {
	c := &m.Config
	h := Header{
		Mechanism: c.Divergence.Mechanism, Lanes: c.SM.WarpSize, SMs: len(m.SMs), Warps: c.SM.Warps(),
		Slots: m.SMs[0].Div.Slots().Len(), Cores: len(m.SMs[0].Sub), CoreMHz: c.Clocks.CoreMHz,
	}
	for _, k := range c.Resolved() {
		h.Keys = append(h.Keys, Key{k.Key, fmt.Sprint(k.Value)})
	}
	return h
}

// Close ends the trace, with the summary of the session. It returns the first error in writing.
func (r *Recorder) Close() error {
	for _, leave := range r.leave {
		leave()
	}
	r.end()
	s := Summary{Outcome: gpu.Finished.String()}
	counters := r.session.Counters()
	s.Cycles = counters.Cycles
	for i := range r.session.Runs {
		if o := &r.session.Runs[i].Outcome; !o.OK() {
			s.Outcome = o.End.String()
		}
	}
	for _, stat := range testbench.Stats() {
		s.Stats = append(s.Stats, Stat{stat.Name, fmt.Sprint(stat.Value(&counters))})
	}
	r.fail(r.to.Close(s))
	return r.err
}

func (r *Recorder) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// end ends the waits of a launch.
func (r *Recorder) end() {
	for _, w := range r.watches {
		w.end(r.session.Machine.Core().Now())
	}
}

// launch describes a launch.
func (r *Recorder) launch(l *testbench.Loaded) {
	r.end()
	at, known := r.programs[l.Prog]
	if !known {
		p := r.describe(l.Prog)
		var err error
		at, err = r.to.Program(&p)
		r.fail(err)
		r.programs[l.Prog] = at
	}
	m := r.session.Machine
	threads := m.SMs[0].Kernel().Threads()
	warps := (threads + m.Config.SM.WarpSize - 1) / m.Config.SM.WarpSize
	r.fail(r.to.Launch(&Launch{
		Program: at, Cycle: m.Core().Now(), Grid: l.Grid, Block: l.Block, Warps: warps,
	}))
	for _, w := range r.watches {
		w.begin(warps)
	}
	l.Refuse(r.err)
}

// describe returns the listing of a program.
func (r *Recorder) describe(prog *isa.Program) Program {
	p := Program{Name: prog.Name, Plain: ptx.Demangled(prog.Name), File: prog.File}
	for pc := range prog.Insts {
		in := &prog.Insts[pc]
		to := Inst{Text: prog.Mnemonic(uint32(pc)), PTX: int(in.Pos.Line), Reconv: isa.NoPC}
		for i := range in.NDst {
			switch d := &in.Dst[i]; d.Kind {
			case isa.OperandReg:
				to.Dst = append(to.Dst, prog.Regs[d.Index].Name)
			case isa.OperandPred:
				to.Dst = append(to.Dst, prog.Preds[d.Index])
			}
		}
		if in.Conditional() {
			to.Reconv = in.Reconv
		}
		if in.Loc.Line > 0 && int(in.Loc.File) < len(prog.Files) {
			to.File, to.Line = prog.Files[in.Loc.File], int(in.Loc.Line)
		}
		if f := prog.FuncAt(uint32(pc)); f != nil {
			to.Func = ptx.Demangled(f.Name)
		}
		p.Insts = append(p.Insts, to)
	}
	for _, name := range prog.Files {
		if r.source == nil {
			break
		}
		if lines := r.source(name); lines != nil {
			p.Sources = append(p.Sources, Source{name, lines})
		}
	}
	return p
}

// watch turns the events of an SM into records.
type watch struct {
	out   *Stream
	sm    *sm.SM
	sim   *rtl.Sim
	unit  *memsys.Unit
	leave []func()

	warp    [sm.MaxWarps]uint8 // by row: number in its CTA
	cta     [sm.MaxWarps]uint8 // and that of its CTA among the resident ones
	perWarp int                // slots
	rec     Record
	wait    Record
	slots   []waiting
	ask     units.Set             // slots that wait for registers, or whose state is not known
	flight  units.Set             // of these, slots whose last instruction is in flight
	loads   [][sm.MaxWarps]uint64 // by register and row: lanes whose last writer is a memory instruction
	groups  groups
	at      [sm.MaxWarps]arrival
	flying  [maxEntries][]flying
	values  [isa.MaxLanes]uint64
}

// maxEntries is the largest number of entries of a coalescer.
const maxEntries = 64

// waiting is a slot.
type waiting struct {
	last   sm.Flight // its last instruction
	memory bool      // which is a memory instruction
	waits  bool
	reason Reason
	since  uint64
	pc     uint32
	mask   uint64
	row    uint8
	left   bool // its threads have exited; mechanisms may leave the slot as it is
	// came: the outcome that it waits for is on its way to the mechanism, which may give the threads to
	// other slots and leave this one empty.
	came bool

	// The register that it waits for, if it is held, and the lanes of its threads in that row.
	held        bool
	reg, regRow int
	lanes       uint64
}

// arrival is the threads of a row at a CTA barrier.
type arrival struct {
	pc   uint32
	mask uint64 // by home lane
	slot uint16
}

// flying is a line on its way to the coalescer.
type flying struct {
	rec   Record // its request
	found memsys.Found
	left  uint64 // lanes without a reply
	first int    // lane of the warp that is lane 0 of the access
}

// newWatch attaches a watch to an SM.
func newWatch(m *gpu.Machine, i int, sim *rtl.Sim, out *Stream, values bool) *watch {
	s, u := m.SMs[i], m.Units[i]
	slots := s.Div.Slots().Len()
	w := &watch{
		out: out, sm: s, sim: sim, unit: u, slots: make([]waiting, slots),
		perWarp: max(slots/m.Config.SM.Warps(), 1),
	}
	ports := s.Div.Connections()
	w.leave = append(
		w.leave,
		s.Issue.OnIssue.Add(func(e sm.Issued) { w.issue(Issue, &e) }),
		s.Issue.OnInserted.Add(func(e sm.Issued) { w.issue(Inserted, &e) }),
		s.Issue.OnChanged.Add(w.changed), s.Issue.OnClass.Add(w.class),
		s.ALU.OnBranch.Add(w.branch), s.ALU.OnExit.Add(w.exit),
		ports.Launch.Tap(w.start), ports.Memory.Tap(w.transfer),
		u.Coalescer.OnPart.Add(w.request), u.Coalescer.Rsp.Tap(w.reply), u.L1.OnLoad.Add(w.lookUp),
	)
	for _, c := range s.Sub {
		w.leave = append(w.leave, c.ALU.Outcome.Tap(w.outcome))
		for k := range c.Writeback.In {
			if values {
				w.leave = append(w.leave, c.Writeback.In[k].Tap(w.writeBack))
			}
		}
	}
	if ports.Events != nil {
		w.leave = append(w.leave, ports.OnStack.Add(w.stack), ports.OnRelease.Add(w.release))
	}
	if mech, _ := divergence.Find(m.Config.Divergence.Mechanism); mech.Compacts != nil {
		w.leave = append(w.leave, mech.Compacts(s.Div).Add(w.compact))
	}
	return w
}

// begin begins a launch with CTAs of so many warps.
func (w *watch) begin(warps int) {
	for row := range w.warp {
		w.warp[row], w.cta[row] = uint8(row%warps), w.sm.Resident(row)
	}
	p := w.sm.Program()
	w.loads = make([][sm.MaxWarps]uint64, len(p.Regs)+len(p.Preds))
}

// end ends the waits of all slots.
func (w *watch) end(now uint64) {
	for s := range w.slots {
		w.stop(s, now)
	}
	w.ask = units.Set{}
}

// fill begins a record about threads of a row. It sets each field but Homes and Values, which have a
// meaning only in regrouped and in Write records.
func (w *watch) fill(k Kind, cycle uint64, slot, row int, pc uint32, mask uint64) *Record {
	r := &w.rec
	r.Kind, r.Cycle, r.Slot, r.PC, r.Mask = k, cycle, uint16(slot), pc, mask
	r.Reason, r.Access, r.Found = 0, 0, 0
	r.Mixed, r.Always, r.First, r.Partial = false, false, false, false
	r.Depth, r.Number, r.Off, r.Taken, r.Part, r.From, r.Line = 0, 0, 0, 0, 0, 0, 0
	w.place(r, row)
	return r
}

// place sets the row of a record, and the warp in that row.
func (w *watch) place(r *Record, row int) {
	row &= sm.MaxWarps - 1
	r.Row, r.Warp, r.CTA = uint8(row), w.warp[row], w.sm.CTA.Q().ID[w.cta[row]&(sm.MaxCTAs-1)]
}

// of begins a record about an instruction, whose PC is that of the kernel.
func (w *watch) of(k Kind, cycle uint64, f *sm.Flight, pc uint32, mask uint64) *Record {
	row := int(f.Row)
	if f.Mixed {
		row = int(f.Homes.At(bits.TrailingZeros64(cmp.Or(mask, f.Mask))).Row)
	}
	r := w.fill(k, cycle, int(f.Slot), row, pc, mask)
	if r.Mixed = f.Mixed; f.Mixed {
		r.Homes = f.Homes
	}
	return r
}

func (w *watch) put() { w.out.Put(&w.rec) }

// issue records an instruction, after the wait that it ends and the threads that it brings together.
func (w *watch) issue(k Kind, e *sm.Issued) {
	s := &w.slots[e.Slot]
	w.stop(int(e.Slot), e.Cycle)
	pc, in := e.PC, &isa.Inst{}
	if k == Inserted {
		in = &w.sm.Program().Insts[pc]
		pc = w.sm.Program().OriginOf(pc)
	} else {
		in = &w.sm.Kernel().Prog.Insts[pc]
	}
	if part, row, rows := w.groups.together(e.Flight); part != 0 {
		if row {
			w.of(Reconverge, e.Cycle, e.Flight, pc, e.Mask).Part = part
			w.put()
		}
		if rows {
			w.of(Merge, e.Cycle, e.Flight, pc, e.Mask).Part = part
			w.put()
		}
	}
	r := w.of(k, e.Cycle, e.Flight, pc, e.Mask)
	if in.Guard.Kind == isa.OperandPred {
		r.Off = w.off(e.Flight, in)
	}
	w.put()
	s.issued(e.Flight)
	s.memory, s.came, s.since = in.Memory(), false, e.Cycle+1
	w.ask.Add(int(e.Slot))
	w.flight.Remove(int(e.Slot))
	s.held = false
	w.writes(e.Flight, in)
}

// issued keeps an instruction. Its homes have a meaning only if it is regrouped.
func (s *waiting) issued(f *sm.Flight) {
	if f.Mixed {
		s.last = *f
		return
	}
	s.last.Slot, s.last.Row, s.last.Mixed, s.last.Mask, s.last.Rows = f.Slot, f.Row, false, f.Mask, f.Rows
}

// off returns the lanes whose guard is false.
func (w *watch) off(f *sm.Flight, in *isa.Inst) (lanes uint64) {
	at := int(in.Guard.Index)
	if !f.Mixed {
		lanes = w.sm.Preds(int(f.Row), at)
	} else {
		for m := f.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			h := f.Homes.At(lane)
			lanes |= w.sm.Preds(int(h.Row), at) >> h.Lane & 1 << lane
		}
	}
	if !in.Guard.Not {
		lanes = ^lanes
	}
	return lanes & f.Mask
}

// writes records which registers wait for memory.
func (w *watch) writes(f *sm.Flight, in *isa.Inst) {
	for i := range in.NDst {
		reg := int(in.Dst[i].Index)
		switch in.Dst[i].Kind {
		case isa.OperandReg:
		case isa.OperandPred:
			reg += len(w.sm.Program().Regs)
		default:
			continue
		}
		of := &w.loads[reg]
		if !f.Mixed {
			wait(&of[f.Row&(sm.MaxWarps-1)], f.Mask, in.Memory())
			continue
		}
		for m := f.Mask; m != 0; m &= m - 1 {
			h := f.Homes.At(bits.TrailingZeros64(m))
			wait(&of[h.Row&(sm.MaxWarps-1)], 1<<(h.Lane&(isa.MaxLanes-1)), in.Memory())
		}
	}
}

// wait adds lanes to those that wait for memory, or removes them.
func wait(of *uint64, lanes uint64, memory bool) {
	*of &^= lanes
	if memory {
		*of |= lanes
	}
}

// homeLanes returns the home lanes, in a row, of some lanes of an instruction.
func homeLanes(f *sm.Flight, row int, mask uint64) (lanes uint64) {
	if !f.Mixed {
		return mask
	}
	for m := mask; m != 0; m &= m - 1 {
		if h := f.Homes.At(bits.TrailingZeros64(m)); int(h.Row) == row {
			lanes |= 1 << h.Lane
		}
	}
	return lanes
}

// changed looks at slots that have changed.
func (w *watch) changed(e sm.Changed) {
	for k := range units.Words(len(w.slots)) {
		for m := e.Slots[k]; m != 0; m &= m - 1 {
			w.look(k<<6|bits.TrailingZeros64(m), e.Cycle)
		}
	}
}

// class looks at the slots of a sub-core that wait for registers.
func (w *watch) class(e sm.Spent) {
	issue := w.sm.Sub[e.Core].Issue
	busy := &issue.Q().Busy
	for k := range units.Words(len(w.slots)) {
		for m := w.ask[k] &^ (w.flight[k] & busy[k]); m != 0; m &= m - 1 {
			s := k<<6 | bits.TrailingZeros64(m)
			if len(w.sm.Sub) > 1 && w.sm.CoreOf(s) != e.Core {
				continue
			}
			if t := &w.slots[s]; t.held && issue.Scoreboard.Pending.At(t.reg)[t.regRow]&t.lanes != 0 {
				continue // it waits for the same register
			}
			w.look(s, e.Cycle)
		}
	}
}

// look finds what a slot waits for in this cycle.
func (w *watch) look(s int, now uint64) {
	t := &w.slots[s]
	if t.since > now { // it issues in this cycle
		return
	}
	core := w.sm.Sub[w.sm.CoreOf(s)]
	held, reg, row := core.Issue.Holds(s)
	slot := w.sm.Div.Slots().At(s)
	reason, waits, again := Turn, true, false
	switch held {
	case sm.HeldEmpty:
		waits = false
	case sm.HeldWait:
		waits = !t.left
		reason = [...]Reason{
			divergence.WaitsControl: Control, divergence.WaitsBarrier: Barrier, divergence.WaitsJoin: Join,
		}[slot.Wait]
	case sm.HeldFetch:
		reason = Fetch
	case sm.HeldFlight:
		if reason, again = Depend, true; t.memory {
			reason = Memory
		}
	case sm.HeldRegister:
		if reason, again = Depend, true; w.loads[reg][row] != 0 {
			reason = Memory
		}
	}
	t.left = t.left && held == sm.HeldWait
	t.came = t.came && held == sm.HeldWait && reason == Control
	if again || t.came {
		w.ask.Add(s)
	} else {
		w.ask.Remove(s)
	}
	if held == sm.HeldFlight {
		w.flight.Add(s)
	} else {
		w.flight.Remove(s)
	}
	if t.held = held == sm.HeldRegister && !slot.Mixed; t.held {
		t.reg, t.regRow, t.lanes = reg, row, slot.Mask
	}
	pc := w.sm.Program().OriginOf(slot.PC)
	if t.waits == waits && t.reason == reason && t.pc == pc && t.mask == slot.Mask {
		return
	}
	since := now
	if !t.waits && t.since != 0 { // from the cycle after its last instruction on
		since = t.since
	}
	w.stop(s, now)
	if waits {
		t.waits, t.reason, t.pc, t.mask, t.row, t.since = true, reason, pc, slot.Mask, slot.Row, since
	}
}

// stop ends the wait of a slot before a cycle.
func (w *watch) stop(s int, now uint64) {
	t := &w.slots[s]
	if t.waits && t.since < now {
		r := &w.wait // nothing sets its other fields
		r.Kind, r.Cycle, r.Slot, r.PC, r.Mask, r.Reason, r.From = Wait, now, uint16(s), t.pc, t.mask, t.reason, t.since
		w.place(r, int(t.row))
		w.out.Put(r)
	}
	t.waits, t.since = false, 0
}

func (w *watch) branch(e sm.Branched) {
	r := w.of(Branch, w.sim.Now(), e.Flight, e.PC, e.Mask)
	r.Taken, r.Always = e.Taken, !e.Inst.Conditional()
	w.put()
}

func (w *watch) exit(e sm.Exited) {
	now := w.sim.Now()
	w.of(Exit, now, e.Flight, e.PC, e.Lanes)
	w.put()
	if e.Lanes == e.Flight.Mask {
		w.stop(int(e.Flight.Slot), now)
		w.slots[e.Flight.Slot].left = true
	}
}

func (w *watch) start(cycle uint64, l *divergence.WarpStart) {
	row := int(l.Row)
	w.groups.start(row, l.Mask)
	w.at[row&(sm.MaxWarps-1)] = arrival{}
	w.fill(Start, cycle, row*w.perWarp, row, 0, l.Mask)
	w.put()
}

func (w *watch) stack(e divergence.Stacked) {
	k := Pop
	if e.Push {
		k = Push
	}
	r := w.fill(k, w.sim.Now(), e.Slot, e.Row, w.sm.Program().OriginOf(e.At.PC), e.Mask)
	r.Depth = uint16(e.Depth)
	if e.Block != nil {
		for _, lanes := range e.Block {
			r.Number += uint16(bits.OnesCount64(lanes))
		}
	}
	w.put()
}

func (w *watch) compact(e divergence.Compacted) {
	f := sm.Flight{Slot: uint16(e.Slot), Mask: e.Mask, Homes: *e.Homes}
	first := bits.TrailingZeros64(e.Mask)
	f.Row = e.Homes.At(first).Row
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		f.Mixed = f.Mixed || e.Homes.At(lane) != units.Home{Row: f.Row, Lane: uint8(lane)}
	}
	w.of(Compact, e.Cycle, &f, w.sm.Program().OriginOf(e.At.PC), e.Mask).Number = uint16(e.Warps)
	w.put()
}

func (w *watch) transfer(cycle uint64, t *divergence.Transfer) {
	k, pc := Fill, NoPC
	if t.Store {
		k, pc = Spill, w.sm.Program().OriginOf(t.PC)
	}
	w.fill(k, cycle, int(t.Row)*w.perWarp, int(t.Row), pc, 0).Number = uint16(t.Words)
	w.put()
}

// outcome notes that an outcome is on its way to the mechanism, and records that of a CTA barrier.
func (w *watch) outcome(cycle uint64, o *divergence.Outcome) {
	w.slots[o.Slot].came = true
	w.ask.Add(int(o.Slot))
	if o.Taken == 0 || w.sm.Program().Insts[o.PC].Op != isa.OpBar {
		return
	}
	f, pc := &w.slots[o.Slot].last, w.sm.Program().OriginOf(o.PC)
	w.of(Arrive, cycle, f, pc, o.Taken).Number = uint16(o.Bar)
	w.put()
	for rows := f.Rows; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows)
		a := &w.at[row&(sm.MaxWarps-1)]
		a.pc, a.slot = pc, o.Slot
		a.mask |= homeLanes(f, row, o.Taken)
	}
}

func (w *watch) release(e divergence.Released) {
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows) & (sm.MaxWarps - 1)
		a := &w.at[row]
		w.fill(Release, w.sim.Now(), int(a.slot), row, a.pc, a.mask).First = rows == e.Rows
		w.put()
		a.mask = 0
	}
}

// writeBack records the values of an instruction of the kernel.
func (w *watch) writeBack(cycle uint64, v *sm.Result) {
	in := &w.sm.Program().Insts[v.PC]
	if in.Inserted || v.Exec == 0 {
		return
	}
	n := uint16(0)
	for i := range in.NDst {
		if k := in.Dst[i].Kind; k != isa.OperandReg && k != isa.OperandPred {
			continue
		}
		r := w.of(Write, cycle, &v.Flight, w.sm.Program().OriginOf(v.PC), v.Exec)
		for m := v.Exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
			if w.values[lane] = w.sm.Value(v, int(i), lane); in.Dst[i].Kind == isa.OperandPred {
				w.values[lane] = uint64(v.PDst[i] >> lane & 1)
			}
		}
		r.Number, r.Values = n, w.values[:bits.Len64(v.Exec)]
		w.put()
		n++
	}
}

// request records a request of the coalescer, and remembers one that waits for a line.
func (w *watch) request(e memsys.Part) {
	if e.Kind == memsys.Flush {
		return
	}
	f, _ := w.sm.Access(e.Tag)
	if f.PC == isa.NoPC {
		f.Slot = uint16(int(f.Row) * w.perWarp)
	}
	first := sm.FirstLane(e.Tag)
	lanes := uint64(e.Lanes) << first
	if e.Kind == memsys.Fence {
		lanes = 0
	}
	r := w.of(Request, w.sim.Now(), &f, f.PC, lanes)
	r.Mixed, r.Homes = false, units.Homes{}
	r.Line, r.Access, r.First = e.Line, e.Kind, e.First
	w.put()
	if e.Kind == memsys.Load || e.Kind == memsys.Atomic {
		list := &w.flying[e.Entry&(maxEntries-1)]
		if e.First {
			*list = (*list)[:0]
		}
		*list = append(*list, flying{rec: *r, found: NoLookup, left: lanes, first: first})
	}
}

// lookUp keeps the result of a lookup of a line.
func (w *watch) lookUp(e memsys.LookedUp) {
	list := w.flying[e.Entry&(maxEntries-1)]
	for i := range list {
		if l := &list[i]; l.rec.Line == e.Line && l.rec.Mask&(uint64(e.Lanes)<<l.first) != 0 {
			l.found = e.Found
		}
	}
}

func (w *watch) reply(cycle uint64, v *memsys.LineResponse) {
	list := w.flying[v.Entry&(maxEntries-1)]
	for i := range list {
		l := &list[i]
		lanes := uint64(v.Lanes) << l.first
		if l.rec.Mask&lanes == 0 {
			continue
		}
		w.rec = l.rec
		r := &w.rec
		r.Kind, r.Cycle, r.From, r.Found, r.First = Reply, cycle, l.rec.Cycle, l.found, false
		r.Mask &= lanes
		l.left &^= lanes
		r.Partial = l.left != 0
		w.put()
	}
}
