package verilog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/blocks"
	"divergo/internal/need"
	"divergo/properties"
	"divergo/sm/divergence"
	"divergo/sm/divergence/verilog"
)

// plant is a change of the unit that Init writes: a text, and its replacement where @ stands for "this
// plant is chosen". A replacement without @ is a statement for another one.
type plant struct{ name, what, old, new string }

// bugs are mistakes that read well in a review.
var bugs = []plant{
	{
		"partial", "a new warp gets all lanes; the last warp of a CTA may have fewer threads",
		"push(launch_warp, 0, 0, NOWHERE, launch_mask);", "push(launch_warp, 0, 0, NOWHERE, '1);",
	},
	{
		"width", "the number of entries wraps at 4, which nested branches reach",
		"size[w] <= n + 1;", "size[w] <= (n + 1) & 3;",
	},
	{
		"advance", "a path that reaches its reconvergence point without a branch goes on",
		"settle(fire_warp, after({slot_depth[fire_warp], fire_pc}), slot_mask[fire_warp], size[fire_warp], 0);",
		"{slot_depth[fire_warp], slot_pc[fire_warp]} <= after({slot_depth[fire_warp], fire_pc});",
	},
	{
		"parked", "exited threads stay in the masks of parked entries",
		"mask[outcome_warp] <= mask[outcome_warp] & ~{DEEP{outcome_taken}};", ";",
	},
	{
		"bottom", "exited threads stay in the mask of the bottom entry, and only there",
		"mask[outcome_warp] <= mask[outcome_warp] & ~{DEEP{outcome_taken}};",
		"mask[outcome_warp][DEEP-1:1] <= mask[outcome_warp][DEEP-1:1] & ~{(DEEP-1){outcome_taken}};",
	},
	{
		"stale", "a pop reads the mask that the exit at the same edge changes",
		"m = mask[w][top(n)] & ~gone;", "m = mask[w][top(n)];",
	},
	{
		"resume", "of several warps that a barrier releases at one edge only the first resumes",
		"if (resume[i]) settle", "if (resume[i] && !(@ && (resume & ((64'd1 << i) - 1)) != 0)) settle",
	},
	{
		"together", "an outcome is lost if an instruction was issued in the same cycle",
		"if (outcome_valid)\n      case", "if (outcome_valid && !(@ && fire_valid))\n      case",
	},
	{
		"start", "a launch is lost if an outcome comes in the same cycle",
		"if (launch_valid) begin", "if (launch_valid && !(@ && outcome_valid)) begin",
	},
	{
		"narrow", "an entry that threads of one side have left gets them back when it splits again",
		"mask[w][top(n)] <= slot_mask[w];", ";",
	},
	{
		"depth", "reconvergence compares PCs without call depths; recursive functions need both",
		"p == meet[w][top(n)])", "p == meet[w][top(n)] || @ && p[PC-1:0] == meet[w][top(n)][PC-1:0])",
	},
	{
		"carry", "the call depth becomes 0 with the next instruction",
		"return {p[POINT-1:PC], p[PC-1:0] + 32'd1};", "return {16'd0, p[PC-1:0] + 32'd1};",
	},
}

// failures end a run; what is the pattern of the message.
var failures = []plant{
	{
		"fatal", `unit.sv:\d+: exit of warp \d+$`, "    if (rst) begin",
		"    if (@ && outcome_valid && outcome_kind == EXIT) $fatal(1, \"exit of warp %0d\", outcome_warp);\n    if (rst) begin",
	},
	{
		"stop", `unit.sv:\d+: \$stop or \$fatal$`, "    if (rst) begin",
		"    if (@ && outcome_valid && outcome_kind == EXIT) $stop;\n    if (rst) begin",
	},
	{
		"finish", `unit.sv:\d+: \$finish$`, "    if (rst) begin",
		"    if (@ && outcome_valid && outcome_kind == EXIT) $finish;\n    if (rst) begin",
	},
	{
		"assertion", `unit.sv:\d+: 'assert' failed.$`, "    if (rst) begin",
		"    assert (!(@ && outcome_valid && outcome_kind == EXIT));\n    if (rst) begin",
	},
	{
		"error", `the unit reports error 7$`, "assign error = 0;",
		"assign error = @ && slot_valid == 0 && retire_valid ? 7 : 0;",
	},
	{
		"crash", `the process of the Verilog unit has ended: signal: aborted$`, "    if (rst) begin",
		"    if (@ && outcome_valid && outcome_kind == EXIT) $c(\"abort();\");\n    if (rst) begin",
	},
	{
		"retire", `the unit retires warp \d+, `, "    retire_valid <= 0;\n    if (fire",
		"    retire_valid <= @ && fire_valid;\n    if (@) retire_warp <= fire_warp;\n    if (fire",
	},
}

