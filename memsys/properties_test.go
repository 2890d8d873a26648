package memsys_test

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/audit"
	"divergo/internal/forall"
	"divergo/internal/memtest"
	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// TestSystemProperties runs the whole memory system, always busy, in three clock domains, with an
// island for each part.
func TestSystemProperties(t *testing.T) {
	for _, write := range []memsys.WritePolicy{memsys.WriteBack, memsys.WriteThrough} {
		t.Run(string(write), func(t *testing.T) {
			c := small()
			c.L1.Write = write
			p := newProgram(1, 2, 512, 1, 60)
			rtltest.SystemProperties(t, func() *rtl.System {
				s, err := memtest.New(c, p.script...)
				require.NoError(t, err)
				require.NoError(t, s.Store.Map(base, private+contended))
				return s.System
			}, 2000)
		})
	}
}

// source sends packets to the slices in turn.
type source struct {
	rtl.State[struct{ N uint32 }]
	Out  rtl.Out[memsys.Request]
	step uint32
}

func (s *source) Tick() {
	q, d := s.Regs()
	if q.N < 300 && s.Out.Ready() {
		s.Out.Push(packet(int(q.N*s.step%3), int(q.N%65), uint64(q.N)))
		d.N++
	}
}

// sink takes packets, every third cycle none.
type sink struct {
	rtl.State[struct{ Sum, N uint64 }]
	In  rtl.In[memsys.Request]
	sim *rtl.Sim
}

func (s *sink) Tick() {
	if !s.In.Valid() {
		return
	}
	if s.sim.Now()%3 == 0 {
		s.sim.WakeAt(s.sim.Now() + 1)
		return
	}
	_, d := s.Regs()
	d.N++
	d.Sum = d.Sum*31 + s.In.Front().A
	s.In.Pop()
}

// netDesign is a network with modules at both sides.
type netDesign struct {
	Sources []*source
	Net     *memsys.RequestNetwork
	Sinks   []*sink
}

func TestNetworkProperties(t *testing.T) {
	rtltest.Properties(t, func() *rtl.Sim {
		d := &netDesign{}
		var in []rtl.In[memsys.Request]
		var out []rtl.Out[memsys.Request]
		for i := range 5 {
			q := rtl.NewQueue[memsys.Request](2)
			d.Sources = append(d.Sources, &source{Out: q.Out(), step: uint32(i + 1)})
			in = append(in, q.In())
		}
		for range 3 {
			q := rtl.NewQueue[memsys.Request](2)
			d.Sinks = append(d.Sinks, &sink{In: q.In()})
			out = append(out, q.Out())
		}
		d.Net = memsys.NewRequestNetwork(&memsys.IcntConfig{FlitBytes: 16, Queue: 2, Concentration: 2}, in, out)
		return rtl.MustNew("net", d)
	}, 1500)
}

// ideal is a memory without delay behind an L1. It takes one request a cycle and answers in the
// next, so that only the SM's side is tested.
type ideal struct {
	In    rtl.In[memsys.Request]
	Out   rtl.Out[memsys.Response]
	Lines *rtl.Mem[dram.Line]
}

func (m *ideal) Tick() {
	if !m.In.Valid() || !m.Out.Ready() {
		return
	}
	r := m.In.Front()
	i := int(r.Line-base) / 64
	p := m.Out.PushSlot()
	p.Kind, p.ID, p.Epoch, p.Client = r.Kind, r.ID, r.Epoch, r.Client
	switch r.Kind {
	case memsys.Load:
		p.Data = *m.Lines.At(i)
	case memsys.Store:
		m.Lines.Edit(i).Merge(&r.Data, r.Mask)
	}
	m.In.Pop()
}

// smDesign is the memory side of an SM between a driver and an ideal memory.
type smDesign struct {
	Driver *memtest.Driver
	Unit   *memsys.Unit
	Memory *ideal
}

