package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Issue picks one ready slot of its sub-core a cycle and sends the instruction at the head of its I-buffer down the
// pipeline. A slot is ready if that instruction has the slot's PC and the scoreboard permits it:
//   - the one-in-flight rule permits it when the slot's last instruction has completed (Fung &
//     Aamodt, HPCA 2011, section 2.2.1);
//   - the register rule permits it when none of its registers has a pending write.
//
// With either rule a thread waits for its own instructions in flight, in whatever slot they issued.
// Pending registers are therefore kept by row and lane.
//
// A warp of W threads takes W/SIMDWidth cycles to enter the pipes, less the cycles that its active
// mask allows it to skip: see Skip.
type Issue struct {
	rtl.State[issueState] `rtl:"inplace"`

	Count rtl.State[IssueCounters] `rtl:"sim,inplace"`
	Fire  rtl.Wire[divergence.Fire]
	Done  *rtl.Wire[Completions]
	Out   rtl.Out[Flight]
	Div   divergence.Policy
	Front *Fetch
	CTA   *CTA
	Ranks *rtl.Mem[uint64] `rtl:"optional"` // by slot: see divergence.Ports
	// Scoreboard has the registers of each row, then its predicates.
	Scoreboard units.Scoreboard
	// Copies are the asynchronous copies in flight of each row: see copies.go.
	Copies *rtl.Mem[groups]
	// Beside sends a second instruction; nil if the SM lacks that hardware: see Interweave.
	Beside *Beside `rtl:"own"`
	// Groups are the fetch groups of the scheduler two-level; nil for the others.
	Groups *FetchGroups `rtl:"own"`
	// Shares caches, for each slot with threads of several rows, the threads by row and the
	// registers checked. Known has a bit for each slot that has not changed since.
	Shares *rtl.Mem[shares] `rtl:"sim,inplace"`
	Known  *rtl.Mem[uint64] `rtl:"sim,inplace"`
	// Of has the slots of each CTA, for CTA priorities. It is empty if slots have threads of several CTAs.
	Of *rtl.Mem[units.Set] `rtl:"sim,inplace"`
	// Active counts issued instructions by active lanes.
	Active *rtl.Mem[uint64] `rtl:"sim,inplace"`

	core int // number of the sub-core
	l    *launch
	sim  *rtl.Sim

	*IssueEvents
	seen Flight        `rtl:"scratch"` // with the PC that the observer knows
	ask  units.Set     `rtl:"scratch"` // slots that the scheduler considers
	own  units.Set     `rtl:"scratch"` // of these, the slots of a CTA
	best units.Set     `rtl:"scratch"` // of either, the ready slots of the lowest rank
	gone units.Threads `rtl:"scratch"` // threads of a completed instruction that has left its slot
}

// IssueEvents are the observers of the issue stages of an SM. Its sub-cores notify the same ones, in
// their order.
type IssueEvents struct {
	// OnIssue receives each issued instruction of the kernel.
	OnIssue rtl.Observers[Issued]
	// OnInserted receives each issued instruction that the mechanism inserted. Its PC is that in
	// SM.Program.
	OnInserted rtl.Observers[Issued]
	// OnChanged receives the slots of a sub-core whose PC or I-buffer has changed since the last cycle.
	OnChanged rtl.Observers[Changed]
	// OnClass receives the class of the cycles of a sub-core from this one on, until the next
	// notification.
	OnClass rtl.Observers[Spent]
}

// shares holds the threads of a slot by row.
type shares struct {
	Mask    uint64      `bits:"lanes"` // active mask of the slot
	Homes   units.Homes // homes from which Threads was computed
	Threads units.Threads
	// Asked counts the registers of the slot's instruction already found free in every thread. Left
	// holds the rows not yet checked for the next register. Both stay valid until the slot issues
	// or changes.
	Asked uint8
	Left  uint64
}

type issueState struct {
	Last   uint16          `bits:"9"`             // slot issued last
	LastOf [MaxCTAs]uint16 `len:"ctas" bits:"9"`  // slot issued last of each CTA
	Turn   uint8           `bits:"5"`             // CTA of the slot issued last
	Look   units.Set       `len:"1" bits:"slots"` // slots whose instruction is in the I-buffer and that the mechanism lets run
	Busy   units.Set       `len:"1" bits:"slots"` // slots that wait for their last instruction to complete
	Next   uint64          `bits:"timer"`         // first cycle in which an instruction can issue
	Memory uint16          // memory instructions in flight
	InRow  units.InRows    `len:"warps" bits:"flights"` // instructions in flight of each row
	Class  Class           `rtl:"sim" bits:"5"`         // class of the cycles from Since on
	Since  uint64          `rtl:"sim"`
	Herded uint32          // herded instructions issued in this launch
}

