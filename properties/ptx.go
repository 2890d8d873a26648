package properties

import (
	"fmt"
	"strings"
)

// atomics are the operations of the words of a group that threads change
// together. Each word has one, so that their order does not matter.
var atomics = []string{"add.u32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32"}

// swaps are the atomics of words that a thread has for itself, whose result is used.
var swaps = []string{
	"add.u32", "min.s32", "max.u32", "inc.u32", "dec.u32", "and.b32", "or.b32", "xor.b32", "exch.b32", "cas.b32",
	"add.u64", "max.u64", "xor.b64", "exch.b64", "cas.b64", "add.s32", "max.s32", "min.u32", "min.s64", "and.b64", "or.b64", "min.u64", "max.s64",
	"add.f32", "add.f64", "add.noftz.f16x2", "cas.b16",
	"add.noftz.f16", "add.noftz.bf16", "add.noftz.bf16x2",
}

// drawnSwaps are the first of them, in whose place one of the others can be (vary).
const drawnSwaps = 27

// scopes are what atomics say of memory order and scope.
var scopes = []string{"", ".relaxed.cta", ".acquire.gpu", ".release.gpu", ".acq_rel.gpu", ".relaxed.sys"}

// fences are those of all scopes.
var fences = []string{"membar.cta;", "membar.gl;", "membar.sys;", "fence.acq_rel.cta;", "fence.acq_rel.gpu;", "fence.sc.gpu;"}

// atomicGroups is how many groups of such words a grid has.
const atomicGroups = 8

// Buffer is a parameter of a kernel: the address of so much memory, filled as
// the command line's buf: says.
type Buffer struct {
	Name, Spec string
}

// need is a register or variable that the prologue of a kernel sets up.
type need uint32

const (
	needLinear need = 1 << iota
	needCTA
	needGrid
	needInput
	needPrivate
	needWords // atomics on the grid's words
	needTally // atomics on the CTA's words
	needShared
	needExchange
	needLocal
	needFuel  // of recursion
	needTable // of the addresses of functions
	needJumps // back
	needEdge
	needBoard // of messages
	needConst
)

// emitter writes a kernel down.
type emitter struct {
	k       *Kernel
	threads int // of a CTA
	grid    int // CTAs
	warp    int // threads of one
	flat    bool
	plan    *plan
	text    *strings.Builder // of the body, where this place is
	far     strings.Builder  // arms out of line, behind the end
	fn      int              // function that this place is in, -1 for the kernel
	needs   need
	regs    [Registers]bool // in use
	tallied uint            // words of the CTA in use
	labels  int
	loops   []loopLabels    // around this place
	counts  int             // loops so far
	forms   map[string]bool // types of registers that forms use
	marks   int             // so far
}

type loopLabels struct {
	next, end   string
	counter     int
	synchronous bool
}

// PTX is a kernel as text, for a grid, blocks and warps of these sizes, with its
// parameters. The comments at its top are for a reader.
func (k *Kernel) PTX(grid, block [3]uint32, warp int, comments ...string) (text string, params []Buffer) {
	e := &emitter{
		k: k, threads: int(block[0] * block[1] * block[2]), grid: int(grid[0] * grid[1] * grid[2]), warp: warp,
		flat: block[1]*block[2]*grid[1]*grid[2] == 1, plan: newPlan(k), fn: -1, forms: map[string]bool{},
	}
	body := e.body(k.Body)
	functions := e.functions()
	var b strings.Builder
	for _, c := range comments {
		fmt.Fprintf(&b, "// %s\n", c)
	}
	b.WriteString(".version 7.6\n.target sm_80\n.address_size 64\n\n")
	if e.needs&needShared != 0 && k.Dynamic {
		fmt.Fprintf(&b, ".extern .shared .align %d .b8 cells[];\n", cellBytes)
	}
	if e.needs&needConst != 0 {
		fmt.Fprintf(&b, ".const .align 16 .u32 constants[%d] = {%s};\n", constWords, constants())
	}
	if len(k.Funcs) > 0 { // which use what the kernel has
		e.declare(&b)
		b.WriteString(e.finish(functions))
	}
	b.WriteString(".visible .entry kernel(")
	params = e.params()
	for i, p := range params {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, ".param .u64 %s", p.Name)
	}
	b.WriteString(")\n{\n")
	if len(k.Funcs) == 0 {
		e.declare(&b)
	}
	e.prologue(&b)
	b.WriteString(e.finish(body))
	b.WriteString("}\n")
	return b.String(), params
}

