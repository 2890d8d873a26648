package waves_test

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

// The toy design: clients with a state machine send jobs over a link into a slower domain, where a server answers by
// counting. It has what makes names and values hard: enumerations, signed numbers, arrays of arrays, 64-bit registers,
// widths from tags.

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

// job is what travels.
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
	Top  uint8 `bits:"6"`
}

type server struct {
	rtl.State[serverState]
	In [10]rtl.In[job]
}

func (s *server) Tick() {
	d := s.D()
	for i := range s.In {
		if in := s.In[i]; in.Connected() && in.Valid() {
			d.Done[in.Front().Client]++
			d.Top = uint8(bits.Len64(in.Front().Wide))
			in.Pop()
			return
		}
	}
}

// toy is the design with its clock domains of 1300 and 800 MHz and, if quiet, an idle one of 650.
type toy struct {
	sys     *rtl.System
	core    *rtl.Domain
	mem     *rtl.Domain
	clients [10]*client
	server  *server
}

func newToy(t testing.TB, workers int) *toy {
	y := &toy{sys: rtl.NewSystem("toy"), server: &server{}}
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
	_, err := y.sys.Add("toy.mem", y.mem, y.server)
	require.NoError(t, err)
	require.NoError(t, y.sys.Elaborate())
	return y
}
