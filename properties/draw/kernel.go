package draw

import "slices"

// Kernel is the syntax tree of a random kernel. Every tree is a valid kernel, so a tree can be cut
// anywhere. A statement without a meaning at its place, such as a break outside of loops, emits no
// instructions (see PTX).
type Kernel struct {
	Body  []Stmt
	Funcs [][]Stmt // device functions
	Jumps int      // backward jumps of a thread
	Fuel  int      // calls of a thread that do not lead to a later function; the limit ends recursion
	Words int      // 32-bit words of read-only input, a power of two
	Short bool     // addresses of shared and local memory have 32 bits
	// Dynamic puts the exchanged words into dynamic shared memory.
	Dynamic bool
	Room    int    // bytes of shared memory after the exchanged words; the first thread of a CTA uses the last one
	Apart   bool   // a thread's private words are adjacent; otherwise those of neighbouring threads are
	Style   int    // of functions: see calls.go
	Message int    // from 1 on: how CTAs leave messages for each other at the end; 0: no messages
	Edge    int    // bytes of a buffer across whose end a thread reads or writes; 0: none
	Lean    bool   // without mere variety: constants fold, registers begin as the number of the thread
	Turn    int    // places by which the ownership of exchanged words advances at a barrier
	Odd     int    // bytes of local memory beside the frame; a thread uses the first and the last one
	Image   uint64 // seed of the texture of Texel
	Free    bool   // the golden model decides where barriers, votes and exits may be: see settle
}

// Stmt is a statement.
type Stmt struct {
	Kind    Kind
	Cond    Cond
	Op      int // Compute: index into operations; Atomic: cell
	D, A, B int // registers, 0 to Registers-1
	// N depends on the kind. Loop: most trips. Break, Continue: loops to leave. Goto: marks ahead.
	// Call: function. If: 1 puts the first arm out of line. Load, Put and the like: word.
	N   int
	Alt bool
	// loads and stores: by a generic address, of another space where the guard holds; Switch: by a table
	Generic bool
	Wide    uint8    // Load, Put, Get, Spill, Fill: log2 of the words, in D and the registers after it
	Type    uint8    // loads and stores: index into types
	Order   uint8    // loads and stores: index into orders
	Special uint32   // sources that are special values instead of registers: see special
	Herd    bool     // the branch of the statement, or the load of the input, is herded
	Body    [][]Stmt // If: then and else; Loop: one; Switch: cases
}

// Kind is the kind of a statement.
type Kind uint8

// These are the kinds of statements. Brackets contain the effect of Alt.
const (
	Compute  Kind = iota // D = A op B [only if the guard holds]
	Test                 // guard = Cond
	Load                 // D = input at A + N
	Put                  // private word N = A [only if the guard holds]
	Get                  // D = private word N
	Give                 // the thread's word of shared memory = A
	Take                 // D = the thread's word of shared memory
	Pass                 // the thread's word of its CTA's global memory = A
	Receive              // D = the thread's word of its CTA's global memory
	Spill                // word A mod 8 of local memory = B
	Fill                 // D = word A mod 8 of local memory
	Atomic               // commutative operation Op with A on a word of the grid [of the CTA]
	If                   // [the then-path comes after the else-path]
	Loop                 // up to N trips, the value of Cond says how many [tested at the end]
	Switch               // on the value of Cond [a case falls through into the next]
	Break                // out of N loops if Cond
	Continue             // to the next trip of the N-th loop if Cond
	Goto                 // to the N-th mark ahead [or back, while Jumps last] if Cond
	Mark                 // the target of a Goto
	Exit                 // if Cond [around a branch]
	// number N of the CTA, which reduces if Op is not 0 [with a thread count]; exchanged words change owners
	Barrier
	Call   // function N [by address: one of N and later ones, chosen by Cond]
	Return // from the function if Cond
	Vote   // D = result of operation Op on A of all threads of the warp
	// Swap sets D = private word N before operation Op with A on it. If Wide is not 0, D is the
	// word after the operation. [The word is the thread's word of shared memory.]
	Swap
	Fence  // of kind Op
	Roles  // barriers N and following of some warps of the CTA: see roles
	Apart  // If with a barrier N at the end of each side [by Op: see apart]
	Gather // Vote that threads with Cond reach before the others, some of which exit
	Count  // D = result of operation Op on A of the threads that are together
	Copy   // the thread's word of shared memory = input at A + N, asynchronously; in two groups if Op is not 0
	Leave  // threads with Cond exit, the others wait at barrier N: see desert
	// Race is an If whose sides each begin with a branch, so that the outcomes of both are in
	// flight together: see race.
	Race
	// Form sets D = form N of the computing instructions in the instruction table, of A, B and D:
	// see form.
	Form
	Fetch // D = word A + N of constant memory [of the first parameter of the kernel]
	Texel // D = what form Op reads of the image at A and B
	NumKinds
)

