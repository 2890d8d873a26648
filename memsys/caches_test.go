package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/audit"
	"divergo/internal/memtest"
	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
)

// at returns an access of one lane to a word of the region.
func at(kind memsys.Kind, off uint64, v uint64) memsys.Access {
	a := memsys.Access{Kind: kind, Size: 4, Mask: 1, Atom: isa.AtomAdd, Type: isa.U32}
	a.Addr[0], a.Data[0][0] = base+off, v
	return a
}

func volatile(a memsys.Access) memsys.Access {
	a.Cache = isa.CacheVolatile
	return a
}

// script returns accesses that start the given number of cycles apart.
func script(apart uint64, accesses ...memsys.Access) []memtest.Step {
	var s []memtest.Step
	for i, a := range accesses {
		s = append(s, memtest.Step{NotBefore: uint64(i) * apart, Access: a})
	}
	return s
}

// run plays scripts on a machine with one channel.
func run(t *testing.T, change func(*memsys.Config), scripts ...[]memtest.Step) *memtest.System {
	t.Helper()
	c := memsys.Default()
	c.DRAM.Channels = 1
	if change != nil {
		change(&c)
	}
	s, err := memtest.New(c, scripts...)
	require.NoError(t, err)
	require.NoError(t, s.Store.Map(base, 1<<20))
	books := audit.Watch(&c, s.Memory)
	require.NoError(t, s.Play(1e6))
	require.Nil(t, books.Fault())
	return s
}

// value returns the data of lane 0 of a step.
func value(s *memtest.System, sm, step int) uint64 { return s.SMs[sm].Driver.Reply.At(step).Data[0][0] }

const long = 2000 // cycles, more than any access takes

func TestLoadMissThenHit(t *testing.T) {
	s := run(t, nil, script(long, at(memsys.Load, 0, 0), at(memsys.Load, 60, 0), at(memsys.Load, 64, 0)))
	q := *s.SMs[0].Unit.L1.Count.Q()
	assert.EqualValues(t, 3, q.Loads)
	assert.EqualValues(t, 2, q.LoadMisses)
	assert.EqualValues(t, 1, q.LoadHits, "the last word of the first line")
	d := s.SMs[0].Driver
	miss, hit := *d.Cycle.At(0), *d.Cycle.At(1)-long
	assert.EqualValues(t, 6, hit, "a cycle each to hand over, in pre-MEM, coalescer and L1, to gather and to write back")
	assert.Greater(t, miss, 10*hit)
}

// TestMergedMisses: loads of a line in flight cost one request, and every one is answered (M3 of
// the design notes). An MSHR takes as many of them as it has targets; the others wait in the L1.
func TestMergedMisses(t *testing.T) {
	const loads = 9
	var same []memsys.Access
	for i := range uint64(loads) {
		same = append(same, at(memsys.Load, 4*i, 0))
	}
	for _, merge := range []int{memsys.MaxMerge, 2, 1} {
		s := run(t, func(c *memsys.Config) { c.L1.MSHRMerge = merge }, script(0, same...))
		q := *s.SMs[0].Unit.L1.Count.Q()
		assert.EqualValues(t, 1, q.LoadMisses, "%d targets", merge)
		assert.EqualValues(t, merge-1, q.Merges, "%d targets", merge)
		assert.EqualValues(t, loads-merge, q.LoadHits, "%d targets: those that waited for the line hit", merge)
		assert.NotZero(t, q.Stalls[memsys.GlobalLoad][memsys.ReserveFail], "%d targets", merge)
	}
}

// TestOneMSHR: a second miss waits until the first is answered.
func TestOneMSHR(t *testing.T) {
	s := run(t, func(c *memsys.Config) { c.L1.MSHRs = 1 }, script(0, at(memsys.Load, 0, 0), at(memsys.Load, 64, 0)))
	d := s.SMs[0].Driver
	first, second := *d.Cycle.At(0), *d.Cycle.At(1)
	assert.Greater(t, second, first+first/2)
	stalled := s.SMs[0].Unit.L1.Count.Q().Stalls[memsys.GlobalLoad][memsys.MSHRFull]
	assert.InDelta(t, first, stalled, 10, "the second stood before the L1 for as long as the first was away")
}

