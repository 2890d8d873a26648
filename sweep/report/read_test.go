package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu/area"
	"divergo/kernels"
	"divergo/sweep"
	"divergo/sweep/report"
)

// TestRead takes results that were put into a store: cycles of 1,000 by the SIMD width, and a fault.
func TestRead(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "plan.toml")
	require.NoError(t, os.WriteFile(file, []byte(`kernel = "vecadd small"
gpu.sms = 2
[product]
mechanism = ["pdom", "tbc"]
sm.threads = [512, 1024]
[[zip]]
sm.simd_width = [8, 16]
clocks.core_mhz = [500, 1000]
`), 0o600))
	plan, err := sweep.Read(file)
	require.NoError(t, err)
	store, err := sweep.OpenStore(filepath.Join(folder, "store"))
	require.NoError(t, err)
	node, err := area.FindNode(28)
	require.NoError(t, err)
	for i := range plan.Len() {
		cfg := plan.Config(i)
		r := &sweep.Result{Outcome: "finished", LimitedBy: "grid", Stats: []sweep.Stat{{Name: "cycles", Value: uint64(1000 / cfg.SM.SIMDWidth)}}}
		if i == plan.Len()-1 {
			continue // not run
		}
		if cfg.Divergence.Mechanism == "tbc" && cfg.SM.SIMDWidth == 8 {
			r = &sweep.Result{Outcome: "fault", Message: "no", LimitedBy: "grid"}
		}
		if i == 5 {
			r.Stats[0].Value = uint64(0)
		}
		require.NoError(t, store.Put(plan.Key(i), r))
	}
	s, err := report.Read(plan, store, node)
	require.NoError(t, err)
	require.Len(t, s.Points, 8)
	assert.Equal(t, []string{"8", "16"}, s.Axes[2].Values, "as text")
	assert.Equal(t, report.Axis{Name: "kernel", Kind: report.Work, Values: []string{"vecadd small"}}, s.Axes[4])
	assert.Equal(t, []string{"gpu.sms=2"}, s.Fixed)
	for i, p := range s.Points {
		cfg := plan.Config(i)
		a, err := area.Of(&cfg, node)
		require.NoError(t, err)
		assert.Equal(t, a.Range, p.Area)
		assert.Equal(t, plan.Command(i), p.Command)
		want := "finished"
		switch {
		case i == 7:
			want = ""
		case i == 5:
			want = "no kernel ran"
		case p.At[0] == 1 && p.At[2] == 0:
			want = "fault"
		default:
			assert.InDelta(t, float64(1000/cfg.SM.SIMDWidth)/float64(cfg.Clocks.CoreMHz), p.Time, 1e-12)
		}
		assert.Equal(t, want, p.Outcome, fmt.Sprint(p.At))
	}
	require.Len(t, s.Idle, 1)
	assert.Equal(t, "sm.threads", s.Idle[0].Axis)
	assert.Equal(t, "the CTAs of an SM are limited by grid", s.Idle[0].Why)

	r, err := report.New(s, report.Options{})
	require.NoError(t, err)
	assert.Equal(t, []report.LeftOut{
		{Outcome: "fault", Kernel: "vecadd small", Machines: 2, First: "mechanism=tbc sm.threads=512 sm.simd_width=8 clocks.core_mhz=500"},
		{Outcome: "no kernel ran", Kernel: "vecadd small", Machines: 1, First: "mechanism=tbc sm.threads=512 sm.simd_width=16 clocks.core_mhz=1000"},
		{Outcome: "no result", Kernel: "vecadd small", Machines: 1, First: "mechanism=tbc sm.threads=1024 sm.simd_width=16 clocks.core_mhz=1000"},
	}, r.LeftOut)
	assert.Len(t, r.Machines, 4)
}

// TestMachinesOfFiles: a launch file can name a machine of its own, which has another area.
func TestMachinesOfFiles(t *testing.T) {
	folder := t.TempDir()
	text, err := kernels.PTX("vecadd.ptx")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"kernel.ptx": text,
		"small.toml": "gpu.sms = 2",
		"launch.json": `{"schema": "divergo.launch.v1", "machine": "small.toml", "launches": [
			{"args": ["buf:zero:512", "buf:zero:512", "buf:zero:512", "u32:128"], "block": [128]}]}`,
		"plan.toml": "[product]\nkernel = [\"vecadd small\", \"launch.json\"]\nmechanism = [\"pdom\", \"tbc\"]",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	plan, err := sweep.Read(filepath.Join(folder, "plan.toml"))
	require.NoError(t, err)
	store, err := sweep.OpenStore(filepath.Join(folder, "store"))
	require.NoError(t, err)
	node, err := area.FindNode(28)
	require.NoError(t, err)
	_, err = report.Read(plan, store, node)
	assert.ErrorContains(t, err, "mm² for vecadd small and ")
	assert.ErrorContains(t, err, "mm² for launch.json: files of kernels name different machines")
}
