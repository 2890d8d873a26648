package mutants

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/properties"
)

var (
	all    = flag.Bool("all", false, "hunt all mutants")
	runs   = flag.Int("runs", 3000, "random kernels to hunt a mutant with")
	shrink = flag.Duration("shrink", time.Millisecond, "time to spend on making the kernel small that kills a mutant")
	some   = flag.Int("some", 0, "hunt so many mutants, which -by chooses")
	by     = flag.String("by", "", "a text, such as the hash of a commit: equal ones choose equal mutants")
)

// mechanisms are the files of each mechanism, or of a family in which one is an option of the
// other.
var mechanisms = [][]string{
	{"pathstack", "pdom"},
	{"token", "window"},
	{"ptpc"},
	{"ppc"},
	{"dpe"},
	{"multipath"},
	{"convbarrier"},
	{"subwarp"},
	{"dwf", "dwf_issue", "dwf_barrier"},
	{"tbc", "tbc_barrier"},
	{"capri"},
}

// TestCatalogue: every mutant changes an existing place, and compiles. The catalogue has enough
// mutants: ten in each mechanism, and sixty made from reports of real faults. With -short, every
// tenth is compiled.
func TestCatalogue(t *testing.T) {
	list, packages := catalogue(t), map[string]*sources{}
	assert.GreaterOrEqual(t, len(list), 300)
	for _, m := range list {
		if packages[m.Folder] == nil {
			p, err := parsePackage(root(t), m.Folder)
			require.NoError(t, err)
			packages[m.Folder] = p
		}
	}
	reported, in, seen := 0, map[string]int{}, map[string]bool{}
	compiler := newCompiler(t, slices.Collect(maps.Keys(packages)))
	for i, m := range list {
		p := packages[m.Folder]
		file, text, err := p.plant(&m)
		if !assert.NoError(t, err) {
			continue
		}
		if !testing.Short() || i%10 == 0 {
			assert.NoError(t, compiler.check(p, m.Folder, file, text), "%s: %s", m.At, m.Name)
		}
		assert.False(t, seen[m.Name], "%s: there is another %s", m.At, m.Name)
		seen[m.Name] = true
		assert.True(t, m.hunted() || m.Audit != "" || len(m.Claims) > 0, "%s: nothing has to find %s", m.At, m.Name)
		if m.From != "" {
			reported++
			assert.Regexp(t, `^[\w-]+/[\w.-]+#\d+$`, m.From, m.At)
		}
		if strings.HasPrefix(file, "sm/divergence/") && len(m.Claims) == 0 {
			in[strings.TrimSuffix(path.Base(file), ".go")]++
		}
	}
	assert.GreaterOrEqual(t, reported, 60)
	for _, files := range mechanisms {
		n := 0
		for _, f := range files {
			n += in[f]
		}
		assert.GreaterOrEqual(t, n, 10, files)
	}
}

// catalogue returns all mutants.
func catalogue(t *testing.T) []Mutant {
	t.Helper()
	list, err := All(root(t))
	require.NoError(t, err)
	return list
}

// hunted reports whether random kernels must find a mutant.
func (m *Mutant) hunted() bool { return len(m.By) > 0 && m.Lives == "" }

// chosen returns the mutants that -by selects. Of those that check or a test must find, these have the
// smallest hashes of that text with their names.
func chosen(list []Mutant, n int, by string) []Mutant {
	list = slices.DeleteFunc(slices.Clone(list), func(m Mutant) bool { return !m.hunted() && m.Audit == "" })
	slices.SortFunc(list, func(a, b Mutant) int { return cmp.Compare(sum(by, a.Name), sum(by, b.Name)) })
	return list[:min(n, len(list))]
}

// TestChosen: equal texts choose equal mutants, different texts different ones.
func TestChosen(t *testing.T) {
	list := catalogue(t)
	one := chosen(list, 10, "4fd0add")
	assert.Len(t, one, 10)
	assert.Equal(t, one, chosen(list, 10, "4fd0add"))
	assert.NotEqual(t, one, chosen(list, 10, "07aa67f"))
}

// TestMutants hunts each mutant. The default is one of each kind; with -short it is the one whose
// package takes less time to compile.
func TestMutants(t *testing.T) {
	list := catalogue(t)
	if *some > 0 {
		list, *all = chosen(list, *some, *by), true
	}
	for _, m := range list {
		if testing.Short() && m.Name != "cache-mru" || !*all && m.Name != "cache-mru" && m.Name != "pdom-lost-lanes" {
			continue
		}
		if !m.hunted() && m.Audit == "" {
			continue // the claims hunt it
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			overlay, err := m.Overlay(root(t), dir)
			require.NoError(t, err)
			if m.Audit != "" && !(*some > 0 && m.hunted()) {
				killer := audit(t, &m, overlay)
				require.NotEmpty(t, killer, "the tests of its block let it live: %s", m.Bug)
				t.Logf("%s: killed by %s", m.Bug, killer)
			}
			if m.hunted() {
				killer := check(t, &m, overlay, dir)
				require.NotEmpty(t, killer, "it lives: %s", m.Bug)
				t.Logf("%s: killed by %s", m.Bug, killer)
			}
		})
	}
}

// check hunts a mutant with random kernels. It returns the checker that killed it, and the number
// of kernels.
func check(t *testing.T, m *Mutant, overlay, dir string) (killer string) {
	t.Helper()
	bin := filepath.Join(dir, "hunt")
	build := exec.Command("go", "build", "-overlay", overlay, "-ldflags=-s -w", "-o", bin, "./internal/mutants/hunt")
	build.Dir = root(t)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var errors strings.Builder
	hunt := exec.Command(bin, append([]string{"-runs", strconv.Itoa(*runs), "-shrink", shrink.String()}, m.By...)...)
	hunt.Stderr = &errors
	out, err = hunt.Output()
	require.NoError(t, err, "%s", &errors)
	return kill(t, out)
}

// kill describes what the command hunt found; "" is nothing.
func kill(t *testing.T, out []byte) string {
	var found *struct {
		Checker, Mechanism string
		Kernels            int
		Spent              time.Duration
		Instructions       int
	}
	if !assert.NoError(t, json.Unmarshal(out, &found), "%s", out) || found == nil {
		return ""
	}
	names := []string{}
	for _, c := range properties.Checkers() {
		names = append(names, c.Name)
	}
	assert.Contains(t, names, found.Checker, "what killed it is no checker: %s", out)
	return fmt.Sprintf("checker %s under %s, %d kernels, %.1f s, smallest kernel of %d instructions",
		found.Checker, found.Mechanism, found.Kernels, found.Spent.Seconds(), found.Instructions)
}

// audit hunts a mutant with the tests that audit its block. It returns the test that killed it.
func audit(t *testing.T, m *Mutant, overlay string) (killer string) {
	t.Helper()
	pkg, tests, _ := strings.Cut(m.Audit, " ")
	test, sub, _ := strings.Cut(tests, "/")
	hunt := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-vet=off", "-run", "^("+test+")$/^"+sub, pkg)
	hunt.Dir = root(t)
	out, err := hunt.CombinedOutput()
	require.NotContains(t, string(out), "no tests to run", m.At)
	if err == nil {
		return ""
	}
	killer, found := failed(string(out))
	require.True(t, found, "%s", out)
	return killer
}

// failed finds the first test that failed in the output of go test.
func failed(out string) (test string, ok bool) {
	_, after, ok := strings.Cut(out, "--- FAIL: ")
	test, _, _ = strings.Cut(after, " ")
	return test, ok
}

// root is the folder of the module.
func root(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../..")
	require.NoError(t, err)
	return path
}
