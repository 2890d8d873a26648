package waves

import (
	"fmt"
	"slices"
	"strings"

	"divergo/internal/nearest"
)

// pattern selects signals by path. Dots separate its segments, as in a path. `*` stands for any
// text within a segment, and `?` for one character. A segment `**` stands for any number of
// segments. Brackets stand for themselves; a segment without them selects every element of an
// array. A pattern that matches a module or a struct selects everything below it.
type pattern []string

// parsePattern splits a pattern, and makes one `**` of several in a row.
func parsePattern(s string) pattern {
	return slices.CompactFunc(strings.Split(s, "."), func(a, b string) bool { return a == "**" && b == "**" })
}

// search finds the variables that a pattern selects.
type search struct {
	byName bool // by the names in the dump, not by the paths in the design
	made   bool // only among entries already made, including the clocks
	found  func(*variable)
}

// find calls found with each variable that the pattern selects, by paths and by names. It may find
// a variable twice.
func (s *scope) find(p pattern, found func(*variable)) {
	search{found: found}.in(s, p)
	if len(p) == 1 && p[0] == "**" {
		return // all of them
	}
	search{found: found, byName: true}.in(s, p)
}

// findMade is find among the entries already made, which include all that the dump may have.
func (s *scope) findMade(p pattern, found func(*variable)) {
	search{found: found, made: true}.in(s, p)
	search{found: found, made: true, byName: true}.in(s, p)
}

// in searches a scope with the rest p of a pattern, whose front matched up to the scope.
func (x search) in(s *scope, p pattern) {
	if x.made && !s.opened || !x.made && s.clocks {
		return
	}
	entries := s.open()
	if len(p) > 0 && !strings.ContainsAny(p[0], "*?") {
		entries = s.matching(p[0], x.byName)
	}
	for _, e := range entries {
		for q, step := p, true; step; {
			q, step = x.step(e, q)
		}
	}
}

// step tries the front of a pattern on an entry. For a `**` it returns the pattern to try next,
// which is the rest after it.
func (x search) step(e entry, p pattern) (next pattern, more bool) {
	switch {
	case len(p) == 0:
		x.enter(e, p)
	case p[0] == "**":
		if e.sub != nil {
			x.in(e.sub, p)
		} else if len(p) == 1 {
			x.found(e.v)
		}
		return p[1:], len(p) > 1
	case x.byName && matchSegment(p[0], e.name()), !x.byName && matchSegment(p[0], e.seg()):
		x.enter(e, p[1:])
	}
	return nil, false
}

// enter continues with the rest of a pattern that has matched an entry.
func (x search) enter(e entry, rest pattern) {
	if e.sub != nil {
		x.in(e.sub, rest)
		return
	}
	for _, p := range rest {
		if p != "**" {
			return
		}
	}
	x.found(e.v)
}

// leads reports whether the pattern matches the path of these segments itself, not only a scope
// around its end.
func (p pattern) leads(segs []string) bool {
	switch {
	case len(p) == 0:
		return len(segs) == 0
	case p[0] == "**":
		return p[1:].leads(segs) || len(segs) > 0 && p.leads(segs[1:])
	}
	return len(segs) > 0 && matchSegment(p[0], segs[0]) && p[1:].leads(segs[1:])
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

// unmatched explains why a pattern selects nothing: how far it matches, and the nearest name there.
func (s *scope) unmatched(what, text string) error {
	p := parsePattern(text)
	for n := len(p) - 1; n >= 0; n-- {
		var next []string
		s.reached(p[:n], func(at *scope) {
			for _, e := range at.open() {
				if e.sub == nil || !e.sub.clocks { // patterns do not select the clocks
					next = append(next, e.seg())
				}
			}
		})
		if len(next) == 0 {
			continue
		}
		at := "the design"
		if n > 0 {
			at = strings.Join(p[:n], ".")
		}
		slices.Sort(next)
		if w := nearest.Word(p[n], slices.Compact(next)); w != "" {
			return fmt.Errorf("%s %q selects no signal: %s has no %q; did you mean %q?", what, text, at, p[n], w)
		}
		return fmt.Errorf("%s %q selects no signal: %s has no %q, the first name there is %q", what, text, at, p[n],
			next[0])
	}
	return fmt.Errorf("%s %q selects no signal: the design has none", what, text)
}

// reached calls f with each scope that the pattern matches.
func (s *scope) reached(p pattern, f func(*scope)) {
	if s.clocks {
		return
	}
	if len(p) == 0 {
		f(s)
		return
	}
	any := p[0] == "**"
	if any {
		s.reached(p[1:], f)
	}
	for _, e := range s.open() {
		switch {
		case e.sub == nil:
		case any:
			e.sub.reached(p, f)
		case matchSegment(p[0], e.seg()):
			e.sub.reached(p[1:], f)
		}
	}
}
