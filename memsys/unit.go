package memsys

import (
	"divergo/isa"
	"divergo/rtl"
)

// PreMem is the stage before the memory stage (Fung & Aamodt, HPCA 2011, figure 4). It sends each
// access to the shared memory, a read-only cache or the coalescer. Loads of constants go to the
// coalescer if the SM has no constant cache, and herded ones always: the selector of herded loads is
// there. So do reads of textures. Texture instructions go to the texture unit. A flush goes to the
// coalescer, to the read-only caches and to the texture unit.
type PreMem struct {
	In      rtl.In[Access]
	Global  rtl.Out[Access]
	Shared  rtl.Out[Access]
	Const   rtl.Out[Access] `rtl:"optional"`
	Texture rtl.Out[Access] `rtl:"optional"`
	Sample  rtl.Out[Access] `rtl:"optional"`
}

// whole is the note of an entry that is copied as a whole.
const whole = 255

// Tick moves one access.
func (p *PreMem) Tick() {
	if !p.In.Valid() {
		return
	}
	a := p.In.Front()
	to := p.Global
	switch {
	case a.Shared:
		to = p.Shared
	case a.Kind == Flush:
		if !p.flush(a) {
			return
		}
	case a.Kind == Sample:
		to = p.Sample
	case a.Space == isa.SpaceConst && !a.Herd && p.Const.Connected():
		to = p.Const
	case a.Space == isa.SpaceTexture && !a.Herd && p.Texture.Connected():
		to = p.Texture
	}
	if to.Ready() {
		v, note := to.PushStale()
		*v, *note = *a, whole
		p.In.Pop()
	}
}

// flush sends a flush to all but the coalescer, if everybody has room for it.
func (p *PreMem) flush(a *Access) bool {
	caches := [...]rtl.Out[Access]{p.Const, p.Texture, p.Sample}
	for _, c := range caches {
		if c.Connected() && !c.Ready() || !p.Global.Ready() {
			return false
		}
	}
	for _, c := range caches {
		if c.Connected() {
			*c.PushSlot() = *a
		}
	}
	return true
}

// WriteBackPort sends the replies of the coalescer, of the shared memory and of the units in front of
// read-only caches to the SM, one a cycle. They take turns.
type WriteBackPort struct {
	rtl.State[struct {
		SharedLast bool  // the last reply came from the shared memory
		MoreLast   uint8 `bits:"2" if:"clients"` // the last reply came from More[MoreLast-1]; 0: from none
	}]
	Global rtl.In[Reply]
	Shared rtl.In[Reply]
	More   []rtl.In[Reply] // of the units in front of read-only caches
	Out    rtl.Out[Reply]
}

// Tick moves one reply.
func (w *WriteBackPort) Tick() {
	if !w.Out.Ready() {
		return
	}
	q, of := w.Q(), 2+len(w.More)
	last := 0
	switch {
	case q.MoreLast != 0:
		last = 1 + int(q.MoreLast)
	case q.SharedLast:
		last = 1
	}
	for n := range of {
		i := (last + 1 + n) % of
		in := w.Global
		switch {
		case i > 1:
			in = w.More[i-2]
		case i == 1:
			in = w.Shared
		}
		if in.Valid() {
			v, note := w.Out.PushStale()
			*v, *note = *in.Front(), whole
			in.Pop()
			d := w.D()
			d.SharedLast, d.MoreLast = i == 1, uint8(max(i-1, 0))
			return
		}
	}
}

// Unit is the memory side of an SM: everything between its load/store unit and the interconnect,
// and the instruction cache.
type Unit struct {
	PreMem    *PreMem
	Coalescer *Coalescer
	Shared    *Shared
	L1        *L1
	WriteBack *WriteBackPort

	// These are nil without read-only caches.
	Const        *Reader
	ConstCache   *ReadCache
	ICache       *ReadCache
	Texture      *Reader
	TextureCache *ReadCache
	TextureUnit  *TextureUnit // nil if the program loads texels
	TexturePort  *TexturePort // nil without a texture unit
	Clients      *Clients

	Fetch FetchPort // of the instruction cache
}

