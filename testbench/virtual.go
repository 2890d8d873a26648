package testbench

import (
	"errors"
	"fmt"
	"slices"

	"divergo/isa"
	"divergo/sm"
)

// This file implements memory whose addresses are separate from its bytes (CUDA Driver API, Virtual
// Memory Management). The host reserves addresses, creates memory, maps one to the other, and then
// grants access.
//
// The machine finds memory only by address. So a piece of memory is at one address at a time, and
// its bytes are copied there. While it is at no address, this file holds its contents.

// Granularity is the unit of addresses and sizes of mapped memory, as in NVIDIA's devices.
const Granularity = 2 << 20

// ErrTwoAddresses is the error for mapping memory that is mapped elsewhere.
var ErrTwoAddresses = errors.New("memory at two addresses at a time is not supported")

// Piece names a created piece of memory. Zero names none.
type Piece uint64

// piece is the state of a piece of memory.
type piece struct {
	bytes   uint64
	holders int    // releases that it takes to free it: one for Create and one for each Retain
	mapped  bool   // a mapping also keeps it alive
	content []byte // while mapped, only the part past the mapping; nil: zeros
}

// mapping places a piece, or its first bytes, at addresses.
type mapping struct {
	sm.Range
	of     Piece
	access bool
}

// virtual is the state of virtual memory in Memory.
type virtual struct {
	reserved []sm.Range
	mappings []mapping // ascending
	pieces   map[Piece]*piece
	last     Piece
}

// Reserve returns free addresses, at a multiple of align, a power of two. It prefers the wanted
// address if that is free. The addresses have no memory yet.
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

// free reports whether a range can be reserved at a multiple of align.
func (m *Memory) free(r sm.Range, align uint64) bool {
	return r.Start >= isa.GlobalBase && r.Start < r.End && r.End < addressEnd && r.Start%align == 0 &&
		!slices.ContainsFunc(m.held(), func(h sm.Range) bool { return h.Start < r.End && r.Start < h.End })
}

// Unreserve releases addresses that were reserved together.
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

// Create makes memory without an address. It fails when all memory is taken.
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

// piece returns a piece that has not been released.
func (m *Memory) piece(name Piece) (*piece, error) {
	p := m.pieces[name]
	if p == nil || p.holders == 0 {
		return nil, fmt.Errorf("memory %d was not created, or is released", name)
	}
	return p, nil
}

// Holds returns an error if the piece does not exist.
func (s *Session) Holds(name Piece) error {
	_, err := s.memory.piece(name)
	return err
}

// Release drops one hold on memory. Memory is freed when it has no holds and no mapping.
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

// mappingAt returns the mapping at an address.
func (m *Memory) mappingAt(addr uint64) (*mapping, error) {
	i := slices.IndexFunc(m.mappings, func(o mapping) bool { return o.Start <= addr && addr < o.End })
	if i < 0 {
		return nil, fmt.Errorf("no memory is mapped to %#x", addr)
	}
	return &m.mappings[i], nil
}

// Retain returns the piece mapped to an address, and adds a hold on it.
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
	case !slices.ContainsFunc(m.reserved,
		func(v sm.Range) bool { return v.Start <= r.Start && r.Start < r.End && r.End <= v.End }):
		return fmt.Errorf("[%#x, %#x) is not all in a range that was reserved", r.Start, r.End)
	case bytes > p.bytes:
		return fmt.Errorf("%d bytes to be mapped: the memory has %d", bytes, p.bytes)
	}
	if i := slices.IndexFunc(m.mappings, func(o mapping) bool { return o.Start < r.End && r.Start < o.End }); i >= 0 {
		return fmt.Errorf("[%#x, %#x): memory is mapped to [%#x, %#x)", r.Start, r.End, m.mappings[i].Start,
			m.mappings[i].End)
	}
	if i := slices.IndexFunc(m.mappings, func(o mapping) bool { return o.of == name }); i >= 0 {
		return fmt.Errorf("[%#x, %#x): %w, and this is at [%#x, %#x)", r.Start, r.End, ErrTwoAddresses,
			m.mappings[i].Start, m.mappings[i].End)
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

// covering returns the mappings that fill a range exactly.
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

// Unmap removes memory from its addresses, which stay reserved.
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

// SetAccess allows or forbids kernels and copies to access the mappings of a range.
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

// Access reports whether the mapping at an address can be accessed.
func (s *Session) Access(addr uint64) (bool, error) {
	o, err := s.memory.mappingAt(addr)
	return err == nil && o.access, err
}

// FreeVirtual removes all mappings, all reservations and all memory created for them.
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

// held returns all addresses in use, ascending.
func (m *Memory) held() []sm.Range {
	if len(m.reserved) == 0 {
		return m.spans
	}
	held := slices.Concat(m.spans, m.reserved)
	slices.SortFunc(held, byStart)
	return held
}

// isReserved explains why a reserved address cannot be accessed; ok is false for other addresses.
func (m *Memory) isReserved(addr uint64) (why string, ok bool) {
	i := slices.IndexFunc(m.reserved, func(r sm.Range) bool { return r.Start <= addr && addr < r.End })
	if i < 0 {
		return "", false
	}
	if o, err := m.mappingAt(addr); err == nil {
		return fmt.Sprintf("%d bytes behind the start of [%#x, %#x), to which memory is mapped without access",
			addr-o.Start, o.Start, o.End), true
	}
	r := m.reserved[i]
	return fmt.Sprintf("%d bytes behind the start of [%#x, %#x), which is reserved, and no memory is mapped there",
		addr-r.Start, r.Start, r.End), true
}
