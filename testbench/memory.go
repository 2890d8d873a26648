package testbench

import (
	"cmp"
	"fmt"
	"slices"

	"divergo/isa"
	"divergo/sm"
)

// allocAlign is the alignment of an allocation. It suits any type and whole cache lines (CUDA C
// Programming Guide, device memory accesses).
const allocAlign = 256

// addressEnd is the first address that 32-bit pointers do not reach.
const addressEnd = 1 << 32

// MaxBuffers limits the total size of the buffers of a command line or of a launch file, in bytes.
// Each takes several times as much of the host computer.
const MaxBuffers = 512 << 20

// maxLocal limits the local memory of all resident threads, in bytes. Parts without a write cost
// little.
const maxLocal = 2 << 30

// maxRegisters limits the registers of all resident threads, in bytes of the host computer. Each
// register of a warp is held twice: its present value and that of the next cycle.
const maxRegisters = 2 << 30

// Memory records the allocated addresses of device memory. The device holds the bytes.
//
// At least one byte stays free behind every allocation, so that a thread that runs over the end
// faults instead of reading its neighbour.
type Memory struct {
	total uint64     // bytes that can be allocated at the same time
	next  uint64     // where the search for free addresses begins
	taken uint64     // bytes allocated
	spans []sm.Range // allocations and module variables, ascending
	pad   uint64     // bytes that stay free around each allocation for reads outside of it
	freed []sm.Range // freed allocations whose addresses have not been reused
	virtual
}

// NewMemory returns an empty Memory of so many bytes.
func NewMemory(total uint64) *Memory { return &Memory{total: total, next: isa.GlobalBase} }

// Total returns the bytes that can be allocated at the same time.
func (m *Memory) Total() uint64 { return m.total }

// reuseAfter is the address that allocations must reach before freed addresses are reused. Until
// then, an access to freed memory is a fault.
func (m *Memory) reuseAfter() uint64 { return min(isa.GlobalBase+2*m.total, addressEnd) }

// Alloc reserves bytes of fresh memory and returns their address, a multiple of 256. It fails when
// all memory is taken.
func (m *Memory) Alloc(bytes uint64) (uint64, error) {
	if err := m.take(bytes); err != nil {
		return 0, err
	}
	room := m.before() + bytes + m.pad
	addr, ok := m.gap(m.next, room, m.reuseAfter(), allocAlign)
	if !ok {
		addr, ok = m.gap(isa.GlobalBase, room, addressEnd, allocAlign)
	}
	if !ok {
		m.taken -= bytes
		return 0, fmt.Errorf("device memory: no %d bytes in a row are free", bytes)
	}
	addr += m.before()
	m.next = (addr + bytes + m.pad + allocAlign) &^ (allocAlign - 1)
	if bytes > 0 {
		r := sm.Range{Start: addr, End: addr + bytes}
		m.freed = slices.DeleteFunc(m.freed, func(f sm.Range) bool { return f.Start < r.End && r.Start < f.End })
		m.add(r)
	}
	return addr, nil
}

// take counts allocated bytes, and fails if there are too many.
func (m *Memory) take(bytes uint64) error {
	if left := m.Left(); bytes > left {
		return fmt.Errorf("device memory: %d bytes asked for, %d left of %d", bytes, left, m.total)
	}
	m.taken += bytes
	return nil
}

// Left returns the bytes that can still be allocated.
func (m *Memory) Left() uint64 { return m.total - min(m.taken, m.total) }

// before returns the bytes that stay free in front of an allocation.
func (m *Memory) before() uint64 { return (m.pad + allocAlign - 1) &^ (allocAlign - 1) }

// gap returns the first free place for bytes, at or after an address and before end. The place is a
// multiple of align.
func (m *Memory) gap(from, bytes, end, align uint64) (addr uint64, ok bool) {
	for _, r := range m.held() {
		switch {
		case r.End+m.pad < from:
		case from+bytes < r.Start-min(r.Start, m.before()):
			return from, from+bytes < end
		default:
			from = (r.End + m.pad + align) &^ (align - 1)
		}
	}
	return from, from+bytes < end
}