// body is the text of the kernel or of a function.
func (e *emitter) body(b []Stmt) string {
	e.text = new(strings.Builder)
	e.far.Reset()
	e.enter()
	e.block(b)
	if e.fn < 0 {
		e.tally()
		e.edge()
		e.room()
		e.message()
	}
	e.ret("")
	return e.text.String() + e.far.String()
}

// bare reports whether the kernel is lean and on one CTA whose threads are in a row, so that a thread's number is that in its CTA.
func (e *emitter) bare() bool { return e.k.Lean && e.grid == 1 && e.flat }

// gid is the register with the number of the thread in the grid.
func (e *emitter) gid() string {
	if e.bare() {
		e.needs |= needLinear
		return "%lin"
	}
	e.needs |= needGrid
	return "%gid"
}

// line adds an instruction.
func (e *emitter) line(format string, args ...any) {
	fmt.Fprintf(e.text, "\t"+format+"\n", args...)
}

// label puts a label here.
func (e *emitter) label(name string) { fmt.Fprintf(e.text, "%s:\n", name) }

// fresh makes label names of one number.
func (e *emitter) fresh(names ...string) []string {
	e.labels++
	for i := range names {
		names[i] = fmt.Sprintf("L%d_%s", e.labels, names[i])
	}
	return names
}

// r is a register of the kernel.
func (e *emitter) r(i int) string {
	i %= Registers
	e.regs[i] = true
	if !e.bare() {
		e.needs |= needGrid
	}
	return fmt.Sprintf("%%r%d", i)
}

// value brings the value of a condition into a register.
func (e *emitter) value(c *Cond) string {
	source := func() string {
		if c.Reg >= 0 {
			return e.r(c.Reg)
		}
		return e.gid()
	}
	switch c.Value {
	case CTA:
		e.needs |= needCTA
		return "%cta"
	case Counter:
		if n := len(e.loops); n > 0 {
			return fmt.Sprintf("%%c%d", e.loops[n-1].counter)
		}
		fallthrough
	case Thread:
		e.needs |= needLinear
		return "%lin"
	case Lane:
		e.line("mov.u32 %%v, %%laneid;")
	case Register:
		return e.r(max(c.Reg, 0))
	case Hash: // the finalizer of a multiplicative hash; its upper half is good
		e.line("xor.b32 %%v, %s, %d;", source(), c.Salt)
		e.line("mul.lo.u32 %%v, %%v, 0x9E3779B1;")
		e.line("shr.u32 %%w, %%v, 15;")
		e.line("xor.b32 %%v, %%v, %%w;")
		e.line("mul.lo.u32 %%v, %%v, 0x85EBCA6B;")
		e.line("shr.u32 %%v, %%v, 16;")
	case Data:
		e.input(source(), c.Salt, 1)
		e.line("ld.global.u32 %%v, [%%at];")
	default:
		e.line("mov.u32 %%v, %d;", c.Salt)
	}
	return "%v"
}

// known is what a condition is that takes no instructions, because it is constant and the kernel lean.
func (e *emitter) known(c *Cond) (holds, ok bool) {
	if !e.k.Lean || c.Value != Constant {
		return false, false
	}
	switch v := c.Salt & c.Mask; c.Cmp {
	case "eq":
		return v == c.Limit, true
	case "ne":
		return v != c.Limit, true
	case "lt":
		return v < c.Limit, true
	}
	return c.Salt&c.Mask >= c.Limit, true
}

