package experiments_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/mutants"
)

var all = flag.Bool("all", false, "plant all faults")

// TestMutants: each mutant with claims gives these claims another verdict than
// docs/reference/claims.md has. Such mutants change timing and policy but no result, so random kernels
// do not find them. Each test plants two of them, or all with -all; -run selects one.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	list, err := mutants.All(root)
	require.NoError(t, err)
	list = slices.DeleteFunc(list, func(m mutants.Mutant) bool { return len(m.Claims) == 0 })
	assert.GreaterOrEqual(t, len(list), 20)
	page, err := os.ReadFile("../docs/reference/claims.md")
	require.NoError(t, err)
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
				is := verdict(claim, out)
				require.NotEmpty(t, is, "%s: %s stays as it was\n%s", m.Bug, claim, out)
				assert.NotEqual(t, verdict(claim, page), is, "%s: %s", m.Bug, claim)
			}
		})
	}
}

// verdict returns the verdict in the row of a claim, or "" if the text has no such row.
func verdict(claim string, text []byte) string {
	row := regexp.MustCompile(`(?s)\| ` + claim + ` \|.*?\| (match|order|differs|set|ours) \|`)
	if found := row.FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return ""
}
