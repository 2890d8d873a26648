package waves

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"divergo/rtl"
)

// change is a new value of a dumped variable.
type change struct {
	value uint64
	id    uint32
}

// instant ends the changes of one time in a log.
type instant struct {
	fs  uint64
	end int
}

// slot is the place of a variable's value, and its last value.
type slot struct {
	at   unsafe.Pointer
	old  uint64
	mask uint64
	id   uint32
	size uint8
}

func (s *slot) load() uint64 {
	switch s.size {
	case 1:
		return uint64(*(*uint8)(s.at)) & s.mask
	case 2:
		return uint64(*(*uint16)(s.at)) & s.mask
	case 4:
		return uint64(*(*uint32)(s.at)) & s.mask
	}
	return *(*uint64)(s.at) & s.mask
}

// block is a group of variables that lie together in memory. Most of a large state does not change
// in a cycle, and comparing memory finds that faster.
type block struct {
	now, was []byte
	slots    []slot
	words    []span // by eight bytes of the block
}

// span are the slots with bytes in a word of a block, none in a gap.
type span struct{ from, to uint8 }

const blockSize = 128 // bytes

// blocks groups slots of rising addresses.
func blocks(slots []slot) []block {
	var all []block
	var start uintptr
	for _, s := range slots {
		at, n := uintptr(s.at), len(all)-1
		if n < 0 || at < start || at+uintptr(s.size) > start+blockSize {
			start = at
			all = append(all, block{now: unsafe.Slice((*byte)(s.at), s.size), slots: []slot{s}})
			continue
		}
		b := &all[n]
		b.now = unsafe.Slice((*byte)(b.slots[0].at), max(len(b.now), int(at-start)+int(s.size)))
		b.slots = append(b.slots, s)
	}
	for i := range all {
		b := &all[i]
		b.was = append([]byte(nil), b.now...)
		b.words = make([]span, (len(b.now)+7)/8)
		start := func(i int) int { return int(uintptr(b.slots[i].at) - uintptr(b.slots[0].at)) }
		from, to := 0, 0
		for w := range b.words {
			for from < len(b.slots) && start(from)+int(b.slots[from].size) <= 8*w {
				from++
			}
			for to < len(b.slots) && start(to) < 8*w+8 {
				to++
			}
			b.words[w] = span{uint8(from), uint8(to)}
		}
	}
	return all
}

// changed are the slots from the first word that has changed to the last one. Some word has.
func (b *block) changed() []slot {
	now, was := b.now, b.was[:len(b.now)]
	first, last := 0, len(b.words)-1
	for i := 0; i+8 <= len(now) && binary.LittleEndian.Uint64(now[i:]) == binary.LittleEndian.Uint64(was[i:]); i += 8 {
		first++
	}
	if string(now[8*last:]) == string(was[8*last:]) {
		for i := 8*last - 8; binary.LittleEndian.Uint64(now[i:]) == binary.LittleEndian.Uint64(was[i:]); i -= 8 {
			last--
		}
		last--
	}
	copy(was, now)
	return b.slots[b.words[first].from:b.words[last].to]
}

// probe logs the changes of one Sim, in the order of time. It runs on the goroutine of its Sim. The
// dump reads the log only while the Sim does not run.
type probe struct {
	sim    *rtl.Sim
	fs     func(cycle uint64) uint64
	groups [][]block // those with watched variables
	words  []word    // those words of the set of groups that have watched groups
	off    bool

	log      []change
	instants []instant
	merged   int // number of instants that the dump has
	start    int // of the changes of the first instant that the dump does not have

	// called when the log is large and holds all changes before fs; nil if other Sims run meanwhile
	filled func(fs uint64)
	last   uint64 // time of the last mark
	cycle  uint64 // last cycle observed to end with a change
	failed error
}

// logLimit is the number of changes after which the only Sim of a dump hands over its log.
const logLimit = 4096

// word is a word of a set of groups.
type word struct {
	index  int
	wires  uint64 // watched groups that show the ended cycle, not the next one
	others uint64 // other watched groups
	first  int    // place of the lowest watched group in probe.groups
}

func newProbe(x *island) *probe {
	p := &probe{sim: x.sim, fs: x.fs, cycle: never}
	bySignal := slices.Clone(x.vars)
	slices.SortFunc(bySignal, func(a, b *variable) int {
		return cmp.Or(cmp.Compare(a.sig.Group, b.sig.Group), cmp.Compare(a.origin.bundle, b.origin.bundle),
			cmp.Compare(uintptr(a.sig.Ptr), uintptr(b.sig.Ptr)))
	})
	for len(bySignal) > 0 {
		g := bySignal[0].sig.Group
		var slots []slot
		for len(bySignal) > 0 && bySignal[0].sig.Group == g {
			v := bySignal[0]
			bySignal = bySignal[1:]
			s := slot{at: v.sig.Ptr, mask: v.mask(), id: uint32(v.id), size: uint8(v.sig.Size)}
			s.old = s.load()
			slots = append(slots, s)
			if n := len(p.words); n == 0 || p.words[n-1].index != g/64 {
				p.words = append(p.words, word{index: g / 64, first: len(p.groups)})
			}
			w := &p.words[len(p.words)-1]
			if v.isWire() {
				w.wires |= 1 << (g % 64)
			} else {
				w.others |= 1 << (g % 64)
			}
		}
		p.groups = append(p.groups, blocks(slots))
	}
	return p
}