// where executes an instruction where a condition holds.
func (e *emitter) where(c *Cond, format string, args ...any) {
	guard := ""
	holds, known := e.known(c)
	if !known {
		e.test("%p", c)
		guard = "@%p "
	} else if !holds {
		return
	}
	e.line("%s"+format, append([]any{guard}, args...)...)
}

// test sets a predicate to a condition.
func (e *emitter) test(p string, c *Cond) {
	if c.Value == Constant {
		e.line("mov.u32 %%w, %d;", c.Salt&c.Mask)
		e.line("setp.%s.u32 %s, %%w, %d;", c.Cmp, p, c.Limit)
		return
	}
	v := e.value(c)
	if c.Mask != ^uint32(0) {
		e.line("and.b32 %%w, %s, %d;", v, c.Mask)
		v = "%w"
	}
	e.line("setp.%s.u32 %s, %s, %d;", c.Cmp, p, v, c.Limit)
}

func (e *emitter) block(b []Stmt) {
	for i := range b {
		e.stmt(&b[i])
	}
}

// when is the guard of a statement that has one.
func (e *emitter) when(s *Stmt) string {
	if s.Alt {
		return "@%g "
	}
	return ""
}

func (e *emitter) stmt(s *Stmt) {
	switch s.Kind {
	case Compute:
		e.operation(s, operations[s.Op%len(operations)].ptx)
	case Count:
		e.operation(s, counts[s.Op%len(counts)])
	case Form:
		e.form(s)
	case Test:
		e.test("%g", &s.Cond)
	case Load, Put, Get, Give, Take, Pass, Receive, Spill, Fill, Copy, Fetch:
		e.access(s)
	case Atomic:
		e.atomic(s)
	case If:
		e.branch(s)
	case Loop:
		e.loop(s)
	case Switch:
		e.choose(s)
	case Break, Continue:
		e.leave(s)
	case Goto:
		if target := e.plan.target(s, e.marks); target >= 0 && !s.Alt {
			e.where(&s.Cond, "bra M%d;", target)
		} else if target >= 0 {
			e.test("%p", &s.Cond)
			e.needs |= needJumps
			e.line("@%%p setp.ne.u32 %%p, %%jumps, 0;")
			e.line("@%%p sub.u32 %%jumps, %%jumps, 1;")
			e.line("@%%p bra M%d;", target)
		}
	case Mark:
		if e.plan.led[e.marks] {
			e.label(fmt.Sprintf("M%d", e.marks))
		}
		e.marks++
	case Exit:
		e.exit(s)
	case Barrier:
		if e.plan.allowed[s] {
			e.barrier(s)
		}
	case Vote:
		if e.plan.allowed[s] {
			e.vote(s)
		}
	case Roles:
		if e.plan.allowed[s] {
			e.roles(s)
		}
	case Apart:
		e.apart(s)
	case Leave:
		e.desert(s)
	case Race:
		e.race(s)
	case Gather:
		if e.plan.allowed[s] {
			e.gather(s)
		}
	case Swap:
		e.swap(s)
	case Fence:
		e.line("%s", fences[s.Op%len(fences)])
	case Call:
		e.call(s)
	case Return:
		if e.fn < 0 || e.plan.whole[e.fn] {
			break
		}
		if holds, known := e.known(&s.Cond); !known {
			e.test("%p", &s.Cond)
			e.ret("@%p ")
		} else if holds {
			e.ret("")
		}
	}
}

// turn stands for the instructions with which ownership moves on, which are
// needed only if threads exchange anything.
const turn = "// turn"

