package verilog_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/blocks"
	"divergo/gpu"
	"divergo/internal/need"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence"
	"divergo/sm/divergence/microtest"
	"divergo/sm/divergence/verilog"
	"divergo/testbench"
	"divergo/testbench/dump"
	"divergo/waves"
	"divergo/waves/vcdread"
)

// printed returns the folder of a printed mechanism as a unit, built.
func printed(t *testing.T, mechanism string) string {
	t.Helper()
	need.Tool(t, "verilator")
	if testing.Short() {
		t.Skip("takes seconds to build a unit")
	}
	b := &built[2+slices.Index(blocks.Mechanisms(), mechanism)]
	b.Do(func() {
		dir, err := os.MkdirTemp("", "unit")
		require.NoError(t, err)
		folder := filepath.Join(dir, mechanism)
		files, err := blocks.Unit(mechanism)
		require.NoError(t, err)
		require.NoError(t, verilog.InitFrom(folder, files))
		messages, err := verilog.Build(folder, false)
		require.NoError(t, err, messages)
		b.folder = folder
	})
	require.NotEmpty(t, b.folder, "the unit was not built")
	_, err := divergence.Open(b.folder)
	require.NoError(t, err)
	return b.folder
}

// TestPrintedCycles: each printed mechanism has the results and the cycles of its Go model, for every
// kernel.
func TestPrintedCycles(t *testing.T) {
	for _, name := range blocks.Mechanisms() {
		folder := printed(t, name)
		for _, k := range kernels.All() {
			want, err := run(t, k, name)
			require.NoError(t, err)
			got, err := run(t, k, folder)
			require.NoError(t, err, "%s %s", name, k.Name)
			assert.Equal(t, want, got, "%s %s", name, k.Name)
		}
	}
}

// TestPrintedState: in each cycle of random kernels with exits and barriers, slots and all entries of
// all stacks of the printed mechanism are those of the Go model.
func TestPrintedState(t *testing.T) {
	states := func(mechanism string) (list []string) {
		m, ok := divergence.Find(mechanism)
		require.True(t, ok, mechanism)
		microtest.RandomKernels(t, []divergence.Options{{Mechanism: mechanism}}, func(p divergence.Policy) {
			var b strings.Builder
			for w := range p.Slots().Len() {
				if s := p.Slots().At(w); s.Valid {
					fmt.Fprintln(&b, w, s.At(), s.Mask, m.Promises.Stack(p, w, nil))
				}
			}
			list = append(list, b.String())
		})
		return list
	}
	folder := printed(t, "pdom")
	want, got := states("pdom"), states(folder)
	require.Len(t, got, len(want))
	deep := 0
	for cycle := range want {
		require.Equal(t, want[cycle], got[cycle], "cycle %d of all runs", cycle)
		deep = max(deep, strings.Count(want[cycle], "{{"))
	}
	assert.Greater(t, deep, 6, "entries at once, of three warps")
}

// TestPrintedDump: the registers of the printed mechanism in a dump have the values of those of the
// Go model, at each time.
func TestPrintedDump(t *testing.T) {
	folder := printed(t, "pdom")
	record := func(mechanism string) *vcdread.Dump {
		cfg := gpu.Default().Under(mechanism)
		cfg.GPU.SMs = 1
		s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
		require.NoError(t, err)
		var vcd bytes.Buffer
		var d *waves.Dump
		s.OnLaunch.Add(func(l *testbench.Loaded) {
			if d == nil {
				d, err = dump.Attach(s, &vcd, waves.Options{Filter: []string{"sm[0].Div.**"}})
				l.Refuse(err)
			}
		})
		k, err := kernels.Find("mergesort")
		require.NoError(t, err)
		require.NoError(t, k.Sizes[0].New(1).Run(runner.New(s)))
		require.NoError(t, d.Close())
		r, err := vcdread.ReadAll(&vcd)
		require.NoError(t, err)
		return r
	}
	want, got := record("pdom"), record(folder)
	require.Equal(t, want.End, got.End)
	value := func(d *vcdread.Dump, time uint64, path string) uint64 {
		v, err := d.Value(path, time)
		require.NoError(t, err)
		return v
	}
	const model, unit = "sm_0.Div.", "sm_0.Div.Verilog.unit.pdom."
	warps, compared := 0, 0
	for ; ; warps++ {
		slot := fmt.Sprintf("%sTable_%02d.", model, warps)
		s, ok := want.Signal(slot + "Valid")
		if !ok {
			break
		}
		for _, c := range want.Changes[s.Net] {
			require.Equal(t, c.Value, value(got, c.Time, fmt.Sprintf("%stable__valid_%02d", unit, warps)), "warp %d at %d", warps, c.Time)
		}
		for path, name := range map[string]string{
			slot + "PC": "table__pc", slot + "Mask": "table__mask", fmt.Sprintf("%sStack.Depth_%02d", model, warps): "stack_depth",
		} {
			s, ok := want.Signal(path)
			require.True(t, ok, path)
			printed := fmt.Sprintf("%s%s_%02d", unit, name, warps)
			o, ok := got.Signal(printed)
			require.True(t, ok, printed)
			for _, c := range slices.Concat(want.Changes[s.Net], got.Changes[o.Net]) {
				if value(want, c.Time, slot+"Valid") != 0 {
					compared++
					require.Equal(t, value(want, c.Time, path), value(got, c.Time, printed), "%s at %d", path, c.Time)
				}
			}
		}
	}
	assert.Positive(t, warps)
	assert.Greater(t, compared, 1000)
}
