package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
)

// claims is reference/claims.md, with a row for each.
func claims(row func(*experiments.Claim) string) string {
	var b strings.Builder
	b.WriteString(`# What the papers say, and what the model does

Printed by ` + "`go test ./docs -run Claims -update`" + `, as ` + "`divergo list claims`" + ` prints it: every value of ours is measured when the list is made,
on blocks of hardware or in runs of kernels. Most of the list depends on logic alone, or on logic once a reading of the
paper is fixed, which is then in the words of the claim. Of what depends on the workloads and the timing of another
simulator it has the sign or the order, on the kernels that are named, in their medium size and on two SMs; those of Fung & Aamodt's section 6 with the
policies that the paper had: TBC with likely-convergence points and CTAs by age, DWF by majority, PDOM with neither. The kernels of these two papers have addresses of 32 bits. A value in parentheses is detail beside the one that is compared.
The ID of a claim is the key of its paper and a number, which stands for nothing else.
A value marked ` + "`ours`" + ` is a count of what we declare, and nothing that could turn out otherwise. That the others can is shown by planted faults: ` + "`go test ./experiments -run Mutants -all`" + `.
`)
	for _, paper := range experiments.Papers() {
		fmt.Fprintf(&b, "\n## %s\n\n| claim | place | statement | theirs | ours | verdict |\n|---|---|---|---|---|---|\n", paper)
		for _, c := range experiments.Claims() {
			if c.Paper.Key == paper.Key {
				b.WriteString(row(&c) + "\n")
			}
		}
	}
	return b.String()
}

// TestClaims: the document has the claims. That their values are what the model does
// today is a test of package experiments, which measures them.
func TestClaims(t *testing.T) {
	if *update {
		measured := claims(func(c *experiments.Claim) string { return c.Row(c.Try()) })
		require.NoError(t, os.WriteFile("reference/claims.md", []byte(measured), 0o644))
	}
	text, err := os.ReadFile("reference/claims.md")
	require.NoError(t, err)
	got := strings.Split(string(text), "\n")
	want := claims(func(c *experiments.Claim) string {
		words, _, _ := strings.Cut(c.Row(experiments.Finding{Ours: "\n"}), "\n")
		for _, line := range got {
			if strings.HasPrefix(line, words) {
				return line
			}
		}
		return words
	})
	assert.Equal(t, strings.Split(want, "\n"), got, "run go test ./docs -run Claims -update")
}