// Free releases the allocation that starts at an address.
func (m *Memory) Free(addr uint64) (sm.Range, error) {
	i := slices.IndexFunc(m.spans, func(r sm.Range) bool { return r.Start == addr })
	if addr < isa.GlobalBase || i < 0 {
		return sm.Range{}, fmt.Errorf("free of %#x, which is no start of an allocation: %s", addr, m.near(addr))
	}
	if _, reserved := m.isReserved(addr); reserved {
		return sm.Range{}, fmt.Errorf("free of %#x, to which memory is mapped: want it unmapped and released", addr)
	}
	r := m.spans[i]
	m.spans = slices.Delete(m.spans, i, i+1)
	m.freed = append(m.freed, r)
	m.taken -= r.End - r.Start
	return r, nil
}

// Find returns the allocation, or the variable of a module, that contains an address.
func (m *Memory) Find(addr uint64) (r sm.Range, ok bool) {
	i := slices.IndexFunc(m.spans, func(r sm.Range) bool { return r.Start <= addr && addr < r.End })
	if i < 0 {
		return sm.Range{}, false
	}
	return m.spans[i], true
}

// Check returns an error unless the bytes at an address lie in one allocation, or in memory mapped
// side by side.
func (m *Memory) Check(addr, bytes uint64) error {
	r, ok := m.Find(addr)
	for ok && bytes > r.End-addr {
		if _, reserved := m.isReserved(r.End - 1); !reserved {
			break
		}
		next, more := m.Find(r.End)
		if !more {
			return fmt.Errorf("%d bytes at %#x, of which %d are accessible: %s", bytes, addr, r.End-addr, m.near(r.End))
		}
		r.End = next.End
	}
	switch {
	case !ok:
		return fmt.Errorf("%d bytes at %#x, in no allocation: %s", bytes, addr, m.near(addr))
	case bytes > r.End-addr:
		return fmt.Errorf("%d bytes at %#x, %d more than there are in the allocation [%#x, %#x)", bytes, addr,
			bytes-(r.End-addr), r.Start, r.End)
	}
	return nil
}

// add adds a range of valid addresses.
func (m *Memory) add(r sm.Range) {
	at, _ := slices.BinarySearchFunc(m.spans, r, byStart)
	m.spans = slices.Insert(m.spans, at, r)
}

func byStart(a, b sm.Range) int { return cmp.Compare(a.Start, b.Start) }

// remove removes the ranges that start inside of another one.
func (m *Memory) remove(in sm.Range) {
	m.spans = slices.DeleteFunc(m.spans, func(r sm.Range) bool { return in.Start <= r.Start && r.Start < in.End })
}

// Ranges lists the valid addresses, ascending and disjoint.
func (m *Memory) Ranges() []sm.Range { return m.spans }

// near describes the place of an address.
func (m *Memory) near(addr uint64) string {
	if addr >= addressEnd {
		return "device memory ends at 4 GiB: a pointer of the host, or a wild one"
	}
	if what, ok := m.isReserved(addr); ok {
		return what
	}
	for _, r := range m.freed {
		if addr >= r.Start && addr < r.End {
			return fmt.Sprintf("%d bytes behind the start of [%#x, %#x), which was freed", addr-r.Start, r.Start, r.End)
		}
	}
	best := "nothing is allocated"
	least := ^uint64(0)
	for _, r := range m.spans {
		switch {
		case addr >= r.Start && addr < r.End:
			return fmt.Sprintf("%d bytes behind the start of the allocation [%#x, %#x)", addr-r.Start, r.Start, r.End)
		case addr < r.Start && r.Start-addr < least:
			least = r.Start - addr
			best = fmt.Sprintf("%d bytes before the allocation [%#x, %#x)", least, r.Start, r.End)
		case addr >= r.End && addr-r.End < least:
			least = addr - r.End
			best = fmt.Sprintf("%d bytes behind the end of the allocation [%#x, %#x)", least, r.Start, r.End)
		}
	}
	return best
}
