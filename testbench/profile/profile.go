// Package profile attributes the cycles, the lanes and the memory requests of a run to the program:
// by instruction, by source line and by branch.
//
// A Profile observes the SMs of a session. Each SM has records of its own, by PC of the launched
// program, so that SMs can run in parallel. Nothing of the machine changes. The profile adds up to
// the machine's own counts (testbench.Counters).
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

// Counts are the counts of an instruction, a line or a whole kernel.
type Counts struct {
	Issued    uint64                   // warp instructions of the kernel
	Lanes     uint64                   // their active lanes
	Active    [isa.MaxLanes + 1]uint64 // warp instructions by number of active lanes
	Inserted  uint64                   // warp instructions that the mechanism inserted
	Branches  uint64                   // resolved branches of warps: conditional ones, and others that diverge
	Divergent uint64                   // those with lanes on both sides
	// SM cycles by class; a waiting cycle belongs to the slot that has waited longest: see Profile
	Cycles   sm.Cycles
	Accesses uint64                  // global and local memory instructions of warps
	Lines    uint64                  // cache lines that they request from the L1
	Found    [memsys.NumFound]uint64 // loads at the L1, by result of the lookup
}

// Add adds another set of counts.
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

// Mean returns the mean number of active lanes of an issued instruction.
func (c *Counts) Mean() float64 {
	if c.Issued == 0 {
		return 0
	}
	return float64(c.Lanes) / float64(c.Issued)
}

// sum returns all cycles.
func (c *Counts) sum() (n uint64) {
	for _, k := range c.Cycles {
		n += k
	}
	return n
}

// Profile holds the records of a session.
//
// A cycle belongs to an instruction in two cases. The SM issues that instruction, or has it ready
// but cannot issue it. Or the SM waits: then the cycle belongs to a slot that waits for the cause
// that the class of the cycle names. Of several slots it is the one that has issued nothing for
// longest.
//
// Other cycles belong to no instruction: no slot has an instruction, as at the start of a CTA, or a
// mechanism moves its stack.
type Profile struct {
	session  *testbench.Session
	programs []*isa.Program // in the order of their first launch
	launches []int          // number of launches of each
	books    []*book        // by SM
	leave    []func()
}

// book holds the records of one SM. It is written on the goroutine that runs the SM.
type book struct {
	sm     *sm.SM
	unit   *memsys.Unit
	by     [][]*Counts // of each program, by PC; the last one is for no instruction
	now    []*Counts   // those of the running program
	cores  [sm.MaxSchedulers]spending
	issued []uint64 // by slot: the cycle of its last instruction
}

// spending is what a sub-core spends its cycles on.
type spending struct {
	pc    uint32   // owner of the cycles since the cycle since
	class sm.Class // class of these cycles
	since uint64
}

// Attach starts to profile a session from its next launch on.
func Attach(s *testbench.Session) *Profile {
	p := &Profile{session: s}
	for i, m := range s.Machine.SMs {
		u := s.Machine.Units[i]
		b := &book{sm: m, unit: u, issued: make([]uint64, m.Div.Slots().Len())}
		b.idle(0)
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

// Detach ends the profile, which keeps its counts.
func (p *Profile) Detach() {
	p.close()
	for _, leave := range p.leave {
		leave()
	}
}

// launch makes the records of a program.
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
		b.idle(p.session.Machine.Core().Now())
	}
}

// close records the cycles up to the present one.
func (p *Profile) close() {
	for _, b := range p.books {
		for core := range b.cores {
			b.spend(core, p.session.Machine.Core().Now())
		}
	}
}

// at returns the counts of the instruction at pc.
func (b *book) at(pc uint32) *Counts {
	c := &b.now[min(int(pc), len(b.now)-1)]
	if *c == nil {
		*c = new(Counts)
	}
	return *c
}

func (b *book) issue(e sm.Issued) {
	c, n := b.at(e.PC), bits.OnesCount64(e.Mask)
	c.Issued++
	c.Lanes += uint64(n)
	c.Active[n]++
	b.issued[e.Slot] = e.Cycle
}

func (b *book) inserted(e sm.Issued) {
	b.at(b.sm.Program().OriginOf(e.PC)).Inserted++
	b.issued[e.Slot] = e.Cycle
}

// branch counts like divergence.Stats.Count.
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

// idle begins a time without CTAs.
func (b *book) idle(now uint64) {
	for core := range b.cores {
		b.cores[core] = spending{isa.NoPC, sm.ClassEmpty, now}
	}
}

// spend records the cycles of a sub-core up to the present one.
func (b *book) spend(core int, now uint64) {
	c := &b.cores[core]
	if c.class != sm.ClassEmpty {
		b.at(c.pc).Cycles[c.class] += now - c.since
	}
	c.since = now
}

func (b *book) spent(e sm.Spent) {
	b.spend(e.Core, e.Cycle)
	slots := b.sm.Div.Slots()
	if e.Slot < 0 {
		e.Slot = b.waiting(e.Class, e.Core)
	}
	c := &b.cores[e.Core]
	if c.class, c.pc = e.Class, isa.NoPC; e.Slot >= 0 {
		c.pc = b.sm.Program().OriginOf(slots.At(e.Slot).PC)
	}
}

// waiting returns the slot that has issued nothing for longest, among those of a sub-core that wait
// for the cause of a class. In a cycle of W0_Mem in which no slot waits for operands it considers all slots. It
// returns -1 if there is none.
func (b *book) waiting(class sm.Class, core int) int {
	oldest, any := -1, -1
	older := func(s, than int) bool { return than < 0 || b.issued[s] < b.issued[than] }
	slots := b.sm.Div.Slots()
	for s := range slots.Len() {
		slot := slots.At(s)
		if b.sm.CoreOf(s) != core {
			continue
		}
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

// waits reports whether a slot waits for the cause of a class.
func (b *book) waits(class sm.Class, s int, slot *divergence.Slot) bool {
	switch class {
	case sm.IdleSync: // such slots need not be valid
		return slot.Wait == divergence.WaitsJoin
	case sm.IdleBarrier:
		return slot.Valid && slot.Wait == divergence.WaitsBarrier
	case sm.IdleBranch:
		return slot.Valid && slot.Wait == divergence.WaitsControl
	}
	e := b.sm.Sub[b.sm.CoreOf(s)].Fetch.IBuffer.At(s)
	fetched := e.N != 0 && e.PC == slot.PC
	return slot.Valid && slot.Wait == divergence.Runs && fetched == (class != sm.IdleFetch)
}
