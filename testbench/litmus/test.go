package litmus

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Test is a litmus test.
type Test struct {
	Name    string
	Source  string // origin of its verdicts
	vars    []variable
	threads []thread
	claims  []claim
	Place   string // file:line of its first line
}

// variable is a location of 4 bytes, 0 at first.
type variable struct {
	Name   string
	Shared bool // in the shared memory of the CTA whose threads use it
}

// thread is a column of a test.
type thread struct {
	CTA   int
	Insts []inst
	Regs  int // registers are r0 to r(Regs-1)
}

// accesses reports whether the thread accesses a variable.
func (t *thread) accesses(v int) bool {
	return slices.ContainsFunc(t.Insts, func(in inst) bool { return (in.reads() || in.writes()) && in.Var == v })
}

// opcode is the operation of an instruction.
type opcode uint8

// The operations.
const (
	opLoad opcode = iota
	opStore
	opAtomic // atom, or red if it has no destination
	opFence
	opCompute
)

// memoryOrder is the memory order of an instruction.
type memoryOrder uint8

// These are the memory orders. Only fences are SC.
const (
	orderWeak memoryOrder = iota
	orderRelaxed
	orderAcquire
	orderRelease
	orderAcqRel
	orderSC
)

// scope is the set of threads that a strong operation may synchronise with.
type scope uint8

// These are the scopes. All threads of a test run on one device, so scopeGPU and scopeSystem contain
// the same threads.
const (
	scopeCTA scope = iota
	scopeGPU
	scopeSystem
)

// inst is an instruction. Its text is PTX, except for the names of variables and registers.
type inst struct {
	Text  string
	Op    opcode
	Order memoryOrder
	Scope scope
	Space string // "global", "shared", or "" for a generic address
	Kind  string // of an atomic or a computation, such as "add"
	Var   int    // memory operations
	Dst   int    // register, -1 if there is none
	Src   []operand
}

// operand is a register, or a constant if Reg is -1.
type operand struct {
	Reg   int
	Value uint32
}

func (in *inst) reads() bool  { return in.Op == opLoad || in.Op == opAtomic }
func (in *inst) writes() bool { return in.Op == opStore || in.Op == opAtomic }
func (in *inst) acquires() bool {
	return in.Order == orderAcquire || in.Order == orderAcqRel || in.Op == opFence && in.Order == orderSC
}

func (in *inst) releases() bool {
	return in.Order == orderRelease || in.Order == orderAcqRel || in.Op == opFence && in.Order == orderSC
}

// Outcome holds the registers of all threads, then the final values of the variables.
type Outcome string // of 4 bytes each, as a string because it is a key of maps

func newOutcome(values []uint32) Outcome {
	var b strings.Builder
	for _, v := range values {
		b.Write([]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
	}
	return Outcome(b.String())
}

// value returns value i of the outcome.
func (o Outcome) value(i int) uint32 {
	return uint32(o[4*i])<<24 | uint32(o[4*i+1])<<16 | uint32(o[4*i+2])<<8 | uint32(o[4*i+3])
}

// values is the number of values of an outcome.
func (t *Test) values() int { return t.reg(len(t.threads), 0) + len(t.vars) }

// reg is the index of a register in an outcome.
func (t *Test) reg(thread, reg int) int {
	for i := range t.threads[:thread] {
		reg += t.threads[i].Regs
	}
	return reg
}

// final is the index of the final value of a variable in an outcome.
func (t *Test) final(v int) int { return t.reg(len(t.threads), v) }

// Show writes an outcome as the condition that only it satisfies.
func (t *Test) Show(o Outcome) string {
	var parts []string
	for i := range t.threads {
		for r := range t.threads[i].Regs {
			parts = append(parts, fmt.Sprintf("T%d:r%d=%d", i, r, o.value(t.reg(i, r))))
		}
	}
	for v := range t.vars {
		parts = append(parts, fmt.Sprintf("%s=%d", t.vars[v].Name, o.value(t.final(v))))
	}
	return strings.Join(parts, " ")
}

// ctas is the number of CTAs with threads of the test.
func (t *Test) ctas() int {
	n := 0
	for i := range t.threads {
		n = max(n, t.threads[i].CTA+1)
	}
	return n
}

// shares reports whether a variable is in shared memory.
func (t *Test) shares() bool {
	return slices.ContainsFunc(t.vars, func(v variable) bool { return v.Shared })
}

// claim is the author's verdict on the outcomes of a condition: they are allowed, or forbidden.
type claim struct {
	Allow bool
	Text  string
	Of    [][]comparison // disjunction of conjunctions
}

// comparison compares a register or a final value with a constant.
type comparison struct {
	At    int // index in an outcome
	Equal bool
	Value uint32
}

// holds reports whether the condition holds for an outcome.
func (c *claim) holds(o Outcome) bool {
	return slices.ContainsFunc(c.Of, func(terms []comparison) bool {
		return !slices.ContainsFunc(terms, func(t comparison) bool { return (o.value(t.At) == t.Value) != t.Equal })
	})
}

// WrongClaim is a claim that the model contradicts.
type WrongClaim struct {
	test  *Test
	claim *claim
	has   Outcome // an outcome that the model allows and the claim forbids; "": the claim allows more than the model
}

// Error names the test and the claim, and the outcome that contradicts it.
func (w *WrongClaim) Error() string {
	if w.has == "" {
		return fmt.Sprintf("%s: test %s: the model allows no outcome with %s", w.test.Place, w.test.Name, w.claim.Text)
	}
	return fmt.Sprintf("%s: test %s: the model allows %s, which is against: forbid %s",
		w.test.Place, w.test.Name, w.test.Show(w.has), w.claim.Text)
}

// judge compares the claims of a test with the outcomes that the model allows. The error has a
// WrongClaim for each contradiction.
func (t *Test) judge(allowed []Outcome) error {
	var wrong []error
	for i := range t.claims {
		c := &t.claims[i]
		at := slices.IndexFunc(allowed, c.holds)
		switch {
		case c.Allow && at < 0:
			wrong = append(wrong, &WrongClaim{test: t, claim: c})
		case !c.Allow && at >= 0:
			wrong = append(wrong, &WrongClaim{test: t, claim: c, has: allowed[at]})
		}
	}
	return errors.Join(wrong...)
}