// barrier lets the threads of the CTA wait at a barrier of number N, all of them
// or, if nobody has exited, as many as its warps have.
func (e *emitter) barrier(s *Stmt) {
	count := ""
	if s.Alt && !e.k.exits() {
		count = fmt.Sprintf(", %d", (e.threads+e.warp-1)/e.warp*e.warp)
	}
	number := s.N & 15
	switch s.Op {
	case 0:
		e.line("bar.sync %d%s;", number, count)
	case 1:
		e.line("setp.lt.s32 %%p, %s, 0;", e.r(s.A))
		e.line("bar.red.popc.u32 %s, %d%s, %%p;", e.r(s.D), number, count)
	default:
		e.line("setp.lt.u32 %%p, %s, 64;", e.r(s.A))
		e.line("bar.red.%s.pred %%p, %d%s, %%p;", [...]string{"and", "or"}[s.Op&1], number, count)
		e.line("@%%p add.u32 %s, %s, 1;", e.r(s.D), e.r(s.D))
	}
	e.line("%s", turn)
}

// operation writes the instructions of a table down.
func (e *emitter) operation(s *Stmt, ptx string) {
	d, a, b := e.r(s.D), e.r(s.A), e.r(s.B)
	operands := strings.NewReplacer(
		" d,", " "+d+",", " d|", " "+d+"|", " d;", " "+d+";", " d}", " "+d+"}", " a,", " "+a+",", " a;", " "+a+";", " a}", " "+a+"}", "{a,", "{"+a+",",
		" b,", " "+b+",", " b;", " "+b+";", " b}", " "+b+"}", "{b,", "{"+b+",",
	)
	for _, in := range strings.SplitAfter(ptx, "; ") {
		guard := e.when(s)
		if strings.HasPrefix(in, "@") {
			guard = ""
		}
		e.line("%s%s", guard, operands.Replace(strings.TrimSpace(in)))
	}
}

func (e *emitter) atomic(s *Stmt) {
	op := atomics[s.Op%len(atomics)]
	cell := 4 * (s.Op % len(atomics))
	name, dst := "red", ""
	if s.N&1 != 0 {
		name, dst = "atom", "%sink, "
	}
	if s.Alt {
		e.needs |= needTally
		e.tallied |= 1 << (s.Op % len(atomics))
		e.line("%s.shared.%s %s[tally+%d], %s;", name, op, dst, cell, e.r(s.A))
		return
	}
	e.needs |= needWords
	e.line("and.b32 %%w, %s, %d;", e.r(s.B), atomicGroups-1)
	e.line("mul.wide.u32 %%at, %%w, %d;", 4*len(atomics))
	e.line("add.u64 %%at, %%words, %%at;")
	e.line("%s.global.%s %s[%%at+%d], %s;", name, op, dst, cell, e.r(s.A))
}

func (e *emitter) branch(s *Stmt) {
	then, other := s.Body[0], []Stmt(nil)
	if len(s.Body) > 1 {
		other = s.Body[1]
	}
	l := e.fresh("side", "join")
	e.test("%p", &s.Cond)
	not := "!"
	if s.Alt {
		then, other, not = other, then, ""
	}
	if s.N > 0 {
		e.line("@%s%%p bra %s;", map[string]string{"!": "", "": "!"}[not], l[0])
		e.outline(l[0], l[1], then)
		e.block(other)
	} else if len(other) == 0 {
		e.line("@%s%%p bra %s;", not, l[1])
		e.block(then)
	} else {
		e.line("@%s%%p bra %s;", not, l[0])
		e.block(then)
		e.line("bra %s;", l[1])
		e.label(l[0])
		e.block(other)
	}
	e.label(l[1])
}

// outline writes an arm behind the end of the kernel, from where it leads back.
func (e *emitter) outline(from, to string, b []Stmt) {
	here := e.text
	e.text = new(strings.Builder)
	e.label(from)
	e.block(b)
	e.line("bra %s;", to)
	e.far.WriteString(e.text.String())
	e.text = here
}

