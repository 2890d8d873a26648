// Package memtest drives a whole memory system in tests. A driver with a script of accesses
// replaces each SM.
package memtest

import (
	"fmt"

	"divergo/memsys"
	"divergo/rtl"
)

// Step is a line of a script: an access, and the core cycle before which it must not be sent.
type Step struct {
	NotBefore uint64
	memsys.Access
}

// Driver plays the load/store unit of an SM. It sends one access a cycle while the queue has room,
// and stores the replies, one every Pause cycles. The tag of an access is its place in the script.
type Driver struct {
	rtl.State[struct {
		Next     uint32 // step to send
		Replies  uint32 // received
		LastDone uint64 // cycle of the last reply
	}]
	Script []Step
	Pause  uint64 // cycles from a reply to the next; 0 is 1
	Out    rtl.Out[memsys.Access]
	In     rtl.In[memsys.Reply]
	Reply  *rtl.Mem[memsys.Reply] // by step
	Count  *rtl.Mem[uint8]        // replies received, by step
	Cycle  *rtl.Mem[uint64]       // cycle in which the reply came, by step

	sim *rtl.Sim
}

// NewDriver makes a driver for a script.
func NewDriver(script []Step, out rtl.Out[memsys.Access], in rtl.In[memsys.Reply]) *Driver {
	n := max(len(script), 1)
	return &Driver{
		Script: script, Out: out, In: in,
		Reply: rtl.NewMem[memsys.Reply](n), Count: rtl.NewMem[uint8](n), Cycle: rtl.NewMem[uint64](n),
	}
}

// Tick takes a reply and sends an access.
func (d *Driver) Tick() {
	q, n := d.Regs()
	if next := q.LastDone + d.Pause; d.In.Valid() && q.Replies > 0 && d.sim.Now() < next {
		d.sim.WakeAt(next)
	} else if d.In.Valid() {
		r := d.In.Front()
		i := int(r.Tag)
		d.Reply.Write(i, *r)
		*d.Count.Edit(i)++
		d.Cycle.Write(i, d.sim.Now())
		n.Replies++
		n.LastDone = d.sim.Now()
		d.In.Pop()
	}
	if int(q.Next) == len(d.Script) {
		return
	}
	s := &d.Script[q.Next]
	if s.NotBefore > d.sim.Now() {
		d.sim.WakeAt(s.NotBefore)
		return
	}
	if d.Out.Ready() {
		a := d.Out.PushSlot()
		*a = s.Access
		a.Tag = uint16(q.Next)
		n.Next++
	}
}

// done reports whether every access has its reply.
func (d *Driver) done() bool { return int(d.Q().Replies) == len(d.Script) }

// SM is an island of a System: a driver and the memory side of an SM.
type SM struct {
	Driver *Driver
	Unit   *memsys.Unit
}

// Dispatch is the interconnect port through which a System flushes the L2.
type Dispatch struct {
	Req rtl.Out[memsys.Request]
	Rsp rtl.In[memsys.Response]
}

// System is a memory system with drivers.
type System struct {
	*rtl.System
	*memsys.Memory
	Core     *rtl.Domain
	SMs      []*SM
	Dispatch *Dispatch
}

// New builds a memory system with an SM for each script, clocked at 1300, 650 and 800 MHz (Fung &
// Aamodt, HPCA 2011, table 2).
func New(cfg memsys.Config, scripts ...[]Step) (*System, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	s := &System{System: rtl.NewSystem("memory"), Memory: memsys.NewMemory(&cfg)}
	s.Core = s.Domain("core", 1300e6)
	for i, script := range scripts {
		access, reply := rtl.NewQueue[memsys.Access](2), rtl.NewQueue[memsys.Reply](2)
		sm := &SM{
			Driver: NewDriver(script, access.Out(), reply.In()),
			Unit:   s.NewUnit(access.In(), reply.Out()),
		}
		s.SMs = append(s.SMs, sm)
		if _, err := s.System.Add(fmt.Sprintf("sm[%d]", i), s.Core, sm); err != nil {
			return nil, err
		}
	}
	s.Dispatch = &Dispatch{}
	_, s.Dispatch.Req, s.Dispatch.Rsp = s.Port()
	if _, err := s.System.Add("dispatch", s.Core, s.Dispatch); err != nil {
		return nil, err
	}
	if err := s.Memory.Add(s.System, s.Domain("icnt", 650e6), s.Domain("dram", 800e6)); err != nil {
		return nil, err
	}
	return s, s.Elaborate()
}

// done reports whether every access of every script has its reply.
func (s *System) done() bool {
	for _, sm := range s.SMs {
		if !sm.Driver.done() {
			return false
		}
	}
	return true
}

// Play runs until every access has its reply, for at most max core cycles.
func (s *System) Play(max uint64) error {
	if p := s.RunUntil(s.done, s.Core, max); p.Done {
		return nil
	} else if p.Idle {
		return fmt.Errorf("core cycle %d: nothing moves, but accesses lack their reply", s.Core.Now())
	}
	return fmt.Errorf("no end after %d core cycles", max)
}

// Flush makes every L2 slice write back, for at most max core cycles in each step. Then Store holds
// everything that the SMs have flushed.
func (s *System) Flush(max uint64) error {
	for i := range s.Slices {
		i := i
		if p := s.RunUntil(s.Dispatch.Req.Ready, s.Core, max); !p.Done {
			return fmt.Errorf("no room for the flush of slice %d", i)
		}
		s.Dispatch.Req.Push(memsys.Request{Kind: memsys.FlushAll, Src: uint16(len(s.SMs)), Dst: uint8(i)})
	}
	for i := range s.Slices {
		if p := s.RunUntil(s.Dispatch.Rsp.Valid, s.Core, max); !p.Done {
			return fmt.Errorf("%d of %d slices have not flushed after %d core cycles", len(s.Slices)-i,
				len(s.Slices), max)
		}
		s.Dispatch.Rsp.Pop()
	}
	return nil
}
