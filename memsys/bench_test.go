package memsys_test

import (
	"fmt"
	"testing"

	"divergo/internal/memtest"
	"divergo/memsys"
	"divergo/rtl"
)

// endless sends the same access for ever.
type endless struct {
	rtl.State[struct{ Replies uint64 }]
	Out    rtl.Out[memsys.Access]
	In     rtl.In[memsys.Reply]
	access *memsys.Access
}

func (e *endless) Tick() {
	if e.In.Valid() {
		e.In.Pop()
		e.D().Replies++
	}
	if e.Out.Ready() {
		*e.Out.PushSlot() = *e.access
	}
}

// BenchmarkUnit measures one access of a full warp that hits within the SM.
func BenchmarkUnit(b *testing.B) {
	warp := func(kind memsys.Kind, shared bool, stride uint64) *memsys.Access {
		a := &memsys.Access{Kind: kind, Shared: shared, Size: uint8(min(stride, 4)), Mask: ^uint32(0)}
		for i := range a.Addr {
			a.Addr[i] = base + uint64(i)*stride
			if shared {
				a.Addr[i] -= base
			}
		}
		return a
	}
	for _, c := range []struct {
		name   string
		access *memsys.Access
	}{
		{"load of one line", warp(memsys.Load, false, 2)},
		{"load of two lines", warp(memsys.Load, false, 4)},
		{"load of 32 lines", warp(memsys.Load, false, 64)},
		{"store of two lines", warp(memsys.Store, false, 4)},
		{"shared load", warp(memsys.Load, true, 4)},
		{"shared store", warp(memsys.Store, true, 4)},
	} {
		b.Run(c.name, func(b *testing.B) {
			cfg := memsys.Default()
			access, reply := rtl.NewQueue[memsys.Access](2), rtl.NewQueue[memsys.Reply](2)
			req, rsp := rtl.NewQueue[memsys.Request](8), rtl.NewQueue[memsys.Response](8)
			d := &struct {
				SM     *endless
				Unit   *memsys.Unit
				Memory *ideal
			}{
				&endless{Out: access.Out(), In: reply.In(), access: warp(memsys.Load, false, 64)},
				memsys.NewUnit(&cfg, 0, access.In(), reply.Out(), req.Out(), rsp.In()),
				&ideal{In: req.In(), Out: rsp.Out(), Lines: rtl.NewMem[memsys.Line](64)},
			}
			sim := rtl.MustNew("sm", d)
			sim.Run(1000) // by then every line is in the L1
			d.SM.access = c.access
			sim.Run(1000)
			b.ReportAllocs()
			done := d.SM.Q().Replies
			b.ResetTimer()
			for b.Loop() {
				sim.Run(100)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(d.SM.Q().Replies-done), "ns/access")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*100), "ns/cycle")
		})
	}
}

// BenchmarkMisses measures a core cycle in which eight SMs miss all the time.
func BenchmarkMisses(b *testing.B) {
	p := newProgram(1, 8, private, 1, 4000)
	s, err := memtest.New(memsys.Default(), p.script...)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Store.Map(base, private+contended); err != nil {
		b.Fatal(err)
	}
	s.Run(s.Core, 2000)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		s.Run(s.Core, 100)
	}
}

// feeder always has a packet for the next slice in turn. drain takes what arrives.
type feeder struct {
	rtl.State[struct{ N uint64 }]
	Out    rtl.Out[memsys.Request]
	slices uint64
}

func (f *feeder) Tick() {
	if f.Out.Ready() {
		f.Out.PushSlot().Dst = uint8(f.Q().N % f.slices)
		f.D().N++
	}
}

type drain struct{ In rtl.In[memsys.Request] }

func (d *drain) Tick() {
	if d.In.Valid() {
		d.In.Pop()
	}
}

// BenchmarkCrossbar measures a cycle of a request network in which every SM has a packet, with its
// sources and sinks.
func BenchmarkCrossbar(b *testing.B) {
	for _, c := range []struct{ sms, concentration, slices int }{{30, 3, 8}, {132, 1, 32}, {1024, 1, 64}} {
		b.Run(fmt.Sprintf("%d SMs", c.sms), func(b *testing.B) {
			d := &struct {
				From []*feeder
				Net  *memsys.RequestNetwork
				To   []*drain
			}{}
			var in []rtl.In[memsys.Request]
			var out []rtl.Out[memsys.Request]
			for i := range c.sms {
				q := rtl.NewQueue[memsys.Request](2)
				f := &feeder{Out: q.Out(), slices: uint64(c.slices)}
				f.Init(struct{ N uint64 }{uint64(i)})
				d.From, in = append(d.From, f), append(in, q.In())
			}
			for range c.slices {
				q := rtl.NewQueue[memsys.Request](2)
				d.To, out = append(d.To, &drain{In: q.In()}), append(out, q.Out())
			}
			cfg := memsys.IcntConfig{FlitBytes: 32, Queue: 2, Concentration: c.concentration}
			d.Net = memsys.NewRequestNetwork(&cfg, in, out)
			sim := rtl.MustNew("net", d)
			b.ReportAllocs()
			for b.Loop() {
				sim.Run(1)
			}
		})
	}
}
