package rtl_test

import "divergo/rtl"

// The miniature workload for comparing kernels has 16 modules with 209 registers of mixed types:
//
//   - Four sources feed four fifos.
//   - A round-robin arbiter feeds a pipeline of four stages from them.
//   - S1 allocates an entry of a scoreboard, and S3 frees it.
//   - A fifo leads to a sink that is not always ready.
//
// The true combinational paths are:
//
//   - ready: fifo4 -> S3 -> S2 -> S1 and its table look-up -> S0 -> arbiter -> fifos;
//   - valid and data: fifos -> arbiter -> S0.
//
// fused_test.go has the same hardware as one function.

type packet struct {
	Data         uint64
	Addr         uint32
	Op, Src, Dst uint8
}

// profile is the activity profile of the sources.
type profile struct {
	Name   string
	Gap    uint64 // cycles from burst start to the next burst start
	Burst  uint16
	Mask   uint16
	Active uint8 // bit i: source i is used
}

var (
	busyProfile   = profile{"busy", 8, 64, 63, 15}      // saturated pipeline
	sparseProfile = profile{"sparse", 16, 1, 0, 1}      // one packet every 16 cycles
	mixedProfile  = profile{"mixed", 4000, 64, 63, 15}  // ~380 busy cycles in each 4000
	idleProfile   = profile{"idle", 1 << 40, 64, 63, 0} // nothing ever happens
	profiles      = []profile{busyProfile, sparseProfile, mixedProfile, idleProfile}
)

func xorshift(x uint32) uint32 {
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 5
	return x
}

