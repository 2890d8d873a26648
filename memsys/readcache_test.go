package memsys_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/memtest"
	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// readLines is the number of lines of 64 bytes behind the read-only caches.
const readLines = 64

// readBench is the memory side of an SM in front of a memory that answers in the next cycle.
type readBench struct {
	*rtl.Sim
	Unit   *memsys.Unit
	Memory *ideal
	In     rtl.Out[memsys.Access]
	Out    rtl.In[memsys.Reply]
}

func newReadBench(cfg *memsys.Config) *readBench {
	access, reply := rtl.NewQueue[memsys.Access](2), rtl.NewQueue[memsys.Reply](2)
	req, rsp := rtl.NewQueue[memsys.Request](2), rtl.NewQueue[memsys.Response](2)
	lines := rtl.NewMem[dram.Line](readLines)
	for i := range readLines {
		var line dram.Line
		for k := range uint64(64) {
			line[k] = pattern(base + uint64(i)*64 + k)
		}
		lines.Set(i, line)
	}
	b := &readBench{
		Unit:   memsys.NewUnit(cfg, 0, access.In(), reply.Out(), req.Out(), rsp.In()),
		Memory: &ideal{In: req.In(), Out: rsp.Out(), Lines: lines},
		In:     access.Out(), Out: reply.In(),
	}
	b.Sim = rtl.MustNew("bench", b)
	return b
}

// readStep is a request of a read-only cache: of a line, or to drop all lines.
type readStep struct {
	Line int
	Drop bool
}

func (s readStep) String() string {
	if s.Drop {
		return "drop"
	}
	return fmt.Sprint(s.Line)
}

// reads is a list of requests, one after the other, of a cache with lines of so many bytes.
type reads struct {
	Sets, Ways, Line int
	Prefetch         bool
	Steps            []readStep
}

func (r reads) String() string {
	return fmt.Sprintf("%d sets of %d ways, lines of %d bytes, prefetch %t: lines %s", r.Sets, r.Ways, r.Line,
		r.Prefetch, strings.Trim(fmt.Sprint(r.Steps), "[]"))
}

// lru is a set-associative LRU cache without storage, as lists of lines.
type lru struct {
	ways  int
	sets  [][]int      // lines of each set, the last used first
	early map[int]bool // prefetched and not used
	ahead bool
	count memsys.ReadCacheCounters
}

// use moves a line to the front of its set, and reports whether it was there.
func (c *lru) use(line int) bool {
	set := &c.sets[line%len(c.sets)]
	n := slices.Index(*set, line)
	if n >= 0 {
		*set = slices.Delete(*set, n, n+1)
	}
	*set = slices.Insert(*set, 0, line)
	if len(*set) > c.ways {
		delete(c.early, (*set)[c.ways])
		*set = (*set)[:c.ways]
		c.count.Evictions++
	}
	return n >= 0
}

// read performs a request, and the prefetches that follow it.
func (c *lru) read(line int) {
	c.count.Reads++
	next, room := -1, true
	if c.use(line) {
		c.count.Hits++
		if c.early[line] {
			c.count.PrefetchHits++
			delete(c.early, line)
			next = line + 1
		}
	} else {
		c.count.Misses++
		next, room = line+1, c.ways > 1 || len(c.sets) > 1 // the only way waits for its line
	}
	if c.ahead && room && next >= 0 && !slices.Contains(c.sets[next%len(c.sets)], next) {
		c.use(next)
		c.early[next] = true
		c.count.Prefetches++
	}
}

// drop forgets all lines.
func (c *lru) drop() {
	for i := range c.sets {
		c.sets[i] = nil
	}
	clear(c.early)
}

