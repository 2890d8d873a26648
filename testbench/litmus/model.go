package litmus

import (
	"maps"
	"math/bits"
	"slices"
)

// relation holds, for each event, the row of events that it relates to.
type relation [maxEvents]uint32

func (r *relation) add(a, b int)      { r[a] |= 1 << b }
func (r *relation) has(a, b int) bool { return r[a]>>b&1 != 0 }

// close makes the relation transitive.
func (r *relation) close() {
	for via := range r {
		for a := range r {
			if r.has(a, via) {
				r[a] |= r[via]
			}
		}
	}
}

// cyclic reports whether the transitive closure relates an event to itself.
func (r relation) cyclic() bool {
	r.close()
	for a := range r {
		if r.has(a, a) {
			return true
		}
	}
	return false
}

// event is a memory operation or a fence. The first events are the initial writes of the variables.
type event struct {
	*inst         // nil: initial write
	thread, index int
}

func (e *event) initial() bool { return e.inst == nil }

// strong reports whether the event is a strong operation. An initial write is not: it is in no
// race.
func (e *event) strong() bool { return e.inst != nil && e.Order != orderWeak }

// model enumerates the executions of a test.
type model struct {
	*Test
	events []event
	at     [][]int  // event of each instruction, by thread; -1 for a computation
	po     relation // program order
	strong relation // morally strong
	reads  []int

	// These fields are one execution.
	source  [maxEvents]int // rf: the write that each read reads from
	writes  uint32         // writing events; a compare-and-swap may not be one
	values  [maxEvents]pair
	allowed map[Outcome]bool
}

// pair is the value that an event has read, and the one that it writes.
type pair struct {
	read, write uint32
	state       evaluation
}

// evaluation is the progress of evaluating an event.
type evaluation uint8

const (
	unknown evaluation = iota
	begun
	known
)

// allowed returns the outcomes that the axioms of the PTX memory model allow, in order. It
// enumerates all reads-from, coherence and Fence-SC orders.
func (t *Test) allowed() []Outcome {
	m := newModel(t)
	m.readFrom(0)
	return slices.Sorted(maps.Keys(m.allowed))
}

func newModel(t *Test) *model {
	m := &model{Test: t, allowed: map[Outcome]bool{}}
	for range t.vars {
		m.events = append(m.events, event{thread: -1})
	}
	for i := range t.threads {
		at := make([]int, len(t.threads[i].Insts))
		for k := range t.threads[i].Insts {
			in := &t.threads[i].Insts[k]
			at[k] = -1
			if in.Op == opCompute {
				continue
			}
			at[k] = len(m.events)
			if in.reads() {
				m.reads = append(m.reads, len(m.events))
			}
			m.events = append(m.events, event{in, i, k})
		}
		m.at = append(m.at, at)
	}
	for a := range m.events {
		for b := range m.events {
			if m.before(a, b) {
				m.po.add(a, b)
			}
			if a != b && m.morallyStrong(a, b) {
				m.strong.add(a, b)
			}
		}
	}
	return m
}

// before reports whether event a precedes b in program order. Initial writes precede all events of
// threads.
func (m *model) before(a, b int) bool {
	x, y := &m.events[a], &m.events[b]
	if x.initial() || y.initial() {
		return x.initial() && !y.initial()
	}
	return x.thread == y.thread && x.index < y.index
}

// location returns the variable of a memory operation, -1 for a fence.
func (m *model) location(e int) int {
	switch x := &m.events[e]; {
	case x.initial():
		return e
	case x.Op == opFence:
		return -1
	default:
		return x.Var
	}
}

// morallyStrong reports whether two events are morally strong.
//
// They belong to the same thread, or are strong and their scopes include each other. If both are
// memory operations, they have the same location (PTX ISA, "Morally strong operations").
func (m *model) morallyStrong(a, b int) bool {
	x, y := &m.events[a], &m.events[b]
	if l, k := m.location(a), m.location(b); l >= 0 && k >= 0 && l != k {
		return false
	}
	if x.initial() || y.initial() {
		return false
	}
	return x.thread == y.thread || x.strong() && y.strong() && m.includes(x, y.thread) && m.includes(y, x.thread)
}

// includes reports whether the scope of an operation contains a thread.
func (m *model) includes(e *event, thread int) bool {
	return e.Scope != scopeCTA || m.threads[e.thread].CTA == m.threads[thread].CTA
}

// readFrom chooses the writes that read number i, and the reads after it, read from.
func (m *model) readFrom(i int) {
	if i == len(m.reads) {
		m.execution()
		return
	}
	r := m.reads[i]
	for w := range m.events {
		e := &m.events[w]
		if w != r && (e.initial() || e.writes()) && m.location(w) == m.location(r) && !m.po.has(r, w) {
			m.source[r] = w
			m.readFrom(i + 1)
		}
	}
}

