package verilog_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/need"
	"divergo/sm/divergence"
	"divergo/sm/divergence/verilog"
)

// benched compiles the bench that Init writes, with a unit that has a plant, in Icarus. It returns a
// function that runs it and returns the trace.
func benched(t *testing.T, p plant) (trace func(seed int) string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "unit")
	require.NoError(t, verilog.Init(folder))
	name := filepath.Join(folder, "unit.sv")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	if p.old != "" {
		require.Contains(t, string(text), p.old, p.name)
		text = []byte(strings.Replace(string(text), p.old, strings.ReplaceAll(p.new, "@", "1"), 1))
		require.NoError(t, os.WriteFile(name, text, 0o666))
	}
	run := func(args ...string) {
		c := exec.Command(args[0], args[1:]...)
		c.Dir = folder
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	run("iverilog", "-g2012", "-o", "bench.out", "divergo.sv", "unit.sv", "bench/bench.sv")
	return func(seed int) string {
		run("vvp", "bench.out", fmt.Sprintf("+seed=%d", seed))
		return filepath.Join(folder, "trace.csv")
	}
}

// mechanism returns a mechanism with its usual options.
func mechanism(t *testing.T, name string) (*divergence.Mechanism, divergence.Options) {
	m, ok := divergence.Find(name)
	require.True(t, ok)
	return &m, divergence.Options{Mechanism: name}
}

// TestScore: the unit that Init writes is pdom in Icarus too, in each cycle. Its warps all end.
func TestScore(t *testing.T) {
	need.Tool(t, "iverilog")
	pdom, o := mechanism(t, "pdom")
	trace := benched(t, plant{})
	for seed := range 5 {
		s, err := verilog.Score(trace(seed), pdom, o)
		require.NoError(t, err)
		assert.Equal(t, 6, s.Warps)
		assert.Zero(t, s.Left)
		assert.Less(t, 300, s.Issued)
		assert.Less(t, s.Issued, s.Edges)
	}
}

// TestScoreBugs: each bug of the unit makes a trace differ, within 50 seeds.
func TestScoreBugs(t *testing.T) {
	need.Tool(t, "iverilog")
	pdom, o := mechanism(t, "pdom")
	for i, bug := range bugs {
		if forall.LeftOut(i, 4) {
			continue
		}
		t.Run(bug.name, func(t *testing.T) {
			trace := benched(t, bug)
			for seed := range 50 {
				_, err := verilog.Score(trace(seed), pdom, o)
				if err == nil {
					continue
				}
				var d *verilog.Difference
				require.ErrorAs(t, err, &d)
				t.Logf("seed %d, line %d: %s: the unit has %s, %s: %s", seed, d.Line, d.Port, d.Unit, d.By, d.Want)
				return
			}
			t.Error("not found")
		})
	}
}

// trace writes a trace with some columns of an edge after a reset; the others are 0.
func trace(t *testing.T, edges ...map[string]string) string {
	t.Helper()
	var names []string
	for _, p := range verilog.Plain.Ports() {
		if p.Group != "debug" && p.Name != "clk" && p.Name != "busy" {
			names = append(names, p.Name)
		}
	}
	text := strings.Join(names, ",") + "\n"
	for _, e := range append([]map[string]string{{"rst": "1", "slot_pc": "x"}}, edges...) {
		for i, name := range names {
			if i > 0 {
				text += ","
			}
			if text += "0"; e[name] != "" {
				text = text[:len(text)-1] + e[name]
			}
		}
		text += "\n"
	}
	file := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	return file
}

