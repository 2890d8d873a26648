package memsys_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/audit"
	"divergo/internal/memtest"
	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
)

// The region that the random programs work on.
const (
	base        = 0x1000_0000
	private     = 4096 // bytes that have one owner at a time, in chunks of 16
	contended   = 64   // bytes that every SM adds to atomically
	sharedBytes = 1024
	phaseCycles = 200_000 // more than any phase takes; idle cycles are skipped
)

// program makes the scripts of some SMs. In each phase a 16-byte chunk of the
// private region belongs to one SM, which may read it and write it in any way,
// so that lines are shared falsely all the time; ownership moves between
// phases, which fences separate. Atomic additions to the contended region commute.
type program struct {
	r      *rand.Rand
	sms    int
	size   uint64 // of the private region in use
	owner  []int  // of each chunk
	script [][]memtest.Step
}

func newProgram(seed uint64, sms int, size uint64, phases, steps int) *program {
	p := &program{
		r: rand.New(rand.NewPCG(seed, 1)), sms: sms, size: size,
		owner: make([]int, size/16), script: make([][]memtest.Step, sms),
	}
	for phase := range phases {
		for i := range p.owner {
			p.owner[i] = p.r.IntN(sms)
		}
		for sm := range sms {
			for range steps {
				p.add(sm, phase, p.access(sm))
			}
			p.add(sm, phase, memsys.Access{Kind: memsys.Fence})
		}
	}
	for sm := range sms {
		p.add(sm, phases, memsys.Access{Kind: memsys.Flush})
	}
	return p
}

func (p *program) add(sm, phase int, a memsys.Access) {
	p.script[sm] = append(p.script[sm], memtest.Step{NotBefore: uint64(phase) * phaseCycles, Access: a})
}

// access is a random instruction.
func (p *program) access(sm int) memsys.Access {
	r := p.r
	a := memsys.Access{Size: 1 << r.IntN(5), Mask: r.Uint32()}
	switch r.IntN(8) {
	case 0:
		a.Mask = 0xffff_ffff
	case 1:
		a.Mask = 1 << r.IntN(32)
	case 2:
		a.Mask &= 0xf
	}
	for i := range a.Data {
		a.Data[i] = [2]uint64{r.Uint64(), r.Uint64()}
	}
	switch k := r.IntN(100); {
	case k < 40:
		a.Kind = memsys.Load
	case k < 75:
		a.Kind = memsys.Store
	case k < 90:
		a.Kind = memsys.Atomic + memsys.Kind(r.IntN(2))
		a.Mask &= r.Uint32()
		p.operation(&a)
	case k < 93:
		return memsys.Access{Kind: memsys.Fence, Mask: r.Uint32()}
	default:
		a = memsys.Access{Kind: memsys.Reduce, Size: 4, Atom: isa.AtomAdd, Type: isa.U32, Mask: a.Mask, Data: a.Data}
		for i := range a.Addr {
			a.Addr[i] = base + private + uint64(r.IntN(contended/4))*4
		}
		return a
	}
	if r.IntN(4) == 0 {
		a.Shared = true
		p.addresses(&a, func() uint64 { return uint64(r.IntN(sharedBytes/16)) * 16 })
		return a
	}
	if a.Kind <= memsys.Store && r.IntN(4) == 0 {
		a.Cache = isa.CacheOp(r.IntN(3))
	}
	p.addresses(&a, func() uint64 {
		for {
			if c := r.IntN(len(p.owner)); p.owner[c] == sm {
				return base + uint64(c)*16
			}
		}
	})
	return a
}

// addresses gives each lane a place in one of a few chunks.
func (p *program) addresses(a *memsys.Access, chunk func() uint64) {
	few := make([]uint64, 1+p.r.IntN(8))
	for i := range few {
		few[i] = chunk()
	}
	for i := range a.Addr {
		c := chunk
		if p.r.IntN(3) > 0 {
			c = func() uint64 { return few[p.r.IntN(len(few))] }
		}
		a.Addr[i] = c() + uint64(p.r.IntN(16/int(a.Size)))*uint64(a.Size)
	}
}

