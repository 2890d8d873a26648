package isa

import "slices"

// NoPC marks the absence of an instruction. It is the reconvergence PC of a branch whose paths meet
// only at the exit, and the target of an instruction without one.
const NoPC = ^uint32(0)

// InstBytes is the size of one instruction, in bytes, where a paper counts bytes.
const InstBytes = 8

// Pos is a place in a source text, counted from 1; the zero Pos is unknown.
type Pos struct {
	Line, Col int32
}

// Loc is a place in the source that PTX was compiled from, as its .loc directive gives it. File
// indexes Program.Files.
type Loc struct {
	File, Line int32

	// Where the function of this place was inlined, by inlined_at of the directive. Line 0 means
	// not inlined.
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

// Global is a module-level variable of the .global or .const space. Lowering fixes the addresses,
// so that instructions hold them as immediates.
type Global struct {
	Name  string
	Space Space
	Addr  uint64
	Size  uint64
	Init  []byte // at most Size bytes; the rest is zero
}

// Reference is a variable of the module through which a program reads a texture or a surface.
type Reference struct {
	Name, Kind string // Kind: texref or surfref
	Addr       uint64
	Pos        Pos // of the program's first use of it
}

// Local is a variable of the .shared or .local space.
type Local struct {
	Name   string
	Space  Space
	Offset uint32
	Size   uint32 // 0: unsized extern array, which starts after the sized ones
}

// Label names a PC.
type Label struct {
	Name string
	PC   uint32
}

// The print buffer of a module, which holds the output of its kernels. Four bytes hold the length
// of all records, four the number of records that did not fit; then come the records. A record is
// the address of a format and the arguments in vprintf's layout.
const (
	PrintBytes = 1 << 20 // CUDA's default (Programming Guide, limitations of formatted output)
	PrintHead  = 8
)

// Format is a string with which the program prints arguments, as package printf reads it.
type Format struct {
	Addr uint64
	Text string
}

// Program is one kernel entry in machine form. It is immutable after lowering and analysis. The
// machine and the golden model share nothing else.
type Program struct {
	Name        string
	File        string   // the PTX file, for diagnostics
	Module      any      // its module, for comparison only: kernels of one module share its variables
	Files       []string // sources named by .file, indexed by Loc.File
	Insts       []Inst
	Regs        []Reg    // general registers, indexed by OperandReg operands
	Preds       []string // predicate registers, indexed by OperandPred operands
	Params      []Param
	ParamBytes  uint32
	Globals     []Global    // of the whole module
	References  []Reference // named by the kernel and its functions
	Vars        []Local     // shared and local variables
	SharedBytes uint32      // statically allocated shared memory of a CTA
	SharedAlign uint32      // alignment of the dynamic part that follows
	LocalBytes  uint32      // local memory of a thread
	Labels      []Label     // ascending by PC
	AddressBits uint8       // 32 or 64
	Target      int         // target of the module: 70 for sm_70
	MaxThreads  uint32      // of a CTA, by .maxntid or .reqntid; 0: no limit
	ReqThreads  [3]uint32

	// Transformations that a kernel can disable if it relies on the threads of a warp. Without
	// compaction, static warps stay (Fung & Aamodt, HPCA 2011, section 3.2). Without lane
	// permutation, threads keep the order of their lanes (Rhu & Erez, ISCA 2013, section 4).
	NoCompaction      bool // .pragma "divergo.no_compaction"
	NoLanePermutation bool // .pragma "divergo.no_lane_permutation"

	HerdLimit int // herded instructions of a launch before herding stops; 0: no limit. See Herding

	// Textured is the same kernel with each tex and tld4 as one instruction, and one for the address
	// of each suld, sust and sured, for machines with a texture unit. In Insts they are loads and
	// arithmetic. It is nil if the kernel has none of them.
	Textured *Program

	Blocks    []Block   // filled in by Analyze
	LiveRegs  int       // most 32-bit registers live at one PC, by Analyze
	Origin    []uint32  // by PC, if instructions have been inserted: the PC before insertion
	Funcs     []Func    // functions that the kernel can call, ascending by Entry, behind the kernel
	Recursive bool      // frames of functions lie on a stack in local memory, behind LocalBytes
	Frame     uint16    // register that holds the end of the stack, if Recursive
	Printer   uint64    // address of the print buffer, 0 if there is none
	Formats   []Format  // with which the kernel prints
	Warnings  []Warning // of the mechanism whose instructions have been inserted
	Notes     []Warning // of the program itself
	addressed []int     // indices of Funcs with an address, ascending by address
	landing   []uint32  // inverse of Origin: destination of a jump to each PC before insertion
}

// Block is a basic block: the instructions [Start, End).
type Block struct {
	Start, End uint32
	Succs      []int // block indices; fall-through first, then the taken target
	Preds      []int
	IPDom      int // immediate post-dominator, -1 for the virtual exit
	IDom       int // immediate dominator, -1 for the entry block
}

// Where is the source position of pc in the form "file:line". It lies in the original source if the
// PTX names it, and otherwise in the PTX file.
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

// Called is the line that calls the inlined function containing pc, if the PTX gives that line. It
// is Where otherwise.
func (p *Program) Called(pc uint32) string {
	if int(pc) < len(p.Insts) {
		if at := p.Insts[pc].Loc; at.CallLine > 0 && int(at.CallFile) < len(p.Files) {
			return p.Files[at.CallFile] + ":" + itoa(at.CallLine)
		}
	}
	return p.Where(pc)
}

// Near is the line of the kernel's own file for the instruction at pc: Called, if it was inlined.
// For an instruction from another file, such as a CUDA header, it is the next line behind it of the
// kernel's own file. That line uses the result.
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