// String names k.
func (k Kind) String() string {
	return [...]string{
		"compute", "test", "load", "put", "get", "give", "take", "pass", "receive", "spill", "fill", "atomic",
		"if", "loop", "switch", "break", "continue", "goto", "mark", "exit", "barrier", "call", "return", "vote",
		"swap", "fence",
		"roles", "apart", "gather", "count", "copy", "leave", "race", "form", "fetch", "texel",
	}[k]
}

// Cond is a value of the thread, and a test of it: Value & Mask compared with Limit.
type Cond struct {
	Value Value
	Salt  uint32 // Constant: the value itself; Hash and Data: added to the source; Vote: random constants
	Reg   int    // Register, Hash and Data: the register, -1 for the number of the thread
	Mask  uint32
	Cmp   string // eq, ne, lt or ge
	Limit uint32
}

// Value is the source of a condition's value.
type Value uint8

// These are the sources of values.
const (
	Constant Value = iota
	CTA            // number of the CTA
	Thread         // number of the thread in its CTA
	Lane           // of the thread in its warp
	Counter        // of the innermost loop, or Thread
	Register
	Hash
	Data // of the input
)

// String names v.
func (v Value) String() string {
	return [...]string{"constant", "cta", "thread", "lane", "counter", "register", "hash", "data"}[v]
}

// uniform reports whether all threads of a CTA have the value.
func (c *Cond) uniform() bool { return c.Value == Constant || c.Value == CTA }

// uniform reports whether all threads of a CTA that reach a statement reach its bodies together.
func (s *Stmt) uniform() bool {
	return s.Kind != Apart && s.Kind != Leave && s.Kind != Race && s.Cond.uniform()
}

// These are sizes of a thread's data.
const (
	registers    = 4 // of the kernel itself, besides those of the generated code
	privateWords = 4
	localWords   = 8
	cellBytes    = 8  // of the words that threads exchange
	tallyBytes   = 64 // of shared memory, at most, besides those
)

// Statements returns the number of statements.
func (k *Kernel) Statements() (n int) {
	k.Each(func(*Stmt, int) { n++ })
	return n
}

// bodies returns the blocks of a statement in the order of the text.
func (s *Stmt) bodies() [][]Stmt {
	if s.Kind == If && s.Alt && len(s.Body) == 2 {
		return [][]Stmt{s.Body[1], s.Body[0]}
	}
	return s.Body
}

// has reports whether the kernel has a statement of a kind.
func (k *Kernel) has(kind Kind) (found bool) {
	k.Each(func(s *Stmt, _ int) { found = found || s.Kind == kind })
	return found
}

// exits reports whether threads can end before others.
func (k *Kernel) exits() bool { return k.has(Exit) || k.has(Gather) || k.has(Leave) }

// clone returns a deep copy of k.
func (k Kernel) clone() Kernel {
	k.Body = cloneBlock(k.Body)
	k.Funcs = slices.Clone(k.Funcs)
	for i, body := range k.Funcs {
		k.Funcs[i] = cloneBlock(body)
	}
	return k
}

func cloneBlock(b []Stmt) []Stmt {
	c := slices.Clone(b)
	for i := range c {
		c[i].Body = slices.Clone(c[i].Body)
		for j := range c[i].Body {
			c[i].Body[j] = cloneBlock(c[i].Body[j])
		}
	}
	return c
}

// Each calls f for each statement of the kernel, then for those of its functions.
func (k *Kernel) Each(f func(s *Stmt, depth int)) {
	walk(k.Body, 0, f)
	for _, body := range k.Funcs {
		walk(body, 0, f)
	}
}

// walk calls f for each statement in the order of the text, with its nesting depth.
func walk(b []Stmt, depth int, f func(s *Stmt, depth int)) {
	for i := range b {
		f(&b[i], depth)
		for _, inner := range b[i].bodies() {
			walk(inner, depth+1, f)
		}
	}
}
