package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
)

// sharedBench is a shared memory in a separate simulation.
type sharedBench struct {
	*rtl.Sim
	Shared *memsys.Shared
	In     rtl.Out[memsys.Access]
	Out    rtl.In[memsys.Reply]
}

func newSharedBench(cfg memsys.SharedConfig) *sharedBench {
	in, out := rtl.NewQueue[memsys.Access](1), rtl.NewQueue[memsys.Reply](2)
	b := &sharedBench{Shared: memsys.NewShared(&cfg, in.In(), out.Out()), In: in.Out(), Out: out.In()}
	b.Sim = rtl.MustNew("bench", b)
	return b
}

// do performs an access and returns the cycles it took.
func (b *sharedBench) do(t require.TestingT, a memsys.Access) (memsys.Reply, int) {
	b.In.Push(a)
	for n := 0; n < 200; n++ {
		if b.Out.Valid() {
			r := *b.Out.Front()
			b.Out.Pop()
			return r, n
		}
		b.Run(1)
	}
	require.Fail(t, "no reply")
	return memsys.Reply{}, 0
}

// degree returns the cycles of an access: the sum, over the groups of lanes, of the most distinct
// words in one bank.
func degree(a *memsys.Access, cfg memsys.SharedConfig) int {
	total := 0
	for g := 0; g < 32; g += cfg.Lanes {
		words := map[int]map[uint64]bool{}
		most := 0
		for i := g; i < g+cfg.Lanes; i++ {
			if a.Mask>>i&1 == 0 {
				continue
			}
			for off := uint64(0); off < uint64(a.Size); off += 4 {
				w := (a.Addr[i] + off) / 4
				bank := int(w) % cfg.Banks
				if words[bank] == nil {
					words[bank] = map[uint64]bool{}
				}
				words[bank][w] = true
				most = max(most, len(words[bank]))
			}
		}
		total += most
	}
	return total
}

// TestKnownConflicts uses the patterns of programming guides, on 16 banks and half-warps. A warp
// takes at least two passes.
func TestKnownConflicts(t *testing.T) {
	for _, c := range []struct {
		name   string
		addr   func(lane int) uint64
		size   uint8
		cycles int
	}{
		{"consecutive words", func(i int) uint64 { return uint64(i) * 4 }, 4, 2},
		{"one word for all", func(int) uint64 { return 64 }, 4, 2},
		{"stride of two words", func(i int) uint64 { return uint64(i) * 8 }, 4, 4},
		{"odd stride", func(i int) uint64 { return uint64(i) * 12 }, 4, 2},
		{"one bank", func(i int) uint64 { return uint64(i) * 64 }, 4, 32},
		{"consecutive bytes", func(i int) uint64 { return uint64(i) }, 1, 2},
		{"consecutive doubles", func(i int) uint64 { return uint64(i) * 8 }, 8, 4},
	} {
		b := newSharedBench(memsys.SharedConfig{Size: 4096, Banks: 16, Lanes: 16, Latency: 1})
		a := memsys.Access{Kind: memsys.Load, Size: c.size, Mask: ^uint32(0)}
		for i := range a.Addr {
			a.Addr[i] = c.addr(i)
		}
		_, cycles := b.do(t, a)
		assert.Equal(t, c.cycles, cycles, c.name)
	}
}

// TestSharedAtomics: atomics take one cycle a lane, and each lane sees the effect of the lane
// before.
func TestSharedAtomics(t *testing.T) {
	b := newSharedBench(memsys.SharedConfig{Size: 256, Banks: 16, Lanes: 32, Latency: 1})
	a := memsys.Access{Kind: memsys.Atomic, Size: 8, Atom: isa.AtomAdd, Type: isa.U64, Mask: 0x0f0f}
	for i := range a.Addr {
		a.Addr[i], a.Data[i][0] = 16, 1<<31
	}
	r, cycles := b.do(t, a)
	assert.Equal(t, 8, cycles)
	for n, lane := range []int{0, 1, 2, 3, 8, 9, 10, 11} {
		assert.EqualValues(t, n<<31, r.Data[lane][0], "lane %d", lane)
	}
}
