package experiments_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
)

// TestClaims: the model matches the papers' claims, except where a claim says why not.
// docs/reference/claims.md agrees with it. -short leaves out the claims that run benchmarks. The test
// fails if another claim runs some.
func TestClaims(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/claims.md")
	require.NoError(t, err)
	rows := strings.Split(string(page), "\n")
	last := ""
	for _, c := range experiments.Claims() {
		t.Run(c.ID, func(t *testing.T) {
			assert.Greater(t, c.ID, last, "in order, each once")
			last = c.ID
			for _, text := range []string{c.Place, c.Statement, c.Theirs} {
				assert.NotEmpty(t, text)
			}
			if testing.Short() && (c.Benchmarks || c.Number != nil) {
				t.Skip("runs benchmarks")
			}
			made := experiments.SharedRuns()
			f := c.Try()
			assert.True(t, c.Benchmarks || c.Number != nil || experiments.SharedRuns() == made,
				"it runs benchmarks: set Claim.Benchmarks")
			switch {
			case c.Why != "" && c.Number == nil:
				assert.Equal(t, experiments.Differs, f.Verdict, "ours %q, theirs %q", f.Ours, c.Theirs)
			case c.Mark != "":
				assert.EqualValues(t, c.Mark, f.Verdict, "ours %q, theirs %q", f.Ours, c.Theirs)
			case c.Why == "":
				assert.Contains(t, []experiments.Verdict{experiments.Match, experiments.Order}, f.Verdict,
					"ours %q, theirs %q", f.Ours, c.Theirs)
			}
			assert.NotContains(t, f.Ours, "not measured")
			assert.True(t, slices.Contains(rows, c.Row(f)),
				"docs/reference/claims.md has not %s: run go test ./docs -run Claims -update", c.Row(f))
		})
	}
}

func Example() {
	for _, c := range experiments.Claims() {
		if c.ID == "SLP-03" {
			f := c.Try()
			fmt.Println(f.Ours)
			fmt.Println(f.Verdict)
		}
	}
	// Output:
	// 4 4 4 4; compacted 2 3 2 2
	// match
}
