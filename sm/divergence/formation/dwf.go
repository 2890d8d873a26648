// Package formation has dynamic warp formation, which regroups the threads of all warps of an SM
// after each instruction.
package formation

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Mechanisms are the mechanisms of the package.
var Mechanisms = []divergence.Mechanism{
	{
		Name:     "dwf",
		Doc:      "dynamic warp formation: threads at one PC are regrouped after every instruction",
		Promises: divergence.Promises{Across: true, Arrival: divergence.ByThread},
		Stalls:   true,
		Params:   Keys,
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newDWF(e, false), nil
		},
	},
	{
		Name:     "dwf-wb",
		Doc:      "dynamic warp formation between a warp's first divergence and its warp barrier",
		Promises: divergence.Promises{Across: true, Arrival: divergence.ByThread},
		Stalls:   true,
		Params:   Keys,
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newDWF(e, true), nil
		},
	},
}

// Keys are the parameters of both mechanisms.
var Keys = divergence.NewParams("dwf", Params{Issue: IssueMajority, Count: CountWaiting, Ways: 4, Aging: 10_000})

// Params are the parameters of dynamic warp formation.
type Params struct {
	Issue IssuePolicy `toml:"issue" old:"dwf_issue" doc:"which warps are issued first: those of the PC with most threads (majority) or fewest, in order of time, fewest reconvergence points passed (pdom), smallest pc" source:"tbc: table 2"`
	Count IssueCount  `toml:"count" doc:"threads that a majority or minority counts: those that wait at the PC (waiting), or of them those that do not wait for memory (returned)" source:"Fung & Aamodt, HPCA 2011, section 2.3"`
	Ways  int         `toml:"ways" old:"dwf_ways" range:"1..32 pow2" unit:"ways" doc:"lines of a set of the PC-warp table" source:"Fung et al., MICRO 2007"`
	Aging int         `toml:"aging" old:"dwf_aging" range:"0..1000000000" unit:"instructions" doc:"issued after a warp was formed before it goes first, 0 for never" source:"ours"`
}

