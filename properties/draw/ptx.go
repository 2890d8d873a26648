package draw

import (
	"fmt"
	"strings"
)

// ptx returns the kernel as text, for a grid, blocks and warps of these sizes, and its parameters.
// The text begins with the comments.
func (k *Kernel) ptx(grid, block [3]uint32, warp int, comments ...string) (text string, params []Buffer) {
	e := &emitter{
		k: k, threads: int(block[0] * block[1] * block[2]), grid: int(grid[0] * grid[1] * grid[2]), warp: warp,
		flat: block[1]*block[2]*grid[1]*grid[2] == 1, plan: newPlan(k), fn: -1, forms: map[string]bool{},
	}
	if k.Free {
		e.numbers = map[*Stmt]int{}
		k.Each(func(s *Stmt, _ int) { e.numbers[s] = len(e.numbers) })
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
	e.specialTables(&b)
	if e.image != nil {
		e.image.declare(&b)
	}
	if len(k.Funcs) > 0 { // functions use the kernel's registers and variables
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

// body returns the text of the kernel or of a function.
func (e *emitter) body(b []Stmt) string {
	e.text = new(strings.Builder)
	e.far.Reset()
	e.enter()
	e.block(b)
	if e.fn < 0 {
		e.tally()
		e.edge()
		e.room()
		e.odd()
		e.message()
	}
	e.ret("")
	return e.text.String() + e.far.String()
}

func (e *emitter) block(b []Stmt) {
	for i := range b {
		e.stmt(&b[i])
	}
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
	case Texel:
		e.texel(s)
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
			e.jump(s, fmt.Sprintf("M%d", target))
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
			e.owns(s)
			e.barrier(s)
		}
	case Vote:
		if e.plan.allowed[s] {
			e.owns(s)
			e.vote(s)
		}
	case Roles:
		if e.plan.allowed[s] {
			e.owns(s)
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
			e.owns(s)
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

// jump branches to a label if the condition of a statement holds.
func (e *emitter) jump(s *Stmt, to string) {
	mark := s.herds()
	if _, known := e.known(&s.Cond); known { // a branch without a condition has no majority
		mark = ""
	}
	e.where(&s.Cond, "bra%s %s;", mark, to)
}

// barrier makes the threads of the CTA wait at barrier N. If no threads may have exited, the
// barrier may count the threads of its warps.
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

func (e *emitter) atomic(s *Stmt) {
	op := atomics[s.Op%len(atomics)]
	cell := 4 * (s.Op % len(atomics))
	name, dst := "red", ""
	if s.N&1 != 0 {
		name, dst = "atom", "%sink, "
	}
	a := e.source(s, 1, s.A, classInteger)
	if s.Alt {
		e.needs |= needTally
		e.tallied |= 1 << (s.Op % len(atomics))
		e.line("%s.shared.%s %s[tally+%d], %s;", name, op, dst, cell, a)
		return
	}
	e.needs |= needWords
	e.line("and.b32 %%w, %s, %d;", e.r(s.B), atomicGroups-1)
	e.line("mul.wide.u32 %%at, %%w, %d;", 4*len(atomics))
	e.line("add.u64 %%at, %%words, %%at;")
	e.line("%s.global.%s %s[%%at+%d], %s;", name, op, dst, cell, a)
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
		e.line("@%s%%p bra%s %s;", map[string]string{"!": "", "": "!"}[not], s.herds(), l[0])
		e.outline(l[0], l[1], then)
		e.block(other)
	} else if len(other) == 0 {
		e.line("@%s%%p bra%s %s;", not, s.herds(), l[1])
		e.block(then)
	} else {
		e.line("@%s%%p bra%s %s;", not, s.herds(), l[0])
		e.block(then)
		e.line("bra %s;", l[1])
		e.label(l[0])
		e.block(other)
	}
	e.label(l[1])
}

// outline writes an arm after the end of the kernel, with a branch back.
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
		e.line("@%%p bra%s %s;", s.herds(), l[2])
	}
	e.loops = append(e.loops, loopLabels{l[1], l[2], c, e.plan.synchronous[s]})
	e.block(s.Body[0])
	e.loops = e.loops[:len(e.loops)-1]
	e.label(l[1])
	e.line("add.u32 %%c%d, %%c%d, 1;", c, c)
	if s.Alt {
		e.line("setp.lt.u32 %%p, %%c%d, %%n%d;", c, c)
		e.line("@%%p bra%s %s;", s.herds(), l[0])
	} else {
		e.line("bra %s;", l[0])
	}
	e.label(l[2])
}

// choose writes a chain of comparisons, then the cases.
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
			e.line("@%%p bra%s %s;", s.herds(), name)
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
		if l.synchronous && !e.k.Free { // threads would reach its barriers apart
			return
		}
	}
	to := e.loops[at].end
	if s.Kind == Continue {
		to = e.loops[at].next
	}
	e.jump(s, to)
}

