package memsys

import "divergo/rtl"

// Clients joins the parts of an SM that send requests to its one port of the interconnect: the L1
// and the read-only caches. They send a packet a cycle and take turns. Each packet names its client,
// and so does its response. The packets of a client stay in order. An SM with the L1 only has no
// such block.
type Clients struct {
	rtl.State[struct {
		Last uint8 `bits:"2"` // client that sent last
	}]
	In  []rtl.In[Request] // by client
	Out rtl.Out[Request]
	Rsp rtl.In[Response]
	To  []rtl.Out[Response] // by client
}

// add makes the queues of the next client. Requests wait in a queue of the given depth.
func (c *Clients) add(depth int) (rtl.Out[Request], rtl.In[Response]) {
	req, rsp := rtl.NewQueue[Request](depth), rtl.NewQueue[Response](2)
	c.In, c.To = append(c.In, req.In()), append(c.To, rsp.Out())
	return req.Out(), rsp.In()
}

// Tick moves a packet in each direction.
func (c *Clients) Tick() {
	if c.Rsp.Valid() {
		if to := c.To[c.Rsp.Front().Client]; to.Ready() {
			*to.PushSlot() = *c.Rsp.Front()
			c.Rsp.Pop()
		}
	}
	if !c.Out.Ready() {
		return
	}
	last := int(c.Q().Last)
	for n := range c.In {
		i := (last + 1 + n) % len(c.In)
		if in := c.In[i]; in.Valid() {
			p := c.Out.PushSlot()
			*p = *in.Front()
			p.Client = uint8(i)
			in.Pop()
			c.D().Last = uint8(i)
			return
		}
	}
}
