package audit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/memtest"
	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/rtl"
)

// These are the start of the memory of the tests, and of the memory of their constants and texels.
const (
	base       = 0x1000_0000
	constants0 = base + 0x10_0000
	texture0   = base + 0x20_0000 // a description, and 128 bytes behind it the texels
)

// texture is the description of 16 by 8 texels of four channels of 8 bits at an address, interpolated,
// as cuda/include/divergo/texture.h lays it out.
func texture(texels uint64) (d []byte) {
	d = binary.LittleEndian.AppendUint64(nil, texels)
	d = binary.LittleEndian.AppendUint64(d, 0)
	for _, word := range []uint32{64, 16, 8, 1, 4, 4, 1, 0, 1, 1, 1, 1} {
		d = binary.LittleEndian.AppendUint32(d, word)
	}
	return d
}

// traffic is a script with all kinds of accesses of an SM to global memory, and some to shared
// memory.
func traffic(seed uint64) (steps []memtest.Step) {
	r := rand.New(rand.NewPCG(seed, 9))
	for i := range 300 {
		a := memsys.Access{Kind: memsys.Kind(r.IntN(4)), Size: 4, Mask: r.Uint32(), Atom: isa.AtomAdd, Type: isa.U32}
		if a.Kind >= memsys.Atomic {
			a.Mask &= 0x1f
		} else if r.IntN(5) == 0 {
			a.Cache = isa.CacheOp(1 + r.IntN(2))
		}
		if i%50 == 49 {
			a = memsys.Access{Kind: memsys.Fence}
		}
		for lane := range a.Addr {
			a.Addr[lane] = base + uint64(r.IntN(512)*4)
			a.Data[lane][0] = r.Uint64()
		}
		steps = append(steps, memtest.Step{Access: a})
	}
	for range 100 {
		a := memsys.Access{Kind: memsys.Load, Space: isa.SpaceConst, Size: 4, Mask: r.Uint32() | 1}
		if r.IntN(2) == 0 {
			a.Space = isa.SpaceTexture
		}
		for lane := range a.Addr {
			a.Addr[lane] = constants0 + uint64(r.IntN(64)*4)
		}
		steps = append(steps, memtest.Step{Access: a})
	}
	for range 50 {
		a := memsys.Access{
			Kind: memsys.Kind(r.IntN(4)), Shared: true, Size: 4, Mask: r.Uint32(), Atom: isa.AtomAdd,
			Type: isa.U32,
		}
		for lane := range a.Addr {
			a.Addr[lane] = uint64(r.IntN(64) * 4)
		}
		steps = append(steps, memtest.Step{Access: a})
	}
	for range 50 {
		a := memsys.Access{Kind: memsys.Sample, Mask: r.Uint32() | 1, Type: isa.F32, Tex: isa.Tex{Dims: 2}}
		for lane := range a.Addr {
			x, y := float32(r.IntN(300))/16, float32(r.IntN(160))/16
			a.Addr[lane], a.Data[lane][0] = texture0, uint64(math.Float32bits(x))|uint64(math.Float32bits(y))<<32
		}
		steps = append(steps, memtest.Step{Access: a})
	}
	return append(steps, memtest.Step{Access: memsys.Access{Kind: memsys.Flush}})
}

// play runs three scripts on a small memory, and returns what the auditors find. change may falsify
// the auditors' configuration or events.
func play(t *testing.T, change func(*Memory, *memsys.Config)) *Fault {
	t.Helper()
	c := memsys.Default()
	c.L1.Size, c.L1.Assoc, c.L1.MSHRs, c.L2.Size, c.L2.Assoc = 512, 2, 4, 1024, 4
	c.DRAM.Channels, c.DRAM.Banks, c.DRAM.RowBytes, c.DRAM.Queue = 1, 2, 256, 8
	c.Icnt.Concentration = 2
	c.Const.Size, c.Const.Assoc, c.Const.Line = 128, 2, 32
	c.Texture.Size, c.Texture.Assoc, c.Texture.Line, c.Texture.Fetch = 128, 2, 32, memsys.FetchUnit
	s, err := memtest.New(c, traffic(1), traffic(2), traffic(3))
	require.NoError(t, err)
	require.NoError(t, s.Store.Map(base, 2048))
	require.NoError(t, s.Store.Map(constants0, 256))
	for i := range uint64(256) {
		require.NoError(t, s.Store.Write(constants0+i, []byte{byte(i * 7)}))
	}
	require.NoError(t, s.Store.Map(texture0, 128+512))
	require.NoError(t, s.Store.Write(texture0, texture(texture0+128)))
	for i := range uint64(512) {
		require.NoError(t, s.Store.Write(texture0+128+i, []byte{byte(i * 11)}))
	}
	m := Watch(&c, s.Memory)
	change(m, &c)
	require.NoError(t, s.Play(1e6))
	require.NoError(t, s.Flush(1e6))
	m.End()
	m.Detach()
	return m.Fault()
}

