package memsys

import (
	"divergo/isa"
	"divergo/memsys/dram"
)

// Line and ByteMask are the data of a cache line and a set of its bytes.
type (
	Line     = dram.Line
	ByteMask = dram.ByteMask
)

// Request is a packet from an L1 or a read-only cache to an L2 slice. All requests of an L1 to one
// slice arrive in the order in which they were sent. The L1 relies on this.
type Request struct {
	Kind   Kind       `bits:"3"`
	Src    uint16     `bits:"11"` // destination of the Response: the input of the request network
	Dst    uint8      `bits:"6"`  // slice
	ID     uint8      // Load, Atomic: MSHR that waits
	Client uint8      `bits:"2" if:"clients"` // of the SM: see Clients
	Epoch  uint8      `bits:"3"`              // fence epoch of the L1
	First  bool       // Load, Store: the line makes room before others (.cs)
	Off    uint8      `bits:"7"` // Atomic, Reduce: first byte in the line
	Size   uint8      `bits:"4"` // Atomic, Reduce: bytes
	Atom   isa.AtomOp // Atomic, Reduce
	Type   isa.Type   // Atomic, Reduce
	Line   uint64     `bits:"address"` // address of the line
	A, B   uint64     // Atomic, Reduce: operands
	Mask   ByteMask   `len:"1" bits:"line"` // Store: bytes to write; Load: bytes of sectors to read, none for the line
	Data   Line       `len:"line"`          // Store
}

// headerBytes is the size of a packet without data (GPGPU-Sim 2.1.1b).
const headerBytes = 8

// Bytes returns the size of the packet on the network. A store carries the bytes that it writes,
// and a mask of 8 bytes for each 64 bytes of the line.
func (r *Request) Bytes() int {
	switch r.Kind {
	case Store:
		mask := 8
		if r.Mask[1] != 0 {
			mask = 16
		}
		return headerBytes + mask + r.Mask.Count()
	case Atomic, Reduce:
		return headerBytes + 2*int(r.Size)
	}
	return headerBytes
}

// Port returns the slice that the packet goes to.
func (r *Request) Port() int { return int(r.Dst) }

// Response is a packet from an L2 slice to the source of the Request. A Store or Reduce is answered
// when every SM sees its effect.
type Response struct {
	Kind   Kind   `bits:"3"` // of the Request
	Dst    uint16 `bits:"11"`
	ID     uint8  // of the Request
	Client uint8  `bits:"2" if:"clients"` // of the Request
	Epoch  uint8  `bits:"3"`              // of the Request
	Size   uint8  // bytes of data carried
	Data   Line   `len:"line"` // Load: the line; Atomic: the old value, at its offset in the line
}

// Bytes returns the size of the packet on the network.
func (r *Response) Bytes() int { return headerBytes + int(r.Size) }

// Port returns the SM that the packet goes to.
func (r *Response) Port() int { return int(r.Dst) }