func (e *emitter) loop(s *Stmt) {
	l := e.fresh("top", "next", "end")
	c := e.counts
	e.counts++
	if s.Cond.Value == Constant {
		e.line("mov.u32 %%n%d, %d;", c, min(s.Cond.Salt&s.Cond.Mask, uint32(s.N)))
	} else {
		e.line("and.b32 %%n%d, %s, %d;", c, e.value(&s.Cond), s.Cond.Mask)
		e.line("min.u32 %%n%d, %%n%d, %d;", c, c, s.N)
	}
	e.line("mov.u32 %%c%d, 0;", c)
	e.label(l[0])
	if !s.Alt {
		e.line("setp.ge.u32 %%p, %%c%d, %%n%d;", c, c)
		e.line("@%%p bra %s;", l[2])
	}
	e.loops = append(e.loops, loopLabels{l[1], l[2], c, e.plan.synchronous[s]})
	e.block(s.Body[0])
	e.loops = e.loops[:len(e.loops)-1]
	e.label(l[1])
	e.line("add.u32 %%c%d, %%c%d, 1;", c, c)
	if s.Alt {
		e.line("setp.lt.u32 %%p, %%c%d, %%n%d;", c, c)
		e.line("@%%p bra %s;", l[0])
	} else {
		e.line("bra %s;", l[0])
	}
	e.label(l[2])
}

// choose is a chain of comparisons, then the cases.
func (e *emitter) choose(s *Stmt) {
	if len(s.Body) == 0 {
		return
	}
	v := e.value(&s.Cond)
	e.line("and.b32 %%w, %s, %d;", v, s.Cond.Mask)
	e.labels++
	l := func(i int) string { return fmt.Sprintf("L%d_case%d", e.labels, i) }
	var names []string
	for i := range s.Body {
		names = append(names, l(i))
	}
	end := fmt.Sprintf("L%d_end", e.labels)
	if s.Generic {
		e.line("min.u32 %%w, %%w, %d;", len(names)-1)
		e.label(fmt.Sprintf("T%d", e.labels))
		e.line(".branchtargets %s;", strings.Join(names, ", "))
		e.line("brx.idx %%w, T%d;", e.labels)
	} else {
		for i, name := range names[1:] {
			e.line("setp.eq.u32 %%p, %%w, %d;", i+1)
			e.line("@%%p bra %s;", name)
		}
	}
	for i, body := range s.Body {
		e.label(names[i])
		e.block(body)
		if !s.Alt && i < len(s.Body)-1 {
			e.line("bra %s;", end)
		}
	}
	e.label(end)
}

func (e *emitter) leave(s *Stmt) {
	at := len(e.loops) - s.N
	if at < 0 || at >= len(e.loops) {
		return
	}
	for _, l := range e.loops[at:] {
		if l.synchronous { // threads would come to its barriers apart
			return
		}
	}
	to := e.loops[at].end
	if s.Kind == Continue {
		to = e.loops[at].next
	}
	e.where(&s.Cond, "bra %s;", to)
}

func (e *emitter) exit(s *Stmt) {
	if !e.plan.allowed[s] {
		return
	}
	if _, known := e.known(&s.Cond); known || !s.Alt || e.plan.synced { // a branch around an exit would have no post-dominator before the next barrier
		e.where(&s.Cond, "exit;")
		return
	}
	e.test("%p", &s.Cond)
	l := e.fresh("stay")
	e.line("@!%%p bra %s;", l[0])
	e.line("exit;")
	e.label(l[0])
}

// tally has each thread read what the threads of its CTA have counted together,
// if they can meet for it.
func (e *emitter) tally() {
	if e.needs&needTally == 0 || !e.plan.synced {
		return
	}
	e.line("bar.sync 0;")
	for i := range atomics {
		if e.counted(i) {
			e.line("ld.shared.u32 %%v, [tally+%d];", 4*i)
			e.line("mad.lo.u32 %%sum, %%sum, 3, %%v;")
		}
	}
}

