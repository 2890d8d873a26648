package functional

import (
	"math/bits"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// A thread may wait in a loop for a thread that never runs. The watch distinguishes that from a long
// computation as the watchdog of package gpu does: a path returns to a place with the same registers,
// while no memory has changed. If that holds for each path that runs, nothing will ever change.

// spin records the states of a path at its backward branches, by the algorithm of Brent: see
// gpu.watchdog. Times are in warp instructions of the launch.
type spin struct {
	pc, steps, limit, period uint32
	hash                     uint64
	was, from                uint64 // times of the kept state, and of its occurrence before
}

// pass records a state.
func (t *spin) pass(now uint64, pc uint32, hash uint64) {
	t.steps++
	switch {
	case t.limit > 0 && pc == t.pc && hash == t.hash:
		t.period, t.steps = t.steps, 0
		t.from, t.was = t.was, now
	case t.period > 0 && t.steps < t.period:
	case t.period > 0 || t.steps >= t.limit:
		*t = spin{pc: pc, hash: hash, limit: max(1, 2*t.limit), was: now}
	}
}

// watch is called after each round in which no CTA has begun or ended. It starts to watch after some
// rounds, and later judges what it has seen.
func (g *grid) watch() gpu.End {
	if g.quiet++; g.quiet <= g.patience {
		return gpu.Finished
	}
	if !g.watching {
		g.watching, g.changed, g.reads = true, g.r.Instructions, false
		for _, c := range g.ctas {
			for i := range c.warps {
				c.warps[i].spins = map[uint32]*spin{}
			}
		}
		return gpu.Finished
	}
	end := g.judge()
	if end == gpu.Finished {
		g.watching, g.quiet, g.patience = false, 0, 2*g.patience+1
	}
	return end
}

// judge returns what the launch is stuck in, or Finished.
func (g *grid) judge() gpu.End {
	end := gpu.EndlessLoop
	if g.r.Unbegun > 0 && g.reads {
		end = gpu.GridDeadlock
	}
	for _, c := range g.ctas {
		for i := range c.warps {
			w := &c.warps[i]
			above := uint32(0)
			for at := len(w.paths) - 1; at >= 0; at-- {
				p := &w.paths[at]
				switch runs := at == w.at || g.Independent && w.leaf(at); {
				case p.mask&^above == 0 || p.wait == divergence.WaitsBarrier:
				case runs && p.wait == divergence.Runs:
					if s := w.spins[p.mask]; s == nil || s.period == 0 || s.from <= g.changed {
						return gpu.Finished
					}
				default: // a path of its warp holds it
					end = gpu.Deadlock
				}
				above |= p.mask
			}
		}
	}
	return end
}

// change records that memory has changed, or time been read.
func (g *grid) change() { g.changed = g.r.Instructions }

// watched executes an instruction of a warp that is watched.
func (w *warp) watched() {
	g := w.grid
	p := &w.paths[w.at]
	pc, mask := p.pc, p.mask
	if d := &g.insts[pc]; d.kind == timed {
		g.change()
	}
	w.run(1)
	if g.over || w.live == 0 || g.insts[pc].Op != isa.OpBra || g.insts[pc].Target > pc {
		return
	}
	t := w.spins[mask]
	if t == nil {
		t = &spin{}
		w.spins[mask] = t
	}
	t.pass(g.r.Instructions, pc, w.hash(mask))
}

// hash is a fingerprint of the registers and predicates of threads.
func (w *warp) hash(mask uint32) (sum uint64) {
	for i := range w.grid.Prog.Regs {
		for m := mask; m != 0; m &= m - 1 {
			sum = sm.Mix(sum, w.rows[i][bits.TrailingZeros32(m)&(isa.RowLanes-1)])
		}
	}
	for _, p := range w.preds {
		sum = sm.Mix(sum, uint64(p&mask))
	}
	return sum
}