// TestReservationFails: another line of the set finds no place while the set's only way waits for a
// line.
func TestReservationFails(t *testing.T) {
	s := run(t, func(c *memsys.Config) { c.L1.Size, c.L1.Assoc = 64, 1 },
		script(0, at(memsys.Load, 0, 0), at(memsys.Load, 64, 0)))
	d := s.SMs[0].Driver
	assert.Greater(t, *d.Cycle.At(1), *d.Cycle.At(0)+50)
	stalls := s.SMs[0].Unit.Stalls()
	assert.InDelta(t, *d.Cycle.At(0), stalls[memsys.GlobalLoad][memsys.ReserveFail], 10, "until the first is answered")
	assert.Zero(t, stalls[memsys.GlobalStore])
}

// TestStalls checks the stalls of the coalescer and of the shared memory.
func TestStalls(t *testing.T) {
	load := memsys.Access{Kind: memsys.Load, Size: 4, Mask: 0xff}
	for i := range load.Addr {
		load.Addr[i] = base + uint64(i)*64
	}
	store, shared, local, constant := load, load, load, load
	store.Kind, store.Mask = memsys.Store, 0x7
	local.Space, local.Mask = isa.SpaceLocal, 0x1f
	constant.Space, constant.Mask = isa.SpaceConst, 0x3
	shared.Shared, shared.Mask = true, 0xf
	for i := range shared.Addr {
		shared.Addr[i] -= base
	}
	s := run(t, nil, script(long, load, store, shared, local, constant))
	stalls := s.SMs[0].Unit.Stalls()
	assert.EqualValues(t, 8-1, stalls[memsys.GlobalLoad][memsys.Coalescing])
	assert.EqualValues(t, 3-1, stalls[memsys.GlobalStore][memsys.Coalescing])
	assert.EqualValues(t, 5-1, stalls[memsys.LocalLoad][memsys.Coalescing])
	assert.EqualValues(t, 2-1, stalls[memsys.ConstLoad][memsys.Coalescing])
	assert.EqualValues(t, 4-1, stalls[memsys.SharedAny][memsys.BankConflict])
	assert.Equal(t, "BK_CONF", memsys.BankConflict.String())
	assert.Equal(t, "?", memsys.NumCauses.String())
	assert.Equal(t, "flush_all", memsys.FlushAll.String())
}

// TestWritePolicy counts the stores that the L2 receives from stores to a line in the L1.
func TestWritePolicy(t *testing.T) {
	for policy, stores := range map[memsys.WritePolicy]uint64{memsys.WriteBack: 1, memsys.WriteThrough: 3} {
		s := run(t, func(c *memsys.Config) { c.L1.Write = policy }, script(long,
			at(memsys.Load, 0, 0), at(memsys.Store, 0, 1), at(memsys.Store, 4, 2), at(memsys.Store, 0, 3),
			at(memsys.Load, 0, 0), at(memsys.Flush, 0, 0)))
		assert.EqualValues(t, 3, value(s, 0, 4))
		assert.Equal(t, stores, s.Slices[0].Count.Q().Stores, policy)
		assert.EqualValues(t, 3, s.SMs[0].Unit.L1.Count.Q().StoreHits)
	}
}

// TestNoWriteAllocate: a store that misses goes to the L2 and leaves no line.
func TestNoWriteAllocate(t *testing.T) {
	s := run(t, nil, script(long, at(memsys.Store, 0, 5), at(memsys.Load, 0, 0)))
	assert.EqualValues(t, 5, value(s, 0, 1))
	q := *s.SMs[0].Unit.L1.Count.Q()
	assert.Zero(t, q.StoreHits)
	assert.EqualValues(t, 1, q.LoadMisses)
}

