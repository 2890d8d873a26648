package memsys_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file has a model of the message protocol of the memory system, and a search of all its
// states. It is written from the description of the blocks, and shares no code with them.
//
// The model is one of the smallest systems: two SMs and the dispatcher, one slice and one channel.
// There are two lines. Each L1, and the slice, has one way and one MSHR, with one request in it.
// Each queue holds one message. Time is not modelled: any block that can take a step may be the
// next one. So every timing of the hardware is among the runs of the model.
//
//	model                        block
//	SM.issue, Entries, Answer    Coalescer: a table of two entries, and the queue from the L1
//	SM.access, Way, MSHR         L1.access; a fence that closes its epoch: L1.fence
//	SM.respond, Pend             L1.fill, L1.performed
//	SM.finish                    the answer to a fence in L1.Tick
//	carry                        Crossbar: a packet moves if its output has room
//	Slice                        Slice: fill, replay and access
//	channel                      dram.Channel, as a queue of one request
//	dispatcher                   the FlushAll of gpu.dispatcher, here at any time
//	Link                         rtl.Link: a credit leaves with a message, and returns when it is taken
//
// Data and addresses within a line are left out. An atomic on a line with some of its bytes may
// find them or not: both are steps.

// message is a packet or an access. The zero value is no message.
type message struct {
	Kind  kind
	Line  uint8 // 1 or 2
	From  uint8 // SM, or the dispatcher
	Epoch uint8
	Reply bool // a response
}

type kind uint8

const (
	none     kind = iota
	load          // also the packet of a load past the L1
	store         // also a write-back
	atomic        //
	reduce        //
	flushAll      //
	// accesses only
	loadPast // .cg or .volatile
	push     // a store to the start of a line of a stack
	fence    // or flush
)

func (k kind) String() string {
	return [...]string{"none", "load", "store", "atomic", "reduce", "flush_all", "load.cg", "stack store", "fence"}[k]
}

// waits reports whether an access takes an entry of the coalescer until its answer.
func (k kind) waits() bool { return k == load || k == atomic || k == loadPast || k == fence }

// link is a queue of one message. Its producer has the credit, or the message is in the queue, or
// the credit is on its way back.
type link struct {
	Message message
	Credit  bool
	Back    bool
}

func (l *link) valid() bool { return l.Message.Kind != none }
func (l *link) put(m message) {
	l.Message, l.Credit = m, false
}

// take empties the link. The credit returns in a step of its own, or at once.
func (l *link) take(s *system) message {
	m := l.Message
	l.Message = message{}
	if s.wires {
		l.Back = true
	} else {
		l.Credit = true
	}
	return m
}

// way is a cache with one line.
type way struct {
	Line    uint8 // 0: none
	Waiting bool
	Dirty   bool
	Part    bool // slice: it has only some bytes
}

// The states of the MSHR of an L1.
const (
	free   = iota
	keeps  // the line goes into the way
	passes // the line only answers its load
)

// client is an SM.
type client struct {
	Todo    uint8 // accesses that it may still send
	In      message
	Entries uint8 // of the coalescer
	Way     way
	MSHR    uint8
	Answer  bool // on its way from the L1 to the coalescer
	Epoch   uint8
	Oldest  uint8
	Pend    [2]uint8 // requests without a response, by epoch
	Req     link
	Rsp     link
}

// state is a state of the whole system.
type state struct {
	SM       [2]client
	Todo     uint8 // flushes that the dispatcher may still send
	Open     uint8 // its flushes without an answer
	Req, Rsp link  // of the dispatcher
	Middle   link  // one network only: its buffer

	In      link // of the slice
	Out     link
	Mem     link
	Fill    link
	Way     way
	MSHR    message // the request that waits for the line
	Replay  bool
	Writes  uint8
	Channel message
}

// system is a version of the model.
type system struct {
	accesses [2]uint8 // by SM
	flushes  uint8    // by the dispatcher
	wires    bool     // credits take time to return

	// Faults that the search must find.
	oneNetwork bool // requests and responses share a buffer
	rspNeedReq bool // the L1 takes no response while it has no room for a request
	newFirst   bool // the slice serves a new request before those that wait for a line that has come
}

const theDispatcher = 2

