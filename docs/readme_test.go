package docs

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/cmd/divergo/cli"
	"divergo/sm/divergence"
)

// TestReadmeMechanisms: the README lists every mechanism in order, with its storage.
func TestReadmeMechanisms(t *testing.T) {
	var names, listed []string
	storage := map[string]int{}
	for line := range strings.Lines(printed(t, "list", "mechanisms", "--cost")) {
		if f := strings.Fields(line); len(f) > 2 && f[1] == "storage" {
			bits, err := strconv.Atoi(f[2])
			require.NoError(t, err)
			storage[f[0]] = bits
		}
	}
	for _, m := range divergence.Mechanisms() {
		names = append(names, m.Name)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([\\w-]+)` \\|.* (\\d+) \\|$").FindAllStringSubmatch(readme(t),
		-1) {
		listed = append(listed, row[1])
		assert.Equal(t, fmt.Sprintf("%.0f", float64(storage[row[1]])/1000), row[2], row[1])
	}
	assert.Equal(t, names, listed)
}

// TestReadmeTable: the first command prints the rows shown below it.
func TestReadmeTable(t *testing.T) {
	out := printed(t, "compare", "mandelbrot")
	found := 0
	for line := range strings.Lines(readme(t)) {
		if row, ok := strings.CutPrefix(line, "    "); ok && strings.HasSuffix(row, "  equal\n") {
			assert.Contains(t, out, "\n"+row)
			found++
		}
	}
	assert.Positive(t, found)
}

// TestPlantedLine: the line that the tutorial replaces appears once in its file.
func TestPlantedLine(t *testing.T) {
	page, err := os.ReadFile("tutorial/04-find-a-planted-bug.md")
	require.NoError(t, err)
	source, err := os.ReadFile("../sm/divergence/pathstack.go")
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^    (e\.At, .*)$`).FindSubmatch(page)
	require.NotNil(t, line)
	assert.Equal(t, 1, strings.Count(string(source), "\t"+string(line[1])+"\n"), "%s", line[1])
}

func readme(t *testing.T) string {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	return string(text)
}

// printed returns the output of a command.
func printed(t *testing.T, args ...string) string {
	var out, errs strings.Builder
	require.Zero(t, cli.Run(args, &out, &errs), &errs)
	return out.String()
}
