package properties

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"

	"divergo/memsys/dram"
	"divergo/properties/draw"
	"divergo/sm"
	"divergo/testbench"
	"divergo/testbench/dump"
	"divergo/waves"
	"divergo/waves/vcdread"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// columns returns the number of cycles in which a signal of a dump has each value. Cycle k is shown
// from at(k) on; the last cycle is end-1.
func columns(d *vcdread.Dump, net int, at func(k uint64) uint64, end uint64) map[uint64]uint64 {
	n := map[uint64]uint64{}
	value, changes := uint64(0), d.Changes[net]
	for k := range end {
		for ; len(changes) > 0 && changes[0].Time <= at(k); changes = changes[1:] {
			value = changes[0].Value
		}
		n[value]++
	}
	return n
}

// TestStatisticsOfADump recomputes the statistics of a run from its dump: classes of cycles,
// instructions, DRAM commands, and stack depths. The reader of the dump shares nothing with the
// counters.
func TestStatisticsOfADump(t *testing.T) {
	looked := map[string]uint64{}
	for i, mechanism := range shipped() {
		c := draw.New(uint64(i)*draw.MachineSeeds+1, draw.AllFeatures&^(draw.Repeats|draw.Edges|draw.Larges))
		k, err := c.Compile()
		require.NoError(t, err)
		k, err = k.For(mechanism)
		require.NoError(t, err)
		cfg := k.Machine.Under(mechanism)
		s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles})
		require.NoError(t, err)
		var vcd bytes.Buffer
		var d *waves.Dump
		s.OnLaunch.Add(func(l *testbench.Loaded) {
			var err error
			filter := []string{"sm[*].Issue.Class", "sm[*].Issue.Fire.Valid", "dram[*].Command.Op"}
			if mechanism == "pdom" {
				filter = append(filter, "sm[*].Div.Stack.Depth")
			}
			if cfg.SM.Schedulers > 1 {
				filter = append(filter, "sm[*].Sub[*].Issue.Class", "sm[*].Sub[*].Issue.Fire.Valid")
			}
			d, err = dump.Attach(s, &vcd, waves.Options{Filter: filter})
			l.Refuse(err)
		})
		require.NoError(t, k.Launch(s, s.Launch))
		require.NoError(t, d.Close())
		w, err := vcdread.ReadAll(&vcd)
		require.NoError(t, err)

		want := s.Counters()
		core := s.Machine.Core()
		memory := core
		for _, x := range s.Machine.System().Domains() {
			if x.Name() == "dram" {
				memory = x
			}
		}
		var classes sm.Cycles
		var fired, depth uint64
		commands := map[uint64]uint64{}
		for _, x := range w.Signals {
			switch {
			case regexp.MustCompile(`^sm_\d+\.(Sub_\d+\.)?Issue\.Class$`).MatchString(x.Path):
				for class, n := range columns(w, x.Net, func(k uint64) uint64 { return core.Fs(k + 1) }, core.Now()) {
					classes[class] += n
				}
			case regexp.MustCompile(`^sm_\d+\.(Sub_\d+\.)?Issue\.Fire\.Valid$`).MatchString(x.Path):
				fired += columns(w, x.Net, core.Fs, core.Now())[1]
			case regexp.MustCompile(`^dram_\d+\.Command\.Op$`).MatchString(x.Path):
				for op, n := range columns(w, x.Net, func(k uint64) uint64 { return memory.Fs(k + 1) }, memory.Now()) {
					commands[op] += n
				}
			case mechanism == "pdom" && regexp.MustCompile(`^sm_\d+\.Div\.Stack\.Depth_\d+$`).MatchString(x.Path):
				for _, change := range w.Changes[x.Net] {
					depth = max(depth, change.Value)
				}
			}
		}
		classes[sm.ClassEmpty], want.Classes[sm.ClassEmpty] = 0, 0 // it ends with the last CTA
		assert.Equal(t, want.Classes, classes, mechanism)
		assert.Equal(t, want.Instructions+want.Inserted-want.Beside, fired, mechanism)
		assert.Equal(t, want.DRAM.Activates, commands[uint64(dram.Activate)], mechanism)
		assert.Equal(t, want.DRAM.Precharges, commands[uint64(dram.Precharge)], mechanism)
		if mechanism == "pdom" {
			assert.Equal(t, want.Divergence.MaxDepth, depth)
		}
		for what, n := range map[string]uint64{
			"instructions": fired, "activates": commands[uint64(dram.Activate)],
			"precharges": commands[uint64(dram.Precharge)],
		} {
			looked[what] += n
		}
	}
	for _, n := range looked {
		assert.Positive(t, n, fmt.Sprint(looked))
	}
}