func (e *emitter) exit(s *Stmt) {
	if !e.plan.allowed[s] {
		return
	}
	// A branch around an exit would have no post-dominator before the next barrier.
	if _, known := e.known(&s.Cond); known || !s.Alt || e.plan.synced && !e.k.Free {
		e.where(&s.Cond, "exit;")
		return
	}
	e.test("%p", &s.Cond)
	l := e.fresh("stay")
	e.line("@!%%p bra%s %s;", s.herds(), l[0])
	e.line("exit;")
	e.label(l[0])
}

// tally makes each thread read the common counts of its CTA, if the threads can meet for it.
func (e *emitter) tally() {
	if e.needs&needTally == 0 || !e.plan.synced || e.k.Free {
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

// counted reports whether a kernel has word i of the CTA's counts. A lean kernel has only the words
// that it uses.
func (e *emitter) counted(i int) bool { return !e.k.Lean || e.tallied>>i&1 != 0 }

// params returns the buffers in use.
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
	say(".reg .u32 %%r<%d>, %%c<%d>, %%n<%d>, %%lin, %%cta, %%gid, %%v, %%w, %%place, %%sink, %%sum, %%fuel, %%jumps, %%team, %%short;", registers, e.counts+1, e.counts+1)
	say(".reg .u64 %%in, %%own, %%xch, %%words, %%at, %%base, %%q, %%l, %%edge;")
	say(".reg .b16 %%h, %%k;")
	say(".reg .b32 %%b;")
	say(".reg .f32 %%x, %%y;")
	say(".reg .f64 %%z, %%m;")
	say(".reg .pred %%p, %%g, %%o;")
	e.declareForms(say)
	if e.needs&needBits != 0 {
		say(".reg .u32 %%sp<3>, %%low<%d>, %%high<%[1]d>;", mixtures*numClasses)
		say(".reg .pred %%bit<4>;")
	}
	if e.image != nil {
		say(".reg .b32 %%tx<5>, %%ty<4>;")
	}
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
		first, odd := e.k.Turn&1 == 0, fmt.Sprintf(".local .b8 odd[%d];", e.k.Odd)
		if e.k.Odd > 0 && first {
			say("%s", odd)
		}
		say(".local .align 16 .b8 frame[%d];", 4*localWords)
		if e.k.Odd > 0 && !first {
			say("%s", odd)
		}
	}
}

