package sm_test

import (
	"fmt"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/sm"
)

// taken returns the number of cycles of a pipe that a warp needs, counted lane by lane.
func taken(s sm.Skip, mask uint32, lanes, width int) (n uint64) {
	active := 0
	for first := 0; first < lanes; first += width {
		any := false
		for lane := first; lane < first+width; lane++ {
			if mask&(1<<lane) != 0 {
				any = true
				active++
			}
		}
		if any || s == sm.SkipNone {
			n++
		}
	}
	if s == sm.SkipSCC {
		n = uint64(active / width)
		if active%width != 0 {
			n++
		}
	}
	if n == 0 {
		n = 1
	}
	return n
}

// entering is a warp of the given number of lanes that enters a pipe of a width.
type entering struct {
	Skip         sm.Skip
	Lanes, Width int
	Mask         uint32
}

func (e entering) String() string {
	return fmt.Sprintf("%s, %d lanes wide: %s", e.Skip, e.Width, forall.Bits(uint64(e.Mask), e.Lanes))
}

func TestGroupProperties(t *testing.T) {
	forall.Check(t, "a warp enters in a cycle for each group of lanes that executes, or as many lanes fill",
		forall.Struct[entering](map[string]gopter.Gen{
			"Skip": forall.OneOf(skips...), "Lanes": forall.OneOf(4, 8, 16, 32), "Width": forall.OneOf(1, 2, 4,
				8), "Mask": forall.Mask[uint32](32),
		}), func(t *forall.T, e entering) {
			e.Mask &= uint32(uint64(1)<<e.Lanes - 1)
			e.Width = min(e.Width, e.Lanes)
			require.EqualValues(t, taken(e.Skip, e.Mask, e.Lanes, e.Width), sm.Groups(e.Skip, e.Mask, e.Lanes, e.Width))
		})
}

func TestPipeProperties(t *testing.T) {
	type machine struct {
		Skip              sm.Skip
		WarpSize, Warps   int
		SIMD, DP, Special int // widths
		Salt              uint32
	}
	outer, pipes := t, 0
	forall.Check(t, "a pipe is taken for the cycles of the lanes that execute, an issue for those of the lanes that are active", forall.Struct[machine](map[string]gopter.Gen{
		"Skip": forall.OneOf(skips...), "WarpSize": forall.OneOf(4, 8, 16, 32), "Warps": gen.IntRange(1, 3),
		"SIMD": forall.OneOf(1, 2, 4), "DP": forall.OneOf(1, 2, 4), "Special": forall.OneOf(1, 2,
			4), "Salt": gen.UInt32Range(0, 1<<24-1),
	}), func(t *forall.T, c machine) {
		cfg := config()
		cfg.Skip, cfg.WarpSize, cfg.Threads = c.Skip, c.WarpSize, 4*c.WarpSize
		cfg.SIMDWidth, cfg.DPWidth, cfg.SFUWidth = c.SIMD, c.DP, c.Special
		b := newBench(outer, &cfg, salted(skipKernel, c.Salt), uint32(c.Warps*c.WarpSize-1), 1)
		issues, next := uint64(0), uint64(0)
		b.Issue.OnIssue.Add(func(e sm.Issued) {
			require.GreaterOrEqual(t, e.Cycle, next, "issued before the lanes of the last one have entered")
			n := taken(c.Skip, e.Mask, c.WarpSize, c.SIMD)
			issues += n
			next = e.Cycle + n
		})
		widths := map[*sm.Pipe]int{b.ALU: c.SIMD, b.DPU: c.DP, b.SFU: c.Special}
		started := map[*sm.Pipe]bool{}
		for b.Host.Q().Ended < b.Host.ctas {
			require.Less(t, b.sim.Now(), uint64(20_000), "no end")
			type before struct {
				count uint64
				exec  uint32
			}
			was := map[*sm.Pipe]before{}
			for p := range widths {
				w := before{count: p.Q().Count}
				if p.In.Valid() {
					w.exec = p.In.Front().Exec
				}
				was[p] = w
			}
			now := b.sim.Now()
			b.sim.Run(1)
			for p, width := range widths {
				if p.Q().Count > was[p].count {
					started[p] = true
					require.Equal(t, taken(c.Skip, was[p].exec, c.WarpSize, width), p.Q().Next-now, "%s on %d lanes",
						forall.Bits(uint64(was[p].exec), c.WarpSize), width)
				}
			}
		}
		pipes = max(pipes, len(started))
		b.sim.Run(uint64(c.WarpSize)) // the last one enters
		by := b.Issue.CyclesBy(b.sim.Now())
		require.Equal(t, issues, by.Issue())
		require.Equal(t, uint64(c.WarpSize/c.SIMD)*b.Issue.Count.Q().Issued, issues+b.Issue.Count.Q().Skipped)
	})
	assert.Equal(t, 3, pipes, "each pipe has been used")
}
