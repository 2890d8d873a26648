package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
)

var update = flag.Bool("update", false, "write the table of docs/howto/sampling.md")

// sampled are ten programs: all CUDA programs of the tree, the kernel with most launches, and the first
// kernel of the list in a size whose launch is divided.
var sampled = []string{
	"align.cu 320", "bfs.cu 6000 3", "kmeans.cu 4000 8", "lu.cu 8", "particlefilter.cu 1000 20", "raytrace.cu 48 4",
	"sort.cu 3000", "stencil.cu 50 40", "bfs --size medium", "vecadd --size large --set gpu.sms=1",
}

// TestSampling: the bound of --sample holds on ten programs, and the page has the figures.
func TestSampling(t *testing.T) {
	list := sampled
	if testing.Short() {
		list = []string{"bfs --size small"}
	} else {
		need.Tool(t, "clang-19", "libclc", "g++")
	}
	page := filepath.Join("..", "..", "..", "docs", "howto", "sampling.md")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	table := ""
	for _, program := range list {
		full, estimate := measureBoth(t, program)
		s := estimate.Sample
		off := math.Abs(s.Cycles - full.Stats.Cycles)
		assert.LessOrEqual(t, off, s.Bound, "%s: estimate %.0f cycles, want %.0f", program, s.Cycles, full.Stats.Cycles)
		assert.Equal(t, full.Reference, estimate.Reference, program)
		row := fmt.Sprintf("| `%s` | %d | %d | %.0f | %.0f | %.0f | %.0f | %.0f |\n", program, s.Launches, s.Simulated,
			full.Stats.Cycles, estimate.Stats.Cycles, s.Cycles, off, s.Bound)
		table += row
		if !*update && !testing.Short() {
			assert.Contains(t, string(text), row, "go test ./cmd/divergo/cli -run Sampling -update")
		}
	}
	if *update && !testing.Short() {
		const start = "|---|---|---|---|---|---|---|---|\n"
		before, rest, ok := strings.Cut(string(text), start)
		require.True(t, ok)
		_, after, _ := strings.Cut(rest, "\n\n")
		require.NoError(t, os.WriteFile(page, []byte(before+start+table+"\n"+after), 0o644))
	}
}

// measurement are the parts of a result that TestSampling reads.
type measurement struct {
	Sample    *sampleResult
	Reference string
	Stats     struct{ Cycles float64 }
}

// measureBoth runs a kernel or a CUDA program, with all launches simulated and with some. Output of both
// is the same.
func measureBoth(t *testing.T, program string) (full, estimate measurement) {
	t.Helper()
	words := strings.Fields(program)
	source, compiled := strings.CutSuffix(words[0], ".cu")
	built, file := filepath.Join(t.TempDir(), source), filepath.Join(t.TempDir(), "out.json")
	if compiled {
		require.Zero(t, Run([]string{
			"cuda", "build", "-o", built,
			filepath.Join("..", "..", "..", "kernels", "programs", words[0]),
		}, io.Discard, io.Discard))
	}
	measure := func(m *measurement, flags ...string) string {
		args := append(append([]string{"run", "--json"}, flags...), words...)
		if compiled {
			args = append(append([]string{"cuda", "run", "--json", file}, flags...), built, "--")
			args = append(args, words[1:]...)
		}
		var out, errs bytes.Buffer
		require.Zero(t, Run(args, &out, &errs), "%v: %s", args, &errs)
		text := out.Bytes()
		if compiled {
			var err error
			text, err = os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.Remove(file))
		}
		require.NoError(t, json.Unmarshal(text, m))
		return out.String()
	}
	said := measure(&full)
	again := measure(&estimate, "--sample", "4")
	if compiled {
		require.Equal(t, said, again, program)
	}
	return full, estimate
}
