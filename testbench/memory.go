package testbench

import (
	"fmt"
	"slices"

	"divergo/isa"
	"divergo/sm"
)

// allocAlign is the alignment of an allocation: enough for any type and for
// whole cache lines (CUDA C Programming Guide, device memory accesses).
const allocAlign = 256

// addressEnd is the first address that 32-bit pointers do not reach.
const addressEnd = 1 << 32

// MaxMemory is the device memory that the host can allocate, in bytes. A machine
// that simulates thousands of cycles in a millisecond has no use for more, and
// would take several times as much of the computer that it runs on.
const MaxMemory = 512 << 20

// maxLocal is the local memory of all threads that can be resident at once, in
// bytes. What is not written to costs little.
const maxLocal = 2 << 30

// Memory is the host's book of device memory: which addresses hold an
// allocation. The bytes themselves are in the device.
//
// At least one byte stays free behind every allocation, so that a thread that
// runs over the end faults instead of reading its neighbour.
type Memory struct {
	next  uint64     // first free address
	taken uint64     // bytes allocated
	spans []sm.Range // allocations and module variables, ascending
}

// NewMemory is an empty book.
func NewMemory() *Memory { return &Memory{next: isa.GlobalBase} }

// Alloc reserves bytes of fresh memory and returns its address, a multiple of
// 256. It fails when MaxMemory is used up.
func (m *Memory) Alloc(bytes uint64) (uint64, error) {
	addr := m.next
	if left := MaxMemory - min(m.taken, MaxMemory); bytes > left {
		return 0, fmt.Errorf("device memory: %d bytes asked for, %d left of %d", bytes, left, MaxMemory)
	}
	m.taken += bytes
	m.next = (addr + bytes + allocAlign) &^ (allocAlign - 1)
	if bytes > 0 {
		m.add(sm.Range{Start: addr, End: addr + bytes})
	}
	return addr, nil
}

// add enters a range of addresses that are valid.
func (m *Memory) add(r sm.Range) {
	at, _ := slices.BinarySearchFunc(m.spans, r, func(a, b sm.Range) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
	m.spans = slices.Insert(m.spans, at, r)
}

// remove takes ranges out that start below end. Module variables lie below all
// allocations and change with the module.
func (m *Memory) remove(end uint64) {
	m.spans = slices.DeleteFunc(m.spans, func(r sm.Range) bool { return r.Start < end })
}

// Ranges lists the valid addresses, ascending and disjoint.
func (m *Memory) Ranges() []sm.Range { return m.spans }
