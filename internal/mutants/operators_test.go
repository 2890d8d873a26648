package mutants

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/mutants/planted"
)

var (
	operators = flag.Int("operators", 0, "hunt so many mutants of the operators, which -by chooses")
	folders   = flag.String("folders", "", "packages that -operators draws from, separated by commas; none: all")
	named     = flag.String("named", "", "regular expression of the names of mutants that -operators draws from; none: all")
)

// modelled are the packages whose mutants are counted.
var modelled = []string{
	"sm", "sm/divergence", "sm/divergence/barriers", "sm/divergence/compaction", "sm/divergence/formation",
	"sm/divergence/paths", "sm/divergence/stacks", "sm/divergence/tokens", "units", "memsys", "memsys/dram", "isa",
}

// families are the mechanisms of packages. Those of other packages are hunted under any.
var families = map[string][]string{
	"sm/divergence/barriers":   {"barrier", "subwarp"},
	"sm/divergence/compaction": {"tbc", "tbc-lcp", "capri"},
	"sm/divergence/formation":  {"dwf", "dwf-wb"},
	"sm/divergence/paths":      {"ppc", "ppc-explicit", "ptpc"},
	"sm/divergence/stacks":     {"pdom", "pdom-lcp", "dpe", "multipath"},
	"sm/divergence/tokens":     {"token"},
	"":                         {"pdom", "tbc", "dwf", "barrier", "token", "multipath"},
}

// testedIn returns the packages whose tests are hunters of a package: its own, and one that looks at
// it from outside.
func testedIn(folder string) []string {
	switch {
	case folder == "isa":
		return []string{folder, "testbench/golden"}
	case strings.HasPrefix(folder, "sm"):
		return []string{folder, "gpu"}
	}
	return []string{folder}
}

// equivalents reads equivalent.txt: the reason why no test can find a mutant, by a line that names it.
func equivalents(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("equivalent.txt")
	require.NoError(t, err)
	reasons, reason := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if r, ok := strings.CutPrefix(line, "reason: "); ok {
			reason = r
		} else if line != "" && line[0] != '#' {
			require.NotEmpty(t, reason, line)
			reasons[line] = reason
		}
	}
	return reasons
}

// lines are those of equivalent.txt that name a mutant.
func (g *Generated) lines() []string {
	everywhere := *g
	everywhere.In = "*"
	return []string{g.String(), g.Folder + " " + g.In, everywhere.String()}
}

func (g *Generated) setAside(reasons map[string]string) bool {
	return slices.ContainsFunc(g.lines(), func(line string) bool { return reasons[line] != "" })
}

// TestOperators: all mutants of a package together compile, and each that is set aside exists. With
// -short it is one package.
func TestOperators(t *testing.T) {
	list := modelled
	if testing.Short() {
		list = []string{"units"}
	}
	all, err := Generate(root(t), list...)
	require.NoError(t, err)
	imports, err := exports(root(t), append(slices.Clone(list), "internal/mutants/planted"))
	require.NoError(t, err)
	names, kinds := map[string]bool{}, map[string]int{}
	for _, g := range all {
		assert.False(t, names[g.String()], "two are %s", g)
		for _, line := range g.lines() {
			names[line] = true
		}
		kinds[g.Operator]++
	}
	assert.Len(t, kinds, 6)
	slices.Reverse(all) // the order of the list is that of the numbers only
	for _, folder := range list {
		p, err := parsePackage(root(t), folder)
		require.NoError(t, err)
		texts := p.planted(folder, all)
		var files []*ast.File
		for _, f := range p.Files {
			name := p.Fset.Position(f.Pos()).Filename
			if text := texts[name]; text != nil {
				f, err = parser.ParseFile(p.Fset, name, text, parser.SkipObjectResolution)
				require.NoError(t, err)
			}
			files = append(files, f)
		}
		config := types.Config{Importer: imports}
		_, err = config.Check("divergo/"+folder, p.Fset, files, nil)
		assert.NoError(t, err)
	}
	for name := range equivalents(t) {
		known := slices.ContainsFunc(list, func(f string) bool { return strings.HasPrefix(name, f+" ") })
		assert.True(t, !known || names[name], "equivalent.txt: there is no mutant %s", name)
	}
}

// TestSample: the operators change what their names say.
func TestSample(t *testing.T) {
	list, err := Generate(root(t), "internal/mutants/testdata/sample")
	require.NoError(t, err)
	var names []string
	for _, g := range list {
		names = append(names, strings.TrimPrefix(g.String(), "internal/mutants/testdata/sample step "))
	}
	assert.Equal(t, []string{
		"negate 1: s.Live && mask != 0",
		"and-or 1: s.Live && mask != 0",
		"constant 1: 0",
		"drop 1: s.PC = s.Next",
		"field 1: s.Next",
		"constant 1: lanes",
		"drop 1: done[i] = mask&^killed > 1<<3",
		"negate 1: i < 3",
		"off-by-one 1: i < 3",
		"constant 1: 3",
		"drop 1: continue",
		"off-by-one 1: i",
		"off-by-one 1: mask&^killed > 1<<3",
		"and-or 1: mask&^killed",
		"constant 1: 1<<3",
	}, names)
	p, err := parsePackage(root(t), list[0].Folder)
	require.NoError(t, err)
	text := string(p.planted(list[0].Folder, list)[list[0].file])
	assert.Contains(t, text, `package sample; import "divergo/internal/mutants/planted"`)
	assert.Contains(t, text, `if (((s.Live) != (planted.On == 2) && `+
		`(mask != planted.Plus[uint32](3, 0)) != (planted.On == 2)) != (planted.On == 2)) != (planted.On == 1) {`)
	assert.Contains(t, text, `if planted.On != 4 { s.PC = planted.Swap(5, s.Next, s.PC) }`)
}