// The auditors of the two networks.
type (
	requests  = crossbar[memsys.Request, *memsys.Request]
	responses = crossbar[memsys.Response, *memsys.Response]
)

// find is the first auditor of a type.
func find[A auditor](m *Memory) (a A) {
	for _, p := range m.parts {
		if x, ok := p.(A); ok {
			return x
		}
	}
	return a
}

// deaf removes a tap of an auditor, to put another one in its place.
func deaf(m *Memory, a auditor, tap int) { m.leave[slices.Index(m.parts, a)][tap]() }

// TestTraffic: the auditors find no fault in it.
func TestTraffic(t *testing.T) {
	assert.Nil(t, play(t, func(*Memory, *memsys.Config) {}))
}

// TestLineOfTwoTextures: two textures read a line in their rows 2 and 1, one cycle after the other. The rows
// are not in the same place of their tiles, which differs in bit 1 of the set. In a cache with few sets the
// second request joins the miss of the first; in a cache with more it has a miss of its own. The auditors
// find no fault in either.
func TestLineOfTwoTextures(t *testing.T) {
	const first, second, texels = texture0, texture0 + 128, texture0 + 256
	for sets, merges := range map[int]uint64{1: 1, 2: 1, 4: 0} {
		c := memsys.Default()
		c.Texture.Line, c.Texture.Assoc, c.Texture.Size, c.Texture.Fetch = 64, 1, sets*64, memsys.FetchUnit
		read := func(row1, row2 uint64) memtest.Step {
			a := memsys.Access{Kind: memsys.Sample, Mask: 3, Type: isa.F32, Tex: isa.Tex{Dims: 2, Whole: true}}
			a.Addr[0], a.Data[0][0] = first, row1<<32
			a.Addr[1], a.Data[1][0] = second, row2<<32
			return memtest.Step{Access: a}
		}
		s, err := memtest.New(c, []memtest.Step{read(0, 0), read(2, 1)}) // the first one fetches the descriptions
		require.NoError(t, err)
		require.NoError(t, s.Store.Map(texture0, 1024))
		require.NoError(t, s.Store.Write(first, texture(texels)))
		require.NoError(t, s.Store.Write(second, texture(texels+64)))
		m := Watch(&c, s.Memory)
		require.NoError(t, s.Play(1e6))
		m.End()
		assert.Nil(t, m.Fault(), "%d sets", sets)
		assert.Equal(t, merges, s.SMs[0].Unit.TextureCache.Count.Q().Merges, "%d sets", sets)
	}
}

// falsify changes or drops the tenth event for which like holds, on its way to an auditor.
func falsify[T any](see func(uint64, *T), like func(*T) bool, change func(*T) bool) func(uint64, *T) {
	n := 0
	return func(cycle uint64, v *T) {
		x := *v
		if like(v) {
			if n++; n == 10 && !change(&x) {
				return
			}
		}
		see(cycle, &x)
	}
}

