package rtl_test

import (
	"fmt"
	"math/bits"

	"divergo/rtl"
)

// Encoder grants the lowest of eight requesting clients and queues its number.
type Encoder struct {
	rtl.State[encoderState]
	Req   *rtl.Wire[uint8] // a bit for each client
	Grant rtl.Wire[uint8]  // one-hot, combinational
	Out   rtl.Out[Job]
}

type encoderState struct {
	Pending uint8  // requests that are not yet queued
	Dropped uint16 // requests of a client that was still pending
}

// Job is a queued request.
type Job struct {
	Client uint8 `bits:"3"`
}

func (e *Encoder) Tick() {
	q, d := e.Regs()
	req := e.Req.Get()
	want := q.Pending | req
	grant := want & -want // lowest bit
	if !e.Out.Ready() {
		grant = 0
	}
	e.Grant.Set(grant)
	if grant != 0 {
		e.Out.Push(Job{Client: uint8(bits.TrailingZeros8(grant))})
	}
	d.Pending = want &^ grant
	d.Dropped += uint16(bits.OnesCount8(q.Pending & req))
}

// Phase is the state of the loader's FSM.
type Phase uint8

// The phases of a job.
const (
	Waiting Phase = iota
	Busy
	Reply
)

// Loader serves a job at a time: Waiting -> Busy for Latency cycles -> Reply.
type Loader struct {
	rtl.State[loaderState]
	In      rtl.In[Job]
	Latency uint64
	sim     *rtl.Sim
}

type loaderState struct {
	Phase Phase `bits:"2"`
	Job   Job
	Until uint64
	Done  [8]uint32 // jobs served for each client
}

func (l *Loader) Tick() {
	q, d := l.Regs()
	switch q.Phase {
	case Waiting:
		if l.In.Valid() {
			d.Job = *l.In.Front()
			l.In.Pop()
			d.Until = l.sim.Now() + l.Latency
			d.Phase = Busy
		}
	case Busy:
		if l.sim.Now() < q.Until {
			l.sim.WakeAt(q.Until) // asleep until then
			return
		}
		d.Phase = Reply
	case Reply:
		d.Done[q.Job.Client]++
		d.Phase = Waiting
	}
}

// Bench is the top level. It has no Tick, so its wire is a pin that the testbench sets.
type Bench struct {
	Req     rtl.Wire[uint8]
	Encoder *Encoder
	Loader  *Loader
}

func NewBench() *Bench {
	q := rtl.NewQueue[Job](4)
	b := &Bench{Encoder: &Encoder{Out: q.Out()}, Loader: &Loader{In: q.In(), Latency: 7}}
	b.Encoder.Req = &b.Req
	return b
}

func Example() {
	b := NewBench()
	sim := rtl.MustNew("bench", b)
	b.Req.Set(0b1010_0110)
	sim.Run(1)
	b.Req.Set(0)
	fmt.Printf("granted %08b, pending %08b\n", b.Encoder.Grant.Get(), b.Encoder.Q().Pending)
	sim.Run(1000)
	fmt.Println("served", b.Loader.Q().Done, "idle", sim.Idle())
	fmt.Println("2002 cycles of modules, less than 40 evaluated:", sim.Evals() < 40)
	// Output:
	// granted 00000010, pending 10100100
	// served [0 1 1 0 0 1 0 1] idle true
	// 2002 cycles of modules, less than 40 evaluated: true
}

// New refuses a design with errors, and reports all of them.
func ExampleNew() {
	_, err := rtl.New("bench", &Bench{Encoder: new(Encoder), Loader: new(Loader)})
	fmt.Println(err)
	// Output:
	// bench.Encoder.Req, an input, is not connected to a wire: set it, or tag it `rtl:"optional"`
	// bench.Encoder.Out is not connected to a queue: set it, or tag it `rtl:"optional"`
	// bench.Loader.In is not connected to a queue: set it, or tag it `rtl:"optional"`
}

// Two clock domains, and a link that takes at least three cycles of the slower.
func ExampleSystem() {
	l := rtl.NewLink[Job](4, 3)
	b := NewBench()
	b.Encoder.Out, b.Loader.In = l.Out(), l.In()
	sys := rtl.NewSystem("gpu")
	core, dram := sys.Domain("core", 1_300_000_000), sys.Domain("dram", 800_000_000)
	front := &struct {
		Req     rtl.Wire[uint8]
		Encoder *Encoder
	}{Encoder: b.Encoder}
	b.Encoder.Req = &front.Req
	for _, island := range []struct {
		name   string
		domain *rtl.Domain
		root   any
	}{{"front", core, front}, {"back", dram, b.Loader}} {
		if _, err := sys.Add(island.name, island.domain, island.root); err != nil {
			fmt.Println(err)
		}
	}
	front.Req.Set(1)
	p := sys.RunUntil(func() bool { return b.Loader.Q().Done[0] == 3 }, core, 1000)
	fmt.Println("done", p.Done, "after less than 100 cycles:", p.Cycles < 100)
	// Output: done true after less than 100 cycles: true
}
