package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/bench"
)

// TestPerformancePage: docs/explanation/performance.md has the tables that "divergo bench --markdown"
// prints for kernels, parts and growth: the same headers, and rows for the same runs.
func TestPerformancePage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "explanation", "performance.md"))
	require.NoError(t, err)
	growth, err := bench.Growth(t.TempDir(), 4)
	require.NoError(t, err)
	parts, err := bench.Parts(t.TempDir(), 1, 1)
	require.NoError(t, err)
	for _, c := range []struct {
		flags  benchFlags
		cases  []bench.Case
		labels int // columns that identify a row
	}{
		{benchFlags{}, bench.Cases([]string{"mandelbrot", "bfs"}, "medium", 1), 3},
		{benchFlags{growth: true, count: true}, growth, 2},
		{benchFlags{parts: true, count: true}, parts, 3},
	} {
		var r benchResult
		for _, x := range c.cases {
			r.Runs = append(r.Runs, &bench.Result{Case: x})
		}
		var b strings.Builder
		require.NoError(t, r.markdown(&b, &c.flags))
		table, beside, _ := strings.Cut(strings.TrimSpace(b.String()), "\n\n")
		assert.Contains(t, string(text), beside)
		lines := strings.Split(table, "\n")
		_, rest, ok := strings.Cut(string(text), lines[0]+"\n"+lines[1]+"\n")
		require.True(t, ok, "the page has no table with the header %s", lines[0])
		found, _, _ := strings.Cut(rest, "\n\n")
		var want, got []string
		for _, line := range lines[2:] {
			want = append(want, label(line, c.labels))
		}
		for _, line := range strings.Split(strings.TrimSpace(found), "\n") {
			got = append(got, label(line, c.labels))
		}
		assert.Equal(t, want, got)
	}
}

// label returns the first cells of a row.
func label(row string, cells int) string {
	return strings.Join(strings.Split(row, " | ")[:cells], " | ")
}
