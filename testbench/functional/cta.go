package functional

import (
	"math/bits"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm/divergence"
)

// Turns, in warp instructions. A short turn of a path lets another thread of its warp or CTA release
// a lock soon.
const (
	pathTurn = 1 << 10
	ctaTurn  = 1 << 13
)

// cta is a CTA that has begun.
type cta struct {
	g        *grid
	id       [3]uint32
	number   uint64 // linear
	shared   []byte
	warps    []warp
	live     int // warps that have threads
	barriers [divergence.Barriers]barrier
}

// barrier is a named barrier of a CTA.
type barrier struct {
	arrived []uint32 // lanes of each warp, waiting or not
	any     bool
	need    uint64 // threads expected, 0: all that have not exited
	tally   uint64 // threads that have brought a predicate in the upper half, those for which it holds below
}

// begin begins a CTA.
func (g *grid) begin(number uint64) {
	var c *cta
	if n := len(g.free); n > 0 {
		c, g.free = g.free[n-1], g.free[:n-1]
	} else {
		c = g.newCTA()
	}
	x, y := uint64(g.Grid[0]), uint64(g.Grid[1])
	c.number, c.id = number, [3]uint32{uint32(number % x), uint32(number / x % y), uint32(number / x / y)}
	c.live = len(c.warps)
	clear(c.shared)
	for i := range c.barriers {
		c.barriers[i] = barrier{arrived: c.barriers[i].arrived}
		clear(c.barriers[i].arrived)
	}
	for i := range c.warps {
		c.warps[i].begin()
	}
	g.ctas = append(g.ctas, c)
}

// newCTA makes the memory and the warps of a CTA.
func (g *grid) newCTA() *cta {
	threads := int(g.Block[0] * g.Block[1] * g.Block[2])
	n := (threads + g.WarpSize - 1) / g.WarpSize
	rows, preds := int(g.sink)+1, len(g.Prog.Preds)
	c := &cta{g: g, shared: make([]byte, g.shared), warps: make([]warp, n)}
	for i := range c.barriers {
		c.barriers[i].arrived = make([]uint32, n)
	}
	for i := range c.warps {
		w := &c.warps[i]
		w.cta, w.grid, w.index = c, g, i
		w.rows, w.preds = make([]isa.Row, rows), make([]uint32, preds)
		w.local = make([]byte, g.local*uint64(g.WarpSize))
		w.whole = uint32(1<<min(g.WarpSize, threads-i*g.WarpSize) - 1)
	}
	return c
}

// end removes a CTA that has ended from the list.
func (g *grid) end(i int) {
	g.free = append(g.free, g.ctas[i])
	g.ctas = append(g.ctas[:i], g.ctas[i+1:]...)
}

// turn runs the warps of a CTA until they have ended, none can run, or the turn is over. It reports
// whether a warp has run.
func (c *cta) turn() (moved bool) {
	g := c.g
	turn := uint64(ctaTurn)
	if g.watching {
		turn = pathTurn
	}
	for until := g.r.Instructions + turn; g.r.Instructions < until; {
		ran := false
		for i := range c.warps {
			w := &c.warps[i]
			if w.live == 0 || w.asleep {
				continue
			}
			ran = true
			if w.turn(); g.over {
				return true
			}
		}
		switch {
		case !ran:
			return moved
		case g.Stop != nil && g.Stop():
			g.finish(gpu.Stopped)
		case c.live != 0 && g.r.Lanes >= g.MaxLanes:
			g.finish(gpu.OutOfTime)
		}
		if g.over || c.live == 0 {
			return true
		}
		moved = true
	}
	return moved
}

// arrive records lanes of a warp at a barrier.
func (c *cta) arrive(w *warp, d *inst, exec uint32, lanes uint32) {
	lane := bits.TrailingZeros32(exec)
	b := &c.barriers[w.value(d, 0, lane)&(divergence.Barriers-1)]
	if d.Reduces() {
		yes := bits.OnesCount32(w.predicate(&d.src[2]) & exec)
		b.tally += uint64(bits.OnesCount32(exec))<<16 + uint64(yes)
	}
	b.arrived[w.index] |= lanes
	b.any, b.need = true, 0
	if len(d.src) > 1 {
		b.need = w.value(d, 1, lane)
	}
}

// open releases the threads of all complete barriers.
func (c *cta) open() {
	for id := range c.barriers {
		if b := &c.barriers[id]; b.any && c.complete(b) {
			for i := range c.warps {
				c.warps[i].release(uint8(id), b.tally)
			}
			clear(b.arrived)
			b.any, b.tally = false, 0
		}
	}
}

// complete reports whether all threads that a barrier expects have arrived. A thread count asks for
// that many threads in complete warps (PTX ISA, section 9.7.12.1).
func (c *cta) complete(b *barrier) bool {
	arrived, all := uint64(0), true
	for i := range c.warps {
		missing := c.warps[i].live &^ b.arrived[i]
		if b.arrived[i] != 0 && missing == 0 {
			arrived += uint64(c.g.WarpSize)
		}
		all = all && missing == 0
	}
	if b.need == 0 {
		return all
	}
	return arrived >= b.need
}
