package memsys_test

import (
	"fmt"
	"slices"
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
)

// The region used by the random programs.
const (
	base        = 0x1000_0000
	private     = 4096 // bytes that have one owner at a time, in chunks of 16
	contended   = 64   // bytes that every SM adds to atomically
	sharedBytes = 1024
	phaseCount  = 3
	phaseCycles = 200_000 // more cycles than any phase takes; idle cycles are skipped
)

// program has the scripts of some SMs. In each phase a 16-byte chunk of the private region belongs
// to one SM, which may read and write it in any way. False sharing of lines is therefore frequent.
// Ownership moves between phases, which fences separate. Atomic additions to the contended region
// commute.
type program struct {
	sms    int
	chunks int // chunks of the private region in use
	script [][]memtest.Step
}

// newProgram draws the given number of instructions of each SM in each phase. The same seed gives
// the same program.
func newProgram(seed int64, sms, size, phases, steps int) *program {
	p := &program{sms: sms, chunks: size / 16, script: make([][]memtest.Step, sms)}
	draw, all := gopter.DefaultGenParameters().CloneWithSeed(seed), instructions()
	for phase := range phases {
		for sm := range sms {
			for range steps {
				in, _ := all(draw).Retrieve()
				p.add(sm, phase, in.(instruction).access(p, sm, phase))
			}
		}
		p.end(phase, phases)
	}
	return p
}

func (p *program) add(sm, phase int, a memsys.Access) {
	p.script[sm] = append(p.script[sm], memtest.Step{NotBefore: uint64(phase) * phaseCycles, Access: a})
}

// end ends a phase with a fence of each SM, and the last one with a flush.
func (p *program) end(phase, phases int) {
	for sm := range p.sms {
		p.add(sm, phase, memsys.Access{Kind: memsys.Fence})
		if phase == phases-1 {
			p.add(sm, phases, memsys.Access{Kind: memsys.Flush})
		}
	}
}

// instruction is an instruction of an SM. The SM and the phase determine the meaning of its places.
type instruction struct {
	Lanes lanes
	Phase int
	SM    int
	Kind  memsys.Kind
	Where region
	Size  uint8
	Cache isa.CacheOp
	Atom  isa.AtomOp
	Value uint8
}

// region is the memory that an instruction accesses.
type region string

const (
	own    region = "own"    // the chunks that the SM owns
	shared region = "shared" // the shared memory of the SM
	all    region = "all"    // memory that all SMs add to
)

func instructions() gopter.Gen {
	return forall.Struct[instruction](map[string]gopter.Gen{
		"Phase": gen.IntRange(0, phaseCount-1),
		"SM":    gen.IntRange(0, 7),
		"Kind": forall.OneOf(slices.Concat(slices.Repeat([]memsys.Kind{memsys.Load}, 9),
			slices.Repeat([]memsys.Kind{memsys.Store}, 7), []memsys.Kind{
				memsys.Atomic, memsys.Atomic, memsys.Reduce,
				memsys.Fence,
			})...),
		"Where": forall.OneOf(own, own, own, shared, all),
		"Size":  forall.OneOf[uint8](1, 2, 4, 8, 16),
		"Cache": forall.OneOf(isa.CacheDefault, isa.CacheDefault, isa.CacheDefault, isa.CacheDefault, isa.CacheDefault,
			isa.CacheStream, isa.CacheGlobal, isa.CacheVolatile),
		"Atom":  forall.OneOf(isa.AtomAdd, isa.AtomExch, isa.AtomCas, isa.AtomMin, isa.AtomXor, isa.AtomInc),
		"Lanes": drawLanes(private),
		"Value": gen.UInt8(),
	})
}

// access returns the access of the instruction in a phase.
func (in instruction) access(p *program, sm, phase int) memsys.Access {
	a := memsys.Access{Kind: in.Kind, Size: in.Size, Mask: in.Lanes.Mask, Shared: in.Where == shared}
	switch {
	case in.Kind == memsys.Fence:
		return memsys.Access{Kind: memsys.Fence, Mask: in.Lanes.Mask}
	case in.Where == all:
		a.Kind, a.Size, a.Atom, a.Type = memsys.Reduce, 4, isa.AtomAdd, isa.U32
	case in.Kind >= memsys.Atomic:
		a.Atom, a.Size, a.Type = in.Atom, 4, isa.U32
		if in.Size >= 8 && in.Atom != isa.AtomInc {
			a.Size, a.Type = 8, isa.U64
		}
	case !a.Shared:
		a.Cache = in.Cache
	}
	size := int(a.Size)
	for i, n := range in.Lanes.Place {
		chunk, off := int(n)*size/16, int(n)*size%16
		switch in.Where {
		case own:
			chunk = base/16 + chunk%(p.chunks/p.sms)*p.sms + (sm+phase)%p.sms
		case shared:
			chunk %= sharedBytes / 16
		case all:
			chunk = (base+private)/16 + chunk%(contended/16)
		}
		a.Addr[i] = uint64(chunk*16 + off)
		a.Data[i] = data(i, in.Value)
	}
	return a
}

