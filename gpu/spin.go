package gpu

import (
	"math/bits"
	"slices"

	"divergo/isa"
	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// A thread that waits in a loop for another thread of its warp waits for ever
// if the mechanism runs the loop first: a SIMT deadlock (ElTantawy & Aamodt,
// MICRO 2016), in which instructions go on being issued. It is told from a
// long computation by what the program can know of itself, whatever the
// mechanism does. A thread that comes to a place with the registers and the
// local memory that it had there before, while no memory of others has changed,
// will come there again and again. When that holds for all threads that run, and
// the rest have not been issued for long, nothing will ever change. If some of
// the rest are held by the mechanism it is a SIMT deadlock; if there are none, or
// they wait at barriers that the others do not come to, the loop is the program's.
//
// Where CTAs of the grid have not begun, since there is no room for them, and the loop
// reads global memory, it waits for them, as those of a barrier of the whole grid do:
// a deadlock for want of resident CTAs.
//
// Who waits for what moves, is no deadlock: a loop that counts in memory, or
// that reads a clock, is not seen to be endless.
//
// Nearly all grids are alive, and one thread shows it: at first a thread of each SM
// is watched, and all of them only if each of these has come back to registers that
// it had.
const (
	quietCycles = 1 << 15 // without a new or ended CTA before threads are watched, a quarter as long one of each SM, then all; doubles each time they prove alive
	mostChanges = 1 << 10 // of memory on behalf of an SM while watched, and
	mostBytes   = 1 << 18 // bytes that its threads store to: these are at work
)

// watchdog looks for loops that never end on behalf of a run.
type watchdog struct {
	m        *Machine
	progress uint64 // last seen
	since    uint64 // cycle in which it changed
	patience uint64

	witnesses []*witness // by SM, while one thread of each is watched
	watched   []*watched // by SM, while all are
	until     uint64
	live      int // threads when it began
}

func newWatchdog(m *Machine) *watchdog {
	return &watchdog{m: m, since: m.core.Now(), patience: quietCycles}
}

// verdict is asked between quanta. It is Deadlock, EndlessLoop or GridDeadlock if no
// thread will get anywhere, else Finished.
func (w *watchdog) verdict() End {
	now := w.m.core.Now()
	if p := w.m.progress(); p != w.progress {
		w.stop()
		w.progress, w.since = p, now
		return Finished
	}
	switch {
	case w.witnesses != nil:
		if now < w.until {
			return Finished
		}
		if alive := slices.ContainsFunc(w.witnesses, (*witness).alive); !alive {
			w.stop()
			w.all(now)
			return Finished
		}
	case w.watched == nil:
		if now-w.since >= w.patience {
			w.one(now)
		}
		return Finished
	case now < w.until && !w.busy():
		return Finished
	}
	end := Finished
	if w.watched != nil && now >= w.until && w.m.live() == w.live {
		end = w.judge()
	}
	w.stop()
	w.since, w.patience = now, 2*w.patience
	return end
}

// progress counts the CTAs that have been sent, and those that have ended.
func (m *Machine) progress() uint64 { return m.dispatch.Q().Ended + m.dispatch.Q().Next }

// live counts the threads that have not exited.
func (m *Machine) live() (n int) {
	for _, s := range m.SMs {
		for _, p := range s.Div.Paths(nil) {
			n += bits.OnesCount32(p.Mask)
		}
	}
	return n
}

// one begins to watch a thread of each SM.
func (w *watchdog) one(now uint64) {
	w.until = now + w.patience/4
	for _, s := range w.m.SMs {
		t := &witness{sm: s}
		t.leave = s.Issue.OnIssue.Add(t.issue)
		w.witnesses = append(w.witnesses, t)
	}
}

// all begins to watch all threads.
func (w *watchdog) all(now uint64) {
	w.until, w.live = now+w.patience/4, w.m.live()
	for _, s := range w.m.SMs {
		w.watched = append(w.watched, watch(s, w.m.Config.SM.Warps()))
	}
}

func (w *watchdog) stop() {
	for _, s := range w.witnesses {
		s.leave()
	}
	for _, s := range w.watched {
		for _, leave := range s.leave {
			leave()
		}
	}
	w.witnesses, w.watched = nil, nil
}

// busy reports whether threads change more memory than those that wait do.
func (w *watchdog) busy() bool {
	for _, s := range w.watched {
		if s.busy() {
			return true
		}
	}
	return false
}

// judge says what comes of the threads that have been watched.
func (w *watchdog) judge() End {
	if w.live == 0 || w.busy() || w.disputed() {
		return Finished
	}
	quiet := uint64(0) // last change of memory
	for _, s := range w.watched {
		quiet = max(quiet, s.changed)
	}
	end, runs := EndlessLoop, false
	if _, unbegun := w.m.Room(); unbegun > 0 {
		end = GridDeadlock
	}
	reads := false
	for _, s := range w.watched {
		for _, p := range s.sm.Div.Paths(nil) {
			held := false
			for m := p.Mask; m != 0; m &= m - 1 {
				t := &s.threads[p.Row][bits.TrailingZeros32(m)]
				if t.Issued && (t.Period == 0 || t.From <= quiet) {
					return Finished
				}
				held, runs = held || !t.Issued, runs || t.Issued
				reads = reads || t.Issued && s.read >= t.From
			}
			if held && (p.Comes || p.Running && p.Wait == divergence.Runs) {
				return Finished // the scheduler has left it out, or it waits for its turn
			}
			if held && p.Wait != divergence.WaitsBarrier {
				end = Deadlock
			}
		}
	}
	if !runs {
		return Finished // all wait, but something is going on, or the machine would be idle
	}
	if end == GridDeadlock && !reads {
		end = EndlessLoop
	}
	return end
}

// disputed reports whether threads of two SMs store different values to a place.
func (w *watchdog) disputed() bool {
	last := map[uint64]byte{}
	for _, s := range w.watched {
		for at, v := range s.bytes {
			if at.shared {
				continue
			}
			if other, stored := last[at.addr]; stored && other != v {
				return true
			}
			last[at.addr] = v
		}
	}
	return false
}

// witness is the first thread of an SM that branches back since it is looked for.
type witness struct {
	spin
	sm    *sm.SM
	home  units.Home
	leave func()
}

// alive reports whether the thread has not come back to registers that it had.
func (w *witness) alive() bool { return w.Issued && w.Period == 0 }

// issue chooses the thread, or records its state.
func (w *witness) issue(e sm.Issued) {
	if e.Mask == 0 || !w.sm.Backward(e.PC) {
		return
	}
	if !w.Issued {
		w.home = e.Home(bits.TrailingZeros32(e.Mask))
	} else if !w.in(e.Flight) {
		return
	}
	var state [isa.MaxLanes]uint64
	w.sm.HashThreads(int(w.home.Row), &state)
	w.pass(e.Cycle, e.PC, state[w.home.Lane])
}

// in reports whether the thread is one of those of an instruction.
func (w *witness) in(f *sm.Flight) bool {
	for m := f.Mask; f.Rows>>w.home.Row&1 != 0 && m != 0; m &= m - 1 {
		if f.Home(bits.TrailingZeros32(m)) == w.home {
			return true
		}
	}
	return false
}

// watched is what is known of the threads of an SM since they are watched, and
// of the memory that they change.
type watched struct {
	sm      *sm.SM
	threads [][isa.MaxLanes]spin // by row and lane
	state   [isa.MaxLanes]uint64
	bytes   map[address]byte          // last stored
	atomics map[uint16]*memsys.Access // without reply, by tag
	changed uint64                    // cycle of the last change
	read    uint64                    // cycle of the last load or atomic of global memory
	changes int
	leave   []func() // what it observes
}

// address is that of a byte of memory.
type address struct {
	shared bool
	addr   uint64
}

// spin is where a thread has been in its loop: the algorithm of Brent (An
// improved Monte Carlo factorization algorithm, BIT 20, 1980), which keeps one
// state and takes another one after twice as many steps. Steps are backward
// branches.
type spin struct {
	Issued bool
	PC     uint32 // kept state
	Hash   uint64
	Steps  uint32 // since the thread was in that
	Limit  uint32
	Period uint32 // steps from the state to itself, 0 if it has not come back
	Was    uint64 // cycle in which the thread was in it last,
	From   uint64 // and before that
	Local  uint64 // fingerprint of what it has stored to local memory
}

// pass records a state of the thread.
func (t *spin) pass(cycle uint64, pc uint32, hash uint64) {
	t.Steps++
	switch {
	case t.Limit > 0 && pc == t.PC && hash == t.Hash:
		t.Period, t.Steps = t.Steps, 0
		t.From, t.Was = t.Was, cycle
	case t.Period > 0 && t.Steps < t.Period:
	case t.Period > 0 || t.Steps >= t.Limit:
		*t = spin{Issued: true, PC: pc, Hash: hash, Limit: max(1, 2*t.Limit), Was: cycle, Local: t.Local}
	}
}

// watch observes an SM with so many rows.
func watch(s *sm.SM, rows int) *watched {
	w := &watched{
		sm: s, threads: make([][isa.MaxLanes]spin, rows),
		bytes: map[address]byte{}, atomics: map[uint16]*memsys.Access{},
	}
	w.leave = []func(){
		s.Issue.OnIssue.Add(w.issue), s.Issue.OnInserted.Add(w.mark), s.LSU.OnAccess.Add(w.access), s.LSU.OnAtomic.Add(w.atomic),
	}
	return w
}

func (w *watched) busy() bool { return w.changes > mostChanges || len(w.bytes) > mostBytes }

// mark notes who executes an instruction, be it one that the mechanism has
// inserted.
func (w *watched) mark(e sm.Issued) {
	for m := e.Mask; m != 0; m &= m - 1 {
		h := e.Home(bits.TrailingZeros32(m))
		w.threads[h.Row][h.Lane].Issued = true
	}
}

// issue records the states of the threads that execute a branch back.
func (w *watched) issue(e sm.Issued) {
	in := &w.sm.Kernel().Prog.Insts[e.PC]
	if in.ReadsTime() {
		w.change(e.Cycle) // which no thread can wait for in vain
	}
	w.mark(e)
	if !w.sm.Backward(e.PC) {
		return
	}
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows)
		w.sm.HashThreads(row, &w.state)
		for m := e.Mask; m != 0; m &= m - 1 {
			h := e.Home(bits.TrailingZeros32(m))
			if int(h.Row) == row {
				t := &w.threads[row][h.Lane]
				t.pass(e.Cycle, e.PC, w.state[h.Lane]+t.Local)
			}
		}
	}
}