// DWF is dynamic warp formation (Fung et al., MICRO 2007; Fung & Aamodt, HPCA 2011, section 2.3).
// After each instruction a warp is dismantled. Its threads join warps that wait in the warp pool at
// their next PC. A thread stays in its home lane and in the row of its static warp. A dynamic warp
// is thus a slot with lanes of several rows.
//
//	     Fire          Outcome      Launch
//	      |             |   |         |
//	      v             v   v         v
//	+-----------------+ +-----------------+   two update registers,
//	|  REQ, PC, rows  | |  REQ, PC, rows  |   each inserts once a cycle
//	+-----------------+ +-----------------+
//	         |                 |
//	       PC-warp table, two ports
//	                   |
//	               warp pool  --- issue policy, one warp a cycle ---> slots
//
// An SM has as many slots as static warps. So as many instructions as in the other mechanisms can
// wait for registers. A warp is in its slot for one instruction. Until that issues its pool entry
// stays, and the table lets threads join it in the slot.
//
// The issue policy ranks the slots; the ready slot of the lowest rank issues. The policy also
// decides which warps get slots if there are more warps than slots, as with many fragments.
//
// Our reading: slots are an addition of this model. In the paper a warp leaves the pool when it
// issues, and its threads return when it commits. Threads that wait for an instruction are in no
// majority there; here they are not ready. With Params.Count they are in no majority either while
// they wait for memory.
//
// An instruction that issues in cycle 0 is at best in an update register in cycle 1 and in the pool
// in cycle 2. In cycle 3 it is in a slot, where fetch sees it. An issued instruction has the first
// update register for itself. A branch that finds only one register free sends its two sides in two
// cycles. A freed slot goes to the next warp while its last instruction may be in flight. With a
// scoreboard of one instruction in flight the slot then waits for it. Threads regrouped into other
// slots wait only for their registers.
//
// The scoreboard tracks registers by row and lane, so that a thread waits only for its own values,
// not for those of its static warp. A dynamic warp holds any threads of the SM (Fung & Aamodt, HPCA
// 2011, section 6.1). The row of each thread gives the state of its CTA, shared memory and ctaid.
//
// CTA barriers count threads. A warp at a barrier enters the pool without the table, and stays
// there until all live threads of the CTA have arrived. Then its warps go first. GPGPU-Sim
// similarly has a queue for each CTA. Barrier counts static warps: one arrives with the last of its
// threads.
//
// # Warp barriers
//
// With warp barriers (Fung & Aamodt, HPCA 2011, section 2.4) a static warp stays together in its
// slot until a branch divides it. It then sets up its own barrier at the branch's immediate
// post-dominator. Up to the barrier its threads are regrouped freely; nested branches have no
// barriers of their own. A thread about to be inserted at the barrier's PC waits. The last one
// restores the static warp. After a branch without a post-dominator in the program the threads stay
// dynamic until they exit.
type DWF struct {
	divergence.Ports
	rtl.State[dwfState] `rtl:"inplace"`

	Table   *rtl.Mem[divergence.Slot] `trace:"true"`
	Home    *rtl.Mem[units.Homes]     `rtl:"inplace" trace:"true"` // by slot
	Picked  *rtl.Mem[Picked]          `rtl:"inplace"`              // by slot
	Statics *rtl.Mem[StaticWarp]      `rtl:"inplace" trace:"true"` // by row
	Places  *rtl.Mem[Place]           `rtl:"inplace"`              // by pool entry
	Pool    units.WarpPool
	Barrier divergence.Barrier
	Queues  units.PCQueues // warps that wait to issue
	Aging   units.Aging

	warpBarriers bool
	lanes        int
	policy       issue
	returned     bool // CountReturned
	code         *divergence.Code

	// Valid within one cycle.
	began    began `rtl:"scratch"`
	redirect units.Set
	joined   []uint16 `rtl:"scratch"` // pool entries that threads have joined

	reconv []bool // by PC: reconvergence point of a conditional branch
	meets  []bool // by PC: reconvergence point of any branch, call or return, where warps can have a warp barrier
}

type dwfState struct {
	Stats  divergence.Stats `rtl:"sim"`
	Update [2]units.Update
	From   [2]uint8 `bits:"7"` // source slots of the updates
	Half   bool     // one side of the outcome at the front of the queue has been inserted
	// Current is the PC of the majority or minority: that of the last instruction issued.
	Current uint32
	Issued  uint64    `bits:"16"`            // instructions; hardware counts modulo 2^16
	Free    units.Set `len:"1" bits:"warps"` // slots
	Oldest  uint16    // oldest pool entry that wants a slot, or nobody
	Newest  uint16    // youngest of them
	Firsts  uint16    // number of them that go first
	Ended   uint64    `bits:"warps"`                       // rows without threads that have not been retired
	Held    units.Set `if:"returned" len:"1" bits:"warps"` // slots that wait for memory
}

// began is a copy of the state at the start of the cycle.
type began struct {
	update         [2]units.Update
	from           [2]uint8
	current        uint32
	oldest, newest uint16
	firsts         uint16
}

// StaticWarp is the state of a row.
type StaticWarp struct {
	CTA    uint8            `bits:"5"`
	Live   uint64           `bits:"lanes"`
	AtBar  uint64           `bits:"lanes"` // lanes that wait at a CTA barrier
	Bar    divergence.Named // the barrier of AtBar
	Passed uint64           `bits:"lanes"` // lanes that have arrived at a barrier without waiting
	Left   divergence.Named // the barrier of Passed
	// Apart: other lanes wait, or have arrived, at another barrier, so that the warp never arrives.
	Apart   bool
	Barred  bool   `if:"warpbarriers"` // it has a warp barrier, at RPC
	RPC     uint32 `if:"warpbarriers"`
	Arrived uint64 `if:"warpbarriers" bits:"lanes"` // lanes at the warp barrier
}