// data returns the bytes that a lane stores. They differ between lanes and between values.
func data(lane int, value uint8) (v [2]uint64) {
	for k := range 16 {
		v[k/8] |= uint64(value^uint8(lane<<3|k&7)) << (k % 8 * 8)
	}
	return v
}

// String draws the instruction with the places of its lanes.
func (in instruction) String() string {
	if in.Where == all && in.Kind != memsys.Fence {
		return fmt.Sprintf("add to what all add to, value %d: %s", in.Value, in.Lanes)
	}
	return fmt.Sprintf("%s of %d bytes, %s, cache %d, atom %d, value %d: %s", in.Kind, in.Size, in.Where, in.Cache,
		in.Atom, in.Value, in.Lanes)
}

// flat is memory in the programming model.
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

// do performs an access lane by lane and returns the data read by each lane.
func (m flat) do(a *memsys.Access) (data [isa.RowLanes][2]uint64) {
	for i := range isa.RowLanes {
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

// check compares every reply and the final memory with flat memory. SMs are independent within a
// phase, so their order does not matter.
func (p *program) check(t require.TestingT, s *memtest.System) {
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
				at := fmt.Sprintf("SM %d, step %d: %s of %d bytes, cache %d, shared %t, mask %#x", sm, i, step.Kind,
					step.Size, step.Cache, step.Shared, step.Mask)
				require.EqualValues(t, 1, *d.Count.At(i), "replies to %s", at)
				require.Equal(t, step.Mask, d.Reply.At(i).Mask, at)
				require.Less(t, *d.Cycle.At(i), (phase+1)*phaseCycles, "phase of %s", at)
				for lane := range isa.RowLanes {
					if step.Mask>>lane&1 != 0 {
						require.Equalf(t, want[lane], d.Reply.At(i).Data[lane], "lane %d at %#x, %s", lane,
							step.Addr[lane], at)
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

// small is a machine whose queues and tables are often full.
func small() memsys.Config {
	c := memsys.Default()
	c.L1.Size, c.L1.Assoc, c.L1.HitLatency = 512, 2, 2
	c.L2.Size, c.L2.Assoc, c.L2.Latency = 1024, 4, 3
	c.Shared.Size, c.Shared.Latency = sharedBytes, 3
	c.DRAM.Channels, c.DRAM.RowBytes, c.DRAM.Banks, c.DRAM.Interleave, c.DRAM.Queue = 2, 256, 4, 128, 8
	return c
}

// smallest is a machine whose queues and tables have one entry, and whose caches have one line.
func smallest() memsys.Config {
	c := small()
	c.L1.Pending, c.L1.MSHRs, c.L1.MSHRMerge, c.L1.MissQueue, c.L1.HitLatency = 1, 1, 1, 1, 1
	c.L1.Size, c.L1.Assoc = 64, 1
	c.L2.MSHRs, c.L2.MSHRMerge, c.L2.Size, c.L2.Assoc, c.L2.Latency = 1, 1, 64, 1, 1
	c.Icnt.Queue, c.Icnt.FlitBytes, c.Icnt.Concentration = 1, 8, 1
	c.DRAM.Channels, c.DRAM.Banks, c.DRAM.Queue, c.DRAM.Latency = 1, 1, 1, 1
	c.Shared.Banks, c.Shared.Lanes = 1, 1
	return c
}

// machines returns the configurations that random programs run on.
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
	m["one of everything"] = smallest()
	for _, write := range []memsys.WritePolicy{memsys.WriteBack, memsys.WriteThrough} {
		for _, sector := range [][2]int{{32, 32}, {32, 0}, {64, 32}, {0, 32}} {
			vary(fmt.Sprintf("sectors %d, write %s", sector, write), func(c *memsys.Config) {
				c.L1.Line, c.L2.Line, c.L1.Write = 128, 128, write
				c.L1.Sector, c.L2.Sector = sector[0], sector[1]
				c.L1.Hash, c.L2.Hash, c.DRAM.Hash = dram.HashXOR, dram.HashXOR, dram.HashXOR
			})
		}
	}
	vary("sectors, one of everything", func(c *memsys.Config) {
		c.L1.Line, c.L2.Line, c.L1.Sector, c.L2.Sector = 128, 128, 32, 32
		c.L1.MSHRs, c.L1.MSHRMerge, c.L1.Size, c.L1.Assoc = 1, 1, 128, 1
		c.L2.MSHRs, c.L2.MSHRMerge, c.L2.Size, c.L2.Assoc = 1, 2, 128, 1
		c.DRAM.WriteHigh, c.DRAM.WriteLow, c.DRAM.AgeCap = 4, 1, 50
	})
	vary("refresh, few MSHRs, sectors", func(c *memsys.Config) {
		c.L1.Line, c.L2.Line, c.L1.Sector, c.L2.Sector = 64, 64, 32, 32
		c.L1.MSHRs, c.L2.MSHRs = 2, 2
		c.DRAM.TREFI, c.DRAM.TRFC = 300, 50
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

func TestConfigurationsAreLegal(t *testing.T) {
	for name, c := range machines() {
		assert.NoError(t, c.Check(), name)
	}
}
