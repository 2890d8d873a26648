package divergence

import (
	"fmt"
	"strings"

	"divergo/rtl"
	"divergo/units"
)

// Cost is the hardware of a mechanism in one SM. It has the words of its registers and memories, as
// wide as the model declares them, and the logic that the mechanism declares. Statistics and
// diagnosis are not part of it, nor are the queues and wires that all mechanisms share.
type Cost struct {
	Storage []rtl.Storage
	Logic   []units.Logic
}

// Bits returns the storage of an SM, in bits.
func (c *Cost) Bits() (n int) {
	for i := range c.Storage {
		n += c.Storage[i].Words * c.Storage[i].Width()
	}
	return n
}

// Cost elaborates the mechanism by itself, for one SM, and measures it. Tags may name lanes, warps,
// ctas, threads, and the mechanism's own parts. They may also name share: the warps of a CTA when
// all CTAs are resident.
func (m Mechanism) Cost(o Options, g Geometry) (Cost, error) {
	p, err := m.Build(o, g, &Code{})
	if err != nil {
		return Cost{}, err
	}
	type bench struct {
		Policy  Policy
		Fire    rtl.Wire[Fire]
		Launch  rtl.Out[WarpStart]
		Outcome rtl.Out[Outcome]
		Retire  rtl.In[Retire]
		Memory  rtl.In[Transfer]
		Answer  rtl.Out[Transferred]
	}
	launch, outcome, retire := rtl.NewQueue[WarpStart](1), rtl.NewQueue[Outcome](1), rtl.NewQueue[Retire](1)
	memory, answer := rtl.NewQueue[Transfer](1), rtl.NewQueue[Transferred](1)
	b := &bench{
		Policy: p, Launch: launch.Out(), Outcome: outcome.Out(), Retire: retire.In(), Memory: memory.In(),
		Answer: answer.Out(),
	}
	c := p.Connections()
	c.Launch, c.Outcome, c.Retire, c.Fire = launch.In(), outcome.In(), retire.Out(), &b.Fire
	c.Memory, c.Answer = memory.Out(), answer.In()
	sim, err := rtl.New(m.Name, b)
	if err != nil {
		return Cost{}, err
	}
	// The papers have no functions: the hardware that calls need is not counted.
	sizes := map[string]int{
		"calls": 0, "lanes": g.Lanes, "lanes_bits": units.LaneBits(g.Lanes), "warps": g.Warps, "ctas": g.CTAs, "threads": g.Lanes * g.Warps,
		"share": (g.Warps + g.CTAs - 1) / g.CTAs,
	}
	for name, there := range p.Parts() {
		if sizes[name] = 0; there {
			sizes[name] = 1
		}
	}
	var cost Cost
	if cost.Storage, err = sim.Storage(sizes); err != nil {
		return Cost{}, fmt.Errorf("mechanism %s: %w", m.Name, err)
	}
	for i := range cost.Storage {
		s := &cost.Storage[i]
		s.Path = strings.TrimPrefix(strings.TrimPrefix(s.Path, m.Name+".Policy"), ".")
		if s.Path == "" {
			s.Path = "State"
		}
	}
	cost.Logic = p.Logic(g)
	return cost, nil
}
