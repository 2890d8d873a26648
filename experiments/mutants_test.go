package experiments_test

import (
	"flag"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/mutants"
)

var all = flag.Bool("all", false, "plant all faults")

// TestMutants: each mutant with claims makes these claims fail. Such mutants change timing and
// policy but no result, so random kernels do not find them. Each test plants two of them, or all
// with -all.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	list, err := mutants.All(root)
	require.NoError(t, err)
	list = slices.DeleteFunc(list, func(m mutants.Mutant) bool { return len(m.Claims) == 0 })
	assert.GreaterOrEqual(t, len(list), 20)
	for _, m := range list {
		if !*all && (testing.Short() || m.Name != "tbc-one-entry" && m.Name != "dram-no-row-cycle") {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			overlay, err := m.Overlay(root, t.TempDir())
			require.NoError(t, err)
			claims := "^TestClaims$/^(" + strings.Join(m.Claims, "|") + ")$"
			hunt := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-vet=off", "-run", claims,
				"./experiments")
			hunt.Dir = root
			out, err := hunt.CombinedOutput()
			require.Error(t, err, "%s: %s stays as it was", m.Bug, m.Claims)
			for _, claim := range m.Claims {
				red := strings.Contains(string(out), "--- FAIL: TestClaims/"+claim)
				require.True(t, red, "%s: %s stays as it was\n%s", m.Bug, claim, out)
			}
		})
	}
}
