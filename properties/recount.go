package properties

import (
	"fmt"
	"math/bits"

	"divergo/gpu"
	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/properties/books"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/units"
)

// recount counts again what the statistics of a session count: packets at the ends of blocks, and
// events. It shares nothing with the counters.
type recount struct {
	coalescer memsys.CoalescerCounters
	shared    memsys.SharedCounters
	l1        memsys.L1Counters
	requests  memsys.CrossbarCounters
	responses memsys.CrossbarCounters
	l2        memsys.SliceCounters
	dram      dram.Counters
	stacks    divergence.Stats
	herd      sm.HerdCounters
	inserted  uint64
	leave     []func()
}

// recounted reports whether a case is counted again: one seed in eight.
func recounted(seed uint64) bool { return seed%8 == 1 }

// countAgain begins to count, before anything has happened.
func countAgain(s *testbench.Session) *recount {
	r := &recount{}
	m := s.Machine
	for i, u := range m.Units {
		r.unit(u)
		d := m.SMs[i].Div.Connections()
		r.tap(
			d.OnStack.Add(func(e divergence.Stacked) {
				if e.Push {
					r.stacks.Pushes++
				} else {
					r.stacks.Pops++
				}
			}),
			d.OnRelease.Add(func(divergence.Released) { r.stacks.BarReleases++ }),
			d.Memory.Tap(func(_ uint64, v *divergence.Transfer) {
				if v.Store {
					r.stacks.Spills++
				} else {
					r.stacks.Fills++
				}
			}))
		r.compactor(m.SMs[i], &m.Config)
		r.tap(m.SMs[i].Issue.OnInserted.Add(func(sm.Issued) { r.inserted++ }))
		for _, c := range m.SMs[i].Sub {
			r.tap(c.ALU.Herd.OnHerd.Add(r.herded))
		}
	}
	for _, o := range m.Net.Requests.Out {
		r.tap(o.Tap(func(_ uint64, p *memsys.Request) { packet(&r.requests, p.Bytes(), m.Config.Icnt.FlitBytes) }))
	}
	for _, o := range m.Net.Responses.Out {
		r.tap(o.Tap(func(_ uint64, p *memsys.Response) { packet(&r.responses, p.Bytes(), m.Config.Icnt.FlitBytes) }))
	}
	for i, s := range m.Slices {
		r.slice(s)
		r.channel(m.Channels[i], &m.Config.DRAM)
	}
	return r
}

func (r *recount) tap(leave ...func()) { r.leave = append(r.leave, leave...) }

// detach ends the count.
func (r *recount) detach() {
	for _, leave := range r.leave {
		leave()
	}
}

// packet counts a packet of a network.
func packet(n *memsys.CrossbarCounters, bytes, flit int) {
	n.Packets++
	n.Bytes += uint64(bytes)
	n.Flits += uint64((bytes + flit - 1) / flit)
}

// herded counts a herded branch.
func (r *recount) herded(e sm.Herded) {
	r.herd.Branches++
	if e.Want != 0 && e.Want != e.Mask {
		r.herd.Diverged++
	}
	stray := e.Want
	if e.Taken {
		stray = e.Mask &^ e.Want
	}
	r.herd.Forced += uint64(bits.OnesCount64(stray))
}

// compactor counts the warps of the compactor of an SM, if its mechanism has one.
func (r *recount) compactor(s *sm.SM, cfg *gpu.Config) {
	m, _ := divergence.Find(cfg.Divergence.Mechanism)
	if m.Compacts == nil {
		return
	}
	n := &r.stacks.Compaction
	var left [sm.MaxCTAs]int // threads of the entry that are in no warp yet
	r.tap(m.Compacts(s.Div).Add(func(w divergence.Compacted) {
		made := bits.OnesCount64(w.Mask)
		if left[w.CTA] == 0 {
			left[w.CTA] = made + w.Left.Threads()
			rows := w.Left.Warps()
			for lanes := w.Mask; lanes != 0; lanes &= lanes - 1 {
				rows |= 1 << (w.Homes.At(bits.TrailingZeros64(lanes)).Row - w.First)
			}
			n.Entries++
			n.Static += uint64(bits.OnesCount64(rows))
			n.Ideal += uint64((left[w.CTA] + cfg.SM.WarpSize - 1) / cfg.SM.WarpSize)
		}
		n.Warps++
		left[w.CTA] -= made
	}))
}

