package audit

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
)

// shared audits the time that accesses of an SM to shared memory take. A group of lanes takes one
// cycle for each distinct word that it wants from the fullest bank. An atomic takes one cycle for
// each lane. An access begins as soon as the one before it is done, it has arrived, and its answer
// has room.
type shared struct {
	block
	u       *memsys.Unit
	banks   uint64
	lanes   int
	depth   int      // limit of the answers that wait
	came    []uint64 // by access, in a ring: the cycle in which it can begin
	arrived int      // number of accesses that arrived
	served  int      // number of accesses that were done
	last    uint64   // cycle after the last of them was done
	taken   []uint64 // by answer, in a ring: the cycle in which it was taken
	answers int      // number of answers taken

	count, since memsys.SharedCounters
}

func newShared(m *Memory, index int, cfg *memsys.Config, u *memsys.Unit) *shared {
	depth := cfg.Shared.Latency + 1 // the pipe after the banks and its output
	return &shared{
		block: block{m, fmt.Sprintf("shared memory of SM %d", index)}, u: u, banks: uint64(cfg.Shared.Banks),
		lanes: cfg.Shared.Lanes,
		depth: depth, came: make([]uint64, 8), taken: make([]uint64, depth), since: *u.Shared.Count.Q(),
	}
}

func (a *shared) taps() []func() {
	return []func(){a.u.PreMem.In.Tap(a.comes), a.u.Shared.In.Tap(a.done), a.u.WriteBack.Shared.Tap(a.takes)}
}

// comes notes an access on its way to the banks.
func (a *shared) comes(cycle uint64, v *memsys.Access) {
	if v.Shared {
		a.came[a.arrived%len(a.came)] = cycle + 1
		a.arrived++
	}
}

// takes notes that an answer was taken, which makes room for another from the next cycle on.
func (a *shared) takes(cycle uint64, _ *memsys.Reply) {
	a.taken[a.answers%a.depth] = cycle + 1
	a.answers++
}

// done compares the time of an access with its bank conflicts.
func (a *shared) done(cycle uint64, v *memsys.Access) {
	if a.over() {
		return
	}
	n := a.served
	begin := max(a.came[n%len(a.came)], a.last)
	if n >= a.depth {
		begin = max(begin, a.taken[n%a.depth])
	}
	want, groups := a.passes(v)
	a.count.Passes += want
	a.count.Conflicts += want - groups
	if cycle+1 != begin+want {
		a.fail(Rule{Banks, "cycles of bank conflicts"},
			"cycle %d: the %s with tag %#x, whose lanes %#x need %d cycles, is done, which could begin in cycle %d",
			cycle, v.Kind, v.Tag, v.Mask, want, begin)
	}
	a.served, a.last = n+1, cycle+1
}

// passes is the number of cycles that the banks need for an access, and the number of its groups of
// lanes.
func (a *shared) passes(v *memsys.Access) (n, groups uint64) {
	for first := 0; first < isa.RowLanes; first += a.lanes {
		lanes := v.Mask >> first << first & uint32(uint64(1)<<(first+a.lanes)-1)
		switch {
		case lanes == 0:
			continue
		case v.Kind == memsys.Atomic || v.Kind == memsys.Reduce:
			n += uint64(bits.OnesCount32(lanes))
		default:
			n += a.fullest(v, lanes)
		}
		groups++
	}
	return max(n, 1), max(groups, 1)
}

// fullest is the largest number of words that some lanes want from one bank. A word counts once,
// however many lanes want it.
func (a *shared) fullest(v *memsys.Access, lanes uint32) (most uint64) {
	var words [4 * isa.RowLanes]uint64
	var wanted [memsys.MaxBanks]uint64
	n := 0
	for m := lanes; m != 0; m &= m - 1 {
		at := v.Addr[bits.TrailingZeros32(m)] / 4
	next:
		for w := at; w < at+uint64(v.Size+3)/4; w++ {
			for _, o := range words[:n] {
				if o == w {
					continue next
				}
			}
			words[n] = w
			n++
			wanted[w%a.banks]++
			most = max(most, wanted[w%a.banks])
		}
	}
	return most
}

func (a *shared) end() {
	now := a.u.Shared.Count.Q()
	a.recount(tally{"cycles of the banks", a.count.Passes, now.Passes - a.since.Passes},
		tally{"bank conflicts", a.count.Conflicts, now.Conflicts - a.since.Conflicts})
}
