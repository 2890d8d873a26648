package waves

import (
	"fmt"
	"slices"
	"strings"

	"divergo/internal/nearest"
)

// A pattern selects signals by path. Its segments are separated by dots as those of a path are; `*` stands for any
// text within a segment, `?` for one character of it, and a segment `**` for any number of segments. Brackets stand
// for themselves; a segment without them selects every element of an array. A pattern that matches a module or a
// struct selects everything below it.
type pattern []string

func parsePattern(s string) pattern { return strings.Split(s, ".") }

// selects says whether the pattern matches the path or something above it.
func (p pattern) selects(path []string) bool {
	switch {
	case len(p) == 0:
		return true
	case p[0] == "**":
		for i := range len(path) + 1 {
			if p[1:].selects(path[i:]) {
				return true
			}
		}
		return false
	}
	return len(path) > 0 && matchSegment(p[0], path[0]) && p[1:].selects(path[1:])
}

// matchSegment matches a segment with or without its indices.
func matchSegment(p, s string) bool {
	if matchText(p, s) {
		return true
	}
	name, _, indexed := strings.Cut(s, "[")
	return indexed && matchText(p, name)
}

// matchText matches text to a pattern, with backtracking to the last star only.
func matchText(p, s string) bool {
	star, from := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// selector is a pattern that may be written with the paths of the design or with the names in the dump.
type selector struct {
	text string
	segs pattern
}

func newSelector(text string) selector { return selector{text, parsePattern(text)} }

func (s selector) selects(v *variable) bool {
	return s.segs.selects(v.path) || s.segs.selects(v.names)
}

// unmatched explains why a pattern selects nothing: how far it came, and the nearest name from there.
func (s selector) unmatched(what string, vars []*variable) error {
	for n := len(s.segs) - 1; n >= 0; n-- {
		var next []string
		for _, v := range vars {
			for i := range v.path {
				if s.segs[:n].matchesAll(v.path[:i]) {
					next = append(next, v.path[i])
				}
			}
		}
		if len(next) == 0 {
			continue
		}
		at := "the design"
		if n > 0 {
			at = strings.Join(s.segs[:n], ".")
		}
		slices.Sort(next)
		if w := nearest.Word(s.segs[n], slices.Compact(next)); w != "" {
			return fmt.Errorf("%s %q selects no signal: %s has no %q; did you mean %q?", what, s.text, at, s.segs[n], w)
		}
		return fmt.Errorf("%s %q selects no signal: %s has no %q, the first name there is %q", what, s.text, at, s.segs[n], next[0])
	}
	return fmt.Errorf("%s %q selects no signal: the design has none", what, s.text)
}

// matchesAll says whether the pattern matches the whole path.
func (p pattern) matchesAll(path []string) bool {
	switch {
	case len(p) == 0:
		return len(path) == 0
	case p[0] == "**":
		for i := range len(path) + 1 {
			if p[1:].matchesAll(path[i:]) {
				return true
			}
		}
		return false
	}
	return len(path) > 0 && matchSegment(p[0], path[0]) && p[1:].matchesAll(path[1:])
}