// observe is called after the edge that ends a cycle. Wires still show that cycle, everything else the next one.
func (p *probe) observe(cycle uint64, changed []uint64) {
	if p.off {
		return
	}
	wires, others := uint64(0), uint64(0)
	for i := range p.words {
		w := &p.words[i]
		wires |= changed[w.index] & w.wires
		others |= changed[w.index] & w.others
	}
	if wires != 0 {
		for i := range p.words {
			p.scan(&p.words[i], changed[p.words[i].index]&p.words[i].wires)
		}
		p.mark(cycle)
	}
	if others != 0 {
		for i := range p.words {
			p.scan(&p.words[i], changed[p.words[i].index]&p.words[i].others)
		}
		if cycle == p.cycle {
			p.supersede(p.fs(cycle + 1))
		}
		p.cycle = cycle
		p.mark(cycle + 1)
	}
	if p.filled != nil && len(p.log) >= logLimit {
		p.filled(p.fs(cycle + 1))
	}
}

// scan logs the changes in some groups of a word.
func (p *probe) scan(w *word, set uint64) {
	watched := w.wires | w.others
	for ; set != 0; set &= set - 1 {
		before := bits.OnesCount64(watched & (set&-set - 1))
		blocks := p.groups[w.first+before]
		for i := range blocks {
			if b := &blocks[i]; len(b.slots) <= 4 {
				p.scanSlots(b.slots)
			} else if string(b.now) != string(b.was) {
				p.scanSlots(b.changed())
			}
		}
	}
}

func (p *probe) scanSlots(slots []slot) {
	for i := range slots {
		s := &slots[i]
		if v := s.load(); v != s.old {
			s.old = v
			p.log = append(p.log, change{v, s.id})
		}
	}
}

// supersede replaces earlier changes of the same variables at the same time. A Sim may report a
// cycle twice, and a signal has one value at a time.
func (p *probe) supersede(fs uint64) {
	n := len(p.instants)
	if n == p.merged || p.instants[n-1].fs != fs {
		return
	}
	first := p.start
	if n > p.merged+1 {
		first = p.instants[n-2].end
	}
	earlier, later := p.log[first:p.instants[n-1].end], p.log[p.instants[n-1].end:]
	p.log = p.log[:p.instants[n-1].end]
next:
	for _, c := range later {
		for i := range earlier {
			if earlier[i].id == c.id {
				earlier[i].value = c.value
				continue next
			}
		}
		p.log = append(p.log, c)
	}
}

// mark gives the changes logged since the last mark the start time of a cycle.
func (p *probe) mark(cycle uint64) {
	if len(p.log) == p.logged() {
		return
	}
	last := len(p.instants) - 1
	fs := p.fs(cycle)
	if fs < p.last {
		p.failed = fmt.Errorf("the dump ends at %d fs: %s went back to cycle %d (a reset or a restored snapshot)",
			p.last, p.sim.Name(), cycle)
		p.off = true
		p.log = p.log[:p.logged()]
		return
	}
	p.last = fs
	if last >= 0 && p.instants[last].fs == fs {
		p.instants[last].end = len(p.log)
		return
	}
	p.instants = append(p.instants, instant{fs, len(p.log)})
}

// logged is the number of changes that have a time.
func (p *probe) logged() int {
	if n := len(p.instants); n > 0 {
		return p.instants[n-1].end
	}
	return 0
}

// next is the time of the first instant that the dump does not have, or never.
func (p *probe) next() uint64 {
	if p.merged == len(p.instants) {
		return never
	}
	return p.instants[p.merged].fs
}

// take hands over the changes of the instant at next.
func (p *probe) take() []change {
	end := p.instants[p.merged].end
	c := p.log[p.start:end]
	p.start = end
	p.merged++
	return c
}

// forget drops the changes that the dump has.
func (p *probe) forget() {
	if p.merged == 0 {
		return
	}
	p.log = p.log[:copy(p.log, p.log[p.start:])]
	p.instants = p.instants[:copy(p.instants, p.instants[p.merged:])]
	for i := range p.instants {
		p.instants[i].end -= p.start
	}
	p.merged, p.start = 0, 0
}
