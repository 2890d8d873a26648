package docs

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
	"divergo/gpu"
	"divergo/gpu/area"
	"divergo/kernels"
	"divergo/memsys/dram"
	"divergo/properties"
	"divergo/sm/divergence"
	"divergo/sm/divergence/barriers"
	"divergo/sm/divergence/compaction"
	"divergo/sm/divergence/formation"
	compared "divergo/sm/divergence/paths"
	"divergo/sm/divergence/stacks"
	"divergo/sm/divergence/tokens"
	"divergo/testbench"
	"divergo/units"
)

var update = flag.Bool("update", false, "write the pages of the reference and the figures")

// reference lists the generated pages. TestClaims covers reference/claims.md, which takes minutes.
var reference = []struct {
	name, title string
	write       func(*page)
}{
	{"commands", "Command line", commands},
	{"mechanisms", "Mechanisms", mechanisms},
	{"keys", "Keys", keys},
	{"presets", "Presets", presets},
	{"statistics", "Statistics", statistics},
	{"kernels", "Kernels", suite},
	{"figures", "Figures of the papers", figures},
	{"checkers", "Checkers", checkers},
	{"area", "Area", areas},
	{"rtl-interface", "Ports of a Verilog unit", rtlInterface},
}

// TestReference: each page equals the program's own tables.
func TestReference(t *testing.T) {
	for _, r := range reference {
		t.Run(r.name, func(t *testing.T) {
			p := &page{t: t}
			fmt.Fprintf(p, "# %s\n\nWritten by `go test ./docs -run Reference -update` from the program's own tables.\n", r.title)
			r.write(p)
			file := "reference/" + r.name + ".md"
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(p.String()), 0o644))
			}
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			have := strings.Split(string(got), "\n")
			for i, line := range strings.Split(p.String(), "\n") {
				if i >= len(have) || have[i] != line {
					t.Fatalf("%s:%d is stale: run go test ./docs -run Reference -update\nwant %s", file, i+1, line)
				}
			}
			assert.Len(t, have, strings.Count(p.String(), "\n")+1)
		})
	}
}

// page is a page of the reference.
type page struct {
	strings.Builder
	t     *testing.T
	rests []string // of long texts, see cell
}

// cell returns a text for a cell: of a long one the part before the first colon. The details have
// the rest.
func (p *page) cell(name, text string) string {
	const long = 150
	head, rest, ok := strings.Cut(text, ": ")
	if len(text) <= long || !ok {
		return text
	}
	p.rests = append(p.rests, code(name)+": "+rest)
	return head + " ([details](#details))"
}

// details adds the rests of long texts.
func (p *page) details() {
	p.section("Details")
	p.WriteString("\n")
	for _, rest := range p.rests {
		p.WriteString("- ")
		p.text("  ", rest)
	}
}

func (p *page) section(title string) { fmt.Fprintf(p, "\n## %s\n", title) }

// text adds a paragraph in lines of 100 columns. Lines after the first begin with indent.
func (p *page) text(indent, words string) {
	const columns = 100
	n := 0
	for i, word := range strings.Fields(words) {
		switch {
		case i == 0:
		case n+1+len(word) > columns:
			p.WriteString("\n" + indent)
			n = len(indent)
		default:
			p.WriteString(" ")
			n++
		}
		p.WriteString(word)
		n += len(word)
	}
	p.WriteString("\n")
}

// table begins a table; row adds a row.
func (p *page) table(header ...string) {
	p.WriteString("\n")
	p.row(header...)
	p.row(strings.Split(strings.Repeat("---,", len(header)-1)+"---", ",")...)
}

func (p *page) row(cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", "\\|")
	}
	fmt.Fprintf(p, "| %s |\n", strings.Join(cells, " | "))
}

func code(s string) string { return "`" + s + "`" }

var exitCodes = regexp.MustCompile(`(?s)Exit codes: (.*?)\.\n`)

