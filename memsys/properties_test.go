package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/internal/memtest"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// TestSystemProperties: the whole memory system, busy all the time, in three
// clock domains and as many islands as it has parts.
func TestSystemProperties(t *testing.T) {
	for _, write := range []memsys.WritePolicy{memsys.WriteBack, memsys.WriteThrough} {
		t.Run(string(write), func(t *testing.T) {
			c := small()
			c.L1.Write = write
			p := newProgram(1, 2, 512, 1, 60)
			rtltest.SystemProperties(t, func() *rtl.System {
				s, err := memtest.New(c, p.script...)
				require.NoError(t, err)
				require.NoError(t, s.Store.Map(base, private+contended))
				return s.System
			}, 2000)
		})
	}
}

// source sends packets to one slice after another.
type source struct {
	rtl.State[struct{ N uint32 }]
	Out  rtl.Out[memsys.Request]
	step uint32
}

func (s *source) Tick() {
	q, d := s.Regs()
	if q.N < 300 && s.Out.Ready() {
		s.Out.Push(packet(int(q.N*s.step%3), int(q.N%65), uint64(q.N)))
		d.N++
	}
}

// sink takes packets, every third cycle none.
type sink struct {
	rtl.State[struct{ Sum, N uint64 }]
	In  rtl.In[memsys.Request]
	sim *rtl.Sim
}

func (s *sink) Tick() {
	if !s.In.Valid() {
		return
	}
	if s.sim.Now()%3 == 0 {
		s.sim.WakeAt(s.sim.Now() + 1)
		return
	}
	_, d := s.Regs()
	d.N++
	d.Sum = d.Sum*31 + s.In.Front().A
	s.In.Pop()
}

// netDesign is a network with modules at both sides.
type netDesign struct {
	Sources []*source
	Net     *memsys.RequestNetwork
	Sinks   []*sink
}

func TestNetworkProperties(t *testing.T) {
	rtltest.Properties(t, func() *rtl.Sim {
		d := &netDesign{}
		var in []rtl.In[memsys.Request]
		var out []rtl.Out[memsys.Request]
		for i := range 5 {
			q := rtl.NewQueue[memsys.Request](2)
			d.Sources = append(d.Sources, &source{Out: q.Out(), step: uint32(i + 1)})
			in = append(in, q.In())
		}
		for range 3 {
			q := rtl.NewQueue[memsys.Request](2)
			d.Sinks = append(d.Sinks, &sink{In: q.In()})
			out = append(out, q.Out())
		}
		d.Net = memsys.NewRequestNetwork(&memsys.IcntConfig{FlitBytes: 16, Queue: 2, Concentration: 2}, in, out)
		return rtl.MustNew("net", d)
	}, 1500)
}

// ideal is a memory without delay behind an L1: it takes one request a cycle and answers
// it in the next, so that the SM's side is all there is.
type ideal struct {
	In    rtl.In[memsys.Request]
	Out   rtl.Out[memsys.Response]
	Lines *rtl.Mem[dram.Line]
}

func (m *ideal) Tick() {
	if !m.In.Valid() || !m.Out.Ready() {
		return
	}
	r := m.In.Front()
	i := int(r.Line-base) / 64
	p := m.Out.PushSlot()
	p.Kind, p.ID, p.Epoch = r.Kind, r.ID, r.Epoch
	switch r.Kind {
	case memsys.Load:
		p.Data = *m.Lines.At(i)
	case memsys.Store:
		m.Lines.Edit(i).Merge(&r.Data, r.Mask)
	}
	m.In.Pop()
}

// smDesign is the memory side of an SM between a driver and an ideal memory.
type smDesign struct {
	Driver *memtest.Driver
	Unit   *memsys.Unit
	Memory *ideal
}

func TestUnitProperties(t *testing.T) {
	p := newProgram(2, 1, 1024, 1, 100)
	rtltest.Properties(t, func() *rtl.Sim {
		c := small()
		access, reply := rtl.NewQueue[memsys.Access](1), rtl.NewQueue[memsys.Reply](1)
		req, rsp := rtl.NewQueue[memsys.Request](2), rtl.NewQueue[memsys.Response](2)
		return rtl.MustNew("sm", &smDesign{
			Driver: memtest.NewDriver(p.script[0], access.Out(), reply.In()),
			Unit:   memsys.NewUnit(&c, 0, access.In(), reply.Out(), req.Out(), rsp.In()),
			Memory: &ideal{In: req.In(), Out: rsp.Out(), Lines: rtl.NewMem[dram.Line](private + contended)},
		})
	}, 3000)
}