// TestReadCacheProperties compares a read-only cache with a list of lines. It is that of instructions,
// which keeps no bytes; for those of hits see TestReaderProperties.
func TestReadCacheProperties(t *testing.T) {
	forall.Check(t, "requests hit, miss and replace as in a list of the lines last used, with the bytes of memory",
		forall.Struct[reads](map[string]gopter.Gen{
			"Sets": forall.OneOf(1, 2, 4), "Ways": forall.OneOf(1, 2, 3), "Line": forall.OneOf(32, 64),
			"Prefetch": forall.Bool(),
			"Steps": forall.List(40, forall.Struct[readStep](map[string]gopter.Gen{
				"Line": gen.IntRange(0, 15), "Drop": gen.IntRange(0, 9).Map(func(n int) bool { return n == 9 }),
			})),
		}), func(t *forall.T, r reads) {
			cfg := small()
			c := &cfg.ICache
			c.Size, c.Assoc, c.Line, c.Prefetch = r.Sets*r.Ways*r.Line, r.Ways, r.Line, r.Prefetch
			b := newReadBench(&cfg)
			want := &lru{ways: r.Ways, sets: make([][]int, r.Sets), early: map[int]bool{}, ahead: r.Prefetch}
			port := b.Unit.Fetch
			for i, s := range r.Steps {
				if s.Drop {
					port.Req.Push(memsys.ReadRequest{Kind: memsys.ReadDrop})
					b.Run(3)
					want.drop()
					continue
				}
				addr := base + uint64(s.Line*r.Line)
				held := slices.Contains(want.sets[(s.Line+base/r.Line)%r.Sets], s.Line+base/r.Line)
				require.Equal(t, held, port.Cache.Holds(addr), "step %d: the cache holds the line", i)
				kind := memsys.ReadLine
				if held && i%2 == 0 {
					kind = memsys.ReadTouch
				}
				port.Req.Push(memsys.ReadRequest{Kind: kind, Tag: uint16(i), Lanes: uint32(i) * 3, Line: addr})
				b.Run(30)
				want.read(s.Line + base/r.Line)
				require.True(t, port.Cache.Idle())
				if kind == memsys.ReadTouch {
					require.False(t, port.Rsp.Valid(), "step %d: an answer nobody waits for", i)
					continue
				}
				require.Equal(t, 1, port.Rsp.Len(), "step %d: answers", i)
				p := port.Rsp.Front()
				require.Equal(t, []any{uint16(i), uint32(i) * 3, addr}, []any{p.Tag, p.Lanes, p.Line})
				for k := range r.Line {
					if !held {
						require.Equal(t, pattern(addr+uint64(k)), p.Data[k], "step %d: byte %d", i, k)
					}
				}
				port.Rsp.Pop()
			}
			require.Equal(t, want.count, *port.Cache.Count.Q())
		})
}

// burst is a list of loads of warps from constant memory or from textures, sent as fast as the unit
// takes them.
type burst struct {
	Texture                           bool
	Ways, MSHRs, Merge, Pending, Line int
	Size                              uint8
	Loads                             []lanes
	Wait                              uint64 // cycles, of every 64, in which no reply is taken
}

func (b burst) String() string {
	return fmt.Sprintf("texture %t, %d ways, %d MSHRs of %d, %d pending, lines of %d: loads of %d bytes, waits %#x\n%v",
		b.Texture, b.Ways, b.MSHRs, b.Merge, b.Pending, b.Line, b.Size, b.Wait, b.Loads)
}

// distinct returns the number of distinct places of the active lanes, so many of which count as one.
func (l lanes) distinct(together int) int {
	d := map[int]bool{}
	for i, n := range l.Place {
		if l.Mask>>i&1 != 0 {
			d[int(n)/together] = true
		}
	}
	return len(d)
}

// constant and texel return loads of constants and of texels.
func constant(tag, size int, l lanes) memsys.Access { return reading(isa.SpaceConst, tag, size, l) }

func texel(tag, size int, l lanes) memsys.Access { return reading(isa.SpaceTexture, tag, size, l) }

func reading(space isa.Space, tag, size int, l lanes) memsys.Access {
	a := memsys.Access{Tag: uint16(tag), Kind: memsys.Load, Space: space, Size: uint8(size), Mask: l.Mask}
	for i, n := range l.Place {
		a.Addr[i] = base + uint64(n)*uint64(size)
	}
	return a
}

