package memsys

import "divergo/rtl"

// PreMem is the stage before the memory stage (Fung & Aamodt, HPCA 2011, figure 4). It sends each
// access to the shared memory or to the coalescer.
type PreMem struct {
	In     rtl.In[Access]
	Global rtl.Out[Access]
	Shared rtl.Out[Access]
}

// Tick moves one access.
func (p *PreMem) Tick() {
	if !p.In.Valid() {
		return
	}
	a := p.In.Front()
	to := p.Global
	if a.Shared {
		to = p.Shared
	}
	if to.Ready() {
		*to.PushSlot() = *a
		p.In.Pop()
	}
}

// WriteBackPort sends the replies of the coalescer and of the shared memory to the SM, one a cycle.
// If both have a reply, they take turns.
type WriteBackPort struct {
	rtl.State[struct {
		SharedLast bool // the last reply came from the shared memory
	}]
	Global rtl.In[Reply]
	Shared rtl.In[Reply]
	Out    rtl.Out[Reply]
}

// Tick moves one reply.
func (w *WriteBackPort) Tick() {
	if !w.Out.Ready() {
		return
	}
	switch {
	case w.Shared.Valid() && !(w.Global.Valid() && w.Q().SharedLast):
		*w.Out.PushSlot() = *w.Shared.Front()
		w.Shared.Pop()
		w.D().SharedLast = true
	case w.Global.Valid():
		*w.Out.PushSlot() = *w.Global.Front()
		w.Global.Pop()
		w.D().SharedLast = false
	}
}

// Unit is the memory side of an SM: everything between its load/store unit
// and the interconnect.
type Unit struct {
	PreMem    *PreMem
	Coalescer *Coalescer
	Shared    *Shared
	L1        *L1
	WriteBack *WriteBackPort
}

// NewUnit makes the memory side of the SM at the given port of the request network. Responses come
// from the same port of the response network.
func NewUnit(cfg *Config, port int, in rtl.In[Access], out rtl.Out[Reply], req rtl.Out[Request],
	rsp rtl.In[Response],
) *Unit {
	global, shared := rtl.NewQueue[Access](2), rtl.NewQueue[Access](2)
	globalDone := rtl.NewQueue[Reply](4)
	sharedDone := rtl.NewQueue[Reply](cfg.Shared.Latency+1, rtl.Latency(uint64(cfg.Shared.Latency)))
	lines := rtl.NewQueue[LineRequest](2)
	data := rtl.NewQueue[LineResponse](cfg.L1.HitLatency+2, rtl.Latency(uint64(cfg.L1.HitLatency)))
	return &Unit{
		PreMem:    &PreMem{In: in, Global: global.Out(), Shared: shared.Out()},
		Coalescer: NewCoalescer(cfg, global.In(), globalDone.Out(), lines.Out(), data.In()),
		Shared:    NewShared(&cfg.Shared, shared.In(), sharedDone.Out()),
		L1:        newL1(cfg, port, lines.In(), data.Out(), req, rsp),
		WriteBack: &WriteBackPort{Global: globalDone.In(), Shared: sharedDone.In(), Out: out},
	}
}
