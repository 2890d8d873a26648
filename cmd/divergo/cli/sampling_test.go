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

// sampled are ten programs: the kernels with more than five launches, and the CUDA programs.
var sampled = []string{
	"bfs --size medium", "mergesort --size medium",
	"align.cu 320", "bfs.cu 6000 3", "kmeans.cu 4000 8", "lu.cu 8", "particlefilter.cu 1000 20", "raytrace.cu 48 4",
	"sort.cu 3000", "stencil.cu 50 40",
}

// TestSampling: the bound of --sample holds on ten programs, and the table in the docs has the result.
func TestSampling(t *testing.T) {
	if testing.Short() {
		sampled = sampled[:1]
	} else {
		need.Tool(t, "clang-19", "libclc", "g++")
	}
	page := filepath.Join("..", "..", "..", "docs", "howto", "sampling.md")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	table := ""
	for _, program := range sampled {
		full, estimate := measure(t, program), measure(t, program, "--sample", "4")
		s := estimate.Sample
		off := math.Abs(s.Cycles - full.Cycles)
		assert.LessOrEqual(t, off, s.Bound, "%s: %.0f cycles, want %.0f", program, s.Cycles, full.Cycles)
		row := fmt.Sprintf("| `%s` | %d | %d | %.0f | %.0f | %.0f | %.0f |\n", program, s.Launches, s.Simulated,
			full.Cycles, s.Cycles, off, s.Bound)
		table += row
		if !*update {
			assert.Contains(t, string(text), row, "go test ./cmd/divergo/cli -run Sampling -update")
		}
	}
	if *update && !testing.Short() {
		const start = "|---|---|---|---|---|---|---|\n"
		before, rest, ok := strings.Cut(string(text), start)
		require.True(t, ok)
		_, after, _ := strings.Cut(rest, "\n\n")
		require.NoError(t, os.WriteFile(page, []byte(before+start+table+"\n"+after), 0o644))
	}
}

// measurement are the parts of a result that TestSampling reads.
type measurement struct {
	Sample *sampleResult
	Stats  struct{ Cycles float64 }
	Cycles float64
}

// measure runs a kernel, or a CUDA program, with flags.
func measure(t *testing.T, program string, flags ...string) (m measurement) {
	t.Helper()
	var out bytes.Buffer
	words := strings.Fields(program)
	args := append([]string{"run", "--json"}, append(flags, words...)...)
	file := ""
	if source, ok := strings.CutSuffix(words[0], ".cu"); ok {
		file = filepath.Join(t.TempDir(), "out.json")
		args = append([]string{"cuda", "run", "--json", file}, flags...)
		args = append(args, filepath.Join("..", "..", "..", "kernels", "programs", source+".cu"), "--")
		args = append(args, words[1:]...)
	}
	require.Zero(t, Run(args, &out, io.Discard), "%v", args)
	text := out.Bytes()
	if file != "" {
		var err error
		text, err = os.ReadFile(file)
		require.NoError(t, err)
	}
	require.NoError(t, json.Unmarshal(text, &m))
	m.Cycles = m.Stats.Cycles
	return m
}