// operation makes a an atomic.
func (p *program) operation(a *memsys.Access) {
	ops := []isa.AtomOp{isa.AtomAdd, isa.AtomExch, isa.AtomCas, isa.AtomMin, isa.AtomXor, isa.AtomInc}
	a.Atom = ops[p.r.IntN(len(ops))]
	a.Size, a.Type = 4, isa.U32
	if p.r.IntN(2) == 0 && a.Atom != isa.AtomInc {
		a.Size, a.Type = 8, isa.U64
	}
}

// flat is memory as the programmer sees it.
type flat map[uint64]byte

func (m flat) load(addr uint64, size uint8) (v [2]uint64) {
	for k := range uint64(size) {
		v[k/8] |= uint64(m[addr+k]) << (k % 8 * 8)
	}
	return v
}

func (m flat) store(addr uint64, size uint8, v [2]uint64) {
	for k := range uint64(size) {
		m[addr+k] = byte(v[k/8] >> (k % 8 * 8))
	}
}

// do performs an access lane by lane and returns what the lanes read.
func (m flat) do(a *memsys.Access) (data [isa.MaxLanes][2]uint64) {
	for i := range isa.MaxLanes {
		if a.Mask>>i&1 == 0 {
			continue
		}
		old := m.load(a.Addr[i], a.Size)
		switch a.Kind {
		case memsys.Load:
			data[i] = old
		case memsys.Store:
			m.store(a.Addr[i], a.Size, a.Data[i])
		case memsys.Atomic:
			data[i] = old
			fallthrough
		case memsys.Reduce:
			atomic := isa.GlobalAtomic
			if a.Shared {
				atomic = isa.Atomic
			}
			m.store(a.Addr[i], a.Size, [2]uint64{atomic(a.Atom, a.Type, old[0], a.Data[i][0], a.Data[i][1])})
		}
	}
	return data
}

// check compares every reply and the final memory with flat memory. Within a
// phase SMs do not see each other, so their order does not matter.
func (p *program) check(t *testing.T, s *memtest.System) {
	t.Helper()
	mem := flat{}
	shared := make([]flat, p.sms)
	next := make([]int, p.sms)
	for i := range shared {
		shared[i] = flat{}
	}
	for phase := uint64(0); ; phase++ {
		over := true
		for sm := range p.sms {
			d := s.SMs[sm].Driver
			for ; next[sm] < len(p.script[sm]); next[sm]++ {
				i := next[sm]
				step := &p.script[sm][i]
				if step.NotBefore > phase*phaseCycles {
					over = false
					break
				}
				m := mem
				if step.Shared {
					m = shared[sm]
				}
				want := m.do(&step.Access)
				at := fmt.Sprintf("SM %d, step %d: %s of %d bytes, cache %d, shared %t, mask %#x", sm, i, step.Kind, step.Size, step.Cache, step.Shared, step.Mask)
				require.EqualValues(t, 1, *d.Count.At(i), "replies to %s", at)
				require.Equal(t, step.Mask, d.Reply.At(i).Mask, at)
				require.Less(t, *d.Cycle.At(i), (phase+1)*phaseCycles, "phase of %s", at)
				for lane := range isa.MaxLanes {
					if step.Mask>>lane&1 != 0 {
						require.Equalf(t, want[lane], d.Reply.At(i).Data[lane], "lane %d at %#x, %s", lane, step.Addr[lane], at)
					}
				}
			}
		}
		if over {
			break
		}
	}
	for off := range uint64(private + contended) {
		var b [1]byte
		require.NoError(t, s.Store.Read(base+off, b[:]))
		require.Equalf(t, mem[base+off], b[0], "byte %#x after the flush", base+off)
	}
}

