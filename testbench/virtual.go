package testbench

import (
	"errors"
	"fmt"
	"slices"

	"divergo/isa"
	"divergo/sm"
)

// Memory whose addresses are given apart from its bytes (CUDA Driver API, Virtual
// Memory Management): addresses are reserved, memory is created, the one is
// mapped to the other, and then access is given to it.
//
// The machine finds memory by its addresses alone. So a piece is at one of them at
// a time, to which its bytes are copied, and what it holds while it is at none
// is here.

// Granularity is what addresses and sizes of mapped memory are multiples of: that of
// NVIDIA's devices.
const Granularity = 2 << 20

// ErrTwoAddresses: memory that is mapped cannot be mapped to other addresses.
var ErrTwoAddresses = errors.New("memory at two addresses at a time is not supported")

// Piece names memory that was created; none is 0.
type Piece uint64

// piece is what is known of one.
type piece struct {
	bytes   uint64
	holders int    // it is released as often as it was created and retained
	mapped  bool   // which holds it as well
	content []byte // while it is mapped, only what lies behind the mapping; nil: zeros
}

// mapping is a piece, or the beginning of one, at addresses.
type mapping struct {
	sm.Range
	of     Piece
	access bool
}

// virtual is what Memory knows of it.
type virtual struct {
	reserved []sm.Range
	mappings []mapping // ascending
	pieces   map[Piece]*piece
	last     Piece
}

// Reserve finds free addresses, at a multiple of align, which is a power of two,
// from an address on if they are free there. No memory is there yet.
func (s *Session) Reserve(bytes, align, wanted uint64) (uint64, error) {
	m := s.memory
	at, ok := wanted, m.free(sm.Range{Start: wanted, End: wanted + bytes}, align)
	for _, from := range []uint64{m.reuseAfter(), isa.GlobalBase} {
		if !ok && bytes < addressEnd {
			at, ok = m.gap((from+align-1)&^(align-1), bytes, addressEnd, align)
		}
	}
	if !ok {
		return 0, fmt.Errorf("device memory: no %d addresses in a row are free", bytes)
	}
	m.reserved = append(m.reserved, sm.Range{Start: at, End: at + bytes})
	return at, nil
}

// free reports whether addresses can be reserved, the first a multiple of align.
func (m *Memory) free(r sm.Range, align uint64) bool {
	return r.Start >= isa.GlobalBase && r.Start < r.End && r.End < addressEnd && r.Start%align == 0 &&
		!slices.ContainsFunc(m.held(), func(h sm.Range) bool { return h.Start < r.End && r.Start < h.End })
}

// Unreserve gives addresses back, all that were reserved together.
func (s *Session) Unreserve(addr, bytes uint64) error {
	m := s.memory
	i := slices.Index(m.reserved, sm.Range{Start: addr, End: addr + bytes})
	if i < 0 {
		return fmt.Errorf("[%#x, %#x) was not reserved as that", addr, addr+bytes)
	}
	for _, o := range m.mappings {
		if m.reserved[i].Start <= o.Start && o.Start < m.reserved[i].End {
			return fmt.Errorf("[%#x, %#x) has memory mapped to [%#x, %#x)", addr, addr+bytes, o.Start, o.End)
		}
	}
	m.reserved = slices.Delete(m.reserved, i, i+1)
	return nil
}

// Create makes memory that is at no address. It fails when all memory is taken.
func (s *Session) Create(bytes uint64) (Piece, error) {
	m := s.memory
	if err := m.take(bytes); err != nil {
		return 0, err
	}
	if m.pieces == nil {
		m.pieces = make(map[Piece]*piece)
	}
	m.last++
	m.pieces[m.last] = &piece{bytes: bytes, holders: 1}
	return m.last, nil
}

// piece is one that has not been released.
func (m *Memory) piece(name Piece) (*piece, error) {
	p := m.pieces[name]
	if p == nil || p.holders == 0 {
		return nil, fmt.Errorf("memory %d was not created, or is released", name)
	}
	return p, nil
}

// Holds says why there is no such memory.
func (s *Session) Holds(name Piece) error {
	_, err := s.memory.piece(name)
	return err
}

// Release lets go of memory: it is gone when nobody holds it and it is not mapped.
func (s *Session) Release(name Piece) error {
	p, err := s.memory.piece(name)
	if err != nil {
		return err
	}
	p.holders--
	s.memory.drop(name)
	return nil
}

func (m *Memory) drop(name Piece) {
	if p := m.pieces[name]; p.holders == 0 && !p.mapped {
		m.taken -= p.bytes
		delete(m.pieces, name)
	}
}

// mappingAt is what is mapped to an address.
func (m *Memory) mappingAt(addr uint64) (*mapping, error) {
	i := slices.IndexFunc(m.mappings, func(o mapping) bool { return o.Start <= addr && addr < o.End })
	if i < 0 {
		return nil, fmt.Errorf("no memory is mapped to %#x", addr)
	}
	return &m.mappings[i], nil
}

// Retain is the memory that is mapped to an address, which is held once more.
func (s *Session) Retain(addr uint64) (Piece, error) {
	o, err := s.memory.mappingAt(addr)
	if err != nil {
		return 0, err
	}
	s.memory.pieces[o.of].holders++
	return o.of, nil
}

