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

// long lists the claims that run benchmarks for longer than half a second, as numbers do.
var long = strings.Fields(`
	COST-09
	HERDING-07 HERDING-08 HERDING-13 HERDING-14 HERDING-15 HERDING-16 HERDING-18 HERDING-22
	PPC-03 PPC-06
	SLP-16 SLP-17 SLP-20 SLP-21 SLP-22 SLP-26 SLP-27 SLP-28 SLP-30 SLP-31 SLP-35 SLP-36 SLP-37 SLP-38 SLP-40
	TBC-09 TBC-10 TBC-11 TBC-12 TBC-13 TBC-14 TBC-15 TBC-17 TBC-18 TBC-19 TBC-20 TBC-21 TBC-22 TBC-23 TBC-24 TBC-25 TBC-51
`)

// TestClaims: the model matches the papers' claims, except where a claim says why not.
// docs/reference/claims.md agrees with it. With -short it leaves out long claims.
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
			if testing.Short() && (c.Number != nil || slices.Contains(long, c.ID)) {
				t.Skip("runs benchmarks")
			}
			f := c.Try()
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
