package draw

import (
	"fmt"
	"strings"
)

// Buffer is a parameter of a kernel: the address of a buffer of memory, filled as by buf: of the
// command line.
type Buffer struct {
	Name, Spec string
}

// need is a register or variable that the prologue of a kernel sets up.
type need uint32

const (
	needLinear need = 1 << iota
	needCTA
	needGrid
	needInput
	needPrivate
	needWords // atomics on the grid's words
	needTally // atomics on the CTA's words
	needShared
	needExchange
	needLocal
	needFuel  // of recursion
	needTable // of function addresses
	needJumps // backward jumps of a thread
	needEdge
	needBoard // of messages
	needConst
	needBits // of the number of the thread, for special values
)

// emitter writes a kernel as PTX.
type emitter struct {
	k       *Kernel
	threads int // of a CTA
	grid    int // CTAs
	warp    int // threads of a warp
	flat    bool
	plan    *plan
	text    *strings.Builder // of the body at this place
	far     strings.Builder  // arms out of line, after the end
	fn      int              // function of this place, -1 for the kernel
	needs   need
	regs    [registers]bool // in use
	tallied uint            // words of the CTA in use
	labels  int
	loops   []loopLabels               // around this place
	counts  int                        // loops so far
	forms   map[string]bool            // types of registers that forms use
	mixed   [numClasses][mixtures]bool // in use
	numbers map[*Stmt]int              // of statements, in the order of Each, if Free
	image   *picture                   // nil: the kernel reads none
	marks   int                        // so far
}

type loopLabels struct {
	next, end   string
	counter     int
	synchronous bool
}

// bare reports whether the kernel is lean and has one CTA with a one-dimensional block. A thread's
// number is then that in its CTA.
func (e *emitter) bare() bool { return e.k.Lean && e.grid == 1 && e.flat }

// gid returns the register with the number of the thread in the grid.
func (e *emitter) gid() string {
	if e.bare() {
		e.needs |= needLinear
		return "%lin"
	}
	e.needs |= needGrid
	return "%gid"
}

// line adds an instruction.
func (e *emitter) line(format string, args ...any) {
	fmt.Fprintf(e.text, "\t"+format+"\n", args...)
}

// label puts a label here.
func (e *emitter) label(name string) { fmt.Fprintf(e.text, "%s:\n", name) }

// fresh returns label names with one new number.
func (e *emitter) fresh(names ...string) []string {
	e.labels++
	for i := range names {
		names[i] = fmt.Sprintf("L%d_%s", e.labels, names[i])
	}
	return names
}

// r returns the name of a register of the kernel.
func (e *emitter) r(i int) string {
	i %= registers
	e.regs[i] = true
	if !e.bare() {
		e.needs |= needGrid
	}
	return fmt.Sprintf("%%r%d", i)
}

// value loads the value of a condition into a register.
func (e *emitter) value(c *Cond) string {
	source := func() string {
		if c.Reg >= 0 {
			return e.r(c.Reg)
		}
		return e.gid()
	}
	switch c.Value {
	case CTA:
		e.needs |= needCTA
		return "%cta"
	case Counter:
		if n := len(e.loops); n > 0 {
			return fmt.Sprintf("%%c%d", e.loops[n-1].counter)
		}
		fallthrough
	case Thread:
		e.needs |= needLinear
		return "%lin"
	case Lane:
		e.line("mov.u32 %%v, %%laneid;")
	case Register:
		return e.r(max(c.Reg, 0))
	case Hash: // the finalizer of a multiplicative hash; its upper half is well mixed
		e.line("xor.b32 %%v, %s, %d;", source(), c.Salt)
		e.line("mul.lo.u32 %%v, %%v, 0x9E3779B1;")
		e.line("shr.u32 %%w, %%v, 15;")
		e.line("xor.b32 %%v, %%v, %%w;")
		e.line("mul.lo.u32 %%v, %%v, 0x85EBCA6B;")
		e.line("shr.u32 %%v, %%v, 16;")
	case Data:
		e.input(source(), c.Salt, 1)
		e.line("ld.global.u32 %%v, [%%at];")
	default:
		e.line("mov.u32 %%v, %d;", c.Salt)
	}
	return "%v"
}

// known evaluates a condition that takes no instructions, because it is constant and the kernel is
// lean.
func (e *emitter) known(c *Cond) (holds, ok bool) {
	if !e.k.Lean || c.Value != Constant {
		return false, false
	}
	switch v := c.Salt & c.Mask; c.Cmp {
	case "eq":
		return v == c.Limit, true
	case "ne":
		return v != c.Limit, true
	case "lt":
		return v < c.Limit, true
	}
	return c.Salt&c.Mask >= c.Limit, true
}