// commands writes the help of each verb as on a terminal.
func commands(p *page) {
	help := func(verb ...string) string { return printed(p.t, append([]string{"help"}, verb...)...) }
	p.section("Exit codes")
	p.table("code", "meaning")
	for entry := range strings.SplitSeq(exitCodes.FindStringSubmatch(help())[1], "; ") {
		n, meaning, _ := strings.Cut(strings.Join(strings.Fields(entry), " "), " ")
		p.row(n, meaning)
	}
	var visit func(verb ...string)
	visit = func(verb ...string) {
		text := help(verb...)
		p.section(strings.Join(append([]string{"divergo"}, verb...), " "))
		fmt.Fprintf(p, "\n```text\n%s\n```\n", strings.TrimSpace(text))
		_, list, _ := strings.Cut(text, "\nAvailable Commands:\n")
		list, _, _ = strings.Cut(list, "\n\n")
		for line := range strings.Lines(list) {
			if name := strings.Fields(line)[0]; name != "help" {
				visit(append(slices.Clone(verb), name)...)
			}
		}
	}
	visit()
}

// families lists the packages of mechanisms, each with its page of the explanation.
var families = []struct {
	name       string
	mechanisms []divergence.Mechanism
}{
	{"stacks", stacks.Mechanisms},
	{"paths", compared.Mechanisms},
	{"tokens", tokens.Mechanisms},
	{"formation", formation.Mechanisms},
	{"compaction", compaction.Mechanisms},
	{"barriers", barriers.Mechanisms},
}

func family(mechanism string) string {
	for _, f := range families {
		if slices.ContainsFunc(f.mechanisms, func(m divergence.Mechanism) bool { return m.Name == mechanism }) {
			return fmt.Sprintf("[%s](../explanation/%s.md)", f.name, f.name)
		}
	}
	panic(mechanism + " is of no family")
}

func mechanisms(p *page) {
	cfg := gpu.Default()
	g := divergence.Geometry{Lanes: cfg.SM.WarpSize, Warps: cfg.SM.Warps(), CTAs: cfg.SM.CTAs}
	cost := func(m divergence.Mechanism) *divergence.Cost {
		c, err := m.Cost(cfg.Divergence, g)
		require.NoError(p.t, err)
		return &c
	}
	p.section("All")
	p.WriteString("\n")
	p.text("", fmt.Sprintf("Bits are the storage of one SM with %d warps of %d lanes and %d CTAs. `divergo list mechanisms --cost` has them for any machine.", g.Warps, g.Lanes, g.CTAs))
	p.table("mechanism", "family", "what it does", "bits of an SM")
	for _, m := range divergence.Mechanisms() {
		p.row(code(m.Name), family(m.Name), m.Doc, fmt.Sprint(cost(m).Bits()))
	}
	p.section("Hardware")
	for _, m := range divergence.Mechanisms() {
		fmt.Fprintf(p, "\n### %s\n", m.Name)
		p.table("structure", "words", "bits of a word", "bits of an SM")
		c := cost(m)
		for _, s := range c.Storage {
			p.row(code(s.Path), fmt.Sprint(s.Words), fmt.Sprint(s.Width()), fmt.Sprint(s.Words*s.Width()))
		}
		for _, l := range c.Logic {
			p.row(string(l.Kind), fmt.Sprint(l.Count), fmt.Sprint(l.Bits), "")
		}
	}
	p.section("Lane permutations")
	p.table("word of `sm.lanes`", "which lane a thread has", "bits of an SM")
	for _, l := range units.Permutations() {
		p.row(code(string(l)), l.Doc(), fmt.Sprint(l.Bits(g.Lanes)))
	}
	p.section("Herding")
	p.table("part", "what it does", "bits of an SM")
	for _, h := range units.HerdParts() {
		p.row(h.Name, h.Doc, fmt.Sprint(h.Bits(&cfg.Herd, g.Warps)))
	}
}