func TestUnitProperties(t *testing.T) {
	p := newProgram(2, 1, 1024, 1, 100)
	rtltest.Properties(t, func() *rtl.Sim {
		c := small()
		access, reply := rtl.NewQueue[memsys.Access](1), rtl.NewQueue[memsys.Reply](1)
		req, rsp := rtl.NewQueue[memsys.Request](2), rtl.NewQueue[memsys.Response](2)
		return rtl.MustNew("sm", &smDesign{
			Driver: memtest.NewDriver(p.script[0], access.Out(), reply.In()),
			Unit:   memsys.NewUnit(&c, 0, access.In(), reply.Out(), req.Out(), rsp.In()),
			Memory: &ideal{In: req.In(), Out: rsp.Out(), Lines: rtl.NewMem[dram.Line](private + contended)},
		})
	}, 3000)
}

// lanes holds the active lanes of an access, and the place of each in units of its size.
type lanes struct {
	Mask  uint32
	Place [isa.RowLanes]uint16
}

// drawLanes draws lanes with places below a limit: anywhere, in a few, at a stride.
func drawLanes(limit int) gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		mask := forall.Mask[uint32](isa.RowLanes)(p)
		v := lanes{Mask: mask.Result.(uint32)}
		few := make([]int, 1+p.Rng.Intn(8))
		for i := range few {
			few[i] = p.Rng.Intn(limit)
		}
		how, stride := p.Rng.Intn(4), 1<<p.Rng.Intn(5)
		for i := range v.Place {
			n := few[p.Rng.Intn(len(few))]
			switch how {
			case 0:
				n = p.Rng.Intn(limit)
			case 1:
				n += i * stride
			}
			v.Place[i] = uint16(n % limit)
		}
		return gopter.NewGenResult(v, func(v any) gopter.Shrink {
			old := v.(lanes)
			fewer := mask.Shrinker(old.Mask).Map(func(m uint32) lanes { return lanes{m, old.Place} })
			return gopter.ConcatShrinks(fewer, nearer(old))
		})
	}
}

// nearer proposes simpler lanes: all in one place, or single lanes in place 0, halfway there, or
// one place down.
func nearer(old lanes) gopter.Shrink {
	list := []lanes{{Mask: old.Mask}}
	for i, n := range old.Place {
		if old.Mask>>i&1 == 0 {
			continue
		}
		list = append(list, lanes{old.Mask, [isa.RowLanes]uint16(slices.Repeat([]uint16{n}, isa.RowLanes))})
		for _, m := range []uint16{0, n / 2, max(n, 1) - 1} {
			next := old
			next.Place[i] = m
			list = append(list, next)
		}
	}
	return func() (any, bool) {
		for len(list) > 0 {
			next := list[0]
			if list = list[1:]; slices.Compare(next.Place[:], old.Place[:]) < 0 {
				return next, true
			}
		}
		return nil, false
	}
}

func (l lanes) String() string {
	s := []string{forall.Bits(uint64(l.Mask), isa.RowLanes)}
	for i, n := range l.Place {
		if l.Mask>>i&1 != 0 {
			s = append(s, fmt.Sprintf("lane %d at %d", i, n))
		}
	}
	return strings.Join(s, ", ")
}

// warp is a load or a store of a warp.
type warp struct {
	Line  int // bytes
	Kind  memsys.Kind
	Size  uint8
	Lanes lanes
	Turn  int // index of the line answered first
}

func (w warp) String() string {
	return fmt.Sprintf("%s of %d bytes, lines of %d, line %d answered first\n%s", w.Kind, w.Size, w.Line, w.Turn,
		w.Lanes)
}

func (w warp) access() memsys.Access {
	a := memsys.Access{Tag: 7, Kind: w.Kind, Size: w.Size, Mask: w.Lanes.Mask}
	for i, n := range w.Lanes.Place {
		a.Addr[i], a.Data[i] = uint64(n)*uint64(w.Size), data(i, 0)
	}
	return a
}

// stored returns the bytes that the store leaves in memory, computed lane by lane.
func (w warp) stored() flat {
	a, m := w.access(), flat{}
	if a.Kind == memsys.Store {
		m.do(&a)
	}
	return m
}

