package safety

import (
	"slices"

	"divergo/isa"
)

// Danger is the reason for which an operation is vulnerable.
type Danger uint8

// The dangers.
const (
	dangerNone     Danger = iota
	dangerAddress         // a wrong address faults
	dangerDivisor         // division by zero
	dangerBound           // a loop may never end
	dangerIndirect        // the target of a branch, call or return
	dangerBarrier         // threads wait for others that do not arrive
	dangerWarp            // a vote, shuffle or matrix instruction without its threads
	dangerCall            // a function with operations of its own
	dangerEnding          // trap, or the end of a thread in a function
	dangerTooLarge        // the analysis has given up
)

var dangers = [...]string{
	"", "address", "divisor", "loop bound", "indirect target", "barrier", "threads of a warp",
	"call", "end of a thread", "too entangled to be analysed",
}

// String describes the failure in a few words.
func (d Danger) String() string { return dangers[d] }

// Link is the dependence of the next instruction of a chain on this one.
type Link uint8

// The links.
const (
	linkValue   Link = iota // the next one reads its result
	linkSelect              // the branch decides between definitions of a source of the next one
	linkControl             // the branch decides whether the next one is executed
	linkMemory              // the next one loads from the array to which this one writes
	linkWarp                // the next one depends on the threads that execute it together
	linkLater               // steps in between are left out
)

// longest is the number of steps of a chain before the rest, except the last one, is left out.
const longest = 40

var links = [...]string{"value", "selects", "controls", "memory", "warp", "later"}

// String is the link in one word.
func (l Link) String() string { return links[l] }

// Step is an instruction of a chain.
type Step struct {
	PC   uint32
	Link Link // from the step before; meaningless for the first
}

// Verdict is the result for one branch or load.
type Verdict struct {
	PC     uint32
	Safe   bool
	Danger Danger // of the last instruction of the chain
	// Chain leads from the branch or load to a vulnerable operation that depends on it. It is the
	// branch itself if that bounds a loop. It is empty if Safe, or if the analysis has given up.
	Chain []Step
}

// Report is the result for a kernel with its functions. It covers the branches and loads that can
// be herded (isa.Program.Herdable), ascending by PC. Loads through generic addresses that are known
// to be shared or local are left out.
type Report struct {
	Prog     *isa.Program
	Branches []Verdict
	Loads    []Verdict
}

// Safe lists the PCs of the safe branches and loads.
func (r *Report) Safe() (branches, loads []int) {
	of := func(list []Verdict) (pcs []int) {
		for _, v := range list {
			if v.Safe {
				pcs = append(pcs, int(v.PC))
			}
		}
		return pcs
	}
	return of(r.Branches), of(r.Loads)
}

// analysis finds everything that must be exact. Its nodes are, in this order:
//
//   - the result of an instruction, by PC
//   - whether a thread executes a block
//   - the path that a thread takes at the end of a block
//   - the contents of an array
//   - a value
type analysis struct {
	*isa.Program
	*flow
	values *values
	mem    *memory

	execs, ways, arrays, held int32 // the first node of each kind
	parent                    []int32
	because                   []int32 // by node: the PC of the vulnerable operation
	work                      []int32
	danger                    map[uint32]Danger // by PC of a root
	calls                     [][]int           // by function, the kernel first: blocks that call it
	reduces                   []uint32          // barriers that reduce

	spans     []span
	spanState []spanState
	done      []int   // by block: the last search for gates that passed it
	brings    []int32 // by block: the value that one of its paths brings, in that search
	within    []bool  // by loop: the execution of something in it is exact
	out       []bool  // by loop: its exits are exact
	searches  int
	counters  []bool // by block: the exit that bounds a loop is at its end
}

// Values of parent that are not nodes.
const (
	unvisited = -1
	rootBase  = -2 // minus the PC of the root
)

// Analyze divides the branches and loads of an analysed program (isa.Analyze) into safe and unsafe
// ones.
func Analyze(p *isa.Program) *Report {
	a := &analysis{Program: p, flow: findFlow(p), danger: map[uint32]Danger{}}
	a.values = findValues(p)
	a.mem = findMemory(p, a.values)
	n, b := int32(len(p.Insts)), int32(len(p.Blocks))
	a.execs, a.ways, a.arrays = n, n+b, n+2*b
	a.held = a.arrays + int32(a.mem.arrays)
	a.parent = make([]int32, int(a.held)+len(a.values.def))
	a.because = make([]int32, len(a.parent))
	for i := range a.parent {
		a.parent[i] = unvisited
	}
	a.spans, a.spanState = make([]span, len(a.values.def)), make([]spanState, len(a.values.def))
	a.done, a.brings = make([]int, len(p.Blocks)), make([]int32, len(p.Blocks))
	a.counters = make([]bool, len(p.Blocks))
	a.within, a.out = make([]bool, len(a.loops)), make([]bool, len(a.loops))
	a.prepare()
	for pc := range p.Insts {
		a.vulnerable(uint32(pc))
	}
	for _, l := range a.loops {
		a.bounds(l)
	}
	for at := 0; at < len(a.work) && !a.tooMuch; at++ { // the list of reached nodes, which grows meanwhile
		a.expand(a.work[at])
	}
	return a.report()
}

