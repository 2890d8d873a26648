package rtl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

// inverter is the smallest combinational module.
type inverter struct {
	In  *rtl.Wire[bool]
	Out rtl.Wire[bool]
}

func (x *inverter) Tick() { x.Out.Set(!x.In.Get()) }

// split lists its processes, and drives the given wires.
type split struct {
	In     *rtl.Wire[bool]
	A, B   rtl.Wire[bool]
	drives [2][]rtl.AnyWire `rtl:"-"`
}

func (s *split) Processes() []rtl.Proc {
	return []rtl.Proc{
		{Name: "one", Fn: func() {}, Reads: []rtl.AnyWire{s.In}, Drives: s.drives[0]},
		{Name: "two", Fn: func() {}, Drives: s.drives[1]},
	}
}

func newSplit() *split {
	s := new(split)
	s.In = &s.B
	s.drives = [2][]rtl.AnyWire{{&s.A}, {&s.B}}
	return s
}

// flowing has both ends of queues.
type flowing struct {
	In  rtl.In[bool]
	Out rtl.Out[bool]
}

func (*flowing) Tick() {}

type badState struct {
	rtl.State[struct {
		Good uint8
		Deep [2]struct{ Name *string }
	}]
}

func (*badState) Tick() {}

type intState struct{ rtl.State[struct{ PC int }] }

func (*intState) Tick() {}

type badBits struct {
	rtl.State[struct {
		PC uint8 `bits:"9"`
	}]
}

func (*badBits) Tick() {}

type badSim struct {
	Out rtl.Wire[bool] `rtl:"sim"`
}

func (*badSim) Tick() {}

type badQueue struct {
	In rtl.In[string]
}

func (*badQueue) Tick() {}

type badTag struct {
	In rtl.In[bool] `rtl:"optinal"`
}

func (*badTag) Tick() {}

type noMem struct{ Rows *rtl.Mem[bool] }

func (*noMem) Tick() {}

type emptyMem struct{ Rows rtl.Mem[bool] }

func (*emptyMem) Tick() {}

type wholeQueue struct{ Q rtl.Queue[bool] }

func (*wholeQueue) Tick() {}

type reader struct{ Other *edges }

func (*reader) Tick() {}