// small is a machine in which everything is full all the time.
func small() memsys.Config {
	c := memsys.Default()
	c.L1.Size, c.L1.Assoc, c.L1.HitLatency = 512, 2, 2
	c.L2.Size, c.L2.Assoc, c.L2.Latency = 1024, 4, 3
	c.Shared.Size, c.Shared.Latency = sharedBytes, 3
	c.DRAM.Channels, c.DRAM.RowBytes, c.DRAM.Banks, c.DRAM.Interleave, c.DRAM.Queue = 2, 256, 4, 128, 8
	return c
}

// machines are the configurations that random programs run on.
func machines() map[string]memsys.Config {
	m := map[string]memsys.Config{}
	for _, line := range []int{32, 64, 128} {
		for _, write := range []memsys.WritePolicy{memsys.WriteBack, memsys.WriteThrough} {
			c := small()
			c.L1.Line, c.L2.Line, c.L1.Write = line, line, write
			m[fmt.Sprintf("line %d, write %s", line, write)] = c
		}
	}
	vary := func(name string, f func(*memsys.Config)) {
		c := small()
		f(&c)
		m[name] = c
	}
	vary("one of everything", func(c *memsys.Config) {
		c.L1.Pending, c.L1.MSHRs, c.L1.MSHRMerge, c.L1.MissQueue, c.L1.HitLatency = 1, 1, 1, 1, 1
		c.L1.Size, c.L1.Assoc = 64, 1
		c.L2.MSHRs, c.L2.MSHRMerge, c.L2.Size, c.L2.Assoc, c.L2.Latency = 1, 1, 64, 1, 1
		c.Icnt.Queue, c.Icnt.FlitBytes, c.Icnt.Concentration = 1, 8, 1
		c.DRAM.Channels, c.DRAM.Banks, c.DRAM.Queue, c.DRAM.Latency = 1, 1, 1, 1
		c.Shared.Banks, c.Shared.Lanes = 1, 1
	})
	vary("few MSHRs, wide sets", func(c *memsys.Config) {
		c.L1.MSHRs, c.L1.Assoc, c.L1.Write = 2, 8, memsys.WriteThrough
		c.L2.MSHRs, c.L2.Assoc = 2, 16
	})
	vary("three channels, FCFS, slow wires", func(c *memsys.Config) {
		c.DRAM.Channels, c.DRAM.Scheduler = 3, dram.FCFS
		c.Icnt.Latency, c.Icnt.Concentration = 7, 2
	})
	vary("caches hold all", func(c *memsys.Config) {
		c.L1.Size, c.L2.Size = 32<<10, 64<<10
	})
	vary("six channels, L1 holds all", func(c *memsys.Config) {
		c.DRAM.Channels, c.L1.Size, c.L1.HitLatency, c.L1.MSHRMerge = 6, 16<<10, 20, 1
		c.L2.Size = 256
	})
	return m
}

func play(t *testing.T, c memsys.Config, p *program) *memtest.System {
	t.Helper()
	s, err := memtest.New(c, p.script...)
	require.NoError(t, err)
	require.NoError(t, s.Store.Map(base, private+contended))
	books := audit.Watch(&c, s.Memory)
	defer books.Detach()
	require.NoError(t, s.Play(5*phaseCycles))
	require.NoError(t, s.Flush(1e6))
	books.End()
	require.Nil(t, books.Fault())
	return s
}

// TestFlatMemory is the stateful model test: M1, M3 and M4 of the cache, Q1, Q2,
// Q4 and Q5 of the coalescer, for the whole memory system at once.
func TestFlatMemory(t *testing.T) {
	for name, c := range machines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				size := uint64(private)
				if seed%2 == 1 {
					size = 512 // so small that everything collides
				}
				p := newProgram(seed, 2+int(seed%2), size, 3, 60)
				p.check(t, play(t, c, p))
			}
		})
	}
}

func TestConfigurationsAreLegal(t *testing.T) {
	for name, c := range machines() {
		assert.NoError(t, c.Check(), name)
	}
}
