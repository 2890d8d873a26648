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
	Vars    []Var
	Threads []Thread
	Claims  []Claim
	Place   string // file:line of its first line
}

// Var is a location of 4 bytes, 0 at first.
type Var struct {
	Name   string
	Shared bool // in the shared memory of the CTA whose threads use it
}

// Thread is a column of a test.
type Thread struct {
	CTA   int
	Insts []Inst
	Regs  int // registers are r0 to r(Regs-1)
}

// accesses reports whether the thread accesses a variable.
func (t *Thread) accesses(v int) bool {
	return slices.ContainsFunc(t.Insts, func(in Inst) bool { return (in.reads() || in.writes()) && in.Var == v })
}

// Op is the operation of an instruction.
type Op uint8

// The operations.
const (
	Load Op = iota
	Store
	Atomic // atom, or red if it has no destination
	Fence
	Compute
)

// Order is the memory order of an instruction.
type Order uint8

// These are the memory orders. Only fences are SC.
const (
	Weak Order = iota
	Relaxed
	Acquire
	Release
	AcqRel
	SC
)

// Scope is the set of threads that a strong operation may synchronise with.
type Scope uint8

// These are the scopes. All threads of a test run on one device, so GPU and System contain the same
// threads.
const (
	CTA Scope = iota
	GPU
	System
)

// Inst is an instruction. Its text is PTX, except for the names of variables and registers.
type Inst struct {
	Text  string
	Op    Op
	Order Order
	Scope Scope
	Space string // "global", "shared", or "" for a generic address
	Kind  string // of an atomic or a computation, such as "add"
	Var   int    // memory operations
	Dst   int    // register, -1 if there is none
	Src   []Operand
}

// Operand is a register, or a constant if Reg is -1.
type Operand struct {
	Reg   int
	Value uint32
}

func (in *Inst) reads() bool  { return in.Op == Load || in.Op == Atomic }
func (in *Inst) writes() bool { return in.Op == Store || in.Op == Atomic }
func (in *Inst) acquires() bool {
	return in.Order == Acquire || in.Order == AcqRel || in.Op == Fence && in.Order == SC
}

func (in *Inst) releases() bool {
	return in.Order == Release || in.Order == AcqRel || in.Op == Fence && in.Order == SC
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
func (t *Test) values() int { return t.reg(len(t.Threads), 0) + len(t.Vars) }

// reg is the index of a register in an outcome.
func (t *Test) reg(thread, reg int) int {
	for i := range t.Threads[:thread] {
		reg += t.Threads[i].Regs
	}
	return reg
}

// final is the index of the final value of a variable in an outcome.
func (t *Test) final(v int) int { return t.reg(len(t.Threads), v) }

// Show writes an outcome as the condition that only it satisfies.
func (t *Test) Show(o Outcome) string {
	var parts []string
	for i := range t.Threads {
		for r := range t.Threads[i].Regs {
			parts = append(parts, fmt.Sprintf("T%d:r%d=%d", i, r, o.value(t.reg(i, r))))
		}
	}
	for v := range t.Vars {
		parts = append(parts, fmt.Sprintf("%s=%d", t.Vars[v].Name, o.value(t.final(v))))
	}
	return strings.Join(parts, " ")
}

// ctas is the number of CTAs with threads of the test.
func (t *Test) ctas() int {
	n := 0
	for i := range t.Threads {
		n = max(n, t.Threads[i].CTA+1)
	}
	return n
}

// shares reports whether a variable is in shared memory.
func (t *Test) shares() bool {
	return slices.ContainsFunc(t.Vars, func(v Var) bool { return v.Shared })
}

// Claim is the author's verdict on the outcomes of a condition: they are allowed, or forbidden.
type Claim struct {
	Allow bool
	Text  string
	Of    [][]Term // disjunction of conjunctions
}

// Term compares a register or a final value with a constant.
type Term struct {
	At    int // index in an outcome
	Equal bool
	Value uint32
}

// Holds reports whether the condition holds for an outcome.
func (c *Claim) Holds(o Outcome) bool {
	return slices.ContainsFunc(c.Of, func(terms []Term) bool {
		return !slices.ContainsFunc(terms, func(t Term) bool { return (o.value(t.At) == t.Value) != t.Equal })
	})
}

// WrongClaim is a claim that the model contradicts.
type WrongClaim struct {
	Test  *Test
	Claim *Claim
	Has   Outcome // an outcome that the model allows and the claim forbids; "": the claim allows more than the model
}

// Error names the test and the claim, and the outcome that contradicts it.
func (w *WrongClaim) Error() string {
	if w.Has == "" {
		return fmt.Sprintf("%s: test %s: the model allows no outcome with %s", w.Test.Place, w.Test.Name, w.Claim.Text)
	}
	return fmt.Sprintf("%s: test %s: the model allows %s, which is against: forbid %s",
		w.Test.Place, w.Test.Name, w.Test.Show(w.Has), w.Claim.Text)
}

// Judge compares the claims of a test with the outcomes that the model allows. The error has a
// WrongClaim for each contradiction.
func (t *Test) Judge(allowed []Outcome) error {
	var wrong []error
	for i := range t.Claims {
		c := &t.Claims[i]
		at := slices.IndexFunc(allowed, c.Holds)
		switch {
		case c.Allow && at < 0:
			wrong = append(wrong, &WrongClaim{Test: t, Claim: c})
		case !c.Allow && at >= 0:
			wrong = append(wrong, &WrongClaim{Test: t, Claim: c, Has: allowed[at]})
		}
	}
	return errors.Join(wrong...)
}
