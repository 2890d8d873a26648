package area_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/gpu/area"
	"divergo/internal/forall"
	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
)

// bits returns the bits of a memory of a part, all copies.
func bits(t *testing.T, a area.Area, of, memory string) int {
	t.Helper()
	for _, m := range part(t, a, of).Memories {
		if m.Name == memory {
			return m.TotalBits()
		}
	}
	require.Fail(t, "no memory "+memory, "%+v", part(t, a, of).Memories)
	return 0
}

// TestStorageByHand counts the storage of a machine on paper. An L1 of 32 KiB has 64 sets of lines of
// 64 bytes, so its tags have 40 - 6 - 6 bits, and one that says that they are valid.
func TestStorageByHand(t *testing.T) {
	cfg := gpu.Default()
	cfg.SM.IBuffer, cfg.SM.Scoreboard, cfg.SM.Scheduler = 2, sm.PerRegister, sm.GTO
	a := estimate(t, cfg, 0)
	assert.Equal(t, 16384*32, bits(t, a, "register file", "registers"))
	assert.Equal(t, 1024*8, bits(t, a, "register file", "predicates"))
	assert.Equal(t, 32*2*64, bits(t, a, "fetch and I-buffers", "instructions"))
	assert.Equal(t, 32*64, bits(t, a, "scoreboard", "pending registers"))
	assert.Equal(t, 32*31/2, bits(t, a, "warp scheduler", "ages of slots"))
	assert.Equal(t, 32<<10*8, bits(t, a, "L1 data cache", "Mem.L1.cache.data"))
	assert.Equal(t, 512*(40-6-6+1), bits(t, a, "L1 data cache", "Mem.L1.cache.tags"))
	assert.Equal(t, 16<<10*8, bits(t, a, "shared memory", "words"))
	assert.Equal(t, 1<<20*8, bits(t, a, "L2 cache", "cache.data"))
	assert.Equal(t, 16384*(40-6-8+1), bits(t, a, "L2 cache", "cache.tags"))

	// A collector has three sources of 32 lanes, the guard and up to three predicates, and what it
	// needs to know of its instruction: slot, CTA, row, whether it is mixed, PC, mask and rows.
	flight := 9 + 5 + 6 + 1 + 32 + 32 + 32
	assert.Equal(t, 2*(flight+32+3*32+3*32*32), bits(t, a, "operand collectors", "queue ALU"))

	mech, _ := divergence.Find(cfg.Divergence.Mechanism)
	cost, err := mech.Cost(cfg.Divergence, cfg.SM.Geometry())
	require.NoError(t, err)
	p := part(t, a, "divergence mechanism")
	assert.Equal(t, cost.Bits(), p.Bits())
	assert.Equal(t, cost.Logic, p.Logic)
}

// TestRepeatedBlocks counts what a machine of 30 SMs and 8 channels has more than once. Three SMs
// share a port of the crossbar, and so does the dispatcher: 11 ports of 128 wires.
func TestRepeatedBlocks(t *testing.T) {
	cfg := gpu.Default()
	cfg.SM.WBPorts, cfg.Icnt.FlitBytes = 2, 16
	a := estimate(t, cfg, 0)
	assert.Equal(t, 30, part(t, a, "L1 data cache").Count)
	assert.Equal(t, 8, part(t, a, "L2 cache").Count)
	assert.Equal(t, 8, part(t, a, "memory controller").Count)
	file := part(t, a, "register file").Memories[0]
	assert.Equal(t, []int{16, 1, 2}, []int{file.Banks, file.Reads, file.Writes})
	xbar := part(t, a, "crossbar")
	for _, m := range xbar.Memories {
		switch m.Name {
		case "Requests.From", "Responses.Port":
			assert.Equal(t, 11, m.Words, m.Name)
		case "Requests.Port", "Responses.From":
			assert.Equal(t, 8, m.Words, m.Name)
		case "queues to SMs":
			assert.Equal(t, 31, m.Count)
		default:
			assert.Equal(t, "queues to slices", m.Name)
			assert.Equal(t, 8, m.Count)
		}
	}
	assert.Len(t, xbar.Memories, 6)
	assert.InDelta(t, 11*128*.42e-3*8*128*.42e-3, xbar.Datapaths[0].Mid, 1e-9, "mm2 of wires 0.42 um apart")
	assert.Equal(t, 2, xbar.Datapaths[0].Count)
}

// TestSubCores: four sub-cores have four register files of a quarter each, and four times the lanes.
func TestSubCores(t *testing.T) {
	cfg := gpu.Default()
	cfg.SM.Schedulers = 4
	one, four := estimate(t, gpu.Default(), 1), estimate(t, cfg, 1)
	file := part(t, four, "register file").Memories[0]
	assert.Equal(t, 4, file.Count)
	assert.Equal(t, part(t, one, "register file").Memories[0].Words, 4*file.Words)
	assert.Equal(t, 4*part(t, one, "ALU lanes").Datapaths[0].Count, part(t, four, "ALU lanes").Datapaths[0].Count)
	assert.NotZero(t, bits(t, four, "CTA control", "MemPort.state"), "joins the sub-cores with the LSU")
	for _, name := range []string{"queue ALU", "queue SFU"} {
		assert.Equal(t, 4*bits(t, one, "operand collectors", name), bits(t, four, "operand collectors", name), name)
	}
}

