package verilog

import (
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// machine executes functions symbolically.
type machine struct {
	*words
	lib     *Library
	objects int
	globals map[*ssa.Global]*object
	fixed   map[*object]value // package variables
	entries map[*object]int   // of a Mem
	facts   []*word           // conditions that hold where the executed function is called
	depth   int               // of calls
}

// The limits of the translator. Code that exceeds them is not hardware.
const (
	maxRounds = 128 // of a loop that ends by data, in a call
	maxCalls  = 64
)

// memoryState holds the values of variables.
type memoryState map[*object]value

// flow is one way to a place in a function, or several merged: the decisions that lead to it, and
// the values there.
type flow struct {
	on  []*word
	mem memoryState
	env map[ssa.Value]value
}

// call executes a function, which is called under conditions. It returns its results and the memory
// behind it.
func (x *machine) call(fn *ssa.Function, args []value, on []*word, mem memoryState) ([]value, memoryState) {
	if fn.Blocks == nil {
		x.refuse("%s is called, whose source is not embedded", fn)
	}
	if x.depth++; x.depth > maxCalls {
		x.refuse("%s is recursive", fn)
	}
	at, facts := x.at, x.facts
	x.facts = slices.Concat(facts, on)
	defer func() { x.depth, x.at, x.facts = x.depth-1, at, facts }()
	f := &frame{
		machine: x, fn: fn, shape: x.lib.shape(fn),
		waiting: map[*ssa.BasicBlock]*flow{}, rounds: map[*ssa.BasicBlock]int{},
	}
	start := &flow{mem: maps.Clone(mem), env: map[ssa.Value]value{}}
	for i, p := range fn.Params {
		start.env[p] = args[i]
	}
	f.enter(fn.Blocks[0], start)
	for len(f.waiting) > 0 {
		b := f.next()
		now := f.waiting[b]
		delete(f.waiting, b)
		f.block(b, now)
	}
	if f.end == nil {
		panic(impossible{})
	}
	return f.end.env[nil].(list), f.end.mem
}

// frame is a call of a function.
type frame struct {
	*machine
	fn      *ssa.Function
	shape   *shape
	waiting map[*ssa.BasicBlock]*flow // blocks to execute
	rounds  map[*ssa.BasicBlock]int   // by head of a loop: iterations that depend on data
	end     *flow                     // merged returns; the results are those of value nil
	never   [][]*word                 // decisions that lead to a panic
}

// next is a block that no other waiting block leads to.
func (f *frame) next() *ssa.BasicBlock {
	var first *ssa.BasicBlock
	for b := range f.waiting {
		ready := true
		for a := range f.waiting {
			ready = ready && !f.shape.before[a.Index][b.Index]
		}
		if ready && (first == nil || b.Index < first.Index) {
			first = b
		}
	}
	return first
}

// enter merges a flow into those that wait at a block.
func (f *frame) enter(b *ssa.BasicBlock, in *flow) {
	if other := f.waiting[b]; other != nil {
		in = f.merge(other, in, f.shape.shared)
	}
	f.waiting[b] = in
}

// follow goes along an edge: the phis of the block get their values.
func (f *frame) follow(from, to *ssa.BasicBlock, in *flow) {
	out := *in
	if edge := slices.Index(to.Preds, from); len(to.Instrs) > 0 {
		if _, ok := to.Instrs[0].(*ssa.Phi); ok {
			out.env = maps.Clone(in.env)
			for _, p := range phis(to) {
				out.env[p] = f.value(p.Edges[edge], in)
			}
		}
	}
	f.enter(to, &out)
}

func phis(b *ssa.BasicBlock) (list []*ssa.Phi) {
	for _, in := range b.Instrs {
		p, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		list = append(list, p)
	}
	return list
}

// merge joins two flows that exclude each other.
func (f *frame) merge(a, b *flow, shared []ssa.Value) *flow {
	n := 0
	for n < len(a.on) && n < len(b.on) && a.on[n] == b.on[n] {
		n++
	}
	ta, tb := f.conjunction(a.on[n:]), f.conjunction(b.on[n:])
	c := ta
	if len(b.on) < len(a.on) {
		c = f.not(1, tb)
	}
	m := &flow{on: slices.Clone(a.on[:n]), mem: memoryState{}, env: map[ssa.Value]value{}}
	if either := f.or1(ta, tb); !f.always(either, m.on) {
		m.on = append(m.on, either)
	}
	var both []*object
	for o := range a.mem {
		if _, ok := b.mem[o]; ok {
			both = append(both, o)
		}
	}
	slices.SortFunc(both, func(p, q *object) int { return p.id - q.id })
	for _, o := range both {
		m.mem[o] = f.choose(c, a.mem[o], b.mem[o])
	}
	for _, v := range shared {
		x, inA := a.env[v]
		y, inB := b.env[v]
		switch {
		case inA && inB:
			m.env[v] = f.choose(c, x, y)
		case inA:
			m.env[v] = x
		case inB:
			m.env[v] = y
		}
	}
	return m
}

// always reports whether a condition holds after decisions, since the code panics otherwise.
func (f *frame) always(c *word, on []*word) bool {
	if c.is(1) {
		return true
	}
	for _, never := range f.never {
		if len(never) >= len(on) && slices.Equal(never[:len(on)], on) &&
			f.or1(c, f.conjunction(never[len(on):])).is(1) {
			return true
		}
	}
	return false
}

// leadsToPanic reports whether a block can only panic.
func leadsToPanic(b *ssa.BasicBlock) bool {
	_, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Panic)
	return ok
}

