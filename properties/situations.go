package properties

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"divergo/isa"
	"divergo/memsys"
	"divergo/properties/books"
	"divergo/properties/draw"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// The situations of a run are what steers a campaign with a corpus: far more bins than those of
// Coverage, so that they are only counted there. There are three kinds:
//
//   - pairs of events of an SM in one cycle, or one cycle apart, in one warp or in two;
//   - changes of a warp's groups of threads by an outcome: how many run, wait and are parked;
//   - opcodes with a special value of a source in the lowest active lane, and the pattern of lanes.
//
// And the cover points of the mechanism.

// situation is a bin. From the highest bits on it is the kind, the mechanism's number in the campaign,
// and three numbers.
type situation uint64

// The kinds of situations.
const (
	situationPair uint64 = iota
	situationChange
	situationValue
	situationEvent
	situationCover
	numSituations
)

// situationKinds names the kinds.
var situationKinds = [numSituations]string{"pair", "change", "value", "event", "cover"}

const situationBits = 16 // of each number

func newSituation(kind, mechanism uint64, a, b, c int) situation {
	return situation(kind<<54 | mechanism<<48 | uint64(a)<<(2*situationBits) | uint64(b)<<situationBits | uint64(c))
}

// Situation is a situation that kernels of a corpus reached.
type Situation struct {
	Kind      string // pair, change, value, event or cover
	Mechanism string
	Name      string
	Kernels   int // of the corpus that reached it, 1 or 2: it is common then
}

// named describes a situation in a campaign of some mechanisms.
func (s situation) named(mechanisms []string) Situation {
	number := func(i int) int { return int(s>>(i*situationBits)) & (1<<situationBits - 1) }
	a, b, c := number(2), number(1), number(0)
	n := Situation{Kind: situationKinds[s>>54], Mechanism: mechanisms[s>>48&63]}
	switch uint64(s >> 54) {
	case situationPair:
		n.Name = fmt.Sprintf("%v, %v, %s, %s", happening(a), happening(b), [...]string{"in one cycle", "one cycle later"}[c>>2],
			[...]string{"of one warp", "of two warps", "not both of a warp"}[c&3])
	case situationChange:
		n.Name = fmt.Sprintf("%v: %s to %s", happening(a), groups(b), groups(c))
	case situationValue:
		n.Name = fmt.Sprintf("%s of %s, source %d is %v, %v", drawnOpcodes()[a>>6], typeName(isa.Type(a&63)), b>>5, special(b&31), pattern(c))
	case situationEvent:
		n.Name = happening(a).String()
	default:
		m, _ := divergence.Find(n.Mechanism)
		n.Name = m.Covers[a].Name
	}
	return n
}

// typeName names a type by its name in PTX, or by its number.
func typeName(t isa.Type) string {
	if name := t.String(); name != "" {
		return name
	}
	return fmt.Sprintf("type %d of %d bits", t, t.Bits())
}

// groups describes the groups of a warp: the least number of each kind.
func groups(state int) string {
	if state == 0 {
		return "none"
	}
	text := ""
	for i, kind := range [...]string{"parked", "waiting", "at a barrier", "running"} {
		if n := state >> (3 * i) & 7; n > 0 {
			text = fmt.Sprintf(", %d+ %s", 1<<(n-1), kind) + text
		}
	}
	return text[2:]
}

// happening is an event in an SM.
type happening uint8

// The events. Those of control instructions are followed by one for each kind, and those of outcomes by
// one for each kind and share of lanes.
const (
	happensStart happening = iota
	happensEnd
	happensPush
	happensPop
	happensRelease
	happensStore // of stack words
	happensFill
	happensFilled
	happensInserted
	happensLoad
	happensAtomic
	happensVote
	happensReply
	happensHit
	happensMerge
	happensMiss
	happensIssue
	happensOutcome = happensIssue + happening(numControls)
	numHappenings  = happensOutcome + happening(numControls)*happening(numShares)
)

// String names h.
func (h happening) String() string {
	switch {
	case h < happensIssue:
		return [...]string{
			"warp starts", "warp ends", "push", "pop", "barrier release", "spill", "fill", "words back", "inserted issue",
			"load or store issue", "atomic issue", "vote issue", "memory reply", "L1 hit", "L1 merge", "L1 miss",
		}[h]
	case h < happensOutcome:
		return control(h-happensIssue).String() + " issue"
	}
	h -= happensOutcome
	return fmt.Sprintf("%v of %v", control(h/happening(numShares)), share(h%happening(numShares)))
}

// situations are those that a kernel reaches, under all mechanisms.
type situations struct {
	mechanism uint64 // number of the running one
	seen      map[situation]struct{}
	recent    [1 << 12]situation // most situations come many times
	program   *isa.Program       // the last one
	opcodes   []int              // of its instructions: numbers in drawnOpcodes, or -1
}

// drawnOpcodes are the opcodes that kernels have.
var drawnOpcodes = sync.OnceValue(draw.Drawn)

func newSituations() *situations { return &situations{seen: map[situation]struct{}{}} }

// begin begins the next kernel.
func (s *situations) begin() {
	clear(s.seen)
	clear(s.recent[:])
}