func TestElaborationErrors(t *testing.T) {
	queue := func(opts ...rtl.QueueOption) *rtl.Queue[bool] { return rtl.NewQueue[bool](1, opts...) }
	q, pipe, flow, two, plain := queue(), queue(rtl.Pipe()), queue(rtl.Flow()), queue(), queue()
	both := rtl.NewQueue[bool](1, rtl.Flow(), rtl.Pipe())
	three := func() (x, y, z *inverter) {
		x, y, z = new(inverter), new(inverter), new(inverter)
		x.In, y.In, z.In = &z.Out, &x.Out, &y.Out
		return
	}
	x, y, z := three()
	twice, undriven, foreign := newSplit(), newSplit(), newSplit()
	twice.drives[1] = []rtl.AnyWire{&twice.A, &twice.B}
	undriven.drives[1] = nil
	foreign.drives[1] = []rtl.AnyWire{&foreign.B, new(rtl.Wire[bool])}
	outside := &inverter{In: &new(inverter).Out}
	tests := []struct {
		name string
		root any
		want string // lines
	}{
		{
			"loop of wires", &struct{ Alu, Lsu, Arb *inverter }{x, y, z},
			"combinational loop: top.Alu <-(top.Arb.Out) top.Arb <-(top.Lsu.Out) top.Lsu <-(top.Alu.Out) top.Alu",
		},
		{
			"loop of one", &struct{ S *split }{func() *split { s := newSplit(); s.In = &s.A; return s }()},
			"combinational loop: top.S.one <-(top.S.A) top.S.one",
		},
		{"loop through queues", &struct{ A, B *flowing }{
			&flowing{In: pipe.In(), Out: flow.Out()}, &flowing{In: flow.In(), Out: pipe.Out()},
		}, ""},
		{"loop through queues back", &struct{ A, B *flowing }{
			&flowing{In: q.In(), Out: both.Out()}, &flowing{In: both.In(), Out: q.Out()},
		}, "combinational loop: top.A <-(top.A.Out, Pipe) top.B <-(top.A.Out, Flow) top.A"},
		{"two drivers", &struct{ S *split }{twice}, "wire top.S.A has two drivers: top.S.one and top.S.two"},
		{
			"no driver", &struct{ S *split }{undriven},
			"wire top.S.B has no driver: no process of top.S lists it in Drives",
		},
		{"drives a stranger", &struct{ S *split }{foreign}, "top.S.two drives a wire that is not part of top"},
		{
			"reads a stranger", &struct{ I *inverter }{outside},
			"top.I.In is connected to a wire that is not part of top: only a Link may connect islands",
		},
		{"unconnected", &struct {
			I *inverter
			F *flowing
		}{new(inverter), new(flowing)}, "top.I.In, an input, is not connected to a wire: set it, or tag it `rtl:\"optional\"`\n" +
			"top.F.In is not connected to a queue: set it, or tag it `rtl:\"optional\"`\n" +
			"top.F.Out is not connected to a queue: set it, or tag it `rtl:\"optional\"`"},
		{"two producers", &struct{ A, B *flowing }{
			&flowing{In: q.In(), Out: two.Out()}, &flowing{In: two.In(), Out: two.Out()},
		}, "queue top.A.Out has two producers: top.A.Out and top.B.Out\n" +
			"queue at top.A.In has no producer: its Out end is in no module of top"},
		{"two consumers", &struct{ A, B *flowing }{
			&flowing{In: q.In(), Out: q.Out()}, &flowing{In: q.In(), Out: plain.Out()},
		}, "queue top.A.Out has two consumers: top.A.In and top.B.In\n" +
			"queue top.B.Out has no consumer: its In end is in no module of top"},
		{
			"state with a pointer", &struct{ M *badState }{new(badState)},
			"top.M.Deep[].Name is of type *string: registers are plain data (numbers, booleans, arrays and structs of them)",
		},
		{
			"state with an int", &struct{ M *intState }{new(intState)},
			"top.M.PC is of type int, which has no fixed width: use int8 to int64",
		},
		{
			"bits that do not fit", &struct{ M *badBits }{new(badBits)},
			`top.M.PC has tag bits:"9", expected a number from 1 to the 8 bits of its type uint8`,
		},
		{
			"a wire for the simulation alone", &struct{ M *badSim }{new(badSim)},
			`top.M.Out has tag rtl:"sim", which is for a State, a Mem, or what they hold, not for a rtl.Wire[bool]`,
		},
		{
			"queue of strings", &struct {
				M   *badQueue
				Out rtl.Out[string]
			}{&badQueue{rtl.NewQueue[string](1).In()}, rtl.Out[string]{}},
			"top.M.In is of type string: registers are plain data (numbers, booleans, arrays and structs of them)\n" +
				"queue at top.M.In has no producer: its Out end is in no module of top",
		},
		{
			"misspelt tag", &struct{ M *badTag }{new(badTag)},
			"top.M.In has tag rtl:\"optinal\", expected own, optional, inplace, handed, scratch, sim or -\n" +
				"top.M.In is not connected to a queue: set it, or tag it `rtl:\"optional\"`",
		},
		{
			"nil memory", &struct{ M *noMem }{new(noMem)},
			"top.M.Rows is nil: make it with NewMem, or tag it `rtl:\"optional\"`",
		},
		{"empty memory", &struct{ M *emptyMem }{new(emptyMem)}, "top.M.Rows is an empty Mem: make it with NewMem"},
		{
			"queue by value", &struct{ M *wholeQueue }{new(wholeQueue)},
			"top.M.Q holds a rtl.Queue[bool] by value: hold a pointer, its ends are copies",
		},
		{
			"state outside a module", &struct{ rtl.State[uint8] }{},
			"top: a State belongs in a module, a struct with Tick or Processes",
		},
		{
			"reads a module that is not there", &struct{ R *reader }{&reader{new(edges)}},
			"top.R.Other reads a *rtl_test.edges that is not part of top: hold it in the top level, or tag the field `rtl:\"own\"`; " +
				"only a Link may connect islands",
		},
		{"root by value", struct{}{}, "rtl: top: the root of a design is a pointer to a struct, not struct {}"},
		{"no root", nil, "rtl: top: the root of a design is a pointer to a struct, not <nil>"},
	}
	for _, x := range tests {
		t.Run(x.name, func(t *testing.T) {
			k, err := rtl.New("top", x.root)
			if x.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, x.want)
			assert.Nil(t, k)
			assert.PanicsWithError(t, x.want, func() { rtl.MustNew("top", x.root) })
		})
	}
}

func TestADesignElaboratesOnce(t *testing.T) {
	e := new(edges)
	rtl.MustNew("first", e)
	_, err := rtl.New("second", e)
	require.EqualError(t, err, "second is already part of first, in first: only a Link may connect islands")
}

// blinker counts and shows the low bit.
type blinker struct {
	rtl.State[uint16]
	Bit rtl.Wire[bool]
	sim *rtl.Sim
}

func (b *blinker) Tick() {
	*b.D()++
	b.Bit.Set(*b.Q()&1 != 0)
}

// policy is an interface through which a core holds its part.
type policy interface{ Tick() }

// lane is a part without processes of its own.
type lane struct {
	rtl.State[struct{ Sum uint32 }]
	Busy rtl.Wire[bool]
}

// core has every way to hold another block.
type core struct {
	rtl.State[struct{ N uint16 }]
	lane                      // embedded: a part of core
	Lanes   [2]lane           // values without Tick: parts of core
	Front   blinker           // a value with Tick: a submodule
	Policy  policy            // pointer to a module: read only
	Owned   *blinker          `rtl:"own"`
	Many    []*blinker        `rtl:"own"`
	Part    *lane             `rtl:"own"`
	Maybe   *rtl.Wire[bool]   `rtl:"optional"`
	Port    rtl.Out[uint8]    `rtl:"optional"`
	Scratch *rtl.Mem[uint8]   `rtl:"optional"`
	Skipped *reader           `rtl:"-"`
	Config  *struct{ X *int } // no hardware
	Back    *chip             // a container: ignored
	Nil     *blinker
}

