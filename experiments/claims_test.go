package experiments_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/experiments"
)

// TestClaims: the model does what the papers claim, unless it is said why not.
func TestClaims(t *testing.T) {
	last := ""
	for _, c := range experiments.Claims() {
		t.Run(c.ID, func(t *testing.T) {
			assert.Greater(t, c.ID, last, "in order, each once")
			last = c.ID
			for _, text := range []string{c.Place, c.Statement, c.Theirs} {
				assert.NotEmpty(t, text)
			}
			f := c.Try()
			want := experiments.Match
			switch {
			case c.Why != "":
				want = experiments.Differs
			case c.Mark != "":
				want = experiments.Verdict(c.Mark)
			}
			assert.Equal(t, want, f.Verdict, "ours %q, theirs %q", f.Ours, c.Theirs)
			assert.NotContains(t, f.Ours, "not measured")
		})
	}
}

func Example() {
	for _, c := range experiments.Claims() {
		if c.ID == "C0-03" {
			f := c.Try()
			fmt.Println(f.Ours)
			fmt.Println(f.Verdict)
		}
	}
	// Output:
	// 4 4 4 4; compacted 2 3 2 2
	// match
}
