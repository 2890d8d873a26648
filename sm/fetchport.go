package sm

import (
	"divergo/memsys"
	"divergo/rtl"
)

// FetchPort connects the fetch stages of several sub-cores with the instruction cache. The sub-cores
// take turns, with one request a cycle. A line that comes goes to all of them, because slots of each
// may wait for it. Every sub-core looks up lines by itself: the tags have a port for each.
type FetchPort struct {
	rtl.State[struct {
		Last uint8 `bits:"2"` // sub-core that sent last
	}]
	In   []rtl.In[memsys.ReadRequest] // by sub-core
	Out  rtl.Out[memsys.ReadRequest]
	Rsp  rtl.In[memsys.ReadResponse]
	Back []rtl.Out[memsys.ReadResponse] // by sub-core
}

// add makes the queues of the next sub-core.
func (p *FetchPort) add(to memsys.FetchPort) memsys.FetchPort {
	lines, data := rtl.NewQueue[memsys.ReadRequest](2), rtl.NewQueue[memsys.ReadResponse](2)
	p.In, p.Back = append(p.In, lines.In()), append(p.Back, data.Out())
	to.Req, to.Rsp = lines.Out(), data.In()
	return to
}

// Tick moves a line to the sub-cores, and a request to the cache.
func (p *FetchPort) Tick() {
	if p.Rsp.Valid() && p.room() {
		for i := range p.Back {
			*p.Back[i].PushSlot() = *p.Rsp.Front()
		}
		p.Rsp.Pop()
	}
	if !p.Out.Ready() {
		return
	}
	last := int(p.Q().Last)
	for n := range p.In {
		i := (last + 1 + n) % len(p.In)
		if in := &p.In[i]; in.Valid() {
			p.Out.Push(*in.Front())
			in.Pop()
			p.D().Last = uint8(i)
			return
		}
	}
}

// Idle reports whether no request and no line is on its way.
func (p *FetchPort) Idle() bool {
	for i := range p.In {
		if p.In[i].Valid() {
			return false
		}
	}
	return !p.Rsp.Valid()
}

// room reports whether every sub-core can take a line.
func (p *FetchPort) room() bool {
	for i := range p.Back {
		if !p.Back[i].Ready() {
			return false
		}
	}
	return true
}