// TestFalsified: one false event is enough for an auditor to report a fault.
func TestFalsified(t *testing.T) {
	line := func(kind memsys.Kind) func(*memsys.LineRequest) bool {
		return func(r *memsys.LineRequest) bool { return r.Kind == kind }
	}
	packet := func(kind memsys.Kind) func(*memsys.Request) bool {
		return func(r *memsys.Request) bool { return r.Kind == kind }
	}
	answer := func(kind memsys.Kind) func(*memsys.Response) bool {
		return func(r *memsys.Response) bool { return r.Kind == kind }
	}
	data := func(r *memsys.LineResponse) bool { return r.Lanes != 0 }
	lines := func(like func(*memsys.LineRequest) bool, change func(*memsys.LineRequest) bool) func(*Memory,
		*memsys.Config) {
		return func(m *Memory, _ *memsys.Config) {
			a := find[*coalescer](m)
			deaf(m, a, 1)
			a.c.Req.Tap(falsify(a.request, like, change))
		}
	}
	sends := func(like func(*memsys.Request) bool, change func(*memsys.Request) bool) func(*Memory, *memsys.Config) {
		return func(m *Memory, _ *memsys.Config) {
			a := find[*l1](m)
			deaf(m, a, 2)
			a.l.Req.Tap(falsify(a.request, like, change))
		}
	}
	gives := func(change func(*memsys.LineResponse) bool) func(*Memory, *memsys.Config) {
		return func(m *Memory, _ *memsys.Config) {
			a := find[*l1](m)
			deaf(m, a, 1)
			a.l.Out.Tap(falsify(a.answer, data, change))
		}
	}
	answers := func(like func(*memsys.Response) bool, change func(*memsys.Response) bool) func(*Memory,
		*memsys.Config) {
		return func(m *Memory, _ *memsys.Config) {
			a := find[*slice](m)
			deaf(m, a, 1)
			a.s.Out.Tap(falsify(a.response, like, change))
		}
	}
	moves := func(write bool, change func(*dram.Request) bool) func(*Memory, *memsys.Config) {
		return func(m *Memory, _ *memsys.Config) {
			a := find[*slice](m)
			deaf(m, a, 2)
			a.s.Mem.Tap(falsify(a.fetch, func(r *dram.Request) bool { return r.Write == write }, change))
		}
	}
	asks := func(change func(*memsys.ReadRequest) bool) func(*Memory, *memsys.Config) {
		return func(m *Memory, _ *memsys.Config) {
			a := find[*reader](m)
			deaf(m, a, 1)
			a.c.Req.Tap(falsify(a.request, func(r *memsys.ReadRequest) bool { return r.Lanes>>31 == 0 }, change))
		}
	}
	reads := func(change func(*memsys.ReadResponse) bool) func(*Memory, *memsys.Config) {
		return func(m *Memory, _ *memsys.Config) {
			a := find[*readCache](m)
			deaf(m, a, 1)
			a.c.Out.Tap(falsify(a.answer, func(*memsys.ReadResponse) bool { return true }, change))
		}
	}
	fetches := func(change func(*memsys.Request) bool) func(*Memory, *memsys.Config) {
		return func(m *Memory, _ *memsys.Config) {
			a := find[*readCache](m)
			deaf(m, a, 2)
			a.c.Req.Tap(falsify(a.fetch, func(*memsys.Request) bool { return true }, change))
		}
	}
	for i, c := range []struct {
		name, rule string
		change     func(*Memory, *memsys.Config)
	}{
		{"a cache of constants as large again", Replacement, func(m *Memory, c *memsys.Config) {
			find[*readCache](m).ways = newWays(2*c.Const.Size, c.Const.Line, c.Const.Assoc, dram.HashNone)
		}},
		{"a load that hits the L1 more", Recount, func(m *Memory, _ *memsys.Config) { find[*l1](m).since.LoadHits-- }},
		{"a load that joins a miss more", Recount, func(m *Memory, _ *memsys.Config) { find[*l1](m).since.Merges-- }},
		{"a store that hits more", Recount, func(m *Memory, _ *memsys.Config) { find[*l1](m).since.StoreHits-- }},
		{"a line of the L1 less", Recount, func(m *Memory, _ *memsys.Config) { find[*l1](m).since.Evictions++ }},
		{"an access more that finds no entry", Recount, func(m *Memory, _ *memsys.Config) { find[*coalescer](m).since.TableFull-- }},
		{"a line less of an access", Recount, func(m *Memory, _ *memsys.Config) { find[*coalescer](m).since.Coalescing[0]++ }},
		{"a hit of the L2 more", Recount, func(m *Memory, _ *memsys.Config) { find[*slice](m).since.Hits-- }},
		{"a line of the L2 less", Recount, func(m *Memory, _ *memsys.Config) { find[*slice](m).since.Evictions++ }},
		{"a hit of constants more", Recount, func(m *Memory, _ *memsys.Config) { find[*readCache](m).since.Hits-- }},
		{"a line of constants less", Recount, func(m *Memory, _ *memsys.Config) { find[*readCache](m).since.Evictions++ }},
		{"a place more", Recount, func(m *Memory, _ *memsys.Config) { find[*reader](m).since.Places-- }},
		{"a cycle of the banks more", Recount, func(m *Memory, _ *memsys.Config) { find[*shared](m).since.Passes-- }},
		{"a bank conflict less", Recount, func(m *Memory, _ *memsys.Config) { find[*shared](m).since.Conflicts++ }},
		{
			"a line lacks a lane", Coalescer,
			lines(line(memsys.Load), func(r *memsys.LineRequest) bool { r.Lanes &= r.Lanes - 1; return true }),
		},
		{
			"a line has a lane of another", Coalescer,
			lines(line(memsys.Load), func(r *memsys.LineRequest) bool { r.Lanes = ^uint32(0); return true }),
		},
		{"a line is not sent", Coalescer, lines(line(memsys.Store), func(*memsys.LineRequest) bool { return false })},
		{
			"a store writes a byte more", Coalescer,
			lines(line(memsys.Store), func(r *memsys.LineRequest) bool {
				r.Mask[0] = r.Mask[0]<<1 |
					r.Mask[0]
				return true
			}),
		},
		{
			"a byte of a store changes", Coalescer,
			lines(line(memsys.Store), func(r *memsys.LineRequest) bool { r.Data[63]++; return true }),
		},
		{
			"an atomic has another operand", Coalescer,
			lines(line(memsys.Atomic), func(r *memsys.LineRequest) bool { r.A++; return true }),
		},
		{"an answer is lost", Coalescer, func(m *Memory, _ *memsys.Config) {
			a := find[*coalescer](m)
			deaf(m, a, 3)
			a.c.Out.Tap(falsify(a.reply, func(*memsys.Reply) bool { return true },
				func(*memsys.Reply) bool { return false }))
		}},
		{"an answer comes before its data", Coalescer, func(m *Memory, _ *memsys.Config) {
			a := find[*coalescer](m)
			deaf(m, a, 2)
			a.c.Rsp.Tap(falsify(a.response, data, func(r *memsys.LineResponse) bool { return false }))
		}},
		{"an L1 gives other bytes", Cache, gives(func(r *memsys.LineResponse) bool { r.Data[5]++; return true })},
		{"an L1 does not answer", MSHR, gives(func(*memsys.LineResponse) bool { return false })},
		{"an L1 answers another load", MSHR, gives(func(r *memsys.LineResponse) bool { r.Entry ^= 1; return true })},
		{
			"an L1 writes back other bytes", Cache,
			sends(packet(memsys.Store), func(r *memsys.Request) bool { r.Data = memsys.Line{}; return true }),
		},
		{
			"an L1 keeps bytes to itself", Cache,
			sends(packet(memsys.Store), func(r *memsys.Request) bool { r.Mask = dram.ByteMask{}; return true }),
		},
		{
			"an L1 writes back, not through", Cache,
			func(_ *Memory, c *memsys.Config) { c.L1.Write = memsys.WriteThrough },
		},
		{
			"an L1 fetches another line", MSHR,
			sends(packet(memsys.Load), func(r *memsys.Request) bool { r.Line ^= 64; return true }),
		},
		{
			"an MSHR is used twice", MSHR,
			sends(packet(memsys.Load), func(r *memsys.Request) bool { r.ID ^= 1; return true }),
		},
		{
			"a request counts for another fence", MSHR,
			sends(packet(memsys.Store), func(r *memsys.Request) bool { r.Epoch ^= 1; return true }),
		},
		{
			"a slice gives other bytes", Cache,
			answers(answer(memsys.Load), func(r *memsys.Response) bool { r.Data[5]++; return true }),
		},
		{
			"an atomic returns something else", Cache,
			answers(answer(memsys.Atomic), func(r *memsys.Response) bool { r.Data[0]++; return true }),
		},
		{"a slice does not answer", MSHR, answers(answer(memsys.Store), func(*memsys.Response) bool { return false })},
		{
			"a slice answers another MSHR", MSHR,
			answers(answer(memsys.Load), func(r *memsys.Response) bool { r.ID ^= 8; return true }),
		},
		{
			"a slice writes back other bytes", Cache,
			moves(true, func(r *dram.Request) bool { r.Data = memsys.Line{}; return true }),
		},
		{"a slice fetches another line", Cache, moves(false, func(r *dram.Request) bool { r.Addr ^= 512; return true })},
		{"a slice reads for no MSHR", MSHR, moves(false, func(r *dram.Request) bool { return false })},
		{"a slice has half of its ways", Replacement, func(m *Memory, c *memsys.Config) {
			half := *c
			half.L2.Assoc /= 2
			half.L2.Size /= 2
			find[*slice](m).kept = newKept(&half)
		}},
		{"no use of a line counts", Replacement, func(m *Memory, _ *memsys.Config) {
			a := find[*slice](m)
			deaf(m, a, 0)
			a.s.In.Tap(func(cycle uint64, r *memsys.Request) {
				x := *r
				x.First = true
				a.request(cycle, &x)
			})
		}},
		{"an L1 has half of its ways", Replacement, func(m *Memory, c *memsys.Config) {
			half := c.L1
			half.Assoc /= 2
			half.Size /= 2
			find[*l1](m).held = newHeld(&half)
		}},
		{"no use of a line of an L1 counts", Replacement, func(m *Memory, _ *memsys.Config) {
			a := find[*l1](m)
			deaf(m, a, 0)
			a.l.In.Tap(func(cycle uint64, r *memsys.LineRequest) {
				x := *r
				if x.Cache == isa.CacheDefault {
					x.Cache = isa.CacheStream
				}
				a.access(cycle, &x)
			})
		}},
		{"a link is half as wide", Crossbar, func(m *Memory, _ *memsys.Config) { find[*responses](m).flit /= 2 }},
		{"a link is twice as wide", Crossbar, func(m *Memory, _ *memsys.Config) { find[*responses](m).flit *= 2 }},
		{"another input port sent the last packet", Crossbar, func(m *Memory, _ *memsys.Config) {
			a := find[*requests](m)
			for i := range a.c.In {
				a.c.In[i].Tap(func(uint64, *memsys.Request) { a.to[0].last = (a.to[0].last + 1) % len(a.from) })
			}
		}},
		{"another input of a port sent the last packet", Crossbar, func(m *Memory, _ *memsys.Config) {
			a := find[*requests](m)
			for i := range a.c.In {
				a.c.In[i].Tap(func(uint64, *memsys.Request) { a.from[0].last = 1 - a.from[0].last })
			}
		}},
		{"a constant has a lane of another", Coalescer, asks(func(r *memsys.ReadRequest) bool { r.Lanes |= 1 << 31; return true })},
		{"a constant is not read", Coalescer, asks(func(*memsys.ReadRequest) bool { return false })},
		{"a constant cache gives other bytes", Cache, reads(func(r *memsys.ReadResponse) bool { r.Data[5]++; return true })},
		{"a constant cache does not answer", MSHR, reads(func(*memsys.ReadResponse) bool { return false })},
		{"a constant cache answers another load", MSHR, reads(func(r *memsys.ReadResponse) bool { r.Tag ^= 1; return true })},
		{
			"a constant cache fetches another line", MSHR,
			fetches(func(r *memsys.Request) bool { r.Line ^= 64; return true }),
		},
		{"a constant cache sends nothing", MSHR, fetches(func(r *memsys.Request) bool { return false })},
		{
			"an answer lacks a constant", Coalescer, func(m *Memory, _ *memsys.Config) {
				a := find[*reader](m)
				deaf(m, a, 3)
				a.c.Out.Tap(falsify(a.reply, func(*memsys.Reply) bool { return true },
					func(r *memsys.Reply) bool { r.Data[bits.TrailingZeros32(r.Mask)][0]++; return true }))
			},
		},
		{"a texel has another value", Texture, func(m *Memory, _ *memsys.Config) {
			a := find[*textureUnit](m)
			deaf(m, a, 3)
			a.c.Out.Tap(falsify(a.reply, func(*memsys.Reply) bool { return true },
				func(r *memsys.Reply) bool { r.Data[bits.TrailingZeros32(r.Mask)][0] ^= 1 << 12; return true }))
		}},
		{"a fetch is not answered", Texture, func(m *Memory, _ *memsys.Config) {
			a := find[*textureUnit](m)
			deaf(m, a, 3)
			a.c.Out.Tap(falsify(a.reply,
				func(*memsys.Reply) bool { return true }, func(*memsys.Reply) bool { return false }))
		}},
		{"a line of texels does not come", Texture, func(m *Memory, _ *memsys.Config) {
			a := find[*textureUnit](m)
			deaf(m, a, 2)
			a.c.Rsp.Tap(falsify(a.response, func(*memsys.ReadResponse) bool { return true },
				func(*memsys.ReadResponse) bool { return false }))
		}},
		{"a line is read for no texel", Texture, func(m *Memory, _ *memsys.Config) {
			a := find[*textureUnit](m)
			deaf(m, a, 1)
			a.c.Req.Tap(falsify(a.request, func(*memsys.ReadRequest) bool { return true },
				func(r *memsys.ReadRequest) bool { r.Line += 1 << 20; return true }))
		}},
		{"shared memory has more banks", Banks, func(m *Memory, _ *memsys.Config) { find[*shared](m).banks *= 2 }},
		{
			"more lanes of an access are looked at together", Banks,
			func(m *Memory, _ *memsys.Config) { find[*shared](m).lanes *= 2 },
		},
		{"an access to shared memory comes sooner", Banks, func(m *Memory, _ *memsys.Config) {
			a := find[*shared](m)
			deaf(m, a, 0)
			a.u.PreMem.In.Tap(func(cycle uint64, v *memsys.Access) { a.comes(cycle-1, v) })
		}},
		{
			"fewer answers of shared memory can wait", Banks,
			func(m *Memory, _ *memsys.Config) { find[*shared](m).depth-- },
		},
		{"the DRAM answers out of order", DRAM, func(m *Memory, _ *memsys.Config) {
			a := find[*channel](m)
			deaf(m, a, 1)
			a.ch.Out.Tap(falsify(a.response, func(*dram.Response) bool { return true },
				func(r *dram.Response) bool { r.ID ^= 1; return true }))
		}},
		{"the DRAM counts a row hit too many", DRAM, func(m *Memory, _ *memsys.Config) {
			c := find[*channel](m).ch
			q := *c.Count.Q()
			q.RowHits++
			c.Count.Init(q)
		}},
	} {
		if forall.LeftOut(i, 4) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			f := play(t, c.change)
			require.NotNil(t, f)
			assert.Equal(t, c.rule, f.Rule.Checker, f.What)
		})
	}
}

