package litmus

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/properties/draw"
)

// TestRun checks that no test has a forbidden outcome on random machines.
func TestRun(t *testing.T) {
	runs := uint64(100)
	if testing.Short() {
		runs = 8
	}
	nothingForbidden(t, Tests(), runs)
}

// TestSynchronisation runs the tests that need each kind of fence, release and acquire more often.
// It finds planted bugs in these.
func TestSynchronisation(t *testing.T) {
	names := []string{
		"MP+fence.sys", "MP+fence.gpu", "MP+fence.release+fence.acquire", "MP+membar.gl", "MP+release+acquire.gpu",
		"MP+release+fence",
		"MP+fence+acquire", "MP+atom.release+atom.acquire", "MP+release+atom.acquire", "MP+red.release+acquire",
		"SB+fence.sc", "S+release+acquire", "Lock",
	}
	var tests []*Test
	for _, one := range Tests() {
		if slices.Contains(names, one.Name) {
			tests = append(tests, one)
		}
	}
	require.Len(t, tests, len(names))
	runs := uint64(200)
	if testing.Short() {
		runs = 16
	}
	nothingForbidden(t, tests, runs)
}

// nothingForbidden runs tests. The weak outcome of MP+weak must be seen: otherwise the machines
// reorder too little.
func nothingForbidden(t *testing.T, tests []*Test, runs uint64) {
	r, err := Run(Options{Tests: tests, Runs: runs, Machine: draw.Machine, Jobs: 2})
	require.NoError(t, err)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	for i := range r.Results {
		one := &r.Results[i]
		n := one.Count()
		assert.Equal(t, runs, one.Launches, one.Test.Name)
		assert.GreaterOrEqual(t, one.Executions, runs, one.Test.Name)
		t.Logf("%s: %d executions, %d of %d outcomes, %d of %d weak", one.Test.Name, one.Executions, n.Seen, n.Allowed,
			n.WeakSeen, n.Weak)
		switch {
		case one.Test.Name == "MP+weak" && runs > 50:
			assert.Equal(t, 1, n.WeakSeen)
		case sequential(one.Test): // docs/explanation/memory-model.md
			assert.Zero(t, n.WeakSeen, one.Test.Name)
		}
	}
}

// sequential reports whether the machine is sequentially consistent for a test, whatever the model
// allows. Either all threads are in one CTA, or all accesses are strong.
func sequential(t *Test) bool {
	cta, strong := true, true
	for _, thread := range t.threads {
		cta = cta && thread.CTA == t.threads[0].CTA
		for _, in := range thread.Insts {
			strong = strong && (in.Order != orderWeak || in.Op == opCompute)
		}
	}
	return cta || strong
}