// Map puts the first bytes of memory at reserved addresses.
func (s *Session) Map(addr, bytes uint64, name Piece) error {
	m := s.memory
	p, err := m.piece(name)
	r := sm.Range{Start: addr, End: addr + bytes}
	switch {
	case err != nil:
		return err
	case !slices.ContainsFunc(m.reserved, func(v sm.Range) bool { return v.Start <= r.Start && r.Start < r.End && r.End <= v.End }):
		return fmt.Errorf("[%#x, %#x) is not all in a range that was reserved", r.Start, r.End)
	case bytes > p.bytes:
		return fmt.Errorf("%d bytes to be mapped: the memory has %d", bytes, p.bytes)
	}
	if i := slices.IndexFunc(m.mappings, func(o mapping) bool { return o.Start < r.End && r.Start < o.End }); i >= 0 {
		return fmt.Errorf("[%#x, %#x): memory is mapped to [%#x, %#x)", r.Start, r.End, m.mappings[i].Start, m.mappings[i].End)
	}
	if i := slices.IndexFunc(m.mappings, func(o mapping) bool { return o.of == name }); i >= 0 {
		return fmt.Errorf("[%#x, %#x): %w, and this is at [%#x, %#x)", r.Start, r.End, ErrTwoAddresses, m.mappings[i].Start, m.mappings[i].End)
	}
	if err := s.Machine.Store.Map(addr, bytes); err != nil {
		return err
	}
	if p.content != nil {
		s.Write(addr, p.content[:bytes])
	}
	if bytes == p.bytes {
		p.content = nil
	}
	p.mapped = true
	at, _ := slices.BinarySearchFunc(m.mappings, r, func(o mapping, r sm.Range) int { return byStart(o.Range, r) })
	m.mappings = slices.Insert(m.mappings, at, mapping{Range: r, of: name})
	return s.err
}

// covering are the mappings that fill a range, none of which is in it in part.
func (m *Memory) covering(addr, bytes uint64) (from, to int, err error) {
	end := addr + bytes
	from = slices.IndexFunc(m.mappings, func(o mapping) bool { return o.Start == addr })
	for to = from; from >= 0 && to < len(m.mappings) && m.mappings[to].Start == addr && addr < end; to++ {
		addr = m.mappings[to].End
	}
	if from < 0 || addr != end || bytes == 0 {
		return 0, 0, fmt.Errorf("[%#x, %#x) is not one whole mapping, nor several side by side", end-bytes, end)
	}
	return from, to, nil
}

// Unmap takes memory from its addresses, which stay reserved.
func (s *Session) Unmap(addr, bytes uint64) error {
	m := s.memory
	from, to, err := m.covering(addr, bytes)
	if err != nil {
		return err
	}
	for _, o := range m.mappings[from:to] {
		p := m.pieces[o.of]
		if p.holders > 0 {
			if p.content == nil {
				p.content = make([]byte, p.bytes)
			}
			s.Read(o.Start, p.content[:o.End-o.Start])
		}
		s.clear(o.Range)
		p.mapped = false
		m.drop(o.of)
	}
	m.remove(sm.Range{Start: addr, End: addr + bytes})
	m.mappings = slices.Delete(m.mappings, from, to)
	return s.err
}

// SetAccess lets kernels and copies access what is mapped to a range, or no longer.
func (s *Session) SetAccess(addr, bytes uint64, access bool) error {
	m := s.memory
	from, to, err := m.covering(addr, bytes)
	if err != nil {
		return err
	}
	m.remove(sm.Range{Start: addr, End: addr + bytes})
	for i := from; i < to; i++ {
		if m.mappings[i].access = access; access {
			m.add(m.mappings[i].Range)
		}
	}
	return nil
}

// Access reports whether what is mapped to an address can be accessed.
func (s *Session) Access(addr uint64) (bool, error) {
	o, err := s.memory.mappingAt(addr)
	return err == nil && o.access, err
}

// FreeVirtual takes all mappings away, all reservations and all memory that was
// created for them.
func (s *Session) FreeVirtual() error {
	m := s.memory
	for _, o := range m.mappings {
		m.remove(o.Range)
		s.clear(o.Range)
	}
	for _, p := range m.pieces {
		m.taken -= p.bytes
	}
	m.virtual = virtual{last: m.last}
	return s.err
}

// held are all addresses that cannot be given, ascending.
func (m *Memory) held() []sm.Range {
	if len(m.reserved) == 0 {
		return m.spans
	}
	held := slices.Concat(m.spans, m.reserved)
	slices.SortFunc(held, byStart)
	return held
}

// isReserved says of an address that is reserved, and cannot be accessed, why.
func (m *Memory) isReserved(addr uint64) (why string, ok bool) {
	i := slices.IndexFunc(m.reserved, func(r sm.Range) bool { return r.Start <= addr && addr < r.End })
	if i < 0 {
		return "", false
	}
	if o, err := m.mappingAt(addr); err == nil {
		return fmt.Sprintf("%d bytes behind the start of [%#x, %#x), to which memory is mapped without access", addr-o.Start, o.Start, o.End), true
	}
	r := m.reserved[i]
	return fmt.Sprintf("%d bytes behind the start of [%#x, %#x), which is reserved, and no memory is mapped there", addr-r.Start, r.Start, r.End), true
}
