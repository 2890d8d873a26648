package sm

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Fetch is the front of the pipeline of a sub-core. It picks a slot whose I-buffer has room and reads up to
// FetchWidth instructions from the instruction cache, which always hits. In the next cycle it
// decodes them into the I-buffer (Fung & Aamodt, HPCA 2011, section 2.2.1 and figure 4).
//
// The I-buffer holds consecutive instructions. They are valid while the first one has the slot's
// PC. When the divergence hardware redirects a slot, its buffered instructions are dropped. After a
// control instruction, fetch for its slot stops until that is resolved.
type Fetch struct {
	rtl.State[decode] `rtl:"inplace"`

	IBuffer  *rtl.Mem[Buffered] `rtl:"inplace" trace:"true"` // by slot
	Fire     *rtl.Wire[divergence.Fire]
	Second   *rtl.Wire[divergence.Fire] `rtl:"optional"` // see Interweave
	Redirect *rtl.Wire[units.Set]
	Slots    *rtl.Mem[divergence.Slot]
	core     int  // number of the sub-core
	divided  bool // there are others
	l        *launch
}

type decode struct {
	Look    units.Set // slots that may have something to fetch
	Last    uint16    `bits:"9"` // slot fetched last
	Changed units.Set // slots whose PC or I-buffer changed in the last cycle
	Valid   bool      // the decode stage holds instructions
	Slot    uint16    `bits:"9"`
	PC      uint32    // PC of the first one; isa.NoPC if there are none
	N       uint8     `bits:"4"`
}

// Buffered is the I-buffer of one slot: the instructions [PC, PC+N).
type Buffered struct {
	PC uint32
	N  uint8 `bits:"5"`
}

// Tick decodes the instructions of the last fetch, and fetches for one slot.
func (f *Fetch) Tick() {
	q, slots, redirect := f.Q(), f.Slots, f.Redirect.At()
	words := units.Words(slots.Len())
	fire, second := f.Fire.Get(), divergence.Fire{}
	if f.Second != nil {
		second = f.Second.Get()
	}
	valid, slot := q.Valid, q.Slot
	if !valid && !fire.Valid && !second.Valid && !q.Look.Any(words) && !q.Changed.Any(words) && !redirect.Any(words) {
		return
	}
	d := f.D()
	look := &d.Look
	if fire.Valid {
		f.issued(fire, look)
	}
	if second.Valid {
		f.issued(second, look)
	}
	if valid {
		s, e := slots.At(int(slot)), f.IBuffer.Edit(int(slot))
		pc := s.PC
		if fire.Valid && fire.Slot == slot || second.Valid && second.Slot == slot {
			pc++
		}
		if e.N == 0 || e.PC != pc {
			*e = Buffered{PC: pc}
		}
		if e.PC+uint32(e.N) == q.PC {
			e.N += q.N
		}
		look.Add(int(slot))
		d.Valid, d.PC = false, isa.NoPC
	}
	for s := look.Next(int(q.Last)+1, words); s >= 0; s = look.Next(s+1, words) {
		look.Remove(s)
		if pc, n := f.want(s, slots.At(s)); n > 0 {
			d.Valid, d.Slot, d.PC, d.N = true, uint16(s), pc, n
			d.Last = uint16(s)
			break
		}
	}
	d.Changed = *redirect // visible in the slot table from the next cycle on
	if f.divided {
		for w, own := range f.l.slots[f.core][:words] {
			d.Changed[w] &= own
		}
	}
	look.Union(&d.Changed, words)
	if valid {
		d.Changed.Add(int(slot))
	}
}

// issued removes an instruction from the I-buffer.
func (f *Fetch) issued(fire divergence.Fire, look *units.Set) {
	e := f.IBuffer.Edit(int(fire.Slot))
	e.PC++
	e.N--
	look.Add(int(fire.Slot))
}

// want returns the instructions that slot i would fetch: n instructions from pc on.
func (f *Fetch) want(i int, s *divergence.Slot) (pc uint32, n uint8) {
	if !s.Valid || s.Wait == divergence.WaitsControl || s.Wait == divergence.WaitsJoin {
		return 0, 0
	}
	insts := f.l.insts
	e := f.IBuffer.Next(i)
	pc = s.PC
	fire := f.Fire.Get()
	if f.Second != nil && !(fire.Valid && int(fire.Slot) == i) {
		fire = f.Second.Get()
	}
	if fire.Valid && int(fire.Slot) == i {
		if fire.Control {
			return 0, 0
		}
		pc++
	}
	room := f.l.cfg.IBuffer
	if e.N > 0 && e.PC == pc {
		pc += uint32(e.N)
		room -= int(e.N)
		if insts[pc-1].control {
			return 0, 0
		}
	}
	if int(pc) >= len(insts) {
		return 0, 0
	}
	return pc, uint8(min(f.l.cfg.FetchWidth, room, int(insts[pc].block)))
}
