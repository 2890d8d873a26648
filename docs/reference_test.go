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

var update = flag.Bool("update", false, "write the pages of reference and the figures")

// page is a page of the reference, made from tables that the program itself uses.
type page struct{ strings.Builder }

func newPage(title string) *page {
	p := &page{}
	fmt.Fprintf(p, "# %s\n\nPrinted from the program's own tables by `go test ./docs -run Reference -update`.\n", title)
	return p
}

func (p *page) row(cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", "\\|")
	}
	fmt.Fprintf(p, "| %s |\n", strings.Join(cells, " | "))
}

// table begins a table.
func (p *page) table(header ...string) {
	p.WriteString("\n")
	p.row(header...)
	p.row(strings.Split(strings.Repeat("---,", len(header)-1)+"---", ",")...)
}

func mechanisms() string {
	p := newPage("Mechanisms")
	p.table("name", "what")
	for _, m := range divergence.Mechanisms() {
		p.row("`"+m.Name+"`", m.Doc)
	}
	return p.String()
}

func keys() string {
	p := newPage("Keys and presets")
	header := []string{"key"}
	var configs []gpu.Config
	for _, preset := range gpu.Presets() {
		header = append(header, preset.Name)
		configs = append(configs, preset.Config())
	}
	p.table(append(header, "range", "unit", "meaning", "source of the default")...)
	for _, k := range gpu.Keys() {
		cells := []string{"`" + k.Name + "`"}
		for i := range configs {
			cells = append(cells, k.Get(&configs[i]))
		}
		p.row(append(cells, k.Legal(), k.Unit, k.Doc, k.Source)...)
	}
	p.WriteString("\n")
	for _, preset := range gpu.Presets() {
		fmt.Fprintf(p, "* `%s`: %s (%s).\n", preset.Name, preset.Doc, preset.Source)
	}
	return p.String()
}

func statistics() string {
	p := newPage("Statistics")
	p.table("name", "GPGPU-Sim's word", "unit", "meaning", "source")
	for _, s := range testbench.Stats() {
		p.row("`"+s.Name+"`", s.Word, s.Unit, s.Doc, s.Source)
	}
	return p.String()
}

// TestReference: each generated page is what the program would print today.
func TestReference(t *testing.T) {
	for name, generate := range map[string]func() string{"mechanisms": mechanisms, "keys": keys, "statistics": statistics} {
		t.Run(name, func(t *testing.T) {
			file, want := "reference/"+name+".md", generate()
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
			}
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, want, string(got), "run go test ./docs -run Reference -update")
		})
	}
}
