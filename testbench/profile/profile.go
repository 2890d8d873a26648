// Package profile says where in a program the cycles, the lanes and the memory
// requests of a run go: by instruction, by line of the source and by branch.
//
// A Profile listens to the SMs of a session. Each keeps books of its own, by PC of the
// program that was launched, so that SMs can run side by side; nothing of the machine
// changes. Whatever the machine counts too (testbench.Counters) adds up to the same.
package profile

import (
	"math/bits"
	"slices"

	"divergo/isa"
	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// Counts are what an instruction, a line or a whole kernel has come to.
type Counts struct {
	Issued    uint64                   // warp instructions of the kernel
	Lanes     uint64                   // their active lanes
	Active    [isa.MaxLanes + 1]uint64 // warp instructions by number of active lanes
	Inserted  uint64                   // warp instructions that the kernel does not have
	Branches  uint64                   // conditional branches of warps that were resolved
	Divergent uint64                   // of these, with lanes on both sides
	Cycles    sm.Cycles                // SM cycles by class; of waiting those for which it waits longest: see Profile
	Accesses  uint64                   // global and local memory instructions of warps
	Lines     uint64                   // cache lines that they ask the L1 for
	Found     [memsys.NumFound]uint64  // loads at the L1 by what they find
}

// Add adds what another one has come to.
func (c *Counts) Add(o *Counts) {
	c.Issued += o.Issued
	c.Lanes += o.Lanes
	c.Inserted += o.Inserted
	c.Branches += o.Branches
	c.Divergent += o.Divergent
	c.Accesses += o.Accesses
	c.Lines += o.Lines
	for i, n := range o.Active {
		c.Active[i] += n
	}
	for i, n := range o.Cycles {
		c.Cycles[i] += n
	}
	for i, n := range o.Found {
		c.Found[i] += n
	}
}

// Mean is the mean number of active lanes of an issued instruction.
func (c *Counts) Mean() float64 {
	if c.Issued == 0 {
		return 0
	}
	return float64(c.Lanes) / float64(c.Issued)
}

// sum is all cycles.
func (c *Counts) sum() (n uint64) {
	for _, k := range c.Cycles {
		n += k
	}
	return n
}

// Profile is the books of a session.
//
// A cycle in which an SM issues, or has an instruction ready that cannot leave, is that
// instruction's. A cycle in which it waits is that of one of the slots that wait for
// what the class of the cycle says: of the one that has issued nothing for longest.
// Where no slot has an instruction, as at the start of a CTA, and for moves of a
// mechanism's stack, it is no instruction's.
type Profile struct {
	session  *testbench.Session
	programs []*isa.Program // in the order of their first launch
	launches []int          // of each
	books    []*book        // by SM
	leave    []func()
}

// book is that of one SM. It is written on the goroutine that runs the SM.
type book struct {
	sm     *sm.SM
	unit   *memsys.Unit
	by     [][]*Counts // of each program, by PC; behind the last one what is no instruction's
	now    []*Counts   // of these, of the program that runs
	pc     uint32      // whose cycles are those from since on
	class  sm.Class    // and what they are spent on
	since  uint64
	issued []uint64 // by slot: the cycle of its last instruction
}

// Attach has a session profiled from its next launch on.
func Attach(s *testbench.Session) *Profile {
	p := &Profile{session: s}
	for i, m := range s.Machine.SMs {
		u := s.Machine.Units[i]
		b := &book{sm: m, unit: u, pc: isa.NoPC, class: sm.ClassEmpty, issued: make([]uint64, m.Div.Slots().Len())}
		p.books = append(p.books, b)
		p.leave = append(
			p.leave,
			m.Issue.OnIssue.Add(b.issue), m.Issue.OnInserted.Add(b.inserted), m.Issue.OnClass.Add(b.spent),
			m.ALU.OnBranch.Add(b.branch), u.Coalescer.OnPart.Add(b.part), u.L1.OnLoad.Add(b.load),
		)
	}
	p.leave = append(p.leave, s.OnLaunch.Add(p.launch))
	return p
}

// Detach ends the profile, which keeps what it has.
func (p *Profile) Detach() {
	p.close()
	for _, leave := range p.leave {
		leave()
	}
}

// launch opens the pages of a program.
func (p *Profile) launch(l *testbench.Loaded) {
	p.close()
	i := slices.Index(p.programs, l.Prog)
	if i < 0 {
		i = len(p.programs)
		p.programs, p.launches = append(p.programs, l.Prog), append(p.launches, 0)
		for _, b := range p.books {
			b.by = append(b.by, make([]*Counts, len(l.Prog.Insts)+1))
		}
	}
	p.launches[i]++
	for _, b := range p.books {
		b.now = b.by[i]
		b.class, b.since = sm.ClassEmpty, p.session.Machine.Core().Now()
	}
}

// close books the cycles until now.
func (p *Profile) close() {
	for _, b := range p.books {
		b.spend(p.session.Machine.Core().Now())
	}
}

// at is what the instruction at pc has come to.
func (b *book) at(pc uint32) *Counts {
	c := &b.now[min(int(pc), len(b.now)-1)]
	if *c == nil {
		*c = new(Counts)
	}
	return *c
}

func (b *book) issue(e sm.Issued) {
	c, n := b.at(e.PC), bits.OnesCount32(e.Mask)
	c.Issued++
	c.Lanes += uint64(n)
	c.Active[n]++
	b.issued[e.Slot] = e.Cycle
}

func (b *book) inserted(e sm.Issued) {
	b.at(b.sm.Program().OriginOf(e.PC)).Inserted++
	b.issued[e.Slot] = e.Cycle
}

// branch counts as divergence.Stats.Count does.
func (b *book) branch(e sm.Branched) {
	c, diverges := b.at(e.PC), e.Taken&e.Mask != 0 && e.Mask&^e.Taken != 0
	if e.Inst.Conditional() || diverges {
		c.Branches++
	}
	if diverges {
		c.Divergent++
	}
}

func (b *book) part(e memsys.Part) {
	if e.Kind == memsys.Flush {
		return
	}
	c := b.at(b.sm.Requester(e.Tag))
	if e.First {
		c.Accesses++
	}
	if e.Lanes != 0 {
		c.Lines++
	}
}

func (b *book) load(e memsys.LookedUp) {
	b.at(b.sm.Requester(b.unit.Coalescer.Tag(e.Entry))).Found[e.Found]++
}

// spend books the cycles until now.
func (b *book) spend(now uint64) {
	if b.class != sm.ClassEmpty {
		b.at(b.pc).Cycles[b.class] += now - b.since
	}
	b.since = now
}

func (b *book) spent(e sm.Spent) {
	b.spend(e.Cycle)
	slots := b.sm.Div.Slots()
	if e.Slot < 0 {
		e.Slot = b.waiting(e.Class)
	}
	if b.class, b.pc = e.Class, isa.NoPC; e.Slot >= 0 {
		b.pc = b.sm.Program().OriginOf(slots.At(e.Slot).PC)
	}
}

// waiting is the slot that has issued nothing for longest, of those that wait for what
// a class says; in a cycle of W0_Mem in which none waits for its operands, of all. It is
// -1 if there is none.
func (b *book) waiting(class sm.Class) int {
	oldest, any := -1, -1
	older := func(s, than int) bool { return than < 0 || b.issued[s] < b.issued[than] }
	slots := b.sm.Div.Slots()
	for s := range slots.Len() {
		slot := slots.At(s)
		if b.waits(class, s, slot) && older(s, oldest) {
			oldest = s
		}
		if slot.Valid && older(s, any) {
			any = s
		}
	}
	if oldest < 0 && class == sm.ClassMem {
		return any
	}
	return oldest
}

// waits reports whether a slot waits for what a class says.
func (b *book) waits(class sm.Class, s int, slot *divergence.Slot) bool {
	switch class {
	case sm.IdleSync: // such slots need not be valid
		return slot.Wait == divergence.WaitsJoin
	case sm.IdleBarrier:
		return slot.Valid && slot.Wait == divergence.WaitsBarrier
	case sm.IdleBranch:
		return slot.Valid && slot.Wait == divergence.WaitsControl
	}
	e := b.sm.Fetch.IBuffer.At(s)
	fetched := e.N != 0 && e.PC == slot.PC
	return slot.Valid && slot.Wait == divergence.Runs && fetched == (class != sm.IdleFetch)
}