// where executes an instruction if a condition holds.
func (e *emitter) where(c *Cond, format string, args ...any) {
	guard := ""
	holds, known := e.known(c)
	if !known {
		e.test("%p", c)
		guard = "@%p "
	} else if !holds {
		return
	}
	e.line("%s"+format, append([]any{guard}, args...)...)
}

// test sets a predicate to a condition.
func (e *emitter) test(p string, c *Cond) {
	if c.Value == Constant {
		e.line("mov.u32 %%w, %d;", c.Salt&c.Mask)
		e.line("setp.%s.u32 %s, %%w, %d;", c.Cmp, p, c.Limit)
		return
	}
	v := e.value(c)
	if c.Mask != ^uint32(0) {
		e.line("and.b32 %%w, %s, %d;", v, c.Mask)
		v = "%w"
	}
	e.line("setp.%s.u32 %s, %s, %d;", c.Cmp, p, v, c.Limit)
}

// ownerMark begins the labels in front of the statements that settle may remove. The number is that
// of the statement, in the order of Each.
const ownerMark = "A"

// owns puts a label in front of a statement that settle may remove.
func (e *emitter) owns(s *Stmt) {
	if e.k.Free {
		e.label(fmt.Sprintf("%s%d", ownerMark, e.numbers[s]))
	}
}

// herds returns the mark of a herded instruction.
func (s *Stmt) herds() string {
	if s.Herd {
		return ".hrd"
	}
	return ""
}

// when returns the guard of a statement, if it has one.
func (e *emitter) when(s *Stmt) string {
	if s.Alt {
		return "@%g "
	}
	return ""
}

// turn is a placeholder for the instructions that advance the ownership of words. They are needed
// only if threads exchange words.
const turn = "// turn"

// moves reports whether threads exchange words.
func (e *emitter) moves() bool { return e.needs&(needShared|needExchange) != 0 }

// input sets %at to the address of a word of the input. Each index has a place of its own, with
// space for so many words.
func (e *emitter) input(index string, offset uint32, words int) {
	e.needs |= needInput
	e.line("add.u32 %%w, %s, %d;", index, offset)
	e.line("and.b32 %%w, %%w, %d;", e.k.Words-words)
	e.line("mul.wide.u32 %%at, %%w, 4;")
	e.line("add.u64 %%at, %%in, %%at;")
}

// vector returns the instruction suffix for an access of so many words.
func vector(words int) string {
	if words == 1 {
		return ""
	}
	return fmt.Sprintf(".v%d", words)
}

// few returns so many registers from first on, as an operand.
func (e *emitter) few(first, words int) string {
	if words == 1 {
		return e.r(first)
	}
	list := ""
	for i := range words {
		list += ", " + e.r((first+i)%registers)
	}
	return "{" + list[2:] + "}"
}

// private returns the offset of a private word.
func (e *emitter) private(n int) int {
	if n %= privateWords; !e.k.Apart {
		return 4 * n * e.threads * e.grid
	}
	return 4 * n
}

// variable returns a register with the address of an element of a variable in shared or local
// memory.
func (e *emitter) variable(name, index string, size int) string {
	if e.k.Short {
		e.line("mul.lo.u32 %%short, %s, %d;", index, size)
		e.line("mov.u32 %%w, %s;", name)
		e.line("add.u32 %%short, %%short, %%w;")
		return "%short"
	}
	e.line("mul.wide.u32 %%at, %s, %d;", index, size)
	e.line("mov.u64 %%base, %s;", name)
	e.line("add.u64 %%at, %%base, %%at;")
	return "%at"
}

// cell returns a register with the address of the thread's word of shared memory.
func (e *emitter) cell() string {
	e.needs |= needShared
	return e.variable("cells", "%place", cellBytes)
}

// cellsBytes is the size of the variable for the exchanged words.
func (e *emitter) cellsBytes() int { return cellBytes*e.threads + e.k.Room }

// printer writes an instruction into one part of the kernel or another.
type printer = func(format string, args ...any)

// operation writes the instructions of a table entry.
func (e *emitter) operation(s *Stmt, ptx string) {
	d := e.r(s.D)
	a, b := e.source(s, 1, s.A, classInteger), e.source(s, 2, s.B, classInteger)
	operands := strings.NewReplacer(
		" d,", " "+d+",", " d|", " "+d+"|", " d;", " "+d+";", " d}", " "+d+"}", " a,", " "+a+",", " a;", " "+a+
			";", " a}", " "+a+"}", "{a,", "{"+a+",",
		" b,", " "+b+",", " b;", " "+b+";", " b}", " "+b+"}", "{b,", "{"+b+",",
	)
	for _, in := range strings.SplitAfter(ptx, "; ") {
		guard := e.when(s)
		if strings.HasPrefix(in, "@") {
			guard = ""
		}
		e.line("%s%s", guard, operands.Replace(strings.TrimSpace(in)))
	}
}