// TestStackLines: a store to the first bytes of a stack line allocates the line without a fetch.
// After the line is evicted, a later store to its other bytes goes to the L2. A load then gets all
// bytes.
func TestStackLines(t *testing.T) {
	stack := func(off, v uint64) memsys.Access {
		a := at(memsys.Store, off, v)
		a.Stack = true
		return a
	}
	for _, policy := range []memsys.WritePolicy{memsys.WriteBack, memsys.WriteThrough} {
		one := func(c *memsys.Config) { c.L1.Size, c.L1.Assoc, c.L1.Write = 64, 1, policy }
		s := run(t, one, script(long,
			stack(0, 5), stack(32, 6), at(memsys.Load, 0, 0), at(memsys.Load, 32, 0), // all in the L1
			stack(64, 7), stack(32, 8), at(memsys.Load, 64, 0), // line 0 is evicted, the store to 32 goes to the L2
			at(memsys.Load, 0, 0), at(memsys.Load, 32, 0), at(memsys.Flush, 0, 0)))
		for step, want := range map[int]uint64{2: 5, 3: 6, 6: 7, 7: 5, 8: 8} {
			assert.Equal(t, want, value(s, 0, step), "step %d, write-%s", step, policy)
		}
		q := *s.SMs[0].Unit.L1.Count.Q()
		assert.EqualValues(t, 1, q.StoreHits)
		assert.EqualValues(t, 4, q.LoadHits)
		assert.EqualValues(t, 1, q.LoadMisses)
		want := map[memsys.WritePolicy]uint64{memsys.WriteBack: 3, memsys.WriteThrough: 4}
		assert.Equal(t, want[policy], s.Slices[0].Count.Q().Stores, "write-%s", policy)
	}
}

// TestLRU: a set with two ways replaces the one used longest ago.
func TestLRU(t *testing.T) {
	two := func(c *memsys.Config) { c.L1.Size, c.L1.Assoc = 128, 2 }
	s := run(t, two, script(long,
		at(memsys.Load, 0, 0), at(memsys.Load, 64, 0), at(memsys.Load, 0, 0), // 64 is then the older one
		at(memsys.Load, 128, 0), // takes the way of 64
		at(memsys.Load, 0, 0), at(memsys.Load, 128, 0)))
	q := *s.SMs[0].Unit.L1.Count.Q()
	assert.EqualValues(t, 3, q.LoadHits, "0 twice, 128 once")
	assert.EqualValues(t, 3, q.LoadMisses)
	assert.EqualValues(t, 1, q.Evictions)
}

// TestSectorsInFlight: while a sector is on its way, a load of another one sends a request of its own.
// A load of both joins both misses, and a store to one of them takes only that one from the L1.
func TestSectorsInFlight(t *testing.T) {
	both := at(memsys.Load, 0, 0)
	both.Mask, both.Addr[1] = 3, base+32
	s := run(t, func(c *memsys.Config) {
		c.L1.Line, c.L2.Line, c.L1.Sector, c.L2.Sector, c.DRAM.Channels = 128, 128, 32, 32, 1
	}, append(script(0, at(memsys.Load, 0, 0), at(memsys.Load, 32, 0), both, at(memsys.Store, 0, 9)),
		script(0, at(memsys.Load, 0, 0), both)...))
	q := *s.SMs[0].Unit.L1.Count.Q()
	assert.EqualValues(t, 5, q.Loads)
	assert.EqualValues(t, 3, q.LoadMisses, "the third: the sector stored to")
	assert.EqualValues(t, 2, q.SectorMisses, "all but the first find the line")
	assert.EqualValues(t, 2, q.Merges)
	for step, want := range map[int]uint64{0: 0, 1: 0, 2: 0, 4: 9, 5: 9} {
		assert.Equal(t, want, value(s, 0, step), "step %d", step)
	}
	l2 := *s.Slices[0].Count.Q()
	assert.EqualValues(t, 2, l2.Misses, "the second one joins the line in flight, and fetches its sector")
	assert.EqualValues(t, 1, l2.SectorMisses)
	assert.EqualValues(t, 2*32, s.Channels[0].Count.Q().Bytes)
}

// TestStoreToSectors: of a store to a line with one sector the L1 keeps the bytes of that one, and
// sends the others to the L2.
func TestStoreToSectors(t *testing.T) {
	store := at(memsys.Store, 28, 7)
	store.Mask, store.Addr[1], store.Data[1][0] = 3, base+32, 8
	for policy, stores := range map[memsys.WritePolicy]uint64{memsys.WriteBack: 2, memsys.WriteThrough: 1} {
		s := run(t, func(c *memsys.Config) { c.L1.Sector, c.L1.Write = 32, policy }, script(long,
			at(memsys.Load, 0, 0), store, at(memsys.Load, 28, 0), at(memsys.Load, 32, 0), at(memsys.Flush, 0, 0)))
		assert.EqualValues(t, 7, value(s, 0, 2))
		assert.EqualValues(t, 8, value(s, 0, 3))
		q := *s.SMs[0].Unit.L1.Count.Q()
		assert.Zero(t, q.StoreHits, "not all of its bytes")
		assert.EqualValues(t, 1, q.SectorMisses, "the load of what was sent")
		assert.Equal(t, stores, s.Slices[0].Count.Q().Stores, policy)
	}
}

