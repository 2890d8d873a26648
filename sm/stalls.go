package sm

import (
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Stalls reports the slots that wait for memory, to a mechanism or to the fetch groups of Issue.
// Such a slot waits for one of two
// reasons:
//   - its next instruction needs a register that a memory instruction in flight will write;
//   - its last instruction is a memory instruction that holds the slot until completion.
//
// A slot is in Out from the cycle in which it begins to wait until it can continue. Both changes
// are therefore events for a reader of the wire. Slots that are not valid, but have a mask, are
// included: a mechanism may have parked them until their data arrives.
//
// Stalls follows the instructions sent by Issue and completed by write-back. It exists only if the
// mechanism or the scheduler needs it (divergence.Mechanism.Stalls, FetchGroups).
type Stalls struct {
	rtl.State[struct {
		Held units.Set `len:"1" bits:"slots"` // slots held by a memory instruction, their last one
	}]
	Fires []*rtl.Wire[divergence.Fire] // of the sub-cores, also those beside others: see Interweave
	Dones []*rtl.Wire[Completions]     // by sub-core
	Out   rtl.Wire[units.Set]
	Loads units.Scoreboard // registers that memory instructions will write
	// Flights counts the memory instructions in flight. Slots can wait only while it is above zero.
	Flights *rtl.Mem[uint32] `rtl:"sim"`
	// Writers counts those that will write each register. No thread waits for a register without writers.
	Writers *rtl.Mem[uint16] `rtl:"sim,inplace"`
	Div     divergence.Policy

	l       *launch
	threads units.Threads `rtl:"scratch"` // threads of an instruction of several rows
}

// Tick checks all slots, and follows the memory instructions.
func (u *Stalls) Tick() {
	slots := u.Div.Slots()
	var out units.Set
	if *u.Flights.At(0) > 0 {
		for s := range slots.Len() {
			if slot := slots.At(s); slot.Mask != 0 && u.waits(s, slot) {
				out.Add(s)
			}
		}
	}
	u.Out.Set(out)
	for _, wire := range u.Dones {
		done := wire.At()
		for n := range done.N {
			u.complete(&done.C[n])
		}
	}
	for _, fire := range u.Fires {
		u.issued(fire.Get(), slots)
	}
}

// issued records an issued instruction if it is a memory instruction.
func (u *Stalls) issued(f divergence.Fire, slots *rtl.Mem[divergence.Slot]) {
	if !f.Valid || !u.l.Prog.Insts[f.PC].Memory() {
		return
	}
	*u.Flights.Edit(0)++
	slot := slots.At(int(f.Slot))
	dsts := u.l.insts[f.PC].dsts
	for _, reg := range dsts {
		*u.Writers.Edit(int(reg))++
	}
	if slot.Mixed {
		u.threads.Divide(u.Div.Homes().At(int(f.Slot)), slot.Mask)
		u.Loads.SetAll(&u.threads, dsts)
	} else {
		u.Loads.Set(int(slot.Row), dsts, slot.Mask)
	}
	if u.l.holds(&u.l.Prog.Insts[f.PC]) {
		u.D().Held.Add(int(f.Slot))
	}
}

func (u *Stalls) complete(f *Flight) {
	in := &u.l.Prog.Insts[f.PC]
	if !in.Memory() {
		return
	}
	*u.Flights.Edit(0)--
	dsts := u.l.insts[f.PC].dsts
	for _, reg := range dsts {
		*u.Writers.Edit(int(reg))--
	}
	if f.Mixed {
		u.threads.Divide(&f.Homes, f.Mask)
		u.Loads.ClearAll(&u.threads, dsts)
	} else {
		u.Loads.Clear(int(f.Row), dsts, f.Mask)
	}
	if u.l.holds(in) {
		u.D().Held.Remove(int(f.Slot))
	}
}

// waits reports whether memory holds back the next instruction of a slot.
func (u *Stalls) waits(s int, slot *divergence.Slot) bool {
	if u.Q().Held.Has(s) {
		return true
	}
	if int(slot.PC) >= len(u.l.insts) { // a slot that is not valid may have no PC
		return false
	}
	for _, reg := range u.l.insts[slot.PC].deps {
		if *u.Writers.At(int(reg)) != 0 && u.pending(s, slot, reg) {
			return true
		}
	}
	return false
}

// pending reports whether a memory instruction will write a register of a thread of slot s.
func (u *Stalls) pending(s int, slot *divergence.Slot, reg uint16) bool {
	if slot.Mixed {
		return u.Loads.Pends(u.Div.Homes().At(s), slot.Mask, reg)
	}
	return u.Loads.Pending.At(int(reg))[slot.Row&(MaxWarps-1)]&slot.Mask != 0
}