// unit counts in the memory side of an SM. The L1 works on one access a cycle, so that a request
// belongs to the access taken in its cycle, or else to the next one.
func (r *recount) unit(u *memsys.Unit) {
	var (
		taken, put = uint64(0), false // cycle of the last access, if there was one
		counts     bool               // it is a load that is no miss yet
		fetched    bool               // the next access has fetched
	)
	r.tap(
		u.Coalescer.In.Tap(func(_ uint64, a *memsys.Access) {
			if a.Kind != memsys.Flush {
				r.coalescer.Accesses++
			}
		}),
		u.Coalescer.Req.Tap(func(_ uint64, q *memsys.LineRequest) {
			if q.Lanes != 0 && q.Kind != memsys.Fence && q.Kind != memsys.Flush {
				r.coalescer.Lines++
			}
		}),
		u.Coalescer.OnHerd.Add(func(e memsys.Herded) {
			n := &r.coalescer.Herd
			n.Loads++
			was, is := map[uint64]bool{}, map[uint64]bool{} // blocks
			for lanes := e.Mask; lanes != 0; lanes &= lanes - 1 {
				lane := bits.TrailingZeros32(lanes)
				if e.To[lane] != e.Addr[lane] {
					n.Diverted++
				}
				was[e.Addr[lane]/units.HerdBlock(int(e.Size))] = true
				is[e.To[lane]/units.HerdBlock(int(e.Size))] = true
			}
			n.Saved += uint64(len(was) - len(is))
		}),
		u.Shared.In.Tap(func(uint64, *memsys.Access) { r.shared.Accesses++ }),
		u.L1.In.Tap(func(cycle uint64, q *memsys.LineRequest) {
			past := q.Cache == isa.CacheGlobal || q.Cache == isa.CacheVolatile
			taken, put, counts = cycle, true, false
			switch q.Kind {
			case memsys.Load:
				if r.l1.Loads++; fetched {
					r.l1.LoadMisses++
				} else {
					counts = !past
				}
			case memsys.Store:
				r.l1.Stores++
			case memsys.Atomic, memsys.Reduce:
				r.l1.Atomics++
			default:
				r.l1.Fences++
			}
			if past && (q.Kind == memsys.Load || q.Kind == memsys.Store) {
				r.l1.Bypasses++
			}
			fetched = false
		}),
		u.L1.Req.Tap(func(cycle uint64, q *memsys.Request) {
			switch {
			case q.Kind != memsys.Load:
			case !put || cycle != taken:
				fetched = true
			case counts:
				r.l1.LoadMisses++
				counts = false
			}
		}),
	)
}

// slice counts in a slice of the L2.
func (r *recount) slice(s *memsys.Slice) {
	r.tap(
		s.Out.Tap(func(_ uint64, p *memsys.Response) {
			switch p.Kind {
			case memsys.Load:
				r.l2.Loads++
			case memsys.Store:
				r.l2.Stores++
			case memsys.FlushAll:
				r.l2.Flushes++
			default:
				r.l2.Atomics++
			}
		}),
		s.Mem.Tap(func(_ uint64, q *dram.Request) {
			if q.Write {
				r.l2.WriteBacks++
			} else {
				r.l2.Misses++
			}
		}),
	)
}

// channel counts in a channel of the DRAM.
func (r *recount) channel(c *dram.Channel, cfg *dram.Config) {
	r.tap(
		c.In.Tap(func(_ uint64, q *dram.Request) {
			if q.Write {
				r.dram.Writes++
			} else {
				r.dram.Reads++
			}
		}),
		c.OnCommand.Add(func(e dram.Commanded) {
			switch e.Op {
			case dram.Activate:
				r.dram.Activates++
			case dram.Precharge:
				r.dram.Precharges++
			case dram.Refresh:
				r.dram.Refreshes++
			case dram.Read, dram.Write:
				r.dram.BusCycles += uint64(cfg.Burst)
			}
		}),
	)
}