// planted returns the unit with all plants. The number in the file bug.hex of the current folder
// chooses one, counted from 1.
func planted(t testing.TB, unit string) string {
	t.Helper()
	for i, p := range append(append([]plant{}, bugs...), failures...) {
		require.Equal(t, 1, strings.Count(unit, p.old), "%s: %q", p.name, p.old)
		text := p.new
		if !strings.Contains(text, "@") {
			text = "if (@) begin " + p.new + " end else begin " + p.old + " end"
		}
		unit = strings.Replace(unit, p.old, strings.ReplaceAll(text, "@", fmt.Sprintf("(bug[0] == %d)", i+1)), 1)
	}
	return strings.Replace(unit, "  localparam int DEEP", "  int bug[1];\n  initial $readmemh(\"bug.hex\", bug);\n  localparam int DEEP", 1)
}

// The built units of this package's tests: by isolation, then the printed ones. They are built once.
var built = make([]struct {
	sync.Once
	folder string
}, 2+len(blocks.Mechanisms()))

// unit returns the folder of the unit with all plants, and chooses one by name; "" chooses none.
func unit(t testing.TB, isolated bool, name string) string {
	t.Helper()
	need.Tool(t, "verilator")
	if testing.Short() {
		t.Skip("takes seconds to build a unit")
	}
	b := &built[0]
	if isolated {
		b = &built[1]
	}
	b.Do(func() {
		dir, err := os.MkdirTemp("", "unit")
		require.NoError(t, err)
		folder := filepath.Join(dir, "unit")
		require.NoError(t, verilog.Init(folder))
		file := filepath.Join(folder, "unit.sv")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(planted(t, string(text))), 0o644))
		messages, err := verilog.Build(folder, isolated)
		require.NoError(t, err, messages)
		b.folder = folder
	})
	require.NotEmpty(t, b.folder, "the unit was not built")
	number := 0
	for i, p := range append(append([]plant{}, bugs...), failures...) {
		if p.name == name {
			number = i + 1
		}
	}
	require.True(t, name == "" || number > 0, name)
	t.Chdir(t.(*testing.T).TempDir())
	require.NoError(t, os.WriteFile("bug.hex", fmt.Appendf(nil, "%x\n", number), 0o644))
	_, err := divergence.Open(b.folder)
	require.NoError(t, err)
	return b.folder
}

func TestMain(m *testing.M) {
	code := m.Run()
	for i := range built {
		if f := built[i].folder; f != "" {
			os.RemoveAll(filepath.Dir(f))
		}
	}
	os.Exit(code)
}

// TestBugs: random kernels find each planted bug, and nothing in the unit without one. The table of
// docs/howto/your-own-rtl.md has the first kernel and the checker.
func TestBugs(t *testing.T) {
	t.Run("none", func(t *testing.T) {
		r, err := properties.Run(properties.Options{Mechanisms: []string{unit(t, false, "")}, Runs: 100})
		require.NoError(t, err)
		assert.Nil(t, r.Failure)
	})
	for _, b := range bugs {
		t.Run(b.name, func(t *testing.T) {
			folder, start := unit(t, false, b.name), time.Now()
			r, err := properties.Run(properties.Options{Mechanisms: []string{folder}, Runs: 1000, Shrink: shrinkTime})
			require.NoError(t, err)
			require.NotNil(t, r.Failure, "%d kernels found nothing", r.Cases)
			t.Logf("| %s | %s | %d | %.1f | %d | %s |", b.name, b.what, r.Failure.Case.Seed+1, time.Since(start).Seconds(),
				r.Failure.Case.Threads(), r.Failure.Checker)
		})
	}
	assert.Len(t, bugs, 12)
}

// shrinkTime is the time for a small counterexample; the table of the documentation was made with 2 s.
const shrinkTime = time.Millisecond