// counted reports whether a kernel has word i of those that the threads of a CTA count in: a lean one has what it uses.
func (e *emitter) counted(i int) bool { return !e.k.Lean || e.tallied>>i&1 != 0 }

// params are the buffers that are in use.
func (e *emitter) params() (list []Buffer) {
	threads := e.threads * e.grid
	for _, p := range []struct {
		need
		Buffer
	}{
		{needInput, Buffer{"input", fmt.Sprintf("buf:rand:u32:%d", e.k.Words)}},
		{needPrivate, Buffer{"private", fmt.Sprintf("buf:zero:%d", 4*privateWords*threads)}},
		{needExchange, Buffer{"exchange", fmt.Sprintf("buf:rand:u32:%d", cellBytes/4*threads)}},
		{needWords, Buffer{"words", fmt.Sprintf("buf:rand:u32:%d", atomicGroups*len(atomics))}},
		{needEdge, Buffer{"edge", fmt.Sprintf("buf:zero:%d", e.k.Edge)}},
		{needBoard, Buffer{"board", fmt.Sprintf("buf:zero:%d", e.boardBytes())}},
	} {
		if e.needs&p.need != 0 {
			list = append(list, p.Buffer)
		}
	}
	return list
}

func (e *emitter) declare(b *strings.Builder) {
	say := func(format string, args ...any) { fmt.Fprintf(b, "\t"+format+"\n", args...) }
	say(".reg .u32 %%r<%d>, %%c<%d>, %%n<%d>, %%lin, %%cta, %%gid, %%v, %%w, %%place, %%sink, %%sum, %%fuel, %%jumps, %%team, %%short;", Registers, e.counts+1, e.counts+1)
	say(".reg .u64 %%in, %%own, %%xch, %%words, %%at, %%base, %%q, %%l, %%edge;")
	say(".reg .b16 %%h, %%k;")
	say(".reg .b32 %%b;")
	say(".reg .f32 %%x, %%y;")
	say(".reg .f64 %%z, %%m;")
	say(".reg .pred %%p, %%g, %%o;")
	e.declareForms(say)
	if e.needs&needBoard != 0 {
		say(".reg .u32 %%seen, %%mail, %%beside;")
		say(".reg .u64 %%board, %%count, %%back;")
		say(".reg .pred %%last;")
	}
	if e.needs&needShared != 0 && !e.k.Dynamic {
		say(".shared .align %d .b8 cells[%d];", cellBytes, e.cellsBytes())
	}
	if e.needs&needTally != 0 {
		say(".shared .align 4 .b8 tally[%d];", 4*len(atomics))
	}
	if e.needs&needLocal != 0 {
		say(".local .align 16 .b8 frame[%d];", 4*localWords)
	}
}

