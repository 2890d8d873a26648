package draw

// CTAs send messages to each other over a board in global memory.
//
// A thread of each CTA shares a column with the threads of the same number in the other CTAs. For
// each CTA the column has a word that stays 0 and a word for its message. Then come the number of
// CTAs that have arrived, and the finding of the last one. Threads read the words beside the
// messages, so that the L1 of an SM holds the lines with their old contents.

// message describes how a thread leaves its message, counts itself, and reads the other messages
// after the last arrival.
type message struct {
	early       bool   // the thread leaves it at its start, and reads the others at its end
	store       string // how the message is stored
	before      string // a fence before the count
	count       string // the count that shows the last thread that all have arrived, or
	red, recent string // the operation that counts, and a load after it
	after       string // a fence after the count
	load        string // suffix of the load of a message
}

var messages = []message{
	{count: "atom.acq_rel.gpu.global.inc.u32"},
	{before: "membar.gl;", count: "atom.global.inc.u32", after: "membar.gl;"},
	{before: "fence.acq_rel.gpu;", count: "atom.acquire.gpu.global.inc.u32"},
	{count: "atom.release.gpu.global.inc.u32", after: "@%last fence.acq_rel.gpu;"},
	{
		store: ".volatile", before: "fence.sc.gpu;", count: "atom.global.inc.u32", after: "membar.sys;",
		load: ".volatile",
	},
	{red: "red.release.gpu.global.add.u32", recent: "ld.relaxed.gpu.global.u32", after: "@%last fence.acq_rel.gpu;"},
	{
		store: ".relaxed.gpu", before: "fence.acq_rel.gpu;", red: "red.relaxed.gpu.global.add.u32",
		recent: "ld.relaxed.gpu.global.u32", after: "fence.acq_rel.gpu;",
	},
	{early: true, red: "red.release.gpu.global.add.u32", recent: "ld.acquire.gpu.global.u32"},
	{
		early: true, before: "fence.acq_rel.gpu;", red: "red.relaxed.gpu.global.add.u32",
		recent: "ld.acquire.gpu.global.u32",
	},
	{
		early: true, before: "membar.gl;", red: "red.global.add.u32", recent: "ld.volatile.global.u32",
		after: "membar.gl;",
	},
	{count: "atom.acq_rel.gpu.inc.u32"},
	{count: "atom.release.gpu.inc.u32", after: "@%last fence.acq_rel.gpu;"},
	{before: "fence.acq_rel.gpu;", count: "atom.acquire.gpu.inc.u32"},
	{red: "red.release.gpu.add.u32", recent: "ld.acquire.gpu.u32"},
}

// drawnMessages is the number of messages that vary draws; they come first. deepen replaces some by
// later ones, with generic addresses.
const drawnMessages = 10

// boardBytes is the size of the board.
func (e *emitter) boardBytes() int { return e.arrived() + 8*e.threads }

// arrived returns the offset of the number of arrivals.
func (e *emitter) arrived() int { return 8 * e.threads * e.grid }

// correspondents returns some CTAs whose messages are read.
func (e *emitter) correspondents() (list []int) {
	for i := range min(e.grid, 4) {
		list = append(list, i*(e.grid-1)/max(min(e.grid, 4)-1, 1))
	}
	return list
}

// board sets %board to the thread's column, and leaves early messages.
func (e *emitter) board(say printer) {
	say("mul.wide.u32 %%count, %%lin, 8;")
	say("add.u64 %%board, %%board, %%count;")
	if m := &messages[e.k.Message-1]; m.early {
		e.leaveMessage(say, m, "%gid")
	} else {
		e.readBeside(say)
	}
}

// readBeside loads the words beside the messages into the L1, one after the other.
func (e *emitter) readBeside(say printer) {
	for _, cta := range e.correspondents() {
		say("ld.global.u32 %%beside, [%%board+%d];", 8*e.threads*cta)
		say("cvt.u64.u32 %%back, %%beside;")
		say("add.u64 %%board, %%board, %%back;")
	}
}

// leaveMessage stores an odd number and counts it.
func (e *emitter) leaveMessage(say printer, m *message, value string) {
	say("mad.lo.u32 %%beside, %s, 2, 1;", value)
	say("mul.wide.u32 %%count, %%cta, %d;", 8*e.threads)
	say("add.u64 %%count, %%board, %%count;")
	say("st%s.global.u32 [%%count+4], %%beside;", m.store)
	toCount := func() {
		say("mul.wide.u32 %%back, %%lin, 4;")
		say("sub.u64 %%count, %%board, %%back;")
	}
	if m.before != "" {
		say("%s", m.before)
	}
	if m.red != "" {
		toCount()
		say("%s [%%count+%d], 1;", m.red, e.arrived())
	}
	if m.before+m.red != "" {
		e.readBeside(say)
	}
	toCount()
}

// message makes each thread read the messages of others if all have arrived. It writes nothing if
// threads exit early.
func (e *emitter) message() {
	if e.k.Message == 0 || e.grid == 1 || e.k.exits() {
		return
	}
	e.needs |= needBoard | needGrid
	m := &messages[e.k.Message-1]
	if !m.early {
		e.leaveMessage(e.line, m, e.r(0))
	}
	e.line("mov.u32 %%seen, %%smid;") // keeps values that depend on the order of CTAs out of the comparison
	if m.count != "" {
		e.line("%s %%seen, [%%count+%d], %d;", m.count, e.arrived(), e.grid-1)
		e.line("setp.eq.u32 %%last, %%seen, %d;", e.grid-1)
	} else {
		e.line("%s %%seen, [%%count+%d];", m.recent, e.arrived())
		e.line("setp.eq.u32 %%last, %%seen, %d;", e.grid)
	}
	if m.after != "" {
		e.line("%s", m.after)
	}
	e.line("mov.u32 %%seen, 1;")
	for _, cta := range e.correspondents() {
		e.line("@%%last ld%s.global.u32 %%mail, [%%board+%d];", m.load, 8*e.threads*cta+4)
		e.line("mul.lo.u32 %%seen, %%seen, %%mail;")
	}
	if m.early { // timing decides which thread finds all messages, but each finds odd numbers
		e.line("and.b32 %%seen, %%seen, 1;")
		e.line("xor.b32 %%seen, %%seen, 1;")
		e.line("setp.ne.and.u32 %%last, %%seen, 0, %%last;")
	}
	e.line("@%%last st.global.u32 [%%count+%d], %%seen;", e.arrived()+4*e.threads)
}