// pattern returns the byte at an address of memory that is never written.
func pattern(addr uint64) byte { return byte(addr*167 + addr>>8*13) }

// TestCoalescerProperties checks Q1, Q2, Q3 and Q4 of the coalescer (design notes).
func TestCoalescerProperties(t *testing.T) {
	all := forall.Struct[warp](map[string]gopter.Gen{
		"Line": forall.OneOf(32, 64, 128), "Kind": forall.OneOf(memsys.Load,
			memsys.Store), "Size": forall.OneOf[uint8](1, 2, 4, 8, 16),
		"Lanes": drawLanes(2048), "Turn": gen.IntRange(0, 31),
	})
	// request runs the access until its lines have left.
	request := func(w warp) (b *coalescerBench, reqs []memsys.LineRequest) {
		b = newCoalescerBench(w.Line)
		b.In.Push(w.access())
		b.Run(isa.RowLanes + 1)
		for b.Req.Valid() {
			reqs = append(reqs, *b.Req.Front())
			b.Req.Pop()
		}
		return b, reqs
	}
	forall.Check(t, "an access is as many requests as its lanes have lines, one a cycle", all,
		func(t *forall.T, w warp) {
			a, lines := w.access(), map[uint64]uint32{}
			for i, addr := range a.Addr {
				if w.Lanes.Mask>>i&1 != 0 {
					lines[addr/uint64(w.Line)*uint64(w.Line)] |= 1 << i
				}
			}
			got := map[uint64]uint32{}
			b := newCoalescerBench(w.Line)
			b.In.Push(a)
			b.Run(uint64(len(lines)) + 1) // one cycle to arrive, and one for each line
			for b.Req.Valid() {
				q := b.Req.Front()
				require.Zero(t, got[q.Line], "line %#x twice", q.Line)
				got[q.Line] = q.Lanes
				b.Req.Pop()
			}
			require.Equal(t, lines, got, "lanes by line")
		})
	forall.Check(t, "a store enables the bytes of its lanes, and the highest lane wins", all,
		func(t *forall.T, w warp) {
			b, reqs := request(w)
			want, got := w.stored(), flat{}
			for i := range reqs {
				for k := range memsys.MaxLine {
					if reqs[i].Mask[k/64]>>(k%64)&1 != 0 {
						got[reqs[i].Line+uint64(k)] = reqs[i].Data[k]
					}
				}
			}
			require.Equal(t, want, got)
			require.Equal(t, w.Kind == memsys.Store || w.Lanes.Mask == 0, b.Out.Valid(),
				"a store is answered with its last line")
		})
	forall.Check(t, "an access is answered once, when all is there, with the bytes of each lane", all,
		func(t *forall.T, w warp) {
			b, reqs := request(w)
			for i := range reqs {
				if w.Kind == memsys.Store {
					break
				}
				require.False(t, b.Out.Valid(), "answered after %d of %d lines", i, len(reqs))
				q := &reqs[(w.Turn+i)%len(reqs)]
				p := memsys.LineResponse{Entry: q.Entry, Lanes: q.Lanes}
				for k := range p.Data {
					p.Data[k] = pattern(q.Line + uint64(k))
				}
				b.Rsp.Push(p)
				b.Run(2)
			}
			want := memsys.Reply{Tag: 7, Mask: w.Lanes.Mask}
			for i, addr := range w.access().Addr {
				if w.Kind == memsys.Load && w.Lanes.Mask>>i&1 != 0 {
					for k := range uint64(w.Size) {
						want.Data[i][k/8] |= uint64(pattern(addr+k)) << (k % 8 * 8)
					}
				}
			}
			require.Equal(t, 1, b.Out.Len())
			require.Equal(t, want, *b.Out.Front())
		})
}

