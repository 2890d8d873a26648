package properties

import (
	"cmp"
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// timing watches when things happen: what is right and late does not pass, nor
// what costs less than it should.
type timing struct {
	*observer
	prompt   uint64 // Promises.Prompt
	perPop   uint64
	latency  uint64 // of outcomes
	weaves   sm.Interweave
	store    uint64 // Promises.Transfers
	load     uint64
	last     uint64   // cycle in which something issued
	first    issued   // in it
	second   issued   // beside that
	pushed   []uint64 // cycles of outcomes that have not been taken
	resolved [sm.MaxWarps]uint64
	pops     [sm.MaxWarps]uint64        // that there had been then
	branched uint64                     // rows of which a branch was resolved and no slot has run since
	decides  [divergence.MaxSlots]uint8 // control instructions of each slot on their way: that of a path which another covers by now may be one more
	moving   uint64                     // rows of which words are on their way
	until    [sm.MaxWarps]uint64
	mover    [sm.MaxWarps]uint64 // for the warp of which CTA
	words    [][]uint64          // by row: what is in its memory
	inMemory [sm.MaxWarps]int    // of these how many the mechanism has not got back
	came     [sm.MaxWarps]uint64 // cycle in which some did
	asked    [sm.MaxWarps]divergence.Transfer
}

// issued is a slot that has issued, and of what threads.
type issued struct {
	slot int // -1: none
	row  uint8
	mask uint32
}

// time begins to watch an SM.
func (o *observer) time(mech *divergence.Mechanism, cfg *sm.Config, options divergence.Options) {
	t := &timing{observer: o, prompt: uint64(mech.Prompt), perPop: uint64(mech.PerPop), latency: uint64(cmp.Or(cfg.OutcomeLat, cfg.ALULatency)), weaves: cfg.Interweave}
	o.timing = t
	ports := o.sm.Div.Connections()
	o.leave = append(o.leave, o.sm.Issue.OnClass.Add(t.class), o.sm.Issue.OnIssue.Add(t.kernels), o.sm.Issue.OnInserted.Add(t.inserted))
	if t.prompt > 0 {
		o.leave = append(o.leave, o.sm.ALU.Outcome.Tap(t.comes), ports.Outcome.Tap(t.taken))
	}
	if mech.Transfers != nil {
		store, load := mech.Transfers(options)
		t.store, t.load = uint64(store), uint64(load)
		t.words = make([][]uint64, sm.MaxWarps)
		o.leave = append(o.leave, ports.Memory.Tap(t.moves), ports.Answer.Tap(t.moved))
	}
}

func (t *timing) comes(cycle uint64, _ *divergence.Outcome) { t.pushed = append(t.pushed, cycle) }

// taken looks whether the mechanism takes an outcome as soon as it can.
func (t *timing) taken(cycle uint64, out *divergence.Outcome) {
	if len(t.pushed) == 0 {
		return
	}
	if since := cycle - t.pushed[0]; since > t.latency && t.left() {
		t.fail(Rule{checkTiming, "an outcome taken late"}, t.inSlot(int(out.Slot)), "SM %d, cycle %d: the outcome of slot %d is taken after %d cycles, it came after %d", t.index, cycle, out.Slot, since, t.latency)
	}
	t.pushed = t.pushed[1:]
	in := &t.sm.Program().Insts[out.PC]
	if n := &t.decides[out.Slot]; *n > 0 {
		*n--
	}
	if s := t.sm.Div.Slots().At(int(out.Slot)); in.Branches() {
		t.branched |= 1 << (s.Row & 63)
		t.resolved[s.Row&(sm.MaxWarps-1)] = cycle
		if t.perPop > 0 {
			t.pops[s.Row&(sm.MaxWarps-1)] = t.sm.Div.Stats().Pops
		}
	}
}

// left reports whether nothing has kept outcomes from being taken: warps that end wait for
// the queue of those.
func (t *timing) left() bool { return t.sm.Div.Connections().Retire.Ready() }

// class is called in each cycle that the issue stage looks for an instruction: it must find one that
// is surely ready, and a row of which a branch has been resolved must run.
func (t *timing) class(e sm.Spent) {
	if t.broken != nil {
		return
	}
	slots := t.sm.Div.Slots()
	if e.Slot < 0 {
		for s := range slots.Len() {
			if t.ready(e.Cycle, s) {
				t.fail(Rule{checkFair, "a ready slot that does not issue"}, t.inSlot(s), "SM %d, cycle %d: nothing issues, slot %d is ready for %s", t.index, e.Cycle, s, t.inst(slots.At(s).PC))
				return
			}
		}
	}
	if e.Slot >= 0 && e.Cycle == t.last && t.last > 0 && t.sm.Issue.Beside != nil {
		t.beside(e.Cycle)
	}
	for m := t.branched &^ t.moving; m != 0; m &= m - 1 {
		r := bits.TrailingZeros64(m)
		due := t.resolved[r] + t.prompt
		if t.perPop > 0 {
			due += t.perPop * (t.sm.Div.Stats().Pops - t.pops[r])
		}
		if e.Cycle < due {
			continue
		}
		t.branched &^= 1 << r
		if !t.runs(r) && e.Cycle < due+2 && t.rows[r].held == 0 && t.rows[r].live != 0 {
			t.fail(Rule{checkTiming, "no path after a branch"}, inRow(r, t.rows[r].live), "SM %d, cycle %d: no path of row %d runs, of which a branch was resolved in cycle %d", t.index, e.Cycle, r, t.resolved[r])
		}
	}
}

// beside looks whether of the slots that could issue in the lanes that an instruction leaves the one has that fills most
// of them, of several the first (Brunie, Collange & Diamos, ISCA 2012, and package sm, Interweave).
func (t *timing) beside(cycle uint64) {
	slots := t.sm.Div.Slots()
	if slots.At(t.first.slot).Mixed {
		return
	}
	most := bits.OnesCount32(t.second.mask)
	for i := range slots.Len() {
		s := slots.At(i)
		own := s.Row == t.first.row
		if s.Mixed || s.Mask&t.first.mask != 0 || own && t.weaves == sm.InterweaveSWI || !own && t.weaves == sm.InterweaveSBI {
			continue
		}
		if n := bits.OnesCount32(s.Mask); (n > most || n == most && i < t.second.slot) && t.ready(cycle, i) {
			t.fail(Rule{checkFair, "not the slot that fills most lanes"}, t.inSlot(i), "SM %d, cycle %d: beside slot %d issues slot %d (-1: none) of %d lanes, slot %d of %d was ready", t.index, cycle, t.first.slot, t.second.slot, most, i, n)
			return
		}
	}
}

// runs reports whether a slot of a row can run, or waits for an outcome that has not come.
func (t *timing) runs(r int) bool {
	slots := t.sm.Div.Slots()
	for i := range slots.Len() {
		if s := slots.At(i); s.Valid && int(s.Row) == r && (s.Wait == divergence.Runs || t.decides[i] > 0) {
			return true
		}
	}
	return false
}

// ready reports whether a slot is surely ready in a cycle: it has its instruction, and nothing that its threads have in
// flight holds them back.
func (t *timing) ready(cycle uint64, i int) bool {
	s := t.sm.Div.Slots().At(i)
	if !s.Valid || s.Wait != divergence.Runs {
		return false
	}
	b := t.scoreboard
	if e := t.sm.Issue.Front.IBuffer.At(i); e.N == 0 || e.PC != s.PC || b.held[i] > 0 || cycle <= b.freed[i] && b.freed[i] > 0 {
		return false
	}
	in := &t.sm.Program().Insts[s.PC]
	if !s.Mixed {
		return b.free(cycle, int(s.Row)&(sm.MaxWarps-1), in, s.Mask)
	}
	homes := t.sm.Div.Homes().At(i)
	for m := s.Mask; m != 0; m &= m - 1 {
		if h := homes.At(bits.TrailingZeros32(m)); !b.free(cycle, int(h.Row)&(sm.MaxWarps-1), in, 1<<(h.Lane&(isa.MaxLanes-1))) {
			return false
		}
	}
	return true
}

func (t *timing) kernels(e sm.Issued)  { t.issue(&e, &t.prog.Insts[e.PC]) }
func (t *timing) inserted(e sm.Issued) { t.issue(&e, &t.sm.Program().Insts[e.PC]) }

// issue looks whether it was the slot's turn, and whether the threads are free to go on.
func (t *timing) issue(e *sm.Issued, in *isa.Inst) {
	if t.broken != nil {
		return
	}
	for rows := e.Rows & t.moving; rows != 0; rows &= rows - 1 {
		if r := bits.TrailingZeros64(rows); e.Cycle < t.until[r] && t.resident(r) == t.mover[r] {
			t.fail(Rule{checkTiming, "tokens that move too fast"}, active(e), "SM %d, cycle %d: row %d issues, whose tokens are on their way until cycle %d", t.index, e.Cycle, r, t.until[r])
		} else {
			t.moving &^= 1 << r
			t.liveness.busy[r] = e.Cycle
		}
	}
	defer t.scoreboard.issued(e, in)
	t.branched &^= e.Rows
	if in.Control() {
		t.decides[e.Slot]++
	}
	beside := t.last == e.Cycle && e.Cycle > 0 // whose turn it is the first instruction of a cycle shows
	now := issued{int(e.Slot), e.Row, e.Mask}
	if beside {
		t.second = now
	} else {
		t.first, t.second = now, issued{slot: -1}
	}
	if t.last = e.Cycle; beside || t.scheduler != sm.LRR || t.priority != sm.PriorityNone || t.sm.Issue.Ranks != nil {
		return
	}
	n := t.sm.Div.Slots().Len()
	for s := (int(t.sm.Issue.Q().Last) + 1) % n; s != int(e.Slot); s = (s + 1) % n {
		if t.ready(e.Cycle, s) {
			t.fail(Rule{checkFair, "not the slot's turn"}, t.inSlot(s), "SM %d, cycle %d: slot %d issues, slot %d was ready and before it", t.index, e.Cycle, e.Slot, s)
			return
		}
	}
}

// moves enters a transfer between a mechanism and the memory of a row.
func (t *timing) moves(cycle uint64, v *divergence.Transfer) {
	r := int(v.Row) & (sm.MaxWarps - 1)
	if t.words[r] == nil {
		t.words[r] = make([]uint64, divergence.RecursiveWords+divergence.TransferWords)
	}
	cost := t.load
	if v.Store {
		cost = t.store
		copy(t.words[r][v.At:], v.Data[:v.Words])
	}
	if v.Store {
		t.inMemory[r] = int(v.At + v.Words)
	}
	t.moving |= 1 << r
	t.until[r], t.asked[r], t.mover[r] = cycle+cost, *v, t.resident(r)
}

// resident is the CTA that a row belongs to. A warp that ends, as its tokens have come and none of their threads
// lives, makes room for that of another.
func (t *timing) resident(r int) uint64 {
	return t.sm.CTA.Q().ID[t.sm.Resident(r)&(sm.MaxCTAs-1)]
}

// stored reports whether a row has words in memory, or had at the beginning of the cycle.
func (t *timing) stored(r int, cycle uint64) bool {
	return t.words != nil && (t.inMemory[r] > 0 || t.came[r] == cycle)
}

// moved looks whether words that come back are those that were stored last.
func (t *timing) moved(cycle uint64, v *divergence.Transferred) {
	r := int(v.Row) & (sm.MaxWarps - 1)
	asked := &t.asked[r]
	if !asked.Store {
		t.inMemory[r], t.came[r] = int(asked.At), cycle
	}
	for i := range asked.Words {
		if want := t.words[r][asked.At+i]; !asked.Store && v.Data[i] != want {
			t.fail(Rule{checkSpill, "another word than was stored"}, inRow(r, t.rows[r].live), "SM %d, cycle %d: word %d of row %d comes back as %#x, it was stored as %#x", t.index, cycle, asked.At+i, r, v.Data[i], want)
			return
		}
	}
}
