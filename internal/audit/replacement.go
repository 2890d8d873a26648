package audit

import (
	"fmt"

	"divergo/memsys"
	"divergo/memsys/dram"
)

// kept are the lines that a slice of the L2 must hold, by the requests that it takes. The line that
// was used longest ago makes room, if no bytes of it are on their way. Among lines never used it is
// that of the first way. A request with .cs is no use. A dirty line is written back first; its way is
// empty when the request tries again.
//
// A request that joins a line on its way uses it when the line has come, before any new request.
type kept struct {
	cfg   *memsys.Config
	sets  [][]holding // ways
	clock uint64
	cycle uint64   // of the last request
	last  uint64   // line of the last request; none: it is known to be right
	must  bool     // the last request must fetch
	does  bool     // it has fetched
	wrote []uint64 // lines written back since the last request: to make room, or by a flush
	off   bool     // the host may have written to lines that are kept
	wrong string   // what the slice did otherwise
}

// holding is a way.
type holding struct {
	there, waiting bool
	line, used     uint64
	have           dram.ByteMask
	joined         []memsys.Request
}

func newKept(cfg *memsys.Config) *kept {
	k := &kept{cfg: cfg, last: none, sets: make([][]holding, cfg.L2.Size/cfg.L2.Line/cfg.L2.Assoc)}
	for i := range k.sets {
		k.sets[i] = make([]holding, cfg.L2.Assoc)
	}
	return k
}

// set returns the ways for a line. The number of a line in its slice has no gaps.
func (k *kept) set(line uint64) []holding {
	d, sets := &k.cfg.DRAM, uint64(len(k.sets))
	local := line/uint64(d.Interleave)/uint64(d.Channels)*uint64(d.Interleave) + line%uint64(d.Interleave)
	n := local / uint64(k.cfg.L2.Line)
	at := n % sets
	for above := n / sets; k.cfg.L2.Hash == dram.HashXOR && sets > 1 && above != 0; above /= sets {
		at ^= above % sets
	}
	return k.sets[at]
}

// find returns the way of a line, or nil.
func (k *kept) find(line uint64) *holding {
	for i, w := range k.set(line) {
		if w.there && w.line == line {
			return &k.set(line)[i]
		}
	}
	return nil
}

// room returns the way that makes room for a line: an empty one, or that used longest ago. It is nil
// if all wait.
func (k *kept) room(line uint64) (best *holding) {
	set := k.set(line)
	for i := range set {
		if w := &set[i]; !w.there {
			return w
		} else if !w.waiting && (best == nil || w.used < best.used) {
			best = w
		}
	}
	return best
}

// use performs a request on a line.
func (k *kept) use(w *holding, r *memsys.Request) {
	if r.Kind == memsys.Store {
		w.have = w.have.Or(r.Mask)
	}
	if !r.First {
		k.clock++
		w.used = k.clock
	}
}

// request takes a new request.
func (k *kept) request(cycle uint64, r *memsys.Request, needs dram.ByteMask) {
	if k.settle(); k.off {
		return
	}
	k.cycle = cycle
	w := k.find(r.Line)
	if w != nil && w.waiting {
		w.joined = append(w.joined, *r)
		return
	}
	if w == nil {
		if w = k.room(r.Line); w == nil {
			k.differ("line %#x finds room, though all ways wait", r.Line)
			return
		}
		*w = holding{there: true, line: r.Line}
	}
	k.last, k.must, k.does = r.Line, r.Kind != memsys.Store && !w.have.Covers(needs), false
	if k.use(w, r); k.must {
		w.waiting, w.joined = true, append(w.joined[:0], *r)
	}
}

// fetch notes that a line is read from the DRAM.
func (k *kept) fetch(line uint64) { k.does = k.does || line == k.last }

// write notes that a line is written to the DRAM.
func (k *kept) write(line uint64) { k.wrote = append(k.wrote, line) }

// fill notes bytes that come, the last ones on their way or not.
func (k *kept) fill(line uint64, mask dram.ByteMask, last bool) {
	k.settle()
	w := k.find(line)
	if w == nil || k.off {
		return
	}
	if w.have = w.have.Or(mask); last {
		w.waiting = false
		for i := range w.joined {
			k.use(w, &w.joined[i])
		}
	}
}

// flush forgets all lines, or what is known of them.
func (k *kept) flush() {
	k.wrote = k.wrote[:0]
	k.settle()
	k.off = k.off || k.cfg.L2.Keep
	for _, set := range k.sets {
		clear(set)
	}
}

// settle compares the last request with what the slice has done since.
func (k *kept) settle() {
	switch {
	case k.last == none || k.off:
	case k.must && !k.does:
		k.differ("line %#x is there, it must have made room", k.last)
	case k.does && !k.must:
		k.differ("line %#x is fetched, it must still be there", k.last)
	}
	k.last = none
	for _, line := range k.wrote {
		if w := k.find(line); w != nil && !k.off {
			if best := k.room(line); best != w {
				k.differ("line %#x makes room, another one in its set was used longer ago", line)
			}
			w.there = false
		}
	}
	k.wrote = k.wrote[:0]
}

// differ notes the first difference.
func (k *kept) differ(format string, line uint64) {
	if k.wrong == "" {
		k.wrong = fmt.Sprintf("cycle %d or soon after: "+format, k.cycle, line)
	}
}