// list returns the situations of the kernel, in order.
func (s *situations) list() []situation {
	list := make([]situation, 0, len(s.seen))
	for x := range s.seen {
		list = append(list, x)
	}
	slices.Sort(list)
	return list
}

func (s *situations) reach(kind uint64, a, b, c int) {
	x := newSituation(kind, s.mechanism, a, b, c)
	at := &s.recent[(uint64(x)*0x9E3779B97F4A7C15)>>52]
	if *at != x+1 {
		*at = x + 1
		s.seen[x] = struct{}{}
	}
}

// watcher follows the events of one SM.
type watcher struct {
	*situations
	sm        *sm.SM
	blocks    bool // warps of a CTA wait for each other
	now       uint64
	cur, prev []placed            // of this cycle and the one before
	state     [sm.MaxWarps]uint32 // of the groups of each row at the last outcome
	pending   []trigger           // outcomes of this cycle, whose effect is in the next one
	paths     []divergence.Path   // scratch
	held      []bool              // cover points of the mechanism
}

type placed struct {
	what happening
	row  uint8
}

type trigger struct {
	what happening
	row  uint8
}

// follow returns a model that collects the situations of a session; none if s is nil.
func (s *situations) follow(session *testbench.Session, p *isa.Program) []books.Open {
	if s == nil {
		return nil
	}
	if s.program != p {
		s.program, s.opcodes = p, make([]int, len(p.Insts))
		for pc := range p.Insts {
			s.opcodes[pc] = slices.Index(drawnOpcodes(), draw.Mnemonic(p.Insts[pc].Text))
		}
	}
	next := 0
	return []books.Open{func(o *books.Observer) {
		m := o.SM()
		w := &watcher{situations: s, sm: m}
		unit := session.Machine.Units[next]
		next++
		mechanism, _ := divergence.Find(session.Machine.Config.Divergence.Mechanism)
		w.blocks, w.held = mechanism.Blocks, make([]bool, len(mechanism.Covers))
		ports := m.Div.Connections()
		lanes := session.Machine.Config.SM.WarpSize
		o.Leave(
			m.Issue.OnIssue.Add(func(e sm.Issued) { w.issue(&e, &p.Insts[e.PC], s.opcodes[e.PC], lanes) }),
			m.Issue.OnClass.Add(func(e sm.Spent) {
				w.changes(e.Cycle)
				cover(&mechanism, m.Div, w.held)
			}),
			func() {
				for i, held := range w.held {
					if held {
						w.reach(situationCover, i, 0, 0)
					}
				}
			},
			m.Issue.OnInserted.Add(func(e sm.Issued) { w.happen(e.Cycle, happensInserted, e.Row) }),
			ports.Launch.Tap(func(cycle uint64, l *divergence.WarpStart) { w.happen(cycle, happensStart, l.Row) }),
			ports.Retire.Tap(func(cycle uint64, r *divergence.Retire) { w.happen(cycle, happensEnd, r.Row) }),
			ports.Memory.Tap(func(cycle uint64, t *divergence.Transfer) {
				what := happensFill
				if t.Store {
					what = happensStore
				}
				w.happen(cycle, what, t.Row)
			}),
			ports.Answer.Tap(func(cycle uint64, t *divergence.Transferred) { w.happen(cycle, happensFilled, t.Row) }),
			unit.Coalescer.Rsp.Tap(func(cycle uint64, _ *memsys.LineResponse) { w.happen(cycle, happensReply, noRow) }),
			unit.L1.OnLoad.Add(func(l memsys.LookedUp) {
				w.happen(w.now, happensHit+happening(min(l.Found, memsys.Miss)), noRow)
			}),
			ports.Outcome.Tap(func(cycle uint64, out *divergence.Outcome) { w.outcome(cycle, out, o) }),
		)
		for i := range ports.Others {
			other := &ports.Others[i].Outcome
			o.Leave(other.Tap(func(cycle uint64, out *divergence.Outcome) { w.outcome(cycle, out, o) }))
		}
		if ports.Events != nil {
			o.Leave(
				ports.OnStack.Add(func(e divergence.Stacked) {
					what := happensPop
					if e.Push {
						what = happensPush
					}
					w.happen(w.now, what, uint8(e.Row))
				}),
				ports.OnRelease.Add(func(divergence.Released) { w.happen(w.now, happensRelease, noRow) }),
			)
		}
	}}
}

// noRow is the row of an event that belongs to no warp.
const noRow = 0xff

// happen records an event, and its pairs with those of this cycle and the one before.
func (w *watcher) happen(cycle uint64, what happening, row uint8) {
	if cycle > w.now {
		if w.prev, w.cur = w.cur, w.prev[:0]; cycle != w.now+1 {
			w.prev = w.prev[:0]
		}
		w.now = cycle
	}
	w.reach(situationEvent, int(what), 0, 0)
	for _, p := range w.cur {
		a, b := min(p.what, what), max(p.what, what)
		w.reach(situationPair, int(a), int(b), relation(p.row, row))
	}
	for _, p := range w.prev {
		w.reach(situationPair, int(p.what), int(what), 4+relation(p.row, row))
	}
	if len(w.cur) < 8 {
		w.cur = append(w.cur, placed{what, row})
	}
}

