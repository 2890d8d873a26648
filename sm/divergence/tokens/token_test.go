package tokens_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
	"divergo/sm/divergence/tokens"
)

// watch runs a kernel on one warp of 32 and calls each after every cycle.
func watch(t *testing.T, k kernel, each func(p *tokens.TokenStack, issued []micro.Issue)) micro.Result {
	t.Helper()
	m, _ := divergence.Find("token")
	b := micro.Bench{
		Lanes: 32, Warps: 1,
		Each: func(p divergence.Policy, issued []micro.Issue) { each(p.(*tokens.TokenStack), issued) },
	}
	r, err := b.Run(m, divergence.Options{}, k, 100_000)
	require.NoError(t, err)
	require.True(t, r.Done)
	return r
}

// TestTokenWalkThrough: Bialas & Strzelecki, 2015, figures 3.1 to 3.7, with M = 2. It has the
// active mask and the stack, top first, after every change. Addresses are bytes, line 11 at 0x120.
func TestTokenWalkThrough(t *testing.T) {
	var steps []string
	watch(t, micro.Listing3(2), func(p *tokens.TokenStack, _ []micro.Issue) {
		s := p.Table.At(0)
		if !s.Valid {
			return
		}
		text := fmt.Sprintf("%08x:", s.Mask)
		for i := int(*p.Stack.Depth.At(0)) - 1; i >= 0; i-- {
			e := p.Token(0, i)
			kind := "DIV"
			if e.Sync {
				kind = "SYNC"
			}
			text += fmt.Sprintf(" %s %08x %#x", kind, e.Mask, 0xd0+isa.InstBytes*e.PC)
		}
		if len(steps) == 0 || steps[len(steps)-1] != text {
			steps = append(steps, text)
		}
	})
	assert.Equal(t, strings.Join([]string{
		"ffffffff:",
		"ffffffff: SYNC ffffffff 0x128",
		"7fffffff: DIV 80000000 0x120 SYNC ffffffff 0x128",
		"3fffffff: DIV 40000000 0x120 DIV 80000000 0x120 SYNC ffffffff 0x128",
		"40000000: DIV 80000000 0x120 SYNC ffffffff 0x128",
		"80000000: SYNC ffffffff 0x128",
		"ffffffff:",
	}, "\n"), strings.Join(steps, "\n"))
}