// fate is the end of a mutant.
type fate struct {
	*Generated
	by, what string // check, tests, or "" if it lives
}

// TestScore hunts mutants of the operators: with random kernels, and those that live with tests. At
// least half must die. It logs those that live, and a score for each package.
func TestScore(t *testing.T) {
	if *operators == 0 {
		return // nothing to hunt
	}
	list := modelled
	if *folders != "" {
		list = strings.Split(*folders, ",")
	}
	all, err := Generate(root(t), list...)
	require.NoError(t, err)
	wanted, err := regexp.Compile(*named)
	require.NoError(t, err)
	reasons := equivalents(t)
	total, aside := map[string]int{}, map[string]int{}
	all = slices.DeleteFunc(all, func(g *Generated) bool {
		total[g.Folder]++
		equal := g.setAside(reasons)
		if equal {
			aside[g.Folder]++
		}
		return equal || *named != "" && (g.Unseen() || !wanted.MatchString(g.String()))
	})
	slices.SortFunc(all, func(a, b *Generated) int {
		return cmp.Compare(sum(*by, a.String()), sum(*by, b.String()))
	})
	all = all[:min(*operators, len(all))]
	h := newHunter(t, all)
	fates := make([]fate, len(all))
	var group sync.WaitGroup
	next := make(chan int)
	for range 2 {
		group.Go(func() {
			for i := range next {
				fates[i] = h.hunt(i+1, all[i])
				name := all[i].String()
				if all[i].Unseen() {
					name = all[i].Folder + " (unseen)"
				}
				t.Logf("%s: %s", name, cmp.Or(fates[i].what, "LIVES"))
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	group.Wait()
	died := 0
	count := map[string]map[string]int{}
	for _, f := range fates {
		if count[f.Folder] == nil {
			count[f.Folder] = map[string]int{}
		}
		count[f.Folder]["drawn"]++
		count[f.Folder][f.by]++
		if f.by != "" {
			died++
		}
		if f.Unseen() {
			count[f.Folder]["unseen"]++
			if f.by != "" {
				count[f.Folder]["unseen died"]++
			}
		}
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	columns := []string{"drawn", "check", "tests", "", "unseen", "unseen died"}
	fmt.Fprintln(w, "package\tmutants\tset aside\tdrawn\tcheck\ttests\tlive\tunseen\tof them died")
	for _, folder := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(w, "%s\t%d\t%d", folder, total[folder], aside[folder])
		for _, c := range columns {
			fmt.Fprintf(w, "\t%d", count[folder][c])
		}
		fmt.Fprintln(w)
	}
	require.NoError(t, w.Flush())
	t.Logf("%d of %d died\n%s", died, len(all), &text)
	assert.GreaterOrEqual(t, 2*died, len(all))
}

// hunter has the programs in which all mutants are planted.
type hunter struct {
	t       *testing.T
	dir     string
	overlay string
	check   string // the command hunt
	sync.Mutex
	tests map[string]string // by folder, built for the first mutant that check lets live
}

func newHunter(t *testing.T, list []*Generated) *hunter {
	t.Helper()
	dir := t.TempDir()
	overlay, err := PlantAll(root(t), dir, list)
	require.NoError(t, err)
	h := &hunter{t: t, dir: dir, overlay: overlay, check: filepath.Join(dir, "hunt"), tests: map[string]string{}}
	h.build("build", "-o", h.check, "./internal/mutants/hunt")
	out, err := h.run(0, ".", h.check, "-runs", "8")
	require.NoError(t, err)
	require.Equal(t, "null", strings.TrimSpace(string(out)), "found without a mutant")
	return h
}

func (h *hunter) build(command string, args ...string) {
	cmd := exec.Command("go", append([]string{command, "-overlay", h.overlay, "-ldflags=-s -w"}, args...)...)
	cmd.Dir = root(h.t)
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Errorf("%v: %s", err, out)
	}
}

// test returns the program with the tests of a package.
func (h *hunter) test(folder string) string {
	h.Lock()
	defer h.Unlock()
	if h.tests[folder] == "" {
		h.tests[folder] = filepath.Join(h.dir, strings.ReplaceAll(folder, "/", "_")+".test")
		h.build("test", "-c", "-vet=off", "-o", h.tests[folder], "./"+folder)
	}
	return h.tests[folder]
}

// hunt hunts mutant n.
func (h *hunter) hunt(n int, g *Generated) fate {
	mechanisms := families[g.Folder]
	if mechanisms == nil {
		mechanisms = families[""]
	}
	args := append([]string{"-runs", strconv.Itoa(*runs), "-shrink", shrink.String()}, mechanisms...)
	out, err := h.run(n, ".", h.check, args...)
	if err != nil {
		return fate{g, "check", "hunt: " + err.Error()}
	}
	if f := kill(h.t, out); f != "" {
		return fate{g, "check", f}
	}
	for _, folder := range testedIn(g.Folder) {
		out, err = h.run(n, filepath.Join(root(h.t), filepath.FromSlash(folder)), h.test(folder),
			"-test.short", "-test.failfast")
		if err != nil {
			killer, _ := failed(string(out))
			return fate{g, "tests", cmp.Or(killer, folder+": "+err.Error())}
		}
	}
	return fate{g, "", ""}
}

// run runs a program with mutant n, for 60 seconds of processor time and in 8 GB of addresses.
func (h *hunter) run(n int, dir, program string, args ...string) ([]byte, error) {
	limits := `ulimit -t 60; ulimit -v 8000000; exec "$0" "$@"`
	cmd := exec.Command("sh", append([]string{"-c", limits, program}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", planted.Variable, n))
	return cmd.Output()
}
