// Package experiments puts what papers claim about divergence hardware beside
// what this model does.
//
// A Claim is a sentence of a paper with a value that depends on logic alone, or
// on logic once a reading of the paper is fixed. Its value here is measured each
// time: blocks of hardware are driven, kernels are run on a mechanism or on the
// whole machine. What depends on workloads and timing that a paper does not
// give in full is claimed by its sign alone. Where the model differs, the claim says
// why. Planted faults see to it that claims can fail: see the tests.
//
// Paths measures what compaction could do for the branches of a kernel, with the
// metrics of Rhu & Erez (ISCA 2013).
package experiments

import (
	"fmt"
	"strings"
)

// Claim is a sentence of a paper that can be tried on the model.
type Claim struct {
	ID        string // TBC-09: begins with the key of the paper in capitals
	Place     string // in the paper: section, figure, table
	Statement string // with the conditions
	Theirs    string // the paper's value
	Why       string // what makes the model's value another one; "": it is the same

	// Mark is set for what is no measurement of hardware that could turn out
	// otherwise.
	Mark Mark

	// Ours measures the value of the model, perhaps with details in parentheses
	// behind it.
	Ours func() (string, error)

	Paper Paper // set by Register
}

// Mark says what a value is that is not measured.
type Mark string

// The marks.
const (
	Set            Mark = "set"  // a constant of a preset
	Reconstruction Mark = "ours" // what we have made of the paper, or a count of what we declare
)

// Verdict says how a claim fares.
type Verdict string

// The verdicts.
const (
	Match   Verdict = "match"   // the same value
	Differs Verdict = "differs" // another one
)

// Finding is what came of trying a claim.
type Finding struct {
	Ours    string
	Verdict Verdict
}

// Row is the claim's row of docs/reference/claims.md.
func (c *Claim) Row(f Finding) string {
	verdict := string(f.Verdict)
	if c.Why != "" {
		verdict += ": " + c.Why
	}
	cell := func(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", c.ID, c.Place, cell(c.Statement), cell(c.Theirs), cell(f.Ours), cell(verdict))
}

// Try measures the claim.
func (c *Claim) Try() Finding {
	ours, err := c.Ours()
	switch {
	case err != nil:
		return Finding{"not measured: " + err.Error(), Differs}
	case strings.HasPrefix(ours+" (", c.Theirs+" (") && c.Mark != "":
		return Finding{ours, Verdict(c.Mark)}
	case strings.HasPrefix(ours+" (", c.Theirs+" ("):
		return Finding{ours, Match}
	}
	return Finding{ours, Differs}
}

// always is the value of a property that holds in every sample.
const always = "always"

// forAll tries a property on samples 0 to n-1; hold returns what is wrong with
// one, or "".
func forAll(n int, hold func(sample uint64) (string, error)) (string, error) {
	for i := range uint64(n) {
		if wrong, err := hold(i); wrong != "" || err != nil {
			return fmt.Sprintf("not in sample %d: %s", i, wrong), err
		}
	}
	return always, nil
}

// listed is names, or that there are none.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return spaced(names)
}
