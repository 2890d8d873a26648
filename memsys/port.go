package memsys

import "divergo/isa"

// MaxLine is the longest cache line in bytes.
const MaxLine = 128

// Kind is the kind of a memory access.
type Kind uint8

// The kinds of accesses. Only L2 slices receive FlushAll: the CTA dispatcher sends it to each slice
// at the end of a kernel.
const (
	Load     Kind = iota
	Store         // posted: answered once the memory system has taken it
	Atomic        // returns the old value of each lane
	Reduce        // an atomic that returns nothing, posted
	Fence         // orders every earlier access of the SM before every later one
	Flush         // end of a kernel: the L1 writes back and forgets everything
	FlushAll      // the L2 slice writes back and forgets everything
	Sample        // a packet of a texture instruction: the texture unit answers the last one
)

var kindNames = [...]string{"load", "store", "atomic", "reduce", "fence", "flush", "flush_all", "sample"}

// String returns the name shown in waveforms.
func (k Kind) String() string { return name(kindNames[:], int(k)) }

// name returns names[i], or a question mark for a value outside the enumeration.
func name(names []string, i int) string {
	if i >= len(names) {
		return "?"
	}
	return names[i]
}

// Access is one memory instruction of a warp, as the load/store unit sends it. Addresses are
// physical: local memory is mapped and generic space resolved. They are aligned to Size and
// checked.
type Access struct {
	Tag    uint16                  // returned with the Reply
	Kind   Kind                    `bits:"3"`
	Shared bool                    // addresses are offsets into the shared memory of the SM; otherwise global memory
	Stack  bool                    // Store: the bytes after these in their line are not in use
	Herd   bool                    // Load: all lanes read one block
	Space  isa.Space               // of the program: const, texture, local, or else global
	Size   uint8                   `bits:"5"` // bytes per lane: 1, 2, 4, 8 or 16; Atomic, Reduce: 2, 4 or 8
	Cache  isa.CacheOp             // Load, Store
	Atom   isa.AtomOp              // Atomic, Reduce
	Type   isa.Type                // Atomic, Reduce, Sample
	Tex    isa.Tex                 `if:"textures"` // Sample
	More   bool                    `if:"textures"` // Sample: the next packet belongs to the same instruction
	Mask   uint32                  `bits:"lanes"`  // active lanes
	Addr   [isa.RowLanes]uint64    `len:"lanes" bits:"address"`
	Data   [isa.RowLanes][2]uint64 `len:"lanes" bits:"word"` // store data as little-endian words, or the atomic operands a and b
}

// The packets of a texture instruction, of kind Sample, follow one another. The first has the
// addresses of the descriptions of textures, the second those of samplers. Each has the next four
// operands of 32 bits as data.

// ViolationKind tells what is wrong with an access of the texture unit.
type ViolationKind uint8

// The kinds of violations.
const (
	NoViolation ViolationKind = iota
	OutOfBounds
	Misaligned
)

// Violation is an access of the texture unit that the program may not make.
type Violation struct {
	Kind ViolationKind `bits:"2"`
	Lane uint8         `bits:"5"`
	Size uint8         // bytes
	Addr uint64
}

// Reply reports that an instruction is complete. Every Access gets exactly one:
//   - loads and atomics, when the data of all lanes has arrived;
//   - stores and reductions, when the memory system has taken them;
//   - fences and flushes, when every earlier access of the SM has been performed at the L2.
type Reply struct {
	Tag  uint16
	Mask uint32                  `bits:"lanes"`            // active lanes of the Access
	Data [isa.RowLanes][2]uint64 `len:"lanes" bits:"word"` // Load, Atomic: zero-extended little-endian words of the active lanes
	// Sample: the first access that the program may not make. Then there are no data.
	Fault Violation `if:"textures"`
}