// prepare lists the calls of each function and the barriers that reduce.
func (a *analysis) prepare() {
	a.calls = make([][]int, len(a.Funcs)+1)
	for b := range a.Blocks {
		in := a.last(b)
		if in.Op != isa.OpCall {
			continue
		}
		for i := range a.Funcs {
			if in.Indirect() && a.Funcs[i].Addr != 0 || !in.Indirect() && a.Funcs[i].Entry == in.Target {
				a.calls[i+1] = append(a.calls[i+1], b)
			}
		}
	}
	for pc := range a.Insts {
		if a.Insts[pc].Reduces() {
			a.reduces = append(a.reduces, uint32(pc))
		}
	}
}

// reach notes that a node must be exact because of another one.
func (a *analysis) reach(node, because int32) {
	if a.parent[node] == unvisited {
		a.parent[node] = because
		if because <= rootBase {
			a.because[node] = rootBase - because
		} else {
			a.because[node] = a.because[because]
		}
		a.work = append(a.work, node)
	}
}

// reachValue notes that the value n, which block b reads, must be exact. Behind the loop that
// defines it, the value depends on the number of rounds.
func (a *analysis) reachValue(n int32, b int, because int32) {
	if n < 0 {
		return
	}
	a.reach(a.held+n, because)
	if a.values.block[n] < 0 {
		return
	}
	for l := a.innermost[a.values.block[n]]; l != nil && !l.holds(a.innermost[b]) && !a.out[l.first]; l = l.parent {
		a.out[l.first] = true
		for _, e := range l.exits {
			a.reach(a.ways+int32(e), because)
		}
	}
}

// root makes the operation at pc a root: its execution, guard and the given sources must be exact.
func (a *analysis) root(pc uint32, d Danger, sources ...int) {
	if _, ok := a.danger[pc]; !ok {
		a.danger[pc] = d
	}
	because := rootBase - int32(pc)
	for _, i := range sources {
		a.reachValue(a.values.src(pc, i), a.Block(pc), because)
	}
	b := a.Block(pc)
	if a.Insts[pc].Guard.Kind == isa.OperandPred {
		if pc+1 == a.Blocks[b].End && a.parts(b) {
			a.reach(a.ways+int32(b), because)
		} else {
			a.reachValue(a.values.guard(a.Program, pc), b, because)
		}
	}
	a.reach(a.execs+int32(b), because)
}

// vulnerable makes the instruction at pc a root if it is vulnerable.
func (a *analysis) vulnerable(pc uint32) {
	in := &a.Insts[pc]
	switch in.Op {
	case isa.OpLd, isa.OpSt, isa.OpAtom, isa.OpRed:
		if !a.bounded(pc) {
			a.root(pc, dangerAddress, 0)
		}
	case isa.OpTex:
		a.root(pc, dangerAddress, seq(in.Tex.Handles())...)
	case isa.OpCopy:
		a.root(pc, dangerAddress, seq(int(in.NSrc))...)
	case isa.OpLdmatrix:
		a.root(pc, dangerAddress, seq(int(in.NSrc))...)
	case isa.OpStmatrix:
		a.root(pc, dangerAddress, 0, int(in.NSrc)-1)
	case isa.OpDiv, isa.OpRem:
		if in.Type.Float() {
			break
		}
		if s := a.operand(pc, 1, in.Type, 0); !s.known() || s.lo <= 0 && s.hi >= 0 {
			a.root(pc, dangerDivisor, 1)
		}
	case isa.OpBar:
		list := seq(int(in.NSrc))
		if in.Reduces() {
			list = list[:2]
		}
		a.root(pc, dangerBarrier, list...)
	case isa.OpCall:
		if in.Indirect() {
			a.root(pc, dangerIndirect, 1)
		} else {
			a.root(pc, dangerCall)
		}
	case isa.OpTrap:
		a.root(pc, dangerEnding)
	case isa.OpRet, isa.OpExit:
		switch {
		case in.Returns():
			a.root(pc, dangerIndirect, 0)
		case a.FuncAt(pc) != nil:
			a.root(pc, dangerEnding)
		}
	case isa.OpBra:
		if in.Inserted && in.Conditional() {
			a.root(pc, dangerIndirect)
		}
	default:
		if !in.CrossLane() {
			break
		}
		if in.Flags&isa.FlagSync != 0 || in.Matrix() {
			a.root(pc, dangerWarp, int(in.NSrc)-1)
		} else {
			a.root(pc, dangerWarp)
		}
	}
}