// IssueCounters are the counts of Issue since reset.
type IssueCounters struct {
	Issued  uint64 // instructions of the kernel
	Lanes   uint64 // their active lanes
	Added   uint64 // instructions inserted by the mechanism
	Skipped uint64 // cycles skipped by warps
	Cycles  Cycles // cycles before issueState.Since
}

// Flight is an instruction on its way through the pipeline.
type Flight struct {
	Slot  uint16 `bits:"9"`
	CTA   uint8  `bits:"5"` // of the thread in the lowest lane
	Row   uint8  `bits:"6"`
	Mixed bool
	Herd  uint32 `rtl:"sim"` // number of a herded branch or load among those of the sub-core in the launch, from 1; else 0
	PC    uint32
	Mask  uint64      `bits:"lanes"` // active lanes at issue; the guard is not applied yet
	Rows  uint64      `bits:"warps"` // every row with an active thread
	Homes units.Homes `if:"homes"`   // if Mixed
}

// Home returns the location of the registers of the thread in a lane.
func (f *Flight) Home(lane int) units.Home {
	if f.Mixed {
		return f.Homes.At(lane)
	}
	return units.Home{Row: f.Row, Lane: uint8(lane)}
}

// Issued is an issued instruction as observers see it. Its PC is that in the program that was
// launched.
type Issued struct {
	Cycle uint64
	*Flight
}

// Changed is a set of slots that have changed, with their sub-core.
type Changed struct {
	Cycle uint64
	Slots *units.Set
	Core  int
}

// Spent is the class of the cycles of a sub-core from Cycle on. Slot is the slot that issues or is
// ready, -1 if there is none.
type Spent struct {
	Cycle uint64
	Class Class
	Slot  int
	Core  int // number of the sub-core
}

// Completions are the instructions that complete in a cycle, control instructions excluded.
type Completions struct {
	N int8
	C [maxWBPorts]Flight
}

const maxWBPorts = 4

// idle is the output to the divergence hardware in a cycle without an issue.
var idle = divergence.Fire{PC: isa.NoPC}

// Tick issues at most one instruction, and one beside it, and takes completions. Completions come
// last because they are written in place. An instruction that completes in this cycle still holds
// others back in it.
func (i *Issue) Tick() {
	q, now, slots := i.Q(), i.sim.Now(), i.Div.Slots()
	i.advanced(i.Fire.At(), slots)
	if i.Beside != nil {
		i.advanced(i.Beside.Fire.At(), slots)
	}
	if changed, words := &i.Front.Q().Changed, units.Words(slots.Len()); changed.Any(words) {
		i.changed(changed, slots)
		i.forget(changed)
		if i.OnChanged.Any() {
			i.OnChanged.Notify(Changed{now, changed, i.core})
		}
	}
	entering := now < q.Next // the last warp is still entering a narrow pipe
	if entering {
		i.sim.WakeAt(q.Next)
	}
	// After its exit the CTA may end meanwhile: the cycles are empty, and warps of the next CTA wait.
	if entering && q.Class >= ClassIssue && i.resident() != 0 {
		i.complete()
		i.Fire.Set(idle)
		if i.Beside != nil {
			i.Beside.Fire.Set(idle)
		}
		return
	}
	fire := idle
	var class Class
	s := i.pick(slots)
	switch {
	case s >= 0 && !entering && i.Out.Ready():
		first := slots.At(s)
		mask, second := first.Mask, -1
		if i.Beside != nil {
			second = i.Beside.pick(i, s, slots)
		}
		f, _ := i.Out.PushStale() // all fields are written
		fire = i.send(s, first, f)
		if i.Beside != nil {
			mask |= i.Beside.send(i, second, slots)
		}
		d := i.D()
		d.Last, d.LastOf[first.CTA&(MaxCTAs-1)], d.Turn = uint16(s), uint16(s), first.CTA
		if i.Groups != nil {
			i.Groups.issued(s, first)
		}
		class = i.l.issueClass(mask)
		n := i.l.enters(mask)
		i.Count.D().Skipped += i.l.entry() - n
		if n > 1 {
			d.Next = now + n
			i.sim.WakeAt(now + n)
		}
	case s >= 0:
		class = ClassStall
	case i.resident() == 0:
		class = ClassEmpty
	case q.Memory > 0:
		class = ClassMem
	default:
		class = i.idle(slots)
	}
	if i.Beside != nil && !fire.Valid {
		i.Beside.Fire.Set(idle)
	}
	if class != q.Class {
		i.Count.D().Cycles[q.Class] += now - q.Since
		d := i.D()
		d.Class, d.Since = class, now
	}
	if i.OnClass.Any() {
		i.OnClass.Notify(Spent{now, class, s, i.core})
	}
	i.Fire.Set(fire)
	i.complete()
}

