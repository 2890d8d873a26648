package blocks

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
	_ "divergo/sm/divergence/stacks"
)

// dpeBench gives the events of a warp to the mechanism dpe and to its block: at random an instruction of
// a path, the oldest outcome, or both in a cycle. Between events there is time for all pops.
type dpeBench struct {
	rtl.State[struct {
		Cycle   uint64
		Outcome divergence.Outcome // that the mechanism gets in the next cycle
		Comes   bool
	}]
	Fire    rtl.Wire[divergence.Fire]
	In      rtl.Wire[DPEStackIn]
	Div     divergence.Policy
	Launch  rtl.Out[divergence.WarpStart]
	Outcome rtl.Out[divergence.Outcome]
	Retire  rtl.In[divergence.Retire]

	prog    *isa.Program
	draw    func(n int) int
	pending []divergence.Outcome
}

const (
	dpeLanes  = 8
	dpePeriod = dpeLanes + 2
)

// Tick sends an outcome on its way in the first cycle of a period. In the next one it is there, together
// with an instruction.
func (b *dpeBench) Tick() {
	q, d := b.Regs()
	d.Cycle, d.Comes = q.Cycle+1, false
	var in DPEStackIn
	var fire divergence.Fire
	if q.Comes {
		o, inst := &q.Outcome, &b.prog.Insts[q.Outcome.PC]
		in.Branch, in.Exit, in.Path, in.Lanes = inst.Branches(), !inst.Branches(), uint8(o.Slot), o.Taken
		in.Target, in.Meet = inst.Target, inst.Reconv
	}
	switch q.Cycle % dpePeriod {
	case 0:
		if q.Cycle == 0 {
			b.Launch.Push(divergence.WarpStart{Warps: 1, Last: true, Mask: 1<<dpeLanes - 1})
			break
		}
		if len(b.pending) > 0 && b.draw(3) == 0 {
			d.Outcome, d.Comes = b.pending[0], true
			b.pending = b.pending[1:]
			b.Outcome.Push(d.Outcome)
		}
	case 1:
		if q.Cycle == 1 {
			in.Start, in.Lanes = true, 1<<dpeLanes-1
			break
		}
		k := b.draw(2)
		if s := b.Div.Slots().At(k); s.Valid && s.Wait == divergence.Runs && b.draw(4) != 0 {
			inst := &b.prog.Insts[s.PC]
			fire = divergence.Fire{Valid: true, Control: inst.Control(), Slot: uint16(k), PC: s.PC}
			in.Fire, in.Control, in.FirePath = true, inst.Control(), uint8(k)
			if inst.Control() {
				o := divergence.Outcome{Slot: uint16(k), PC: s.PC, Taken: s.Mask}
				if inst.Guard.Kind != isa.OperandNone {
					o.Taken &= uint64(b.draw(1 << dpeLanes))
				}
				b.pending = append(b.pending, o)
			}
		}
	}
	if b.Retire.Valid() {
		b.Retire.Pop()
	}
	b.Fire.Set(fire)
	b.In.Set(in)
}

// TestDPEStackIsTheMechanism: under random events the block has the paths of mechanism dpe. Half of the
// kernels have reconvergence points at random: then a path that continues can have lost threads by an exit
// above it.
func TestDPEStackIsTheMechanism(t *testing.T) {
	m, ok := divergence.Find("dpe")
	require.True(t, ok)
	deepest, covered := 0, 0
	for seed := range uint64(100) {
		prog := microtest.RandomKernel(seed, dpeLanes, true, false).Program("k")
		if seed%2 == 1 {
			for i := range prog.Insts {
				if x := &prog.Insts[i]; x.Branches() {
					x.Reconv = uint32(newRandom(seed + uint64(i)<<8).IntN(len(prog.Insts)))
				}
			}
		}
		g := divergence.Geometry{Lanes: dpeLanes, Warps: 1, CTAs: 1}
		p, err := m.Build(divergence.Options{Mechanism: "dpe"}, g, &divergence.Code{Prog: prog})
		require.NoError(t, err)
		launch, retire := rtl.NewQueue[divergence.WarpStart](2), rtl.NewQueue[divergence.Retire](2)
		outcome := rtl.NewQueue[divergence.Outcome](2)
		b := &dpeBench{
			Div: p, Launch: launch.Out(), Outcome: outcome.Out(), Retire: retire.In(), prog: prog,
			draw: newRandom(seed).IntN,
		}
		c := p.Connections()
		c.Launch, c.Outcome, c.Retire, c.Fire = launch.In(), outcome.In(), retire.Out(), &b.Fire
		sizes, err := dpeStack.complete(Sizes{"lanes": dpeLanes})
		require.NoError(t, err)
		made := dpeStack.make(sizes)
		block := made.block.(*DPEStack)
		block.In = &b.In
		sim, err := rtl.New("bench", &struct {
			Policy divergence.Policy
			Bench  *dpeBench
			Block  *DPEStack
			Memory *micro.Memory
		}{p, b, block, micro.NewMemory(c, 1, 1)})
		require.NoError(t, err)
		p.Begin()
		for period := range 1000 {
			sim.Run(dpePeriod)
			depth := int(*block.Stack.Depth.At(0))
			for k := range 2 {
				s, x := p.Slots().At(k), &block.Q().Path[k]
				lives := depth > 0 && block.Stack.Peek(0).Lives(x.At, x.Mask)
				require.Equal(t, s.Valid, lives, "seed %d, period %d, path %d", seed, period, k)
				if s.Valid {
					want := divergence.Side{At: s.At(), Mask: s.Mask, Wait: s.Wait}
					require.Equal(t, want, *x, "seed %d, period %d, path %d", seed, period, k)
				}
			}
			deepest = max(deepest, depth)
			if depth == 0 {
				break
			}
			if len(b.pending) > 0 && depth > 1 {
				if x := &block.Stack.At(0, depth-2).Side[b.pending[0].Slot]; x.Wait == divergence.WaitsControl {
					covered++
				}
			}
		}
	}
	assert.GreaterOrEqual(t, deepest, 4)
	assert.Greater(t, covered, 50, "periods in which the outcome of a covered path is on its way")
}
