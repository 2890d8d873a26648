package divergence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
)

// driver is a front end whose branches go at random, all of it in registers.
type driver struct {
	rtl.State[struct {
		Random  uint64
		Started uint8
		Last    uint16
		Issued  [2]divergence.Outcome
		Valid   [2]bool
	}]
	Fire    rtl.Wire[divergence.Fire]
	Div     divergence.Policy
	Launch  rtl.Out[divergence.Launch]
	Outcome rtl.Out[divergence.Outcome]
	Retire  rtl.In[divergence.Retire]

	prog  *isa.Program
	warps int
}

// Tick starts a warp, passes outcomes on after two cycles, and issues from the
// next slot that can run.
func (d *driver) Tick() {
	q, n := d.Regs()
	n.Random = q.Random*6364136223846793005 + 1442695040888963407
	if int(q.Started) < d.warps && d.Launch.Ready() {
		d.Launch.Push(divergence.Launch{Row: q.Started, Warps: uint8(d.warps), Last: int(q.Started)+1 == d.warps, Mask: 0xff})
		n.Started++
	}
	if d.Retire.Valid() {
		d.Retire.Pop()
	}
	if q.Valid[1] {
		d.Outcome.Push(q.Issued[1])
	}
	n.Issued[1], n.Valid[1] = q.Issued[0], q.Valid[0]
	n.Valid[0] = false
	var fire divergence.Fire
	slots := d.Div.Slots()
	for k := range slots.Len() {
		i := (int(q.Last) + 1 + k) % slots.Len()
		if s := slots.At(i); s.Valid && s.Wait == divergence.Runs {
			in := &d.prog.Insts[s.PC]
			fire = divergence.Fire{Valid: true, Control: in.Control(), Slot: uint16(i), PC: s.PC}
			n.Last = uint16(i)
			n.Valid[0] = in.Control()
			n.Issued[0] = divergence.Outcome{Slot: uint16(i), PC: s.PC, Taken: s.Mask}
			if in.Guard.Kind != isa.OperandNone {
				n.Issued[0].Taken &= uint32(q.Random >> 40)
			}
			break
		}
	}
	d.Fire.Set(fire)
}

// TestProperties: every mechanism is clocked hardware. Checked run, any order
// of processes, snapshots and reset are all the same.
func TestProperties(t *testing.T) {
	const warps = 4
	k := seq(
		at("A", nop), when(odd, "C"), nop, nop, to("E"),
		at("C", nop), when(odd, "D"),
		at("E", nop), when(odd, "A"), to("F"),
		at("D", nop), line{Exit: true, If: odd},
		at("F", line{Bar: true}), when(odd, "A"), exit)
	for _, o := range variants() {
		t.Run(o.Mechanism, func(t *testing.T) {
			m, _ := divergence.Find(o.Mechanism)
			rtltest.Properties(t, func() *rtl.Sim {
				prog := k.Program("k")
				p, err := m.Build(o, divergence.Geometry{Lanes: 8, Warps: warps, CTAs: 1}, &divergence.Code{Prog: prog})
				require.NoError(t, err)
				launch, retire := rtl.NewQueue[divergence.Launch](warps), rtl.NewQueue[divergence.Retire](warps)
				outcome := rtl.NewQueue[divergence.Outcome](64)
				f := &driver{Div: p, Launch: launch.Out(), Outcome: outcome.Out(), Retire: retire.In(), prog: prog, warps: warps}
				c := p.Connections()
				c.Launch, c.Outcome, c.Retire, c.Fire = launch.In(), outcome.In(), retire.Out(), &f.Fire
				type design struct {
					Policy divergence.Policy
					Driver *driver
					Memory *micro.Memory
				}
				sim := rtl.MustNew("bench", &design{p, f, micro.NewMemory(c, warps, 3)})
				p.Begin()
				return sim
			}, 500)
		})
	}
}