// execution computes the values of all events, and then the orders that the axioms allow.
func (m *model) execution() {
	clear(m.values[:])
	m.writes = 0
	for e := range m.events {
		if !m.evaluate(e) {
			return
		}
	}
	for _, r := range m.reads {
		if m.writes>>m.source[r]&1 == 0 { // a compare-and-swap that did not swap
			return
		}
	}
	m.fences()
}

// evaluate computes the values of an event. It reports whether they come out of thin air: by axiom
// No-Thin-Air, reads-from and dependencies have no cycle.
func (m *model) evaluate(e int) bool {
	v, x := &m.values[e], &m.events[e]
	switch {
	case v.state == begun:
		return false
	case v.state == known:
		return true
	}
	v.state = begun
	if !x.initial() && x.reads() {
		if !m.evaluate(m.source[e]) {
			return false
		}
		v.read = m.values[m.source[e]].write
	}
	writes := x.initial() || x.Op == opStore
	if !x.initial() && x.writes() {
		var src [2]uint32
		for i, o := range x.Src {
			var ok bool
			if src[i], ok = m.operand(x.thread, x.index, o); !ok {
				return false
			}
		}
		v.write = src[0]
		if x.Op == opAtomic {
			v.write = x.result(v.read, src[0], src[1])
			writes = x.Kind != "cas" || v.read == src[0]
		}
	}
	if writes {
		m.writes |= 1 << e
	}
	v.state = known
	return true
}

// operand returns the value of an operand before an instruction, unless it comes out of thin air.
func (m *model) operand(thread, index int, o operand) (uint32, bool) {
	if o.Reg < 0 {
		return o.Value, true
	}
	for index--; index >= 0; index-- {
		in := &m.threads[thread].Insts[index]
		if in.Dst != o.Reg {
			continue
		}
		if in.Op != opCompute {
			e := m.at[thread][index]
			ok := m.evaluate(e)
			return m.values[e].read, ok
		}
		var src [2]uint32
		for i, from := range in.Src {
			var ok bool
			if src[i], ok = m.operand(thread, index, from); !ok {
				return 0, false
			}
		}
		return in.result(0, src[0], src[1]), true
	}
	return 0, true
}

// result returns the value of a computation, or the one that an atomic writes after it has read
// old.
func (in *inst) result(old, a, b uint32) uint32 {
	if in.Op == opCompute {
		if in.Kind == "mov" {
			return a
		}
		old, a = a, b
	}
	switch in.Kind {
	case "add":
		return old + a
	case "inc":
		if old >= a {
			return 0
		}
		return old + 1
	case "and":
		return old & a
	case "or":
		return old | a
	case "xor":
		return old ^ a
	case "min":
		return min(old, a)
	case "max":
		return max(old, a)
	case "cas":
		if old == a {
			return b
		}
		return old
	}
	return a // exch
}

// executionOrders are the orders of one execution.
type executionOrders struct {
	observation, base, cause, co relation
}