func seq(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// bounds makes the end of a loop exact: its counting exit, if it has one, and otherwise all of its
// exits.
func (a *analysis) bounds(l *loop) {
	if c := a.count(l); c != nil {
		pc := a.Blocks[c.exit].End - 1
		a.danger[pc] = dangerBound
		because := rootBase - int32(pc)
		a.counters[c.exit] = true // its sources are followed here: the rounds count, not the counter behind the loop
		if c.fixed {
			return
		}
		var from []int
		var start []int32
		preds := a.Blocks[l.header].Preds
		for i, n := range a.values.meets[c.phi] {
			if i < len(preds) && !l.holds(a.innermost[preds[i]]) {
				from, start = append(from, preds[i]), append(start, n)
				a.reachValue(n, preds[i], because)
			}
		}
		a.gates(from, start, because)
		a.reachValue(c.bound, l.header, because)
		a.entry(l, because)
		return
	}
	for _, e := range l.exits {
		pc := a.Blocks[e].End - 1
		a.danger[pc] = dangerBound
		because := rootBase - int32(pc)
		a.reach(a.ways+int32(e), because)
		a.reach(a.execs+int32(e), because)
	}
	if len(l.exits) == 0 && l.header >= 0 {
		a.root(a.Blocks[l.header].End-1, dangerBound)
	}
}

// entry makes it exact whether threads enter a loop.
func (a *analysis) entry(l *loop, because int32) {
	for _, b := range a.controls[l.header] {
		if !l.holds(a.innermost[b]) {
			a.reach(a.ways+b, because)
			a.reach(a.execs+b, because)
		}
	}
	a.function(l.header, because)
}

// function makes it exact whether the function that contains block b is called.
func (a *analysis) function(b int, because int32) {
	if f := a.FuncAt(a.Blocks[b].Start); f != nil {
		i := slices.IndexFunc(a.Funcs, func(g isa.Func) bool { return g.Entry == f.Entry })
		for _, c := range a.calls[i+1] {
			a.reach(a.execs+int32(c), because)
		}
	}
}

// expand reaches everything that a node needs to be exact.
func (a *analysis) expand(node int32) {
	switch {
	case node < a.execs:
		a.expandInst(uint32(node), node)
	case node < a.ways:
		b := node - a.execs
		for _, c := range a.controls[b] {
			a.reach(a.ways+c, node)
			a.reach(a.execs+c, node)
		}
		for l := a.innermost[b]; l != nil && !a.within[l.first]; l = l.parent {
			a.within[l.first] = true
			for _, e := range l.exits {
				a.reach(a.ways+int32(e), node)
			}
		}
		a.function(int(b), node)
	case node < a.arrays:
		pc := a.Blocks[node-a.ways].End - 1
		b := int(node - a.ways)
		a.reachValue(a.values.guard(a.Program, pc), b, node)
		if in := &a.Insts[pc]; in.Op == isa.OpCall && in.Indirect() {
			a.reachValue(a.values.src(pc, 1), b, node)
		}
	case node < a.held:
		for _, pc := range a.mem.writes[node-a.arrays] {
			a.reach(int32(pc), node)
		}
	default:
		a.expandValue(node-a.held, node)
	}
}

func (a *analysis) expandValue(n, node int32) {
	if pc := a.values.def[n]; pc >= 0 {
		a.reach(pc, node)
		a.reachValue(a.values.old[n], int(a.values.block[n]), node)
		return
	}
	for _, pc := range a.values.all[n] {
		a.reach(int32(pc), node)
		a.reach(a.execs+int32(a.Block(pc)), node)
	}
	if b := int(a.values.block[n]); b >= 0 {
		for _, m := range a.values.meets[n] {
			a.reachValue(m, b, node)
		}
		preds := a.Blocks[b].Preds
		a.gates(preds, a.values.meets[n][:len(preds)], node)
	}
}

func (a *analysis) expandInst(pc uint32, node int32) {
	in := &a.Insts[pc]
	for i := range int(in.NSrc) {
		a.reachValue(a.values.src(pc, i), a.Block(pc), node)
	}
	a.reachValue(a.values.guard(a.Program, pc), a.Block(pc), node)
	switch at, reads := a.mem.reads[pc]; {
	case reads && at == fromAny:
		for i := range a.mem.arrays {
			a.reach(a.arrays+int32(i), node)
		}
	case reads:
		a.reach(a.arrays+at, node)
	}
	switch {
	case in.Op == isa.OpSt, in.Op == isa.OpAtom, in.Op == isa.OpRed, in.Op == isa.OpCopy:
		a.reach(a.execs+int32(a.Block(pc)), node)
	case in.Op == isa.OpB2R:
		for _, bar := range a.reduces {
			a.reach(int32(bar), node)
		}
	case in.CrossLane():
		a.reach(a.execs+int32(a.Block(pc)), node)
		if in.Flags&isa.FlagSync == 0 && !in.Matrix() { // depends on the threads that execute it together
			for b := range a.Blocks {
				if a.parts(b) {
					a.reach(a.ways+int32(b), node)
				}
			}
		}
	}
}

// gates reaches the branches that decide which of the values brings arrives. brings[i] arrives from
// block from[i]. These are the branches that can lead to different values.
func (a *analysis) gates(from []int, brings []int32, because int32) {
	a.searches++
	for i, u := range from {
		if slices.Contains(from[:i], u) {
			continue
		}
		var work []int32
		// A branch is visited again for a second value, but not for more.
		push := func(c int32) {
			switch {
			case !a.spend():
			case a.done[c] != a.searches:
				a.done[c], a.brings[c] = a.searches, brings[i]
				work = append(work, c)
			case a.brings[c] != brings[i] && a.brings[c] >= 0:
				a.brings[c] = -1
				work = append(work, c)
				a.reach(a.ways+c, because)
			}
		}
		if a.parts(u) {
			push(int32(u))
		}
		for _, c := range a.controls[u] {
			push(c)
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, c := range a.controls[b] {
				push(c)
			}
		}
	}
}

// report makes the verdicts.
func (a *analysis) report() *Report {
	r := &Report{Prog: a.Program}
	branches, loads := a.Herdable()
	for _, pc := range branches {
		r.Branches = append(r.Branches, a.verdict(uint32(pc), a.ways+int32(a.Block(uint32(pc)))))
	}
	for _, pc := range loads {
		if a.Insts[pc].Space != isa.SpaceGeneric || a.global(uint32(pc)) {
			r.Loads = append(r.Loads, a.verdict(uint32(pc), int32(pc)))
		}
	}
	return r
}

// global reports whether a load from a generic address can read global memory.
func (a *analysis) global(pc uint32) bool {
	at := a.mem.reads[pc]
	return at != arrayShared && at != arrayLocal
}

func (a *analysis) verdict(pc uint32, node int32) Verdict {
	v := Verdict{PC: pc}
	switch {
	case a.tooMuch:
		v.Danger = dangerTooLarge
	case a.parent[node] != unvisited:
		v.Chain, v.Danger = a.chain(pc, node)
	case node >= a.ways && a.counters[node-a.ways]:
		v.Chain, v.Danger = []Step{{PC: pc}}, dangerBound
	default:
		v.Safe = true
	}
	return v
}

// chain follows a node to the vulnerable operation for which it was reached.
func (a *analysis) chain(pc uint32, node int32) (steps []Step, d Danger) {
	steps = []Step{{PC: pc}}
	add := func(pc uint32, l Link) {
		if steps[len(steps)-1].PC != pc || l == linkValue {
			steps = append(steps, Step{pc, l})
		}
	}
	branch := node >= a.execs // the end of the chain is a branch
	link := linkValue
	if branch {
		link = linkWarp
	}
	for {
		if node >= a.held { // the source of the next one
			if link = linkValue; branch {
				link = linkSelect
			}
		} else if node >= a.arrays {
			link = linkMemory
		} else if node >= a.execs && node < a.ways {
			link = linkControl
		}
		next := a.parent[node]
		if len(steps) == longest {
			link, next = linkLater, rootBase
		}
		if next <= rootBase {
			root := uint32(a.because[node])
			add(root, link)
			return steps, a.danger[root]
		}
		switch {
		case next < a.execs:
			add(uint32(next), link)
			branch, link = false, linkValue
		case next < a.ways:
			if node < a.ways && node >= a.execs { // the end of a block that decides about another one
				add(a.Blocks[node-a.execs].End-1, linkControl)
				branch = true
			}
		case next < a.arrays:
			add(a.Blocks[next-a.ways].End-1, link)
			branch, link = true, linkWarp
		}
		node = next
	}
}
