package divergence

import (
	"fmt"
	"reflect"

	"divergo/isa"
)

// Mechanism is an entry of the list that the command line offers.
type Mechanism struct {
	Name string
	Doc  string // one line
	// New makes the hardware of an SM.
	New func(e Env) (Policy, error)
	// Prepare makes the program that the hardware runs of the kernel's, with the
	// instructions that the mechanism needs; nil if it needs none. Outside of the
	// SM, PCs are those of the kernel: see isa.Program.OriginOf.
	Prepare func(o Options, p *isa.Program) *isa.Program
	// Params are its parameters, which may be those of other mechanisms too.
	Params Parameters
	// Counts is a struct of what the mechanism counts itself, see Counted. They become
	// statistics, NAME.COUNTER: uint64 fields with tags
	//
	//	Waiting uint64 `name:"waiting" stat:"peak" unit:"paths" doc:"meaning, in a line" source:"who defines it"`
	//
	// What several SMs count is added up; of a peak it is the largest. With a tag
	// `warn:"text"` a run warns with that text of a counter that is not 0.
	Counts any
	// Blocks tells that warps of a CTA wait for each other at branches.
	Blocks bool
	// Spills tells that it needs memory behind its ports.
	Spills bool
	// Stalls tells that it hears of slots that begin and end to wait for memory, by
	// Ports.Stalled.
	Stalls bool
	Promises
}

// Env is what a mechanism is made from.
type Env struct {
	Options
	Geometry
	Code *Code
}

// Build makes the hardware of an SM.
func (m Mechanism) Build(o Options, g Geometry, code *Code) (Policy, error) {
	p, err := m.New(Env{o, g, code})
	if err != nil {
		return nil, err
	}
	if n := p.Slots().Len(); n > MaxSlots {
		return nil, fmt.Errorf("mechanism %s has %d slots, an SM of %d warps; want at most %d", m.Name, n, g.Warps, MaxSlots)
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

// Program is the program that the hardware runs of a kernel's.
func (m Mechanism) Program(o Options, p *isa.Program) *isa.Program {
	if m.Prepare == nil {
		return p
	}
	return m.Prepare(o, p)
}

var mechanisms []Mechanism

// Register adds a mechanism to the list, in an init function; its name must be
// new.
func Register(m Mechanism) {
	if _, ok := Find(m.Name); ok {
		panic("divergence: mechanism " + m.Name + " registered twice")
	}
	if m.Name == "" || m.Doc == "" || m.New == nil {
		panic("divergence: mechanism " + m.Name + " wants Name, Doc and New")
	}
	m.Counters()
	if m.Params != nil {
		usual := m.Params.declaration()
		usual.Name = "divergence." + usual.Name
		if err := usual.Check(); err != nil {
			panic(err)
		}
	}
	mechanisms = append(mechanisms, m)
}

// Mechanisms lists what has been registered, in order.
func Mechanisms() []Mechanism { return mechanisms }

// Find looks a mechanism up by name.
func Find(name string) (Mechanism, bool) {
	for _, m := range mechanisms {
		if m.Name == name {
			return m, true
		}
	}
	return Mechanism{}, false
}