// fences chooses the Fence-SC order, an order of each two morally strong fences, and continues with
// each choice.
func (m *model) fences() {
	o := executionOrders{observation: m.observation()}
	o.base = m.po
	m.synchronise(&o)
	var pairs [][2]int
	for a := range m.events {
		for b := a + 1; b < len(m.events); b++ {
			if m.sequential(a) && m.sequential(b) && m.strong.has(a, b) && !m.po.has(a, b) {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	o.base.close()
	extend(&o.base, pairs, func(base *relation) {
		next := o
		next.base = *base
		m.causality(&next)
	})
}

// extend enumerates the orders of pairs of events within an acyclic transitive relation; for fences
// this is axiom Fence-SC. Pairs that the relation orders already keep their order.
func extend(r *relation, pairs [][2]int, each func(r *relation)) {
	for i, p := range pairs {
		if r.has(p[0], p[1]) && r.has(p[1], p[0]) {
			return
		}
		if r.has(p[0], p[1]) || r.has(p[1], p[0]) {
			continue
		}
		for k := range p {
			next := *r
			next.add(p[k], p[1-k])
			next.close()
			extend(&next, pairs[i:], each)
		}
		return
	}
	each(r)
}

// sequential reports whether an event is a fence.sc.
func (m *model) sequential(e int) bool {
	x := &m.events[e]
	return !x.initial() && x.Op == opFence && x.Order == orderSC
}

// observation returns the observation order. It relates a write to a morally strong read that reads
// from it, and continues through atomics (PTX ISA, "Observation Order").
func (m *model) observation() (o relation) {
	for _, r := range m.reads {
		if w := m.source[r]; m.strong.has(w, r) {
			o.add(w, r)
		}
	}
	o.close() // only an atomic both reads and is observed in turn
	return o
}

// synchronise adds the synchronization of release patterns with acquire patterns to the base
// causality order (PTX ISA, "Release and Acquire Patterns" and "Memory synchronization").
func (m *model) synchronise(o *executionOrders) {
	for head := range m.events {
		for w := range m.events {
			if !m.releasePattern(head, w) {
				continue
			}
			for _, r := range m.reads {
				if !o.observation.has(w, r) {
					continue
				}
				for tail := range m.events {
					if m.acquirePattern(r, tail) && m.strong.has(head, tail) {
						o.base.add(head, tail)
					}
				}
			}
		}
	}
}

// releasePattern reports whether head and the strong write w form a release pattern. Either w
// releases, or it follows a release of its location or a fence.
func (m *model) releasePattern(head, w int) bool {
	h, x := &m.events[head], &m.events[w]
	if h.initial() || x.initial() || !h.releases() || !x.strong() || x.Op == opFence || m.writes>>w&1 == 0 {
		return false
	}
	if h.Op == opFence {
		return m.po.has(head, w)
	}
	return m.writes>>head&1 != 0 && h.Var == x.Var && (head == w || m.po.has(head, w))
}

// acquirePattern reports whether the strong read r and tail form an acquire pattern. Either r
// acquires, or it precedes an acquire of its location or a fence. The read of a reduction forms
// none (PTX ISA, "Special Cases").
func (m *model) acquirePattern(r, tail int) bool {
	x, a := &m.events[r], &m.events[tail]
	if a.initial() || !a.acquires() || !x.strong() || x.Dst < 0 {
		return false
	}
	if a.Op == opFence {
		return m.po.has(r, tail)
	}
	return a.reads() && a.Var == x.Var && (r == tail || m.po.has(r, tail))
}

// causality computes causality order: base causality order, and observation followed by it. By
// axiom Coherence, writes of a location follow it in coherence order. causality tries each order of
// morally strong writes that it leaves open.
func (m *model) causality(o *executionOrders) {
	o.cause = o.base
	for x := range m.events {
		for z := range m.events {
			if o.observation.has(x, z) {
				o.cause[x] |= o.base[z]
			}
		}
	}
	var open [][2]int
	for a := range m.events {
		for b := range m.events {
			if a == b || m.writes>>a&1 == 0 || m.writes>>b&1 == 0 || m.location(a) != m.location(b) {
				continue
			}
			if o.cause.has(a, b) || m.strong.has(a, b) && m.chained(a, b) {
				o.co.add(a, b)
			} else if a < b && m.strong.has(a, b) {
				open = append(open, [2]int{a, b})
			}
		}
	}
	if o.co.cyclic() {
		return
	}
	o.co.close()
	extend(&o.co, open, func(co *relation) {
		if m.consistent(o, co) {
			m.keep(co)
		}
	})
}

// chained reports whether b is an atomic that has read from a; it then follows a by axiom
// SC-per-Location.
func (m *model) chained(a, b int) bool {
	x := &m.events[b]
	return !x.initial() && x.reads() && m.source[b] == a
}

// consistent checks the axioms Atomicity, SC-per-Location and Causality.
func (m *model) consistent(o *executionOrders, co *relation) bool {
	var rf, fr relation
	for _, r := range m.reads {
		w := m.source[r]
		rf.add(w, r)
		fr[r] |= co[w] &^ (1 << r)
	}
	perLocation := m.poLocation()
	for a := range m.events {
		if fr[a]&m.strong[a]&column32(co, a) != 0 {
			return false // a write between an atomic's own and the one that it reads from
		}
		perLocation[a] |= (rf[a] | fr[a] | co[a]) & m.strong[a]
	}
	if perLocation.cyclic() {
		return false
	}
	for a := range m.events {
		for seen := rf[a] | fr[a]; seen != 0; seen &= seen - 1 {
			if o.cause.has(bits.TrailingZeros32(seen), a) {
				return false
			}
		}
	}
	return true
}

// column32 returns the events that a relation relates to b.
func column32(r *relation, b int) (events uint32) {
	for a := range r {
		events |= r[a] >> b & 1 << a
	}
	return events
}

// poLocation returns the program order of memory operations of the same location.
func (m *model) poLocation() (r relation) {
	for a := range m.events {
		for b := range m.events {
			if m.po.has(a, b) && m.location(a) >= 0 && m.location(a) == m.location(b) && !m.events[a].initial() {
				r.add(a, b)
			}
		}
	}
	return r
}

// keep records the outcomes of an execution: the registers and the final values. The final value of
// a variable is that of any write that no other write follows in coherence order.
func (m *model) keep(co *relation) {
	values := make([]uint32, m.Test.values())
	for i := range m.threads {
		for reg := range m.threads[i].Regs {
			values[m.reg(i, reg)], _ = m.operand(i, len(m.threads[i].Insts), operand{Reg: reg})
		}
	}
	m.finish(values, 0, co)
}

// finish chooses the final values of variable v and the variables after it.
func (m *model) finish(values []uint32, v int, co *relation) {
	if v == len(m.vars) {
		m.allowed[newOutcome(values)] = true
		return
	}
	for w := range m.events {
		if m.writes>>w&1 != 0 && m.location(w) == v && co[w] == 0 {
			values[m.final(v)] = m.values[w].write
			m.finish(values, v+1, co)
		}
	}
}