func (c *core) Tick() {
	c.D().N += *c.Policy.(*blinker).Q() + *c.Front.Q() + *c.Owned.Q() + *c.Many[1].Q()
	c.lane.D().Sum++
	c.Lanes[1].D().Sum += 2
	c.Part.D().Sum += 3
	c.Busy.Set(true)
	for _, l := range []*lane{&c.Lanes[0], &c.Lanes[1], c.Part} {
		l.Busy.Set(c.Q().N != 0)
	}
}

// chip is a container: no Tick.
type chip struct {
	*rtl.Sim
	Policy policy
	Core   []*core
	Again  *core // walked before
	Pin    rtl.Wire[bool]
	Not    *inverter
	self   *chip
}

func newChip() *chip {
	b := new(blinker)
	c := &core{Policy: b, Owned: new(blinker), Many: []*blinker{new(blinker), new(blinker)}, Part: new(lane)}
	x := &chip{Policy: b, Core: []*core{nil, c}, Again: c, Not: new(inverter)}
	x.Not.In = &x.Pin
	x.self, c.Back = x, x
	rtl.MustNew("chip", x)
	return x
}

func TestNames(t *testing.T) {
	x := newChip()
	var paths []string
	for _, s := range x.Signals() {
		paths = append(paths, s.Path)
	}
	assert.Equal(t, strings.Fields(`
		chip.Policy.Q
		chip.Core[1].N chip.Core[1].Sum chip.Core[1].Lanes[0].Sum chip.Core[1].Lanes[1].Sum
		chip.Core[1].Front.Q chip.Core[1].Owned.Q chip.Core[1].Many[0].Q chip.Core[1].Many[1].Q chip.Core[1].Part.Sum
		chip.Policy.Bit chip.Core[1].Busy chip.Core[1].Lanes[0].Busy chip.Core[1].Lanes[1].Busy
		chip.Core[1].Front.Bit chip.Core[1].Owned.Bit chip.Core[1].Many[0].Bit chip.Core[1].Many[1].Bit
		chip.Core[1].Part.Busy chip.Pin chip.Not.Out`), paths)
	assert.Same(t, x.Sim, x.Core[1].Owned.sim, "the Sim is filled in")
	assert.Equal(t, "chip", x.Name())
}

// reads and shows hold the same memory; only one has it traced.
type (
	reads struct {
		rtl.State[uint8]
		Port *rtl.Mem[uint8]
	}
	shows struct {
		rtl.State[uint8]
		Table *rtl.Mem[uint8] `trace:"true"`
	}
)

func (r *reads) Tick() { *r.D() = *r.Port.At(0) }
func (s *shows) Tick() { *s.D() = *s.Table.At(0) }

// TestMemoryIsNamedWhereItIsTraced: several fields hold a memory, and the one with the trace tag
// names it, wherever it stands.
func TestMemoryIsNamedWhereItIsTraced(t *testing.T) {
	m := rtl.NewMem[uint8](1)
	sim, err := rtl.New("top", &struct {
		Before reads
		Shows  shows
		After  reads
	}{reads{Port: m}, shows{Table: m}, reads{Port: m}})
	require.NoError(t, err)
	var paths []string
	for _, s := range sim.Signals() {
		paths = append(paths, s.Path)
	}
	assert.Contains(t, strings.Join(paths, " "), "top.Shows.Table")
}

func TestOwnership(t *testing.T) {
	x := newChip()
	c := x.Core[1]
	require.NoError(t, x.RunChecked(3))
	assert.Equal(t, uint16(4*(0+1+2)), c.Q().N, "each submodule ran once a cycle and the core saw its present state")
	assert.Equal(t, []uint32{3, 0, 6, 9},
		[]uint32{c.lane.Q().Sum, c.Lanes[0].Q().Sum, c.Lanes[1].Q().Sum, c.Part.Q().Sum})
	assert.True(t, c.Part.Busy.Get())
	assert.False(t, c.Maybe != nil || c.Port.Connected())
}

func TestPins(t *testing.T) {
	x := newChip()
	x.Run(2)
	assert.True(t, x.Not.Out.Get())
	x.Pin.Set(true)
	x.Run(1)
	assert.False(t, x.Not.Out.Get())
	x.Reset()
	x.Run(1)
	assert.True(t, x.Not.Out.Get(), "reset clears pins")
}

// A design whose root is a module owns the modules that the root points to.
type rootModule struct {
	rtl.State[uint8]
	Part *blinker
}

func (r *rootModule) Tick() { *r.D() = uint8(*r.Part.Q()) }

func TestRootIsAModule(t *testing.T) {
	r := &rootModule{Part: new(blinker)}
	rtl.MustNew("top", r).Run(5)
	assert.Equal(t, uint8(4), *r.Q())
}
