package races

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench"
)

// Access is one side of a race.
type Access struct {
	CTA    [3]uint32 `json:"cta"`
	Thread [3]uint32 `json:"thread"`
	Kind   string    `json:"kind"` // "read", "write" or "atomic"
	PC     uint32    `json:"pc"`
	Where  string    `json:"where"` // source line
	Text   string    `json:"instruction"`
}

// Race is the first racing pair of accesses from two source lines.
type Race struct {
	Kernel  string `json:"kernel"`
	Launch  int    `json:"launch"` // counted from 1
	Space   string `json:"space"`
	Address uint64 `json:"address"` // of the word; in shared memory an offset
	First   Access `json:"first"`
	Second  Access `json:"second"`
	Count   uint64 `json:"count"` // of such pairs of accesses
}

// kind names the two accesses, as in "read/write".
func (r *Race) kind() string { return r.First.Kind + "/" + r.Second.Kind }

// Lines returns the two source lines, in alphabetical order.
func (r *Race) Lines() [2]string {
	return [2]string{min(r.First.Where, r.Second.Where), max(r.First.Where, r.Second.Where)}
}

// String describes the race in a few lines; the first one begins with a source line.
func (r *Race) String() string {
	line := func(a *Access) string {
		return fmt.Sprintf("\n  %s by thread (%d,%d,%d) of CTA (%d,%d,%d) at %s, PC %d: %s", a.Kind,
			a.Thread[0], a.Thread[1], a.Thread[2], a.CTA[0], a.CTA[1], a.CTA[2], a.Where, a.PC, a.Text)
	}
	return fmt.Sprintf("%s: race: %s of %s memory at %#x in %s, launch %d; %d times between these lines%s%s",
		r.Second.Where, r.kind(), r.Space, r.Address, r.Kernel, r.Launch, r.Count, line(&r.First), line(&r.Second))
}

// Detector finds races in the launches of a session.
type Detector struct {
	session *testbench.Session
	sms     []*watcher
	leave   []func()

	prog     *isa.Program
	launches int
	block    [3]uint32
	grid     [3]uint32
	threads  int // of a CTA
	warpSize int
	inStep   bool // a warp runs in step: the module is for less than sm_70
	reach    uint64
	ops      []op   // by PC
	issued   uint32 // number of instructions issued in the launch
	spent    uint64 // clock rows passed through flags: see Detector.afford
	stamp    uint32

	global    []*page // by number
	pages     []*page // all pages; the oldest is reused when there are too many
	room      int     // maximum number of pages
	oldest    int
	free      []*page // pages of shared memory of ended CTAs
	forgotten uint64
	flags     map[place]*flag

	found  []*Race
	byPC   map[[2]uint32]*Race // for the program that runs
	byLine map[[2]string]*Race
}

// place is an address: in the shared memory of a CTA, or in global memory (everywhere).
type place struct {
	cta  uint32
	addr uint64
}

const everywhere = ^uint32(0)

// Attach starts to watch a session from its next launch on. The session then runs on one processor,
// because all SMs report to the same Detector.
func Attach(s *testbench.Session) *Detector {
	d := &Detector{session: s, room: maxPages, byLine: map[[2]string]*Race{}, global: make([]*page, 1<<(32-pageBits))}
	s.Machine.System().Workers = 1
	for _, m := range s.Machine.SMs {
		w := &watcher{d: d, sm: m}
		d.sms = append(d.sms, w)
		d.leave = append(d.leave, m.Issue.OnIssue.Add(w.issue), m.Issue.OnInserted.Add(w.inserted))
	}
	d.leave = append(d.leave, s.OnLaunch.Add(d.launch))
	return d
}

// Detach ends the watch. Found keeps its results.
func (d *Detector) Detach() {
	for _, leave := range d.leave {
		leave()
	}
}

// Found lists the races in the order of detection, one for each pair of source lines.
func (d *Detector) Found() []*Race { return d.found }

// Forgotten counts the pages of 4 KiB that were dropped for lack of room. Races in them may have
// gone unseen.
func (d *Detector) Forgotten() uint64 { return d.forgotten }

// launch starts a new launch: all earlier accesses come before it.
func (d *Detector) launch(l *testbench.Loaded) {
	d.prog, d.block, d.grid = l.Prog, l.Block, l.Grid
	d.launches = len(d.session.Runs) + 1
	d.threads = int(l.Block[0] * l.Block[1] * l.Block[2])
	d.warpSize = d.session.Machine.Config.SM.WarpSize
	d.inStep = l.Prog.Target < 70
	d.reach = ^uint64(0)
	if l.Prog.AddressBits == 32 {
		d.reach = 1<<32 - 1
	}
	d.ops = make([]op, len(l.Prog.Insts))
	for pc := range d.ops {
		d.ops[pc] = newOp(&l.Prog.Insts[pc])
	}
	d.stamp++
	d.issued, d.spent = 0, 0
	d.flags = map[place]*flag{}
	d.byPC = map[[2]uint32]*Race{}
	for _, w := range d.sms {
		for _, c := range w.ctas {
			w.end(c)
		}
		clear(w.rows[:])
		clear(w.ctas[:])
	}
}

