package mutants_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/mutants"
	"divergo/properties"
)

var (
	all  = flag.Bool("all", false, "hunt all mutants")
	runs = flag.Int("runs", 3000, "random kernels to hunt a mutant with")
	some = flag.Int("some", 0, "hunt so many mutants, which -by chooses")
	by   = flag.String("by", "", "a text, such as the hash of a commit: equal ones choose equal mutants")
)

// TestCatalogue: every mutant changes a line that is there, and the catalogue
// is as large as it should be.
func TestCatalogue(t *testing.T) {
	list := mutants.All()
	assert.GreaterOrEqual(t, len(list), 60)
	seen := map[string]bool{}
	for _, m := range list {
		_, err := m.Overlay(root(t), t.TempDir())
		require.NoError(t, err)
		assert.False(t, seen[m.Name], m.Name)
		seen[m.Name] = true
		assert.NotEqual(t, m.Old, m.New, m.Name)
		assert.True(t, len(m.By) > 0 || m.Audit != "", m.Name)
	}
}

// chosen are those that -by chooses: the ones of the smallest sums of that text
// and their names.
func chosen(n int, by string) []mutants.Mutant {
	sum := func(m mutants.Mutant) uint64 {
		h := fnv.New64a()
		h.Write([]byte(by + " " + m.Name))
		return h.Sum64()
	}
	list := mutants.All()
	slices.SortFunc(list, func(a, b mutants.Mutant) int { return cmp.Compare(sum(a), sum(b)) })
	return list[:min(n, len(list))]
}

// TestChosen: equal texts choose equal mutants, others others.
func TestChosen(t *testing.T) {
	one := chosen(10, "4fd0add")
	assert.Len(t, one, 10)
	assert.Equal(t, one, chosen(10, "4fd0add"))
	assert.NotEqual(t, one, chosen(10, "07aa67f"))
}

// TestMutants hunts each mutant. The default is one of each kind, with -short
// the one that takes a package less to compile.
func TestMutants(t *testing.T) {
	list := mutants.All()
	if *some > 0 {
		list, *all = chosen(*some, *by), true
	}
	for _, m := range list {
		if testing.Short() && m.Name != "cache-mru" || !*all && m.Name != "cache-mru" && m.Name != "pdom-lost-lanes" {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			dir := t.TempDir()
			overlay, err := m.Overlay(root(t), dir)
			require.NoError(t, err)
			if m.Audit != "" {
				killer := audit(t, &m, overlay)
				require.NotEmpty(t, killer, "the tests of its block let it live: %s", m.Bug)
				t.Logf("%s: killed by %s", m.Bug, killer)
			}
			if len(m.By) > 0 {
				killer := check(t, &m, overlay, dir)
				require.NotEmpty(t, killer, "it lives: %s", m.Bug)
				t.Logf("%s: killed by %s", m.Bug, killer)
			}
		})
	}
}

// check hunts a mutant with random kernels, and says which checker killed it
// after how many.
func check(t *testing.T, m *mutants.Mutant, overlay, dir string) (killer string) {
	t.Helper()
	bin := filepath.Join(dir, "divergo")
	build := exec.Command("go", "build", "-overlay", overlay, "-o", bin, "./cmd/divergo")
	build.Dir = root(t)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	hunt := exec.Command(bin, append([]string{"check", "--json", "--shrink", "1ms", "--runs", strconv.Itoa(*runs)}, m.By...)...)
	hunt.Dir = dir
	out, err = hunt.Output()
	if err == nil {
		return ""
	}
	var report struct {
		Failure struct {
			Checker, Mechanism string
			Seed               int
		}
	}
	require.NoError(t, json.Unmarshal(out, &report), "%s", out)
	names := []string{}
	for _, c := range properties.Checkers() {
		names = append(names, c.Name)
	}
	require.Contains(t, names, report.Failure.Checker, "what killed it is no checker: %s", out)
	return fmt.Sprintf("checker %s under %s, %d kernels", report.Failure.Checker, report.Failure.Mechanism, report.Failure.Seed+1)
}

// audit hunts a mutant with the tests that audit its block, and says which of
// them killed it.
func audit(t *testing.T, m *mutants.Mutant, overlay string) (killer string) {
	t.Helper()
	pkg, tests, _ := strings.Cut(m.Audit, " ")
	hunt := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-run", "^("+tests+")$", pkg)
	hunt.Dir = root(t)
	out, err := hunt.CombinedOutput()
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
