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

// The watchdog detects threads that wait for ever in loops.
//
// A thread may wait in a loop for another thread of its warp. If the mechanism runs the loop first,
// the thread waits for ever. This is a SIMT deadlock (ElTantawy & Aamodt, MICRO 2016), in which
// instructions continue to issue. The watchdog distinguishes it from a long computation by the state
// of the program, whatever the mechanism does. Suppose that a thread returns to a PC with the same
// registers and local memory, while other memory has not changed. It will then return there for
// ever. If that holds for all running threads, and the rest have not issued for long, nothing will
// change:
//   - if the mechanism holds some of the rest, it is a SIMT deadlock;
//   - if there are no others, or they wait at barriers that the loops never reach, the loop is the
//     program's fault;
//   - if CTAs of the grid have no room to begin, and the loop reads global memory, it waits for
//     these CTAs. This is a deadlock for want of resident CTAs, as at a barrier of the whole grid.
//
// A thread waiting for something that still changes is not deadlocked. A loop that counts in memory
// or reads a clock is therefore never reported.
//
// Nearly all grids progress, and one thread shows it. The watchdog first watches one thread of each
// SM. It watches all threads only if each of these has returned to an earlier state of its registers.
const (
	// quietCycles is the time without a new or ended CTA before the watchdog watches threads. It
	// watches one thread of each SM for a quarter of that time, then all threads for another
	// quarter. The time doubles whenever they make progress.
	quietCycles = 1 << 15
	// An SM progresses if it changes memory more often than mostChanges while watched, or if its threads
	// store to more than mostBytes bytes.
	mostChanges = 1 << 10
	mostBytes   = 1 << 18
)

// watchdog looks for endless loops during a run.
type watchdog struct {
	m        *Machine
	progress uint64 // progress last seen
	since    uint64 // cycle in which progress changed
	patience uint64

	witnesses []*witness // by SM, while one thread of each is watched
	watched   []*watched // by SM, while all threads are watched
	until     uint64
	live      int // live threads at its start
}

func newWatchdog(m *Machine) *watchdog {
	return &watchdog{m: m, since: m.core.Now(), patience: quietCycles}
}

