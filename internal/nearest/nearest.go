// Package nearest suggests a known name for a misspelt one.
//
// Users type names of kernels, mechanisms, configuration keys and flags. Each is looked up in a
// short list. If it is not there, Unknown makes the error that names the nearest entry of the list.
package nearest

import (
	"fmt"
	"strings"
)

// Word returns the entry of known with the smallest edit distance from word, the first one on a
// tie. It returns "" if even that entry has little in common with word. Little means more than two
// changed letters and more than a third of the longer word, or more than half of it. Leading dashes
// do not count towards its length.
func Word(word string, known []string) string {
	best, least := "", -1
	for _, k := range known {
		if len(word) > 2*len(k) {
			continue // more than half of it would change
		}
		if d := distance(word, k); least < 0 || d < least {
			best, least = k, d
		}
	}
	longer := max(len(strings.TrimLeft(word, "-")), len(strings.TrimLeft(best, "-")))
	if least > 2 && least > longer/3 || 2*least > longer {
		return ""
	}
	return best
}

// Unknown is the error for a word that is not in known. kind is the kind of name: unknown preset
// "kelper"; did you mean "kepler"?
func Unknown(kind, word string, known []string) error {
	if w := Word(word, known); w != "" {
		return fmt.Errorf("unknown %s %q; did you mean %q?", kind, word, w)
	}
	return fmt.Errorf("unknown %s %q; want one of %s", kind, word, strings.Join(known, ", "))
}

// distance is the optimal string alignment distance of a and b: insertions, deletions, replacements
// and exchanges of neighbours. It ignores letter case.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			replace := one[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, one[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], two[j-1]+1)
			}
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}
