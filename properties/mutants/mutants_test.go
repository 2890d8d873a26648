package mutants_test

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/properties/mutants"
)

var all = flag.Bool("all", false, "hunt all mutants")

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

// TestAudited hunts the mutants that no result shows with the tests that audit
// their blocks.
func TestAudited(t *testing.T) {
	for _, m := range mutants.All() {
		if m.Audit == "" || !*all && m.Name != "dram-tras" {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			overlay, err := m.Overlay(root(t), t.TempDir())
			require.NoError(t, err)
			pkg, tests, _ := strings.Cut(m.Audit, " ")
			cmd := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-run", "^("+tests+")$", pkg)
			cmd.Dir = root(t)
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "it lives: %s", m.Bug)
			killer, found := failed(string(out))
			require.True(t, found, "%s", out)
			t.Logf("%s: killed by %s", m.Bug, killer)
		})
	}
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