// prologue sets up what the body needs.
func (e *emitter) prologue(b *strings.Builder) {
	say := func(format string, args ...any) { fmt.Fprintf(b, "\t"+format+"\n", args...) }
	n := e.needs
	moves := e.moves()
	if n&(needPrivate|needShared|needTally|needEdge) != 0 && !(e.bare() && e.threads == 1 && n&(needShared|needTally|needEdge) == 0) {
		n |= needGrid
	}
	if moves {
		n |= needLinear
	}
	if n&(needExchange|needBoard) != 0 {
		n |= needCTA
	}
	if n&(needTally|needGrid|needBoard) != 0 {
		n |= needLinear
	}
	if n&needGrid != 0 && e.grid > 1 {
		n |= needCTA
	}
	if n&needLinear != 0 {
		say("mov.u32 %%lin, %%tid.x;")
		if !e.flat {
			say("mov.u32 %%v, %%tid.y;")
			say("mov.u32 %%w, %%ntid.y;")
			say("mov.u32 %%place, %%tid.z;")
			say("mad.lo.u32 %%v, %%place, %%w, %%v;")
			say("mov.u32 %%w, %%ntid.x;")
			say("mad.lo.u32 %%lin, %%v, %%w, %%lin;")
		}
	}
	if n&needCTA != 0 {
		say("mov.u32 %%cta, %%ctaid.x;")
		if !e.flat {
			say("mov.u32 %%v, %%ctaid.y;")
			say("mov.u32 %%w, %%nctaid.y;")
			say("mov.u32 %%place, %%ctaid.z;")
			say("mad.lo.u32 %%v, %%place, %%w, %%v;")
			say("mov.u32 %%w, %%nctaid.x;")
			say("mad.lo.u32 %%cta, %%v, %%w, %%cta;")
		}
	}
	if n&needGrid != 0 && !e.bare() {
		if e.grid > 1 {
			say("mad.lo.u32 %%gid, %%cta, %d, %%lin;", e.threads)
		} else {
			say("mov.u32 %%gid, %%lin;")
		}
	}
	for i, used := range e.regs {
		if used && e.bare() {
			say("mov.u32 %%r%d, %%tid.x;", i)
		} else if used {
			say("mad.lo.u32 %%r%d, %%gid, %d, %d;", i, 2*i+1, 77*i)
		}
	}
	for _, p := range e.params() {
		say("ld.param.u64 %s, [%s];", map[string]string{"input": "%in", "private": "%own", "exchange": "%xch", "words": "%words", "edge": "%edge", "board": "%board"}[p.Name], p.Name)
	}
	if n&needPrivate != 0 && !(e.bare() && e.threads == 1) {
		size := 4
		if e.k.Apart {
			size *= privateWords
		}
		say("mul.wide.u32 %%at, %s, %d;", e.gid(), size)
		say("add.u64 %%own, %%own, %%at;")
	}
	if n&needExchange != 0 {
		say("mul.wide.u32 %%at, %%cta, %d;", cellBytes*e.threads)
		say("add.u64 %%xch, %%xch, %%at;")
	}
	if moves {
		say("mov.u32 %%place, %%lin;")
	}
	if n&needShared != 0 {
		say("mul.wide.u32 %%at, %%lin, %d;", cellBytes)
		say("mov.u64 %%base, cells;")
		say("add.u64 %%at, %%base, %%at;")
		word := e.gid()
		if !e.k.Lean { // with something in each byte
			say("mul.lo.u32 %%v, %s, 0x9E3779B1;", word)
			word = "%v"
		}
		say("st.shared.v2.u32 [%%at], {%s, %[1]s};", word)
		if e.k.Room > 0 {
			say("setp.eq.u32 %%p, %%lin, 0;")
			say("@%%p st.shared.u8 [cells+%d], %s;", e.cellsBytes()-1, word)
		}
	}
	if n&needTally != 0 {
		say("setp.eq.u32 %%p, %%lin, 0;")
		for i := range atomics {
			if e.counted(i) {
				say("@%%p st.shared.u32 [tally+%d], %s;", 4*i, e.gid())
			}
		}
		say("bar.sync 0;")
	}
	if n&needBoard != 0 {
		e.board(say)
	}
	if n&needFuel != 0 {
		say("mov.u32 %%fuel, %d;", e.k.Fuel)
	}
	if n&needJumps != 0 {
		say("mov.u32 %%jumps, %d;", e.k.Jumps)
	}
	if n&needLocal != 0 {
		for i := range localWords {
			say("st.local.u32 [frame+%d], %d;", 4*i, 3*i)
		}
	}
}

// moves reports whether threads exchange words.
func (e *emitter) moves() bool { return e.needs&(needShared|needExchange) != 0 }

// finish puts the code into a text whose need was not known before.
func (e *emitter) finish(text string) string {
	by := ""
	if e.moves() && e.threads > 1 {
		by = fmt.Sprintf("\tadd.u32 %%place, %%place, %d;\n\trem.u32 %%place, %%place, %d;\n", 1+e.k.Turn%(e.threads-1), e.threads)
	}
	return strings.ReplaceAll(text, "\t"+turn+"\n", by)
}