func makePacket(l uint32, i uint8) packet {
	return packet{uint64(l) * 0x9E3779B97F4A7C15, l &^ 3, uint8(l>>8) & 7, i, uint8(l>>16) & 31}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (p packet) dump(d []uint64) []uint64 {
	return append(d, p.Data, uint64(p.Addr), uint64(p.Op)<<16|uint64(p.Src)<<8|uint64(p.Dst))
}

type sourceState struct {
	start      uint64
	pkt        packet
	lfsr       uint32
	burst, seq uint16
	valid      bool
}

// source makes bursts of packets from a shift register.
type source struct {
	rtl.State[sourceState]
	Out rtl.Out[packet]
	sim *rtl.Sim
	cfg profile
	id  uint8
}

func (s *source) Tick() {
	q, d := s.Regs()
	if fire := q.valid && s.Out.Ready(); fire || !q.valid {
		if fire {
			s.Out.Push(q.pkt)
		}
		d.valid = q.burst > 0
		if q.burst > 0 {
			d.lfsr = xorshift(q.lfsr)
			d.pkt = makePacket(d.lfsr, s.id)
			d.seq++
			d.burst--
		}
	}
	if q.burst == 0 {
		if now := s.sim.Now(); now >= q.start {
			d.burst = s.cfg.Burst + uint16(q.lfsr)&s.cfg.Mask
			d.start = now + s.cfg.Gap
		} else {
			s.sim.WakeAt(q.start)
		}
	}
}

type arbState struct {
	last   uint8
	grants [4]uint32
}

// arbiter grants the fifos in turn. The grant is combinational, so the arbiter has two processes.
type arbiter struct {
	rtl.State[arbState]
	In    [4]rtl.In[packet]
	Sel   rtl.Wire[int8]  // granted input, -1: none
	Stall *rtl.Wire[bool] // from S0
}

func (a *arbiter) Processes() []rtl.Proc {
	return []rtl.Proc{
		{Name: "pick", Fn: a.pick, Drives: []rtl.AnyWire{&a.Sel}},
		{Name: "take", Fn: a.take, Reads: []rtl.AnyWire{&a.Sel, a.Stall}},
	}
}

func (a *arbiter) pick() {
	for k := uint8(1); k <= 4; k++ {
		if i := (a.Q().last + k) & 3; a.In[i].Valid() {
			a.Sel.Set(int8(i))
			return
		}
	}
	a.Sel.Set(-1)
}

func (a *arbiter) take() {
	if i := a.Sel.Get(); i >= 0 && !a.Stall.Get() {
		a.In[i&3].Pop()
		a.D().last = uint8(i)
		a.D().grants[i&3]++
	}
}

type stageState struct {
	packet
	valid bool
}

// stage is the common part of the pipeline stages: a packet, and a stall that travels backwards.
type stage struct {
	rtl.State[stageState]
	Stall rtl.Wire[bool] // holds a packet that cannot move on
	Go    rtl.Wire[bool] // passes its packet on in this cycle
}

// step passes its packet on if it can, and takes the next packet if there is room.
func (s *stage) step(hand, valid bool, p packet) {
	s.Go.Set(hand)
	stall := s.Q().valid && !hand
	s.Stall.Set(stall)
	if !stall {
		d := s.D()
		d.valid = valid
		if valid {
			d.packet = p
		}
	}
}

// stage0 takes the packets that the arbiter grants.
type stage0 struct {
	stage
	Next *rtl.Wire[bool] // stall of S1
	Sel  *rtl.Wire[int8]
	arb  *arbiter
}

func (s *stage0) Tick() {
	var p packet
	i := s.Sel.Get()
	if i >= 0 {
		p = *s.arb.In[i&3].Front()
	}
	s.step(s.Q().valid && !s.Next.Get(), i >= 0, p)
}

// stage1 computes the address and waits for the scoreboard.
type stage1 struct {
	stage
	Next  *rtl.Wire[bool]
	prev  *stage0
	Table *scoreboard
}

// OutValid holds the packet back while its destination is busy.
func (s *stage1) OutValid() bool { return s.Q().valid && !s.Table.Q().busy[s.Q().Dst&31] }

func (s *stage1) Tick() {
	p := s.prev.Q().packet
	p.Addr += 4 * uint32(p.Op)
	p.Data ^= uint64(p.Addr)
	s.step(s.OutValid() && !s.Next.Get(), s.prev.Q().valid, p)
}

// stage2 mixes the data.
type stage2 struct {
	stage
	Next  *rtl.Wire[bool]
	prev  *stage1
	table *scoreboard
}

func (s *stage2) Tick() {
	p := s.prev.Q().packet
	p.Data = p.Data*31 + uint64(p.Addr)
	s.step(s.Q().valid && !s.Next.Get(), s.prev.OutValid(), p)
}

// stage3 pushes to the last fifo.
type stage3 struct {
	stage
	prev *stage2
	Out  rtl.Out[packet]
}

func (s *stage3) Tick() {
	hand := s.Q().valid && s.Out.Ready()
	if hand {
		s.Out.Push(s.Q().packet)
	}
	p := s.prev.Q().packet
	p.Data ^= p.Data >> 17
	p.Op++
	s.step(hand, s.prev.Q().valid, p)
}

type tableState struct {
	busy     [32]bool
	owner    [32]uint8
	cnt      [32]uint16
	inflight uint8
}

// scoreboard marks the destinations in flight.
type scoreboard struct {
	rtl.State[tableState]
	Alloc, Free *rtl.Wire[bool]
	s1          *stage1
	s3          *stage3
}

func (t *scoreboard) Tick() {
	d := t.D()
	if t.Free.Get() {
		d.busy[t.s3.Q().Dst&31] = false
		d.inflight--
	}
	if t.Alloc.Get() {
		p := t.s1.Q()
		i := p.Dst & 31
		d.busy[i], d.owner[i] = true, p.Src
		d.cnt[i]++
		d.inflight++
	}
}

type sinkState struct {
	csum        uint64
	count, lfsr uint32
	rdy         bool
}

// sink sums up what it takes.
type sink struct {
	rtl.State[sinkState]
	In rtl.In[packet]
}

func (s *sink) Tick() {
	if s.In.Valid() {
		d := s.D()
		if s.Q().rdy {
			d.csum = d.csum*0x100000001b3 ^ s.In.Front().Data
			d.count++
			s.In.Pop()
		}
		d.lfsr = xorshift(d.lfsr)
		d.rdy = d.lfsr&7 != 0
	}
}

// mini is the top level.
type mini struct {
	*rtl.Sim
	Src   [4]*source
	Arb   *arbiter
	S0    *stage0
	S1    *stage1
	S2    *stage2
	S3    *stage3
	Table *scoreboard
	Sink  *sink

	q [5]*rtl.Queue[packet]
}

func newMini(cfg profile) *mini {
	t := &mini{
		Arb: new(arbiter), S0: new(stage0), S1: new(stage1), S2: new(stage2), S3: new(stage3),
		Table: new(scoreboard), Sink: new(sink),
	}
	for i := range t.q {
		t.q[i] = rtl.NewQueue[packet](8)
	}
	for i := range t.Src {
		s := &source{Out: t.q[i].Out(), cfg: cfg, id: uint8(i)}
		st := sourceState{lfsr: 0x12345 * uint32(i+1)}
		if cfg.Active>>i&1 == 0 {
			st.start = rtl.Never
		}
		s.Init(st)
		t.Src[i], t.Arb.In[i] = s, t.q[i].In()
	}
	t.Arb.Init(arbState{last: 3})
	t.Arb.Stall = &t.S0.Stall
	t.S0.Sel, t.S0.arb, t.S0.Next = &t.Arb.Sel, t.Arb, &t.S1.Stall
	t.S1.Next, t.S1.prev, t.S1.Table = &t.S2.Stall, t.S0, t.Table
	t.S2.Next, t.S2.prev, t.S2.table = &t.S3.Stall, t.S1, t.Table
	t.S3.prev, t.S3.Out = t.S2, t.q[4].Out()
	t.Table.Alloc, t.Table.Free, t.Table.s1, t.Table.s3 = &t.S1.Go, &t.S3.Go, t.S1, t.S3
	t.Sink.In = t.q[4].In()
	t.Sink.Init(sinkState{lfsr: 0xdeadbeef, rdy: true})
	t.Sim = rtl.MustNew("top", t)
	return t
}

func (t *mini) dump(d []uint64) []uint64 {
	for _, m := range t.Src {
		p := m.Q()
		d = append(d, p.start, uint64(p.lfsr), uint64(p.burst), uint64(p.seq), bit(p.valid))
		d = p.pkt.dump(d)
	}
	for _, f := range t.q {
		in := f.In()
		for i := range in.Len() {
			d = in.Peek(i).dump(d)
		}
		d = append(d, uint64(in.Len()))
	}
	d = append(d, uint64(t.Arb.Q().last))
	for _, g := range t.Arb.Q().grants {
		d = append(d, uint64(g))
	}
	for _, m := range []*stage{&t.S0.stage, &t.S1.stage, &t.S2.stage, &t.S3.stage} {
		p := m.Q()
		d = append(d, bit(p.valid), p.Data, uint64(p.Addr), uint64(p.Op), uint64(p.Src), uint64(p.Dst))
	}
	e := t.Table.Q()
	for i := range e.busy {
		d = append(d, bit(e.busy[i]), uint64(e.owner[i]), uint64(e.cnt[i]))
	}
	k := t.Sink.Q()
	return append(d, uint64(e.inflight), k.csum, uint64(k.count), uint64(k.lfsr), bit(k.rdy))
}