// Picked is the use of a slot.
type Picked struct {
	Static bool // a static warp, which stays
	Joins  bool // threads can still join pool entry Warp
	Warp   uint16
	Count  uint16 // reconvergence points the warp has passed, for the policy pdom
	Born   uint64 `bits:"16"` // as in Place; for a static warp, when it last issued
}

// Place is the state of a pool entry's warp. Entries that want a slot are linked in order of
// formation.
type Place struct {
	InSlot bool
	AtBar  bool // waits at a CTA barrier; its PC is the next one
	Static bool
	First  bool   // goes before every warp that has not been released or restored
	Slot   uint8  `bits:"7"`  // its slot; before it has one, its preferred slot
	Born   uint64 `bits:"16"` // instructions issued before it was formed
	Older  uint16 // pool entry, or nobody
	Newer  uint16
	// PC, Occ and Count are the pool entry at the start of the cycle, for the issue policy.
	PC    uint32 `rtl:"sim"`
	Occ   uint64 `rtl:"sim"`
	Count uint16 `rtl:"sim"`
}

// nobody ends the links.
const nobody = 1<<16 - 1

// lutEntries is the size of the PC-warp table (GPGPU-Sim 2.1.1b).
const lutEntries = 32

func newDWF(e divergence.Env, warpBarriers bool) *DWF {
	k := Keys.Of(e.Options)
	threads := e.Warps * e.Lanes
	bar := divergence.NewBarrier(e.Geometry)
	p := &DWF{
		Ports: divergence.Ports{
			Tallies: bar.Tallies, Ranks: rtl.NewMem[uint64](e.Warps), Events: new(divergence.Events),
		},
		Table: rtl.NewMem[divergence.Slot](e.Warps), Home: rtl.NewMem[units.Homes](e.Warps),
		Picked:  rtl.NewMem[Picked](e.Warps),
		Statics: rtl.NewMem[StaticWarp](e.Warps), Places: rtl.NewMem[Place](threads),
		Pool:   units.NewWarpPool(threads, units.NewLUT(lutEntries, k.Ways)),
		Queues: units.NewPCQueues(threads), Aging: units.NewAging(uint64(k.Aging)),
		Barrier: bar, warpBarriers: warpBarriers, lanes: e.Lanes,
		policy: issuePolicies.Must(k.Issue), returned: k.Count == CountReturned, code: e.Code,
	}
	d := dwfState{Current: isa.NoPC, Oldest: nobody, Newest: nobody}
	var home units.Homes
	for l := range home.Lane {
		home.Lane[l] = uint8(l)
	}
	for i := range e.Warps {
		d.Free.Add(i)
		p.Home.Set(i, home)
	}
	p.Init(d)
	return p
}

// Logic is the comparators of the tags of a table set with the PC of each update register, and the
// allocator of pool entries. With warp barriers there are two more sets of comparators. One
// compares the PC of each update with the barrier of each lane; the other compares the arrived
// threads with those of the warp. The issue policy is not counted: the papers leave its hardware
// open.
func (p *DWF) Logic(g divergence.Geometry) []units.Logic {
	updates := len(p.Q().Update)
	list := []units.Logic{
		{Kind: units.Equality, Bits: 32, Count: updates * p.Pool.LUT.Ways()},
		{Kind: units.Encoder, Bits: g.Lanes * g.Warps, Count: updates},
		{Kind: units.Equality, Bits: 32, Count: updates * g.Lanes},
		{Kind: units.Equality, Bits: g.Lanes, Count: g.Warps},
	}
	if !p.warpBarriers {
		list = list[:2]
	}
	return list
}

// Parts says whether warp barriers exist. Threads stay in their lanes.
func (p *DWF) Parts() map[string]bool {
	return map[string]bool{"warpbarriers": p.warpBarriers, "returned": p.returned, "crossbar": false}
}

// Slots returns the slot table.
func (p *DWF) Slots() *rtl.Mem[divergence.Slot] { return p.Table }

// Homes returns the rows of warps formed from several static warps.
func (p *DWF) Homes() *rtl.Mem[units.Homes] { return p.Home }