// TestTokenTable: pushes, depth and spills of both loops for all patterns. The single loop has M+1
// tokens, more than 16 from M = 16 on. The double loop has no spills up to M = 14 (Bialas &
// Strzelecki, 2015, section IV).
func TestTokenTable(t *testing.T) {
	double := [32]uint64{15: 20, 19, 18, 17, 36, 34, 32, 30, 48, 45, 42, 39, 56, 52, 48, 44, 60}
	for m := range 32 {
		n := uint64(m)
		r := watch(t, micro.Listing3(m), func(*tokens.TokenStack, []micro.Issue) {})
		assert.Equal(t, [5]uint64{
			n + 1, n + 1, n + 1, max(0, n+4-16) / 4 * bit(n > 15),
			max(0, n+4-16) / 4 * bit(n > 15),
		},
			[5]uint64{
				r.Stats.Pushes, r.Stats.Pops, r.Stats.MaxDepth, r.Stats.Spills,
				r.Stats.Fills,
			}, "single, M = %d", m)
		assert.Len(t, r.Issues, 136+m, "one more sync for each token")

		r = watch(t, micro.Listing4(m), func(*tokens.TokenStack, []micro.Issue) {})
		pushes := 33 + n*(65-n)/2
		assert.Equal(t, [5]uint64{pushes, pushes, n + 2, double[m], double[m]},
			[5]uint64{
				r.Stats.Pushes, r.Stats.Pops, r.Stats.MaxDepth, r.Stats.Spills,
				r.Stats.Fills,
			}, "double, M = %d", m)
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// TestTokenHistory: the depth of the stack at each instruction of the single loop is that of Bialas
// & Strzelecki, 2015, figure 4. It is 1 until the first thread leaves, rises by one every 4
// instructions, then falls by one at each sync.
func TestTokenHistory(t *testing.T) {
	for _, m := range []int{1, 8, 31} {
		var got, want []int
		before := 0
		watch(t, micro.Listing3(m), func(p *tokens.TokenStack, issued []micro.Issue) {
			if len(issued) > len(got) {
				got = append(got, before)
			}
			before = int(*p.Stack.Depth.At(0))
		})
		add := func(n, depth int) {
			for range n {
				want = append(want, depth)
			}
		}
		add(3, 0)
		add(3+4*(32-m), 1)
		for depth := 2; depth <= m+1; depth++ {
			add(4, depth)
		}
		for depth := m + 1; depth >= 0; depth-- {
			add(1, depth)
		}
		assert.Equal(t, want, got, "M = %d", m)
	}
}

// windows are sizes of the part that is on the chip, from one token to all.
var windows = []int{1, 2, 3, 4, 5, 7, 8, 16, divergence.SpillWords}

// TestTokenWindow: the threads of a warp run in the same order and groups as if all tokens were on
// the chip. That holds for any window and any latency of memory. Memory returns the words that it
// was given.
func TestTokenWindow(t *testing.T) {
	m, _ := divergence.Find("token")
	kernels := map[string]func() kernel{
		"single loop": func() kernel { return micro.Listing3(31) },
		"double loop": func() kernel { return micro.Listing4(9) },
	}
	for seed := range uint64(20) {
		kernels[fmt.Sprint("random ", seed)] = func() kernel {
			return microtest.RandomKernel(seed, 64, seed%2 == 1,
				false)
		}
	}
	for name, k := range kernels {
		issued := func(window, memory int) ([2][]micro.Issue, divergence.Stats) {
			r, err := micro.Bench{Lanes: 32, Warps: 2, Memory: memory}.Run(m,
				tokens.Keys.With(divergence.Options{}, tokens.Params{Window: window}), k(), 200_000)
			require.NoError(t, err)
			require.True(t, r.Done, "%s, window %d", name, window)
			var by [2][]micro.Issue
			for _, i := range r.Issues {
				by[i.Row] = append(by[i.Row], i)
			}
			return by, r.Stats
		}
		want, all := issued(divergence.SpillWords, 1)
		assert.Zero(t, all.Spills, name)
		for i, window := range windows {
			got, st := issued(window, 1+7*(i%3))
			require.Equal(t, want, got, "%s, window %d", name, window)
			assert.Equal(t, st.Spills, st.Fills, "%s, window %d", name, window)
			assert.Equal(t, all.MaxDepth > uint64(window), st.Spills > 0, "%s, window %d", name, window)
			st.Spills, st.Fills = 0, 0
			assert.Equal(t, all, st, "%s, window %d", name, window)
		}
	}
}

// TestTokenWords: a token is 64 bits, 32 of them the mask, and 4 move together (Bialas &
// Strzelecki, 2015, sections III and IV). The first spill of the single loop takes the token of ssy
// and those of the threads that left first. The threads continue with the words that memory
// returns.
func TestTokenWords(t *testing.T) {
	mech, _ := divergence.Find("token")
	var filled [][divergence.TransferWords]uint64
	flip := uint64(0)
	run := func() micro.Result {
		filled = nil
		b := micro.Bench{Lanes: 32, Warps: 1, Refill: func(w *divergence.Transferred) {
			filled = append(filled, w.Data)
			w.Data[1] ^= flip
		}}
		r, err := b.Run(mech, divergence.Options{}, micro.Listing3(16), 10_000)
		require.NoError(t, err)
		return r
	}
	r := run()
	const line11, line12, sync = 10 << 32, 11 << 32, 1 << 63
	assert.Equal(t, [][divergence.TransferWords]uint64{{
		sync | line12 | 0xffffffff, line11 | 1<<31, line11 | 1<<30, line11 | 1<<29,
	}}, filled)

	flip = 1 << 29 // lane 29 instead of none, beside lane 31
	wrong := run()
	n := len(r.Issues)
	assert.Equal(t, uint64(1<<31), r.Issues[n-2].Mask)
	assert.Equal(t, uint64(1<<31|1<<29), wrong.Issues[n-2].Mask)
}

// TestTokenExit: threads that exit take the place of a sync. The remaining threads meet behind the
// loop.
func TestTokenExit(t *testing.T) {
	k := seq(
		line{Op: isa.OpSSY, To: "J"},
		when(below(8), "A"),
		when(below(16), "B"),
		at("A", line{Exit: true, If: odd}), // 0 to 7 and 16 to 31
		at("B", line{Op: isa.OpSync, To: "J"}),
		at("J", exit))
	m, _ := divergence.Find("token")
	for _, window := range windows { // with 1, the token of ssy is in memory
		r, err := micro.Run(m, tokens.Keys.With(divergence.Options{}, tokens.Params{Window: window}), 32, 1, k, 1000)
		require.NoError(t, err)
		last := r.Issues[len(r.Issues)-1]
		assert.Equal(t, uint64(0x5555ff55), last.Mask)
		assert.EqualValues(t, 5, last.PC)
		assert.Equal(t, r.Stats.Pushes, r.Stats.Pops)
	}
}

// TestTokenFillTime: a pop whose token is in memory takes the time of a pop and that of a fill, 42
// cycles more than a pop on the chip (Bialas & Strzelecki, 2015, section IV). A second warp issues
// in every cycle, so that none is skipped.
func TestTokenFillTime(t *testing.T) {
	k := seq(
		when(func(t *micro.Thread) bool { return t.TID >= 32 }, "BUSY"),
		line{Op: isa.OpSSY, To: "J"},
		when(below(8), "A"), // its token takes the place of that of ssy in a window of 1
		at("A", line{Op: isa.OpSync, To: "J"}),
		at("J", exit),
		micro.Repeat("BUSY", 300), exit)
	m, _ := divergence.Find("token")
	var times [2]int // from the last sync to the exit
	for i, window := range []int{16, 1} {
		cycle, read, last := 0, 0, 0
		b := micro.Bench{
			Lanes: 32, Warps: 2, Prefer: []int{0, 1},
			Each: func(_ divergence.Policy, issued []micro.Issue) {
				for cycle++; read < len(issued); read++ {
					if issued[read].Row == 0 {
						times[i], last = cycle-last, cycle
					}
				}
			},
		}
		r, err := b.Run(m, tokens.Keys.With(divergence.Options{},
			tokens.Params{Window: window, Pop: 32, Spill: 42, Fill: 42}), k, 1000)
		require.NoError(t, err)
		require.True(t, r.Done)
		require.EqualValues(t, i, r.Stats.Fills)
	}
	assert.Equal(t, times[0]+42, times[1])
}
