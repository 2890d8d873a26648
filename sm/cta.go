package sm

import (
	"math/bits"

	"divergo/memsys"
	"divergo/rtl"
	"divergo/sm/divergence"
)

// Command is a message of the dispatcher to an SM.
type Command struct {
	Flush bool   // write back the L1: the kernel has ended
	ID    uint64 // else: run the CTA with this linear number
}

// Notice is a message of an SM to the dispatcher.
type Notice struct {
	Flushed bool
	ID      uint64 // number of the CTA that has ended; unused if Flushed
}

// CTA admits CTAs to the SM. It gives each CTA a resident number, which fixes the rows of its warps
// in the register file and its part of shared memory. It starts one warp a cycle: write-back clears
// the row, and the divergence hardware makes the warp schedulable. When the last warp has retired,
// the place is free again.
type CTA struct {
	rtl.State[struct {
		Resident uint32          // a bit for each resident CTA
		ID       [MaxCTAs]uint64 `len:"ctas"`          // linear number in the grid
		Live     [MaxCTAs]uint8  `len:"ctas" bits:"7"` // warps that have not retired
		Starting bool            // a CTA is being started
		CTA      uint8           `bits:"5"` // the CTA being started
		Warp     uint8           `bits:"7"` // next warp of that CTA
	}]
	In      rtl.In[Command]
	Out     rtl.Out[Notice]
	Launch  rtl.Out[divergence.WarpStart]
	Clear   rtl.Out[uint8]   // to the first sub-core
	Clears  []rtl.Out[uint8] // to the others
	Retire  rtl.In[divergence.Retire]
	Flush   rtl.Out[Command]
	Flushed rtl.In[Notice]
	Code    *memsys.ReadCache `rtl:"optional"` // instruction cache

	l *launch
}

// Tick starts a warp, and retires a warp.
func (c *CTA) Tick() {
	q, d := c.Regs()
	if q.Starting {
		c.start()
	} else if c.In.Valid() {
		if cmd := c.In.Front(); !cmd.Flush {
			i := bits.TrailingZeros32(^q.Resident)
			d.Starting, d.CTA, d.Warp = true, uint8(i), 0
			d.Resident |= 1 << i
			d.ID[i&(MaxCTAs-1)] = cmd.ID
			d.Live[i&(MaxCTAs-1)] = uint8(c.l.warps)
			c.In.Pop()
		} else if c.Flush.Ready() && (c.Code == nil || c.Code.Idle()) { // a prefetch may be on its way
			c.Flush.Push(*cmd)
			c.In.Pop()
		}
	}
	switch {
	case c.Retire.Valid() && c.Out.Ready():
		i := c.Retire.Front().CTA & (MaxCTAs - 1)
		if d.Live[i]--; d.Live[i] == 0 {
			d.Resident &^= 1 << i
			c.Out.Push(Notice{ID: q.ID[i]})
		}
		c.Retire.Pop()
	case c.Flushed.Valid() && c.Out.Ready():
		c.Out.Push(*c.Flushed.Front())
		c.Flushed.Pop()
	}
}

func (c *CTA) start() {
	q, d := c.Regs()
	cta, w := int(q.CTA), int(q.Warp)
	row := uint8(c.l.row(cta, w))
	clears := &c.Clear
	if core := c.l.cores[row&(MaxWarps-1)]; core > 0 {
		clears = &c.Clears[core-1]
	}
	if !c.Launch.Ready() || !clears.Ready() {
		return
	}
	last := w+1 == c.l.warps
	clears.Push(row)
	c.Launch.Push(divergence.WarpStart{
		CTA: q.CTA, Row: row, First: uint8(c.l.row(cta, 0)), Warps: uint8(c.l.warps), Last: last, Mask: c.l.masks[w],
	})
	d.Warp++
	d.Starting = !last
}
