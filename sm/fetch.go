package sm

import (
	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Fetch is the front of the pipeline of a sub-core. It picks a slot whose I-buffer has room and reads
// up to FetchWidth instructions from the instruction cache. In the next cycle it decodes them into the
// I-buffer (Fung & Aamodt, HPCA 2011, section 2.2.1 and figure 4).
//
// Without icache.size the cache always hits. Otherwise a fetch reads instructions of one line. If
// the line is missing, its slot waits for it while others fetch. When the line arrives, the first
// slot that waits takes its instructions from the response, and the others look it up again.
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

	// These are connected on machines with an instruction cache.
	Cache   *memsys.ReadCache           `rtl:"optional"`
	Lines   rtl.Out[memsys.ReadRequest] `rtl:"optional"`
	Arrived rtl.In[memsys.ReadResponse] `rtl:"optional"`
	Waits   *rtl.Mem[uint64]            `rtl:"inplace,optional" bits:"address"` // by slot: address of the line that it waits for, or 0
	line    uint32                      // instructions of a line

	// OnFetch receives each fetch.
	OnFetch rtl.Observers[Fetched]

	core    int  // number of the sub-core
	divided bool // there are others
	l       *launch
	sim     *rtl.Sim
}

// Fetched is a fetch of N instructions from PC on, in the program that the hardware runs. If Missing,
// the slot waits for their line.
type Fetched struct {
	Cycle   uint64
	Slot    int
	PC      uint32
	N       int
	Missing bool
}

type decode struct {
	Look    units.Set `len:"1" bits:"slots"` // slots that may have something to fetch
	Last    uint16    `bits:"9"`             // slot fetched last
	Changed units.Set `len:"1" bits:"slots"` // slots whose PC or I-buffer changed in the last cycle
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
	looks := q.Look.Any(words)
	if f.Cache != nil {
		looks = looks && f.Lines.Ready() || f.Arrived.Valid()
	}
	if !valid && !fire.Valid && !second.Valid && !looks && !q.Changed.Any(words) && !redirect.Any(words) {
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
	if f.Cache == nil {
		for s := look.Next(int(q.Last)+1, words); s >= 0; s = look.Next(s+1, words) {
			look.Remove(s)
			if pc, n := f.want(s, slots.At(s)); n > 0 {
				f.take(s, pc, n)
				break
			}
		}
	} else if !f.Arrived.Valid() || !f.arrive(look) {
		f.lookUp(look, words)
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

// take sends n instructions from pc on to the decode stage, for slot s.
func (f *Fetch) take(s int, pc uint32, n uint8) {
	d := f.D()
	d.Valid, d.Slot, d.PC, d.N = true, uint16(s), pc, n
	f.turn(s, pc, n, false)
}

// turn makes slot s the last one, whether it has its instructions or waits for their line.
func (f *Fetch) turn(s int, pc uint32, n uint8, missing bool) {
	f.D().Last = uint16(s)
	if f.OnFetch.Any() {
		f.OnFetch.Notify(Fetched{f.sim.Now(), s, pc, int(n), missing})
	}
}

// arrive takes a line from the cache. It reports whether a slot that waits for the line still wants
// instructions of it, and then fetches for the first such slot. The others look it up.
func (f *Fetch) arrive(look *units.Set) (fetched bool) {
	line, last := f.Arrived.Front().Line, int(f.Q().Last)
	f.Arrived.Pop()
	for k := range f.Waits.Len() {
		s := (last + 1 + k) % f.Waits.Len()
		if *f.Waits.At(s) != line {
			continue
		}
		*f.Waits.Edit(s) = 0
		if pc, n := f.want(s, f.Slots.At(s)); n > 0 && !fetched && f.lineOf(pc) == line {
			f.take(s, pc, n)
			look.Remove(s)
			fetched = true
		} else {
			look.Add(s)
		}
	}
	return fetched
}

// lookUp looks up the next slot that wants instructions, unless it waits for their line already. The
// cache sees each line that a slot reads or misses, one a cycle.
func (f *Fetch) lookUp(look *units.Set, words int) {
	for s := look.Next(int(f.Q().Last)+1, words); s >= 0 && f.Lines.Ready(); s = look.Next(s+1, words) {
		look.Remove(s)
		pc, n := f.want(s, f.Slots.At(s))
		line := f.lineOf(pc)
		switch {
		case n == 0 || *f.Waits.Next(s) == line:
			continue
		case f.Cache.Holds(line):
			f.Lines.Push(memsys.ReadRequest{Kind: memsys.ReadTouch, Line: line})
			f.take(s, pc, n)
		default:
			f.Lines.Push(memsys.ReadRequest{Kind: memsys.ReadLine, Line: line})
			*f.Waits.Edit(s) = line
			f.turn(s, pc, n, true)
		}
		return
	}
}

// lineOf returns the address of the line of an instruction.
func (f *Fetch) lineOf(pc uint32) uint64 {
	at := f.l.code(pc)
	return at - at%(uint64(f.line)*instBytes)
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
	n = uint8(min(f.l.cfg.FetchWidth, room, int(insts[pc].block)))
	if f.line > 0 {
		n = uint8(min(uint32(n), f.line-(f.l.Base+pc)%f.line))
	}
	return pc, n
}
