package properties

import (
	"reflect"
	"slices"
	"time"

	"divergo/properties/books"
	"divergo/properties/draw"
)

// shrink searches for smaller cases that fail the same checker, until the limit or until stop
// returns true. It returns the smallest one found, or f itself. A nil stop never ends it.
func shrink(f *Failure, limit time.Duration, stop func() bool) *Failure {
	if f.Checker == checkReset { // it needs the earlier runs
		return f
	}
	deadline := time.Now().Add(limit)
	over := func() bool { return time.Now().After(deadline) || stop != nil && stop() }
	// The runner counts no coverage, and its limit ends an endless case early.
	r := runner{limit: min(4*f.cycles+100_000, maxCycles), Stop: over}
	for again := true; again; {
		again = false
		skip := 0 // candidates of this case that were tried, or correspond to tried ones
		for found := true; found; {
			found = false
			at := 0
			for c := range draw.Smaller(f.Case) {
				if at++; at <= skip {
					continue
				}
				if over() {
					return f
				}
				if g := r.fails(c, f); g != nil {
					f, found, again = g, true, true
					skip = at - 1
					break
				}
			}
		}
	}
	return f
}

// fails runs a smaller case and returns its failure if it is alike.
func (r *runner) fails(c draw.Case, like *Failure) *Failure {
	k, err := c.Compile()
	if err != nil {
		return nil
	}
	if k, err = k.For(like.Mechanism); err != nil || reflect.DeepEqual(*k.Case, like.Case) { // For may undo the step
		return nil
	}
	f, err := r.try(k, like.Mechanism)
	if err != nil || f == nil || !alike(f.at.Rule, like.at.Rule) || r.limit > 0 && r.limit < maxCycles &&
		f.cycles >= r.limit {
		return nil
	}
	f.Features, f.bred = like.Features, like.bred
	return f
}

// alike reports whether two broken rules are of one checker, or both compare threads with the golden
// model. Which of the latter fails first depends on the rest of the kernel. Outcomes must end in the same
// way: a deadlock is not alike to a launch that does not fit the machine.
func alike(a, b books.Rule) bool {
	results := []string{checkPaths, checkRegisters, checkMemory}
	switch {
	case a.Checker == checkOutcome || b.Checker == checkOutcome:
		return a == b
	case slices.Contains(results, a.Checker):
		return slices.Contains(results, b.Checker)
	}
	return a.Checker == b.Checker
}