// Stats returns the counts since reset.
func (p *DWF) Stats() divergence.Stats {
	st := p.Q().Stats
	st.Formation = *p.Pool.Counts.At(0)
	return st
}

// Counts returns nil.
func (p *DWF) Counts() divergence.Counting { return nil }

// Begin finds the reconvergence points of the program, and resets the queues.
func (p *DWF) Begin() {
	insts := p.code.Prog.Insts
	p.Queues.Resize(len(insts) + 1)
	p.reconv, p.meets = make([]bool, len(insts)+1), make([]bool, len(insts)+1)
	for i := range insts {
		if in := &insts[i]; in.Branches() && in.Reconv != isa.NoPC {
			p.meets[in.Reconv] = true
			p.reconv[in.Reconv] = p.reconv[in.Reconv] || in.Conditional()
		}
	}
}

// Tick inserts the update registers, serves at most one issued instruction, one outcome and one
// launch, and gives one warp a slot. The issued instruction comes first, because its warp accepts
// no more threads.
func (p *DWF) Tick() {
	q, was := p.Q(), &p.began
	was.current, was.oldest, was.newest, was.firsts = q.Current, q.Oldest, q.Newest, q.Firsts
	for i := range q.Update {
		if was.update[i].Req = q.Update[i].Req; was.update[i].Req != 0 {
			was.update[i], was.from[i] = q.Update[i], q.From[i]
			p.D().Update[i] = units.Update{}
		}
	}
	p.joined = p.joined[:0]
	p.Queues.Begin()
	if p.returned {
		p.hold()
	}
	p.fire()
	for i := range was.update {
		if was.update[i].Req != 0 {
			p.insert(&was.update[i], was.from[i])
		}
	}
	if p.Outcome.Valid() && p.resolve(p.Outcome.Front()) {
		p.Outcome.Pop()
	}
	if p.Launch.Valid() && p.start(p.Launch.Front()) {
		p.Launch.Pop()
	}
	p.retire()
	p.order()
	p.Drive(&p.redirect, p.Table.Len())
}

// send fills an update register. It returns false if none is free.
func (p *DWF) send(slot int, u units.Update) bool {
	if u.Req == 0 {
		return true
	}
	d := p.D()
	for i := range d.Update {
		if d.Update[i].Req == 0 {
			d.Update[i], d.From[i] = u, uint8(slot)
			return true
		}
	}
	return false
}

// from returns an update with lanes of a slot.
func (p *DWF) from(slot int, lanes uint64, pc uint32) units.Update {
	return units.Update{PC: pc, Req: lanes, Count: p.Picked.At(slot).Count, Row: p.Home.Next(slot).Row}
}

// start launches a static warp. It returns false if no update register is free.
func (p *DWF) start(l *divergence.WarpStart) bool {
	u := units.Update{Req: l.Mask}
	for i := range u.Row {
		u.Row[i] = l.Row
	}
	if p.warpBarriers {
		p.static(&u)
	} else if !p.send(int(l.Row), u) {
		return false
	}
	*p.Statics.Edit(int(l.Row)) = StaticWarp{CTA: l.CTA, Live: l.Mask}
	p.Barrier.Launch(l)
	return true
}

// fire advances the threads of an issued instruction.
func (p *DWF) fire() {
	f := p.Fire.Get()
	if !f.Valid {
		return
	}
	i := int(f.Slot)
	k, s, d := p.Picked.Edit(i), p.Table.Edit(i), p.D()
	d.Issued++
	d.Current, k.Born = f.PC, d.Issued
	if p.reconv[f.PC] {
		k.Count++
	}
	if k.Joins {
		k.Joins = false
		p.Pool.Free(int(k.Warp))
	}
	p.Queues.Leave(i, s.PC, s.Mask)
	*p.Ranks.Edit(i) = 0
	switch {
	case f.Control:
		s.Wait = divergence.WaitsControl
	case k.Static:
		s.PC = f.PC + 1
		p.come(i, s)
	default:
		u := p.from(i, s.Mask, f.PC+1)
		u.Count = k.Count
		p.send(i, u)
		p.vacate(i)
	}
}