func TestReaderProperties(t *testing.T) {
	some := drawLanes(readLines * 64 / 16).SuchThat(func(l lanes) bool { return l.Mask != 0 })
	forall.Check(t, "every load is answered once, with the bytes of memory, after a request for each address or line",
		forall.Struct[burst](map[string]gopter.Gen{
			"Texture": forall.Bool(), "Ways": forall.OneOf(1, 2), "MSHRs": gen.IntRange(1, 3), "Merge": forall.OneOf(1, 2, 8),
			"Pending": gen.IntRange(1, 4), "Line": forall.OneOf(32, 64), "Size": forall.OneOf[uint8](1, 2, 4, 8, 16),
			"Loads": forall.List(12, some), "Wait": forall.Mask[uint64](63),
		}), func(t *forall.T, r burst) {
			cfg := small()
			load, together := constant, 1
			if c := &cfg.Texture; r.Texture {
				load, together = texel, r.Line/int(r.Size)
				c.Size, c.Assoc, c.Line, c.MSHRs, c.MSHRMerge, c.Pending = 2*r.Ways*r.Line, r.Ways, r.Line, r.MSHRs,
					r.Merge, r.Pending
			} else {
				c := &cfg.Const
				c.Size, c.Assoc, c.Line, c.MSHRs, c.MSHRMerge, c.Pending = 2*r.Ways*r.Line, r.Ways, r.Line, r.MSHRs,
					r.Merge, r.Pending
			}
			b := newReadBench(&cfg)
			places, got := 0, map[uint16]memsys.Reply{}
			for sent := 0; len(got) < len(r.Loads); b.Run(1) {
				if sent < len(r.Loads) && b.In.Ready() {
					places += r.Loads[sent].distinct(together)
					b.In.Push(load(sent, int(r.Size), r.Loads[sent]))
					sent++
				}
				if b.Out.Valid() && r.Wait>>(b.Now()%64)&1 == 0 {
					p := *b.Out.Front()
					require.NotContains(t, got, p.Tag, "answered twice")
					got[p.Tag] = p
					b.Out.Pop()
				}
				require.Less(t, b.Now(), uint64(8_000), "no end")
			}
			b.Run(100)
			require.False(t, b.Out.Valid(), "an answer too many")
			for n, l := range r.Loads {
				p := got[uint16(n)]
				want := memsys.Reply{Tag: uint16(n), Mask: l.Mask}
				for i, place := range l.Place {
					for k := range uint64(r.Size) {
						if l.Mask>>i&1 != 0 {
							at := base + uint64(place)*uint64(r.Size) + k
							want.Data[i][k/8] |= uint64(pattern(at)) << (k % 8 * 8)
						}
					}
				}
				require.Equal(t, want, p)
			}
			reader, cache := b.Unit.Const, b.Unit.ConstCache
			if r.Texture {
				reader, cache = b.Unit.Texture, b.Unit.TextureCache
			}
			q, n := reader.Count.Q(), cache.Count.Q()
			require.Equal(t, memsys.ReaderCounters{
				Accesses: uint64(len(r.Loads)), Places: uint64(places), Conflicts: uint64(places - len(r.Loads)),
			}, *q)
			require.EqualValues(t, places, n.Reads)
			require.Equal(t, n.Reads, n.Hits+n.Misses+n.Merges)
			require.Zero(t, b.Unit.Coalescer.Count.Q().Accesses, "loads that passed the coalescer")
		})
	forall.Check(t, "a load of constants takes a cycle for each distinct address", some, func(t *forall.T, l lanes) {
		cfg := small()
		cfg.Const.Size, cfg.Const.Assoc = readLines*64, 1
		b := newReadBench(&cfg)
		time := func(l lanes) (n int) {
			b.In.Push(constant(0, 4, l))
			for ; !b.Out.Valid(); n++ {
				require.Less(t, n, 2000, "no end")
				b.Run(1)
			}
			b.Out.Pop()
			return n
		}
		time(l) // the lines come
		one := time(lanes{Mask: l.Mask & -l.Mask, Place: l.Place})
		require.Equal(t, one+l.distinct(1)-1, time(l))
	})
}

// parcels is traffic of the clients of an SM: packets to send, and packets that come for them.
type parcels struct {
	Clients    int
	Send, Come []int  // the client of each packet, in the order of each
	Busy, Full uint64 // cycles, of every 64, in which no request and no response is taken
}

// clientsBench is a block of clients; the test is the clients and the interconnect.
type clientsBench struct {
	*rtl.Sim
	Clients *memsys.Clients
	In      []rtl.Out[memsys.Request]
	Out     rtl.In[memsys.Request]
	Rsp     rtl.Out[memsys.Response]
	To      []rtl.In[memsys.Response]
}

func newClientsBench(n int) *clientsBench {
	req, rsp := rtl.NewQueue[memsys.Request](2), rtl.NewQueue[memsys.Response](2)
	b := &clientsBench{Clients: &memsys.Clients{Out: req.Out(), Rsp: rsp.In()}, Out: req.In(), Rsp: rsp.Out()}
	for range n {
		in, to := rtl.NewQueue[memsys.Request](2), rtl.NewQueue[memsys.Response](2)
		b.Clients.In, b.Clients.To = append(b.Clients.In, in.In()), append(b.Clients.To, to.Out())
		b.In, b.To = append(b.In, in.Out()), append(b.To, to.In())
	}
	b.Sim = rtl.MustNew("bench", b)
	return b
}

