package golden

import (
	"fmt"
	"slices"
	"sort"

	"divergo/isa"
)

// Memory is device memory: ranges of bytes at fixed addresses, which the host maps. An access
// outside of them is a fault.
type Memory struct {
	// Pad is the number of bytes outside of a range, from isa.GlobalBase on, that loads may read.
	// They are zero.
	Pad uint64

	ranges []span // ascending and disjoint
	last   int    // range of the last access
}

// span is the mapped bytes from start on.
type span struct {
	start uint64
	data  []byte
}

func (s *span) end() uint64 { return s.start + uint64(len(s.data)) }

// Map makes size zero bytes at addr valid. It fails if some of them are valid already.
func (m *Memory) Map(addr, size uint64) error {
	if size == 0 {
		return nil
	}
	if addr+size < addr {
		return fmt.Errorf("golden: memory [%#x, +%#x) runs over the end of the address space", addr, size)
	}
	i := m.after(addr)
	if i < len(m.ranges) && m.ranges[i].start < addr+size {
		r := &m.ranges[i]
		return fmt.Errorf("golden: memory [%#x, %#x) overlaps [%#x, %#x), which is mapped", addr, addr+size, r.start,
			r.end())
	}
	m.ranges = slices.Insert(m.ranges, i, span{addr, make([]byte, size)})
	m.last = i
	return nil
}

// MapGlobals maps the module-level variables of p with their initial values.
func (m *Memory) MapGlobals(p *isa.Program) error {
	for i := range p.Globals {
		g := &p.Globals[i]
		if err := m.Map(g.Addr, g.Size); err != nil {
			return fmt.Errorf("variable %s: %w", g.Name, err)
		}
		if err := m.Write(g.Addr, g.Init); err != nil {
			return fmt.Errorf("variable %s: %w", g.Name, err)
		}
	}
	return nil
}

// Write copies data to addr. It fails unless one mapped range holds all of it.
func (m *Memory) Write(addr uint64, data []byte) error {
	to, err := m.slice(addr, len(data))
	copy(to, data)
	return err
}

// Read fills data from addr. It fails unless one mapped range holds all of it.
func (m *Memory) Read(addr uint64, data []byte) error {
	from, err := m.slice(addr, len(data))
	copy(data, from)
	return err
}

func (m *Memory) slice(addr uint64, n int) ([]byte, error) {
	b := m.at(addr, uint64(n))
	if b == nil && n > 0 {
		return nil, fmt.Errorf("golden: no memory for %d bytes at %#x", n, addr)
	}
	return b, nil
}

// after returns the first range that ends after addr.
func (m *Memory) after(addr uint64) int {
	return sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].end() > addr })
}

// at returns the size bytes at addr, nil if they are not mapped.
func (m *Memory) at(addr, size uint64) []byte {
	i := m.last
	if i >= len(m.ranges) || addr-m.ranges[i].start >= uint64(len(m.ranges[i].data)) {
		if i = m.after(addr); i == len(m.ranges) {
			return nil
		}
		m.last = i
	}
	r := &m.ranges[i]
	return window(r.data, addr-r.start, size)
}

// around returns the size bytes at addr, which may lie up to Pad bytes outside of a range; nil if
// they lie farther away.
func (m *Memory) around(addr, size uint64) []byte {
	i := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].end()+m.Pad > addr })
	for ; i < len(m.ranges) && m.ranges[i].start <= addr+m.Pad; i++ {
		if m.ranges[i].start >= isa.GlobalBase && addr+size <= m.ranges[i].end()+m.Pad {
			data := make([]byte, size)
			for k := range data {
				if b := m.at(addr+uint64(k), 1); b != nil {
					data[k] = b[0]
				}
			}
			return data
		}
	}
	return nil
}

// window returns size bytes of data at an offset, nil if data is too short.
func window(data []byte, offset, size uint64) []byte {
	if n := uint64(len(data)); offset >= n || size > n-offset {
		return nil
	}
	return data[offset : offset+size]
}
