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
		shape, files, err := blocks.Unit(mechanism)
		require.NoError(t, err)
		require.NoError(t, verilog.InitFrom(folder, shape, files))
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

// TestPrintedSpills: the unit of token spills and fills through its memory port, as often as Bialas &
// Strzelecki count for the single loop (2015, section III), with M from 0 to 31 threads that leave early. The
// loops take the cycles of the Go model.
func TestPrintedSpills(t *testing.T) {
	folder := printed(t, "token")
	for m := range 32 {
		for loops, work := range []func(m int) *kernels.Loop{kernels.NewLoop1, kernels.NewLoop2} {
			want, got := looped(t, work(m), "token"), looped(t, work(m), folder)
			assert.Equal(t, want.Cycles, got.Cycles, "%d loops, M = %d", loops+1, m)
			assert.Equal(t, want.Divergence.Spills, got.Divergence.Spills, "%d loops, M = %d", loops+1, m)
			assert.Equal(t, want.Divergence.Fills, got.Divergence.Fills, "%d loops, M = %d", loops+1, m)
			if loops == 0 {
				assert.EqualValues(t, max(m-12, 0)/4, got.Divergence.Spills, "M = %d", m)
			}
		}
	}
}

// looped runs a loop kernel.
func looped(t *testing.T, work *kernels.Loop, mechanism string) testbench.Counters {
	t.Helper()
	cfg := gpu.Default().Under(mechanism)
	cfg.GPU.SMs = 1
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
	require.NoError(t, err)
	require.NoError(t, work.Run(runner.New(s)))
	require.NoError(t, work.Check())
	return s.Runs[0].Counters
}

// paths lists all paths.
func paths(_ divergence.Mechanism, p divergence.Policy) (list string) {
	for _, x := range p.Paths(nil) {
		list += fmt.Sprintf("warp %d {{%d} %b}\n", x.Row, x.PC, x.Mask)
	}
	return list
}

// TestPrintedState: in random kernels with exits and barriers, the warps of the printed mechanism have the
// paths of the Go model, one after the other: all entries of all stacks of pdom, both paths of all pairs of
// ppc, all tokens on the chip; in each fifth cycle, all warps, target entries and stack entries of tbc, of which
// the debug port has many groups. Outcomes come in the same cycles. (The bench skips cycles in which the Go
// model of token sleeps: a unit is busy then.)
func TestPrintedState(t *testing.T) {
	cycles, fifth := 0, ""
	state := map[string]func(m divergence.Mechanism, p divergence.Policy) string{
		"pdom": func(m divergence.Mechanism, p divergence.Policy) (list string) {
			for w := range p.Slots().Len() {
				if s := p.Slots().At(w); s.Valid {
					list += fmt.Sprintln(w, s.At(), s.Mask, m.Promises.Stack(p, w, nil))
				}
			}
			return list
		},
		"ppc":   paths,
		"dpe":   paths,
		"token": paths,
		"tbc": func(m divergence.Mechanism, p divergence.Policy) string {
			if cycles++; cycles%5 == 0 {
				fifth = fmt.Sprint(slices.Sorted(strings.Lines(paths(m, p))))
			}
			return fifth
		},
	}
	for _, name := range blocks.Mechanisms() {
		states := func(mechanism string) (list []string) {
			m, ok := divergence.Find(mechanism)
			require.True(t, ok, mechanism)
			var of divergence.Policy
			was := ""
			cycles, fifth = 0, ""
			options := []divergence.Options{gpu.Default().Under(mechanism).Divergence}
			microtest.RandomKernels(t, options, func(p divergence.Policy) {
				if p != of {
					of, was = p, ""
					p.Connections().Outcome.Tap(func(cycle uint64, o *divergence.Outcome) {
						list = append(list, fmt.Sprintf("cycle %d: outcome of slot %d at PC %d", cycle, o.Slot, o.PC))
					})
				}
				if is := state[name](m, p); is != was {
					list, was = append(list, is), is
				}
			})
			return list
		}
		want, got := states(name), states(printed(t, name))
		deep := 0
		for i := range min(len(want), len(got)) {
			require.Equal(t, want[i], got[i], "%s: change %d of all runs", name, i)
			deep = max(deep, strings.Count(want[i], "{{"))
		}
		require.Equal(t, len(want), len(got), "%s: changes", name)
		assert.Greater(t, deep, 6, "%s: entries at once, of three warps", name)
	}
}

