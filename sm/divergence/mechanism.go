package divergence

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"divergo/internal/nearest"
	"divergo/isa"
)

// Mechanism is an entry in the list of mechanisms that the command line offers.
type Mechanism struct {
	Name string
	Doc  string // one line
	// New makes the hardware of one SM.
	New func(e Env) (Policy, error)
	// Prepare adds the instructions that the mechanism needs to the kernel's program. Nil means
	// that it needs none. Outside of the SM, PCs are those of the kernel: see isa.Program.OriginOf.
	Prepare func(o Options, p *isa.Program) *isa.Program
	// Params are the parameters of the mechanism. Several mechanisms may share them.
	Params Parameters
	// Counts is a struct of the mechanism's own counters: see Counted. Each field becomes a
	// statistic, NAME.COUNTER. Fields are uint64 with tags
	//
	//	Waiting uint64 `name:"waiting" stat:"peak" unit:"paths" doc:"meaning, in a line" source:"who defines it"`
	//
	// Over several SMs counters add up; a peak takes the largest value. With a tag `warn:"text"` a
	// run warns with that text if the counter is not 0.
	Counts any
	// Blocks: warps of a CTA wait for each other at branches.
	Blocks bool
	// Spills: the mechanism needs memory behind its ports.
	Spills bool
	// Stalls: the mechanism is told of the slots that wait for memory, by Ports.Stalled.
	Stalls bool
	// Covers are the cover points of "divergo check": situations that its kernels should reach. They
	// are counted and listed, and steer a check with a corpus.
	Covers []Property
	// Asserts must hold in each cycle of a check: checker "assertion".
	Asserts []Property
	Promises
}

// Property is a statement about the state of a mechanism at the start of a cycle.
type Property struct {
	Name string // a few words, unique in its list
	Doc  string // the statement, in a line
	// Holds reads registers (Q) of the hardware. It changes nothing and allocates nothing.
	Holds func(p Policy) bool
}

// Env has the inputs of Mechanism.New.
type Env struct {
	Options
	Geometry
	Code *Code
}

// Build makes the hardware of one SM. It returns an error if the hardware has too many slots or
// counts something other than Counts declares.
func (m Mechanism) Build(o Options, g Geometry, code *Code) (Policy, error) {
	p, err := m.New(Env{o, g, code})
	if err != nil {
		return nil, err
	}
	if n := p.Slots().Len(); n > MaxSlots {
		return nil, fmt.Errorf("mechanism %s has %d slots, an SM of %d warps; want at most %d", m.Name, n, g.Warps,
			MaxSlots)
	}
	var counts any
	if c := p.Counts(); c != nil {
		counts = c.Values()
	}
	if reflect.TypeOf(counts) != reflect.TypeOf(m.Counts) {
		return nil, fmt.Errorf("mechanism %s counts %T, and has declared %T", m.Name, counts, m.Counts)
	}
	return p, nil
}

// Program returns the program that the hardware runs for kernel p.
func (m Mechanism) Program(o Options, p *isa.Program) *isa.Program {
	if m.Prepare == nil {
		return p
	}
	return m.Prepare(o, p)
}

var mechanisms []Mechanism

// Register adds a mechanism to the list; call it in an init function. It panics if the name is not
// new.
func Register(m Mechanism) {
	if _, ok := Find(m.Name); ok {
		panic("divergence: mechanism " + m.Name + " registered twice")
	}
	if m.Name == "" || m.Doc == "" || m.New == nil {
		panic("divergence: mechanism " + m.Name + " wants Name, Doc and New")
	}
	m.Counters()
	for _, list := range [][]Property{m.Covers, m.Asserts} {
		for i, p := range list {
			if p.Name == "" || p.Doc == "" || p.Holds == nil || slices.ContainsFunc(list[:i], func(o Property) bool { return o.Name == p.Name }) {
				panic("divergence: mechanism " + m.Name + " wants Name, Doc and Holds of each property, and different names: " + p.Name)
			}
		}
	}
	if m.Params != nil {
		usual := m.Params.declaration()
		usual.Name = "divergence." + usual.Name
		if err := usual.Check(); err != nil {
			panic(err)
		}
	}
	mechanisms = append(mechanisms, m)
}

// Mechanisms lists the registered mechanisms, in order of registration.
func Mechanisms() []Mechanism { return mechanisms }

// Find returns the mechanism with a name.
func Find(name string) (Mechanism, bool) {
	for _, m := range mechanisms {
		if m.Name == name {
			return m, true
		}
	}
	return Mechanism{}, false
}

// open makes the mechanism in a folder.
var open func(folder string) (Mechanism, error)

// OpenWith sets the function that makes the mechanism in a folder: see Open.
func OpenWith(f func(folder string) (Mechanism, error)) { open = f }

// Open returns the mechanism with a name. A name with a slash is a folder with a Verilog unit: see
// package verilog. Its mechanism joins the list under that name. The error suggests the nearest name.
func Open(name string) (Mechanism, error) {
	if m, ok := Find(name); ok {
		return m, nil
	}
	if !isFolder(name) || open == nil {
		return Mechanism{}, nearest.Unknown("mechanism", name, Options{}.Words(""))
	}
	m, err := open(name)
	if err == nil {
		Register(m)
	}
	return m, err
}

func isFolder(name string) bool { return strings.ContainsAny(name, `/\`) }

// Words lists the valid values of the key mechanism, apart from folders.
func (Options) Words(string) []string {
	var names []string
	for _, m := range mechanisms {
		if !isFolder(m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// Word reports whether a value of the key mechanism is a folder, and why its mechanism cannot be made.
func (Options) Word(_, value string) (known bool, err error) {
	if !isFolder(value) {
		return false, nil
	}
	_, err = Open(value)
	return true, err
}
