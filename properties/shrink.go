package properties

import (
	"reflect"
	"slices"
	"time"

	"divergo/properties/draw"
)

// Shrink looks for smaller cases that fail the same checker, for so long at
// most, and returns the smallest that it found: f itself, if there is none.
// It ends when stop, if that is not nil, says so.
func Shrink(f *Failure, limit time.Duration, stop func() bool) *Failure {
	if f.Checker == checkReset { // which takes the runs before
		return f
	}
	deadline := time.Now().Add(limit)
	over := func() bool { return time.Now().After(deadline) || stop != nil && stop() }
	runner := Runner{limit: min(4*f.cycles+100_000, maxCycles), Stop: over} // without coverage; one that goes round for ever ends soon
	for again := true; again; {
		again = false
		skip := 0 // candidates of the present case that have been tried, or correspond to such
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
				if g := runner.fails(c, f); g != nil {
					f, found, again = g, true, true
					skip = at - 1
					break
				}
			}
		}
	}
	return f
}

// fails runs a smaller case and returns its failure if it is of the same kind.
func (r *Runner) fails(c draw.Case, like *Failure) *Failure {
	k, err := c.Compile()
	if err != nil {
		return nil
	}
	if k, err = k.For(like.Mechanism); err != nil || reflect.DeepEqual(*k.Case, like.Case) { // which may take the step back
		return nil
	}
	f, err := r.try(k, like.Mechanism)
	if err != nil || f == nil || !alike(f.Checker, like.Checker) || r.limit > 0 && r.limit < maxCycles && f.cycles >= r.limit {
		return nil
	}
	f.Features = like.Features
	return f
}

// alike reports whether two checkers are one, or both compare what threads have done
// with the golden model: what differs first depends on what is left of the kernel.
func alike(a, b string) bool {
	results := []string{checkPaths, checkRegisters, checkMemory}
	return a == b || slices.Contains(results, a) && slices.Contains(results, b)
}