// TestStaleLines: a plain load may still read the old contents of a line that another SM has
// changed. A volatile load and an atomic may not. Neither may a plain load after a fence.
func TestStaleLines(t *testing.T) {
	writer := []memtest.Step{{NotBefore: long, Access: volatile(at(memsys.Store, 0, 7))}}
	for _, c := range []struct {
		name string
		mid  memsys.Access
		want uint64 // result of the load at the end
	}{
		{"nothing", at(memsys.Load, 4096, 0), 0},
		{"volatile load", volatile(at(memsys.Load, 0, 0)), 7},
		{"atomic of the same line", at(memsys.Atomic, 4, 0), 7},
		{"reduction of the same line", at(memsys.Reduce, 8, 0), 7},
		{"volatile store to the same line", volatile(at(memsys.Store, 12, 1)), 7},
		{"fence", at(memsys.Fence, 0, 0), 7},
	} {
		reader := script(2*long, at(memsys.Load, 0, 0), c.mid, at(memsys.Load, 0, 0))
		s := run(t, nil, reader, writer)
		assert.Zero(t, value(s, 0, 0), c.name)
		assert.Equal(t, c.want, value(s, 0, 2), c.name)
	}
}

// TestDirtyLineLeavesFirst: a store may still be in its L1. An atomic, a volatile load, and another
// SM after a fence nevertheless see it.
func TestDirtyLineLeavesFirst(t *testing.T) {
	s := run(t, nil, script(long,
		at(memsys.Load, 0, 0), at(memsys.Store, 0, 10), at(memsys.Atomic, 0, 1),
		at(memsys.Load, 0, 0), at(memsys.Store, 0, 20), volatile(at(memsys.Load, 0, 0)),
		at(memsys.Load, 0, 0), at(memsys.Store, 0, 30), at(memsys.Fence, 0, 0)),
		[]memtest.Step{{NotBefore: 10 * long, Access: at(memsys.Load, 0, 0)}})
	assert.EqualValues(t, 10, value(s, 0, 2))
	assert.EqualValues(t, 11, value(s, 0, 3))
	assert.EqualValues(t, 20, value(s, 0, 5))
	assert.EqualValues(t, 30, value(s, 1, 0))
}

// TestStoreDuringMiss: a load in flight gets the value from before a later store. The next load
// gets the value of the store.
func TestStoreDuringMiss(t *testing.T) {
	for _, policy := range []memsys.WritePolicy{memsys.WriteBack, memsys.WriteThrough} {
		s := run(t, func(c *memsys.Config) { c.L1.Write = policy }, script(0,
			at(memsys.Load, 0, 0), at(memsys.Store, 0, 9), at(memsys.Load, 0, 0), at(memsys.Load, 0, 0)))
		assert.Zero(t, value(s, 0, 0), policy)
		assert.EqualValues(t, 9, value(s, 0, 2), policy)
		assert.EqualValues(t, 9, value(s, 0, 3), policy)
	}
}

// TestFenceDoesNotStarve: a fence is answered while later stores continue.
func TestFenceDoesNotStarve(t *testing.T) {
	var a []memsys.Access
	for i := range uint64(20) {
		a = append(a, at(memsys.Store, i*64, i))
	}
	fence := len(a)
	a = append(a, at(memsys.Fence, 0, 0))
	for i := range uint64(3000) {
		a = append(a, at(memsys.Store, i%64*64, i))
	}
	s := run(t, nil, script(0, a...))
	d := s.SMs[0].Driver
	answered := *d.Cycle.At(fence)
	assert.Less(t, answered, *d.Cycle.At(len(a) - 1)/4)
	assert.Greater(t, answered, uint64(60), "the fence waits for a round trip to the L2")
}

