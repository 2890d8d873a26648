package memsys_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/memtest"
	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// sampled returns a memory with a texture unit, and a script of fetches. The texture has 16 by 8 texels
// of four bytes, read as floats and interpolated (cuda/include/divergo/texture.h).
func sampled(t *testing.T, cfg memsys.Config) *memtest.System {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	const handle, texels = base, base + 128
	d := binary.LittleEndian.AppendUint64(nil, texels)
	d = binary.LittleEndian.AppendUint64(d, 0)
	for _, word := range []uint32{64, 16, 8, 1, 4, 4, 1, 0, 1, 1, 1, 1} {
		d = binary.LittleEndian.AppendUint32(d, word)
	}
	var script []memtest.Step
	for range 20 {
		a := memsys.Access{Kind: memsys.Sample, Mask: rng.Uint32() | 1, Type: isa.F32, Tex: isa.Tex{Dims: 2}}
		for lane := range a.Addr {
			x, y := float32(rng.IntN(256))/16, float32(rng.IntN(128))/16
			a.Addr[lane], a.Data[lane][0] = handle, uint64(math.Float32bits(x))|uint64(math.Float32bits(y))<<32
		}
		script = append(script, memtest.Step{Access: a})
		load := memsys.Access{Kind: memsys.Load, Space: isa.SpaceTexture, Size: 4, Mask: 1 << rng.IntN(32)}
		for lane := range load.Addr {
			load.Addr[lane] = texels + uint64(rng.IntN(128)*4)
		}
		script = append(script, memtest.Step{Access: load})
	}
	s, err := memtest.New(cfg, script)
	require.NoError(t, err)
	require.NoError(t, s.Store.Map(base, 1024))
	require.NoError(t, s.Store.Write(handle, d))
	for i := range uint64(512) {
		require.NoError(t, s.Store.Write(texels+i, []byte{byte(i * 11)}))
	}
	return s
}

// TestTextureUnitProperties: the texture unit has the properties of all hardware.
func TestTextureUnitProperties(t *testing.T) {
	for _, lanes := range []int{1, 4, 8} {
		cfg := memsys.Default()
		cfg.DRAM.Channels, cfg.L2.Size = 1, 64<<10
		cfg.Texture.Fetch, cfg.Texture.Size, cfg.Texture.Assoc = memsys.FetchUnit, 1024, 2
		cfg.Texture.Lanes, cfg.Texture.Groups = lanes, 4
		rtltest.SystemProperties(t, func() *rtl.System { return sampled(t, cfg).System }, 1500)
	}
}

// TestTextureUnitRate: with its texels in the cache, the unit filters a group a cycle, and twice as
// many lanes take half of the cycles.
func TestTextureUnitRate(t *testing.T) {
	var busy []uint64
	for _, lanes := range []int{1, 2, 4} {
		cfg := memsys.Default()
		cfg.DRAM.Channels, cfg.L2.Size = 1, 64<<10
		cfg.Texture.Fetch, cfg.Texture.Size, cfg.Texture.Lanes = memsys.FetchUnit, 32<<10, lanes
		const warps = 200
		var script []memtest.Step
		for range warps {
			a := memsys.Access{
				Kind: memsys.Sample, Mask: math.MaxUint32, Type: isa.F32, Tex: isa.Tex{Dims: 1, Whole: true},
			}
			for lane := range a.Addr {
				a.Addr[lane], a.Data[lane][0] = base, uint64(lane)
			}
			script = append(script, memtest.Step{Access: a})
		}
		s, err := memtest.New(cfg, script)
		require.NoError(t, err)
		require.NoError(t, s.Store.Map(base, 1024))
		d := binary.LittleEndian.AppendUint64(nil, base+128)
		d = binary.LittleEndian.AppendUint64(d, 0)
		for _, word := range []uint32{0, 32, 1, 1, 4, 1} {
			d = binary.LittleEndian.AppendUint32(d, word)
		}
		require.NoError(t, s.Store.Write(base, d))
		require.NoError(t, s.Play(100_000))
		n := s.SMs[0].Unit.TextureUnit.CountBy(s.Core.Now())
		require.EqualValues(t, warps*32/lanes, n.Groups)
		require.EqualValues(t, n.Groups+2, n.Places, "a line for each group, two for the description")
		busy = append(busy, n.Busy)
		assert.InDelta(t, warps*32/lanes, n.Busy, 400, "%d lanes: the misses of the first groups take the rest", lanes)
	}
	assert.InEpsilon(t, 2, float64(busy[0])/float64(busy[1]), 0.1)
}