// TestLatenciesTakeNoArea: the stages of pipelines are in the published area of their units.
func TestLatenciesTakeNoArea(t *testing.T) {
	cfg := gpu.Default()
	cfg.SM.ALULatency, cfg.SM.SFULatency, cfg.SM.AGULatency, cfg.L1.HitLatency = 1, 99, 77, 55
	assert.Equal(t, estimate(t, gpu.Default(), 1), estimate(t, cfg, 1))
}

// TestOptionalBlocks: caches and the texture unit take area only if they are there.
func TestOptionalBlocks(t *testing.T) {
	none := gpu.Default()
	none.Herd.Enable = false
	for _, p := range estimate(t, none, 1).Parts {
		assert.NotContains(t, "herding, instruction cache, constant cache, texture cache and unit", p.Name)
	}
	cfg := none
	cfg.ICache.Size, cfg.Const.Size, cfg.Texture.Size = 8<<10, 8<<10, 12<<10
	cfg.Texture.Assoc = 24
	with := estimate(t, cfg, 1)
	assert.Equal(t, 8<<10*8, bits(t, with, "instruction cache", "cache.data"))
	assert.Equal(t, 8<<10*8, bits(t, with, "constant cache", "Mem.ConstCache.cache.data"))
	assert.Equal(t, 12<<10*8, bits(t, with, "texture cache and unit", "Mem.TextureCache.cache.data"))
	cfg.Texture.Fetch = memsys.FetchUnit
	unit := estimate(t, cfg, 1)
	const name = "texture cache and unit"
	assert.Greater(t, part(t, unit, name).Area.Mid, part(t, with, name).Area.Mid)
}

// TestRefusals: a configuration that cannot be built has no area.
func TestRefusals(t *testing.T) {
	cfg := gpu.Default()
	cfg.SM.SIMDWidth = 3
	_, err := area.Of(&cfg, area.Nodes()[0])
	assert.ErrorContains(t, err, "sm.simd_width")
	cfg = gpu.Default()
	cfg.SM.Schedulers, cfg.Divergence.Mechanism = 4, "dwf"
	_, err = area.Of(&cfg, area.Nodes()[0])
	assert.ErrorContains(t, err, "want 1")
	_, err = area.FindNode(45)
	assert.EqualError(t, err, "node 45: want 65, 28 or 7 nm")
}

// TestEndsOfRanges: a machine with a key at the end of its range, or with another word, has an area too.
// None of its parts takes less than nothing.
func TestEndsOfRanges(t *testing.T) {
	for i, k := range gpu.Keys() {
		if forall.LeftOut(i, 8) {
			continue
		}
		values := k.Words
		if k.Type == "integer" {
			values = []string{fmt.Sprint(k.Range.Low.N), fmt.Sprint(min(k.Range.High.N, 1<<16))}
		}
		for _, v := range values {
			cfg := gpu.Default()
			cfg.Const.Size, cfg.ICache.Size, cfg.Texture.Size = 8<<10, 8<<10, 8<<10
			if k.Set(&cfg, v) != nil || cfg.Check() != nil {
				continue
			}
			a, err := area.Of(&cfg, area.Nodes()[1])
			if !assert.NoError(t, err, "%s = %s", k.Name, v) {
				continue
			}
			for _, p := range a.Parts {
				assert.GreaterOrEqual(t, p.Area.Low, 0., "%s = %s: %s", k.Name, v, p.Name)
				for _, l := range p.Logic {
					assert.GreaterOrEqual(t, area.GatesOf(l), 0., "%s = %s: %s, %v", k.Name, v, p.Name, l)
				}
				for _, g := range p.Gates {
					assert.GreaterOrEqual(t, g.Count.Low, 0., "%s = %s: %s, %s", k.Name, v, p.Name, g.Name)
				}
			}
		}
	}
}

// TestEveryMechanism: each mechanism has an area on each preset that can have it.
func TestEveryMechanism(t *testing.T) {
	for i, p := range gpu.Presets() {
		if forall.LeftOut(i, 4) {
			continue
		}
		for _, m := range divergence.Mechanisms() {
			cfg := p.Config()
			cfg = cfg.Under(m.Name)
			assert.Positive(t, part(t, estimate(t, cfg, 2), "divergence mechanism").Area.Low, "%s %s", p.Name, m.Name)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	cfg, node := gpu.Default(), area.Nodes()[1]
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			_, _ = area.Of(&cfg, node)
		}
	})
	b.Run("new", func(b *testing.B) {
		n := 0
		for b.Loop() {
			cfg.SM.MemQueue, cfg.SM.CTAs = 1+n%256, 1+n/256%32
			n++
			_, _ = area.Of(&cfg, node)
		}
	})
}
