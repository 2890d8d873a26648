package functional

import (
	"sort"

	"divergo/isa"
	"divergo/sm"
)

// pageBits is the size of a page in which device memory is loaded and stored: 64 KiB.
const pageBits = 16

// Memory is device memory during a launch. Pages are loaded when a thread first accesses them.
type Memory struct {
	pad    uint64
	load   func(addr uint64, to []byte) error
	ranges []span // ascending and disjoint
	last   int    // range of the last access
	err    error  // first failure of load
}

// span is a range of valid addresses.
type span struct {
	start uint64
	data  []byte
	pages []pageState
}

// pageState tells whether a page has been loaded and changed.
type pageState uint8

const (
	absent pageState = iota
	loaded
	changed
)

func (s *span) end() uint64 { return s.start + uint64(len(s.data)) }

// NewMemory returns device memory with ranges of valid addresses, ascending and disjoint. Loads may
// also read pad bytes around a range from isa.GlobalBase on, which are zero. load reads the bytes
// that the memory has at the launch.
func NewMemory(valid []sm.Range, pad uint64, load func(addr uint64, to []byte) error) *Memory {
	m := &Memory{pad: pad, load: load}
	for _, r := range valid {
		n := r.End - r.Start
		m.ranges = append(m.ranges, span{r.Start, make([]byte, n), make([]pageState, n>>pageBits+1)})
	}
	return m
}

// Changes calls store for each part that the launch may have changed.
func (m *Memory) Changes(store func(addr uint64, data []byte)) {
	for i := range m.ranges {
		s := &m.ranges[i]
		for p, state := range s.pages {
			if from := p << pageBits; state == changed {
				store(s.start+uint64(from), s.data[from:min(from+1<<pageBits, len(s.data))])
			}
		}
	}
}

// find returns the range that contains an address, or nil.
func (m *Memory) find(addr uint64) *span {
	if m.last < len(m.ranges) {
		if s := &m.ranges[m.last]; addr-s.start < uint64(len(s.data)) {
			return s
		}
	}
	i := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].end() > addr })
	if i == len(m.ranges) || m.ranges[i].start > addr {
		return nil
	}
	m.last = i
	return &m.ranges[i]
}

// touch makes the pages of the bytes from, up to and including to, of a range present.
func (m *Memory) touch(s *span, from, to uint64, state pageState) {
	for p := from >> pageBits; p <= to>>pageBits; p++ {
		if s.pages[p] >= state {
			continue
		}
		if s.pages[p] == absent {
			at := p << pageBits
			if err := m.load(s.start+at, s.data[at:min(at+1<<pageBits, uint64(len(s.data)))]); m.err == nil {
				m.err = err
			}
		}
		s.pages[p] = state
	}
}

// bytes returns size bytes at an address, or nil if they are not valid.
func (m *Memory) bytes(addr, size uint64, state pageState) []byte {
	s := m.find(addr)
	if s == nil || size > s.end()-addr {
		return nil
	}
	at := addr - s.start
	m.touch(s, at, at+size-1, state)
	return s.data[at : at+size]
}

// around returns the bytes at an address that lies at most pad bytes outside of a range, or nil.
func (m *Memory) around(addr, size uint64) []byte {
	i := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].end()+m.pad > addr })
	for ; m.pad > 0 && i < len(m.ranges) && m.ranges[i].start <= addr+m.pad; i++ {
		if s := &m.ranges[i]; s.start < isa.GlobalBase || addr+size > s.end()+m.pad {
			continue
		}
		data := make([]byte, size)
		for k := range data {
			if b := m.bytes(addr+uint64(k), 1, loaded); b != nil {
				data[k] = b[0]
			}
		}
		return data
	}
	return nil
}