// compare returns the first count that differs from the statistics.
func (r *recount) compare(c *testbench.Counters) *books.Finding {
	for _, e := range []struct {
		what            string
		counted, number uint64
	}{
		{"accesses of the coalescer", r.coalescer.Accesses, c.Coalescer.Accesses},
		{"lines of the coalescer", r.coalescer.Lines, c.Coalescer.Lines},
		{"herded loads", r.coalescer.Herd.Loads, c.Coalescer.Herd.Loads},
		{"lanes of herded loads with another address", r.coalescer.Herd.Diverted, c.Coalescer.Herd.Diverted},
		{"blocks that herded loads save", r.coalescer.Herd.Saved, c.Coalescer.Herd.Saved},
		{"accesses of shared memory", r.shared.Accesses, c.Shared.Accesses},
		{"loads of the L1", r.l1.Loads, c.L1.Loads},
		{"loads of the L1 that fetch", r.l1.LoadMisses, c.L1.LoadMisses},
		{"stores of the L1", r.l1.Stores, c.L1.Stores},
		{"atomics of the L1", r.l1.Atomics, c.L1.Atomics},
		{"accesses past the L1", r.l1.Bypasses, c.L1.Bypasses},
		{"fences of the L1", r.l1.Fences, c.L1.Fences},
		{"packets of requests", r.requests.Packets, c.Requests.Packets},
		{"flits of requests", r.requests.Flits, c.Requests.Flits},
		{"packets of responses", r.responses.Packets, c.Responses.Packets},
		{"flits of responses", r.responses.Flits, c.Responses.Flits},
		{"loads of the L2", r.l2.Loads, c.L2.Loads},
		{"stores of the L2", r.l2.Stores, c.L2.Stores},
		{"atomics of the L2", r.l2.Atomics, c.L2.Atomics},
		{"misses of the L2", r.l2.Misses, c.L2.Misses},
		{"write-backs of the L2", r.l2.WriteBacks, c.L2.WriteBacks},
		{"flushes of the L2", r.l2.Flushes, c.L2.Flushes},
		{"reads of the DRAM", r.dram.Reads, c.DRAM.Reads},
		{"writes of the DRAM", r.dram.Writes, c.DRAM.Writes},
		{"activates", r.dram.Activates, c.DRAM.Activates},
		{"precharges", r.dram.Precharges, c.DRAM.Precharges},
		{"refreshes", r.dram.Refreshes, c.DRAM.Refreshes},
		{"cycles of the data bus", r.dram.BusCycles, c.DRAM.BusCycles},
		{"pushes", r.stacks.Pushes, c.Divergence.Pushes},
		{"pops", r.stacks.Pops, c.Divergence.Pops},
		{"releases of barriers", r.stacks.BarReleases, c.Divergence.BarReleases},
		{"moves of entries to memory", r.stacks.Spills, c.Divergence.Spills},
		{"moves of entries from memory", r.stacks.Fills, c.Divergence.Fills},
		{"compacted entries", r.stacks.Compaction.Entries, c.Divergence.Compaction.Entries},
		{"static warps of compacted entries", r.stacks.Compaction.Static, c.Divergence.Compaction.Static},
		{"compacted warps", r.stacks.Compaction.Warps, c.Divergence.Compaction.Warps},
		{"warps of compacted entries in any lanes", r.stacks.Compaction.Ideal, c.Divergence.Compaction.Ideal},
		{"inserted instructions", r.inserted, c.Inserted},
		{"herded branches", r.herd.Branches, c.Herd.Branches},
		{"lanes that herded branches send elsewhere", r.herd.Forced, c.Herd.Forced},
		{"herded branches of both ways", r.herd.Diverged, c.Herd.Diverged},
	} {
		if e.counted != e.number {
			return books.Found(checkRecount, e.what,
				fmt.Sprintf("%s: %d at the ends of the blocks, the statistics have %d", e.what, e.counted, e.number))
		}
	}
	return nil
}
