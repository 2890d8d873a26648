package verilog

import (
	"fmt"
	"math/bits"
)

// golden follows each thread of a trace by itself: events move it, nothing else does. It knows
// nothing of stacks and joins.
type golden struct {
	warps [Warps]struct {
		live    uint32        // threads that have not exited
		at      [Lanes]uint64 // point of each thread
		started bool          // and not retired
		awaits  waiting       // what the slot waits for
		pc      uint32        // of the control instruction
	}
}

const ctas = 32 // CTAs that the bits of launch_cta can name

// waiting is what a warp waits for before it can issue again.
type waiting uint8

const (
	forNothing waiting = iota
	forOutcome
	forResume
)

// difference is what a unit does and should not do.
type difference struct{ port, unit, want string }

// look compares the outputs of a unit with the threads, at an edge.
func (g *golden) look(out *Outputs) *difference {
	if out.Error != 0 {
		return &difference{"error", fmt.Sprint(out.Error), "0"}
	}
	if out.Retire != 0 {
		w := &g.warps[out.Gone%Warps]
		name := fmt.Sprintf("retire_valid of warp %d", out.Gone)
		switch {
		case !w.started:
			return &difference{name, "1", "0, as the warp is not running"}
		case w.live != 0:
			return &difference{name, "1", fmt.Sprintf("0, as the threads %#x have not exited", w.live)}
		}
		w.started = false
	}
	for set := out.Valid[0]; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		w, mask := &g.warps[i], out.Mask[i]
		switch {
		case mask == 0:
			return &difference{fmt.Sprintf("slot_mask of warp %d", i), "0", "a thread, as the slot is valid"}
		case mask&^w.live != 0:
			return &difference{
				fmt.Sprintf("slot_mask of warp %d", i), fmt.Sprintf("%#x", mask),
				fmt.Sprintf("some of the live threads %#x", w.live),
			}
		}
		here := uint64(out.Depth[i])<<PCBits | uint64(out.PC[i])
		for m := mask; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); w.at[lane] != here {
				return &difference{
					fmt.Sprintf("slot of warp %d, lane %d", i, lane), pointText(here), pointText(w.at[lane]),
				}
			}
		}
	}
	return nil
}

// pointText is a point in words.
func pointText(p uint64) string {
	if depth := p >> PCBits; depth != 0 {
		return fmt.Sprintf("PC %d at depth %d", uint32(p), depth)
	}
	return fmt.Sprintf("PC %d", uint32(p))
}

// move moves the threads by the events of an edge, at which the unit has these slots. The error says
// that the bench breaks a rule of the ports.
func (g *golden) move(in *Inputs, out *Outputs) error {
	if in.Fire != 0 {
		if err := g.fire(in, out); err != nil {
			return err
		}
	}
	if in.Outcome != 0 {
		if err := g.outcome(in, out); err != nil {
			return err
		}
	}
	for set := in.Resume; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		w := &g.warps[i]
		if w.awaits != forResume {
			return fmt.Errorf("resume of warp %d, which is at no barrier", i)
		}
		w.awaits = forNothing
		g.step(i, w.live)
	}
	if in.Launch != 0 {
		if in.LaunchWarp >= Warps || g.warps[in.LaunchWarp].started {
			return fmt.Errorf("launch_warp = %d, want a warp that is not running", in.LaunchWarp)
		}
		if in.Started == 0 {
			return fmt.Errorf("launch_mask = 0, want a thread")
		}
		if in.LaunchCTA >= ctas || in.LaunchFirst > in.LaunchWarp || int(in.LaunchFirst)+int(in.LaunchWarps) > Warps ||
			in.LaunchWarp >= in.LaunchFirst+in.LaunchWarps {
			return fmt.Errorf("launch_cta = %d, launch_first = %d, launch_warps = %d: want one of %d CTAs, with warp %d in it",
				in.LaunchCTA, in.LaunchFirst, in.LaunchWarps, ctas, in.LaunchWarp)
		}
		w := &g.warps[in.LaunchWarp]
		w.live, w.at, w.started, w.awaits = in.Started, [Lanes]uint64{}, true, forNothing
	}
	return nil
}

// step moves threads to the next instruction.
func (g *golden) step(warp int, lanes uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		g.warps[warp].at[bits.TrailingZeros32(m)]++
	}
}

func (g *golden) fire(in *Inputs, out *Outputs) error {
	i := int(in.FireWarp)
	if i >= Warps || !out.Valid.Has(i) || out.PC[i] != in.FirePC {
		return fmt.Errorf("fire_warp = %d, fire_pc = %d: want a valid slot and its PC", i, in.FirePC)
	}
	w := &g.warps[i]
	if w.awaits != forNothing {
		return fmt.Errorf("fire_warp = %d: the warp waits for an outcome or a barrier", i)
	}
	if in.FireControl != 0 {
		w.awaits, w.pc = forOutcome, in.FirePC
		return nil
	}
	g.step(i, out.Mask[i])
	return nil
}

func (g *golden) outcome(in *Inputs, out *Outputs) error {
	i := int(in.OutcomeWarp)
	if i >= Warps || g.warps[i].awaits != forOutcome {
		return fmt.Errorf("outcome_warp = %d, want a warp whose last instruction had fire_control", i)
	}
	w, mask := &g.warps[i], out.Mask[i]
	if !out.Valid.Has(i) || out.PC[i] != w.pc {
		return fmt.Errorf("outcome of warp %d: its slot has moved", i)
	}
	if (in.OutcomeKind == Branch || in.OutcomeKind == Exit) && in.Taken&^mask != 0 {
		return fmt.Errorf("outcome_taken = %#x, want a subset of slot_mask %#x", in.Taken, mask)
	}
	w.awaits = forNothing
	switch in.OutcomeKind {
	case Branch:
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			if w.at[lane] = in.Fall; in.Taken>>lane&1 != 0 {
				w.at[lane] = in.Target
			}
		}
	case Exit:
		w.live &^= in.Taken
		g.step(i, mask&^in.Taken)
	case Barrier:
		if mask != w.live {
			return fmt.Errorf("BARRIER of warp %d with the threads %#x of %#x, want all", i, mask, w.live)
		}
		w.awaits = forResume
	case Next:
		g.step(i, mask)
	default:
		return fmt.Errorf("outcome_kind = %d, want 0 to 3", in.OutcomeKind)
	}
	return nil
}