func TestClientsProperties(t *testing.T) {
	forall.Check(t, "each packet of a client arrives once, in order, with its number, and each response at its client",
		forall.Struct[parcels](map[string]gopter.Gen{
			"Clients": gen.IntRange(1, 4), "Send": forall.List(30, gen.IntRange(0, 3)),
			"Come": forall.List(30, gen.IntRange(0, 3)), "Busy": forall.Mask[uint64](63), "Full": forall.Mask[uint64](63),
		}), func(t *forall.T, p parcels) {
			b := newClientsBench(p.Clients)
			send, sent := make([][]uint64, p.Clients), make([][]uint64, p.Clients)
			come, came := make([][]uint64, p.Clients), make([][]uint64, p.Clients)
			for i, c := range p.Send {
				send[c%p.Clients] = append(send[c%p.Clients], uint64(i))
			}
			for i, c := range p.Come {
				come[c%p.Clients] = append(come[c%p.Clients], uint64(i))
			}
			next, responses := make([]int, p.Clients), 0
			for range 2500 {
				for c := range b.In {
					if next[c] < len(send[c]) && b.In[c].Ready() {
						b.In[c].Push(memsys.Request{Line: send[c][next[c]]})
						next[c]++
					}
					if b.To[c].Valid() && p.Full>>(b.Now()%64)&1 == 0 {
						came[c] = append(came[c], binary.LittleEndian.Uint64(b.To[c].Front().Data[:]))
						b.To[c].Pop()
					}
				}
				if responses < len(p.Come) && b.Rsp.Ready() {
					r := b.Rsp.PushSlot()
					r.Client = uint8(p.Come[responses] % p.Clients)
					binary.LittleEndian.PutUint64(r.Data[:], uint64(responses))
					responses++
				}
				if b.Out.Valid() && p.Busy>>(b.Now()%64)&1 == 0 {
					r := b.Out.Front()
					sent[r.Client] = append(sent[r.Client], r.Line)
					b.Out.Pop()
				}
				b.Run(1)
			}
			require.Equal(t, send, sent)
			require.Equal(t, come, came)
		})
}

// TestClientsTakeTurns: of clients that always have a packet, none sends twice before another one.
func TestClientsTakeTurns(t *testing.T) {
	b := newClientsBench(3)
	seen := map[uint8]int{}
	for range 31 {
		for _, in := range b.In {
			if in.Ready() {
				in.Push(memsys.Request{})
			}
		}
		if b.Out.Valid() {
			seen[b.Out.Front().Client]++
			b.Out.Pop()
		}
		b.Run(1)
	}
	assert.Equal(t, []int{10, 10, 10}, slices.Sorted(maps.Values(seen)))
}

// TestConstStalls: a second miss waits for the only MSHR, and its cycles are those of constants.
func TestConstStalls(t *testing.T) {
	load := constant(0, 64, lanes{Mask: 3})
	load.Size, load.Addr[1] = 4, base+64
	s := run(t, func(c *memsys.Config) { c.Const.Size, c.Const.MSHRs = 256, 1 }, []memtest.Step{{Access: load}})
	d := s.SMs[0].Driver
	stalls := s.SMs[0].Unit.Stalls()
	assert.InDelta(t, *d.Cycle.At(0)/2, stalls[memsys.ConstLoad][memsys.MSHRFull], 15)
	assert.EqualValues(t, 1, stalls[memsys.ConstLoad][memsys.BankConflict])
}

// TestConstHerded: herded loads of constants pass the selector, which the coalescer has.
func TestConstHerded(t *testing.T) {
	load := constant(0, 4, lanes{Mask: 3})
	load.Herd = true
	s := run(t, func(c *memsys.Config) { c.Const.Size = 256 }, []memtest.Step{{Access: load}})
	assert.EqualValues(t, 1, s.SMs[0].Unit.Coalescer.Count.Q().Herd.Loads)
	assert.Zero(t, s.SMs[0].Unit.Const.Count.Q().Accesses)
}

// TestConstFlush: lines stay through a fence and go with a flush.
func TestConstFlush(t *testing.T) {
	load := constant(0, 4, lanes{Mask: 1})
	s := run(t, func(c *memsys.Config) { c.Const.Size = 256 }, script(long,
		load, at(memsys.Fence, 0, 0), load, at(memsys.Flush, 0, 0), load))
	n := s.SMs[0].Unit.ConstCache.Count.Q()
	assert.EqualValues(t, 1, n.Hits)
	assert.EqualValues(t, 2, n.Misses)
}

// TestTextureStalls: a texel on a second line takes another cycle, and waits for the only MSHR.
func TestTextureStalls(t *testing.T) {
	load := texel(0, 4, lanes{Mask: 7})
	load.Addr[1], load.Addr[2] = base+60, base+64
	s := run(t, func(c *memsys.Config) { c.Texture.Size, c.Texture.Assoc, c.Texture.MSHRs = 256, 2, 1 },
		[]memtest.Step{{Access: load}})
	stalls := s.SMs[0].Unit.Stalls()
	assert.InDelta(t, *s.SMs[0].Driver.Cycle.At(0)/2, stalls[memsys.TextureLoad][memsys.MSHRFull], 15)
	assert.EqualValues(t, 1, stalls[memsys.TextureLoad][memsys.Coalescing])
}