// TestTraces: what is wrong with a trace, or with the unit in it, is told at its line.
func TestTraces(t *testing.T) {
	type edge = map[string]string
	launch := edge{"launch_valid": "1", "launch_mask": "3", "launch_warps": "1"}
	runs := edge{"slot_valid": "1", "slot_mask": "3", "slot_pc": "x00000000"}
	fire := edge{"slot_valid": "1", "slot_mask": "3", "fire_valid": "1", "fire_control": "1"}
	for _, c := range []struct {
		edges []edge
		want  string
	}{
		{nil, "t.csv:2: no clock edge without rst"},
		{[]edge{launch, {"rst": "1"}}, "t.csv:4: rst = 1, want a reset only before the first event"},
		{[]edge{{"launch_valid": "x"}}, "t.csv:3: launch_valid = x: unknown, want a number"},
		{[]edge{{"resume": "g1"}}, `t.csv:3: resume = "g1", want a hexadecimal number of 64 bits`},
		{[]edge{{"slot_depth": strings.Repeat("0", 257)}}, "t.csv:3: slot_depth = 257 digits, want at most 256"},
		{[]edge{launch, {"launch_valid": "1", "launch_mask": "3"}}, "t.csv:4: launch_warp = 0, want a warp that is not running"},
		{
			[]edge{{"launch_valid": "1", "launch_mask": "3", "launch_warps": "1", "launch_cta": "ff"}},
			"t.csv:3: launch_cta = 255, launch_first = 0, launch_warps = 1: want one of 32 CTAs, with warp 0 in it",
		},
		{[]edge{{"fire_valid": "1"}}, "t.csv:3: fire_warp = 0, fire_pc = 0: want a valid slot and its PC"},
		{[]edge{launch, runs, {"outcome_valid": "1"}}, "t.csv:5: outcome_warp = 0, want a warp whose last instruction had fire_control"},
		{
			[]edge{launch, fire, {"slot_valid": "1", "slot_mask": "3", "outcome_valid": "1", "outcome_taken": "7"}},
			"t.csv:5: outcome_taken = 0x7, want a subset of slot_mask 0x3",
		},
		{
			[]edge{launch, {"slot_valid": "1", "slot_mask": "7"}},
			"t.csv:4: slot_mask of warp 0: the unit has 0x7, the threads: some of the live threads 0x3",
		},
		{
			[]edge{launch, {"slot_valid": "1", "slot_mask": "3", "slot_pc": "5"}},
			"t.csv:4: slot of warp 0, lane 0: the unit has PC 5, the threads: PC 0",
		},
		{[]edge{launch, {"retire_valid": "1"}}, "t.csv:4: retire_valid of warp 0: the unit has 1, the threads: 0, as the threads 0x3 have not exited"},
		{[]edge{{"error": "9"}}, "t.csv:3: error: the unit has 9, the threads: 0"},
		{[]edge{launch, {}}, "t.csv:4: slot_valid of warp 0: the unit has 0, pdom: 1"},
		{[]edge{launch, runs, fire, runs}, ""},
	} {
		pdom, o := mechanism(t, "pdom")
		_, err := verilog.Score(trace(t, c.edges...), pdom, o)
		if c.want == "" {
			assert.NoError(t, err)
		} else if assert.Error(t, err, c.want) {
			assert.Equal(t, c.want, filepath.Base(err.Error()))
		}
	}
	file := filepath.Join(t.TempDir(), "t.csv")
	for text, want := range map[string]string{
		"":              "t.csv:1: is empty, want the names of ports in the first line",
		"rst,fire_warb": `t.csv:1: unknown port "fire_warb"; did you mean "fire_warp"?`,
		"rst,rst":       "t.csv:1: port rst stands twice",
		"rst":           "t.csv:1: no port launch_mask, want all ports but clk, busy and those of debug",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		_, err := verilog.Score(file, nil, divergence.Options{})
		if assert.Error(t, err, text) {
			assert.Equal(t, want, filepath.Base(err.Error()))
		}
	}
	for name, want := range map[string]string{
		"dwf":  "mechanism dwf has 64 slots for 64 warps, or moves threads between warps: want a slot for each warp",
		"ptpc": "mechanism ptpc puts instructions of its own into programs, which a trace does not have",
	} {
		m, o := mechanism(t, name)
		_, err := verilog.Score(trace(t, launch), m, o)
		assert.EqualError(t, err, want)
	}
}
