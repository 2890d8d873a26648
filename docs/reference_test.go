package docs

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/sm/divergence"
	"divergo/testbench"
)

var update = flag.Bool("update", false, "write reference.md and claims.md")

// reference is reference.md, made from the tables that the program itself uses.
func reference() string {
	var b strings.Builder
	row := func(cells ...string) {
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "|", "\\|")
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	head := func(title string, cells ...string) {
		fmt.Fprintf(&b, "\n## %s\n\n", title)
		row(cells...)
		row(strings.Split(strings.Repeat("---,", len(cells)-1)+"---", ",")...)
	}
	b.WriteString("# Reference\n\nPrinted from the program's own tables by `go test ./docs -run Reference -update`.\n")

	head("Mechanisms", "name", "what")
	for _, m := range divergence.Mechanisms() {
		row("`"+m.Name+"`", m.Doc)
	}

	header := []string{"key"}
	var configs []gpu.Config
	for _, p := range gpu.Presets() {
		header = append(header, p.Name)
		configs = append(configs, p.Config())
	}
	head("Keys and presets", append(header, "range", "unit", "meaning", "source of the default")...)
	for _, k := range gpu.Keys() {
		cells := []string{"`" + k.Name + "`"}
		for i := range configs {
			cells = append(cells, k.Get(&configs[i]))
		}
		row(append(cells, k.Legal(), k.Unit, k.Doc, k.Source)...)
	}
	b.WriteString("\n")
	for _, p := range gpu.Presets() {
		fmt.Fprintf(&b, "* `%s`: %s (%s).\n", p.Name, p.Doc, p.Source)
	}

	head("Statistics", "name", "GPGPU-Sim's word", "unit", "meaning", "source")
	for _, s := range testbench.Stats() {
		row("`"+s.Name+"`", s.Word, s.Unit, s.Doc, s.Source)
	}
	return b.String()
}

// TestReference: the document is what the program would print today.
func TestReference(t *testing.T) {
	want := reference()
	if *update {
		require.NoError(t, os.WriteFile("reference.md", []byte(want), 0o644))
	}
	got, err := os.ReadFile("reference.md")
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "run go test ./docs -run Reference -update")
}
