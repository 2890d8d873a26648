package rtl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

// bundle is a struct-typed wire.
type bundle struct {
	Valid bool
	Addr  uint32 `bits:"20"`
}

// probe has a signal of each kind.
type probe struct {
	rtl.State[struct {
		N    uint8 `bits:"5"`
		F    float32
		Many [2]uint16 `bits:"9"`
		_    uint8
	}]
	Bus    rtl.Wire[bundle]
	Out    rtl.Out[Job]
	Traced *rtl.Mem[bundle] `trace:"true"`
	Hidden *rtl.Mem[bundle]
	sim    *rtl.Sim
}

func (p *probe) Tick() {
	now := p.sim.Now()
	p.sim.WakeAt(10 * (now/10 + 1))
	switch now {
	case 10:
		p.D().N = 3
	case 20:
		p.Bus.Set(bundle{true, 9})
	case 30:
		p.Out.Push(Job{4})
	case 40:
		p.Traced.Edit(1).Addr = 5
	case 50:
		p.Hidden.Edit(1).Addr = 5
	}
}

func newProbe(latency uint64) *rtl.Sim {
	q := rtl.NewQueue[Job](4, rtl.Latency(latency))
	p := &probe{Out: q.Out(), Traced: rtl.NewMem[bundle](2), Hidden: rtl.NewMem[bundle](2)}
	return rtl.MustNew("top", &struct {
		P  *probe
		In rtl.In[Job]
	}{p, q.In()})
}

func TestSignals(t *testing.T) {
	k := newProbe(1)
	type signal struct {
		path  string
		width int
		kind  rtl.Kind
		typ   string
	}
	var got []signal
	group := map[string]int{}
	for _, s := range k.Signals() {
		got = append(got, signal{s.Path, s.Width, s.Kind, s.Type.String()})
		require.Equal(t, s.Type.Size(), s.Size)
		group[s.Path] = s.Group
	}
	assert.Equal(t, []signal{
		{"top.P.N", 5, rtl.Reg, "uint8"},
		{"top.P.F", 32, rtl.Reg, "float32"},
		{"top.P.Many[0]", 9, rtl.Reg, "uint16"},
		{"top.P.Many[1]", 9, rtl.Reg, "uint16"},
		{"top.P.Bus.Valid", 1, rtl.WireSignal, "bool"},
		{"top.P.Bus.Addr", 20, rtl.WireSignal, "uint32"},
		{"top.P.Out.Count", 32, rtl.QueueSignal, "uint32"},
		{"top.P.Out.Valid", 1, rtl.QueueSignal, "bool"},
		{"top.P.Out.Front.Client", 3, rtl.QueueSignal, "uint8"},
		{"top.P.Traced[0].Valid", 1, rtl.MemSignal, "bool"},
		{"top.P.Traced[0].Addr", 20, rtl.MemSignal, "uint32"},
		{"top.P.Traced[1].Valid", 1, rtl.MemSignal, "bool"},
		{"top.P.Traced[1].Addr", 20, rtl.MemSignal, "uint32"},
	}, got)
	assert.Equal(t, group["top.P.N"], group["top.P.Many[1]"])
	assert.NotEqual(t, group["top.P.N"], group["top.P.Bus.Valid"])
}

// TestObserve: each change is reported once, in its cycle, with only its group.
func TestObserve(t *testing.T) {
	for _, latency := range []uint64{1, 5} {
		k := newProbe(latency)
		signals := k.Signals()
		var got []string
		leave := k.Observe(func(cycle uint64, changed []uint64) {
			for i, s := range signals {
				if changed[s.Group/64]>>(s.Group%64)&1 != 0 && (i == 0 || signals[i-1].Group != s.Group) {
					got = append(got, fmt.Sprint(cycle, " ", s.Path))
				}
			}
		})
		k.Run(100)
		// The entry is seen from cycle 30+latency on, which is a change at the edge before.
		visible := fmt.Sprint(29+latency, " top.P.Out.Count")
		want := []string{"10 top.P.N", "20 top.P.Bus.Valid", visible, "40 top.P.Traced[0].Valid"}
		assert.Equal(t, want, got, "latency %d", latency)
		got = nil
		leave()
		k.Reset()
		k.Run(100)
		assert.Empty(t, got)
	}
}

func TestSignalValues(t *testing.T) {
	k := newProbe(1)
	k.Run(100)
	values := map[string]uint64{}
	for _, s := range k.Signals() {
		values[s.Path] = s.Value()
	}
	assert.Equal(t, map[string]uint64{
		"top.P.N": 3, "top.P.F": 0, "top.P.Many[0]": 0, "top.P.Many[1]": 0, "top.P.Bus.Valid": 1, "top.P.Bus.Addr": 9,
		"top.P.Out.Count": 1, "top.P.Out.Valid": 1, "top.P.Out.Front.Client": 4,
		"top.P.Traced[0].Valid": 0, "top.P.Traced[0].Addr": 0, "top.P.Traced[1].Valid": 0, "top.P.Traced[1].Addr": 5,
	}, values)
}

// TestObserveAfterResetAndRestore: a reset or a restored snapshot reports everything as changed.
func TestObserveAfterResetAndRestore(t *testing.T) {
	k := newProbe(1)
	start := k.Snapshot()
	k.Run(100)
	signals := k.Signals()
	old := make([]uint64, len(signals))
	k.Observe(func(cycle uint64, changed []uint64) {
		for i, s := range signals {
			if s.Value() != old[i] {
				require.NotZero(t, changed[s.Group/64]>>(s.Group%64)&1, "%s in cycle %d", s.Path, cycle)
			}
			old[i] = s.Value()
		}
	})
	for _, back := range []func(){func() {}, k.Reset, func() { k.Restore(start) }} {
		for i, s := range signals {
			old[i] = s.Value()
		}
		back()
		k.Run(100)
	}
}
