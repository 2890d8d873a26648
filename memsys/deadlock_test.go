package memsys_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/memtest"
	"divergo/isa"
	"divergo/memsys"
)

// jam is traffic of some SMs on a machine with the smallest queues.
type jam struct {
	SMs, Channels, Concentration int
	FlitBytes, Wire              int // of the interconnect; its latency
	Write                        memsys.WritePolicy
	ReadOnly                     bool // the SMs have a constant and a texture cache, and a texture unit
	Pause                        int  // cycles between the replies that an SM takes
	Flushes                      int  // of all slices, while the SMs run
	Steps                        []jamming
}

// jamming is an access to a few lines. Lane i accesses line Line + i*Stride.
type jamming struct {
	SM                  int
	Kind                memsys.Kind
	Cache               isa.CacheOp
	Space               isa.Space // Load: constants, texels, or else global memory
	Shared, Stack, Herd bool
	Line, Stride        int
	Lanes               uint32
}

// jammed is the number of lines that all SMs access.
const jammed = 3

func (c jam) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d SMs, %d for each port, %d channels, flits of %d bytes, wires of %d cycles, write %s, "+
		"read-only caches %t, replies %d cycles apart, %d flushes\n", c.SMs, c.Concentration, c.Channels, c.FlitBytes,
		c.Wire, c.Write, c.ReadOnly, c.Pause, c.Flushes)
	for _, j := range c.Steps {
		fmt.Fprintf(&out, "SM %d: %s, cache %d, shared %t, stack %t, herd %t, space %d, line %d, stride %d, lanes %s\n",
			j.SM%c.SMs, j.Kind, j.Cache, j.Shared, j.Stack, j.Herd, j.Space, j.Line, j.Stride,
			forall.Bits(uint64(j.Lanes), 8))
	}
	return out.String()
}

func (j jamming) access() memsys.Access {
	if j.Kind == memsys.Sample { // of textures without texels, whose descriptions are lines of zeros
		a := memsys.Access{Kind: j.Kind, Mask: j.Lanes, Type: isa.F32, Tex: isa.Tex{Dims: 1}}
		for i := range a.Addr {
			a.Addr[i] = base + uint64((j.Line+i*j.Stride)%jammed*64)
		}
		return a
	}
	if j.Kind >= memsys.Fence {
		return memsys.Access{Kind: j.Kind}
	}
	a := memsys.Access{
		Kind: j.Kind, Shared: j.Shared, Size: 4, Mask: j.Lanes, Atom: isa.AtomAdd, Type: isa.U32,
		Stack: j.Stack && j.Kind == memsys.Store, Herd: j.Herd && j.Kind == memsys.Load,
	}
	switch {
	case j.Kind == memsys.Load && j.Space != isa.SpaceGlobal && !j.Shared:
		a.Space = j.Space
	case j.Kind == memsys.Load || j.Kind == memsys.Store:
		a.Cache = j.Cache
	}
	for i := range a.Addr {
		a.Addr[i] = uint64((j.Line + i*j.Stride) % jammed * 64)
		if i%2 == 1 {
			a.Addr[i] += 4 * uint64(i%16)
		}
		if !j.Shared {
			a.Addr[i] += base
		}
	}
	return a
}

// TestNoDeadlock mixes all kinds of messages on a memory whose queues and tables have one entry.
// Within a bound, each access gets its one reply, each slice answers its flushes, and nothing is
// left.
func TestNoDeadlock(t *testing.T) {
	forall.CheckMany(t, 10_000, "all traffic ends, with one reply for each access", forall.Struct[jam](
		map[string]gopter.Gen{
			"SMs": gen.IntRange(1, 3), "Channels": gen.IntRange(1, 2), "Concentration": gen.IntRange(1, 2),
			"FlitBytes": forall.OneOf(8, 256), "Wire": forall.OneOf(1, 4),
			"Write":    forall.OneOf(memsys.WriteBack, memsys.WriteThrough),
			"ReadOnly": forall.Bool(), "Pause": forall.OneOf(0, 0, 20), "Flushes": gen.IntRange(0, 2),
			"Steps": forall.List(40, forall.Struct[jamming](map[string]gopter.Gen{
				"SM": gen.IntRange(0, 2),
				"Kind": forall.OneOf(memsys.Load, memsys.Load, memsys.Load, memsys.Store, memsys.Store, memsys.Store,
					memsys.Atomic, memsys.Reduce, memsys.Fence, memsys.Flush, memsys.Sample, memsys.Sample),
				"Cache":  forall.OneOf(isa.CacheDefault, isa.CacheDefault, isa.CacheGlobal, isa.CacheVolatile),
				"Shared": forall.OneOf(false, false, false, true), "Stack": forall.Bool(), "Herd": forall.OneOf(false, false, true),
				"Space": forall.OneOf(isa.SpaceGlobal, isa.SpaceGlobal, isa.SpaceConst, isa.SpaceTexture),
				"Line":  gen.IntRange(0, jammed-1), "Stride": gen.IntRange(0, 2),
				"Lanes": forall.Mask[uint32](8),
			})),
		}), func(t *forall.T, c jam) {
		cfg := smallest()
		cfg.DRAM.Channels, cfg.DRAM.Interleave, cfg.Icnt.Concentration = c.Channels, 64, c.Concentration
		cfg.Icnt.FlitBytes, cfg.Icnt.Latency, cfg.L1.Write = c.FlitBytes, c.Wire, c.Write
		if c.ReadOnly {
			cfg.Const = memsys.ConstConfig{
				Size: 64, Assoc: 1, Line: 64, Pending: 1, MSHRs: 1, MSHRMerge: 1, HitLatency: 1, MissQueue: 1,
			}
			cfg.Texture = memsys.TextureConfig{
				Fetch: memsys.FetchUnit, Size: 64, Assoc: 1, Line: 64, Pending: 1, MSHRs: 1, MSHRMerge: 1,
				HitLatency: 1,
				MissQueue:  1, Lanes: 1, Groups: 1, Latency: 1, Handles: 3,
			}
		}
		scripts := make([][]memtest.Step, c.SMs)
		for _, j := range c.Steps {
			sm := j.SM % c.SMs
			if j.Kind == memsys.Sample && !c.ReadOnly {
				j.Kind = memsys.Load
			}
			scripts[sm] = append(scripts[sm], memtest.Step{Access: j.access()})
		}
		s, err := memtest.New(cfg, scripts...)
		require.NoError(t, err)
		require.NoError(t, s.Store.Map(base, (jammed+1)*64))
		for _, sm := range s.SMs {
			sm.Driver.Pause = uint64(c.Pause)
		}
		for n := range c.Flushes {
			s.Run(s.Core, uint64(100*n))
			require.NoError(t, s.Flush(100_000))
		}
		require.NoError(t, s.Play(100_000))
		require.True(t, s.Run(s.Core, 2000).Idle || s.Idle(), "something still moves")
		for n, sm := range s.SMs {
			for i := range scripts[n] {
				require.EqualValues(t, 1, *sm.Driver.Count.At(i), "replies to step %d of SM %d", i, n)
			}
			require.Zero(t, sm.Unit.L1.Q().Used, "MSHRs of SM %d", n)
			require.Zero(t, sm.Unit.L1.Q().Pending, "requests of SM %d without a response", n)
		}
		for n, slice := range s.Slices {
			require.Zero(t, slice.Q().Used, "MSHRs of slice %d", n)
			require.Zero(t, slice.Q().Writes, "writes of slice %d without an acknowledgement", n)
		}
	})
}