// relation tells whether two events belong to one warp (0), to two (1), or one to none (2).
func relation(a, b uint8) int {
	switch {
	case a == noRow || b == noRow:
		return 2
	case a != b:
		return 1
	}
	return 0
}

// outcome records the outcome of a control instruction.
func (w *watcher) outcome(cycle uint64, out *divergence.Outcome, o *books.Observer) {
	slot := w.sm.Div.Slots().At(int(out.Slot))
	mask, n := slot.Mask, shareSome
	if lanes, known := o.Executed(out); known {
		mask = lanes
	}
	switch mask & out.Taken {
	case 0:
		n = shareNone
	case mask:
		n = shareAll
	}
	k := controlOf(&w.sm.Program().Insts[out.PC])
	what := happensOutcome + happening(k)*happening(numShares) + happening(n)
	w.happen(cycle, what, slot.Row)
	w.pending = append(w.pending, trigger{what, slot.Row})
}

// changes records what the outcomes of earlier cycles made of the groups of their warps. The issue stage
// calls it, which sees the mechanism between its cycles.
func (w *watcher) changes(cycle uint64) {
	if len(w.pending) == 0 || cycle <= w.now {
		return
	}
	w.paths = w.sm.Div.Paths(w.paths[:0])
	for _, t := range w.pending {
		row := t.row & (sm.MaxWarps - 1)
		cta := w.sm.Resident(int(row))
		var n [4]int // groups that run, wait at a barrier, wait otherwise, are parked
		for i := range w.paths {
			p := &w.paths[i]
			if p.Row != row && !(w.blocks && p.CTA == cta) {
				continue
			}
			switch {
			case p.Wait == divergence.WaitsBarrier:
				n[1]++
			case !p.Running:
				n[3]++
			case p.Wait == divergence.Runs:
				n[0]++
			default:
				n[2]++
			}
		}
		state := uint32(0)
		for _, k := range n {
			state = state<<3 | uint32(min(bits.Len(uint(k)), 7))
		}
		w.reach(situationChange, int(t.what), int(w.state[row]), int(state))
		w.state[row] = state
	}
	w.pending = w.pending[:0]
}

// issue records an instruction, and special values of its sources.
func (w *watcher) issue(e *sm.Issued, in *isa.Inst, opcode, lanes int) {
	switch {
	case in.Control():
		w.happen(e.Cycle, happensIssue+happening(controlOf(in)), e.Row)
	case in.Op == isa.OpAtom:
		w.happen(e.Cycle, happensAtomic, e.Row)
	case in.Memory():
		w.happen(e.Cycle, happensLoad, e.Row)
	case in.CrossLane():
		w.happen(e.Cycle, happensVote, e.Row)
	}
	if e.Mask == 0 || opcode < 0 {
		return
	}
	home := e.Home(bits.TrailingZeros64(e.Mask))
	for i := range in.NSrc {
		if in.Src[i].Kind != isa.OperandReg {
			continue
		}
		typ := in.Type
		if in.SrcType != 0 {
			typ = in.SrcType
		}
		v := w.sm.Reg(int(home.Row), int(home.Lane), int(in.Src[i].Index))
		if k := specialOf(v, typ); k != notSpecial {
			w.reach(situationValue, opcode<<6|int(typ), int(i)<<5|int(k), int(patternOf(e.Mask, lanes)))
		}
	}
}

// special is a kind of special value.
type special uint8

const (
	notSpecial special = iota
	specialZero
	specialOne
	specialOnes  // all bits, which is -1
	specialLeast // the sign bit alone: the least number, or -0
	specialMost  // all others: the greatest number
	specialWidth // the number of bits, at or above which a shift takes all
	specialInf   // of either sign
	specialNaN
	specialSubnormal
)

// String names s.
func (s special) String() string {
	return [...]string{"any", "0", "1", "-1", "the sign bit", "the greatest number", "the width", "infinity", "a NaN", "a subnormal"}[s]
}

// specialOf returns what is special about a value.
func specialOf(v uint64, t isa.Type) special {
	n := t.Bits()
	if n == 0 || n > 64 {
		n = 32
	}
	ones := ^uint64(0) >> (64 - n)
	v &= ones
	sign := ones>>1 + 1
	fraction := 0 // bits, of a float
	switch t {
	case isa.F16:
		fraction = 10
	case isa.F32:
		fraction = 23
	case isa.F64:
		fraction = 52
	}
	if fraction > 0 {
		inf := (ones >> 1) &^ (1<<fraction - 1)
		switch m := v &^ sign; {
		case m == inf:
			return specialInf
		case m > inf:
			return specialNaN
		case m != 0 && m < 1<<fraction:
			return specialSubnormal
		}
	}
	switch v {
	case 0:
		return specialZero
	case 1:
		return specialOne
	case ones:
		return specialOnes
	case sign:
		return specialLeast
	case sign - 1:
		return specialMost
	case uint64(n):
		return specialWidth
	}
	return notSpecial
}