func TestSharedProperties(t *testing.T) {
	type access struct {
		Banks, Lanes int
		Warp         warp
	}
	forall.Check(t, "an access takes as many cycles as the busiest bank has words for each group of lanes",
		forall.Struct[access](map[string]gopter.Gen{
			"Banks": forall.OneOf(1, 2, 4, 8, 16, 32, 64), "Lanes": forall.OneOf(16, 32),
			"Warp": forall.Struct[warp](map[string]gopter.Gen{
				"Line": gen.Const(0), "Turn": gen.Const(0), "Kind": forall.OneOf(memsys.Load,
					memsys.Store), "Size": forall.OneOf[uint8](1, 2, 4, 8, 16),
				"Lanes": drawLanes(256).SuchThat(func(l lanes) bool { return l.Mask != 0 }),
			}),
		}), func(t *forall.T, c access) {
			cfg := memsys.SharedConfig{Size: 4096, Banks: c.Banks, Lanes: c.Lanes, Latency: 1}
			a := c.Warp.access()
			_, cycles := newSharedBench(cfg).do(t, a)
			require.Equal(t, degree(&a, cfg), cycles)
		})
}

// traffic is a set of packets on a network, in the order in which each SM sends its own.
type traffic struct {
	Queue, Concentration, SMs, Slices int
	Packets                           []parcel
	Busy                              uint64 // cycles, of every 64, in which no slice takes a packet
}

// parcel is a packet with the given bytes of data.
type parcel struct{ SM, Slice, Bytes int }

func TestCrossbarProperties(t *testing.T) {
	forall.Check(t, "each packet arrives once, at its slice, in the order of its SM, a flit a cycle and port",
		forall.Struct[traffic](map[string]gopter.Gen{
			"Queue": gen.IntRange(1, 4), "Concentration": gen.IntRange(1, 3), "SMs": forall.OneOf(1, 2, 3, 4,
				5, 6, 7, 8, 9, 130), "Slices": gen.IntRange(1, 5),
			"Packets": forall.List(100, forall.Struct[parcel](map[string]gopter.Gen{
				"SM":    gen.IntRange(0, 129),
				"Slice": gen.IntRange(0, 4), "Bytes": gen.IntRange(0, 64),
			})),
			"Busy": forall.Mask[uint64](63),
		}), func(t *forall.T, c traffic) {
			b := newNetBench(memsys.IcntConfig{FlitBytes: 32, Queue: c.Queue, Concentration: c.Concentration}, c.SMs,
				c.Slices)
			type pair struct{ sm, slice int }
			sent, got := map[pair][]uint64{}, map[pair][]uint64{}
			waiting := make([][]memsys.Request, c.SMs)
			flits := 0
			for n, x := range c.Packets {
				sm, slice := x.SM%c.SMs, x.Slice%c.Slices
				p := packet(slice, x.Bytes, uint64(n))
				p.Src = uint16(sm)
				waiting[sm] = append(waiting[sm], p)
				sent[pair{sm, slice}] = append(sent[pair{sm, slice}], p.A)
				flits += (p.Bytes() + 31) / 32
			}
			for arrived := 0; arrived < len(c.Packets); {
				for sm, list := range waiting {
					if len(list) > 0 && b.In[sm].Ready() {
						b.In[sm].Push(list[0])
						waiting[sm] = list[1:]
					}
				}
				b.Run(1)
				for slice := range b.Out {
					if b.Out[slice].Valid() && c.Busy>>(b.Now()%64)&1 == 0 {
						p := b.Out[slice].Front()
						require.EqualValues(t, slice, p.Dst)
						k := pair{int(p.Src), slice}
						got[k] = append(got[k], p.A)
						b.Out[slice].Pop()
						arrived++
					}
				}
				require.Less(t, b.Now(), uint64(20_000), "no end")
			}
			require.Equal(t, sent, got)
			q := *b.Net.Count.Q()
			require.EqualValues(t, len(c.Packets), q.Packets)
			require.EqualValues(t, flits, q.Flits)
			ports := min((c.SMs+c.Concentration-1)/c.Concentration, c.Slices)
			require.GreaterOrEqual(t, int(b.Now())*ports, flits, "more than a flit a cycle and port")
		})
}