// TestPrintedDump: the registers of a printed mechanism in a dump have the values of those of the Go
// model, at each time: slots, depths of stacks, the warps of ppc with another pair to delete, those of
// token that wait, and of tbc the homes of all threads and the CTAs with a new top entry. So has the memory port
// of token. A dump has no entries, which are too many: see TestPrintedState.
func TestPrintedDump(t *testing.T) {
	for _, name := range blocks.Mechanisms() {
		want, got := recorded(t, name), recorded(t, printed(t, name))
		require.Equal(t, want.End, got.End, name)
		compared := map[string]int{} // by signal of the unit
		compare := func(s, o vcdread.Signal, part string, used func(time uint64) bool) {
			for _, c := range slices.Concat(want.Changes[s.Net], got.Changes[o.Net]) {
				if used(c.Time) {
					compared[part]++
					require.Equal(t, want.At(s.Net, c.Time).Value, got.At(o.Net, c.Time).Value, "%s: %s at %d", name, s.Path, c.Time)
				}
			}
		}
		each := func(in, field, part string, i int, used func(time uint64) bool) {
			o, ok := element(got, "sm_0.Div.Verilog.unit."+name+"."+part, i, "")
			require.True(t, ok, part)
			s, ok := element(want, "sm_0.Div."+in, i, field)
			require.True(t, ok, in)
			compare(s, o, strings.TrimRight(part, "_0123456789"), used)
		}
		always := func(uint64) bool { return true }
		valid := func(i int) func(time uint64) bool {
			s, _ := element(want, "sm_0.Div.Table", i, ".Valid")
			return func(time uint64) bool { return want.At(s.Net, time).Value != 0 }
		}
		warps, slots := 0, 0
		for ; has(want, "sm_0.Div.Table", slots, ".Valid"); slots++ {
			each("Table", ".Valid", "table__valid", slots, always)
			each("Table", ".PC", "table__pc", slots, valid(slots))
			each("Table", ".Mask", "table__mask", slots, valid(slots))
			if name == "dpe" || name == "tbc" {
				each("Table", ".Wait", "table__wait_", slots, valid(slots))
			}
		}
		for has(want, "sm_0.Div.Stack.Depth", warps, "") {
			warps++
		}
		require.Positive(t, warps, name)
		for w := range warps {
			first, last := valid(w*slots/warps), valid((w+1)*slots/warps-1)
			used := func(time uint64) bool { return first(time) || last(time) }
			if name == "token" {
				each("Stack.Depth", "", "window_stack_depth", w, used)
				each("Spilled", "", "window_spilled", w, used)
				continue
			}
			if name == "tbc" { // by CTA
				used = always
			}
			each("Stack.Depth", "", "stack_depth", w, used)
		}
		for i := 0; name == "tbc" && i < slots; i++ {
			mask, _ := element(want, "sm_0.Div.Table", i, ".Mask")
			for lane := range 32 {
				runs := valid(i)
				each("Home", fmt.Sprintf(".Row_%02d", lane), fmt.Sprintf("home_%d", lane), i, func(time uint64) bool {
					return runs(time) && want.At(mask.Net, time).Value>>lane&1 != 0
				})
			}
		}
		for _, register := range map[string][][2]string{
			"ppc": {{"Again.Q", "Verilog.unit.ppc.again"}},
			"tbc": {{"Turned", "Verilog.unit.tbc.turned"}, {"Compacts.Busy", "Verilog.unit.tbc.busy_q"}},
			"token": {
				{"Held.Warps", "Verilog.unit.token.held"},
				{"Held.Memory", "Verilog.unit.token.moves"},
				{"Memory.Valid", "Memory.Valid"},
				{"Memory.Front.Store", "Memory.Front.Store"},
				{"Memory.Front.At", "Memory.Front.At"},
				{"Memory.Front.PC", "Memory.Front.PC"},
				{"Memory.Front.Data_0", "Memory.Front.Data_0"},
				{"Memory.Front.Data_3", "Memory.Front.Data_3"},
			},
		}[name] {
			s, ok := want.Signal("sm_0.Div." + register[0])
			require.True(t, ok, register)
			o, ok := got.Signal("sm_0.Div." + register[1])
			require.True(t, ok, register)
			compare(s, o, register[1], always)
		}
		// The run is the same each time. The kinds of transfers change least often, which makes 82 comparisons.
		for part, n := range compared {
			assert.Greater(t, n, 80, "%s: %s", name, part)
		}
	}
}

// element finds the signal of an element of a memory.
func element(d *vcdread.Dump, memory string, i int, field string) (s vcdread.Signal, ok bool) {
	for digits := 1; digits < 4 && !ok; digits++ {
		s, ok = d.Signal(fmt.Sprintf("%s_%0*d%s", memory, digits, i, field))
	}
	return s, ok
}

func has(d *vcdread.Dump, memory string, i int, field string) bool {
	_, ok := element(d, memory, i, field)
	return ok
}

// recorded is a dump of a mechanism in a run of mergesort and of a double loop, whose tokens spill.
func recorded(t *testing.T, mechanism string) *vcdread.Dump {
	t.Helper()
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
	require.NoError(t, kernels.NewLoop2(31).Run(runner.New(s)))
	require.NoError(t, d.Close())
	r, err := vcdread.ReadAll(&vcd)
	require.NoError(t, err)
	return r
}
