package litmus_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/properties"
	"divergo/testbench/litmus"
)

// TestRun: on random machines no test has an outcome that the model does not allow.
func TestRun(t *testing.T) {
	o := litmus.Options{Tests: litmus.Tests(), Runs: 200, Machine: properties.Machine, Jobs: 2}
	if testing.Short() {
		o.Runs = 16
	}
	r, err := litmus.Run(o)
	require.NoError(t, err)
	if r.Finding != nil {
		t.Error(r.Finding)
	}
	for _, one := range r.Results {
		n := one.Count()
		t.Logf("%s: %d launches, %d executions, %d of %d weak", one.Test.Name, one.Launches, one.Executions, n.WeakSeen, n.Weak)
	}
	t.Log(r.Spent)
}
