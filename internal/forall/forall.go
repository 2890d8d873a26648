// Package forall checks properties of hardware blocks with gopter. It draws cases, and prints the
// smallest case that it finds for which a property does not hold. The String method of the case
// draws the picture.
//
//	forall.Check(t, "a warp keeps its threads", warps, func(t *forall.T, w warp) {
//		require.Equal(t, w.threads(), placed(w).threads())
//	})
//
// Every property has at most 1,000 cases with -short, and 3,000 without. They are the same in each run. The
// environment variable DIVERGO_SEED draws others.
package forall

import (
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"
)

// variable is the environment variable with the seed.
const variable = "DIVERGO_SEED"

// T records where a case differs from the property. The assertions of testify take it.
type T struct{ problem string }

// callers are the lines of testify's "Error Trace" below the first.
var callers = regexp.MustCompile(`(?m)^\t +\t{4}\S+:\d+\n`)

// Errorf keeps the first difference.
func (t *T) Errorf(format string, args ...any) {
	if t.problem == "" {
		t.problem = callers.ReplaceAllString(strings.Trim(fmt.Sprintf(format, args...), "\n"), "")
	}
}

// FailNow ends the case.
func (t *T) FailNow() { panic(t) }

// LeftOut reports whether -short leaves out the n-th of many cases: it keeps one of every of.
func LeftOut(n, of int) bool { return testing.Short() && n%of != 0 }

// Check runs a subtest with the sentence as its name: the property holds for all cases that a
// generator draws.
func Check[C any](t *testing.T, sentence string, cases gopter.Gen, holds func(t *T, c C)) {
	t.Helper()
	CheckMany(t, 3000, sentence, cases, holds)
}

// CheckMany is Check with the given number of cases without -short.
func CheckMany[C any](t *testing.T, many int, sentence string, cases gopter.Gen, holds func(t *T, c C)) {
	t.Helper()
	t.Run(sentence, func(t *testing.T) {
		t.Helper()
		p := gopter.DefaultTestParametersWithSeed(seed(t))
		p.MinSuccessfulTests = many
		if testing.Short() {
			p.MinSuccessfulTests = min(many, 1000)
		}
		if problem := check(p, cases, holds); problem != "" {
			t.Errorf("%s\nseed %d; again: %s=%d go test -run '%s'", problem, p.Seed(), variable, p.Seed(),
				pattern(t.Name()))
			return
		}
		t.Logf("%d cases of seed %d", p.MinSuccessfulTests, p.Seed())
	})
}

// pattern matches the name of one test.
func pattern(name string) string {
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^") + "$"
}

// seed is the seed from the environment, or 1.
func seed(t *testing.T) int64 {
	text := os.Getenv(variable)
	if text == "" {
		return 1
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q: expected a number", variable, text)
	}
	return n
}

// patience limits the time for making a counterexample smaller.
const patience = 30 * time.Second

// check searches for a counterexample, and describes the smallest one that it finds.
func check[C any](p *gopter.TestParameters, cases gopter.Gen, holds func(t *T, c C)) string {
	var found time.Time
	result := prop.ForAll(func(c C) (what string) {
		if !found.IsZero() && time.Since(found) > patience {
			return ""
		}
		if what = problem(c, holds); what != "" && found.IsZero() {
			found = time.Now()
		}
		return what
	}, cases).Check(p)
	switch {
	case result.Passed():
		return ""
	case len(result.Args) == 0:
		return fmt.Sprintf("%s after %d cases, %d cases not drawn: %v", result.Status, result.Succeeded,
			result.Discarded, result.Error)
	}
	arg := result.Args[0]
	return fmt.Sprintf("does not hold in case %d, made smaller %d times:\n\n%s\n\n%s",
		result.Succeeded+1, arg.Shrinks, strings.TrimSpace(arg.ArgFormatted), strings.Join(result.Labels, "\n"))
}

// problem describes where a case differs from the property, "" if it does not.
func problem[C any](c C, holds func(t *T, c C)) (what string) {
	var t T
	defer func() {
		if p := recover(); p != nil && p != any(&t) {
			_, stack, _ := strings.Cut(string(debug.Stack()), "\npanic(")
			_, stack, _ = strings.Cut(stack, "\n")
			_, stack, _ = strings.Cut(stack, "\n")
			stack, _, _ = strings.Cut(stack, "\ndivergo/internal/forall.problem")
			t.Errorf("panic: %v\n%s", p, stack)
		}
		what = t.problem
	}()
	holds(&t, c)
	return
}
