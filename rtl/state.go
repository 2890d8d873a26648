package rtl

import (
	"bytes"
	"reflect"
)

// State is the register set of a module, usually embedded in it. S is one plain-data struct:
// fixed-size numbers, booleans, arrays and structs of them. A `bits:"5"` tag on a field gives its
// width in hardware, for waveforms.
//
// At the clock edge the next value becomes the present one if they differ. Only then do the readers
// wake: the processes of its module, and of every module with a pointer to that module. The
// comparison is by bytes. It costs about 3 ns for 32 bytes and 15 ns for 1 KiB, so arrays over some
// 512 bytes belong in a [Mem].
//
// With the tag `rtl:"inplace"` the module writes its State in place, as it can a [Mem]; nothing is
// compared or copied. The module then runs after every other reader. It calls D only to write,
// since D wakes the readers, and must not read a Q field after writing it. Counters, which no
// module reads, are such States.
type State[S comparable] struct {
	q, d S  // fields 0 to 2: see stateHdr.double
	next *S // d, or q in place
	h    stateHdr
}

// stateHdr is the part of a State that does not depend on its type. It has all code that runs
// seldom: the methods of State are compiled for each of its types in every package that imports a
// machine.
type stateHdr struct {
	at       reflect.Value // the State
	q, d     []byte        // present and next, as stored in memory
	together bool          // present and next are the same memory
	touch    *uint64       // word and mask of what a request for the next value marks: asked, or fan
	bit      uint64
	asked    fan // the bit in the set of states whose next value was requested
	fan      fan // into the next cycle
	owned    owned
	readers  []*process
	writer   *module // the module that writes in place
	reset    []byte  // value at elaboration
}

// register is a State of any type.
type register interface{ header() *stateHdr }

// Q is the present state. It is read-only.
func (s *State[S]) Q() *S { return &s.q }

// D is the next state. It equals the present state when the cycle starts. Only the module that
// holds the state writes it, and it calls D again in each cycle.
func (s *State[S]) D() *S {
	*s.h.touch |= s.h.bit
	return s.next
}

// Next is D for reading: the next state as far as this cycle has written it. It marks nothing as
// written. Only the module that holds the state uses it.
func (s *State[S]) Next() *S { return s.next }

// Regs returns the present and the next state.
func (s *State[S]) Regs() (q, d *S) { return &s.q, s.D() }

// Init sets the present and the next state. Before elaboration this is the reset value. After it, a
// testbench may call Init between runs.
func (s *State[S]) Init(v S) {
	s.q, s.d = v, v
	s.h.fan.mark()
	s.h.owned.note()
}

// connect chooses what a request for the next value marks. A state written in place and not
// observed needs no edge: the request itself wakes the readers.
func (h *stateHdr) connect(watched bool) {
	h.touch, h.bit = h.asked.word, h.asked.mask
	if h.together && !watched && h.fan.word != nil && h.fan.more == nil {
		h.touch, h.bit = h.fan.word, h.fan.mask
	}
}

// edge ends a cycle and reports whether the state changed. It is one function for all types, like
// the edge of a ram.
func (h *stateHdr) edge() bool {
	if !h.together {
		if string(h.q) == string(h.d) {
			return false
		}
		copy(h.q, h.d)
	}
	h.fan.mark()
	return true
}

// double stores the next value apart from the present one, or in the same memory.
func (h *stateHdr) double(apart bool) {
	q, d, next := h.at.Field(0), h.at.Field(1), h.at.Field(2)
	h.d, h.together = h.q, !apart
	if apart {
		h.d = bytesAt(d)
		copy(h.d, h.q)
		q = d
	}
	addressOf(next).Elem().Set(addressOf(q))
}

func (h *stateHdr) restart() {
	copy(h.q, h.reset)
	copy(h.d, h.reset)
}

func (h *stateHdr) save(b []byte) []byte { return append(b, h.q...) }

func (h *stateHdr) load(b []byte) []byte {
	b = b[copy(h.q, b):]
	copy(h.d, h.q)
	return b
}

func (h *stateHdr) home() *owned { return &h.owned }

func (h *stateHdr) typ() reflect.Type { return h.at.Field(0).Type() }

func (h *stateHdr) sum(d *digest) { d.all(h.q, h.typ()) }

func (h *stateHdr) elaborated() {
	h.q = bytesAt(h.at.Field(0))
	h.reset = bytes.Clone(h.q)
	h.double(h.writer == nil)
}

func (s *State[S]) header() *stateHdr { return &s.h }