func keys(p *page) {
	cfg := gpu.Default()
	p.table("key", "meaning", "default", "range", "source of the default")
	for _, k := range gpu.Keys() {
		p.row(code(k.Name), p.cell(k.Name, k.Doc), strings.TrimSpace(k.Get(&cfg)+" "+k.Unit), k.Legal(), k.Source)
	}
	p.details()
}

// areas lists the numbers of the area model, and the area of each preset.
func areas(p *page) {
	p.WriteString("\n")
	p.text("", "[Area](../explanation/area.md) explains the model. `divergo cost` estimates any machine.")
	p.section("Numbers and sources")
	p.table("number", "low", "middle", "high", "unit", "source")
	digits := func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
	for _, f := range area.Figures() {
		p.row(f.Name, digits(f.Range.Low), digits(f.Range.Mid), digits(f.Range.High), f.Unit, f.Source)
	}
	p.section("Presets")
	p.WriteString("\n")
	p.text("", "In mm2, middle and bounds, each preset with its own mechanism. Few of the devices were built at these nodes.")
	header := []string{"preset", "mechanism"}
	for _, n := range area.Nodes() {
		header = append(header, fmt.Sprintf("SM, %d nm", n.NM), fmt.Sprintf("machine, %d nm", n.NM))
	}
	p.table(header...)
	bounds := func(r area.Range) string {
		return fmt.Sprintf("%s (%s to %s)", digits(r.Mid), digits(r.Low), digits(r.High))
	}
	for _, preset := range gpu.Presets() {
		cfg := preset.Config()
		cells := []string{code(preset.Name), code(cfg.Divergence.Mechanism)}
		for _, n := range area.Nodes() {
			a, err := area.Of(&cfg, n)
			require.NoError(p.t, err)
			cells = append(cells, bounds(a.SM), bounds(a.Range))
		}
		p.row(cells...)
	}
	p.section("Mechanisms")
	p.WriteString("\n")
	p.text("", "The part \"divergence mechanism\" of an SM of the default machine at 65 nm, and the SM as a whole against that of the first mechanism: a mechanism may need more of the register file, the scheduler and the scoreboard.")
	p.table("mechanism", "mm2 of an SM", "SM, %")
	cfg, first := gpu.Default(), 0.0
	for _, m := range divergence.Mechanisms() {
		cfg.Divergence.Mechanism = m.Name
		a, err := area.Of(&cfg, area.Nodes()[0])
		require.NoError(p.t, err)
		i := slices.IndexFunc(a.Parts, func(x area.Part) bool { return x.Name == "divergence mechanism" })
		first = cmp.Or(first, a.SM.Mid)
		p.row(code(m.Name), bounds(a.Parts[i].Area), fmt.Sprintf("%+.1f", 100*(a.SM.Mid/first-1)))
	}
}

// presets lists the keys in which presets differ.
func presets(p *page) {
	p.table("preset", "machine", "source")
	header := []string{"key"}
	var configs []gpu.Config
	for _, preset := range gpu.Presets() {
		p.row(code(preset.Name), preset.Doc, preset.Source)
		header = append(header, preset.Name)
		configs = append(configs, preset.Config())
	}
	p.WriteString("\nThe keys in which they differ:\n")
	p.table(header...)
	for _, k := range gpu.Keys() {
		cells := []string{code(k.Name)}
		for i := range configs {
			cells = append(cells, k.Get(&configs[i]))
		}
		if len(slices.Compact(slices.Clone(cells[1:]))) > 1 {
			p.row(cells...)
		}
	}
	p.section("DRAM")
	p.WriteString("\n`--set dram=NAME` sets all keys of a data sheet. Others keep their values.\n")
	p.table("name", "DRAM", "source")
	usual := gpu.Default()
	header = []string{"key"}
	for _, s := range dram.Sheets() {
		p.row(code(s.Name), s.Doc, s.Source)
		header = append(header, s.Name)
	}
	p.table(header...)
	for _, k := range gpu.Keys() {
		cells := []string{code(k.Name)}
		var differ bool
		for _, s := range dram.Sheets() {
			c := usual
			require.NoError(p.t, c.Set("dram="+s.Name))
			cells = append(cells, k.Get(&c))
			differ = differ || k.Get(&c) != k.Get(&usual)
		}
		if differ {
			p.row(cells...)
		}
	}
}