// advanced looks again at the slot that issued in the last cycle, if it still had an instruction: the
// mechanism may have done more with it than advance it.
func (i *Issue) advanced(f *divergence.Fire, slots *rtl.Mem[divergence.Slot]) {
	if s := int(f.Slot); f.Valid && i.Next().Look.Has(s) && !i.fetched(s, slots.At(s)) {
		i.D().Look.Remove(s)
	}
}

// changed looks again at slots whose PC or I-buffer changed in the last cycle.
func (i *Issue) changed(set *units.Set, slots *rtl.Mem[divergence.Slot]) {
	look := &i.D().Look
	for w, m := range set[:units.Words(slots.Len())] {
		for ; m != 0; m &= m - 1 {
			s := w<<6 | bits.TrailingZeros64(m)
			slot := slots.At(s)
			if !i.fetched(s, slot) {
				look.Remove(s)
				continue
			}
			look.Add(s)
			if cta := int(slot.CTA); i.Of.Len() > 0 && !i.Of.Next(cta).Has(s) {
				for c := range i.Of.Len() {
					i.Of.Edit(c).Remove(s)
				}
				i.Of.Edit(cta).Add(s)
			}
		}
	}
}

// resident returns the resident CTAs with warps in this sub-core.
func (i *Issue) resident() uint32 { return i.CTA.Q().Resident & i.l.hosts[i.core] }

// fetched reports whether the instruction of slot s is in the I-buffer and the mechanism lets the
// slot run.
func (i *Issue) fetched(s int, slot *divergence.Slot) bool {
	if !slot.Valid || slot.Wait != divergence.Runs {
		return false
	}
	e := i.Front.IBuffer.At(s)
	return e.N != 0 && e.PC == slot.PC
}

// free reports whether no instruction in flight of the threads of slot s holds them back.
func (i *Issue) free(s int, slot *divergence.Slot) bool {
	in := &i.l.insts[slot.PC]
	if !slot.Mixed {
		held, _ := i.holdsRow(int(slot.Row), in, slot.Mask)
		return held == HeldNot
	}
	of := i.shares(s, slot)
	if in.leaves || in.awaits { // these check all threads of a row
		for rows := of.Threads.Rows; rows != 0; rows &= rows - 1 {
			row := bits.TrailingZeros64(rows) & (MaxWarps - 1)
			if held, _ := i.holdsRow(row, in, of.Threads.Lanes[row]); held != HeldNot {
				return false
			}
		}
		return true
	}
	asked, left := of.Asked, of.Left
	for int(asked) < len(in.deps) {
		if left = i.Scoreboard.Holds(&of.Threads, left, in.deps[asked]); left != 0 {
			break
		}
		asked, left = asked+1, of.Threads.Rows
	}
	if asked != of.Asked || left != of.Left {
		of = i.Shares.Edit(s)
		of.Asked, of.Left = asked, left
	}
	return int(asked) == len(in.deps)
}

// shares returns the threads of slot s, which has threads of several rows, by row.
func (i *Issue) shares(s int, slot *divergence.Slot) *shares {
	of := i.Shares.Next(s)
	if *i.Known.Next(s >> 6)>>(s&63)&1 == 0 || of.Mask != slot.Mask { // more threads may have joined the slot
		i.divide(s, slot)
	}
	return of
}

// divide divides the threads of slot s by row, unless Shares has them, and restarts the check of its
// registers.
func (i *Issue) divide(s int, slot *divergence.Slot) {
	of := i.Shares.Edit(s)
	if homes := i.Div.Homes().At(s); of.Mask != slot.Mask || !of.Homes.Equal(homes) {
		of.Mask, of.Homes = slot.Mask, *homes
		of.Threads.Divide(homes, slot.Mask)
	}
	*i.Known.Edit(s >> 6) |= 1 << (s & 63)
	of.Asked, of.Left = 0, of.Threads.Rows
}

// forget makes slots that have changed be checked again, and divided again if they have other
// threads.
func (i *Issue) forget(slots *units.Set) {
	for w := range i.Known.Len() {
		if m := slots[w&(len(slots)-1)]; m != 0 {
			*i.Known.Edit(w) &^= m
		}
	}
}

// holdsRow returns what holds back the threads of one row: HeldNot, HeldFlight, or HeldRegister with the
// register. Threads exit only when all their instructions are complete, so that the row can be given to
// another warp.
func (i *Issue) holdsRow(row int, in *decoded, lanes uint64) (Hold, int) {
	if in.leaves && i.Q().InRow[row&(MaxWarps-1)] != 0 || in.awaits && !i.Copies.At(row).landed(in.Inst) {
		return HeldFlight, 0
	}
	if reg, busy := i.Scoreboard.Busy(row, in.deps, lanes); busy {
		return HeldRegister, int(reg)
	}
	return HeldNot, 0
}

