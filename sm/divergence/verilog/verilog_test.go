package verilog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/need"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence"
	_ "divergo/sm/divergence/all"
	"divergo/sm/divergence/microtest"
	"divergo/sm/divergence/verilog"
	"divergo/testbench"
)

// run runs a kernel in its small size and returns its cycles.
func run(t *testing.T, kernel kernels.Kernel, mechanism string) (uint64, error) {
	t.Helper()
	cfg := gpu.Default().Under(mechanism)
	cfg.GPU.SMs = 2
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
	require.NoError(t, err)
	work := kernel.Sizes[0].New(1)
	if err := work.Run(runner.New(s)); err != nil {
		return 0, err
	}
	require.NoError(t, work.Check(), "%s %s", kernel.Name, mechanism)
	return s.Counters().Cycles, nil
}

// TestCycles: the unit that Init writes is pdom, which is the same stack in Go: every kernel has the
// same result in the same number of cycles.
func TestCycles(t *testing.T) {
	folder := unit(t, false, "")
	for _, k := range kernels.All() {
		want, err := run(t, k, "pdom")
		require.NoError(t, err)
		got, err := run(t, k, folder)
		require.NoError(t, err)
		assert.Equal(t, want, got, k.Name)
	}
}

// TestClocked: the unit is clocked hardware, although its registers are not in Go: snapshots, reset,
// another order of processes and a checked run give the same result.
func TestClocked(t *testing.T) {
	for _, isolated := range []bool{false, true} {
		microtest.Clocked(t, []divergence.Options{{Mechanism: unit(t, isolated, "")}})
	}
}

// TestFailures: each call that ends a simulation of Verilog ends the run, and says where.
func TestFailures(t *testing.T) {
	for _, isolated := range []bool{false, true} {
		for _, f := range failures {
			if f.name == "crash" && !isolated {
				continue // it would end the tests
			}
			t.Run(f.name, func(t *testing.T) {
				folder := unit(t, isolated, f.name)
				k, err := kernels.Find("vecadd")
				require.NoError(t, err)
				_, err = run(t, k, folder)
				var o *testbench.Outcome
				require.ErrorAs(t, err, &o)
				assert.Equal(t, gpu.Failed, o.End)
				assert.Regexp(t, "^cycle [1-9][0-9]*: ", o.Failure)
				assert.Regexp(t, f.what, o.Failure)
			})
		}
	}
}

// TestOpenErrors: what is wrong with a folder is said with the mend.
func TestOpenErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	open := func(want string) {
		t.Helper()
		_, err := divergence.Open("./unit")
		assert.EqualError(t, err, want)
	}
	open(`./unit: no such file or directory; "divergo rtl init ./unit" begins a unit there`)
	require.NoError(t, verilog.Init("unit"))
	assert.EqualError(t, verilog.Init("unit"), "unit: exists already, want the name of a new folder")
	open(`./unit is not built; "divergo rtl build ./unit" builds it`)
	model := filepath.Join("unit", "unit.model")
	require.NoError(t, os.WriteFile(model, []byte("mine"), 0o644))
	open(`unit/unit.model: is no model that "divergo rtl build" made`)
	_, err := verilog.Build("unit", false)
	assert.ErrorContains(t, err, "exists, and is no model that")
	text, err := os.ReadFile(model)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
	require.NoError(t, os.Remove("unit/divergo.sv"))
	open(`./unit: no file divergo.sv; "divergo rtl init" writes one into a new folder`)
	require.NoError(t, os.WriteFile("unit/divergo.sv", []byte("package divergo; endpackage"), 0o644))
	_, err = divergence.Open("./unit")
	assert.ErrorContains(t, err, "is not the package of version 3")
	for _, c := range [][2]string{
		{"VERSION = 1;", `is the package of version 1 of the port specification, want version 3; take the file that "divergo rtl init" ` +
			"writes into a new folder. The ports of an older unit are the same: keep its SLOTS and SLOT, if it has them"},
		{"VERSION = 4;", `is the package of version 4 of the port specification, want version 3; take the file that "divergo rtl init" ` +
			"writes into a new folder"},
		{"VERSION = 3; localparam int SLOTS = 9;", "SLOTS = 9, want 1 to 8 slots of a warp"},
		{"VERSION = 3; localparam int SPILLS = 2;", "SPILLS = 2, want 0 or 1"},
		{"VERSION = 3; localparam int SLOTS = 3; localparam int TOKENS = 1;", "is not the package of version 3 of the port " +
			`specification with SLOTS = 3, TOKENS = 1, SLOT = 2, KIND = 3; take the file that "divergo rtl init" writes into a new folder`},
	} {
		require.NoError(t, os.WriteFile("unit/divergo.sv", []byte("package divergo; localparam int "+c[0]), 0o644))
		_, err = verilog.Build("unit", false)
		assert.EqualError(t, err, "unit/divergo.sv: "+c[1])
	}
}

// TestMissingTool: without Verilator the message says what to install.
func TestMissingTool(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, verilog.Init("unit"))
	t.Setenv("PATH", "")
	_, err := verilog.Build("unit", false)
	assert.ErrorContains(t, err, `is not installed: want Verilator 5.006 or later, g++ and make, as in "apt-get install`)
}

// TestMessages: Verilator's messages name the user's file and line, and the ports of the specification.
func TestMessages(t *testing.T) {
	need.Tool(t, "verilator")
	t.Chdir(t.TempDir())
	require.NoError(t, verilog.Init("unit"))
	text, err := os.ReadFile("unit/unit.sv")
	require.NoError(t, err)
	build := func(old, changed string) error {
		t.Helper()
		text := string(text)
		require.Contains(t, text, old)
		require.NoError(t, os.WriteFile("unit/unit.sv", []byte(strings.Replace(text, old, changed, 1)), 0o644))
		_, err := verilog.Build("unit", false)
		return err
	}
	err = build("  always_ff @(posedge clk) begin", "  always_ff @(posedge clk) begin\n    this is wrong;")
	assert.ErrorContains(t, err, "unit: Verilator finds errors:\n%Error: unit/unit.sv:")
	err = build("fire_pc,", "fired_pc,")
	assert.ErrorContains(t, err, "%Error: the specification has no port fired_pc of module unit\n")
	err = build("  output logic busy, ", "  // ")
	assert.ErrorContains(t, err, "%Error: module unit has no port busy, want\n    output logic busy\n")
	err = build("  always_ff @(posedge clk) begin",
		"  logic [2:0] narrow;\n  assign narrow = slot_depth[0];\n  wrong;\n  always_ff @(posedge clk) begin")
	assert.ErrorContains(t, err, "%Error: unit/unit.sv:")
	assert.NotContains(t, err.Error(), "%Warning", "a warning does not stop the build")
	err = build("// divergo: meets", "// divergo: meet")
	assert.EqualError(t, err, `unit: "// divergo:": unknown promise "meet"; did you mean "meets"?`)
}