// block executes a block and follows its ends.
func (f *frame) block(b *ssa.BasicBlock, now *flow) {
	on := now.on
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(impossible); !ok {
				panic(r)
			}
			f.never = append(f.never, on)
		}
	}()
	now = &flow{slices.Clone(now.on), maps.Clone(now.mem), maps.Clone(now.env)}
	for _, in := range b.Instrs {
		if in.Pos().IsValid() {
			f.at = in.Pos()
		}
		switch i := in.(type) {
		case *ssa.Phi:
		case *ssa.If:
			f.branch(b, i, now)
		case *ssa.Jump:
			f.follow(b, b.Succs[0], now)
		case *ssa.Return:
			var results []value
			for _, r := range i.Results {
				results = append(results, f.value(r, now))
			}
			f.leave(now, results)
		case *ssa.Panic:
			panic(impossible{})
		default:
			f.instruction(in, now)
		}
	}
}

// leave merges a return into the earlier ones.
func (f *frame) leave(now *flow, results []value) {
	now.env = map[ssa.Value]value{nil: list(results)}
	if f.end != nil {
		now = f.merge(f.end, now, []ssa.Value{nil})
	}
	f.end = now
}

// branch follows the sides of an If that can be taken.
func (f *frame) branch(b *ssa.BasicBlock, i *ssa.If, now *flow) {
	c, ok := f.value(i.Cond, now).(*word)
	if !ok {
		f.refuse("a condition is no signal")
	}
	for _, fact := range slices.Concat(f.facts, now.on) {
		if c == fact || implies(fact, c) {
			c = f.constant(1)
		} else if no := f.not(1, c); no == fact || implies(fact, no) {
			c = f.constant(0)
		}
	}
	if set := f.shape.sets[b]; set != nil && !c.isConst() {
		f.nextBit(b, set, now)
		return
	}
	for side := range 2 {
		if leadsToPanic(b.Succs[1-side]) && !c.isConst() {
			c = f.truth(side == 0)
		}
	}
	if c.isConst() {
		f.follow(b, b.Succs[1-c.k], now)
		return
	}
	if slices.ContainsFunc(b.Preds, b.Dominates) {
		if f.rounds[b]++; f.rounds[b] > maxRounds {
			f.at = i.Cond.Pos()
			f.refuse("the length of this loop depends on data: hardware does a fixed amount of work in a cycle")
		}
	}
	for side, on := range []*word{c, f.not(1, c)} {
		f.follow(b, b.Succs[side], &flow{append(slices.Clone(now.on), on), maps.Clone(now.mem), maps.Clone(now.env)})
	}
}

