package blocks

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
)

// cases are all blocks in their small sizes.
func cases() (list []Case) {
	for _, b := range All() {
		list = append(list, Case{b, b.Defaults(true)})
	}
	return list
}

// TestEqual: the Verilog has the outputs of the model in every cycle.
func TestEqual(t *testing.T) {
	for sim, n := range map[Simulator]int{Verilator: 1_000_000, Icarus: 10_000} {
		t.Run(string(sim), func(t *testing.T) {
			need.Tool(t, string(sim))
			if sim == Verilator {
				need.Tool(t, "g++", "make")
				if testing.Short() {
					t.Skip("building takes 20 seconds")
				}
			}
			if testing.Short() {
				n = 200
			}
			require.NoError(t, Equal(cases(), sim, n, 1))
		})
	}
}

// TestEqualFindsDifference: the comparison sees a difference in a single gate.
func TestEqualFindsDifference(t *testing.T) {
	need.Tool(t, "iverilog")
	text, err := majority.Print(Sizes{"lanes": 8})
	require.NoError(t, err)
	bad := strings.Replace(text.Verilog, "<", "<=", 1)
	require.NotEqual(t, bad, text.Verilog)
	text.Verilog = bad
	x := &comparison{sim: Icarus, random: newRandom(1)}
	require.NoError(t, x.add(Case{majority, Sizes{"lanes": 8}}, text))
	require.ErrorContains(t, x.compare(2000), "majority: cycle")
}

// TestLint: Verilator has no warning.
func TestLint(t *testing.T) {
	need.Tool(t, "verilator")
	for _, b := range All() {
		if testing.Short() && b != majority {
			continue
		}
		text, err := b.Print(b.Defaults(false))
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), text.Name+".v")
		write(t, file, text.Verilog)
		said, err := exec.Command("verilator", "--lint-only", "-Wall", file).CombinedOutput()
		assert.NoError(t, err, "%s: %s", b.Name, said)
		assert.Empty(t, string(said), b.Name)
	}
}

// TestSynthesizable: yosys makes gates and memories of each block, in its small sizes, without a
// latch, a loop, a wire of two drivers or one of none.
func TestSynthesizable(t *testing.T) {
	need.Tool(t, "yosys")
	for _, b := range All() {
		if testing.Short() && b != majority {
			continue
		}
		text, err := b.Print(b.Defaults(true))
		require.NoError(t, err)
		said, err := synthesizable(t, text.Name, text.Verilog)
		assert.NoError(t, err, "%s: %s", b.Name, said)
	}
}

// synthesizable runs yosys on a module.
func synthesizable(t *testing.T, name, verilog string) ([]byte, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".v")
	write(t, file, verilog)
	return exec.Command("yosys", "-q", "-e", ".", "-p", "read_verilog "+file+"; hierarchy -check -top "+name+
		"; proc; select -assert-none t:$dlatch t:$adlatch t:$dlatchsr; flatten; check -assert; memory -nomap; techmap; "+
		"check -assert").CombinedOutput()
}

// TestSynthesizableFindsFaults: a latch and an output without a driver are found.
func TestSynthesizableFindsFaults(t *testing.T) {
	need.Tool(t, "yosys")
	for name, body := range map[string]string{
		"latch":    "module latch(input a, input b, output reg c); always @* if (a) c = b; endmodule",
		"undriven": "module undriven(input a, output b); wire c; assign b = a & c; endmodule",
	} {
		_, err := synthesizable(t, name, body+"\n")
		assert.Error(t, err, name)
	}
}

// TestPrintIsDeterministic: the same block and sizes give the same bytes.
func TestPrintIsDeterministic(t *testing.T) {
	for _, b := range []*Block{compactor, scoreboard, capt} {
		first, err := b.Print(b.Defaults(true))
		require.NoError(t, err)
		again, err := b.Print(b.Defaults(true))
		require.NoError(t, err)
		assert.Equal(t, first.Verilog, again.Verilog, b.Name)
	}
}

// TestSizes: a wrong size is an error that names the nearest one, or the range.
func TestSizes(t *testing.T) {
	_, err := compactor.Print(Sizes{"lane": 4})
	assert.ErrorContains(t, err, `"lanes"`)
	_, err = compactor.Print(Sizes{"lanes": 3})
	assert.ErrorContains(t, err, "expected 1 to 32, a power of two")
	_, err = Find("compactr")
	assert.ErrorContains(t, err, `"compactor"`)
}