// verdict is called between quanta. It returns Deadlock, EndlessLoop or GridDeadlock if no thread
// will progress, else Finished.
func (w *watchdog) verdict() End {
	p := w.m.progress()
	if p == w.progress && w.witnesses == nil && w.watched == nil && !w.m.core.Reached(w.since+w.patience) {
		return Finished
	}
	now := w.m.core.Now()
	if p != w.progress {
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
		w.one(now)
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

// progress returns the number of CTAs sent plus the number ended.
func (m *Machine) progress() uint64 { return m.dispatch.Q().Ended + m.dispatch.Q().Next }

// live counts the threads that have not exited.
func (m *Machine) live() (n int) {
	for _, s := range m.SMs {
		for _, p := range s.Div.Paths(nil) {
			n += bits.OnesCount64(p.Mask)
		}
	}
	return n
}

// one starts to watch one thread of each SM.
func (w *watchdog) one(now uint64) {
	w.until = now + w.patience/4
	for _, s := range w.m.SMs {
		t := &witness{sm: s}
		t.leave = s.Issue.OnIssue.Add(t.issue)
		w.witnesses = append(w.witnesses, t)
	}
}

// all starts to watch all threads.
func (w *watchdog) all(now uint64) {
	w.until, w.live = now+w.patience/4, w.m.live()
	for _, s := range w.m.SMs {
		w.watched = append(w.watched, watch(s, &w.m.Config.SM))
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

// busy reports whether threads change more memory than waiting threads do.
func (w *watchdog) busy() bool {
	for _, s := range w.watched {
		if s.busy() {
			return true
		}
	}
	return false
}

// judge returns the verdict on the threads that have been watched.
func (w *watchdog) judge() End {
	if w.live == 0 || w.busy() || w.disputed() {
		return Finished
	}
	quiet := uint64(0) // cycle of the last change of memory
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
				t := &s.threads[p.Row][bits.TrailingZeros64(m)]
				if t.Issued && (t.Period == 0 || t.From <= quiet) {
					return Finished
				}
				held, runs = held || !t.Issued, runs || t.Issued
				reads = reads || t.Issued && s.read >= t.From
			}
			if held && (p.Comes || p.Running && p.Wait == divergence.Runs) {
				return Finished // the scheduler has not chosen it, or it waits for its turn
			}
			if held && p.Wait != divergence.WaitsBarrier {
				end = Deadlock
			}
		}
	}
	if !runs {
		return Finished // all wait, but something still progresses: otherwise the machine would be idle
	}
	if end == GridDeadlock && !reads {
		end = EndlessLoop
	}
	return end
}

// disputed reports whether threads of two SMs store different values to the same byte.
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

// witness is the first thread of an SM that takes a backward branch after watching starts.
type witness struct {
	spin
	sm    *sm.SM
	home  units.Home
	leave func()
}

// alive reports whether the thread has not returned to an earlier state of its registers.
func (w *witness) alive() bool { return w.Issued && w.Period == 0 }

// issue chooses the thread, or records its state.
func (w *witness) issue(e sm.Issued) {
	if e.Mask == 0 || !w.sm.Backward(e.PC) {
		return
	}
	if !w.Issued {
		w.home = e.Home(bits.TrailingZeros64(e.Mask))
	} else if !w.in(e.Flight) {
		return
	}
	var state [isa.MaxLanes]uint64
	w.sm.HashThreads(int(w.home.Row), &state)
	w.pass(e.Cycle, e.PC, state[w.home.Lane])
}

// in reports whether an instruction has the thread among its active threads.
func (w *witness) in(f *sm.Flight) bool {
	for m := f.Mask; f.Rows>>w.home.Row&1 != 0 && m != 0; m &= m - 1 {
		if f.Home(bits.TrailingZeros64(m)) == w.home {
			return true
		}
	}
	return false
}

// watched is the state of the watch over an SM: its threads and the memory that they change.
type watched struct {
	sm      *sm.SM
	threads [][]spin // by row and lane
	state   [isa.MaxLanes]uint64
	bytes   map[address]byte          // value last stored
	atomics map[uint16]*memsys.Access // atomics without a reply, by tag
	changed uint64                    // cycle of the last change
	read    uint64                    // cycle of the last load or atomic of global memory
	changes int
	leave   []func() // ends each observation
}

// address is the address of a byte of memory.
type address struct {
	shared bool
	addr   uint64
}

// spin records the states of a thread in its loop by the algorithm of Brent (An improved Monte
// Carlo factorization algorithm, BIT 20, 1980). The algorithm keeps one state, and replaces it
// after twice as many steps each time. A step is a backward branch.
type spin struct {
	Issued bool
	PC     uint32 // PC of the kept state
	Hash   uint64
	Steps  uint32 // steps since the kept state
	Limit  uint32
	Period uint32 // steps from the kept state back to it; 0 if it has not returned
	Was    uint64 // cycle in which the kept state last occurred
	From   uint64 // cycle in which it occurred the time before
	Local  uint64 // fingerprint of the thread's stores to local memory
}

// pass records a state of the thread at a backward branch.
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

// watch starts to observe an SM.
func watch(s *sm.SM, cfg *sm.Config) *watched {
	w := &watched{
		sm: s, threads: make([][]spin, cfg.Warps()),
		bytes: map[address]byte{}, atomics: map[uint16]*memsys.Access{},
	}
	for row := range w.threads {
		w.threads[row] = make([]spin, cfg.WarpSize)
	}
	w.leave = []func(){
		s.Issue.OnIssue.Add(w.issue), s.Issue.OnInserted.Add(w.mark), s.LSU.OnAccess.Add(w.access),
		s.LSU.OnAtomic.Add(w.atomic),
	}
	return w
}

func (w *watched) busy() bool { return w.changes > mostChanges || len(w.bytes) > mostBytes }

// mark marks the threads that execute an instruction. It may be one that the mechanism inserted.
func (w *watched) mark(e sm.Issued) {
	for m := e.Mask; m != 0; m &= m - 1 {
		h := e.Home(bits.TrailingZeros64(m))
		w.threads[h.Row][h.Lane].Issued = true
	}
}

// issue records the states of the threads that execute a backward branch.
func (w *watched) issue(e sm.Issued) {
	in := &w.sm.Kernel().Prog.Insts[e.PC]
	if in.ReadsTime() {
		w.change(e.Cycle) // a thread that reads time cannot wait in vain
	}
	w.mark(e)
	if !w.sm.Backward(e.PC) {
		return
	}
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows)
		w.sm.HashThreads(row, &w.state)
		for m := e.Mask; m != 0; m &= m - 1 {
			h := e.Home(bits.TrailingZeros64(m))
			if int(h.Row) == row {
				t := &w.threads[row][h.Lane]
				t.pass(e.Cycle, e.PC, w.state[h.Lane]+t.Local)
			}
		}
	}
}

// change records that memory may have changed.
func (w *watched) change(cycle uint64) {
	w.changes++
	w.changed = max(w.changed, cycle)
}

// access records the memory effects of an access. The first store to a place while watched counts
// as a change, because its earlier value is unknown. Local memory is a part of the thread's state.
func (w *watched) access(e sm.Accessed) {
	if !e.Shared && e.Space != isa.SpaceLocal && e.Space != isa.SpaceConst &&
		(e.Kind == memsys.Load || e.Kind == memsys.Atomic) {
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

// expect keeps the operands of an atomic. Its lanes may be in several accesses.
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

// atomic compares the value that an atomic found with the value that it left.
func (w *watched) atomic(r sm.Answered) {
	a := w.atomics[r.Tag]
	if a == nil { // it was sent before watching started
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