func statistics(p *page) {
	p.table("name", "meaning", "unit", "GPGPU-Sim's word", "source")
	for _, s := range testbench.Stats() {
		p.row(code(s.Name), p.cell(s.Name, s.Doc), s.Unit, s.Word, s.Source)
	}
	p.details()
}

var entry = regexp.MustCompile(`\.entry\s+(\w+)`)

// suite lists the built-in kernels.
func suite(p *page) {
	p.WriteString("\n" + suiteIntroduction)
	p.table("kernel", "what it computes", "control flow")
	for _, k := range kernels.All() {
		p.row(fmt.Sprintf("[`%s`](#%s)", k.Name, k.Name), k.Doc, k.Control)
	}
	p.section("Sources")
	for _, k := range kernels.All() {
		fmt.Fprintf(p, "\n### %s\n\n", k.Name)
		p.text("  ", "- Source: "+k.Source+".")
		p.text("  ", "- Checked against: "+k.Result+".")
		if text, err := os.ReadFile(filepath.Join("../kernels/ptx", k.Name+".ptx")); err == nil {
			var names []string
			for _, m := range entry.FindAllSubmatch(text, -1) {
				names = append(names, code(string(m[1])))
			}
			p.text("  ", "- Entries: "+strings.Join(names, ", ")+".")
		}
	}
	p.section("Sizes")
	p.table("kernel", "small", "medium", "large")
	for _, k := range kernels.All() {
		cells := []string{code(k.Name)}
		for _, s := range k.Sizes {
			cells = append(cells, s.Doc)
		}
		p.row(cells...)
	}
}

const suiteIntroduction = `Each kernel is CUDA C of our own (` + "`kernels/cuda`" + `), compiled to PTX by clang (` +
	"`kernels/ptx`" + `).
A driver plays the host's part, and a reference computes the same answer on the host.

- A result is right only if every bit agrees.
- The PTX keeps the control flow of the source: no loop is unrolled, each ` + "`if`" + ` is a ` + "`bra`" + `, and blocks
  keep their order. ` + "`go generate ./kernels`" + ` compiles all kernels again.
- No kernel has a data race, so every correct machine ends with the same memory.
- Small sizes take a fraction of a second, medium ones a second or so, large ones up to three
  minutes of one core.
- ` + "`mandelbrot`, `julia`, `sobel`, `sobelfilter`, `volumerender`, `gaussian` and `dxtc`" + ` draw their
  result (` + "`--image FILE`" + `).

In the table P and D are the branch classes of Rhu & Erez (ISCA 2013, section 3.2). P branches
depend on thread indices and scalar parameters, D branches on values from memory. "Aligned" means
that the active threads of all warps of a CTA are in the same lanes.
`

func figures(p *page) {
	p.WriteString("\n`divergo reproduce NAME` draws one. [Experiments](../explanation/experiments.md) explains them.\n")
	p.table("figure", "what it shows", "source")
	for _, f := range experiments.Figures() {
		p.row(code(f.Name), f.Doc, f.Source())
	}
}

func checkers(p *page) {
	p.WriteString("\n`divergo check` looks at all of these in every run of a random kernel.\n")
	p.table("checker", "what must hold", "source")
	for _, c := range properties.Checkers() {
		assert.LessOrEqual(p.t, len(strings.Fields(c.Doc)), 25, c.Name)
		name := code(c.Name)
		if len(c.More) > 0 {
			name = fmt.Sprintf("[`%s`](#%s)", c.Name, c.Name)
		}
		p.row(name, c.Doc, c.From)
	}
	for _, c := range properties.Checkers() {
		if len(c.More) == 0 {
			continue
		}
		p.section(code(c.Name))
		p.WriteString("\n")
		for _, more := range c.More {
			p.WriteString("- ")
			p.text("  ", more)
		}
	}
}