// TestManyFences issues more fences than an L1 can have outstanding, back to back.
func TestManyFences(t *testing.T) {
	var a []memsys.Access
	for i := range uint64(40) {
		a = append(a, at(memsys.Store, i*64, i), at(memsys.Fence, 0, 0))
	}
	s := run(t, func(c *memsys.Config) { c.Icnt.Latency = 100 }, script(0, a...))
	assert.EqualValues(t, 40, s.SMs[0].Unit.L1.Count.Q().Fences)
}

// TestMessagePassing: an SM writes data, passes a fence and sets a flag. Another SM that reads the
// flag and passes a fence also sees the data, with any timing.
func TestMessagePassing(t *testing.T) {
	const data, flag = 0, 1 << 12
	seen := 0
	for delay := uint64(0); delay < 600; delay += 40 {
		for _, policy := range []memsys.WritePolicy{memsys.WriteBack, memsys.WriteThrough} {
			// so that the store stays in the L1
			producer := []memtest.Step{{NotBefore: 500, Access: at(memsys.Load, data, 0)}}
			for _, a := range []memsys.Access{
				at(memsys.Store, data, 42), at(memsys.Fence, 0, 0),
				volatile(at(memsys.Store, flag, 1)),
			} {
				producer = append(producer, memtest.Step{NotBefore: 1000, Access: a})
			}
			consumer := []memtest.Step{
				{Access: at(memsys.Load, data, 0)}, // a stale copy
				{NotBefore: 900 + delay, Access: volatile(at(memsys.Load, flag, 0))},
				{NotBefore: 900 + delay + long, Access: at(memsys.Fence, 0, 0)},
				{NotBefore: 900 + delay + long, Access: at(memsys.Load, data, 0)},
			}
			s := run(t, func(c *memsys.Config) { c.L1.Write = policy }, producer, consumer)
			assert.Zero(t, value(s, 1, 0))
			if value(s, 1, 1) == 1 {
				assert.EqualValues(t, 42, value(s, 1, 3))
				seen++
			}
		}
	}
	assert.NotZero(t, seen)
	assert.Less(t, seen, 30, "sometimes the consumer looks too early")
}

// TestAtomicity: all lanes of all SMs add to one word. Every intermediate value is returned exactly
// once.
func TestAtomicity(t *testing.T) {
	a := memsys.Access{Kind: memsys.Atomic, Size: 4, Atom: isa.AtomAdd, Type: isa.U32, Mask: ^uint32(0)}
	for i := range a.Addr {
		a.Addr[i], a.Data[i][0] = base, 1
	}
	var scripts [][]memtest.Step
	for range 4 {
		scripts = append(scripts, script(0, a, a))
	}
	s := run(t, nil, scripts...)
	seen := make([]bool, 4*2*32)
	for sm := range 4 {
		for step := range 2 {
			for lane := range 32 {
				v := s.SMs[sm].Driver.Reply.At(step).Data[lane][0]
				require.Less(t, v, uint64(len(seen)))
				require.False(t, seen[v], "%d twice", v)
				seen[v] = true
			}
		}
	}
	assert.EqualValues(t, 256, s.Slices[0].Count.Q().Atomics, "one packet a lane")
}

// TestPartialLineInL2: a store to a line that the L2 does not have fetches nothing. A later load
// gets the stored bytes, and the others from the DRAM.
func TestPartialLineInL2(t *testing.T) {
	c := memsys.Default()
	c.DRAM.Channels = 1
	all := at(memsys.Load, 0, 0)
	all.Mask = 0xffff
	for i := range all.Addr {
		all.Addr[i] = base + uint64(i%16)*4
	}
	s, err := memtest.New(c, script(long, at(memsys.Store, 8, 0xdddddddd), all))
	require.NoError(t, err)
	require.NoError(t, s.Store.Map(base, 64))
	old := make([]byte, 64)
	for i := range old {
		old[i] = byte(i)
	}
	require.NoError(t, s.Store.Write(base, old))
	require.NoError(t, s.Play(10_000))
	for i := range 16 {
		k := uint32(i * 4)
		want := k | (k+1)<<8 | (k+2)<<16 | (k+3)<<24
		if i == 2 {
			want = 0xdddddddd
		}
		assert.EqualValues(t, want, s.SMs[0].Driver.Reply.At(1).Data[i][0], "word %d", i)
	}
	q := *s.Slices[0].Count.Q()
	assert.EqualValues(t, 1, q.Misses, "the load's")
	assert.EqualValues(t, 1, s.Channels[0].Count.Q().Reads)

	require.NoError(t, s.Flush(10_000))
	require.NoError(t, s.Store.Read(base, old))
	assert.EqualValues(t, []byte{7, 0xdd, 0xdd, 0xdd, 0xdd, 12}, old[7:13])
	assert.EqualValues(t, 1, s.Channels[0].Count.Q().Writes)
}

