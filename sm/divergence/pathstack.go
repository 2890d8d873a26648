package divergence

import (
	"divergo/isa"
	"divergo/units"
)

// PathStack is the reconvergence stack of each warp: see PDOM. The slot of a warp holds PC and mask
// of the top entry.
type PathStack struct {
	units.Stack[Entry] // by warp

	First  First
	Deep   int // depth from which on the smaller path runs first
	Likely int // depth below which branches push an entry for their likely-convergence point

	*Events // of the mechanism; nil for none
}

// Entry is one entry of a reconvergence stack.
type Entry struct {
	At   Point
	RPC  Point  // Nowhere: popped only when its mask is empty
	LPC  Point  `if:"likely"` // likely-convergence point, or Nowhere
	Mask uint64 `bits:"lanes"`
	LPos uint8  `if:"likely" bits:"7"` // entry that waits at LPC
}

// NoEntry is an entry that is not in use.
var NoEntry = Entry{At: Nowhere, RPC: Nowhere, LPC: Nowhere}

// Diverge updates the stack of slot s for a divergent branch. The new top may already be at its
// reconvergence point: call Pop next.
func (k *PathStack) Diverge(w int, s *Slot, in *isa.Inst, j Jump, taken, not uint64, st *Stats) {
	e, order := k.Top(w), k.First
	if k.Len(w) >= k.Deep {
		order = Smaller
	}
	rpc, lpc, lpos := j.Meet, e.LPC, e.LPos
	if rpc != e.RPC {
		lpc, lpos = Nowhere, 0
	}
	likely := Point{in.Likely, j.Fall.Depth}
	meets := in.Likely != isa.NoPC && likely != lpc && likely != rpc && k.Len(w) < k.Likely
	switch {
	case j.Target == e.RPC && !meets: // the entry below waits there, with the taken lanes in its mask
		s.Set(j.Fall)
		s.Mask = not
		return
	case j.Fall == e.RPC && !meets:
		s.Set(j.Target)
		s.Mask = taken
		return
	case rpc == e.RPC:
		k.Drop(w, st) // the entry below already waits at rpc
	default:
		e.At, e.Mask = rpc, s.Mask
		s.Set(rpc)
	}
	if meets {
		k.Push(w, Entry{At: likely, RPC: rpc, LPC: lpc, LPos: lpos}, st)
		lpc, lpos = likely, uint8(k.Len(w)-1)
	}
	first := Entry{At: j.Target, RPC: rpc, LPC: lpc, LPos: lpos, Mask: taken}
	second := Entry{At: j.Fall, RPC: rpc, LPC: lpc, LPos: lpos, Mask: not}
	if !order.Taken(taken, not) {
		first, second = second, first
	}
	for _, x := range [...]Entry{second, first} {
		if x.At != rpc {
			k.Push(w, x, st)
			s.Set(x.At)
			s.Mask = x.Mask
		}
	}
}

// Remove takes lanes out of every entry of a warp at once.
func (k *PathStack) Remove(w int, lanes uint64) {
	for i := range k.Len(w) {
		k.Entry(w, i).Mask &^= lanes
	}
}

// Push adds an entry on top.
func (k *PathStack) Push(w int, e Entry, st *Stats) {
	st.Pushes++
	depth := k.Stack.Push(w, e)
	st.MaxDepth = max(st.MaxDepth, uint64(depth))
	if k.Events != nil && k.OnStack.Any() {
		k.OnStack.Notify(Stacked{Push: true, Slot: w, Row: w, At: e.At, Mask: e.Mask, Depth: depth})
	}
}

// Drop removes the top entry and returns the number left.
func (k *PathStack) Drop(w int, st *Stats) int {
	st.Pops++
	if k.Events != nil && k.OnStack.Any() {
		e := k.Top(w)
		k.OnStack.Notify(Stacked{Slot: w, Row: w, At: e.RPC, Mask: e.Mask, Depth: k.Len(w) - 1})
	}
	return k.Stack.Pop(w)
}

// Clear removes all entries.
func (k *PathStack) Clear(w int, st *Stats) {
	for k.Len(w) > 0 {
		k.Drop(w, st)
	}
}

// Pop removes entries while the top has no threads or has reached its reconvergence PC or
// likely-convergence point. The slot becomes invalid when the stack is empty.
func (k *PathStack) Pop(w int, s *Slot, st *Stats) {
	for k.Join(w, s, st) && s.Valid {
	}
}

// Join is one step of Pop. It reports whether it has removed an entry.
func (k *PathStack) Join(w int, s *Slot, st *Stats) bool {
	switch e := k.Stack.Top(w); {
	case s.Mask == 0 || s.At() == e.RPC:
	case s.At() == e.LPC:
		k.Stack.Entry(w, int(e.LPos)).Mask |= s.Mask
	default:
		return false
	}
	if k.Drop(w, st) == 0 {
		s.Valid = false
		return true
	}
	e := k.Stack.Top(w)
	s.Set(e.At)
	s.Mask = e.Mask
	return true
}

// Parked lists the entries under the top of a warp, from the top down. The lanes of an entry
// include those of the entries above it.
func (k *PathStack) Parked(w int, list func(lanes uint64, at Path)) {
	for i := int(*k.Depth.At(w)) - 2; i >= 0; i-- {
		e, wait := k.At(w, i), Runs
		if up := k.At(w, i+1); e.At == up.RPC || e.At == up.LPC {
			wait = WaitsJoin
		}
		list(e.Mask, Path{PC: e.At.PC, Reconv: e.RPC.PC, Wait: wait})
	}
}
