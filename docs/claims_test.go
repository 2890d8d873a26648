package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
	"divergo/internal/mutants"
)

const claimsIntroduction = `# What the papers say, and what the model does

Written by ` + "`go test ./docs -run Claims -update`" + `, as ` + "`divergo list claims`" + ` prints it. Every value of ours is
measured when the list is made, on blocks of hardware or in runs of kernels.

- Most claims depend on logic alone, or on logic once a reading of the paper is fixed. The reading is
  in the words of the claim.
- Numbers that depend on workloads and timing have the ratio of ours to theirs, and the kernels that ran.
  They are a match within a quarter of the paper's effect: at least 0.02 of a speed and 2 points of a
  gain, at most 5 points of a rate. An order has the same sign and a twentieth of the effect or more;
  where the paper has no number, a hundredth of a speed.
- Other claims on another simulator's timing have the sign or the order alone, and the verdict ` + "`order`" + `.
- A number that differs has the cause and, behind a semicolon, ours in a run without it.
- Values are of quick runs: kernels in their medium size, on two SMs, for one input. Numbers of the plan
  (docs/explanation/experiments.md) are in the figure ` + "`ours-headline`" + `.
- Those of Fung & Aamodt's section 6 have the paper's policies: TBC with likely-convergence points and
  CTAs by age, DWF by majority, PDOM with neither. Kernels of this paper and of Rhu & Erez's have
  addresses of 32 bits.
- The ID of a claim is the key of its paper and a number, which stands for nothing else.
- The reasons why claims do not match are below the table of each paper.
- A value in parentheses is detail beside the one that is compared.
- A value marked ` + "`ours`" + ` is a count of what we declare, and cannot turn out otherwise. Planted faults show
  that others can: ` + "`go test ./experiments -run Mutants -all`" + `. Each of them gives its claims another verdict.
  The last section has the matches and orders without a fault.
`

// claims returns reference/claims.md. row formats each claim. turned are those with a planted fault.
func claims(turned map[string]bool, row func(*experiments.Claim) string) string {
	b, reasons := &page{}, &page{}
	left := map[string][]string{} // by paper
	var papers []string
	b.WriteString(claimsIntroduction)
	paper := ""
	for _, c := range experiments.Claims() {
		if c.Paper.Key != paper {
			b.WriteString(reasons.String())
			reasons.Reset()
			paper = c.Paper.Key
			b.section(c.Paper.String())
			b.WriteString("\n| claim | place | statement | theirs | ours | verdict |\n|---|---|---|---|---|---|\n")
		}
		line := row(&c)
		b.WriteString(line + "\n")
		if upheld.MatchString(line) {
			if !turned[c.ID] {
				if left[paper] == nil {
					papers = append(papers, paper)
				}
				left[paper] = append(left[paper], c.ID)
			}
			continue
		}
		if c.Why == "" {
			continue
		}
		if reasons.Len() == 0 {
			reasons.WriteString("\nWhy claims do not match:\n\n")
		}
		reasons.WriteString("- ")
		reasons.text("  ", c.ID+": "+c.Why)
	}
	b.WriteString(reasons.String())
	b.section("Without a planted fault")
	if len(papers) == 0 {
		b.WriteString("\nNone: a fault of the catalogue (`mutants.diff`) turns each match and each order.\n")
		return b.String()
	}
	b.WriteString("\nNo fault of the catalogue (`mutants.diff`) is known to turn these matches and orders.\n\n" +
		"| paper | claims |\n|---|---|\n")
	for _, paper := range papers {
		fmt.Fprintf(b, "| %s | %s |\n", paper, strings.Join(left[paper], " "))
	}
	return b.String()
}

// upheld matches the row of a match or an order.
var upheld = regexp.MustCompile(`\| (match|order) \|$`)

// faults returns the claims that a fault of the catalogue turns red.
func faults(t *testing.T) map[string]bool {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	list, err := mutants.All(root)
	require.NoError(t, err)
	turned := map[string]bool{}
	for _, m := range list {
		for _, id := range m.Claims {
			turned[id] = true
		}
	}
	return turned
}

// TestClaims: the document lists all claims. TestClaims of package experiments measures their
// values.
func TestClaims(t *testing.T) {
	if *update {
		measured := claims(faults(t), func(c *experiments.Claim) string { return c.Row(c.Try()) })
		require.NoError(t, os.WriteFile("reference/claims.md", []byte(measured), 0o644))
	}
	text, err := os.ReadFile("reference/claims.md")
	require.NoError(t, err)
	got := strings.Split(string(text), "\n")
	want := claims(faults(t), func(c *experiments.Claim) string {
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