// send issues the head of slot s and fills in f.
func (i *Issue) send(s int, slot *divergence.Slot, f *Flight) divergence.Fire {
	in := &i.l.insts[slot.PC]
	herd := i.herds(in.Inst)
	f.Slot, f.CTA, f.Row, f.Mixed = uint16(s), slot.CTA, slot.Row, slot.Mixed // in place, to avoid copying a literal
	f.Herd, f.PC, f.Mask = herd, slot.PC, slot.Mask
	var of *shares
	if slot.Mixed {
		i.shares(s, slot)
		of = i.Shares.Edit(s)
		of.Asked, of.Left = 0, of.Threads.Rows
		f.Homes, f.Rows = of.Homes, of.Threads.Rows
	} else {
		f.Homes = units.Homes{}
		f.Rows = 1 << (slot.Row & 63)
	}
	i.count(f, in)
	d := i.D()
	if in.control || i.Front.IBuffer.At(s).N == 1 { // else the next instruction is in the I-buffer, too
		d.Look.Remove(s)
	}
	if in.completes {
		if !slot.Mixed {
			d.InRow[slot.Row&(MaxWarps-1)]++
			i.Scoreboard.Set(int(slot.Row), in.dsts, slot.Mask)
		} else {
			d.InRow.Add(f.Rows)
			i.Scoreboard.SetAll(&of.Threads, in.dsts)
		}
		i.copies(in, f.Rows)
		if in.holds {
			d.Busy.Add(s)
		}
		if in.memory {
			d.Memory++
		}
	}
	return divergence.Fire{Valid: true, Control: in.control, Slot: uint16(s), PC: slot.PC}
}

// copies counts an asynchronous copy of these rows as in flight, or ends a group of copies.
func (i *Issue) copies(in *decoded, rows uint64) {
	switch in.Op {
	case isa.OpCopy:
		for ; rows != 0; rows &= rows - 1 {
			i.Copies.Edit(bits.TrailingZeros64(rows)).Open++
		}
	case isa.OpCopyCommit:
		for ; rows != 0; rows &= rows - 1 {
			i.Copies.Edit(bits.TrailingZeros64(rows)).commit()
		}
	}
}

// count counts an instruction and notifies the observers. It counts inserted instructions
// separately.
func (i *Issue) count(f *Flight, in *decoded) {
	c := i.Count.D()
	if in.Inserted {
		c.Added++
		if i.OnInserted.Any() {
			i.OnInserted.Notify(Issued{i.sim.Now(), f})
		}
		return
	}
	n := bits.OnesCount64(f.Mask)
	c.Issued++
	c.Lanes += uint64(n)
	*i.Active.Edit(n)++
	if i.OnIssue.Any() {
		i.OnIssue.Notify(Issued{i.sim.Now(), i.l.observed(f, &i.seen)})
	}
}

// complete takes the completions of this cycle.
func (i *Issue) complete() {
	done := i.Done.At()
	for n := range done.N {
		i.completed(&done.C[n])
	}
}

// threads divides the threads of an instruction in flight by row. Usually its slot's shares still
// hold the result.
func (i *Issue) threads(f *Flight) *units.Threads {
	of := i.Shares.Next(int(f.Slot))
	if of.Mask == f.Mask && of.Homes.Equal(&f.Homes) {
		return &of.Threads
	}
	i.gone.Divide(&f.Homes, f.Mask)
	return &i.gone
}

// completed removes an instruction from the counts of those in flight, and frees its registers. No
// instruction that writes one of them issues in the same cycle.
func (i *Issue) completed(f *Flight) {
	d := i.D()
	in := &i.l.insts[f.PC]
	if f.Mixed {
		d.InRow.Remove(f.Rows)
		if len(in.dsts) > 0 {
			i.Scoreboard.ClearAll(i.threads(f), in.dsts)
		}
	} else {
		d.InRow[f.Row&(MaxWarps-1)]--
		i.Scoreboard.Clear(int(f.Row), in.dsts, f.Mask)
	}
	if in.Op == isa.OpCopy {
		for rows := f.Rows; rows != 0; rows &= rows - 1 {
			i.Copies.Edit(bits.TrailingZeros64(rows)).complete()
		}
	}
	if in.holds { // otherwise the slot has continued, and may wait for another instruction
		d.Busy.Remove(int(f.Slot))
	}
	if in.memory {
		d.Memory--
	}
}
