package waves_test

import (
	"fmt"
	"math/bits"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

// The toy design has clients with a state machine. They send jobs over a link into a slower domain,
// where a server counts them and answers. Its names and values are difficult: enumerations, signed
// numbers, arrays of arrays, 64-bit registers, widths from tags.

// phase is the state of a client.
type phase uint8

const (
	idle phase = iota
	busy
	reply
)

func (p phase) String() string {
	return [...]string{"Idle", "Busy", "Reply"}[p]
}

// job is the entry that travels.
type job struct {
	Client uint8 `bits:"3"`
	Wide   uint64
}

type clientState struct {
	Phase  phase `bits:"2"`
	Seed   uint32
	Signed int8
	Small  int16 `bits:"5"`
	PC     uint16
	Hist   [12][2]uint8
	Sum    uint64
	Map    [96]bool
	Flag   bool
	Tag    job
}

type client struct {
	rtl.State[clientState]
	Grant rtl.Wire[bool]
	Index uint8
	Out   rtl.Out[job]
}

func (c *client) Tick() {
	q, d := c.Regs()
	d.Seed = q.Seed*1664525 + 1013904223
	r := q.Seed >> 16
	c.Grant.Set(r&3 == 0)
	d.Signed += int8(r&7) - 3
	d.Small = int16(d.Signed) % 16
	d.Flag = r&16 != 0
	switch q.Phase {
	case idle:
		if c.Grant.Get() && c.Out.Ready() {
			d.Tag = job{c.Index, uint64(q.Seed) << 32}
			c.Out.Push(d.Tag)
			d.Phase = busy
		}
	case busy:
		d.PC++
		i := q.PC * 5 % 96
		d.Map[i] = !q.Map[i]
		d.Hist[q.PC%12][r&1]++
		if r&12 == 0 {
			d.Phase = reply
		}
	case reply:
		d.Sum += uint64(q.Seed) << (r & 31)
		d.Phase = idle
	}
}

type serverState struct {
	Done [8]uint32
	Top  uint8 `bits:"7"`
}

// server takes one job a cycle and logs it.
type server struct {
	rtl.State[serverState]
	In  [10]rtl.In[job]
	Log rtl.Out[uint16]
}

func (s *server) Tick() {
	d := s.D()
	for i := range s.In {
		if in := s.In[i]; in.Valid() && s.Log.Ready() {
			d.Done[in.Front().Client]++
			d.Top = uint8(bits.Len64(in.Front().Wide))
			s.Log.Push(uint16(in.Front().Wide >> 40))
			in.Pop()
			return
		}
	}
}

// sink reads the log, every third cycle.
type sink struct {
	rtl.State[struct {
		Last  uint16
		Sleep uint8 `bits:"2"`
	}]
	In rtl.In[uint16]
}

func (s *sink) Tick() {
	q, d := s.Regs()
	if s.In.Valid() {
		if d.Sleep = (q.Sleep + 1) % 3; d.Sleep == 0 {
			d.Last = *s.In.Front()
			s.In.Pop()
		}
	}
}

// toy is the design: ten islands at 1300 MHz and one at 800.
type toy struct {
	sys     *rtl.System
	core    *rtl.Domain
	mem     *rtl.Domain
	clients [10]*client
	server  *server
	sink    *sink
}

func newToy(t testing.TB, workers int) *toy {
	log := rtl.NewQueue[uint16](6)
	y := &toy{sys: rtl.NewSystem("toy"), server: &server{Log: log.Out()}, sink: &sink{In: log.In()}}
	y.sys.Workers = workers
	y.core = y.sys.Domain("core", 1_300_000_000)
	y.mem = y.sys.Domain("mem", 800_000_000)
	for i := range y.clients {
		l := rtl.NewLink[job](4, 5)
		y.clients[i] = &client{Index: uint8(i % 8), Out: l.Out()}
		y.clients[i].Init(clientState{Seed: uint32(i) * 7919})
		y.server.In[i] = l.In()
		_, err := y.sys.Add(fmt.Sprintf("toy.sm[%d]", i), y.core, y.clients[i])
		require.NoError(t, err)
	}
	_, err := y.sys.Add("toy.mem", y.mem, &struct {
		Server *server
		Sink   *sink
	}{y.server, y.sink})
	require.NoError(t, err)
	require.NoError(t, y.sys.Elaborate())
	return y
}

// signal is a signal of the toy: its name in a dump, and the place of its value in the design.
type signal struct {
	name  string
	inMem bool // it changes with the memory's clock
	wire  bool // it shows the cycle that has passed
	value func() uint64
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// signals lists the signals of the toy, written out one by one.
func (y *toy) signals() []signal {
	var all []signal
	for i, c := range y.clients {
		sm := fmt.Sprintf("toy.sm_%d.", i)
		reg := func(name string, value func(q *clientState) uint64) {
			all = append(all, signal{name: sm + name, value: func() uint64 { return value(c.Q()) }})
		}
		reg("Phase", func(q *clientState) uint64 { return uint64(q.Phase) })
		reg("Seed", func(q *clientState) uint64 { return uint64(q.Seed) })
		reg("Signed", func(q *clientState) uint64 { return uint64(uint8(q.Signed)) })
		reg("Small", func(q *clientState) uint64 { return uint64(q.Small) & 31 })
		reg("PC", func(q *clientState) uint64 { return uint64(q.PC) })
		reg("Sum", func(q *clientState) uint64 { return q.Sum })
		reg("Flag", func(q *clientState) uint64 { return flag(q.Flag) })
		for j := range 96 {
			reg(fmt.Sprintf("Map_%02d", j), func(q *clientState) uint64 { return flag(q.Map[j]) })
		}
		reg("Tag.Client", func(q *clientState) uint64 { return uint64(q.Tag.Client) })
		reg("Tag.Wide", func(q *clientState) uint64 { return q.Tag.Wide })
		for j := range 12 {
			for k := range 2 {
				reg(fmt.Sprintf("Hist_%02d_%d", j, k), func(q *clientState) uint64 { return uint64(q.Hist[j][k]) })
			}
		}
		all = append(all, signal{name: sm + "Grant", wire: true, value: func() uint64 { return flag(c.Grant.Get()) }})
	}
	for i := range 8 {
		all = append(all, signal{
			name: fmt.Sprintf("toy.mem.Server.Done_%d", i), inMem: true,
			value: func() uint64 { return uint64(y.server.Q().Done[i]) },
		})
	}
	return append(all,
		signal{name: "toy.mem.Server.Top", inMem: true, value: func() uint64 { return uint64(y.server.Q().Top) }},
		signal{name: "toy.mem.Sink.Last", inMem: true, value: func() uint64 { return uint64(y.sink.Q().Last) }},
		signal{name: "toy.mem.Sink.Sleep", inMem: true, value: func() uint64 { return uint64(y.sink.Q().Sleep) }},
		signal{name: "toy.mem.Server.Log.Count", inMem: true, value: func() uint64 { return uint64(y.sink.In.Len()) }},
		signal{name: "toy.mem.Server.Log.Valid", inMem: true, value: func() uint64 { return flag(y.sink.In.Valid()) }})
}

// sample is the value of a signal of the model at a time.
type sample struct {
	name  string
	fs    uint64
	value uint64
}

// model is the samples of the first cycles of a run.
func model(t testing.TB, cycles int) []sample {
	modelOnce.Do(func() { modelSamples, modelBegins = runModel(t) })
	return modelSamples[:modelBegins[cycles]]
}

var (
	modelOnce    sync.Once
	modelSamples []sample
	modelBegins  []int // index of the first sample of each cycle
)

// runModel runs a toy without a dump, cycle by cycle, and notes the values of all signals.
func runModel(t testing.TB) (all []sample, begins []int) {
	y := newToy(t, 1)
	signals := y.signals()
	for c := range uint64(toyCycles) {
		begins = append(begins, len(all))
		for _, s := range signals {
			switch {
			case s.inMem:
				all = append(all, sample{s.name, y.mem.Fs(y.mem.Now()), s.value()})
			case !s.wire:
				all = append(all, sample{s.name, y.core.Fs(c), s.value()})
			case c > 0:
				all = append(all, sample{s.name, y.core.Fs(c - 1), s.value()})
			}
		}
		y.sys.Run(y.core, 1)
	}
	return all, append(begins, len(all))
}
