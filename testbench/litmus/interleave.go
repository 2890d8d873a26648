package litmus

import (
	"encoding/binary"
	"maps"
	"slices"
)

// interleaver is a sequentially consistent machine: it performs one instruction of one thread after
// the other, on one memory.
type interleaver struct {
	*Test
	seen     map[string]bool
	outcomes map[Outcome]bool
}

// state holds the position of each thread, then registers and memory in the order of an outcome.
type state struct {
	pc     [maxThreads]int
	values []uint32
}

// interleavings returns the outcomes of a sequentially consistent machine (Lamport, 1979), in
// order.
func (t *Test) interleavings() []Outcome {
	m := &interleaver{t, map[string]bool{}, map[Outcome]bool{}}
	m.visit(&state{values: make([]uint32, t.values())})
	return slices.Sorted(maps.Keys(m.outcomes))
}

// visit takes each possible step, unless it has visited the state before.
func (m *interleaver) visit(s *state) {
	key := make([]byte, 0, maxThreads+4*len(s.values))
	for _, pc := range s.pc {
		key = append(key, byte(pc))
	}
	for _, v := range s.values {
		key = binary.BigEndian.AppendUint32(key, v)
	}
	if m.seen[string(key)] {
		return
	}
	m.seen[string(key)] = true
	ended := true
	for i := range m.threads {
		if s.pc[i] == len(m.threads[i].Insts) {
			continue
		}
		ended = false
		next := state{s.pc, slices.Clone(s.values)}
		m.step(&next, i)
		m.visit(&next)
	}
	if ended {
		m.outcomes[newOutcome(s.values)] = true
	}
}

// step performs the next instruction of a thread.
func (m *interleaver) step(s *state, thread int) {
	in := &m.threads[thread].Insts[s.pc[thread]]
	s.pc[thread]++
	if in.Op == opFence {
		return
	}
	var src [2]uint32
	for i, o := range in.Src {
		if src[i] = o.Value; o.Reg >= 0 {
			src[i] = s.values[m.reg(thread, o.Reg)]
		}
	}
	cell := &s.values[m.final(in.Var)]
	old := *cell
	switch in.Op {
	case opStore:
		*cell = src[0]
	case opAtomic:
		*cell = in.result(old, src[0], src[1])
	case opCompute:
		old = in.result(0, src[0], src[1])
	}
	if in.Dst >= 0 {
		s.values[m.reg(thread, in.Dst)] = old
	}
}