func TestCacheProperties(t *testing.T) {
	type loads struct {
		Sets, Ways int
		Lines      []int
	}
	forall.Check(t, "of the lines of a set the one that was used longest ago makes room",
		forall.Struct[loads](map[string]gopter.Gen{
			"Sets": forall.OneOf(1, 2), "Ways": forall.OneOf(1, 2, 4), "Lines": forall.List(30, gen.IntRange(0, 11)),
		}), func(t *forall.T, c loads) {
			cfg := memsys.Default()
			cfg.DRAM.Channels, cfg.L1.Assoc, cfg.L1.Size = 1, c.Ways, c.Sets*c.Ways*cfg.L1.Line
			var steps []memtest.Step
			var want, got []memsys.Found
			sets := make([][]int, c.Sets) // lines of each set, the last used first
			for i, line := range c.Lines {
				steps = append(steps, memtest.Step{
					NotBefore: uint64(i) * long,
					Access:    at(memsys.Load, uint64(line*cfg.L1.Line), 0),
				})
				set, found := &sets[line%c.Sets], memsys.Miss
				if n := slices.Index(*set, line); n >= 0 {
					*set, found = slices.Delete(*set, n, n+1), memsys.Hit
				}
				*set = slices.Insert(*set, 0, line)
				*set = (*set)[:min(len(*set), c.Ways)]
				want = append(want, found)
			}
			s, err := memtest.New(cfg, steps)
			require.NoError(t, err)
			require.NoError(t, s.Store.Map(base, private))
			s.SMs[0].Unit.L1.OnLoad.Add(func(l memsys.LookedUp) { got = append(got, l.Found) })
			require.NoError(t, s.Play(1e6))
			require.Equal(t, want, got, "0 is a hit, 2 a miss")
		})
}

// TestSectorProperties compares loads, each alone in the machine, with tables of sets, ways and
// sectors. A load reads some quarters of a line of 128 bytes.
func TestSectorProperties(t *testing.T) {
	type load struct {
		Line, Quarters int
		Stream         bool // .cs
	}
	type loads struct {
		Sector, Sets, Ways int
		Hash               dram.Hash
		Loads              []load
	}
	type entry struct { // a way
		line, sectors int
		used          int // load that used it last, counted from 1; 0 for one with .cs
	}
	const quarter, line = 32, 128
	forall.Check(t, "a load fetches the sectors that its line lacks, and .cs makes room first",
		forall.Struct[loads](map[string]gopter.Gen{
			"Sector": forall.OneOf(0, 32, 64, 128), "Sets": forall.OneOf(1, 2, 4), "Ways": forall.OneOf(1, 2, 3),
			"Hash": forall.OneOf(dram.HashNone, dram.HashXOR),
			"Loads": forall.List(30, forall.Struct[load](map[string]gopter.Gen{
				"Line": gen.IntRange(0, 15), "Quarters": gen.IntRange(1, 15),
				"Stream": forall.OneOf(false, false, true),
			})),
		}), func(t *forall.T, c loads) {
			cfg := memsys.Default()
			cfg.DRAM.Channels, cfg.L1.Line, cfg.L2.Line = 1, line, line
			cfg.L1.Assoc, cfg.L1.Size, cfg.L1.Sector, cfg.L1.Hash = c.Ways, c.Sets*c.Ways*line, c.Sector, c.Hash
			cfg.L2.Sector, cfg.L2.Hash = c.Sector, c.Hash
			size := c.Sector
			if size == 0 {
				size = line
			}
			var steps []memtest.Step
			var want, got []memsys.Found
			var responses, partly, fetched uint64
			sets := make([][]entry, c.Sets)
			held := map[int]int{} // sectors of each line that the L2 has
			for i, l := range c.Loads {
				a := memsys.Access{Kind: memsys.Load, Size: 4}
				sectors := 0
				for q := range 4 {
					if l.Quarters>>q&1 != 0 {
						a.Mask |= 1 << q
						a.Addr[q] = base + uint64(l.Line*line+q*quarter)
						sectors |= 1 << (q * quarter / size)
					}
				}
				used := i + 1
				if l.Stream {
					a.Cache, used = isa.CacheStream, 0
				}
				steps = append(steps, memtest.Step{NotBefore: uint64(i) * long, Access: a})
				number := base/line + l.Line
				index := number % c.Sets
				if c.Hash == dram.HashXOR {
					index = 0
					for rest := number; rest > 0 && c.Sets > 1; rest /= c.Sets {
						index ^= rest % c.Sets
					}
				}
				set := &sets[index]
				at := slices.IndexFunc(*set, func(e entry) bool { return e.line == l.Line })
				if at < 0 {
					if len(*set) < c.Ways {
						at = len(*set)
						*set = append(*set, entry{})
					} else {
						oldest := slices.MinFunc(*set, func(a, b entry) int { return a.used - b.used })
						at = slices.Index(*set, oldest)
					}
					(*set)[at] = entry{line: l.Line, used: used}
				} else if missing := sectors &^ (*set)[at].sectors; missing != 0 {
					partly++
				}
				e := &(*set)[at]
				if !l.Stream {
					e.used = used
				}
				found := memsys.Hit
				if missing := sectors &^ e.sectors; missing != 0 {
					found = memsys.Miss
					responses += uint64(8 + bits.OnesCount(uint(missing))*size)
					fetched += uint64(bits.OnesCount(uint(missing&^held[l.Line])) * size)
					held[l.Line] |= missing
				}
				e.sectors |= sectors
				want = append(want, found)
			}
			s, err := memtest.New(cfg, steps)
			require.NoError(t, err)
			require.NoError(t, s.Store.Map(base, 16*line))
			s.SMs[0].Unit.L1.OnLoad.Add(func(l memsys.LookedUp) { got = append(got, l.Found) })
			require.NoError(t, s.Play(1e6))
			require.Equal(t, want, got, "0 is a hit, 2 a miss")
			require.Equal(t, partly, s.SMs[0].Unit.L1.Count.Q().SectorMisses)
			require.Equal(t, responses, s.Net.Responses.Count.Q().Bytes)
			require.Equal(t, fetched, s.Channels[0].Count.Q().Bytes)
		})
}