// FetchPort connects the instruction cache with the fetch stage of its SM.
type FetchPort struct {
	Cache *ReadCache // nil: every fetch hits
	Line  int        // bytes of its lines
	Req   rtl.Out[ReadRequest]
	Rsp   rtl.In[ReadResponse]
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
	u := &Unit{
		PreMem:    &PreMem{In: in, Global: global.Out(), Shared: shared.Out()},
		Coalescer: NewCoalescer(cfg, global.In(), globalDone.Out(), lines.Out(), data.In()),
		Shared:    NewShared(&cfg.Shared, shared.In(), sharedDone.Out()),
		WriteBack: &WriteBackPort{Global: globalDone.In(), Shared: sharedDone.In(), Out: out},
	}
	if cfg.Const.Size > 0 || cfg.ICache.Size > 0 || cfg.Texture.Size > 0 {
		u.Clients = &Clients{Out: req, Rsp: rsp}
		req, rsp = u.Clients.add(cfg.L1.MissQueue)
	}
	u.L1 = newL1(cfg, port, lines.In(), data.Out(), req, rsp)
	if cfg.Const.Size > 0 {
		u.addConst(cfg, port)
	}
	if cfg.ICache.Size > 0 {
		u.addICache(cfg, port)
	}
	if cfg.Texture.Size > 0 {
		u.addTexture(cfg, port)
	}
	return u
}

// addConst adds the constant cache and its unit.
func (u *Unit) addConst(cfg *Config, port int) {
	c := &cfg.Const
	accesses, replies := rtl.NewQueue[Access](2), rtl.NewQueue[Reply](2)
	lines := rtl.NewQueue[ReadRequest](2)
	data := rtl.NewQueue[ReadResponse](c.HitLatency+2, rtl.Latency(uint64(c.HitLatency)))
	u.PreMem.Const = accesses.Out()
	u.WriteBack.More = append(u.WriteBack.More, replies.In())
	u.Const = newReader(c.Pending, c.Line, 1, accesses.In(), replies.Out(), lines.Out(), data.In())
	req, rsp := u.Clients.add(c.MissQueue)
	u.ConstCache = newReadCache(cfg, readCacheSize{
		size: c.Size, assoc: c.Assoc, line: c.Line, mshrs: c.MSHRs, merge: c.MSHRMerge,
	}, port, lines.In(), data.Out(), req, rsp)
}

// addICache adds the instruction cache.
func (u *Unit) addICache(cfg *Config, port int) {
	c := &cfg.ICache
	lines, data := rtl.NewQueue[ReadRequest](2), rtl.NewQueue[ReadResponse](2)
	req, rsp := u.Clients.add(c.MissQueue)
	u.ICache = newReadCache(cfg, readCacheSize{
		size: c.Size, assoc: c.Assoc, line: c.Line, mshrs: c.MSHRs, merge: 1, text: true, prefetch: c.Prefetch,
	}, port, lines.In(), data.Out(), req, rsp)
	u.Fetch = FetchPort{Cache: u.ICache, Line: c.Line, Req: lines.Out(), Rsp: data.In()}
}

// addTexture adds the texture cache and its unit, and a texture unit if there is one.
func (u *Unit) addTexture(cfg *Config, port int) {
	c := &cfg.Texture
	accesses, replies := rtl.NewQueue[Access](2), rtl.NewQueue[Reply](2)
	lines := rtl.NewQueue[ReadRequest](2)
	data := rtl.NewQueue[ReadResponse](c.HitLatency+2, rtl.Latency(uint64(c.HitLatency)))
	u.PreMem.Texture = accesses.Out()
	u.WriteBack.More = append(u.WriteBack.More, replies.In())
	asks, comes := lines.Out(), data.In()
	if c.unit() {
		u.TexturePort = &TexturePort{Out: asks, Rsp: comes}
		samples, results := rtl.NewQueue[Access](2), rtl.NewQueue[Reply](c.Latency+2, rtl.Latency(uint64(c.Latency)))
		u.PreMem.Sample = samples.Out()
		u.WriteBack.More = append(u.WriteBack.More, results.In())
		asks, comes = u.TexturePort.add()
		ownAsks, ownComes := u.TexturePort.add()
		u.TextureUnit = newTextureUnit(c, samples.In(), results.Out(), ownAsks, ownComes)
	}
	u.Texture = newReader(c.Pending, c.Line, c.Line, accesses.In(), replies.Out(), asks, comes)
	req, rsp := u.Clients.add(c.MissQueue)
	u.TextureCache = newReadCache(cfg, readCacheSize{
		size: c.Size, assoc: c.Assoc, line: c.Line, mshrs: c.MSHRs, merge: c.MSHRMerge,
	}, port, lines.In(), data.Out(), req, rsp)
}