// come makes the warp of a slot wait to issue.
func (p *DWF) come(i int, s *divergence.Slot) { p.Queues.Wait(i, s.PC, s.Mask) }

// vacate frees a slot.
func (p *DWF) vacate(slot int) {
	s := p.Table.Edit(slot)
	s.Valid, s.Wait = false, divergence.Runs
	p.D().Free.Add(slot)
}

// insert enters threads into the pool, except those that have reached their warp barriers.
func (p *DWF) insert(u *units.Update, from uint8) {
	if p.gather(u); u.Req == 0 {
		return
	}
	joined, formed := p.Pool.Insert(u, p.lanes)
	if joined >= 0 {
		join := u.Req
		if formed >= 0 {
			join &^= p.Pool.Warps.Next(formed).Occ
		}
		p.Queues.Join(u.PC, join)
		p.joined = append(p.joined, uint16(joined))
		if at := p.Places.Edit(joined); at.InSlot {
			p.show(joined, int(at.Slot), join)
			p.Queues.Show(int(at.Slot), u.PC)
		}
	}
	if formed >= 0 {
		p.want(formed, Place{Slot: from})
	}
}

// want makes a pool entry wait for a slot.
func (p *DWF) want(warp int, at Place) {
	d, w, i := p.D(), p.Pool.Warps.Next(warp), uint16(warp)
	at.PC, at.Occ, at.Count = w.PC, w.Occ, w.Count
	at.Born, at.Older, at.Newer = d.Issued, d.Newest, nobody
	*p.Places.Edit(warp) = at
	p.link(d.Newest, i)
	d.Newest = i
	if at.First {
		p.Queues.Join(w.PC, w.Occ)
		d.Firsts++
		return
	}
	p.Queues.Queue(warp, w.PC, w.Occ)
}

// link makes newer follow older in the list of entries that want a slot.
func (p *DWF) link(older, newer uint16) {
	if older == nobody {
		p.D().Oldest = newer
	} else {
		p.Places.Edit(int(older)).Newer = newer
	}
}

// unwant removes a pool entry, which gets a slot, from the list of those that want one.
func (p *DWF) unwant(warp, slot int, at *Place) {
	d := p.D()
	p.link(at.Older, at.Newer)
	if at.Newer == nobody {
		d.Newest = at.Older
	} else {
		p.Places.Edit(int(at.Newer)).Older = at.Older
	}
	if at.First {
		d.Firsts--
		p.Queues.Show(slot, at.PC)
		return
	}
	p.Queues.Place(warp, slot, at.PC)
}

// show copies lanes of a pool entry into its slot: all of them, or those that join.
func (p *DWF) show(warp, slot int, lanes uint64) {
	w, s := p.Pool.Warps.Next(warp), p.Table.Edit(slot)
	s.PC, s.Mask = w.PC, w.Occ
	s.Row, s.Mixed = w.Row[bits.TrailingZeros64(w.Occ)&(units.PoolLanes-1)], w.Row.Several(w.Occ)
	s.CTA = p.Statics.Next(int(s.Row)).CTA
	p.Home.Edit(slot).Row.Take(&w.Row, lanes)
	p.Picked.Edit(slot).Count = w.Count
}

// resolve handles a control instruction at the end of execution. It returns false if no update
// register is free.
func (p *DWF) resolve(o *divergence.Outcome) bool {
	in := &p.code.Prog.Insts[o.PC]
	i := int(o.Slot)
	if p.Picked.At(i).Static {
		return p.resolveStatic(i, in, o)
	}
	s := p.Table.Edit(i)
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	if in.Branches() {
		return p.branch(i, in, o, taken, not)
	}
	on := not
	if in.Op == isa.OpBar && in.Mode == isa.ModeArrive {
		on = s.Mask
	}
	if !p.send(i, p.from(i, on, o.PC+1)) {
		return false
	}
	if in.Op == isa.OpBar {
		p.bar(i, in, o, taken)
	} else {
		u := p.from(i, taken, 0)
		p.exit(&u)
	}
	p.vacate(i)
	return true
}