// TestDataSheet: an auditor whose data sheet demands one more cycle finds a command that comes too
// early, and one with a cycle less a command that comes too late, for each of the times. Those that others
// imply are left out: tRC is tRAS and tRP, and a burst takes longer than tCCD. An auditor with another
// scheduler finds a command out of order.
func TestDataSheet(t *testing.T) {
	for name, change := range map[string]func(*dram.Config){
		"tRCD": func(c *dram.Config) { c.TRCD++ },
		"tRP":  func(c *dram.Config) { c.TRP++ },
		"tRAS": func(c *dram.Config) { c.TRAS++ },
		"tRC":  func(c *dram.Config) { c.TRC++ },
		"tRRD": func(c *dram.Config) { c.TRRD++ },
		"tCCD": func(c *dram.Config) { c.TCCD++ },
		"tCL":  func(c *dram.Config) { c.TCL++ },
		"tWTR": func(c *dram.Config) { c.TWTR++ },
		"tRTP": func(c *dram.Config) { c.TRTP++ },
		"tWR":  func(c *dram.Config) { c.TWR++ },
		"WL":   func(c *dram.Config) { c.WL++ },

		"shorter tRCD": func(c *dram.Config) { c.TRCD-- },
		"shorter tRP":  func(c *dram.Config) { c.TRP-- },
		"shorter tRAS": func(c *dram.Config) { c.TRAS-- },
		"shorter tRRD": func(c *dram.Config) { c.TRRD-- },
		"shorter tCL":  func(c *dram.Config) { c.TCL-- },
		"shorter tWTR": func(c *dram.Config) { c.TWTR-- },
		"shorter tRTP": func(c *dram.Config) { c.TRTP-- },
		"shorter tWR":  func(c *dram.Config) { c.TWR-- },
		"shorter WL":   func(c *dram.Config) { c.WL-- },

		"burst":    func(c *dram.Config) { c.Burst++ },
		"queue":    func(c *dram.Config) { c.Queue-- },
		"banks":    func(c *dram.Config) { c.Banks = 1 },
		"row":      func(c *dram.Config) { c.RowBytes /= 2 },
		"hit cap":  func(c *dram.Config) { c.HitCap = 1 },
		"no limit": func(c *dram.Config) { c.HitCap = 0 },
		"FCFS":     func(c *dram.Config) { c.Scheduler = dram.FCFS },

		"tREFI":      func(c *dram.Config) { c.TREFI++ },
		"tRFC":       func(c *dram.Config) { c.TRFC++ },
		"age cap":    func(c *dram.Config) { c.AgeCap += 40 },
		"no age cap": func(c *dram.Config) { c.AgeCap = 0 },
		"write high": func(c *dram.Config) { c.WriteHigh-- },
		"write low":  func(c *dram.Config) { c.WriteLow++ },
		"no drain":   func(c *dram.Config) { c.WriteHigh, c.WriteLow = 0, 0 },
	} {
		t.Run(name, func(t *testing.T) {
			right := dram.Default()
			right.Channels, right.Banks, right.RowBytes, right.Queue, right.HitCap = 1, 4, 256, 16, 3
			right.TRTP, right.TWR = 4, 9
			switch name {
			case "tREFI", "tRFC":
				right.TREFI, right.TRFC = 300, 40
			case "age cap", "no age cap":
				right.AgeCap = 150
			case "write high", "write low", "no drain":
				right.WriteHigh, right.WriteLow = 6, 2
			}
			wrong := right
			require.Nil(t, audited(t, &right, &wrong))
			change(&wrong)
			f := audited(t, &right, &wrong)
			require.NotNil(t, f)
			assert.Equal(t, DRAM, f.Rule.Checker)
		})
	}
}