// step is a successor of a state with the name of the step.
type step struct {
	what string
	to   state
}

// first is the state in which nothing has been sent.
func (s *system) first() (q state) {
	for i, n := range s.accesses {
		q.SM[i].Todo = n
	}
	q.Todo = s.flushes
	for _, l := range q.links() {
		l.Credit = true
	}
	return q
}

func (q *state) links() []*link {
	return []*link{
		&q.SM[0].Req, &q.SM[0].Rsp, &q.SM[1].Req, &q.SM[1].Rsp, &q.Req, &q.Rsp, &q.Middle, &q.In, &q.Out,
		&q.Mem, &q.Fill,
	}
}

// ended reports whether every access has been sent and answered, and nothing is on its way.
func (q *state) ended() bool {
	for _, l := range q.links() {
		if !l.Credit {
			return false
		}
	}
	for i := range q.SM {
		c := &q.SM[i]
		if c.Todo > 0 || c.In.Kind != none || c.Entries > 0 || c.Answer || c.MSHR != free || c.Pend != [2]uint8{} {
			return false
		}
	}
	return q.Todo == 0 && q.Open == 0 && q.MSHR.Kind == none && q.Writes == 0 && q.Channel.Kind == none
}

// conserved reports whether each link has its one credit at exactly one place.
func (q *state) conserved() bool {
	for _, l := range q.links() {
		n := 0
		for _, here := range []bool{l.Credit, l.Back, l.valid()} {
			if here {
				n++
			}
		}
		if n != 1 {
			return false
		}
	}
	return true
}

// walk collects the successors of a state.
type walk struct {
	*system
	from  *state
	named bool
	steps []step
}

