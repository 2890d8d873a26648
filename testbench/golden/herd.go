package golden

import (
	"fmt"
	"math/bits"

	"divergo/isa"
)

// Herding makes the result of a thread depend on the threads beside it (Sartori & Kumar, Branch and
// Data Herding). The model takes the groups, and their destinations, from the record of a run. It
// follows the record thread by thread. At the end it counts the votes that its own threads have
// cast.

// Herds is the record of the instructions with isa.FlagHerd that a run has executed.
type Herds struct {
	// Of lists the steps of the threads of a warp of a CTA (its linear number), in order.
	Of   func(cta uint64, warp int) []HerdStep
	List []*Herd // each of them once

	First  bool // lanes of a load read the lowest lane's address instead of the most popular block
	Halves bool // each half of the lanes by itself
	// TieTaken is the direction of a branch on a tie. With TiePrevious it is that of Herd.Previous.
	TieTaken, TiePrevious bool
}

// HerdStep is the part of a warp's threads in a Herd.
type HerdStep struct {
	*Herd
	Threads uint64              // by %laneid
	Lanes   [isa.MaxLanes]uint8 // by %laneid: the lane of the thread
}

// Herd is one execution of a marked instruction by lanes together.
type Herd struct {
	PC     uint32
	Herded bool // otherwise each thread acts by itself
	// These fields are the destination of the lanes. A branch sends all to its target or to the
	// next instruction. A load sends each 16 lanes to the lowest lane's address or the block around it.
	Taken bool
	Addr  [isa.MaxLanes / 16]uint64
	// Previous is the herded branch before this one in its slot. If it is nil, the launch found the
	// direction Before in the unit.
	Previous *Herd
	Before   bool

	present, want uint64               // lanes of the model that arrived, and those that want to take the branch
	addr          [isa.MaxLanes]uint64 // addresses that they wanted to read
}

// Stray is a herded instruction whose destination on the machine contradicts the votes of the
// model's threads.
type Stray struct {
	Herd int    // index in Herds.List
	Rule string // the broken rule
}

// herded returns the present step of thread t at a herded instruction. It is nil if the machine did
// not herd it or never reached it.
func (b *block) herded(t *thread) *HerdStep {
	if b.herds == nil {
		return nil
	}
	list := b.herds[t.index/int(b.l.WarpSize)]
	for t.herd < len(list) && list[t.herd].Threads>>b.lane(t)&1 == 0 {
		t.herd++
	}
	if t.herd == len(list) || list[t.herd].PC != t.pc {
		return nil
	}
	t.herd++
	if s := &list[t.herd-1]; s.Herded {
		return s
	}
	return nil
}

// branch casts the vote of a thread, and returns the recorded direction.
func (s *HerdStep) branch(lane int, want bool) (taken bool) {
	at := s.Lanes[lane]
	s.present |= 1 << at
	s.want |= uint64(truth(want)) << at
	return s.Taken
}

// load casts the vote of a thread, and reads at the recorded address. Unmapped bytes of its block
// are 0.
func (s *HerdStep) load(b *block, lane int, addr, size uint64) []byte {
	at := s.Lanes[lane]
	s.present |= 1 << at
	s.addr[at] = addr
	to := s.Addr[at>>4]
	if !b.o.Herds.First {
		block := blockOf(size)
		to = to - to%block + addr%block
	}
	if data := b.m.at(to, size); data != nil {
		return data
	}
	data := make([]byte, size)
	for i := range data {
		if one := b.m.at(to+uint64(i), 1); one != nil {
			data[i] = one[0]
		}
	}
	return data
}

// blockOf returns the block size for a load of some bytes (section IV: 32, 64 or 128 bytes,
// depending on the data type).
func blockOf(size uint64) uint64 {
	switch size {
	case 1:
		return 32
	case 2:
		return 64
	}
	return 128
}

// reset clears the votes of an earlier run.
func (h *Herds) reset() {
	for _, e := range h.List {
		e.present, e.want = 0, 0
	}
}

// strays counts the votes.
func (h *Herds) strays(p *isa.Program) (list []Stray) {
	for i, e := range h.List {
		if !e.Herded || e.present == 0 {
			continue
		}
		rule := ""
		if p.Insts[e.PC].Op == isa.OpBra {
			rule = h.branch(e)
		} else {
			rule = h.load(e, &p.Insts[e.PC])
		}
		if rule != "" {
			list = append(list, Stray{i, rule})
		}
	}
	return list
}

func (h *Herds) branch(e *Herd) string {
	yes, all := bits.OnesCount64(e.want), bits.OnesCount64(e.present)
	taken := yes > all-yes
	if yes == all-yes {
		if taken = h.TieTaken; h.TiePrevious {
			taken = e.previous()
		}
	}
	if taken == e.Taken {
		return ""
	}
	return fmt.Sprintf("the branch is herded, %d of %d threads want to take it, and taken is %t", yes, all, e.Taken)
}

// previous returns the direction of the herded branch before e in its slot.
func (e *Herd) previous() bool {
	if e.Previous != nil {
		return e.Previous.Taken
	}
	return e.Before
}

func (h *Herds) load(e *Herd, in *isa.Inst) string {
	each := isa.RowLanes // an access has the lanes of a row
	if h.Halves {
		each = 16
	}
	block := blockOf(uint64(in.Type.Bytes()) * uint64(max(in.Vec, 1)))
	if h.First {
		block = 1
	}
	for first := 0; first < isa.MaxLanes; first += each {
		lanes := e.present & ((1<<each - 1) << first)
		if lanes == 0 {
			continue
		}
		votes := map[uint64]int{}
		lowest := bits.TrailingZeros64(lanes)
		best := e.addr[lowest] / block
		for lane := range isa.MaxLanes {
			if lanes>>lane&1 != 0 {
				votes[e.addr[lane]/block]++
			}
		}
		for lane := range isa.MaxLanes {
			if b := e.addr[lane] / block; !h.First && lanes>>lane&1 != 0 && votes[b] > votes[best] {
				best = b
			}
		}
		if got := e.Addr[lowest/16] / block; got != best {
			return fmt.Sprintf("the load is herded, %d of %d threads read from %#x on, and it read from %#x on",
				votes[best], bits.OnesCount64(lanes), best*block, got*block)
		}
	}
	return ""
}
