package properties

import (
	"fmt"
	"sync"

	"divergo/isa"
	"divergo/properties/books"
	"divergo/properties/draw"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// The outcome bins describe the change of a slot when the mechanism takes its branch outcome. They
// use the front end's view, so every mechanism has the same bins.

// control is a kind of control instruction.
type control uint8

const (
	controlBranch control = iota
	controlCall
	controlReturn
	controlExit
	controlBarrier
	controlArrive
	controlTogether
	numControls
)

// String names c.
func (c control) String() string {
	return [...]string{"branch", "call", "return", "exit", "barrier", "arrival", "reconvergence instruction"}[c]
}

func controlOf(in *isa.Inst) control {
	switch {
	case in.Op == isa.OpBra:
		return controlBranch
	case in.Op == isa.OpCall:
		return controlCall
	case in.Returns():
		return controlReturn
	case in.Exits():
		return controlExit
	case in.Op != isa.OpBar:
		return controlTogether
	case in.Mode == isa.ModeArrive:
		return controlArrive
	}
	return controlBarrier
}

// share is the share of the lanes that follow the instruction.
type share uint8

const (
	shareNone share = iota
	shareSome
	shareAll
	numShares
)

// String names s.
func (s share) String() string { return [...]string{"no lane", "some lanes", "all lanes"}[s] }

// becomes is the change of a slot.
type becomes uint8

const (
	becomesSame becomes = iota
	becomesPart
	becomesOther
	becomesMore
	becomesBarrier
	becomesJoin
	becomesControl
	becomesGone
	numBecomes
)

// String names b.
func (b becomes) String() string {
	return [...]string{
		"goes on", "part goes on", "others go on", "goes on with more", "waits at the barrier",
		"waits for others", "waits for another outcome", "is free",
	}[b]
}

func becomesOf(was, is *divergence.Slot) becomes {
	switch {
	case !is.Valid:
		return becomesGone
	case is.Wait != divergence.Runs:
		return [...]becomes{
			divergence.WaitsBarrier: becomesBarrier, divergence.WaitsJoin: becomesJoin,
			divergence.WaitsControl: becomesControl,
		}[is.Wait]
	case is.Mask == was.Mask:
		return becomesSame
	case is.Mask&^was.Mask == 0:
		return becomesPart
	case was.Mask&^is.Mask == 0:
		return becomesMore
	}
	return becomesOther
}

// depthsOf are the upper bounds of the bins for the stack address of a spill, in words.
var depthsOf = [...]int{0, 4, 8, 16, 32, 64, divergence.RecursiveWords}

// outcomes records what a mechanism does on one SM.
type outcomes struct {
	mechanism *divergence.Mechanism
	observer  *books.Observer
	slots     [numControls][numShares][numBecomes]bool
	covered   bool // the outcome has threads that are not in the slot any more
	released  bool // every slot that waits at a barrier
	part      bool // only some of them
	spilled   [len(depthsOf)]bool
	held      []bool // cover points of the mechanism
}

// follow returns a model of the mechanism's outcomes for each SM of a loaded session.
func (c *Coverage) follow(s *testbench.Session, p *isa.Program) []books.Open {
	if c == nil {
		return nil
	}
	cfg := &s.Machine.Config
	mechanism, _ := divergence.Find(cfg.Divergence.Mechanism)
	return []books.Open{func(o *books.Observer) {
		of := &outcomes{mechanism: &mechanism, observer: o, held: make([]bool, len(mechanism.Covers))}
		if len(of.held) > 0 {
			o.Leave(o.SM().Issue.OnClass.Add(func(sm.Spent) { cover(&mechanism, o.SM().Div, of.held) }))
		}
		// by PC: one bit for each pattern of issuing lanes
		shapes, patterns := draw.Shapes(p), make([]uint8, len(p.Insts))
		ports := o.SM().Div.Connections()
		o.Leave(
			ports.Outcome.Tap(of.became), ports.Memory.Tap(of.moves),
			o.SM().Issue.OnIssue.Add(func(e sm.Issued) {
				if o.Over() {
					return
				}
				patterns[e.PC] |= 1 << patternOf(e.Mask, cfg.SM.WarpSize)
				if in := &p.Insts[e.PC]; in.Op == isa.OpBra && in.Conditional() {
					c.branch(shapes[e.PC], e.Mask, o.Taken(&e))
				}
			}),
			func() {
				c.issued(p, patterns)
				c.became(of)
			},
		)
	}}
}

// cover marks the cover points of a mechanism that hold.
func cover(m *divergence.Mechanism, p divergence.Policy, held []bool) {
	for i := range held {
		held[i] = held[i] || m.Covers[i].Holds(p)
	}
}

// moves records the stack address of a spill.
func (of *outcomes) moves(_ uint64, t *divergence.Transfer) {
	if !t.Store {
		return
	}
	for i, d := range depthsOf {
		if int(t.At) <= d {
			of.spilled[i] = true
			return
		}
	}
}

// became records the change of a slot when its outcome is taken, and that of slots at the barrier.
func (of *outcomes) became(_ uint64, out *divergence.Outcome) {
	m := of.observer.SM()
	slots := m.Div.Slots()
	was, is := slots.At(int(out.Slot)), slots.Next(int(out.Slot))
	mask, n := was.Mask, shareSome
	if lanes, known := of.observer.Executed(out); known {
		mask = lanes
		of.covered = of.covered || mask&^was.Mask != 0
	}
	switch mask & out.Taken {
	case 0:
		n = shareNone
	case mask:
		n = shareAll
	}
	of.slots[controlOf(&m.Program().Insts[out.PC])][n][becomesOf(was, is)] = true
	waited, waits := 0, 0
	for i := range slots.Len() {
		if s := slots.At(i); s.Valid && s.Wait == divergence.WaitsBarrier && s.CTA == was.CTA {
			waited++
			if s = slots.Next(i); s.Valid && s.Wait == divergence.WaitsBarrier {
				waits++
			}
		}
	}
	of.released = of.released || waited > 0 && waits == 0
	of.part = of.part || waits > 0 && waits < waited
}

// outcomeNames are the names of the bins of every mechanism, in the order of outcomes.bins.
var outcomeNames = sync.OnceValue(func() (names []string) {
	for k := range numControls {
		for n := range numShares {
			for b := range numBecomes {
				names = append(names, fmt.Sprintf("%v, %v: the slot %v", k, n, b))
			}
			names = append(names, fmt.Sprintf("%v, %v", k, n))
		}
	}
	names = append(names, "of threads that the slot has no longer", "all slots that wait at a barrier go on",
		"some slots that wait at a barrier go on")
	for _, d := range depthsOf {
		names = append(names, fmt.Sprintf("a spill above at most %d words", d))
	}
	return names
})

// bins calls f with each bin of a mechanism: whether it was reached, whether every mechanism must
// reach it, and its name.
func (of *outcomes) bins(f func(reached, all bool, name string)) {
	names := outcomeNames()
	bin := func(reached, all bool) {
		f(reached, all, names[0])
		names = names[1:]
	}
	for k := range numControls {
		for n := range numShares {
			any := false
			for b := range numBecomes {
				reached := of.slots[k][n][b]
				any = any || reached
				bin(reached, false)
			}
			bin(any, k != controlTogether)
		}
	}
	bin(of.covered, false)
	bin(of.released, true)
	bin(of.part, true)
	for i := range depthsOf {
		bin(of.spilled[i], of.mechanism.Spills)
	}
}

// outcomeBin names a bin.
func outcomeBin(m *divergence.Mechanism, name string) string {
	return "outcome: " + m.Name + ": " + name
}

// became counts what a mechanism has done in a run.
func (c *Coverage) became(of *outcomes) {
	of.bins(func(reached, _ bool, name string) {
		if reached {
			c.reach(outcomeBin(of.mechanism, name))
		}
	})
	for i, held := range of.held {
		if held {
			c.reach(coverBin(of.mechanism, i))
		}
	}
}

// coverBin names the bin of a cover point.
func coverBin(m *divergence.Mechanism, i int) string {
	return "cover: " + m.Name + ": " + m.Covers[i].Name
}

// outcomeBins lists the bins of the mechanisms that have run: the required ones, and others
// reached.
func (c *Coverage) outcomeBins() (names []string) {
	for _, m := range divergence.Mechanisms() {
		var list []string
		ran := false
		(&outcomes{mechanism: &m}).bins(func(_, all bool, name string) {
			bin := outcomeBin(&m, name)
			n := c.Reached[bin]
			ran = ran || n > 0
			if all || n > 0 {
				list = append(list, bin)
			}
		})
		for i := range m.Covers {
			list = append(list, coverBin(&m, i))
		}
		if ran {
			names = append(names, list...)
		}
	}
	return names
}
