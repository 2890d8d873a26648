package ptx

import "divergo/isa"

// Module is a parsed PTX file. Parse checks its syntax and its module-level variables. Program
// checks the instructions of a kernel when it lowers it, so that an unsupported kernel does not
// keep others from running. A Module does not change after Parse, and goroutines may share it.
type Module struct {
	file        string
	src         string
	version     int // 10 times major plus minor: 14 is PTX ISA 1.4
	target      int // 35 is sm_35
	mapF64      bool
	addressBits int              // as declared, or 0
	fileNames   []string         // of .file directives, in their order
	fileAt      map[uint64]int32 // index by number
	scope       *scope           // module-level names
	variables   *scope           // those of variables, for the kernels
	globals     []isa.Global
	regs        []*regDecl // module-level registers
	vars        []*variable
	inner       []*variable // .global and .const variables of blocks
	funcs       []*function // device functions, in the order of their first declaration
	functions   map[string]*function
	aliases     []alias
	taken       []*function // functions whose addresses initialisers hold
	kernels     []*kernel
	named       map[string]int // index into kernels
	base        uint64         // address of the first variable
	constBytes  uint64         // of the .const variables, which lie at the start of the module's memory
	printer     uint64         // address of the print buffer, 0 if nothing prints
}

// kernel is an .entry (section 11.2.1).
type kernel struct {
	name       string
	pos        isa.Pos
	params     []*variable
	maxThreads uint32
	reqThreads [3]uint32
	pragmas    []pragma
	clusters   word // a directive that requires clusters, or none
	body       *block
}

// block is { ... }: a scope of registers, variables and labels.
type block struct {
	stmts []stmt
	end   isa.Pos // of the brace that closes it
}

// stmt is a statement: *instruction, *label, *block, *regDecl, *variable,
// *prototype, *targets, *branchTargets, location or pragma.
type stmt any

// word is a name and its place.
type word struct {
	text string
	pos  isa.Pos
}

// pragma is a string of a .pragma directive (section 11.4).
type pragma word

// label defines a branch target.
type label word

// location is a .loc directive: the source of the instructions that follow.
type location struct {
	file     uint64
	line     int32
	callFile uint64 // inlining place of their function; line 0: none
	callLine int32
}

// instruction is one machine instruction (section 4.3.2).
type instruction struct {
	guard    *guard
	name     word   // opcode up to the first dot: "ld"
	words    []word // the words behind it, without dots: "global", "v4", "f32"
	operands []operand
	call     *callSite
	known    bool // the opcode is in the table; otherwise its operands were skipped
	text     string
}

// guard is @p or @!p.
type guard struct {
	reg word
	not bool
}

// operandKind is the syntax of an operand.
type operandKind uint8

const (
	nameOperand    operandKind = iota // %r1, %tid.x, variable, variable+4, _, $label
	constOperand                      // 5, -1, 0f3F800000
	addressOperand                    // [%rd1+8], [variable], [16]
	vectorOperand                     // {%r1, %r2}
)

// operand is one operand of an instruction as written.
type operand struct {
	kind  operandKind
	pos   isa.Pos
	not   bool      // !name
	neg   bool      // -name, of vmad
	name  string    // nameOperand; base of an addressOperand unless it is a constant
	pair  *word     // the q of p|q
	value constant  // constOperand; base of an addressOperand without a name
	off   int64     // name+off, [base+off]
	index uint64    // 1 plus the index of name[index], or 0
	elems []operand // vectorOperand; an addressOperand of a texture and its coordinates
}

// regDecl declares the register name, or with count > 0 the registers name0 to name(count-1)
// (section 5.4.6).
type regDecl struct {
	name   word
	typ    isa.Type // NoType for a type that is not supported
	words  string   // the type as written
	count  uint64
	vector int // 2 or 4 elements of a vector, or 0
}

// linking is the visibility of a name in other modules (section 11.6).
type linking uint8

const (
	linkNone linking = iota
	linkExtern
	linkDefined // .visible, .weak, .common
)

// variable is a variable or parameter in memory (section 5.4).
type variable struct {
	name   word
	space  isa.Space
	link   linking
	typ    isa.Type // of an element
	words  string   // the type as written
	vector uint64   // 2 or 4 elements of a vector, or 0
	opaque bool     // a texture or surface reference
	align  uint64
	size   uint64 // bytes; 0 for an array without a length
	init   []byte
	relocs []reloc
	addr   uint64 // in its own space, once laid out

	argument bool   // a .param variable in a block, for calls
	why      string // not empty: the reason for which the variable cannot be used
}

// reloc is an address in the initialiser of a variable.
type reloc struct {
	at     uint64 // byte offset in the variable
	bytes  int    // size of the datum
	symbol word
	off    int64
	mask   uint64 // part of the address that is stored; 0: all
}
