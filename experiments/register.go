package experiments

import (
	"slices"
	"strings"

	"divergo/internal/papers"
)

// Paper is a publication that this package reproduces. Its key names its figures and claims.
type Paper = papers.Paper

// The registered papers, figures and claims, in order.
var (
	registered []Paper
	figures    []Figure
	claims     []Claim
)

// Register adds a paper with figures and claims, in an init function. It panics if the paper is
// registered twice, or if a figure or claim is incomplete.
//
// The name of a figure is the key of the paper, or begins with the key and a dash. The ID of a
// claim begins with the key in capitals and a dash.
func Register(p Paper, ofFigures []Figure, ofClaims []Claim) {
	if p.Key == "" || slices.ContainsFunc(registered, func(r Paper) bool { return r.Key == p.Key }) {
		panic("experiments: paper " + p.Key + ": want a key that is new")
	}
	ofFigures, ofClaims = slices.Clone(ofFigures), slices.Clone(ofClaims)
	for i := range ofFigures {
		f := &ofFigures[i]
		f.Paper = p
		if !strings.HasPrefix(f.Name+"-", p.Key+"-") || f.Doc == "" || f.Place == "" || (f.Draw == nil) == (f.Planned == nil) {
			panic("experiments: figure " + f.Name + ": want a name with " + p.Key + ", Doc, Place, and Draw or Planned")
		}
	}
	prefix := strings.ToUpper(p.Key) + "-"
	for i := range ofClaims {
		c := &ofClaims[i]
		c.Paper = p
		if c.Number != nil {
			c.Theirs = c.Number.theirs()
		}
		if !strings.HasPrefix(c.ID, prefix) || c.Place == "" || c.Statement == "" || c.Theirs == "" || (c.Ours == nil) == (c.Number == nil) {
			panic("experiments: claim " + c.ID + ": want an ID with " + prefix + ", Place, Statement, and Theirs and Ours or a Number")
		}
	}
	slices.SortFunc(ofClaims, func(a, b Claim) int { return strings.Compare(a.ID, b.ID) })
	registered, figures, claims = append(registered, p), append(figures, ofFigures...), append(claims, ofClaims...)
}

// Figures returns the figures of all papers.
func Figures() []Figure { return figures }

// Claims returns the claims of all papers, each paper's by number.
func Claims() []Claim { return claims }
