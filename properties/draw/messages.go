package draw

// Messages of CTAs to each other. A thread of each CTA and those of the same number in the others have a column of a board: for each CTA
// a word that stays 0 and one for its message, then how many of them have come, and what the last one to come has found.
// Threads read the words beside the messages, so that these are in the L1 of an SM as they were then.

// message is how a thread leaves its message, counts itself, and, if all others have come, looks at theirs.
type message struct {
	early       bool   // it leaves it when it begins, and looks when it ends
	store       string // how the message is stored
	before      string // a fence ahead of the count
	count       string // by which the last one finds all others, or
	red, recent string // the operation that counts, and a load behind it
	after       string // a fence behind it
	load        string // how a message is read
}

var messages = []message{
	{count: "atom.acq_rel.gpu.global.inc.u32"},
	{before: "membar.gl;", count: "atom.global.inc.u32", after: "membar.gl;"},
	{before: "fence.acq_rel.gpu;", count: "atom.acquire.gpu.global.inc.u32"},
	{count: "atom.release.gpu.global.inc.u32", after: "@%last fence.acq_rel.gpu;"},
	{store: ".volatile", before: "fence.sc.gpu;", count: "atom.global.inc.u32", after: "membar.sys;", load: ".volatile"},
	{red: "red.release.gpu.global.add.u32", recent: "ld.relaxed.gpu.global.u32", after: "@%last fence.acq_rel.gpu;"},
	{store: ".relaxed.gpu", before: "fence.acq_rel.gpu;", red: "red.relaxed.gpu.global.add.u32", recent: "ld.relaxed.gpu.global.u32", after: "fence.acq_rel.gpu;"},
	{early: true, red: "red.release.gpu.global.add.u32", recent: "ld.acquire.gpu.global.u32"},
	{early: true, before: "fence.acq_rel.gpu;", red: "red.relaxed.gpu.global.add.u32", recent: "ld.acquire.gpu.global.u32"},
	{early: true, before: "membar.gl;", red: "red.global.add.u32", recent: "ld.volatile.global.u32", after: "membar.gl;"},
}

// boardBytes is the size of the board.
func (e *emitter) boardBytes() int { return e.arrived() + 8*e.threads }

// arrived is where it has how many have come.
func (e *emitter) arrived() int { return 8 * e.threads * e.grid }

// correspondents are some CTAs whose messages are read.
func (e *emitter) correspondents() (list []int) {
	for i := range min(e.grid, 4) {
		list = append(list, i*(e.grid-1)/max(min(e.grid, 4)-1, 1))
	}
	return list
}

// board sets %board to the thread's column; early messages are left.
func (e *emitter) board(say printer) {
	say("mul.wide.u32 %%count, %%lin, 8;")
	say("add.u64 %%board, %%board, %%count;")
	if m := &messages[e.k.Message-1]; m.early {
		e.leaveMessage(say, m, "%gid")
	} else {
		e.readBeside(say)
	}
}

// readBeside brings what is beside the messages into the L1, one after the other.
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

// message has each thread look at the messages of others if all are there. Where threads exit early there are none.
func (e *emitter) message() {
	if e.k.Message == 0 || e.grid == 1 || e.k.exits() {
		return
	}
	e.needs |= needBoard | needGrid
	m := &messages[e.k.Message-1]
	if !m.early {
		e.leaveMessage(e.line, m, e.r(0))
	}
	e.line("mov.u32 %%seen, %%smid;") // so that nobody compares it, nor what comes of it: it is for the order of CTAs to say
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
	if m.early { // who finds all is for time to say, but it finds what is odd
		e.line("and.b32 %%seen, %%seen, 1;")
		e.line("xor.b32 %%seen, %%seen, 1;")
		e.line("setp.ne.and.u32 %%last, %%seen, 0, %%last;")
	}
	e.line("@%%last st.global.u32 [%%count+%d], %%seen;", e.arrived()+4*e.threads)
}