// session is a program of some SMs on a machine.
type session struct {
	Steps   []instruction
	SMs     int
	Size    int
	Machine string
}

func (s session) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, %d SMs, %d bytes\n", s.Machine, s.SMs, s.Size)
	for _, in := range s.Steps {
		fmt.Fprintf(&out, "phase %d, SM %d: %s\n", in.Phase, in.SM%s.SMs, in)
	}
	return out.String()
}

// TestMemoryProperties checks M1, M3 and M4 of the cache, and Q1, Q2, Q4 and Q5 of the coalescer,
// for the whole memory system (design notes).
func TestMemoryProperties(t *testing.T) {
	configs := machines()
	names := slices.Sorted(maps.Keys(configs))
	steps := 120
	if testing.Short() {
		steps = 60
	}
	forall.Check(t, "every lane reads what a memory without caches has, which holds all after a flush",
		forall.Struct[session](map[string]gopter.Gen{
			"Machine": forall.OneOf(names...), "SMs": gen.IntRange(1, 3), "Size": forall.OneOf(512, private),
			"Steps": forall.List(steps, instructions()),
		}), func(t *forall.T, r session) {
			c := configs[r.Machine]
			p := &program{sms: r.SMs, chunks: r.Size / 16, script: make([][]memtest.Step, r.SMs)}
			for phase := range phaseCount {
				for _, in := range r.Steps {
					if in.Phase == phase {
						p.add(in.SM%r.SMs, phase, in.access(p, in.SM%r.SMs, phase))
					}
				}
				p.end(phase, phaseCount)
			}
			s, err := memtest.New(c, p.script...)
			require.NoError(t, err)
			require.NoError(t, s.Store.Map(base, private+contended))
			books := audit.Watch(&c, s.Memory)
			defer books.Detach()
			require.NoError(t, s.Play(5*phaseCycles))
			require.NoError(t, s.Flush(1e6))
			books.End()
			require.Nil(t, books.Fault())
			p.check(t, s)
		})
}