// audited sends random requests to a channel with one data sheet, audited with another.
func audited(t *testing.T, cfg, sheet *dram.Config) *Fault {
	t.Helper()
	const line = 64
	require.NoError(t, cfg.Check(line))
	in, out := rtl.NewQueue[dram.Request](4), rtl.NewQueue[dram.Response](4)
	store := dram.NewStore()
	b := &struct {
		Channel *dram.Channel
		In      rtl.Out[dram.Request]
		Out     rtl.In[dram.Response]
	}{dram.NewChannel(cfg, line, store, in.In(), out.Out()), in.Out(), out.In()}
	sim := rtl.MustNew("bench", b)
	require.NoError(t, store.Map(0, 1<<16))
	m := WatchChannel(line, sheet, b.Channel)
	r := rand.New(rand.NewPCG(4, 4))
	for sent, answered := 0, 0; answered < 600; sim.Run(1) {
		require.Less(t, sim.Now(), uint64(100_000))
		if b.In.Ready() && sent < 600 && r.IntN(4) > 0 {
			b.In.Push(dram.Request{
				ID: uint8(sent), Write: r.IntN(2) == 0, Addr: uint64(r.IntN(64)) * line,
				Mask: dram.Span(r.IntN(8)*8, 8),
			})
			sent++
		}
		if b.Out.Valid() {
			b.Out.Pop()
			answered++
		}
	}
	m.End()
	return m.Fault()
}

// Four lanes add to a word while auditors watch. Then the DRAM loses the word without an event.
func Example() {
	cfg := memsys.Default()
	cfg.DRAM.Channels = 1
	add := memsys.Access{Kind: memsys.Reduce, Size: 4, Mask: 0xf, Atom: isa.AtomAdd, Type: isa.U32}
	for lane := range add.Addr {
		add.Addr[lane], add.Data[lane][0] = base, 1
	}
	s, err := memtest.New(cfg, []memtest.Step{{Access: add}, {Access: memsys.Access{Kind: memsys.Flush}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Store.Map(base, 64))
	m := Watch(&cfg, s.Memory)
	fmt.Println(s.Play(10_000), s.Flush(10_000))
	m.End()
	fmt.Println(m.Fault())
	fmt.Println(s.Store.Write(base, []byte{0}))
	m.End()
	fmt.Println(m.Fault().Rule.Checker, "-", m.Fault().What)
	// Output:
	// <nil>
	// <nil> <nil>
	// <nil>
	// <nil>
	// cache - L2 slice 0: the DRAM ends with other bytes in line 0x10000000 than flat memory
}