// prologue sets up the registers and variables that the body needs.
func (e *emitter) prologue(b *strings.Builder) {
	say := func(format string, args ...any) { fmt.Fprintf(b, "\t"+format+"\n", args...) }
	n := e.needs
	moves := e.moves()
	if n&(needPrivate|needShared|needTally|needEdge) != 0 &&
		!(e.bare() && e.threads == 1 && n&(needShared|needTally|needEdge) == 0) {
		n |= needGrid
	}
	if moves {
		n |= needLinear
	}
	if n&(needExchange|needBoard) != 0 {
		n |= needCTA
	}
	if n&(needTally|needGrid|needBoard|needBits) != 0 {
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
	if n&needBits != 0 {
		for i := range 4 {
			say("and.b32 %%v, %%lin, %d;", 1<<i)
			say("setp.ne.u32 %%bit%d, %%v, 0;", i)
		}
		for of, mixed := range e.mixed {
			for i, used := range mixed {
				if used {
					e.mix(say, class(of), i)
				}
			}
		}
	}
	for _, p := range e.params() {
		say("ld.param.u64 %s, [%s];", map[string]string{
			"input": "%in", "private": "%own", "exchange": "%xch",
			"words": "%words", "edge": "%edge", "board": "%board",
		}[p.Name], p.Name)
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
		if !e.k.Lean { // with a value in each byte
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
		if e.k.Odd > 0 { // its ends, with a value for each thread
			say("st.local.u8 [odd], %s;", e.gid())
			say("st.local.u8 [odd+%d], %s;", e.k.Odd-1, e.gid())
		}
	}
}

// finish replaces each placeholder turn, once the need for its code is known.
func (e *emitter) finish(text string) string {
	by := ""
	if e.moves() && e.threads > 1 {
		by = fmt.Sprintf("\tadd.u32 %%place, %%place, %d;\n\trem.u32 %%place, %%place, %d;\n", 1+e.k.Turn%(e.threads-1),
			e.threads)
	}
	return strings.ReplaceAll(text, "\t"+turn+"\n", by)
}

// apart writes a branch whose sides meet at barriers.
func (e *emitter) apart(s *Stmt) {
	meet := func() {
		if s.Op == apartWarp {
			e.line("bar.warp.sync -1;")
			return
		}
		e.line("bar.sync %d;", s.N&15)
		e.line("%s", turn)
	}
	allowed := e.plan.allowed[s]
	l := e.fresh("side", "join")
	if allowed {
		e.gathered(s, 0)
	}
	e.test("%p", &s.Cond)
	e.line("@!%%p bra %s;", l[0])
	for i := range 2 {
		if i < len(s.Body) {
			e.block(s.Body[i])
		}
		if allowed && s.Op == apartThree && s.Alt == (i == 0) {
			e.line("and.b32 %%w, %s, 1;", e.r(s.A))
			e.line("setp.eq.u32 %%p, %%w, 0;")
			inner := e.fresh("side")
			e.line("@%%p bra %s;", inner[0])
			meet()
			e.line("bra %s;", l[1])
			e.label(inner[0])
		}
		if allowed && s.Op != apartBehind {
			meet()
		}
		if i == 0 {
			e.line("bra %s;", l[1])
		}
		e.label(l[i])
	}
	if allowed && s.Op == apartBehind {
		meet()
	}
}

// desert makes some threads execute a little and exit, while the others of their warps wait at a
// barrier.
func (e *emitter) desert(s *Stmt) {
	l := e.fresh("stay")
	e.test("%p", &s.Cond)
	e.line("@!%%p bra %s;", l[0])
	for _, body := range s.Body {
		e.block(body)
	}
	if e.plan.allowed[s] {
		e.line("exit;")
	}
	e.label(l[0])
	if e.plan.allowed[s] {
		e.line("bar.sync %d;", s.N&15)
		e.line("%s", turn)
	}
}

// race writes a branch each side of which branches again, one of them D instructions later. If Op
// is 0, in a function whose threads may return, the second side's branch is a return.
func (e *emitter) race(s *Stmt) {
	l := e.fresh("side", "join")
	e.line("and.b32 %%w, %s, 7;", e.r(s.A))
	e.line("setp.lt.u32 %%o, %%w, %d;", s.N)
	e.test("%p", &s.Cond)
	e.line("@%%p bra %s;", l[0])
	for i := range 2 {
		skip := ""
		if late := s.Alt == (i == 0); late {
			for range s.D {
				e.line("add.u32 %%v, %%v, 1;")
			}
		}
		if i == 1 && s.Op == 0 && e.fn >= 0 && !e.plan.whole[e.fn] {
			e.ret("@%o ")
		} else {
			skip = e.fresh("join")[0]
			e.line("@%%o bra %s;", skip)
		}
		if i < len(s.Body) {
			e.block(s.Body[i])
		}
		if skip != "" {
			e.label(skip)
		}
		if i == 0 {
			e.line("bra %s;", l[1])
			e.label(l[0])
		}
	}
	e.label(l[1])
}

// functions writes the device functions. They use the kernel's registers, which are at module
// level. Only loop counters, and a parameter and a result in one style, are their own. A call leads
// to a later function or uses up fuel.
func (e *emitter) functions() string {
	var b strings.Builder
	for i, statements := range e.k.Funcs {
		e.fn = i
		first := e.counts
		body := e.body(statements)
		fmt.Fprintf(&b, "\n%s\n{\n", e.head(i))
		if e.k.Style == styleParams {
			b.WriteString("\t.reg .u32 %arg, %res;\n\tld.param.u32 %arg, [arg];\n")
		}
		for c := first; c < e.counts; c++ {
			fmt.Fprintf(&b, "\t.reg .u32 %%c%d, %%n%d;\n", c, c)
		}
		b.WriteString(body + "}\n")
	}
	return e.declarations() + b.String() + "\n"
}