// branch sends the two sides of a branch to the update registers, in one cycle if both are free.
func (p *DWF) branch(i int, in *isa.Inst, o *divergence.Outcome, taken, not uint64) bool {
	d, j := p.D(), o.Jump(in, 0)
	if !d.Half {
		if !p.send(i, p.from(i, taken, j.Target.PC)) {
			return false
		}
		p.D().Stats.Count(in, taken, not)
		d.Half = true
		p.Table.Edit(i).Mask = not
	}
	if !p.send(i, p.from(i, not, j.Fall.PC)) {
		return false
	}
	d.Half = false
	p.vacate(i)
	return true
}

// bar handles the lanes of a slot that execute a barrier.
func (p *DWF) bar(i int, in *isa.Inst, o *divergence.Outcome, lanes uint64) {
	if lanes == 0 {
		return
	}
	u := p.from(i, lanes, o.PC+1)
	if in.Mode != isa.ModeArrive {
		warp := p.Pool.Form(&u, lanes)
		*p.Places.Edit(warp) = Place{AtBar: true}
	}
	rows, part := uint64(0), false
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		row := u.Row[lane]
		rows |= 1 << (row & 63)
		w := p.Statics.Edit(int(row))
		here, at := &w.AtBar, &w.Bar
		if in.Mode == isa.ModeArrive {
			here, at = &w.Passed, &w.Left
		}
		w.Apart = w.Apart || *here != 0 && at.ID != o.Bar
		*here |= 1 << lane
		*at = divergence.Named{ID: o.Bar, Need: o.Warps}
		if in.Reduces() {
			p.Barrier.Count(w.CTA, &divergence.Outcome{Bar: o.Bar, Taken: 1 << lane, Votes: o.Votes})
		}
	}
	for m := rows; m != 0; m &= m - 1 {
		row := bits.TrailingZeros64(m)
		w := p.Statics.Edit(row)
		part = part || w.Live&^(w.AtBar|w.Passed) != 0
		p.meet(row, w)
	}
	if part {
		p.D().Stats.BarDiverged++
	}
}

// meet lets a static warp arrive at a CTA barrier if none of its threads can still reach it. Some
// threads may wait at the next barrier before others have reached one without a wait.
func (p *DWF) meet(row int, w *StaticWarp) {
	if w.Live == 0 || w.Apart {
		return
	}
	if w.Passed != 0 && w.Live&^w.Passed == 0 {
		w.Passed = 0
		p.release(p.Barrier.Arrive(w.CTA, uint8(row), w.Left.ID, w.Left.Need, false))
	}
	if w.AtBar != 0 && w.Live&^(w.AtBar|w.Arrived) == 0 {
		p.release(p.Barrier.Arrive(w.CTA, uint8(row), w.Bar.ID, w.Bar.Need, true))
	}
}

// release resumes the threads of static warps behind a CTA barrier.
func (p *DWF) release(rows uint64) {
	if rows == 0 {
		return
	}
	p.D().Stats.BarReleases++
	if p.OnRelease.Any() {
		p.OnRelease.Notify(divergence.Released{Rows: rows})
	}
	for m := rows; m != 0; m &= m - 1 {
		p.Statics.Edit(bits.TrailingZeros64(m)).AtBar = 0
	}
	for i := range p.Table.Len() {
		if s := p.Table.Edit(i); s.Valid && s.Wait == divergence.WaitsBarrier && rows>>(s.Row&63)&1 != 0 {
			s.Wait = divergence.Runs
			s.PC++
			p.come(i, s)
			p.redirect.Add(i)
		}
	}
	for k := range p.Pool.Used.Len() {
		for m := *p.Pool.Used.Edit(k); m != 0; m &= m - 1 {
			if i := k<<6 + bits.TrailingZeros64(m); p.Places.Edit(i).AtBar {
				p.releaseWarp(i, rows)
			}
		}
	}
}