// change notes that memory may not be what it was.
func (w *watched) change(cycle uint64) {
	w.changes++
	w.changed = max(w.changed, cycle)
}

// access looks at what is stored. What a place had before the first store to it
// while watched is not known: that counts as a change. Local memory is a part of
// the thread's state.
func (w *watched) access(e sm.Accessed) {
	if !e.Shared && e.Space != isa.SpaceLocal && e.Space != isa.SpaceConst && (e.Kind == memsys.Load || e.Kind == memsys.Atomic) {
		w.read = e.Cycle
	}
	switch {
	case w.busy():
	case e.Kind == memsys.Reduce:
		w.change(e.Cycle)
	case e.Kind == memsys.Atomic:
		w.expect(e.Access)
	case e.Kind == memsys.Store:
		w.store(e.Cycle, e.Flight, e.Access)
	}
}

func (w *watched) store(cycle uint64, f *sm.Flight, a *memsys.Access) {
	changes := false
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for i := range uint64(a.Size) {
			at, v := address{a.Shared, a.Addr[lane] + i}, byte(a.Data[lane][i>>3]>>(8*(i&7)))
			old, stored := w.bytes[at]
			if stored && old == v {
				continue
			}
			w.bytes[at] = v
			if a.Space != isa.SpaceLocal {
				changes = true
				continue
			}
			h := f.Home(lane)
			local := &w.threads[h.Row][h.Lane].Local
			*local += sm.Mix(at.addr, uint64(v)+1)
			if stored {
				*local -= sm.Mix(at.addr, uint64(old)+1)
			}
		}
	}
	if changes {
		w.change(cycle)
	}
}

// expect keeps the operands of an atomic, whose lanes may be in several accesses.
func (w *watched) expect(a *memsys.Access) {
	e := w.atomics[a.Tag]
	if e == nil {
		e = new(memsys.Access)
		*e = *a
		w.atomics[a.Tag] = e
		return
	}
	for m := a.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		e.Addr[lane], e.Data[lane] = a.Addr[lane], a.Data[lane]
	}
	e.Mask |= a.Mask
}

// atomic compares what an atomic has found with what it has left.
func (w *watched) atomic(r sm.Answered) {
	a := w.atomics[r.Tag]
	if a == nil { // it left before the threads were watched
		w.change(r.Cycle)
		return
	}
	does, changes := isa.GlobalAtomic, false
	if a.Shared {
		does = isa.Atomic
	}
	for m := r.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		old := r.Data[lane][0]
		changes = changes || does(a.Atom, a.Type, old, a.Data[lane][0], a.Data[lane][1]) != old
	}
	if changes {
		w.change(r.Cycle)
	}
	if a.Mask &^= r.Mask; a.Mask == 0 {
		delete(w.atomics, r.Tag)
	}
}
