// Package experiments compares what papers claim about divergence hardware with this model.
//
// A Claim is a sentence of a paper whose value depends on logic only, or on logic once a reading of
// the paper is fixed. Ours measures the model's value each time: it drives blocks of hardware, or
// runs kernels on a mechanism or on the whole machine. Some values depend on workloads and timing
// that a paper does not give in full. A Number compares these, or only the sign is claimed. If the model differs, the
// claim says why. Planted faults check that claims can fail: see the tests.
//
// Paths measures what compaction can gain at the branches of a kernel. It uses the metrics of Rhu &
// Erez (ISCA 2013).
package experiments

import (
	"fmt"
	"regexp"
	"strings"
)

// Claim is a sentence of a paper that the model can test.
type Claim struct {
	ID        string // TBC-09: begins with the key of the paper in capitals
	Place     string // section, figure or table of the paper
	Statement string // the claim and its conditions
	Theirs    string // the paper's value
	Why       string // why the model's value differs; "": it does not

	// Benchmarks says that Ours runs whole kernels, which takes seconds.
	Benchmarks bool

	// Mark is set if the value is not a measurement that could fail.
	Mark Mark

	// Ours measures the model's value. Details may follow in parentheses.
	Ours func() (string, error)

	// Number is the claim in place of Theirs and Ours, if it is a number that depends on workloads.
	Number *Number

	Paper Paper // set by Register
}

// Mark is the origin of a value that is not measured.
type Mark string

// The marks of claims.
const (
	Set            Mark = "set"  // a constant of a preset
	Reconstruction Mark = "ours" // our reading of the paper, or a count of our declarations
)

// Verdict compares the model's value with the paper's.
type Verdict string

// The verdicts of findings.
const (
	Match   Verdict = "match"   // the same value; a number within its tolerance
	Order   Verdict = "order"   // the same sign or order
	Differs Verdict = "differs" // another value
)

// Finding is the result of a claim: the model's value and the verdict.
type Finding struct {
	Ours    string
	Verdict Verdict
}

// Row returns the claim's row of docs/reference/claims.md, which has Why below the table.
func (c *Claim) Row(f Finding) string {
	cell := func(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", c.ID, c.Place, cell(c.Statement), cell(c.Theirs),
		cell(f.Ours), f.Verdict)
}

// Try measures the claim in quick runs and compares the value with the paper's.
func (c *Claim) Try() Finding {
	if c.Number != nil {
		m, err := c.Number.By(Quick)
		if err != nil {
			return Finding{"not measured: " + err.Error(), Differs}
		}
		ours, err := c.Number.ours(m)
		if err != nil {
			return Finding{"not measured: " + err.Error(), Differs}
		}
		return Finding{ours, c.Number.Verdict(m.Mean)}
	}
	ours, err := c.Ours()
	switch {
	case err != nil:
		return Finding{"not measured: " + err.Error(), Differs}
	case !strings.HasPrefix(ours+" (", c.Theirs+" ("):
		return Finding{ours, Differs}
	case c.Mark != "":
		return Finding{ours, Verdict(c.Mark)}
	case ordinal.MatchString(c.Theirs):
		return Finding{ours, Order}
	}
	return Finding{ours, Match}
}

// ordinal matches what a claim has in place of a number, if it claims no more than a sign or an order.
var ordinal = regexp.MustCompile(`\b(above|below|even)\b`)

// always is the value of a property that holds for every sample.
const always = "always"

// forAll tests a property on samples 0 to n-1. hold returns "" or the violation.
func forAll(n int, hold func(sample uint64) (string, error)) (string, error) {
	for i := range uint64(n) {
		if wrong, err := hold(i); wrong != "" || err != nil {
			return fmt.Sprintf("not in sample %d: %s", i, wrong), err
		}
	}
	return always, nil
}

// listed joins names, or returns "none".
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return spaced(names)
}
