package draw

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/sm/divergence"
)

// TestEachMachineCanBeBuilt builds machines with every mechanism, also when they were wide and were made
// narrow. An SM of 32 warps has slots for 16 paths of subwarp at most: machine 324 has as many warps.
// Machine 1059 has 64 when it is made narrow, and slots for 8 paths of multipath.
func TestEachMachineCanBeBuilt(t *testing.T) {
	seeds := []uint64{324, 1059}
	for seed := range uint64(20) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		c := drawMachine(rand.New(rand.NewPCG(seed, 1)))
		narrow := Case{Machine: c}
		widen(&narrow.Machine.SM)
		narrow.Narrow()
		for _, m := range divergence.Mechanisms() {
			_, err := gpu.New(c.Under(m.Name))
			require.NoError(t, err, "machine %d, %s", seed, m.Name)
			_, err = gpu.New(narrow.Machine.Under(m.Name))
			require.NoError(t, err, "narrow machine %d, %s", seed, m.Name)
		}
	}
}

// TestDrawnMachines checks that every machine can be built, and that every key varies. Each key
// reaches the lower end of its range, unless drawMachine treats it separately.
func TestDrawnMachines(t *testing.T) {
	values := map[string]map[string]bool{}
	lowest := map[string]bool{}
	for seed := range uint64(2000) {
		c := drawMachine(rand.New(rand.NewPCG(seed, 1)))
		require.NoError(t, c.Check(), "seed %d", seed)
		for _, k := range gpu.Keys() {
			if values[k.Name] == nil {
				values[k.Name] = map[string]bool{}
			}
			values[k.Name][k.Get(&c)] = true
			if k.Type == "integer" {
				low, _ := c.Ends(&k)
				lowest[k.Name] = lowest[k.Name] || k.Value(&c) == low
			}
		}
	}
	for _, k := range gpu.Keys() {
		switch {
		case slices.Contains([]string{
			"gpu.memory", "sm.registers", "sm.stack", "shared.size", "divergence.mechanism",
			"herd.branch_fraction", "herd.load_fraction",
		}, k.Name):
		case k.Type == "integer" && !slices.Contains(apart, k.Name):
			assert.Greater(t, len(values[k.Name]), 2, k.Name)
			assert.True(t, lowest[k.Name] || strings.HasPrefix(k.Name, "dram."), "%s is never scarce", k.Name)
		default:
			assert.Greater(t, len(values[k.Name]), 1, k.Name)
		}
	}
}

// TestRoomForDeepCalls: a kernel whose functions call deep keeps a large stack on any machine, and so do
// all simpler cases.
func TestRoomForDeepCalls(t *testing.T) {
	c := New(10103600, AllFeatures)
	assert.Greater(t, c.Kernel.Fuel, 4)
	assert.Equal(t, c.Machine.SM.Stack, c.On(Plain(32)).Machine.SM.Stack)
	assert.Greater(t, c.Machine.SM.Stack, Plain(32).SM.Stack)
	for simpler := range Smaller(c) {
		if simpler.Kernel.Fuel > 4 {
			require.Equal(t, c.Machine.SM.Stack, simpler.Machine.SM.Stack)
		}
	}
}

// TestWork: all cases but one in seven execute few thread instructions, by the estimate, or have one
// launch of one CTA. Some of the others execute more.
func TestWork(t *testing.T) {
	more := 0
	for seed := range uint64(40 * heavyOnes) {
		c := New(seed, AllFeatures)
		work := cost(&c.Kernel) * c.Threads() * (1 + c.Again)
		ctas := c.Grid[0] * c.Grid[1] * c.Grid[2]
		switch {
		case seed%heavyOnes != 0:
			assert.True(t, work <= maxWork || ctas == 1 && c.Again == 0, "seed %d: %d", seed, work)
		case work > maxWork && ctas > 1:
			more++
		}
	}
	assert.Positive(t, more)
}

// TestBlocksFit: a sub-core has the registers of a whole block, rounded by any sm.reg_alloc. Seed 10410226
// has a block of many warps of 64 lanes, and half of 65,536 registers for it.
func TestBlocksFit(t *testing.T) {
	for _, seed := range []uint64{10410226, 1, 2, 3, 4, 5, 6, 7} {
		c := New(seed, AllFeatures)
		s := c.Machine.SM
		k, err := c.Compile()
		require.NoError(t, err)
		require.LessOrEqual(t, k.Prog.LiveRegs, mostRegisters, "seed %d", seed)
		block := c.Block[0] * c.Block[1] * c.Block[2]
		require.LessOrEqual(t, int(block)*mostRegisters, s.Registers/s.Schedulers, "seed %d", seed)
	}
}
