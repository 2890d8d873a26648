package dram

import (
	"fmt"

	"divergo/rtl"
)

// addrBits is the width of a physical address.
const addrBits = 37

// Device memory exists in pages: pageBytes in each channel.
const (
	pageBits  = 12
	pageBytes = 1 << pageBits
	pageLines = pageBytes / MaxLine
	dirBits   = 12
	rootBits  = addrBits - pageBits - dirBits
)

// Store is the contents of all channels, as the host accesses them between runs. The memory is
// sparse: it exists where it was mapped, and starts as zeros. Each channel holds its own bytes as
// the cells of its banks, so they are part of the state of the machine.
type Store struct {
	addrs AddrMap
	cells []*rtl.Mem[Line] // by channel
	dirs  [1 << rootBits]*[1 << dirBits]uint32
	pages int // in use; page 0 means unmapped
	room  int // pages that fit in the cells
}

// NewStore returns a store without channels; [NewChannel] adds them.
func NewStore() *Store { return &Store{pages: 1, room: 1} }

// attach makes the cells of the next channel.
func (s *Store) attach(m AddrMap) *rtl.Mem[Line] {
	s.addrs = m
	cells := rtl.NewMem[Line](s.room * pageLines)
	s.cells = append(s.cells, cells)
	return cells
}

// cell returns the index of the cell that holds the byte at a local address.
func (s *Store) cell(local uint64) (i int, ok bool) {
	p := local >> pageBits
	if p>>dirBits >= 1<<rootBits || s.dirs[p>>dirBits] == nil {
		return 0, false
	}
	page := int(s.dirs[p>>dirBits][p&(1<<dirBits-1)])
	return page*pageLines + int(local%pageBytes/MaxLine), page != 0
}

// Map makes the memory [addr, addr+size) exist, between runs. Bytes that already exist keep their
// value. It fails for addresses of more than addrBits bits, and for a store that lacks channels.
func (s *Store) Map(addr, size uint64) error {
	switch {
	case size == 0:
		return nil
	case len(s.cells) == 0 || len(s.cells) != int(s.addrs.channels):
		return fmt.Errorf("memory [%#x, +%#x): the store has %d of %d channels", addr, size, len(s.cells),
			s.addrs.channels)
	case addr+size < addr || addr+size > 1<<addrBits:
		return fmt.Errorf("memory [%#x, +%#x): expected addresses below %#x", addr, size, uint64(1)<<addrBits)
	}
	span := pageBytes * s.addrs.channels // addresses of a page of every channel
	for p := addr / span; p <= (addr+size-1)/span; p++ {
		dir := &s.dirs[p>>dirBits]
		if *dir == nil {
			*dir = new([1 << dirBits]uint32)
		}
		if page := &(*dir)[p&(1<<dirBits-1)]; *page == 0 {
			*page = uint32(s.pages)
			s.pages++
		}
	}
	if s.pages > s.room {
		s.grow(max(s.pages, 2*s.room))
	}
	return nil
}

// grow makes room for a number of pages. It skips lines of zeros, so that memory never written
// costs the host nothing.
func (s *Store) grow(room int) {
	type line struct {
		at   int
		data Line
	}
	for _, cells := range s.cells {
		var old []line
		for i := range cells.Len() {
			if data := cells.At(i); *data != (Line{}) {
				old = append(old, line{i, *data})
			}
		}
		cells.Resize(room * pageLines)
		for i := range old {
			cells.Set(old[i].at, old[i].data)
		}
	}
	s.room = room
}

// Read fills b with the bytes from addr on, between runs. It fails at the first unmapped address,
// after it has read the bytes before it.
func (s *Store) Read(addr uint64, b []byte) error {
	return s.each(addr, b, func(cells *rtl.Mem[Line], i, off int, b []byte) {
		copy(b, cells.At(i)[off:])
	})
}

// Write writes b at addr, between runs. It fails at the first unmapped address, after it has
// written the bytes before it.
func (s *Store) Write(addr uint64, b []byte) error {
	return s.each(addr, b, func(cells *rtl.Mem[Line], i, off int, b []byte) {
		cells.Alter(i, func(l *Line) { copy(l[off:], b) })
	})
}

// each calls move for the part of b in each cell.
func (s *Store) each(addr uint64, b []byte, move func(cells *rtl.Mem[Line], i, off int, b []byte)) error {
	for len(b) > 0 {
		if len(s.cells) == 0 {
			return fmt.Errorf("memory at %#x: the store has no channels", addr)
		}
		local := s.addrs.Local(addr)
		i, ok := s.cell(local)
		if !ok {
			return fmt.Errorf("memory at %#x: never mapped", addr)
		}
		off := int(local % MaxLine)
		n := min(len(b), MaxLine-off, int(s.addrs.interleave-addr%s.addrs.interleave))
		move(s.cells[s.addrs.Channel(addr)], i, off, b[:n])
		addr, b = addr+uint64(n), b[n:]
	}
	return nil
}