// globalPage returns the page with a number. It makes or empties the page if necessary.
func (d *Detector) globalPage(n uint64) *page {
	if n >= uint64(len(d.global)) {
		return nil
	}
	p := d.global[n]
	if p == nil {
		if len(d.pages) < d.room {
			p = new(page)
			d.pages = append(d.pages, p)
		} else {
			p = d.pages[d.oldest]
			d.oldest = (d.oldest + 1) % d.room
			if d.global[p.at] = nil; p.stamp == d.stamp {
				d.forgotten++
			}
		}
		d.global[n] = p
		p.renew(n, d.stamp)
	} else if p.stamp != d.stamp {
		p.renew(n, d.stamp)
	}
	return p
}

// afford reports whether so many rows of clocks can pass through a flag. If all threads release and
// acquire all the time, that would take longer than the run.
func (d *Detector) afford(rows int) bool {
	const free, each = 1 << 18, 32
	if d.spent+uint64(rows) > free+each*uint64(d.issued) {
		return false
	}
	d.spent += uint64(rows)
	return true
}

// touch compares and records an access to some bytes of a word.
func (d *Detector) touch(c *cta, p *page, word uint16, bytes uint8, w *write, shared bool) {
	if bytes == 0xf && !p.cells[word].bytes {
		d.compare(c, p, word, &p.cells[word], w, shared)
		return
	}
	cells, whole := p.split(word), w.value
	for ; bytes != 0; bytes &= bytes - 1 {
		i := bits.TrailingZeros8(bytes)
		w.value = whole >> (8 * i) & 0xff
		d.compare(c, p, word, &cells[i], w, shared)
	}
	w.value = whole
}

// compare compares and records an access to one cell.
func (d *Detector) compare(c *cta, p *page, word uint16, at *cell, w *write, shared bool) {
	now := &w.access
	if b := &at.write; b.mode != 0 && apart(&b.access, now, shared) {
		same := b.mode&now.mode&valued != 0 && b.value == w.value
		if !same && !d.before(c, &b.access, now) {
			d.report(p, word, &b.access, now, shared)
		}
	}
	if now.mode&writes == 0 {
		if r := &at.reads[0]; r.mode == 0 || r.thread == now.thread && r.cta == now.cta {
			*r = *now
			return
		}
		at.reads[1] = *now
		return
	}
	for i := range at.reads {
		r := &at.reads[i]
		if r.mode == 0 {
			break
		}
		if apart(r, now, shared) && !d.before(c, r, now) {
			d.report(p, word, r, now, shared)
		}
		r.mode = 0
	}
	at.write = *w
}

// apart reports whether two accesses to the same bytes, of which one writes, can race. They belong
// to two threads, and are not both strong. An atomic and a read of global memory cannot race.
func apart(a, b *access, shared bool) bool {
	switch both := a.mode & b.mode; {
	case a.thread == b.thread && a.cta == b.cta, both&strong != 0:
		return false
	case shared || (a.mode|b.mode)&atomic == 0:
		return true
	default:
		return both&writes != 0
	}
}

// before reports whether an access comes before one of a thread of c.
func (d *Detector) before(c *cta, earlier, now *access) bool {
	if d.inStep && earlier.cta == now.cta && int(earlier.thread)/d.warpSize == int(now.thread)/d.warpSize {
		return earlier.issue != now.issue
	}
	if c.knows(earlier, now.thread) || c.acquire(now.thread) && c.knows(earlier, now.thread) {
		return true
	}
	if !d.inStep {
		return false
	}
	// The other threads of its warp have waited with it for anything that one of them has seen.
	first := int(now.thread) / d.warpSize * d.warpSize
	for t := first; t < min(first+d.warpSize, d.threads); t++ {
		if c.acquire(uint16(t)); c.knows(earlier, uint16(t)) {
			return true
		}
	}
	return false
}

