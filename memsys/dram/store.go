package dram

import "fmt"

// The store is a tree of two levels: 4096 directories of 4096 pages.
const (
	pageBits = 16
	dirBits  = 12
	pageSize = 1 << pageBits
	dirSize  = 1 << dirBits
)

// AddrBits is the width of a physical address.
const AddrBits = pageBits + dirBits + rootBits

const rootBits = 9

type (
	page      [pageSize]byte
	directory [dirSize]*page
)

// Store holds the bytes of all channels, as sparse pages that start as zeros.
// Map adds pages and must not run while the machine does. A channel touches
// only its own addresses, so channels on several processors need no lock.
type Store struct {
	dirs   [1 << rootBits]*directory
	ranges []span // what was mapped
}

// span is a range of addresses [Lo, Hi).
type span struct{ Lo, Hi uint64 }

// NewStore is an empty store.
func NewStore() *Store { return new(Store) }

// Map makes [addr, addr+size) exist. Bytes that exist already keep their value.
// It fails for addresses beyond AddrBits.
func (s *Store) Map(addr, size uint64) error {
	if size == 0 {
		return nil
	}
	if addr+size < addr || addr+size > 1<<AddrBits {
		return fmt.Errorf("memory [%#x, +%#x): expected addresses below %#x", addr, size, uint64(1)<<AddrBits)
	}
	for p := addr >> pageBits; p <= (addr+size-1)>>pageBits; p++ {
		dir := &s.dirs[p>>dirBits]
		if *dir == nil {
			*dir = new(directory)
		}
		if pg := &(*dir)[p%dirSize]; *pg == nil {
			*pg = new(page)
		}
	}
	s.ranges = append(s.ranges, span{addr, addr + size})
	return nil
}

// at is the bytes from addr to the end of its page, nil if there is no page.
func (s *Store) at(addr uint64) []byte {
	p := addr >> pageBits
	if p>>(dirBits+rootBits) != 0 {
		return nil
	}
	dir := s.dirs[p>>dirBits]
	if dir == nil {
		return nil
	}
	pg := dir[p%dirSize]
	if pg == nil {
		return nil
	}
	return pg[addr%pageSize:]
}

// Read fills b with the bytes from addr on. It fails, after the bytes before
// it, at the first address that was never mapped.
func (s *Store) Read(addr uint64, b []byte) error {
	return s.each(addr, b, func(mem, b []byte) { copy(b, mem) })
}

// Write puts b at addr. It fails, after the bytes before it, at the first
// address that was never mapped.
func (s *Store) Write(addr uint64, b []byte) error {
	return s.each(addr, b, func(mem, b []byte) { copy(mem, b) })
}

// each calls move for the part of b in each page.
func (s *Store) each(addr uint64, b []byte, move func(mem, b []byte)) error {
	for len(b) > 0 {
		mem := s.at(addr)
		if mem == nil {
			return fmt.Errorf("memory at %#x: never mapped", addr)
		}
		n := min(len(mem), len(b))
		move(mem[:n], b[:n])
		addr, b = addr+uint64(n), b[n:]
	}
	return nil
}

// Contains says whether all of [addr, addr+size) was mapped by one Map, and so
// whether an access there is in bounds.
func (s *Store) Contains(addr, size uint64) bool {
	for _, r := range s.ranges {
		if r.Lo <= addr && addr+size <= r.Hi && addr+size >= addr {
			return true
		}
	}
	return false
}

// Clone is an independent copy.
func (s *Store) Clone() *Store {
	c := &Store{ranges: append([]span(nil), s.ranges...)}
	for i, dir := range s.dirs {
		if dir == nil {
			continue
		}
		c.dirs[i] = new(directory)
		for j, pg := range dir {
			if pg != nil {
				p := *pg
				c.dirs[i][j] = &p
			}
		}
	}
	return c
}
