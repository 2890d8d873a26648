package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels/runner"
	"divergo/testbench"
	"divergo/testbench/verify"
)

// TestExitCode checks the exit codes of the command's documentation, by outcome of a run.
func TestExitCode(t *testing.T) {
	outcome := func(end gpu.End) error { return fmt.Errorf("pdom: %w", &testbench.Outcome{End: end}) }
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{fmt.Errorf("%w: %w", errCheck, errors.New("c[0] differs")), 1},
		{&verify.Mismatch{}, 1},
		{errors.New("unknown flag"), 2},
		{outcome(gpu.Faulted), 4},
		{outcome(gpu.Deadlock), 4},
		{outcome(gpu.OutOfTime), 4},
		{&verify.Mismatch{Outcome: &testbench.Outcome{End: gpu.Deadlock}}, 4},
		{outcome(gpu.Stopped), 130},
	} {
		assert.Equal(t, test.want, exitCode(test.err), "%#v", test.err)
	}
}

// TestVerifyFlag: the session of a workload honours --verify.
func TestVerifyFlag(t *testing.T) {
	s, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
	require.NoError(t, err)
	assert.IsType(t, &verify.Machine{}, (&machineFlags{verify: true}).host(s))
	assert.IsType(t, &runner.Machine{}, (&machineFlags{}).host(s))
}
