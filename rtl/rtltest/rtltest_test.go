package rtltest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

// counter counts up, and breaks the rules that the test selects.
type counter struct {
	rtl.State[uint32]
	Other *counter
	trick func(*counter)
}

func (c *counter) Tick() {
	*c.D() = *c.Q() + 1
	if c.trick != nil {
		c.trick(c)
	}
}

type pair struct{ A, B *counter }

func newPair(trick func(*counter)) func() machine {
	return func() machine {
		a, b := new(counter), new(counter)
		a.Other, b.Other, a.trick = b, a, trick
		return sim{rtl.MustNew("top", pair{a, b}.pointer())}
	}
}

func (p pair) pointer() *pair { return &p }

func TestGoodDesign(t *testing.T) {
	Properties(t, func() *rtl.Sim { return newPair(nil)().(sim).Sim }, 50)
}

// TestBadDesigns: a property must find the design that breaks it.
func TestBadDesigns(t *testing.T) {
	calls := uint32(0)
	tests := []struct {
		property string
		trick    func(*counter)
		want     string
	}{
		{"any process order", func(c *counter) { *c.D() += *c.Other.D() }, "process order"},
		{
			"cycle by cycle equals one run", func(c *counter) { calls++; *c.D() = calls },
			"the state differs: top.A.Q is",
		},
		{
			"restored snapshot equals never stopped", func(c *counter) { calls++; *c.D() = calls },
			"after the snapshot was taken",
		},
		{"reset equals elaborated", func(c *counter) { calls++; *c.D() = calls }, "the state differs"},
		{"observed equals unobserved", func(c *counter) { calls++; *c.D() = calls }, "the state differs"},
		{"checked run equals run", func(c *counter) { calls++; *c.D() = calls }, "the state differs"},
	}
	for _, x := range tests {
		for _, p := range common {
			if p.name == x.property {
				require.NoError(t, p.check(newPair(nil), 20), p.name)
				assert.ErrorContains(t, p.check(newPair(x.trick), 20), x.want, p.name)
			}
		}
	}
}

// TestObserveSeesTheTestbench: changes by the testbench between runs are reported like others.
func TestObserveSeesTheTestbench(t *testing.T) {
	var errs []error
	idle := &struct{ S *still }{new(still)}
	k := rtl.MustNew("top", idle)
	observe(k, func(err error) { errs = append(errs, err) })
	k.Run(3)
	idle.S.Init(77)
	k.Run(1)
	require.Empty(t, errs)
	assert.Equal(t, uint32(77), *idle.S.Q())
}

// still never changes.
type still struct{ rtl.State[uint32] }

func (*still) Tick() {}

func TestEqualNamesWhatDiffers(t *testing.T) {
	one, two := newPair(nil)(), newPair(nil)()
	two.run(3)
	assert.EqualError(t, equal(one, two),
		"the state differs: top.A.Q is 0x3, expected 0x0; top.B.Q is 0x3, expected 0x0")
}

// sender sends a counter from one island to the other.
type sender struct {
	rtl.State[uint32]
	Out rtl.Out[uint32]
}

func (s *sender) Tick() {
	if s.Out.Ready() {
		s.Out.Push(*s.Q())
		*s.D()++
	}
}

type receiver struct {
	rtl.State[uint32]
	In rtl.In[uint32]
}

func (r *receiver) Tick() {
	for r.In.Valid() {
		*r.D() = *r.D()*31 + *r.In.Front()
		r.In.Pop()
	}
}

func newSystem() *rtl.System {
	s := rtl.NewSystem("two")
	l := rtl.NewLink[uint32](8, 5)
	for _, x := range []struct {
		name string
		hz   uint64
		root any
	}{{"send", 3, &sender{Out: l.Out()}}, {"receive", 2, &receiver{In: l.In()}}} {
		if _, err := s.Add(x.name, s.Domain(x.name, x.hz), x.root); err != nil {
			panic(err)
		}
	}
	return s
}

func TestGoodSystem(t *testing.T) { SystemProperties(t, newSystem, 200) }
