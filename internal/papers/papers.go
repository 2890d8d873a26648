// Package papers lists the papers that the model reproduces. The key of a paper names its figures,
// its claims, its preset and the sources of keys and statistics.
package papers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
)

// Paper is a publication.
type Paper struct {
	Key     string // tbc: a word in lower case
	Authors string // Fung & Aamodt
	Title   string
	Venue   string // HPCA; "" for a paper without one
	Year    int

	former []string // names in earlier releases in place of the key
}

// The papers.
var (
	SLP = Paper{
		"slp", "Rhu & Erez", "Maximizing SIMD Resource Utilization in GPGPUs with SIMD Lane Permutation", "ISCA", 2013,
		[]string{"s0", "C0", "slp2013"},
	}
	PPC = Paper{
		"ppc", "Huang et al.", "Dynamic SIMD Re-convergence with Paired-Path Comparison", "ISCAS", 2016,
		[]string{"s1", "C1", "ppc16"},
	}
	Herding = Paper{
		"herding", "Sartori & Kumar", "Branch and Data Herding", "", 2012,
		[]string{"s2", "C2"},
	}
	Cost = Paper{
		"cost", "Bialas & Strzelecki", "Benchmarking the cost of thread divergence in CUDA", "", 2015,
		[]string{"s3", "C3"},
	}
	TBC = Paper{
		"tbc", "Fung & Aamodt", "Thread Block Compaction for Efficient SIMT Control Flow", "HPCA", 2011,
		[]string{"s4", "C4", "tbc2011"},
	}
	Machine = Paper{
		"machine", "Mei & Chu", "Dissecting GPU Memory Hierarchy through Microbenchmarking", "IEEE TPDS", 2017,
		nil,
	}

	// Ours names the figures that compare mechanisms of several papers.
	Ours = Paper{"ours", "divergo", "Mechanisms side by side", "", 2026, nil}
)

var all = []*Paper{&SLP, &PPC, &Herding, &Cost, &TBC, &Machine}

// String is authors, title, venue and year.
func (p Paper) String() string { return p.Authors + ", " + p.Title + ", " + p.published() }

// At is a source at a place in the paper: Fung & Aamodt, HPCA 2011, table 2.
func (p Paper) At(place string) string { return p.Short() + ", " + place }

// Short is authors, venue and year.
func (p Paper) Short() string { return p.Authors + ", " + p.published() }

func (p Paper) published() string { return strings.TrimSpace(p.Venue + " " + strconv.Itoa(p.Year)) }

// Source expands a source that begins with the key of a paper, such as "tbc: table 2". Other
// sources are unchanged.
func Source(text string) string {
	if key, place, ok := strings.Cut(text, ": "); ok {
		for _, p := range all {
			if p.Key == key {
				return p.At(place)
			}
		}
	}
	return text
}

// Unknown is the error for a word that is not a known figure, claim or preset. It names the present
// word for one of an earlier release, otherwise the nearest word.
func Unknown(kind, word string, known []string) error {
	name, ok := renamed(word)
	if ok && slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, name) }) {
		return fmt.Errorf("unknown %s %q; its name is %q", kind, word, name)
	}
	return nearest.Unknown(kind, word, known)
}

// renamed returns a former word with the present key: tbc-fig11 for s4-fig11, TBC-09 for C4-09, tbc
// for tbc2011.
func renamed(word string) (name string, ok bool) {
	for _, p := range all {
		for _, former := range p.former {
			rest, ok := strings.CutPrefix(word, former)
			switch {
			case !ok || rest != "" && rest[0] != '-':
			case former[0] == 'C':
				return strings.ToUpper(p.Key) + rest, true
			default:
				return p.Key + rest, true
			}
		}
	}
	return "", false
}