// releaseWarp resumes the threads of a pool entry that belong to the given rows. These are all its
// threads, unless the barrier is for some of the CTA's warps.
func (p *DWF) releaseWarp(i int, rows uint64) {
	w := p.Pool.Warps.Edit(i)
	lanes := uint64(0)
	for m := w.Occ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		lanes |= uint64(rows>>(w.Row[lane]&63)&1) << lane
	}
	if lanes == 0 {
		return
	}
	u := units.Update{PC: w.PC, Req: lanes, Count: w.Count, Row: w.Row}
	w.Occ &^= lanes
	if w.Occ == 0 {
		p.Pool.Free(i)
	}
	if p.gather(&u); u.Req != 0 {
		p.want(p.Pool.Form(&u, u.Req), Place{First: true})
	}
}

// exit ends threads.
func (p *DWF) exit(u *units.Update) {
	rows := uint64(0)
	for m := u.Req; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		w := p.Statics.Edit(int(u.Row[lane]))
		w.Live &^= 1 << lane
		w.Passed &^= 1 << lane
		rows |= 1 << (u.Row[lane] & 63)
	}
	for m := rows; m != 0; m &= m - 1 {
		row := bits.TrailingZeros64(m)
		w := p.Statics.Edit(row)
		if w.Live == 0 {
			p.D().Ended |= 1 << row
			p.release(p.Barrier.Exit(w.CTA, uint8(row)))
			continue
		}
		p.restore(row, w)
		p.meet(row, w)
	}
}

// retire reports a row without threads.
func (p *DWF) retire() {
	d := p.Next()
	if d.Ended != 0 && p.Retire.Ready() {
		row := bits.TrailingZeros64(d.Ended)
		p.Retire.Push(divergence.Retire{CTA: p.Statics.Edit(row).CTA, Row: uint8(row)})
		p.D().Ended &^= 1 << row
	}
}

// Paths lists the threads by PC and row: in slots, in the pool, in the update registers, and at
// warp barriers.
func (p *DWF) Paths(to []divergence.Path) []divergence.Path {
	add := func(path divergence.Path, mask uint64, row *units.Rows) {
		for mask != 0 {
			path.Row, path.Mask = row[bits.TrailingZeros64(mask)], 0
			for m := mask; m != 0; m &= m - 1 {
				if lane := bits.TrailingZeros64(m); row[lane] == path.Row {
					path.Mask |= 1 << lane
				}
			}
			mask &^= path.Mask
			w := p.Statics.At(int(path.Row))
			path.CTA, path.Reconv = w.CTA, isa.NoPC
			if w.Barred {
				path.Reconv = w.RPC
			}
			to = append(to, path)
		}
	}
	for i := range p.Table.Len() {
		if s := p.Table.At(i); s.Valid {
			add(divergence.Path{PC: s.PC, Wait: s.Wait, Running: true}, s.Mask, &p.Home.At(i).Row)
		}
	}
	for k := range p.Pool.Used.Len() {
		for m := *p.Pool.Used.At(k); m != 0; m &= m - 1 {
			i := k<<6 + bits.TrailingZeros64(m)
			w, at := p.Pool.Warps.At(i), p.Places.At(i)
			switch {
			case at.AtBar:
				add(divergence.Path{PC: w.PC - 1, Wait: divergence.WaitsBarrier}, w.Occ, &w.Row)
			case !at.InSlot:
				add(divergence.Path{PC: w.PC, Comes: p.Aging.Limit > 0}, w.Occ, &w.Row)
			}
		}
	}
	for i := range p.Q().Update {
		u := p.Q().Update[i]
		add(divergence.Path{PC: u.PC}, u.Req, &u.Row)
	}
	for row := range p.Statics.Len() {
		if w := p.Statics.At(row); w.Arrived != 0 {
			to = append(to, divergence.Path{
				CTA: w.CTA, Row: uint8(row), PC: w.RPC, Reconv: w.RPC, Mask: w.Arrived,
				Wait: divergence.WaitsJoin,
			})
		}
	}
	return to
}
