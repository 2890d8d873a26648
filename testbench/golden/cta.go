package golden

import "divergo/isa"

// grid is the state of a run.
type grid struct {
	p *isa.Program
	l *Setup
	o *Options
	m *Memory
	r *Result
}

// block is a running CTA.
type block struct {
	*grid
	id       [3]uint32
	shared   []byte
	threads  []thread
	exited   int // threads
	barriers [16]barrier
	parties  [][]party    // by warp, if Options.Together
	herds    [][]HerdStep // by warp, if Options.Herds
}

// barrier is a named barrier of a CTA.
type barrier struct {
	arrived []bool // by thread, waiting or not
	count   int    // threads that have arrived
	need    uint64 // threads expected, 0: all that have not exited
	yes     uint64 // of bar.red: threads whose predicate holds
	asked   uint64 // of bar.red: all threads that bring a predicate
}

// state tells whether a thread can run.
type state uint8

const (
	running state = iota
	waiting       // at a barrier
	meets         // at a cross-lane instruction
	exited
)

// thread is the architectural state of one thread.
type thread struct {
	state state
	at    int // the barrier at which it waits
	pc    uint32
	tid   [3]uint32
	index int // linear number in the CTA
	regs  []uint64
	preds []bool
	local []byte
	meets meeting
	herd  int    // steps of the warp's herds that the thread has passed
	yes   uint64 // at the last bar.red: see barrier
	asked uint64
	kept  bool // out.Kept ends with its last instruction
	out   *Thread
}

// cta runs one CTA. It returns false if the run cannot continue.
func (g *grid) cta(id [3]uint32) bool {
	b := &block{grid: g, id: id, shared: make([]byte, sharedBytes(g.p, g.l))}
	first, n := len(g.r.Threads), threads(g.l)
	g.r.Threads = append(g.r.Threads, make([]Thread, n)...)
	b.threads = make([]thread, n)
	nr, np, nl := len(g.p.Regs), len(g.p.Preds), int(g.p.LocalBytes)
	if g.p.Recursive {
		nl += int(g.l.Stack)
	}
	regs, preds, local := make([]uint64, n*nr), make([]bool, n*np), make([]byte, n*nl)
	for i := range b.threads {
		x, y := uint32(i)%g.l.Block[0], uint32(i)/g.l.Block[0]
		b.threads[i] = thread{
			tid: [3]uint32{x, y % g.l.Block[1], y / g.l.Block[1]}, index: i,
			regs: regs[i*nr : (i+1)*nr], preds: preds[i*np : (i+1)*np], local: local[i*nl : (i+1)*nl],
			out: &g.r.Threads[first+i],
		}
		if g.o.Writes {
			b.threads[i].out.Writes = make([]uint64, nr+np)
		}
	}
	cta := uint64(id[0]) + uint64(g.l.Grid[0])*(uint64(id[1])+uint64(g.l.Grid[1])*uint64(id[2]))
	warps := (n + int(g.l.WarpSize) - 1) / int(g.l.WarpSize)
	if g.o.Herds != nil {
		for warp := range warps {
			b.herds = append(b.herds, g.o.Herds.Of(cta, warp))
		}
	}
	if g.o.Together != nil {
		for warp := range warps {
			var list []party
			for _, t := range g.o.Together(cta, warp) {
				list = append(list, party{Group: t, missing: t.Threads})
			}
			b.parties = append(b.parties, list)
		}
	}
	if !b.run() {
		return false
	}
	if g.o.OnCTA != nil {
		g.o.OnCTA(g.r.Threads[first:])
	}
	return true
}

func threads(l *Setup) int { return int(l.Block[0] * l.Block[1] * l.Block[2]) }

// sharedBytes returns the shared memory of a CTA. The dynamic part starts at its alignment.
func sharedBytes(p *isa.Program, l *Setup) uint32 {
	n := p.SharedBytes
	if a := p.SharedAlign; a > 1 && l.SharedBytes > 0 {
		n = (n + a - 1) / a * a
	}
	return n + l.SharedBytes
}

