package isa

import "slices"

// NoPC marks the absence of an instruction: a reconvergence PC of a branch
// whose paths meet only at the exit, or the target of an instruction that does
// not branch.
const NoPC = ^uint32(0)

// InstBytes is what one instruction counts for where a paper counts bytes.
const InstBytes = 8

// Pos is a place in a source text, counted from 1; the zero Pos is unknown.
type Pos struct {
	Line, Col int32
}

// Loc is a place in the source that PTX was compiled from, as its .loc
// directive gives it. File indexes Program.Files.
type Loc struct {
	File, Line int32

	// Where the function that it is in was inlined, as inlined_at of the directive gives it; line 0: nowhere.
	CallFile, CallLine int32
}

// Reg names a virtual register: its name and type as declared.
type Reg struct {
	Name string
	Type Type
}

// Param is one kernel parameter in the parameter bank.
type Param struct {
	Name   string
	Type   Type
	Offset uint32 // bytes from the start of the bank
	Size   uint32 // bytes
	Align  uint32
}

// Global is a module-level variable of the .global or .const space. Addresses
// are fixed when the module is lowered, so that instructions hold them as
// immediates.
type Global struct {
	Name  string
	Space Space
	Addr  uint64
	Size  uint64
	Init  []byte // at most Size bytes, the rest is zero
}

// Reference is a variable of the module through which a program reads a texture or a surface.
type Reference struct {
	Name, Kind string // Kind: texref or surfref
	Addr       uint64
	Pos        Pos // where the program names it first
}

// Local is a variable of the .shared or .local space.
type Local struct {
	Name   string
	Space  Space
	Offset uint32
	Size   uint32 // 0: unsized extern array, which starts after the sized ones
}

// Label is a name of a PC.
type Label struct {
	Name string
	PC   uint32
}

// The print buffer of a module, where its kernels leave what they print: 4 bytes
// for the length of all records, 4 for the number of those that it has no room
// for, and the records. A record is the address of a format and the arguments as
// vprintf gets them.
const (
	PrintBytes = 1 << 20 // as CUDA has it by default (Programming Guide, limitations of formatted output)
	PrintHead  = 8
)

// Format is a string that the program prints arguments with, as package printf
// reads it.
type Format struct {
	Addr uint64
	Text string
}

// Program is one kernel entry in machine form. It is immutable once lowered
// and analysed, and is the only thing that the machine and the golden model
// have in common.
type Program struct {
	Name        string
	File        string   // the PTX file, for diagnostics
	Module      any      // what it is a kernel of, to be compared only: kernels of one module share its variables
	Files       []string // sources named by .file, indexed by Loc.File
	Insts       []Inst
	Regs        []Reg    // general registers, indexed by OperandReg operands
	Preds       []string // predicate registers, indexed by OperandPred operands
	Params      []Param
	ParamBytes  uint32
	Globals     []Global    // of the whole module
	References  []Reference // that the kernel and its functions name
	Vars        []Local     // shared and local variables
	SharedBytes uint32      // statically allocated shared memory of a CTA
	SharedAlign uint32      // alignment of the dynamic part that follows
	LocalBytes  uint32      // local memory of a thread
	Labels      []Label     // ascending by PC
	AddressBits uint8       // 32 or 64
	Target      int         // of the module: 70 for sm_70
	MaxThreads  uint32      // of a CTA, by .maxntid or .reqntid; 0: no limit
	ReqThreads  [3]uint32

	// What a kernel can switch off, since it relies on the threads of a warp: thread
	// block compaction keeps static warps (Fung & Aamodt, HPCA 2011, section 3.2), and threads keep
	// the order of their lanes (Rhu & Erez, ISCA 2013, section 4).
	NoCompaction      bool // .pragma "divergo.no_compaction"
	NoLanePermutation bool // .pragma "divergo.no_lane_permutation"

	HerdLimit int // herded instructions of a launch until herding stops; 0: never. See Herding

	Blocks    []Block   // filled in by Analyze
	LiveRegs  int       // most 32-bit registers live at once, by Analyze
	Origin    []uint32  // by PC, if instructions have been inserted: the PC before that
	Funcs     []Func    // that the kernel calls, ascending by Entry, behind the kernel
	Recursive bool      // frames of functions are on a stack in local memory, behind LocalBytes
	Frame     uint16    // register that holds where the stack ends, if Recursive
	Printer   uint64    // address of the print buffer, 0 without
	Formats   []Format  // that the kernel prints with
	Warnings  []Warning // of a mechanism that instructions have been inserted for
	Notes     []Warning // of the program itself
	addressed []int     // Funcs that have an address, ascending by that
	landing   []uint32  // inverse of Origin: where who jumps to a PC before insertion has to go
}

// Block is a basic block: the instructions [Start, End).
type Block struct {
	Start, End uint32
	Succs      []int // block indices; fall-through first, then the taken target
	Preds      []int
	IPDom      int // immediate post-dominator, -1 for the virtual exit
	IDom       int // immediate dominator, -1 for the entry block
}

// Where is the source position of pc in the form "file:line" of the original
// source if the PTX names it, or else of the PTX file.
func (p *Program) Where(pc uint32) string {
	if int(pc) >= len(p.Insts) {
		return p.File
	}
	in := &p.Insts[pc]
	if in.Loc.Line > 0 && int(in.Loc.File) < len(p.Files) {
		return p.Files[in.Loc.File] + ":" + itoa(in.Loc.Line)
	}
	return p.File + ":" + itoa(in.Pos.Line)
}

// Called is the line that calls the function which the instruction at pc comes from, if it was
// inlined and the PTX says where; otherwise Where.
func (p *Program) Called(pc uint32) string {
	if int(pc) < len(p.Insts) {
		if at := p.Insts[pc].Loc; at.CallLine > 0 && int(at.CallFile) < len(p.Files) {
			return p.Files[at.CallFile] + ":" + itoa(at.CallLine)
		}
	}
	return p.Where(pc)
}

// Near is the line of the kernel's own file that an instruction belongs to: Called, or for
// one that comes from another file, such as a header of CUDA, the next line of that file
// behind it, where its result is used.
func (p *Program) Near(pc uint32) string {
	if int(pc) < len(p.Insts) && p.Insts[pc].Loc.CallLine > 0 {
		return p.Called(pc)
	}
	home := slices.IndexFunc(p.Insts, func(in Inst) bool { return in.Loc.Line > 0 })
	for at := pc; home >= 0 && int(at) < len(p.Insts); at++ {
		if l := p.Insts[at].Loc; l.Line > 0 && l.File == p.Insts[home].Loc.File {
			return p.Where(at)
		}
	}
	return p.Where(pc)
}