// report records a race of two PCs, and creates it if it is the first of its source lines.
func (d *Detector) report(p *page, word uint16, first, second *access, shared bool) {
	pcs := [2]uint32{first.pc, second.pc}
	r := d.byPC[pcs]
	if r == nil {
		made := &Race{
			Kernel: ptx.Demangled(d.prog.Name), Launch: d.launches, Space: "global",
			Address: p.at<<pageBits + 4*uint64(word), First: d.side(first), Second: d.side(second),
		}
		if shared {
			made.Space = "shared"
		}
		if r = d.byLine[made.Lines()]; r == nil {
			r = made
			d.byLine[r.Lines()] = r
			d.found = append(d.found, r)
		}
		d.byPC[pcs] = r
	}
	r.Count++
}

// side describes an access for a report.
func (d *Detector) side(a *access) Access {
	kind := "read"
	switch {
	case a.mode&atomic != 0:
		kind = "atomic"
	case a.mode&writes != 0:
		kind = "write"
	}
	at := func(n uint32, of [3]uint32) [3]uint32 {
		return [3]uint32{n % of[0], n / of[0] % of[1], n / of[0] / of[1]}
	}
	return Access{
		CTA: at(a.cta, d.grid), Thread: at(uint32(a.thread), d.block), Kind: kind,
		PC: a.pc, Where: d.prog.Near(a.pc), Text: d.prog.Mnemonic(a.pc),
	}
}

// cta is a running CTA.
type cta struct {
	d       *Detector
	id      uint32
	clock   []uint32 // by thread
	known   []*knowledge
	at      []*meeting // the meeting at which a thread waits
	waiting int        // number of waiting threads
	bars    [16]*meeting
	warps   map[uint64]*meeting // of bar.warp.sync, by warp and mask
	fences  []moment            // the last fence of each thread; nil: there was none
	seen    []seen              // strong reads of the threads; nil: none
	gone    *gathered           // knowledge of exited threads; nil: none have exited
	pages   []*page             // of shared memory
}

// seen holds the last strong reads of a thread, and the state of the flags there.
type seen struct {
	places   [4]place
	flags    [4]*flag // nil: none is known yet
	versions [4]uint32
	next, n  uint8
}

func newCTA(d *Detector, id uint32) *cta {
	c := &cta{
		d: d, id: id, clock: make([]uint32, d.threads), known: make([]*knowledge, d.threads),
		at: make([]*meeting, d.threads),
	}
	for i := range c.clock {
		c.clock[i] = 1
	}
	return c
}

// knows reports whether a thread knows that an access comes before its own.
func (c *cta) knows(a *access, thread uint16) bool {
	k := c.known[thread]
	if k == nil {
		return false
	}
	if a.issue <= k.until {
		return true
	}
	if a.cta == c.id {
		return k.own.of(a.thread) >= a.clock
	}
	return k.others[a.cta].of(a.thread) >= a.clock
}

// read records a strong read. The thread's new knowledge is computed when it matters, because the
// value arrives later.
func (c *cta) read(thread uint16, at place) {
	if c.seen == nil {
		c.seen = make([]seen, c.d.threads)
	}
	s := &c.seen[thread]
	for i := range s.n {
		if s.places[i] == at {
			return
		}
	}
	s.places[s.next], s.flags[s.next], s.versions[s.next] = at, nil, 0
	s.n = max(s.n, s.next+1)
	s.next = (s.next + 1) % uint8(len(s.places))
}

// acquire adds the flags that a thread has seen to its knowledge, and reports whether any was new.
func (c *cta) acquire(thread uint16) (any bool) {
	if c.seen == nil || len(c.d.flags) == 0 {
		return false
	}
	s := &c.seen[thread]
	for i := range s.n {
		f := s.flags[i]
		if f == nil {
			if f = c.d.flags[s.places[i]]; f == nil {
				continue
			}
			s.flags[i] = f
		}
		if f.version == s.versions[i] || f.sole && f.first == (moment{cta: c.id, thread: thread}) {
			continue
		}
		s.versions[i] = f.version
		c.known[thread] = f.acquire(c, c.known[thread])
		any = true
	}
	return any
}

// release returns a thread's present moment, and advances its clock.
func (c *cta) release(thread uint16) moment {
	c.acquire(thread)
	m := moment{c.id, thread, c.clock[thread], c.known[thread]}
	c.clock[thread]++
	return m
}

// arrive adds a thread to a meeting.
func (c *cta) arrive(m *meeting, thread uint16, waits bool) {
	r := c.release(thread)
	m.add(r.knows)
	m.put(thread, r.clock)
	if m.arrived++; waits {
		c.at[thread] = m
		c.waiting++
	}
}

// goOn gives a thread that has waited the knowledge of its meeting.
func (c *cta) goOn(thread uint16) {
	m := c.at[thread]
	c.at[thread] = nil
	c.waiting--
	c.known[thread] = m.open(c.gone)
	for i := range c.bars {
		if c.bars[i] == m {
			c.bars[i] = nil
		}
	}
}