// run gives the threads turns until all have exited.
func (b *block) run() bool {
	for {
		progress := false
		for i := range b.threads {
			t := &b.threads[i]
			if t.state == running {
				progress = true
				if !b.turn(t) {
					return false
				}
			}
		}
		if b.exited == len(b.threads) {
			return true
		}
		if !progress {
			return b.stop(Deadlocked)
		}
	}
}

// turn executes instructions of one thread. It returns false if the run is over.
func (b *block) turn(t *thread) bool {
	if b.o.Stop != nil && b.o.Stop() {
		return b.stop(Stopped)
	}
	var v values
	limit := min(b.o.Slice, b.o.MaxSteps-b.r.Steps)
	n := uint64(0)
	for n < limit && t.state == running {
		t.kept = false
		if !b.p.Insts[t.pc].Inserted {
			n++
			if t.kept = len(t.out.Kept) < b.o.Keep; t.kept {
				t.out.Kept = append(t.out.Kept, Kept{PC: t.pc})
			}
			t.out.Trace = Trace(t.out.Trace, t.pc)
			if b.o.PCs {
				t.out.PCs = append(t.out.PCs, t.pc)
			}
		}
		if f := b.step(t, &v); f != nil {
			b.r.Fault = f
			break
		}
	}
	t.out.Steps += n
	b.r.Steps += n
	if b.r.Fault != nil {
		b.r.End = Faulted
		return false
	}
	if t.state == exited {
		b.exited++
		if b.o.Registers {
			t.out.Regs, t.out.Preds = t.regs, t.preds
		}
		b.open()
		b.left(t)
		if b.r.Fault != nil {
			b.r.End = Faulted
			return false
		}
	} else if b.r.Steps == b.o.MaxSteps {
		return b.stop(OutOfSteps)
	}
	return true
}

// stop ends the run and records the place of each thread.
func (b *block) stop(e End) bool {
	b.r.End = e
	for i := range b.threads {
		t := &b.threads[i]
		if t.state == exited {
			continue
		}
		w := Waiting{ID: b.name(t), PC: t.pc, Barrier: -1}
		if t.state == waiting {
			w.Barrier = t.at
		}
		b.r.Waiting = append(b.r.Waiting, w)
	}
	return false
}

func (b *block) name(t *thread) ID { return ID{CTA: b.id, Thread: t.tid} }

// arrive records t at a barrier; waits makes it wait there.
func (b *block) arrive(t *thread, id int, need uint64, waits bool) {
	r := &b.barriers[id]
	if r.arrived == nil {
		r.arrived = make([]bool, len(b.threads))
	}
	if !r.arrived[t.index] {
		r.arrived[t.index] = true
		r.count++
	}
	r.need = need
	if waits {
		t.state, t.at = waiting, id
	}
	b.open()
}

// open releases the threads of all complete barriers.
func (b *block) open() {
	for id := range b.barriers {
		r := &b.barriers[id]
		if r.count == 0 || !b.complete(r) {
			continue
		}
		for i := range b.threads {
			if t := &b.threads[i]; t.state == waiting && t.at == id {
				t.state, t.yes, t.asked = running, r.yes, r.asked
				t.pc++
			}
		}
		clear(r.arrived)
		r.count, r.yes, r.asked = 0, 0, 0
	}
}

// complete reports whether all threads that r expects have arrived.
func (b *block) complete(r *barrier) bool {
	w := int(b.l.WarpSize)
	if here := r.count + b.exited; r.need == 0 && here < len(b.threads) || uint64(here+w) <= r.need {
		return false // too few have arrived, in any warps
	}
	arrived, all := uint64(0), true
	for first := 0; first < len(b.threads); first += w {
		some, missing := false, false
		for i := first; i < min(first+w, len(b.threads)); i++ {
			some = some || r.arrived[i]
			missing = missing || !r.arrived[i] && b.threads[i].state != exited
		}
		if some && !missing {
			arrived += uint64(w)
		}
		all = all && !missing
	}
	if r.need == 0 {
		return all
	}
	return arrived >= r.need
}