// name returns the name of a step, if it is asked for.
func (w *walk) name(format string, args ...any) string {
	if !w.named {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// next adds the successor that f makes, if f can.
func (w *walk) next(what string, f func(q *state) bool) {
	w.steps = append(w.steps, step{what, *w.from})
	if !f(&w.steps[len(w.steps)-1].to) {
		w.steps = w.steps[:len(w.steps)-1]
	}
}

// successors returns all steps from a state, in the memory of a list. They have names on request.
func (s *system) successors(list []step, from *state, named bool) []step {
	w := &walk{system: s, from: from, named: named, steps: list[:0]}
	for i := range from.SM {
		w.client(i)
	}
	w.dispatcher()
	w.carry()
	w.slice()
	w.channel()
	if s.wires {
		for n, l := range from.links() {
			if l.Back {
				w.next(w.name("the credit of link %d returns", n), func(q *state) bool {
					l := q.links()[n]
					l.Back, l.Credit = false, true
					return true
				})
			}
		}
	}
	return w.steps
}

func (w *walk) client(i int) {
	c := &w.from.SM[i]
	if c.Todo > 0 && c.In.Kind == none {
		for _, k := range []kind{load, loadPast, store, push, atomic, reduce, fence} {
			for line := uint8(1); line <= 2; line++ {
				if k.waits() && c.Entries == 2 || k == fence && line == 2 {
					continue
				}
				w.next(w.name("SM %d sends a %s of line %d", i, k, line), func(q *state) bool {
					c := &q.SM[i]
					if c.In, c.Todo = (message{Kind: k, Line: line, From: uint8(i)}), c.Todo-1; k.waits() {
						c.Entries++
					}
					return true
				})
			}
		}
	}
	if c.Answer {
		w.next(w.name("SM %d: the coalescer takes an answer", i), func(q *state) bool {
			q.SM[i].Answer = false
			q.SM[i].Entries--
			return true
		})
	}
	if c.Rsp.valid() && !(w.rspNeedReq && !c.Req.Credit) {
		w.next(w.name("SM %d takes the response to a %s", i, c.Rsp.Message.Kind), func(q *state) bool {
			return q.SM[i].respond(w.system)
		})
	}
	if c.Oldest != c.Epoch && c.Pend[c.Oldest] == 0 && !c.Answer {
		w.next(w.name("SM %d answers a fence", i), func(q *state) bool {
			q.SM[i].Oldest, q.SM[i].Answer = c.Epoch, true
			return true
		})
	}
	if c.In.Kind != none {
		w.next(w.name("SM %d: the L1 works on a %s of line %d", i, c.In.Kind, c.In.Line), func(q *state) bool {
			return q.SM[i].access()
		})
	}
}

// respond takes the response at Rsp.
func (c *client) respond(s *system) bool {
	m := c.Rsp.Message
	if m.Kind == load || m.Kind == atomic {
		if c.Answer {
			return false
		}
		if c.MSHR == keeps {
			c.Way.Waiting = false
		}
		c.Answer, c.MSHR = true, free
	}
	c.Rsp.take(s)
	c.Pend[m.Epoch]--
	return true
}

// send sends a packet, if there is room.
func (c *client) send(k kind, line uint8) bool {
	if !c.Req.Credit {
		return false
	}
	c.Req.put(message{Kind: k, Line: line, From: c.In.From, Epoch: c.Epoch})
	c.Pend[c.Epoch]++
	return true
}

// drop removes the line from the way. Its dirty bytes need room for a packet.
func (c *client) drop() bool {
	if c.Way.Dirty && !c.send(store, c.Way.Line) {
		return false
	}
	if c.Way.Waiting {
		c.MSHR = passes
	}
	c.Way = way{}
	return true
}

// access takes one step of the access at In.
func (c *client) access() bool {
	m := c.In
	here := c.Way.Line == m.Line
	done := func(ok bool) bool {
		if ok {
			c.In = message{}
		}
		return ok
	}
	switch m.Kind {
	case fence:
		if c.Way.Dirty {
			c.Way.Dirty = false
			return c.send(store, c.Way.Line)
		}
		if c.Epoch != c.Oldest {
			return false // the epochs are used up
		}
		c.Epoch ^= 1
		return done(c.drop())
	case loadPast, atomic, reduce:
		if here {
			return c.drop()
		}
		if m.Kind == reduce {
			return done(c.send(reduce, m.Line))
		}
		if c.MSHR != free {
			return false
		}
		c.MSHR = passes
		k := m.Kind
		if k == loadPast {
			k = load
		}
		return done(c.send(k, m.Line))
	case load:
		switch {
		case here && c.Way.Waiting, !here && (c.MSHR != free || c.Way.Waiting):
			return false
		case here:
			ok := !c.Answer
			c.Answer = true
			return done(ok)
		case c.Way.Dirty:
			return c.drop()
		}
		c.MSHR, c.Way = keeps, way{Line: m.Line, Waiting: true}
		return done(c.send(load, m.Line))
	}
	// stores
	switch {
	case here && !c.Way.Waiting:
		c.Way.Dirty = true
		return done(true)
	case here:
		return done(c.send(store, m.Line) && c.drop())
	case m.Kind == store || c.Way.Waiting:
		return done(c.send(store, m.Line))
	case c.Way.Dirty:
		return c.drop()
	}
	c.Way = way{Line: m.Line, Dirty: true}
	return done(true)
}

func (w *walk) dispatcher() {
	if w.from.Todo > 0 && w.from.Req.Credit {
		w.next("the dispatcher sends a flush", func(q *state) bool {
			q.Req.put(message{Kind: flushAll, From: theDispatcher})
			q.Todo--
			q.Open++
			return true
		})
	}
	if w.from.Rsp.valid() {
		w.next("the dispatcher takes an answer", func(q *state) bool {
			q.Rsp.take(w.system)
			q.Open--
			return true
		})
	}
}

// port returns the links between the network and a source.
func (q *state) port(from uint8) (req, rsp *link) {
	if from == theDispatcher {
		return &q.Req, &q.Rsp
	}
	return &q.SM[from].Req, &q.SM[from].Rsp
}

// carry moves a packet through a network.
func (w *walk) carry() {
	move := func(what string, ends func(q *state) (from, to *link)) {
		if from, to := ends(w.from); from.valid() && to.Credit {
			w.next(what, func(q *state) bool {
				from, to := ends(q)
				to.put(from.take(w.system))
				return true
			})
		}
	}
	for n := range uint8(3) {
		move(w.name("a request of port %d moves", n), func(q *state) (from, to *link) {
			if from, to = &q.Req, &q.In; n != theDispatcher {
				from = &q.SM[n].Req
			}
			if w.oneNetwork {
				to = &q.Middle
			}
			return from, to
		})
	}
	move("a response moves", func(q *state) (from, to *link) {
		if _, to = q.port(q.Out.Message.From); w.oneNetwork {
			to = &q.Middle
		}
		return &q.Out, to
	})
	if w.oneNetwork {
		move("a packet leaves the network", func(q *state) (from, to *link) {
			if to = &q.In; q.Middle.Message.Reply {
				_, to = q.port(q.Middle.Message.From)
			}
			return &q.Middle, to
		})
	}
}

func (w *walk) slice() {
	q := w.from
	if m := q.Fill.Message; m.Kind == store {
		w.next("the slice takes the acknowledgement of a write", func(q *state) bool {
			q.Fill.take(w.system)
			q.Writes--
			return true
		})
	} else if m.Kind == load && !q.Replay {
		w.next(w.name("the slice takes line %d from the DRAM", m.Line), func(q *state) bool {
			q.Fill.take(w.system)
			q.Way.Waiting, q.Way.Part, q.Replay = false, false, true
			return true
		})
	}
	for _, covered := range []bool{true, false} {
		switch {
		case q.Replay && !(w.newFirst && q.In.valid()):
			w.next(w.name("the slice replays a %s", q.MSHR.Kind), func(q *state) bool {
				done, ok := q.serve(q.MSHR, covered)
				if done {
					q.MSHR, q.Replay = message{}, false
				}
				return ok
			})
		case q.In.valid() && q.Fill.Message.Kind != load:
			w.next(w.name("the slice works on a %s of line %d", q.In.Message.Kind, q.In.Message.Line),
				func(q *state) bool {
					done, ok := q.serve(q.In.Message, covered)
					if done {
						q.In.take(w.system)
					}
					return ok
				})
		}
		if !q.Way.Part {
			break // an atomic finds its bytes
		}
	}
}

// serve takes one step of a request in the slice. It reports whether the request is done, and
// whether there is a step.
func (q *state) serve(m message, covered bool) (done, ok bool) {
	if m.Kind == flushAll {
		switch {
		case q.MSHR.Kind != none:
			return false, false
		case q.Way.Dirty:
			return false, q.writeBack()
		case q.Writes > 0:
			return false, false
		}
		if done = q.answer(m); done {
			q.Way = way{}
		}
		return done, done
	}
	enough := !q.Way.Part || m.Kind == store || m.Kind != load && covered
	switch {
	case q.Way.Waiting: // for this line, or for the only way
		return false, false
	case q.Way.Line == m.Line && enough, q.Way.Line != m.Line && !q.Way.Dirty && m.Kind == store:
		if q.Way.Line != m.Line {
			q.Way = way{Line: m.Line, Part: true}
		}
		q.Way.Dirty = q.Way.Dirty || m.Kind != load
		done = q.answer(m)
		return done, done
	case q.Way.Line != m.Line && q.Way.Dirty:
		ok = q.writeBack()
		q.Way = way{}
		return false, ok
	}
	if q.MSHR.Kind != none || !q.Mem.Credit {
		return false, false
	}
	if q.Way.Line != m.Line {
		q.Way = way{Line: m.Line}
	}
	q.Way.Waiting, q.MSHR = true, m
	q.Mem.put(message{Kind: load, Line: m.Line})
	return true, true
}

func (q *state) writeBack() bool {
	if !q.Mem.Credit {
		return false
	}
	q.Mem.put(message{Kind: store, Line: q.Way.Line})
	q.Way.Dirty = false
	q.Writes++
	return true
}

func (q *state) answer(m message) bool {
	if !q.Out.Credit {
		return false
	}
	m.Reply = true
	q.Out.put(m)
	return true
}

func (w *walk) channel() {
	if w.from.Mem.valid() && w.from.Channel.Kind == none {
		w.next("the channel takes a request", func(q *state) bool {
			q.Channel = q.Mem.take(w.system)
			return true
		})
	}
	if w.from.Channel.Kind != none && w.from.Fill.Credit {
		w.next("the channel answers", func(q *state) bool {
			q.Fill.put(q.Channel)
			q.Channel = message{}
			return true
		})
	}
}

// graph holds the reachable states of a system, in the order of their distance from the first.
type graph struct {
	*system
	states []state
	number map[state]int32
	parent []int32 // a state before each, on a shortest way
	edges  []edge
}

type edge struct{ from, to int32 }

func (g *graph) add(q state, from int32) int32 {
	n, ok := g.number[q]
	if !ok {
		n = int32(len(g.states))
		g.number[q] = n
		g.states, g.parent = append(g.states, q), append(g.parent, from)
	}
	return n
}

// search finds all reachable states, or those up to the first that is wrong. It returns what is
// wrong.
func (s *system) search() (g *graph, wrong string) {
	g = &graph{system: s, number: map[state]int32{}}
	g.add(s.first(), -1)
	var steps []step
	for n := int32(0); int(n) < len(g.states); n++ {
		q := g.states[n]
		steps = s.successors(steps, &q, false)
		switch {
		case !q.conserved():
			return g, g.tell("credits are lost or made", n)
		case len(steps) == 0 && !q.ended():
			return g, g.tell("deadlock", n)
		}
		for i := range steps {
			g.edges = append(g.edges, edge{n, g.add(steps[i].to, n)})
		}
	}
	if g.circles() {
		wrong = "some run goes round in a circle"
	}
	return g, wrong
}

// tell describes a state by the steps of a shortest way to it.
func (g *graph) tell(what string, n int32) string {
	text := fmt.Sprintf("\n%+v", g.states[n])
	for ; g.parent[n] >= 0; n = g.parent[n] {
		from := &g.states[g.parent[n]]
		for _, s := range g.successors(nil, from, true) {
			if s.to == g.states[n] {
				text = "\n  " + s.what + text
				break
			}
		}
	}
	return what + " after" + text
}

// circles reports whether some state can be reached from itself. It takes states away that have no
// predecessor left.
func (g *graph) circles() bool {
	before, first := make([]int32, len(g.states)), make([]int, len(g.states)+1)
	for _, e := range g.edges { // in the order of their beginnings
		before[e.to]++
		first[e.from+1]++
	}
	for n := range g.states {
		first[n+1] += first[n]
	}
	list := []int32{0} // only the first state has no predecessor
	for n := 0; n < len(list); n++ {
		for _, e := range g.edges[first[list[n]]:first[list[n]+1]] {
			if before[e.to]--; before[e.to] == 0 {
				list = append(list, e.to)
			}
		}
	}
	return len(list) < len(g.states)
}

// TestProtocol searches all states that the message protocol can reach, whatever the SMs access and
// whichever block is the next to take a step. It checks:
//   - only the end has no next step: every access is answered, and nothing is on its way;
//   - no run returns to an earlier state. So every run ends, and from every state;
//   - each link has its credit once: at the producer, with a message, or on its way back.
func TestProtocol(t *testing.T) {
	systems := []system{
		{accesses: [2]uint8{2}, flushes: 1},
		{accesses: [2]uint8{3}},
		{accesses: [2]uint8{1, 1}, flushes: 1},
	}
	if !testing.Short() {
		systems = append(systems,
			system{accesses: [2]uint8{3}, flushes: 1},
			system{accesses: [2]uint8{2, 1}, flushes: 1},
			system{accesses: [2]uint8{2}, flushes: 1, wires: true})
	}
	for _, s := range systems {
		start := time.Now()
		g, wrong := s.search()
		require.Empty(t, wrong)
		t.Logf("accesses of the SMs %d, flushes %d, wires of credits %t: %d states, %d steps, %.1f s", s.accesses,
			s.flushes, s.wires, len(g.states), len(g.edges), time.Since(start).Seconds())
	}
}

// TestProtocolFaults checks that the search finds the deadlock of faulty protocols.
func TestProtocolFaults(t *testing.T) {
	for name, s := range map[string]system{
		"one network for both directions":             {accesses: [2]uint8{4}, oneNetwork: true},
		"no response is taken without room to send":   {accesses: [2]uint8{5}, rspNeedReq: true},
		"a new request goes before one with its line": {accesses: [2]uint8{3}, newFirst: true},
	} {
		t.Run(name, func(t *testing.T) {
			g, wrong := s.search()
			require.Contains(t, wrong, "deadlock after", "%d states", len(g.states))
			t.Logf("%d states\n%s", len(g.states), wrong)
		})
	}
}