// TestTextureHerded: herded loads of texels pass the selector, which the coalescer has.
func TestTextureHerded(t *testing.T) {
	load := texel(0, 4, lanes{Mask: 3})
	load.Herd = true
	s := run(t, func(c *memsys.Config) { c.Texture.Size, c.Texture.Assoc = 256, 2 }, []memtest.Step{{Access: load}})
	assert.EqualValues(t, 1, s.SMs[0].Unit.Coalescer.Count.Q().Herd.Loads)
	assert.Zero(t, s.SMs[0].Unit.Texture.Count.Q().Accesses)
}

// TestTextureFlush: lines stay through a fence and a store of the SM, and go with a flush. A flush
// reaches all read-only caches.
func TestTextureFlush(t *testing.T) {
	load, constants := texel(0, 4, lanes{Mask: 1}), constant(0, 4, lanes{Mask: 1})
	s := run(t, func(c *memsys.Config) { c.Texture.Size, c.Texture.Assoc, c.Const.Size = 256, 2, 256 }, script(long,
		load, constants, at(memsys.Fence, 0, 0), at(memsys.Store, 0, 1), load, constants,
		at(memsys.Flush, 0, 0), load, constants))
	for _, cache := range []*memsys.ReadCache{s.SMs[0].Unit.TextureCache, s.SMs[0].Unit.ConstCache} {
		n := cache.Count.Q()
		assert.EqualValues(t, 1, n.Hits)
		assert.EqualValues(t, 2, n.Misses)
	}
}

// TestReadCacheDropInFlight: a line that was requested before a drop still answers its request, but
// does not stay. The way may belong to another line by then.
func TestReadCacheDropInFlight(t *testing.T) {
	cfg := small()
	cfg.ICache.Size, cfg.ICache.Assoc, cfg.ICache.Prefetch = 64, 1, false
	b := newReadBench(&cfg)
	port := b.Unit.Fetch
	port.Req.Push(memsys.ReadRequest{Line: base})
	port.Req.Push(memsys.ReadRequest{Kind: memsys.ReadDrop})
	b.Run(3)
	port.Req.Push(memsys.ReadRequest{Tag: 1, Line: base + 64})
	for i := range uint64(2) {
		for !port.Rsp.Valid() {
			require.False(t, port.Cache.Holds(base+64), "the line that came first is in the way of the second")
			require.Less(t, b.Now(), uint64(100))
			b.Run(1)
		}
		r := port.Rsp.Front()
		assert.Equal(t, base+i*64, r.Line)
		assert.Equal(t, pattern(base+i*64), r.Data[0])
		port.Rsp.Pop()
		b.Run(1)
	}
	assert.False(t, port.Cache.Holds(base))
	assert.True(t, port.Cache.Holds(base+64))
	port.Req.Push(memsys.ReadRequest{Tag: 2, Line: base + 64})
	b.Run(30)
	assert.Equal(t, uint16(2), port.Rsp.Front().Tag)
}

// TestReadUnitProperties runs a memory side with all read-only caches, always busy.
func TestReadUnitProperties(t *testing.T) {
	p := newProgram(3, 1, 1024, 1, 100)
	for i := range p.script[0] {
		if a := &p.script[0][i].Access; i%3 == 0 && a.Kind == memsys.Load && !a.Shared {
			a.Space, a.Cache = []isa.Space{isa.SpaceConst, isa.SpaceTexture}[i/3%2], isa.CacheDefault
		}
	}
	rtltest.Properties(t, func() *rtl.Sim {
		c := small()
		c.Const.Size, c.ICache.Size, c.Texture.Size, c.Texture.Assoc = 256, 512, 256, 2
		access, reply := rtl.NewQueue[memsys.Access](1), rtl.NewQueue[memsys.Reply](1)
		req, rsp := rtl.NewQueue[memsys.Request](2), rtl.NewQueue[memsys.Response](2)
		return rtl.MustNew("sm", &smDesign{
			Driver: memtest.NewDriver(p.script[0], access.Out(), reply.In()),
			Unit:   memsys.NewUnit(&c, 0, access.In(), reply.Out(), req.Out(), rsp.In()),
			Memory: &ideal{In: req.In(), Out: rsp.Out(), Lines: rtl.NewMem[dram.Line](private + contended)},
		})
	}, 3000)
}