// nextBit is an iteration of a loop over the bits of a set: see shape.sets. The loop takes the
// lowest bit left, or goes on without it.
func (f *frame) nextBit(b *ssa.BasicBlock, set *ssa.Phi, now *flow) {
	w := now.env[set].(*word)
	i := 0
	if w.op == "from" {
		w, i = w.args[0], int(w.k)
	}
	for i < w.bits && f.bit(w, i).is(0) {
		i++
	}
	one := f.bit(w, i)
	taken := &flow{slices.Clone(now.on), maps.Clone(now.mem), maps.Clone(now.env)}
	if !one.isConst() {
		taken.on = append(taken.on, one)
		skip := &flow{append(slices.Clone(now.on), f.not(1, one)), maps.Clone(now.mem), maps.Clone(now.env)}
		skip.env[set] = f.from(w, i+1)
		f.enter(b, skip)
	}
	taken.env[set] = f.least(w, i)
	f.follow(b, b.Succs[0], taken)
}

// shape is what the executor knows of the control flow of a function.
type shape struct {
	before [][]bool    // by two blocks: the first must run before the second if both wait
	shared []ssa.Value // values that are used in other blocks
	sets   map[*ssa.BasicBlock]*ssa.Phi
}

// shape analyses a function.
func (l *Library) shape(fn *ssa.Function) *shape {
	if s := l.shapes[fn]; s != nil {
		return s
	}
	s := &shape{before: precedence(fn), sets: map[*ssa.BasicBlock]*ssa.Phi{}}
	for _, p := range fn.Params {
		s.shared = append(s.shared, p)
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			v, ok := in.(ssa.Value)
			if !ok || v.Referrers() == nil {
				continue
			}
			if _, phi := in.(*ssa.Phi); phi || slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
				_, phi := r.(*ssa.Phi)
				return phi || r.Block() != b
			}) {
				s.shared = append(s.shared, v)
			}
		}
		if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			if p := setLoop(b, i); p != nil {
				s.sets[b] = p
			}
		}
	}
	l.shapes[fn] = s
	return s
}

// precedence says which of two waiting blocks runs first. Blocks run in the order of the control
// flow. The body of a loop ends before the next iteration begins, and a loop before the code behind
// it. So the ways through an iteration are merged.
func precedence(fn *ssa.Function) [][]bool {
	n := len(fn.Blocks)
	table := func() [][]bool {
		t := make([][]bool, n)
		for i := range t {
			t[i] = make([]bool, n)
		}
		return t
	}
	reach, loop := table(), table() // by forward edges; by head and block of the loop
	for _, b := range fn.Blocks {
		for _, to := range b.Succs {
			if !to.Dominates(b) {
				reach[b.Index][to.Index] = true
				continue
			}
			loop[to.Index][to.Index] = true
			for todo := []*ssa.BasicBlock{b}; len(todo) > 0; {
				in := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				if !loop[to.Index][in.Index] {
					loop[to.Index][in.Index] = true
					todo = append(todo, in.Preds...)
				}
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	before := table()
	for a := range n {
		for b := range n {
			before[a][b] = a != b && reach[a][b] && !loop[a][b]
			for head := range n {
				if a != b && loop[head][a] && (head == b || !loop[head][b] && reach[head][b]) {
					before[a][b] = true
				}
			}
		}
	}
	return before
}

// setLoop recognizes "for ; m != 0; m &= m - 1". It returns m.
func setLoop(b *ssa.BasicBlock, i *ssa.If) *ssa.Phi {
	c, ok := i.Cond.(*ssa.BinOp)
	if !ok || c.Op != token.NEQ {
		return nil
	}
	m, ok := c.X.(*ssa.Phi)
	if k, isConst := c.Y.(*ssa.Const); !ok || m.Block() != b || !isConst || k.Uint64() != 0 {
		return nil
	}
	for _, v := range m.Edges {
		a, ok := v.(*ssa.BinOp)
		if !ok || a.Op != token.AND || a.X != m {
			continue
		}
		if s, ok := a.Y.(*ssa.BinOp); ok && s.Op == token.SUB && s.X == m {
			return m
		}
	}
	return nil
}