// TestHostWritesBetweenKernels: after a flush no cache holds memory that the host may change.
func TestHostWritesBetweenKernels(t *testing.T) {
	c := memsys.Default()
	s, err := memtest.New(c, script(long*10, at(memsys.Load, 0, 0), at(memsys.Flush, 0, 0), at(memsys.Load, 0, 0)))
	require.NoError(t, err)
	require.NoError(t, s.Store.Map(base, 64))
	require.NoError(t, s.Store.Write(base, []byte{1}))
	d := s.SMs[0].Driver
	p := s.RunUntil(func() bool { return d.Q().Replies == 2 }, s.Core, 1e6)
	require.True(t, p.Done)
	require.NoError(t, s.Flush(1e6))
	require.NoError(t, s.Store.Write(base, []byte{2}))
	require.NoError(t, s.Play(1e6))
	assert.EqualValues(t, 1, value(s, 0, 0))
	assert.EqualValues(t, 2, value(s, 0, 2))
}

// TestFlushWaitsForFills: a line is in flight when the L2 receives a flush. The line does not fill
// a way that another line has taken.
func TestFlushWaitsForFills(t *testing.T) {
	c := memsys.Default()
	c.DRAM.Channels, c.L2.Size, c.L2.Assoc = 1, 128, 2
	s, err := memtest.New(c,
		[]memtest.Step{{Access: volatile(at(memsys.Load, 0, 0))}},
		[]memtest.Step{
			{NotBefore: 40, Access: volatile(at(memsys.Store, 64, 5))},
			{NotBefore: long, Access: volatile(at(memsys.Load, 68, 0))},
		})
	require.NoError(t, err)
	require.NoError(t, s.Store.Map(base, 128))
	require.NoError(t, s.Store.Write(base, []byte{1, 0, 0, 0, 2}))
	require.NoError(t, s.Store.Write(base+68, []byte{3}))
	s.Run(s.Core, 20)
	require.NoError(t, s.Flush(long))
	require.NoError(t, s.Play(10*long))
	assert.EqualValues(t, 1, value(s, 0, 0))
	assert.EqualValues(t, 3, value(s, 1, 1))
}

// TestWriteBackPort: if both sides always have a reply, each gets every second cycle.
func TestWriteBackPort(t *testing.T) {
	global, shared, out := rtl.NewQueue[memsys.Reply](4), rtl.NewQueue[memsys.Reply](4), rtl.NewQueue[memsys.Reply](1)
	b := &struct {
		Port           *memsys.WriteBackPort
		Global, Shared rtl.Out[memsys.Reply]
		Out            rtl.In[memsys.Reply]
	}{
		&memsys.WriteBackPort{Global: global.In(), Shared: shared.In(), Out: out.Out()}, global.Out(), shared.Out(),
		out.In(),
	}
	sim := rtl.MustNew("port", b)
	var got []uint16
	for range 40 {
		for b.Global.Ready() {
			b.Global.Push(memsys.Reply{Tag: 0})
		}
		for b.Shared.Ready() {
			b.Shared.Push(memsys.Reply{Tag: 1})
		}
		sim.Run(1)
		if b.Out.Valid() {
			got = append(got, b.Out.Front().Tag)
			b.Out.Pop()
		}
	}
	require.Greater(t, len(got), 18)
	for i := range got {
		assert.EqualValues(t, (i+1)%2, got[i], "reply %d", i)
	}
}

// TestIdle: an idle memory system sleeps.
func TestIdle(t *testing.T) {
	s := run(t, nil, script(0, at(memsys.Load, 0, 0)))
	s.Run(s.Core, 1000)
	assert.True(t, s.Idle())
}
